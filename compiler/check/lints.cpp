// The lints of forms. Where an author can have meant only one thing the warning has an edit. Lints of calls by the
// shapes of their arguments are rows of a table: call_lints.def.
#include "compiler/check/lints.h"
#include "compiler/check/check_warnings.h"
#include "compiler/language/form_identity.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/reference.h"
#include "frontend/work.h"
#include "runtime/parameters.h"
#include <algorithm>

namespace ptc {
namespace {

bool touch(const Form& left, const Form& right) { return left.span.end == right.span.begin; }
bool is_data(std::string_view name) { return name.starts_with("data/") || name.starts_with("ctx/"); }
/// What a threading form passes in is not written: its name is none that the reader gives.
bool is_written(const Form& form) { return !form.is(FormKind::Symbol) || form.text().front() != ' '; }

bool is_operator(const Form& form) {
    constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "<", ">", "<=", ">=", "=", "==", "not="};
    return form.is(FormKind::Symbol) && std::ranges::find(kOperators, form.text()) != std::end(kOperators);
}

} // namespace

/// 'paid'
void Lints::check_quoted(const Form& quote) {
    if (quote.size != 1 || !quote.items()[0].is(FormKind::Symbol)) return;
    const std::string_view name = quote.items()[0].text();
    if (name.size() > 1 && name.ends_with('\''))
        report_.warn(single_quoted(quote.span, name.substr(0, name.size() - 1)));
}

/// xs[0], data/orders[0]: two forms, of which the second is a vector.
void Lints::check_subscripts(FormSpan items) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        const Form& value = items[i - 1];
        const Form& index = items[i];
        if (!index.is(FormKind::Vector) || index.size != 1 || !value.is(FormKind::Symbol) || !touch(value, index))
            continue;
        if (!is_data(value.text()) && !names_.meaning_of(value.text()).variable) continue;
        std::size_t end = i + 1;
        while (end < items.size() && items[end].is(FormKind::Vector) && items[end].size == 1 &&
               touch(items[end - 1], items[end]))
            ++end;
        // An operand: check_infix tells of it.
        if ((end + 1 < items.size() && is_operator(items[end])) || (i > 1 && is_operator(items[i - 2]))) continue;
        report_.warn(subscript(value, items.subspan(i, end - i)));
    }
}

/// (str "n: " + n)
void Lints::check_joined(FormSpan arguments) {
    for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
        if (arguments[i].is_symbol("+") && !names_.meaning_of("+").variable)
            report_.warn(plus_between(arguments[i].span, arguments[i - 1].span.end));
    }
}

/// (cond [test result] [:else result])
void Lints::check_bracketed_clauses(FormSpan clauses) {
    if (clauses.empty()) return;
    for (const Form& clause : clauses) {
        if (!clause.is(FormKind::Vector) || clause.size != 2) return;
    }
    report_.warn(bracketed_clauses(clauses));
}

/// (:name data/users): a field that the items have, not the collection.
bool Lints::check_key_of_items(const Form& list, const Fact& value) {
    const Form& key = list.items()[0];
    if (!items_have(value, key) || !is_written(list.items()[1]) || report_.is_full()) return false;
    report_.warn(key_of_items(key, value));
    return true;
}

bool Lints::check_rows_called(const Form& list, const Fact& value) {
    const Form& key = list.items()[1];
    if (!key.is(FormKind::Keyword) || !items_have(value, key) || report_.is_full()) return false;
    Error error = no_fields(key, value);
    const Form& rows = list.items()[0];
    error.edits.push_back({{rows.span.begin, rows.span.begin}, "map " + std::string(source_.text(key.span)) + " "});
    error.edits.push_back({{rows.span.end, key.span.end}, ""});
    report_.warn(std::move(error));
    return true;
}

/// (and x == 1 y > 2)
void Lints::check_infix_tests(FormSpan arguments) {
    for (std::size_t i = 1; i + 1 < arguments.size() && !report_.is_full(); ++i) {
        if (!is_operator(arguments[i]) || names_.meaning_of(arguments[i].text()).variable) continue;
        report_.warn(infix_in_body(arguments.subspan(i - 1, 3), ""));
        return;
    }
}

