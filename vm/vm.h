// The virtual machine: one heap, one stack, one namespace. Runs programs under limits, suspends at tool calls.
//
// A Vm is what a session keeps: its names and earlier results live in its heap, and each run adds a stack (fiber.h) and
// a meter. A run is started, suspends as often as it needs answers, and ends with a Status; it never calls back into
// the host for a tool, so a suspended run is plain data. The loop is in interpreter.cpp, what instructions do beside
// their fast paths in slow_paths.h, the branches of a fork behind the interface in branches.h.
#pragma once
#include "ptc/limits.h"
#include "runtime/builtin.h"
#include "runtime/clock.h"
#include "runtime/function.h"
#include "runtime/heap.h"
#include "runtime/map.h"
#include "vm/branches.h"
#include "vm/executor.h"
#include "vm/fiber.h"
#include "vm/inline_caches.h"
#include "vm/namespace.h"
#include "vm/program.h"
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// How a run stands.
enum class Status : std::uint8_t {
    Done,      ///< the top level's last value
    Returned,  ///< (return v)
    Failed,    ///< (fail v)
    Error,     ///< see Vm::error
    Suspended, ///< waits for the tool calls in Vm::calls
};

/// A program's execution. Belongs to one thread at a time, but may be resumed on another than it was started on.
/// Values that it gives out live in its heap. Owns heap, registers and frames; borrows the host, the pool of chunks,
/// the executor and the program, which outlive it.
class Vm {
public:
    /// `executor` runs the branches of pmap and pcalls. What they give, cost and hold does not depend on it.
    explicit Vm(HostServices& host, ChunkPool* pool = nullptr, Executor* executor = nullptr);
    ~Vm();
    Vm(const Vm&) = delete;
    Vm& operator=(const Vm&) = delete;

    /// Begins `program` (kept alive by the caller until the run ends, and as long as functions of it are reachable).
    /// `charged` is fuel already used by reading and compiling, `left` what these left of the time of `limits`.
    Status start(const Program& program, const Limits& limits, const std::atomic<bool>* interrupt, std::int64_t charged,
                 Meter::Clock::duration left = Meter::Clock::duration::max());
    /// What a suspended run waits for, in program order: one call, or those of all branches of a pmap or pcalls.
    [[nodiscard]] const std::vector<PendingCall>& calls() const { return calls_; }
    /// Where the program makes call `i`: the innermost place in its own text, not in a function of another one. Empty
    /// when there is none.
    [[nodiscard]] Span call_span(std::size_t i) const;
    /// False for calls behind one that was answered with a failure which nothing can catch: their branches do not
    /// continue.
    [[nodiscard]] bool needs_answer(std::size_t i) const { return !branches_ || branches_->needs_answer(i); }
    /// Answers call `i` with a value of its heap, or makes it fail. One that is not answered fails.
    void answer(std::size_t i, Result<Value> result);
    /// Goes on. `waited` does not count as run time.
    Status resume(Meter::Clock::duration waited);
    /// Gives up a suspended run: as if it had failed.
    void abandon();

    /// After Done or Returned, once the result has been reported: keeps what the run defined, or undoes it as if the
    /// run had failed. Until then, or until the next start, which keeps it, what the run replaced is held as well.
    void settle(bool keep);

    /// The slot of a name among the session's, which is made if there is none; memory_exceeded when the heap has no
    /// room for the name. Beside a run, within a transaction of `names`.
    Result<std::uint32_t> make_slot(std::string_view name);

    /// What the heap may hold and read from now on; `start` does so itself.
    void bound_heap(const Limits& limits);

    /// Runs `validator` on `subject` (a value of this heap, or a frozen one): the value is then the same one, or one
    /// with what was coerced. What is wrong with it is in `report`; the value is then the part that could be coerced.
    /// Charged to the run that is suspended, else to what the last one left. An error only when fuel, memory or time
    /// ends. Not while it runs.
    Result<Value> check(const Program& validator, Value subject, const CheckOptions& options, CheckReport& report);

    /// The same for a value of call `i`, its arguments or its answer, where that is: a branch's in its heap.
    Result<Value> check_for_call(std::size_t i, const Program& validator, Value subject, const CheckOptions& options,
                                 CheckReport& report);
    /// Called with what a run gives that has ended well, before its definitions are kept: the value in its place, or
    /// why the run has failed after all. `status` is Done or Returned.
    std::function<Result<Value>(Status status, Value result)> gate;

    [[nodiscard]] Value take_result() { return std::move(result_); }
    [[nodiscard]] const Value& result() const { return result_; }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }
    /// Names that the last run defined which was settled and kept.
    [[nodiscard]] const std::vector<std::string>& changed_names() const { return changed_; }
    [[nodiscard]] std::int64_t fuel_used() const { return heap.meter.used(); }

    Heap heap;
    ShapeTable shapes;
    Namespace names;
    std::vector<Value> data;    ///< maps that data/x looks into, in order
    std::vector<Value> history; ///< newest first: *1 *2 *3

