#include <iostream>
#include <ptc/providers.h>
#include <ptc/ptc.h>

int main() {
    auto agent = ptc::AgentBuilder("How many r are in {{word}}?").signature("(word :string) -> :int").create();
    auto model = ptc::provider_llm({.provider = "openai", .model = "gpt-6-sol"}); // its key: OPENAI_API_KEY
    if (!agent || !model) return std::cerr << (agent ? model.error() : agent.error()).message << '\n', 1;
    ptc::Step step = (*agent)->run(*model, ptc::Datum::object({{"word", "strawberry"}}));
    std::cout << (step.ok ? step.value.to_json() : step.fail->message) << '\n'; // 3
}
