// Calls of the language's functions: what they do with the functions that they are given, and what comes out.
#include "compiler/check/checker.h"
#include "runtime/builtin.h"

namespace ptc {
namespace {

bool is_empty(const Fact& coll) { return coll.kind == FactKind::Tuple && coll.parts.empty(); }

/// What may be called perhaps: a function that is given but not written here may do anything.
bool may_be_called(const Form& form) { return form.is(FormKind::Symbol) || form.is(FormKind::Var); }

} // namespace

const Checker::Rule Checker::kRules[] = {
#define PTC_CALL_FAMILY(Name, handler) &Checker::handler,
#include "compiler/language/call_rules.def"
};

// ---- Arguments

const Fact* Checker::call_core(const CoreName& name, const Form& list) {
    const FormSpan forms = list.items().subspan(1);
    if (name.name == "str" || name.name == "println" || name.name == "print") check_joined(forms);
    std::array<Argument, 8> few;
    std::vector<Argument> many(forms.size() <= few.size() ? 0 : forms.size());
    const std::span<Argument> arguments = many.empty() ? std::span(few.data(), forms.size()) : std::span(many);
    for (std::size_t i = 0; i < forms.size(); ++i)
        arguments[i].form = &forms[i];
    const Fact* result = call_rule(name, list.span, arguments);
    check_key_argument(name.name, arguments);
    check_collection_argument(name.name, list, arguments);
    check_argument_shapes(name.name, list, arguments);
    return result;
}

const Fact* Checker::call_rule(const CoreName& name, Span span, std::span<Argument> arguments) {
    const CallRule& rule = call_rules()[name.call_rule];
    Call call{name, rule, span, arguments};
    if (name.call_rule != 0) return (this->*kRules[static_cast<std::size_t>(rule.family)])(call);
    if (name.builtin >= 0 && !builtin_at(static_cast<std::uint32_t>(name.builtin)).pure) ++effects_;
    for (Argument& argument : arguments) {
        if (name.core && argument.form && may_be_called(*argument.form)) ++effects_;
    }
    look_at_all(call);
    return Facts::any();
}

const Fact* Checker::fact_of(Argument& argument) {
    if (!argument.fact) argument.fact = argument.form ? check(*argument.form) : Facts::any();
    return argument.fact;
}

void Checker::look_at_all(Call& call) {
    for (Argument& argument : call.arguments)
        fact_of(argument);
}

/// The last argument's fact, after all others are looked at.
const Fact* Checker::last_of(Call& call) {
    look_at_all(call);
    return call.arguments.empty() ? Facts::any() : call.arguments.back().fact;
}

/// A call of the function that is argument `index`; perhaps it is never made.
const Fact* Checker::apply_argument(Call& call, std::size_t index, FactSpan arguments, bool string_key) {
    if (index >= call.size()) return Facts::any();
    Argument& function = call.arguments[index];
    const Fact* result = Facts::any();
    if (function.form && !function.fact) {
        function.fact = Facts::any();
        result = apply(*function.form, arguments, string_key);
    } else if (function.fact && function.fact->kind == FactKind::Function) {
        result = function.fact->item;
    }
    return result->kind == FactKind::Never ? Facts::any() : result;
}

/// `fact` as the row says: perhaps nil.
const Fact* Checker::as_ruled(const Call& call, const Fact* fact) {
    return call.rule.sure ? fact : facts_.or_nil(fact);
}

// ---- Without a function

const Fact* Checker::gives_call(Call& call) {
    look_at_all(call);
    return Facts::of(call.rule.kind, call.rule.sure);
}

const Fact* Checker::gives_list_call(Call& call) {
    look_at_all(call);
    return as_ruled(call, facts_.list(Facts::of(call.rule.kind, true)));
}

const Fact* Checker::last_items_call(Call& call) {
    if (call.name.core) call_comparator(call, 0);
    return as_ruled(call, facts_.list(facts_.item_of(last_of(call))));
}

const Fact* Checker::first_items_call(Call& call) {
    look_at_all(call);
    return call.size() == 0 ? Facts::any() : as_ruled(call, facts_.list(facts_.item_of(call.arguments[0].fact)));
}

const Fact* Checker::set_call(Call& call) { return facts_.set(facts_.item_of(last_of(call))); }

const Fact* Checker::same_call(Call& call) { return as_ruled(call, last_of(call)); }

const Fact* Checker::element_call(Call& call) {
    look_at_all(call);
    if (call.size() == 0) return Facts::any();
    std::size_t index = call.rule.name == "second" ? 1 : 0;
    if (call.size() > 1) {
        const Form* form = call.arguments[1].form;
        if (!form || !form->is(FormKind::Integer) || form->integer < 0 || call.size() > 2)
            return facts_.or_nil(facts_.item_of(call.arguments[0].fact));
        index = static_cast<std::size_t>(form->integer);
    }
    return facts_.element_of(call.arguments[0].fact, index);
}

const Fact* Checker::an_item_call(Call& call) { return facts_.or_nil(facts_.item_of(last_of(call))); }

const Fact* Checker::runs_call(Call& call) { return facts_.list(facts_.list(facts_.item_of(last_of(call)))); }

const Fact* Checker::concat_call(Call& call) {
    const Fact* item = Facts::never();
    for (Argument& argument : call.arguments) {
        const Fact* coll = fact_of(argument);
        if (!is_empty(*coll) && coll->kind != FactKind::Nil) item = facts_.join(item, facts_.item_of(coll));
    }
    return facts_.list(item->kind == FactKind::Never ? Facts::any() : item);
}

const Fact* Checker::added(const Fact* coll, const Fact* item) {
    if (is_empty(*coll) || coll->kind == FactKind::Nil) return facts_.list(item);
    if (coll->kind == FactKind::Set) return facts_.set(facts_.join(coll->item, item));
    if (coll->kind != FactKind::List && coll->kind != FactKind::Tuple) return Facts::any();
    return facts_.list(facts_.join(facts_.item_of(coll), item));
}

const Fact* Checker::cons_call(Call& call) {
    const Fact* coll = last_of(call);
    if (call.size() != 2) return Facts::any();
    const Fact* item = call.arguments[0].fact;
    if (is_empty(*coll) || coll->kind == FactKind::Nil) return facts_.list(item);
    return facts_.list(facts_.join(facts_.item_of(coll), item));
}

const Fact* Checker::conj_call(Call& call) {
    look_at_all(call);
    const Fact* coll = call.size() == 0 ? Facts::any() : call.arguments[0].fact;
    for (std::size_t i = 1; i < call.size(); ++i)
        coll = added(coll, call.arguments[i].fact);
    return coll;
}

const Fact* Checker::into_call(Call& call) {
    const Fact* from = last_of(call);
    if (call.size() != 2) return Facts::any();
    const Fact* to = call.arguments[0].fact;
    if (is_empty(*from) || from->kind == FactKind::Nil) return to;
    if (to->kind == FactKind::Record || to->kind == FactKind::Dict) return facts_.dict(Facts::any());
    return added(to, facts_.item_of(from));
}

const Fact* Checker::vector_call(Call& call) {
    std::vector<const Fact*> facts;
    for (Argument& argument : call.arguments)
        facts.push_back(fact_of(argument));
    return facts_.tuple(facts);
}

const Fact* Checker::zip_call(Call& call) {
    std::vector<const Fact*> items;
    for (Argument& argument : call.arguments)
        items.push_back(facts_.item_of(fact_of(argument)));
    return facts_.list(facts_.tuple(items));
}

const Fact* Checker::entries_call(Call& call) { return as_ruled(call, facts_.list(facts_.item_of(last_of(call)))); }

const Fact* Checker::vals_call(Call& call) {
    const Fact* map = last_of(call);
    if (map->kind != FactKind::Record && map->kind != FactKind::Dict) return Facts::any();
    return as_ruled(call, facts_.list(facts_.element_of(facts_.item_of(map), 1)));
}

const Fact* Checker::entry_part_call(Call& call) {
    return facts_.element_of(last_of(call), call.rule.name == "val" ? 1 : 0);
}

const Fact* Checker::frequencies_call(Call& call) {
    last_of(call);
    return facts_.dict(Facts::of(FactKind::Numeric, true));
}

const Fact* Checker::zipmap_call(Call& call) { return facts_.dict(facts_.item_of(last_of(call))); }

const Fact* Checker::equal_call(Call& call) {
    look_at_all(call);
    const bool negated = call.rule.name == "not=";
    for (Argument& literal : call.arguments) {
        if (!literal.form || literal.form->kind >= FormKind::Symbol) continue;
        for (Argument& other : call.arguments) {
            if (&other != &literal) check_equal(*literal.form, other.fact, negated);
        }
    }
    return Facts::of(FactKind::Bool, true);
}

// (contains? #{:a :b} x)
const Fact* Checker::contains_call(Call& call) {
    look_at_all(call);
    if (call.size() == 2 && call.arguments[0].form && call.arguments[0].form->is(FormKind::Set)) {
        for (const Form& member : call.arguments[0].form->items())
            check_equal(member, call.arguments[1].fact, false);
    }
    return Facts::of(FactKind::Bool, true);
}

const Fact* Checker::print_call(Call& call) {
    look_at_all(call);
    ++effects_;
    return Facts::nil();
}

// ---- Functions over items

const Fact* Checker::filter_call(Call& call) { return filtered(call, false); }
const Fact* Checker::filter_by_key_call(Call& call) { return filtered(call, true); }

// (filter f coll), (sort-by f comparator coll)
const Fact* Checker::filtered(Call& call, bool string_key) {
    if (call.size() < 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments.back()));
    const Fact* key = apply_argument(call, 0, {&item, 1}, string_key);
    const Fact* keys[2] = {key, key};
    for (std::size_t i = 1; i + 1 < call.size(); ++i)
        apply_argument(call, i, keys);
    return facts_.list(item);
}

