#include "tools/reference.h"
#include "compiler/special_forms.h"
#include "runtime/builtin.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kIntroduction = R"(# The language, name by name

Written by `ptcc reference` from the tables that define the language; a test keeps it current and runs the examples.

**Cost** is in units of fuel: what each call costs, and what it costs besides by what it is given. An instruction costs about one
unit; special forms and functions that take functions are compiled to instructions where they stand.

**Names.** Functions of strings are also found in `clojure.string` (`str/`, `string/`), those of sets in `clojure.set` (`set/`), those
that walk values in `clojure.walk` (`walk/`), mathematics in `Math`, and everything in `clojure.core`. Names that are written out
(`Instant/parse`, `.length`) exist in that spelling. Tools are `(tool/name {:argument value})`; data is `data/name`; `*1`, `*2` and
`*3` are the latest results.
)";

constexpr std::string_view kSpecialForms = "Special forms";
constexpr std::string_view kNotInClojure = "Not in Clojure.";
constexpr std::string_view kHigherOrder = "Functions that take or give functions";

std::string text_or_empty(const char* text) { return text ? text : ""; }

std::string cost_text(const Builtin& row) {
    std::string text = std::to_string(row.cost);
    if (row.work != Work::Constant) text.append(", and ").append(work_text(row.work));
    return text;
}
std::string cost_text(const CoreFunction& function) {
    const std::string calls = "the calls of its functions";
    return function.work == Work::Constant ? calls : std::string(work_text(function.work)) + ", and " + calls;
}

ReferenceEntry entry_of(const CoreName& name) {
    if (name.core) {
        const CoreFunction& core = *name.core;
        return {std::string(kHigherOrder), std::string(core.name),           std::string(core.usage),
                std::string(core.doc),     std::string(core.example_source), std::string(core.example_result),
                cost_text(core),           std::string(core.differs)};
    }
    if (name.builtin >= 0) {
        const Builtin& row = builtin_at(static_cast<std::uint32_t>(name.builtin));
        return {std::string(builtin_section(row)),
                row.name,
                row.usage,
                row.doc,
                text_or_empty(row.example.source),
                text_or_empty(row.example.result),
                cost_text(row),
                text_or_empty(row.differs)};
    }
    const SpecialForm& form = special_forms()[static_cast<std::size_t>(name.special)];
    return {std::string(kSpecialForms), form.name, form.usage,  form.doc, form.example,
            form.example_result,        "",        form.differs};
}

/// Names that end in % are the core library's own.
bool is_public(const CoreName& name) { return !name.name.empty() && name.name.back() != '%'; }

/// What Markdown would read as its own.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '*' || c == '_' || c == '<' || c == '[' || c == '|') out += '\\';
        out += c;
    }
    return out;
}

/// "`(get m k)` `(get m k default)`"
std::string usages(std::string_view usage) {
    std::string out;
    while (!usage.empty()) {
        const std::size_t end = usage.find(") (");
        const std::string_view one = usage.substr(0, end == usage.npos ? usage.size() : end + 1);
        out += (out.empty() ? "`" : " `") + std::string(one) + "`";
        usage.remove_prefix(std::min(one.size() + 1, usage.size()));
    }
    return out;
}

/// One point of a list; a backslash at the end of a line keeps the break.
std::string entry_text(const ReferenceEntry& entry) {
    constexpr std::string_view kBreak = "\\\n  ";
    std::string text = "- " + usages(entry.usage);
    text.append(kBreak).append(escaped(entry.doc));
    if (!entry.example.empty()) {
        const bool fails = entry.example_result.starts_with("!! ");
        const std::string result = fails ? entry.example_result.substr(3) : entry.example_result;
        text.append(kBreak).append("`" + entry.example + (fails ? "` fails: `" : "` gives `") + result + "`");
    }
    if (!entry.cost.empty()) text.append(kBreak).append("*Cost:* " + escaped(entry.cost) + ".");
    if (entry.differs == kNotInClojure)
        text.append(kBreak).append(kNotInClojure);
    else if (!entry.differs.empty())
        text.append(kBreak).append("*Differs from Clojure:* " + escaped(entry.differs));
    return text + "\n";
}

} // namespace

std::vector<ReferenceEntry> reference_entries(const CoreLibrary& core) {
    std::vector<ReferenceEntry> entries;
    for (const CoreName& name : core.names()) {
        if (is_public(name)) entries.push_back(entry_of(name));
    }
    std::sort(entries.begin(), entries.end(), [](const ReferenceEntry& a, const ReferenceEntry& b) {
        if (a.section != b.section)
            return a.section == kSpecialForms || (b.section != kSpecialForms && a.section < b.section);
        return a.name < b.name;
    });
    return entries;
}

std::string reference_page(const CoreLibrary& core) {
    std::string page(kIntroduction);
    std::string_view section;
    const std::vector<ReferenceEntry> entries = reference_entries(core);
    for (const ReferenceEntry& entry : entries) {
        if (entry.section != section) page += "\n## " + entry.section + "\n\n";
        section = entry.section;
        page += entry_text(entry);
    }
    return page;
}

} // namespace ptc
