// The branches of a pmap or pcalls: dealing them to lanes, running the lanes in rounds, adding up what they cost.
//
// Lanes may run on several threads in any order, and nothing that a program can see may depend on that. So all
// decisions are taken between rounds, on one thread and in program order: which failure counts (the first), what is
// charged (the lanes up to it), which tool calls there are and which of them are too many. While lanes run they share
// only two atomics, `spent` and `cancelled`, and those can only end work that would not have counted. fork.h has the
// rules one by one.
#include "vm/fork.h"
#include "frontend/try.h"
#include "runtime/copy.h"
#include "vm/vm_errors.h"
#include <algorithm>
#include <new>

namespace ptc {
namespace {
constexpr std::uint32_t kMaxLanes = 64; // each takes a chunk of memory, however small its share
} // namespace

std::int64_t BranchHost::now_millis() {
    const std::lock_guard lock(mutex_);
    return host_.now_millis();
}
Result<Value> BranchHost::budget(Heap& heap, ShapeTable& shapes) {
    const std::lock_guard lock(mutex_);
    return host_.budget(heap, shapes);
}
bool BranchHost::has_task(std::string_view id) {
    const std::lock_guard lock(mutex_);
    return host_.has_task(id);
}
Result<Value> BranchHost::task_value(Heap& heap, ShapeTable& shapes, std::string_view id) {
    const std::lock_guard lock(mutex_);
    return host_.task_value(heap, shapes, id);
}

Fork::Fork(Vm& run, ForkRequest request)
    : run_(run), request_(std::move(request)), host_(*run.host_), has_journal_(host_.has_journal()),
      slots_(std::min<std::size_t>(request_.count, std::clamp(run.limits_.parallel_lanes, 1u, kMaxLanes))),
      end_(slots_.size()) {
    share_ = (run.heap.limit() - std::min(run.heap.limit(), run.heap.live_bytes())) / (slots_.size() + 1);
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        slots_[k].first = request_.count * k / slots_.size();
        slots_[k].count = request_.count * (k + 1) / slots_.size() - slots_[k].first;
    }
}

Fork::~Fork() = default;

std::unique_ptr<Branches> make_branches(Vm& run, ForkRequest request) {
    return std::make_unique<Fork>(run, std::move(request));
}

bool Fork::advance() {
    charge_exchange();
    do {
        if (!error_) run_round();
        hand_over_tasks();
        if (!error_) settle();
        if (!error_) collect_calls();
    } while (!error_ && calls_.empty() &&
             std::any_of(slots_.begin(), slots_.begin() + end_, [](const Slot& s) { return !s.is_done(); }));
    return !error_ && !calls_.empty();
}

void Fork::run_round() {
    round_.clear();
    is_first_round_ = slots_.empty() || !slots_[0].lane;
    fuel_left_ = run_.heap.meter.remaining();
    for (std::size_t k = 0; k < end_; ++k) {
        slots_[k].has_run = !slots_[k].is_done();
        slots_[k].spent.store(0, std::memory_order_relaxed);
        if (slots_[k].has_run) round_.push_back(k);
    }
    const auto job = [this](std::size_t i) { run_lane(round_[i]); };
    if (run_.executor_ && round_.size() > 1) return run_.executor_->run(round_.size(), job);
    for (std::size_t i = 0; i < round_.size(); ++i)
        job(i);
}

void Fork::run_lane(std::size_t k) {
    Slot& slot = slots_[k];
    if (slot.cancelled.load(std::memory_order_relaxed)) return;
    try {
        if (!slot.lane) slot.lane = std::make_unique<Lane>(run_, host_, request_, slot.first, slot.count, share_);
    } catch (const std::bad_alloc&) {
        return;
    }
    slot.lane->run(budget_of(k));
    slot.spent.store(slot.lane->fuel_used(), std::memory_order_relaxed);
    if (!slot.lane->has_failed() || goes_on_behind_failures()) return;
    for (std::size_t j = k + 1; j < end_; ++j)
        slots_[j].cancelled.store(true, std::memory_order_relaxed);
}

// Lanes before it that are through this round have spent what they have spent: with more than the rest, the sum is too
// much whatever the others do.
LaneBudget Fork::budget_of(std::size_t k) const {
    LaneBudget budget{.fuel = fuel_left_, .cancelled = &slots_[k].cancelled};
    for (std::size_t j = 0; j < k; ++j)
        budget.fuel -= slots_[j].spent.load(std::memory_order_relaxed);
    if (run_.limits_.max_loop_iterations)
        budget.loop_iterations = *run_.limits_.max_loop_iterations - run_.loop_iterations_;
    return budget;
}

// Of two branches that did the same task, the first one in program order has done it. Before anything was called, what
// is behind a failure has not been begun, whichever lane it is in.
void Fork::hand_over_tasks() {
    if (!has_journal_) return;
    for (const std::size_t k : round_) {
        if (!slots_[k].lane) continue;
        for (TaskNote& note : slots_[k].lane->take_tasks()) {
            if (!note.said) {
                run_.host_->forget_task(note.id);
            } else if (!run_.host_->has_task(note.id)) {
                Result<void> kept = run_.host_->keep_task(note.id, std::move(note.said));
                if (!kept.ok() && !error_) error_ = kept.error();
            }
        }
        if (slots_[k].lane->has_failed() && !goes_on_behind_failures()) return;
    }
}

