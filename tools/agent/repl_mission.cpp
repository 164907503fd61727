// /subagent: the words of the line are split as a shell would, read as options and a prompt, and run as a mission;
// SIGINT interrupts it.
#include "tools/agent/repl_mission.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "tools/agent/agent_parts.h"
#include "tools/interrupt.h"
#include "tools/run_options.h"
#include <charconv>

namespace ptc {
namespace {

struct Request {
    AgentOptions agent;
    std::string llm;
    std::string catalog;
};

Error wrong(std::string message) {
    return Error(Reason::InvalidRequest, std::move(message) + "\nUsage: " + kMissionUsage);
}

Result<std::size_t> count_of(const std::string& text) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0)
        return wrong("--max-turns takes a number, not `" + text + "`.");
    return count;
}

Result<Request> read_request(std::string_view text, const ReplWorld& world) {
    Request request;
    request.agent.tools = world.tools;
    request.agent.preludes = world.preludes;
    request.agent.limits = world.limits;
    const std::vector<std::string> words = PTC_TRY(split_words(text));
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!words[i].starts_with("--")) {
            request.agent.prompt += (request.agent.prompt.empty() ? "" : " ") + words[i];
            continue;
        }
        const std::string& name = words[i];
        if (name != "--llm" && name != "--models" && name != "--signature" && name != "--max-turns")
            return wrong("There is no option `" + name + "`.");
        if (++i == words.size()) return wrong(quoted(name) + " needs a value.");
        if (name == "--llm")
            request.llm = words[i];
        else if (name == "--models")
            request.catalog = words[i];
        else if (name == "--signature")
            request.agent.signature = words[i];
        else
            request.agent.max_turns = PTC_TRY(count_of(words[i]));
    }
    if (request.llm.empty() || request.agent.prompt.empty()) return wrong("A mission needs a model and a prompt.");
    return request;
}

Result<Step> run(std::string_view words, bool verbose, const ReplWorld& world, Console& console) {
    Request request = PTC_TRY(read_request(words, world));
    const AgentPtr agent = PTC_TRY(Agent::create(std::move(request.agent)));
    MissionOptions options;
    options.model = ModelRef(PTC_TRY(read_model(request.llm, PTC_TRY(read_catalog(request.catalog)))));
    options.data = world.data;
    if (request.llm.starts_with("script:")) options.retry = RetryPolicy{.base_delay = std::chrono::milliseconds(1)};
    options.on_event = [&](const MissionEvent& event) { show_event(event, verbose, console); };
    const InterruptFlag interrupted;
    options.is_interrupted = [&] { return interrupted.is_set(); };
    return agent->run(std::move(options));
}

} // namespace

std::optional<Datum> run_repl_mission(std::string_view words, bool verbose, const ReplWorld& world, Console& console) {
    Result<Step> step = run(words, verbose, world, console);
    if (!step.ok()) {
        console.message("ptcc: " + step.error().message + "\n");
        return std::nullopt;
    }
    if (!step.value().ok) return std::nullopt; // the last event has shown why
    return std::move(step.value().value);
}

Result<std::vector<std::string>> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = 0;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (quote == 0 && is_blank) {
            if (word) words.push_back(std::move(*word));
            word.reset();
            continue;
        }
        if (!word) word.emplace();
        if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = 0;
        else
            *word += c;
    }
    if (quote != 0) return wrong(std::string("The quote ") + quote + " is not closed.");
    if (word) words.push_back(std::move(*word));
    return words;
}

} // namespace ptc
