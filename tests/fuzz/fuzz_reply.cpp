// Any bytes as a model's reply: the program in it, if there is one, is found with work that is a multiple of the reply,
// is no longer than it by much, and finding it again in itself gives the same.
#include "subagent/agent/response.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/work.h"

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view reply(reinterpret_cast<const char*>(data), size);
    const ptc::fuzz::Measure measure;
    const auto program = ptc::find_program(reply);
    ptc::fuzz::check_work("finding the program", measure.taken(), size, 40);
    if (!program) return 0;
    FUZZ_CHECK(!program->blocks.empty());
    std::size_t bytes = 0;
    for (const std::string& block : program->blocks) {
        FUZZ_CHECK(!block.empty() && ptc::trimmed(block) == block);
        bytes += block.size();
    }
    FUZZ_CHECK(bytes <= 3 * size + 16);
    return 0;
}