/// (count xs) > 3, as forms of a body: an operator between two values.
void Lints::check_infix(FormSpan body) {
    for (std::size_t i = 1; i + 1 < body.size(); ++i) {
        if (!is_operator(body[i]) || names_.meaning_of(body[i].text()).variable) continue;
        std::size_t end = i + 2;
        bool is_one = true;
        while (end + 1 < body.size() && is_operator(body[end])) {
            is_one = is_one && body[end].text() == body[i].text();
            end += 2;
        }
        const FormSpan run = body.subspan(i - 1, end - i + 1);
        is_one = is_one &&
                 !std::ranges::any_of(run,
                                      [&](const Form& form) { // x[0] + 1
                                          return &form != body.data() && form.is(FormKind::Vector) &&
                                                 touch(*(&form - 1), form);
                                      }) &&
                 !(end < body.size() && touch(body[end - 1], body[end]));
        const bool has_text = std::ranges::any_of(run, [](const Form& form) { return form.is(FormKind::String); });
        is_one = is_one && !(i > 1 && body[i - 2].is_symbol("not"));
        const std::string_view function = !is_one ? "" : has_text && body[i].is_symbol("+") ? "str" : body[i].text();
        report_.warn(infix_in_body(run, function));
        return;
    }
}

/// Functions that take anything: an atom is of use to none of them.
constexpr std::string_view kReaders[] = {"str",  "format", "println", "print", "prn",   "pr-str", "printf", "=",
                                         "not=", "==",     "<",       ">",     "<=",    ">=",     "nil?",   "some?",
                                         "get",  "get-in", "empty?",  "pos?",  "zero?", "neg?",   "not"};

bool Lints::check_atom_read(const Form& form, const Fact* fact) {
    if (!fact || !fact->is_atom || !form.is(FormKind::Symbol) || !is_written(form) || report_.is_full()) return false;
    report_.warn(unread_atom(form.span, form.text()));
    return true;
}

void Lints::check_atoms(const CoreName& function, std::span<const CallArgument> given) {
    if (std::ranges::none_of(given, [](const CallArgument& one) { return one.fact && one.fact->is_atom; })) return;
    const bool reads = std::ranges::find(kReaders, function.name) != std::end(kReaders);
    const auto parameters = parameters_of(usage_of(function), given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto wanted = i < parameters.size() ? kinds_of_parameter(parameters[i]) : std::nullopt;
        const bool takes_any = !wanted || *wanted == kinds::kAny;
        if (given[i].form && (reads || !takes_any)) check_atom_read(*given[i].form, given[i].fact);
    }
}

bool Lints::check_when_else(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() != 5 || !parts[3].is(FormKind::Keyword) || parts[3].text() != "else" || report_.is_full() ||
        tails_of(list).shape != Tails::Guarded)
        return false;
    report_.warn(when_else(list, parts[3], parts[4]));
    return true;
}

void Lints::check_compared(std::string_view function, std::span<const CallArgument> given) {
    const bool is_order = function == "<" || function == ">" || function == "<=" || function == ">=";
    if ((!is_order && function != "max" && function != "min") || report_.is_full()) return;
    for (const CallArgument& one : given) {
        if (one.form && one.form->is(FormKind::Nil) && is_written(*one.form) && given.size() > 1)
            return report_.warn(nil_compared(one.form->span, function));
    }
    if (!is_order || given.size() != 2) return;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const CallArgument& text = given[i];
        const CallArgument& number = given[1 - i];
        const bool is_number = number.form && (number.form->is(FormKind::Integer) || number.form->is(FormKind::Float));
        if (is_number && text.form && text.fact && text.fact->kind == FactKind::String && is_written(*text.form)) {
            const Texts::Look look = text.fact->texts ? text.fact->texts->look : Texts::Integers;
            const bool is_date = look == Texts::Dates;
            if (look != Texts::Amounts && (!is_date || !check_looked_at(*number.form, text.form, *text.fact)))
                report_.warn(is_date ? date_compared(*number.form) : text_compared(text.form->span));
        } else if (is_number && text.form) {
            report_.note_found(text.form->span);
        }
    }
}

/// (assoc m :a 1), of a variable m; null for anything else.
const Form* Lints::updated_variable(const Form& form) const {
    const bool updates = form.is(FormKind::List) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
                         form.items()[1].is(FormKind::Symbol) &&
                         names_.has_trait(form.items()[0].text(), traits::kUpdates) &&
                         names_.meaning_of(form.items()[1].text()).variable;
    return updates ? &form.items()[1] : nullptr;
}

