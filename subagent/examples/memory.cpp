// Several turns: what a program defines is there for the next one, a program that fails costs a turn and keeps nothing,
// and a second question goes on where the first one ended.
#include "subagent/examples/example.h"
#include <iostream>

using namespace example;

int main(int argc, char** argv) {
    const ptc::AgentPtr agent = made(ptc::Agent::create({
        .prompt = "Which shop sells most, and for how much? Returned and cancelled orders do not count.",
        .signature = "(orders [:map]) -> {shop :string, revenue :float}",
        .float_precision = 2,
    }));
    ptc::MissionOptions first;
    first.context = ptc::Datum::object({{"orders", table(argc, argv, "orders")}});
    first.model = ptc::ModelRef(scripted({
        program(R"((defn kept? [o] (not (contains? #{"returned" "cancelled"} (lower-case (trim (or (:status o) ""))))))
(update-vals (group-by :source data/orders) #(count (filter kept? %))))"),
        program(R"((defn revenue [os] (sum (map :total (filter kept? os))))
(def by-shop (update-vals (group-by :source (distinct-by :id data/orders)) revenue)))"),
        R"(Some totals are text with a decimal comma, and some are impossible. I read them first.
```clojure
(defn amount [total]
  (let [n (if (string? total) (parse-double (replace (trim total) "," ".")) total)]
    (if (and n (< 0 n 100000)) n 0)))
(defn revenue [os] (sum (map #(amount (:total %)) (filter kept? os))))
(def by-shop (update-vals (group-by :source (distinct-by :id data/orders)) revenue))
by-shop
```)",
        program("(let [shop (key (apply max-key val by-shop))]\n  (return {:shop shop :revenue (get by-shop shop)}))"),
    }));
    const ptc::Step answer = agent->run(first);
    if (show(answer) != 0) return 1;

    std::cout << "\nAnd which one sells least?\n";
    ptc::MissionOptions second;
    second.context = first.context;
    second.memory = answer.memory;
    second.history = answer.messages;
    second.user_message = "And which one sells least?";
    second.model = ptc::ModelRef(scripted({
        program("(let [shop (key (apply min-key val by-shop))]\n  (return {:shop shop :revenue (get by-shop shop)}))"),
    }));
    return show(agent->run(second));
}
