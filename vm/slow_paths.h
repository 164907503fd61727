// What the interpreter calls when an instruction's fast path does not apply. Each function decodes the instruction at
// `ip` itself, leaves the result in its register and returns true; or sets the VM's error and returns false, with the
// registers that the instruction consumes either untouched or nil.
#pragma once
#include "vm/vm.h"

namespace ptc {

/// Registers and constants hold raw bits; a Borrowed looks at them as a Value without owning one.
class Borrowed {
public:
    explicit Borrowed(Bits raw) : value_(Value::adopt(raw)) {}
    ~Borrowed() { (void)value_.give_up(); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    operator const Value&() const { return value_; } // NOLINT: the point of the class
    const Value* operator->() const { return &value_; }
    const Value& operator*() const { return value_; }

private:
    Value value_;
};

/// What a call through a value comes to.
enum class CallKind : std::uint8_t { Enter, Done, Error };

struct SlowPaths {
    /// The slow path of one instruction, declared for each row of opcodes.def; those that have none, or share one of
    /// the next three, do without a body. The bodies of check instructions stand in check_paths.cpp: what is wrong with
    /// the value goes to the run's report, so they return false only when fuel or memory ends.
    template <Op op> static bool step(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool arithmetic(Vm&, Bits* r, const Bits* k, const Word* ip);
    /// A product of inline integers that is none, with what follows and takes it: sums, and the remainder or quotient
    /// that is inline again, of a number or a name. Gives what stands behind them all; null when it is not so, and
    /// nothing has been done.
    static const Word* fused_product(Vm&, Bits* r, const Bits* k, const Word* ip);
    static Bits integer_of_global(Vm&, const Bits* k, const Word* ip);
    static bool compare_value(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool test(Vm&, Bits* r, const Bits* k, const Word* ip);

    /// CheckMap and CheckList: `*is_absent` when there is nothing to look into.
    static bool check_collection(Vm&, const Bits* r, const Word* ip, bool* is_absent);
    /// The next element of a list that is not flat, as a new owner; a hole at the end.
    static Bits item(const Bits* r, const Word* ip);
    /// True when nothing was wrong with register B: it is in A now. Otherwise it is dropped, and what was wrong
    /// forgotten.
    static bool end_trial(Vm&, Bits* r, const Word* ip);
    /// True when the alternatives are to be tried again, with coercion.
    static bool retry_trial(Vm&);

    /// The truth of a comparison jump whose operands are no plain numbers. Cannot fail.
    static bool holds(Vm&, const Bits* r, const Bits* k, const Word* ip);
    /// The truth of JumpTest; false with the VM's error set when the operand has the wrong type.
    static bool test_holds(Vm&, const Bits* r, const Word* ip, bool* failed);
    /// Releases the Use operands that die at `ip`.
    static void drop_taken(Vm&, Bits* r, const Word* ip);
    /// The next element of an iteration over a vector that is neither flat nor a range; a hole at the end.
    static Bits element(const Bits* r, const Word* ip);
    enum class Pair : std::uint8_t { Found, End, Error };
    /// The next two values of an iteration by IterPairs, whose window this is, over what is no record.
    static Pair next_pair(Vm&, Bits* window);
    /// The next two values of an iteration by IterZipped, whose window this is; false at the end of the shorter one,
    /// and where the second is no vector, which only bytecode from elsewhere has.
    static bool next_zipped(Bits* window);

    /// Calls the value in window register 0 with the `n` values from window register 3 on. Enter: `*proto` is to be
    /// entered, its parameters are in place, there is room for its frame and depth. Done: the result is in window
    /// register 0. May move the stack: `*window` and the fiber's base are updated.
    static CallKind prepare_call(Vm&, Bits** window, std::uint32_t n, const FunctionProto** proto);
    /// CallOne: as prepare_call, with what the instruction names. After an Error its registers own what they did.
    static CallKind call_one(Vm&, const Word* ip, const FunctionProto** proto);
    static bool look_up(Vm&, const Value& callee, const Value& argument, Result<Value>* found);
    static CallKind give_back(Vm&, const Word* ip, Bits function, Bits argument);
    /// Spreads the last of `n` arguments, then as prepare_call.
    static CallKind prepare_apply(Vm&, Bits** window, std::uint32_t n, const FunctionProto** proto);
    static bool run_native(Vm&, Bits* args, std::uint32_t n, std::uint32_t index);
    static void depth_exceeded(Vm&);
    /// Ends with `exception`, which stays where it is.
    static void throw_value(Vm&, Bits exception);
    static bool fail(Vm&, ErrorPtr error);
    static bool fail(Vm& vm, Error error) { return fail(vm, ErrorPtr(std::move(error))); }
    /// What the builtin gives for two arguments.
    static Result<Value> builtin_value(Vm&, std::uint32_t builtin, const Value& first, const Value& second);
    static Result<Value> bitwise_value(Vm&, Op op, const Value& b, const Value& c);
    static bool extreme(Vm&, Bits* r, const Word* ip, std::uint32_t builtin);
    static bool take_out(Vm&, Value& coll, const Value& key, Bits* out);
    static std::uint32_t slot_of_var(Vm&, const Value& var);
    static std::size_t hint_of_var(const Vm&, const Object* var);
    /// What a var holds, borrowed, when it is where slot_of_var has found its name last; else a hole.
    static Bits held_at_once(const Vm&, Bits from);
    static bool loop_limit(Vm&, Word word);
    static bool bound(Vm&, const Bits* k, const Word* ip);
    static Bits find_by_keyword(Vm&, const Value& coll, const Value& key, Bits absent);
    static std::uint64_t field_slot(Vm&, Word site, const ShapeObject& shape, const Value& key);
    /// The cache of a forget-key with this word behind it, and what stands for its key there: it finds no other
    /// spelling of it, so it shares no caches with those that do.
    static InlineCache& cache_of_forget(Vm&, Word constant, const ShapeObject* shape);
    static Bits mark_of_forget(Bits key) { return ~key; }
    /// What the name of the known function at `ip` is bound to now; a hole when it is not bound.
    static bool load_callee(Vm&, const Bits* k, const Word* ip, Bits* out);
};

inline InlineCache& SlowPaths::cache_of_forget(Vm& vm, Word constant, const ShapeObject* shape) {
    return vm.caches_->of_field(constant << 16, shape);
}

#define PTC_OP(Name, ...) template <> bool SlowPaths::step<Op::Name>(Vm&, Bits * r, const Bits* k, const Word* ip);
#include "vm/opcodes.def"
#undef PTC_OP

} // namespace ptc
