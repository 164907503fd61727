// The lanes of a suspended fork as bytes, and back.
//
// Groups and branches refer to each other by pointer (a branch to its group, a group to the branch that forked it), so
// each gets a number by its position in the lane's lists. Only those that still matter are written with what they hold:
// branches that wait, what is around them, and what the names in force belong to; others are placeholders, because a
// lane that goes on reuses them in the same order. Reading rebuilds the lists first, then the references, and checks
// that levels grow from a group to the branches inside of it: so there are no circles.
#include "vm/snapshot/fork_snapshot.h"
#include "frontend/try.h"
#include "vm/frames.h"
#include <algorithm>

namespace ptc {

ForkSnapshot::Numbers ForkSnapshot::number_items(const Lane& lane) {
    Numbers numbers;
    for (std::size_t i = 0; i < lane.groups_.size(); ++i)
        numbers.emplace(&lane.groups_[i], i + 1);
    for (std::size_t i = 0; i < lane.branches_.size(); ++i)
        numbers.emplace(&lane.branches_[i], i + 1);
    return numbers;
}

// Branches that wait for tools, what they are of, and so on outwards; and what is around the names in force.
ForkSnapshot::Numbers ForkSnapshot::number_running(const Lane& lane) {
    Numbers all = number_items(lane), running;
    std::vector<const Lane::Branch*> open(lane.waiting_.begin(), lane.waiting_.end());
    if (lane.in_force_) {
        running.emplace(lane.in_force_->group, all[lane.in_force_->group]);
        if (lane.in_force_->group->parent) open.push_back(lane.in_force_->group->parent);
    }
    while (!open.empty()) {
        const Lane::Branch* branch = open.back();
        open.pop_back();
        if (!running.emplace(branch, all[branch]).second) continue;
        running.emplace(branch->group, all[branch->group]);
        if (branch->group->parent) open.push_back(branch->group->parent);
    }
    return running;
}

// ---- Writing

Result<void> ForkSnapshot::write(const Fork& fork, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    PTC_CHECK(write_request(fork.request_, graph));
    out.size(fork.slots_.size());
    out.size(fork.end_);
    out.size(fork.share_);
    out.size(fork.calls_.size());
    for (std::size_t k = 0; k < fork.end_; ++k) {
        const Lane& lane = *fork.slots_[k].lane;
        GraphWriter own = graph.for_heap(lane.vm_.heap);
        PTC_CHECK(write_lane(lane, own));
        graph.use_programs_of(own);
    }
    return {};
}

Result<void> ForkSnapshot::write_request(const ForkRequest& request, GraphWriter& graph) {
    graph.out().byte(static_cast<std::uint8_t>(request.kind));
    graph.out().size(request.count);
    PTC_CHECK(graph.write(request.callee));
    return graph.write(request.columns);
}

Result<void> ForkSnapshot::write_lane(const Lane& lane, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    out.size(lane.vm_.heap.peak_bytes());
    out.size(lane.vm_.heap.live_bytes());
    out.size(static_cast<std::uint64_t>(lane.fuel_used()));
    out.byte(lane.error_ != nullptr);
    if (lane.error_) write_error(out, *lane.error_);
    PTC_CHECK(VmSnapshot::write_names(lane.vm_, graph));
    out.size(lane.vm_.history.size());
    for (const Value& value : lane.vm_.history)
        PTC_CHECK(graph.write(value));
    PTC_CHECK(graph.write(lane.results_));
    out.size(lane.groups_.size());
    out.size(lane.branches_.size());
    // Branches first, as groups are of those that forked them.
    Numbers numbers = number_running(lane);
    std::unordered_map<const void*, BranchState> states;
    for (const Lane::Branch* branch : lane.free_branches_)
        states.emplace(branch, BranchState::Free);
    for (const Lane::Branch& branch : lane.branches_) {
        const auto free = states.find(&branch);
        const BranchState state = numbers.contains(&branch)   ? BranchState::Running
                                  : free != states.end()      ? BranchState::Free
                                  : &branch == lane.in_force_ ? BranchState::InForce
                                                              : BranchState::Lost;
        PTC_CHECK(write_branch(branch, state, numbers, graph));
    }
    for (const Lane::Group& group : lane.groups_)
        PTC_CHECK(write_group(group, numbers, graph));
    out.size(lane.waiting_.size());
    for (const Lane::Branch* branch : lane.waiting_)
        out.size(numbers[branch]);
    out.size(lane.in_force_ ? number_items(lane)[lane.in_force_] : 0);
    return {};
}

Result<void> ForkSnapshot::write_branch(const Lane::Branch& branch, BranchState state, Numbers& numbers,
                                        GraphWriter& graph) {
    ByteWriter& out = graph.out();
    out.byte(static_cast<std::uint8_t>(state));
    if (state == BranchState::Free) out.size(branch.fiber.stack_size); // kept for the next one
    if (state == BranchState::Free || state == BranchState::Lost) return {};
    out.size(numbers[branch.group]);
    out.size(branch.index);
    out.size(branch.level);
    PTC_CHECK(VmSnapshot::write_changes(branch.changes, graph));
    if (state == BranchState::InForce) return {};
    PTC_CHECK(VmSnapshot::write_fiber(branch.fiber, graph));
    PTC_CHECK(graph.write(branch.arguments));
    out.size(branch.open_tasks.size());
    for (const Lane::OpenTask& task : branch.open_tasks) {
        out.text(task.id);
        out.size(task.depth);
        out.byte(static_cast<std::uint8_t>(task.is_under_way + 2 * task.is_refused));
    }
    return VmSnapshot::write_answer(branch.answer, graph);
}

Result<void> ForkSnapshot::write_group(const Lane::Group& group, Numbers& numbers, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    const bool is_running = numbers.contains(&group);
    out.byte(is_running);
    if (!is_running) return {};
    out.size(group.first);
    out.size(group.unfinished);
    out.size(group.depth);
    out.size(group.parent ? numbers[group.parent] : 0);
    PTC_CHECK(write_request(group.request, graph));
    return graph.write(group.results);
}

// ---- Reading

Result<void> ForkSnapshot::read_request(ForkRequest& request, GraphReader& graph, ByteReader& in) {
    request.kind = static_cast<ForkKind>(in.below(2));
    request.count = in.below(UINT32_MAX);
    request.callee = PTC_TRY(graph.read());
    request.columns = PTC_TRY(graph.read());
    return {};
}

/// Reads one lane into one that was just made.
struct ForkSnapshot::LaneReader {
    Lane& lane;
    GraphReader& graph;
    ByteReader& in;
    Numbers numbers{};
    std::vector<std::size_t> group_numbers{}; ///< of branches
    std::vector<std::size_t> children{};      ///< by branch: groups that it forked