// After a round: finds the first failure, and charges the run for the lanes up to it.
void Fork::settle() {
    std::int64_t fuel = 0;
    std::uint64_t iterations = 0;
    std::size_t peak = run_.heap.live_bytes();
    for (std::size_t k = 0; k < end_; ++k) {
        const Slot& slot = slots_[k];
        if (!slot.lane) {
            error_ = Error(Reason::MemoryExceeded, "The host has no memory left.");
            return;
        }
        const Lane& lane = *slot.lane;
        peak += lane.heap().peak_bytes();
        if (slot.has_run) {
            fuel += slot.spent.load(std::memory_order_relaxed);
            iterations += lane.loop_iterations();
        }
        if (fuel > fuel_left_ || lane.has_failed()) end_ = k + 1;
    }
    run_.heap.note_peak(peak);
    charge(fuel, iterations);
    if (error_ || end_ == 0 || !slots_[end_ - 1].lane->has_failed()) return;
    // What stops the run as a whole does not wait for branches before it.
    const Error& failure = slots_[end_ - 1].lane->error();
    if (failure.reason == Reason::Timeout || failure.reason == Reason::Interrupted) error_ = failure;
}

void Fork::charge(std::int64_t fuel, std::uint64_t iterations) {
    Meter& meter = run_.heap.meter;
    meter.charge_unchecked(
        std::min(fuel, meter.remaining() + 1)); // how far a lane came beyond its budget is not determined
    if (!meter.charge(0)) {
        error_ = meter.error();
        return;
    }
    run_.loop_iterations_ += iterations;
    const auto& limit = run_.limits_.max_loop_iterations;
    if (limit && run_.loop_iterations_ > *limit) error_ = too_many_iterations(*limit);
}

// Arguments and answers are converted on behalf of the lanes, which is charged before they go on.
void Fork::charge_exchange() {
    std::int64_t fuel = 0;
    for (const CallPlace& place : places_) {
        if (place.is_first && place.lane < end_) fuel += slots_[place.lane].lane->fuel_used();
    }
    places_.clear();
    charge(fuel, 0);
}

// Calls that were made first, and then in program order.
void Fork::refuse_second_tasks() {
    TaskIds under_way;
    for (std::size_t k = 0; k < end_; ++k)
        slots_[k].lane->add_tasks_under_way(under_way);
    for (std::size_t k = 0; k < end_; ++k)
        slots_[k].lane->refuse_second_tasks(under_way);
}

// Calls beyond the run's limit fail, and with them everything behind.
void Fork::collect_calls() {
    calls_.clear();
    places_.clear();
    if (has_journal_) refuse_second_tasks();
    for (std::size_t k = 0; k < end_; ++k) {
        Lane& lane = *slots_[k].lane;
        bool is_first = true;
        for (std::size_t i = 0; i < lane.waiting(); ++i) {
            if (!lane.is_to_be_asked(i)) continue;
            if (run_.tool_calls_ >= run_.limits_.max_tool_calls) {
                lane.answer(i, too_many_tool_calls(run_.limits_.max_tool_calls));
                end_ = k + 1;
                return;
            }
            if (is_first) lane.begin_exchange();
            ++run_.tool_calls_;
            calls_.push_back(lane.call(i));
            places_.push_back({k, i, std::exchange(is_first, false)});
        }
    }
}

void Fork::answer(std::size_t i, Result<Value> result) {
    const auto [k, index, is_first] = places_[i];
    if (k >= end_) return;
    // The lane fails with its answer, and what is behind it does not count, unless a handler takes the failure, or it
    // may have done a task.
    if (!result.ok() && !slots_[k].lane->may_catch() && !has_journal_) end_ = k + 1;
    slots_[k].lane->answer(index, std::move(result));
}

Result<Value> Fork::finish() {
    if (error_) return describe(std::move(*error_));
    if (end_ > 0 && slots_[end_ - 1].lane->has_failed())
        return describe(std::move(*slots_[end_ - 1].lane->take_error()));
    return join_results();
}

// While results are moved, the run's heap is charged for what the lanes still hold.
Result<Value> Fork::join_results() {
    std::size_t held = 0;
    for (const Slot& slot : slots_)
        held += slot.lane->heap().live_bytes();
    if (!run_.heap.charge_bytes(held)) return run_.heap.out_of_memory();
    Result<Value> results = [&]() -> Result<Value> {
        Value all = PTC_TRY(make_nil_vector(run_.heap, request_.count));
        for (Slot& slot : slots_) {
            DeepCopy copies(run_.heap, run_.shapes, false);
            for (std::size_t i = 0; i < slot.count; ++i) {
                PTC_CHECK(
                    copies.copy(as_flat(slot.lane->results()).data[i], as_mutable_flat(all).data + slot.first + i));
            }
            const std::size_t freed = slot.lane->heap().live_bytes();
            slot.lane.reset();
            run_.heap.refund_bytes(freed);
            held -= freed;
        }
        return all;
    }();
    run_.heap.refund_bytes(held);
    return results;
}

Error Fork::describe(Error error) const {
    if (error.reason != Reason::MemoryExceeded || slots_.empty()) return error;
    return branch_out_of_memory(request_.kind, slots_.size(), share_, run_.heap.limit(), std::move(error));
}

} // namespace ptc
