// Reading, analysing, checking, repairing and making code of a program is work in proportion to its text, whatever it
// is made of. Each shape was found where something was looked for once for each of many.
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "compiler/compile.h"
#include "frontend/positions.h"
#include "frontend/work.h"
#include "tests/support/core.h"
#include "tests/support/growth.h"
#include "tests/support/hostile_sources.h"

namespace ptc {
namespace {

using test::numbered;
using test::parts;
using test::SourceShape;

class CompileGrowth : public testing::TestWithParam<SourceShape> {};

TEST_P(CompileGrowth, IsLinear) {
    const SourceShape& shape = GetParam();
    (void)test::core();
    EXPECT_TRUE(test::is_linear(shape.size, [&](std::size_t n) {
        return [text = shape.text(n)] {
            Diagnostics diagnostics;
            (void)compile(Source("test", text), CompileOptions{}, test::core(), diagnostics);
        };
    }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CompileGrowth, testing::ValuesIn(test::kSourceShapes));

/// What is done once the time of compiling is over, in instructions: a text of at most `size` bytes, made of the shape,
/// whose time ends after `slices` of work. 0 if it was done before.
std::uint64_t work_after_the_end(const SourceShape& shape, std::size_t size, int slices) {
    bool is_over = false;
    const work::Scope scope([&] {
        if (is_over || --slices > 0) return !is_over;
        is_over = true;
        test::start_counting();
        return false;
    });
    Diagnostics diagnostics;
    (void)compile(Source("test", shape.text_of(size)), CompileOptions{}, test::core(), diagnostics);
    return is_over ? test::stop_counting() : 0;
}

TEST_P(CompileGrowth, EndsSoon) {
    (void)test::core();
    for (const int slices : {10, 200, 600})
        EXPECT_LT(work_after_the_end(GetParam(), 1 << 20, slices), 30'000'000u) << slices;
}

// What a report names stands at many places of one text, which may be one long line.
TEST(ExplainGrowth, PositionsAreCountedFromTheLastMark) {
    for (const char* between : {" ", "\n"}) {
        EXPECT_TRUE(test::is_linear(40'000, [&](std::size_t n) {
            std::string text;
            while (text.size() < n)
                text += std::string("(é)") + between;
            return [source = Source("test", text)] {
                const Positions positions(source);
                for (std::uint32_t at = 0; at < source.text().size(); at += 50)
                    (void)positions.of(at);
            };
        }));
    }
}

TEST(ExplainGrowth, AConstantIsLookedThroughOnce) {
    EXPECT_TRUE(test::is_linear(1'000, [](std::size_t n) {
        const std::string text = "(let [v [" + parts(n, [](std::size_t i) { return std::to_string(i); }) + "]] [" +
                                 parts(n, [](std::size_t) { return "(count v) v"; }) + "])";
        Diagnostics diagnostics;
        CompileOptions options;
        options.environment.fold = false;
        const std::shared_ptr<const Program> program =
            compile(Source("test", text), options, test::core(), diagnostics);
        EXPECT_TRUE(program);
        return [program] { (void)effects_of(*program); };
    }));
}

TEST(ExplainGrowth, NamesOfDataAreFoundOnce) {
    EXPECT_TRUE(test::is_linear(2'000, [](std::size_t n) {
        const std::string text = parts(n, [](std::size_t i) { return numbered("data/x", i); });
        Diagnostics diagnostics;
        const std::shared_ptr<const Program> program =
            compile(Source("test", text), CompileOptions{}, test::core(), diagnostics);
        EXPECT_TRUE(program);
        return [program] { (void)fuel_bound(*program, {}); };
    }));
}

} // namespace
} // namespace ptc
