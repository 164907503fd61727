// The rules of types that need no heap: which kinds of values a type accepts, whether a number is within bounds,
// whether a scalar is among the choices of an enum. The check of a run's value (scalar_check.cpp) and the checker of
// literals in programs (compiler/check/type_check.cpp) are both made of them, so that they cannot disagree.
#include "runtime/signature/type_rules.h"
#include <algorithm>
#include <compare>

namespace ptc {
namespace {

constexpr KindMask operator|(ValueKind a, ValueKind b) { return static_cast<KindMask>(kind_bit(a) | kind_bit(b)); }

constexpr KindMask kEveryKind = [] {
    unsigned mask = 0;
    for (unsigned k = 0; k <= static_cast<unsigned>(ValueKind::Other); ++k)
        mask |= 1u << k;
    return static_cast<KindMask>(mask & ~1u); // but Absent
}();

} // namespace

KindMask kinds_of_type(TypeKind kind, bool exactly) {
    switch (kind) {
    case TypeKind::Any: return kEveryKind;
    case TypeKind::String: return kind_bit(ValueKind::String);
    case TypeKind::Int: return kind_bit(ValueKind::Int);
    case TypeKind::Float: return exactly ? kind_bit(ValueKind::Float) : ValueKind::Float | ValueKind::Int;
    case TypeKind::Bool: return kind_bit(ValueKind::Bool);
    case TypeKind::Keyword: return kind_bit(ValueKind::Keyword);
    case TypeKind::DateTime: return kind_bit(ValueKind::DateTime);
    case TypeKind::Nil: return kind_bit(ValueKind::Nil);
    case TypeKind::Map:
    case TypeKind::Record: return kind_bit(ValueKind::Map);
    case TypeKind::List: return kind_bit(ValueKind::List);
    case TypeKind::Enum:
    case TypeKind::Union: return 0;
    }
    return 0;
}

KindMask kinds_of_argument(TypeKind kind) {
    const KindMask own = kinds_of_type(kind);
    if (kind == TypeKind::Map || kind == TypeKind::Record || kind == TypeKind::List) return own;
    unsigned mask = own | (ValueKind::String | ValueKind::Keyword);
    if (kind == TypeKind::Enum) mask |= (ValueKind::Nil | ValueKind::Bool) | (ValueKind::Int | ValueKind::Float);
    return static_cast<KindMask>(mask);
}

bool is_choice(const Choice& choice, const Scalar& value) {
    struct Match {
        const Scalar& value;
        bool operator()(std::monostate) const { return value.kind == ValueKind::Nil; }
        bool operator()(bool b) const { return value.kind == ValueKind::Bool && value.is_true == b; }
        bool operator()(std::int64_t i) const {
            return value.kind == ValueKind::Int && !value.is_wide && value.integer == i;
        }
        bool operator()(double d) const { return value.kind == ValueKind::Float && value.number == d; }
        // A keyword and the text of the same name are one thing at the boundary.
        bool operator()(const std::string& text) const {
            return (value.kind == ValueKind::String || value.kind == ValueKind::Keyword) && value.text == text;
        }
        bool operator()(const KeywordChoice& keyword) const { return (*this)(keyword.name); }
    };
    return std::visit(Match{value}, choice);
}

namespace {

/// Nothing for NaN.
std::partial_ordering compare(const Scalar& number, const Number& limit) {
    if (number.kind == ValueKind::Float) {
        return std::visit(
            [&](auto l) { return static_cast<long double>(number.number) <=> static_cast<long double>(l); }, limit);
    }
    if (number.is_wide) return number.integer < 0 ? std::partial_ordering::less : std::partial_ordering::greater;
    if (const auto* whole = std::get_if<std::int64_t>(&limit)) return number.integer <=> *whole;
    return static_cast<long double>(number.integer) <=> static_cast<long double>(std::get<double>(limit));
}

bool holds(const Bound& bound, const Scalar& number) {
    const std::partial_ordering order = compare(number, bound.limit);
    switch (bound.op) {
    case Bound::Op::Greater: return order > 0;
    case Bound::Op::AtLeast: return order >= 0;
    case Bound::Op::Less: return order < 0;
    case Bound::Op::AtMost: return order <= 0;
    case Bound::Op::Equal: return order == 0;
    case Bound::Op::NotEqual: return order != 0;
    }
    return false;
}

std::string_view without_sign(std::string_view text) {
    return text.substr(!text.empty() && (text[0] == '+' || text[0] == '-'));
}

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t n = 0;
    while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9')
        ++n;
    return n;
}

} // namespace

bool is_within(const Type& type, const Scalar& number) {
    return std::ranges::all_of(type.bounds, [&](const Bound& bound) { return holds(bound, number); });
}

bool is_integer_text(std::string_view text) {
    text = without_sign(text);
    return !text.empty() && digits_at(text, 0) == text.size();
}

bool is_float_text(std::string_view text) {
    text = without_sign(text);
    std::size_t at = digits_at(text, 0);
    if (at == 0) return false;
    if (at < text.size() && text[at] == '.') {
        const std::size_t n = digits_at(text, at + 1);
        if (n == 0) return false;
        at += 1 + n;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        at += 1 + (at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+'));
        const std::size_t n = digits_at(text, at);
        if (n == 0) return false;
        at += n;
    }
    return at == text.size();
}

std::string_view trim_blanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

} // namespace ptc
