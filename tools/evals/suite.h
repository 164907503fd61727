// A folder of missions with what is expected of them: DIR/suite.json, which all cases share, DIR/cases.jsonl and the
// files of DIR/cases. tools/README.md has the members.
#pragma once
#include "tools/agent/agent_arguments.h"
#include "tools/evals/grader.h"
#include <string>
#include <vector>

namespace ptc {

struct EvalCase {
    std::string id;  ///< fit for the name of a file
    Datum agent;     ///< the row that read_agent takes
    Datum context;   ///< a map
    Datum expected;  ///< nil for nothing
    Datum llm;       ///< a SPEC, a list of scripted replies, or nil: that of the command line
    Datum judge_llm; ///< the same, of judges that have none
    std::vector<Grader> graders;
    std::size_t runs = 1;
    double min_rate = 1; ///< of the runs that pass, for the case to hold
    [[nodiscard]] std::string prompt() const;
    [[nodiscard]] bool takes_failures() const;
};

struct EvalSuite {
    std::string name; ///< "name", or that of the folder
    std::vector<EvalCase> cases;
    std::vector<std::string> data;     ///< NAME=FILE, as --data has it
    std::vector<std::string> preludes; ///< files
};

/// What the command line says beside the folder. The members of agents that it names stand above all others.
struct EvalRequest {
    AgentArguments agent;
    std::vector<std::string> only; ///< ids; none: all cases
    std::size_t runs = 0;          ///< 0: as the cases say
};

/// invalid_request: what is wrong, with the file and the case.
Result<EvalSuite> read_suite(const std::string& folder, const EvalRequest& request);

} // namespace ptc
