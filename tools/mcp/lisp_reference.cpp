// The tool `lisp_reference`: names in full, or those that have the words of a query. A name that does not exist is
// answered with those that may be meant, and one that does with those that have to do with it.
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/word_search.h"
#include "subagent/engine/engine_impl.h"
#include "tools/mcp/lisp_parts.h"
#include "tools/members.h"
#include "tools/reference_page.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostFound = 50; ///< entries that it gives
constexpr std::size_t kMostQueryBytes = 1000;
constexpr std::size_t kMostGuessed = 8; ///< of those that have only some words of a query
constexpr std::size_t kMostTools = 8;   ///< of the host's, found by a query
constexpr std::size_t kMostRelated = 8; ///< names beside one that was looked up

std::string entry_json(const ReferenceEntry& entry) {
    JsonObject json;
    json.text("name", entry.name).text("usage", entry.usage).text("doc", entry.doc);
    if (!entry.example.empty()) json.text("example", entry.example).text("result", entry.example_result);
    if (const std::string cost = cost_text(entry); !cost.empty()) json.text("cost", cost);
    if (!entry.differs.empty()) json.text("differs", entry.differs);
    return json.finish();
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

/// Those that have all words of the query, names that begin with it first; where none has, those that have the most.
std::vector<ReferenceEntry> found_by(const std::vector<ReferenceEntry>& all, const std::string& query, bool& is_sure) {
    std::vector<std::string> words;
    const std::string wanted = lower(query);
    for (std::size_t at = 0; at < wanted.size();) {
        const std::size_t begin = wanted.find_first_not_of(' ', at);
        if (begin == std::string::npos) break;
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        words.push_back(wanted.substr(begin, end - begin));
        at = end;
    }
    if (words.empty()) return {};
    std::vector<ReferenceEntry> found;
    std::vector<Searchable> texts;
    for (const ReferenceEntry& entry : all) {
        const std::string text = lower(entry.name) + " " + lower(entry.doc);
        if (std::ranges::all_of(words, [&](const auto& word) { return text.find(word) != std::string::npos; }))
            found.push_back(entry);
        texts.push_back({entry.name, entry.doc});
    }
    is_sure = !found.empty();
    if (!is_sure) {
        for (const std::size_t i : rank_by_words(texts, query)) {
            if (found.size() < kMostGuessed) found.push_back(all[i]);
        }
    }
    std::ranges::stable_partition(found, [&](const ReferenceEntry& entry) { return entry.name.starts_with(wanted); });
    return found;
}

/// What a call of `lisp_reference` comes to.
struct LookUp {
    std::vector<ReferenceEntry> found{};
    std::vector<std::string> unknown{};   ///< names, as messages show them
    std::vector<std::string> suggested{}; ///< names that may be meant, or have to do with those that were found
    std::string text{};                   ///< of what is no entry
};

/// Names that have this one as a part between hyphens: `sort-by` of `sort`.
std::vector<std::string> names_with(const std::vector<ReferenceEntry>& all, std::string_view part) {
    std::vector<std::string> names;
    for (const ReferenceEntry& entry : all) {
        const std::size_t at = entry.name.find(part);
        if (at == std::string_view::npos || entry.name.size() == part.size() || names.size() == kMostRelated) continue;
        const std::size_t end = at + part.size();
        const bool begins = at == 0 || entry.name[at - 1] == '-' || entry.name[at - 1] == '/';
        if (begins && (end == entry.name.size() || entry.name[end] == '-')) names.emplace_back(entry.name);
    }
    return names;
}

/// Tools that have words of the query, the best first.
std::vector<std::string> tools_by(const LispHost& host, const std::string& query) {
    std::vector<Searchable> texts;
    for (const Tool& tool : host.options.tools)
        texts.push_back({tool.name, tool.description});
    std::vector<std::string> names;
    for (const std::size_t i : rank_by_words(texts, query)) {
        if (names.size() == kMostTools) break;
        names.push_back(host.options.tools[i].name);
    }
    return names;
}

/// The tool that is called by this name in programs (tool/NAME) or by its own.
std::string tool_named(const LispHost& host, std::string_view name) {
    constexpr std::string_view kPrefix = "tool/";
    const std::string_view own = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
    const auto found =
        std::ranges::find(host.options.tools, own, [](const Tool& t) { return std::string_view(t.name); });
    return found == host.options.tools.end() ? std::string() : found->name;
}

void look_up_name(const std::vector<ReferenceEntry>& all, const std::string& name, LookUp& result) {
    const auto entry = std::ranges::find(all, name, [](const ReferenceEntry& one) { return std::string(one.name); });
    std::vector<std::string> near;
    if (entry != all.end()) {
        result.found.push_back(*entry);
        near = names_with(all, name);
        if (!near.empty()) result.text += "See also";
    } else {
        std::vector<std::string_view> names;
        for (const ReferenceEntry& one : all)
            names.push_back(one.name);
        near = suggest(name, names);
        result.unknown.push_back(quoted_excerpt(name));
        result.text += "There is no " + result.unknown.back() + ".";
        result.text += near.empty() ? "\n" : " Did you mean";
    }
    for (std::size_t i = 0; i < near.size(); ++i)
        result.text += (i == 0 ? " " : ", ") + quoted(near[i]) +
                       (i + 1 < near.size()  ? ""
                        : entry != all.end() ? ".\n"
                                             : "?\n");
    std::ranges::move(near, std::back_inserter(result.suggested));
}

} // namespace

