// str, join, printing, clojure.string, split, replace: rows of program and result. Beside results it is looked at what
// they cost: texts that grow in place, strings of exactly the size that is needed.
#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using StringBuiltins = BuiltinProgram;

TEST_F(StringBuiltins, RowsAreDocumentedByExamplesThatHold) {
    EXPECT_ROWS_DOCUMENTED(string_builtins());
    EXPECT_ROWS_DOCUMENTED(printing_builtins());
    EXPECT_ROWS_DOCUMENTED(splitting_builtins());
    EXPECT_ROWS_DOCUMENTED(parsing_builtins());
}

TEST_F(StringBuiltins, StrGivesTheTextOfAnything) {
    EXPECT_EQ(run("(str)"), "\"\"");
    EXPECT_EQ(run("(str nil)"), "\"\"");
    EXPECT_EQ(run("(str -7 3.5 true :k \"s\" nil)"), "\"-73.5true:ks\"");
    EXPECT_EQ(run("(str [nil \"s\"] {:a 1})"), R"("[nil \"s\"]{:a 1}")");
    EXPECT_EQ(run("(str 12345678901234567890)"), "\"12345678901234567890\"");
    EXPECT_EQ(run("(str ##NaN ##-Inf)"), "\"NaN-Infinity\"");
    EXPECT_EQ(run("(str #\"a+\")"), "\"a+\"");
}

TEST_F(StringBuiltins, StrAppendsInPlaceToATextThatNobodyElseHas) {
    Value text = string("start");
    const Object* before = nullptr;
    std::size_t moves = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<Value> args;
        args.push_back(std::move(text));
        args.push_back(string("x"));
        args.push_back(Value::small_integer(i % 10));
        text = call("str", std::move(args)).value();
        moves += before != text.object();
        before = text.object();
    }
    EXPECT_EQ(text_of(text).size(), 5u + 4000u);
    EXPECT_LT(moves, 40u);
}

TEST_F(StringBuiltins, StrLeavesASharedTextAlone) {
    Value text = string("shared");
    std::vector<Value> args;
    args.push_back(text.copy());
    args.push_back(string("!"));
    Value longer = call("str", std::move(args)).value();
    EXPECT_EQ(text_of(text), "shared");
    EXPECT_EQ(text_of(longer), "shared!");
}

