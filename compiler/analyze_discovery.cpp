// doc, meta, dir, apropos and their kin (spec 9.7). What they tell is known when the program is compiled, so they
// become constants; a reference that is only known when run is refused.
#include "compiler/analysis.h"
#include "runtime/map.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {
namespace {

/// What is known of one name, wherever it comes from.
struct Entry {
    std::string_view name;
    std::string_view usage;
    std::string_view doc;
    std::string_view example;
    std::string_view example_result;
    std::string_view differs;
    std::string_view kind;
    const PreludeMember* member = nullptr;
};

constexpr std::string_view kSpaces[] = {"clojure.core", "clojure.set", "clojure.string", "clojure.walk", "json"};
constexpr std::string_view kClasses[] = {"Boolean",   "Character", "Double", "Duration", "Float",  "Instant", "Integer",
                                         "LocalDate", "Long",      "Math",   "Period",   "String", "System"};

std::string_view text_of_c(const char* text) { return text ? std::string_view(text) : std::string_view(); }

Entry entry_of(const CoreName& name) {
    if (name.core) {
        const CoreFunction& core = *name.core;
        return {core.name, core.usage, core.doc, core.example_source, core.example_result, core.differs, "function"};
    }
    if (name.builtin >= 0) {
        const Builtin& row = builtin_at(static_cast<std::uint32_t>(name.builtin));
        return {row.name,
                row.usage,
                row.doc,
                text_of_c(row.example.source),
                text_of_c(row.example.result),
                text_of_c(row.differs),
                "function"};
    }
    const SpecialForm& form = special_forms()[static_cast<std::size_t>(name.special)];
    return {form.name, form.usage, form.doc, {}, {}, {}, "special form"};
}

Entry entry_of(const PreludeMember& member) {
    return {member.name, member.usage, member.doc, {}, {}, {}, member.is_function ? "function" : "constant", &member};
}

bool is_public(const CoreName& name) {
    return !name.name.empty() && (name.name.back() != '%' || name.name.size() == 1);
}

std::string first_usage(std::string_view usage) {
    const std::size_t end = usage.find(") (");
    return std::string(usage.substr(0, end == std::string_view::npos ? usage.size() : end + 1));
}

std::string doc_text(const Entry& entry) {
    std::string text(entry.name);
    if (!entry.usage.empty()) text.append("\n").append(entry.usage);
    if (!entry.doc.empty()) text.append("\n  ").append(entry.doc);
    if (!entry.example.empty()) text.append("\n  ").append(entry.example).append(" => ").append(entry.example_result);
    if (!entry.differs.empty()) text.append("\n  Differs from Clojure: ").append(entry.differs);
    return text;
}

/// "(join sep coll) The items as one string ..": an entry of a list.
std::string line_of(const Entry& entry) {
    std::string line = first_usage(entry.usage);
    return entry.doc.empty() ? line : line.append(" ").append(entry.doc);
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

Result<Value> doc_map(Heap& heap, const Entry& entry) {
    MapBuilder map(heap);
    const std::pair<const char*, std::string_view> fields[] = {{"name", entry.name},       {"usage", entry.usage},
                                                               {"doc", entry.doc},         {"example", entry.example},
                                                               {"differs", entry.differs}, {"kind", entry.kind}};
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

} // namespace

/// The name, symbol or string that a form of this family is about; empty after a report.
std::string_view Analyzer::reference_text(const Form& list, std::size_t max_parts) {
    if (!check_parts(list, 1, max_parts)) return {};
    const Form* about = &list.items()[1];
    if (about->is(FormKind::Quote)) about = &about->items()[0];
    if ((about->is(FormKind::Symbol) || about->is(FormKind::String)) && about->size > 0) return about->text();
    const bool computed = about->is(FormKind::List);
    Error error =
        bad_form(span_of(*about), *special_of(list),
                 computed ? "the name must stand in the program" : "it takes a name, not " + describe_form(*about));
    if (!computed) error.reason = Reason::RuntimeError;
    report(std::move(error));
    return {};
}

Node* Analyzer::unknown_reference(const Form& list, std::string_view name, const char* what) {
    return failed(Error(Reason::RuntimeError, span_of(list.items()[1]),
                        "There is no " + std::string(what) + " `" + std::string(name) + "`.",
                        "(apropos \"text\") searches all names, (all-ns) lists the namespaces."));
}

/// A documented name of a prelude; null when there is none, or it is private.
const PreludeMember* Analyzer::find_export(std::string_view name) const {
    const PreludeMember* member = environment_.prelude ? environment_.prelude->find(name) : nullptr;
    return member && member->is_public ? member : nullptr;
}

const PreludeNamespace* Analyzer::find_prelude_namespace(std::string_view name) const {
    return environment_.prelude ? environment_.prelude->find_namespace(name) : nullptr;
}

/// What `name` means: preludes, tools, the program's definitions, the language, a member of a namespace.
bool Analyzer::find_entry(std::string_view name, DocEntry& found) {
    found = {};
    if ((found.member = find_export(name))) return true;
    if (environment_.prelude && environment_.prelude->protects(name)) return false;
    if (const PreludeNamespace* space = find_prelude_namespace(name)) {
        found = {name, {}, space->doc, "namespace"};
        return true;
    }
    if (name.starts_with("tool/")) {
        for (const ToolInfo& tool : environment_.tools) {
            if (tool.name != name.substr(5)) continue;
            found = {name, {}, tool.description, "tool"};
            return true;
        }
    }
    if (const GlobalName* global = globals_.find(name, name_hash(name)); global && global->defined) {
        found = {
            name, {}, global->known ? global->known->doc : std::string_view("Defined in this session."), "definition"};
        return true;
    }
    const CoreName* entry = core_.lookup(name, name_hash(name));
    if (!entry || !is_public(*entry)) {
        Form symbol;
        symbol.kind = FormKind::Symbol;
        symbol.chars = name.data();
        symbol.size = static_cast<std::uint32_t>(name.size());
        const Resolved member = resolve(symbol, false);
        const bool known =
            member.kind == Resolved::Builtin || member.kind == Resolved::Core || member.kind == Resolved::Special;
        entry = known ? member.name : nullptr;
    }
    if (!entry) return false;
    found = {};
    found.core = entry;
    return true;
}

namespace {

Entry entry_of(const Analyzer::DocEntry& found) {
    if (found.core) return entry_of(*found.core);
    if (found.member) return entry_of(*found.member);
    return {found.name, found.usage, found.doc, {}, {}, {}, found.kind};
}

} // namespace

Node* Analyzer::doc_form(const Form& list, Place place) {
    const std::string_view name = reference_text(list, 1);
    if (name.empty()) return nil(span_of(list), place);
    DocEntry found;
    if (!find_entry(name, found)) return unknown_reference(list, name, "name");
    const Entry entry = entry_of(found);
    return builtin_call(native("println"), span_of(list), place,
                        {string(keep_text(doc_text(entry)), span_of(list), kValue)});
}

Node* Analyzer::meta_form(const Form& list, Place place) {
    const std::string_view name = reference_text(list, 1);
    if (name.empty()) return nil(span_of(list), place);
    DocEntry found;
    if (!find_entry(name, found)) return unknown_reference(list, name, "name");
    const Entry entry = entry_of(found);
    return literal(doc_map(heap_, entry), span_of(list), place);
}

// Spec 9.7: only what a deployment adds to the language has a source to show; of what is private, that which something
// public uses.
Node* Analyzer::source_form(const Form& list, Place place) {
    const std::string_view name = reference_text(list, 1);
    if (name.empty()) return nil(span_of(list), place);
    const PreludeMember* member = environment_.prelude ? environment_.prelude->find(name) : nullptr;
    const std::string_view text =
        member && member->is_reachable ? std::string_view(member->source) : "no source available";
    return builtin_call(native("println"), span_of(list), place, {string(text, span_of(list), kValue)});
}

/// The names of a namespace or class, sorted. False when there is none of this name.
bool Analyzer::members_of(std::string_view space, std::vector<const CoreName*>& members) {
    const bool is_class = std::find(std::begin(kClasses), std::end(kClasses), space) != std::end(kClasses);
    if (!is_class && std::find(std::begin(kSpaces), std::end(kSpaces), space) == std::end(kSpaces)) return false;
    for (const CoreName& name : core_.names()) {
        if (is_public(name) && in_namespace(space, name)) members.push_back(&name);
    }
    std::sort(members.begin(), members.end(), [](const CoreName* a, const CoreName* b) { return a->name < b->name; });
    return true;
}

Node* Analyzer::dir_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const std::string_view space = reference_text(list, 2);
    if (space.empty()) return nil(span, place);
    std::int64_t limit = 50, offset = 0;
    if (list.size == 3) {
        const Form& options = list.items()[2];
        if (!options.is(FormKind::Map) || !read_option(options, "limit", 1, 200, limit) ||
            !read_option(options, "offset", 0, INT64_MAX, offset)) {
            return failed(Error(Reason::RuntimeError, span_of(options), "`dir` takes {:limit 1..200 :offset 0..}."));
        }
    }
    std::vector<Entry> members;
    if (const PreludeNamespace* prelude = find_prelude_namespace(space)) {
        for (const PreludeMember* member : prelude->exports)
            members.push_back(entry_of(*member));
    } else {
        std::vector<const CoreName*> names;
        if (!members_of(space, names)) return unknown_reference(list, space, "namespace");
        for (const CoreName* name : names)
            members.push_back(entry_of(*name));
    }
    std::vector<std::string> lines;
    for (std::size_t i = static_cast<std::size_t>(offset);
         i < members.size() && lines.size() < static_cast<std::size_t>(limit); ++i)
        lines.push_back(line_of(members[i]));
    return literal(text_vector(heap_, lines), span, place);
}

Node* Analyzer::ns_publics_form(const Form& list, Place place) {
    const std::string_view space = reference_text(list, 1);
    if (space.empty()) return nil(span_of(list), place);
    if (const PreludeNamespace* prelude = find_prelude_namespace(space)) return prelude_publics(*prelude, list, place);
    std::vector<const CoreName*> members;
    const bool is_space = std::find(std::begin(kSpaces), std::end(kSpaces), space) != std::end(kSpaces);
    if (!is_space || !members_of(space, members)) return unknown_reference(list, space, "namespace");
    // Members of Clojure's own namespaces go by their plain names, those of ours as programs write them.
    const bool is_clojure = space.starts_with("clojure.");
    MapBuilder map(heap_);
    for (const CoreName* member : members) {
        const std::size_t slash = member->name.find('/');
        const bool qualified = is_clojure && slash != std::string_view::npos && slash > 0;
        Result<Value> name = make_string(heap_, qualified ? member->name.substr(slash + 1) : member->name);
        Result<Value> facts = doc_map(heap_, entry_of(*member));
        if (!name.ok() || !facts.ok()) return literal(Result<Value>(heap_.out_of_memory()), span_of(list), place);
        map.put(std::move(name).value(), std::move(facts).value());
    }
    return literal(map.finish(), span_of(list), place);
}

Node* Analyzer::prelude_publics(const PreludeNamespace& space, const Form& list, Place place) {
    MapBuilder map(heap_);
    for (const PreludeMember* member : space.exports) {
        Result<Value> name = make_string(heap_, member->plain_name());
        Result<Value> facts = doc_map(heap_, entry_of(*member));
        if (!name.ok() || !facts.ok()) return literal(Result<Value>(heap_.out_of_memory()), span_of(list), place);
        map.put(std::move(name).value(), std::move(facts).value());
    }
    return literal(map.finish(), span_of(list), place);
}

Node* Analyzer::ns_name_form(const Form& list, Place place) {
    const std::string_view space = reference_text(list, 1);
    if (space.empty()) return nil(span_of(list), place);
    if (!find_prelude_namespace(space) && std::find(std::begin(kSpaces), std::end(kSpaces), space) == std::end(kSpaces))
        return unknown_reference(list, space, "namespace");
    return string(space, span_of(list), place);
}

Node* Analyzer::all_ns_form(const Form& list, Place place) {
    if (!check_parts(list, 0, 0)) return nil(span_of(list), place);
    std::vector<std::string> names(std::begin(kSpaces), std::end(kSpaces));
    if (environment_.prelude) {
        for (const PreludeNamespace& space : environment_.prelude->namespaces())
            names.push_back(space.name);
        std::sort(names.begin(), names.end());
    }
    return literal(text_vector(heap_, names), span_of(list), place);
}

/// What preludes export first, then tools, then names of the language, each by how early the text occurs in its name;
/// then what mentions it in its doc.
Node* Analyzer::apropos_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 1, 2)) return nil(span, place);
    const Form& written = list.items()[1];
    const bool quoted = written.is(FormKind::Quote) && written.items()[0].is(FormKind::Symbol);
    const Form& query = quoted ? written.items()[0] : written;
    if ((!quoted && !query.is(FormKind::String)) || query.size == 0) {
        const bool computed = query.is(FormKind::List) || query.is(FormKind::Symbol);
        Error error = bad_form(span_of(query), *special_of(list),
                               computed ? "the text must stand in the program" : "it takes a text to look for");
        if (!computed) error.reason = Reason::RuntimeError;
        return failed(std::move(error));
    }
    std::int64_t limit = 8;
    if (list.size == 3 &&
        (!list.items()[2].is(FormKind::Map) || !read_option(list.items()[2], "limit", 1, 50, limit))) {
        return failed(Error(Reason::RuntimeError, span_of(list.items()[2]), "`apropos` takes {:limit 1..50}."));
    }
    struct Match {
        int rank;
        std::string text;
    };
    std::vector<Match> matches;
    for_each_export([&](const PreludeMember& member) {
        if (contains_ignoring_case(member.name, query.text()) || contains_ignoring_case(member.doc, query.text()))
            matches.push_back({-1, line_of(entry_of(member))});
    });
    for (const ToolInfo& tool : environment_.tools) {
        if (contains_ignoring_case(tool.name, query.text()) || contains_ignoring_case(tool.description, query.text())) {
            matches.push_back({0, "tool/" + tool.name + " " + tool.description});
        }
    }
    for (const CoreName& name : core_.names()) {
        if (!is_public(name)) continue;
        const Entry entry = entry_of(name);
        const int rank = name.name == query.text() ? 1 : contains_ignoring_case(name.name, query.text()) ? 2 : 3;
        if (rank == 3 && !contains_ignoring_case(entry.doc, query.text())) continue;
        matches.push_back({rank, line_of(entry)});
    }
    std::sort(matches.begin(), matches.end(),
              [](const Match& a, const Match& b) { return a.rank != b.rank ? a.rank < b.rank : a.text < b.text; });
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < matches.size() && i < static_cast<std::size_t>(limit); ++i)
        lines.push_back(std::move(matches[i].text));
    return literal(text_vector(heap_, lines), span, place);
}

} // namespace ptc
