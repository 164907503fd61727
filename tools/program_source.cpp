#include "tools/program_source.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include "subagent/engine/engine_impl.h"
#include "tools/io.h"
#include "vm/program_file.h"
#include <chrono>

namespace ptc {
namespace {

Result<Compiled> read_bytecode(const Engine& engine, const std::string& path, std::string_view bytes) {
    auto program = read_program(
        bytes,
        [&engine](std::string_view name, std::uint32_t arity) { return impl_of(engine).find_function(name, arity); },
        impl_of(engine).shared, impl_of(engine).budget(impl_of(engine).options.limits));
    if (!program.ok()) return Error(program.error().reason, path + ": " + program.error().message);
    Compiled result;
    result.program = std::move(program).value();
    return result;
}

} // namespace

Limits unhurried(std::int64_t timeout_ms) {
    Limits limits;
    limits.timeout = std::chrono::milliseconds(timeout_ms);
    return limits;
}

Limits rest_of(Limits limits, Meter::Clock::duration spent) {
    using std::chrono::milliseconds;
    if (limits.timeout.count() > 0)
        limits.timeout = std::max(milliseconds(1), limits.timeout - std::chrono::duration_cast<milliseconds>(spent));
    return limits;
}

std::function<bool()> unhurried_time(std::int64_t timeout_ms) {
    return work_until(Meter::Clock::now() + std::chrono::milliseconds(timeout_ms));
}

void add_unhurried_option(CommandLine& line, std::int64_t* timeout_ms) {
    constexpr std::int64_t kDay = 86'400'000;
    line.number("--timeout-ms", timeout_ms, "Wall-clock time for each program")
        .range(std::int64_t{1}, kDay)
        .show_default();
}

Result<Compiled> load_program(const Engine& engine, const std::string& path, const LoadOptions& options) {
    std::string bytes = PTC_TRY(read_file(path, kMaxBytecodeBytes));
    const auto began = impl_of(engine).now();
    Result<Compiled> loaded = is_program_file(bytes) ? read_bytecode(engine, path, bytes)
                                                     : load_text(engine, path, std::move(bytes), options);
    if (options.took) *options.took = impl_of(engine).now() - began;
    return loaded;
}

Compiled load_text(const Engine& engine, const std::string& path, std::string text, const LoadOptions& options) {
    if (!options.any_tool && !options.strict_arguments)
        return impl_of(engine).compile(text, path, {}, false, impl_of(engine).options.limits, options.data_names);
    CompileOptions compile_options;
    compile_options.environment.any_tool = options.any_tool;
    compile_options.environment.tools = impl_of(engine).tools;
    compile_options.environment.strict_arguments = options.strict_arguments;
    const ListedNames memory(options.memory);
    if (!options.memory.empty()) compile_options.environment.globals = &memory;
    compile_options.environment.declarations = options.declarations;
    compile_options.environment.data = options.data;
    compile_options.environment.data_names = options.data_names;
    compile_options.environment.prelude = impl_of(engine).known_prelude();
    compile_options.budget = impl_of(engine).budget(impl_of(engine).options.limits);
    compile_options.warnings = impl_of(engine).options.warnings;
    Compiled result;
    result.source = Source(path, text);
    result.program = compile(Source(path, std::move(text)), compile_options, impl_of(engine).core, result.diagnostics);
    result.diagnostics.sort();
    return result;
}

} // namespace ptc
