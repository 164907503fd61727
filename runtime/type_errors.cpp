// The errors of runtime_errors.h that describe a value. What describes a value knows every type there is, and most
// types report errors: so these bodies are above the types, the header and the other bodies below.
#include "frontend/quoted.h"
#include "runtime/print.h"
#include "runtime/runtime_errors.h"
#include "runtime/string.h"

namespace ptc {
namespace {

constexpr std::size_t kPreviewBytes = 40;

bool is_short_scalar(const Value& v) {
    if (v.is_string() || v.is_keyword()) return text_of(v).size() <= kPreviewBytes;
    if (v.is(ObjectType::BigInteger)) return false;
    return v.is_boolean() || v.is_number();
}

/// "5 (an integer)", "nil", "a vector of 3 items": never longer than a line.
std::string describe(const Value& v) {
    std::string kind = describe_type(v);
    if (!is_short_scalar(v)) return kind;
    return scalar_to_string(v) + " (" + kind + ")";
}

Error about(Error error, const char* who, const Value& got, int position) {
    error.bad_call = {operand_kind(got), static_cast<std::uint8_t>(position), who};
    return error;
}

} // namespace

Error wrong_type(const char* who, const char* expected, const Value& got, int position) {
    std::string message = quoted(who) + " needs " + expected;
    if (position > 0) message += " as argument " + std::to_string(position);
    return about(Error(Reason::TypeError, message + ", got " + describe(got) + "."), who, got, position);
}

Error not_a_number(const char* who, const Value& got, int position) {
    Error error(Reason::TypeError, quoted(who) + " needs numbers, got " + describe(got) + ".");
    if (got.is_nil())
        error.hint = "A missing key or field reads as nil; give it a default: `(get m :k 0)` or `(or x 0)`.";
    if (got.is(ObjectType::Var)) error.hint = "What an atom holds is read by @: `(+ @a 1)`.";
    if (got.is_string()) error.hint = "Convert text with `parse-long` or `parse-double` first.";
    return about(std::move(error), who, got, position);
}

} // namespace ptc
