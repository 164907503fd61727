// The rows of what `ptcc mcp` offers. What a model reads (descriptions, the card, the prompt) is short: names of data
// with their types, tools with their signatures, up to a number; the rest is a call of `lisp_reference` or a resource
// away. Data is described and never poured out.
#include "tools/mcp/lisp_offer.h"
#include "compiler/check/type_facts.h"
#include "frontend/json_writer.h"
#include "frontend/percent.h"
#include "frontend/quoted.h"
#include "frontend/render.h"
#include "frontend/suggest.h"
#include "frontend/try.h"
#include "frontend/word_search.h"
#include "frontend/work.h"
#include "ptc/version.h"
#include "subagent/agent/data_excerpt.h"
#include "subagent/agent/language_card.h"
#include "subagent/agent/preview.h"
#include "subagent/agent/prompt.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/known_data.h"
#include "subagent/engine/tool_calls.h"
#include "subagent/mcp/digest.h"
#include "tools/explanation.h"
#include "tools/members.h"
#include "tools/program_source.h"
#include "tools/reference_page.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

constexpr std::size_t kShownNames = 40; ///< of tools and of data, in a description
constexpr std::size_t kMostFound = 50;  ///< entries that lisp_reference gives
constexpr std::size_t kMostQueryBytes = 1000;
constexpr std::size_t kMostGuessed = 8; ///< of those that have only some words of a query
constexpr std::size_t kMostRelated = 8; ///< names beside one that was looked up

constexpr std::string_view kCardUri = "ptc://language/card";
constexpr std::string_view kReferenceUri = "ptc://language/reference";
constexpr std::string_view kNameUri = "ptc://language/reference/";
constexpr std::string_view kDataUri = "ptc://data/";
constexpr std::string_view kToolsUri = "ptc://tools";

// ---- Schemas

constexpr std::string_view kSpanMembers =
    R"("offset":{"type":"integer"},"length":{"type":"integer"},"line":{"type":["integer","null"]},"column":{"type":["integer","null"]})";

std::string problem_schema() {
    return R"({"type":"object","properties":{"reason":{"type":"string"},"message":{"type":"string"},"hint":{"type":["string","null"]},)"
           R"("edits":{"type":"array","items":{"type":"object","properties":{"offset":{"type":"integer"},"length":{"type":"integer"},"text":{"type":"string"}}}},)" +
           std::string(kSpanMembers) + R"(},"required":["reason","message"]})";
}

std::string eval_input() {
    return R"({"type":"object","properties":{)"
           R"("source":{"type":"string","description":"The program. Its last expression, or (return v), is the result."},)"
           R"("context":{"type":"object","description":"Data of this call: data/NAME reads its member NAME."},)"
           R"("signature":{"type":"string","description":"What the result must be, e.g. \"() -> {total :float}\"."},)"
           R"("limits":{"type":"object","description":"Lower limits than the server's.","properties":{"fuel":{"type":"integer"},)"
           R"("heap_bytes":{"type":"integer"},"timeout_ms":{"type":"integer"},"max_tool_calls":{"type":"integer"}}},)"
           R"("session":{"type":"string","description":"\"new\" keeps what is defined, and *1 *2 *3; later calls pass the session of the answer."}},)"
           R"("required":["source"],"additionalProperties":false})";
}

std::string eval_output() {
    return R"({"type":"object","properties":{"outcome":{"type":"string","enum":["ok","return","fail","error"]},)"
           R"("value":{"type":["string","null"],"description":"As PTC-Lisp prints it."},"json":{"description":"The value as JSON."},)"
           R"("error":)" +
           problem_schema() +
           R"(,"prints":{"type":"array","items":{"type":"string"}},)"
           R"("tool_calls":{"type":"array","items":{"type":"object"}},"warnings":{"type":"array"},)"
           R"("usage":{"type":"object","properties":{"fuel":{"type":"integer"},"peak_heap_bytes":{"type":"integer"},"duration_us":{"type":"integer"}}},)"
           R"("session":{"type":"string"},"note":{"type":"string","description":"What of it was left out, as it is too long."}},"required":["outcome","value","prints","usage"]})";
}

