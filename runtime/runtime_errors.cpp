#include "runtime/runtime_errors.h"
#include "frontend/quoted.h"
#include "frontend/reader/repairs.h"
#include "runtime/string.h"

namespace ptc {
namespace {

MetKind text_kind(std::string_view text) {
    constexpr std::size_t kMaxDigits = 40;
    if (text.size() > kMaxDigits || text.empty()) return MetKind::Text;
    const std::size_t sign = text.front() == '-' || text.front() == '+' ? 1 : 0;
    if (text.size() > sign && text.find_first_not_of("0123456789", sign) == text.npos) return MetKind::IntegerText;
    return is_number(text) ? MetKind::NumberText : MetKind::Text;
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
