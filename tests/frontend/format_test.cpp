// The layout of programs: rows of text and layout. Every text is also asked what holds for all of them
// (format_check.h): the layout has the same tokens and comments, and is its own layout. So are all programs of the
// tests, and texts made at random.
#include "tests/frontend/reading.h"
#include "tests/support/corpus.h"
#include "tests/support/format_check.h"
#include <rapidcheck/gtest.h>

namespace ptc::testing {
namespace {

/// The layout of a text, after a look at what holds for all of them.
std::string format(const std::string& text) {
    EXPECT_EQ(test::format_problem(text), "") << text;
    Diagnostics diagnostics;
    return format_source(Source("test.ptc", text), test::vocabulary(), diagnostics);
}

void expect_kept(const std::string& text) { EXPECT_EQ(format(text), text); }

const std::string kLong(70, 'x');

TEST(Format, WhatFitsStaysOnOneLine) {
    expect_kept("(defn f [x] (+ x 1))\n");
    expect_kept("(let [a 1 b 2] (+ a b))\n");
    EXPECT_EQ(format("( +   1 ,2\t3 )"), "(+ 1 2 3)\n");
    EXPECT_EQ(format("[ ]{ }#{ }( )#( )"), "[]\n{}\n#{}\n()\n#()\n");
}

TEST(Format, SpellingsAreKept) {
    expect_kept("[1N -5M 1.5M 0xFF 2r101 1/3 ::k :a/b]\n");
    expect_kept("(f @x '(1 2) ''y ^:private z ^{:a 1} w)\n");
}

TEST(Format, NothingGivesNothing) {
    EXPECT_EQ(format(""), "");
    EXPECT_EQ(format(" ,\n\n"), "");
}

TEST(Format, FormsOfTheTextStandOnLinesOfTheirOwn) {
    EXPECT_EQ(format("(f) 1 :a\n\n\n\n\n\"x\""), "(f)\n1\n:a\n\n\"x\"\n");
}

TEST(Format, BodiesAreIndentedByTwo) {
    EXPECT_EQ(format("(defn f [x]\n(g x)\n(h x))"), "(defn f [x]\n  (g x)\n  (h x))\n");
    EXPECT_EQ(format("(defn f\n\"doc\"\n[x] x)"), "(defn f\n  \"doc\"\n  [x]\n  x)\n");
    EXPECT_EQ(format("(defn- f [x]\n(g x))"), "(defn- f [x]\n  (g x))\n");
    EXPECT_EQ(format("(ns crm\n\"doc\")"), "(ns crm\n  \"doc\")\n");
    EXPECT_EQ(format("(defn f ([x] x)\n([x y]\ny))"), "(defn f\n  ([x] x)\n  ([x y]\n   y))\n");
    EXPECT_EQ(format("(map (fn [x]\n(+ x 1)) xs)"), "(map (fn [x]\n       (+ x 1)) xs)\n");
    EXPECT_EQ(format("(when a b\nc)"), "(when a\n  b\n  c)\n");
    EXPECT_EQ(format("(if a b\nc)"), "(if a\n  b\n  c)\n");
    EXPECT_EQ(format("(do a\nb)"), "(do\n  a\n  b)\n");
    EXPECT_EQ(format("(as-> x y (f y)\n(g y))"), "(as-> x y\n  (f y)\n  (g y))\n");
    EXPECT_EQ(format("(def x\n1)"), "(def x\n  1)\n");
    EXPECT_EQ(format("#(if %\n1 2)"), "#(if %\n   1\n   2)\n");
}

TEST(Format, ArgumentsAreAlignedWithTheFirstOne) {
    EXPECT_EQ(format("(f a\nb\nc)"), "(f a\n   b\n   c)\n");
    EXPECT_EQ(format("(f\na\nb)"), "(f\n a\n b)\n");
    EXPECT_EQ(format("((f x) a\nb)"), "((f x) a\n       b)\n");
    EXPECT_EQ(format("(->> xs (map f)\n(filter g))"), "(->> xs\n     (map f)\n     (filter g))\n");
}

TEST(Format, ItemsStandBelowEachOther) {
    EXPECT_EQ(format("[1\n2\n3 4]"), "[1\n 2\n 3 4]\n");
    EXPECT_EQ(format("#{1\n2}"), "#{1\n  2}\n");
    EXPECT_EQ(format("(case x (1\n2) 3)"), "(case x\n  (1\n   2) 3)\n");
}

TEST(Format, PairsStayTogether) {
    EXPECT_EQ(format("{:a 1 :b\n2}"), "{:a 1\n :b\n   2}\n");
    EXPECT_EQ(format("(let [a 1 b 2\nc 3] a)"), "(let [a 1\n      b 2\n      c 3]\n  a)\n");
    EXPECT_EQ(format("(for [x xs\n:when x] x)"), "(for [x xs\n      :when x]\n  x)\n");
    EXPECT_EQ(format("(cond a 1\nb 2)"), "(cond a 1\n      b 2)\n");
    EXPECT_EQ(format("(cond\na 1 b 2)"), "(cond\n  a 1\n  b 2)\n");
    EXPECT_EQ(format("(case x 1 :a\n2 :b :c)"), "(case x\n  1 :a\n  2 :b\n  :c)\n");
    EXPECT_EQ(format("(condp = x 1 :a\n2 :b)"), "(condp = x\n  1 :a\n  2 :b)\n");
    EXPECT_EQ(format("(assoc m :a 1\n:b 2 :c 3)"), "(assoc m :a 1\n       :b 2\n       :c 3)\n");
    EXPECT_EQ(format("{:a 1 #_#_:b 2 :c\n3}"), "{:a 1\n #_#_:b 2\n :c\n   3}\n");
}

TEST(Format, LongLinesAreFilled) {
    EXPECT_EQ(format("(f " + kLong + " " + kLong + ")"), "(f " + kLong + "\n   " + kLong + ")\n");
    EXPECT_EQ(format("(if " + kLong + " 1 (g " + kLong + "))"), "(if " + kLong + "\n  1\n  (g " + kLong + "))\n");
    EXPECT_EQ(format("{:a " + kLong + " :b " + kLong + "}"), "{:a " + kLong + "\n :b " + kLong + "}\n");
    EXPECT_EQ(format("(let [a " + kLong + " b 2] (f " + kLong + "))"),
              "(let [a " + kLong + " b 2]\n  (f " + kLong + "))\n");
    EXPECT_EQ(format("(def " + kLong + " [" + kLong + "])"), "(def " + kLong + "\n  [" + kLong + "])\n");
    const std::string number = "1000";
    std::string numbers = "[" + number;
    for (int i = 0; i < 40; ++i)
        numbers += " " + number;
    const std::string filled = format(numbers + "]");
    EXPECT_EQ(filled.find('\n'), 100u); // [, 20 numbers of 4 and 19 spaces
    EXPECT_EQ(std::count(filled.begin(), filled.end(), '\n'), 3);
}

TEST(Format, TheHundredthColumnIsUsedAndNotTheNextOne) {
    const std::string edge = "(f " + std::string(60, 'a') + " " + std::string(35, 'b') + ")";
    ASSERT_EQ(edge.size(), 100u);
    expect_kept(edge + "\n");
    EXPECT_EQ(format("(f " + std::string(60, 'a') + " " + std::string(36, 'b') + ")").find('\n'), 63u);
    // Columns are characters, not bytes.
    expect_kept("(f \"" + repeat("\u00e4", 58) + "\" " + std::string(35, 'b') + ")\n");
}

TEST(Format, WideArgumentsStandBelowEachOther) {
    const std::string wide = "(filter (fn [order] (= (:status order) :paid)) orders)";
    EXPECT_EQ(format("(concat " + wide + " " + wide + " x)"),
              "(concat " + wide + "\n        " + wide + "\n        x)\n");
}

TEST(Format, WhatItsAuthorBrokeStaysWhereItStarts) {
    const std::string body(80, 'b');
    expect_kept("(update-vals rules (fn [x]\n                     " + body + "))\n");
    EXPECT_EQ(format("(update-vals rules (fn [x] " + body + "))"),
              "(update-vals rules\n             (fn [x]\n               " + body + "))\n");
}

TEST(Format, CommentsStayWhereTheyAre) {
    expect_kept(";; a\n(f a) ; b\n\n; c\n");
    EXPECT_EQ(format("(f a   ; b\n;; c\nd\n; e\n)"), "(f a ; b\n   ;; c\n   d\n   ; e\n   )\n");
    EXPECT_EQ(format("( ; a\n)"), "(; a\n )\n");
    EXPECT_EQ(format("{:a ; one\n1}"), "{:a ; one\n   1}\n");
    EXPECT_EQ(format("(f #_ ;x\n a)"), "(f #_ ;x\n a)\n");
    EXPECT_EQ(format("; a  \r\n1"), "; a\n1\n");
}

TEST(Format, DiscardedFormsStay) {
    EXPECT_EQ(format("#_ (f\n  x)\n#_\n#_ a b"), "#_(f\n   x)\n#_#_a b\n");
    EXPECT_EQ(format("(f #_ a b)"), "(f #_a b)\n");
}

TEST(Format, OneBlankLineStays) { EXPECT_EQ(format("\n\n(f\n\n\n\na\n\nb\n\n)\n\n"), "(f\n\n a\n\n b)\n"); }

TEST(Format, LiteralsAreSpelledAsTheyWere) {
    expect_kept("[+1 007 1e3 1.50 \"a\\u0041\\\"\" #\"\\d+\" \\newline \\u0041 \\( ##NaN 'x #'y #(f % %2) a/b]\n");
}

TEST(Format, StringsOfSeveralLinesAreLeftAlone) {
    expect_kept("(println \"a\n    b\" c)\n");
    expect_kept("(def x\n  \"a\nb\")\n");
}

TEST(Format, ColumnsOfValuesAndCommentsStayColumns) {
    expect_kept("{:a     1\n :bcd   2\n :efghi 3}\n");
    EXPECT_EQ(format("{:a        1\n :bcd      2}"), "{:a   1\n :bcd 2}\n");
    EXPECT_EQ(format("{:a   1\n :bcd      2}"), "{:a 1\n :bcd 2}\n");
    expect_kept("(let [a   (f\n           1)\n      bcd 2]\n  a)\n");
    expect_kept("(f 1)   ; a\n(f 100) ; b\n(f 10) ; c\n");
    EXPECT_EQ(format("(f 1)         ; a\n(f 100)       ; b\n(g)   ; c"), "(f 1)   ; a\n(f 100) ; b\n(g) ; c\n");
}

TEST(Format, ErrorsAreReportedAndNothingIsGiven) {
    Diagnostics diagnostics;
    EXPECT_EQ(format_source(Source("x", "(f ]\n1/2"), test::vocabulary(), diagnostics), "");
    EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Format, DeepNestingIsLaidOut) {
    EXPECT_EQ(format(repeat("(", 512) + repeat(")", 512)).size(), 1025u);
    EXPECT_EQ(test::format_problem(repeat("(f a ", 512) + repeat(")", 512)), "");
    EXPECT_EQ(test::format_problem(repeat("{:key\n[", 256) + repeat("]}", 256)), "");
}

TEST(Format, ALayoutThatIsTooLargeIsRefused) {
    const std::string deep = repeat("(some-name\n", 500) + repeat("a\n", 200'000) + repeat(")", 500);
    Diagnostics diagnostics;
    EXPECT_EQ(format_source(Source("x", deep), test::vocabulary(), diagnostics), "");
    ASSERT_TRUE(diagnostics.has_errors());
    EXPECT_EQ(diagnostics.all()[0].error.message.find("Laid out, the program would have more than 1048576 bytes"), 0u);
}

TEST(Format, HoldsForEveryProgramThereIs) {
    const auto programs = test::corpus(PTC_TEST_DATA);
    EXPECT_GT(programs.size(), 2000u);
    for (const test::CorpusProgram& program : programs)
        EXPECT_EQ(test::format_problem(program.text), "") << program.name << ":\n" << program.text;
}

/// A well-formed text out of random bytes: brackets, atoms, discards, comments and blanks.
class RandomText {
public:
    explicit RandomText(const std::vector<std::uint8_t>& bytes) {
        for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
            step(bytes[i], bytes[i + 1]);
        while (!open_.empty())
            close();
        while (discards_ > 0)
            atom(0);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    struct Frame {
        std::string_view closer;
        std::uint32_t forms, discards;
    };

    void step(std::uint8_t what, std::uint8_t which) {
        switch (what % 8) {
        case 0:
        case 1: return open(which);
        case 2: return open_.empty() ? atom(which) : close();
        case 3: return blank(which);
        case 4: return discard(which);
        default: return atom(which);
        }
    }
    void blank(std::uint8_t which) {
        constexpr const char* kBlanks[] = {"\n",        "\n\n", "\n\n\n", " ; a comment\n",
                                           "\n;; b,\n", "    ", ",",      "\r\n\t"};
        text_ += kBlanks[which % 8];
    }
    void open(std::uint8_t which) {
        constexpr std::pair<const char*, const char*> kBrackets[] = {
            {"(", ")"},      {"[", "]"},    {"{", "}"},        {"#{", "}"},   {"#(", ")"},     {"(let [", "])"},
            {"(cond ", ")"}, {"(if ", ")"}, {"(fn [x] ", ")"}, {"(-> ", ")"}, {"(case ", ")"}, {"(assoc ", ")"}};
        const auto& [opener, closer] = kBrackets[which % std::size(kBrackets)];
        text_ += opener;
        open_.push_back({closer, forms_, discards_});
        forms_ = discards_ = 0;
    }
    void close() {
        while (discards_ > 0 || (open_.back().closer == "}" && forms_ % 2 == 1))
            atom(1);
        text_ += open_.back().closer;
        forms_ = open_.back().forms;
        discards_ = open_.back().discards;
        open_.pop_back();
        count_form();
    }
    void discard(std::uint8_t which) {
        text_ += which % 4 == 0 ? "#_ ; why\n" : "#_";
        ++discards_;
    }
    void atom(std::uint8_t which) {
        constexpr const char* kAtoms[] = {"a",
                                          ":key",
                                          "12",
                                          "\"some text\"",
                                          "\"two\nlines\"",
                                          "#\"re\"",
                                          "nil",
                                          "a-rather-long-name-for-a-thing",
                                          "data/orders",
                                          "\\a",
                                          "'q",
                                          "1.5"};
        text_ += " ";
        text_ += which == 255 ? std::string(90, 'w') : kAtoms[which % std::size(kAtoms)];
        text_ += " ";
        count_form();
    }
    void count_form() {
        if (discards_ > 0)
            --discards_;
        else
            ++forms_;
    }

    std::string text_;
    std::vector<Frame> open_;
    std::uint32_t forms_ = 0, discards_ = 0;
};

RC_GTEST_PROP(FormatProperty, HoldsForRandomTexts, ()) {
    const auto bytes = *rc::gen::resize(2000, rc::gen::arbitrary<std::vector<std::uint8_t>>());
    const std::string text = RandomText(bytes).text();
    RC_LOG() << text;
    Diagnostics diagnostics;
    read_forms(Source("x", text), ReadLimits{}, diagnostics);
    RC_ASSERT(!diagnostics.has_errors());
    RC_ASSERT(test::format_problem(text) == "");
}

} // namespace
} // namespace ptc::testing
