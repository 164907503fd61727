// Compaction: what keeps a mission of hundreds of turns within a prompt of a fixed size. A conversation is what stands
// in front of the first turn (history, prompt), which is never touched, and turns: a reply, and what it was told. When
// it has grown too long, the oldest turns are cut at once until a part of the room is free again, so that the turns
// that follow extend what providers have cached; cutting one turn each time would change every request from there on.
// What was cut is a line a turn in the journal, of which the message in its place shows the last ones.
//
//   system | history, prompt | [Turns 1 to 16 are cut ..] | turn 17 .. turn 24
//
// Sizes are those that the provider counts; where it counts none, four bytes are a token.
#include "subagent/agent/compaction.h"
#include "frontend/utf8.h"
#include "subagent/agent/mission_memory.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr double kPartKept = 0.5;           ///< of the room for turns, when tokens are short
constexpr std::size_t kMostLineBytes = 160; ///< of a line of the journal
constexpr std::size_t kMostShownLines = 12; ///< of the journal, in the notice
constexpr std::size_t kMostShownNames = 40;
constexpr std::size_t kMostNameBytes = 1000;

std::size_t bytes_of(const Message& message) {
    std::size_t bytes = message.content.size() + message.provider_state.size();
    for (const ToolCall& call : message.tool_calls)
        bytes += call.name.size() + call.arguments.to_json().size();
    for (const Attachment& one : message.attachments)
        bytes += static_cast<std::size_t>(kBytesPerToken) * static_cast<std::size_t>(one.estimated_tokens());
    return bytes;
}

/// "ok => {:n 3}; tool/pay, tool/pay"; a Turn holds no firewalled values.
std::string line_of(const Turn& turn) {
    std::string text = turn.ok ? (turn.result.empty() ? "ok" : "=> " + turn.result) : turn.reason + ": " + turn.message;
    if (!turn.tool_calls.empty())
        text = std::to_string(turn.tool_calls.size()) + (turn.tool_calls.size() == 1 ? " call of " : " calls, first ") +
               "tool/" + turn.tool_calls.front().name + "; " + text;
    return journal_text(std::move(text));
}

} // namespace

// ---- What missions and chats have in common

std::size_t bytes_of(const std::vector<Message>& messages, std::size_t first, std::size_t last) {
    std::size_t bytes = 0;
    for (std::size_t i = first; i < last; ++i)
        bytes += bytes_of(messages[i]);
    return bytes;
}

std::string journal_text(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    if (text.size() <= kMostLineBytes) return text;
    return std::string(utf8::prefix(text, kMostLineBytes)) + "…";
}

std::string names_text(const std::vector<std::string>& names) {
    std::string text;
    std::size_t shown = 0;
    for (const std::string& name : names) {
        if (is_firewalled(name)) continue;
        if (shown == kMostShownNames || text.size() + name.size() > kMostNameBytes) return text + " and more";
        text += (shown++ == 0 ? "" : ", ") + name;
    }
    return text;
}

std::optional<std::size_t> decided_by(const Compaction& how, const ConversationSize& size) {
    try {
        return how.decide(size);
    } catch (...) { // a host that cannot decide changes nothing
        return std::nullopt;
    }
}

std::size_t turns_within(const std::vector<Message>& messages, const std::vector<std::size_t>& starts, double room) {
    const double free = std::max(0.0, room);
    double used = 0;
    std::size_t kept = 0;
    for (std::size_t end = messages.size(); kept < starts.size(); ++kept) {
        const std::size_t start = starts[starts.size() - 1 - kept];
        used += static_cast<double>(bytes_of(messages, start, end));
        if (used > free * kPartKept) break;
        end = start;
    }
    return std::max<std::size_t>(kept, 1);
}

void bound_journal(std::vector<JournalLine>& journal) {
    if (journal.size() > Step::kMostJournal)
        journal.erase(journal.begin(), journal.end() - static_cast<std::ptrdiff_t>(Step::kMostJournal));
}

std::string journal_lines(const std::vector<JournalLine>& journal, std::string_view unit) {
    std::string text;
    for (std::size_t i = journal.size() - std::min(journal.size(), kMostShownLines); i < journal.size(); ++i)
        text += "\n" + std::string(unit) + " " + std::to_string(journal[i].turn) + ": " + journal[i].text;
    return text;
}

