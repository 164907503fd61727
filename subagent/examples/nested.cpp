// Agents as tools: each of three children has its own model, its own sandbox and its own turns; the parent's program
// calls them like any other function, all at once.
#include "subagent/examples/example.h"
#include <iostream>

using namespace example;

int main(int argc, char** argv) {
    const ptc::Datum orders = table(argc, argv, "orders");
    const ptc::Tool orders_of{.name = "orders_of",
                              .description = "All orders of one shop.",
                              .signature = "(shop :string) -> [:map]",
                              .function = [&orders](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
                                  ptc::Datum::List found;
                                  for (const ptc::Datum& order : *orders.list()) {
                                      if (*order.find("source") == *arguments.find("shop")) found.push_back(order);
                                  }
                                  return ptc::Datum(std::move(found));
                              }};
    const ptc::AgentPtr analyst = made(ptc::Agent::create({
        .name = "analyst",
        .prompt = "How punctual is the shop {{shop}}?",
        .signature = "(shop :string) -> {shop :string, shipped :int, late_percent :float}",
        .description = "Studies how punctual one shop is.",
        .tools = {orders_of},
        .float_precision = 2,
    }));
    const ptc::Llm analysts_model = scripted({
        program("(keys (first (tool/orders_of {:shop data/shop})))"),
        program(R"((let [dated (for [o (distinct-by :id (tool/orders_of {:shop data/shop}))
                   :let [shipped (or (:shipped-at o) (:shippedAt o)) promised (or (:promised-at o) (:promisedAt o))]
                   :when (and shipped promised)]
               (pos? (compare shipped promised)))
      late (count (filter true? dated))]
  (return {:shop data/shop :shipped (count dated) :late_percent (/ (* 100.0 late) (count dated))})))"),
    });
    const ptc::AgentPtr manager = made(ptc::Agent::create({
        .name = "manager",
        .prompt = "Which of the shops web, app and store is the least punctual?",
        .signature = "{shop :string, late_percent :float}",
        .tools = {analyst->as_tool("study_shop", analysts_model)},
    }));
    const ptc::Llm managers_model = scripted({
        program(R"((def studies (pmap #(tool/study_shop {:shop %}) ["web" "app" "store"]))
(map :shipped studies))"),
        program("(return (select-keys (apply max-key :late_percent studies) [:shop :late_percent]))"),
    });
    const ptc::Step step = manager->run(managers_model);
    if (show(step) != 0) return 1;
    for (const ptc::ToolUse& study : step.trace[0].tool_calls)
        std::cout << study.name << ' ' << study.arguments.to_json() << " gave " << study.result << '\n';
    std::cout << step.usage.turns << " turns of 4 agents, " << step.usage.tool_calls << " calls of a host's tool\n";
    return 0;
}
