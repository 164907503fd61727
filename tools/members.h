// Members of rows and requests.
#pragma once
#include "ptc/datum.h"
#include "ptc/result.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptc {

/// The member's text, "" when it is absent or no text.
inline std::string text_of(const Datum& object, const char* member) {
    const Datum* value = object.find(member);
    return value && value->text() ? *value->text() : "";
}

/// The member's whole number, 0 when it is absent or no such number.
inline std::int64_t integer_of(const Datum& object, const char* member) {
    std::int64_t number = 0;
    if (const Datum* value = object.find(member)) (void)value->to_int64(&number);
    return number;
}

inline const Datum::List& items_of(const Datum& object, const char* member) {
    static const Datum::List kNone;
    const Datum* value = object.find(member);
    return value && value->list() ? *value->list() : kNone;
}

inline bool is_true(const Datum* value) { return value && value->get_if<bool>() && *value->get_if<bool>(); }

/// invalid_request for the first member of `row`, a map from JSON, that is not `known`, with the nearest that is.
Result<void> check_members(const Datum& row, std::span<const std::string_view> known, const std::string& of);

inline std::string expected_but(const std::string& what, const Datum& expected, const Datum& actual) {
    return what + ": expected " + expected.to_json() + ", got " + actual.to_json();
}

} // namespace ptc