bool Lints::check_lost_update(FormSpan body, std::size_t at) {
    const Form& update = body[at];
    const Form* variable = updated_variable(update);
    if (!variable || at + 1 == body.size() || report_.is_full()) return false;
    const auto is_of_run = [&](const Form& form) {
        const Form* other = updated_variable(form);
        return other && other->is_symbol(variable->text());
    };
    std::size_t first = at;
    while (first > 0 && is_of_run(body[first - 1]))
        --first;
    std::vector<Edit> edits = first == at ? taken_in_place(update, *variable, body[at + 1]) : std::vector<Edit>();
    if (edits.empty() && !is_of_run(body[at + 1])) edits = bound_anew(body, first, at, *variable);
    if (edits.empty()) return false;
    report_.warn(lost_update(update.span, update.items()[0].text(), std::move(edits)));
    return true;
}

/// (assoc m :a 1) m, (assoc m :a 1) (recur m): where the variable stands alone behind it, the update takes its place.
std::vector<Edit> Lints::taken_in_place(const Form& update, const Form& variable, const Form& next) const {
    const Form* taken = next.is_symbol(variable.text()) ? &next : nullptr;
    if (!taken && next.is(FormKind::List) && next.size > 1 && next.items()[0].is_symbol("recur")) {
        for (const Form& argument : next.items().subspan(1)) {
            if (argument.is_symbol(variable.text()))
                taken = taken ? &next : &argument;
            else if (mentions(argument, variable.text()))
                return {};
        }
    }
    if (!taken || (taken == &next && !next.is(FormKind::Symbol))) return {};
    return {{{update.span.begin, next.span.begin}, ""}, {taken->span, std::string(source_.text(update.span))}};
}

namespace {

bool binds_in_vector(const Form& form, std::string_view name) {
    if (!form.is(FormKind::List)) return false;
    return std::ranges::any_of(form.items().first(std::min<std::size_t>(form.size, 3)),
                               [&](const Form& part) { return part.is(FormKind::Vector) && mentions(part, name); });
}

/// Whether `part` stands in the body of what binds the variable, or in a do in it: no later round, and nothing behind
/// the body, reads the variable then.
bool is_in_body_of_binding(const Form& form, const Form& part, std::string_view name) {
    const auto is_inside = [&](const Form& item) {
        return item.span.begin <= part.span.begin && part.span.end <= item.span.end;
    };
    const bool is_loop = is_symbol_of(form.items()[0], {"loop", "for", "doseq", "dotimes", "while"});
    for (const Form& item : form.items()) {
        if (!is_inside(item)) continue;
        if (&item == &part) return binds_in_vector(form, name) && !is_loop;
        if (!has_items(item) || item.size == 0) return false;
        const bool is_do = calls(item, "do") && binds_in_vector(form, name) && !is_loop;
        if (is_do && std::ranges::any_of(item.items(), [&](const Form& inner) { return &inner == &part; }))
            return &item == &form.items().back();
        return is_in_body_of_binding(item, part, name);
    }
    return false;
}

} // namespace

/// (conj xs 1) (conj xs 2) (count xs): what is behind them is done with (let [xs (conj xs 1) xs (conj xs 2)] ..).
std::vector<Edit> Lints::bound_anew(FormSpan body, std::size_t first, std::size_t last, const Form& variable) const {
    const FormSpan rest = body.subspan(last + 1);
    const bool is_in_body = std::ranges::any_of(program_, [&](const Form& form) {
        return has_items(form) && form.size > 0 && is_in_body_of_binding(form, body[last], variable.text());
    });
    if (!is_in_body) return {};
    if (std::ranges::none_of(rest, [&](const Form& form) { return mentions(form, variable.text()); })) return {};
    const std::string name(variable.text());
    std::vector<Edit> edits;
    for (std::size_t i = first; i <= last; ++i) {
        const std::uint32_t begin = body[i].span.begin;
        edits.push_back({{begin, begin}, (i == first ? "(let [" : "") + name + " "});
    }
    edits.push_back({{body[last].span.end, body[last].span.end}, "]"});
    edits.push_back({{rest.back().span.end, rest.back().span.end}, ")"});
    return edits;
}

bool Lints::check_lost_result(const Form& test, const Form& next) {
    if (calls(test, "cond") && test.size == 3 && calls(next, "recur") && !report_.is_full()) {
        report_.warn(lost_result(
            test.span, {{{test.span.end - 1, test.span.end}, " :else"}, {{next.span.end, next.span.end}, ")"}}));
        return true;
    }
    const bool decides = test.size == 3 && is_one_of(test.items()[0].text(), {"if", "when", "if-not", "when-not"});
    if (!decides || !calls(next, "recur") || report_.is_full()) return false;
    const bool negates = test.items()[0].text().ends_with("not");
    report_.warn(lost_result(test.span, {{test.items()[0].span, negates ? "if-not" : "if"},
                                         {{test.span.end - 1, test.span.end}, ""},
                                         {{next.span.end, next.span.end}, ")"}}));
    return true;
}

