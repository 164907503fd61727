// Rows whose expectations are wrong on purpose: each of them must be reported. Without this, a member of `expect` that
// nobody looks at would make every scenario pass.
#include "tools/testing/conformance.h"
#include "tools/testing/scenario.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

/// Why a scenario with this `expect` does not hold; "" when it does.
std::string why(std::string_view expect) {
    const std::string row =
        R"row({"id":"s","agent":{"prompt":"Count.","signature":"{n :int}","tools":{"f":{"signature":"(a :int) -> :int","do":{"return":7}}}},)row"
        R"row("run":{"context":{"x":1}},"llm":[{"text":"```clojure\n(def kept (tool/f {:a 1}))\n```"},)row"
        R"row({"text":"```clojure\n(return {:n kept})\n```"}],"expect":)row" +
        std::string(expect) + "}";
    return RowRunner(Limits{}).check(row, RowKind::Scenarios).why;
}

std::string why_failed(std::string_view expect) {
    const std::string row =
        R"row({"id":"s","agent":{"prompt":"Count."},"llm":[{"text":"```clojure\n(fail {:reason :gone :message \"no such\" :op \"find\" :details {:a 1}})\n```"}],"expect":)row" +
        std::string(expect) + "}";
    return RowRunner(Limits{}).check(row, RowKind::Scenarios).why;
}

TEST(ScenarioRow, HoldsWhenAllOfItDoes) {
    EXPECT_EQ(
        why(R"row({"status":"ok","return":{"n":7},"turns":2,"llm_calls":2,"tool_calls":[{"name":"f","args":{"a":1}}],)row"
            R"row("memory":{"kept":7},"memory_absent":["x"],"messages_contain":["Count.",["zz","kept"]],"messages_absent":["zz"],)row"
            R"row("trace":[{"ok":true,"tool_calls":[{"name":"f","args":{"a":1}}]},{"program":"(return {:n kept})"}],)row"
            R"row("events":[{"name":"tool_call","tool":"f"},{"name":"mission_stop","ok":true}],"events_absent":["llm_retry"],)row"
            R"row("requests":[{"n":1,"contains":["Count."],"system_contains":["PTC-Lisp"],"last_role":"user","native_tools":[]}]})row"),
        "");
    EXPECT_EQ(
        why_failed(
            R"row({"status":"error","fail":{"reason":"gone","message_contains":["such"],"op":"find","details":{"a":1}}})row"),
        "");
}

TEST(ScenarioRow, AChatHasAMessage) {
    for (const char* chat : {"[]", "5", "{}"}) {
        const std::string row = std::string(R"({"agent":{"prompt":"x"},"run":{"chat":)") + chat + "}}";
        const ScenarioLine line = scenario_line(Datum::from_json(row).value());
        EXPECT_FALSE(line.holds) << chat;
        EXPECT_NE(line.json.find("a list of at least one message"), std::string::npos) << line.json;
    }
}

