// Results: what they give outlives them.
#include "ptc/result.h"
#include <gtest/gtest.h>
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

} // namespace
} // namespace ptc
