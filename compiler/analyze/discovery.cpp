// doc, meta, dir, apropos and their kin (spec 9.7). What they answer is known when the program is compiled, so they
// become constants; a reference that is only known when run is refused.
//
// A name is looked up where programs would find it: preludes, tools, the program's definitions, the language, a member
// of a namespace; what is known of it becomes a ReferenceEntry, as for the printed reference (reference.h).
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/handlers.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/prelude.h"
#include "compiler/language/reference.h"
#include "frontend/try.h"
#include "frontend/word_search.h"
#include "runtime/map.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kSpaces[] = {"clojure.core", "clojure.set", "clojure.string", "clojure.walk", "json"};
constexpr std::string_view kClasses[] = {"Boolean",   "Character",    "ChronoUnit", "DateTimeFormatter",
                                         "DayOfWeek", "Double",       "Duration",   "Float",
                                         "Instant",   "Integer",      "LocalDate",  "LocalDateTime",
                                         "LocalTime", "Long",         "Math",       "Month",
                                         "Period",    "String",       "System",     "Year",
                                         "YearMonth", "ZonedDateTime"};

std::string_view kind_of(const ReferenceEntry& entry) {
    if (entry.form) return "special form";
    if (entry.member) return entry.member->is_function ? "function" : "constant";
    if (entry.builtin || entry.function) return "function";
    return entry.name.starts_with("tool/") ? "tool" : "definition";
}

/// "(get m k) The value .."
std::string one_line(const ReferenceEntry& entry) {
    const std::string usage(entry.usage.empty()               ? entry.name
                            : entry.name.starts_with("tool/") ? entry.usage // one, with spaces of its own
                                                              : usages(entry.usage).front());
    return entry.doc.empty() ? usage : usage + " " + std::string(entry.doc);
}

ReferenceEntry reference_entry(const PreludeMember& member) {
    ReferenceEntry entry;
    entry.name = member.name;
    entry.usage = member.usage;
    entry.doc = member.doc;
    entry.member = &member;
    return entry;
}

Result<Value> text_vector(Heap& heap, std::span<const std::string> texts) {
    if (texts.empty()) return empty_vector();
    VectorBuilder vector(heap);
    for (const std::string& text : texts)
        vector.push(PTC_TRY(make_string(heap, text)));
    return vector.finish();
}

Result<void> add_member_facts(Heap& heap, const PreludeMember& member, MapBuilder& map) {
    const auto put = [&](const char* key, Value value) -> Result<void> {
        map.put(PTC_TRY(make_keyword(heap, key)), std::move(value));
        return {};
    };
    PTC_CHECK(put("ns", PTC_TRY(make_string(heap, member.space))));
    PTC_CHECK(put("visibility", PTC_TRY(make_keyword(heap, member.in_prompt ? "prompt" : "discoverable"))));
    PTC_CHECK(put("effect", PTC_TRY(make_keyword(heap, effect_name(member.effect)))));
    PTC_CHECK(put("requires", PTC_TRY(text_vector(heap, member.needs))));
    if (!member.provider.empty()) PTC_CHECK(put("provider-ref", PTC_TRY(make_string(heap, member.provider))));
    if (!member.is_function) return {};
    PTC_CHECK(put("params", PTC_TRY(text_vector(heap, member.parameters))));
    return put("arity", Value::small_integer(static_cast<std::int64_t>(member.fixed_arguments)));
}

