// Checking a value on behalf of somebody with a deadline ends with that deadline, however much time the check has of
// its own.
#include "frontend/work.h"
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <vector>

namespace ptc::test {
namespace {

TEST(Validation, EndsWithTheDeadlineOfItsCaller) {
    const SignaturePtr rows = compile_signature("() -> [{id :string}]").value();
    const Datum value(std::vector<Datum>(100'000, Datum(1)));
    {
        const work::Scope scope([] { return true; });
        EXPECT_TRUE(validate(*rows, Direction::Output, value).ok());
    }
    const work::Scope scope([] { return false; });
    const Result<Validation> checked = validate(*rows, Direction::Output, value);
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().reason, Reason::Timeout);
}

} // namespace
} // namespace ptc::test
