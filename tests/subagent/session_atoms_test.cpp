// Atoms outlive the entry of a session that makes them, and so does what later entries put into them: code, texts and
// keywords of a program that defines nothing and gives a number.
#include "tests/support/session_entries.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptc {
namespace {

using test::Entries;
using test::EntryWay;
using test::run_entries;

const Entries kRows[] = {
    {{"(def log (atom [:t1]))", "(do (swap! log conj :t2) 0)", "(do (swap! log conj :t3) 0)", "(def z :zork)", "@log"},
     "[:t1 :t2 :t3]"},
    {{"(def p (atom nil))", "(do (reset! p (fn [x] (+ x 1))) nil)", "(def other (fn [y] (str y)))", "(@p 1)"}, "2"},
    {{"(def p (atom []))", "(defn add! [x] (swap! p conj x) (count @p))", "(add! :one)", "(add! \"two\")",
      "(add! {:k \"three\"})", "(def z :zork)", "@p"},
     "[:one \"two\" {:k \"three\"}]"},
    {{"(def p (atom {}))", "(doseq [[k v] {:a 1 :b 2}] (swap! p assoc k v))", "(def zzz {:q 3})", "[@p (:a @p)]"},
     "[{:a 1 :b 2} 1]"},
    {{"(def v (volatile! nil))", "(do (vreset! v #\"a+\") 0)", "(def y \"other\")", "(re-find @v \"baac\")"}, "\"aa\""},
    {{"(def p (atom []))", "(return (count (swap! p conj :gone)))", "(def y :other)", "@p"}, "[:gone]"},
    {{"(def m {:a (atom 0) :b [(atom {:c (atom 5)})]})", "(swap! (:a m) inc)", "(swap! (:c @(first (:b m))) inc)",
      "(let [other (atom 7)] @other)", "[@(:a m) @(:c @(first (:b m)))]"},
     "[1 6]"},
    {{"(def fs (map (fn [i] (let [a (atom i)] (fn [] (swap! a inc)))) (range 3)))", "((nth fs 1))",
      "(mapv (fn [f] (f)) fs)"},
     "[1 3 3]"},
    {{"(def cell (let [a (atom nil)] {:put (fn [x] (reset! a x) nil) :get (fn [] @a)}))", "((:put cell) :kept)",
      "(def y :other)", "((:get cell))"},
     ":kept"},
};

TEST(SessionAtoms, KeepWhatLaterProgramsPutIntoThem) { run_entries(kRows, EntryWay::Plain); }

TEST(SessionAtoms, KeepItThroughBytes) { run_entries(kRows, EntryWay::Saved); }

TEST(SessionAtoms, KeepItWhenTheHostSettlesRuns) { run_entries(kRows, EntryWay::Settled); }

TEST(SessionAtoms, HoldWhatTheyHeldWhereARunIsUndone) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(def p (atom [:first]))").ok());
    ASSERT_TRUE(session.run("(do (swap! p conj :undone) 0)", {.may_undo = true}).ok());
    session.settle(false);
    ASSERT_TRUE(session.run("(def y :other)").ok());
    EXPECT_EQ(session.run("@p").value, "[:first]");
    // A run that is never settled is kept, and the settling of the next one does not take its code away.
    ASSERT_TRUE(session.run("(do (swap! p conj :second) 0)", {.may_undo = true}).ok());
    ASSERT_TRUE(session.run("(+ 1 2)", {.may_undo = true}).ok());
    session.settle(true);
    ASSERT_TRUE(session.run("(def y :another)").ok());
    EXPECT_EQ(session.run("@p").value, "[:first :second]");
}

// Code that nothing is made of any more goes.
TEST(SessionAtoms, DoNotHoldProgramsWhoseAtomsHaveEnded) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(def p (atom 0))").ok());
    for (const bool may_undo : {false, true}) {
        for (const bool keeps : {true, false}) {
            ProgramPtr program = engine.compile("(let [own (atom \"text\")] (count @own))", "program").program;
            const std::weak_ptr<const Program> watched = program;
            ASSERT_TRUE(session.run(std::exchange(program, nullptr), {.may_undo = may_undo}).ok());
            if (may_undo) session.settle(keeps);
            EXPECT_TRUE(watched.expired()) << may_undo << keeps;
        }
    }
}

} // namespace
} // namespace ptc