Result<Value> doc_map(Heap& heap, const ReferenceEntry& entry) {
    MapBuilder map(heap);
    const std::pair<const char*, std::string_view> fields[] = {{"name", entry.name},       {"usage", entry.usage},
                                                               {"doc", entry.doc},         {"example", entry.example},
                                                               {"differs", entry.differs}, {"kind", kind_of(entry)}};
    for (const auto& [key, text] : fields) {
        if (!text.empty()) map.put(PTC_TRY(make_keyword(heap, key)), PTC_TRY(make_string(heap, text)));
    }
    if (entry.member) PTC_CHECK(add_member_facts(heap, *entry.member, map));
    return map.finish();
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
    const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

/// An option of a literal map; false when it is out of its range.
bool read_option(const Form& options, std::string_view name, std::int64_t min, std::int64_t max, std::int64_t& value) {
    for (std::size_t i = 0; i + 1 < options.size; i += 2) {
        if (!options.items()[i].is(FormKind::Keyword) || options.items()[i].text() != name) continue;
        const Form& given = options.items()[i + 1];
        if (!given.is(FormKind::Integer) || given.integer < min || given.integer > max) return false;
        value = given.integer;
    }
    return true;
}

/// A documented name of a prelude; null when there is none, or it is private.
const PreludeMember* find_export(const Environment& environment, std::string_view name) {
    const PreludeMember* member = environment.prelude ? environment.prelude->find(name) : nullptr;
    return member && member->is_public ? member : nullptr;
}

const PreludeNamespace* find_prelude_namespace(const Environment& environment, std::string_view name) {
    return environment.prelude ? environment.prelude->find_namespace(name) : nullptr;
}

/// The name, symbol or string that a form of this family is about; empty after a report.
std::string_view reference_text(Analyzer& a, const Form& list, std::size_t max_parts) {
    if (!a.check_parts(list, 1, max_parts)) return {};
    const Form* about = &list.items()[1];
    if (about->is(FormKind::Quote)) about = &about->items()[0];
    if ((about->is(FormKind::Symbol) || about->is(FormKind::String)) && about->size > 0) return about->text();
    const bool computed = about->is(FormKind::List);
    Error error =
        bad_form(a.span_of(*about), *a.special_of(list),
                 computed ? "the name must stand in the program" : "it takes a name, not " + describe_form(*about));
    if (!computed) error.reason = Reason::RuntimeError;
    a.report(std::move(error));
    return {};
}

Node* unknown_reference(Analyzer& a, const Form& list, std::string_view name, const char* what) {
    return a.failed(Error(Reason::RuntimeError, a.span_of(list.items()[1]),
                          "There is no " + std::string(what) + " `" + std::string(name) + "`.",
                          "(apropos \"text\") searches all names, (all-ns) lists the namespaces."));
}

/// "(f x) (f x & more)", as the definition has it; "" for what is no function, or has no names for its parameters.
std::string_view usage_of(Analyzer& a, const GlobalName& global) {
    std::string usage;
    for (const FnClause& clause : global.clauses) {
        if (!clause.params) return {};
        const Span params = a.span_of(*clause.params);
        const std::string_view names = a.source->text(params).substr(1, params.size() - 2);
        usage += (usage.empty() ? "(" : " (") + std::string(global.name) + (names.empty() ? "" : " ");
        usage += std::string(names) + ")";
    }
    return a.nodes.keep_text(usage);
}

/// What it says by now; where a run is to be repeated what it said.
std::string description_of(const Analyzer& a, const ToolInfo& tool) {
    return tool.description_now && !a.environment.is_repeatable ? tool.description_now() : tool.description;
}

/// A tool as programs call it: "tool/fs.read(path :string) -> {content :string}", where its signature is known.
ReferenceEntry tool_entry(Analyzer& a, const ToolInfo& tool) {
    ReferenceEntry entry;
    entry.name = a.nodes.keep_text("tool/" + tool.name);
    if (tool.signature) entry.usage = a.nodes.keep_text(prompt_text(entry.name, *tool.signature));
    entry.doc = tool.description_now ? a.nodes.keep_text(description_of(a, tool)) : std::string_view(tool.description);
    return entry;
}

/// All lines stand in by as much as the first, where `doc` prints them.
std::string described_in_full(const ToolInfo& tool, std::string text) {
    if (!text.empty()) text += "\n";
    const std::size_t begin = text.size();
    text += tool.details;
    for (std::size_t at = text.find('\n', begin == 0 ? 0 : begin - 1); at != std::string::npos;
         at = text.find('\n', at + 1))
        text.insert(at + 1, "  ");
    return text;
}

/// The tools of (dir tool) or (dir tool/fs), whose names begin with `fs.`, sorted. False when `space` is neither.
bool tools_of(Analyzer& a, std::string_view space, std::vector<ReferenceEntry>& members) {
    if (space != "tool" && !space.starts_with("tool/")) return false;
    const std::string begin = space == "tool" ? "" : std::string(space.substr(5)) + ".";
    for (const ToolInfo& tool : a.environment.tools) {
        if (tool.name.starts_with(begin)) members.push_back(tool_entry(a, tool));
    }
    std::ranges::sort(members, {}, &ReferenceEntry::name);
    return space == "tool" || !members.empty();
}

/// What `name` means: preludes, tools, the program's definitions, the language, a member of a namespace.
bool find_entry(Analyzer& a, std::string_view name, ReferenceEntry& found) {
    found = {};
    if (const PreludeMember* member = find_export(a.environment, name)) {
        found = reference_entry(*member);
        return true;
    }
    if (a.environment.prelude && a.environment.prelude->protects(name)) return false;
    found.name = name;
    if (name.starts_with("tool/")) {
        for (const ToolInfo& tool : a.environment.tools) {
            if (tool.name != name.substr(5)) continue;
            found = tool_entry(a, tool);
            if (!tool.details.empty()) found.doc = a.nodes.keep_text(described_in_full(tool, std::string(found.doc)));
            return true;
        }
    }
    if (const GlobalName* global = a.names.globals().find(name, name_hash(name)); global && global->defined) {
        found.usage = usage_of(a, *global);
        found.doc = global->doc;
        if (found.usage.empty() && found.doc.empty()) found.doc = "Defined in this session.";
        return true;
    }
    const CoreName* entry = a.core.lookup(name, name_hash(name));
    if (!entry || !is_public(*entry)) {
        Form symbol;
        symbol.kind = FormKind::Symbol;
        symbol.chars = name.data();
        symbol.size = static_cast<std::uint32_t>(name.size());
        const Resolved member = a.names.resolve(symbol, false);
        const bool known =
            member.kind == Resolved::Builtin || member.kind == Resolved::Core || member.kind == Resolved::Special;
        entry = known ? member.name : nullptr;
    }
    if (entry) {
        found = reference_entry(*entry);
        return true;
    }
    const PreludeNamespace* space = find_prelude_namespace(a.environment, name);
    if (space) found.doc = space->doc;
    return space != nullptr;
}

/// The names of a namespace or class, sorted. False when there is none of this name.
bool members_of(Analyzer& a, std::string_view space, std::vector<const CoreName*>& members) {
    const bool is_class = std::find(std::begin(kClasses), std::end(kClasses), space) != std::end(kClasses);
    if (!is_class && std::find(std::begin(kSpaces), std::end(kSpaces), space) == std::end(kSpaces)) return false;
    for (const CoreName& name : a.core.names()) {
        if (is_public(name) && in_namespace(space, name)) members.push_back(&name);
    }
    std::sort(members.begin(), members.end(), [](const CoreName* x, const CoreName* y) { return x->name < y->name; });
    return true;
}

Node* prelude_publics(Analyzer& a, const PreludeNamespace& space, const Form& list, Tail tail) {
    MapBuilder map(a.heap);
    for (const PreludeMember* member : space.exports) {
        Result<Value> name = make_string(a.heap, member->plain_name());
        Result<Value> facts = doc_map(a.heap, reference_entry(*member));
        if (!name.ok() || !facts.ok())
            return a.nodes.literal(Result<Value>(a.heap.out_of_memory()), a.span_of(list), tail);
        map.put(std::move(name).value(), std::move(facts).value());
    }
    return a.nodes.literal(map.finish(), a.span_of(list), tail);
}

} // namespace

