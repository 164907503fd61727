// The handlers of the rules of runtime/result_rules.def. Each looks at the arguments in the order of evaluation,
// applies the functions among them to what is known of the items that they will be called with, and answers what the
// call gives. What is known of an argument is found at most once (fact_of); a function argument is looked at by
// applying it.
#include "compiler/check/call_results.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "runtime/parameters.h"
#include <array>

namespace ptc {
namespace {

bool is_empty(const Fact& coll) { return coll.kind == FactKind::Tuple && coll.parts.empty(); }

/// What may be called perhaps: a function that is given but not written here may do anything.
bool may_be_called(const Form& form) { return form.is(FormKind::Symbol) || form.is(FormKind::Var); }

} // namespace

const CallResults::Rule CallResults::kRules[] = {
#define PTC_RESULT_RULE(Name, word) &CallResults::word##_call,
#include "runtime/result_rules.def"
#undef PTC_RESULT_RULE
};

// ---- Arguments

const Fact* CallResults::given_by(const CoreName& name, std::span<CallArgument> arguments) {
    Call call{name, name.gives, arguments};
    const bool is_cat = name.core && name.core->transducer == Transducer::Cat;
    if (is_cat || (name.core && name.core->makes_transducer(arguments.size()))) {
        look_at_all(call);
        return Facts::any();
    }
    if (const Fact* result = name.core ? transduced(call) : nullptr) return result;
    if (name.gives.rule != ResultRule::Unknown)
        return (this->*kRules[static_cast<std::size_t>(name.gives.rule) - 1])(call); // Unknown is 0
    if (name.builtin >= 0 && builtin_at(static_cast<std::uint32_t>(name.builtin)).effect != SideEffect::None)
        checks_.add_effect();
    for (CallArgument& argument : arguments) {
        if (name.core && argument.form && may_be_called(*argument.form)) checks_.add_effect();
    }
    return gives_call(call);
}

const Fact* CallResults::fact_of(CallArgument& argument) {
    if (!argument.fact) argument.fact = argument.form ? checks_.check(*argument.form) : Facts::any();
    return argument.fact;
}

void CallResults::look_at_all(Call& call) {
    for (CallArgument& argument : call.arguments)
        fact_of(argument);
}

/// The last argument's fact, after all others are looked at.
const Fact* CallResults::last_of(Call& call) {
    look_at_all(call);
    return call.arguments.empty() ? Facts::any() : call.arguments.back().fact;
}

/// A call of the function that is argument `index`; perhaps it is never made.
const Fact* CallResults::apply_argument(Call& call, std::size_t index, FactSpan arguments, bool string_key) {
    if (index >= call.size()) return Facts::any();
    CallArgument& function = call.arguments[index];
    const Fact* result = Facts::any();
    if (function.form && !function.fact) {
        function.fact = Facts::any();
        result = checks_.apply(*function.form, arguments, string_key);
    } else if (function.fact && function.fact->kind == FactKind::Function) {
        result = function.fact->item;
    }
    return result->kind == FactKind::Never ? Facts::any() : result;
}

/// `fact` as the row says: perhaps nil.
const Fact* CallResults::as_ruled(const Call& call, const Fact* fact) {
    return call.gives.may_be_nil() ? facts_.or_nil(fact) : fact;
}

// ---- Without a function

const Fact* CallResults::gives_call(Call& call) {
    look_at_all(call);
    return Facts::of_kinds(call.gives.kinds);
}

const Fact* CallResults::gives_list_call(Call& call) {
    look_at_all(call);
    return as_ruled(call, facts_.list(Facts::of_kinds(static_cast<Kinds>(call.gives.items & kinds::kNonNil))));
}

const Fact* CallResults::last_items_call(Call& call) {
    if (call.name.core) call_comparator(call, 0);
    return as_ruled(call, facts_.list(facts_.item_of(last_of(call))));
}

const Fact* CallResults::first_items_call(Call& call) {
    look_at_all(call);
    return call.size() == 0 ? Facts::any() : as_ruled(call, facts_.list(facts_.item_of(call.arguments[0].fact)));
}

const Fact* CallResults::set_call(Call& call) { return facts_.set(facts_.item_of(last_of(call))); }

const Fact* CallResults::same_call(Call& call) { return last_of(call); }
const Fact* CallResults::same_or_nil_call(Call& call) { return facts_.or_nil(last_of(call)); }

const Fact* CallResults::element_call(Call& call) {
    look_at_all(call);
    if (call.size() == 0) return Facts::any();
    const FactKind kind = call.arguments[0].fact->kind;
    if (call.size() == 1 && (kind == FactKind::Record || kind == FactKind::Dict)) // an entry
        return facts_.or_nil(facts_.item_of(call.arguments[0].fact));
    std::size_t index = call.name.name == "second" ? 1 : 0;
    if (call.size() > 1) {
        const Form* form = call.arguments[1].form;
        if (!form || !form->is(FormKind::Integer) || form->integer < 0 || call.size() > 2)
            return facts_.or_nil(facts_.item_of(call.arguments[0].fact));
        index = static_cast<std::size_t>(form->integer);
    }
    return facts_.element_of(call.arguments[0].fact, index);
}

const Fact* CallResults::an_item_call(Call& call) { return facts_.or_nil(facts_.item_of(last_of(call))); }

const Fact* CallResults::runs_call(Call& call) { return facts_.list(facts_.list(facts_.item_of(last_of(call)))); }

const Fact* CallResults::concat_call(Call& call) {
    const Fact* item = Facts::never();
    for (CallArgument& argument : call.arguments) {
        const Fact* coll = fact_of(argument);
        if (!is_empty(*coll) && coll->kind != FactKind::Nil) item = facts_.join(item, facts_.item_of(coll));
    }
    return facts_.list(item->kind == FactKind::Never ? Facts::any() : item);
}

const Fact* CallResults::added(const Fact* coll, const Fact* item) {
    if (is_empty(*coll) || coll->kind == FactKind::Nil) return facts_.list(item);
    if (coll->kind == FactKind::Set) return facts_.set(facts_.join(coll->item, item));
    if (coll->kind != FactKind::List && coll->kind != FactKind::Tuple) return Facts::any();
    return facts_.list(facts_.join(facts_.item_of(coll), item));
}

const Fact* CallResults::cons_call(Call& call) {
    const Fact* coll = last_of(call);
    if (call.size() != 2) return Facts::any();
    const Fact* item = call.arguments[0].fact;
    if (is_empty(*coll) || coll->kind == FactKind::Nil) return facts_.list(item);
    return facts_.list(facts_.join(facts_.item_of(coll), item));
}

const Fact* CallResults::conj_call(Call& call) {
    look_at_all(call);
    const Fact* coll = call.size() == 0 ? Facts::any() : call.arguments[0].fact;
    for (std::size_t i = 1; i < call.size(); ++i)
        coll = added(coll, call.arguments[i].fact);
    return coll;
}

const Fact* CallResults::into_call(Call& call) {
    const Fact* from = last_of(call);
    if (call.size() != 2) return Facts::any();
    const Fact* to = call.arguments[0].fact;
    if (is_empty(*from) || from->kind == FactKind::Nil) return to;
    if (to->kind == FactKind::Record || to->kind == FactKind::Dict) return facts_.dict(Facts::any());
    return added(to, facts_.item_of(from));
}

const Fact* CallResults::vector_call(Call& call) {
    std::vector<const Fact*> facts;
    for (CallArgument& argument : call.arguments)
        facts.push_back(fact_of(argument));
    return facts_.tuple(facts);
}

const Fact* CallResults::zip_call(Call& call) {
    std::vector<const Fact*> items;
    for (CallArgument& argument : call.arguments)
        items.push_back(facts_.item_of(fact_of(argument)));
    return facts_.list(facts_.tuple(items));
}

const Fact* CallResults::entries_call(Call& call) { return as_ruled(call, facts_.list(facts_.item_of(last_of(call)))); }

const Fact* CallResults::vals_call(Call& call) {
    const Fact* map = last_of(call);
    if (map->kind != FactKind::Record && map->kind != FactKind::Dict) return Facts::any();
    return as_ruled(call, facts_.list(facts_.element_of(facts_.item_of(map), 1)));
}

const Fact* CallResults::entry_part_call(Call& call) {
    return facts_.element_of(last_of(call), call.name.name == "val" ? 1 : 0);
}

const Fact* CallResults::frequencies_call(Call& call) {
    last_of(call);
    return facts_.dict(Facts::of(FactKind::Numeric, true));
}

const Fact* CallResults::zipmap_call(Call& call) { return facts_.dict(facts_.item_of(last_of(call))); }

namespace {

bool is_compared_literal(const Form& form) { return form.kind < FormKind::Symbol || form.is(FormKind::Quote); }

/// The arguments that stand for all in comparisons with literals: of those of one kind two are enough, as one of them
/// may be the literal itself; texts of data differ, and the first few are looked at.
std::vector<const CallArgument*> compared_arguments(std::span<CallArgument> arguments) {
    constexpr std::uint8_t kMostWithTexts = 8;
    std::array<std::uint8_t, static_cast<std::size_t>(FactKind::Function) + 1> of_kind{};
    std::uint8_t with_texts = 0;
    std::vector<const CallArgument*> compared;
    for (const CallArgument& argument : arguments) {
        const Fact& fact = *argument.fact;
        const bool has_texts = fact.texts || (fact.kind == FactKind::List && fact.item->texts);
        std::uint8_t& count = has_texts ? with_texts : of_kind[static_cast<std::size_t>(fact.kind)];
        if (count == (has_texts ? kMostWithTexts : 2)) continue;
        ++count;
        compared.push_back(&argument);
    }
    return compared;
}

} // namespace

const Fact* CallResults::equal_call(Call& call) {
    look_at_all(call);
    const bool negated = call.name.name == "not=";
    const std::vector<const CallArgument*> compared = compared_arguments(call.arguments);
    for (CallArgument& literal : call.arguments) {
        if (!literal.form || !is_compared_literal(*literal.form)) continue;
        if (!work::charge(1 + compared.size())) break;
        for (const CallArgument* other : compared) {
            if (other != &literal) lints_.check_equal(*literal.form, other->fact, negated, other->form);
        }
    }
    return Facts::of(FactKind::Bool, true);
}

// (contains? #{:a :b} x)
const Fact* CallResults::contains_call(Call& call) {
    look_at_all(call);
    if (call.size() == 2 && call.arguments[0].form && call.arguments[0].form->is(FormKind::Set)) {
        for (const Form& member : call.arguments[0].form->items())
            lints_.check_equal(member, call.arguments[1].fact, false);
    } else if (call.size() == 2 && call.arguments[1].form) {
        lints_.check_set_of_keywords(call.arguments[0].fact, nullptr, call.arguments[1].form, call.arguments[1].fact);
    }
    return Facts::of(FactKind::Bool, true);
}

const Fact* CallResults::print_call(Call& call) {
    look_at_all(call);
    checks_.add_effect();
    return Facts::nil();
}

// ---- Functions over items

const Fact* CallResults::filter_call(Call& call) { return filtered(call, false); }
const Fact* CallResults::filter_by_key_call(Call& call) { return filtered(call, true); }

// (filter f coll), (sort-by f comparator coll)
const Fact* CallResults::filtered(Call& call, bool string_key) {
    if (call.size() < 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments.back()));
    const Fact* key = apply_argument(call, 0, {&item, 1}, string_key);
    if (call.arguments[0].form) {
        if (takes_test(usage_of(call.name))) lints_.check_texts_of_tests(*call.arguments[0].form, key);
        lints_.check_texts_of_keys(call.name, *call.arguments[0].form, key);
    }
    const Fact* keys[2] = {key, key};
    for (std::size_t i = 1; i + 1 < call.size(); ++i)
        apply_argument(call, i, keys);
    return facts_.list(item);
}

