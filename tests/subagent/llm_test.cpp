#include "ptc/llm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

using std::chrono::milliseconds;

TEST(LlmError, KindsOfStatuses) {
    EXPECT_EQ(LlmError{.http_status = 429}.kind_name(), "rate_limit");
    EXPECT_EQ(LlmError{.http_status = 504}.kind_name(), "timeout");
    EXPECT_EQ(LlmError{.http_status = 503}.kind_name(), "server_error");
    EXPECT_EQ(LlmError{.http_status = 404}.kind_name(), "client_error");
    EXPECT_EQ(LlmError{}.kind_name(), "error");
    EXPECT_EQ((LlmError{.kind = "mine", .http_status = 500}).kind_name(), "mine");
}

TEST(RetryPolicy, CountsTheFirstAttempt) {
    RetryPolicy policy;
    policy.max_attempts = 2;
    EXPECT_TRUE(policy.allows({}, 1));
    EXPECT_FALSE(policy.allows({}, 2));
}

TEST(RetryPolicy, OnlyListedErrorsWhenThereIsAList) {
    RetryPolicy policy;
    policy.retryable_errors = {"rate_limit"};
    EXPECT_TRUE(policy.allows({.http_status = 429}, 1));
    EXPECT_FALSE(policy.allows({.http_status = 500}, 1));
}

TEST(RetryPolicy, PermanentErrorsAreNotRepeatedUnlessTheyAreListed) {
    RetryPolicy policy;
    const LlmError error{.kind = "authentication", .is_permanent = true};
    EXPECT_FALSE(policy.allows(error, 1));
    policy.retryable_errors = {"authentication"};
    EXPECT_TRUE(policy.allows(error, 1));
}

TEST(RetryPolicy, DelaysGrowAsTheBackoffSays) {
    RetryPolicy policy{.base_delay = milliseconds(100), .max_delay = milliseconds(1000), .jitter = false};
    EXPECT_EQ(policy.delay(1, {}, 0), milliseconds(100));
    EXPECT_EQ(policy.delay(3, {}, 0), milliseconds(400));
    EXPECT_EQ(policy.delay(9, {}, 0), milliseconds(1000));
    EXPECT_EQ(policy.delay(4'000'000'000u, {}, 0), milliseconds(1000));
    policy.backoff = RetryPolicy::Backoff::Linear;
    EXPECT_EQ(policy.delay(3, {}, 0), milliseconds(300));
    policy.backoff = RetryPolicy::Backoff::Constant;
    EXPECT_EQ(policy.delay(3, {}, 0), milliseconds(100));
}

TEST(RetryPolicy, JitterIsBetweenHalfAndAllOfTheDelay) {
    const RetryPolicy policy{.base_delay = milliseconds(100)};
    EXPECT_EQ(policy.delay(1, {}, 0), milliseconds(50));
    EXPECT_EQ(policy.delay(1, {}, 1), milliseconds(100));
}

TEST(RetryPolicy, TheProvidersWishIsObeyedOrNobodyCallsAgain) {
    const RetryPolicy policy{.base_delay = milliseconds(1), .max_delay = milliseconds(5000)};
    EXPECT_EQ(policy.delay(1, {.retry_after = milliseconds(2000)}, 0), milliseconds(2000));
    EXPECT_EQ(policy.delay(1, {.retry_after = milliseconds(60'000)}, 0), milliseconds(60'000));
    EXPECT_TRUE(policy.allows({.retry_after = milliseconds(60'000)}, 1));
    EXPECT_FALSE(policy.allows({.retry_after = milliseconds(600'001)}, 1));
}

} // namespace
} // namespace ptc