TEST_F(StringBuiltins, StrTakesExactlyTheBytesThatItNeeds) {
    std::vector<Value> args;
    for (int i = 0; i < 3; ++i)
        args.push_back(string(std::string(100'000, 'x')));
    std::size_t before = heap.live_bytes();
    heap.reset_peak();
    Value text = call("str", std::move(args)).value();
    EXPECT_EQ(text_of(text).size(), 300'000u);
    EXPECT_LE(heap.peak_bytes(), before + Heap::usable_size(300'000) + 8192);
}

TEST_F(StringBuiltins, JoinTakesAnyCollection) {
    EXPECT_EQ(run("(join \",\" [1 nil :a \"z\" 1.5])"), "\"1,,:a,z,1.5\"");
    EXPECT_EQ(run("(join [1 2])"), "\"12\"");
    EXPECT_EQ(run("(join nil)"), "\"\"");
    EXPECT_EQ(run("(join \",\" nil)"), "\"\"");
    EXPECT_EQ(run("(join nil [1 2])"), "\"12\"");
    EXPECT_EQ(run("(join \"ab\")"), "\"ab\"");
    EXPECT_EQ(run("(join \"-\" \"aéz\")"), "\"a-é-z\"");
    EXPECT_EQ(run("(join \",\" {:a 1 :b 2})"), "\"[:a 1],[:b 2]\"");
    EXPECT_EQ(run("(join \"→\" [\"a\" \"b\"])"), "\"a→b\"");
    EXPECT_EQ(run("(join \",\" 42)"), "!type_error");
    EXPECT_EQ(run("(join \",\" [\"a\"] \"b\")"), "!arity_error");
    EXPECT_NE(error_of("(join \",\" 42)").find("the collection comes last"), std::string::npos);
}

TEST_F(StringBuiltins, JoinReadsRanges) {
    Value range = make_range(heap, 8, 12, 1).value();
    std::vector<Value> args;
    args.push_back(string(" "));
    args.push_back(std::move(range));
    EXPECT_EQ(text_of(call("join", std::move(args)).value()), "8 9 10 11");
}

TEST_F(StringBuiltins, PrStrQuotesAndPrintlnDoesNot) {
    EXPECT_EQ(run("(pr-str)"), "\"\"");
    EXPECT_EQ(run("(pr-str \"q\\\"t\\n\" nil 1)"), R"("\"q\\\"t\\n\" nil 1")");
    EXPECT_EQ(run("(println \"a\" nil [\"b c\" \"d\"])"), "nil");
    EXPECT_EQ(run("(println)"), "nil");
    EXPECT_EQ(run("(prn \"a\")"), "nil");
    EXPECT_EQ(host.printed, (std::vector<std::string>{"a nil [\"b c\" \"d\"]", "", "\"a\""}));
}

TEST_F(StringBuiltins, PrintlnWritesAVectorOfCharactersAsText) {
    run("(println [\"h\" \"é\" \"l\"])");
    run("(println [\"ab\" \"c\"])");
    run("(println [])");
    EXPECT_EQ(host.printed, (std::vector<std::string>{"hél", "[\"ab\" \"c\"]", "[]"}));
    EXPECT_EQ(run("(print-str [\"h\" \"e\"])"), R"("[\"h\" \"e\"]")");
}

TEST_F(StringBuiltins, PrintingBeyondTheLimitIsAnError) {
    host.max_lines = 1;
    EXPECT_EQ(run("(println 1)"), "nil");
    EXPECT_EQ(run("(println 2)"), "!output_exceeded");
}

TEST_F(StringBuiltins, TrimFollowsJavasWhitespace) {
    EXPECT_EQ(run("(trim \" \\t\\na b\\r\\n \")"), "\"a b\"");
    EXPECT_EQ(run("(trim \"\\u2003x\\u2003\")"), "\"x\"");
    EXPECT_EQ(run("(trim \"\\u00A0x\")"), "\"\u00A0x\"");
    EXPECT_EQ(run("(triml \"  hi  \")"), "\"hi  \"");
    EXPECT_EQ(run("(trimr \"  hi  \")"), "\"  hi\"");
    EXPECT_EQ(run("(trim \"  \")"), "\"\"");
    EXPECT_EQ(run("(trim :k)"), "!type_error");
    EXPECT_EQ(run("(trim-newline \"a\\nb\\r\\n\\n\")"), "\"a\\nb\"");
    EXPECT_EQ(run("(trim-newline \"\\n\")"), "\"\"");
    EXPECT_EQ(run("(blank? nil)"), "true");
    EXPECT_EQ(run("(blank? \"\\u2003\")"), "true");
    EXPECT_EQ(run("(blank? \"\\u00A0\")"), "false");
    EXPECT_EQ(run("(blank? 5)"), "!type_error");
}

TEST_F(StringBuiltins, CaseFunctionsTakeNumbersAsClojureDoes) {
    EXPECT_EQ(run("(upper-case 12)"), "\"12\"");
    EXPECT_EQ(run("(upcase 12)"), "!type_error");
    EXPECT_EQ(run("(upper-case nil)"), "!type_error");
    EXPECT_EQ(run("(upper-case \"éß\")"), "\"ÉSS\"");
    EXPECT_EQ(run("(lower-case \"ΑΒΓ\")"), "\"αβγ\"");
    EXPECT_EQ(run("(capitalize \"éCOLE\")"), "\"École\"");
    EXPECT_EQ(run("(capitalize \"\")"), "\"\"");
    EXPECT_EQ(run("(string/reverse \"ne\\u0301e\")"), "\"e\u0065\u0301n\"");
}

TEST_F(StringBuiltins, SubsCutsBackToWhatIsThere) {
    EXPECT_EQ(run("(subs \"hello\" 1 3)"), "\"el\"");
    EXPECT_EQ(run("(subs \"hello\" 5)"), "\"\"");
    EXPECT_EQ(run("(subs \"hello\" 6)"), "\"\"");
    EXPECT_EQ(run("(subs \"hello\" 3 1)"), "\"\"");
    EXPECT_EQ(run("(subs \"hello\" -1)"), "\"\"");
    EXPECT_EQ(run("(subs \"hello\" 1 99)"), "\"ello\"");
    EXPECT_EQ(run("(subs \"abcd\" 1.9 3.0)"), "\"bc\"");
    EXPECT_EQ(run("(subs \"😀ab\" 1)"), "\"ab\"");
    EXPECT_EQ(run("(subs nil 0)"), "!type_error");
    EXPECT_EQ(run("(subs \"abc\" \"1\")"), "!type_error");
}

TEST_F(StringBuiltins, IndexesCountGraphemes) {
    EXPECT_EQ(run("(index-of \"hello\" \"l\")"), "2");
    EXPECT_EQ(run("(index-of \"hello\" \"l\" 4)"), "nil");
    EXPECT_EQ(run("(index-of \"hello\" \"\" 99)"), "5");
    EXPECT_EQ(run("(index-of \"hello\" \"h\" -5)"), "0");
    EXPECT_EQ(run("(index-of 123 \"2\")"), "1");
    EXPECT_EQ(run("(index-of \"abcabc\" \"b\" 1.9)"), "1");
    EXPECT_EQ(run("(index-of \"👍🏽éx\" \"x\")"), "2");
    EXPECT_EQ(run("(index-of \"👍🏽éxx\" \"x\" 3)"), "3");
    EXPECT_EQ(run("(last-index-of \"😀a😀\" \"😀\")"), "2");
    EXPECT_EQ(run("(last-index-of \"hello\" \"l\" 2)"), "2");
    EXPECT_EQ(run("(last-index-of \"hello\" \"lo\" 2)"), "nil");
    EXPECT_EQ(run("(last-index-of \"aaa\" \"aa\")"), "1");
    EXPECT_EQ(run("(last-index-of \"abc\" \"\" -1)"), "nil");
    EXPECT_EQ(run("(last-index-of \"hello\" \"\")"), "5");
    EXPECT_EQ(run("(last-index-of \"\" \"a\")"), "nil");
    EXPECT_EQ(run("(last-index-of \"abc\" \"c\" 99)"), "2");
}

TEST_F(StringBuiltins, PartsAreFoundByTheirBytes) {
    EXPECT_EQ(run("(includes? \"hello\" \"\")"), "true");
    EXPECT_EQ(run("(includes? \"a+b\" \"+\")"), "true");
    EXPECT_EQ(run("(includes? nil \"a\")"), "!type_error");
    EXPECT_EQ(run("(starts-with? 123 \"1\")"), "true");
    EXPECT_EQ(run("(starts-with? \"abc\" 1)"), "!type_error");
    EXPECT_EQ(run("(ends-with? \"abc\" \"c\")"), "true");
    EXPECT_EQ(run("(ends-with? \"lo\" \"hello\")"), "false");
}

TEST_F(StringBuiltins, SearchingBackwardsIsPaidFor) {
    heap.meter.start(20'000, Meter::Clock::time_point::max(), nullptr);
    std::vector<Value> args;
    args.push_back(string(std::string(200'000, 'a')));
    args.push_back(string("ab" + std::string(50'000, 'a')));
    EXPECT_EQ(call("last-index-of", std::move(args)).error().reason, Reason::FuelExhausted);
}

TEST_F(StringBuiltins, SplitDropsEmptyPartsAtTheEnd) {
    EXPECT_EQ(run("(split \"a,b,,\" #\",\")"), R"(["a" "b"])");
    EXPECT_EQ(run("(split \",a\" #\",\")"), R"(["" "a"])");
    EXPECT_EQ(run("(split \"\" #\",\")"), R"([""])");
    EXPECT_EQ(run("(split \",,\" #\",\")"), "[]");
    EXPECT_EQ(run("(split \"a,,b\" \",\")"), R"(["a" "" "b"])");
    EXPECT_EQ(run("(split \" a  b \" #\"\\s+\")"), R"(["" "a" "b"])");
    EXPECT_EQ(run("(split \"a b\\tc\" #\"\\s\")"), R"(["a" "b" "c"])");
    EXPECT_EQ(run("(split \"abc\" #\"x\")"), R"(["abc"])");
    EXPECT_EQ(run("(split \"a--b\" #\"--\")"), R"(["a" "b"])");
    EXPECT_EQ(run("(split \"a.b\" #\"\\.\")"), R"(["a" "b"])");
    EXPECT_EQ(run("(split \"aXbXc\" #\"(X)\")"), R"(["a" "b" "c"])");
    EXPECT_EQ(run("(split \"a1b22c\" #\"\\d+\")"), R"(["a" "b" "c"])");
}

TEST_F(StringBuiltins, SplitByNothingGivesCharacters) {
    EXPECT_EQ(run("(split \"a👍🏽b\" \"\")"), R"(["a" "👍🏽" "b"])");
    EXPECT_EQ(run("(split \"abc\" #\"\")"), R"(["a" "b" "c"])");
    EXPECT_EQ(run("(split \"abc\" #\"\" 2)"), R"(["a" "bc"])");
    EXPECT_EQ(run("(split \"abc\" #\"\" -1)"), R"(["a" "b" "c" ""])");
    EXPECT_EQ(run("(split \"abc\" #\"x*\")"), R"(["a" "b" "c"])");
}

TEST_F(StringBuiltins, SplitLimitsTheParts) {
    EXPECT_EQ(run("(split \"a,b,c\" #\",\" 2)"), R"(["a" "b,c"])");
    EXPECT_EQ(run("(split \"a,b\" #\",\" 1)"), R"(["a,b"])");
    EXPECT_EQ(run("(split \"a,,b,\" #\",\" -1)"), R"(["a" "" "b" ""])");
    EXPECT_EQ(run("(split \"a,,b,\" #\",\" 0)"), R"(["a" "" "b"])");
    EXPECT_EQ(run("(split \"a,b,\" #\",\" 5)"), R"(["a" "b" ""])");
}

TEST_F(StringBuiltins, SplitRefusesLongTextsAndNamesTheRegex) {
    EXPECT_EQ(run("(split \"a..b\" \"..\")"), "!type_error");
    EXPECT_NE(error_of("(split \"a..b\" \"..\")").find("#\"..\""), std::string::npos);
    EXPECT_EQ(run("(split \"a,b\" 5)"), "!type_error");
    EXPECT_EQ(run("(split 12 #\",\")"), "!type_error");
    EXPECT_EQ(run("(split \"a\")"), "!arity_error");
}

TEST_F(StringBuiltins, FastDelimitersFindWhatTheRegexEngineFinds) {
    const char* texts[] = {
        "", " ", "a", "  a\t\nb \r\n c  ", "a\r\nb\n\nc\r", "x|y||z|", "\n", "é é\u00A0é\u2003", "a\vb\fc", "|"};
    const char* pairs[][2] = {{"\\s+", "(?:\\s+)"}, {"\\s", "(?:\\s)"}, {"\\r?\\n", "(?:\\r?\\n)"},
                              {"\\n", "(?:\\n)"},   {"\\|", "(?:\\|)"}, {"é", "(?:é)"}};
    for (const char* text : texts) {
        for (auto& [fast, general] : pairs) {
            for (int limit : {-1, 0, 2}) {
                auto parts = [&](const char* pattern) {
                    std::vector<Value> args;
                    args.push_back(string(text));
                    args.push_back(make_regex(heap, pattern).value());
                    args.push_back(Value::small_integer(limit));
                    Value result = call("split", std::move(args)).value();
                    return print_to_string(heap, result, PrintStyle::Readable);
                };
                EXPECT_EQ(parts(fast), parts(general)) << text << " by " << fast << " limit " << limit;
            }
        }
    }
}

TEST_F(StringBuiltins, SplitLinesKnowsBothLineBreaks) {
    EXPECT_EQ(run("(split-lines \"a\\nb\\r\\nc\")"), R"(["a" "b" "c"])");
    EXPECT_EQ(run("(split-lines \"a\\n\\nb\\n\\n\")"), R"(["a" "" "b"])");
    EXPECT_EQ(run("(split-lines \"\")"), R"([""])");
    EXPECT_EQ(run("(split-lines \"\\n\")"), "[]");
    EXPECT_EQ(run("(split-lines \"a\\rb\")"), R"(["a\rb"])");
    EXPECT_EQ(run("(split-lines nil)"), "!type_error");
}

TEST_F(StringBuiltins, ReplacePutsTextInLiterallyUnlessARegexIsReplaced) {
    EXPECT_EQ(run("(replace \"aaa\" \"a\" \"bb\")"), "\"bbbbbb\"");
    EXPECT_EQ(run("(replace \"abc\" \"\" \"-\")"), "\"-a-b-c-\"");
    EXPECT_EQ(run("(replace \"\" \"\" \"-\")"), "\"-\"");
    EXPECT_EQ(run("(replace \"price 5\" \"5\" \"$10\")"), "\"price $10\"");
    EXPECT_EQ(run("(replace \"abc\" \"x\" \"y\")"), "\"abc\"");
    EXPECT_EQ(run("(replace 121 \"1\" \"x\")"), "\"x2x\"");
    EXPECT_EQ(run("(replace \"2024-01-15\" #\"(\\d+)-(\\d+)-(\\d+)\" \"$3/$2/$1\")"), "\"15/01/2024\"");
    EXPECT_EQ(run("(replace \"ab\" #\"(?<x>a)\" \"<${x}$0>\")"), "\"<aa>b\"");
    EXPECT_EQ(run("(replace \"ab\" #\"(a)\" \"$12\")"), "\"a2b\"");
    EXPECT_EQ(run("(replace \"a\" #\"a\" \"\\\\$1\")"), "\"$1\"");
    EXPECT_EQ(run("(replace \"ac\" #\"a(b)?\" \"[$1]\")"), "\"[]c\"");
    EXPECT_EQ(run("(replace \"abc\" #\"x*\" \"-\")"), "\"-a-b-c-\"");
    EXPECT_EQ(run("(replace-first \"aXbX\" \"X\" \"YY\")"), "\"aYYbX\"");
    EXPECT_EQ(run("(replace-first \"a1b2\" #\"\\d\" \"<$0>\")"), "\"a<1>b2\"");
}

TEST_F(StringBuiltins, ReplaceRefusesMalformedReplacements) {
    EXPECT_EQ(run("(replace \"a\" #\"a\" \"$$\")"), "!type_error");
    EXPECT_EQ(run("(replace \"a\" #\"a\" \"$1\")"), "!type_error");
    EXPECT_EQ(run("(replace \"a\" #\"a\" \"${x}\")"), "!type_error");
    EXPECT_EQ(run("(replace \"a\" #\"a\" \"\\\\\")"), "!type_error");
    EXPECT_NE(error_of("(replace \"a\" #\"a\" \"$x\")").find("re-quote-replacement"), std::string::npos);
    EXPECT_EQ(run("(replace \"a\" nil \"b\")"), "!type_error");
    EXPECT_EQ(run("(replace \"a\" \"a\" nil)"), "!type_error");
    EXPECT_EQ(run("(replace \"a\")"), "!arity_error");
}

TEST_F(StringBuiltins, ReplaceThatGrowsBeyondTheHeapIsRefused) {
    heap.set_limit(heap.live_bytes() + (1u << 20));
    std::vector<Value> args;
    args.push_back(string(std::string(10'000, 'a')));
    args.push_back(string("a"));
    args.push_back(string(std::string(10'000, 'b')));
    EXPECT_EQ(call("replace", std::move(args)).error().reason, Reason::MemoryExceeded);
}

TEST_F(StringBuiltins, ReplaceOfItemsTakesAMap) {
    EXPECT_EQ(run("(replace {:a 1 :b nil} [:a :c :b])"), "[1 :c nil]");
    EXPECT_EQ(run("(replace [10 20] [0 1 2])"), "[10 20 2]");
    EXPECT_EQ(run("(replace {} nil)"), "[]");
    EXPECT_EQ(run("(replace {\"a\" 1} [:a])"), "[1]"); // what get finds
    EXPECT_EQ(run("(replace {[:a] :x} [[:a]])"), "[:x]");
    EXPECT_EQ(run("(replace 5 [1])"), "!type_error");
}

TEST_F(StringBuiltins, EscapeLooksEveryCharacterUp) {
    EXPECT_EQ(run("(escape \"<a&b>é\" {\"<\" \"&lt;\" \"&\" \"&amp;\" \"é\" \"e\"})"), "\"&lt;a&amp;b>e\"");
    EXPECT_EQ(run("(escape \"aa\" {\"a\" 1})"), "\"11\"");
    EXPECT_EQ(run("(escape \"a\" 5)"), "!type_error");
}

TEST_F(StringBuiltins, NameIsForKeywordsAndStrings) {
    EXPECT_EQ(run("(name :a-b)"), "\"a-b\"");
    EXPECT_EQ(run("(name \"s\")"), "\"s\"");
    EXPECT_EQ(run("(name nil)"), "!type_error");
    EXPECT_EQ(run("(name 42)"), "!type_error");
}

TEST_F(StringBuiltins, ParseFunctionsGiveNilForAnythingElse) {
    EXPECT_EQ(run("(parse-long \"-9223372036854775808\")"), "-9223372036854775808");
    EXPECT_EQ(run("(parse-long \"9223372036854775808\")"), "nil");
    for (const char* text : {"", " 42", "42 ", "4.2", "42abc", "-", "+", "+-5", "--5", "1_000", "0x1F"}) {
        EXPECT_EQ(run("(parse-long \"" + std::string(text) + "\")"), "nil") << text;
    }
    EXPECT_EQ(run("(parse-long \"+007\")"), "7");
    EXPECT_EQ(run("(parse-long 42)"), "nil");
    EXPECT_EQ(run("(parse-boolean \"TRUE\")"), "nil");
    EXPECT_EQ(run("(parse-boolean true)"), "nil");
}

// But for the blanks around a number that Java skips: a text with these is none (specification 8.9).
TEST_F(StringBuiltins, ParseDoubleReadsWhatJavaReads) {
    const char* good[][2] = {{"3.14", "3.14"},   {".5", "0.5"},           {"5.", "5.0"},
                             {"+2.5", "2.5"},    {"1E2", "100.0"},        {"1e-3f", "0.001"},
                             {"2d", "2.0"},      {"-Infinity", "##-Inf"}, {"NaN", "##NaN"},
                             {"0x1.8p1", "3.0"}, {"1e400", "##Inf"},      {"-1e400", "##-Inf"},
                             {"1e-400", "0.0"},  {"0e999", "0.0"},        {"0x1p99999999999999999999", "##Inf"}};
    for (auto& [text, value] : good)
        EXPECT_EQ(run("(parse-double \"" + std::string(text) + "\")"), value) << text;
    for (const char* text :
         {"", " ", " 1.5\\t", "abc", "-", ".", "1e", "1.5x", "inf", "nan", "--1", "0x1.8", "0x", "1 2", "1ff"}) {
        EXPECT_EQ(run("(parse-double \"" + std::string(text) + "\")"), "nil") << text;
    }
}

TEST_F(StringBuiltins, JavasParseMethodsFailInstead) {
    EXPECT_EQ(run("(Integer/parseInt \"-7\")"), "-7");
    EXPECT_EQ(run("(Integer/parseInt \"2147483648\")"), "!type_error");
    EXPECT_EQ(run("(Long/parseLong \"ff\" 16)"), "255");
    EXPECT_EQ(run("(Long/parseLong \"ff\" 99)"), "!type_error");
    EXPECT_EQ(run("(Long/parseLong \"x\")"), "!type_error");
    EXPECT_EQ(run("(Long/parseLong nil)"), "!type_error");
    EXPECT_NE(error_of("(Long/parseLong \"x\")").find("parse-long"), std::string::npos);
    EXPECT_EQ(run("(Double/parseDouble \" 1.5\")"), "1.5");
    EXPECT_EQ(run("(Double/parseDouble \"x\")"), "!type_error");
    EXPECT_EQ(run("(Boolean/parseBoolean \"tRuE\")"), "true");
    EXPECT_EQ(run("(Boolean/parseBoolean nil)"), "false");
    EXPECT_EQ(run("(Boolean/parseBoolean 1)"), "!type_error");
}

} // namespace
} // namespace ptc::test