/// (sort comparator coll)
void CallResults::call_comparator(Call& call, std::size_t index) {
    if (call.size() != 2) return;
    const Fact* item = facts_.item_of(fact_of(call.arguments.back()));
    const Fact* items[2] = {item, item};
    apply_argument(call, index, items);
}

/// The result of f, the first argument, for an item of each other one.
const Fact* CallResults::mapped(Call& call) {
    std::vector<const Fact*> items;
    for (std::size_t i = 1; i < call.size(); ++i)
        items.push_back(facts_.item_of(fact_of(call.arguments[i])));
    return apply_argument(call, 0, items);
}

const Fact* CallResults::map_call(Call& call) {
    const Fact* result = mapped(call);
    if (call.name.name == "keep") result = facts_.not_nil(result);
    return facts_.list(result->kind == FactKind::Never ? Facts::any() : result);
}

const Fact* CallResults::mapcat_call(Call& call) {
    const Fact* result = mapped(call);
    if (call.arguments.size() == 2 && call.arguments[0].form)
        lints_.check_texts_of_lists(*call.arguments[0].form, result);
    return facts_.list(facts_.item_of(result));
}

const Fact* CallResults::map_indexed_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* arguments[2] = {Facts::of(FactKind::Numeric, true), facts_.item_of(fact_of(call.arguments[1]))};
    if (call.arguments[0].form) lints_.check_index_first(*call.arguments[0].form);
    return facts_.list(apply_argument(call, 0, arguments));
}

