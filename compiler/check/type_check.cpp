// The type check of arguments before the run: type, form and fact are walked together, and the first part that can
// never fit is the mismatch.
//
// A literal is judged by the rules that also the run goes by (runtime/signature/type_rules.h), and leniently where the
// run may coerce; a value of which only the kind is known fits when any value of that kind does. Alternatives of a
// union are tried one after the other, so the work is bounded.
#include "compiler/check/type_check.h"
#include "compiler/analyze/analysis_errors.h"
#include "compiler/check/check_warnings.h"
#include "runtime/signature/type_rules.h"
#include <algorithm>

namespace ptc {
namespace {

/// Type and form are walked together, alternatives of a type again for each form: this much of it.
constexpr std::uint32_t kMaxSteps = 100'000;

bool is_text(const Form& form) { return form.is(FormKind::String) || form.is(FormKind::Keyword); }

bool is_scalar(const Form& form) { return form.kind < FormKind::Symbol; }

/// A literal as the rules of types look at it.
Scalar scalar_of(const Form& literal) {
    Scalar scalar;
    switch (literal.kind) {
    case FormKind::True:
    case FormKind::False:
        scalar.kind = ValueKind::Bool;
        scalar.is_true = literal.is(FormKind::True);
        break;
    case FormKind::Integer:
        scalar.kind = ValueKind::Int;
        scalar.integer = literal.integer;
        break;
    case FormKind::BigInteger:
        scalar.kind = ValueKind::Int;
        scalar.is_wide = true;
        break;
    case FormKind::Float:
        scalar.kind = ValueKind::Float;
        scalar.number = literal.number;
        break;
    case FormKind::String:
    case FormKind::Keyword:
        scalar.kind = literal.is(FormKind::String) ? ValueKind::String : ValueKind::Keyword;
        scalar.text = literal.text();
        break;
    default: break;
    }
    return scalar;
}

/// Perhaps: a text that begins like a number is left to the run.
bool may_spell_float(std::string_view text) {
    text = trim_blanks(text);
    return is_integer_text(text.substr(0, text.find_first_not_of("0123456789", 1)));
}

/// An integer stands for the float of its value, and a text for the number that it may spell.
bool may_be_choice(const Choice& choice, const Scalar& value) {
    if (is_choice(choice, value)) return true;
    const bool is_text = value.kind == ValueKind::String || value.kind == ValueKind::Keyword;
    if (std::holds_alternative<std::int64_t>(choice)) return is_text && is_integer_text(value.text);
    if (!std::holds_alternative<double>(choice)) return false;
    if (is_text) return may_spell_float(value.text);
    Scalar as_float = value;
    as_float.kind = ValueKind::Float;
    as_float.number = static_cast<double>(value.integer);
    return value.kind == ValueKind::Int && !value.is_wide && is_choice(choice, as_float);
}

bool may_become(TypeKind type, std::string_view text) {
    switch (type) {
    case TypeKind::Int: return is_integer_text(text);
    case TypeKind::Float: return may_spell_float(text);
    case TypeKind::Bool: return is_bool_text(text);
    case TypeKind::Nil: return false;
    default: return (kinds_of_argument(type) & kind_bit(ValueKind::String)) != 0;
    }
}

/// nil, true, false, a number, a text.
bool literal_fits(const Type& type, const Form& form) {
    const Scalar literal = scalar_of(form);
    if (literal.kind == ValueKind::Nil && type.is_optional) return true;
    if (type.is(TypeKind::Enum))
        return std::ranges::any_of(type.choices, [&](const Choice& choice) { return may_be_choice(choice, literal); });
    if (is_text(form)) return may_become(type.kind, form.text());
    const bool is_taken = (kinds_of_type(type.kind) & kind_bit(literal.kind)) != 0;
    return is_taken && (literal.is_wide || is_within(type, literal));
}

/// The kinds that a value may have of which only the fact is known.
KindMask kinds_of_fact(FactKind kind) {
    const auto either = [](ValueKind a, ValueKind b) { return static_cast<KindMask>(kind_bit(a) | kind_bit(b)); };
    switch (kind) {
    case FactKind::Nil: return kind_bit(ValueKind::Nil);
    case FactKind::Bool: return kind_bit(ValueKind::Bool);
    case FactKind::Numeric: return either(ValueKind::Int, ValueKind::Float);
    case FactKind::String:
    case FactKind::Keyword: return either(ValueKind::String, ValueKind::Keyword);
    case FactKind::Record:
    case FactKind::Dict: return kind_bit(ValueKind::Map);
    case FactKind::List:
    case FactKind::Tuple: return kind_bit(ValueKind::List);
    case FactKind::Any:
    case FactKind::Never:
    case FactKind::Set: // becomes a list on its way out
    case FactKind::Function: break;
    }
    return static_cast<KindMask>(~0u);
}

/// A value of which only the kind is known.
bool kind_fits(const Type& type, const Fact& fact) {
    if (type.is_optional && !fact.non_nil) return true; // it may be nil
    const KindMask kinds = kinds_of_fact(fact.kind);
    return kinds == static_cast<KindMask>(~0u) || (kinds & kinds_of_argument(type.kind)) != 0;
}

/// One type check: walks type, form and fact together.
class TypeCheck {
public:
    std::optional<Mismatch> check(const Type& type, const Form* form, const Fact& fact) {
        if (type.is(TypeKind::Any) || ++steps_ > kMaxSteps) return std::nullopt;
        if (type.is(TypeKind::Union)) return check_union(type, form, fact);
        if (form && is_scalar(*form))
            return literal_fits(type, *form) ? std::nullopt : mismatch(type, form, describe_form(*form));
        if (form && form->is(FormKind::Vector) && type.is(TypeKind::List)) return check_items(type, *form, fact);
        if (form && form->is(FormKind::Map) && type.is(TypeKind::Record)) return check_fields(type, *form, fact);
        if (!kind_fits(type, fact)) return mismatch(type, form, std::string(describe_kind(fact.kind)));
        if (type.is(TypeKind::Record) && fact.kind == FactKind::Record) return check_record(type, form, fact);
        return std::nullopt;
    }

private:
    static std::optional<Mismatch> mismatch(const Type& type, const Form* form, std::string got) {
        const bool is_written =
            form && (is_scalar(*form) || (form->kind > FormKind::List && form->kind <= FormKind::Set));
        return Mismatch{form ? form->span : Span{}, {}, &type, std::move(got), is_written};
    }

