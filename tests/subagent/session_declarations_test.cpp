// Programs of a session go on with what earlier ones have declared: form by form, as people type them.
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/session_snapshot.h"
#include "tests/support/session_entries.h"
#include "tests/support/snapshots.h"
#include "vm/snapshot/snapshot.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

using test::Entries;
using test::EntryWay;
using test::run_entries;

const Entries kRows[] = {
    {{"(defmulti area :shape)", "(defmethod area :circle [s] 3)",
      "(defmethod area :square [s] (* (:side s) (:side s)))",
      "[(area {:shape :circle}) (area {:shape :square :side 2})]"},
     "[3 4]"},
    {{"(defmulti area :shape) (defmethod area :circle [s] 3)", "(defn twice [s] (* 2 (area s)))",
      "(defmethod area :default [s] 10)", "[(twice {:shape :circle}) (twice {:shape :x})]"},
     "[6 20]"},
    {{"(defmulti area :shape)", "(defmethod area :circle [s] 3)", "(defmethod area :circle [s] 4)",
      "(area {:shape :circle})"},
     "4"},
    {{"(defprotocol Shape (area [s]) (label [s]))",
      "(defrecord Square [side] Shape (area [s] (* side side)) (label [s] \"square\"))", "(def one (->Square 3))",
      "[(area one) (label one)]"},
     "[9 \"square\"]"},
    {{"(defprotocol Shape (area [s]))", "(defrecord Square [side])",
      "(extend-type Square Shape (area [s] (* (:side s) (:side s))))", "(area (->Square 4))"},
     "16"},
    {{"(defprotocol Shape (area [s]))", "(defrecord Square [side] Shape (area [s] (* side side)))",
      "(defrecord Circle [r] Shape (area [s] (* 3 r r)))", "(mapv area [(->Square 2) (->Circle 1)])"},
     "[4 3]"},
    {{"(defrecord Point [x y])", "(def p (->Point 1 2))",
      "[(instance? Point p) (instance? Point {:a 1}) (:x (Point. 5 6))]"},
     "[true false 5]"},
    {{"(defprotocol Shape (area [s]))", "(extend-protocol Shape String (area [s] (count s)))",
      "[(area \"abcd\") (satisfies? Shape \"\")]"},
     "[4 true]"},
    {{"(declare odd-n?)", "(defn even-n? [n] (if (zero? n) true (odd-n? (dec n))))",
      "(defn odd-n? [n] (if (zero? n) false (even-n? (dec n))))", "[(even-n? 10) (odd-n? 10)]"},
     "[true false]"},
    {{"(declare one two)", "(defn one [] 1)", "(defn three [] (+ (one) (two)))", "(defn two [] 2)", "(declare four)",
      "(defn five [] (+ (three) (four)))", "(defn four [] 4)", "[(one) (three) (five)]"},
     "[1 3 7]"},
    {{"(derive :cat :animal)", "(derive :dog :animal)", "[(isa? :cat :animal) (isa? :dog :animal) (isa? :cat :dog)]"},
     "[true true false]"},
    {{"(derive :cat :animal)", "(defmulti sound identity)", "(defmethod sound :animal [_] :some)", "(sound :cat)"},
     ":some"},
    {{"(ns my.app (:require [clojure.set :as st]))", "(count (st/union #{1} #{2}))"}, "2"},
    {{"(require '[clojure.set :as st])", "(defn both [a b] (st/intersection a b))", "(both #{1 2} #{2 3})"}, "#{2}"},
    // What is defined in another way is no multimethod any more.
    {{"(defmulti area :shape) (defmethod area :circle [s] 3)", "(defn area [s] :none)", "(area {:shape :circle})"},
     ":none"},
    {{"(do (defmulti area :shape) (defmethod area :circle [s] 3))", "(defmethod area :square [s] 4)",
      "(map area [{:shape :square} {:shape :circle}])"},
     "[4 3]"},
};

TEST(SessionDeclarations, LaterProgramsGoOnWithThem) { run_entries(kRows, EntryWay::Plain); }

TEST(SessionDeclarations, AreSaved) { run_entries(kRows, EntryWay::Saved); }

TEST(SessionDeclarations, AreKeptWhenARunIsSettled) { run_entries(kRows, EntryWay::Settled); }

