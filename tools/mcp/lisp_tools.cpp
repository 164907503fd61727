// The tools of `ptcc mcp` but for what they do in long (lisp_eval.cpp, lisp_reference.cpp): their schemas, what is told
// of them, and checking and explaining, which run nothing.
#include "compiler/check/type_facts.h"
#include "frontend/json_writer.h"
#include "frontend/render.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "subagent/engine/data_set_impl.h"
#include "tools/explanation.h"
#include "tools/mcp/lisp_parts.h"
#include "tools/members.h"
#include "tools/program_source.h"

namespace ptc::mcp {
namespace {

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

constexpr std::string_view kCheckInput =
    R"({"type":"object","properties":{"source":{"type":"string","description":"The program."},)"
    R"("context":{"type":"object","description":"Data that lisp_eval is to have: data/NAME reads its member NAME."},)"
    R"("session":{"type":"string","description":"The session in which it is to run: it knows what is defined there."}},)"
    R"("required":["source"],"additionalProperties":false})";

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
    R"("tools":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"]},)"
    R"("description":"Tools that programs may call."},)"
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

// ---- Checking and explaining

Result<std::string> source_of(const Call& call, std::span<const std::string_view> members) {
    PTC_CHECK(check_members(call.arguments(), members, "the arguments"));
    if (!call.arguments()["source"].text()) return Error(Reason::InvalidRequest, "`source` is the program, a text.");
    return *call.arguments()["source"].text();
}

/// For work on a program, until the call is stopped.
std::function<bool()> time_of(const Call& call) {
    return [time = unhurried_time(), stop = call.stop()] { return !stop.stop_requested() && time(); };
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

/// What programs of a session left behind.
struct Defined {
    std::vector<std::string> names{};
    std::string declarations{};
};

/// Of the session of `handle`; nothing in one that is to be made.
Result<Defined> defined_in_session(const LispHost& host, const Call& call, const std::string& handle) {
    if (handle.empty() || handle == "new") return Defined();
    const LispSessionPtr kept = PTC_TRY(host.sessions->find(handle, call.principal()));
    const std::unique_lock held(kept->busy, std::try_to_lock);
    if (!held.owns_lock()) return Error(Reason::InvalidRequest, "The session is at work for another call.");
    if (kept->bytes.empty()) return Defined();
    const auto session = PTC_TRY(
        ptc::Session::restore(host.engine, kept->bytes, {.data = host.options.data, .limits = host.options.limits}));
    return Defined{session->names(), session->declarations()};
}

Result<Answer> checked_program(const LispHost& host, const Facts& facts, Call& call) {
    constexpr std::string_view kMembers[] = {"source", "context", "session"};
    const std::string source = PTC_TRY(source_of(call, kMembers));
    const work::Scope scope(time_of(call));
    const Defined defined = PTC_TRY(defined_in_session(host, call, PTC_TRY(session_of(call.arguments()))));
    const std::vector<std::string_view> memory(defined.names.begin(), defined.names.end());
    std::optional<Facts> own;
    const auto context = PTC_TRY(context_of(call.arguments()));
    if (context) { // as for a run: what a call brings stands before what the server has
        std::vector<std::shared_ptr<const DataSet>> sets = {context};
        sets.insert(sets.end(), host.options.data.begin(), host.options.data.end());
        own.emplace(sets);
    }
    const Facts& known = own ? *own : facts;
    LoadOptions options{
        .strict_arguments = true, .memory = memory, .declarations = defined.declarations, .data = known.facts.all()};
    if (context || !known.names.empty()) options.data_names = [&known] { return known.names; };
    const Compiled compiled = load_text(host.engine, "program", source, options);
    const Source& text = compiled ? compiled.program->source : compiled.source;
    const std::string report = render_text(text, compiled.diagnostics);
    return structured(report.empty() ? "Nothing is wrong with it." : report,
                      JsonObject()
                          .boolean("ok", static_cast<bool>(compiled))
                          .raw("diagnostics", diagnostics_json(text, compiled.diagnostics))
                          .finish());
}

Answer check_program(const LispHost& host, const Facts& facts, Call& call) {
    Result<Answer> checked = checked_program(host, facts, call);
    return checked.ok() ? std::move(checked).value() : text_answer(checked.error().message, true);
}

Answer explain_program(const LispHost& host, Call& call) {
    constexpr std::string_view kMembers[] = {"source"};
    const Result<std::string> source = source_of(call, kMembers);
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

} // namespace

Answer structured(const std::string& text, const std::string& json, bool is_error) {
    JsonObject out;
    out.raw("content", "[" + JsonObject().text("type", "text").text("text", text).finish() + "]");
    out.raw("structuredContent", json);
    if (is_error) out.boolean("isError", true);
    return {.json = out.finish()};
}

std::vector<OfferedTool> offered_tools(const std::shared_ptr<LispHost>& host, const std::vector<DataText>& data) {
    const auto facts = std::make_shared<Facts>(host->options.data);
    const bool has_tools = !host->options.tools.empty();
    std::vector<OfferedTool> tools;
    tools.push_back(
        offered({"lisp_eval", "Run a program", eval_description(*host, data), eval_input(), eval_output(), !has_tools},
                [host](Call& call) { return eval_program(*host, call); }));
    tools.push_back(offered(
        {"lisp_check", "Check a program",
         "Finds what is wrong with a program without running it: diagnostics with places and edits that mend them.",
         std::string(kCheckInput), check_output(), true},
        [host, facts](Call& call) { return check_program(*host, *facts, call); }));
    tools.push_back(offered(
        {"lisp_explain", "Explain a program",
         "Says what a program can do without running it: tools, data, definitions, and the most fuel it can use.",
         std::string(kSourceInput), std::string(kExplainOutput), true},
        [host](Call& call) { return explain_program(*host, call); }));
    tools.push_back(
        offered({"lisp_reference", "Look up names",
                 "Describes names of PTC-Lisp and tools that programs may call (tool/NAME), or finds those whose "
                 "description has the words of a query; a name that does not exist is answered with those that may be "
                 "meant.",
                 std::string(kReferenceInput), std::string(kReferenceOutput), true},
                [host](Call& call) { return look_up(*host, call); }));
    return tools;
}

} // namespace ptc::mcp