/// (sort comparator coll)
void Checker::call_comparator(Call& call, std::size_t index) {
    if (call.size() != 2) return;
    const Fact* item = facts_.item_of(fact_of(call.arguments.back()));
    const Fact* items[2] = {item, item};
    apply_argument(call, index, items);
}

/// The result of f, the first argument, for an item of each other one.
const Fact* Checker::mapped(Call& call) {
    std::vector<const Fact*> items;
    for (std::size_t i = 1; i < call.size(); ++i)
        items.push_back(facts_.item_of(fact_of(call.arguments[i])));
    return apply_argument(call, 0, items);
}

const Fact* Checker::map_call(Call& call) {
    const Fact* result = mapped(call);
    if (call.rule.name == "keep") result = facts_.not_nil(result);
    return facts_.list(result->kind == FactKind::Never ? Facts::any() : result);
}

const Fact* Checker::mapcat_call(Call& call) { return facts_.list(facts_.item_of(mapped(call))); }

const Fact* Checker::map_indexed_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* arguments[2] = {Facts::of(FactKind::Numeric, true), facts_.item_of(fact_of(call.arguments[1]))};
    return facts_.list(apply_argument(call, 0, arguments));
}

const Fact* Checker::test_call(Call& call) {
    mapped(call);
    return Facts::of(call.rule.kind, call.rule.sure);
}

