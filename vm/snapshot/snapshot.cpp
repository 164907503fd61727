// The state of a Vm as bytes, and back: names, earlier results, frames, and what a suspended run waits for.
//
// Frames are written from the outermost in: the function, where it stands, and the registers that own a value there.
// Which ones those are is not written, as ownership.h computes it from the code on both sides. Reading therefore
// decides what each frame may look like from the program alone: a frame stands at a call, or, the innermost one, at a
// tool call or a fork; iterated registers hold sequences; the rest of the registers are nil.
#include "vm/snapshot/snapshot.h"
#include "frontend/try.h"
#include "runtime/string.h"
#include "vm/frames.h"
#include "vm/ownership.h"
#include "vm/snapshot/fork_snapshot.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::uint16_t kVersion = 5;
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kHeaderBytes = kMagicBytes + sizeof kVersion + sizeof(std::uint64_t);
constexpr std::size_t kSumBytes = sizeof(std::uint64_t);
// What frozen values may take at most: for each byte of a snapshot, and for the first of them.
constexpr std::size_t kStoreBytes = 64;
constexpr std::size_t kFirstStoreBytes = 64 * 1024;
constexpr std::uint64_t kMaxResults = 3;

/// The prototype of the function whose frame this is.
const FunctionProto& frame_proto(const Bits* base) { return *proto_of_frame(base); }

Error read_fault(const ByteReader& in, const GraphReader& graph) {
    return in.ok() ? graph.error() : bad_snapshot("it is cut short");
}

} // namespace

Error bad_snapshot(const char* why) {
    return Error(Reason::InvalidSnapshot, std::string("Cannot go on from the snapshot: ") + why + ".");
}

// ---- The whole

SnapshotWriter::SnapshotWriter(std::string_view magic, std::uint64_t fingerprint) {
    bytes() += magic;
    fixed(kVersion);
    fixed(fingerprint);
}

void SnapshotWriter::append(std::string_view state) {
    bytes().reserve(bytes().size() + state.size() + kSumBytes);
    bytes() += state;
}

std::string SnapshotWriter::finish() {
    const std::uint64_t sum = sum_of_bytes(bytes());
    bytes().append(reinterpret_cast<const char*>(&sum), sizeof sum);
    return std::move(bytes());
}

Result<std::string_view> open_snapshot(std::string_view bytes, std::string_view magic, std::uint64_t fingerprint) {
    if (!bytes.starts_with(magic)) return bad_snapshot("it is none, or one of something else");
    if (bytes.size() < kHeaderBytes + kSumBytes) return bad_snapshot("it is cut short");
    ByteReader header(bytes.substr(kMagicBytes));
    if (header.fixed<std::uint16_t>() != kVersion) return bad_snapshot("this version of the format is not known");
    if (header.fixed<std::uint64_t>() != fingerprint)
        return bad_snapshot("it was made by another version of this program, or with other preludes");
    ByteReader sum(bytes.substr(bytes.size() - kSumBytes));
    bytes.remove_suffix(kSumBytes);
    if (sum.fixed<std::uint64_t>() != sum_of_bytes(bytes)) return bad_snapshot("the checksum is wrong");
    return bytes.substr(kHeaderBytes);
}

Result<std::string_view> open_foreign_snapshot(std::string_view bytes, std::string_view magic) {
    if (!bytes.starts_with(magic) || bytes.size() < kHeaderBytes + kSumBytes) return bad_snapshot("it is cut short");
    ByteReader header(bytes.substr(kMagicBytes + sizeof kVersion));
    return open_snapshot(bytes, magic, header.fixed<std::uint64_t>());
}

bool is_whole_snapshot(std::string_view bytes, std::string_view magic) {
    if (!bytes.starts_with(magic) || bytes.size() < kHeaderBytes + kSumBytes) return false;
    ByteReader sum(bytes.substr(bytes.size() - kSumBytes));
    return sum.fixed<std::uint64_t>() == sum_of_bytes(bytes.substr(0, bytes.size() - kSumBytes));
}

