// Function literals, and what calling a function with known arguments gives. A literal is looked at once for each call
// that is known, with the facts of its arguments, or once with nothing known.
#include "compiler/check/check_warnings.h"
#include "compiler/check/checker.h"
#include <utility>

namespace ptc {

/// A literal whose arguments are not known.
const Fact* Checker::function_value(const Form& literal) {
    const Fact* result =
        literal.is(FormKind::ShortFn) ? check_short_fn(literal, {}) : check_fn(literal.items().subspan(1), {});
    return facts_.function(result);
}

const Fact* Checker::check_short_fn(const Form& form, FactSpan arguments) {
    const FactSpan outer = placeholders_;
    placeholders_ = arguments;
    ++depth_;
    Form body = form;
    body.kind = FormKind::List;
    const bool scalar = form.size == 1 && form.items()[0].kind < FormKind::Keyword; // #(42)
    const Fact* result = scalar ? check(form.items()[0]) : check_list(body);
    --depth_;
    placeholders_ = outer;
    return result;
}

/// What stands after `fn`: name? [params] body ..
const Fact* Checker::check_fn(FormSpan parts, FactSpan arguments) {
    NamesInScope::Scope scope(names_);
    if (!parts.empty() && parts[0].is(FormKind::Symbol)) {
        names_.bind(parts[0], Facts::any(), Unused::Silent);
        parts = parts.subspan(1);
    }
    return check_clauses(parts, arguments);
}

/// A clause that does not take as many arguments as are known has no part in the result.
const Fact* Checker::check_clauses(FormSpan parts, FactSpan arguments) {
    if (parts.empty()) return Facts::any();
    const auto takes = [&](FormSpan params) {
        const bool is_open = params.size() > 1 && params[params.size() - 2].is_symbol("&");
        return arguments.empty() || params.size() == arguments.size() || is_open;
    };
    if (parts[0].is(FormKind::Vector))
        return check_clause(parts[0], parts.subspan(1), takes(parts[0].items()) ? arguments : FactSpan());
    const Fact* result = Facts::never();
    for (const Form& clause : parts) {
        if (!clause.is(FormKind::List) || clause.size == 0 || !clause.items()[0].is(FormKind::Vector)) continue;
        const FormSpan params = clause.items()[0].items();
        const bool fits = takes(params);
        const Fact* value = check_clause(clause.items()[0], clause.items().subspan(1), fits ? arguments : FactSpan());
        if (fits) result = facts_.join(result, value);
    }
    return result->kind == FactKind::Never ? Facts::any() : result;
}

const Fact* Checker::check_clause(const Form& params, FormSpan body, FactSpan arguments) {
    NamesInScope::Scope scope(names_);
    const FormSpan items = params.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].is_symbol("&")) continue;
        const bool rest = i > 0 && items[i - 1].is_symbol("&");
        bind_pattern(items[i], !rest && i < arguments.size() ? arguments[i] : Facts::any(), Unused::Silent);
    }
    ++depth_;
    const Fact* result = check_body(body);
    --depth_;
    return result;
}

// ---- Application

const Fact* Checker::apply(const Form& function, FactSpan arguments, bool string_key) {
    switch (function.kind) {
    case FormKind::String:
        if (!string_key) break;
        [[fallthrough]];
    case FormKind::Keyword:
        return arguments.empty() ? Facts::any() : lints_.read_field(arguments[0], function, arguments.size() > 1);
    case FormKind::ShortFn: return check_short_fn(function, arguments);
    case FormKind::Symbol:
    case FormKind::Var: return apply_name(function, arguments);
    case FormKind::List:
        if (is_function_form(function) && !names_.meaning_of("fn").variable) {
            lints_.check_row_taken(function, function, arguments);
            return check_fn(function.items().subspan(1), arguments);
        }
        return apply_made(function, arguments);
    case FormKind::Set:
        check(function);
        for (const Form& member : function.items()) {
            if (!arguments.empty()) lints_.check_equal(member, arguments[0], false);
        }
        return Facts::any();
    default: break;
    }
    check(function);
    return Facts::any();
}