const Fact* CallResults::test_call(Call& call) {
    const Fact* result = mapped(call);
    if (call.size() == 2 && call.arguments[0].form && takes_test(usage_of(call.name)))
        lints_.check_texts_of_tests(*call.arguments[0].form, result);
    return Facts::of_kinds(call.gives.kinds);
}

const Fact* CallResults::test_by_key_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    const Fact* result = apply_argument(call, 0, {&item, 1}, true);
    if (call.arguments[0].form) lints_.check_texts_of_keys(call.name, *call.arguments[0].form, result);
    return Facts::of_kinds(call.gives.kinds);
}

const Fact* CallResults::some_call(Call& call) { return facts_.or_nil(mapped(call)); }

// (min-by f coll), (min-by f x y)
const Fact* CallResults::pick_call(Call& call) {
    if (call.size() < 2) return gives_call(call);
    const Fact* item = Facts::never();
    for (std::size_t i = 1; i < call.size(); ++i)
        item = facts_.join(item, fact_of(call.arguments[i]));
    if (call.size() == 2) item = facts_.item_of(item);
    const Fact* result = apply_argument(call, 0, {&item, 1}, true);
    if (call.arguments[0].form) lints_.check_texts_of_keys(call.name, *call.arguments[0].form, result);
    return facts_.or_nil(item);
}

