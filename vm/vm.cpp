// A run from start to end: its stack, its meter, suspension and resumption, and what is undone when it fails.
//
// `execute` runs the loop until the fiber ends or suspends; `advance` sees to why it suspended (a tool call goes to the
// host, a fork is run) and `finish` cleans up, whatever the end was. A run that fails in the middle leaves values in
// registers: `unwind` walks the frames and releases what ownership.h says each of them owns. Validators run by `check`
// on a fiber of their own, above a run that is suspended.
#include "vm/vm.h"
#include "frontend/try.h"
#include "runtime/copy.h"
#include "runtime/exceptions.h"
#include "vm/frames.h"
#include "vm/ownership.h"
#include "vm/slow_paths.h"
#include "vm/vm_errors.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace ptc {

namespace {

constexpr std::size_t kInitialStack = 128;

Object* new_stack(Heap& heap, std::size_t slots) {
    return heap.allocate<Object>(ObjectType::Scratch, sizeof(Object) + slots * sizeof(Bits));
}
Bits* stack_slots(Object* object) { return reinterpret_cast<Bits*>(object + 1); }

} // namespace

static_assert(sizeof(Vm) <= 1'900, "a session that waits holds one, and is to stay below 4 KB (bench/run)");

Vm::Vm(HostServices& host, ChunkPool* pool, Executor* executor)
    : heap(Heap::Mode::Counted, pool), shapes(heap), host_(&host), executor_(executor) {}

void Vm::make_caches() {
    caches_ = std::make_unique_for_overwrite<InlineCaches>();
    forget_fields();
}

/// In one piece: they are kilobytes, for each run.
void Vm::forget_fields() {
    static_assert(std::is_trivially_default_constructible_v<InlineCaches>);
    if (caches_) std::memset(static_cast<void*>(caches_.get()), 0, sizeof *caches_);
}

Vm::~Vm() {
    // The heap gives back its chunks without looking at objects; no Value may release into it afterwards.
    (void)result_.give_up();
    (void)tool_arguments_.give_up();
    (void)thrown_.give_up();
    for (Value& v : history)
        (void)v.give_up();
    for (Value& v : data)
        (void)v.give_up();
    names.forget();
}

void Vm::bound_heap(const Limits& limits) {
    static_assert(Limits().max_digits == Heap::kMaxDigits, "data are read as programs read by default");
    heap.set_limit(limits.heap_bytes);
    heap.max_digits = limits.max_digits;
}

Status Vm::start(const Program& program, const Limits& limits, const std::atomic<bool>* interrupt, std::int64_t charged,
                 Meter::Clock::duration left) {
    limits_ = limits;
    program_ = &program;
    error_ = nullptr;
    result_ = Value();
    changed_.clear();
    tool_calls_ = 0;
    loop_iterations_ = 0;
    atoms_ = 0;
    has_try_ = false;
    fiber_ = {};
    forget_fields();
    bound_heap(limits);
    start_meter(left, interrupt);
    heap.put_aside_when_late(true);
    heap.give_back_the_rest();
    heap.reset_peak();
    names.begin();
    running_ = true;
    const FunctionProto& main = *program.functions[0];
    if (!open_stack(std::max<std::size_t>(kInitialStack, kFrameLink + main.frame_size))) return finish(Status::Error);
    fiber_.stack[0] = Value::function(&main).raw();
    heap.meter.charge_unchecked(charged);
    return finish(begin_frame(main) ? carry_on(execute()) : Status::Error);
}

Status Vm::carry_on(Status status) {
    for (status = advance(status); status == Status::Error && catch_failure();)
        status = advance(execute());
    return status;
}

void Vm::start_meter(Meter::Clock::duration left, const std::atomic<bool>* interrupt) {
    const auto deadline = limits_.timeout.count() > 0
                              ? Meter::Clock::now() + std::min<Meter::Clock::duration>(left, limits_.timeout)
                              : Meter::Clock::time_point::max();
    heap.meter.start(limits_.fuel, deadline, interrupt, limits_.max_loop_iterations ? 0 : Meter::kSlice);
    if (limits_.timeout_after_fuel) heap.meter.time_out_after(*limits_.timeout_after_fuel);
}

bool Vm::open_stack(std::size_t slots) {
    Object* object = new_stack(heap, slots);
    if (!object) {
        set_error(ErrorPtr(heap.out_of_memory()));
        return false;
    }
    fiber_.stack_object = object;
    fiber_.stack = fiber_.base = stack_slots(object);
    fiber_.stack_size = (Heap::size_of(object) - sizeof(Object)) / sizeof(Bits);
    return true;
}

Vm::Entry Vm::enter(std::uint32_t arguments) {
    const FunctionProto* function = nullptr;
    open_caches();
    Bits* window = fiber_.stack;
    fiber_.base = window; // growing the stack moves it along
    const CallKind kind = SlowPaths::prepare_call(*this, &window, arguments, &function);
    if (kind != CallKind::Enter) return kind == CallKind::Done ? Entry::Done : Entry::Error;
    ++fiber_.depth;
    return begin_frame(*function) ? Entry::Running : Entry::Error;
}

bool Vm::begin_frame(const FunctionProto& function) {
    fiber_.base = fiber_.stack + kFrameLink;
    link_frame(fiber_.base, kHaltAddress, nullptr);
    fiber_.constants = function.constants.data();
    fiber_.pc = fiber_.fault = function.code.data();
    if (heap.meter.charge(function.entry_cost)) return true;
    set_error(ErrorPtr(heap.meter.error()));
    return false;
}

// Runs branches as often as the fiber asks for them.
Status Vm::advance(Status status) {
    while (status == Status::Suspended) {
        if (!forking_ && !branches_) {
            calls_.push_back({tool_name_, &tool_arguments_, &heap, this, &fiber_});
            return status;
        }
        if (!branches_) branches_ = make_branches(*this, std::move(*forking_));
        forking_.reset();
        if (branches_->advance()) {
            calls_ = branches_->calls();
            return status;
        }
        Result<Value> results = branches_->finish();
        branches_.reset();
        if (!results.ok()) {
            set_error(results.take_error());
            return Status::Error;
        }
        result_register(fiber_) = std::move(results).value().give_up();
        status = execute();
    }
    return status;
}

void Vm::answer(std::size_t i, Result<Value> result) {
    if (branches_)
        branches_->answer(i, std::move(result));
    else
        answer_ = std::move(result);
}

Status Vm::resume(Meter::Clock::duration waited) {
    if (limits_.timeout.count() > 0) heap.meter.extend_deadline(waited); // else there is none, and it must not overflow
    heap.put_aside_when_late(true);
    calls_.clear();
    if (branches_) return finish(carry_on(Status::Suspended));
    tool_arguments_ = Value();
    Result<Value> result = answer_ ? std::move(*answer_) : unanswered_call(tool_name_);
    answer_.reset();
    if (!result.ok()) {
        set_error(result.take_error());
        return finish(carry_on(Status::Error));
    }
    result_register(fiber_) = std::move(result).value().give_up();
    return finish(carry_on(execute()));
}

void Vm::abandon() {
    if (!running_) return;
    set_error(ErrorPtr(Error(Reason::Interrupted, "The host gave up the run.")));
    (void)finish(Status::Error);
}

Status Vm::finish(Status status) {
    heap.forget_text_places();
    if (status == Status::Suspended) {
        heap.put_aside_when_late(false); // the time does not go on
        return status;
    }
    const bool is_unwound = status == Status::Done;
    // What ran out of fuel or time in its last step (a comparison, say) has no answer.
    if (status != Status::Error && (!heap.meter.charge(0) || heap.meter.has_run_out())) {
        result_ = Value();
        set_error(ErrorPtr(heap.meter.error()));
        status = Status::Error;
    }
    if (!is_unwound) unwind();
    drop_stack();
    thrown_ = Value();
    caught_ = nullptr;
    tool_arguments_ = Value();
    answer_.reset();
    calls_.clear();
    forking_.reset();
    branches_.reset();
    if (gate && (status == Status::Done || status == Status::Returned)) status = pass_gate(status);
    // Only a run that ends well changes the session: its last value, or (return v). See settle.
    running_ = false;
    caches_.reset();
    if (status != Status::Done && status != Status::Returned) undo_names();
    return status;
}

void Vm::undo_names() {
    names.rollback();
    if (!outer_) heap.refund_bytes(names.trim()); // a branch's slots are those of its changes
}

void Vm::settle(bool keep) {
    if (keep)
        names.commit(&changed_);
    else
        undo_names();
    if (atoms_ == 0) return;
    Meter unlimited; // it is not the program's work
    std::swap(heap.meter, unlimited);
    names.drop_atoms(heap);
    std::swap(heap.meter, unlimited);
}

Status Vm::pass_gate(Status status) {
    Result<Value> passed = gate(status, std::move(result_));
    if (!passed.ok()) {
        set_error(passed.take_error());
        return Status::Error;
    }
    result_ = std::move(passed).value();
    return status;
}

void Vm::drop_stack() {
    if (fiber_.stack_object) heap.free_object(fiber_.stack_object);
    fiber_ = {};
}

Result<Value> Vm::check(const Program& validator, Value subject, const CheckOptions& options, CheckReport& report) {
    const FunctionProto& main = *validator.functions[0];
    CheckRun run{*validator.validation, options, report, validator.validation->coerces};
    if (!running_) forget_fields();
    const Fiber suspended = std::exchange(fiber_, Fiber{});
    check_run_ = &run;
    subject_ = subject.give_up();
    Status status = Status::Error;
    if (open_stack(std::max<std::size_t>(kInitialStack, kFrameLink + main.frame_size))) {
        fiber_.stack[0] = Value::function(&main).raw();
        if (begin_frame(main)) status = execute();
    }
    if (status != Status::Error && !heap.meter.charge(0)) {
        set_error(ErrorPtr(heap.meter.error()));
        status = Status::Error;
    }
    ErrorPtr error = std::move(error_); // the validator is no part of its trace
    if (status == Status::Error) {
        result_ = Value();
        unwind();
    }
    drop_stack();
    bits::release(std::exchange(subject_, bits::kNil));
    check_run_ = nullptr;
    fiber_ = suspended;
    if (!running_) {
        caches_.reset();
        heap.forget_text_places();
    }
    if (status == Status::Error) return error;
    return take_result();
}

Result<Value> Vm::check_for_call(std::size_t i, const Program& validator, Value subject, const CheckOptions& options,
                                 CheckReport& report) {
    Vm& owner = *calls_[i].vm;
    const std::int64_t before = owner.heap.meter.used();
    Result<Value> checked = owner.check(validator, std::move(subject), options, report);
    // A branch's fuel is counted while it runs; what is done for it meanwhile is the run's.
    if (&owner != this && !heap.meter.charge(owner.heap.meter.used() - before)) return heap.meter.error();
    return checked;
}

bool Vm::grow_stack(std::size_t needed) {
    const Fiber old = fiber_;
    if (!open_stack(std::max(old.stack_size * 2, needed))) return false;
    std::copy(old.stack, old.stack + old.stack_size, fiber_.stack);
    fiber_.base = fiber_.stack + (old.base - old.stack);
    heap.free_object(old.stack_object);
    return true;
}

Result<std::uint32_t> Vm::make_slot(std::string_view name) {
    if (const std::size_t bytes = names.bytes_of_new(name); bytes > 0 && !heap.charge_bytes(bytes))
        return heap.out_of_memory();
    return names.intern(name);
}

Result<std::uint32_t> Vm::find_bound(std::string_view name) {
    const std::uint32_t slot = names.find(name);
    if (slot != Namespace::kNone && !names.slot(slot).value.is_hole()) [[likely]]
        return slot;
    if (!outer_ || !outer_->names.is_bound(name)) return Namespace::kNone;
    Value copy = PTC_TRY(deep_copy(heap, shapes, outer_->names.slot(outer_->names.find(name)).value, false));
    const std::uint32_t mine = PTC_TRY(make_slot(name));
    names.bind(mine, std::move(copy));
    return mine;
}

bool Vm::is_bound(std::string_view name) const {
    return names.is_bound(name) || (outer_ && outer_->names.is_bound(name));
}

Result<Value> Vm::past_result(std::size_t n) {
    const std::vector<Value>& results = outer_ ? outer_->history : history;
    if (n < 1 || n > results.size()) return Value();
    if (!outer_) return results[n - 1].copy();
    history.resize(results.size()); // copied when first used
    if (history[n - 1].is_nil()) history[n - 1] = PTC_TRY(deep_copy(heap, shapes, results[n - 1], false));
    return history[n - 1].copy();
}

Span Vm::span_at(const Bits* base, const Word* ip) const {
    const FunctionProto* proto = proto_of_frame(base);
    const auto at = static_cast<std::size_t>(ip - proto->code.data());
    return at < proto->spans.size() ? proto->spans[at] : Span{};
}

// An overdrawn meter ends comparisons and hashing early: what went wrong because of that is no error of the program.
void Vm::set_error(ErrorPtr error) {
    if (heap.meter.remaining() < 0 && !heap.meter.charge(0)) error = ErrorPtr(heap.meter.error());
    error_ = std::move(error);
}

namespace {

void release_frame(OwnershipMap& ownership, const FunctionProto& proto, Bits* base, std::uint32_t at, bool innermost) {
    RegisterSet owned = ownership.before(proto, at);
    // Suspended in a call: its window belongs to the callee's frame.
    if (!innermost) owned &= ~effect_of(proto, proto.code.data() + at).kills;
    for (std::size_t i = 0; i < proto.frame_size; ++i) {
        if (owned[i]) bits::release(base[i]);
    }
    bits::release(std::exchange(base[kFunctionSlot], bits::kNil));
}

} // namespace

void Vm::note_trace(const Fiber& fiber, Error& error) const {
    std::size_t foreign =
        0; // entries at the end of the trace whose functions stand in other texts: core, earlier programs
    for_each_frame(fiber, [&](const FunctionProto& proto, Bits*, std::uint32_t at, bool) {
        const bool is_own = proto.program == program_;
        const Span span = is_own ? proto.spans[at] : Span{};
        if (is_own && !error.has_span) {
            error.span = span;
            error.has_span = true;
        }
        // Their place in this text is where they were called from.
        for (; is_own && foreign > 0; --foreign)
            error.trace[error.trace.size() - foreign].span = span;
        if (error.trace.size() < kMaxTrace) {
            error.trace.push_back({proto.name_text, span});
            foreign += !is_own;
        }
        return !error.has_span || foreign > 0 || error.trace.size() < kMaxTrace;
    });
}

void Vm::note_place(Error& error) const {
    if (error.has_span) return;
    for_each_frame(fiber_, [&](const FunctionProto& proto, Bits*, std::uint32_t at, bool) {
        if (proto.program != program_) return true;
        error.span = proto.spans[at];
        error.has_span = true;
        return false;
    });
}

Span Vm::call_span(std::size_t i) const {
    Span span;
    for_each_frame(*calls_[i].fiber, [&](const FunctionProto& proto, Bits*, std::uint32_t at, bool) {
        if (proto.program != program_) return true;
        if (at < proto.spans.size()) span = proto.spans[at];
        return false;
    });
    return span;
}

bool Vm::catch_failure() {
    if (!fiber_.stack || !is_catchable(error_->reason) || heap.meter.remaining() < 0) return false;
    const Word* handled = nullptr; // behind the try whose body the frame `body` is
    const Bits* body = nullptr;
    std::uint32_t frames = 0;
    for_each_frame(fiber_, [&](const FunctionProto&, const Bits* base, std::uint32_t, bool) {
        ++frames;
        const Word* return_to = return_address(base);
        if (word_op(return_to[-2]) != Op::Try) return true;
        handled = return_to;
        body = base;
        return false;
    });
    if (!handled) return false;
    if (!heap.meter.charge(frames)) {
        set_error(ErrorPtr(heap.meter.error()));
        return false;
    }
    Result<Value> exception = thrown_.is_nil() ? exception_of(heap, *error_) : std::move(thrown_);
    thrown_ = Value();
    if (!exception.ok()) {
        set_error(exception.take_error());
        return false;
    }
    note_place(*error_);
    caught_ = std::move(error_);
    OwnershipMap ownership;
    const Bits* constants = caller_constants(body);
    Bits* const base = caller_base(const_cast<Bits*>(body), handled);
    for_each_frame(fiber_, [&](const FunctionProto& proto, Bits* frame, std::uint32_t at, bool innermost) {
        release_frame(ownership, proto, frame, at, innermost);
        return frame != body;
    });
    fiber_.base = base;
    fiber_.constants = constants;
    fiber_.pc = handled + static_cast<std::int32_t>(handled[-1]);
    fiber_.depth -= frames;
    fiber_.base[word_a(handled[-2])] = std::move(exception).value().give_up();
    return true;
}

// Releases what the registers own.
void Vm::unwind() {
    if (!fiber_.stack) return;
    if (error_) note_trace(fiber_, *error_);
    OwnershipMap ownership;
    for_each_frame(fiber_, [&ownership](const FunctionProto& proto, Bits* base, std::uint32_t at, bool innermost) {
        release_frame(ownership, proto, base, at, innermost);
        return true;
    });
}

} // namespace ptc