Answer look_up(const LispHost& host, Call& call) {
    const Datum& arguments = call.arguments();
    constexpr std::string_view kMembers[] = {"names", "query"};
    if (const Result<void> known =
            check_members(arguments.map() ? arguments : Datum(Datum::Map()), kMembers, "the arguments");
        !known.ok())
        return text_answer(known.error().message, true);
    const std::string* query = arguments["query"].text();
    if (arguments["names"].items().size() > kMostFound || (query && query->size() > kMostQueryBytes))
        return text_answer("`names` are at most " + std::to_string(kMostFound) + ", and `query` has at most " +
                               std::to_string(kMostQueryBytes) + " bytes.",
                           true);
    const std::vector<ReferenceEntry> all = reference_entries(impl_of(host.engine).core);
    LookUp result;
    std::vector<std::string> tools;
    for (const Datum& name : arguments["names"].items()) {
        if (!name.text()) continue;
        const bool is_entry =
            std::ranges::any_of(all, [&](const ReferenceEntry& entry) { return *name.text() == entry.name; });
        if (std::string tool = tool_named(host, *name.text()); !tool.empty() && !is_entry)
            tools.push_back(std::move(tool));
        else
            look_up_name(all, *name.text(), result);
    }
    if (query && !query->empty()) std::ranges::move(tools_by(host, *query), std::back_inserter(tools));
    std::vector<std::string> once;
    for (std::string& tool : tools) {
        if (std::ranges::find(once, tool) == once.end()) once.push_back(std::move(tool));
    }
    tools = std::move(once);
    if (query) {
        bool is_sure = false;
        std::vector<ReferenceEntry> found = found_by(all, *query, is_sure);
        const bool is_name = query->find(' ') == std::string::npos;
        if (!is_sure && is_name && tool_named(host, *query).empty()) look_up_name(all, *query, result);
        std::ranges::move(found, std::back_inserter(result.found));
    }
    const std::size_t more = result.found.size() - std::min(result.found.size(), kMostFound);
    result.found.resize(result.found.size() - more);
    std::string text;
    for (const std::string& tool : tools)
        text += tool_page(host, tool);
    for (const ReferenceEntry& entry : result.found)
        text += result.found.size() > 8 ? std::string(entry.usage) + "  " + std::string(entry.doc) + "\n"
                                        : doc_text(entry) + "\n";
    text += result.text;
    if (text.empty()) text = "Nothing was found.";
    JsonObject json;
    json.raw("tools", json_array(tools, [&host](const std::string& tool) {
                 return JsonObject().text("name", "tool/" + tool).text("text", tool_page(host, tool)).finish();
             }));
    json.raw("entries", json_array(result.found, entry_json)).raw("unknown", json_array(result.unknown, json_string));
    json.raw("suggested", json_array(result.suggested, json_string));
    json.number("more", static_cast<std::int64_t>(more));
    return structured(text, json.finish());
}

} // namespace ptc::mcp