const Fact* CallResults::group_by_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    apply_argument(call, 0, {&item, 1}, true);
    return facts_.dict(facts_.list(item));
}

const Fact* CallResults::partition_by_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* item = facts_.item_of(fact_of(call.arguments[1]));
    apply_argument(call, 0, {&item, 1});
    return facts_.list(facts_.list(item));
}

/// The accumulator can be anything.
const Fact* CallResults::reduce_call(Call& call) {
    if (call.size() < 2) return gives_call(call);
    for (CallArgument& argument : call.arguments.subspan(1))
        fact_of(argument);
    const Fact* arguments[2] = {Facts::any(), facts_.item_of(call.arguments.back().fact)};
    const Form* function = call.arguments[0].form;
    if (function && call.size() == 3 && is_function_form(*function))
        lints_.check_accumulator(*function, call.arguments[1].form);
    if (function && function->is(FormKind::Symbol) && checks_.core_function(*function) && call.arguments.back().form)
        lints_.check_texts_compared(*function, *call.arguments.back().form, *arguments[1]);
    apply_argument(call, 0, arguments);
    return Facts::any();
}

const Fact* CallResults::reduce_kv_call(Call& call) {
    if (call.size() != 3) return gives_call(call);
    const Fact* map = fact_of(call.arguments[2]);
    fact_of(call.arguments[1]);
    if (call.arguments[0].form && is_function_form(*call.arguments[0].form))
        lints_.check_accumulator(*call.arguments[0].form, call.arguments[1].form);
    const bool is_map = map->kind == FactKind::Record || map->kind == FactKind::Dict;
    const Fact* arguments[3] = {Facts::any(), Facts::any(),
                                is_map ? facts_.element_of(facts_.item_of(map), 1) : Facts::any()};
    apply_argument(call, 0, arguments);
    return Facts::any();
}

// ---- Transducers