    Result<void> run(std::size_t count) {
        Vm& vm = lane.vm_;
        if (in.byte() != 0) lane.error_ = ErrorPtr(read_error(in));
        PTC_CHECK(VmSnapshot::read_names(vm, graph, in));
        for (std::uint64_t n = in.below(4); n > 0 && in.ok(); --n)
            vm.history.push_back(PTC_TRY(graph.read()));
        lane.results_ = PTC_TRY(graph.read());
        const std::size_t groups = in.count(), branches = in.count();
        const std::size_t bytes = Lane::kLaneBytes + groups * Lane::kGroupBytes + branches * Lane::kBranchBytes;
        if (!vm.heap.charge_bytes(bytes)) return vm.heap.out_of_memory();
        lane.groups_.resize(groups);
        lane.branches_.resize(branches);
        children.resize(branches);
        numbers = number_items(lane);
        for (Lane::Branch& branch : lane.branches_)
            PTC_CHECK(read_branch(branch));
        for (Lane::Group& group : lane.groups_)
            PTC_CHECK(read_group(group));
        PTC_CHECK(join_branches());
        PTC_CHECK(read_waiting());
        if (!in.ok()) return bad_snapshot("it is cut short");
        lane.has_begun_ = true;
        return check_results(count);
    }

    /// A number from 1 on, or 0 for none.
    template <class T> T* read_item(std::deque<T>& items) {
        const std::uint64_t number = in.below(items.size() + 1);
        return number == 0 ? nullptr : &items[number - 1];
    }

    Result<void> read_branch(Lane::Branch& branch) {
        Vm& vm = lane.vm_;
        group_numbers.push_back(0);
        const auto state = static_cast<BranchState>(in.below(4));
        if (state == BranchState::Free || state == BranchState::Lost) numbers.erase(&branch);
        if (state == BranchState::Lost) return {};
        if (state == BranchState::Free) {
            lane.free_branches_.push_back(&branch);
            const std::size_t slots = in.below(1u << 16);
            if (slots != 0 && !vm.open_stack(slots)) return vm.take_error();
            branch.fiber = std::exchange(vm.fiber_, {});
            return {};
        }
        group_numbers.back() = in.size();
        branch.index = in.size();
        branch.level = static_cast<std::uint32_t>(in.below(UINT32_MAX));
        PTC_CHECK(VmSnapshot::read_changes(branch.changes, vm.names.size(), graph, in));
        if (state == BranchState::InForce) return {};
        PTC_CHECK(VmSnapshot::read_fiber(vm, 0, graph, in)); // its depth follows with the group
        branch.fiber = std::exchange(vm.fiber_, {});
        branch.arguments = PTC_TRY(graph.read());
        for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
            Lane::OpenTask& task = branch.open_tasks.emplace_back();
            task.id = in.text();
            task.depth = static_cast<std::uint32_t>(in.below(UINT32_MAX));
            const std::uint64_t flags = in.below(4);
            task.is_under_way = (flags & 1) != 0;
            task.is_refused = (flags & 2) != 0;
        }
        return VmSnapshot::read_answer(branch.answer, graph, in);
    }

