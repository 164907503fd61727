#include "ptc/engine.h"
#include "subagent/engine_impl.h"
#include <algorithm>
#include <cstdlib>

namespace ptc {

Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() = default;

namespace {

unsigned worker_count(const EngineOptions& options) {
    if (options.threads) return *options.threads;
    return std::max(1u, std::thread::hardware_concurrency()) - 1; // the session's own thread works too
}

/// Text that is no signature promises nothing: nothing is checked against it.
ToolInfo tool_info(const Tool& tool) {
    ToolInfo info{tool.name, tool.description};
    Result<Signature> signature = parse_signature(tool.signature);
    if (signature.ok()) info.signature = std::move(signature).value();
    return info;
}

} // namespace

Engine::Impl::Impl(EngineOptions o) : options(std::move(o)), workers(worker_count(options)), callers(options.tool_threads) {
    for (const Tool& tool : options.tools) tools.push_back(tool_info(tool));
    Diagnostics diagnostics;
    compile_core(core, diagnostics);
    // The core library's source is part of the build: that it compiles is an invariant, which a test watches.
    if (diagnostics.has_errors()) std::abort();
}

const Tool* Engine::Impl::find_tool(std::string_view name) const {
    for (const Tool& tool : options.tools) {
        if (tool.name == name) return &tool;
    }
    return nullptr;
}

Compiled Engine::Impl::compile(std::string_view source, std::string_view file_name,
                               std::span<const std::string_view> names, bool any_name, const Limits& limits) const {
    Compiled result;
    CompileOptions compile_options;
    compile_options.environment.globals = names;
    compile_options.environment.any_global = any_name;
    compile_options.environment.tools = tools;
    compile_options.limits.max_source_bytes = limits.max_source_bytes;
    compile_options.limits.max_nesting = limits.max_nesting;
    compile_options.limits.max_symbols = limits.max_symbols;
    compile_options.limits.max_constants = limits.max_constants;
    compile_options.limits.max_work = limits.fuel;
    compile_options.warnings = options.warnings;
    std::unique_ptr<Program> program =
        ptc::compile(Source(std::string(file_name), std::string(source)), compile_options, core, result.diagnostics);
    if (!program || !result.diagnostics.all().empty())
        result.source = Source(std::string(file_name), std::string(source));
    result.diagnostics.sort();
    result.program = std::move(program);
    return result;
}

Compiled Engine::compile(std::string_view source, std::string_view file_name, const std::vector<std::string>& names,
                         bool any_name) const {
    const std::vector<std::string_view> views(names.begin(), names.end());
    return impl_->compile(source, file_name, views, any_name, impl_->options.limits);
}

Outcome Engine::run(const ProgramPtr& program, const RunOptions& options) const {
    return Session(*this).run(program, options);
}
Outcome Engine::run(std::string_view source, const RunOptions& options) const {
    return Session(*this).run(source, options);
}

std::string_view Outcome::kind_name() const {
    switch (kind) {
    case Kind::Ok: return "ok";
    case Kind::Return: return "return";
    case Kind::Fail: return "fail";
    case Kind::Error: return "error";
    }
    return "error";
}

} // namespace ptc
