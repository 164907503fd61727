// Preludes as hosts give them to an engine: what they add to the language and to sessions, which tools they need, and
// what is said of their mistakes. Programs that use preludes are in tests/language as well.
#include <algorithm>
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

constexpr const char* kCrm = R"((ns crm "Customers." {:visibility :prompt})

(def page-size (* 5 10))

(defn- normalize-id [raw] (str "norm:" raw))

(defn get-user
  "Return a user by id."
  [id]
  ; asks the system
  (tool/get_user {:id (normalize-id id)}))

(defn list-users "All of them." {:visibility :discoverable} [ids] (map get-user ids))
)";

Tool get_user() {
    return {.name = "get_user", .function = [](const Datum& arguments) -> Result<Datum> { return arguments; }};
}

Outcome run_with(std::string prelude, std::string_view source) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"p.ptc", std::move(prelude)}}});
    return engine.run(source);
}

/// The first problem of an engine with this prelude.
std::string problem_of(std::string prelude) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"p.ptc", std::move(prelude)}}});
    return engine.problems().empty() ? "" : engine.problems().front().message;
}

// ---- Examples

TEST(PreludeExample, AddsANamespaceToTheLanguage) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    EXPECT_TRUE(engine.problems().empty());
    EXPECT_EQ(engine.run("[crm/page-size (crm/get-user 7)]").value, "[50 {\"id\" \"norm:7\"}]");
}

TEST(PreludeExample, ListsWhatAPromptTellsOf) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    std::string prompt;
    for (const ExportedNamespace& space : engine.exports()) {
        prompt += space.name + ": " + space.doc + "\n";
        for (const Export& member : space.exports) {
            if (member.in_prompt) prompt += member.usage + " " + member.doc + "\n";
        }
    }
    EXPECT_EQ(prompt, "crm: Customers.\n(crm/get-user id) Return a user by id.\ncrm/page-size \n");
}

TEST(PreludeExample, NothingRunsWithoutTheToolsThatItNeeds) {
    const Engine engine({.preludes = {{"crm.ptc", kCrm}}});
    ASSERT_FALSE(engine.problems().empty());
    EXPECT_EQ(engine.problems().front().message,
              "crm.ptc:7:7: `crm/get-user` of the prelude needs the tool `get_user`, which there is not.");
    const Outcome outcome = engine.run("(println 1)");
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(reason_name(outcome.error->reason), "invalid_prelude");
    EXPECT_TRUE(outcome.prints.empty());
}

// ---- Sessions

TEST(Prelude, IsNoPartOfASessionsMemory) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    Session session(engine);
    const Outcome first = session.run("(def mine (crm/get-user crm/page-size)) (def f crm/list-users)");
    EXPECT_EQ(first.changed_names, (std::vector<std::string>{"mine", "f"}));
    EXPECT_EQ(session.names(), (std::vector<std::string>{"f", "mine"}));
    session.clear();
    EXPECT_EQ(session.run("[crm/page-size (:id (crm/get-user 1))]").value, "[50 \"norm:1\"]");
    EXPECT_FALSE(session.value_text("crm/page-size"));
}

TEST(Prelude, AHostCannotDefineItsNamesEither) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    Session session(engine);
    EXPECT_FALSE(session.define("crm/page-size", Datum(std::int64_t{1})).ok());
    EXPECT_TRUE(session.define("page-size", Datum(std::int64_t{1})).ok());
    EXPECT_EQ(session.run("[page-size crm/page-size]").value, "[1 50]");
}