void seal_snapshot(std::string& bytes, std::string_view magic, std::uint64_t fingerprint) {
    if (bytes.size() < kHeaderBytes + kSumBytes) return;
    SnapshotWriter sealed(magic, fingerprint);
    sealed.append(std::string_view(bytes).substr(kHeaderBytes, bytes.size() - kHeaderBytes - kSumBytes));
    bytes = sealed.finish();
}

// ---- Errors

namespace {

void write_span(ByteWriter& out, const Span& span) {
    out.size(span.begin);
    out.size(span.end);
}

Span read_span(ByteReader& in) {
    Span span;
    span.begin = static_cast<decltype(span.begin)>(in.below(UINT32_MAX));
    span.end = static_cast<decltype(span.end)>(in.below(UINT32_MAX));
    if (span.end < span.begin) in.fail();
    return span;
}

} // namespace

void write_error(ByteWriter& out, const Error& error) {
    out.text(reason_name(error.reason));
    out.text(error.message);
    out.byte(error.has_span);
    write_span(out, error.span);
    out.text(error.hint);
    out.size(error.edits.size());
    for (const Edit& edit : error.edits) {
        write_span(out, edit.span);
        out.text(edit.text);
    }
    out.size(error.labels.size());
    for (const Label& label : error.labels) {
        write_span(out, label.span);
        out.text(label.text);
    }
    out.size(error.trace.size());
    for (const TraceEntry& entry : error.trace) {
        out.text(entry.function);
        write_span(out, entry.span);
    }
    out.byte(static_cast<std::uint8_t>(error.bad_call.kind));
    out.byte(error.bad_call.argument);
    out.text(error.bad_call.function);
    out.size(error.bad_call.given);
    out.size(error.bad_call.taken);
}

Error read_error(ByteReader& in) {
    Error error;
    error.reason = reason_named(in.text()).value_or(Reason::RuntimeError);
    error.message = in.text();
    error.has_span = in.byte() != 0;
    error.span = read_span(in);
    error.hint = in.text();
    for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
        const Span span = read_span(in);
        error.edits.push_back({span, std::string(in.text())});
    }
    for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
        const Span span = read_span(in);
        error.labels.push_back({span, std::string(in.text())});
    }
    for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
        std::string function(in.text());
        error.trace.push_back({std::move(function), read_span(in)});
    }
    error.bad_call.kind = static_cast<OperandKind>(in.below(static_cast<std::uint64_t>(OperandKind::Regex) + 1));
    error.bad_call.argument = in.byte();
    error.bad_call.function = in.text();
    error.bad_call.given = in.size();
    error.bad_call.taken = in.size();
    return error;
}

// ---- Names

Result<void> VmSnapshot::write_names(const Vm& vm, GraphWriter& graph) {
    const Namespace& names = vm.names;
    ByteWriter& out = graph.out();
    out.byte(vm.rebound_);
    out.size(vm.atoms_);
    out.size(vm.newest_atom_);
    out.byte(vm.has_try_);
    PTC_CHECK(graph.write_shapes(vm.shapes));
    out.size(names.slots_.size());
    for (const Namespace::Slot& slot : names.slots_) {
        out.text(slot.name);
        out.byte(slot.changed_in == names.stretch_);
        PTC_CHECK(graph.write(slot.value));
    }
    return write_changes(names.undo_, graph);
}

Result<void> VmSnapshot::write_changes(const Namespace::Changes& changes, GraphWriter& graph) {
    graph.out().size(changes.size());
    for (const Namespace::Change& change : changes) {
        graph.out().size(change.slot);
        PTC_CHECK(graph.write(change.other));
    }
    return {};
}

