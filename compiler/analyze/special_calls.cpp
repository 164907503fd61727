// Names mean what they mean at the call: a program's own `into`, `str` or `compare` is none of these.
#include "compiler/analyze/special_calls.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/sequences.h"
#include "compiler/analyze/update_path.h"
#include "compiler/language/core_library.h"
#include "compiler/language/java_classes.h"
#include <vector>

namespace ptc {
namespace {

bool is_sorted_by(std::string_view name) { return name == "sorted-map-by" || name == "sorted-set-by"; }

std::string_view called_by(Analyzer& a, const Form& form) {
    return form.is(FormKind::List) && form.size > 0 ? a.names.language_name(form.items()[0]) : std::string_view();
}

/// #(compare %2 %1), (fn [a b] (compare b a))
std::string_view order_of_function(Analyzer& a, const Form& function) {
    const Form* call = nullptr;
    std::string_view first = "%1", second = "%2";
    if (function.is(FormKind::ShortFn)) {
        call = &function;
    } else if (function.is(FormKind::List) && function.size == 3 && function.items()[0].is_symbol("fn") &&
               function.items()[1].is(FormKind::Vector) && function.items()[1].size == 2 &&
               function.items()[2].is(FormKind::List)) {
        const FormSpan params = function.items()[1].items();
        if (!params[0].is(FormKind::Symbol) || !params[1].is(FormKind::Symbol)) return {};
        first = params[0].text();
        second = params[1].text();
        call = &function.items()[2];
    }
    if (!call || call->size != 3 || a.names.language_name(call->items()[0]) != "compare") return {};
    const auto is = [&](const Form& form, std::string_view name) {
        return form.is_symbol(name) || (name == "%1" && form.is_symbol("%"));
    };
    if (is(call->items()[1], second) && is(call->items()[2], first)) return " >";
    if (is(call->items()[1], first) && is(call->items()[2], second)) return " compare";
    return {};
}

/// How many arguments a function takes, where it takes so many only: 1, 2 or 3; 0 for all others.
std::size_t arguments_of(Analyzer& a, const Form& function) {
    std::size_t count = 0;
    if (const Lambda* lambda = literal_lambda(a, function)) {
        if (lambda->clauses.size() == 1 && !lambda->clauses[0].variadic) count = lambda->clauses[0].count;
    } else if (function.is(FormKind::Symbol)) {
        const Resolved name = a.names.resolve(function, false);
        if (name.kind == Resolved::Known && !name.global->known->variadic && !name.global->known->next_arity)
            count = name.global->known->params.size();
    }
    return count <= 3 ? count : 0;
}

/// The downward order, or the upward one, by other words than > and compare; "" for any other comparator.
std::string_view plain_order(Analyzer& a, const Form& comparator) {
    const std::string_view made_by = called_by(a, comparator);
    const FormSpan parts = comparator.is(FormKind::List) ? comparator.items() : FormSpan{};
    if (made_by == "comparator" && parts.size() == 2) {
        const std::string_view order = a.names.language_name(parts[1]);
        return order == ">" ? " >" : order == "<" ? " compare" : "";
    }
    if (made_by == "comp" && parts.size() == 3)
        return a.names.language_name(parts[1]) == "-" && a.names.language_name(parts[2]) == "compare" ? " >" : "";
    return order_of_function(a, comparator);
}

/// A copy of the call whose head means what `hidden` names, with `first` in place of its first argument.
Node* call_instead(Analyzer& a, const Form& list, std::string_view hidden, const Form& first, Tail tail) {
    Form* items = a.nodes.allocate<Form>(list.size);
    std::uninitialized_copy(list.items().begin(), list.items().end(), items);
    items[0] = hidden_name(hidden, items[0].span);
    items[1] = first;
    return a.analyze(call_of({items, list.size}, list.span), tail);
}

/// A path that stands in the program, short enough for as many calls.
bool is_short_path(const Form& path) {
    constexpr std::uint32_t kMostSteps = 8;
    return path.is(FormKind::Vector) && path.size > 0 && path.size <= kMostSteps;
}

/// (get-in m [a b] x) as (get (get m a) b x): no path is made, and a field that the program names has a cache.
Node* get_along_path(Analyzer& a, const Form& list, Tail tail) {
    Form from = list.items()[1];
    const FormSpan path = list.items()[2].items();
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::size_t size = i + 1 == path.size() && list.size == 4 ? 4 : 3; // the last one has the default
        Form* items = a.nodes.allocate<Form>(size);
        std::construct_at(&items[0], hidden_name(" get", list.items()[0].span));
        std::construct_at(&items[1], from);
        std::construct_at(&items[2], path[i]);
        if (size == 4) std::construct_at(&items[3], list.items()[3]);
        from = call_of({items, static_cast<std::uint32_t>(size)}, list.span);
    }
    return a.analyze(from, tail);
}

/// (assoc-in m [a b c] x) as (update-in m [a b] assoc c x), which changes what has one owner where it is.
Node* assoc_along_path(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan path = list.items()[2].items();
    Form* steps = a.nodes.allocate<Form>(path.size() - 1);
    std::uninitialized_copy(path.begin(), path.end() - 1, steps);
    Form upper = list.items()[2];
    upper.first = steps;
    upper.size = static_cast<std::uint32_t>(path.size() - 1);
    Form* items = a.nodes.allocate<Form>(6);
    const Span head = list.items()[0].span;
    std::construct_at(&items[0], hidden_name(" update-in", head));
    std::construct_at(&items[1], list.items()[1]);
    std::construct_at(&items[2], upper);
    std::construct_at(&items[3], hidden_name(" assoc", head));
    std::construct_at(&items[4], path.back());
    std::construct_at(&items[5], list.items()[3]);
    return a.analyze(call_of({items, 6}, list.span), tail);
}

/// Whether it is a call of subseq or rsubseq whose tests are <, <=, > and >=.
bool has_written_tests(Analyzer& a, std::string_view function, const Form& list) {
    if ((function != "subseq" && function != "rsubseq") || (list.size != 4 && list.size != 6)) return false;
    const auto is_relation = [&](const Form& test) {
        const std::string_view name = a.names.language_name(test);
        return name == "<" || name == "<=" || name == ">" || name == ">=";
    };
    return is_relation(list.items()[2]) && (list.size == 4 || is_relation(list.items()[4]));
}

/// get-in, assoc-in and update-in along a path that has a name.
Node* call_along_named_path(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const bool is_along_path = name.name == "get-in" || name.name == "assoc-in" || name.name == "update-in";
    if (!is_along_path || list.size < 3 || list.items()[2].is(FormKind::Vector)) return nullptr;
    const Binding* const scope = a.at.site.scope;
    Node* node = nullptr;
    if (const std::optional<Form> path = written_path(a, list.items()[2])) {
        Form* items = a.nodes.allocate<Form>(list.size);
        std::uninitialized_copy(list.items().begin(), list.items().end(), items);
        items[2] = *path;
        node = a.analyze(call_of({items, list.size}, list.span), tail);
    }
    a.at.site.scope = scope;
    return node;
}

/// (assoc-in m [a] x) and (update-in m [.. b] f ..) as calls of assoc and (update-in m [..] update b f ..), in a
/// program where a function may sort what they change.
Node* change_at_path_of_sorted(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const bool is_update = name.name == "update-in" && list.size >= 4;
    const bool is_assoc = name.name == "assoc-in" && list.size == 4;
    if (!a.names.has_sorted() || (!is_update && !is_assoc) || !is_short_path(list.items()[2])) return nullptr;
    const FormSpan path = list.items()[2].items();
    const bool is_deep = path.size() > 1;
    std::vector<Form> items;
    if (is_deep) {
        Form upper = list.items()[2];
        --upper.size;
        items = {hidden_name(" update-in", list.span), list.items()[1], upper};
    }
    items.push_back(hidden_name(is_update ? " update" : " assoc", list.items()[0].span));
    if (!is_deep) items.push_back(list.items()[1]);
    items.push_back(path.back());
    items.insert(items.end(), list.items().begin() + 3, list.items().end());
    Form* copy = a.nodes.allocate<Form>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), copy);
    return a.analyze(call_of({copy, items.size()}, list.span), tail);
}

