#include "subagent/engine_impl.h"
#include "tools/command.h"
#include "tools/reference.h"
#include <CLI/CLI.hpp>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Every special form and function: how to call it, what it gives, an example, what it costs, and where it differs from
Clojure.

Examples:
  ptcc reference > REFERENCE.md
  ptcc reference | grep -A3 group-by)";

int run(Console& console) {
    const Engine engine;
    console.out.write(reference_page(engine.impl().core));
    return kSuccess;
}

} // namespace

Command reference_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("reference", "Prints the reference of the language as Markdown.")->footer(kFooter);
    return {command, run};
}

} // namespace ptc
