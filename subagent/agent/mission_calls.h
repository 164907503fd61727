// Calls what a mission needs: models and tools, several at the same time when it needs several.
#pragma once
#include "ptc/agent.h"
#include "ptc/needs.h"
#include "subagent/agent/looped_model.h"
#include "subagent/agent/model_calls.h"
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

/// Belongs to the thread that runs the mission. Models that have loops (ptc/model_loop.h) are called by these on this
/// thread, however many at once. Of tools and other models, one call alone is made on this thread; when there are more,
/// threads of the pool make them, and this one stands by: whatever answers first goes on first, and no call waits for
/// another one's answer. Without a free thread of the pool they are made here, one after the other. While this thread
/// calls a tool that wants it (Tool::one_at_a_time), one of the pool stands by the loops. Approvals are asked for here
/// when nothing else is under way.
class MissionCalls : private PartCaller {
public:
    /// Pool and clock outlive it.
    MissionCalls(ThreadPool& pool, const MissionClock& clock, AnswerJournal journal = {})
        : pool_(pool), clock_(clock), journal_(std::move(journal)) {}
    /// Aborts the calls of loops, and waits for the others that are under way; those that nobody has begun are not
    /// made.
    ~MissionCalls() override;
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
    /// A model without a loop that another one is made of, some of whose parts have one.
    struct PartCall {
        std::uint64_t id;
        const ModelCall* call;
    };
    using Call = std::variant<LlmNeed, ToolNeed, PartCall>;
    struct Loop {
        Llm model; ///< keeps its target, by which it is known
        std::unique_ptr<ModelLoop> loop;
    };

    // With the lock, which they let go during the call.
    void run(LlmNeed& need, std::unique_lock<std::mutex>& lock);
    void run(const ToolNeed& need, std::unique_lock<std::mutex>& lock);
    void run(const PartCall& part, std::unique_lock<std::mutex>& lock);
    [[nodiscard]] ToolAnswer answer(const ToolNeed& need) const;
    [[nodiscard]] LlmResult reply(const LlmNeed& need) const;
    [[nodiscard]] std::optional<ApprovalAnswer> approval(const ApprovalNeed& need) const;
    [[nodiscard]] std::optional<Answer> next_approval(std::unique_lock<std::mutex>& lock);
    void call_helpers();
    void help();
    void run_one(std::deque<Call>& calls, std::unique_lock<std::mutex>& lock);
    void notify();

    [[nodiscard]] bool is_looped(const LlmNeed& need) const;
    void begin(LlmNeed need);

    // Of the thread that stands by the loops, without the lock
    void start_part(std::uint64_t id, const ModelCall& call) override;
    ModelLoop& loop_of(const Llm& model);
    /// Takes what models gave, and begins what is due. False: there was nothing.
    bool step_loops();
    void wait_for_loops() const;
    void run_own(std::unique_lock<std::mutex>& lock);

    ThreadPool& pool_;
    const MissionClock& clock_;
    const AnswerJournal journal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Call> waiting_; ///< for any thread
    std::deque<Call> own_;     ///< tools that want this thread
    std::deque<ApprovalNeed> approvals_;
    std::deque<Answer> answers_;
    std::deque<ModelLoop::Done> part_results_;
    std::deque<LlmNeed> woken_;      ///< have waited, and are for loops now
    std::size_t helpers_ = 0;        ///< threads of the pool that make calls, or soon will
    std::size_t running_ = 0;        ///< calls that helpers make
    std::size_t looped_ = 0;         ///< calls that `models_` has
    bool is_handed_over_ = false;    ///< the loops, to a thread of the pool, until the mission's is back
    bool has_other_driver_ = false;  ///< which still stands by them
    std::optional<Wakeup> wakeup_{}; ///< of whoever stands by the loops; there with the first of their calls

    ModelCalls models_{*this};
    std::vector<Loop> loops_; ///< their calls have requests of `models_`
};

} // namespace ptc