/// (into to xform coll), (transduce xform f init coll), (sequence xform coll): null for what is none of these.
const Fact* CallResults::transduced(Call& call) {
    const std::string_view name = call.name.name;
    const std::size_t count = call.size();
    const bool is_into = name == "into" && count == 3;
    const bool reduces = name == "transduce" && (count == 3 || count == 4);
    const bool lists = (name == "sequence" || name == "eduction") && count == 2;
    if (!is_into && !reduces && !lists) return nullptr;
    const std::size_t at = is_into ? 1 : 0;
    const Fact* item = facts_.item_of(fact_of(call.arguments.back()));
    CallArgument& transducer = call.arguments[at];
    if (transducer.form && !transducer.fact) {
        transducer.fact = Facts::any();
        item = through(*transducer.form, item);
    } else {
        item = Facts::any();
    }
    if (reduces) {
        const Fact* arguments[2] = {Facts::any(), item};
        if (count == 4) fact_of(call.arguments[2]);
        apply_argument(call, 1, arguments);
        return Facts::any();
    }
    if (!is_into) return facts_.list(item);
    const Fact* to = fact_of(call.arguments[0]);
    if (to->kind == FactKind::Record || to->kind == FactKind::Dict) return facts_.dict(Facts::any());
    return added(to, item);
}

/// An item of what `transducer` makes of items.
const Fact* CallResults::through(const Form& transducer, const Fact* item) {
    const bool is_list = transducer.is(FormKind::List) && transducer.size > 1;
    const CoreName* name = is_list ? checks_.core_function(transducer.items()[0]) : nullptr;
    if (name && name->name == "comp") {
        for (const Form& stage : transducer.items().subspan(1))
            item = through(stage, item);
        return item;
    }
    if (name && name->core && name->core->makes_transducer(transducer.size - 1u))
        return through(name->core->transducer, transducer.items()[1], item);
    checks_.check(transducer);
    return Facts::any();
}

const Fact* CallResults::through(Transducer stage, const Form& given, const Fact* item) {
    if (!takes_function(stage)) {
        checks_.check(given);
        const bool passes = stage == Transducer::Take || stage == Transducer::Drop || stage == Transducer::TakeNth;
        return passes ? item : Facts::any();
    }
    const bool is_indexed = stage == Transducer::MapIndexed || stage == Transducer::KeepIndexed;
    const Fact* arguments[2] = {is_indexed ? Facts::of(FactKind::Numeric, true) : item, item};
    const Fact* result = checks_.apply(given, {arguments, is_indexed ? 2u : 1u}, false);
    if (result->kind == FactKind::Never) result = Facts::any();
    switch (stage) {
    case Transducer::Map:
    case Transducer::MapIndexed: return result;
    case Transducer::Keep:
    case Transducer::KeepIndexed: return facts_.not_nil(result);
    case Transducer::Mapcat: lints_.check_texts_of_lists(given, result); return facts_.item_of(result);
    case Transducer::Filter:
    case Transducer::Remove: lints_.check_texts_of_tests(given, result); return item;
    case Transducer::PartitionBy: return facts_.list(item);
    default: return item;
    }
}

// ---- Maps

const Fact* CallResults::get_call(Call& call) {
    look_at_all(call);
    if (call.size() < 2) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    const Form* key = call.arguments[1].form;
    const Fact* found = Facts::any();
    if (key && is_key_form(*key))
        found = lints_.read_field(map, *key, call.size() > 2, {KeyRead::Argument});
    else if (map->kind == FactKind::Dict)
        found = facts_.or_nil(map->item);
    else if (map->kind == FactKind::List)
        found = facts_.or_nil(map->item);
    return call.size() > 2 ? facts_.join(found, call.arguments[2].fact) : found;
}

// (get-in m [:a 0 :b])
const Fact* CallResults::get_in_call(Call& call) {
    look_at_all(call);
    if (call.size() < 2) return Facts::any();
    const Fact* found = call.arguments[0].fact;
    const Form* path = call.arguments[1].form;
    if (!path || !path->is(FormKind::Vector)) return Facts::any();
    for (const Form& key : path->items()) {
        if (is_key_form(key))
            found = lints_.read_field(found, key, call.size() > 2, {KeyRead::PathItem});
        else if (key.is(FormKind::Integer) && found->kind == FactKind::Record && !found->origin.empty())
            found = facts_.item_of(found); // the keys of data are texts: a list is meant
        else if (key.is(FormKind::Integer) && key.integer >= 0)
            found = facts_.element_of(found, static_cast<std::size_t>(key.integer));
        else
            return Facts::any();
    }
    found = facts_.or_nil(found);
    return call.size() > 2 ? facts_.join(found, call.arguments[2].fact) : found;
}

