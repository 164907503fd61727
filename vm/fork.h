// A pmap or pcalls of a run: its branches in lanes, which may run on several threads.
#pragma once
#include "vm/branches.h"
#include "vm/lane.h"
#include <mutex>

namespace ptc {

/// What the lanes see of their host. Branches are isolated: what they print, and what they note in the plan, is
/// dropped; what tasks came to goes by Lane::take_tasks. Calls take turns, so that the host need not expect several at
/// once.
class BranchHost : public HostServices {
public:
    explicit BranchHost(HostServices& host) : host_(host) {}
    bool print(std::string_view) override { return true; }
    std::int64_t now_millis() override;
    Result<Value> budget(Heap& heap, ShapeTable& shapes) override;
    bool has_task(std::string_view id) override;
    Result<Value> task_value(Heap& heap, ShapeTable& shapes, std::string_view id) override;
    [[nodiscard]] bool has_journal() const override { return host_.has_journal(); }
    Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view id, const Value& value) override {
        return host_.say_task(heap, id, value);
    }
    Result<Value> value_of(Heap& heap, const SaidTask& said) override { return host_.value_of(heap, said); }

private:
    HostServices& host_;
    std::mutex mutex_;
};

/// The branches are dealt to at most Limits::parallel_lanes lanes: neighbours to the same one, as evenly as it goes.
/// What lanes get and cost is decided by this alone, never by threads or time:
///
/// - Heap: what is left of the run's limit, in equal shares, one for each lane and one to move results with. The run's
///   peak is what it held at the fork and the peaks of all lanes together, if it never held more by itself.
/// - Fuel: each lane may use all that is left, and is stopped early only when that is certainly too much. The run is
///   charged for the lanes in their order; where the sum exceeds what it has, it is out of fuel.
/// - A failure counts if nothing before it fails. Lanes behind the first that fails are not charged, nor do they add to
///   the peak.
/// - Lanes run in rounds: all of them until every branch has ended or waits. The calls of a round are numbered in
///   program order, and counted against the run's limit in that order.
/// - Tasks: what branches kept in a round is in the run's journal before the next calls are made, in program order,
/// also
///   of those that failed. So where there is a journal, every branch whose call was answered goes on for that round,
///   also behind a failure: what was done is not forgotten for something else that failed. A branch that is about to
///   make a call in a task that another one does, or has done meanwhile, gets an error for it, and no call is made.
///
/// Owns its lanes; borrows the run, whose thread it belongs to.
class Fork final : public Branches {
public:
    Fork(Vm& run, ForkRequest request);
    ~Fork() override;

    [[nodiscard]] bool advance() override;
    [[nodiscard]] const std::vector<PendingCall>& calls() const override { return calls_; }
    [[nodiscard]] bool needs_answer(std::size_t i) const override { return places_[i].lane < end_; }
    void answer(std::size_t i, Result<Value> result) override;
    Result<Value> finish() override;

private:
    friend struct ForkSnapshot;
    /// A lane, and what other lanes look at while it runs.
    struct Slot {
        std::size_t first = 0;
        std::size_t count = 0;
        std::unique_ptr<Lane> lane{};       ///< made when it first runs; null when the host has no memory for it
        bool has_run = false;               ///< in this round
        std::atomic<std::int64_t> spent{0}; ///< in this round, once it has run
        std::atomic<bool> cancelled{false}; ///< something before it failed
        [[nodiscard]] bool is_done() const { return lane && lane->waiting() == 0; }
    };
    struct CallPlace {
        std::size_t lane, index;
        bool is_first; ///< of its lane
    };

    void run_round();
    void run_lane(std::size_t k);
    [[nodiscard]] LaneBudget budget_of(std::size_t k) const;
    /// Whether branches that were called for may have done tasks.
    [[nodiscard]] bool goes_on_behind_failures() const { return has_journal_ && !is_first_round_; }
    void hand_over_tasks();
    void settle();
    void charge(std::int64_t fuel, std::uint64_t iterations);
    void charge_exchange();
    void refuse_second_tasks();
    void collect_calls();
    Result<Value> join_results();
    Error describe(Error error) const;

    Vm& run_;
    const ForkRequest request_;
    BranchHost host_;
    const bool has_journal_;
    bool is_first_round_ = true; ///< nothing was called yet
    std::uint64_t share_ = 0;    ///< of the heap, for each lane
    std::vector<Slot> slots_;
    std::size_t end_ = 0;            ///< lanes from here on do not count any more
    std::int64_t fuel_left_ = 0;     ///< of the run, when the round began
    std::vector<std::size_t> round_; ///< the lanes that run in it
    std::vector<PendingCall> calls_;
    std::vector<CallPlace> places_;
    std::optional<Error> error_; ///< of the run, not of a branch: nothing goes on
};

} // namespace ptc
