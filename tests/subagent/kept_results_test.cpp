// Of values that earlier programs of a session kept of what tools gave, it is known which fields they have.
#include "ptc/engine.h"
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ptc {
namespace {

struct Row {
    std::vector<const char*> programs; ///< the last one is checked, and not run
    std::vector<const char*> unknown;  ///< the fields that it is warned of
};

const Row kRows[] = {
    {{"(def users (tool/users))", "(map :nmae users)"}, {"nmae"}},
    {{"(def users (tool/users))", "(map :name users)"}, {}},
    {{"(def u (first (tool/users)))", "(let [{:keys [name city]} u] [name city])"}, {"city"}},
    {{"(def u (first (tool/users)))", "[(get-in u [:address :city]) (get-in u [:address :town])]"}, {"town"}},
    // What is made of it, in the same program or later.
    {{"(def users (tool/users)) (def old (filter :name users))", "(map :nmae old)"}, {"nmae"}},
    {{"(def users (tool/users))", "(def old (filter :name users))", "(def n 1)", "(map :nmae old)"}, {"nmae"}},
    {{"(do (def users (tool/users)) 1)", "(defn names [] (map :nmae users))"}, {"nmae"}},
    {{"(def t (assoc (first (tool/users)) :total 1))", "[(:total t) (:totla t)]"}, {"totla"}},
    // A name that means something else by now, or may.
    {{"(def users (tool/users))", "(def users [{:nmae 1}])", "(map :nmae users)"}, {}},
    {{"(def users (tool/users))", "(def users [{:nmae 1}]) (map :nmae users)"}, {}},
    {{"(def users (tool/users))", "(let [users [{:nmae 1}]] (map :nmae users))"}, {}},
    {{"(def users (tool/users))", "(defn users [] 1)", "(users)", "(:nmae users)"}, {}},
    {{"(def users (tool/users))", "(defn other [] (def users [{:nmae 1}]))", "(other)", "(map :nmae users)"}, {}},
    {{"(def users (tool/users))", "(when (seq users) (def users [{:nmae 1}]))", "(map :nmae users)"}, {}},
    {{"(def users (tool/users)) (def users [{:nmae 1}])", "(map :nmae users)"}, {}},
    {{"(def users (tool/users))", "(def old users)", "(def users [{:nmae 1}])", "[(map :nmae users) (map :nmae old)]"},
     {}}, // of which it is not known any more what it was made of
    // Of what no signature tells, nothing is known.
    {{"(def any (tool/anything))", "(:nmae any)"}, {}},
    {{"(def box (atom (first (tool/users))))", "(swap! box assoc :nmae 1)", "(:nmae @box)"}, {}},
};

EngineOptions with_tools() {
    EngineOptions options;
    options.tools.push_back({.name = "users",
                             .signature = "() -> [{name :string, address {city :string}}]",
                             .function = [](const Datum&) -> Result<Datum> {
                                 return Datum::from_json(R"([{"name": "Ann", "address": {"city": "Rome"}}])");
                             }});
    options.tools.push_back({.name = "anything", .function = [](const Datum&) -> Result<Datum> {
                                 return Datum::from_json(R"({"name": 1})");
                             }});
    return options;
}

void check_rows(bool is_saved) {
    const Engine engine(with_tools());
    for (const Row& row : kRows) {
        auto session = std::make_unique<Session>(engine);
        for (const char* program : std::span(row.programs).first(row.programs.size() - 1)) {
            ASSERT_TRUE(session->run(program).ok()) << program;
            if (!is_saved) continue;
            const std::string bytes = session->save().value();
            session = Session::restore(engine, bytes).value();
        }
        std::vector<std::string> found;
        for (const Diagnostic& one : session->warnings(row.programs.back()))
            if (one.error.reason == Reason::UnknownField) found.push_back(one.error.message);
        ASSERT_EQ(found.size(), row.unknown.size()) << row.programs.back() << " behind " << row.programs[0];
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NE(found[i].find(std::string("`:") + row.unknown[i] + "`"), std::string::npos) << found[i];
            EXPECT_TRUE(found[i].starts_with("What `tool/users` gives")) << found[i];
        }
    }
}

TEST(KeptResults, AreKnownInLaterPrograms) { check_rows(false); }

TEST(KeptResults, AreKnownWhenASessionGoesOn) { check_rows(true); }

TEST(KeptResults, OfARunThatIsUndoneAreNotKnown) {
    const Engine engine(with_tools());
    Session session(engine);
    ASSERT_TRUE(session.run("(def users [{:nmae 1}])").ok());
    EXPECT_FALSE(session.run("(def users (tool/users)) (/ 1 0)").ok());
    EXPECT_TRUE(session.warnings("(map :nmae users)").empty());
    ASSERT_TRUE(session.run("(def users (tool/users))", {.may_undo = true}).ok());
    session.settle(false);
    EXPECT_TRUE(session.warnings("(map :nmae users)").empty());
    ASSERT_TRUE(session.run("(def users (tool/users))").ok());
    EXPECT_EQ(session.warnings("(map :nmae users)").size(), 1u);
}

/// Or each mission would end with all of its memory as the machine has it.
TEST(KeptResults, AreNoReasonToSaveTheMachinesValues) {
    const Engine engine(with_tools());
    Session session(engine);
    ASSERT_TRUE(session.run("(def users (tool/users))").ok());
    EXPECT_NE(session.declarations(), "");
    EXPECT_EQ(session.save_names().value(), "");
    ASSERT_TRUE(session.run("(defmulti area :shape)").ok());
    EXPECT_NE(session.save_names().value(), "");
}

TEST(KeptResults, OfALongDefinitionAreForgotten) {
    const Engine engine(with_tools());
    Session session(engine);
    const std::string much(5000, 'x');
    ASSERT_TRUE(session.run("(def users (filter (fn [u] (not= \"" + much + "\" (:name u))) (tool/users)))").ok());
    EXPECT_TRUE(session.warnings("(map :nmae users)").empty());
    EXPECT_EQ(session.declarations(), "");
}

} // namespace
} // namespace ptc
