#include "frontend/json_writer.h"
#include "tools/batch.h"
#include "tools/command.h"
#include "tools/testing/scenario.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(A row is a JSON object on a line: an agent with scripted tools, the replies of its model, and what is expected
(tests/conformance/README.md). Writes one result a line: {"id", "ok", "why", "status", "return" or "fail", "turns",
"llm_calls", "tool_calls", "memory", "trace"}; exits 0 only if everything that was expected holds.

Examples:
  ptcc scenario tests/conformance/agent/scenarios.jsonl
  ptcc scenario mine.jsonl | jq .trace)";

std::string result_of(std::string_view line, bool& all_hold) {
    const Result<Datum> row = Datum::from_json(line);
    if (!row.ok() || !row.value().map()) {
        all_hold = false;
        const std::string why = row.ok() ? "a row is a JSON object" : row.error().message;
        return JsonObject().raw("id", "null").boolean("ok", false).text("why", "not a row: " + why).finish();
    }
    ScenarioLine result = scenario_line(row.value());
    all_hold = all_hold && result.holds;
    return std::move(result.json);
}

int run(const std::string& path, Console& console) {
    const Result<std::string> text = read_file(path, kMaxDataBytes);
    if (!text.ok()) return console.usage_error(text.error());
    bool all_hold = true;
    std::string_view rest = text.value();
    while (!rest.empty() && console.out.ok()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (is_blank_line(line)) continue;
        console.out.line(result_of(line, all_hold));
        console.out.flush();
    }
    return all_hold ? kSuccess : kFailed;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto file = std::make_shared<std::string>();
    line.text("FILE", file.get(), "JSONL file of scenarios").required();
    return [file](Console& console) { return run(*file, console); };
}

} // namespace

const Command kScenarioCommand{"scenario", "Runs missions with scripted models.", declare};

} // namespace ptc
