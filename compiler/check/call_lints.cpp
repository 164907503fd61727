// Lints of calls: calls of the language's functions that run and can never do what they look like, by the shapes of
// their arguments. The rows are call_lints.def, in the notation of compiler/language/rewrite.h; here is what a row may
// ask of a value, answered from what is known of it, and how the arguments of a call are lent to the engine.
#include "compiler/check/call_lints.h"
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/language/rewrite.h"
#include "compiler/language/scope.h"
#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

constexpr CallLint kLints[] = {
#define PTC_CALL_LINT(functions, rewrite, message) {functions, rewrite, message},
#include "compiler/check/call_lints.def"
};

constexpr std::string_view kValueWords[] = {"function", "items",  "map",     "record", "number",     "text",  "field",
                                            "fields",   "parent", "unfound", "longer", "given-text", "words", "start"};

constexpr std::size_t kMaxArguments = 3;

/// A row, taken apart.
struct ReadLint {
    const CallLint* row;
    std::vector<RewriteAlternative> alternatives;
};

struct HashOfName {
    std::size_t operator()(std::string_view name) const { return name_hash(name); }
};

/// The rows for each function, in their order.
std::span<const ReadLint> lints_of(std::string_view function) {
    static const auto table = [] {
        std::unordered_map<std::string_view, std::vector<ReadLint>, HashOfName> made;
        for (const CallLint& lint : kLints) {
            for (std::size_t at = 0; at < lint.functions.size();) {
                const std::size_t end = std::min(lint.functions.find(' ', at), lint.functions.size());
                made[lint.functions.substr(at, end - at)].push_back({&lint, alternatives_of(lint.rewrite)});
                at = end + 1;
            }
        }
        return made;
    }();
    const auto found = table.find(function);
    return found == table.end() ? std::span<const ReadLint>() : found->second;
}

/// What a threading form passes in is not written: its name is none that the reader gives.
bool is_passed_in(const Form& form) { return form.is(FormKind::Symbol) && form.text().front() == ' '; }
bool is_collection(const Fact& fact) {
    return fact.kind == FactKind::List || fact.kind == FactKind::Tuple || fact.kind == FactKind::Set;
}
bool is_map(const Fact& fact) { return fact.kind == FactKind::Record || fact.kind == FactKind::Dict; }

/// A name for the value that is passed in, which the call does not use.
std::string_view unused_name(std::string_view call) {
    for (const std::string_view name : {"x", "it", "value"}) {
        if (call.find(name) == call.npos) return name;
    }
    return "passed-in";
}

/// Whether `next` is a field of the field `key` of `map`.
bool leads_on(const Fact& map, const Form& key, const Form& next) {
    const FactPart* field = map.kind == FactKind::Record ? Facts::find(map, key.text()) : nullptr;
    return field && field->fact->kind == FactKind::Record && is_key_form(next) &&
           Facts::find(*field->fact, next.text());
}

/// Whether `part` stands in some of the texts of the data, and none of these in it.
bool stands_in(std::string_view part, const Fact& fact) {
    if (fact.kind != FactKind::String || !fact.texts || part.empty()) return false;
    const auto& words = fact.texts->words;
    const auto holds = [](std::string_view text, std::string_view inner) { return text.find(inner) != text.npos; };
    return std::ranges::any_of(words, [&](std::string_view word) { return word != part && holds(word, part); }) &&
           std::ranges::none_of(words, [&](std::string_view word) { return word != part && holds(part, word); });
}

} // namespace

std::span<const CallLint> call_lints() { return kLints; }
std::span<const std::string_view> call_lint_value_words() { return kValueWords; }

