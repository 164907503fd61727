// Functions that get their arguments in another way than their parameters say: rows for functions of several fields,
// and folds whose accumulator is not the first parameter.
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {
namespace {

using FormSpan = std::span<const Form>;

bool is_name_form(const Form& form) {
    return form.is(FormKind::Symbol) && form.size > 0 && form.text().front() != '%' && form.text() != "&";
}

/// The parameters of a literal or defn with one clause; null where there are several.
const Form* parameter_vector_of(const Form& function) {
    if (!function.is(FormKind::List)) return nullptr;
    for (const Form& part : function.items()) {
        if (part.is(FormKind::Vector)) return &part;
        if (part.is(FormKind::List)) return nullptr;
    }
    return nullptr;
}

std::string names_of(const Form& parameters) {
    std::string names;
    for (const Form& name : parameters.items())
        names += (names.empty() ? "" : " ") + std::string(name.text());
    return names;
}

bool names_accumulator(std::string_view name) {
    return is_one_of(name, {"acc", "accum", "accumulator", "memo", "agg", "result", "res", "out", "so-far"});
}

/// Whether `form` reads a field of `name`: (:price row).
bool reads_field(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    if (form.size > 1 && !form.is(FormKind::Vector) && form.items()[0].is(FormKind::Keyword) &&
        form.items()[1].is_symbol(name))
        return true;
    return std::ranges::any_of(form.items(), [&](const Form& item) { return reads_field(item, name); });
}

/// Whether a call of it gives its first argument, changed.
bool updates(const NamesInScope& names, const Form& head) {
    return head.is(FormKind::Symbol) && names.has_trait(head.text(), traits::kUpdates);
}

/// (assoc row :k v): a field of a row, not an entry of what is collected.
bool writes_field(const NamesInScope& names, const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    const FormSpan items = form.items();
    if (form.is(FormKind::List) && items.size() > 2 && updates(names, items[0]) && items[1].is_symbol(name) &&
        (items[2].is(FormKind::Keyword) || items[2].is(FormKind::Map)))
        return true;
    return std::ranges::any_of(items, [&](const Form& item) { return writes_field(names, item, name); });
}

/// Whether the value of `form` may be that of `name`, or an update of it.
bool carries(const NamesInScope& names, const Form& form, std::string_view name, int depth = 0) {
    constexpr int kMaxDepth = 12;
    if (form.is_symbol(name)) return true;
    if (!form.is(FormKind::List) || form.size < 2 || depth == kMaxDepth) return false;
    const FormSpan items = form.items();
    const Form& head = items[0];
    const auto carries_one = [&](FormSpan some) {
        return std::ranges::any_of(some, [&](const Form& item) { return carries(names, item, name, depth + 1); });
    };
    if (tails_of(form).shape != Tails::None)
        return std::ranges::any_of(
            items, [&](const Form& item) { return gives_value(form, item) && carries(names, item, name, depth + 1); });
    if (is_symbol_of(head, {"+", "*", "-", "str", "max", "min", "cons"})) return carries_one(items.subspan(1));
    if (updates(names, head) || is_symbol_of(head, {"cond->", "->"})) return carries(names, items[1], name, depth + 1);
    return false;
}

} // namespace

/// (map (fn [zone age] ..) rows), (map fare rows): each row comes as one argument. `use`: the function as it is given;
/// `function`: its literal or definition.
void Lints::check_row_taken(const Form& use, const Form& function, std::span<const Fact* const> arguments) {
    const Form* parameters = arguments.size() == 1 ? parameter_vector_of(function) : nullptr;
    if (!parameters || parameters->size < 2 || arguments[0]->kind != FactKind::Record || report_.is_full()) return;
    if (!std::ranges::all_of(parameters->items(), is_name_form)) return;
    const bool are_fields = std::ranges::all_of(
        parameters->items(), [&](const Form& name) { return Facts::find(*arguments[0], name.text()) != nullptr; });
    const std::string names = names_of(*parameters);
    Error error = row_for_parameters(use.span, parameters->size);
    const std::string keys = "{:keys [" + names + "]}";
    if (are_fields && use.is(FormKind::Symbol))
        error.edits.push_back({use.span, "(fn [" + keys + "] (" + std::string(use.text()) + " " + names + "))"});
    else if (are_fields)
        error.edits.push_back({parameters->span, "[" + keys + "]"});
    report_.warn_always(std::move(error));
}

namespace {

/// The edits that make %1 of %2 and the other way round; whether both are there.
void swap_placeholders(const Form& form, std::vector<Edit>& edits) {
    if (form.is_symbol("%") || form.is_symbol("%1")) edits.push_back({form.span, "%2"});
    if (form.is_symbol("%2")) edits.push_back({form.span, "%1"});
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        swap_placeholders(item, edits);
}

} // namespace

/// (reduce #(+ (:price %1) %2) 0 rows): the row comes second.
void Lints::check_placeholders(const Form& function, const Form& start) {
    const bool reads = reads_field(function, "%1") || reads_field(function, "%");
    const bool other = reads_field(function, "%2");
    if (!start.is(FormKind::Integer) || !reads || other || report_.is_full()) return;
    Error error = accumulator_first(function.span, "acc x");
    error.edits.clear();
    swap_placeholders(function, error.edits);
    const auto is_second = [](const Edit& edit) { return edit.text == "%1"; };
    if (std::ranges::none_of(error.edits, is_second)) return;
    error.hint = "%1 is what there is so far, %2 the item.";
    report_.warn(std::move(error));
}

/// (map-indexed (fn [row i] (:name row)) rows)
void Lints::check_index_first(const Form& function) {
    const Form* parameters = is_function_form(function) ? parameter_vector_of(function) : nullptr;
    if (!parameters || parameters->size != 2 || report_.is_full()) return;
    const Form& first = parameters->items()[0];
    const Form& second = parameters->items()[1];
    if (!is_name_form(first) || !is_name_form(second)) return;
    const bool is_row = reads_field(function.items().back(), first.text());
    if (!is_row || reads_field(function.items().back(), second.text())) return;
    report_.warn(swapped_arguments(first, second, source_));
}

/// (fare passenger), where fare takes two fields of it.
void Lints::check_row_spread(const Form& list, const Form& function, const Fact& row) {
    const Form* parameters = parameter_vector_of(function);
    const Form& given = list.items()[1];
    const bool is_name = given.is(FormKind::Symbol) && given.text().front() != ' ';
    if (!parameters || parameters->size < 2 || row.kind != FactKind::Record || !is_name || report_.is_full()) return;
    std::string text;
    for (const Form& name : parameters->items()) {
        if (!is_name_form(name) || !Facts::find(row, name.text())) return;
        text += (text.empty() ? "(:" : " (:") + std::string(name.text()) + " " + std::string(given.text()) + ")";
    }
    Error error = row_for_parameters(given.span, parameters->size);
    error.hint = "Write " + text + ".";
    error.edits.push_back({given.span, std::move(text)});
    report_.warn_always(std::move(error));
}

/// (reduce (fn [x acc] (conj acc x)) [] xs): what there is so far comes first. A function that reads fields of its
/// first parameter, which is empty to begin with, and updates another one, takes that for it.
void Lints::check_accumulator(const Form& function, const Form* start) {
    const bool starts_empty = start && (start->is(FormKind::Integer) || (has_items(*start) && start->size == 0));
    if (function.is(FormKind::ShortFn) && start) return check_placeholders(function, *start);
    const Form* parameters = parameter_vector_of(function);
    if (!parameters || parameters->size < 2 || parameters->size > 3 || report_.is_full()) return;
    const FormSpan names = parameters->items();
    const Form& body = function.items().back();
    if (!is_name_form(names[0]) || names_accumulator(names[0].text()) || carries(names_, body, names[0].text())) return;
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (!is_name_form(names[i])) return;
        const bool is_read = reads_field(body, names[0].text()) && !reads_field(body, names[i].text()) &&
                             !writes_field(names_, body, names[i].text());
        const bool is_one = names_accumulator(names[i].text()) || (starts_empty && is_read);
        if (!is_one || !carries(names_, body, names[i].text())) continue;
        std::string order(names[i].text());
        for (std::size_t k = 0; k < names.size(); ++k)
            order += k == i ? "" : " " + std::string(source_.text(names[k].span));
        return report_.warn(accumulator_first({names.front().span.begin, names.back().span.end}, order));
    }
}

} // namespace ptc
