// Plan, then execute. The planner sees the tools but cannot call them, so that nothing happens before somebody has read
// the plan; the plan is data with a type, and the executor's context.
#include "subagent/examples/example.h"
#include <iostream>

using namespace example;

namespace {

constexpr const char* kSteps = "[{tool :enum[customers_of orders_by], why :string}]";

std::vector<ptc::Tool> tools(const ptc::Datum& customers, const ptc::Datum& orders) {
    const auto rows_with = [](const ptc::Datum& rows, const std::vector<const char*>& names, const ptc::Datum& value) {
        ptc::Datum::List found;
        for (const ptc::Datum& row : *rows.list()) {
            for (const char* name : names) {
                const ptc::Datum* member = row.find(name);
                if (member && *member == value) found.push_back(row);
            }
        }
        return ptc::Datum(std::move(found));
    };
    return {{.name = "customers_of",
             .description = "The customers of a country.",
             .signature = "(country :string) -> [:map]",
             .function = [=, &customers](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
                 return rows_with(customers, {"country"}, *arguments.find("country"));
             }},
            {.name = "orders_by",
             .description = "The orders of a customer.",
             .signature = "(customer :string) -> [:map]",
             .function = [=, &orders](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
                 return rows_with(orders, {"customer_id", "customer-id", "customerId"}, *arguments.find("customer"));
             }}};
}

} // namespace

int main(int argc, char** argv) {
    const ptc::Datum customers = table(argc, argv, "customers");
    const ptc::Datum orders = table(argc, argv, "orders");
    const std::string mission = "Which of the customers in Japan who joined in November 2025 has ordered most often?";

    const ptc::AgentPtr planner = made(ptc::Agent::create({
        .prompt = "Plan this mission, do not carry it out: " + mission,
        .signature = std::string("() -> {steps ") + kSteps + "}",
        .tool_catalog = tools(customers, orders),
        .max_turns = 1,
    }));
    const ptc::Step plan = planner->run(scripted({program(
        R"({:steps [{:tool :customers_of :why "Their ids, of those who joined in time."}
         {:tool :orders_by :why "How many orders each of them has."}]})")}));
    if (show(plan) != 0) return 1;

    std::cout << "\nThe plan is read, and carried out.\n";
    std::vector<ptc::AgentTool> real_tools;
    for (const ptc::Tool& tool : tools(customers, orders))
        real_tools.emplace_back(tool);
    const ptc::AgentPtr executor = made(ptc::Agent::create({
        .prompt = "Carry out the plan:\n{{#steps}}\n- {{tool}}: {{why}}\n{{/steps}}\n\nThe mission: " + mission,
        .signature = std::string("(steps ") + kSteps + ") -> {name :string, orders :int}",
        .tools = real_tools,
    }));
    ptc::MissionOptions execution;
    execution.previous = plan;
    execution.model = ptc::ModelRef(scripted({
        program(R"((def found (filter #(starts-with? (:joined %) "2025-11") (tool/customers_of {:country "JP"})))
(mapv :id found))"),
        program(
            R"((def counted (pmap (fn [c] {:name (trim (:name c)) :orders (count (distinct-by :id (tool/orders_by {:customer (:id c)})))})
                   found))
(return (apply max-key :orders counted)))"),
    }));
    return show(executor->run(execution));
}
