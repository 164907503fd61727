// Long conversations, cut (AgentOptions::compaction).
#pragma once
#include "subagent/agent/agent_core.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

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
        double bytes_per_token = 4;  ///< until the provider has counted
    };
    [[nodiscard]] std::vector<std::size_t> turn_starts() const;
    [[nodiscard]] std::size_t turns_to_keep(const std::vector<std::size_t>& starts,
                                            const std::function<std::size_t()>& system_bytes) const;
    /// `starts` is not empty.
    [[nodiscard]] Measure measured(const std::vector<std::size_t>& starts, std::size_t system_bytes) const;
    [[nodiscard]] std::optional<std::size_t> decided(const Measure& measure) const;
    [[nodiscard]] std::size_t kept_within(const std::vector<std::size_t>& starts, std::size_t fixed_bytes,
                                          double room) const;
    void note(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::string notice(const std::vector<std::string>& names) const;

    const AgentCore& core_;
};

} // namespace ptc
