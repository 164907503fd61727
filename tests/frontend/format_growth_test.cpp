// The formatter's work grows with the text.
#include "frontend/format/format.h"
#include "tests/frontend/reading.h"
#include "tests/support/growth.h"

namespace ptc::testing {
namespace {

TEST(FormatGrowth, WorkIsInProportionToTheText) {
    for (const std::string part : {"(f a b) ", "{:a 1 :b 2}\n", "#_a b ; c\n", "\"a\nb\" ", "a"}) {
        EXPECT_TRUE(test::is_linear(20'000, [&](std::size_t bytes) {
            return [source = Source("x", repeat(part, bytes / part.size()))] {
                Diagnostics diagnostics;
                format_source(source, test::vocabulary(), diagnostics);
            };
        })) << part;
    }
}

} // namespace
} // namespace ptc::testing