/// What a function of the program gives for arguments of which fields are known: null when it is not looked at for
/// them. `place`: where it was bound; null for a definition.
const Fact* Checker::try_function(const Form* function, NamesInScope::Variable* place, FactSpan arguments) {
    constexpr std::size_t kMostInside = 3;
    constexpr std::uint32_t kMostTrials = 64;
    const bool is_known = std::ranges::any_of(arguments, [](const Fact* fact) { return fact->kind != FactKind::Any; });
    if (const auto outer = std::ranges::find(tried_, function, &Trial::function); outer != tried_.end()) {
        outer->is_recursive = true;
        return nullptr;
    }
    if (!function || !is_known || tried_.size() == kMostInside || trials_ == kMostTrials) return nullptr;
    ++trials_;
    tried_.push_back({function, false});
    const std::size_t begin = report_.begin_trial();
    const FactSpan placeholders = std::exchange(placeholders_, {});
    const Fact* result = nullptr;
    {
        NamesInScope::Elsewhere elsewhere(names_, place);
        const FormSpan parts = function->items();
        if (function->is(FormKind::ShortFn))
            result = check_short_fn(*function, arguments);
        else if (parts[0].is_symbol("fn"))
            result = check_fn(parts.subspan(1), arguments);
        else
            result = check_clauses(definition_parts(parts.subspan(2)), arguments);
    }
    placeholders_ = placeholders;
    report_.end_trial(begin, tried_.back().is_recursive);
    tried_.pop_back();
    return result;
}

// ---- Calls of functions of the program that get something else than they read

namespace {

const Form* function_of(const NamesInScope::Meaning& meaning) {
    return meaning.variable ? meaning.variable->function : meaning.global ? meaning.global->function : nullptr;
}

bool is_written_here(const Form& form) { return !form.is(FormKind::Symbol) || form.text().front() != ' '; }

} // namespace

/// Whether the function finds what it reads when it is called with these. Leaves no trace.
bool Checker::suits(const Form* function, NamesInScope::Variable* place, FactSpan arguments) {
    const WarningSink::Mark before = report_.mark();
    const bool is_tried = try_function(function, place, arguments) != nullptr;
    const WarningSink::Mark after = report_.mark();
    report_.take_back(before);
    return is_tried && after.absent == before.absent && after.clashes == before.clashes && after.found > before.found;
}

/// (total 5 row) for (total row 5), (label rows) for (map label rows).
void Checker::mend_own_call(const NamesInScope::Meaning& meaning, const Form& list, FactSpan arguments,
                            WarningSink::Mark before) {
    const Form* function = function_of(meaning);
    if (!function || report_.is_full()) return;
    const FormSpan given = list.items().subspan(1);
    const WarningSink::Mark after = report_.mark();
    const bool fails = after.absent > before.absent || after.clashes > before.clashes;
    if (given.size() == 1) lints_.check_row_spread(list, *function, *arguments[0]);
    if (!fails || !std::ranges::all_of(given, is_written_here)) return;
    if (given.size() == 1 && arguments[0]->kind == FactKind::List) {
        const Fact* item = arguments[0]->item;
        if (!suits(function, meaning.variable, {&item, 1})) return;
        report_.take_back(before);
        return report_.warn_always(called_for_all(list.items()[0].span));
    }
    if (given.size() != 2) return;
    const Fact* swapped[2] = {arguments[1], arguments[0]};
    if (swapped[0]->kind == swapped[1]->kind || !suits(function, meaning.variable, swapped)) return;
    report_.take_back(before);
    report_.warn_always(swapped_arguments(given[0], given[1], source_));
}