TEST(Prelude, CostsASessionNothingUntilItIsUsed) {
    const Engine with({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    const Engine without;
    EXPECT_EQ(with.run("(+ 1 2)").usage.fuel, without.run("(+ 1 2)").usage.fuel);
    EXPECT_EQ(with.run("(+ 1 2)").usage.peak_heap_bytes, without.run("(+ 1 2)").usage.peak_heap_bytes);
}

TEST(Prelude, AProgramIsSharedByEnginesThreadsAndSessions) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    const Compiled compiled = engine.compile("(:id (crm/get-user 1))");
    ASSERT_TRUE(compiled);
    Session first(engine), second(engine);
    EXPECT_EQ(first.run(compiled.program).value, "\"norm:1\"");
    EXPECT_EQ(second.run(compiled.program).value, "\"norm:1\"");
}

TEST(Prelude, ItsToolsAreCalledThroughTheSession) {
    Tool tool = get_user();
    tool.function = {};
    const Engine engine({.tools = {tool}, .preludes = {{"crm.ptc", kCrm}}});
    Session session(engine);
    RunState state = session.start(engine.compile("(:name (crm/get-user 1))").program);
    ASSERT_TRUE(std::holds_alternative<Suspended>(state));
    EXPECT_EQ(std::get<Suspended>(state).calls.front().arguments.to_json(), "{\"id\":\"norm:1\"}");
    state = session.resume(Datum::from_json(R"({"name": "Ann"})").value());
    EXPECT_EQ(std::get<Outcome>(state).value, "\"Ann\"");
}

TEST(Prelude, FailEndsTheProgram) {
    const Outcome outcome = run_with("(ns p) (defn stop! [why] (fail {:reason why}))", "(do (p/stop! \"no\") 2)");
    EXPECT_EQ(outcome.kind, Outcome::Kind::Fail);
    EXPECT_EQ(outcome.value, "{:reason \"no\"}");
}

// ---- Several texts

TEST(Prelude, LaterTextsUseEarlierOnes) {
    const Engine engine({.preludes = {{"a.ptc", "(ns a) (defn f [x] (* 2 x)) (defn- g [] 1)"},
                                      {"b.ptc", "(ns b) (defn f [x] (inc (a/f x))) (def six (a/f 3))"}}});
    EXPECT_EQ(engine.run("[(b/f 3) b/six]").value, "[7 6]");
}

TEST(Prelude, PrivateNamesOfEarlierTextsAreNotSeen) {
    const Engine engine({.preludes = {{"a.ptc", "(ns a) (defn- g [] 1)"}, {"b.ptc", "(ns b) (defn f [] (a/g))"}}});
    ASSERT_EQ(engine.problems().size(), 1u);
    EXPECT_EQ(engine.problems()[0].message, "b.ptc:1:20: `a` has no `g`.");
}

TEST(Prelude, ANamespaceIsDeclaredOnce) {
    const Engine engine({.preludes = {{"a.ptc", "(ns a)"}, {"b.ptc", "(ns a)"}}});
    ASSERT_EQ(engine.problems().size(), 1u);
    EXPECT_EQ(engine.problems()[0].message, "b.ptc:1:5: The namespace `a` is declared already.");
    EXPECT_EQ(problem_of("(ns a)\n(ns a)"), "p.ptc:2:5: The namespace `a` is declared already.");
}

// ---- Needs

TEST(Prelude, NeedsAreInferredThroughPrivateHelpersAndOtherNamespaces) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"a.ptc", R"((ns a)
(defn- low [get_user] (tool/get_user {}))
(defn high [] (low 1))
(defn value [] tool/get_user)
(defn none [tool] (let [low inc] (low tool)))
(defn named {:requires ["upstream:s/x"]} [] (call "get_user"))
(ns b)
(defn top [] (a/high)))"}}});
    EXPECT_TRUE(engine.problems().empty());
    std::string found;
    for (const ExportedNamespace& space : engine.exports()) {
        for (const Export& member : space.exports) {
            found += member.name + ":";
            for (const std::string& need : member.needs)
                found += " " + need;
            found += "\n";
        }
    }
    EXPECT_EQ(found, "a/high: tool:get_user\na/named: tool:get_user upstream:s/x\na/none:\na/value: "
                     "tool:get_user\nb/top: tool:get_user\n");
}

TEST(Prelude, CallsOfServersAreNamed) {
    const Engine engine(
        {.tools = {{.name = "call", .function = [](const Datum& a) -> Result<Datum> { return a; }}},
         .preludes = {{"a.ptc", R"((ns a) (defn f [id] (tool/call {:server "crm" :tool "get" :args {:id id}})))"}}});
    const Export& member = engine.exports().at(0).exports.at(0);
    EXPECT_EQ(member.needs, (std::vector<std::string>{"tool:call", "upstream:crm/get"}));
    EXPECT_EQ(member.provider, "upstream:crm/get");
    EXPECT_EQ(member.effect, "read");
}

TEST(Prelude, ExplicitNeedsAreCheckedToo) {
    EXPECT_EQ(problem_of("(ns a)\n(defn f {:requires [\"tool:gte_user\"]} [] 1)"),
              "p.ptc:2:7: `a/f` of the prelude needs the tool `gte_user`, which there is not.");
    EXPECT_EQ(problem_of("(ns a)\n(defn f {:requires [\"get_user\"]} [] 1)"),
              "p.ptc:2:7: `a/f` of the prelude requires `get_user`, which is not of a kind that can be checked.");
}

