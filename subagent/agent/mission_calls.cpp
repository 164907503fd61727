// The calls of models and tools that a mission needs. Those of models with loops are under way on the thread of the
// mission, all at once. Of the others it makes one itself when there is nothing else; otherwise threads of the pool
// make them, and it waits for the first answer, whichever that is. Everything shared is guarded by one mutex, which
// nobody holds during a call; `models_` and `loops_` belong to whoever stands by the loops: the mission's thread, but
// for the time of a tool that wants it, when a thread of the pool does.
#include "subagent/agent/mission_calls.h"
#include "subagent/engine/tool_calls.h"
#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <stdexcept>

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
    if (need.context.stop.stop_requested())
        return Error(Reason::ToolError, "It was not called: the mission was stopped.");
    Result<Datum> result = call_tool(*need.tool, need.arguments, need.context);
    return result.ok() ? ToolAnswer(std::move(result).value()) : ToolAnswer(std::move(result.error()));
}

MissionCalls::~MissionCalls() {
    std::unique_lock lock(mutex_);
    waiting_.clear();
    changed_.wait(lock, [this] { return helpers_ == 0; });
}

/// Whether a loop carries the call, or a part of it.
bool MissionCalls::is_looped(const LlmNeed& need) const {
    if (!wakeup_ || !wakeup_->is_usable()) return false;
    return has_part(*need.model, [](const Llm& part) { return part.target<LoopedModel>() != nullptr; });
}

/// Of a call that a loop carries. A host's own sleep between attempts waits, so that a thread has to call it.
void MissionCalls::begin(LlmNeed need) {
    if (clock_.sleep && need.delay.count() > 0) {
        waiting_.emplace_back(std::move(need));
    } else if (auto known = journal_.reply_to ? journal_.reply_to(need) : std::nullopt) {
        answers_.push_back({need.id, std::move(*known)});
    } else {
        ++looped_;
        models_.start(need.id, std::move(need));
    }
}

void MissionCalls::add(Needs needs) {
    const std::scoped_lock lock(mutex_);
    if (!needs.llm.empty() && !wakeup_) wakeup_.emplace();
    for (LlmNeed& need : needs.llm)
        is_looped(need) ? begin(std::move(need)) : void(waiting_.emplace_back(std::move(need)));
    for (ToolNeed& need : needs.tools)
        (need.tool->one_at_a_time ? own_ : waiting_).emplace_back(std::move(need));
    std::ranges::move(needs.approvals, std::back_inserter(approvals_));
    call_helpers();
}

/// A thread for each call that waits, but none for a call that is the only one: this thread has nothing else to do.
void MissionCalls::call_helpers() {
    if (waiting_.size() + own_.size() + running_ + answers_.size() + looped_ < 2) return;
    for (std::size_t free = helpers_ - running_; free < waiting_.size(); ++free) {
        if (!pool_.start([this] { help(); })) return;
        ++helpers_;
    }
}

/// Under the lock: whoever waits for the last helper may destroy this at once.
void MissionCalls::notify() {
    changed_.notify_all();
    if (wakeup_) wakeup_->signal();
}

void MissionCalls::help() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
        ++running_;
        run_one(waiting_, lock);
        --running_;
        notify();
    }
    --helpers_;
    notify();
}

void MissionCalls::run_one(std::deque<Call>& calls, std::unique_lock<std::mutex>& lock) {
    Call call = std::move(calls.front());
    calls.pop_front();
    std::visit([&](auto& one) { run(one, lock); }, call);
}

void MissionCalls::run(const ToolNeed& need, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    Answer made{need.id, answer(need)};
    lock.lock();
    answers_.push_back(std::move(made));
}

void MissionCalls::run(LlmNeed& need, std::unique_lock<std::mutex>& lock) {
    const bool is_for_loop = is_looped(need);
    lock.unlock();
    if (is_for_loop) {
        wait_for_turn(clock_, need.delay, need.request);
        need.delay = std::chrono::milliseconds(0);
        lock.lock();
        woken_.push_back(std::move(need));
        return;
    }
    Answer made{need.id, reply(need)};
    lock.lock();
    answers_.push_back(std::move(made));
}

void MissionCalls::run(const PartCall& part, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    ModelLoop::Done done{part.id, part.call->call()};
    lock.lock();
    part_results_.push_back(std::move(done));
}

// ---- Models with loops

