#include "vm/vm.h"
#include "vm/ownership.h"
#include "vm/slow_paths.h"
#include "vm/vm_errors.h"
#include <algorithm>

namespace ptc {
namespace {

// The top level returns here: a call instruction that names window 0, then Halt.
constexpr Word kHaltCode[] = {make_word(Op::Call, 0, 0, 0), 0, make_word(Op::Halt, 0, 0, 0)};
constexpr std::size_t kInitialStack = 128;
constexpr std::size_t kMaxTrace = 16;

Object* new_stack(Heap& heap, std::size_t slots) {
    return heap.allocate<Object>(ObjectType::Scratch, sizeof(Object) + slots * sizeof(Bits));
}
Bits* stack_slots(Object* object) { return reinterpret_cast<Bits*>(object + 1); }

} // namespace

Vm::Vm(HostServices& host, ChunkPool* pool) : heap(Heap::Mode::Counted, pool), shapes(heap), host_(&host) {}

Vm::~Vm() {
    // The heap gives back its chunks without looking at objects; no Value may release into it afterwards.
    (void)result_.give_up();
    (void)tool_arguments_.give_up();
    for (Value& v : history) (void)v.give_up();
    for (Value& v : data) (void)v.give_up();
    names.forget();
}

Status Vm::start(const Program& program, const Limits& limits, const std::atomic<bool>* interrupt, std::int64_t charged) {
    limits_ = limits;
    program_ = &program;
    error_.reset();
    result_ = Value();
    changed_.clear();
    tool_calls_ = 0;
    loop_iterations_ = 0;
    depth_ = 0;
    caches_.fill({});
    heap.set_limit(limits.heap_bytes);
    heap.reset_peak();
    const auto deadline = limits.timeout.count() > 0 ? Meter::Clock::now() + limits.timeout : Meter::Clock::time_point::max();
    heap.meter.start(limits.fuel, deadline, interrupt, limits.max_loop_iterations ? 0 : Meter::kSlice);
    names.begin();
    running_ = true;
    const FunctionProto& main = *program.functions[0];
    fault_ = main.code.data();
    stack_object_ = new_stack(heap, std::max<std::size_t>(kInitialStack, kFrameLink + main.frame_size));
    if (!stack_object_) {
        stack_size_ = 0;
        stack_ = base_ = nullptr;
        set_error(std::make_unique<Error>(heap.out_of_memory()));
        return finish(Status::Error);
    }
    stack_ = stack_slots(stack_object_);
    stack_size_ = (Heap::size_of(stack_object_) - sizeof(Object)) / sizeof(Bits);
    stack_[0] = Value::function(&main).raw();
    stack_[1] = reinterpret_cast<Bits>(kHaltCode + 2);
    stack_[2] = 0;
    base_ = stack_ + kFrameLink;
    constants_ = main.constants.data();
    pc_ = main.code.data();
    heap.meter.charge_unchecked(charged + main.entry_cost);
    if (!heap.meter.charge(0)) {
        set_error(std::make_unique<Error>(heap.meter.error()));
        return finish(Status::Error);
    }
    return finish(execute());
}

Status Vm::resume(Value tool_result, Meter::Clock::duration waited) {
    heap.meter.extend_deadline(waited);
    base_[word_a(*fault_)] = tool_result.give_up();
    return finish(execute());
}

Status Vm::resume_with_error(Error error, Meter::Clock::duration waited) {
    heap.meter.extend_deadline(waited);
    set_error(std::make_unique<Error>(std::move(error)));
    return finish(Status::Error);
}

void Vm::abandon() {
    if (running_) (void)resume_with_error(Error(Reason::Interrupted, "The host gave up the run."), {});
}

Status Vm::finish(Status status) {
    if (status == Status::Suspended) return status;
    const bool is_unwound = status == Status::Done;
    // What ran out of fuel in its last step (a comparison, say) has no answer.
    if (status != Status::Error && !heap.meter.charge(0)) {
        result_ = Value();
        set_error(std::make_unique<Error>(heap.meter.error()));
        status = Status::Error;
    }
    if (!is_unwound) unwind();
    drop_stack();
    tool_arguments_ = Value();
    // Only a run that ends well changes the session: its last value, or (return v).
    if (status == Status::Done || status == Status::Returned) names.commit(&changed_);
    else names.rollback();
    running_ = false;
    return status;
}

void Vm::drop_stack() {
    if (stack_object_) heap.free_object(stack_object_);
    stack_object_ = nullptr;
    stack_ = base_ = nullptr;
    stack_size_ = 0;
}

bool Vm::grow_stack(std::size_t needed) {
    Object* bigger = new_stack(heap, std::max(stack_size_ * 2, needed));
    if (!bigger) {
        set_error(std::make_unique<Error>(heap.out_of_memory()));
        return false;
    }
    Bits* slots = stack_slots(bigger);
    std::copy(stack_, stack_ + stack_size_, slots);
    base_ = slots + (base_ - stack_);
    heap.free_object(stack_object_);
    stack_object_ = bigger;
    stack_ = slots;
    stack_size_ = (Heap::size_of(bigger) - sizeof(Object)) / sizeof(Bits);
    return true;
}

Span Vm::span_at(const Bits* base, const Word* ip) const {
    const FunctionProto* proto = proto_of(base[-3]);
    const auto at = static_cast<std::size_t>(ip - proto->code.data());
    return at < proto->spans.size() ? proto->spans[at] : Span{};
}

void Vm::set_error(std::unique_ptr<Error> error) { error_ = std::move(error); }

// Walks the frames from the innermost out: notes the call trace and releases what the registers own.
void Vm::unwind() {
    if (!stack_) return;
    OwnershipMap ownership;
    const Word* ip = fault_;
    Bits* base = base_;
    bool innermost = true;
    while (true) {
        const FunctionProto* proto = proto_of(base[-3]);
        const auto at = static_cast<std::uint32_t>(ip - proto->code.data());
        RegisterSet owned = ownership.before(*proto, at);
        if (!innermost) {
            // Suspended in a call: its window belongs to the callee's frame.
            owned &= ~effect_of(*proto, ip).kills;
        }
        for (std::size_t i = 0; i < proto->frame_size; ++i) {
            if (owned[i]) bits::release(base[i]);
        }
        if (error_) {
            const Span span = proto->spans[at];
            if (!error_->has_span && proto->program == program_) {
                error_->span = span;
                error_->has_span = true;
            }
            if (error_->trace.size() < kMaxTrace) error_->trace.push_back({proto->name_text, span});
        }
        const Bits function = base[-3];
        const Word* return_to = reinterpret_cast<const Word*>(base[-2]);
        base[-3] = bits::kNil;
        bits::release(function);
        if (return_to == kHaltCode + 2) break;
        ip = return_to - 2;
        base -= word_a(*ip) + kFrameLink;
        innermost = false;
    }
}

} // namespace ptc
