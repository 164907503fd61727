#include "compiler/language/foreign.h"
#include "frontend/suggest.h"

namespace ptc::repair {
namespace {

constexpr const char* kNoExceptions =
    "A failure is caught by (try body .. (catch Exception e ..)) and thrown by (throw (ex-info text data)).";
constexpr const char* kNoState = "Names keep their values: pass the next one on with reduce or loop/recur. State of a "
                                 "run is an atom: (atom x), (swap! a f ..), @a.";
constexpr const char* kNoWatches = "Nothing watches an atom: what a watch does is done where the atom is changed, "
                                   "(let [old @a new (swap! a f)] ..).";
constexpr const char* kNoMacros = "There are no macros and no eval: write a function with defn.";
constexpr const char* kNoNamespaces =
    "All names are there already and the program has one namespace: leave this form out.";
constexpr const char* kNoFiles =
    "Programs reach no files and no network: data comes through data/name and tools, (tool/name {..}).";
constexpr const char* kNoRandom = "Programs are deterministic: there are no random numbers. Let a tool supply them.";
constexpr const char* kNoTypes =
    "A record is a map. Protocols of the program work at the top level, where methods name their first argument; there "
    "are no methods of Object, such as toString. Else use maps with a :type, and defmulti.";
constexpr const char* kNoClock = "The current time is (System/currentTimeMillis).";
constexpr const char* kPrint = "(println x ..) prints a line.";
constexpr const char* kCount = "(count x) is the length of a string or collection.";
constexpr const char* kForm = "Conditions are written (if test then else) or (cond test result .. :else other).";
constexpr const char* kNil = "The absent value is written nil.";
constexpr const char* kTrue = "The truth values are written true and false.";
constexpr const char* kLoops = "Loops are (doseq [x coll] ..), (for [x coll] ..) or (loop [..] .. (recur ..)).";
constexpr const char* kFunction = "A function is (fn [x] ..), or #(.. % ..); defn gives it a name.";
constexpr const char* kVector = "A vector is written [a b c].";
constexpr const char* kMap = "A map is written {:key value}.";
constexpr const char* kNoChange =
    "Collections never change: (conj coll x), (into coll more) and (assoc m k v) give new "
    "ones; (atom coll) and swap! hold one that changes.";
constexpr const char* kNoStreams =
    "There are no streams: (map f coll), (filter f coll), (reduce f init coll) and their "
    "like take any collection.";

constexpr Foreign kForeign[] = {
#define PTC_FOREIGN(name, rewrite, advice) {name, rewrite, advice},
#include "compiler/language/foreign.def"
#undef PTC_FOREIGN
};

} // namespace

const Foreign* find_foreign(std::string_view name) {
    for (const Foreign& foreign : kForeign) {
        if (foreign.name == name) return &foreign;
    }
    return nullptr;
}

const Foreign* nearest_foreign(std::string_view name) {
    if (name.size() < 4) return nullptr;
    for (const Foreign& foreign : kForeign) {
        if (foreign.name.size() >= 4 && foreign.name.front() != '.' && edit_distance(name, foreign.name, 1) <= 1)
            return &foreign;
    }
    return nullptr;
}

} // namespace ptc::repair