/// Whether the value of an argument is what a row asks for between angle brackets.
bool Lints::is_known_to_be(std::string_view word, std::span<const CallArgument> given, std::size_t index) {
    const Form& form = *given[index].form;
    const auto is_function = [this](const Form& value) {
        return is_function_form(value) || (value.is(FormKind::Symbol) && names_.meaning_of(value.text()).core);
    };
    if (word == "function") return is_function(form);
    const Fact& fact = *shape_fact(given[index]);
    if (word == "items") return is_collection(fact);
    if (word == "map") return form.is(FormKind::Map) || is_map(fact);
    if (word == "record") return fact.kind == FactKind::Record;
    if (word == "number") return fact.kind == FactKind::Numeric;
    if (word == "text") return fact.kind == FactKind::String;
    if (word == "start")
        return form.kind < FormKind::Symbol ||
               ((form.is(FormKind::Map) || form.is(FormKind::Vector) || form.is(FormKind::Set)) && form.size == 0);
    if (word == "unfound") {
        const Form& in = *given[0].form;
        return form.is(FormKind::String) && in.is(FormKind::String) && !is_function(*given.back().form) &&
               (form.size == 0 || in.text().find(form.text()) == std::string_view::npos);
    }
    if (word == "words") {
        const Fact* item = is_collection(fact) ? facts_.item_of(&fact) : Facts::any();
        return item->texts && std::ranges::any_of(item->texts->words, [](std::string_view w) { return w.size() > 1; });
    }
    if (word == "given-text") return fact.kind == FactKind::String && !form.is(FormKind::String);
    if (word == "longer") return stands_in(given[0].form->text(), fact);
    if (word == "parent") return form.is(FormKind::Keyword) && leads_on(*given[0].fact, form, *given[index + 1].form);
    const Fact& last = *shape_fact(given.back());
    if (word == "field") return form.is(FormKind::Keyword) && items_have(last, form);
    return word == "fields" && form.is(FormKind::Vector) && form.size > 1 &&
           std::ranges::all_of(form.items(),
                               [&](const Form& key) { return is_key_form(key) && items_have(last, key); });
}

/// A name in the place of a function has not been looked at.
const Fact* Lints::shape_fact(const CallArgument& argument) {
    if (argument.fact && argument.fact->kind != FactKind::Any) return argument.fact;
    return argument.form->is(FormKind::Symbol) ? fact_of_name_(*argument.form) : Facts::any();
}

/// Whether `key` is a field of the items of `coll` that has no fields of its own.
bool Lints::items_have(const Fact& coll, const Form& key) {
    const Fact* item = is_collection(coll) ? facts_.item_of(&coll) : Facts::any();
    const FactPart* field = item->kind == FactKind::Record ? Facts::find(*item, key.text()) : nullptr;
    return field && field->fact->kind != FactKind::Any && !is_map(*field->fact);
}

void Lints::check_call(std::string_view function, const Form& list, std::span<const CallArgument> given) {
    if (given.empty() || given.size() > kMaxArguments || report_.is_full()) return;
    const std::span<const ReadLint> lints = lints_of(function);
    if (lints.empty()) return;
    std::array<RewriteArgument, kMaxArguments> arguments{};
    bool is_step = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool passed_in = is_passed_in(*given[i].form);
        arguments[i].form = passed_in ? nullptr : given[i].form;
        is_step = is_step || passed_in;
    }
    RewriteCall call;
    call.function = list.items()[0].text();
    call.arguments = {arguments.data(), given.size()};
    const ValueQuestion is_known = [&](std::string_view word, std::size_t index) {
        return is_known_to_be(word, given, index);
    };
    for (const ReadLint& lint : lints) {
        const auto fitting = std::ranges::find_if(
            lint.alternatives, [&](const RewriteAlternative& one) { return fits(one, call, is_known); });
        if (fitting == lint.alternatives.end()) continue;
        const std::string_view text = source_.text(list.span);
        call.is_short_fn = !is_step && text.starts_with("#(");
        call.value_name = unused_name(text);
        const Pieces code = code_of(fitting->text, call);
        return report_.warn(misused_call(list.span, lint.row->message,
                                         code.edits(source_.text(), list.span, Pieces::Keep::Longest), source_));
    }
}

} // namespace ptc