/// (map total groups) for (total groups)
void Checker::mend_mapped_call(const CoreName& name, const Form& list, std::span<const CallArgument> arguments,
                               WarningSink::Mark before) {
    const WarningSink::Mark after = report_.mark();
    const bool fails = after.absent > before.absent || after.clashes > before.clashes;
    if (!fails || (name.name != "map" && name.name != "mapv") || arguments.size() != 2 || !arguments[1].fact ||
        !arguments[0].form->is(FormKind::Symbol) || !is_written_here(*arguments[1].form) || report_.is_full())
        return;
    const NamesInScope::Meaning meaning = names_.meaning_of(arguments[0].form->text());
    if (arguments[1].fact->kind != FactKind::List ||
        !suits(function_of(meaning), meaning.variable, {&arguments[1].fact, 1}))
        return;
    report_.take_back(before);
    report_.warn_always(called_for_whole({list.items()[0].span.begin, arguments[0].form->span.begin}));
}

const Fact* Checker::apply_name(const Form& symbol, FactSpan arguments) {
    const std::string_view text = symbol.text();
    if (text.starts_with("tool/")) {
        ++effects_;
        const std::string_view tool = text.substr(5);
        if (!arguments.empty()) host_.check_passed(tool, symbol.span, *arguments[0]);
        return host_.result_of(tool);
    }
    if (text.front() == '%') {
        ++effects_;
        check_symbol(symbol);
        return Facts::any();
    }
    const NamesInScope::Meaning meaning = names_.meaning_of(text);
    if (meaning.variable || meaning.global) {
        ++effects_;
        const Form* literal = meaning.variable ? meaning.variable->function : meaning.global->function;
        if (literal) lints_.check_row_taken(symbol, *literal, arguments);
        const Fact* called = meaning.variable ? meaning.variable->fact : meaning.global->fact;
        if (arguments.size() == 1) lints_.check_set_of_keywords(called, &symbol, nullptr, arguments[0]);
        return call_result(meaning, arguments);
    }
    if (!meaning.core || meaning.core->special >= 0) return Facts::any();
    std::array<CallArgument, 8> known{};
    if (arguments.size() > known.size()) return Facts::any();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        known[i].fact = arguments[i];
    return calls_.of(*meaning.core, {known.data(), arguments.size()});
}

const CoreName* Checker::core_function(const Form& head) {
    if (!head.is(FormKind::Symbol)) return nullptr;
    const NamesInScope::Meaning meaning = names_.meaning_of(head.text());
    return meaning.variable || meaning.global ? nullptr : meaning.core;
}

/// A call that gives the function which is called: (comp f g), (juxt f g), (partial f x), or anything.
const Fact* Checker::apply_made(const Form& call, FactSpan arguments) {
    const FormSpan parts = call.items();
    const std::string_view name =
        !parts.empty() && parts[0].is(FormKind::Symbol) ? parts[0].text() : std::string_view();
    const bool combines =
        name == "comp" || name == "juxt" || name == "partial" || name == "complement" || name == "fnil";
    const CoreName* core = combines && parts.size() > 1 ? names_.meaning_of(name).core : nullptr;
    if (!core) {
        const Fact* function = check(call);
        ++effects_;
        return function->kind == FactKind::Function ? function->item : Facts::any();
    }
    const FormSpan functions = parts.subspan(1);
    if (name == "comp") {
        const Fact* value = apply(functions.back(), arguments);
        for (std::size_t i = functions.size() - 1; i-- > 0;)
            value = apply(functions[i], {&value, 1});
        return value;
    }
    if (name == "juxt") {
        std::vector<const Fact*> values;
        for (const Form& function : functions)
            values.push_back(apply(function, arguments));
        return facts_.tuple(values);
    }
    std::vector<const Fact*> all;
    for (const Form& given : functions.subspan(1)) {
        const Fact* fact = check(given);
        if (name == "partial") all.push_back(fact);
    }
    if (name == "fnil") arguments = {}; // what stands in for nil is of another kind perhaps
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Fact* result = apply(functions[0], all);
    return name == "complement" ? Facts::of(FactKind::Bool, true) : result;
}

} // namespace ptc
