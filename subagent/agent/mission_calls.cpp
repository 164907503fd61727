// The calls of models and tools that a mission needs. The thread of the mission makes a call itself when there is only
// one; otherwise threads of the pool make them, and it waits for the first answer, whichever that is. Everything shared
// is guarded by one mutex, which nobody holds during a call.
#include "subagent/agent/mission_calls.h"
#include "subagent/engine/tool_calls.h"
#include <algorithm>
#include <condition_variable>
#include <iterator>

namespace ptc {

LlmResult call_model(const LlmNeed& need) {
    try {
        return (*need.model)(need.request);
    } catch (const std::exception& e) {
        return LlmError{.kind = "exception", .message = e.what()};
    } catch (...) {
        return LlmError{.kind = "exception", .message = "of unknown type"};
    }
}

namespace {

bool is_unwanted(const LlmRequest& request) {
    return request.stop.stop_requested() || (request.is_unwanted && request.is_unwanted());
}

constexpr std::chrono::milliseconds kAskPoll{25}; ///< how soon a wait ends that nobody needs

/// Before a call that is made again. Shorter when nobody waits for it any more.
void wait_for_turn(const MissionClock& clock, std::chrono::milliseconds delay, const LlmRequest& request) {
    if (delay.count() <= 0) return;
    if (clock.sleep) return clock.sleep(delay);
    const auto end = std::chrono::steady_clock::now() + delay;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    while (!is_unwanted(request) && std::chrono::steady_clock::now() < end) {
        const auto next = request.is_unwanted ? std::min(end, std::chrono::steady_clock::now() + kAskPoll) : end;
        never.wait_until(lock, request.stop, next, [] { return false; });
    }
}

} // namespace

ToolAnswer call_tool(const ToolNeed& need) {
    Result<Datum> result = call_tool(*need.tool, need.arguments, need.context);
    return result.ok() ? ToolAnswer(std::move(result).value()) : ToolAnswer(std::move(result.error()));
}

MissionCalls::~MissionCalls() {
    std::unique_lock lock(mutex_);
    waiting_.clear();
    changed_.wait(lock, [this] { return helpers_ == 0; });
}

void MissionCalls::add(Needs needs) {
    const std::scoped_lock lock(mutex_);
    for (LlmNeed& need : needs.llm)
        waiting_.emplace_back(std::move(need));
    for (ToolNeed& need : needs.tools)
        (need.tool->one_at_a_time ? own_ : waiting_).emplace_back(std::move(need));
    std::ranges::move(needs.approvals, std::back_inserter(approvals_));
    call_helpers();
}

/// A thread for each call that waits, but none for a call that is the only one: this thread has nothing else to do.
void MissionCalls::call_helpers() {
    if (waiting_.size() + own_.size() + running_ + answers_.size() < 2) return;
    for (std::size_t free = helpers_ - running_; free < waiting_.size(); ++free) {
        if (!pool_.start([this] { help(); })) return;
        ++helpers_;
    }
}

void MissionCalls::help() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
        ++running_;
        std::optional<Answer> answer = make_one(waiting_, lock);
        --running_;
        answers_.push_back(std::move(*answer));
        changed_.notify_one();
    }
    --helpers_;
    changed_.notify_one(); // under the lock: whoever waits for the last helper may destroy this at once
}

std::optional<MissionCalls::Answer> MissionCalls::make_one(std::deque<Call>& calls,
                                                           std::unique_lock<std::mutex>& lock) {
    const Call call = std::move(calls.front());
    calls.pop_front();
    lock.unlock();
    Answer answer = make(call);
    lock.lock();
    return answer;
}

MissionCalls::Answer MissionCalls::make(const Call& call) const {
    if (const auto* tool = std::get_if<ToolNeed>(&call)) return {tool->id, answer(*tool)};
    const auto& model = std::get<LlmNeed>(call);
    return {model.id, reply(model)};
}

ToolAnswer MissionCalls::answer(const ToolNeed& need) const {
    std::optional<ToolAnswer> known = journal_.answer_to ? journal_.answer_to(need) : std::nullopt;
    if (known) return std::move(*known);
    ToolAnswer made = call_tool(need);
    if (journal_.on_answer) journal_.on_answer(need, made);
    return made;
}

LlmResult MissionCalls::reply(const LlmNeed& need) const {
    std::optional<LlmResult> known = journal_.reply_to ? journal_.reply_to(need) : std::nullopt;
    if (known) return std::move(*known);
    wait_for_turn(clock_, need.delay, need.request);
    const bool is_late = need.delay.count() > 0 && is_unwanted(need.request);
    LlmResult made = is_late ? LlmError{.kind = "cancelled"} : call_model(need);
    if (journal_.on_reply) journal_.on_reply(need, made);
    return made;
}

/// None: it stays open.
std::optional<ApprovalAnswer> MissionCalls::approval(const ApprovalNeed& need) const {
    std::optional<ApprovalAnswer> answer = journal_.approval_of ? journal_.approval_of(need) : std::nullopt;
    if (answer) return answer;
    const std::string nobody = "nobody is there who could approve it";
    try {
        if (journal_.approve) answer = journal_.approve(need.request);
        if (!answer && journal_.may_wait) return std::nullopt;
        if (!answer) answer = ApprovalAnswer::deny(nobody);
    } catch (const std::exception& e) {
        answer = ApprovalAnswer::deny(std::string("it could not be asked for: ") + e.what());
    } catch (...) {
        answer = ApprovalAnswer::deny("it could not be asked for");
    }
    if (journal_.on_approval) journal_.on_approval(need, *answer);
    return answer;
}

std::optional<MissionCalls::Answer> MissionCalls::next_approval(std::unique_lock<std::mutex>& lock) {
    while (!approvals_.empty()) {
        const ApprovalNeed need = std::move(approvals_.front());
        approvals_.pop_front();
        lock.unlock();
        std::optional<ApprovalAnswer> answer = approval(need);
        lock.lock();
        if (answer) return Answer{need.id, std::move(*answer)};
    }
    return std::nullopt;
}

std::optional<MissionCalls::Answer> MissionCalls::wait() {
    std::unique_lock lock(mutex_);
    while (true) {
        if (!answers_.empty()) {
            Answer answer = std::move(answers_.front());
            answers_.pop_front();
            return answer;
        }
        if (!own_.empty()) return make_one(own_, lock);
        if (helpers_ == 0) return waiting_.empty() ? next_approval(lock) : make_one(waiting_, lock);
        changed_.wait(lock);
    }
}

} // namespace ptc
