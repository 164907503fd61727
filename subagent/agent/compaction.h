// Long conversations, cut (AgentOptions::compaction).
#pragma once
#include "subagent/agent/agent_core.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// Of messages as a request has them, from `first` up to `last`.
[[nodiscard]] std::size_t bytes_of(const std::vector<Message>& messages, std::size_t first, std::size_t last);
/// How many of the last turns, which begin at `starts`, leave a part of `room` bytes free, so that some turns go by
/// before the next compaction. At least 1.
[[nodiscard]] std::size_t turns_within(const std::vector<Message>& messages, const std::vector<std::size_t>& starts,
                                       double room);
/// What the host decides; none when it cannot: that changes nothing.
[[nodiscard]] std::optional<std::size_t> decided_by(const Compaction& how, const ConversationSize& size);
/// A text as a line of a journal: one line, cut where it is long.
[[nodiscard]] std::string journal_text(std::string text);
/// The last lines of a journal, for the message that stands for what was cut.
[[nodiscard]] std::string journal_lines(const std::vector<JournalLine>& journal, std::string_view unit);
/// Names for such a message, without firewalled ones.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);
/// Of more than Step::kMostJournal lines the oldest go.
void bound_journal(std::vector<JournalLine>& journal);
inline constexpr double kBytesPerToken = 4;        ///< until a provider has counted, or where it counts none
inline constexpr double kLeastBytesPerToken = 0.5; ///< whatever a provider counts

/// Cuts whole turns out of the messages of the state, oldest first, and says so in a message in their place. What
/// stands in front of the first turn stays as it is, so that providers go on with what they have cached of it. Writes
/// `messages`, `cut_turns` and the journal of the step.
class Compactor {
public:
    explicit Compactor(const AgentCore& core) : core_(core) {}

    /// Before the model is asked in a next turn. `system_bytes` gives the size of the system text, `names` what
    /// programs have defined; each is asked for when it is needed.
    void compact(const std::function<std::size_t()>& system_bytes,
                 const std::function<std::vector<std::string>()>& names) const;

private:
    struct Measure {
        ConversationSize size{};
        std::size_t fixed_bytes = 0; ///< of the system text and of what stands in front of the first turn
        double bytes_per_token = kBytesPerToken;
    };
    [[nodiscard]] std::vector<std::size_t> turn_starts() const;
    [[nodiscard]] std::size_t turns_to_keep(const std::vector<std::size_t>& starts,
                                            const std::function<std::size_t()>& system_bytes) const;
    /// `starts` is not empty.
    [[nodiscard]] Measure measured(const std::vector<std::size_t>& starts, std::size_t system_bytes) const;
    void note(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::string notice(const std::vector<std::string>& names) const;

    const AgentCore& core_;
};

} // namespace ptc
