// The table of a session's names: what it gives back when a run has failed.
#include "vm/namespace.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ptc {
namespace {

TEST(Namespace, GivesBackTheNamesOfARunThatFailed) {
    Namespace names;
    const auto define = [&](const std::string& name) { names.define(names.intern(name), Value::boolean(true)); };
    names.begin();
    define("kept");
    names.commit();
    for (int run = 0; run < 3; ++run) {
        names.begin();
        for (int i = 0; i < 1000; ++i)
            define("failed-" + std::to_string(run) + "-" + std::to_string(i));
        names.rollback();
        EXPECT_EQ(names.trim(), 0u); // short names are free
        EXPECT_EQ(names.size(), 1u);
        EXPECT_TRUE(names.is_bound("kept"));
        EXPECT_EQ(names.find("failed-0-0"), Namespace::kNone);
    }
    names.begin();
    define("next");
    names.commit();
    EXPECT_EQ(names.size(), 2u);
    EXPECT_TRUE(names.is_bound("kept") && names.is_bound("next"));
    names.clear();
    EXPECT_EQ(names.trim(), 0u);
    EXPECT_EQ(names.size(), 0u);
    EXPECT_EQ(names.find("kept"), Namespace::kNone);
}

// One name at a time and many, with names that share places in the table: what is left is found, what went is not.
TEST(Namespace, FindsWhatIsLeftHoweverManyGo) {
    Namespace names;
    std::vector<std::string> left;
    std::uint32_t next = 0;
    const auto name_of = [](std::uint32_t i) { return "n" + std::to_string(i * 2'654'435'761u); };
    for (std::uint32_t round = 0; round < 400; ++round) {
        names.begin();
        for (std::uint32_t i = 0; i < (round * 7) % 23; ++i) {
            left.push_back(name_of(next++));
            names.define(names.intern(left.back()), Value::boolean(true));
        }
        for (std::uint32_t i = 0; i < (round * 5) % 19 && !left.empty(); ++i) {
            names.define(names.find(left.back()), Value::hole());
            left.pop_back();
        }
        names.commit();
        EXPECT_EQ(names.trim(), 0u);
        ASSERT_EQ(names.size(), left.size());
        for (std::uint32_t i = 0; i < left.size(); ++i)
            ASSERT_EQ(names.find(left[i]), i) << round;
        for (std::uint32_t i = next > 40 ? next - 40 : 0; i < next; ++i) {
            const bool is_left = std::ranges::find(left, name_of(i)) != left.end();
            ASSERT_EQ(names.find(name_of(i)) != Namespace::kNone, is_left) << round;
        }
    }
}

TEST(Namespace, LongNamesArePaidForOnce) {
    Namespace names;
    const std::string name(1000, 'n');
    EXPECT_EQ(names.bytes_of_new("name"), 0u);
    EXPECT_EQ(names.bytes_of_new(name), 1000u);
    names.begin();
    names.define(names.intern(name), Value::boolean(true));
    EXPECT_EQ(names.bytes_of_new(name), 0u);
    EXPECT_EQ(names.trim(), 0u); // it is bound
    names.rollback();
    EXPECT_EQ(names.trim(), 1000u);
    EXPECT_EQ(names.bytes_of_new(name), 1000u);
}

} // namespace
} // namespace ptc
