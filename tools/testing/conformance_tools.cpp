// Conformance rows about tools without an agent: schemas, calls, look-up by name. A row's `op` says which function of
// ptc/tool_primitive.h or ptc/typed_tool.h is called; what comes of it becomes a record of data, which is compared with
// `expect`. tests/conformance/README.md has the members of a row.
#include "frontend/try.h"
#include "ptc/typed_tool.h"
#include "tools/agent/script.h"
#include "tools/members.h"
#include "tools/tagged_json.h"
#include "tools/testing/conformance.h"
#include "tools/testing/conformance_agent.h"
#include <algorithm>

namespace ptc {
namespace {

std::optional<std::string> text_if_given(const Datum& row, const char* member) {
    const Datum* value = row.find(member);
    return value && value->text() ? std::optional(*value->text()) : std::nullopt;
}

std::optional<std::string> json_if_given(const Datum& row, const char* member) {
    const Datum* value = row.find(member);
    return value ? std::optional(value->to_json()) : std::nullopt;
}

ToolOverrides read_overrides(const Datum* row) {
    if (!row) return {};
    return {.name = text_if_given(*row, "name"),
            .description = text_if_given(*row, "description"),
            .input_schema_json = json_if_given(*row, "input-schema"),
            .output_schema_json = json_if_given(*row, "output-schema"),
            .pass_input = is_true(row->find("pass-input"))};
}

/// What the row's `do` says of positional arguments: the result of the first pair that they match.
PositionalToolFunction positional(const Datum& action) {
    return [action](const std::vector<Datum>& arguments) -> Result<Datum> {
        for (const Datum& pair : items_of(action, "positional")) {
            if (same_datum(pair.list()->at(0), Datum(arguments))) return pair.list()->at(1);
        }
        const Datum* otherwise = action.find("else");
        return otherwise ? *otherwise : Datum();
    };
}

/// A tool of a function, by its name, signature, doc and what it does.
Result<Tool> read_function(const Datum& row, const Datum* overrides) {
    ToolOverrides how = read_overrides(overrides);
    if (!how.description) how.description = text_of(row, "doc");
    const Datum* action = row.find("do");
    if (action && action->find("positional"))
        return from_fn(text_of(row, "name"), text_of(row, "signature"), positional(*action), how);
    Tool tool{.name = text_of(row, "name"), .signature = text_of(row, "signature")};
    tool.function = scripted_tool(tool.name, row);
    return with_overrides(std::move(tool), how);
}

Result<std::vector<Tool>> read_row_tools(const Datum::List& rows) {
    std::vector<Tool> tools;
    for (const Datum& row : rows)
        tools.push_back(PTC_TRY(read_function(row, &row)));
    return tools;
}

Result<Datum> schema_record(const Tool& tool) {
    const ToolSchema schema = PTC_TRY(schema_of(tool));
    std::vector<std::pair<std::string, Datum>> members = {
        {"name", schema.name}, {"input-schema", PTC_TRY(Datum::from_json(schema.input_schema_json))}};
    if (!schema.output_schema_json.empty())
        members.emplace_back("output-schema", PTC_TRY(Datum::from_json(schema.output_schema_json)));
    if (!schema.description.empty()) members.emplace_back("description", schema.description);
    return Datum::object(std::move(members));
}

/// Each gives what `expect` is compared with.
Result<Datum> find_record(const Datum& row) {
    const std::vector<Tool> tools = PTC_TRY(read_row_tools(items_of(row, "tools")));
    const Tool* found = find_by_name(tools, text_of(row, "name"));
    return Datum::object({{"found", found ? Datum(found->name) : Datum()}});
}

Result<Datum> names_record(const Datum& row) {
    std::vector<std::string> names;
    for (const Datum& entry : items_of(row, "entries")) {
        const Datum* made = entry.find("tool");
        const Datum* function = entry.find("fn");
        if (!made && !function) return Error(Reason::InvalidRequest, "an entry is neither `fn` nor `tool`");
        const Tool tool = PTC_TRY(read_function(made ? *made : *function, made));
        names.push_back(for_agent(tool).at(0).name);
    }
    return Datum::object({{"names", Datum::texts(names)}});
}

Result<Datum> dispatch_record(const Datum& row) {
    const std::vector<Tool> tools = PTC_TRY(read_row_tools(items_of(row, "tools")));
    const Datum* call = row.find("call");
    const Datum* input = call ? call->find("input") : nullptr;
    if (!input) return Error(Reason::InvalidRequest, "the row has no call with an input");
    const ToolResult result =
        dispatch(tools, {.id = text_of(*call, "id"), .name = text_of(*call, "name"), .arguments = *input});
    return Datum::object({{"id", result.id}, {"output", result.output}, {"is-error", result.is_error}});
}

Result<Datum> record_of(const Datum& row) {
    const std::string op = text_of(row, "op");
    const Datum* tool = row.find("tool");
    if (op == "schema" && tool) return schema_record(PTC_TRY(read_function(*tool, row.find("overrides"))));
    if (op == "find") return find_record(row);
    if (op == "for_agent") return names_record(row);
    if (op == "dispatch") return dispatch_record(row);
    return Error(Reason::InvalidRequest, "there is no operation `" + op + "`");
}

} // namespace

std::string tool_row_difference(const Datum& row) {
    const Result<Datum> actual = record_of(row);
    if (!actual.ok()) return actual.error().message;
    const Datum* expect = row.find("expect");
    if (!expect || !expect->map()) return "the row has no `expect`";
    Datum::Map exact;
    for (const auto& [key, value] : *expect->map()) {
        if (*key.text() != "output_contains") {
            exact.emplace_back(key, value);
        } else if (text_of(actual.value(), "output").find(*value.text()) == std::string::npos) {
            return expected_but("output_contains", value, actual.value());
        }
    }
    // Of a call the row may leave its output out; schemas are compared in full.
    const bool is_subset = text_of(row, "op") == "dispatch";
    return same_datum(Datum(exact), actual.value(), is_subset) ? "" : expected_but("record", *expect, actual.value());
}

} // namespace ptc
