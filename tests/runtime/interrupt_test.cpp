// Nothing that takes long is done at one go: a call that is interrupted before it begins ends at its first look at the
// meter, however much fuel there is. Work that never looks would finish instead.
#include "runtime/clock.h"
#include "tests/support/named_calls.h"
#include <atomic>
#include <gtest/gtest.h>

namespace ptc::test {
namespace {

TEST(Interrupt, EndsInsideOfOneCall) {
    const std::string dear = "#\"(a*)(a*)(a*)(a*)(a*)(a*)..\"";
    const NamedCall calls[] = {
        {"Character/isLetter", {"one grapheme"}},
        {"Character/toUpperCase", {"one grapheme"}},
        {"escape", {"one grapheme", "{:k :j}"}},
        {"split", {"one grapheme", "\"\""}},
        {"split", {"umlauts", "one grapheme"}},
        {"format", {"\"%5s\"", "one grapheme"}},
        {"json/generate-string", {"newlines"}},
        {"count", {"one grapheme"}},
        {"subs", {"many graphemes", "2"}},
        {"seq", {"many graphemes"}},
        {"reverse", {"one grapheme"}},
        {"string/reverse", {"one grapheme"}},
        {"upper-case", {"umlauts"}},
        {"lower-case", {"capital sigmas"}},
        {"capitalize", {"one grapheme"}},
        {"trim", {"wide blanks"}},
        {"trimr", {"wide blanks"}},
        {"trim-newline", {"newlines"}},
        {"blank?", {"blanks"}},
        {"json/parse-lines", {"blanks"}},
        {"json/parse-lines", {"newlines"}},
        {"json/parse-string", {"rows"}},
        {"json/parse-string", {"odd rows"}},
        {"json/parse-string", {"cut rows"}},
        {"json/parse-string", {"escaped text"}},
        {"edn/read-string", {"blanks"}},
        {"split-lines", {"newlines"}},
        {"re-find", {dear.c_str(), "aa..aB"}},
        {"re-matches", {dear.c_str(), "aa..ab"}},
        {"re-find", {"#\"(a|b)*a(a|b){12}b\"", "random ab"}},
        {"*", {"7.. (200,000 digits)", "7.. (200,000 digits)"}},
        {"quot", {"2^600,000", "-10^9000"}},
        {"str", {"2^600,000"}},
    };
    HostileCalls world(std::size_t{1} << 20);
    const std::atomic<bool> interrupt = true;
    each_of(world, calls, [&](const Builtin& row, const HostileCalls::Places& places) {
        world.heap().meter.start(std::int64_t{1} << 40, Meter::Clock::time_point::max(), &interrupt);
        const Result<Value> result = world.call(row, places);
        // What cannot fail half-way gives something arbitrary; the next charge fails.
        EXPECT_TRUE(result.ok() ? world.heap().meter.has_run_out() : result.error().reason == Reason::Interrupted)
            << world.name(row, places);
    });
}

} // namespace
} // namespace ptc::test
