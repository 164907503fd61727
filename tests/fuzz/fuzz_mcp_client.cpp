// Any bytes as what an MCP server sends: a message, a list of tools, a result, a challenge. What becomes a tool has a
// name that programs can write and a signature that reads; what is learnt of a value can be kept and read again.
#include "subagent/mcp/catalog.h"
#include "subagent/mcp/client_headers.h"
#include "subagent/mcp/client_oauth.h"
#include "subagent/mcp/client_values.h"
#include "subagent/mcp/learnt_types.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 0)

using namespace ptc;

namespace {

void check_tool(const Datum& row) {
    if (!row["name"].text() || row["name"].text()->empty()) return;
    mcp::Listing listing;
    listing.tools.push_back({.name = *row["name"].text(),
                             .description = row["description"].text() ? *row["description"].text() : "",
                             .input_schema = row["inputSchema"].to_json(),
                             .output_schema = row["outputSchema"].map() ? row["outputSchema"].to_json() : ""});
    std::vector<std::string> notices;
    for (const mcp::CatalogTool& tool : mcp::catalog_of("server", std::move(listing), notices)) {
        const Tool made = mcp::described("server", tool);
        FUZZ_CHECK(made.name.starts_with("server.") && made.description.size() < 5000);
        FUZZ_CHECK(made.signature.empty() || compile_signature(made.signature).ok());
        if (mcp::header_problem(tool.listed->input_schema).empty())
            (void)mcp::sent_headers(tool.listed->input_schema, row["arguments"]);
        (void)mcp::arguments_as_named(tool.listed->input_schema, row["arguments"]);
    }
}

void check_result(const Datum& result) {
    const Result<Datum> value = mcp::value_of_result(result, false);
    if (!value.ok()) return;
    const Type type = mcp::learn(value.value());
    FUZZ_CHECK(type_text(mcp::merged(type, type)) == type_text(type));
    for (const Type& known : {type, mcp::names_only(type)}) {
        const Result<Datum> kept = Datum::from_json(mcp::learnt_json(known));
        FUZZ_CHECK(kept.ok() && mcp::read_learnt(kept.value()) == known);
        FUZZ_CHECK(!mcp::shown_type(known).empty());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    (void)mcp::challenge_parameter(text, "scope");
    const auto read = mcp::read_message(text, {.max_bytes = 1u << 20});
    const auto* message = std::get_if<mcp::Message>(&read);
    if (!message) return 0;
    if (message->kind == mcp::MessageKind::Request) {
        const auto again = mcp::read_message(mcp::write_request(message->id, message->method, message->params));
        FUZZ_CHECK(std::get<mcp::Message>(again).params == message->params);
    }
    for (const Datum& row : message->result["tools"].items())
        check_tool(row);
    check_result(message->result);
    return 0;
}
