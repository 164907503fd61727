// The walk over forms: expressions by kind, bodies, and what calls are.
//
// Each form is looked at once, in the order of evaluation, and gives a Fact: what is known of its value. Warnings are
// made on the way, by the parts that the checker holds (lints, names, host, calls). Two counters carry what a fact
// cannot: effects_ grows with everything that does more than give a value, and shows whether a form whose value is
// discarded did anything; depth_ says whether a form is run exactly once.
#include "compiler/check/check.h"
#include "compiler/check/check_warnings.h"
#include "compiler/check/checker.h"
#include "compiler/check/data_names.h"
#include "compiler/check/received.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/special_forms.h"
#include "frontend/work.h"

namespace ptc {
namespace {

bool are_pairs(std::span<const Form> arguments) {
    if (arguments.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (!is_key_form(arguments[i])) return false;
    }
    return true;
}

} // namespace

void check_program(const Source& source, const Forms& forms, const Tree& tree, const Environment& given,
                   const CoreLibrary& core, Diagnostics& diagnostics) {
    const Received received(given, core, forms.top_level());
    std::optional<Environment> known;
    if (!received.facts().empty()) known.emplace(given).received = received.facts();
    const Environment& environment = known ? *known : given;
    Checker checker(source, tree, environment, core, diagnostics);
    checker.program(forms.top_level());
    if (work::is_over()) return;
    if (!diagnostics.has_errors()) {
        const auto walk = [&](std::span<const Supposition> suppositions, Diagnostics& found) {
            Checker again(source, tree, environment, core, found, suppositions);
            again.program(forms.top_level());
            return again.problems();
        };
        mend_by_supposing(source, checker.facts(), checker.problems(), walk, diagnostics);
    }
    if (!environment.data_names || tree.data_names.empty()) return;
    WarningSink report(diagnostics);
    check_data_names(forms.top_level(), environment.data_names(), report);
}

Checker::Checker(const Source& source, const Tree& tree, const Environment& environment, const CoreLibrary& core,
                 Diagnostics& diagnostics, std::span<const Supposition> suppositions)
    : source_(source), environment_(environment), report_(diagnostics), facts_(arena_),
      names_(tree, environment, core, arena_, report_),
      lints_(source, names_, facts_, report_, [this](const Form& symbol) { return check_symbol(symbol); }),
      host_(environment, facts_, arena_, report_), calls_(*this, facts_, lints_), suppositions_(suppositions) {}

// ---- Forms by kind

namespace {

/// Rows or a record that come from outside.
bool is_from_outside(const Fact* fact) {
    while (fact->kind == FactKind::List)
        fact = fact->item;
    if (fact->kind == FactKind::Tuple && fact->entry_of) fact = fact->entry_of;
    return fact->kind == FactKind::Record && !fact->origin.empty() && !fact->origin.is_seen;
}

/// The tool of (:users (tool/users)), (get (tool/users) "data"): a part of what it gives, which may be the whole. ""
/// for another form.
std::string_view tool_read_from(const Form& form) {
    constexpr std::string_view kSpace = "tool/";
    if (!form.is(FormKind::List) || form.size < 2 || !form.items()[1].is(FormKind::List)) return {};
    const Form& inner = form.items()[1];
    const bool is_tool =
        inner.size > 0 && inner.items()[0].is(FormKind::Symbol) && inner.items()[0].text().starts_with(kSpace);
    return is_tool ? inner.items()[0].text().substr(kSpace.size()) : std::string_view();
}

/// What data come in by: their names, tools, and reads of fields.
bool gives_data(const Form& form) {
    if (form.is(FormKind::Symbol)) return form.text().starts_with("data/") || form.text().starts_with("ctx/");
    if (!form.is(FormKind::List) || form.size == 0) return false;
    const Form& head = form.items()[0];
    if (head.is(FormKind::Keyword)) return true;
    return head.is(FormKind::Symbol) && (head.text().starts_with("tool/") ||
                                         is_one_of(head.text(), {"get", "get-in", "map", "mapv", "first", "last"}));
}

} // namespace

const Fact* Checker::check(const Form& form) {
    if (!work::charge(4)) return Facts::any();
    if (form.is(FormKind::List) && is_supposed_away(form)) return check(form.items()[1]);
    const Fact* fact = check_as_written(form);
    const std::string_view tool = tool_read_from(form);
    const bool is_point = is_from_outside(fact) || (!tool.empty() && !host_.is_seen(tool));
    if (is_point && gives_data(form)) note_point(form, fact);
    return as_supposed(form, fact);
}

void Checker::note_point(const Form& form, const Fact* fact) {
    constexpr std::size_t kMaxPoints = 32;
    if (!suppositions_.empty() || report_.is_trial() || points_.size() == kMaxPoints) return;
    if (form.is(FormKind::Keyword) && !is_from_outside(fact)) return;
    points_.push_back({&form, fact});
}

const Fact* Checker::as_supposed(const Form& form, const Fact* fact) {
    for (const Supposition& supposition : suppositions_) {
        for (const Form* place : supposition.places) {
            if (place->span == form.span && place->kind == form.kind)
                return fact_behind(facts_, fact, supposition.steps);
        }
    }
    return fact;
}

/// (:users x), where x is supposed to be meant.
bool Checker::is_supposed_away(const Form& form) const {
    return std::ranges::any_of(suppositions_, [&](const Supposition& supposition) {
        return supposition.steps[0].kind == WayStep::Argument && supposition.places[0]->span == form.span &&
               supposition.places[0]->kind == form.kind &&
               (form.is(FormKind::Keyword) || (form.is(FormKind::List) && form.size >= 2));
    });
}

/// The analyzer's limit on nesting holds for what it has looked at.
const Fact* Checker::check_as_written(const Form& form) {
    if (form.kind < FormKind::List || form.is(FormKind::Var)) return check_atom(form);
    if (nesting_ > kMaxDepth) return Facts::any();
    ++nesting_;
    const Fact* fact = Facts::any();
    switch (form.kind) {
    case FormKind::ShortFn: fact = function_value(form); break;
    case FormKind::List: fact = check_list(form); break;
    case FormKind::Vector: fact = check_vector(form.items()); break;
    case FormKind::Map: fact = check_map(form); break;
    case FormKind::Set: fact = check_set(form.items()); break;
    case FormKind::Quote: lints_.check_quoted(form); break;
    default: break;
    }
    --nesting_;
    return fact;
}

const Fact* Checker::check_atom(const Form& form) {
    if (form.is(FormKind::Symbol)) return check_symbol(form);
    if (form.is(FormKind::Var)) (void)names_.meaning_of(form.text());
    if (form.is(FormKind::String)) lints_.check_interpolated(form);
    return fact_of_literal(form);
}

const Fact* Checker::check_symbol(const Form& symbol) {
    const std::string_view text = symbol.text();
    if (text.front() == '%') {
        const std::size_t index = text.size() == 2 && text[1] >= '1' && text[1] <= '9' ? text[1] - '1' : 0;
        return index < placeholders_.size() && text.size() <= 2 && text != "%&" ? placeholders_[index] : Facts::any();
    }
    const NamesInScope::Meaning meaning = names_.meaning_of(text);
    if (meaning.variable) return meaning.variable->fact;
    if (meaning.global) return meaning.global->fact;
    if (!environment_.data.empty() && (text.starts_with("data/") || text.starts_with("ctx/")))
        return host_.data(text.substr(text.find('/') + 1));
    return Facts::any();
}

const Fact* Checker::check_all(FormSpan forms) {
    for (const Form& form : forms)
        check(form);
    return Facts::any();
}

const Fact* Checker::check_vector(FormSpan items) {
    lints_.check_subscripts(items);
    if (items.size() > Facts::kMaxTuple) {
        const Fact* item = Facts::never();
        for (const Form& form : items)
            item = facts_.join(item, check(form));
        return facts_.list(item);
    }
    std::array<const Fact*, Facts::kMaxTuple> facts{};
    for (std::size_t i = 0; i < items.size(); ++i)
        facts[i] = check(items[i]);
    return facts_.tuple({facts.data(), items.size()});
}

const Fact* Checker::check_set(FormSpan items) {
    const Fact* item = Facts::never();
    for (const Form& form : items)
        item = facts_.join(item, check(form));
    return facts_.set(item->kind == FactKind::Never ? Facts::any() : item);
}

/// With keyword and string keys in one map, two may have the same text: then either value may be meant.
const Fact* Checker::check_map(const Form& map) {
    lints_.check_spellings(map);
    const FormSpan items = map.items();
    std::vector<FactPart> fields;
    bool known = items.size() / 2 <= Facts::kMaxParts;
    bool mixed = false;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!is_key_form(items[i])) check(items[i]);
        known = known && is_key_form(items[i]);
        mixed = mixed || items[i].kind != items[0].kind;
        const Fact* value = check(items[i + 1]);
        if (known) fields.push_back({items[i].text(), value});
    }
    if (!known) return facts_.dict(Facts::any());
    for (FactPart& field : fields) {
        if (mixed || field.fact->kind == FactKind::Never) field.fact = Facts::any();
    }
    return facts_.record(fields, {});
}

