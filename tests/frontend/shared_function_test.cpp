// Callables of hosts: what is taken, what is empty, what copies share.
#include "ptc/shared_function.h"
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

using Sum = SharedFunction<int(int, int)>;

int add(int a, int b) { return a + b; }

TEST(SharedFunction, TakesFunctionsLambdasAndObjects) {
    struct Times {
        int operator()(int a, int b) const { return a * b; }
    };
    const std::function<int(int, int)> standard = add;
    EXPECT_EQ(Sum(add)(2, 3), 5);
    EXPECT_EQ(Sum(&add)(2, 3), 5);
    EXPECT_EQ(Sum([](int a, int b) { return a - b; })(2, 3), -1);
    EXPECT_EQ(Sum(Times())(2, 3), 6);
    EXPECT_EQ(Sum(standard)(2, 3), 5);
    EXPECT_EQ(Sum([](auto a, auto b) { return a + b; })(2, 3), 5);
    static_assert(!std::is_constructible_v<Sum, int (*)(std::string)>);
    static_assert(!std::is_constructible_v<Sum, int>);
}

TEST(SharedFunction, TakesWhatCanOnlyBeMoved) {
    std::vector<std::unique_ptr<int>> owned;
    owned.push_back(std::make_unique<int>(5));
    const SharedFunction<int()> function = [owned = std::move(owned)] { return *owned[0]; };
    const SharedFunction<int()> copy = function;
    EXPECT_EQ(function() + copy(), 10);
}

TEST(SharedFunction, CopiesShareTheCallable) {
    const auto watched = std::make_shared<int>(0);
    {
        const SharedFunction<int()> count = [watched, calls = 0]() mutable { return ++calls; };
        const SharedFunction<int()> copy = count;
        EXPECT_EQ(count(), 1);
        EXPECT_EQ(copy(), 2);
        EXPECT_EQ(watched.use_count(), 2);
    }
    EXPECT_EQ(watched.use_count(), 1);
}

TEST(SharedFunction, IsEmptyAsWhatItIsMadeOf) {
    EXPECT_FALSE(Sum());
    EXPECT_TRUE(Sum(nullptr) == nullptr);
    EXPECT_FALSE(Sum(static_cast<int (*)(int, int)>(nullptr)));
    EXPECT_FALSE(Sum(std::function<int(int, int)>()));
    EXPECT_FALSE(Sum(SharedFunction<long(int, int)>()));
    Sum moved = add;
    const Sum other = std::move(moved);
    EXPECT_FALSE(moved); // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(other != nullptr);
    EXPECT_THROW(static_cast<void>(Sum()(1, 2)), std::bad_function_call);
}

TEST(SharedFunction, HandsArgumentsOnAsTheyCome) {
    const SharedFunction<std::unique_ptr<int>(std::unique_ptr<int>)> pass = [](std::unique_ptr<int> n) { return n; };
    EXPECT_EQ(*pass(std::make_unique<int>(5)), 5);
    const SharedFunction<void(std::string&)> change = [](std::string& text) { return text += "!"; };
    std::string text = "a";
    change(text);
    EXPECT_EQ(text, "a!");
}

} // namespace
} // namespace ptc