Node* doc_form(Analyzer& a, const Form& list, Tail tail) {
    const std::string_view name = reference_text(a, list, 1);
    if (name.empty()) return a.nodes.nil(a.span_of(list), tail);
    ReferenceEntry entry;
    if (!find_entry(a, name, entry)) return unknown_reference(a, list, name, "name");
    return a.nodes.native_call("println", a.span_of(list), tail,
                               {a.nodes.string(a.nodes.keep_text(doc_text(entry)), a.span_of(list), kValue)});
}

namespace {

/// (meta (f x)), (meta [1 2]), (meta x): of a value, which has none, not of a name.
bool is_of_value(Analyzer& a, const Form& list) {
    if (list.size != 2) return false;
    const Form& about = list.items()[1];
    if (about.is(FormKind::Symbol)) return find_binding(a.at.site.scope, about.text(), name_hash(about.text()));
    return about.is(FormKind::List) || about.is(FormKind::Vector) || about.is(FormKind::Map) || about.is(FormKind::Set);
}

} // namespace

Node* meta_form(Analyzer& a, const Form& list, Tail tail) {
    if (is_of_value(a, list)) {
        const Span span = a.span_of(list);
        Node* value = a.analyze(list.items()[1], kValue);
        return a.nodes.make(NodeKind::Do, span, tail, {value, a.nodes.nil(span, tail)});
    }
    const std::string_view name = reference_text(a, list, 1);
    if (name.empty()) return a.nodes.nil(a.span_of(list), tail);
    ReferenceEntry entry;
    if (!find_entry(a, name, entry)) return unknown_reference(a, list, name, "name");
    return a.nodes.literal(doc_map(a.heap, entry), a.span_of(list), tail);
}

