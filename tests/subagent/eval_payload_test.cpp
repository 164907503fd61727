// What lisp_eval answers, in missions and for hosts that offer programs by themselves. Whatever is cut comes with a
// program that reads on, which is run here.
#include "ptc/eval_payload.h"
#include "subagent/agent/language_card.h"
#include "subagent/agent/preview.h"
#include "tests/subagent/missions.h"
#include "tests/support/core.h"

namespace ptc {
namespace {

/// A host that offers programs to a model, one after the other.
struct Host {
    Engine engine{EngineOptions{}};
    Session session{engine};

    Datum eval(const std::string& program, EvalPayloadOptions options = {}) {
        options.program = program;
        return eval_payload(session, session.run(program, {.want_datum = true}), options);
    }
};

std::string text_of(const Datum& payload, const char* member) { return *payload.find(member)->text(); }

TEST(EvalPayload, TellsTheValueAndAllThatIsDefined) {
    Host host;
    host.eval("(def b 1)");
    const Datum payload = host.eval("(println \"hi\") (def a {:x [1 2] \"y\" 3}) (:x a)");
    EXPECT_EQ(payload.find("status")->to_json(), "\"ok\"");
    EXPECT_EQ(text_of(payload, "result"), "user=> [1 2]");
    EXPECT_EQ(*payload.find("prints"), json(R"(["hi"])"));
    EXPECT_EQ(*payload.find("truncated"), Datum(false));
    EXPECT_EQ(payload.find("more"), nullptr);
    EXPECT_EQ(payload.find("memory")->to_json(),
              R"({"changed":{"a":"{:x [1 2] \"y\" 3}"},"stored_keys":["a","b"],"truncated":false})");
    EXPECT_NE(text_of(payload, "feedback").find("gave [:int]"), std::string::npos) << payload.to_json();
}

TEST(EvalPayload, WithoutMemoryNothingIsSaidOfNextPrograms) {
    Host host;
    const Datum payload = host.eval("(def a 1) (map vector (range 101))", {.has_memory = false});
    EXPECT_EQ(payload.find("memory"), nullptr);
    EXPECT_EQ(*payload.find("truncated"), Datum(true));
    ASSERT_TRUE(payload.find("more"));
    EXPECT_EQ(payload.find("more")->to_json(), R"([{"path":[],"shown":5,"total":101}])");
    EXPECT_EQ(payload.to_json().find("To read on"), std::string::npos);
}

// Each program that `next` gives reads what comes behind the part that was shown.
TEST(EvalPayload, WhatIsCutIsReadOnWithTheProgramThatIsGiven) {
    const struct {
        const char* program;
        const char* path;
        const char* page; ///< a program that gives the same as `next`
    } rows[] = {
        {"(mapv vector (range 101))", "[]", "(mapv vector (range 5 101))"},
        {"(mapv vector (range 500))", "[]", "(mapv vector (range 5 105))"},
        {"(mapv (fn [i] [i (apply str (repeat 300 \"x\"))]) (range 8))", "[]",
         "(mapv (fn [i] [i (apply str (repeat 300 \"x\"))]) (range 5 8))"},
        {"{:rows (mapv vector (range 101)) :n 7}", R"(["rows"])", "(mapv vector (range 5 101))"},
        {"{\"a b\" [{:rows (mapv vector (range 101))}]}", R"(["a b",0,"rows"])", "(mapv vector (range 5 101))"},
        {"(apply str (concat (map (constantly \"x\") (range 1000)) [\"yz\"]))", "[]", "\"yz\""},
        {"(apply str (concat (map (constantly \"ä\") (range 500)) [\"öü\"]))", "[]", "\"öü\""},
        {"(set (map vector (range 101)))", "[]", "(mapv vector (range 5 101))"},
        {"(into {} (map (fn [i] [i i]) (range 62)))", "[]", "{60 60 61 61}"},
    };
    for (const auto& [program, path, expected] : rows) {
        Host host;
        const Datum payload = host.eval(program);
        ASSERT_TRUE(payload.find("more")) << payload.to_json();
        EXPECT_EQ(*payload.find("truncated"), Datum(true)) << program;
        const Datum& cut = payload.find("more")->list()->at(0);
        EXPECT_EQ(cut.find("path")->to_json(), path) << program;
        const std::string& next = *cut.find("next")->text();
        EXPECT_NE(text_of(payload, "feedback").find("To read on: " + next), std::string::npos) << program;
        const Outcome page = host.session.run(next, {.want_datum = true});
        ASSERT_TRUE(page.ok()) << next << ": " << page.error->message;
        EXPECT_EQ(*page.datum, *Host().session.run(expected, {.want_datum = true}).datum) << next;
    }
}

// Reading on costs a turn: what is short is shown whole, whatever it is made of.
TEST(EvalPayload, AShortListIsShownWhole) {
    Host host;
    const Datum payload = host.eval("(map (fn [i] {:id i :tags [\"a\" \"b\"]}) (range 50))");
    EXPECT_EQ(*payload.find("truncated"), Datum(false));
    EXPECT_NE(text_of(payload, "result").find("{:id 49 :tags [\"a\" \"b\"]}]"), std::string::npos);
}

TEST(EvalPayload, OneTooDeepToBeShownIsGivenAsAWhole) {
    Host host;
    const Datum payload = host.eval("(reduce (fn [v _] [v]) [] (range 20))");
    const Datum& cut = payload.find("more")->list()->at(0);
    EXPECT_EQ(cut.find("path")->list()->size(), 13u);
    EXPECT_TRUE(host.session.run(*cut.find("next")->text()).ok());
    EXPECT_EQ(cut.find("total"), nullptr);
}

TEST(EvalPayload, WhatReturnGaveIsNotKept) {
    Host host;
    const Datum payload = host.eval("(return (map vector (range 101)))");
    EXPECT_EQ(payload.find("status")->to_json(), "\"ok\"");
    EXPECT_EQ(payload.find("more")->to_json(), R"([{"path":[],"shown":5,"total":101}])");
    EXPECT_NE(text_of(payload, "feedback").find("without return"), std::string::npos);
}

TEST(EvalPayload, FailuresSayWhyAndOnlyFailHasAResult) {
    Host host;
    const std::pair<const char*, const char*> rows[] = {
        {"(+ 1", "parse_error"},
        {"(nowhere 1)", "runtime_error"},
        {"(/ 1 0)", "runtime_error"},
        {"(loop [i 0] (recur (inc i)))", "timeout"},
        {"(reduce (fn [s _] (str s s)) \"0123456789\" (range 60))", "memory_limit"},
        {"(fail {:reason :none :message \"Nothing.\"})", "fail"},
    };
    for (const auto& [program, reason] : rows) {
        const Datum payload = host.eval(program);
        EXPECT_EQ(text_of(payload, "status"), "error") << program;
        EXPECT_EQ(text_of(payload, "reason"), reason) << program;
        EXPECT_FALSE(text_of(payload, "message").empty()) << program;
        EXPECT_NE(text_of(payload, "feedback").find("Call lisp_eval"), std::string::npos) << program;
        EXPECT_EQ(payload.find("result") != nullptr, std::string(reason) == "fail") << program;
    }
    EXPECT_NE(text_of(host.eval("(nowhere 1)"), "feedback").find("(nowhere 1)"), std::string::npos)
        << "the line of the program is shown";
    EXPECT_EQ(host.eval("(+ 1 1)").find("memory")->find("stored_keys")->to_json(), "[]");
}

TEST(EvalPayload, HidesWhatIsFirewalled) {
    Host host;
    const Datum payload = host.eval("(def _token \"tok-123456\") {:_key \"key-123456\" :n 1}");
    EXPECT_EQ(payload.to_json().find("123456"), std::string::npos) << payload.to_json();
    EXPECT_EQ(*payload.find("memory")->find("changed")->find("_token"), Datum("<Firewalled>"));
}

TEST(EvalPayload, PrintedLinesAreBounded) {
    Host host;
    const Datum payload =
        host.eval("(doseq [i (range 100)] (println (apply str (map (constantly \"x\") (range 100))))) 1");
    EXPECT_EQ(*payload.find("truncated"), Datum(false)) << "it speaks of the result";
    EXPECT_EQ(payload.find("prints")->list()->size(), 41u);
    EXPECT_NE(payload.find("prints")->list()->back().text()->find("100 lines in all"), std::string::npos);
    EXPECT_LT(payload.to_json().size(), 10'000u);
}

TEST(EvalPayload, ReadingOnShowsNothingThatIsHidden) {
    Host host;
    const Datum payload = host.eval("(into {} (map (fn [i] [(str \"_secret\" i) (str \"hush-\" i)]) (range 100)))");
    const std::string next = *payload.find("more")->list()->at(0).find("next")->text();
    const Datum page = host.eval(next);
    EXPECT_EQ(text_of(page, "status"), "ok") << page.to_json();
    EXPECT_EQ(page.to_json().find("hush-"), std::string::npos) << page.to_json();
    EXPECT_EQ(host.eval("(fail {:_pw \"hush-hush\" :a 1})").to_json().find("hush-"), std::string::npos);
}

TEST(EvalPayload, IsBoundedWhateverTheProgramGives) {
    Host host;
    const auto size = [&host](const std::string& program) { return host.eval(program).to_json().size(); };
    const std::string text = "(apply str (map (constantly \"x\") (range 200000)))";
    EXPECT_LT(size("(fail {:reason :x :message " + text + "})"), 30'000u);
    EXPECT_LT(size("(fail {(keyword " + text + ") 1})"), 30'000u);
    EXPECT_LT(size("{" + text + " (range 9)}"), 30'000u);
    EXPECT_LT(size("[(keyword " + text + ")]"), 30'000u);
    std::string many;
    for (int i = 0; i < 3000; ++i)
        many += "(def a-rather-long-name-" + std::to_string(i) + " [1 2 3])";
    const Datum payload = host.eval(many + " 1");
    EXPECT_LT(payload.to_json().size(), 60'000u);
    EXPECT_EQ(*payload.find("memory")->find("truncated"), Datum(true));
}

TEST(EvalPayload, ARefusalIsAnError) {
    EXPECT_EQ(eval_refusal("args_error", "No program.").to_json(),
              R"({"status":"error","reason":"args_error","message":"No program.","feedback":"No program."})");
}

TEST(Cards, SayWhatClojureDoesNotInFewTokens) {
    for (const std::string& card :
         {compact_card(test::core(), true), compact_card(test::core(), false), language_card(test::core())}) {
        for (const char* text : {"(sum-by f coll)", "(distinct-by f coll)", "data/NAME", "(return ", "gives "})
            EXPECT_NE(card.find(text), std::string::npos) << text;
    }
    EXPECT_LE(compact_card(test::core(), true).size(), kMostCompactCard);
    EXPECT_EQ(compact_card(test::core(), false).find("full_result_cached"), std::string::npos);
    EXPECT_LE(language_card(test::core()).size(), kMostCard);
}

} // namespace
} // namespace ptc
