// The server that the scenarios of the protocol's conformance suite expect: tools, resources and prompts by the names
// that they call, and what each is to do, on the server of `ptcc mcp` (tools/mcp). Listens on a free port of the
// loopback and says where; SIGTERM ends it.
#include "frontend/json_writer.h"
#include "subagent/mcp/client_headers.h"
#include "subagent/mcp/digest.h"
#include "tools/mcp/http_service.h"
#include "tools/mcp/seal.h"
#include <functional>

namespace ptc::mcp {
namespace {

constexpr const char* kImage =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
constexpr const char* kAudio = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

Datum json(std::string_view text) { return Datum::from_json(text).value(); }
Datum object(std::vector<std::pair<std::string, Datum>> members) { return Datum::object(std::move(members)); }
Datum list(Datum::List items) { return Datum(std::move(items)); }
Datum text_content(const std::string& text) { return object({{"type", "text"}, {"text", text}}); }
Datum image_content() { return object({{"type", "image"}, {"data", kImage}, {"mimeType", "image/png"}}); }
Datum resource_content(const char* uri, const char* type, const char* text) {
    return object({{"type", "resource"}, {"resource", object({{"uri", uri}, {"mimeType", type}, {"text", text}})}});
}
Answer content(Datum::List items) { return answer(object({{"content", list(std::move(items))}})); }
std::string said(const Datum& value) { return value.text() ? *value.text() : "unknown"; }

struct Fixture {
    Server* server = nullptr;
    std::unique_ptr<Seal> seal = Seal::create("", std::chrono::minutes(5)).value();
};

// ---- Asking in a session

Answer asked(Call& call, Method method, const Datum& params, const std::function<std::string(const Datum&)>& say) {
    const std::variant<Datum, RpcError> given = call.ask(method, params);
    if (const auto* error = std::get_if<RpcError>(&given)) return text_answer("Not answered: " + error->message);
    return text_answer(say(std::get<Datum>(given)));
}

Answer elicit(Call& call, const std::string& message, const char* schema, const char* said_before) {
    const Datum params = object({{"message", message}, {"requestedSchema", json(schema)}});
    return asked(call, Method::Elicit, params, [said_before](const Datum& given) {
        const Datum& entered = given["content"];
        return said_before + said(given["action"]) + ", content=" + (entered.map() ? entered.to_json() : "{}");
    });
}

constexpr const char* kDefaults = R"({"type":"object","properties":{
  "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
  "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},
  "required":[]})";
constexpr const char* kEnums = R"({"type":"object","properties":{
  "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
  "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
  "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
  "untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
  "titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},
  "required":[]})";

Datum sampling(const std::string& prompt) {
    const Datum message = object({{"role", "user"}, {"content", text_content(prompt)}});
    return object({{"messages", list({message})}, {"maxTokens", 100}});
}

// ---- Asking by answers

Datum elicitation_request(const char* message, const char* field, const char* type) {
    const Datum schema = object(
        {{"type", "object"}, {"properties", object({{field, object({{"type", type}})}})}, {"required", list({field})}});
    return object({{"method", "elicitation/create"},
                   {"params", object({{"mode", "form"}, {"message", message}, {"requestedSchema", schema}})}});
}
Datum sampling_request(const char* prompt) {
    return object({{"method", "sampling/createMessage"}, {"params", sampling(prompt)}});
}
Datum roots_request() { return object({{"method", "roots/list"}}); }

Answer input_required(std::vector<std::pair<std::string, Datum>> requests, const std::string& state = {}) {
    JsonObject out;
    out.raw("inputRequests", object(std::move(requests)).to_json());
    if (!state.empty()) out.text("requestState", state);
    return {.json = out.finish(), .is_input_required = true};
}

/// What a state says; an error when it is none of ours.
std::variant<Datum, Answer> state_of(const Fixture& fixture, Call& call) {
    const Datum& given = call.request().params["requestState"];
    if (given.is_nil()) return Datum();
    const Result<Seal::Opened> opened = fixture.seal->open(said(given), "fixture");
    if (!opened.ok()) return failure(rpc_error(ErrorCode::InvalidParams, opened.error().message));
    return json(opened.value().bytes);
}
std::string seal(const Fixture& fixture, const Datum& state) {
    return fixture.seal->close(state.to_json(), "fixture").value();
}

