// The guards of a mission and of an agent, asked.
#pragma once
#include "subagent/agent/agent_core.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// Borrows the agent at work; has no state of its own.
class Guards {
public:
    explicit Guards(const AgentCore& core) : core_(core) {}

    /// Whether there are guards for this point: values need not be made for nobody.
    [[nodiscard]] bool look_at(GuardPoint point) const;
    struct Decision {
        std::optional<std::string> refusal{}; ///< why: a sentence that names the guard
        bool is_changed = false;
        /// The refusal is that nobody can be asked this, and no guard refuses: whoever can ask does so instead.
        std::optional<std::string> question{};
    };
    /// Lets the guards of the point look at `value`, which becomes what they leave, and so do `attachments`, where
    /// there are some. Events say what each of them did.
    [[nodiscard]] Decision decide(GuardPoint point, Datum& value, std::string_view tool = {},
                                  const Datum* arguments = nullptr,
                                  std::vector<Attachment>* attachments = nullptr) const;
    /// The same for a text; a change that is no text is a refusal.
    [[nodiscard]] Decision decide(GuardPoint point, std::string& text,
                                  std::vector<Attachment>* attachments = nullptr) const;

private:
    [[nodiscard]] static std::optional<std::string> change(const Guard& guard, Verdict& verdict, Datum& value,
                                                           std::vector<Attachment>* attachments, bool& is_changed);
    void tell(const Guard& guard, const Guarded& seen, const Verdict& verdict, std::string message) const;
    [[nodiscard]] std::string hidden(const std::string& text, const Datum& value, const Datum* arguments) const;

    const AgentCore& core_;
};

} // namespace ptc