TEST(SessionDeclarations, GoWithARunThatIsUndone) {
    const Engine engine;
    Session session(engine);
    EXPECT_TRUE(session.run("(defmulti area :shape)").ok());
    EXPECT_FALSE(session.run("(defmethod area :circle [s] 3) (/ 1 0)").ok());
    EXPECT_TRUE(session.run("(defmethod area :square [s] 4)", {.may_undo = true}).ok());
    session.settle(false);
    EXPECT_TRUE(session.run("(defmethod area :line [s] 5)").ok());
    EXPECT_FALSE(session.run("(area {:shape :circle})").ok());
    EXPECT_FALSE(session.run("(area {:shape :square})").ok());
    EXPECT_EQ(session.run("(area {:shape :line})").value, "5");
    session.clear();
    EXPECT_FALSE(session.run("(defmethod area :line [s] 5)").ok());
}

// Code that has read a name keeps its place: the host takes the name away meanwhile, and gives another one.
TEST(SessionDeclarations, ASuspendedRunReadsNoNameInAnothersPlace) {
    const Engine engine(test::host_tools());
    for (const bool is_cleared : {false, true}) {
        Session session(engine);
        ASSERT_TRUE(session.run("(def a 1)").ok());
        RunState state = session.start("(mapv (fn [i] (when (= i 1) (tool/echo {:x 1})) a) (range 2))");
        ASSERT_TRUE(std::holds_alternative<Suspended>(state));
        if (is_cleared)
            session.clear();
        else
            session.undefine("a");
        ASSERT_TRUE(session.define("other", Datum(7)).ok());
        state = session.resume(Datum(1));
        ASSERT_TRUE(std::holds_alternative<Outcome>(state));
        const Outcome& outcome = std::get<Outcome>(state);
        ASSERT_FALSE(outcome.ok()) << outcome.value;
        EXPECT_EQ(outcome.error->reason, Reason::UnboundVar);
    }
}

// Messages speak of the program that was given, and the names of a session are those of its programs.
TEST(SessionDeclarations, AreNotShown) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(defmulti area :shape)").ok());
    const Outcome wrong = session.run("(defmethod area :circle [s]\n  (undefined-thing s))");
    ASSERT_FALSE(wrong.ok());
    ASSERT_TRUE(wrong.position);
    EXPECT_EQ(wrong.position->line, 2u);
    EXPECT_EQ(session.names(), std::vector<std::string>{"area"});
    const Outcome late = session.run("(defmethod area :circle [s] 1)\n\n(area {:shape :x})");
    ASSERT_FALSE(late.ok());
    EXPECT_FALSE(session.run("atom%declarations").ok());
    EXPECT_FALSE(session.run("(def atom%declarations \"(\")").ok());
    EXPECT_FALSE(session.run("(defn atom%declarations [] 1)").ok());
}

// A snapshot may say anything: what cannot be read is not there.
TEST(SessionDeclarations, OfASnapshotThatWasChangedDoNoHarm) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(derive :abcdef :animal)").ok());
    const std::string bytes = session.save().value();
    for (const char* other : {"((((((", ")))))))", "\"\"\"\"\"\"\"", "(((()))", "#######"}) {
        std::string changed = bytes;
        const std::size_t at = changed.find(":abcdef");
        ASSERT_NE(at, std::string::npos);
        changed.replace(at, 7, std::string(other).append(7, ' ').substr(0, 7));
        seal_snapshot(changed, kSessionMagic, impl_of(engine).fingerprint());
        Result<std::unique_ptr<Session>> restored = Session::restore(engine, changed);
        if (!restored.ok()) continue;
        EXPECT_TRUE(restored.value()->run("(defn f [] 1)").ok()) << other;
        (void)restored.value()->run("(isa? :a :animal)");
        EXPECT_EQ(restored.value()->run("(f)").value, "1") << other;
    }
}

TEST(SessionDeclarations, AreBounded) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(defmulti area :shape)").ok());
    for (int i = 0; i < 40; ++i) {
        const std::string text(4000, 'x');
        ASSERT_TRUE(session.run("(defmulti m" + std::to_string(i) + " (fn [x] \"" + text + "\"))").ok());
    }
    const Result<std::string> bytes = session.save();
    ASSERT_TRUE(bytes.ok());
    EXPECT_FALSE(session.run("(defmethod area :line [s] 5)").ok()); // forgotten
    EXPECT_TRUE(session.run("(defmethod m39 :line [s] 5)").ok());
}

} // namespace
} // namespace ptc