Answer multi_round(const Fixture& fixture, Call& call) {
    const auto opened = state_of(fixture, call);
    if (const auto* refused = std::get_if<Answer>(&opened)) return *refused;
    const Datum& state = std::get<Datum>(opened);
    const Datum &step1 = call.input_response("step1"), &step2 = call.input_response("step2");
    if (state["round"] == Datum(1) && step1.map())
        return input_required({{"step2", elicitation_request("Which color do you like?", "color", "string")}},
                              seal(fixture, object({{"round", 2}, {"name", said(step1["content"]["name"])}})));
    if (state["round"] == Datum(2) && step2.map())
        return text_answer(said(state["name"]) + " likes " + said(step2["content"]["color"]) + ".");
    return input_required({{"step1", elicitation_request("What is your name?", "name", "string")}},
                          seal(fixture, object({{"round", 1}})));
}

Answer confirmed(const Fixture& fixture, Call& call, const char* text) {
    const auto opened = state_of(fixture, call);
    if (const auto* refused = std::get_if<Answer>(&opened)) return *refused;
    if (!std::get<Datum>(opened).is_nil() && call.input_response("confirm")["content"]["ok"] == Datum(true))
        return text_answer(text);
    return input_required({{"confirm", elicitation_request("Please confirm", "ok", "boolean")}},
                          seal(fixture, object({{"kind", text}})));
}

Answer multiple_inputs(const Fixture& fixture, Call& call) {
    const auto opened = state_of(fixture, call);
    if (const auto* refused = std::get_if<Answer>(&opened)) return *refused;
    const Datum &name = call.input_response("user_name"), &greeting = call.input_response("greeting"),
                &roots = call.input_response("client_roots");
    if (name.map() && greeting.map() && roots.map())
        return text_answer("Name: " + said(name["content"]["name"]) + "; greeting: " +
                           said(greeting["content"]["text"]) + "; roots: " + std::to_string(roots["roots"].size()));
    return input_required({{"user_name", elicitation_request("What is your name?", "name", "string")},
                           {"greeting", sampling_request("Make a greeting")},
                           {"client_roots", roots_request()}},
                          seal(fixture, object({{"kind", "multiple"}})));
}

Answer by_capabilities(Call& call) {
    const Datum& responses = call.request().params["inputResponses"];
    if (responses.size() > 0) return text_answer("capabilities-ok: " + std::to_string(responses.size()));
    std::vector<std::pair<std::string, Datum>> requests;
    if (call.capabilities()["elicitation"].map())
        requests.emplace_back("elicit_input", elicitation_request("Enter a value", "value", "string"));
    if (call.capabilities()["sampling"].map()) requests.emplace_back("sample_input", sampling_request("Say something"));
    if (requests.empty()) return text_answer("The client declares no capability that could be asked for.");
    return input_required(std::move(requests));
}

/// Asks once for `key`, and says something of what came.
Handler once(std::string key, Datum request, std::function<std::string(const Datum&)> say) {
    return [key = std::move(key), request = std::move(request), say = std::move(say)](Call& call) {
        const Datum& response = call.input_response(key);
        return response.map() ? text_answer(say(response)) : input_required({{key, request}});
    };
}

// ---- Rows

OfferedTool tool(const char* name, const char* description, Handler call,
                 const char* schema = R"({"type":"object","properties":{}})") {
    return {name, object({{"name", name}, {"description", description}, {"inputSchema", json(schema)}}).to_json(),
            std::move(call), has_headers(schema) ? schema : ""};
}

void add_content_tools(Offer& offer) {
    offer.tools.push_back(tool("test_simple_text", "A text",
                               [](Call&) { return text_answer("This is a simple text response for testing."); }));
    offer.tools.push_back(tool("test_image_content", "An image", [](Call&) { return content({image_content()}); }));
    offer.tools.push_back(tool("test_audio_content", "A sound", [](Call&) {
        return content({object({{"type", "audio"}, {"data", kAudio}, {"mimeType", "audio/wav"}})});
    }));
    offer.tools.push_back(tool("test_embedded_resource", "A resource", [](Call&) {
        return content(
            {resource_content("test://embedded-resource", "text/plain", "This is an embedded resource content.")});
    }));
    offer.tools.push_back(tool("test_multiple_content_types", "Several kinds", [](Call&) {
        return content(
            {text_content("Multiple content types test:"), image_content(),
             resource_content("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")});
    }));
    offer.tools.push_back(tool("test_error_handling", "Fails", [](Call&) {
        return text_answer("This tool intentionally returns an error for testing", true);
    }));
    offer.tools.push_back(tool(
        "test_custom_headers", "Has an argument that is a header, too",
        [](Call& call) { return text_answer("in " + said(call.arguments()["region"])); },
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]})"));
    offer.tools.push_back(tool(
        "json_schema_2020_12_tool", "Has a schema with all kinds of members",
        [](Call& call) { return text_answer("called with " + call.arguments().to_json()); },
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",
        "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
        "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
        "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},
        "required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})"));
}

