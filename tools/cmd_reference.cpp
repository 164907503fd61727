#include "frontend/suggest.h"
#include "subagent/engine/engine_impl.h"
#include "tools/command.h"
#include "tools/reference_page.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Every special form and function: how to call it, what it gives, an example, what it costs, and where it differs from
Clojure. Without names: all of them, as a page in Markdown; --compact: a line for each, as prompts have it.

Examples:
  ptcc reference get-in sort-by
  ptcc reference --compact > names.txt)";

struct Options {
    std::vector<std::string> names;
    bool compact = false;
};

void write_entry(Console& console, const ReferenceEntry& entry) {
    console.out.write(doc_text(entry) + "\n");
    if (const std::string cost = cost_text(entry); !cost.empty()) console.out.write("  Cost: " + cost + "\n");
}

/// The entries of these names, in their order; with a complaint about each that there is none of.
std::vector<ReferenceEntry> chosen(const std::vector<ReferenceEntry>& all, const std::vector<std::string>& names,
                                   Console& console) {
    std::vector<std::string_view> known;
    for (const ReferenceEntry& entry : all)
        known.push_back(entry.name);
    std::vector<ReferenceEntry> found;
    for (const std::string& name : names) {
        const auto entry =
            std::find_if(all.begin(), all.end(), [&](const ReferenceEntry& one) { return one.name == name; });
        if (entry != all.end())
            found.push_back(*entry);
        else
            console.err.write("There is no `" + name + "` in the language. " + did_you_mean(suggest(name, known)) +
                              "\n");
    }
    return found;
}

int run(const Options& options, Console& console) {
    const Engine engine;
    const CoreLibrary& core = impl_of(engine).core;
    std::vector<ReferenceEntry> entries = reference_entries(core);
    if (!options.names.empty()) entries = chosen(entries, options.names, console);
    if (options.compact)
        console.out.write(compact_reference(entries));
    else if (options.names.empty())
        console.out.write(reference_page(core));
    else
        for (const ReferenceEntry& entry : entries)
            write_entry(console, entry);
    return options.names.empty() || entries.size() == options.names.size() ? kSuccess : kFailed;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.texts("NAME", &options->names, "Names to describe; without any, the whole reference as Markdown");
    line.flag("--compact", &options->compact, "Usage and one sentence only, a line each");
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kReferenceCommand{"reference", "Describes the names of the language.", declare};

} // namespace ptc
