// Calls whose endless sequence is written in them. (take n (iterate f x)) is (iterated-take% n f x), a loop with the
// state in a variable, where the call of take would ask a function for each item and the rest. (map f (range) coll)
// counts the items of coll, and (map f coll (cycle xs)) begins xs anew where it ends.
#include "compiler/analyze/written_sources.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/names.h"
#include "compiler/language/form_questions.h"
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

bool may_be_count(const Form& form) {
    return form.is(FormKind::Integer) || form.is(FormKind::Symbol) || form.is(FormKind::List);
}

/// (NAME .. (iterate f x) ..) as (iterated-NAME% .. f x ..), and with (rest (iterate f x)) as (iterated-rest-NAME% .. f
/// x ..)
std::optional<WrittenCall> call_of_iterate(Analyzer& a, const CoreName& name, const Form& list) {
    if (list.size != 3) return std::nullopt;
    const bool is_nth = name.name == "nth"; // the sequence is its first argument, that of all others the last
    const bool counts = is_nth || name.name == "take" || name.name == "drop";
    const std::size_t at = is_nth ? 1 : 2;
    const Form& sequence = list.items()[at];
    const Form& beside = list.items()[3 - at];
    const bool is_rest = calls_language(a, sequence, "rest", 1);
    const Form& source = is_rest ? sequence.items()[1] : sequence;
    if (!calls_language(a, source, "iterate", 2) || !may_be_function(source.items()[1]) ||
        !(counts ? may_be_count(beside) : may_be_function(beside)))
        return std::nullopt;
    const CoreFunction* function = core_function(a, is_rest ? "iterated-rest-" : "iterated-", name.name, list.size);
    if (!function) return std::nullopt;
    return WrittenCall{.function = function,
                       .list = with_parts(a, list, at, source.items().subspan(1)),
                       .items = &source.items()[2],
                       .step = &source.items()[1]};
}

/// An endless sequence beside a collection: how it is written, and the word for it in names of core functions.
struct Beside {
    std::string_view name;
    std::size_t arguments;
    std::string_view word;
};
constexpr Beside kBeside[] = {{"range", 0, "counted"}, {"repeat", 1, "repeated"}, {"cycle", 1, "cycled"}};

const Beside* beside(Analyzer& a, const Form& form) {
    const auto* found = std::ranges::find_if(
        kBeside, [&](const Beside& one) { return calls_language(a, form, one.name, one.arguments); });
    return found == std::end(kBeside) ? nullptr : found;
}

/// (NAME .. (range) coll) as (counted-NAME% .. coll), (NAME .. coll (cycle xs)) as (NAME-cycled% .. coll xs).
std::optional<WrittenCall> call_beside(Analyzer& a, const CoreName& name, const Form& list) {
    if (list.size < 3 || (list.size > 3 && !may_be_function(list.items()[1]))) return std::nullopt;
    const FormSpan two = list.items().last(2);
    const Beside* const first = beside(a, two[0]);
    const Beside* const second = beside(a, two[1]);
    if ((first == nullptr) == (second == nullptr)) return std::nullopt;
    const Beside& source = first ? *first : *second;
    std::string text(first ? source.word : name.name);
    text.append("-").append(first ? name.name : source.word).append("%");
    const CoreFunction* function = a.core.find(text);
    if (!function || !function->arity(list.size - 2 + source.arguments)) return std::nullopt;
    const FormSpan given = two[first ? 0 : 1].items().subspan(1);
    return WrittenCall{.function = function,
                       .list = with_parts(a, list, list.size - (first ? 2 : 1), given),
                       .items = &two[first ? 1 : 0],
                       .other = given.empty() ? nullptr : &given[0]};
}

} // namespace

std::optional<WrittenCall> call_of_written_source(Analyzer& a, const CoreName& name, const Form& list) {
    if (auto found = call_of_iterate(a, name, list)) return found;
    return call_beside(a, name, list);
}

} // namespace ptc
