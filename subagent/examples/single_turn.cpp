// A judgment: one turn, one program, whose value is the answer. The model sees five orders and how many there are; its
// program sees all of them.
#include "subagent/examples/example.h"

using namespace example;

int main(int argc, char** argv) {
    const ptc::AgentPtr agent = made(ptc::Agent::create({
        .prompt = "How many orders are there of each status? Spelling differs; the most frequent status comes first.",
        .signature = "(orders [:map]) -> [{status :string, orders :int}]",
        .max_turns = 1,
    }));
    const ptc::Llm model = scripted({R"(Statuses differ in letter case and blanks, and some are missing.
```clojure
(->> data/orders
     (map #(lower-case (trim (or (:status %) "unknown"))))
     frequencies
     (map (fn [[status n]] {:status status :orders n}))
     (sort-by :orders >))
```)"});
    return show(agent->run(model, ptc::Datum::object({{"orders", table(argc, argv, "orders")}})));
}
