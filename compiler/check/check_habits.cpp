// Forms that compile and do not do what they look like: habits of other languages. Each has one reading that an author
// can have meant, so each warning has an edit.
#include "compiler/check/checker.h"
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
void Checker::check_quoted(const Form& quote) {
    if (quote.size != 1 || !quote.items()[0].is(FormKind::Symbol)) return;
    const std::string_view name = quote.items()[0].text();
    if (name.size() > 1 && name.ends_with('\'')) warn(single_quoted(quote.span, name.substr(0, name.size() - 1)));
}

/// xs[0], data/orders[0]: two forms, of which the second is a vector.
void Checker::check_subscripts(FormSpan items) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        const Form& value = items[i - 1];
        const Form& index = items[i];
        if (!index.is(FormKind::Vector) || index.size != 1 || !value.is(FormKind::Symbol) || !touch(value, index))
            continue;
        if (!is_data(value.text()) && !meaning_of(value.text()).variable) continue;
        warn(subscript(value, index));
    }
}

/// (str "n: " + n)
void Checker::check_joined(FormSpan arguments) {
    for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
        if (arguments[i].is_symbol("+") && !meaning_of("+").variable)
            warn(plus_between(arguments[i].span, arguments[i - 1].span.end));
    }
}

/// (cond [test result] [:else result])
void Checker::check_bracketed_clauses(FormSpan clauses) {
    if (clauses.empty()) return;
    for (const Form& clause : clauses) {
        if (!clause.is(FormKind::Vector) || clause.size != 2) return;
    }
    warn(bracketed_clauses(clauses));
}

/// (:name data/users): a field that the items have, not the collection.
bool Checker::check_key_of_items(const Form& list, const Fact& value) {
    const Form& key = list.items()[0];
    if (!items_have(value, key) || !is_written(list.items()[1]) || is_full()) return false;
    warn(key_of_items(key, value));
    return true;
}

/// (count xs) > 3, as forms of a body: an operator between two values.
void Checker::check_infix(FormSpan body) {
    for (std::size_t i = 1; i + 1 < body.size(); ++i) {
        if (!is_operator(body[i]) || meaning_of(body[i].text()).variable) continue;
        warn(infix_in_body(body[i - 1].span, body[i], body[i + 1].span));
        return;
    }
}

/// (for [x xs] :when test body)
void Checker::check_loose_modifier(const Form& list) {
    const FormSpan items = list.items();
    if (items.size() < 5 || !items[1].is(FormKind::Vector) || !items[2].is(FormKind::Keyword)) return;
    const std::string_view name = items[2].text();
    if (name == "when" || name == "while" || name == "let") warn(loose_modifier(items[1], items[2], items[3]));
}

/// (get m name), (filter {:status "paid"} rows)
void Checker::check_key_argument(std::string_view function, std::span<const Argument> given) {
    if (given.size() < 2 || !given[0].form || !given[1].form) return;
    const Form& second = *given[1].form;
    if (function == "get" && second.is(FormKind::Symbol)) {
        const Meaning meaning = meaning_of(second.text());
        const bool is_function = !meaning.variable && !meaning.global && meaning.core && meaning.core->special < 0;
        if (is_function) warn(function_as_key(second.span, second.text()));
    }
    const bool tests = function == "filter" || function == "remove" || function == "some" || function == "every?";
    const Fact* rows = given[1].fact;
    if (!tests || !rows || rows->kind != FactKind::List || rows->item->kind != FactKind::Record) return;
    const Form& test = *given[0].form;
    if (!test.is(FormKind::Map) || test.size == 0) return;
    for (std::size_t i = 0; i < test.size; i += 2) {
        if (!test.items()[i].is(FormKind::Keyword)) return;
    }
    warn(map_as_test(test));
}

/// (join names ", "), (-> names (join ", ")).
void Checker::check_collection_argument(std::string_view function, const Form& list, std::span<const Argument> given) {
    if (function != "join" || given.size() != 2 || !given[0].fact || !given[1].form->is(FormKind::String)) return;
    if (given[0].fact->kind != FactKind::List && given[0].fact->kind != FactKind::Tuple) return;
    const Form& first = *given[0].form;
    warn(is_written(first) ? join_the_other_way(list.span, first.span, *given[1].form)
                           : join_threaded_first(list.span));
}

} // namespace ptc