void MissionCalls::start_part(std::uint64_t id, const ModelCall& call) {
    if (call.model().target<LoopedModel>()) return loop_of(call.model()).start(id, call.request());
    const std::scoped_lock lock(mutex_);
    waiting_.emplace_back(PartCall{id, &call});
    call_helpers();
}

/// One for each model, made with its first call.
ModelLoop& MissionCalls::loop_of(const Llm& model) {
    const auto* looped = model.target<LoopedModel>();
    const auto is_it = [&](const Loop& one) { return one.model.target<LoopedModel>() == looped; };
    if (const auto found = std::ranges::find_if(loops_, is_it); found != loops_.end()) return *found->loop;
    std::unique_ptr<ModelLoop> made = looped->make_loop();
    if (!made) throw std::runtime_error("The model has no loop for its calls.");
    return *loops_.emplace_back(Loop{model, std::move(made)}).loop;
}

bool MissionCalls::step_loops() {
    wakeup_->clear();
    std::deque<ModelLoop::Done> parts;
    {
        const std::scoped_lock lock(mutex_);
        parts = std::exchange(part_results_, {});
    }
    bool has_come = !parts.empty();
    for (ModelLoop::Done& part : parts)
        models_.take(part.id, std::move(part.result));
    models_.begin_due();
    for (std::size_t i = 0; i < loops_.size(); ++i) { // a result may begin a call of another loop, and make that
        for (ModelLoop::Done& done : loops_[i].loop->take_done()) {
            has_come = true;
            models_.take(done.id, std::move(done.result));
        }
    }
    std::vector<ModelCalls::Done> all = models_.take_done();
    for (ModelCalls::Done& done : all)
        if (journal_.on_reply) journal_.on_reply(done.need, done.result);
    const std::scoped_lock lock(mutex_);
    for (ModelCalls::Done& done : all)
        answers_.push_back({done.id, std::move(done.result)});
    looped_ -= all.size();
    return has_come || !all.empty();
}

void MissionCalls::wait_for_loops() const {
    std::vector<int> descriptors{wakeup_->descriptor()};
    std::optional<std::chrono::steady_clock::time_point> due = models_.due();
    for (const Loop& one : loops_) {
        descriptors.push_back(one.loop->descriptor());
        const auto next = one.loop->due();
        if (next) due = due ? std::min(*due, *next) : *next;
    }
    ptc::wait_for(descriptors, due);
}

/// A tool that wants this thread may take its time: a thread of the pool stands by the loops meanwhile, if one is free.
void MissionCalls::run_own(std::unique_lock<std::mutex>& lock) {
    const auto stand_by = [this] {
        std::unique_lock own(mutex_);
        while (is_handed_over_) {
            own.unlock();
            const bool has_come = step_loops();
            own.lock();
            if (has_come || !is_handed_over_) continue;
            own.unlock();
            wait_for_loops();
            own.lock();
        }
        has_other_driver_ = false;
        notify();
    };
    if (looped_ > 0) is_handed_over_ = has_other_driver_ = pool_.start(stand_by);
    run_one(own_, lock);
    is_handed_over_ = false;
    if (!has_other_driver_) return;
    wakeup_->signal();
    changed_.wait(lock, [this] { return !has_other_driver_; });
}

ToolAnswer MissionCalls::answer(const ToolNeed& need) const {
    std::optional<ToolAnswer> known = journal_.answer_to ? journal_.answer_to(need) : std::nullopt;
    if (known) return std::move(*known);
    const bool is_made = !need.context.stop.stop_requested();
    ToolAnswer made = call_tool(need);
    if (!is_made) return made; // no answer of the tool: whoever goes on calls it
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
        for (LlmNeed& need : std::exchange(woken_, {}))
            begin(std::move(need));
        if (!own_.empty()) {
            run_own(lock);
        } else if (looped_ > 0) {
            lock.unlock();
            const bool has_come = step_loops();
            lock.lock();
            if (has_come || !answers_.empty()) continue;
            if (helpers_ == 0 && !waiting_.empty()) { // no thread of the pool is free
                run_one(waiting_, lock);
                continue;
            }
            lock.unlock();
            wait_for_loops(); // what came since step_loops looked is signalled
            lock.lock();
        } else if (helpers_ > 0) {
            changed_.wait(lock);
        } else if (!waiting_.empty()) {
            run_one(waiting_, lock);
        } else {
            return next_approval(lock);
        }
    }
}

} // namespace ptc