TEST(Prelude, WhatNobodyCanReachNeedsNothing) {
    EXPECT_EQ(problem_of("(ns a) (defn- f [] (tool/nowhere {})) (defn g [] 1)"), "");
}

// ---- Mistakes

TEST(Prelude, MistakesHaveTheirPlace) {
    const std::pair<const char*, const char*> cases[] = {
        {"(defn f [] 1)", "p.ptc:1:1: A definition of a prelude stands in a namespace."},
        {"(ns a)\n(println 1)", "p.ptc:2:1: A prelude consists of ns, def, defn and defn- only."},
        {"(ns a) 5", "p.ptc:1:8: A prelude consists of"},
        {"(ns)", "p.ptc:1:1: Wrong shape of `ns`"},
        {"(ns a :x)", "p.ptc:1:7: Wrong shape of `ns`"},
        {"(ns a/b)", "p.ptc:1:5: Wrong shape of `ns`"},
        {"(ns tool)", "p.ptc:1:5: The namespace `tool` is the language's own."},
        {"(ns data)", "p.ptc:1:5: The namespace `data`"},
        {"(ns budget)", "p.ptc:1:5: The namespace `budget`"},
        {"(ns ptc.core)", "p.ptc:1:5: The namespace `ptc.core`"},
        {"(ns user)", "p.ptc:1:5: The namespace `user`"},
        {"(ns clojure.string)", "p.ptc:1:5: The namespace `clojure.string`"},
        {"(ns Math)", "p.ptc:1:5: The namespace `Math`"},
        {"(ns java.time.Foo)", "p.ptc:1:5: The namespace `java.time.Foo`"},
        {"(ns a)\n(defn f [] 1)\n(def f 2)", "p.ptc:3:6: `f` is defined twice in this namespace."},
        {"(ns a) (defn if [x] x)", "p.ptc:1:14: `if` is a special form"},
        {"(ns a) (def x)", "p.ptc:1:8: Wrong shape of `def`"},
        {"(ns a) (defn f 1)", "p.ptc:1:16: Wrong shape of `defn`"},
        {"(ns a) (defn- f ([] 1))", "p.ptc:1:17: Wrong shape of `defn-`"},
        {"(ns a) (defn a/f [] 1)", "p.ptc:1:14: Wrong shape of `defn`"},
        {"(ns a {:visibility :secret})", "p.ptc:1:20: `:visibility` of the metadata must be :prompt or :discoverable."},
        {"(ns a) (defn f {:effect :delete} [] 1)",
         "p.ptc:1:25: `:effect` of the metadata must be :read, :write or :unknown."},
        {"(ns a) (defn f {:requires \"x\"} [] 1)",
         "p.ptc:1:27: `:requires` of the metadata must be a vector of strings."},
        {"(ns a) (defn f {:requires [:x]} [] 1)", "p.ptc:1:28: `:requires` of the metadata"},
        {"(ns a) (defn f {:provider-ref :x} [] 1)", "p.ptc:1:31: `:provider-ref` of the metadata must be a string."},
        {"(ns a) (defn f {\"visibility\" :prompt} [] 1)",
         "p.ptc:1:17: Metadata must be a map whose keys are keywords."},
        {"(ns a) (defn f [] 1) (defn g [] (a/f))", "p.ptc:1:34: Inside of `a` its members go by their plain names."},
        {"(ns a) (defn f [x] (def y x))", "p.ptc:1:20: A prelude has no memory: `def` does not work in it."},
        {"(ns a) (defn f [] memory/y)", "p.ptc:1:19: A prelude has no memory"},
        {"(ns a) (defn f [] (memory/get :y))", "p.ptc:1:19: A prelude has no memory"},
        {"(ns a) (defn f [] (memory/put :y 1))", "p.ptc:1:19: A prelude has no memory"},
        {"(ns a) (defn f [] *1)", "p.ptc:1:19: A prelude has no memory"},
        {"(ns a) (defn f [x] (g x))", "p.ptc:1:21: `g` is not defined."},
        {"(ns a) (defn f [x] x) (defn g [] (f))", "p.ptc:1:34: `a/f` takes 1 argument, not 0."},
        {"(ns a) (defn f [x", "p.ptc:1:8: `(` opened at 1:8 has no matching `)`."},
        {"(ns a) (def x (/ 1 0))", "p.ptc:1:15: "},
        {"(ns a) (def x (f)) (def y 1) (defn f [] y)",
         "p.ptc:1:15: The constant `x` needs `y`, which is defined below it."},
        {"(ns a) (def x (+ 1 x))", "p.ptc:1:15: The constant `x` needs `x`"},
        {"(ns a) (def x (tool/get_user {}))", "p.ptc:1:15: The constant `x` calls the tool `get_user`"},
        {"(ns a) (def x [data/y])", "p.ptc:1:15: The constant `x` depends on data/"},
        {"(ns a) (def x (System/currentTimeMillis))", "p.ptc:1:15: The constant `x` depends on the clock"},
        {"(ns a) (def x (println 1))", "p.ptc:1:15: The constant `x` depends on what is printed"},
        {"(ns a) (def x (return 1))", "p.ptc:1:15: The constant `x` has no value: `return` ended it."},
        {"(ns a) (def x (fail 1))", "p.ptc:1:15: The constant `x` has no value: `fail` ended it."},
        {"(ns a) (def x (loop [i 0] (recur (inc i))))", "p.ptc:1:"},
    };
    for (const auto& [text, expected] : cases)
        EXPECT_EQ(problem_of(text).substr(0, std::string(expected).size()), expected) << text;
}