// ---- Bodies

const Fact* Checker::check_body(FormSpan body, bool last_is_value) {
    lints_.check_subscripts(body);
    lints_.check_infix(body);
    const Fact* result = Facts::nil();
    const Form* end = nullptr;
    for (std::size_t at = 0; at < body.size(); ++at) {
        const Form& form = body[at];
        if (end && !report_.is_full()) report_.warn(never_run(form.span, end->span));
        const bool reported = end != nullptr;
        const std::uint32_t before = effects_;
        result = check(form);
        if (reported) continue;
        if (result->kind == FactKind::Never)
            end = &form;
        else if (!last_is_value || &form != &body.back())
            check_discarded(body, at, before);
    }
    return end ? Facts::never() : result;
}

/// `effects`: how many there had been before body[at], whose value is not used.
void Checker::check_discarded(FormSpan body, std::size_t at, std::uint32_t effects) {
    const Form& form = body[at];
    if (effects != effects_ || !form.is(FormKind::List) || form.size == 0 || report_.is_full()) return;
    const Form& head = form.items()[0];
    const std::string_view name = head.is(FormKind::Symbol) ? head.text() : std::string_view();
    if (name == "fn" || lints_.check_lost_update(body, at)) return;
    if (at + 1 < body.size() && !name.empty() && lints_.check_lost_result(form, body[at + 1])) return;
    const CoreName* core = name.empty() ? nullptr : names_.meaning_of(name).core;
    const bool updates = core && (core->traits & traits::kUpdates) != 0;
    report_.warn(unused_value(form.span, updates ? name : std::string_view()));
}

