// Compiling under a budget: it gives what it gives without one, or ends with one error that says which limit it met.
#include "compiler/compile.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include "tests/support/core.h"
#include "tests/support/repeated_text.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

struct Found {
    bool is_program = false;
    std::vector<std::string> texts;
    friend bool operator==(const Found&, const Found&) = default;
};

Found compile_under(const Meter& budget, const std::string& text, bool only_check = false) {
    Diagnostics diagnostics;
    CompileOptions options;
    options.budget = budget;
    options.only_check = only_check;
    Found found;
    found.is_program = compile(Source("test", text), options, test::core(), diagnostics) != nullptr;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        std::string said = std::string(reason_name(diagnostic.error.reason)) + " " + diagnostic.error.message;
        for (const Edit& edit : diagnostic.error.edits)
            said += " | " + edit.text;
        found.texts.push_back(said + " " + diagnostic.error.hint);
    }
    return found;
}

Meter units(std::int64_t total) {
    Meter budget;
    budget.start(total, Meter::Clock::time_point::max(), nullptr, 1);
    return budget;
}

Meter over() {
    Meter budget;
    budget.start(Meter::kUnlimited, Meter::Clock::time_point::min(), nullptr, 1);
    return budget;
}

/// What each phase has much to do with.
std::vector<std::string> programs() {
    return {
        test::times("(defn f [x] (let [y (inc x)] (if y (map f [y]) {:a y})))\n", 500),  // all is well
        test::times("(do (+ 1 \"a\") (let [unused 1] 2))\n", 500),                       // warnings
        test::times("(prnitln (fooo 1) (mapp inc [1]))\n", 500),                         // names
        test::times("(let [x 1]\n  (println x)\n", 500),                                 // brackets
        test::times("(println \"a)\n", 500),                                             // texts
        test::times("Here is the code:\n```clojure\n(inc 1)\n```\nThat is all.\n", 300), // prose
        test::times("(defn f [x) (inc x])\n", 500),                                      // brackets of the wrong kind
        "(let [x 1] " + test::times("(if (x > 1) (println x) (prinln x))", 500) + "", // a bracket, and names behind it
        "; " + test::times("comment\n; ", 20'000) + "\n1",
    };
}

TEST(CompileBudget, EndsWithOneErrorOrNotAtAll) {
    for (const std::string& text : programs()) {
        const Found whole = compile_under(Meter(), text);
        bool is_whole = false;
        std::size_t ended = 0;
        for (std::int64_t total = 1; !is_whole && total < (std::int64_t{1} << 40); total = total * 3 / 2 + 1) {
            const Found found = compile_under(units(total), text);
            is_whole = found == whole;
            if (is_whole) continue;
            ++ended;
            EXPECT_FALSE(found.is_program);
            ASSERT_EQ(found.texts.size(), 1u) << text.substr(0, 60) << " " << total;
            EXPECT_TRUE(found.texts[0].starts_with("fuel_exhausted")) << found.texts[0];
        }
        EXPECT_TRUE(is_whole) << text.substr(0, 60);
        EXPECT_GT(ended, 5u) << text.substr(0, 60);
    }
}

TEST(CompileBudget, AllOfItIsUnderTheDeadline) {
    for (const std::string& text : programs()) {
        for (const bool only_check : {false, true}) {
            const Found found = compile_under(over(), text, only_check);
            EXPECT_FALSE(found.is_program);
            ASSERT_EQ(found.texts.size(), 1u) << text.substr(0, 60);
            EXPECT_TRUE(found.texts[0].starts_with("timeout Compiling the program took longer")) << found.texts[0];
        }
    }
}

// What folding and constants cost ends at the deadline as well, though it is charged as fuel.
TEST(CompileBudget, ConstantsAreUnderTheDeadline) {
    const Found found = compile_under(over(), "[" + test::times("#\"(a|b)*c{1,90}\" ", 50) + "]");
    ASSERT_EQ(found.texts.size(), 1u);
    EXPECT_TRUE(found.texts[0].starts_with("timeout")) << found.texts[0];
}

// The core library's definitions are read when they are first asked for, and kept.
TEST(CompileBudget, WhatIsKeptForAllIsOutsideOfIt) {
    const std::string text =
        test::times("(inc 1) ", 300) + "(.foo 1) (map inc [1]) (mapp inc [1]) (sort-by :a [1]) (reduce f [])";
    for (std::int64_t total = 4'000; total < 60'000; total += 4'000) {
        const CoreLibrary library;
        const auto check = [&](const Meter& budget) {
            Diagnostics diagnostics;
            CompileOptions options;
            options.budget = budget;
            options.only_check = true;
            (void)compile(Source("test", text), options, library, diagnostics);
            return diagnostics.error_count();
        };
        (void)check(units(total));
        EXPECT_EQ(check(Meter()), 3u) << total;
    }
}

TEST(CompileBudget, LeavesTheThreadAsItWas) {
    (void)compile_under(units(1), programs()[0]);
    EXPECT_FALSE(work::is_over());
    EXPECT_TRUE(work::charge(std::size_t{1} << 40));
    EXPECT_TRUE(compile_under(Meter(), "(inc 1)").is_program);
}

TEST(CompileBudget, ABudgetWithinAnotherChargesThatOne) {
    int slices = 3;
    const work::Scope outer([&slices] { return slices-- > 0; });
    {
        const work::Scope inner([] { return true; });
        EXPECT_TRUE(work::charge(work::Scope::kSlice));
        while (work::charge(1)) {
        }
        EXPECT_TRUE(work::is_over());
    }
    EXPECT_TRUE(work::is_over());
}

// A function may have as many words as bytecode may have: here each clause drops the 200 values that later ones read.
TEST(CompileLimits, CodeIsNotLongerThanBytecodeMayBe) {
    std::string one = "(def x (let [";
    for (int i = 0; i < 200; ++i)
        one += "n" + std::to_string(i) + " data/x ";
    one += "] (cond ";
    for (int i = 0; i < 900; ++i)
        one += "n" + std::to_string(i % 200) + " 1 ";
    const Found found = compile_under(Meter(), test::times(one + "))) ", 50));
    ASSERT_EQ(found.texts.size(), 1u);
    EXPECT_TRUE(found.texts[0].starts_with("limit_exceeded This function needs more than 4,194,304 words of code."))
        << found.texts[0];
}

} // namespace
} // namespace ptc