    Result<void> read_group(Lane::Group& group) {
        if (in.byte() == 0) {
            lane.free_groups_.push_back(&group);
            numbers.erase(&group);
            return {};
        }
        group.first = in.size();
        group.unfinished = in.size();
        group.depth = static_cast<std::uint32_t>(in.below(lane.vm_.limits_.max_depth + 2u));
        group.parent = read_item(lane.branches_);
        PTC_CHECK(read_request(group.request, graph, in));
        group.results = PTC_TRY(graph.read());
        group.next = group.request.count;
        const Value& results = group.results;
        const bool is_fit = results.is(ObjectType::Vector) && results.is_counted() && results.object()->refs == 1 &&
                            !as_flat(results).owner && vector_length(results) == group.request.count;
        if (!is_fit) return bad_snapshot("branches have nowhere to put their results");
        if (group.parent && !numbers.contains(group.parent))
            return bad_snapshot("branches belong to none that waits for them");
        if (group.parent) {
            const auto number = numbers[group.parent] - 1;
            const bool waits_for_branches =
                group.parent->fiber.fault && word_op(*group.parent->fiber.fault) == Op::Fork;
            if (!waits_for_branches || ++children[number] != 1)
                return bad_snapshot("branches belong to none that waits for them");
        } else if (&group != &lane.groups_.front()) {
            return bad_snapshot("branches belong to none that waits for them");
        }
        return {};
    }

    /// Branches to their groups. Levels grow from a branch to those that it forked: so there are no circles.
    Result<void> join_branches() {
        std::vector<std::size_t> going_on(lane.groups_.size());
        for (std::size_t i = 0; i < lane.branches_.size(); ++i) {
            Lane::Branch& branch = lane.branches_[i];
            if (!numbers.contains(&branch)) continue;
            const std::size_t number = group_numbers[i];
            if (number == 0 || number > lane.groups_.size()) return bad_snapshot("a branch belongs to no group");
            Lane::Group& group = lane.groups_[number - 1];
            if (!numbers.contains(&group) || branch.index >= group.request.count)
                return bad_snapshot("a branch belongs to no group");
            branch.group = &group;
            branch.fiber.depth += group.depth;
            if (branch.fiber.fault) ++going_on[number - 1];
        }
        for (std::size_t i = 0; i < lane.branches_.size(); ++i) {
            const Lane::Branch& branch = lane.branches_[i];
            if (branch.group && branch.level != branch.group->level())
                return bad_snapshot("branches wait for each other");
        }
        // In a lane that has failed, some are lost and will never finish.
        for (std::size_t i = 0; i < lane.groups_.size(); ++i) {
            if (!numbers.contains(&lane.groups_[i])) continue;
            const std::size_t unfinished = lane.groups_[i].unfinished;
            const bool is_fit = lane.error_ ? unfinished >= going_on[i] : unfinished == going_on[i];
            if (!is_fit || unfinished == 0) return bad_snapshot("a group has other branches than it should");
        }
        return {};
    }

    Result<void> read_waiting() {
        const std::size_t waiting = in.count();
        std::vector<bool> seen(lane.branches_.size());
        for (std::size_t i = 0; i < waiting && in.ok(); ++i) {
            Lane::Branch* branch = read_item(lane.branches_);
            if (!branch || !branch->group || !branch->fiber.fault || seen[numbers[branch] - 1] ||
                word_op(*branch->fiber.fault) != Op::Tool || !(branch->arguments.is_map() || branch->answer))
                return bad_snapshot("a branch waits for nothing");
            seen[numbers[branch] - 1] = true;
            branch->tool = VmSnapshot::tool_name_at(branch->fiber);
            lane.waiting_.push_back(branch);
        }
        for (std::size_t i = 0; i < lane.branches_.size(); ++i) {
            const Lane::Branch& branch = lane.branches_[i];
            if (branch.group && branch.fiber.fault && seen[i] == (children[i] == 1) && !lane.error_)
                return bad_snapshot("a branch waits for nothing");
        }
        lane.in_force_ = read_item(lane.branches_);
        if (lane.in_force_ && !lane.in_force_->group) return bad_snapshot("a branch waits for nothing");
        return {};
    }