// ---- Calls

const Fact* Checker::check_list(const Form& list) {
    if (list.size == 0) return Facts::any();
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    lints_.check_subscripts(arguments);
    switch (head.kind) {
    case FormKind::Symbol:
    case FormKind::Var: return check_name_call(list);
    case FormKind::Keyword: return check_key_call(list);
    case FormKind::ShortFn:
    case FormKind::List: {
        std::vector<const Fact*> facts;
        for (const Form& argument : arguments)
            facts.push_back(check(argument));
        return apply(head, facts);
    }
    case FormKind::Set: {
        check(head);
        const Fact* item = arguments.size() == 1 ? check(arguments[0]) : check_all(arguments);
        for (const Form& member : head.items())
            lints_.check_equal(member, item, false);
        return Facts::any();
    }
    default: check(head); return check_all(arguments);
    }
}

const Fact* Checker::check_key_call(const Form& list) {
    const FormSpan parts = list.items();
    const Fact* map = parts.size() > 1 ? check(parts[1]) : Facts::any();
    if (parts.size() == 2 && lints_.check_key_of_items(list, *map)) return Facts::any();
    if (parts.size() > 1 && lints_.check_atom_read(parts[1], map)) return Facts::any();
    const bool is_step = parts.size() > 1 && parts[1].is(FormKind::Symbol) && parts[1].text().front() == ' ';
    const KeyRead::Kind kind = !is_step ? KeyRead::Head : list.span == parts[0].span ? KeyRead::Step : KeyRead::Other;
    const KeyRead read{kind, &list, asked_ == &list};
    if (parts.size() < 3) return lints_.read_field(map, parts[0], false, read);
    const Fact* otherwise = check_all(parts.subspan(2, parts.size() - 3));
    otherwise = check(parts.back());
    return facts_.join(lints_.read_field(map, parts[0], true, read), otherwise);
}

