// Calls whose endless sequence is written in them. (take n (iterate f x)) is (iterated-take% n f x), a loop with the
// state in a variable, where the call of take would ask a function for each item and the rest. (map f (range) coll)
// counts the items of coll.
#include "compiler/analyze/written_sources.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/names.h"
#include <algorithm>
#include <string>

namespace ptc {
namespace {

/// Whether a form calls the language's function of this name, with so many arguments.
bool calls_language(Analyzer& a, const Form& form, std::string_view name, std::size_t arguments) {
    return form.is(FormKind::List) && form.size == arguments + 1 && form.items()[0].is_symbol(name) &&
           !find_binding(a.at.site.scope, name, name_hash(name)) && !a.names.globals().find(name, name_hash(name));
}

/// The list with the argument at `at` replaced by `parts`.
Form with_parts(Analyzer& a, const Form& list, std::size_t at, FormSpan parts) {
    const FormSpan old = list.items();
    auto* items = a.nodes.allocate<Form>(old.size() - 1 + parts.size());
    Form* end = std::uninitialized_copy(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(at), items);
    end = std::uninitialized_copy(parts.begin(), parts.end(), end);
    end = std::uninitialized_copy(old.begin() + static_cast<std::ptrdiff_t>(at) + 1, old.end(), end);
    return call_of({items, end}, list.span);
}

const CoreFunction* core_function(Analyzer& a, std::string_view prefix, std::string_view name, std::size_t arguments) {
    const CoreFunction* found = a.core.find(std::string(prefix).append(name).append("%"));
    return found && found->arity(arguments) ? found : nullptr;
}

/// (NAME .. (iterate f x) ..) as (iterated-NAME% .. f x ..), and with (rest (iterate f x)) as (iterated-rest-NAME% .. f
/// x ..)
std::optional<WrittenCall> call_of_iterate(Analyzer& a, const CoreName& name, const Form& list) {
    for (std::size_t i = 1; i < list.size; ++i) {
        const bool is_rest = calls_language(a, list.items()[i], "rest", 1);
        const Form& source = is_rest ? list.items()[i].items()[1] : list.items()[i];
        if (!calls_language(a, source, "iterate", 2)) continue;
        const CoreFunction* function = core_function(a, is_rest ? "iterated-rest-" : "iterated-", name.name, list.size);
        if (!function) return std::nullopt;
        return WrittenCall{.function = function, .list = with_parts(a, list, i, source.items().subspan(1))};
    }
    return std::nullopt;
}

/// (NAME .. (range) coll) as (counted-NAME% .. coll), (NAME .. coll (range)) as (NAME-counted% .. coll).
std::optional<WrittenCall> call_of_range(Analyzer& a, const CoreName& name, const Form& list) {
    if (list.size < 3) return std::nullopt;
    const FormSpan two = list.items().last(2);
    const bool counts_first = calls_language(a, two[0], "range", 0);
    if (counts_first == calls_language(a, two[1], "range", 0)) return std::nullopt;
    std::string text(counts_first ? "counted-" : "");
    text.append(name.name).append(counts_first ? "%" : "-counted%");
    const CoreFunction* function = a.core.find(text);
    if (!function || !function->arity(list.size - 2)) return std::nullopt;
    const std::size_t at = list.size - (counts_first ? 2 : 1);
    return WrittenCall{
        .function = function, .list = with_parts(a, list, at, {}), .counted = &two[counts_first ? 1 : 0]};
}

} // namespace

std::optional<WrittenCall> call_of_written_source(Analyzer& a, const CoreName& name, const Form& list) {
    if (auto found = call_of_iterate(a, name, list)) return found;
    return call_of_range(a, name, list);
}

} // namespace ptc