/// (for [x xs] :when test body)
void Lints::check_loose_modifier(const Form& list) {
    const FormSpan items = list.items();
    if (items.size() < 5 || !items[1].is(FormKind::Vector) || !items[2].is(FormKind::Keyword)) return;
    const std::string_view name = items[2].text();
    if (name == "when" || name == "while" || name == "let") report_.warn(loose_modifier(items[1], items[2], items[3]));
}

/// (get m name), (filter {:status "paid"} rows)
void Lints::check_key_argument(const CoreName& function, std::span<const CallArgument> given) {
    if (given.size() < 2 || !given[0].form || !given[1].form) return;
    const Form& second = *given[1].form;
    if (function.name == "get" && second.is(FormKind::Symbol)) {
        const NamesInScope::Meaning meaning = names_.meaning_of(second.text());
        const bool is_function = !meaning.variable && !meaning.global && meaning.core && meaning.core->special < 0;
        const bool may_be_key = second.text().find_first_of("./") == std::string_view::npos;
        if (is_function && may_be_key) report_.warn(function_as_key(second.span, second.text()));
    }
    const Fact* rows = given[1].fact;
    if (!takes_test(usage_of(function)) || !rows || rows->kind != FactKind::List ||
        rows->item->kind != FactKind::Record)
        return;
    const Form& test = *given[0].form;
    if (!test.is(FormKind::Map) || test.size == 0) return;
    for (std::size_t i = 0; i < test.size; i += 2) {
        if (!test.items()[i].is(FormKind::Keyword)) return;
    }
    report_.warn(map_as_test(test));
}

/// (join names ", "), (-> names (join ", ")).
void Lints::check_collection_argument(std::string_view function, const Form& list,
                                      std::span<const CallArgument> given) {
    if (function != "join" || given.size() != 2 || !given[0].fact || !given[1].form->is(FormKind::String)) return;
    if (given[0].fact->kind != FactKind::List && given[0].fact->kind != FactKind::Tuple) return;
    const Form& first = *given[0].form;
    report_.warn(is_written(first) ? join_the_other_way(list.span, first.span, *given[1].form)
                                   : join_threaded_first(list.span));
}

/// A keyword and a text of one name as keys of one map: a write finds one of them, and JSON cannot have both.
void Lints::check_spellings(const Form& map) {
    for (std::size_t i = 2; i + 1 < map.size && !report_.is_full(); i += 2) { // {:total (:price o) * 2}
        if (!is_operator(map.items()[i]) || names_.meaning_of(map.items()[i].text()).variable) continue;
        if (map.items()[i].is_symbol("=") && map.items()[i - 1].is(FormKind::Keyword)) return; // {:n = 1 :m = 2}
        std::size_t end = i + 2;
        while (end + 1 < map.size && is_operator(map.items()[end]))
            end += 2;
        const bool is_one = end == i + 2;
        report_.warn(infix_in_body(map.items().subspan(i - 1, end - i + 1), is_one ? map.items()[i].text() : ""));
        i = end - 2;
    }
    bool has_keyword = false, has_text = false;
    for (std::size_t i = 0; i + 1 < map.size; i += 2) {
        has_keyword = has_keyword || map.items()[i].is(FormKind::Keyword);
        has_text = has_text || map.items()[i].is(FormKind::String);
    }
    if (!has_keyword || !has_text) return;
    std::vector<const Form*> keys;
    for (std::size_t i = 0; i + 1 < map.size; i += 2) {
        const Form& key = map.items()[i];
        if (key.is(FormKind::Keyword) || key.is(FormKind::String)) keys.push_back(&key);
    }
    std::ranges::sort(keys, [](const Form* a, const Form* b) {
        return a->text() != b->text() ? a->text() < b->text() : a->span.begin < b->span.begin;
    });
    for (std::size_t i = 1; i < keys.size() && !report_.is_full(); ++i) {
        if (keys[i]->text() == keys[i - 1]->text())
            report_.warn(two_spellings(keys[i]->span, keys[i - 1]->span, keys[i]->text()));
    }
}

