// `ptcc check`: programs are compiled with every tool accepted, or with those of --tools, and what the compiler and the
// checker report is collected over all files, so that text ends in one summary and JSON is one line. Data files are
// read only to learn which fields their records have.
#include "compiler/check/type_facts.h"
#include "frontend/json_writer.h"
#include "frontend/render.h"
#include "frontend/try.h"
#include "subagent/engine/data_set_impl.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "tools/run_options.h"
#include "vm/program.h"
#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Nothing is run. Without --tools every tool name is accepted; with it, arguments are checked against the signatures and
fields of results as well. --mcp takes the tools that its servers had when a command last asked them. With --data, reads of other data and of fields that no record of the data has are warned of.
--memory names what earlier programs of the session have defined.
--format json writes one line: {"diagnostics": [{"file", "severity", "reason", "message", "line", "column", "offset",
"length", "hint"?, "edits"?}]}; offsets and lengths are bytes, the edits of a diagnostic are applied together.
Exits 0 when there are no errors, 1 when there are, 2 when a file cannot be read.

Examples:
  ptcc check report.ptc --tools tools.json --data orders=orders.json
  cat report.ptc | ptcc check - --format json
  ptcc check second_turn.ptc --memory totals --memory seen)";

struct Options {
    std::vector<std::string> files;
    std::string tools;
    std::string mcp;
    std::vector<std::string> data;
    std::vector<std::string> memory;
    std::vector<std::string> preludes;
    std::string format = "text";
    bool requires_sandbox = false;
    std::int64_t timeout_ms = kUnhurriedMs;
};

/// What was found in all files.
class Findings {
public:
    explicit Findings(bool json, bool color) : json_(json) { render_.color = color; }

    void add(const Source& source, const Diagnostics& diagnostics) {
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            if (diagnostic.severity == Severity::Error)
                ++errors_;
            else
                ++warnings_;
            if (!json_)
                text_ += render_text(source, diagnostic, render_);
            else
                text_ += (text_.empty() ? "" : ",") + render_json(source, diagnostic);
        }
        dropped_ += diagnostics.dropped();
    }

    [[nodiscard]] std::string text() const { return json_ ? json_line() : text_ + summary(); }
    [[nodiscard]] bool has_errors() const { return errors_ > 0; }

private:
    [[nodiscard]] std::string json_line() const {
        JsonObject json;
        json.raw("diagnostics", "[" + text_ + "]");
        if (dropped_ > 0) json.number("dropped", static_cast<std::int64_t>(dropped_));
        return json.finish() + "\n";
    }
    [[nodiscard]] std::string summary() const {
        if (text_.empty()) return "";
        const auto count = [](std::size_t n, const char* what) {
            return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
        };
        return count(errors_, "error") + ", " + count(warnings_, "warning") +
               (dropped_ > 0 ? "; " + std::to_string(dropped_) + " more not shown" : "") + "\n";
    }

    bool json_;
    RenderOptions render_;
    std::string text_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
    std::size_t dropped_ = 0;
};

using Names = std::vector<std::string>;

Result<void> check_file(const Options& options, const Engine& engine, const Names& data, const DataFacts& facts,
                        const std::string& path, Findings& findings) {
    const std::vector<std::string_view> memory(options.memory.begin(), options.memory.end());
    Compiled compiled =
        PTC_TRY(load_program(engine, path,
                             {.any_tool = options.tools.empty() && options.mcp.empty(),
                              .strict_arguments = true,
                              .memory = memory,
                              .data = facts.all(),
                              .data_names = options.data.empty() ? std::function<Names()>() : [&] { return data; }}));
    const Source& source = compiled ? compiled.program->source : compiled.source;
    findings.add(source, compiled.diagnostics);
    return {};
}

int run(const Options& options, Console& console) {
    std::vector<std::string> files = options.files;
    if (!options.tools.empty()) files.push_back(options.tools);
    if (!options.mcp.empty()) files.insert(files.end(), {options.mcp, mcp_catalog_file(options.mcp)});
    const Result<void> confined = confine_command(options.requires_sandbox, files, options.data, options.preludes);
    if (!confined.ok()) return console.usage_error(confined.error());
    auto tools = load_tools(options.tools);
    if (!tools.ok()) return console.usage_error(tools.error());
    auto upstream = load_mcp_catalog(options.mcp, console.err);
    if (!upstream.ok()) return console.usage_error(upstream.error());
    std::ranges::move(upstream.value(), std::back_inserter(tools.value()));
    const auto data = data_names(options.data);
    if (!data.ok()) return console.usage_error(data.error());
    const auto loaded = load_data(options.data);
    if (!loaded.ok()) return console.usage_error(loaded.error());
    DataFacts facts;
    for (const auto& set : loaded.value()) {
        Heap heap; // for what looking at them needs
        const Result<void> added = facts.add(heap, Value::adopt(impl_of(*set).root));
        if (!added.ok()) return console.usage_error(added.error());
    }
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine({.tools = std::move(tools).value(),
                         .limits = unhurried(options.timeout_ms),
                         .preludes = std::move(preludes).value()});
    Findings findings(options.format == "json", console.out.has_color());
    for (const auto& [source, diagnostics] : prelude_errors(engine, options.tools.empty() && options.mcp.empty()))
        findings.add(source, diagnostics);
    int code = kSuccess;
    for (const std::string& path : options.files) {
        const Result<void> checked = check_file(options, engine, data.value(), facts, path, findings);
        if (!checked.ok()) code = console.usage_error(checked.error());
    }
    console.out.write(findings.text());
    return code == kSuccess && findings.has_errors() ? kFailed : code;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.texts("FILE", &options->files, "The programs, - for standard input").required();
    line.text("--tools", &options->tools, "The tools that there are: {\"name\": {\"signature\": \"..\"}}")
        .value_name("TOOLS.json");
    add_mcp_option(line, &options->mcp);
    add_data_option(line, &options->data);
    line.texts("--memory", &options->memory,
               "A name that an earlier program of the session has defined; may be repeated")
        .value_name("NAME");
    add_prelude_option(line, &options->preludes);
    add_unhurried_option(line, &options->timeout_ms);
    add_sandbox_option(line, &options->requires_sandbox);
    line.text("--format", &options->format, "What to write").one_of({"text", "json"}).show_default();
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kCheckCommand{"check", "Finds what is wrong with programs, without running them.", declare};

} // namespace ptc
