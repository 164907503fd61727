#include "ptc/chat.h"

namespace ptc {

Chat::Chat(AgentPtr agent, MissionOptions options)
    : agent_(std::move(agent)), options_(std::move(options)), id_(options_.id) {}

Step Chat::say(std::string message) {
    MissionOptions one = options_;
    one.user_message = std::move(message);
    ++runs_;
    if (!id_.empty()) one.id = id_ + "." + std::to_string(runs_);
    Step step = agent_->run(std::move(one));
    if (!step.ok) return step;
    options_.history = step.messages;
    if (agent_->options().output == AgentOutput::PtcLisp) options_.memory = step.memory;
    return step;
}

} // namespace ptc