constexpr std::string_view kSourceInput =
    R"({"type":"object","properties":{"source":{"type":"string","description":"The program."}},"required":["source"],"additionalProperties":false})";

std::string check_output() {
    std::string item = problem_schema();
    item.insert(item.find("\"reason\""),
                R"("severity":{"type":"string","enum":["error","warning"]},"file":{"type":"string"},)");
    return R"({"type":"object","properties":{"ok":{"type":"boolean"},"diagnostics":{"type":"array","items":)" + item +
           R"(}},"required":["ok","diagnostics"]})";
}

constexpr std::string_view kExplainOutput =
    R"({"type":"object","properties":{"tools":{"type":"array"},"data":{"type":"array"},"memory":{"type":"array"},"history":{"type":"array"},)"
    R"("defines":{"type":"array"},"prints":{"type":"array"},"clock":{"type":"array"},"mission":{"type":"array"},"functions":{"type":"array"},)"
    R"("deterministic":{"type":"boolean"},"fuel":{"type":"object","properties":{"bound":{"type":["integer","null"]},"why":{"type":"string"}}},)"
    R"("diagnostics":{"type":"array"}}})";

constexpr std::string_view kReferenceInput =
    R"({"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Names to describe in full."},)"
    R"("query":{"type":"string","maxLength":1000,"description":"Words to look for in names and descriptions."}},"additionalProperties":false})";

constexpr std::string_view kReferenceOutput =
    R"({"type":"object","properties":{"entries":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},)"
    R"("usage":{"type":"string"},"doc":{"type":"string"},"example":{"type":"string"},"result":{"type":"string"},"cost":{"type":"string"},)"
    R"("differs":{"type":"string"}},"required":["name","usage","doc"]}},"unknown":{"type":"array","items":{"type":"string"}},)"
    R"("suggested":{"type":"array","items":{"type":"string"},"description":"Names that may be meant instead of unknown ones, or that have to do with those that were found."},)"
    R"("more":{"type":"integer","description":"Entries that were found and are not listed."}},"required":["entries"]})";

struct ToolText {
    const char* name;
    const char* title;
    std::string description;
    std::string input;
    std::string output;
    bool is_read_only; ///< it can do nothing but compute
};

OfferedTool offered(const ToolText& text, Handler call) {
    JsonObject annotations;
    annotations.boolean("readOnlyHint", text.is_read_only).boolean("openWorldHint", !text.is_read_only);
    JsonObject json;
    json.text("name", text.name).text("title", text.title).text("description", text.description);
    json.raw("inputSchema", text.input).raw("outputSchema", text.output).raw("annotations", annotations.finish());
    return {text.name, json.finish(), std::move(call)};
}

// ---- What programs have

struct DataText {
    std::string name;
    std::string type;
    std::string preview;
};

std::vector<DataText> described(const std::vector<std::shared_ptr<const DataSet>>& data) {
    std::vector<DataText> all;
    const PromptLimit limit;
    for (const auto& set : data) {
        const auto excerpts = excerpts_of(*set, limit);
        for (const auto& [name, excerpt] : *excerpts)
            all.push_back({name, shown_type_text(excerpt.value, &excerpt.sizes),
                           preview(excerpt.value, preview_limits(limit), &excerpt.sizes).text});
    }
    return all;
}

std::vector<std::string> tool_texts(const LispHost& host, std::size_t most) {
    std::vector<std::string> texts;
    for (const Tool& tool : host.options.tools) {
        if (texts.size() == most) break;
        const Result<SignaturePtr> signature = compile_signature(tool.signature);
        texts.push_back(tool_text(tool.name,
                                  signature.ok() && !tool.signature.empty() ? &signature.value()->signature : nullptr,
                                  tool.description));
        if (tool.approval) texts.back() += "  (needs the user's approval)";
    }
    return texts;
}

