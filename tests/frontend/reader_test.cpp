// What the language's text means: forms and their spans (spec 2, 3, 14). Only texts that read well; the others are in
// reader_errors_test.cpp.
#include "tests/frontend/reading.h"

#include <cmath>

namespace ptc {
namespace {

using testing::read;
using testing::Reading;
using testing::repeat;

const Form& first_form(const Reading& reading) { return reading.forms.top_level().front(); }

TEST(Reader, EmptyTextsHaveNoForms) {
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(read(" \t\r\n,\f\v "), "");
    EXPECT_EQ(read("; only a comment"), "");
    EXPECT_EQ(read(";"), "");
}

TEST(Reader, WhitespaceIncludesCommas) {
    EXPECT_EQ(read(",,,:k,,,"), ":k");
    EXPECT_EQ(read("{:a 1,:b 2,}"), "{:a 1 :b 2}");
    EXPECT_EQ(read("(max 4\r\n\t9)"), "(max 4 9)");
}

TEST(Reader, CommentsEndWithTheLine) {
    EXPECT_EQ(read("(+ 1 ; first ) [\n 2) ;;; ( trailing"), "(+ 1 2)");
    EXPECT_EQ(read("(do;c\n1)"), "(do 1)");
    EXPECT_EQ(read("1 ; não ascii\r\n2"), "1 2");
}

TEST(Reader, DiscardDropsTheNextForm) {
    EXPECT_EQ(read("(+ 1 #_(str \"x\" [2]) 2)"), "(+ 1 2)");
    EXPECT_EQ(read("#_#_ 1 2 3"), "3");
    EXPECT_EQ(read("#_ #_#_ 1 2 3 4"), "4");
    EXPECT_EQ(read("[1 #_ #_ a b]"), "[1]");
    EXPECT_EQ(read("{:a #_1 2}"), "{:a 2}");
    EXPECT_EQ(read("#_ ; why\n x y"), "y");
    EXPECT_EQ(read("(#_(#_ a b c) d)"), "(d)");
    EXPECT_EQ(read("[#_'x #_#'y #_\\a 1]"), "[1]");
}

TEST(Reader, ReservedNames) {
    EXPECT_EQ(read("[nil true false]"), "[nil true false]");
    EXPECT_TRUE(first_form(Reading("nil")).is(FormKind::Nil));
    EXPECT_TRUE(first_form(Reading("true")).is(FormKind::True));
    EXPECT_TRUE(first_form(Reading("nils")).is(FormKind::Symbol));
    EXPECT_TRUE(first_form(Reading("nil-ish")).is(FormKind::Symbol));
    EXPECT_TRUE(first_form(Reading("true'")).is(FormKind::Symbol));
    EXPECT_TRUE(first_form(Reading("False")).is(FormKind::Symbol));
}

TEST(Reader, Integers) {
    EXPECT_EQ(read("0 42 -17 +5 007 -007"), "0 42 -17 5 7 -7");
    EXPECT_EQ(read("9223372036854775807 -9223372036854775808"), "9223372036854775807 -9223372036854775808");
    EXPECT_EQ(read("9223372036854775808 -9223372036854775809 +9223372036854775808"),
              "9223372036854775808N -9223372036854775809N 9223372036854775808N");
    EXPECT_EQ(read(repeat("9", 100)), repeat("9", 100) + "N");
    EXPECT_EQ(read("-" + repeat("9", 100)), "-" + repeat("9", 100) + "N");
    EXPECT_EQ(read(repeat("0", 99) + "7"), "7");
}

TEST(Reader, IntegersOfOtherBasesAndSuffixes) {
    EXPECT_EQ(read("0x1F -0xff +0x10 2r101 -2r11 36rZ"), "31 -255 16 5 -3 35");
    EXPECT_EQ(read("1N -7N 2M 9223372036854775808N"), "1 -7 2 9223372036854775808N");
    const Reading reading("(f 12N)");
    EXPECT_EQ(first_form(reading).items()[1].span, (Span{3, 6}));
}

TEST(Reader, ASignAloneIsAName) {
    EXPECT_EQ(read("(- 1 -1) (+) -a +b - +"), "(- 1 -1) (+) -a +b - +");
    EXPECT_TRUE(first_form(Reading("-")).is_symbol("-"));
    EXPECT_TRUE(first_form(Reading("->x")).is_symbol("->x"));
}

TEST(Reader, Floats) {
    const auto number = [](const std::string& text) {
        const Reading reading(text);
        EXPECT_FALSE(reading.diagnostics.has_errors()) << text;
        EXPECT_TRUE(first_form(reading).is(FormKind::Float)) << text;
        return first_form(reading).number;
    };
    EXPECT_EQ(number("3.14"), 3.14);
    EXPECT_EQ(number("-0.5"), -0.5);
    EXPECT_EQ(number("+0.5"), 0.5);
    EXPECT_EQ(number("1e3"), 1000.0);
    EXPECT_EQ(number("1.5E3"), 1500.0);
    EXPECT_EQ(number("-2e+2"), -200.0);
    EXPECT_EQ(number("6.25e-2"), 0.0625);
    EXPECT_EQ(number("00.25"), 0.25);
    EXPECT_EQ(number("0.1"), 0.1);
    EXPECT_EQ(number("123456789.123456789"), 123456789.123456789);
    EXPECT_EQ(number("1.7976931348623157e308"), 1.7976931348623157e308);
    EXPECT_EQ(number("5e-324"), 5e-324);
    EXPECT_EQ(number("0." + repeat("0", 300) + "1"), 1e-301);
    EXPECT_TRUE(std::signbit(number("-0.0")));
}

TEST(Reader, RatiosAreFloats) {
    const Reading reading("-1/4");
    EXPECT_FALSE(reading.diagnostics.has_errors());
    ASSERT_EQ(reading.diagnostics.all().size(), 1u); // a warning
    EXPECT_EQ(reading.error().reason, Reason::SuspiciousForm);
    EXPECT_TRUE(first_form(reading).is(FormKind::Float));
    EXPECT_EQ(first_form(reading).number, -0.25);
    EXPECT_EQ(read("6/3 1.5M"), "2 f1.500000"); // a whole one is an integer
}

TEST(Reader, FloatsTooSmallAreZero) {
    EXPECT_EQ(read("1e-400 0." + repeat("0", 400) + "1 0e999999"), "f0.000000 f0.000000 f0.000000");
    EXPECT_TRUE(std::signbit(first_form(Reading("-1e-400")).number));
    EXPECT_EQ(read("1e-99999999999999999999"), "f0.000000");
}

TEST(Reader, SpecialNumbers) {
    EXPECT_EQ(first_form(Reading("##Inf")).number, INFINITY);
    EXPECT_EQ(first_form(Reading("##-Inf")).number, -INFINITY);
    EXPECT_TRUE(std::isnan(first_form(Reading("##NaN")).number));
}

TEST(Reader, StringsAreZeroCopyWhenPlain) {
    const Reading reading("\"hello\"");
    EXPECT_EQ(first_form(reading).text(), "hello");
    EXPECT_EQ(first_form(reading).text().data(), reading.source.text().data() + 1);
    EXPECT_EQ(read("\"\""), "\"\"");
    EXPECT_EQ(read("\"two\nlines\""), "\"two\nlines\"");
    EXPECT_EQ(read("\"naïve 日本 😀 ; # @ ^ ` ( \""), "\"naïve 日本 😀 ; # @ ^ ` ( \"");
}

TEST(Reader, StringEscapes) {
    EXPECT_EQ(read(R"("a\nb\tc\rd\\e\"f")"), "\"a\nb\tc\rd\\e\"f\"");
    EXPECT_EQ(read(R"("\b\f")"), "\"\b\f\"");
    EXPECT_EQ(read(R"("\u00e9\u65E5\ud83d\ude00")"), "\"é日😀\"");
    EXPECT_EQ(read(R"("\101\7\60x")"), "\"A\a0x\"");
    EXPECT_EQ(first_form(Reading(R"("\0")")).text(), std::string_view("\0", 1));
    EXPECT_EQ(read(R"("\\n")"), "\"\\n\"");
    EXPECT_EQ(read(R"("\\\"")"), "\"\\\"\"");
}

TEST(Reader, Characters) {
    EXPECT_EQ(read(R"(\a \Z \5 \λ \n \r \u \o)"), R"("a" "Z" "5" "λ" "n" "r" "u" "o")");
    EXPECT_EQ(read(R"(\newline \space \tab \return \backspace \formfeed)"), "\"\n\" \" \" \"\t\" \"\r\" \"\b\" \"\f\"");
    EXPECT_EQ(read(R"~([\( \) \[ \\ \" \; \, \' \% \/ \:])~"), R"~(["(" ")" "[" "\" """ ";" "," "'" "%" "/" ":"])~");
    EXPECT_EQ(read(R"(\u00e9 \u65E5 \o101 \o7)"), "\"é\" \"日\" \"A\" \"\a\"");
    EXPECT_EQ(read("[\\a\\b]"), "[\"a\" \"b\"]");
    EXPECT_EQ(read("\\e\u0301 \\👩‍🚀"), "\"e\u0301\" \"👩‍🚀\""); // one grapheme each
}

TEST(Reader, Keywords) {
    for (const char* text : {":name", ":user-id", ":a1", ":1st", ":ok?", ":save!", ":a+b", ":<=>", ":-dash", ":true",
                             ":UPPER", ":_", ":*"}) {
        EXPECT_EQ(read(text), text);
    }
    EXPECT_EQ(first_form(Reading(":name")).text(), "name");
}

TEST(Reader, KeywordsMayHaveANamespace) {
    for (const char* text : {":user/name", ":a.b/c", ":my-app.core/k?", ":$id"})
        EXPECT_EQ(read(text), text);
    EXPECT_EQ(read("::k"), ":user/k");
    EXPECT_EQ(read("{::a 1}"), "{:user/a 1}");
}

TEST(Reader, Symbols) {
    for (const char* text : {"filter",
                             "sort-by",
                             "empty?",
                             "->>",
                             "/",
                             "data/bar",
                             "tool/search",
                             "clojure.string/join",
                             "inc'",
                             "x''",
                             "%",
                             "%1",
                             "%&",
                             "&",
                             "*1",
                             "*star*",
                             "_",
                             "_x",
                             ".method",
                             "Class.",
                             "java.util.Date.",
                             "a.b",
                             "!",
                             "<=",
                             "Math/abs",
                             ".",
                             ".."}) {
        EXPECT_EQ(read(text), text);
        EXPECT_TRUE(first_form(Reading(text)).is(FormKind::Symbol)) << text;
    }
}

TEST(Reader, TokensEndWhereTheNextOneStarts) {
    EXPECT_EQ(read("(str\"x\"1)"), "(str \"x\" 1)");
    EXPECT_EQ(read("{:a\"b\"}"), "{:a \"b\"}");
    EXPECT_EQ(read("{\"a\":b}"), "{\"a\" :b}");
    EXPECT_EQ(read("(= :a:a)"), "(= :a :a)");
    EXPECT_EQ(read("(if(> 2 1):y :n)"), "(if (> 2 1) :y :n)");
    EXPECT_EQ(read("(map(fn[x](* x x))[1 2])"), "(map (fn [x] (* x x)) [1 2])");
    EXPECT_EQ(read("[1[2]3]"), "[1 [2] 3]");
}

TEST(Reader, Collections) {
    EXPECT_EQ(read("() [] {} #{} #()"), "() [] {} #{} #()");
    EXPECT_EQ(read("(a [b {:c #{d}} #(e %)])"), "(a [b {:c #{d}} #(e %)])");
    EXPECT_EQ(read("#(#(%))"), "#(#(%))");                       // the analyzer rejects nesting
    EXPECT_EQ(read("{:a 1 :a 2} #{1 1}"), "{:a 1 :a 2} #{1 1}"); // and duplicates
}

TEST(Reader, RegexesAreLeftAsWritten) {
    EXPECT_EQ(read(R"(#"\d+" #"" #"a\"b" #"\\")"), R"(#/\d+/ #// #/a\"b/ #/\\/)");
    EXPECT_TRUE(first_form(Reading("#\"x\"")).is(FormKind::Regex));
}

TEST(Reader, VarsAndQuotes) {
    EXPECT_EQ(read("#'x #'save! (doc 'str) 'a/b 'nil"), "#'x #'save! (doc 'str) 'a/b 'nil");
    const Reading reading("(doc 'clojure.string/join)");
    const Form& quote = first_form(reading).items()[1];
    ASSERT_TRUE(quote.is(FormKind::Quote));
    EXPECT_TRUE(quote.items()[0].is_symbol("clojure.string/join"));
}

TEST(Reader, DataMayBeQuoted) {
    EXPECT_EQ(read("'(1 2 3) '() '(a (b 1) :c) '[a 1]"), "'(1 2 3) '() '(a (b 1) :c) '[a 1]");
    EXPECT_EQ(read("'\"text\" '1 'x ''x '#{a}"), "'\"text\" '1 'x ''x '#{a}");
    const Reading reading("(f '(1 2))");
    EXPECT_EQ(first_form(reading).items()[1].span, (Span{3, 9}));
}

TEST(Reader, AnAtSignReadsAnAtom) {
    EXPECT_EQ(read("@state (let [a 1] @a) @(f x) @@x"),
              "(deref state) (let [a 1] (deref a)) (deref (f x)) (deref (deref x))");
    EXPECT_EQ(read("'@x"), "'(deref x)");
    const Reading reading("(f @x)");
    EXPECT_EQ(first_form(reading).items()[1].span, (Span{3, 5}));
}

TEST(Reader, MetadataChangesNothing) {
    EXPECT_EQ(read("^:private x (def ^:dynamic *x* 1)"), "x (def *x* 1)");
    EXPECT_EQ(read("(defn f [^String s #^long n] s)"), "(defn f [s n] s)");
    EXPECT_EQ(read("^{:doc \"x\" :since 1} [1] ^:a ^:b x"), "[1] x");
    EXPECT_EQ(read("'^:a x #_^:a x y"), "'x y");
}

TEST(Reader, SpansCoverWholeForms) {
    const Reading reading("  (foo #{1} 'x) ; c\n #(bar \"s\\n\") #'v");
    const auto text = [&](const Form& form) { return reading.source.text(form.span); };
    const auto forms = reading.forms.top_level();
    ASSERT_EQ(forms.size(), 3u);
    EXPECT_EQ(text(forms[0]), "(foo #{1} 'x)");
    EXPECT_EQ(text(forms[0].items()[1]), "#{1}");
    EXPECT_EQ(text(forms[0].items()[2]), "'x");
    EXPECT_EQ(text(forms[0].items()[2].items()[0]), "x");
    EXPECT_EQ(text(forms[1]), "#(bar \"s\\n\")");
    EXPECT_EQ(text(forms[1].items()[1]), "\"s\\n\"");
    EXPECT_EQ(text(forms[2]), "#'v");
}

TEST(Reader, SymbolsPointIntoTheSource) {
    const Reading reading("(foo :bar)");
    const char* begin = reading.source.text().data();
    EXPECT_EQ(first_form(reading).items()[0].text().data(), begin + 1);
    EXPECT_EQ(first_form(reading).items()[1].text().data(), begin + 6);
}

} // namespace
} // namespace ptc
