// Approvals in a chat: missions that wait for one, and the messages in which it is asked for and given.
#pragma once
#include "ptc/approval.h"
#include "ptc/llm.h"
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// What the assistant says. `token` names the mission that waits.
std::string approval_message(const ApprovalRequest& request, std::string_view token);
/// The token of such a message, when it is the last that was said before the user's; "" otherwise.
std::string approval_token(const std::vector<Message>& history);
/// What the user's next message decides: `approve` or `yes`, also with other arguments as JSON behind it; anything else
/// denies, and is the reason.
ApprovalAnswer approval_in(std::string_view message);

/// Saved missions by their tokens: 128 bits of chance, which nobody can guess. A token is a bearer capability: whoever
/// has it, and may talk to the server at all, answers, once; without it nobody does. Kept are digests of tokens, so
/// that neither memory nor the time of a comparison tells one. The oldest missions go when there are more, or larger
/// ones, than may be kept; all of them go with the process. Thread-safe.
class WaitingMissions {
public:
    static constexpr std::size_t kMost = 1000;
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    struct Mission {
        std::string bytes;
        std::string name; ///< of its trace: that of the request that began it
    };
    /// The token.
    std::string put(Mission mission);
    /// Gives it once: a second answer finds none.
    std::optional<Mission> take(std::string_view token);
    /// Of one that was taken and could not go on: its token holds again.
    void put_back(std::string_view token, Mission mission);

private:
    struct Waiting {
        std::string digest; ///< of the token
        Mission mission;
    };
    void add(Waiting waiting);
    std::mutex mutex_;
    std::deque<Waiting> all_; ///< oldest first
    std::size_t bytes_ = 0;
};

} // namespace ptc
