// What the reader says about texts that are not PTC-Lisp: where, why, and the edits that make them so. A Case has the
// text, what its edits make of it, and a part of the message; the edited text must read without errors.
#include "tests/frontend/reading.h"

namespace ptc {
namespace {

using testing::read;
using testing::Reading;
using testing::repair;

struct Case {
    const char* text;
    const char* repaired;
    const char* message; ///< part of the first error's message or hint
};

class Repair : public ::testing::TestWithParam<Case> {};

TEST_P(Repair, GivesTheProgramThatWasMeant) {
    const Case& c = GetParam();
    const Reading reading(c.text);
    ASSERT_TRUE(reading.diagnostics.has_errors()) << c.text;
    EXPECT_EQ(repair(c.text), c.repaired);
    EXPECT_FALSE(Reading(c.repaired).diagnostics.has_errors()) << c.repaired;
    const Error& error = reading.error();
    EXPECT_NE((error.message + " " + error.hint).find(c.message), std::string::npos)
        << error.message << " " << error.hint;
    for (const Diagnostic& d : reading.diagnostics.all()) {
        EXPECT_TRUE(d.error.has_span);
        EXPECT_FALSE(d.error.hint.empty()) << d.error.message;
    }
}

// What stands behind ~ in a macro is no value by itself: an edit that drops the sign would change what is meant.
TEST(ReaderMacros, OfTemplatesHaveNoEdit) {
    for (const char* text : {"~x", "~@xs", "`(a ~b)"}) {
        const Reading reading(text);
        ASSERT_TRUE(reading.diagnostics.has_errors()) << text;
        EXPECT_NE((reading.error().message + reading.error().hint).find("macros"), std::string::npos) << text;
        EXPECT_TRUE(reading.error().edits.empty()) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Unclosed, Repair,
    ::testing::Values(
        Case{"(+ 1 2", "(+ 1 2)", "`(` opened at 1:1 has no matching `)`."}, Case{"[1 2", "[1 2]", "`[` opened at 1:1"},
        Case{"#{1", "#{1}", "`#{` opened at 1:1 has no matching `}`"},
        // A backslash ends a name: what follows is a character.
        Case{"(+ a\\( 1", "(+ a\\( 1)", "`(` opened at 1:1 has no matching `)`."},
        Case{"(+ a\\\"\"\"", "(+ a\\\"\"\")", "`(` opened at 1:1 has no matching `)`."},
        Case{"#(+ % 1", "#(+ % 1)", "`#(` opened at 1:1"},
        Case{"{:a 1 :b [1 2", "{:a 1 :b [1 2]}", "`[` opened at 1:10, `{` opened at 1:1"},
        Case{"(+ 1 2 ; sum )", "(+ 1 2) ; sum )", "1:7, after `2`"}, Case{"(foo [1 2)", "(foo [1 2])", "`[`"},
        Case{"[1 (f 2]", "[1 (f 2)]", "`(`"}, Case{"{:a [1 2}", "{:a [1 2]}", "`[`"},
        Case{"(when true (println \"hi\" )", "(when true (println \"hi\" ))", "`(` opened at 1:1"},
        Case{"(let [x 1 y 2 (+ x y))", "(let [x 1 y 2] (+ x y))", "`[` opened at 1:6"},
        Case{"(fn [x (inc x))", "(fn [x] (inc x))", "`[` opened at 1:5"},
        Case{"(map (fn [x] (inc x) [1 2 3])", "(map (fn [x] (inc x)) [1 2 3])", "`(` opened at 1:6"},
        Case{"(filter #(> % 2 xs)", "(filter #(> % 2) xs)", "`#(` opened at 1:9"},
        Case{"(defn f [x]\n  (+ x 1)\n(f 2)", "(defn f [x]\n  (+ x 1))\n(f 2)", "1:1"},
        Case{"(defn f [x]\n  (let [y (* x 2)]\n    (+ x y))\n\n(defn g [x]\n  (f x))\n(g 1)",
             "(defn f [x]\n  (let [y (* x 2)]\n    (+ x y)))\n\n(defn g [x]\n  (f x))\n(g 1)", "opened at 1:1"},
        Case{"(let [a (f 1\n      b 2]\n  (+ a b))", "(let [a (f 1)\n      b 2]\n  (+ a b))", "`(` opened at 1:9"},
        Case{"{:a (inc 1\n :b 2}", "{:a (inc 1)\n :b 2}", "`(` opened at 1:5"},
        Case{"(->> xs\n     (map inc\n     (filter odd?)\n     (take 2))",
             "(->> xs\n     (map inc)\n     (filter odd?)\n     (take 2))", "2:6"}));

INSTANTIATE_TEST_SUITE_P(Mismatched, Repair,
                         ::testing::Values(Case{"(foo]", "(foo)", "`]` cannot close the `(` opened at 1:1."},
                                           Case{"[1 2}", "[1 2]", "Write `]` instead."},
                                           Case{"(let [x 1) x]", "(let [x 1] x)", "cannot close"},
                                           Case{"(let (x 1] x)", "(let [x 1] x)", "is closed by `]` at 1:10"},
                                           Case{"{:a 1)", "{:a 1}", "`{` opened at 1:1"},
                                           Case{"(foo [1 2)]", "(foo [1 2])", "`"},
                                           Case{"#(inc %}", "#(inc %)", "`#(` opened at 1:1"}));

INSTANTIATE_TEST_SUITE_P(Surplus, Repair,
                         ::testing::Values(Case{"(+ 1 2))", "(+ 1 2)", "closes nothing"},
                                           Case{")", "", "Delete this `)`."}, Case{"[1 2]]", "[1 2]", "`]`"},
                                           Case{"(let [x 1]] x)", "(let [x 1] x)", "`]`"},
                                           Case{"(if a) b c)", "(if a b c)", "`)`"},
                                           Case{"(defn f [x]\n  (let [y 1])\n    (+ x y)))",
                                                "(defn f [x]\n  (let [y 1]\n    (+ x y)))", "closes nothing"},
                                           Case{"(def x 1))\n(def y 2)", "(def x 1)\n(def y 2)", "closes nothing"}));

INSTANTIATE_TEST_SUITE_P(
    Strings, Repair,
    ::testing::Values(Case{"\"open", "\"open\"", "The string opened at 1:1 has no closing `\"`."},
                      Case{"(str \"abc)", "(str \"abc\")", "opened at 1:6"},
                      Case{"(+ 1 \"open", "(+ 1 \"open\")", "`(` opened at 1:1"},
                      Case{"(re-find #\"a+ s)", "(re-find #\"a+\" s)", "regex"},
                      Case{"(println \"hello)\n(println \"bye\")", "(println \"hello\")\n(println \"bye\")", "1:10"},
                      Case{"(println hello\")", "(println \"hello\")", "closes no string"},
                      Case{"\"a\\qb\"", "\"a\\\\qb\"", "unknown escape `\\q`"},
                      Case{"\"\\u12\"", "\"\\\\u12\"", "four hexadecimal digits"},
                      Case{"\"\\d+\"", "\"\\\\d+\"", "two"}, Case{"\"\\ud800\"", "\"\\uFFFD\"", "surrogate"},
                      Case{"\"\\777\"", "\"\\\\777\"", "unknown escape"},
                      Case{"(str “hi there”)", "(str \"hi there\")", "typographic"},
                      Case{"\\ab", "\"ab\"", "longer than one character"}, Case{"\\nl", "\\newline", "\\newline"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, Repair,
    ::testing::Values(Case{"1_000", "1000", "`_`"}, Case{"1.5N", "1.5", "`N`"}, Case{"1/0", "(/ 1 0)", "ratio"},
                      Case{"-1/33333333333333333333", "(/ -1 33333333333333333333)", "ratio"},
                      Case{"5.", "5.0", "digits on both sides"}, Case{"1.e5", "1.0e5", "digits on both sides"},
                      Case{"0b101", "5", "Binary"}, Case{"-0o17", "-15", "Octal"},
                      Case{"10%", "(/ 10 100.0)", "Percentages"}, Case{"1e", "1", "exponent"},
                      Case{".5", "0.5", "Write `0.5`."}, Case{"-.5", "-0.5", "-0.5"},
                      Case{"1e999", "##Inf", "largest double"}, Case{"-1e999", "##-Inf", "##-Inf"},
                      Case{"##Infinity", "##Inf", "##Inf"}, Case{"##nan", "##NaN", "not a number"},
                      Case{"(+ 1 3L)", "(+ 1 3)", "suffix"}, Case{"1.5.2", "\"1.5.2\"", "one decimal point"},
                      Case{"1st", "n1st", "not a number"}));

INSTANTIATE_TEST_SUITE_P(
    Names, Repair,
    ::testing::Values(Case{":foo/", ":foo", "no plain namespace and name"}, Case{"::s/k", ":s/k", "alias"},
                      Case{":data/rows", "data/rows", "without a colon"}, Case{":a.b", ":a-b", "cannot have"},
                      Case{":größe", "\"größe\"", "strings"}, Case{"(let [é 1] é)", "(let [e 1] e)", "beyond ASCII"},
                      Case{"(λ [x] x)", "(fn [x] x)", "write `fn`"},
                      Case{"(>= a 1)\n(≥ a 1)", "(>= a 1)\n(>= a 1)", "write `>=`"},
                      Case{"(+ 1 \u22122)", "(+ 1 -2)", "write `-`"}, Case{"(+\u00A01 2)", "(+ 1 2)", "invisible"},
                      Case{"日本", "u65e5u672c", "beyond ASCII"}, Case{"(f)\uFEFF", "(f)", "invisible"},
                      Case{"a|b", "ab", "`|`"}, Case{"{:a : 1}", "{:a  1}", "no name"}));

INSTANTIATE_TEST_SUITE_P(
    ReaderMacros, Repair,
    ::testing::Values(
        Case{"[@]", "[]", "atom"}, Case{"(let [a 1] @ a)", "(let [a 1]  a)", "`@`"}, Case{"`x", "'x", "macros"},
        Case{"^5 x", "x", "metadata"}, Case{"(defn f [^5 s] s)", "(defn f [s] s)", "`^5`"},
        Case{"^(doc) [1]", "[1]", "metadata"}, Case{"(f ^)", "(f )", "`^`"}, Case{"(^ 2 3)", "(pow 2 3)", "pow"},
        Case{"#inst \"2024-01-01\"", "\"2024-01-01\"", "`#inst`"}, Case{"#?(:clj 1 :cljs 2)", "1", "conditionals"},
        Case{"[#?(:cljs 2 :default 3)]", "[3]", "conditionals"},
        Case{"#:ns{:a 1 :b/c 2}", "{:ns/a 1 :b/c 2}", "namespaced map"}, Case{"(f #:: {:a 1})", "(f {::a 1})", "`#::`"},
        Case{"#:ns", "", "namespaced map"}, Case{"(+ 1 #2)", "(+ 1 2)", "`#2`"}, Case{"#", "", "`#`"},
        Case{"#_", "", "discard"}, Case{"[1 #_]", "[1 ]", "discard"}, Case{"' (1 2)", " (1 2)", "nothing"},
        Case{"(f ')", "(f )", "nothing"}, Case{"'", "", "nothing"}, Case{"#'", "", "needs a name"},
        Case{"{:a 1 :b}", "{:a 1 :b nil}", "pairs"}, Case{"{:a 1 :b :c 2}", "{:a 1 :b nil :c 2}", "`:b`"},
        Case{"{:a}", "{:a nil}", "1 forms"}));

TEST(ReaderErrors, ReasonsFollowTheLanguage) {
    EXPECT_EQ(Reading("(+ 1").error().reason, Reason::ParseError);
    // The language reads these as names that start with a dot.
    EXPECT_EQ(Reading("[1.5.5]").error().reason, Reason::UnsupportedMethod);
    EXPECT_EQ(Reading(".5").error().reason, Reason::UnsupportedMethod);
}

TEST(ReaderErrors, AByteOrderMarkIsNone) { EXPECT_TRUE(Reading("\uFEFF(f)").diagnostics.all().empty()); }

TEST(ReaderErrors, SpansAreTheSmallestTextThatIsWrong) {
    EXPECT_EQ(Reading("(foo [1 2)").error().span, (Span{5, 6}));
    EXPECT_EQ(Reading("(foo]").error().span, (Span{4, 5}));
    EXPECT_EQ(Reading("(+ 1 2))").error().span, (Span{7, 8}));
    EXPECT_EQ(Reading("(+ 1 0b11)").error().span, (Span{5, 9}));
    EXPECT_EQ(Reading("\"ab\\qc\"").error().span, (Span{3, 5}));
    EXPECT_EQ(Reading("(f :a%b)").error().span, (Span{3, 7}));
    EXPECT_EQ(Reading("{:a 1 :b}").error().span, (Span{6, 8}));
}

TEST(ReaderErrors, TheOpeningBracketIsLabelled) {
    const Reading reading("(foo\n  [1 2\n");
    ASSERT_EQ(reading.error().labels.size(), 2u);
    EXPECT_EQ(reading.error().labels[0].span, (Span{7, 8}));
    EXPECT_EQ(reading.error().labels[1].span, (Span{0, 1}));
}

TEST(ReaderErrors, AllErrorsOfATextAreReportedInOrder) {
    const std::string text = "(def a 0b10)\n(def b :x%y)\n(def c \"\\q\")\n(def d [1 2)\n(def e 1_0)";
    const Reading reading(text);
    const auto& all = reading.diagnostics.all();
    ASSERT_EQ(all.size(), 5u);
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(reading.source.position(all[i].error.span.begin).line, i + 1);
    EXPECT_EQ(repair(text), "(def a 2)\n(def b :x-y)\n(def c \"\\\\q\")\n(def d [1 2])\n(def e 10)");
}

TEST(ReaderErrors, SeveralBracketErrorsAreRepairedTogether) {
    EXPECT_EQ(repair("(defn f [x]\n  (+ x 1)\n\n(defn g [y]\n  (* y 2]))\n\n(g [1 2)\n"),
              "(defn f [x]\n  (+ x 1))\n\n(defn g [y]\n  (* y 2))\n\n(g [1 2])\n");
}

TEST(ReaderErrors, AStringErrorHidesNoOthers) {
    EXPECT_EQ(repair("(def a 0b10)\n(println \"hi)\n(def b :x%y)"), "(def a 2)\n(println \"hi\")\n(def b :x-y)");
}

TEST(ReaderErrors, EditsInsideDeletedTextAreLeftOut) {
    EXPECT_EQ(repair("^(1_0) x"), "x");
    EXPECT_EQ(repair("#?(:cljs 1_0 :clj 0b10)"), "2");
}

TEST(ReaderErrors, InvalidUtf8HasItsPosition) {
    const Reading reading("(def x \"caf\xE9\")");
    ASSERT_EQ(reading.diagnostics.error_count(), 1u);
    EXPECT_EQ(reading.error().reason, Reason::ParseError);
    EXPECT_EQ(reading.error().span, (Span{11, 12}));
    EXPECT_EQ(repair("(def x \"caf\xE9\")"), "(def x \"café\")");
    EXPECT_TRUE(Reading("\xC0\x80").diagnostics.has_errors());     // overlong
    EXPECT_TRUE(Reading("\xED\xA0\x80").diagnostics.has_errors()); // a surrogate
    EXPECT_TRUE(Reading("\xF4\x90\x80\x80").diagnostics.has_errors());
    EXPECT_TRUE(Reading("\xE2\x82").diagnostics.has_errors()); // cut off
}

TEST(ReaderErrors, NoFormsMeanNoCrash) {
    for (const char* text : {"(", "\"", "\\", "#\"", "'", "^", "#_", "#?", "#?(", "##", ":", "#'", "~", "(\"", "{\\",
                             "\\u", "\"\\", "#^"}) {
        const Reading reading(text);
        EXPECT_TRUE(reading.diagnostics.has_errors() || std::string(text) == "\\u") << text;
    }
}

/// Whose spelling would cost a walk that nobody pays for.
TEST(ReaderErrors, LongNamesBeyondAsciiAreNotSpelled) {
    const auto edits_of = [](std::size_t n) {
        std::string name = "e";
        for (std::size_t i = 0; i < n; ++i)
            name += "\u0301";
        Diagnostics diagnostics;
        (void)read_forms(Source("test", name), {}, diagnostics);
        return diagnostics.all().at(0).error.edits.size();
    };
    EXPECT_EQ(edits_of(10), 1u);
    EXPECT_EQ(edits_of(1'000), 0u);
}

} // namespace
} // namespace ptc