    /// What the run around it will take.
    Result<void> check_results(std::size_t count) {
        const Value& results = lane.results_;
        const bool is_done = lane.waiting_.empty();
        const bool is_fit = lane.error_ && is_done ? true
                            : is_done              ? results.is(ObjectType::Vector) && vector_length(results) == count
                                                   : !lane.groups_.empty() && numbers.contains(&lane.groups_.front()) &&
                                            !lane.groups_.front().parent && lane.groups_.front().request.count == count;
        if (!is_fit) return bad_snapshot("a lane has other branches than it should");
        return {};
    }
};

Result<void> ForkSnapshot::read(Vm& vm, const VmSnapshot::Target& target, GraphReader& graph, ByteReader& in) {
    ForkRequest request;
    PTC_CHECK(read_request(request, graph, in));
    if (!in.ok() || request.count == 0) return bad_snapshot("a fork without branches");
    auto made = std::make_unique<Fork>(vm, std::move(request));
    Fork& fork = *made;
    vm.branches_ = std::move(made);
    if (in.size() != fork.slots_.size())
        return bad_snapshot("the limit `parallel_lanes` is another one than when it was made");
    fork.end_ = in.below(fork.slots_.size() + 1);
    fork.share_ = std::min<std::uint64_t>(in.size(), vm.heap.limit() / (fork.slots_.size() + 1));
    const std::size_t calls = in.count();
    PTC_CHECK(read_lanes(vm, fork, target, in));
    if (!number_calls(fork, calls) || calls == 0) return bad_snapshot("a fork waits for other calls than it should");
    return {};
}

Result<void> ForkSnapshot::read_lanes(Vm& vm, Fork& fork, const VmSnapshot::Target& target, ByteReader& in) {
    for (std::size_t k = 0; k < fork.end_; ++k) {
        Fork::Slot& slot = fork.slots_[k];
        slot.lane = std::make_unique<Lane>(vm, fork.host_, fork.request_, slot.first, slot.count, fork.share_);
        Lane& lane = *slot.lane;
        const std::uint64_t peak = in.size(), live = in.size();
        const auto used = static_cast<std::int64_t>(in.below(static_cast<std::uint64_t>(Meter::kUnlimited)));
        for (const Value& map : vm.data)
            lane.vm_.data.push_back(map.copy());
        lane.vm_.heap.meter.start_share(target.budget, GraphReader::work_for(in.left()), nullptr);
        {
            GraphReader own(lane.vm_.heap, lane.vm_.shapes, target.store, target.references, in);
            PTC_CHECK((LaneReader{.lane = lane, .graph = own, .in = in}.run(slot.count)));
        }
        if (lane.error_ && k + 1 != fork.end_) return bad_snapshot("lanes go on behind one that failed");
        if (!in.ok()) return bad_snapshot("it is cut short");
        // What is lost takes its room until the lane ends.
        const std::size_t read = lane.vm_.heap.live_bytes();
        if (lane.error_ && live > read && !lane.vm_.heap.charge_bytes(live - read))
            return lane.vm_.heap.out_of_memory();
        lane.vm_.heap.reset_peak();
        lane.vm_.heap.note_peak(std::min<std::uint64_t>(peak, fork.share_));
        // Kept here until the run's meter goes on, of which this is a part.
        lane.vm_.heap.meter = Meter();
        lane.vm_.heap.meter.charge_unchecked(used);
    }
    return {};
}

// The calls in program order, as many as there were. All of them but those that the limit of calls has cut off.
bool ForkSnapshot::number_calls(Fork& fork, std::size_t calls) {
    for (std::size_t k = 0; k < fork.end_; ++k) {
        Lane& lane = *fork.slots_[k].lane;
        bool is_first = true;
        for (std::size_t i = 0; i < lane.waiting() && fork.calls_.size() < calls; ++i) {
            if (!lane.is_to_be_asked(i)) continue;
            fork.calls_.push_back(lane.call(i));
            fork.places_.push_back({k, i, std::exchange(is_first, false)});
        }
    }
    return fork.calls_.size() == calls;
}

void ForkSnapshot::start_meters(Fork& fork) {
    for (std::size_t k = 0; k < fork.end_; ++k) {
        Lane& lane = *fork.slots_[k].lane;
        const std::int64_t used = lane.fuel_used();
        lane.begin_exchange();
        lane.vm_.heap.meter.charge_unchecked(used);
    }
}

} // namespace ptc
