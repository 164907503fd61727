// Single ones of the hostile calls, by the names of function and arguments.
#pragma once
#include "tests/support/hostile_calls.h"
#include <gtest/gtest.h>
#include <initializer_list>
#include <span>

namespace ptc::test {

struct NamedCall {
    const char* builtin;
    std::initializer_list<const char*> arguments;
};

/// Calls `work(row, places)` for each of them; a name that there is not fails the test.
template <class Work> void each_of(const HostileCalls& world, std::span<const NamedCall> calls, const Work& work) {
    for (const NamedCall& call : calls) {
        const int index = find_builtin(call.builtin);
        ASSERT_GE(index, 0) << call.builtin;
        HostileCalls::Places places;
        for (const char* argument : call.arguments) {
            places.push_back(world.place_of(argument));
            ASSERT_TRUE(world.has(places.back())) << argument;
        }
        work(builtin_at(static_cast<std::uint32_t>(index)), places);
    }
}

} // namespace ptc::test
