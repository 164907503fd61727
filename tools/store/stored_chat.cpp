// Requests of a chat as missions of a store. The agent's row is that of the command line with the prompt that a served
// agent has; what a client said is in the mission's context. A request polls for its mission, sooner at first: most
// answers take seconds, and the database tells those who wait for work, not those who wait for results.
#include "tools/store/stored_chat.h"
#include "frontend/try.h"
#include "tools/agent/agent_setup.h"
#include "tools/io.h"
#include "tools/members.h"
#include "tools/run_options.h"
#include <algorithm>
#include <filesystem>
#include <thread>

namespace ptc {
namespace {

constexpr Millis64 kFirstLook{5};
constexpr Millis64 kLongestLook{250};

void set(Datum::Map& row, const char* name, Datum value) {
    std::erase_if(row, [name](const auto& member) { return *member.first.text() == name; });
    row.emplace_back(Datum(name), std::move(value));
}

Datum with_member(const Datum& row, const char* name, Datum value) {
    Datum::Map out = *row.map();
    set(out, name, std::move(value));
    return Datum(std::move(out));
}

Step failed(std::string reason, std::string message) {
    Step step;
    step.fail = Fail{.reason = std::move(reason), .message = std::move(message)};
    return step;
}

Step failed(const Error& error) { return failed(std::string(reason_name(error.reason)), error.message); }

Result<std::string> submit(const StoredChat& chat, const std::string& id, const ChatRequest& request,
                           const std::string& signature) {
    const Datum row = with_member(*chat.agent.find("agent"), "signature", Datum(signature));
    const std::string content = with_member(chat.agent, "agent", row).to_json();
    StoredContext context = chat.context;
    context.user_message = request.message;
    context.history = request.history;
    NewMission mission;
    mission.id = id;
    mission.queue = chat.queue;
    mission.agent_digest = PTC_TRY(chat.store->put_agent(chat.agent_name, content));
    mission.context = write_stored_context(context);
    return PTC_TRY(chat.store->submit(mission)).id;
}

/// What a mission that is over came to.
Step step_of(const StoredMission& mission) {
    Step step;
    step.usage.tokens.input = mission.input_tokens;
    step.usage.tokens.output = mission.output_tokens;
    const bool is_done = mission.status == MissionStatus::Done;
    Result<Datum> value = Datum::from_json(is_done ? mission.result : mission.error);
    if (!value.ok()) return failed(value.error());
    step.ok = is_done;
    if (is_done)
        step.value = std::move(value).value();
    else
        step.fail = Fail{.reason = text_of(value.value(), "reason"), .message = text_of(value.value(), "message")};
    return step;
}

} // namespace

Result<StoredChat> stored_chat(const AgentArguments& arguments, const AgentOptions& served,
                               std::shared_ptr<MissionStore> store) {
    StoredChat chat{.store = std::move(store), .agent_name = stored_agent_name(arguments)};
    const Datum content = PTC_TRY(Datum::from_json(PTC_TRY(stored_agent(arguments))));
    Datum::Map row = *content.find("agent")->map();
    set(row, "prompt", Datum(served.prompt));
    const SystemPrompt& system = served.system_prompt;
    set(row, "system_prompt",
        Datum::object({{"replacement", system.replacement},
                       {"whole", system.whole},
                       {"prefix", system.prefix},
                       {"suffix", system.suffix}}));
    chat.agent = with_member(content, "agent", Datum(std::move(row)));
    chat.context.llm = arguments.llm;
    chat.context.fallbacks = arguments.fallbacks;
    chat.context.models = arguments.models;
    if (!arguments.catalog.empty()) chat.context.catalog = PTC_TRY(read_file(arguments.catalog, kMaxDataBytes));
    std::error_code error;
    chat.context.folder = std::filesystem::current_path(error).string();
    const Datum data = PTC_TRY(load_data_map(arguments.data));
    for (const auto& [name, value] : *data.map())
        chat.context.data[*name.text()] = PTC_TRY(chat.store->put_data(value.to_json()));
    return chat;
}

std::optional<Step> carry_in_store(const StoredChat& chat, const std::string& id, const ChatRequest& request,
                                   const std::string& signature, const std::function<bool()>& is_unwanted) {
    const Result<std::string> submitted = submit(chat, id, request, signature);
    if (!submitted.ok()) return failed(submitted.error());
    for (Millis64 wait = kFirstLook; !is_unwanted(); wait = std::min(wait * 2, kLongestLook)) {
        const Result<std::optional<StoredMission>> mission = chat.store->show(id);
        if (!mission.ok() && mission.error().reason != Reason::StoreUnavailable) return failed(mission.error());
        if (mission.ok() && !mission.value()) return failed("cancelled", "The mission is not in the store any more.");
        const bool is_over = mission.ok() && (mission.value()->status == MissionStatus::Done ||
                                              mission.value()->status == MissionStatus::Failed ||
                                              mission.value()->status == MissionStatus::Cancelled);
        if (is_over) return step_of(*mission.value());
        std::this_thread::sleep_for(wait);
    }
    return std::nullopt;
}

} // namespace ptc
