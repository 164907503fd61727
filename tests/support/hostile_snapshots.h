// Snapshots of a session that somebody tampered with.
#pragma once
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/session_snapshot.h"
#include "vm/snapshot/snapshot.h"
#include <ptc/ptc.h>

namespace ptc::test {

/// Sessions whose snapshots have everything in them that there is.
inline constexpr const char* kSavedPrograms[] = {
    R"((def v (vec (range 100))) (def w (conj v 1)) (def u (assoc v 70 :x)) (def s (subvec v 3 90)) (tool/pause {}) (count [v w u s]))",
    R"((def m (into {} (map (fn [i] [[i] i]) (range 40)))) (def n (assoc m :new 1)) (def p (set (range 50))) (def q (disj p 7))
       (tool/pause {}) [(get m [7]) (count n) (sort q) (str p)])",
    R"((let [k 3 r {:a 1 "b" [1.5 nil true]} f (fn [x] (+ x k))] (tool/pause {:r r}) [(f 1) (assoc r :c (map f [1 2]))]))",
    R"((defn down [n] (if (= n 0) (:x (tool/pause {:x 2})) (+ 1 (down (- n 1))))) (down 12))",
    R"((def big 123456789012345678901234567890) (def when (LocalDate/parse "2024-02-29")) (def re #"a+b") (reduce (fn [a x] (tool/pause {}) (+ a x)) 0 [1 big 3]))",
    R"((pmap (fn [x] (let [t (str "text " x)] (tool/pause {:x x}) [t x])) [1 2 3 4 5]))",
    R"((def g 7) (pmap (fn [x] (def own x) (pmap (fn [y] (tool/pause {:y y}) (+ x y g)) (range x))) [2 0 3]))",
    R"((pmap (fn [x] (if (= x 2) (/ x 0) (tool/pause {:x x}))) [0 1 2 3]))",
    R"((def o (second data/rows)) (def late (assoc o :status "late")) (loop [i 0 acc []] (if (< i 3) (recur (inc i) (conj acc (tool/pause {:i i}))) [acc late o])))",
    R"((let [s (into (sorted-set) (range 40)) x (first s) s (conj (disj s x) 99) y (first s) s (conj (disj s y) 7.5)] (tool/pause {}) [(first s) (conj s 98 -1)]))",
};

/// Fresh snapshots, so that they fit whatever the format is today.
class SavedSessions {
public:
    SavedSessions() {
        for (const char* program : kSavedPrograms) {
            Session session(engine);
            if (std::holds_alternative<Suspended>(session.start(program, options)))
                bytes.push_back(session.save().value());
        }
        Session idle(engine);
        (void)idle.run("(def a data/rows) (def f (fn [x] [x a])) (defmulti kind :k) (def kept (atom [f :key])) "
                       "(def nums (iterate inc 1)) (f {:k #{1 2}})",
                       options);
        bytes.push_back(idle.save(options.data).value());
    }

    /// Refused, or a session that goes on under its limits. True when it was not refused.
    bool go_on(std::string changed) const {
        seal_snapshot(changed, kSessionMagic, impl_of(engine).fingerprint());
        auto restored = Session::restore(engine, changed, options);
        if (!restored.ok()) return false;
        Session& session = *restored.value();
        std::optional<Suspended> waiting = session.waiting();
        for (int rounds = 0; waiting && rounds < 8; ++rounds) {
            std::vector<ToolAnswer> answers(waiting->calls.size(), ToolAnswer(Datum::object({{"x", 1}})));
            const RunState state = session.resume(std::move(answers));
            waiting =
                std::holds_alternative<Suspended>(state) ? std::optional(std::get<Suspended>(state)) : std::nullopt;
        }
        if (waiting) session.abandon();
        for (const std::string& name : session.names())
            (void)session.value_text(name, 10'000);
        (void)session.run("[(str *1) (count (str *2))]");
        (void)session.run("(defmethod kind :b [x] (take 2 nums)) (kind {:k :b})");
        (void)session.save();
        return true;
    }

    Engine engine{[] {
        EngineOptions made;
        made.tools = {{.name = "pause"}};
        made.limits.fuel = 100'000;
        made.limits.heap_bytes = 4u << 20;
        made.limits.max_depth = 200;
        made.limits.max_result_bytes = 1u << 20;
        made.threads = 0;
        made.tool_threads = 0;
        return made;
    }()};
    RunOptions options{.data = {DataSet::from_json("rows", R"([{"id":1,"tags":["a"]},{"id":2,"tags":[]}])").value()}};
    std::vector<std::string> bytes;
};

} // namespace ptc::test
