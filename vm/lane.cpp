// A lane runs some branches of a fork, one after the other, on a machine of its own.
//
// The Lane's Vm has the heap; each branch has a fiber (its stack and where it stands), which is swapped into the Vm
// while the branch runs. go_on is the scheduler, a loop over what a branch came to: it ended, it waits for a tool, it
// forked branches of its own (a Group, whose parent is the branch), it failed. Nothing recurses, however deeply forks
// are nested. Definitions of a branch hold in that branch only: switch_to takes those of one branch out of the Vm's
// names and puts in those of another, from the innermost group that they share inwards.
#include "vm/lane.h"
#include "frontend/try.h"
#include "runtime/copy.h"
#include "runtime/print.h"
#include "vm/lane_host.h"
#include "vm/slow_paths.h"
#include "vm/vm_errors.h"
#include <algorithm>
#include <new>

namespace ptc {
namespace {

// Fuel, about what the work takes: for a lane, and for a branch beside what it does itself.
constexpr std::int64_t kLaneCost = 500;
constexpr std::int64_t kBranchCost = 25;
// Stacks up to this size are kept for the next branch.
constexpr std::size_t kBranchStack = 128;
constexpr std::size_t kMaxPreview = 200;

// Item `i` of column `c`, moved out when nobody else has it.
Value take_item(Value& columns, std::size_t c, std::size_t i) {
    if (Value* column = vector_slot_in_place(columns, c)) return vector_take(*column, i);
    Value temporary;
    return vector_get(vector_element(columns, c, temporary), i);
}

} // namespace

Lane::Lane(const Vm& outer, HostServices& host, const ForkRequest& request, std::size_t first, std::size_t count,
           std::uint64_t heap_bytes)
    : request_(request), first_(first), count_(count), host_(std::make_unique<Host>(*this, host)),
      vm_(*host_, outer.heap.pool()) {
    static_assert(sizeof(Lane) <= kLaneBytes && sizeof(Branch) <= kBranchBytes && sizeof(Group) <= kGroupBytes);
    vm_.outer_ = &outer;
    vm_.program_ = outer.program_;
    vm_.rebound_ = outer.rebound_;
    vm_.limits_ = outer.limits_;
    vm_.limits_.max_tool_calls = UINT32_MAX; // counted by the run around it
    vm_.bound_heap(vm_.limits_);
    vm_.heap.set_limit(heap_bytes); // its share
}

// The heap goes as a whole: nothing is released one by one.
Lane::~Lane() {
    for (Group& g : groups_) {
        (void)g.request.callee.give_up();
        (void)g.request.columns.give_up();
        (void)g.results.give_up();
    }
    for (Branch& b : branches_) {
        (void)b.arguments.give_up();
        Namespace::forget(b.changes);
        if (b.answer && b.answer->ok()) (void)b.answer->value().give_up();
    }
    (void)results_.give_up();
}

void Lane::answer(std::size_t i, Result<Value> result) {
    waiting_[i]->answer = std::move(result);
    waiting_[i]->arguments = Value();
}

void Lane::run(const LaneBudget& budget) noexcept {
    vm_.heap.meter.start_share(vm_.outer_->heap.meter, budget.fuel, budget.cancelled);
    vm_.loop_iterations_ = 0;
    vm_.limits_.max_loop_iterations = budget.loop_iterations;
    is_cut_ = false;
    vm_.heap.put_aside_when_late(true);
    vm_.heap.give_back_the_rest();
    go_through();
    vm_.heap.forget_text_places();
    vm_.heap.put_aside_when_late(false); // waiting, the time does not go on
}

void Lane::go_through() noexcept {
    try {
        if (!std::exchange(has_begun_, true)) return begin();
        for (Branch* branch : std::exchange(waiting_, {})) {
            if (!is_cut_)
                go_on(branch, answered(*branch));
            else if (host_->has_journal())
                finish_tasks(*branch);
            else
                return;
        }
    } catch (const std::bad_alloc&) {
        waiting_.clear();
        error_ = ErrorPtr(Error(Reason::MemoryExceeded, "The host has no memory left."));
    } catch (...) { // the host's clock, say
        waiting_.clear();
        error_ =
            ErrorPtr(Error(Reason::RuntimeError, "The host failed in a branch, for a reason that it did not give."));
    }
}

// Behind a failure: goes on with a branch whose call was made, for the task that this was. Nothing else comes of it.
void Lane::finish_tasks(Branch& branch) {
    ErrorPtr failure = std::move(error_);
    const std::size_t waiting = waiting_.size();
    go_on(&branch, answered(branch));
    waiting_.resize(waiting);
    starting_.clear();
    error_ = std::move(failure);
}

void Lane::add_tasks_under_way(TaskIds& ids) const {
    for (const Branch* branch : waiting_) {
        for (; branch; branch = parent_of(branch)) {
            for (const OpenTask& task : branch->open_tasks)
                if (task.is_under_way) ids.insert(task.id);
        }
    }
}

void Lane::refuse_second_tasks(TaskIds& under_way) {
    for (Branch* waiting : waiting_) {
        for (Branch* branch = waiting; branch && !waiting->answer; branch = branch->group->parent) {
            for (OpenTask& task : branch->open_tasks) {
                if (task.is_under_way) continue;
                if (host_->is_done(task.id) || !under_way.insert(task.id).second) {
                    task.is_refused = true;
                    waiting->answer = second_task(task.id);
                    break;
                }
                task.is_under_way = true;
            }
        }
    }
}

std::vector<TaskNote> Lane::take_tasks() { return host_->take(); }

void Lane::begin() {
    vm_.names.begin();
    if (Result<void> copied = copy_items(); !copied.ok()) {
        error_ = copied.take_error();
        return;
    }
    go_on(nullptr, Progress::Waits);
}

// The callee and this lane's part of each column. What they share, captured values above all, is copied once.
Result<void> Lane::copy_items() {
    Heap& heap = vm_.heap;
    if (!heap.charge_bytes(kLaneBytes)) return heap.out_of_memory();
    if (!heap.meter.charge(kLaneCost)) return heap.meter.error();
    DeepCopy copies(heap, vm_.shapes, false);
    for (const Value& map : vm_.outer_->data)
        PTC_CHECK(copies.copy(map, &vm_.data.emplace_back()));
    ForkRequest request;
    request.kind = request_.kind;
    request.count = count_;
    PTC_CHECK(copies.copy(request_.callee, &request.callee));
    const std::size_t width = vector_length(request_.columns);
    request.columns = PTC_TRY(make_nil_vector(heap, width));
    for (std::size_t c = 0; c < width; ++c) {
        Value temporary, item;
        const Value& from = vector_element(request_.columns, c, temporary);
        Value& to = as_mutable_flat(request.columns).data[c];
        to = PTC_TRY(make_nil_vector(heap, count_));
        for (std::size_t i = 0; i < count_; ++i) {
            PTC_CHECK(copies.copy(vector_element(from, first_ + i, item), as_mutable_flat(to).data + i));
        }
    }
    if (!open_group(std::move(request), nullptr)) return vm_.take_error();
    groups_.front().first = first_;
    groups_.front().depth = vm_.outer_->fiber_.depth;
    return {};
}

bool Lane::charge_host_bytes(std::size_t bytes) {
    return vm_.heap.charge_bytes(bytes) || SlowPaths::fail(vm_, vm_.heap.out_of_memory());
}

// False, with the VM's error, when there is no memory for it.
bool Lane::open_group(ForkRequest request, Branch* parent) {
    if (free_groups_.empty()) {
        if (!charge_host_bytes(kGroupBytes)) return false;
        free_groups_.push_back(&groups_.emplace_back());
    }
    Result<Value> results = make_nil_vector(vm_.heap, request.count);
    if (!results.ok()) return SlowPaths::fail(vm_, results.take_error());
    Group& group = *free_groups_.back();
    free_groups_.pop_back();
    group.first = group.next = 0;
    group.unfinished = request.count;
    group.request = std::move(request);
    group.results = std::move(results).value();
    group.parent = parent;
    group.depth = parent ? parent->fiber.depth : 0;
    starting_.push_back(&group);
    return true;
}

// Goes on with `branch`, if there is one, and then with whatever can run because of it: the rest of the branches that
// it forks, a branch whose own branches have all ended, branches that were not started yet.
void Lane::go_on(Branch* branch, Progress step) {
    while (true) {
        switch (step) {
        case Progress::Run: step = execute(*branch); continue;
        case Progress::Failed: return;
        case Progress::Ended: branch = end(*branch); break;
        case Progress::Forks:
            if (!open_group(*std::exchange(vm_.forking_, std::nullopt), branch)) return fail(*branch);
            branch = starting_.back()->unfinished == 0 ? complete(*starting_.back()) : nullptr;
            break;
        case Progress::Waits: branch = nullptr; break;
        }
        if (branch)
            step = Progress::Run;
        else if (!starting_.empty())
            step = start(&branch);
        else
            return;
    }
}

// The next branch of the innermost group that has one.
Lane::Progress Lane::start(Branch** out) {
    Group& group = *starting_.back();
    const std::size_t index = group.next++;
    if (group.next == group.request.count) starting_.pop_back();
    Branch* branch = take_branch();
    if (!branch) {
        fail(group, index, nullptr);
        return Progress::Failed;
    }
    branch->group = &group;
    branch->index = index;
    branch->level = group.level();
    switch_to(branch);
    *out = branch;
    return start_call(group, *branch);
}

Lane::Progress Lane::start_call(Group& group, Branch& branch) {
    const std::size_t arguments = group.request.kind == ForkKind::Pmap ? vector_length(group.request.columns) : 0;
    vm_.fiber_ = std::exchange(branch.fiber, {});
    const bool has_stack = vm_.fiber_.stack_size >= kFrameLink + arguments + 1 ||
                           vm_.open_stack(std::max(kBranchStack, kFrameLink + arguments + 1));
    if (!has_stack || !vm_.heap.meter.charge(kBranchCost)) {
        if (has_stack) vm_.set_error(ErrorPtr(vm_.heap.meter.error()));
        fail(group, branch.index, nullptr);
        return Progress::Failed;
    }
    Bits* window = vm_.fiber_.stack;
    ForkRequest& request = group.request;
    window[0] = (arguments > 0 ? request.callee.copy() : take_item(request.columns, 0, branch.index)).give_up();
    for (std::size_t c = 0; c < arguments; ++c)
        window[kFrameLink + c] = take_item(request.columns, c, branch.index).give_up();
    vm_.fiber_.depth = group.depth;
    switch (vm_.enter(static_cast<std::uint32_t>(arguments))) {
    case Vm::Entry::Running: return run_fiber(branch);
    case Vm::Entry::Done: vm_.result_ = Value::adopt(vm_.fiber_.stack[0]); return Progress::Ended;
    case Vm::Entry::Error: break;
    }
    fail(group, branch.index, vm_.fiber_.base == vm_.fiber_.stack ? nullptr : &vm_.fiber_);
    return Progress::Failed;
}

// Goes on with a branch that was put aside.
Lane::Progress Lane::execute(Branch& branch) {
    switch_to(&branch);
    vm_.fiber_ = branch.fiber;
    return run_fiber(branch);
}

// Runs the VM's fiber, which is that of `branch`, until it ends or suspends.
Lane::Progress Lane::run_fiber(Branch& branch) {
    Status status = vm_.execute();
    while (status == Status::Error && catch_failure(branch))
        status = vm_.execute();
    if (status == Status::Done) return Progress::Ended;
    branch.fiber = vm_.fiber_;
    switch (status) {
    case Status::Done: break;
    case Status::Suspended:
        if (vm_.forking_) return Progress::Forks;
        branch.tool = vm_.tool_name_;
        branch.arguments = std::move(vm_.tool_arguments_);
        waiting_.push_back(&branch);
        return Progress::Waits;
    case Status::Returned: vm_.set_error(ErrorPtr(return_in_branch(branch.group->request.kind))); break;
    case Status::Failed: {
        const std::string reason = print_to_string(vm_.heap, vm_.result_, PrintStyle::Readable, kMaxPreview);
        vm_.set_error(ErrorPtr(fail_in_branch(branch.group->request.kind, reason)));
        break;
    }
    case Status::Error: break;
    }
    fail(branch);
    return Progress::Failed;
}

// Tasks in calls that the failure has ended are given up with them.
bool Lane::catch_failure(Branch& branch) {
    if (!vm_.catch_failure()) return false;
    std::erase_if(branch.open_tasks, [this](const OpenTask& task) { return task.depth > vm_.fiber_.depth; });
    return true;
}

// Gives a branch the answer that it waited for.
Lane::Progress Lane::answered(Branch& branch) {
    Result<Value> result = branch.answer ? std::move(*branch.answer) : unanswered_call(branch.tool);
    branch.answer.reset();
    if (result.ok()) {
        Vm::result_register(branch.fiber) = std::move(result).value().give_up();
        return Progress::Run;
    }
    vm_.set_error(result.take_error());
    vm_.fiber_ = branch.fiber;
    const bool is_caught = catch_failure(branch);
    branch.fiber = std::exchange(vm_.fiber_, {});
    if (is_caught) return Progress::Run;
    fail(branch);
    return Progress::Failed;
}

// Takes the result of a branch. Answers the branch that can go on now because this was the last one of its group.
Lane::Branch* Lane::end(Branch& branch) {
    Group& group = *branch.group;
    as_mutable_flat(group.results).data[branch.index] = std::move(vm_.result_);
    vm_.names.rollback(); // definitions of a branch end with it
    host_->end(branch);
    in_force_ = group.parent;
    if (in_force_) vm_.names.take_over(std::move(in_force_->changes));
    branch.fiber = std::exchange(vm_.fiber_, {});
    give_branch(branch);
    return --group.unfinished == 0 ? complete(group) : nullptr;
}

// All branches of a group have ended: their results go to the branch that forked them, which is answered.
Lane::Branch* Lane::complete(Group& group) {
    Value results = std::move(group.results);
    group.request = {};
    if (!starting_.empty() && starting_.back() == &group) starting_.pop_back(); // it had none
    free_groups_.push_back(&group);
    if (!group.parent) {
        results_ = std::move(results);
        return nullptr;
    }
    Vm::result_register(group.parent->fiber) = results.give_up();
    return group.parent;
}

// Notes the failure in the VM's error: of a branch, whose frames are in `own` if it had any, inside of the branches
// around it. Gives up everything behind it; the lane's heap is thrown away later with all that still is in there.
void Lane::fail(const Group& group, std::size_t index, const Fiber* own) {
    ErrorPtr cause = vm_.take_error();
    if (own) vm_.note_trace(*own, *cause);
    for (const Branch* b = group.parent; b && (!cause->has_span || cause->trace.size() < Vm::kMaxTrace);
         b = parent_of(b)) {
        vm_.note_trace(b->fiber, *cause);
    }
    error_ = ErrorPtr(branch_failed(request_.kind, group.request.kind, group.first + index, std::move(*cause)));
    starting_.clear();
    is_cut_ = true;
}

// Brings the definitions of `branch`, and of those around it, into force.
void Lane::switch_to(Branch* branch) {
    if (in_force_ == branch) return;
    if (in_force_) in_force_->changes = vm_.names.hand_over();
    std::vector<Branch*> inward;
    Branch* to = branch;
    const auto level_of = [](const Branch* b) { return b ? b->level : 0; };
    while (in_force_ != to) {
        if (level_of(in_force_) >= level_of(to)) {
            vm_.names.set_aside(in_force_->changes);
            in_force_ = parent_of(in_force_);
        } else {
            inward.push_back(to);
            to = parent_of(to);
        }
    }
    for (std::size_t i = inward.size(); i-- > 0;)
        vm_.names.put_back(inward[i]->changes);
    in_force_ = branch;
    vm_.names.take_over(std::move(branch->changes));
}

// Null, with the VM's error, when there is no memory for it.
Lane::Branch* Lane::take_branch() {
    if (free_branches_.empty()) {
        if (!charge_host_bytes(kBranchBytes)) return nullptr;
        free_branches_.push_back(&branches_.emplace_back());
    }
    Branch* branch = free_branches_.back();
    free_branches_.pop_back();
    return branch;
}

void Lane::give_branch(Branch& branch) {
    if (branch.fiber.stack_size > 2 * kBranchStack) {
        vm_.heap.free_object(branch.fiber.stack_object);
        branch.fiber = {};
    }
    branch.open_tasks.clear();
    free_branches_.push_back(&branch);
}

} // namespace ptc