// Spec 9.7: only what a deployment adds to the language has a source to show; of what is private, that which something
// public uses.
Node* source_form(Analyzer& a, const Form& list, Tail tail) {
    const std::string_view name = reference_text(a, list, 1);
    if (name.empty()) return a.nodes.nil(a.span_of(list), tail);
    const PreludeMember* member = a.environment.prelude ? a.environment.prelude->find(name) : nullptr;
    const std::string_view text =
        member && member->is_reachable ? std::string_view(member->source) : "no source available";
    return a.nodes.native_call("println", a.span_of(list), tail, {a.nodes.string(text, a.span_of(list), kValue)});
}

Node* dir_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const std::string_view space = reference_text(a, list, 2);
    if (space.empty()) return a.nodes.nil(span, tail);
    std::int64_t limit = 50, offset = 0;
    if (list.size == 3) {
        const Form& options = list.items()[2];
        if (!options.is(FormKind::Map) || !read_option(options, "limit", 1, 200, limit) ||
            !read_option(options, "offset", 0, INT64_MAX, offset)) {
            return a.failed(
                Error(Reason::RuntimeError, a.span_of(options), "`dir` takes {:limit 1..200 :offset 0..}."));
        }
    }
    std::vector<ReferenceEntry> members;
    bool are_tools = false;
    if (const PreludeNamespace* prelude = find_prelude_namespace(a.environment, space)) {
        for (const PreludeMember* member : prelude->exports)
            members.push_back(reference_entry(*member));
    } else if (!(are_tools = tools_of(a, space, members))) {
        std::vector<const CoreName*> names;
        if (!members_of(a, space, names)) return unknown_reference(a, list, space, "namespace");
        for (const CoreName* name : names)
            members.push_back(reference_entry(*name));
    }
    std::vector<std::string> lines;
    for (std::size_t i = static_cast<std::size_t>(offset);
         i < members.size() && lines.size() < static_cast<std::size_t>(limit); ++i) {
        lines.push_back(one_line(members[i]));
    }
    const std::size_t shown = static_cast<std::size_t>(offset) + lines.size();
    if (are_tools && shown < members.size()) { // there may be thousands
        lines.push_back("… " + std::to_string(members.size() - shown) + " more: (dir " + std::string(space) +
                        " {:offset " + std::to_string(shown) + "}), or (apropos \"words\")");
    }
    return a.nodes.literal(text_vector(a.heap, lines), span, tail);
}

Node* ns_publics_form(Analyzer& a, const Form& list, Tail tail) {
    const std::string_view space = reference_text(a, list, 1);
    if (space.empty()) return a.nodes.nil(a.span_of(list), tail);
    if (const PreludeNamespace* prelude = find_prelude_namespace(a.environment, space))
        return prelude_publics(a, *prelude, list, tail);
    std::vector<const CoreName*> members;
    const bool is_space = std::find(std::begin(kSpaces), std::end(kSpaces), space) != std::end(kSpaces);
    if (!is_space || !members_of(a, space, members)) return unknown_reference(a, list, space, "namespace");
    // Members of Clojure's own namespaces go by their plain names, those of ours as programs write them.
    const bool is_clojure = space.starts_with("clojure.");
    MapBuilder map(a.heap);
    for (const CoreName* member : members) {
        const std::size_t slash = member->name.find('/');
        const bool qualified = is_clojure && slash != std::string_view::npos && slash > 0;
        Result<Value> name = make_string(a.heap, qualified ? member->name.substr(slash + 1) : member->name);
        Result<Value> facts = doc_map(a.heap, reference_entry(*member));
        if (!name.ok() || !facts.ok())
            return a.nodes.literal(Result<Value>(a.heap.out_of_memory()), a.span_of(list), tail);
        map.put(std::move(name).value(), std::move(facts).value());
    }
    return a.nodes.literal(map.finish(), a.span_of(list), tail);
}