TEST(ScenarioRow, HoldsWhateverItsResultIs) { // also what no reader of JSON takes
    const ScenarioLine line = scenario_line(
        Datum::from_json(
            R"({"agent":{"prompt":"x"},"llm":[{"text":"```clojure\n(return (reduce * (repeat 12000 10)))\n```"}]})")
            .value());
    EXPECT_TRUE(line.holds) << line.json.substr(0, 200);
    EXPECT_GT(line.json.size(), 12'000u);
}

TEST(ScenarioRow, EveryWrongExpectationIsReported) {
    for (const char* expect : {
             R"row({"status":"error"})row",
             R"row({"status":"invalid"})row",
             R"row({"return":{"n":8}})row",
             R"row({"return":{"n":7.0}})row",
             R"row({"return":{}})row",
             R"row({"fail":{"reason":"gone"}})row",
             R"row({"turns":1})row",
             R"row({"llm_calls":3})row",
             R"row({"tool_calls":[]})row",
             R"row({"tool_calls":[{"name":"f","args":{"a":2}}]})row",
             R"row({"tool_calls":[{"name":"g","args":{"a":1}}]})row",
             R"row({"memory":{"kept":8}})row",
             R"row({"memory":{"other":7}})row",
             R"row({"memory_absent":["kept"]})row",
             R"row({"messages_contain":["zz"]})row",
             R"row({"messages_contain":[["zz","yy"]]})row",
             R"row({"messages_absent":["Count."]})row",
             R"row({"trace":[]})row",
             R"row({"trace":[{"ok":false},{"ok":true}]})row",
             R"row({"trace":[{"program":null},{}]})row",
             R"row({"trace":[{"tool_calls":[]},{}]})row",
             R"row({"events":[{"name":"mission_stop"},{"name":"turn_start"}]})row",
             R"row({"events":[{"name":"tool_call","cached":true}]})row",
             R"row({"events_absent":["turn_start"]})row",
             R"row({"requests":[{"n":3}]})row",
             R"row({"requests":[{"n":1,"contains":["zz"]}]})row",
             R"row({"requests":[{"n":1,"absent":["Count."]}]})row",
             R"row({"requests":[{"n":1,"system_contains":["Count."]}]})row",
             R"row({"requests":[{"n":1,"system_absent":["PTC-Lisp"]}]})row",
             R"row({"requests":[{"n":2,"last_role":"assistant"}]})row",
             R"row({"requests":[{"n":1,"native_tools":["f"]}]})row",
             R"row({"requests":[{"n":1,"tool_schema":{"f":{}}}]})row",
             R"row({"requests":[{"n":1,"schema":{"type":"object"}}]})row",
             R"row({"requests":[{"n":1,"tool_results":{"c1":{}}}]})row",
             R"row({"retrun":1})row",
             R"row([])row",
         })
        EXPECT_NE(why(expect), "") << expect;
}

TEST(ScenarioRow, EveryWrongFailureIsReported) {
    for (const char* expect :
         {R"row({"status":"ok"})row", R"row({"return":null})row", R"row({"fail":{"reason":"lost"}})row",
          R"row({"fail":{"reason_any":["lost","found"]}})row", R"row({"fail":{"message_contains":["zz"]}})row",
          R"row({"fail":{"op":"insert"}})row", R"row({"fail":{"details":{"a":2}}})row",
          R"row({"fail":{"original_reason":"gone"}})row"})
        EXPECT_NE(why_failed(expect), "") << expect;
}

TEST(ScenarioRow, AScriptThatIsTooShortIsReported) {
    EXPECT_NE(RowRunner(Limits{})
                  .check(R"row({"id":"s","agent":{"prompt":"x"},"llm":[],"expect":{"status":"error"}})row",
                         RowKind::Scenarios)
                  .why.find("more often"),
              std::string::npos);
}

std::string reply_why(std::string_view expect) {
    return RowRunner(Limits{})
        .check(R"row({"id":"r","response":"a\n```clojure\n(+ 1 2)\n```\n```lisp\n(+ 3 4)\n```","expect":)row" +
                   std::string(expect) + "}",
               RowKind::Responses)
        .why;
}

TEST(ResponseRow, EveryWrongExpectationIsReported) {
    EXPECT_EQ(reply_why(R"row({"kind":"program","blocks":["(+ 1 2)","(+ 3 4)"],"value":7})row"), "");
    for (const char* expect : {
             R"row({"kind":"none"})row",
             R"row({"kind":"program","code":"(+ 1 3)"})row",
             R"row({"kind":"program"})row",
             R"row({"kind":"program","blocks":["(+ 3 4)","(+ 1 2)"]})row",
             R"row({"kind":"prose"})row",
             R"row({"kind":"program","blocks":["(+ 1 2)","(+ 3 4)"],"value":8})row",
         })
        EXPECT_NE(reply_why(expect), "") << expect;
}

} // namespace
} // namespace ptc