Result<void> VmSnapshot::read_names(Vm& vm, GraphReader& graph, ByteReader& in) {
    Namespace& names = vm.names;
    vm.rebound_ = in.byte() != 0;
    vm.atoms_ = static_cast<std::uint32_t>(in.below(UINT32_MAX));
    vm.newest_atom_ = in.size();
    vm.has_try_ = in.byte() != 0;
    PTC_CHECK(graph.read_shapes());
    names.begin();
    for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
        const std::string_view name = in.text();
        const bool is_changed = in.byte() != 0;
        if (names.find(name) != Namespace::kNone) return bad_snapshot("a name is there twice");
        Value value = PTC_TRY(graph.read_or_hole());
        if (value.is_object() && value.type() >= ObjectType::Shape)
            return bad_snapshot("a part of a value stands for one");
        Namespace::Slot& slot = names.slots_[PTC_TRY(vm.make_slot(name))];
        slot.value = std::move(value);
        slot.changed_in = is_changed ? names.stretch_ : 0;
    }
    return read_changes(names.undo_, names.slots_.size(), graph, in);
}

Result<void> VmSnapshot::read_changes(Namespace::Changes& changes, std::size_t slots, GraphReader& graph,
                                      ByteReader& in) {
    for (std::size_t n = in.count(2); n > 0 && in.ok(); --n) {
        const auto slot = static_cast<std::uint32_t>(in.below(slots));
        Value other = PTC_TRY(graph.read_or_hole());
        if (other.is_object() && other.type() >= ObjectType::Shape)
            return bad_snapshot("a part of a value stands for one");
        changes.push_back({slot, std::move(other)});
    }
    if (!in.ok()) return read_fault(in, graph);
    return {};
}

// ---- Frames

namespace {

struct FrameAt {
    Bits* base;
    std::uint32_t at; ///< word of the instruction that it stands at
};

std::vector<FrameAt> frames_of(const Fiber& fiber) {
    std::vector<FrameAt> frames;
    for_each_frame(fiber, [&frames](const FunctionProto&, Bits* base, std::uint32_t at, bool) {
        frames.push_back({base, at});
        return true;
    });
    std::ranges::reverse(frames);
    return frames;
}

/// What a frame that waits in this instruction owns: not what the instruction has taken.
RegisterSet owned_in(const RegisterState& state, const FunctionProto& proto, std::uint32_t at) {
    return state.owned & ~effect_of(proto, proto.code.data() + at).kills;
}

} // namespace

Result<void> VmSnapshot::write_fiber(const Fiber& fiber, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    const std::vector<FrameAt> frames = frames_of(fiber);
    OwnershipMap ownership;
    out.size(fiber.stack_size);
    out.size(frames.size());
    for (const FrameAt& frame : frames) {
        PTC_CHECK(graph.write(frame.base[kFunctionSlot]));
        out.size(frame.at);
        const FunctionProto& proto = frame_proto(frame.base);
        const RegisterState* state = ownership.find(proto, frame.at);
        if (!state) return bad_snapshot("a frame stands where its code never comes");
        const RegisterSet owned = owned_in(*state, proto, frame.at);
        for (std::uint32_t r = 0; r < proto.frame_size; ++r) {
            if (owned[r]) PTC_CHECK(graph.write(frame.base[r]));
        }
    }
    return {};
}

// `depth` is that of the calls around it. The stack grows as frames come.
Result<void> VmSnapshot::read_fiber(Vm& vm, std::uint32_t depth, GraphReader& graph, ByteReader& in) {
    Fiber& fiber = vm.fiber_;
    const std::uint64_t slots = in.below(UINT32_MAX);
    const std::size_t frames = in.count(2);
    if (!in.ok() || frames == 0) return bad_snapshot("a run has no frames");
    if (frames > vm.limits_.max_depth + 1u) return bad_snapshot("calls are nested deeper than allowed");
    if (!vm.open_stack(std::max<std::size_t>(slots, kFrameLink + 1))) return vm.take_error();
    fiber.base = fiber.stack;
    OwnershipMap ownership;
    for (std::size_t i = 0; i < frames; ++i)
        PTC_CHECK(read_frame(vm, i == 0, i + 1 == frames, ownership, graph, in));
    fiber.depth = depth + static_cast<std::uint32_t>(frames);
    return {};
}

