// Rows whose expectations are wrong on purpose: each of them must be reported.
#include "tools/conformance.h"
#include "tools/scenario.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

/// Why a scenario with this `expect` does not hold; "" when it does.
std::string why(std::string_view expect) {
    const std::string row =
        R"({"id":"s","agent":{"prompt":"Count.","signature":"{n :int}","tools":{"f":{"signature":"(a :int) -> :int","do":{"return":7}}}},)"
        R"("run":{"context":{"x":1}},"llm":[{"text":"```clojure\n(def kept (tool/f {:a 1}))\n```"},)"
        R"({"text":"```clojure\n(return {:n kept})\n```"}],"expect":)" +
        std::string(expect) + "}";
    return RowRunner(Limits{}).check(row, RowKind::Scenarios).why;
}

std::string why_failed(std::string_view expect) {
    const std::string row =
        R"({"id":"s","agent":{"prompt":"Count."},"llm":[{"text":"```clojure\n(fail {:reason :gone :message \"no such\" :op \"find\" :details {:a 1}})\n```"}],"expect":)" +
        std::string(expect) + "}";
    return RowRunner(Limits{}).check(row, RowKind::Scenarios).why;
}

TEST(ScenarioRow, HoldsWhenAllOfItDoes) {
    EXPECT_EQ(why(R"({"status":"ok","return":{"n":7},"turns":2,"llm_calls":2,"tool_calls":[{"name":"f","args":{"a":1}}],)"
                  R"("memory":{"kept":7},"memory_absent":["x"],"messages_contain":["Count.",["zz","kept"]],"messages_absent":["zz"],)"
                  R"("trace":[{"ok":true,"tool_calls":[{"name":"f","args":{"a":1}}]},{"program":"(return {:n kept})"}],)"
                  R"("events":[{"name":"tool_call","tool":"f"},{"name":"mission_stop","ok":true}],"events_absent":["llm_retry"],)"
                  R"("requests":[{"n":1,"contains":["Count."],"system_contains":["PTC-Lisp"],"last_role":"user","native_tools":[]}]})"),
              "");
EXPECT_EQ(
    why_failed(
        R"({"status":"error","fail":{"reason":"gone","message_contains":["such"],"op":"find","details":{"a":1}}})"),
    "");
}

TEST(ScenarioRow, EveryWrongExpectationIsReported) {
    for (const char* expect : {
             R"({"status":"error"})",
             R"({"status":"invalid"})",
             R"({"return":{"n":8}})",
             R"({"return":{"n":7.0}})",
             R"({"return":{}})",
             R"({"fail":{"reason":"gone"}})",
             R"({"turns":1})",
             R"({"llm_calls":3})",
             R"({"tool_calls":[]})",
             R"({"tool_calls":[{"name":"f","args":{"a":2}}]})",
             R"({"tool_calls":[{"name":"g","args":{"a":1}}]})",
             R"({"memory":{"kept":8}})",
             R"({"memory":{"other":7}})",
             R"({"memory_absent":["kept"]})",
             R"({"messages_contain":["zz"]})",
             R"({"messages_contain":[["zz","yy"]]})",
             R"({"messages_absent":["Count."]})",
             R"({"trace":[]})",
             R"({"trace":[{"ok":false},{"ok":true}]})",
             R"({"trace":[{"program":null},{}]})",
             R"({"trace":[{"tool_calls":[]},{}]})",
             R"({"events":[{"name":"mission_stop"},{"name":"turn_start"}]})",
             R"({"events":[{"name":"tool_call","cached":true}]})",
             R"({"events_absent":["turn_start"]})",
             R"({"requests":[{"n":3}]})",
             R"({"requests":[{"n":1,"contains":["zz"]}]})",
             R"({"requests":[{"n":1,"absent":["Count."]}]})",
             R"({"requests":[{"n":1,"system_contains":["Count."]}]})",
             R"({"requests":[{"n":1,"system_absent":["PTC-Lisp"]}]})",
             R"({"requests":[{"n":2,"last_role":"assistant"}]})",
             R"({"requests":[{"n":1,"native_tools":["f"]}]})",
             R"({"requests":[{"n":1,"tool_schema":{"f":{}}}]})",
             R"({"requests":[{"n":1,"schema":{"type":"object"}}]})",
             R"({"requests":[{"n":1,"tool_results":{"c1":{}}}]})",
             R"({"retrun":1})",
             R"([])",
         })
        EXPECT_NE(why(expect), "") << expect;
}

TEST(ScenarioRow, EveryWrongFailureIsReported) {
    for (const char* expect :
         {R"({"status":"ok"})", R"({"return":null})", R"({"fail":{"reason":"lost"}})",
          R"({"fail":{"reason_any":["lost","found"]}})", R"({"fail":{"message_contains":["zz"]}})",
          R"({"fail":{"op":"insert"}})", R"({"fail":{"details":{"a":2}}})", R"({"fail":{"original_reason":"gone"}})"})
        EXPECT_NE(why_failed(expect), "") << expect;
}

TEST(ScenarioRow, AScriptThatIsTooShortIsReported) {
    EXPECT_NE(
        RowRunner(Limits{})
            .check(R"({"id":"s","agent":{"prompt":"x"},"llm":[],"expect":{"status":"error"}})", RowKind::Scenarios)
            .why.find("more often"),
        std::string::npos);
}

std::string reply_why(std::string_view expect) {
    return RowRunner(Limits{})
        .check(R"({"id":"r","response":"a\n```clojure\n(+ 1 2)\n```\n```lisp\n(+ 3 4)\n```","expect":)" +
                   std::string(expect) + "}",
               RowKind::Responses)
        .why;
}

TEST(ResponseRow, EveryWrongExpectationIsReported) {
    EXPECT_EQ(reply_why(R"({"kind":"program","blocks":["(+ 1 2)","(+ 3 4)"],"value":7})"), "");
    for (const char* expect : {R"({"kind":"none"})", R"({"kind":"program","code":"(+ 1 3)"})", R"({"kind":"program"})",
                               R"({"kind":"program","blocks":["(+ 3 4)","(+ 1 2)"]
})", R"({"kind":"prose"})",
                               R"({"kind":"program","blocks":["(+ 1 2)","(+ 3 4)"],"value":8
})"})
        EXPECT_NE(reply_why(expect), "") << expect;
}

} // namespace
} // namespace ptc
