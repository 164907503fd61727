// The resources and prompts of `ptcc mcp`: the language in a page and name by name, the tools and data of programs, and
// how a task is solved by programs.
#include "frontend/json_writer.h"
#include "frontend/percent.h"
#include "subagent/agent/language_card.h"
#include "subagent/engine/engine_impl.h"
#include "tools/mcp/data_shape.h"
#include "tools/mcp/lisp_parts.h"
#include "tools/reference_page.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

constexpr std::string_view kCardUri = "ptc://language/card";
constexpr std::string_view kReferenceUri = "ptc://language/reference";
constexpr std::string_view kNameUri = "ptc://language/reference/";
constexpr std::string_view kDataUri = "ptc://data/";

Answer contents(const std::string& uri, const char* type, const std::string& text) {
    return {.json = "{\"contents\":[" +
                    JsonObject().text("uri", uri).text("mimeType", type).text("text", text).finish() + "]}"};
}

/// `text`: made when it is read.
OfferedResource resource(std::string_view uri, const char* name, const char* description, const char* type,
                         std::function<std::string()> text) {
    JsonObject json;
    json.text("uri", uri).text("name", name).text("description", description).text("mimeType", type);
    return {std::string(uri), json.finish(),
            [uri = std::string(uri), type, text = std::move(text)](Call&) { return contents(uri, type, text()); }};
}
OfferedResource resource(std::string_view uri, const char* name, const char* description, const char* type,
                         std::string text) {
    return resource(uri, name, description, type, [text = std::move(text)] { return text; });
}

OfferedTemplate name_template(const std::shared_ptr<LispHost>& host) {
    JsonObject json;
    json.text("uriTemplate", std::string(kNameUri) + "{name}").text("name", "name").text("mimeType", "text/plain");
    json.text("description", "What a name of the language means.");
    return {json.finish(), [host](Call&, const std::string& uri) -> std::optional<Answer> {
                if (!uri.starts_with(kNameUri)) return std::nullopt;
                const std::string name = percent_decoded(std::string_view(uri).substr(kNameUri.size()));
                for (const ReferenceEntry& entry : reference_entries(impl_of(host->engine).core)) {
                    if (entry.name == name) return contents(uri, "text/plain", doc_text(entry));
                }
                return std::nullopt;
            }};
}

OfferedTemplate tool_template(const std::shared_ptr<LispHost>& host) {
    JsonObject json;
    json.text("uriTemplate", std::string(kToolsUri) + "/{name}").text("name", "tool").text("mimeType", "text/plain");
    json.text("description", "A tool of programs in full.");
    return {json.finish(), [host](Call&, const std::string& uri) -> std::optional<Answer> {
                const std::string prefix = std::string(kToolsUri) + "/";
                if (!uri.starts_with(prefix)) return std::nullopt;
                const std::string page = tool_page(*host, percent_decoded(uri.substr(prefix.size())));
                if (page.empty()) return std::nullopt;
                return contents(uri, "text/plain", page);
            }};
}

} // namespace

std::vector<OfferedTemplate> offered_templates(const std::shared_ptr<LispHost>& host) {
    std::vector<OfferedTemplate> all = {name_template(host)};
    if (!host->options.tools.empty()) all.push_back(tool_template(host));
    return all;
}

std::vector<OfferedResource> offered_resources(const std::shared_ptr<LispHost>& host,
                                               const std::vector<DataText>& data) {
    const CoreLibrary& core = impl_of(host->engine).core;
    std::vector<OfferedResource> all;
    all.push_back(resource(kCardUri, "PTC-Lisp in a page", "What a writer of programs has to know.", "text/markdown",
                           language_card(core)));
    all.push_back(resource(kReferenceUri, "PTC-Lisp, all names", "A line for each name of the language.", "text/plain",
                           compact_reference(reference_entries(core))));
    if (!host->options.tools.empty())
        all.push_back(resource(kToolsUri, "Tools of programs", "What programs can call, with its signatures.",
                               "text/plain", [host] { return all_tools_text(*host); }));
    for (const DataText& one : data)
        all.push_back(
            resource(std::string(kDataUri) + one.name, ("data/" + one.name).c_str(),
                     "The type of this data, how much there is, and between what it lies.", "text/plain",
                     [one] { return "data/" + one.name + " " + one.type + "\n" + data_shape(*one.set, one.name); }));
    return all;
}

OfferedPrompt solve_prompt(const std::shared_ptr<LispHost>& host, const std::vector<DataText>& data) {
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
        language_card(impl_of(host->engine).core);
    if (!data.empty()) frame += "\n\nData:\n" + data_text(data, kShownNames);
    return {"solve", json.finish(), [host, frame = std::move(frame)](Call& call) {
                const Datum& task = call.arguments()["task"];
                if (!task.text())
                    return failure(
                        rpc_error(ErrorCode::InvalidParams, "The prompt `solve` has the argument `task`, a text."));
                std::string text = frame;
                if (!host->options.tools.empty()) // as they are said to be by now
                    text += "\n\nTools, called as (tool/name {:argument value}):\n" + tools_text(*host);
                text += "\n\nThe task:\n" + *task.text();
                const std::string content = JsonObject().text("type", "text").text("text", text).finish();
                return Answer{.json = "{\"messages\":[" +
                                      JsonObject().text("role", "user").raw("content", content).finish() + "]}"};
            }};
}

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

} // namespace ptc::mcp
