#include "ptc/chat.h"

namespace ptc {

Chat::Chat(AgentPtr agent, MissionOptions options)
    : agent_(std::move(agent)), options_(std::move(options)), id_(options_.id) {}

Step Chat::say(std::string message, std::vector<Attachment> attachments) {
    MissionOptions one = options_;
    one.user_message = std::move(message);
    one.attachments.insert(one.attachments.end(), attachments.begin(), attachments.end());
    ++runs_;
    if (!id_.empty()) one.id = id_ + "." + std::to_string(runs_);
    Step step = agent_->run(std::move(one));
    if (!step.ok) return step;
    options_.history = step.messages;
    options_.attachments.clear(); // they are in the first message
    if (agent_->options().output == AgentOutput::PtcLisp) options_.memory = step.memory;
    return step;
}

} // namespace ptc