const Fact* CallResults::assoc_call(Call& call) {
    look_at_all(call);
    if (call.size() == 0) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    if (map->kind == FactKind::Nil) map = facts_.record({}, {});
    for (std::size_t i = 1; i + 1 < call.size(); i += 2) {
        const Form* key = call.arguments[i].form;
        if (map->kind != FactKind::Record) return Facts::any();
        if (!key || !is_key_form(*key)) return facts_.dict(Facts::any());
        map = facts_.with_field(map, key->text(), call.arguments[i + 1].fact);
    }
    return map;
}

/// The field may be gone, or stay as the key of the other type.
const Fact* CallResults::dissoc_call(Call& call) {
    look_at_all(call);
    const Fact* map = call.size() == 0 ? Facts::any() : call.arguments[0].fact;
    for (std::size_t i = 1; i < call.size() && map->kind == FactKind::Record; ++i) {
        const Form* key = call.arguments[i].form;
        if (key && is_key_form(*key) && Facts::find(*map, key->text()))
            map = facts_.with_field(map, key->text(), Facts::any());
    }
    return map->kind == FactKind::Record ? as_ruled(call, map) : Facts::any();
}

const Fact* CallResults::select_keys_call(Call& call) {
    look_at_all(call);
    if (call.size() != 2) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    const Form* keys = call.arguments[1].form;
    if (map->kind != FactKind::Record || !keys || !keys->is(FormKind::Vector)) return Facts::any();
    std::vector<FactPart> fields;
    for (const Form& key : keys->items()) {
        if (!is_key_form(key)) return facts_.dict(Facts::any());
        const Fact* value = lints_.read_field(map, key, false, {KeyRead::Other});
        fields.push_back({key.text(), facts_.or_nil(value)});
    }
    return facts_.record(fields, map->origin);
}

const Fact* CallResults::merge_call(Call& call) {
    look_at_all(call);
    const Fact* map = nullptr;
    for (const CallArgument& argument : call.arguments) {
        if (argument.fact->kind == FactKind::Nil) continue;
        map = map ? facts_.merged(map, argument.fact) : argument.fact;
    }
    return map ? map : Facts::nil();
}

// (update m k f a ..)
const Fact* CallResults::update_call(Call& call) {
    if (call.size() < 3) return gives_call(call);
    const Fact* map = fact_of(call.arguments[0]);
    fact_of(call.arguments[1]);
    const Form* key = call.arguments[1].form;
    const bool known = map->kind == FactKind::Record && key && is_key_form(*key);
    const FactPart* field = known ? Facts::find(*map, key->text()) : nullptr;
    if (field) lints_.note_found(key->span);
    if (known && !field && !map->origin.empty()) lints_.check_updated(*key, *map);
    std::vector<const Fact*> arguments{field                         ? facts_.or_nil(field->fact)
                                       : map->kind == FactKind::Dict ? facts_.or_nil(map->item)
                                                                     : Facts::any()};
    for (CallArgument& argument : call.arguments.subspan(3))
        arguments.push_back(fact_of(argument));
    const Fact* value = apply_argument(call, 2, arguments);
    if (known) return facts_.with_field(map, key->text(), value);
    return map->kind == FactKind::Dict ? facts_.dict(Facts::any()) : Facts::any();
}

const Fact* CallResults::update_vals_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* map = fact_of(call.arguments[0]);
    const bool is_map = map->kind == FactKind::Record || map->kind == FactKind::Dict;
    const Fact* value = is_map                        ? facts_.element_of(facts_.item_of(map), 1)
                        : map->kind == FactKind::List ? map->item
                                                      : Facts::any();
    const Fact* result = apply_argument(call, 1, {&value, 1});
    if (map->kind == FactKind::List) return facts_.list(result);
    return is_map ? facts_.dict(result) : Facts::any();
}

} // namespace ptc
