#include "compiler/check/misfit.h"
#include "compiler/analyze/analysis_errors.h"
#include "compiler/check/check_warnings.h"
#include <algorithm>

namespace ptc {
namespace {

/// Type and form are walked together, alternatives of a type again for each form: this much of it.
constexpr std::uint32_t kMaxSteps = 100'000;

std::string_view without_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

std::size_t digits(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    return end == text.npos ? text.size() : end;
}

bool is_integer_text(std::string_view text) {
    text = without_sign(text);
    return !text.empty() && digits(text) == text.size();
}

/// Perhaps: a text that starts like a number is left to the run.
bool is_float_text(std::string_view text) { return digits(without_sign(text)) > 0; }

bool is_text(const Form& form) { return form.is(FormKind::String) || form.is(FormKind::Keyword); }

bool is_scalar(const Form& form) { return form.kind < FormKind::Symbol; }

bool matches(const Choice& choice, const Form& form) {
    if (std::holds_alternative<std::monostate>(choice)) return form.is(FormKind::Nil);
    if (const bool* b = std::get_if<bool>(&choice)) return form.is(*b ? FormKind::True : FormKind::False);
    if (const auto* i = std::get_if<std::int64_t>(&choice)) {
        if (is_text(form)) return is_integer_text(form.text());
        return form.is(FormKind::Integer) && form.integer == *i;
    }
    if (const double* d = std::get_if<double>(&choice)) {
        if (is_text(form)) return is_float_text(form.text());
        return (form.is(FormKind::Float) && form.number == *d) ||
               (form.is(FormKind::Integer) && static_cast<double>(form.integer) == *d);
    }
    const auto* text = std::get_if<std::string>(&choice);
    return is_text(form) && form.text() == (text ? *text : std::get<KeywordChoice>(choice).name);
}

bool holds(const Bound& bound, double number) {
    const double limit = std::visit([](auto n) { return static_cast<double>(n); }, bound.limit);
    switch (bound.op) {
    case Bound::Op::Greater: return number > limit;
    case Bound::Op::AtLeast: return number >= limit;
    case Bound::Op::Less: return number < limit;
    case Bound::Op::AtMost: return number <= limit;
    case Bound::Op::Equal: return number == limit;
    case Bound::Op::NotEqual: return number != limit;
    }
    return true;
}

bool in_bounds(const Type& type, double number) {
    return std::ranges::all_of(type.bounds, [&](const Bound& bound) { return holds(bound, number); });
}

bool number_fits(const Type& type, const Form& form) {
    if (form.is(FormKind::Float)) return type.is(TypeKind::Float) && in_bounds(type, form.number);
    if (!type.is(TypeKind::Int) && !type.is(TypeKind::Float)) return false;
    return form.is(FormKind::BigInteger) || in_bounds(type, static_cast<double>(form.integer));
}

bool text_fits(const Type& type, std::string_view text) {
    switch (type.kind) {
    case TypeKind::Int: return is_integer_text(text);
    case TypeKind::Float: return is_float_text(text);
    case TypeKind::Bool: return text == "true" || text == "false";
    case TypeKind::Map:
    case TypeKind::Record:
    case TypeKind::List:
    case TypeKind::Nil: return false;
    default: return true;
    }
}

/// nil, true, false, a number, a text.
bool scalar_fits(const Type& type, const Form& form) {
    if (form.is(FormKind::Nil) && (type.is_optional || type.is(TypeKind::Nil))) return true;
    if (type.is(TypeKind::Enum))
        return std::ranges::any_of(type.choices, [&](const Choice& choice) { return matches(choice, form); });
    switch (form.kind) {
    case FormKind::Nil: return false;
    case FormKind::True:
    case FormKind::False: return type.is(TypeKind::Bool);
    case FormKind::String:
    case FormKind::Keyword: return text_fits(type, form.text());
    default: return number_fits(type, form);
    }
}

/// A value of which only the kind is known.
bool kind_fits(const Type& type, const Fact& fact) {
    if (type.is_optional && !fact.sure) return true; // it may be nil
    const bool is_choice = type.is(TypeKind::Enum);
    switch (fact.kind) {
    case FactKind::Nil: return type.is(TypeKind::Nil) || is_choice;
    case FactKind::Bool: return type.is(TypeKind::Bool) || is_choice;
    case FactKind::Numeric: return type.is(TypeKind::Int) || type.is(TypeKind::Float) || is_choice;
    case FactKind::String:
    case FactKind::Keyword: return !type.is(TypeKind::Map) && !type.is(TypeKind::Record) && !type.is(TypeKind::List);
    case FactKind::Record:
    case FactKind::Dict: return type.is(TypeKind::Map) || type.is(TypeKind::Record);
    case FactKind::List:
    case FactKind::Tuple: return type.is(TypeKind::List);
    case FactKind::Any:
    case FactKind::Never:
    case FactKind::Set:
    case FactKind::Function: break;
    }
    return true;
}

class Judge {
public:
    std::optional<Misfit> judge(const Type& type, const Form* form, const Fact& fact) {
        if (type.is(TypeKind::Any) || ++steps_ > kMaxSteps) return std::nullopt;
        if (type.is(TypeKind::Union)) return judge_union(type, form, fact);
        if (form && is_scalar(*form))
            return scalar_fits(type, *form) ? std::nullopt : misfit(type, form, describe_form(*form));
        if (form && form->is(FormKind::Vector) && type.is(TypeKind::List)) return judge_items(type, *form, fact);
        if (form && form->is(FormKind::Map) && type.is(TypeKind::Record)) return judge_fields(type, *form, fact);
        if (!kind_fits(type, fact)) return misfit(type, form, std::string(describe_kind(fact.kind)));
        if (type.is(TypeKind::Record) && fact.kind == FactKind::Record) return judge_record(type, form, fact);
        return std::nullopt;
    }

private:
    static std::optional<Misfit> misfit(const Type& type, const Form* form, std::string got) {
        const bool is_written =
            form && (is_scalar(*form) || (form->kind > FormKind::List && form->kind <= FormKind::Set));
        return Misfit{form ? form->span : Span{}, {}, &type, std::move(got), is_written};
    }

