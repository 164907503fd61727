// Results: what they give outlives them, steps behind them run or are left out, and misuse ends the process with a
// message.
#include "ptc/result.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace ptc {
namespace {

Result<std::vector<std::string>> names() {
    return std::vector<std::string>{std::string(100, 'a'), std::string(100, 'b')};
}

// A reference into a temporary would be gone before the first step of the loop.
static_assert(std::is_same_v<decltype(names().value()), std::vector<std::string>>);

TEST(Result, TheValueOfATemporaryOutlivesIt) {
    std::string all;
    for (const std::string& name : names().value())
        all += name;
    EXPECT_EQ(all, std::string(100, 'a') + std::string(100, 'b'));
    const std::vector<std::string>& kept = names().value();
    EXPECT_EQ(kept.size(), 2u);
}

TEST(Result, TheValueOfANamedOneIsItsOwn) {
    Result<std::vector<std::string>> result = names();
    result.value().pop_back();
    EXPECT_EQ(result.value().size(), 1u);
    EXPECT_EQ(std::move(result).value().size(), 1u);
}

Result<int> parsed(const std::string& text) {
    if (text.empty()) return Error(Reason::InvalidRequest, "There is no text.");
    return std::stoi(text);
}

TEST(Result, IsReadAsAPointerIs) {
    const Result<std::string> result = std::string("text");
    ASSERT_TRUE(result);
    EXPECT_TRUE(result.has_value());
    EXPECT_EQ(*result, "text");
    EXPECT_EQ(result->size(), 4u);
    Result<std::string> changed = std::string("text");
    changed->push_back('!');
    *changed += '!';
    EXPECT_EQ(*std::move(changed), "text!!");
}

TEST(Result, TakesWhatBecomesItsValue) {
    const auto text = [](bool has_one) -> Result<std::string> {
        if (!has_one) return Error(Reason::InvalidRequest, "There is none.");
        return "text";
    };
    EXPECT_EQ(*text(true), "text");
    EXPECT_FALSE(text(false));
    struct Base {
        virtual ~Base() = default;
    };
    struct Derived : Base {};
    const Result<std::unique_ptr<Base>> made = std::make_unique<Derived>();
    EXPECT_NE(*made, nullptr);
    static_assert(!std::is_convertible_v<Result<int>, Result<bool>>);
}

TEST(Result, ADefaultStandsForAnError) {
    EXPECT_EQ(parsed("5").value_or(0), 5);
    EXPECT_EQ(parsed("").value_or(0), 0);
    const Result<std::string> none = Error(Reason::InvalidRequest, "none");
    EXPECT_EQ(none.value_or("other"), "other");
}

TEST(Result, StepsOfAValueAreLeftOutForAnError) {
    const auto half = [](int n) -> Result<int> {
        if (n % 2) return Error(Reason::InvalidRequest, "It is odd.");
        return n / 2;
    };
    EXPECT_EQ(parsed("8").and_then(half).and_then(half).value(), 2);
    EXPECT_EQ(parsed("7").and_then(half).and_then(half).error().message, "It is odd.");
    EXPECT_EQ(parsed("").and_then(half).error().message, "There is no text.");
    const Result<int> named = 8;
    EXPECT_EQ(*named.and_then(half), 4);
    EXPECT_EQ(*named.transform([](int n) { return std::to_string(n); }), "8");
    const Result<int> failed = Error(Reason::InvalidRequest, "none");
    EXPECT_EQ(failed.transform([](int n) { return std::to_string(n); }).error().message, "none");
    EXPECT_EQ(failed.error().message, "none") << "a named one keeps its error";
    int seen = 0;
    const Result<void> done = parsed("8").transform([&](int n) { seen = n; });
    EXPECT_TRUE(done);
    EXPECT_EQ(seen, 8);
}

TEST(Result, StepsOfAnErrorAreLeftOutForAValue) {
    const auto zero = [](const Error&) -> Result<int> { return 0; };
    EXPECT_EQ(parsed("").or_else(zero).value(), 0);
    EXPECT_EQ(parsed("5").or_else(zero).value(), 5);
    const auto at_the_door = [](Error error) {
        error.message = "At the door: " + error.message;
        return error;
    };
    EXPECT_EQ(parsed("").transform_error(at_the_door).error().message, "At the door: There is no text.");
    EXPECT_EQ(*parsed("5").transform_error(at_the_door), 5);
}

TEST(Result, OfNothingHasStepsToo) {
    const Result<void> done;
    EXPECT_EQ(*done.transform([] { return 5; }), 5);
    EXPECT_EQ(*done.and_then([]() -> Result<int> { return 6; }), 6);
    const Result<void> failed = Error(Reason::InvalidRequest, "none");
    EXPECT_EQ(failed.transform([] { return 5; }).error().message, "none");
    EXPECT_TRUE(failed.or_else([](const Error&) { return Result<void>(); }));
}

TEST(Result, MovesValuesThatCannotBeCopied) {
    Result<std::unique_ptr<int>> owned = std::make_unique<int>(5);
    EXPECT_EQ(*std::move(owned).transform([](std::unique_ptr<int> n) { return *n; }), 5);
    const auto kept = Result<std::unique_ptr<int>>(std::make_unique<int>(6)).value_or(nullptr);
    EXPECT_EQ(*kept, 6);
}

/// Has no default: a descriptor that is open.
struct Opened {
    explicit Opened(int n) : number(n) {}
    int number;
};

Result<Opened> open_number(int n) {
    if (n < 0) return Error(Reason::InvalidRequest, "no such number");
    return Opened(n);
}

TEST(Result, OfWhatHasNoDefault) {
    EXPECT_EQ(open_number(3)->number, 3);
    EXPECT_EQ(open_number(-1).error().message, "no such number");
    Result<Opened> one = open_number(-1);
    one = open_number(4);
    const Result<Opened> moved = std::move(one);
    EXPECT_EQ((*moved).number, 4);
    EXPECT_EQ(moved.value_or(Opened(9)).number, 4);
    EXPECT_EQ(open_number(-1).value_or(Opened(9)).number, 9);
    const auto twice = [](const Opened& opened) { return open_number(opened.number * 2); };
    EXPECT_EQ(open_number(5).and_then(twice).transform([](const Opened& opened) { return opened.number; }).value(), 10);
    EXPECT_EQ(open_number(-1).or_else([](const Error&) { return open_number(1); })->number, 1);
}

TEST(Result, SaysWhatTheErrorWasOfWhichTheValueIsTaken) {
    const Result<int> failed = Error(Reason::InvalidRequest, "There is no text.");
    const std::string told = "the value of a Result was taken, which is an error: invalid_request: There is no text.";
    EXPECT_DEATH(static_cast<void>(failed.value()), told);
    EXPECT_DEATH(static_cast<void>(*failed), told);
    EXPECT_DEATH(static_cast<void>(Result<int>(failed.error()).value()), told);
    const Result<std::string> text = failed.error();
    EXPECT_DEATH(static_cast<void>(text->size()), told);
    EXPECT_DEATH(Result<void>(failed.error()).value(), told);
}

TEST(Result, SaysThatThereIsNoError) {
    const Result<int> five = 5;
    EXPECT_DEATH(static_cast<void>(five.error()), "the error of a Result was taken, which has a value");
    const Result<void> done;
    EXPECT_DEATH(static_cast<void>(done.error()), "the error of a Result was taken, which has a value");
}

} // namespace
} // namespace ptc
