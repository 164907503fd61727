#include "runtime/runtime_errors.h"
#include "frontend/quoted.h"
#include "frontend/reader/repairs.h"
#include "runtime/string.h"

namespace ptc {
namespace {

OperandKind text_kind(std::string_view text) {
    constexpr std::size_t kMaxDigits = 40;
    if (text.size() > kMaxDigits || text.empty()) return OperandKind::Text;
    const std::size_t sign = text.front() == '-' || text.front() == '+' ? 1 : 0;
    if (text.size() > sign && text.find_first_not_of("0123456789", sign) == text.npos) return OperandKind::IntegerText;
    return is_number(text) ? OperandKind::NumberText : OperandKind::Text;
}

} // namespace

OperandKind operand_kind(const Value& v) {
    if (v.is_nil()) return OperandKind::Nil;
    if (v.is_boolean()) return OperandKind::Boolean;
    if (v.is_number()) return OperandKind::AnyNumber;
    if (v.is_string()) return text_kind(text_of(v));
    if (v.is_keyword()) return OperandKind::Keyword;
    if (v.is_vector()) return OperandKind::Vector;
    if (v.is_map()) return OperandKind::Map;
    if (v.is_set()) return OperandKind::Set;
    if (v.is_function()) return OperandKind::Function;
    return v.is(ObjectType::Regex) ? OperandKind::Regex : OperandKind::Nothing;
}

Error division_by_zero(const char* who) {
    Error error(Reason::ArithmeticError, quoted(who) + " divides by zero.");
    error.bad_call = {OperandKind::AnyNumber, 2, who};
    return error;
}

Error out_of_range(const char* who, const std::string& what) {
    return Error(Reason::ArithmeticError, quoted(who) + ": " + what);
}

Error runtime_failure(const char* who, const std::string& what) {
    return Error(Reason::RuntimeError, quoted(who) + ": " + what);
}

Error too_many_digits(std::size_t digits, std::size_t limit) {
    return Error(Reason::LimitExceeded, "An integer of " + std::to_string(digits) +
                                            " digits is longer than the limit of " + std::to_string(limit) + ".")
        .with_hint("Keep it as a text, or make it from shorter integers.");
}

Error result_too_long(const char* form, std::size_t limit) {
    return Error(Reason::LimitExceeded, std::string("The result's ") + form + " is longer than the limit of " +
                                            std::to_string(limit) + " bytes.")
        .with_hint("Return a summary: take the first items, or count them.");
}

} // namespace ptc
