// What the language's tables say of a name, as one entry, whichever of them declares it: special forms, builtins, core
// functions or preludes. `doc`, the reference page and prompts all read entries, so they cannot disagree. Sections are
// ordered by how many programs need them, which is the one thing that no table knows.
#include "compiler/language/reference.h"
#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

constexpr std::string_view kSections[] = {
    // Special forms
    "Names and definitions",
    "Choices",
    "Loops",
    "Threading",
    // Functions
    "Functions of functions",
    "Sequences",
    "Collections",
    "Maps",
    "Sets and relations",
    "Sums and groups",
    "Sorting",
    "Trees",
    "Zippers",
    "Hierarchies of kinds",
    "Questions about values",
    "Comparison",
    "Arithmetic",
    "Mathematics",
    "Strings",
    "Splitting and replacing",
    "Patterns",
    "Formats",
    "Text of values, and printing",
    "Numbers in text",
    "Names and keys",
    "JSON",
    "Dates and times",
    "Dates with times, months, constants",
    "Methods of dates and times",
    "Fields and adjusters of times",
    "Units of time",
    "Exceptions",
    "State of a run",
    "Endless sequences",
    "Java methods",
    "Methods of values and collections",
    "Bytes, codes and patterns of texts",
    "Java's Math",
    "Java's decimals and large integers",
    // The program and its host
    "Results and missions",
    "Several at once",
    "Looking things up",
};

std::string_view text_or_empty(const char* text) { return text ? std::string_view(text) : std::string_view(); }

std::size_t rank_of(std::string_view section) {
    return static_cast<std::size_t>(std::find(std::begin(kSections), std::end(kSections), section) -
                                    std::begin(kSections));
}

/// A line of a list ends where its first sentence does.
std::string_view first_sentence(std::string_view doc) {
    const std::size_t end = doc.find(". ");
    return doc.substr(0, end == doc.npos ? doc.size() : end + 1);
}

ReferenceEntry entry_of(const CoreFunction& function) {
    return {.name = function.name,
            .usage = function.usage,
            .doc = function.doc,
            .example = function.example_source,
            .example_result = function.example_result,
            .differs = function.differs,
            .section = function.section,
            .function = &function};
}

ReferenceEntry entry_of(const Builtin& row) {
    return {.name = row.name,
            .usage = row.usage,
            .doc = row.doc,
            .example = text_or_empty(row.example.source),
            .example_result = text_or_empty(row.example.result),
            .differs = text_or_empty(row.differs),
            .section = builtin_section(row),
            .builtin = &row};
}

ReferenceEntry entry_of(const SpecialForm& form) {
    return {.name = form.name,
            .usage = form.usage,
            .doc = form.doc,
            .example = form.example,
            .example_result = form.example_result,
            .differs = form.differs,
            .section = form.section,
            .form = &form};
}

} // namespace

ReferenceEntry reference_entry(const CoreName& name) {
    if (name.core) return entry_of(*name.core);
    if (name.builtin >= 0) return entry_of(builtin_at(static_cast<std::uint32_t>(name.builtin)));
    return entry_of(special_forms()[static_cast<std::size_t>(name.special)]);
}

bool is_public(const CoreName& name) { return !name.name.empty() && name.name.back() != '%'; }

std::vector<ReferenceEntry> reference_entries(const CoreLibrary& core) {
    std::vector<ReferenceEntry> entries;
    for (const CoreName& name : core.names()) {
        if (is_public(name)) entries.push_back(reference_entry(name));
    }
    std::sort(entries.begin(), entries.end(), [](const ReferenceEntry& a, const ReferenceEntry& b) {
        const std::size_t a_rank = rank_of(a.section), b_rank = rank_of(b.section);
        return a_rank != b_rank ? a_rank < b_rank : a.name < b.name;
    });
    return entries;
}

std::span<const std::string_view> reference_sections() { return kSections; }

std::vector<std::string_view> usages(std::string_view usage) {
    std::vector<std::string_view> parts;
    while (!usage.empty()) {
        const std::size_t end = usage.find(") (");
        parts.push_back(usage.substr(0, end == usage.npos ? usage.size() : end + 1));
        usage.remove_prefix(std::min(parts.back().size() + 1, usage.size()));
    }
    return parts;
}

std::vector<std::vector<std::string_view>> parameters_of(std::string_view usage) {
    std::vector<std::vector<std::string_view>> shapes;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < usage.size();) {
        const char c = usage[i];
        if (c == '(' && depth++ == 0) shapes.emplace_back();
        if (c == ')') --depth;
        if (c == '(' || c == ')' || c == ' ') {
            ++i;
            continue;
        }
        std::size_t end = i;
        if (c == '[' || c == '{') {
            end = std::min(usage.find(c == '[' ? ']' : '}', i), usage.size() - 1) + 1;
        } else {
            end = std::min(usage.find_first_of(" ()", i), usage.size());
        }
        if (depth == 1) shapes.back().push_back(usage.substr(i, end - i));
        i = end;
    }
    for (std::vector<std::string_view>& shape : shapes) {
        if (!shape.empty()) shape.erase(shape.begin()); // the name
    }
    return shapes;
}

std::vector<std::string_view> parameters_of(std::string_view usage, std::size_t arguments) {
    for (std::vector<std::string_view>& shape : parameters_of(usage)) {
        const auto rest = std::find(shape.begin(), shape.end(), "&");
        if (rest == shape.end() || rest + 1 == shape.end()) {
            if (shape.size() == arguments) return shape;
            continue;
        }
        std::string_view name = *(rest + 1);
        if (name.size() > 2 && name.ends_with('s')) name.remove_suffix(1); // "& maps": each is a map
        shape.erase(rest, shape.end());
        if (shape.size() > arguments) continue;
        shape.resize(arguments, name);
        return shape;
    }
    return {};
}

std::string cost_text(const ReferenceEntry& entry) {
    if (entry.builtin) {
        const std::string base = std::to_string(entry.builtin->cost);
        if (entry.builtin->work == Work::Constant) return base;
        return base + ", and " + std::string(work_text(entry.builtin->work));
    }
    if (!entry.function) return "";
    const std::string calls = "the calls of its functions";
    const Work work = entry.function->work;
    return work == Work::Constant ? calls : std::string(work_text(work)) + ", and " + calls;
}

std::string doc_text(const ReferenceEntry& entry) {
    std::string text(entry.name);
    if (!entry.usage.empty()) text.append("\n").append(entry.usage);
    if (!entry.doc.empty()) text.append("\n  ").append(entry.doc);
    if (!entry.example.empty()) text.append("\n  ").append(entry.example).append(" => ").append(entry.example_result);
    if (entry.differs == kNotInClojure)
        text.append("\n  ").append(kNotInClojure);
    else if (!entry.differs.empty())
        text.append("\n  Differs from Clojure: ").append(entry.differs);
    return text;
}

std::string compact_reference(std::span<const ReferenceEntry> entries) {
    std::string text;
    std::string_view section;
    for (const ReferenceEntry& entry : entries) {
        if (entry.section != section) text.append(text.empty() ? "## " : "\n## ").append(entry.section).append("\n");
        section = entry.section;
        text.append(entry.usage).append(" - ").append(first_sentence(entry.doc)).append("\n");
    }
    return text;
}

} // namespace ptc
