// A lane: some branches of a pmap or pcalls, with a heap of their own. Lanes are what runs at the same time; the
// branches of one lane take turns on its machine. lane.cpp explains how.
#pragma once
#include "vm/vm.h"
#include <deque>
#include <set>
#include <string>

namespace ptc {

/// What a lane may use in one go.
struct LaneBudget {
    std::int64_t fuel = 0;
    std::optional<std::uint64_t> loop_iterations{};
    const std::atomic<bool>* cancelled = nullptr; ///< ends the lane soon: nobody wants its results any more
};

/// What a task in a branch came to.
struct TaskNote {
    std::string id;
    std::unique_ptr<SaidTask> said; ///< null: the task is forgotten
};

/// Ids of tasks whose calls wait for answers, or are about to, in any branch of a fork.
using TaskIds = std::set<std::string, std::less<>>;

/// Runs neighbouring branches of a fork in their order: each until it ends or waits for a tool, then the next one. Only
/// reads what belongs to the run around it; what the branches need of that is copied when the lane begins, or, session
/// names, at their first use. A pmap or pcalls inside of a branch becomes more branches of the same lane, so nothing
/// here recurses. All of it is determined by the lane's items and the answers that it gets, not by time or threads.
///
/// The first failure in program order is what counts. As no program can catch it, everything behind it is given up at
/// once; branches before it go on, as they may fail too. Where there is a journal, branches behind it whose calls were
/// answered go on until they wait again: a task that they have done is kept.
///
/// Belongs to one thread at a time. Owns its machine and its results; borrows the request and the host.
class Lane {
public:
    /// Of the branches `first` .. `first + count - 1` of `request`. Everything borrowed stays as it is while the lane
    /// runs.
    Lane(const Vm& outer, HostServices& host, const ForkRequest& request, std::size_t first, std::size_t count,
         std::uint64_t heap_bytes);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// Runs until all branches have ended or wait.
    void run(const LaneBudget& budget) noexcept;
    /// What the last `run` took.
    [[nodiscard]] std::int64_t fuel_used() const { return vm_.heap.meter.used(); }
    [[nodiscard]] std::uint64_t loop_iterations() const { return vm_.loop_iterations_; }
    [[nodiscard]] const Heap& heap() const { return vm_.heap; }

    /// From now on fuel_used includes what is converted for it: arguments and answers of tools.
    void begin_exchange() {
        vm_.heap.meter.start_share(vm_.outer_->heap.meter, vm_.outer_->heap.meter.remaining(), nullptr);
    }
    /// The branches that wait for tools, in program order. When one is answered with an error, those behind it need no
    /// answer.
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] PendingCall call(std::size_t i) {
        return {waiting_[i]->tool, &waiting_[i]->arguments, &vm_.heap, &vm_, &waiting_[i]->fiber};
    }
    void answer(std::size_t i, Result<Value> result);
    /// False for one that was answered before anybody was asked.
    [[nodiscard]] bool is_to_be_asked(std::size_t i) const { return !waiting_[i]->answer; }
    /// Adds the tasks whose calls were made in earlier rounds.
    void add_tasks_under_way(TaskIds& ids) const;
    /// Refuses calls in tasks that another branch does, or has done since this one looked; adds the tasks of the
    /// others.
    void refuse_second_tasks(TaskIds& under_way);
    /// What tasks came to in the last `run`, in program order.
    [[nodiscard]] std::vector<TaskNote> take_tasks();

    /// Whether some branch has come to a try.
    [[nodiscard]] bool may_catch() const { return vm_.has_try_; }
    [[nodiscard]] bool has_failed() const { return error_ != nullptr; }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }
    /// The branches' results in order, a vector; once nothing waits and nothing has failed.
    [[nodiscard]] const Value& results() const { return results_; }

private:
    friend struct ForkSnapshot;
    // What the lane's own bookkeeping takes of its heap; the same on every machine.
    static constexpr std::size_t kLaneBytes = 8192;
    static constexpr std::size_t kBranchBytes = 256;
    static constexpr std::size_t kGroupBytes = 256;
    class Host;
    struct Branch;
    /// The branches of one pmap or pcalls: the lane's own, or one inside of a branch.
    struct Group {
        ForkRequest request;
        std::size_t first = 0; ///< number of its first branch, for messages
        std::size_t next = 0;  ///< to be started
        std::size_t unfinished = 0;
        Value results;
        Branch* parent = nullptr; ///< which waits for it
        std::uint32_t depth = 0;  ///< of calls around its branches
        [[nodiscard]] std::uint32_t level() const { return parent ? parent->level + 1 : 1; }
    };
    /// A task whose expression is computed.
    struct OpenTask {
        std::string id;
        std::uint32_t depth = 0;   ///< of calls, where it stands
        bool is_under_way = false; ///< a call was made since
        bool is_refused = false;   ///< a call was not, as another branch does it: what it comes to is not kept
    };
    struct Branch {
        Fiber fiber;
        Group* group = nullptr;
        std::size_t index = 0;
        std::uint32_t level = 0; ///< of nesting
        Namespace::Changes changes;
        std::string_view tool; ///< what it waits for
        Value arguments;
        std::optional<Result<Value>> answer;
        std::vector<OpenTask> open_tasks; ///< the innermost last
    };
    /// How it goes on.
    enum class Progress : std::uint8_t { Run, Ended, Failed, Waits, Forks };

    void go_through() noexcept;
    void begin();
    void finish_tasks(Branch& branch);
    Result<void> copy_items();
    bool open_group(ForkRequest request, Branch* parent);
    void go_on(Branch* branch, Progress step);
    Progress start(Branch** branch);
    Progress start_call(Group& group, Branch& branch);
    Progress execute(Branch& branch);
    Progress run_fiber(Branch& branch);
    Progress answered(Branch& branch);
    Branch* end(Branch& branch);
    Branch* complete(Group& group);
    bool catch_failure(Branch& branch);
    void fail(const Group& group, std::size_t index, const Fiber* own);
    void fail(const Branch& branch) { fail(*branch.group, branch.index, &branch.fiber); }
    void switch_to(Branch* branch);
    Branch* take_branch();
    void give_branch(Branch& branch);
    bool charge_host_bytes(std::size_t bytes);
    static Branch* parent_of(const Branch* branch) { return branch->group->parent; }

    const ForkRequest& request_; ///< of the run around it
    std::size_t first_;
    std::size_t count_;
    std::unique_ptr<Host> host_; ///< what the machine sees
    Vm vm_;
    std::deque<Group> groups_;
    std::deque<Branch> branches_;
    std::vector<Group*> free_groups_;
    std::vector<Branch*> free_branches_;
    std::vector<Group*> starting_; ///< with branches to be started, the innermost last
    std::vector<Branch*> waiting_; ///< for tools, in program order
    Branch* in_force_ = nullptr;   ///< whose definitions, and those of the branches around it, the names show
    Value results_;
    ErrorPtr error_; ///< the first in program order so far
    bool has_begun_ = false;
    bool is_cut_ = false; ///< something failed in this go: everything behind it is given up
};

} // namespace ptc