    /// None of the types.
    std::optional<Misfit> judge_union(const Type& type, const Form* form, const Fact& fact) {
        if (type.is_optional && (form ? form->is(FormKind::Nil) : !fact.sure)) return std::nullopt;
        std::optional<Misfit> last;
        for (const Type& item : type.items) {
            last = judge(item, form, fact);
            if (!last) return std::nullopt;
        }
        if (last && last->path.empty()) last->type = &type;
        return last;
    }

    std::optional<Misfit> judge_items(const Type& type, const Form& vector, const Fact& fact) {
        for (std::size_t i = 0; i < vector.size; ++i) {
            const bool known = fact.kind == FactKind::Tuple && i < fact.parts.size();
            auto found = judge(type.element(), &vector.items()[i], known ? *fact.parts[i].fact : *Facts::any());
            if (found) return below(std::move(found), "[" + std::to_string(i) + "]");
        }
        return std::nullopt;
    }

    std::optional<Misfit> judge_fields(const Type& type, const Form& map, const Fact& fact) {
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
            std::optional<Misfit> found;
            if (value)
                found = judge(field.type, value, part ? *part->fact : *Facts::any());
            else if (all_known && !field.type.is_optional)
                found = misfit(field.type, &map, {});
            if (found) return below(std::move(found), "." + field.name);
        }
        return std::nullopt;
    }

    std::optional<Misfit> judge_record(const Type& type, const Form* form, const Fact& fact) {
        for (const Field& field : type.fields) {
            const auto part = std::ranges::find_if(
                fact.parts, [&](const FactPart& own) { return names_match(own.name, field.name); });
            std::optional<Misfit> found;
            if (part != fact.parts.end())
                found = judge(field.type, nullptr, *part->fact);
            else if (!field.type.is_optional)
                found = misfit(field.type, nullptr, {});
            if (!found) continue;
            if (form) found->span = form->span;
            return below(std::move(found), "." + field.name);
        }
        return std::nullopt;
    }

    static std::optional<Misfit> below(std::optional<Misfit> found, const std::string& step) {
        found->path.insert(0, step);
        return found;
    }

    std::uint32_t steps_ = 0;
};

} // namespace

std::optional<Misfit> find_misfit(const Type& type, const Form* form, const Fact& fact) {
    return Judge().judge(type, form, fact);
}

} // namespace ptc