void Compactor::compact(const std::function<std::size_t()>& system_bytes,
                        const std::function<std::vector<std::string>()>& names) const {
    if (!core_.options().compaction) return;
    AgentState& state = core_.state;
    const std::vector<std::size_t> starts = turn_starts();
    const std::size_t keep = turns_to_keep(starts, system_bytes);
    if (keep >= starts.size()) return;
    const std::size_t cut = starts.size() - keep;
    const auto first = state.messages.begin() + static_cast<std::ptrdiff_t>(state.head_messages);
    const auto end = state.messages.begin() + static_cast<std::ptrdiff_t>(starts[cut]);
    note(state.cut_turns + 1, state.cut_turns + cut);
    state.cut_turns += cut;
    const auto at = state.messages.erase(first, end);
    const std::string text = core_.hidden(notice(names()));
    state.messages.insert(at, {.content = text});
    MissionEvent event = core_.event(MissionEvent::Kind::Compaction);
    event.text = text;
    core_.env.emit(event);
}

/// Where turns begin in the messages.
std::vector<std::size_t> Compactor::turn_starts() const {
    std::vector<std::size_t> starts;
    const std::vector<Message>& messages = core_.state.messages;
    for (std::size_t i = core_.state.head_messages; i < messages.size(); ++i) {
        if (messages[i].role == Message::Role::Assistant) starts.push_back(i);
    }
    return starts;
}

/// At least the last one: it has what the model is to answer.
std::size_t Compactor::turns_to_keep(const std::vector<std::size_t>& starts,
                                     const std::function<std::size_t()>& system_bytes) const {
    const Compaction& how = *core_.options().compaction;
    const std::size_t all = starts.size();
    const std::size_t keep = std::min(all, std::max<std::size_t>(how.keep_recent_turns, 1));
    const bool has_many = how.trigger_turns && all > *how.trigger_turns;
    if (all < 2 || (!how.trigger_tokens && !how.decide)) return has_many ? keep : all;
    const Measure measure = measured(starts, system_bytes());
    if (how.decide) return std::clamp<std::size_t>(decided_by(how, measure.size).value_or(all), 1, all);
    if (measure.size.tokens <= *how.trigger_tokens) return has_many ? keep : all;
    const double room = static_cast<double>(*how.trigger_tokens) * measure.bytes_per_token;
    return std::min(keep, turns_within(core_.state.messages, starts, room - static_cast<double>(measure.fixed_bytes)));
}

Compactor::Measure Compactor::measured(const std::vector<std::size_t>& starts, std::size_t system_bytes) const {
    const AgentState& state = core_.state;
    const std::size_t end = state.messages.size();
    Measure measure;
    measure.fixed_bytes = system_bytes + bytes_of(state.messages, 0, state.head_messages);
    measure.size = {.turn = state.turn, .turns = starts.size()};
    measure.size.bytes = measure.fixed_bytes + bytes_of(state.messages, state.head_messages, end);
    // The last request had all that is there now but for the turn that came of it.
    const std::int64_t counted = state.step.trace.empty() ? 0 : state.step.trace.back().tokens.input;
    const std::size_t sent = measure.size.bytes - bytes_of(state.messages, starts.back(), end);
    if (counted > 0)
        measure.bytes_per_token =
            std::max(static_cast<double>(sent) / static_cast<double>(counted), kLeastBytesPerToken);
    measure.size.tokens = static_cast<std::int64_t>(static_cast<double>(measure.size.bytes) / measure.bytes_per_token);
    return measure;
}

// ---- What was cut

void Compactor::note(std::size_t first, std::size_t last) const {
    Step& step = core_.state.step;
    for (const Turn& turn : step.trace) {
        if (turn.number >= first && turn.number <= last) step.journal.push_back({turn.number, line_of(turn)});
    }
    bound_journal(step.journal);
}

std::string Compactor::notice(const std::vector<std::string>& names) const {
    const AgentState& state = core_.state;
    std::string text = "[Turns 1 to " + std::to_string(state.cut_turns) + " are cut from this conversation.";
    const std::string defined = names_text(names), data = names_text(data_names(state.results));
    if (!defined.empty()) text += " What programs defined is still there: " + defined + ".";
    if (!data.empty())
        text += (defined.empty() ? " What they added to data/ is still there: " : " So is what they added to data/: ") +
                data + ".";
    text += "]";
    return text + journal_lines(state.step.journal, "turn");
}

} // namespace ptc