private:
    friend struct Interpreter;
    friend struct SlowPaths;
    friend class Fork;
    friend class Lane;
    friend struct VmSnapshot;
    friend struct ForkSnapshot;
    /// Of a field instruction with this word behind it, where it meets a record of this shape.
    [[nodiscard]] const InlineCache* find_field(Word site, const ShapeObject* shape, Bits key) {
        return caches_->find_field(site, shape, key);
    }
    static constexpr std::uint64_t kAbsent = UINT64_MAX;
    static constexpr std::size_t kMaxTrace = 16;
    /// What a run has found so far holds for that run: shapes may be swept between two.
    void forget_fields();
    void open_caches() {
        if (!caches_) make_caches();
    }
    void make_caches();

    /// Runs the fiber until it ends or suspends: for a tool call, or for `forking_`.
    Status execute();
    Status advance(Status status);
    Status finish(Status status);
    Status pass_gate(Status status);
    /// Takes back what the run has defined.
    void undo_names();
    void unwind();
    /// After execute or advance said Error: goes on behind the nearest try around the failure, as often as there is
    /// one.
    Status carry_on(Status status);
    /// Goes back to the innermost try whose body the fiber failed in, if the failure can be caught: its handler is what
    /// the fiber runs next, and has the exception. False, with the error as it was, otherwise.
    bool catch_failure();
    void note_trace(const Fiber& fiber, Error& error) const;
    /// The place in the program where the fiber failed.
    void note_place(Error& error) const;
    /// The meter for a run that has so much of its time left.
    void start_meter(Meter::Clock::duration left, const std::atomic<bool>* interrupt);
    bool open_stack(std::size_t slots);
    bool grow_stack(std::size_t needed);
    void drop_stack();
    /// Makes `function`, which is in slot 0 of the stack with its parameters in place, the outermost frame of the
    /// fiber.
    bool begin_frame(const FunctionProto& function);
    /// The same for any callee in slot 0 and its arguments from slot kFrameLink on. Done: the result is in slot 0.
    /// Error: there may be no frame yet (the fiber's base is its stack then).
    enum class Entry : std::uint8_t { Running, Done, Error };
    Entry enter(std::uint32_t arguments);
    /// The register that the instruction which suspended the fiber leaves its result in.
    static Bits& result_register(const Fiber& fiber) { return fiber.base[word_a(*fiber.fault)]; }
    void set_error(ErrorPtr error);
    [[nodiscard]] Span span_at(const Bits* base, const Word* ip) const;
    /// The slot of a name that is bound here; in a branch also one that the run around it has bound, whose value is
    /// copied here first. kNone when there is none.
    Result<std::uint32_t> find_bound(std::string_view name);
    [[nodiscard]] bool is_bound(std::string_view name) const;
    /// Result `n` turns ago (1..3) or nil.
    Result<Value> past_result(std::size_t n);

    HostServices* host_;
    const Builtin* const* builtins_ = all_builtins().data();
    Executor* executor_;
    const Vm* outer_ = nullptr; ///< in a branch: the run around it, which stands still meanwhile
    Limits limits_;
    const Program* program_ = nullptr;
    Fiber fiber_;
    std::uint32_t tool_calls_ = 0;
    std::uint64_t loop_iterations_ = 0;
    std::uint32_t atoms_ = 0;                  ///< made by the run
    std::uint64_t newest_atom_ = 0;            ///< its number in the session
    std::array<std::uint32_t, 8> var_slots_{}; ///< where names of vars were found last (SlowPaths::slot_of_var)
    bool has_try_ = false;                     ///< the run has come to a try
    bool running_ = false;
    bool rebound_ = false; ///< a name that code calls directly has been redefined: calls by name look it up
    std::unique_ptr<InlineCaches> caches_; ///< of a run; between runs there are none, to keep idle sessions small
    Value result_;
    ErrorPtr error_;
    Value thrown_;               ///< what (throw ..) ended with, until a handler takes it
    ErrorPtr caught_;            ///< what was caught last, with its place: for when it is thrown again
    std::string_view tool_name_; ///< what the fiber waits for
    Value tool_arguments_;
    std::optional<Result<Value>> answer_;
    std::vector<PendingCall> calls_;
    std::optional<ForkRequest> forking_; ///< what the fiber waits for, until `branches_` run it
    std::unique_ptr<Branches> branches_;
    CheckRun* check_run_ = nullptr; ///< while a validator runs
    Bits subject_ = bits::kNil;     ///< of the validator, until it takes it
    std::vector<std::string> changed_;
};

} // namespace ptc
