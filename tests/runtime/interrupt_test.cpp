// Nothing that takes long is done at one go: a call that is interrupted before it begins ends at its first look at the
// meter, however much fuel there is. Work that never looks would finish instead.
#include "runtime/clock.h"
#include "tests/runtime/builtin_program.h"
#include "tests/support/named_calls.h"
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

// Work that is paid for at once, and is large, looks while it is done: here no charge does, as the slice has no end.
class WorkPaidForAtOnce : public BuiltinProgram {
protected:
    void expect_interrupted(const std::string& name, std::vector<Value> args) {
        const std::atomic<bool> interrupt = true;
        constexpr std::int64_t kMuch = std::int64_t{1} << 40;
        heap.meter.start(kMuch, Meter::Clock::time_point::max(), &interrupt, kMuch);
        const Result<Value> result = call(name, std::move(args));
        heap.meter.start(kMuch, Meter::Clock::time_point::max(), nullptr);
        EXPECT_TRUE(!result.ok() && result.error().reason == Reason::Interrupted) << name;
    }
    Value made(const std::string& source) { return evaluate(source).value(); }
    Value text(char c) { return make_string(heap, std::string(std::size_t{2} << 20, c)).value(); }
};

TEST_F(WorkPaidForAtOnce, CanBeInterrupted) {
    expect_interrupted("sort", values(made("(reverse (range 100000))")));
    expect_interrupted("sort", values(made("(vec (range 100000))"))); // in order already
    expect_interrupted("str", values(text('x'), text('y')));
    expect_interrupted("upper-case", values(text('x')));
    expect_interrupted("lower-case", values(text('X')));
    expect_interrupted("concat", values(made("(vec (range 2))"), made("(vec (range 200000))")));
}

TEST_F(WorkPaidForAtOnce, OfATextThatGrowsCanBeInterrupted) {
    const std::atomic<bool> interrupt = true;
    constexpr std::int64_t kMuch = std::int64_t{1} << 40;
    const std::string piece(std::size_t{256} << 10, 'x'); // short enough to be copied at once
    const auto make = [&](std::size_t pieces, bool interrupts) {
        StringBuilder out(heap);
        heap.meter.start(kMuch, Meter::Clock::time_point::max(), interrupts ? &interrupt : nullptr, kMuch);
        for (std::size_t i = 0; i < pieces && out.append(piece); ++i) {
        }
        Result<Value> made = out.finish();
        heap.meter.start(kMuch, Meter::Clock::time_point::max(), nullptr);
        return made;
    };
    const Result<Value> grown = make(12, true);
    ASSERT_FALSE(grown.ok());
    EXPECT_EQ(grown.error().reason, Reason::Interrupted);
    EXPECT_TRUE(make(12, false).ok());
    EXPECT_EQ(heap.live_bytes(), 0u);
}

TEST_F(WorkPaidForAtOnce, OfAVectorThatGrowsCanBeInterrupted) {
    constexpr std::size_t kItems = 600'000;
    VectorBuilder builder(heap);
    ASSERT_TRUE(builder.reserve(kItems));
    for (std::size_t i = 0; i < kItems; ++i)
        ASSERT_TRUE(builder.push(Value::small_integer(1)));
    Value full = builder.finish().value();
    const std::atomic<bool> interrupt = true;
    constexpr std::int64_t kMuch = std::int64_t{1} << 40;
    heap.meter.start(kMuch, Meter::Clock::time_point::max(), &interrupt, kMuch);
    Result<Value> longer = std::move(full);
    for (std::size_t more = 0; longer.ok() && more < kItems; ++more) // it has some room at first
        longer = vector_conj(heap, std::move(longer).value(), Value::small_integer(2));
    heap.meter.start(kMuch, Meter::Clock::time_point::max(), nullptr);
    EXPECT_TRUE(!longer.ok() && longer.error().reason == Reason::Interrupted);
}

} // namespace
} // namespace ptc::test
