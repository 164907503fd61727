// A VM between runs, or suspended in one, as bytes.
//
// A snapshot is: magic, version, the engine's fingerprint, a payload, a checksum. A VM's part of a payload is, in this
// order: counters; names with their values and what a failure would undo; earlier results; and of a suspended run its
// frames from the outermost in, and the call that it waits for, or its fork with all lanes. Which registers hold values
// is not written: it follows from the code (ownership.h). Version history: 1, the first; 3, missions say which data
// sets they share, and keep memory as bytes, too; 4, branches say which tasks they are doing; 5, agents of missions
// count what they and those below them have used up, and steps say who answered.
#pragma once
#include "vm/ownership.h"
#include "vm/snapshot/graph_reader.h"
#include "vm/snapshot/graph_writer.h"
#include "vm/vm.h"

namespace ptc {

/// What is between the header and the checksum of a snapshot.
class SnapshotWriter : public ByteWriter {
public:
    /// `magic` has four bytes and says of what it is.
    SnapshotWriter(std::string_view magic, std::uint64_t fingerprint);
    void append(std::string_view state);
    [[nodiscard]] std::string finish();
};
/// The payload, borrowed from `bytes`; invalid_snapshot for anything that was not written with the same magic, version
/// and fingerprint, or was changed by accident.
Result<std::string_view> open_snapshot(std::string_view bytes, std::string_view magic, std::uint64_t fingerprint);
/// The same whatever its fingerprint is, to say what differs.
Result<std::string_view> open_foreign_snapshot(std::string_view bytes, std::string_view magic);
/// Whether it is whole, whichever version wrote it, with whatever fingerprint.
bool is_whole_snapshot(std::string_view bytes, std::string_view magic);
/// Makes header and checksum right, whatever they were: for tests of what lies behind them.
void seal_snapshot(std::string& bytes, std::string_view magic, std::uint64_t fingerprint);

void write_error(ByteWriter& out, const Error& error);
Error read_error(ByteReader& in);
Error bad_snapshot(const char* why);

/// Writes and reads the state of a VM. Stateless: a friend of what has state.
struct VmSnapshot {
    /// What reading needs beside the bytes.
    struct Target {
        const ExternalReferences& references;
        FrozenStore& store;
        const Limits& limits; ///< of the run that goes on; what it has used is in the snapshot
        const Meter& budget;  ///< whose deadline and interrupt end reading
        const std::atomic<bool>* interrupt;
        const Program* program; ///< the one that runs; null: none
    };

    /// `now`: when the run began to wait. Its time stands still from then on.
    static Result<void> write(const Vm& vm, Meter::Clock::time_point now, GraphWriter& graph);
    /// Into a VM that has not run yet, but has its data (Vm::data). After a failure it must be destroyed.
    static Result<void> read(Vm& vm, const Target& target, ByteReader& in);

private:
    friend struct ForkSnapshot;
    static Result<void> write_names(const Vm& vm, GraphWriter& graph);
    static Result<void> read_names(Vm& vm, GraphReader& graph, ByteReader& in);
    static Result<void> write_changes(const Namespace::Changes& changes, GraphWriter& graph);
    static Result<void> read_changes(Namespace::Changes& changes, std::size_t slots, GraphReader& graph,
                                     ByteReader& in);
    static Result<void> write_fiber(const Fiber& fiber, GraphWriter& graph);
    static Result<void> read_fiber(Vm& vm, std::uint32_t depth, GraphReader& graph, ByteReader& in);
    static Result<void> read_frame(Vm& vm, bool is_outermost, bool is_innermost, OwnershipMap& ownership,
                                   GraphReader& graph, ByteReader& in);
    static Result<void> write_run(const Vm& vm, Meter::Clock::time_point now, GraphWriter& graph);
    static Result<void> read_run(Vm& vm, const Target& target, GraphReader& graph, ByteReader& in);
    static Result<void> write_answer(const std::optional<Result<Value>>& answer, GraphWriter& graph);
    static Result<void> read_answer(std::optional<Result<Value>>& answer, GraphReader& graph, ByteReader& in);
    static std::string_view tool_name_at(const Fiber& fiber);
};

} // namespace ptc
