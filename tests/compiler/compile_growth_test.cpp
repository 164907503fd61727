// Reading, analysing, checking, repairing and making code of a program is work in proportion to its text, whatever it
// is made of. Each shape was found where something was looked for once for each of many.
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "compiler/compile.h"
#include "frontend/positions.h"
#include "frontend/work.h"
#include "tests/support/core.h"
#include "tests/support/growth.h"
#include <functional>

namespace ptc {
namespace {

using Part = std::function<std::string(std::size_t)>;

std::string parts(std::size_t n, const Part& part) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += part(i) + " ";
    return text;
}

std::string repeated(const char* part, std::size_t n) {
    return parts(n, [part](std::size_t) { return part; });
}

std::string numbered(const char* name, std::size_t i) { return name + std::to_string(i); }

struct Shape {
    const char* name;
    std::size_t size;
    std::function<std::string(std::size_t)> text;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

const Shape kShapes[] = {
    {"names of a let that are used", 4'500,
     [](std::size_t n) {
         const auto binding = [](std::size_t i) {
             return numbered("n", i) + " " + (i == 0 ? "1" : "(inc " + numbered("n", i - 1) + ")");
         };
         return "(let [" + parts(n, binding) + "] n0)";
     }},
    {"a name that hides itself", 8'000,
     [](std::size_t n) { return "(let [x 1 " + parts(n, [](std::size_t) { return "x (inc x)"; }) + "] x)"; }},
    {"steps of as->", 8'000,
     [](std::size_t n) { return "(as-> 1 x " + parts(n, [](std::size_t) { return "(inc x)"; }) + ")"; }},
    {"functions of a letfn", 2'000,
     [](std::size_t n) {
         const auto function = [](std::size_t i) {
             return "(" + numbered("f", i) + " [x] (" + numbered("f", i) + " (inc x)))";
         };
         return "(letfn [" + parts(n, function) + "] 1)";
     }},
    {"defaults of a pattern", 4'000,
     [](std::size_t n) {
         return "(let [{:keys [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] :or {" +
                parts(n, [](std::size_t i) { return numbered("a", i) + " 1"; }) + "}} data/x] a0)";
     }},
    {"methods of a multimethod", 2'000,
     [](std::size_t n) {
         return "(defmulti m :k) " +
                parts(n, [](std::size_t i) { return "(defmethod m :" + numbered("k", i) + " [x] x)"; });
     }},
    {"captures of a function", 4'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " data/x"; }) + "] (fn [] [" +
                parts(n, [](std::size_t i) { return numbered("n", i); }) + "]))";
     }},
    {"new values of a recur", 1'500,
     [](std::size_t n) {
         return "(loop [" + parts(n, [](std::size_t i) { return numbered("n", i) + " 0"; }) + "] (recur " +
                parts(n, [n](std::size_t i) { return "(inc " + numbered("n", (i + 1) % n) + ")"; }) + "))";
     }},
    {"texts", 10'000,
     [](std::size_t n) {
         return "[" + parts(n, [](std::size_t i) { return "\"" + numbered("text", i) + "\""; }) + "]";
     }},
    {"texts with signs", 5'000,
     [](std::size_t n) {
         return "[" + parts(n, [](std::size_t i) { return "\"" + numbered("a {", i) + "\""; }) + "]";
     }},
    {"unknown names", 4'000,
     [](std::size_t n) { return parts(n, [](std::size_t i) { return "(" + numbered("mapp", i) + " inc [1])"; }); }},
    {"brackets that are missing", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(defn f [x]\n  (inc x)\n"; }); }},
    {"brackets of the wrong kind", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(defn f [x) (inc x])\n"; }); }},
    {"texts without an end", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(println \"a)\n"; }); }},
    {"prose around code", 2'000,
     [](std::size_t n) {
         return parts(n, [](std::size_t) { return "Here is the code:\n```clojure\n(inc 1)\n```\nThat is all.\n"; });
     }},
    {"calls as names of a let", 500,
     [](std::size_t n) { return "(let [" + parts(n, [](std::size_t) { return "(f 1)"; }) + "] 1)"; }},
    {"calls of tools as names of a for", 500,
     [](std::size_t n) { return "(for [" + parts(n, [](std::size_t) { return "(tool/x {})"; }) + "] 1)"; }},
    {"pairs in brackets of their own", 500,
     [](std::size_t n) { return "(let [[a 1] " + parts(n, [](std::size_t) { return "(recur 1)"; }) + "] 1)"; }},
    {"clauses of a cond in brackets", 500,
     [](std::size_t n) { return "(cond " + parts(n, [](std::size_t) { return "((f 1) 2)"; }) + ")"; }},
    {"arguments that are too many", 2'000,
     [](std::size_t n) { return "((fn [x] 1) " + parts(n, [](std::size_t) { return "1"; }) + ")"; }},
    {"arguments of a constructor", 1'000,
     [](std::size_t n) { return "(def a 1) (Long. " + parts(n, [](std::size_t) { return "a"; }) + ")"; }},
    {"branches that are too many", 2'000,
     [](std::size_t n) { return "(if [] " + parts(n, [](std::size_t) { return ":else"; }) + ")"; }},
    {"maps of a tool that are too many", 1'000,
     [](std::size_t n) {
         return "(tool/x " + parts(n, [](std::size_t i) { return numbered("{:k", i) + " 1}"; }) + ")";
     }},
    {"names that may be a value", 1'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " 1"; }) + "] (assoc {} :a))";
     }},
    {"steps of some->", 500, [](std::size_t n) { return "(some-> 1 " + repeated("inc ", n) + ")"; }},
    {"steps of cond->", 500, [](std::size_t n) { return "(cond-> 1 " + repeated("true inc ", n) + ")"; }},
    {"clauses of a case", 400,
     [](std::size_t n) { return "(case 1 " + parts(n, [](std::size_t i) { return numbered("", i) + " 1"; }) + ")"; }},
    {"constants of a clause", 4'000,
     [](std::size_t n) { return "(case 1 (" + parts(n, [](std::size_t i) { return numbered("", i); }) + ") 1)"; }},
    {"names of a binding", 1'000, [](std::size_t n) { return "(def a 1) (binding [" + repeated("a a ", n) + "] 1)"; }},
    {"libraries", 2'000, [](std::size_t n) { return "(require a " + repeated("'b ", n) + ")"; }},
    {"libraries whose names are all used", 200,
     [](std::size_t n) { return "(use " + repeated("'clojure.string ", n) + ")"; }},
    {"prefixes", 10'000, [](std::size_t n) { return std::string(n, '@'); }},
    {"prefixes before a form", 100, [](std::size_t n) { return std::string(n, '\'') + "a"; }},
    {"branches among many names", 1'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " (if data/x 1 data/y)"; }) + "] n0)";
     }},
};

class CompileGrowth : public testing::TestWithParam<Shape> {};

TEST_P(CompileGrowth, IsLinear) {
    const Shape& shape = GetParam();
    (void)test::core();
    EXPECT_TRUE(test::is_linear(shape.size, [&](std::size_t n) {
        return [text = shape.text(n)] {
            Diagnostics diagnostics;
            (void)compile(Source("test", text), CompileOptions{}, test::core(), diagnostics);
        };
    }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CompileGrowth, testing::ValuesIn(kShapes));

/// What is done once the time of compiling is over, in instructions: a text of at most `size` bytes, made of the shape,
/// whose time ends after `slices` of work. 0 if it was done before.
std::uint64_t work_after_the_end(const Shape& shape, std::size_t size, int slices) {
    std::size_t n = shape.size;
    while (shape.text(2 * n).size() <= size)
        n *= 2;
    bool is_over = false;
    const work::Scope scope([&] {
        if (is_over || --slices > 0) return !is_over;
        is_over = true;
        test::start_counting();
        return false;
    });
    Diagnostics diagnostics;
    (void)compile(Source("test", shape.text(n)), CompileOptions{}, test::core(), diagnostics);
    return is_over ? test::stop_counting() : 0;
}

TEST_P(CompileGrowth, EndsSoon) {
    (void)test::core();
    for (const int slices : {1, 10, 40, 100, 600})
        EXPECT_LT(work_after_the_end(GetParam(), 256 << 10, slices), 30'000'000u) << slices;
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
