// Recordings that somebody wrote. An input that begins with { is one as it is; the lines of any other take the places
// of the answers of a good one, which is made afresh so that its calls are those of today; an empty line leaves what is
// there. Whatever they say, reading and replaying ends with a step or an error, and calls nothing.
#include "ptc/ptc.h"
#include "ptc/recording.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 0)

namespace {

using namespace ptc;

AgentPtr make_agent(ToolFunction function) {
    AgentOptions options{.prompt = "x", .signature = ":any", .max_turns = 4};
    options.system_prompt.whole = "s";
    options.limits.fuel = 50'000;
    options.limits.heap_bytes = 1u << 20;
    options.tools.emplace_back(Tool{.name = "t", .signature = "(n :int) -> :any", .function = std::move(function)});
    return Agent::create(std::move(options)).value();
}

std::string good_recording() {
    MissionOptions options;
    options.model = ModelRef(Llm([](const LlmRequest& request) -> LlmResult {
        if (request.attempt == 1) return LlmError{.kind = "busy", .message = "later", .http_status = 503};
        if (request.turn == 1)
            return LlmReply{.text = "```clojure\n(def x (pcalls #(tool/t {:n 1}) #(tool/t {:n 2})))\n```"};
        return LlmReply{.text = "```clojure\n(return x)\n```", .usage = {.input = 3, .output = 4}};
    }));
    options.retry = RetryPolicy{.base_delay = std::chrono::milliseconds(0)};
    const auto path = std::filesystem::temp_directory_path() / ("fuzz_recording_" + std::to_string(::getpid()));
    const AgentPtr agent = make_agent([](const Datum& arguments) -> Result<Datum> { return *arguments.find("n"); });
    FUZZ_CHECK(record_mission(agent, std::move(options), path.string()).ok());
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(path);
    return text;
}

/// The next line of `text`, which loses it.
std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::string with_answers(std::string_view answers) {
    static const std::string good = good_recording();
    std::string out;
    for (std::string_view rest = good; !rest.empty();) {
        std::string_view line = take_line(rest);
        if (line.starts_with("{\"answer\"") || line.starts_with("{\"chance\"")) {
            if (const std::string_view given = take_line(answers); !given.empty()) line = given;
        }
        out += std::string(line) + "\n";
    }
    return out;
}

Result<Step> replay(const std::string& text) {
    static const AgentPtr agent = make_agent([](const Datum&) -> Result<Datum> {
        FUZZ_CHECK(false && "a replay called a tool");
        return Datum();
    });
    MissionOptions options;
    options.model = ModelRef(Llm([](const LlmRequest&) -> LlmResult {
        FUZZ_CHECK(false && "a replay called a model");
        return LlmError{};
    }));
    const auto recording = Recording::parse(text);
    if (!recording.ok()) return recording.error();
    return recording.value()->replay(agent, std::move(options));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const Result<Step> step = replay(input.starts_with('{') ? std::string(input) : with_answers(input));
    FUZZ_CHECK(step.ok() || (!input.empty() && step.error().message.size() < 4096));
    return 0;
}
