// Rows of limits that are tried at their edges: what works, one beyond it, and what comes behind a refusal.
#pragma once
#include "ptc/diagnostic.h"
#include "ptc/engine.h"
#include "tests/support/repeated_text.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace ptc::test {

/// "ok", or the reason of the error.
inline std::string end_of(const Error& error) { return std::string(reason_name(error.reason)); }
template <class T> std::string end_of(const Result<T>& result) { return result.ok() ? "ok" : end_of(result.error()); }
inline std::string end_of(const Outcome& outcome) { return outcome.error ? end_of(*outcome.error) : "ok"; }
inline std::string end_of(const Diagnostics& diagnostics) {
    return diagnostics.all().empty() ? "ok" : end_of(diagnostics.all().front().error);
}
inline std::string end_of(const Compiled& compiled) { return compiled ? "ok" : end_of(compiled.diagnostics); }

/// The least number with which an attempt works, that is, gives "ok"; it works with any larger one, and with 2^40.
inline std::uint64_t least_that_works(const std::function<std::string(std::uint64_t)>& attempt) {
    std::uint64_t low = 0, high = 1;
    while (attempt(high) != "ok") {
        low = std::exchange(high, 2 * high);
        if (high > std::uint64_t{1} << 40) {
            ADD_FAILURE() << "It works with nothing: " << attempt(low);
            return high;
        }
    }
    while (low + 1 < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        (attempt(middle) == "ok" ? high : low) = middle;
    }
    return high;
}

/// Makes something of a size, at an entry point that has a limit.
struct Row {
    const char* entry;
    const char* limit;
    std::size_t most;   ///< what works
    const char* reason; ///< of the end of what is one larger
    std::function<std::string(std::size_t size)> attempt;
};

inline void expect_edges(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.entry) + ", " + row.limit);
        EXPECT_EQ(row.attempt(row.most), "ok");
        EXPECT_EQ(row.attempt(row.most + 1), row.reason);
        EXPECT_EQ(row.attempt(row.most), "ok") << "after a refusal";
    }
}

} // namespace ptc::test