/// (data/prices :tea), (data/prices k 0)
const Fact* Checker::check_data_call(const Form& list) {
    const FormSpan parts = list.items();
    const Fact* data = check_symbol(parts[0]);
    if (parts.size() == 2 && lints_.check_rows_called(list, *data)) return Facts::any();
    check(parts[1]);
    const Fact* otherwise = parts.size() > 2 ? check(parts[2]) : Facts::any();
    const Fact* found = is_key_form(parts[1]) ? lints_.read_field(data, parts[1], parts.size() > 2, {KeyRead::Argument})
                        : data->kind == FactKind::Dict || data->kind == FactKind::List ? facts_.or_nil(data->item)
                                                                                       : Facts::any();
    return parts.size() > 2 ? facts_.join(found, otherwise) : found;
}

const Fact* Checker::check_name_call(const Form& list) {
    const Form& head = list.items()[0];
    const std::string_view text = head.text();
    if (text.starts_with("tool/") && text.size() > 5) return call_tool(text.substr(5), list, list.items().subspan(1));
    const NamesInScope::Meaning meaning = names_.meaning_of(text);
    const CoreName* core = meaning.variable ? names_.core_name(text) : nullptr;
    if (core && core->special >= 0 &&
        special_forms()[static_cast<std::size_t>(core->special)].shadowing == SpecialForm::kTrue)
        return special_form(static_cast<std::size_t>(core->special), list);
    const bool is_data = text.starts_with("data/") || text.starts_with("ctx/");
    if (is_data && list.size > 1 && list.size < 4) return check_data_call(list);
    // Neither: of a session that is not known, or a method.
    if (meaning.variable || meaning.global || !meaning.core) return user_call(meaning, list);
    if (meaning.core->special >= 0) return special_form(static_cast<std::size_t>(meaning.core->special), list);
    return call_core(*meaning.core, list);
}

/// A call of what the program has made: it may do anything.
const Fact* Checker::user_call(const NamesInScope::Meaning& meaning, const Form& list) {
    std::vector<const Fact*> arguments;
    for (const Form& argument : list.items().subspan(1))
        arguments.push_back(check(argument));
    ++effects_;
    if (meaning.variable) check_callable(*meaning.variable, list, arguments);
    const WarningSink::Mark before = report_.mark();
    const Fact* result = call_result(meaning, arguments);
    mend_own_call(meaning, list, arguments, before);
    return result;
}

const Fact* Checker::call_result(const NamesInScope::Meaning& meaning, FactSpan arguments) {
    const Form* function = meaning.variable ? meaning.variable->function
                           : meaning.global ? meaning.global->function
                                            : nullptr;
    if (const Fact* result = try_function(function, meaning.variable, arguments)) return result;
    const Fact* fact = meaning.variable ? meaning.variable->fact : meaning.global ? meaning.global->fact : Facts::any();
    return fact->kind == FactKind::Function ? fact->item : Facts::any();
}