void add_talking_tools(Offer& offer) {
    offer.tools.push_back(tool("test_tool_with_logging", "Logs", [](Call& call) {
        for (const char* message : {"Tool execution started", "Tool processing data", "Tool execution completed"})
            call.log("info", message);
        return text_answer("Tool with logging executed successfully");
    }));
    offer.tools.push_back(tool("test_tool_with_progress", "Says how far it is", [](Call& call) {
        for (const int done : {0, 50, 100})
            call.progress(done, 100, "Completed step " + std::to_string(done) + " of 100");
        const Datum* token = call.request().meta(kProgressToken);
        return text_answer(token ? token->to_json() : "no token");
    }));
    offer.tools.push_back(tool("test_logging_tool", "Logs when it may", [](Call& call) {
        call.log("info", "logged");
        return text_answer("done");
    }));
    offer.tools.push_back(tool("test_streaming_elicitation", "Says how far it is, then asks", [](Call& call) {
        call.progress(50, 100, "half");
        return input_required({{"name", elicitation_request("What is your name?", "name", "string")}});
    }));
    offer.tools.push_back(tool(
        "test_sampling", "Asks the client's model",
        [](Call& call) {
            return asked(call, Method::Sample, sampling(said(call.arguments()["prompt"])),
                         [](const Datum& given) { return "LLM response: " + said(given["content"]["text"]); });
        },
        R"({"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]})"));
    offer.tools.push_back(tool(
        "test_elicitation", "Asks the client's user",
        [](Call& call) {
            return elicit(call, said(call.arguments()["message"]),
                          R"({"type":"object","properties":{"response":{"type":"string"}},"required":["response"]})",
                          "User response: action=");
        },
        R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})"));
    offer.tools.push_back(tool("test_elicitation_sep1034_defaults", "Asks, with defaults", [](Call& call) {
        return elicit(call, "Please review the form", kDefaults, "Elicitation completed: action=");
    }));
    offer.tools.push_back(tool("test_elicitation_sep1330_enums", "Asks, with choices", [](Call& call) {
        return elicit(call, "Please choose", kEnums, "Elicitation completed: action=");
    }));
}

void add_asking_tools(Offer& offer, Fixture& fixture) {
    const auto with = [&](const char* name, Answer (*handle)(const Fixture&, Call&)) {
        offer.tools.push_back(
            tool(name, "Asks by its answer", [&fixture, handle](Call& call) { return handle(fixture, call); }));
    };
    offer.tools.push_back(tool("test_missing_capability", "Needs sampling", [](Call& call) {
        if (call.capabilities()["sampling"].map()) return text_answer("Success");
        return failure(rpc_error(ErrorCode::MissingCapability, {},
                                 object({{"requiredCapabilities", object({{"sampling", object({})}})}})));
    }));
    offer.tools.push_back(
        tool("test_input_required_result_elicitation", "Asks for a name",
             once("user_name", elicitation_request("What is your name?", "name", "string"),
                  [](const Datum& given) { return "Hello, " + said(given["content"]["name"]) + "!"; })));
    offer.tools.push_back(
        tool("test_input_required_result_sampling", "Asks the client's model",
             once("sample_request", sampling_request("What is the capital of France?"),
                  [](const Datum& given) { return "Sampling result: " + said(given["content"]["text"]); })));
    offer.tools.push_back(tool("test_input_required_result_list_roots", "Asks for roots",
                               once("roots_request", roots_request(), [](const Datum& given) {
                                   return "Found " + std::to_string(given["roots"].size()) + " root(s)";
                               })));
    with("test_input_required_result_request_state",
         [](const Fixture& f, Call& call) { return confirmed(f, call, "state-ok: requestState validated"); });
    with("test_input_required_result_tampered_state",
         [](const Fixture& f, Call& call) { return confirmed(f, call, "integrity-ok: state verified"); });
    with("test_input_required_result_multiple_inputs", multiple_inputs);
    with("test_input_required_result_multi_round", multi_round);
    offer.tools.push_back(
        tool("test_input_required_result_capabilities", "Asks for what the client can", by_capabilities));
    const auto changes = [&](const char* name, Method method) {
        offer.tools.push_back(tool(name, "Tells those who listen", [&fixture, method](Call&) {
            fixture.server->changed(method);
            return text_answer("Mutation triggered");
        }));
    };
    changes("test_trigger_tool_change", Method::ToolsChanged);
    changes("test_trigger_prompt_change", Method::PromptsChanged);
}

