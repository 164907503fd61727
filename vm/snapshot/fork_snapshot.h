// The branches of a pmap or pcalls, in a snapshot of the run around them.
#pragma once
#include "vm/fork.h"
#include "vm/snapshot/snapshot.h"
#include <unordered_map>

namespace ptc {

/// Lanes are heaps of their own, so each is a graph of its own. Of a lane that has failed, only that counts; lanes
/// behind it are not written. A lane that waits has no branch that is still to be started (Lane::go_on).
struct ForkSnapshot {
    /// The branches that a run waits for: Fork is the one kind of them.
    static Fork& of(const Vm& vm) { return static_cast<Fork&>(*vm.branches_); }
    static Result<void> write(const Fork& fork, GraphWriter& graph);
    /// Into `vm.branches_`. Everything that lanes and branches rely on is checked.
    static Result<void> read(Vm& vm, const VmSnapshot::Target& target, GraphReader& graph, ByteReader& in);
    /// After those of the run.
    static void start_meters(Fork& fork);

private:
    struct LaneReader;
    enum class BranchState : std::uint8_t {
        Running, ///< waits for a tool, or for branches of its own
        Free,
        Lost,    ///< given up, or behind a failure
        InForce, ///< lost, but the names show its definitions
    };
    /// Of groups and branches that are in use, from 1 on.
    using Numbers = std::unordered_map<const void*, std::size_t>;
    static Numbers number_items(const Lane& lane);
    static Numbers number_running(const Lane& lane);
    static Result<void> write_lane(const Lane& lane, GraphWriter& graph);
    static Result<void> write_group(const Lane::Group& group, Numbers& numbers, GraphWriter& graph);
    static Result<void> write_branch(const Lane::Branch& branch, BranchState state, Numbers& numbers,
                                     GraphWriter& graph);
    static Result<void> write_request(const ForkRequest& request, GraphWriter& graph);
    static Result<void> read_request(ForkRequest& request, GraphReader& graph, ByteReader& in);
    static Result<void> read_lanes(Vm& vm, Fork& fork, const VmSnapshot::Target& target, ByteReader& in);
    static bool number_calls(Fork& fork, std::size_t calls);
};

} // namespace ptc
