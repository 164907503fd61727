#include "runtime/runtime_errors.h"
#include "frontend/reader/repairs.h"
#include "runtime/number.h"
#include "runtime/print.h"
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

MetKind text_kind(std::string_view text) {
    constexpr std::size_t kMaxDigits = 40;
    if (text.size() > kMaxDigits || text.empty()) return MetKind::Text;
    const std::size_t sign = text.front() == '-' || text.front() == '+' ? 1 : 0;
    if (text.size() > sign && text.find_first_not_of("0123456789", sign) == text.npos) return MetKind::IntegerText;
    return is_number(text) ? MetKind::NumberText : MetKind::Text;
}

Error about(Error error, const char* who, const Value& got, int position) {
    error.met = {met_kind(got), static_cast<std::uint8_t>(position), who};
    return error;
}

} // namespace

MetKind met_kind(const Value& v) {
    if (v.is_nil()) return MetKind::Nil;
    if (v.is_boolean()) return MetKind::Boolean;
    if (v.is_number()) return MetKind::AnyNumber;
    if (v.is_string()) return text_kind(text_of(v));
    if (v.is_keyword()) return MetKind::Keyword;
    if (v.is_vector()) return MetKind::Vector;
    if (v.is_map()) return MetKind::Map;
    if (v.is_set()) return MetKind::Set;
    if (v.is_function()) return MetKind::Function;
    return v.is(ObjectType::Regex) ? MetKind::Regex : MetKind::Nothing;
}

Error wrong_type(const char* who, const char* expected, const Value& got, int position) {
    std::string message = quoted(who) + " needs " + expected;
    if (position > 0) message += " as argument " + std::to_string(position);
    return about(Error(Reason::TypeError, message + ", got " + describe(got) + "."), who, got, position);
}

Error not_a_number(const char* who, const Value& got, int position) {
    Error error(Reason::TypeError, quoted(who) + " needs numbers, got " + describe(got) + ".");
    if (got.is_nil())
        error.hint = "A missing key or field reads as nil; give it a default: `(get m :k 0)` or `(or x 0)`.";
    if (got.is_string()) error.hint = "Convert text with `parse-long` or `parse-double` first.";
    return about(std::move(error), who, got, position);
}

Error division_by_zero(const char* who) {
    Error error(Reason::ArithmeticError, quoted(who) + " divides by zero.");
    error.met = {MetKind::AnyNumber, 2, who};
    return error;
}

Error out_of_range(const char* who, const std::string& what) {
    return Error(Reason::ArithmeticError, quoted(who) + ": " + what);
}

Error runtime_failure(const char* who, const std::string& what) {
    return Error(Reason::RuntimeError, quoted(who) + ": " + what);
}

} // namespace ptc