std::string all_tools_text(const LispHost& host) {
    std::string text;
    for (const std::string& one : tool_texts(host, SIZE_MAX))
        text += one + (one.ends_with('\n') ? "" : "\n");
    return text;
}

/// Of constant size, however many there are.
std::string tools_text(const LispHost& host) {
    const std::string rest = "the resource " + std::string(kToolsUri) + " has all tools in full. In programs, " +
                             std::string(kToolsInPrograms);
    std::string text;
    for (const std::string& one : bounded_tool_texts(tool_texts(host, kShownNames), rest))
        text += one + (one.ends_with('\n') ? "" : "\n");
    const std::size_t all = host.options.tools.size();
    if (all > kShownNames)
        text += "… and " + std::to_string(all - kShownNames) + " more: " + std::string(kToolsUri) + "\n";
    return text;
}

std::string data_text(const std::vector<DataText>& data, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, data.size()); ++i)
        text += "data/" + data[i].name + " " + data[i].type + "\n";
    if (data.size() > most) text += "… and " + std::to_string(data.size() - most) + " more\n";
    return text;
}

std::string eval_description(const LispHost& host, const std::vector<DataText>& data) {
    std::string text =
        "Runs a program in PTC-Lisp, a safe dialect of Clojure, in a sandbox with limits, and gives its value. Use it "
        "to "
        "compute, to look at data without reading it, and to call tools in loops. `lisp_reference` describes names.";
    if (!data.empty()) text += "\n\nData that programs read:\n" + data_text(data, kShownNames);
    if (!host.options.tools.empty())
        text += "\n\nTools that programs call as (tool/name {:argument value}):\n" + tools_text(host);
    return text;
}

// ---- Tools

Result<std::string> source_of(const Call& call) {
    constexpr std::string_view kMembers[] = {"source"};
    PTC_CHECK(check_members(call.arguments(), kMembers, "the arguments"));
    if (!call.arguments()["source"].text()) return Error(Reason::InvalidRequest, "`source` is the program, a text.");
    return *call.arguments()["source"].text();
}

/// For work on a program, until the call is stopped.
std::function<bool()> time_of(const Call& call) {
    return [time = unhurried_time(), stop = call.stop()] { return !stop.stop_requested() && time(); };
}

Answer structured(const std::string& text, const std::string& json, bool is_error = false) {
    JsonObject out;
    out.raw("content", "[" + JsonObject().text("type", "text").text("text", text).finish() + "]");
    out.raw("structuredContent", json);
    if (is_error) out.boolean("isError", true);
    return {.json = out.finish()};
}

/// The names that programs of `--data` read, and what is known of the values.
struct Facts {
    explicit Facts(const std::vector<std::shared_ptr<const DataSet>>& sets) {
        Heap heap;
        for (const auto& set : sets) {
            (void)facts.add(heap, Value::adopt(impl_of(*set).root));
            for (std::string& name : set->names())
                names.push_back(std::move(name));
        }
    }
    DataFacts facts;
    std::vector<std::string> names;
};

std::string diagnostics_json(const Source& source, const Diagnostics& diagnostics) {
    return json_array(diagnostics.all(), [&](const Diagnostic& one) { return render_json(source, one); });
}

Answer check_program(const LispHost& host, const Facts& facts, Call& call) {
    const Result<std::string> source = source_of(call);
    if (!source.ok()) return text_answer(source.error().message, true);
    const work::Scope scope(time_of(call));
    LoadOptions options{.strict_arguments = true, .data = facts.facts.all()};
    if (!facts.names.empty()) options.data_names = [&facts] { return facts.names; };
    const Compiled compiled = load_text(host.engine, "program", source.value(), options);
    const Source& text = compiled ? compiled.program->source : compiled.source;
    const std::string report = render_text(text, compiled.diagnostics);
    return structured(report.empty() ? "Nothing is wrong with it." : report,
                      JsonObject()
                          .boolean("ok", static_cast<bool>(compiled))
                          .raw("diagnostics", diagnostics_json(text, compiled.diagnostics))
                          .finish());
}

