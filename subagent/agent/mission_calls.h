// Calls what a mission needs: models and tools, several at the same time when it needs several.
#pragma once
#include "ptc/agent.h"
#include "ptc/needs.h"
#include "subagent/engine/thread_pool.h"
#include <deque>
#include <mutex>

namespace ptc {

/// What the model gives; what it throws becomes an LlmError.
LlmResult call_model(const LlmNeed& need);

/// Who decides about approvals, and what remembers answers; called on the threads that make calls. All of it may be
/// empty.
struct AnswerJournal {
    Approver approve{};
    bool may_wait = false; ///< an approval that nobody gives now stays open; otherwise it is denied
    /// An answer that is there already: nobody is called.
    std::function<std::optional<LlmResult>(const LlmNeed& need)> reply_to{};
    std::function<std::optional<ToolAnswer>(const ToolNeed& need)> answer_to{};
    /// A new one, as soon as it is there and before the mission gets it.
    std::function<void(const LlmNeed& need, const LlmResult& result)> on_reply{};
    std::function<void(const ToolNeed& need, const ToolAnswer& answer)> on_answer{};
    // The same for approvals.
    std::function<std::optional<ApprovalAnswer>(const ApprovalNeed& need)> approval_of{};
    std::function<void(const ApprovalNeed& need, const ApprovalAnswer& answer)> on_approval{};
};

/// Belongs to the thread that runs the mission. One call alone is made on this thread; when there are more, threads of
/// the pool make them, and this one stands by: whatever answers first goes on first, and no call waits for another
/// one's answer. Without a free thread of the pool they are made here, one after the other. Approvals are asked for
/// here when nothing else is under way.
class MissionCalls {
public:
    /// Pool and clock outlive it.
    MissionCalls(ThreadPool& pool, const MissionClock& clock, AnswerJournal journal = {})
        : pool_(pool), clock_(clock), journal_(std::move(journal)) {}
    /// Waits for the calls that are under way; those that nobody has begun are not made.
    ~MissionCalls();
    MissionCalls(const MissionCalls&) = delete;
    MissionCalls& operator=(const MissionCalls&) = delete;

    void add(Needs needs);
    struct Answer {
        std::uint64_t id;
        std::variant<LlmResult, ToolAnswer, ApprovalAnswer> result;
    };
    /// The next answer; none when nothing is asked for, or only approvals that nobody gives now.
    [[nodiscard]] std::optional<Answer> wait();

private:
    using Call = std::variant<LlmNeed, ToolNeed>;
    [[nodiscard]] Answer make(const Call& call) const;
    [[nodiscard]] ToolAnswer answer(const ToolNeed& need) const;
    [[nodiscard]] LlmResult reply(const LlmNeed& need) const;
    [[nodiscard]] std::optional<ApprovalAnswer> approval(const ApprovalNeed& need) const;
    [[nodiscard]] std::optional<Answer> next_approval(std::unique_lock<std::mutex>& lock);
    void call_helpers();
    void help();
    std::optional<Answer> make_one(std::deque<Call>& calls, std::unique_lock<std::mutex>& lock);

    ThreadPool& pool_;
    const MissionClock& clock_;
    const AnswerJournal journal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Call> waiting_; ///< for any thread
    std::deque<Call> own_;     ///< tools that want this thread
    std::deque<ApprovalNeed> approvals_;
    std::deque<Answer> answers_;
    std::size_t helpers_ = 0; ///< threads of the pool that make calls, or soon will
    std::size_t running_ = 0; ///< calls that helpers make
};

} // namespace ptc
