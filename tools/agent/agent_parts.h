// What missions from the command line are made of: models and tools by their specifications, and how they are shown.
#pragma once
#include "ptc/providers.h"
#include "tools/agent/agent_options.h"
#include "tools/io.h"
#include <chrono>
#include <memory>
#include <string>

namespace ptc {

class ProgramPool;

/// The JSON object in a file. invalid_request names the file.
Result<Datum> read_object(const std::string& path);

/// Makers of tools whose rows have "cmd" or "do"; a call of the former fails after `timeout`. `pool`: of programs; null
/// where each has one process.
PartMakers command_line_parts(std::chrono::milliseconds timeout, std::shared_ptr<ProgramPool> pool = {});

/// The models that have names: of the file too, "" for none.
Result<ModelCatalog> read_catalog(const std::string& path);

/// A model by its specification: cmd:PROGRAM, script:FILE, or one of `catalog`. `given`: replies of a script that were
/// given before. `pool` as of command_line_parts.
Result<Llm> read_model(const std::string& spec, const ModelCatalog& catalog, std::size_t given = 0,
                       std::shared_ptr<ProgramPool> pool = {});

/// Prints on standard error what happens, in brief or with `verbose` all of it.
void show_event(const MissionEvent& event, bool verbose, Console& console);

} // namespace ptc