Answer explain_program(const LispHost& host, Call& call) {
    const Result<std::string> source = source_of(call);
    if (!source.ok()) return text_answer(source.error().message, true);
    const work::Scope scope(time_of(call));
    const Compiled compiled = load_text(host.engine, "program", source.value());
    if (!compiled)
        return structured(
            render_text(compiled.source, compiled.diagnostics),
            JsonObject().raw("diagnostics", diagnostics_json(compiled.source, compiled.diagnostics)).finish(), true);
    const Explanation explanation = explain(*compiled.program, host.options.data);
    return structured(explanation_text(explanation), explanation_json(explanation));
}

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
    for (const Datum& name : arguments["names"].items()) {
        if (name.text()) look_up_name(all, *name.text(), result);
    }
    if (query) {
        bool is_sure = false;
        std::vector<ReferenceEntry> found = found_by(all, *query, is_sure);
        const bool is_name = query->find(' ') == std::string::npos;
        if (!is_sure && is_name) look_up_name(all, *query, result);
        std::ranges::move(found, std::back_inserter(result.found));
    }
    const std::size_t more = result.found.size() - std::min(result.found.size(), kMostFound);
    result.found.resize(result.found.size() - more);
    std::string text;
    for (const ReferenceEntry& entry : result.found)
        text += result.found.size() > 8 ? std::string(entry.usage) + "  " + std::string(entry.doc) + "\n"
                                        : doc_text(entry) + "\n";
    text += result.text;
    if (text.empty()) text = "Nothing was found.";
    JsonObject json;
    json.raw("entries", json_array(result.found, entry_json)).raw("unknown", json_array(result.unknown, json_string));
    json.raw("suggested", json_array(result.suggested, json_string));
    json.number("more", static_cast<std::int64_t>(more));
    return structured(text, json.finish());
}

// ---- Resources and prompts

Answer contents(const std::string& uri, const char* type, const std::string& text) {
    return {.json = "{\"contents\":[" +
                    JsonObject().text("uri", uri).text("mimeType", type).text("text", text).finish() + "]}"};
}

OfferedResource resource(std::string_view uri, const char* name, const char* description, const char* type,
                         std::string text) {
    JsonObject json;
    json.text("uri", uri).text("name", name).text("description", description).text("mimeType", type);
    return {std::string(uri), json.finish(),
            [uri = std::string(uri), type, text = std::move(text)](Call&) { return contents(uri, type, text); }};
}

OfferedTemplate name_template(const LispHost& host) {
    JsonObject json;
    json.text("uriTemplate", std::string(kNameUri) + "{name}").text("name", "name").text("mimeType", "text/plain");
    json.text("description", "What a name of the language means.");
    return {json.finish(), [&host](Call&, const std::string& uri) -> std::optional<Answer> {
                if (!uri.starts_with(kNameUri)) return std::nullopt;
                const std::string name = percent_decoded(std::string_view(uri).substr(kNameUri.size()));
                for (const ReferenceEntry& entry : reference_entries(impl_of(host.engine).core)) {
                    if (entry.name == name) return contents(uri, "text/plain", doc_text(entry));
                }
                return std::nullopt;
            }};
}

std::vector<OfferedResource> resources_of(const LispHost& host, const std::vector<DataText>& data) {
    const CoreLibrary& core = impl_of(host.engine).core;
    std::vector<OfferedResource> all;
    all.push_back(resource(kCardUri, "PTC-Lisp in a page", "What a writer of programs has to know.", "text/markdown",
                           language_card(core)));
    all.push_back(resource(kReferenceUri, "PTC-Lisp, all names", "A line for each name of the language.", "text/plain",
                           compact_reference(reference_entries(core))));
    if (!host.options.tools.empty())
        all.push_back(resource(kToolsUri, "Tools of programs", "What programs can call, with its signatures.",
                               "text/plain", all_tools_text(host)));
    for (const DataText& one : data)
        all.push_back(resource(std::string(kDataUri) + one.name, ("data/" + one.name).c_str(),
                               "The type of this data, and a look at its first values.", "text/plain",
                               "data/" + one.name + " " + one.type + "\n" + one.preview + "\n"));
    return all;
}

