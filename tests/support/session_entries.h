// Rows of programs that a session runs one after the other, and what the last one gives: plain, through bytes before
// each, or with each run settled by the host.
#pragma once
#include "ptc/engine.h"
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ptc::test {

struct Entries {
    std::vector<const char*> programs;
    const char* value; ///< of the last one
};

enum class EntryWay { Plain, Saved, Settled };

inline void run_entries(const Engine& engine, const Entries& row, EntryWay way) {
    auto session = std::make_unique<Session>(engine);
    Outcome last;
    for (const char* program : row.programs) {
        last = session->run(program, {.may_undo = way == EntryWay::Settled});
        ASSERT_TRUE(last.ok()) << row.programs[0] << " .. " << program << ": " << last.error->message;
        if (way == EntryWay::Settled) session->settle(true);
        // Fails where a value is made of code that the session does not have.
        const Result<std::string> bytes = session->save();
        ASSERT_TRUE(bytes.ok()) << program << ": " << bytes.error().message;
        if (way != EntryWay::Saved) continue;
        Result<std::unique_ptr<Session>> restored = Session::restore(engine, bytes.value());
        ASSERT_TRUE(restored.ok()) << restored.error().message;
        session = std::move(restored).value();
    }
    EXPECT_EQ(last.value, row.value) << row.programs[0] << " .. " << row.programs.back();
}

inline void run_entries(std::span<const Entries> rows, EntryWay way) {
    const Engine engine;
    for (const Entries& row : rows)
        run_entries(engine, row, way);
}

} // namespace ptc::test
