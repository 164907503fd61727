#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using JsonBuiltins = BuiltinProgram;

TEST_F(JsonBuiltins, RowsAreDocumentedByExamplesThatHold) { EXPECT_ROWS_DOCUMENTED(json_builtins()); }

TEST_F(JsonBuiltins, ParseGivesNilForWhatIsNoJson) {
    EXPECT_EQ(run("(json/parse-string \"{\\\"a\\\":[1,2.0,null,true]}\")"), R"({"a" [1 2.0 nil true]})");
    EXPECT_EQ(run("(json/parse-string \"\\\"\\\\u00e9\\\\n\\\"\")"), "\"é\\n\"");
    for (const char* bad : {"", "not json", "[1,]", "{'a':1}", "[1] x", "01", "NaN", "[1"}) {
        EXPECT_EQ(run("(json/parse-string \"" + std::string(bad) + "\")"), "nil") << bad;
    }
    EXPECT_EQ(run("(json/parse-string 42)"), "nil");
    EXPECT_EQ(run("(json/parse-string nil)"), "nil");
    EXPECT_EQ(run("(json/parse-string \"{}\" 1)"), "!arity_error");
}

TEST_F(JsonBuiltins, ASpentBudgetIsNoMalformedText) {
    heap.meter.start(500, Meter::Clock::time_point::max(), nullptr);
    std::vector<Value> args;
    args.push_back(string("[" + std::string(100'000, ' ') + "]"));
    EXPECT_EQ(call("json/parse-string", std::move(args)).error().reason, Reason::FuelExhausted);
}

TEST_F(JsonBuiltins, LinesAreReadOneByOne) {
    EXPECT_EQ(run("(json/parse-lines \"{\\\"a\\\":1}\\r\\n\\n  \\n[2]\\noops\\r3\")"), R"([{"a" 1} [2] nil 3])");
    EXPECT_EQ(run("(json/parse-lines \"\")"), "[]");
    EXPECT_EQ(run("(json/parse-lines 42)"), "nil");
}

TEST_F(JsonBuiltins, GenerateWritesWhatReadsBackTheSame) {
    EXPECT_EQ(run("(json/generate-string {\"b\" [1 nil true -2.5] \"a\" {}})"),
              R"("{\"a\":{},\"b\":[1,null,true,-2.5]}")");
    EXPECT_EQ(run("(json/generate-string \"q\\\"\\\\\\n\\u0001é\")"), R"("\"q\\\"\\\\\\n\\u0001é\"")");
    EXPECT_EQ(run("(json/generate-string 2.0)"), "\"2.0\"");
    EXPECT_EQ(run("(json/generate-string 123456789012345678901234567890)"), "\"123456789012345678901234567890\"");
    EXPECT_EQ(run("(json/generate-string {1 \"a\"})"), R"("{\"1\":\"a\"}")");
    EXPECT_EQ(run("(json/generate-string [])"), "\"[]\"");
    EXPECT_EQ(run("(json/generate-string nil)"), "\"null\"");
}

TEST_F(JsonBuiltins, GenerateWritesTextsForWhatHasNoNotation) {
    const std::pair<const char*, const char*> rows[] = {
        {":fs", R"("\"fs\"")"},
        {"{:a 1}", R"("{\"a\":1}")"},
        {"{1.5 \"a\" true 2}", R"("{\"1.5\":\"a\",\"true\":2}")"},
        {"#{1}", R"("[1]")"},
        {"[(LocalDate/parse \"2024-01-01\")]", R"("[\"2024-01-01\"]")"},
    };
    for (const auto& [value, json] : rows)
        EXPECT_EQ(run("(json/generate-string " + std::string(value) + ")"), json) << value;
}

TEST_F(JsonBuiltins, GenerateRefusesWhatHasNoJson) {
    for (const char* value :
         {"##Inf", "[##NaN]", "{nil 1}", "{[1] 2}", "{##Inf 1}", "str", "#\"re\"", "{:a 1 \"a\" 2}", "{1 2 \"1\" 3}"}) {
        EXPECT_EQ(run("(json/generate-string " + std::string(value) + ")"), "!type_error") << value;
    }
}

TEST_F(JsonBuiltins, GenerateReadsVectorsOfEveryKindAndAnyDepth) {
    std::vector<Value> args;
    args.push_back(make_range(heap, 0, 5, 2).value());
    EXPECT_EQ(text_of(call("json/generate-string", std::move(args)).value()), "[0,2,4]");
    Value nested = empty_vector();
    for (int i = 0; i < 100'000; ++i) {
        std::vector<Value> items;
        items.push_back(std::move(nested));
        nested = make_vector(heap, items).value();
    }
    std::vector<Value> deep;
    deep.push_back(std::move(nested));
    EXPECT_EQ(text_of(call("json/generate-string", std::move(deep)).value()).size(), 200'002u);
}

TEST_F(JsonBuiltins, GenerateOfASharedGiantStopsAtTheHeapLimit) {
    Value value = string(std::string(1000, 'x'));
    for (int i = 0; i < 40; ++i) { // 2^40 copies when written out
        std::vector<Value> items;
        items.push_back(value.copy());
        items.push_back(std::move(value));
        value = make_vector(heap, items).value();
    }
    heap.set_limit(heap.live_bytes() + (4u << 20));
    std::vector<Value> args;
    args.push_back(std::move(value));
    EXPECT_EQ(call("json/generate-string", std::move(args)).error().reason, Reason::MemoryExceeded);
}

} // namespace
} // namespace ptc::test
