// Judgments in bulk: an LlmTool is one call of a model with a template, whose answer is data of a declared type. The
// program cuts 500 products into batches and judges them in parallel, so that ten calls do the work of 500.
#include "subagent/examples/example.h"
#include <atomic>
#include <iostream>
#include <map>
#include <sstream>

using namespace example;

namespace {

/// The small model behind the judgment, played by a list of words: it reads the lines of its prompt and answers in
/// JSON, like a real one.
ptc::Llm small_model(std::atomic<int>& calls) {
    static const std::map<std::string, std::string> categories = {
        {"Lamp", "lighting"},   {"Lantern", "lighting"},    {"Kettle", "kitchen"},  {"Pot", "kitchen"},
        {"Board", "kitchen"},   {"Jug", "kitchen"},         {"Stool", "furniture"}, {"Table", "furniture"},
        {"Bench", "furniture"}, {"Bookshelf", "furniture"}, {"Blanket", "textile"}, {"Cushion", "textile"},
        {"Rug", "textile"},     {"Holder", "office"},       {"Notebook", "office"}, {"Clock", "office"}};
    return [&calls](const ptc::LlmRequest& request) -> ptc::LlmResult {
        ++calls;
        ptc::Datum::List answers;
        std::istringstream lines(request.messages.back().content);
        for (std::string line; std::getline(lines, line);) {
            if (line.rfind("P-", 0) != 0) continue;
            const std::string last_word = line.substr(line.rfind(' ') + 1);
            answers.push_back(ptc::Datum::object({{"id", line.substr(0, 5)}, {"category", categories.at(last_word)}}));
        }
        return ptc::LlmReply{.text = ptc::Datum(std::move(answers)).to_json()};
    };
}

} // namespace

int main(int argc, char** argv) {
    std::atomic<int> calls = 0;
    const ptc::LlmTool judge{
        .prompt = "To which category does each product belong?\n{{#products}}\n{{id}} {{name}}\n{{/products}}",
        .signature = "(products [{id :string, name :string}]) -> "
                     "[{id :string, category :enum[furniture kitchen lighting office textile]}]",
        .description = "Gives the category of each product.",
        .model = ptc::ModelRef(small_model(calls)),
    };
    const ptc::AgentPtr agent = made(ptc::Agent::create({
        .prompt = "Classify all products. How many have no category, and which ones disagree with their catalogue?",
        .signature = "(products [:map]) -> {by_category :map, filled_in :int, disagree [:string]}",
        .tools = {made(judge.as_tool("classify"))},
        .turn_budget = 50, // a judgment is a turn of its own
    }));
    const ptc::Llm model = scripted({
        program(R"((def judged
  (->> data/products
       (map #(select-keys % [:id :name]))
       (partition-all 50)
       (pmap #(tool/classify {:products %}))
       (apply concat)
       vec))
(count judged))"),
        program(R"((let [category (into {} (map (juxt :id :category) judged))]
  (return {:by_category (frequencies (vals category))
           :filled_in   (count (remove :category data/products))
           :disagree    (mapv :id (filter #(and (:category %) (not= (:category %) (category (:id %)))) data/products))})))"),
    });
    const int code = show(agent->run(model, ptc::Datum::object({{"products", table(argc, argv, "products")}})));
    std::cout << calls << " calls of the small model\n";
    return code;
}
