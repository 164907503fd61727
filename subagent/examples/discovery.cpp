// A registry of 60 tools: too many for a prompt, and no problem for a program. A first agent searches the registry,
// which is data to it; a second one gets the few tools that were found, and nothing else.
#include "subagent/examples/example.h"
#include <algorithm>
#include <iostream>
#include <map>

using namespace example;

namespace {

/// The rows with this value of the field; with null, those without any.
ptc::Datum::List rows_of(const ptc::Datum& table, const std::string& field, const ptc::Datum* value) {
    ptc::Datum::List rows;
    for (const ptc::Datum& row : *table.list()) {
        const ptc::Datum* found = row.find(field);
        const bool is_missing = !found || found->is_nil();
        if (value ? !is_missing && *found == *value : is_missing) rows.push_back(row);
    }
    return rows;
}

ptc::Datum counts(const ptc::Datum& table, const std::string& field) {
    std::map<std::string, std::int64_t> counts;
    for (const ptc::Datum& row : *table.list()) {
        const ptc::Datum* value = row.find(field);
        if (value && !value->is_nil()) ++counts[value->text() ? *value->text() : value->to_json()];
    }
    return ptc::Datum::object({counts.begin(), counts.end()});
}

/// Five tools for a field of a table.
void add_tools(std::vector<ptc::Tool>& tools, const std::string& things, const std::string& field,
               const ptc::Datum& rows) {
    const auto add = [&](const char* verb, const char* what, const char* signature, auto answer) {
        tools.push_back({.name = std::string(verb) + "_" + things + "_by_" + field,
                         .description = std::string(what) + " " + things + " by " + field + ".",
                         .signature = signature,
                         .function = [&rows, field, answer](const ptc::Datum& given) -> ptc::Result<ptc::Datum> {
                             return answer(rows, field, given.find("value"));
                         }});
    };
    using Field = const std::string&;
    add("count", "Counts", "() -> :map",
        [](const ptc::Datum& all, Field name, const ptc::Datum*) { return counts(all, name); });
    add("missing", "Counts those without a value, of", "() -> :int",
        [](const ptc::Datum& all, Field name, const ptc::Datum*) {
            return ptc::Datum(static_cast<std::int64_t>(rows_of(all, name, nullptr).size()));
        });
    add("number", "Counts those of one value, of", "(value :any) -> :int",
        [](const ptc::Datum& all, Field name, const ptc::Datum* value) {
            return ptc::Datum(static_cast<std::int64_t>(rows_of(all, name, value).size()));
        });
    add("find", "Finds", "(value :any) -> [:map]", [](const ptc::Datum& all, Field name, const ptc::Datum* value) {
        return ptc::Datum(rows_of(all, name, value));
    });
    add("first", "Finds one of", "(value :any) -> :map?",
        [](const ptc::Datum& all, Field name, const ptc::Datum* value) {
            const ptc::Datum::List found = rows_of(all, name, value);
            return found.empty() ? ptc::Datum() : found.front();
        });
}

/// How many bytes of system text the model was sent first.
ptc::Llm measured(ptc::Llm model, std::size_t& bytes) {
    return [model = std::move(model), &bytes](const ptc::LlmRequest& request) {
        if (bytes == 0) bytes = request.system.size();
        return model(request);
    };
}

} // namespace

int main(int argc, char** argv) {
    const ptc::Datum orders = table(argc, argv, "orders");
    const ptc::Datum customers = table(argc, argv, "customers");
    const ptc::Datum products = table(argc, argv, "products");
    std::vector<ptc::Tool> registry;
    for (const char* field : {"source", "status", "total", "id"})
        add_tools(registry, "orders", field, orders);
    for (const char* field : {"country", "joined", "email", "name"})
        add_tools(registry, "customers", field, customers);
    for (const char* field : {"category", "stock", "price", "name"})
        add_tools(registry, "products", field, products);
    const std::string mission = "How many customers have no country, and which country has most customers?";

    ptc::Datum::List cards;
    for (const ptc::Tool& tool : registry)
        cards.push_back(ptc::Datum::object(
            {{"name", tool.name}, {"signature", tool.signature}, {"description", tool.description}}));
    const ptc::AgentPtr scout = made(ptc::Agent::create({
        .prompt = "Which tools of the registry does this mission need? " + mission,
        .signature = "(registry [{name :string, signature :string, description :string}]) -> {tools [:string]}",
    }));
    const ptc::Step found =
        scout->run(scripted({
                       program(R"((->> data/registry
     (filter #(re-find #"customers.*country" (:description %)))
     (mapv (juxt :name :signature))))"),
                       program(R"((return {:tools ["count_customers_by_country" "missing_customers_by_country"]}))"),
                   }),
                   ptc::Datum::object({{"registry", ptc::Datum(cards)}}));
    if (show(found) != 0) return 1;

    const auto work = [&](const auto& is_chosen, std::size_t& prompt) {
        ptc::AgentOptions options{.prompt = mission, .signature = "{without :int, country :string, customers :int}"};
        for (const ptc::Tool& tool : registry) {
            if (is_chosen(tool)) options.tools.emplace_back(tool);
        }
        return made(ptc::Agent::create(options))
            ->run(measured(scripted({program(R"((let [[country n] (apply max-key val (tool/count_customers_by_country))]
  (return {:without (tool/missing_customers_by_country) :country country :customers n})))")}),
                           prompt));
    };
    const auto is_found = [&](const ptc::Tool& tool) {
        return std::ranges::count(*found.value.find("tools")->list(), ptc::Datum(tool.name)) > 0;
    };
    std::size_t workers_prompt = 0;
    std::size_t largest_prompt = 0;
    std::cout << '\n';
    if (show(work(is_found, workers_prompt)) != 0) return 1;
    (void)work([](const ptc::Tool&) { return true; }, largest_prompt);
    std::cout << "With all " << registry.size() << " tools its prompt would be " << largest_prompt - workers_prompt
              << " bytes longer.\n";
    return 0;
}
