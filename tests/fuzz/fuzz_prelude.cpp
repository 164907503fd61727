// Any bytes as the text of a prelude. Either it is refused, with a bounded message, and then no program runs; or its
// exports are callable by the names and usages that it says, and programs run as they did.
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/program_host.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

using namespace ptc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    EngineOptions options = fuzz::engine_options();
    options.preludes = {{"fuzz.ptc", std::string(reinterpret_cast<const char*>(data), size)}};
    const Engine engine(std::move(options));
    for (const Error& problem : engine.problems())
        fuzz::check_error(problem);
    const Outcome outcome = engine.run("(+ 40 2)", fuzz::run_options());
    if (!engine.problems().empty()) {
        FUZZ_CHECK(outcome.error && !outcome.ok());
        return 0;
    }
    FUZZ_CHECK(outcome.ok() && outcome.value == "42");
    for (const ExportedNamespace& space : engine.exports()) {
        for (const Export& member : space.exports) {
            FUZZ_CHECK(engine.compile(member.name));
            const Outcome called =
                engine.run(member.is_function ? "(" + member.name + " 1)" : member.name, fuzz::run_options());
            FUZZ_CHECK(!called.error || called.error->reason != Reason::UnboundVar || called.error->has_span);
        }
    }
    return 0;
}