Node* ns_name_form(Analyzer& a, const Form& list, Tail tail) {
    const std::string_view space = reference_text(a, list, 1);
    if (space.empty()) return a.nodes.nil(a.span_of(list), tail);
    if (!find_prelude_namespace(a.environment, space) &&
        std::find(std::begin(kSpaces), std::end(kSpaces), space) == std::end(kSpaces))
        return unknown_reference(a, list, space, "namespace");
    return a.nodes.string(space, a.span_of(list), tail);
}

Node* all_ns_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 0, 0)) return a.nodes.nil(a.span_of(list), tail);
    std::vector<std::string> names(std::begin(kSpaces), std::end(kSpaces));
    if (a.environment.prelude) {
        for (const PreludeNamespace& space : a.environment.prelude->namespaces())
            names.push_back(space.name);
        std::sort(names.begin(), names.end());
    }
    return a.nodes.literal(text_vector(a.heap, names), a.span_of(list), tail);
}

namespace {

/// Tools by the words of a question, the best first: for whoever does not know what they are called.
std::vector<std::string> tools_by_words(Analyzer& a, std::string_view query, std::size_t limit) {
    const std::span<const ToolInfo> tools = a.environment.tools;
    std::vector<std::string> details;
    for (const ToolInfo& tool : tools)
        details.push_back((tool.signature ? signature_text(*tool.signature) + "\n" : "") + tool.details);
    std::vector<Searchable> items;
    for (std::size_t i = 0; i < tools.size(); ++i)
        items.push_back({tools[i].name, tools[i].description, details[i]});
    std::vector<std::string> lines;
    for (const std::size_t i : rank_by_words(items, query)) {
        if (lines.size() == limit) break;
        lines.push_back(one_line(tool_entry(a, tools[i])));
    }
    return lines;
}

} // namespace

/// What preludes export first, then tools, then names of the language, each by how early the text occurs in its name;
/// then what mentions it in its doc. A text that occurs nowhere finds tools by its words.
Node* apropos_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, 2)) return a.nodes.nil(span, tail);
    const Form& written = list.items()[1];
    const bool quoted = written.is(FormKind::Quote) && written.items()[0].is(FormKind::Symbol);
    const Form& query = quoted ? written.items()[0] : written;
    if ((!quoted && !query.is(FormKind::String)) || query.size == 0) {
        const bool computed = query.is(FormKind::List) || query.is(FormKind::Symbol);
        Error error = bad_form(a.span_of(query), *a.special_of(list),
                               computed ? "the text must stand in the program" : "it takes a text to look for");
        if (!computed) error.reason = Reason::RuntimeError;
        return a.failed(std::move(error));
    }
    std::int64_t limit = 8;
    if (list.size == 3 &&
        (!list.items()[2].is(FormKind::Map) || !read_option(list.items()[2], "limit", 1, 50, limit))) {
        return a.failed(Error(Reason::RuntimeError, a.span_of(list.items()[2]), "`apropos` takes {:limit 1..50}."));
    }
    struct Match {
        int rank;
        std::string text;
    };
    std::vector<Match> matches;
    for (const PreludeMember* member : a.names.exports()) {
        if (contains_ignoring_case(member->name, query.text()) || contains_ignoring_case(member->doc, query.text()))
            matches.push_back({-1, one_line(reference_entry(*member))});
    }
    for (const ToolInfo& tool : a.environment.tools) {
        if (contains_ignoring_case(tool.name, query.text()) || contains_ignoring_case(tool.description, query.text())) {
            matches.push_back({0, one_line(tool_entry(a, tool))});
        }
    }
    for (const CoreName& name : a.core.names()) {
        if (!is_public(name)) continue;
        const ReferenceEntry entry = reference_entry(name);
        const int rank = name.name == query.text() ? 1 : contains_ignoring_case(name.name, query.text()) ? 2 : 3;
        if (rank == 3 && !contains_ignoring_case(entry.doc, query.text())) continue;
        matches.push_back({rank, one_line(entry)});
    }
    std::sort(matches.begin(), matches.end(),
              [](const Match& x, const Match& y) { return x.rank != y.rank ? x.rank < y.rank : x.text < y.text; });
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < matches.size() && i < static_cast<std::size_t>(limit); ++i)
        lines.push_back(std::move(matches[i].text));
    if (lines.empty()) lines = tools_by_words(a, query.text(), static_cast<std::size_t>(limit));
    return a.nodes.literal(text_vector(a.heap, lines), span, tail);
}

} // namespace ptc