// A frame above the ones that are there, which end in a call. What is read before anything fails is whole: registers
// that were not reached yet are nil.
Result<void> VmSnapshot::read_frame(Vm& vm, bool is_outermost, bool is_innermost, OwnershipMap& ownership,
                                    GraphReader& graph, ByteReader& in) {
    Fiber& fiber = vm.fiber_;
    Value function = PTC_TRY(graph.read());
    if (!function.is_static_function() && !function.is(ObjectType::Closure))
        return bad_snapshot("a frame runs what is no function");
    const FunctionProto& proto = *proto_of(function.raw());
    const auto at = static_cast<std::uint32_t>(in.below(proto.code.size()));
    const RegisterState* state = in.ok() ? ownership.find(proto, at) : nullptr;
    if (!state) return bad_snapshot("a frame stands where its code never comes");
    const Op op = word_op(proto.code[at]);
    const bool is_fit = is_innermost ? op == Op::Tool || op == Op::Fork : op_info(op).has(kCall);
    if (!is_fit || op_info(op).has(kCheck)) return bad_snapshot("a frame stands where nothing waits");
    const std::size_t window =
        is_outermost ? 0 : static_cast<std::size_t>(fiber.base - fiber.stack) + word_a(*fiber.fault);
    const std::size_t end = window + kFrameLink + proto.frame_size;
    if (end > fiber.stack_size && !vm.grow_stack(end)) return vm.take_error();
    Bits* base = fiber.stack + window + kFrameLink;
    link_frame(base, is_outermost ? kHaltAddress : fiber.fault + 2, is_outermost ? nullptr : fiber.constants);
    base[kFunctionSlot] = function.give_up();
    std::fill_n(base, proto.frame_size, bits::kNil);
    fiber.base = base;
    fiber.constants = proto.constants.data();
    fiber.fault = proto.code.data() + at;
    fiber.pc = fiber.fault + op_info(op).words();
    const RegisterState expected = *state;
    const RegisterSet owned = owned_in(expected, proto, at);
    for (std::uint32_t r = 0; r < proto.frame_size; ++r) {
        if (!owned[r]) continue;
        Value value = PTC_TRY(graph.read());
        if (expected.sources[r] && !value.is_vector()) return bad_snapshot("an iteration over no sequence");
        if (expected.positions[r] && (!value.is_small_integer() || value.small_integer() < 0))
            return bad_snapshot("an iteration stands nowhere");
        base[r] = value.give_up();
    }
    return {};
}

// ---- The run

Result<void> VmSnapshot::write_answer(const std::optional<Result<Value>>& answer, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    out.byte(!answer ? 0 : answer->ok() ? 1 : 2);
    if (answer && answer->ok()) return graph.write(answer->value());
    if (answer) write_error(out, answer->error());
    return {};
}

Result<void> VmSnapshot::read_answer(std::optional<Result<Value>>& answer, GraphReader& graph, ByteReader& in) {
    const std::uint64_t kind = in.below(3);
    if (kind == 1) answer = PTC_TRY(graph.read());
    if (kind == 2) answer = Result<Value>(read_error(in));
    if (!in.ok()) return read_fault(in, graph);
    return {};
}

Result<void> VmSnapshot::write_run(const Vm& vm, Meter::Clock::time_point now, GraphWriter& graph) {
    using std::chrono::microseconds;
    ByteWriter& out = graph.out();
    const Meter::Clock::duration left = vm.heap.meter.time_left(now);
    out.integer(left == Meter::Clock::duration::max()
                    ? -1
                    : std::max<std::int64_t>(0, std::chrono::duration_cast<microseconds>(left).count()));
    out.size(static_cast<std::uint64_t>(vm.fuel_used()));
    out.size(vm.heap.peak_bytes());
    out.size(vm.tool_calls_);
    out.size(vm.loop_iterations_);
    PTC_CHECK(write_fiber(vm.fiber_, graph));
    out.byte(vm.branches_ != nullptr);
    if (vm.branches_) return ForkSnapshot::write(ForkSnapshot::of(vm), graph);
    PTC_CHECK(graph.write(vm.tool_arguments_));
    return write_answer(vm.answer_, graph);
}