void add_resource(Offer& offer, const char* uri, const char* type, const char* member, const char* content) {
    const Datum row = object({{"uri", uri}, {"name", uri + 7}, {"description", "For tests"}, {"mimeType", type}});
    const Datum contents = object({{"uri", uri}, {"mimeType", type}, {member, content}});
    offer.resources.push_back({uri, row.to_json(), [contents](Call&) {
                                   return answer(object({{"contents", list({contents})}}));
                               }});
}

void add_resources(Offer& offer) {
    add_resource(offer, "test://static-text", "text/plain", "text", "This is the content of the static text resource.");
    add_resource(offer, "test://static-binary", "image/png", "blob", kImage);
    add_resource(offer, "test://watched-resource", "text/plain", "text", "Watched resource content");
    const Datum row =
        object({{"uriTemplate", "test://template/{id}/data"}, {"name", "template"}, {"mimeType", "application/json"}});
    offer.templates.push_back(
        {row.to_json(), [](Call&, const std::string& uri) -> std::optional<Answer> {
             constexpr std::string_view kBegin = "test://template/", kEnd = "/data";
             if (!uri.starts_with(kBegin) || !uri.ends_with(kEnd)) return std::nullopt;
             const std::string id = uri.substr(kBegin.size(), uri.size() - kBegin.size() - kEnd.size());
             const Datum data = object({{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}});
             const Datum made = object({{"uri", uri}, {"mimeType", "application/json"}, {"text", data.to_json()}});
             return answer(object({{"contents", list({made})}}));
         }});
}

Answer messages(Datum::List contents) {
    Datum::List all;
    for (Datum& one : contents)
        all.push_back(object({{"role", "user"}, {"content", std::move(one)}}));
    return answer(object({{"messages", list(std::move(all))}}));
}

void add_prompt(Offer& offer, const char* name, const std::vector<std::string>& arguments, Handler get) {
    Datum::List rows;
    for (const std::string& one : arguments)
        rows.push_back(object({{"name", one}, {"description", "For tests"}, {"required", true}}));
    const Datum row = object({{"name", name}, {"description", "For tests"}, {"arguments", list(std::move(rows))}});
    offer.prompts.push_back({name, row.to_json(), std::move(get)});
}

void add_prompts(Offer& offer) {
    add_prompt(offer, "test_simple_prompt", {},
               [](Call&) { return messages({text_content("This is a simple prompt for testing.")}); });
    add_prompt(offer, "test_prompt_with_arguments", {"arg1", "arg2"}, [](Call& call) {
        const Datum& given = call.arguments();
        return messages({text_content("Prompt with arguments: arg1='" + said(given["arg1"]) + "', arg2='" +
                                      said(given["arg2"]) + "'")});
    });
    add_prompt(offer, "test_prompt_with_embedded_resource", {"resourceUri"}, [](Call& call) {
        return messages({resource_content(said(call.arguments()["resourceUri"]).c_str(), "text/plain",
                                          "Embedded resource content for testing."),
                         text_content("Please process the embedded resource above.")});
    });
    add_prompt(offer, "test_prompt_with_image", {}, [](Call&) {
        return messages({image_content(), text_content("Please analyze the image above.")});
    });
    add_prompt(offer, "test_input_required_result_prompt", {}, [](Call& call) {
        const Datum& context = call.input_response("user_context");
        if (context.map())
            return messages({text_content("Prompt with context: " + said(context["content"]["context"]))});
        return input_required({{"user_context", elicitation_request("What context?", "context", "string")}});
    });
}

int serve() {
    Fixture fixture;
    Offer offer{
        .name = "ptc-conformance", .title = "Fixture", .version = "1.0.0", .can_change = true, .can_update = true};
    add_content_tools(offer);
    add_talking_tools(offer);
    add_asking_tools(offer, fixture);
    add_resources(offer);
    add_prompts(offer);
    offer.complete = [](Call&) {
        return answer(object({{"completion", object({{"values", list({})}, {"total", 0}, {"hasMore", false}})}}));
    };
    Server server(std::move(offer), {});
    fixture.server = &server;
    Console console;
    const Result<bool> served = serve_http(server, {}, {.grace = std::chrono::milliseconds(500)}, console);
    return served.ok() ? 0 : console.usage_error(served.error());
}

} // namespace
} // namespace ptc::mcp

int main() { return ptc::mcp::serve(); }