OfferedPrompt solve_prompt(const LispHost& host, const std::vector<DataText>& data) {
    const Datum argument =
        Datum::object({{"name", "task"}, {"description", "What is to be found out or done."}, {"required", true}});
    JsonObject json;
    json.text("name", "solve").text("title", "Solve a task by programs");
    json.text("description", "How to answer by programs instead of by reading data.");
    json.raw("arguments", "[" + argument.to_json() + "]");
    std::string frame =
        "Solve this task by writing small programs in PTC-Lisp and running them with the tool lisp_eval. Look at data "
        "by "
        "programs, never in full: count, take a few, group. Use `\"session\": \"new\"` to keep definitions between "
        "calls. "
        "When a program fails, read its error, mend it, and run it again; lisp_check finds mistakes without running. "
        "Compute the answer by a program, and say in the end what it is.\n\n" +
        language_card(impl_of(host.engine).core);
    if (!data.empty()) frame += "\n\nData:\n" + data_text(data, kShownNames);
    if (!host.options.tools.empty())
        frame += "\n\nTools, called as (tool/name {:argument value}):\n" + tools_text(host);
    return {"solve", json.finish(), [frame = std::move(frame)](Call& call) {
                const Datum& task = call.arguments()["task"];
                if (!task.text())
                    return failure(
                        rpc_error(ErrorCode::InvalidParams, "The prompt `solve` has the argument `task`, a text."));
                const std::string text = frame + "\n\nThe task:\n" + *task.text();
                const std::string content = JsonObject().text("type", "text").text("text", text).finish();
                return Answer{.json = "{\"messages\":[" +
                                      JsonObject().text("role", "user").raw("content", content).finish() + "]}"};
            }};
}

/// Names of the language, for the template of their pages.
Answer complete(const LispHost& host, Call& call) {
    const Datum& params = call.request().params;
    const std::string* uri = params["ref"]["uri"].text();
    const std::string* begun = params["argument"]["value"].text();
    if (!params["ref"]["type"].text() || !begun)
        return failure(rpc_error(ErrorCode::InvalidParams, "`ref` and `argument` say what is to be completed."));
    Datum::List names;
    std::int64_t all = 0;
    if (uri && uri->starts_with(kNameUri)) {
        for (const ReferenceEntry& entry : reference_entries(impl_of(host.engine).core)) {
            if (!entry.name.starts_with(*begun)) continue;
            if (++all <= 100) names.emplace_back(entry.name);
        }
    }
    const bool has_more = all > 100;
    return answer(Datum::object(
        {{"completion", Datum::object({{"values", std::move(names)}, {"total", all}, {"hasMore", has_more}})}}));
}

constexpr const char* kInstructions =
    "Programs in PTC-Lisp, a safe dialect of Clojure: lisp_eval runs one in a sandbox with exact limits. Write a small "
    "program instead of "
    "reading data row by row. The prompt `solve` and the resource ptc://language/card say how.";

/// What a server says of its tool; what was learnt of results stands behind it, and says nothing of what a call does.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Of what a program that waits needs to find again. Each part has its length in front, so that no two of them run into
/// each other.
std::string identity_of(const LispOptions& options) {
    std::string all;
    const auto add = [&all](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
    add(options.tools_digest);
    for (const Tool& tool : options.tools)
        add(tool.name), add(tool.signature), add(tool.approval ? "!" : "."), add(first_line(tool.description));
    add("preludes");
    for (const PreludeSource& prelude : options.preludes)
        add(prelude.text);
    add("data");
    for (const auto& set : options.data) {
        for (const std::string& name : set->names())
            add(name), add(set->digest(name));
    }
    return sha256(all).value_or("");
}

/// The tools of the engine: as they are, and who runs a program hears of their calls.
std::vector<Tool> watched(const std::vector<Tool>& tools) {
    std::vector<Tool> all = tools;
    for (Tool& tool : all) {
        if (!tool.is_callable()) continue;
        tool.context_function = [tool](const Datum& arguments, const ToolContext& given) {
            const RunStepsPtr* const steps = given.host<RunStepsPtr>();
            if (!steps) return call_tool(tool, arguments, given);
            ToolContext context = given;
            context.progress = [steps = *steps, name = tool.name](const Datum& state) {
                const std::string* message = state["message"].text();
                steps->step(message ? name + ": " + *message : name);
            };
            Result<Datum> answer = call_tool(tool, arguments, context);
            (*steps)->called(tool.name);
            return answer;
        };
    }
    return all;
}

} // namespace

