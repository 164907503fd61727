// What work an input took, in counts that are the same on every machine and every day: so that "as fast as it is long"
// is a claim that a fuzz target can check.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ptc::fuzz {

struct Work {
    /// Regions of our own source that were run, as clang's coverage counts them; libraries are not among them.
    std::uint64_t steps = 0;
    /// Bytes asked of malloc and new, freed again or not; a heap's chunks are not among them.
    std::uint64_t bytes = 0;
};

/// False where nothing is counted: only the fuzz preset does. All work is then 0.
bool counts_work();

/// What is done from its making on, by all threads.
class Measure {
public:
    Measure();
    [[nodiscard]] Work taken() const;

private:
    Work before_;
};

/// What the search for the brackets that were meant takes at most: it stops at a number of tokens times hypotheses.
inline constexpr std::uint64_t kBracketSearch = 100'000'000;

/// Aborts when the work on `size` bytes was more than a multiple of size * log(size), `per_byte` steps for each and as
/// many bytes of memory, and `at_once`, which does not depend on the size.
void check_work(const char* what, const Work& work, std::size_t size, std::uint64_t per_byte,
                std::uint64_t at_once = 3'000'000);

} // namespace ptc::fuzz