/// (str b) and (.length b) in a program that makes a StringBuilder, which b may be; null for all others.
Node* call_of_builder(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    if (!a.names.has_builder()) return nullptr;
    const Form& first = list.items()[1];
    if (name.name == "str" && list.size == 2) return call_instead(a, list, " text-of%", first, tail);
    const bool reads_text = name.name == ".length" || name.name == ".charAt" || name.name == ".indexOf" ||
                            name.name == ".substring" || name.name == ".isEmpty";
    if (!reads_text || called_by(a, first) == "text-within%") return nullptr;
    Form* items = a.nodes.allocate<Form>(2);
    std::construct_at(&items[0], hidden_name(" text-within%", first.span));
    std::construct_at(&items[1], first);
    Form* call = a.nodes.allocate<Form>(list.size);
    std::uninitialized_copy(list.items().begin(), list.items().end(), call);
    call[1] = call_of({items, 2}, first.span);
    return a.analyze(call_of({call, list.size}, list.span), tail);
}

} // namespace

Node* special_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    if (a.at.site.core || list.size < 2) return nullptr;
    if (Node* node = call_with_list(a, name, list, tail)) return node;
    const Form& first = list.items()[1];
    if (Node* node = call_of_builder(a, name, list, tail)) return node;
    if (name.name == "into" && is_sorted_by(called_by(a, first)) && first.size == 2) {
        const bool is_map = called_by(a, first) == "sorted-map-by";
        const std::string_view order = plain_order(a, first.items()[1]);
        const Form comparator = order.empty() ? first.items()[1] : hidden_name(order, first.items()[1].span);
        return call_instead(a, list, is_map ? " into-sorted-map%" : " into-sorted-set%", comparator, tail);
    }
    if (name.name == "first" && list.size == 2 && first.size == 2) {
        const std::string_view parts = called_by(a, first);
        if (parts == "keys") return call_instead(a, list, " first-key%", first.items()[1], tail);
        if (parts == "vals") return call_instead(a, list, " first-val%", first.items()[1], tail);
    }
    if (Node* node = call_along_named_path(a, name, list, tail)) return node;
    if (name.name == "get-in" && (list.size == 3 || list.size == 4) && is_short_path(list.items()[2]))
        return get_along_path(a, list, tail);
    if (name.name == "get-in" && list.size == 3) return call_instead(a, list, " get-at%", first, tail);
    if (name.name == "assoc-in" && list.size == 4 && is_short_path(list.items()[2]) && list.items()[2].size > 1)
        return assoc_along_path(a, list, tail);
    if (Node* node = change_at_path_of_sorted(a, name, list, tail)) return node;
    if (name.name == "re-find" && list.size == 2 && !first.is(FormKind::Regex))
        return call_instead(a, list, " next-match%", first, tail);
    if (is_sorted_by(name.name)) {
        const std::string_view order = plain_order(a, first);
        if (order.empty()) return nullptr;
        return call_instead(a, list, name.name == "sorted-map-by" ? " sorted-map-by" : " sorted-set-by",
                            hidden_name(order, first.span), tail);
    }
    if (name.name == "memoize" && list.size == 2) {
        constexpr std::string_view kByArguments[] = {"", " memoize-1%", " memoize-2%", " memoize-3%"};
        const std::size_t count = arguments_of(a, first);
        return count > 0 ? call_instead(a, list, kByArguments[count], first, tail) : nullptr;
    }
    if (name.name == "into-array" && list.size == 3 && first.is(FormKind::Symbol) &&
        a.names.resolve(first, false).kind == Resolved::Unknown &&
        !class_test(first.text().substr(0, first.text().find('/'))).empty()) {
        Form none;
        none.span = first.span;
        return call_instead(a, list, " into-array", none, tail);
    }
    return nullptr;
}

Node* sorted_part_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail, WholeTest is_whole) {
    if (a.at.site.core || list.size < 2) return nullptr;
    const bool is_first = name.name == "first" && list.size == 2;
    const Form& part = is_first ? list.items()[1] : list;
    const std::string_view function = is_first ? called_by(a, part) : name.name;
    if (!has_written_tests(a, function, part) || !is_whole(a, part.items()[1])) return nullptr;
    const bool is_back = function == "rsubseq";
    const std::string_view meant = is_first  ? is_back ? " first-rsubseq%" : " first-subseq%"
                                   : is_back ? " searched-rsubseq%"
                                             : " searched-subseq%";
    return call_instead(a, part, meant, part.items()[1], tail);
}

bool makes_sorted(const Form& form) {
    if (form.is(FormKind::Symbol)) return is_sorted_by(form.text());
    const FormSpan parts = form.items();
    if (parts.size() < 2 || !parts[0].is(FormKind::Symbol) || !is_sorted_by(parts[0].text())) return false;
    return !parts[1].is_symbol(">") && !parts[1].is_symbol("<") && !parts[1].is_symbol("compare");
}

} // namespace ptc
