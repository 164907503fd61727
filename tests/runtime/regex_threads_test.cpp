#include "runtime/regex.h"
#include "tests/runtime/text_world.h"
#include <thread>

namespace ptc::test {
namespace {

// The first search makes the scanner's table, whichever thread it is in.
TEST(FrozenRegex, IsFirstUsedByManyThreadsAtOnce) {
    for (int round = 0; round < 50; ++round) {
        Heap data(Heap::Mode::Frozen);
        const Value regex = make_regex(data, "(\\w+)@(\\w+)").value();
        const auto work = [&](std::size_t* end) {
            Heap own;
            RegexSearch search(own, regex, "to ann@home");
            if (search.next().value()) *end = search.match().end;
        };
        std::size_t ends[3] = {};
        std::thread first(work, &ends[0]), second(work, &ends[1]);
        work(&ends[2]);
        first.join();
        second.join();
        for (const std::size_t end : ends)
            ASSERT_EQ(end, 11u);
    }
}

} // namespace
} // namespace ptc::test
