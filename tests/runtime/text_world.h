// A heap with its shapes, and short ways to make and show values, for tests of text in and out.
#pragma once
#include "runtime/clock.h"
#include "runtime/json.h"
#include "runtime/number.h"
#include "runtime/print.h"
#include "runtime/shape.h"
#include "runtime/string.h"
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace ptc::test {

struct TextWorld {
    Heap heap;
    ShapeTable shapes;
    explicit TextWorld(Heap::Mode mode = Heap::Mode::Counted) : heap(mode), shapes(heap) {}

    Value string(std::string_view text) { return make_string(heap, text).value(); }
    Value integer(std::string_view digits) { return parse_integer(heap, digits).value(); }
    std::string show(const Value& v, PrintStyle style = PrintStyle::Readable) {
        return print_to_string(heap, v, style);
    }
    /// The printed value, or "reason: message".
    std::string show(const Result<Value>& r) {
        if (r.ok()) return show(r.value());
        return std::string(r.error().reason == Reason::MemoryExceeded ? "memory_exceeded" : "error") + ": " +
               r.error().message;
    }
    /// What the JSON text prints as.
    std::string json(std::string_view text) { return show(parse_json(heap, shapes, text)); }
    void fuel(std::int64_t units) { heap.meter.start(units, Meter::Clock::time_point::max(), nullptr); }
};

/// A small deterministic generator (xorshift64*).
class Random {
public:
    std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545'F491'4F6C'DD1D;
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

private:
    std::uint64_t state_ = 0x9E37'79B9'7F4A'7C15;
};

/// Runs `action(heap, shapes)` with more and more memory until it succeeds; every failure must be memory_exceeded and
/// leave nothing behind.
template <class Action> void fail_with_every_limit(Action action, std::size_t step = 16) {
    for (std::size_t limit = 0; limit < (std::size_t{1} << 24); limit += step) {
        Heap heap;
        heap.set_limit(limit);
        bool ok = false;
        {
            ShapeTable shapes(heap);
            Result<Value> result = action(heap, shapes);
            ok = result.ok();
            ASSERT_TRUE(ok || result.error().reason == Reason::MemoryExceeded) << limit;
        }
        ASSERT_EQ(heap.live_bytes(), 0u) << limit;
        if (ok) return;
    }
    FAIL() << "no limit was enough";
}

/// The same with more and more fuel.
template <class Action> void fail_with_every_fuel(Action action) {
    for (std::int64_t fuel = 0; fuel < 1'000'000; ++fuel) {
        Heap heap;
        heap.meter.start(fuel, Meter::Clock::time_point::max(), nullptr);
        bool ok = false;
        {
            ShapeTable shapes(heap);
            Result<Value> result = action(heap, shapes);
            ok = result.ok();
            ASSERT_TRUE(ok || result.error().reason == Reason::FuelExhausted) << fuel;
        }
        ASSERT_EQ(heap.live_bytes(), 0u) << fuel;
        if (ok) return;
    }
    FAIL() << "no fuel was enough";
}

} // namespace ptc::test
