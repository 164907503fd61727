// Members of rows and requests.
#pragma once
#include "ptc/datum.h"
#include <cstdint>
#include <string>

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

inline std::string expected_but(const std::string& what, const Datum& expected, const Datum& actual) {
    return what + ": expected " + expected.to_json() + ", got " + actual.to_json();
}

} // namespace ptc
