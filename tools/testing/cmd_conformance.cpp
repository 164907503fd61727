#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "tools/batch.h"
#include "tools/command.h"
#include "tools/testing/conformance.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(A row is a JSON object on a line; tests/conformance/README.md has its members. Writes {"id", "ok", "why"} a row, then
`N passed, M failed`; exits 0 only if all passed.

Examples:
  ptcc conformance tests/conformance/core.jsonl
  ptcc conformance tests/conformance/*.jsonl | grep '"ok":false')";

// Rows are about what programs mean: fuel bounds them on every machine alike, a slow machine fails none.
constexpr std::chrono::milliseconds kRowTimeout{10'000};

struct Counts {
    std::size_t passed = 0;
    std::size_t failed = 0;
};

void check_line(RowRunner& runner, const std::string& path, RowKind kind, const InputLine& line, Counts& counts,
                Output& out) {
    RowResult result = runner.check(line.text, kind);
    if (result.id == "null" && !result.ok()) result.why = path + ":" + std::to_string(line.number) + ": " + result.why;
    ++(result.ok() ? counts.passed : counts.failed);
    out.line(JsonObject().raw("id", result.id).boolean("ok", result.ok()).text("why", result.why).finish());
}

Result<void> check_file(RowRunner& runner, const std::string& path, Counts& counts, Output& out) {
    const RowKind kind = row_kind_of(path);
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    InputLine line;
    for (std::size_t begin = 0; begin < text.size() && out.ok(); begin += line.text.size() + 1) {
        line.text = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
        ++line.number;
        if (!is_blank_line(line.text)) check_line(runner, path, kind, line, counts, out);
    }
    return {};
}

int run(const std::vector<std::string>& files, Console& console) {
    Limits limits;
    limits.timeout = kRowTimeout;
    RowRunner runner(limits);
    Counts counts;
    int code = kSuccess;
    for (const std::string& path : files) {
        const Result<void> checked = check_file(runner, path, counts, console.out);
        if (!checked.ok()) code = console.usage_error(checked.error());
    }
    console.out.line(std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed");
    return code == kSuccess && counts.failed > 0 ? kFailed : code;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto files = std::make_shared<std::vector<std::string>>();
    line.texts("FILE", files.get(), "JSONL files of rows").required();
    return [files](Console& console) { return run(*files, console); };
}

} // namespace

const Command kConformanceCommand{"conformance", "Runs rows of program and expected result.", declare};

} // namespace ptc
