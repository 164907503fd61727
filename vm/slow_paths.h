// What the interpreter calls when an instruction's fast path does not apply. Each function decodes the instruction at
// `ip` itself, leaves the result in its register and returns true; or sets the VM's error and returns false, with the
// registers that the instruction consumes either untouched or nil.
#pragma once
#include "vm/vm.h"

namespace ptc {

/// What a call through a value comes to.
enum class CallKind : std::uint8_t { Enter, Done, Error };

struct SlowPaths {
    using Step = bool (*)(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool arithmetic(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool compare_value(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool test(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool load_global(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool load_data(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool load_all_data(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool load_history(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool define(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool tool(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool fork(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool make_closure(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool make_vector(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool make_set(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool make_map(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool make_record(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool get_or(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool get(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool field(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool nth(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool elem(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool tail(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool count(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool first(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool rest(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool conj(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool assoc(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool assoc_field(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool take_field(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool group_append(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool iter_init(Vm&, Bits* r, const Bits* k, const Word* ip);
    static bool call_native(Vm&, Bits* r, const Bits* k, const Word* ip);

    /// The truth of a comparison jump whose operands are no plain numbers. Cannot fail.
    static bool holds(Vm&, const Bits* r, const Bits* k, const Word* ip);
    /// The truth of JumpTest; false with the VM's error set when the operand has the wrong type.
    static bool test_holds(Vm&, const Bits* r, const Word* ip, bool* failed);
    /// Releases the Use operands that die at `ip`.
    static void drop_taken(Vm&, Bits* r, const Word* ip);
    /// The next element of an iteration over a vector that is neither flat nor a range; false at the end.
    static bool element(const Bits* r, const Word* ip, Bits* out);

    /// Calls the value in window register 0 with the `n` values from window register 3 on. Enter: `*proto` is to be
    /// entered, its parameters are in place, there is room for its frame and depth. Done: the result is in window register
    /// 0. May move the stack: `*window` and the fiber's base are updated.
    static CallKind prepare_call(Vm&, Bits** window, std::uint32_t n, const FunctionProto** proto);
    /// Spreads the last of `n` arguments, then as prepare_call.
    static CallKind prepare_apply(Vm&, Bits** window, std::uint32_t n, const FunctionProto** proto);
    static bool run_native(Vm&, Bits* args, std::uint32_t n, std::uint32_t index);
    static void depth_exceeded(Vm&);
    static bool fail(Vm&, std::unique_ptr<Error> error);
    static bool fail(Vm& vm, Error error) { return fail(vm, std::make_unique<Error>(std::move(error))); }
    static bool loop_limit(Vm&, Word word);
    static bool bound(Vm&, const Bits* k, const Word* ip);
    /// What the name of the known function at `ip` is bound to now; a hole when it is not bound.
    static bool load_callee(Vm&, const Bits* k, const Word* ip, Bits* out);
};

} // namespace ptc