const Fact* Checker::test_by_key_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    apply_argument(call, 0, {&item, 1}, true);
    return Facts::of(call.rule.kind, call.rule.sure);
}

const Fact* Checker::some_call(Call& call) { return facts_.or_nil(mapped(call)); }

// (min-by f coll), (min-by f x y)
const Fact* Checker::pick_call(Call& call) {
    if (call.size() < 2) return gives_call(call);
    const Fact* item = Facts::never();
    for (std::size_t i = 1; i < call.size(); ++i)
        item = facts_.join(item, fact_of(call.arguments[i]));
    if (call.size() == 2) item = facts_.item_of(item);
    apply_argument(call, 0, {&item, 1}, true);
    return facts_.or_nil(item);
}

const Fact* Checker::group_by_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    apply_argument(call, 0, {&item, 1}, true);
    return facts_.dict(facts_.list(item));
}

const Fact* Checker::partition_by_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    apply_argument(call, 0, {&item, 1});
    return facts_.list(facts_.list(item));
}

/// The accumulator can be anything.
const Fact* Checker::reduce_call(Call& call) {
    if (call.size() < 2) return gives_call(call);
    for (Argument& argument : call.arguments.subspan(1))
        fact_of(argument);
    const Fact* arguments[2] = {Facts::any(), facts_.item_of(call.arguments.back().fact)};
    apply_argument(call, 0, arguments);
    return Facts::any();
}

const Fact* Checker::reduce_kv_call(Call& call) {
    if (call.size() != 3) return gives_call(call);
    const Fact* map = fact_of(call.arguments[2]);
    fact_of(call.arguments[1]);
    const bool is_map = map->kind == FactKind::Record || map->kind == FactKind::Dict;
    const Fact* arguments[3] = {Facts::any(), Facts::any(),
                                is_map ? facts_.element_of(facts_.item_of(map), 1) : Facts::any()};
    apply_argument(call, 0, arguments);
    return Facts::any();
}

} // namespace ptc
