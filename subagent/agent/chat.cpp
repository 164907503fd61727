// A chat is its history: what a run added to it is a turn of the chat, from the message of the user to the answer.
// Where the agent has a Compaction, the oldest of these are cut after a run, as those of a mission are (compaction.h):
// a message in front stands for them, and what comes behind it is what providers have cached until the next cut.
#include "ptc/chat.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/compaction.h"
#include "subagent/agent/conversation.h"
#include "subagent/agent/firewall.h"
#include <algorithm>

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
    if (begins_.empty() && !options_.history.empty()) begins_.push_back(0);
    begins_.push_back(options_.history.size());
    options_.history = step.messages;
    options_.attachments.clear(); // they are in the first message
    note_data(step.data_names);
    if (step.handed_over)
        follow(*step.handed_over);
    else if (agent_->options().output == AgentOutput::PtcLisp)
        options_.memory = step.memory;
    compact(step);
    return step;
}

/// What the conversation tells of, and the next message does not have.
void Chat::note_data(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 1'000;
    std::vector<std::string>& all = options_.former_data;
    for (const std::string& name : names)
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    if (all.size() > kMost) all.erase(all.begin(), all.end() - kMost);
}

// ---- Handoffs

void Chat::follow(const Handover& over) {
    bool has_conversation = true, has_context = true;
    for (const std::string& name : over.path) {
        const AgentTool* tool = handoff_named(*agent_, name);
        if (!tool) return; // which a step of this agent does not say
        if (tool->model.is_given()) options_.model = ModelRef(tool->model);
        has_conversation = has_conversation && tool->handoff->conversation;
        has_context = has_context && tool->handoff->context;
        agent_ = AgentPtr(tool->agent);
    }
    options_.memory = over.memory;
    options_.context = over.context; // as it had it: what the first one's signature says of it is not asked again
    options_.context_signature.clear();
    options_.previous.reset();
    if (!has_context) options_.data.clear();
    keep_texts(has_conversation ? 0 : begins_.size() - 1);
}

void Chat::give_to(AgentPtr agent, ModelRef model) {
    agent_ = std::move(agent);
    if (model.is_given()) options_.model = std::move(model);
    if (begins_.empty() && !options_.history.empty()) begins_.push_back(0);
    keep_texts(0);
}

/// Of the turns from this one on: another agent has other tools, and may not know what was said before.
void Chat::keep_texts(std::size_t from_turn) {
    const std::span<const Message> all = options_.history;
    std::vector<Message> texts;
    std::vector<std::size_t> begins;
    if (from_turn == 0 && !begins_.empty())
        texts = said_in(all.first(begins_[0])); // what stands for turns that were cut
    for (std::size_t turn = from_turn; turn < begins_.size(); ++turn) {
        const std::size_t end = turn + 1 < begins_.size() ? begins_[turn + 1] : all.size();
        begins.push_back(texts.size());
        for (Message& message : said_in(all.subspan(begins_[turn], end - begins_[turn])))
            texts.push_back(std::move(message));
    }
    options_.history = std::move(texts);
    begins_ = std::move(begins);
    if (from_turn == 0) return;
    journal_.clear();
    cut_ = 0;
}

// ---- Compaction

/// At least the last one.
std::size_t Chat::turns_to_keep(const Step& last) const {
    const Compaction& how = *agent_->options().compaction;
    const std::vector<Message>& messages = options_.history;
    const std::size_t all = begins_.size();
    ConversationSize size{.turn = cut_ + all + 1, .turns = all, .bytes = bytes_of(messages, 0, messages.size())};
    // What the last request had in tokens, which is all but its answer.
    const std::int64_t counted = last.trace.empty() ? 0 : last.trace.back().tokens.input;
    const double bytes = static_cast<double>(size.bytes);
    const double bytes_per_token =
        counted > 0 ? std::max(bytes / static_cast<double>(counted), kLeastBytesPerToken) : kBytesPerToken;
    size.tokens = static_cast<std::int64_t>(bytes / bytes_per_token);
    if (how.decide) return std::clamp<std::size_t>(decided_by(how, size).value_or(all), 1, all);
    const std::size_t keep = std::min(all, std::max<std::size_t>(how.keep_recent_turns, 1));
    const bool has_many = how.trigger_turns && all > *how.trigger_turns;
    if (!how.trigger_tokens || size.tokens <= *how.trigger_tokens) return has_many ? keep : all;
    const double room = static_cast<double>(*how.trigger_tokens) * bytes_per_token;
    return std::min(keep, turns_within(messages, begins_, room));
}

void Chat::compact(const Step& last) {
    if (!agent_->options().compaction) return;
    const std::size_t keep = turns_to_keep(last);
    if (keep >= begins_.size()) return;
    const std::size_t cut = begins_.size() - keep;
    note(cut);
    cut_ += cut;
    std::vector<Message>& messages = options_.history;
    const std::size_t end = begins_[cut];
    messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(end));
    messages.insert(messages.begin(), Message{.content = notice()});
    begins_.erase(begins_.begin(), begins_.begin() + static_cast<std::ptrdiff_t>(cut));
    for (std::size_t& begin : begins_)
        begin = begin - end + 1;
}

void Chat::note(std::size_t turns) {
    const std::vector<Message>& messages = options_.history;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::size_t begin = begins_[turn];
        std::string text = journal_text(messages[begin].content);
        for (std::size_t i = begins_[turn + 1]; i-- > begin;) {
            if (messages[i].role != Message::Role::Assistant || messages[i].content.empty()) continue;
            text += " => " + journal_text(messages[i].content);
            break;
        }
        journal_.push_back({cut_ + turn + 1, std::move(text)});
    }
    bound_journal(journal_);
}

std::string Chat::notice() const {
    std::string text = "[Messages 1 to " + std::to_string(cut_) + " of the user, and what they were answered, are cut.";
    std::vector<std::string> names;
    for (const auto& [key, value] : options_.memory.entries())
        names.emplace_back(key_name(key));
    if (const std::string defined = names_text(names); !defined.empty())
        text += " What programs defined is still there: " + defined + ".";
    return text + "]" + journal_lines(journal_, "message");
}

} // namespace ptc