// All but the meters, which count the work of reading meanwhile.
Result<void> VmSnapshot::read_run(Vm& vm, const Target& target, GraphReader& graph, ByteReader& in) {
    vm.tool_calls_ = static_cast<std::uint32_t>(in.below(UINT32_MAX));
    vm.loop_iterations_ = in.size();
    PTC_CHECK(read_fiber(vm, 0, graph, in));
    --vm.fiber_.depth; // the top level is no call
    const bool is_fork = in.byte() != 0;
    if (is_fork != (word_op(*vm.fiber_.fault) == Op::Fork)) return bad_snapshot("a frame stands where nothing waits");
    if (is_fork) {
        PTC_CHECK(ForkSnapshot::read(vm, target, graph, in));
        vm.calls_ = vm.branches_->calls();
        return {};
    }
    vm.tool_arguments_ = PTC_TRY(graph.read());
    if (!vm.tool_arguments_.is_map()) return bad_snapshot("a tool's arguments are no map");
    vm.tool_name_ = tool_name_at(vm.fiber_);
    vm.calls_.push_back({vm.tool_name_, &vm.tool_arguments_, &vm.heap, &vm, &vm.fiber_});
    return read_answer(vm.answer_, graph, in);
}

std::string_view VmSnapshot::tool_name_at(const Fiber& fiber) {
    const Value name = Value::adopt(fiber.constants[word_bc(*fiber.fault)]); // frozen: never counted
    return text_of(name);
}

Result<void> VmSnapshot::write(const Vm& vm, Meter::Clock::time_point now, GraphWriter& graph) {
    ByteWriter& out = graph.out();
    PTC_CHECK(write_names(vm, graph));
    out.size(vm.history.size());
    for (const Value& value : vm.history)
        PTC_CHECK(graph.write(value));
    return vm.running_ ? write_run(vm, now, graph) : Result<void>();
}

Result<void> VmSnapshot::read(Vm& vm, const Target& target, ByteReader& in) {
    vm.limits_ = target.limits;
    vm.bound_heap(target.limits);
    target.store.heap.set_limit(kFirstStoreBytes + kStoreBytes * in.left());
    const std::int64_t work = GraphReader::work_for(in.left());
    for (Heap* heap : {&vm.heap, &target.store.heap})
        heap->meter.start_share(target.budget, work, nullptr);
    std::int64_t left = -1;
    std::uint64_t used = 0, peak = 0;
    {
        GraphReader graph(vm.heap, vm.shapes, target.store, target.references, in);
        PTC_CHECK(read_names(vm, graph, in));
        for (std::uint64_t n = in.below(kMaxResults + 1); n > 0 && in.ok(); --n)
            vm.history.push_back(PTC_TRY(graph.read()));
        if (target.program) {
            left = in.integer();
            used = in.below(static_cast<std::uint64_t>(Meter::kUnlimited));
            peak = in.size();
            vm.running_ = true;
            vm.program_ = target.program;
            PTC_CHECK(read_run(vm, target, graph, in));
        }
        if (!in.ok()) return read_fault(in, graph);
    }
    vm.heap.meter = Meter();
    target.store.heap.meter = Meter();
    vm.heap.reset_peak();
    if (!target.program) return {};
    using std::chrono::microseconds;
    constexpr Meter::Clock::duration kNone = Meter::Clock::duration::max();
    const bool is_limited = left >= 0 && left <= std::chrono::duration_cast<microseconds>(kNone).count();
    vm.start_meter(is_limited ? Meter::Clock::duration(microseconds(left)) : kNone, target.interrupt);
    vm.heap.meter.charge_unchecked(static_cast<std::int64_t>(used));
    vm.heap.note_peak(std::min<std::uint64_t>(peak, vm.heap.limit()));
    if (vm.branches_) ForkSnapshot::start_meters(ForkSnapshot::of(vm));
    return {};
}

} // namespace ptc
