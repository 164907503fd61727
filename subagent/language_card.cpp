#include "subagent/language_card.h"
#include "compiler/special_forms.h"
#include "runtime/builtin.h"
#include <algorithm>
#include <array>
#include <vector>

namespace ptc {
namespace {

struct Section {
    Category category;
    std::string_view core_category; ///< of functions written in the language itself
    std::string_view title;
};

constexpr std::array<Section, 9> kSections = {{
    {Category::Core, "core", "Collections, functions, tests"},
    {Category::Math, "math", "Numbers"},
    {Category::String, "string", "Text"},
    {Category::Regex, "regex", "Regular expressions (#\"..\")"},
    {Category::Set, "set", "Sets"},
    {Category::Walk, "walk", "Trees"},
    {Category::Json, "json", "JSON"},
    {Category::Interop, "interop", "Dates, times, Java names"},
    {Category::Agent, "agent", "The mission"},
}};

constexpr std::string_view kRules =
    R"(PTC-Lisp is a small, pure Clojure: immutable values, no macros, no mutable state, no input or output but through tools.
- Data given to the mission: data/NAME. A map that a turn gives is added to it: {:found 7} makes data/found.
- Tools: (tool/NAME {:key value}), always with named arguments; (tool/NAME) without any. Results are plain data.
- Memory: (def name value) and (defn name [x] ..) stay for later turns of this mission. A turn that fails keeps nothing.
- *1 *2 *3 are the values of the last turns.
- (return value) ends the mission; (fail {:reason :keyword :message "text"}) gives it up. Both end the program at once.
- Keywords read maps with text keys too: (:id row). Missing keys and data are nil. nil counts as an empty collection.
- sort-by takes a comparator: (sort-by :total > rows). (pmap f xs) calls tools in parallel.
- Strings are "..", never '..'. There is no try/catch, no require, no atom, no Java but for what is listed.)";

void append_names(std::string& out, std::string_view title, std::vector<std::string_view> names) {
    if (names.empty()) return;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    out += "\n" + std::string(title) + ":";
    for (const std::string_view name : names)
        out += " " + std::string(name);
}

bool is_internal(std::string_view name) { return name.find('%') != std::string_view::npos; }

std::vector<std::string_view> names_of(const Section& section, const CoreLibrary& core) {
    std::vector<std::string_view> names;
    for (const Builtin* builtin : all_builtins()) {
        if (builtin->category == section.category && !is_internal(builtin->name)) names.emplace_back(builtin->name);
    }
    for (const CoreFunction& function : core.all()) {
        const std::string_view category = function.category.empty() ? "core" : function.category;
        if (category == section.core_category && !is_internal(function.name)) names.push_back(function.name);
    }
    return names;
}

} // namespace

std::string language_card(const CoreLibrary& core) {
    std::string out(kRules);
    std::vector<std::string_view> forms;
    for (const SpecialForm& form : special_forms()) {
        if (form.shadowing != SpecialForm::kCore) forms.emplace_back(form.name);
    }
    append_names(out, "Forms", std::move(forms));
    for (const Section& section : kSections)
        append_names(out, section.title, names_of(section, core));
    return out;
}

} // namespace ptc