/// (let [count 5] (count xs)), (let [first (first xs)] (first ys)): a value that hides the function that is meant.
void Checker::check_callable(const NamesInScope::Variable& variable, const Form& list, FactSpan arguments) {
    const auto is_map = [](const Fact& fact) { return fact.kind == FactKind::Record || fact.kind == FactKind::Dict; };
    const auto is_list = [](const Fact& fact) { return fact.kind == FactKind::List || fact.kind == FactKind::Tuple; };
    const FactKind kind = variable.fact->kind;
    bool never = kind == FactKind::Bool || kind == FactKind::Numeric || kind == FactKind::String;
    if (!arguments.empty()) {
        const Fact& first = *arguments[0];
        const bool is_collection = is_map(first) || is_list(first);
        const Form& form = list.items()[1];
        const bool is_function = form.is(FormKind::ShortFn) || calls(form, "fn");
        const bool holds_plain = kind == FactKind::Set && variable.fact->item &&
                                 variable.fact->item->kind > FactKind::Nil &&
                                 variable.fact->item->kind <= FactKind::Keyword;
        never = never || ((is_map(*variable.fact) || is_list(*variable.fact) || holds_plain) && is_collection) ||
                (kind == FactKind::Keyword && is_list(first)) || (is_map(*variable.fact) && is_function) ||
                (kind == FactKind::Record && first.kind == FactKind::Numeric) ||
                (kind == FactKind::Record && arguments.size() == 2 && form.is(FormKind::Keyword) &&
                 !Facts::find(*variable.fact, form.text()) && lints_.is_field_of_items(form, *arguments[1]));
    }
    if (!never || report_.is_full() || !names_.core_name(variable.name)) return;
    report_.warn(hidden_function(list.items()[0].span, variable.name, kind, variable.span));
}

const Fact* Checker::call_core(const CoreName& name, const Form& list) {
    const FormSpan forms = list.items().subspan(1);
    if (name.name == "str" || name.name == "println" || name.name == "print") lints_.check_joined(forms);
    if (name.name == "format" || name.name == "str") lints_.check_formatted(name.name, list, forms);
    std::array<CallArgument, 8> few;
    std::vector<CallArgument> many(forms.size() <= few.size() ? 0 : forms.size());
    const std::span<CallArgument> arguments = many.empty() ? std::span(few.data(), forms.size()) : std::span(many);
    for (std::size_t i = 0; i < forms.size(); ++i)
        arguments[i].form = &forms[i];
    const WarningSink::Mark before = report_.mark();
    const Fact* result = calls_.of(name, arguments);
    mend_mapped_call(name, list, arguments, before);
    lints_.check_key_argument(name, arguments);
    lints_.check_collection_argument(name.name, list, arguments);
    lints_.check_compared(name.name, arguments);
    lints_.check_atoms(name, arguments);
    if (lints_.may_use_texts(arguments)) {
        lints_.check_text_as_number(name.name, arguments);
        lints_.check_words_in_text(name.name, arguments);
    }
    lints_.check_call(name.name, list, arguments);
    if ((name.name == "with-meta" || name.name == "vary-meta") && !report_.is_full())
        report_.warn(no_metadata(list.items()[0].span, name.name));
    if (name.name == "atom" || name.name == "volatile!" || name.name == "ref") return Facts::atom();
    return result;
}

// ---- Tools

/// `arguments`: one map, or names and values in turn.
const Fact* Checker::call_tool(std::string_view name, const Form& list, FormSpan arguments) {
    ++effects_;
    if (arguments.size() == 1) {
        const Form& only = arguments[0];
        const Fact* fact = check(only);
        if (only.is(FormKind::Map))
            host_.check_written(name, only.items(), *fact, list.span);
        else
            host_.check_passed(name, only.span, *fact);
    } else if (are_pairs(arguments)) {
        Form map = list;
        map.kind = FormKind::Map;
        map.first = arguments.data();
        map.size = static_cast<std::uint32_t>(arguments.size());
        host_.check_written(name, arguments, *check(map), list.span);
    } else {
        check_all(arguments);
    }
    return host_.result_of(name);
}

} // namespace ptc
