#include "runtime/runtime_errors.h"
#include "runtime/print.h"
#include "runtime/number.h"
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

std::string quoted(const char* who) { return std::string("`") + who + "`"; }

} // namespace

Error wrong_type(const char* who, const char* expected, const Value& got, int position) {
    std::string message = quoted(who) + " needs " + expected;
    if (position > 0) message += " as argument " + std::to_string(position);
    return Error(Reason::TypeError, message + ", got " + describe(got) + ".");
}

Error not_a_number(const char* who, const Value& got) {
    Error error(Reason::TypeError, quoted(who) + " needs numbers, got " + describe(got) + ".");
    if (got.is_nil()) error.hint = "A missing key or field reads as nil; give it a default: `(get m :k 0)` or `(or x 0)`.";
    if (got.is_string()) error.hint = "Convert text with `parse-long` or `parse-double` first.";
    return error;
}

Error division_by_zero(const char* who) { return Error(Reason::ArithmeticError, quoted(who) + " divides by zero."); }

Error out_of_range(const char* who, const std::string& what) { return Error(Reason::ArithmeticError, quoted(who) + ": " + what); }

Error runtime_failure(const char* who, const std::string& what) { return Error(Reason::RuntimeError, quoted(who) + ": " + what); }

} // namespace ptc