void RunSteps::step(std::string_view message) {
    const std::scoped_lock lock(mutex_);
    if (call_) call_->progress(++steps_, -1, message);
}

void RunSteps::called(const std::string& tool) {
    step("called " + tool);
    const std::scoped_lock lock(mutex_);
    if (call_) call_->log("debug", Datum::object({{"tool", tool}}));
}

void RunSteps::end() {
    const std::scoped_lock lock(mutex_);
    call_ = nullptr;
}

LispHost::LispHost(LispOptions given, std::shared_ptr<Seal> key, std::shared_ptr<LispSessions> known)
    : options(std::move(given)), seal(std::move(key)),
      engine({.tools = watched(options.tools), .limits = options.limits, .preludes = options.preludes}),
      sessions(std::move(known)), identity(identity_of(options)) {}

Result<std::shared_ptr<LispHost>> lisp_host(LispOptions options) {
    std::shared_ptr<Seal> seal = PTC_TRY(Seal::create(options.key_file, options.approval_lifetime));
    auto sessions =
        std::make_shared<LispSessions>(options.max_sessions, options.max_sessions_bytes, options.session_idle);
    auto host = std::make_shared<LispHost>(std::move(options), std::move(seal), std::move(sessions));
    if (!host->engine.problems().empty()) return host->engine.problems().front();
    return host;
}

Result<std::shared_ptr<LispHost>> with_tools(const LispHost& before, std::vector<Tool> tools) {
    LispOptions options = before.options;
    options.tools = std::move(tools);
    auto host = std::make_shared<LispHost>(std::move(options), before.seal, before.sessions);
    if (!host->engine.problems().empty()) return host->engine.problems().front();
    return host;
}

Offer lisp_offer(const std::shared_ptr<LispHost>& host) {
    const std::vector<DataText> data = described(host->options.data);
    const auto facts = std::make_shared<Facts>(host->options.data);
    Offer offer{.name = "ptcc", .title = "PTC-Lisp", .version = PTC_VERSION, .instructions = kInstructions};
    const bool has_tools = !host->options.tools.empty();
    offer.tools.push_back(
        offered({"lisp_eval", "Run a program", eval_description(*host, data), eval_input(), eval_output(), !has_tools},
                [host](Call& call) { return eval_program(*host, call); }));
    offer.tools.push_back(offered(
        {"lisp_check", "Check a program",
         "Finds what is wrong with a program without running it: diagnostics with places and edits that mend them.",
         std::string(kSourceInput), check_output(), true},
        [host, facts](Call& call) { return check_program(*host, *facts, call); }));
    offer.tools.push_back(offered(
        {"lisp_explain", "Explain a program",
         "Says what a program can do without running it: tools, data, definitions, and the most fuel it can use.",
         std::string(kSourceInput), std::string(kExplainOutput), true},
        [host](Call& call) { return explain_program(*host, call); }));
    offer.tools.push_back(
        offered({"lisp_reference", "Look up names",
                 "Describes names of PTC-Lisp, or finds those whose description has the words of a query; a name that "
                 "does not exist is answered with those that may be meant.",
                 std::string(kReferenceInput), std::string(kReferenceOutput), true},
                [host](Call& call) { return look_up(*host, call); }));
    offer.resources = resources_of(*host, data);
    offer.templates.push_back(name_template(*host));
    offer.prompts.push_back(solve_prompt(*host, data));
    offer.complete = [host](Call& call) { return complete(*host, call); };
    return offer;
}

} // namespace ptc::mcp