TEST(Prelude, AllMistakesAreProblems) {
    const Engine engine({.preludes = {{"p.ptc", "(ns a)\n(defn f [] (g))\n(defn h [] (i))"}}});
    EXPECT_EQ(engine.problems().size(), 2u);
    const Compiled compiled = engine.compile("1");
    EXPECT_FALSE(compiled);
    EXPECT_EQ(compiled.diagnostics.all().at(0).error.message, engine.problems()[0].message);
}

TEST(Prelude, AnErrorInsideIsBlamedOnTheCall) {
    const Outcome outcome = run_with("(ns p) (defn- low [x] (+ x nil)) (defn f [x] (inc (low x)))", "(+ 1\n  (p/f 2))");
    ASSERT_TRUE(outcome.error && outcome.position);
    EXPECT_EQ(outcome.position->line, 2u);
    EXPECT_EQ(outcome.position->column, 3u);
    ASSERT_GE(outcome.error->trace.size(), 2u);
    EXPECT_EQ(outcome.error->trace[0].function, "p/low");
}

TEST(Prelude, SuggestsTheNearestExport) {
    const Outcome outcome = run_with("(ns crm) (defn get-user [id] id) (defn- get-usr [id] id)", "(crm/get-usr 1)");
    ASSERT_TRUE(outcome.error);
    ASSERT_EQ(outcome.error->edits.size(), 1u);
    EXPECT_EQ(outcome.error->edits[0].text, "crm/get-user");
    EXPECT_NE(outcome.error->hint.find("(ns-publics 'crm)"), std::string::npos);
}

TEST(Prelude, ANameOfTheLanguageInItsNamespaceIsNotTheLanguages) {
    // The checker knows that the language's `filter` gives a list; nothing is known of this one.
    const Engine engine({.preludes = {{"p.ptc", "(ns p) (defn filter [x] {:a x})"}}});
    const Compiled compiled = engine.compile("(if (p/filter 1) 1 2)");
    ASSERT_TRUE(compiled);
    EXPECT_TRUE(compiled.diagnostics.all().empty());
}

// ---- Source

TEST(Prelude, SourceShowsDefinitions) {
    const Engine engine({.tools = {get_user()}, .preludes = {{"crm.ptc", kCrm}}});
    const Outcome outcome =
        engine.run("(source crm/get-user) (source 'crm/normalize-id) (source \"crm/page-size\") (source crm/nothing)");
    EXPECT_EQ(outcome.prints, (std::vector<std::string>{";; crm/get-user: visibility :prompt, effect :read, arity 1\n"
                                                        "(defn get-user\n"
                                                        "  \"Return a user by id.\"\n"
                                                        "  [id]\n"
                                                        "  (tool/get_user {:id (normalize-id id)}))",
                                                        ";; crm/normalize-id: private, effect :unknown, arity 1\n"
                                                        "(defn- normalize-id [raw]\n"
                                                        "  (str \"norm:\" raw))",
                                                        ";; crm/page-size: visibility :prompt, effect :unknown\n"
                                                        "(def page-size (* 5 10))",
                                                        "no source available"}));
}

TEST(Prelude, SourceOfWhatNothingPublicUsesIsNotShown) {
    const Outcome outcome = run_with("(ns p) (defn- hidden [] 1) (defn f [] 2)", "(source p/hidden)");
    EXPECT_EQ(outcome.prints, (std::vector<std::string>{"no source available"}));
}

} // namespace
} // namespace ptc
