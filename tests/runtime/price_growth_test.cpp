// What a unit of fuel buys at worst, in instructions: the calls of the price list (bench/PRICES.md) that were dear
// once.
#include "runtime/clock.h"
#include "tests/support/growth.h"
#include "tests/support/named_calls.h"

namespace ptc::test {
namespace {

// A unit of fuel is about 30 instructions in the median of all functions; nothing may be above 20 times that. The fuel
// is one slice, so that work which is done before it is paid for counts too.
TEST(PriceGrowth, NoUnitOfFuelBuysMoreThanTwentyTimesTheMedian) {
    constexpr std::size_t kBytes = std::size_t{1} << 18;
    constexpr std::uint64_t kMost = 20 * 30, kCall = 20 * kBytes; // an automaton reads the text before it is paid
    const std::string dear = "#\"(a*)(a*)(a*)(a*)(a*)(a*)..\"";
    const NamedCall calls[] = {
        {"Character/isLetter", {"one grapheme"}},
        {"Character/digit", {"one grapheme", "2"}},
        {"escape", {"one grapheme", "{:k :j}"}},
        {"split", {"one grapheme", "\"\""}},
        {"format", {"\"%5s\"", "one grapheme"}},
        {"string/reverse", {"many graphemes"}},
        {"capitalize", {"capital sigmas"}},
        {"upper-case", {"sharp s"}},
        {"count", {"one grapheme"}},
        {"trim", {"wide blanks"}},
        {"blank?", {"blanks"}},
        {"json/parse-lines", {"blanks"}},
        {"json/parse-lines", {"newlines"}},
        {"json/parse-lines", {"blank lines"}},
        {"edn/read-string", {"blanks"}},
        {"split-lines", {"newlines"}},
        {"index-of", {"random ab", "random ab"}},
        {"includes?", {"random ab", "random ab"}},
        {"replace", {"0.000..1", "#\"\"", "dollars"}},
        {"replace-first", {"abab..", "#\"a+b?\"", "\"a\""}},
        {"String/join", {"0.digits", "set of texts"}},
        {"json/generate-string", {"newlines"}},
        {"json/write-str", {"quotes"}},
        {".indexOf", {"random ab", "random ab"}},
        {"bigint", {"digits"}},
        {"Pattern/compile", {"aa..ab", "2"}},
        {"re-find", {dear.c_str(), "aa..aB"}},
        {"re-matches", {dear.c_str(), "aa..ab"}},
        {"re-seq", {dear.c_str(), "aa..ab"}},
        {"re-find", {"#\"(a{1,30}){1,30}b\"", "aa..aB"}},
        {"re-seq", {"#\"\\p{L}+\\d\"", "keys"}},
        {"*", {"7.. (200,000 digits)", "7.. (200,000 digits)"}},
        {"quot", {"2^600,000", "-10^9000"}},
        {".gcd", {"10^300", "2^600,000"}},
        {".remainder", {"2^600,000", "1e300"}},
        {"str", {"2^600,000"}},
    };
    HostileCalls world(kBytes);
    each_of(world, calls, [&](const Builtin& row, const HostileCalls::Places& places) {
        world.heap().meter.start(Meter::kSlice, Meter::Clock::time_point::max(), nullptr);
        const std::uint64_t count = instructions([&] { (void)world.call(row, places); });
        ASSERT_GT(count, 0u) << "nothing was counted: run this under callgrind, as ctest does";
        EXPECT_LT(count, kMost * static_cast<std::uint64_t>(world.fuel(row)) + kCall)
            << world.name(row, places) << ": " << world.fuel(row) << " units";
    });
}

// The dearest of bench/PRICES.md: automata that are made of patterns which are dear to make, and texts that are dear to
// read. The median of the dearest call of each function is 147 instructions a unit.
TEST(PriceGrowth, TheDearestCallsAreBelowTwentyTimesTheMedianOfTheDearest) {
    constexpr std::uint64_t kMost = 20 * 100;
    const std::string dear = "#\"(a{1,30}){1,30}b\"";
    const NamedCall calls[] = {
        {"re-find", {dear.c_str(), "random ab"}},
        {"extract", {dear.c_str(), "random ab"}},
        {"extract-int", {dear.c_str(), "random ab"}},
        {"re-seq", {dear.c_str(), "deep brackets"}},
        {"re-split", {dear.c_str(), "deep brackets"}},
        {".split", {"deep brackets", dear.c_str()}},
        {".matches", {"deep brackets", dear.c_str()}},
        {"re-matches", {"#\"(a|b)*a(a|b){12}b\"", "random ab"}},
        {"BigDecimal.", {"0.000..1"}},
        {"json/parse-lines", {"0.000..1"}},
        {"escape", {"many graphemes", "map of texts"}},
        {"json/write-str", {"blank lines"}},
        {"frequencies", {"short texts"}},
    };
    HostileCalls world(std::size_t{1} << 16);
    each_of(world, calls, [&](const Builtin& row, const HostileCalls::Places& places) {
        world.heap().meter.start(Meter::kSlice, Meter::Clock::time_point::max(), nullptr);
        const std::uint64_t count = instructions([&] { (void)world.call(row, places); });
        ASSERT_GT(count, 0u) << "nothing was counted: run this under callgrind, as ctest does";
        EXPECT_LT(count, kMost * static_cast<std::uint64_t>(world.fuel(row)))
            << world.name(row, places) << ": " << world.fuel(row) << " units";
    });
}

} // namespace
} // namespace ptc::test
