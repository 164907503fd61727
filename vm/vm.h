// The virtual machine: one heap, one stack, one namespace. Runs programs under limits, suspends at tool calls.
#pragma once
#include "runtime/builtin.h"
#include "runtime/function.h"
#include "runtime/heap.h"
#include "runtime/map.h"
#include "vm/limits.h"
#include "vm/namespace.h"
#include "vm/program.h"
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace ptc {

/// How a run stands.
enum class Status : std::uint8_t {
    Done,      ///< the top level's last value
    Returned,  ///< (return v)
    Failed,    ///< (fail v)
    Error,     ///< see Vm::error
    Suspended, ///< waits for the tool call in Vm::tool_name / tool_arguments
};

/// A program's execution. Belongs to one thread at a time, but may be resumed on another than it was started on.
/// Values that it gives out live in its heap.
class Vm {
public:
    explicit Vm(HostServices& host, ChunkPool* pool = nullptr);
    ~Vm();
    Vm(const Vm&) = delete;
    Vm& operator=(const Vm&) = delete;

    /// Begins `program` (kept alive by the caller until the run ends, and as long as functions of it are reachable).
    /// `charged` is fuel already used by reading and compiling.
    Status start(const Program& program, const Limits& limits, const std::atomic<bool>* interrupt, std::int64_t charged);
    /// Answers the pending tool call and goes on. `waited` does not count as run time.
    Status resume(Value tool_result, Meter::Clock::duration waited);
    /// The pending tool call failed.
    Status resume_with_error(Error error, Meter::Clock::duration waited);
    /// Gives up a suspended run: as if it had failed.
    void abandon();

    /// Runs `validator` on `subject` (a value of this heap, or a frozen one): the value is then the same one, or one with what
    /// was coerced. What is wrong with it is in `report`; the value is then the part that could be coerced. Charged to the run
    /// that is suspended, else to what the last one left. An error only when fuel, memory or time ends. Not during execution.
    Result<Value> check(const Program& validator, Value subject, const CheckOptions& options, CheckReport& report);

    [[nodiscard]] Value take_result() { return std::move(result_); }
    [[nodiscard]] const Value& result() const { return result_; }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] std::unique_ptr<Error> take_error() { return std::move(error_); }
    [[nodiscard]] std::string_view tool_name() const { return tool_name_; }
    [[nodiscard]] const Value& tool_arguments() const { return tool_arguments_; }
    /// Names that the last successful run defined.
    [[nodiscard]] const std::vector<std::string>& changed_names() const { return changed_; }
    [[nodiscard]] std::int64_t fuel_used() const { return heap.meter.used(); }

    Heap heap;
    ShapeTable shapes;
    Namespace names;
    std::vector<Value> data;     ///< maps that data/x looks into, in order
    std::vector<Value> history;  ///< newest first: *1 *2 *3

private:
    friend struct Interpreter;
    friend struct SlowPaths;
    struct InlineCache {
        const void* shape;
        Bits key;
        std::uint64_t slot;
    };
    static constexpr std::size_t kCaches = 128;
    static constexpr std::uint64_t kAbsent = UINT64_MAX;

    Status execute();
    Status finish(Status status);
    void unwind();
    bool grow_stack(std::size_t needed);
    bool push_frame(const FunctionProto& function);
    void drop_stack();
    void set_error(std::unique_ptr<Error> error);
    [[nodiscard]] Span span_at(const Bits* base, const Word* ip) const;

    HostServices* host_;
    Limits limits_;
    const Program* program_ = nullptr;
    Object* stack_object_ = nullptr;
    Bits* stack_ = nullptr;
    std::size_t stack_size_ = 0;
    // The interpreter's registers while it does not run.
    Bits* base_ = nullptr;
    const Word* pc_ = nullptr;
    const Bits* constants_ = nullptr;
    const Word* fault_ = nullptr; ///< the instruction that failed or suspended
    std::uint32_t depth_ = 0;
    std::uint32_t tool_calls_ = 0;
    std::uint64_t loop_iterations_ = 0;
    bool running_ = false;
    bool rebound_ = false; ///< a name that code calls directly has been redefined: calls by name look it up
    std::array<InlineCache, kCaches> caches_{};
    Value result_;
    std::unique_ptr<Error> error_;
    std::string_view tool_name_;
    Value tool_arguments_;
    CheckRun* check_run_ = nullptr; ///< while a validator runs
    Bits subject_ = bits::kNil;     ///< of the validator, until it takes it
    std::vector<std::string> changed_;
};

/// The prototype behind a function value (static or closure).
inline const FunctionProto* proto_of(Bits function) {
    if (bits::is_object(function)) {
        return static_cast<const FunctionProto*>(static_cast<const ClosureObject*>(bits::to_object(function))->function);
    }
    return static_cast<const FunctionProto*>(reinterpret_cast<const FunctionInfo*>(function & bits::kPointerMask));
}

} // namespace ptc