void Lints::check_repeated(const std::vector<const Form*>& forms) {
    if (forms.size() < 2) return;
    SameForms seen(forms.size());
    for (const Form* form : forms) {
        if (report_.is_full() || !work::charge(2)) return;
        if (const Form* earlier = seen.add(*form)) report_.warn(repeated_clause(form->span, earlier->span));
    }
}

/// (case x 1 :one :else :other) compares x with :else.
void Lints::check_literal_default(const Form& list, FormSpan clauses) {
    if (clauses.size() < 2 || clauses.size() % 2 != 0 || report_.is_full()) return;
    const Form& last = clauses[clauses.size() - 2];
    if (!last.is(FormKind::Keyword) || (last.text() != "else" && last.text() != "default")) return;
    report_.warn(literal_default(last.span, list.items()[0].text(), last.text()));
}

// ---- Values

namespace {

bool computes(const CoreName& function) { return (function.traits & (traits::kComputes | traits::kCompares)) != 0; }

/// Whether the first argument is the collection that a call gives back, changed: of (cons x coll) it is not.
bool updates_first(const CoreName& function, std::size_t arguments) {
    if ((function.traits & traits::kUpdates) == 0) return false;
    const auto parameters = parameters_of(usage_of(function), arguments);
    const auto taken = parameters.empty() ? std::nullopt : kinds_of_parameter(parameters[0]);
    return taken && (*taken & kinds::kNumber) == 0;
}

/// The entries of a map, its whole, rows: never a number.
bool is_no_number(const Fact& fact) {
    return fact.kind == FactKind::Record || fact.kind == FactKind::Tuple ||
           (fact.kind == FactKind::List && fact.item->kind == FactKind::Record);
}

} // namespace

void Lints::check_computed(const CoreName& function, std::span<const CallArgument> given) {
    const bool takes_index =
        function.name == "nth" && !given.empty() && given[0].fact && given[0].fact->kind == FactKind::Record;
    const auto is_wrong = [](const CallArgument& argument) { return argument.fact && is_no_number(*argument.fact); };
    const bool is_scalar = !given.empty() && given[0].fact &&
                           (given[0].fact->kind == FactKind::Numeric || given[0].fact->kind == FactKind::Bool);
    if (takes_index || (is_scalar && updates_first(function, given.size())) ||
        (computes(function) && std::ranges::any_of(given, is_wrong)))
        report_.note_clash();
}

void Lints::check_computed_items(const CoreName& function, const Fact& coll) {
    if (computes(function) && is_no_number(*facts_.item_of(&coll))) report_.note_clash();
}

/// `form`: what gives the other value, where that is written.
void Lints::check_set_of_keywords(const Fact* coll, const Form* set, const Form* key, const Fact* asked) {
    if (!coll || coll->kind != FactKind::Set || !coll->item || coll->item->kind != FactKind::Keyword || !asked ||
        asked->kind != FactKind::String || report_.is_full())
        return;
    const Form& form = set ? *set : *key;
    if (is_written(form))
        report_.warn(text_in_keywords(form.span, set ? "(comp " : "(keyword ", set ? " keyword)" : ")"));
}

/// (= (:color x) 'red)
void Lints::check_quoted_equal(const Form& quote, const Fact& other, bool negated) {
    if (quote.size != 1 || !quote.items()[0].is(FormKind::Symbol) || report_.is_full()) return;
    if (other.kind < FactKind::Bool || other.kind > FactKind::Keyword) return;
    report_.warn(symbol_compared(quote, other.kind, negated));
}

void Lints::check_equal(const Form& literal, const Fact* other, bool negated, const Form* form) {
    if (check_looked_at(literal, form, *other) || check_word(literal, *other)) return;
    const Fact* own = nullptr;
    switch (literal.kind) {
    case FormKind::Integer:
    case FormKind::BigInteger:
    case FormKind::Float:
    case FormKind::String:
    case FormKind::Keyword: own = fact_of_literal(literal); break;
    case FormKind::Quote: return check_quoted_equal(literal, *other, negated);
    default: return;
    }
    switch (other->kind) {
    case FactKind::Any:
    case FactKind::Never:
    case FactKind::Nil: return report_.note_found(literal.span);
    default: break;
    }
    if (own->kind == other->kind) return report_.note_found(literal.span);
    if (report_.is_full()) return;
    if (!negated && form && check_member(literal, *form, *other)) return;
    Error error = never_equal(literal, own->kind, other->kind, negated);
    if (other->texts && other->texts->look == Texts::Dates) error.edits.clear();
    report_.warn(std::move(error));
}

} // namespace ptc
