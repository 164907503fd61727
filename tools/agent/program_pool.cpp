// Whoever waits has a place in a line, so that no call is overtaken until its time is over. Processes end outside of
// the lock: one that does not end by itself takes its time.
#include "tools/agent/program_pool.h"
#include <algorithm>
#include <chrono>
#include <utility>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;
using Fault = LineProcess::Fault;

constexpr Millis kAsk{50}; ///< between two looks whether the call is wanted

Fault busy(Clock::duration waited, std::size_t at_work) {
    const auto millis = std::chrono::floor<Millis>(waited).count();
    std::string why = "It was not asked: its time was over";
    if (millis > 0)
        why += " after " + std::to_string(millis) + " ms, in which all of its processes, " + std::to_string(at_work) +
               ", were busy";
    return {Fault::Kind::Busy, why + "."};
}

} // namespace

PooledProgram::PooledProgram(std::shared_ptr<ProgramPool> pool, std::vector<std::string> arguments,
                             std::optional<std::vector<std::string>> environment)
    : pool_(std::move(pool)), arguments_(std::move(arguments)), environment_(std::move(environment)) {}

PooledProgram::~PooledProgram() {
    std::list<ProgramPool::Idle> own;
    const std::scoped_lock lock(pool_->mutex_);
    for (auto one = pool_->idle_.begin(); one != pool_->idle_.end();) {
        const auto next = std::next(one);
        if (one->program == this) own.splice(own.end(), pool_->idle_, one);
        one = next;
    }
}

PooledProgram::Use::~Use() {
    if (process_) program_->give_back(std::move(process_));
}

std::variant<PooledProgram::Use, Fault> PooledProgram::take(std::optional<Time> end,
                                                            const SharedFunction<bool()>& is_unwanted) {
    const auto began = Clock::now();
    std::unique_lock lock(pool_->mutex_);
    const auto place = line_.emplace(line_.end());
    std::optional<Fault> fault;
    while (true) {
        lock.unlock();
        if (is_unwanted && is_unwanted()) fault = LineProcess::unwanted();
        lock.lock();
        const auto now = Clock::now();
        if (!fault && end && now >= *end) fault = busy(now - began, at_work_);
        if (fault || (place == line_.begin() && at_work_ < pool_->bounds_.at_work)) break;
        Time until = is_unwanted ? now + kAsk : now + std::chrono::hours(1);
        if (end) until = std::min(until, *end);
        changed_.wait_until(lock, until);
    }
    line_.erase(place);
    changed_.notify_all(); // the next one is the first
    if (fault) return std::move(*fault);
    std::unique_ptr<LineProcess> process = take_idle();
    if (!process) process = std::make_unique<LineProcess>(arguments_, environment_);
    ++at_work_;
    return Use(*this, std::move(process));
}

/// The one that was used last, so that those that are too many are left alone. Null: none.
std::unique_ptr<LineProcess> PooledProgram::take_idle() {
    std::list<ProgramPool::Idle>& idle = pool_->idle_;
    const auto found =
        std::find_if(idle.rbegin(), idle.rend(), [this](const auto& one) { return one.program == this; });
    if (found == idle.rend()) return nullptr;
    std::unique_ptr<LineProcess> process = std::move(found->process);
    idle.erase(std::next(found).base());
    return process;
}

void PooledProgram::give_back(std::unique_ptr<LineProcess> process) {
    std::list<ProgramPool::Idle> too_many;
    const std::scoped_lock lock(pool_->mutex_);
    --at_work_;
    std::list<ProgramPool::Idle>& idle = pool_->idle_;
    if (process->is_running()) idle.push_back({this, std::move(process)});
    if (idle.size() > pool_->bounds_.idle) too_many.splice(too_many.end(), idle, idle.begin());
    changed_.notify_all();
}

} // namespace ptc