    /// None of the types.
    std::optional<Mismatch> check_union(const Type& type, const Form* form, const Fact& fact) {
        if (type.is_optional && (form ? form->is(FormKind::Nil) : !fact.non_nil)) return std::nullopt;
        std::optional<Mismatch> last;
        for (const Type& item : type.items) {
            last = check(item, form, fact);
            if (!last) return std::nullopt;
        }
        if (last && last->path.empty()) last->type = &type;
        return last;
    }

    std::optional<Mismatch> check_items(const Type& type, const Form& vector, const Fact& fact) {
        for (std::size_t i = 0; i < vector.size; ++i) {
            const bool known = fact.kind == FactKind::Tuple && i < fact.parts.size();
            auto found = check(type.element(), &vector.items()[i], known ? *fact.parts[i].fact : *Facts::any());
            if (found) return below(std::move(found), "[" + std::to_string(i) + "]");
        }
        return std::nullopt;
    }

    std::optional<Mismatch> check_fields(const Type& type, const Form& map, const Fact& fact) {
        bool all_known = true;
        for (std::size_t i = 0; i + 1 < map.size; i += 2)
            all_known = all_known && is_text(map.items()[i]);
        for (const Field& field : type.fields) {
            const Form* value = nullptr;
            for (std::size_t i = 0; i + 1 < map.size; i += 2) {
                if (is_text(map.items()[i]) && names_match(map.items()[i].text(), field.name))
                    value = &map.items()[i + 1];
            }
            const FactPart* part = fact.kind == FactKind::Record ? Facts::find(fact, field.name) : nullptr;
            std::optional<Mismatch> found;
            if (value)
                found = check(field.type, value, part ? *part->fact : *Facts::any());
            else if (all_known && !field.type.is_optional)
                found = mismatch(field.type, &map, {});
            if (found) return below(std::move(found), "." + field.name);
        }
        return std::nullopt;
    }

    std::optional<Mismatch> check_record(const Type& type, const Form* form, const Fact& fact) {
        for (const Field& field : type.fields) {
            const auto part = std::ranges::find_if(
                fact.parts, [&](const FactPart& own) { return names_match(own.name, field.name); });
            std::optional<Mismatch> found;
            if (part != fact.parts.end())
                found = check(field.type, nullptr, *part->fact);
            else if (!field.type.is_optional)
                found = mismatch(field.type, nullptr, {});
            if (!found) continue;
            if (form) found->span = form->span;
            return below(std::move(found), "." + field.name);
        }
        return std::nullopt;
    }

    static std::optional<Mismatch> below(std::optional<Mismatch> found, const std::string& step) {
        found->path.insert(0, step);
        return found;
    }

    std::uint32_t steps_ = 0;
};

} // namespace

std::optional<Mismatch> find_mismatch(const Type& type, const Form* form, const Fact& fact) {
    return TypeCheck().check(type, form, fact);
}

} // namespace ptc
