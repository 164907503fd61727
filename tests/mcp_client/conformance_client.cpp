// The client that the official conformance suite drives: it is given the address of a server, calls the server's tools
// through ptc::McpClient as a host would, and ends. The suite says in the environment which scenario it is, which
// revision it wants, and with what arguments tools are to be called; what has no scenario of its own calls each tool
// once.
#include "ptc/mcp_client.h"
#include "ptc/ptc.h"
#include "subagent/providers/http_client.h"
#include <cstdio>
#include <cstdlib>

namespace {

using namespace ptc;

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// The suite's authorization servers agree at once: the redirection is what a browser would follow.
Result<std::string> agree(const McpAuthorization& request) {
    HttpClient http;
    HttpPost get;
    get.url = request.url;
    get.method = "GET";
    get.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    get.connect_timeout = std::chrono::seconds(5);
    get.is_direct = true;
    const HttpOutcome outcome = http.post(get, [](const HttpHead&, std::string_view) { return true; });
    const auto* head = std::get_if<HttpHead>(&outcome);
    if (!head || head->find("location").empty()) return Error(Reason::ToolError, "The page redirects nowhere.");
    return std::string(head->find("location"));
}

/// Accepts with what the schema says by default, and true where it is asked whether.
Result<Datum> accept(const McpQuestion& question) {
    const Datum& request = question.request;
    Datum::Map content;
    for (const auto& [name, property] : request["requestedSchema"]["properties"].entries()) {
        if (const Datum* usual = property.find("default"))
            content.emplace_back(name, *usual);
        else if (property["type"] == Datum("boolean"))
            content.emplace_back(name, Datum(true));
    }
    return Datum::object({{"action", "accept"}, {"content", Datum(std::move(content))}});
}

/// Arguments for a tool that has no others: a number for each required number, and so on.
Datum some_arguments(const Tool& tool) {
    Datum::Map arguments;
    const auto signature = parse_signature(tool.signature.empty() ? "() -> :any" : tool.signature);
    if (!signature.ok()) return Datum(std::move(arguments));
    for (const Field& field : signature.value().params) {
        if (field.type.is_optional) continue;
        const bool is_text = field.type.is(TypeKind::String);
        arguments.emplace_back(Datum(normalized_name(field.name)), is_text ? Datum("x") : Datum(1));
    }
    return Datum(std::move(arguments));
}

} // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    const std::string scenario = from_environment("MCP_CONFORMANCE_SCENARIO");
    const std::string said = from_environment("MCP_CONFORMANCE_CONTEXT");
    const Datum context = said.empty() ? Datum() : Datum::from_json(said).value_or(Datum());
    McpServer server{.name = "suite", .url = arguments[count - 1], .timeout = std::chrono::seconds(20)};
    server.revision = from_environment("MCP_CONFORMANCE_PROTOCOL_VERSION");
    McpOptions options{.servers = {server}};
    if (scenario.find("elicitation") != std::string::npos || scenario.starts_with("sep-2322")) options.elicit = accept;
    options.authorize = agree;
    options.redirect_uri = "http://localhost:3000/callback";
    options.client_metadata_url = "https://conformance-test.local/client-metadata.json";
    if (const std::string* id = context["client_id"].text()) options.client_id = *id;
    if (const std::string* secret = context["client_secret"].text()) options.client_secret = *secret;
    const auto client = McpClient::connect(std::move(options));
    if (!client.ok()) return 1;
    bool has_failed = false;
    for (const std::string& problem : client.value()->problems()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        has_failed = true;
    }
    const std::vector<Tool> tools = client.value()->tools();
    const auto call = [&](const std::string& name, const Datum& given) {
        const ToolResult result = dispatch(tools, {.id = "", .name = name, .arguments = given});
        std::fprintf(stderr, "%s: %s\n", name.c_str(), result.output.to_json().substr(0, 300).c_str());
        has_failed = has_failed || result.is_error;
    };
    if (context.find("toolCalls")) {
        for (const Datum& row : context["toolCalls"].items())
            call("suite." + *row["name"].text(), row["arguments"]);
    } else if (scenario == "json-schema-2020-12-preservation") {
        const auto listed = client.value()->listed("suite.json_schema_2020_12_tool");
        const Datum schema = Datum::from_json(listed ? listed->input_schema : "{}").value();
        call("suite.json_schema_echo", Datum::object({{"schema", schema}}));
    } else if (scenario != "json-schema-ref-no-deref") {
        for (const Tool& tool : tools)
            call(tool.name, some_arguments(tool));
    }
    return has_failed ? 1 : 0;
}
