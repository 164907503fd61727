// What arithmetic, bits and comparisons do when their fast path does not apply (slow_paths.h).
#include "runtime/number.h"
#include "runtime/ordering.h"
#include "vm/frames.h"
#include "vm/slow_operands.h"
#include "vm/slow_paths.h"
#include "vm/wide_integers.h"
#include <optional>

namespace ptc {
namespace {

Result<Value> arithmetic_value(Heap& heap, Op op, const Value& b, const Value& c) {
    switch (op) {
    case Op::Add:
    case Op::AddK: return add(heap, b, c);
    case Op::Sub:
    case Op::SubK: return subtract(heap, b, c);
    case Op::Mul:
    case Op::MulK: return multiply(heap, b, c);
    case Op::AddToK: return add(heap, c, b);
    case Op::MulWithK: return multiply(heap, c, b);
    case Op::Div:
    case Op::DivK: return divide(heap, b, c);
    case Op::Quot:
    case Op::QuotK: return quotient(heap, b, c);
    case Op::Rem:
    case Op::RemK: return remainder(heap, b, c);
    case Op::Mod:
    case Op::ModK: return modulo(heap, b, c);
    default: return Value();
    }
}

bool is_bitwise(Op op) { return op >= Op::BitAnd && op <= Op::BitTest; }
static_assert(op_info(Op::BitAnd).builtin == "bit-and" && op_info(Op::BitTest).builtin == "bit-test");

/// write() of an integer, in the object of the first operand where that dies and nobody else has it.
bool write_integer(Heap& heap, Bits* r, const Word* ip, std::int64_t value, ErrorPtr* error) {
    const std::uint8_t mask = take_mask(r, ip);
    const Word w = *ip;
    if (!bits::fits_integer(value) && (mask & kTakeB) != 0 && Borrowed(r[word_b(w)])->is_sole_owner()) {
        auto* const object = bits::to_object(r[word_b(w)]);
        auto* const big = static_cast<BigIntegerObject*>(object);
        if (object->type == ObjectType::BigInteger && big->limb_count == 1) {
            big->negative = value < 0 ? 1 : 0;
            big->limbs()[0] = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
            const Bits same = r[word_b(w)];
            if (mask & kTakeC) bits::release(r[word_c(w)]);
            r[word_a(w)] = same;
            return true;
        }
    }
    Result<Value> made = make_integer(heap, value);
    if (!made.ok()) {
        *error = made.take_error();
        return false;
    }
    return write(r, ip, std::move(made).value());
}

std::optional<Relation> relation_of(Op op) {
    switch (op) {
    case Op::Lt:
    case Op::JumpLt:
    case Op::JumpLtK:
    case Op::JumpNotLt:
    case Op::JumpNotLtK: return Relation::Less;
    case Op::Le:
    case Op::JumpLe:
    case Op::JumpLeK:
    case Op::JumpNotLe:
    case Op::JumpNotLeK: return Relation::LessEqual;
    case Op::Gt:
    case Op::JumpGt:
    case Op::JumpGtK:
    case Op::JumpNotGt:
    case Op::JumpNotGtK: return Relation::Greater;
    case Op::Ge:
    case Op::JumpGe:
    case Op::JumpGeK:
    case Op::JumpNotGe:
    case Op::JumpNotGeK: return Relation::GreaterEqual;
    default: return std::nullopt; // equality
    }
}

bool compare(Heap& heap, Op op, const Value& b, const Value& c) {
    const std::optional<Relation> relation = relation_of(op);
    if (!relation) return equivalent(heap, b, c) == (op != Op::Ne);
    if (!bits::is_number_at_hand(b.raw()) || !bits::is_number_at_hand(c.raw()))
        return ptc::holds(heap, *relation, b, c);
    const double left = bits::number_at_hand(b.raw()), right = bits::number_at_hand(c.raw());
    switch (*relation) {
    case Relation::Less: return left < right;
    case Relation::LessEqual: return left <= right;
    case Relation::Greater: return left > right;
    case Relation::GreaterEqual: return left >= right;
    }
    return false;
}

} // namespace

// Builtins take their arguments in a row.
Result<Value> SlowPaths::builtin_value(Vm& vm, std::uint32_t builtin, const Value& first, const Value& second) {
    Value pair[] = {first.copy(), second.copy()};
    Call call{vm.heap, vm.shapes, *vm.host_, builtin_at(builtin)};
    return builtin_at(builtin).call(call, Args(pair, 2));
}

Result<Value> SlowPaths::bitwise_value(Vm& vm, Op op, const Value& b, const Value& c) {
    const auto builtin = static_cast<std::uint32_t>(find_builtin(op_info(op).builtin));
    const bool is_swapped = op == Op::BitAndWithK || op == Op::BitOrWithK || op == Op::BitXorWithK;
    return is_swapped ? builtin_value(vm, builtin, c, b) : builtin_value(vm, builtin, b, c);
}

bool SlowPaths::arithmetic(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Word w = *ip;
    const Op op = word_op(w);
    std::int64_t left = 0, right = 0;
    if (op_info(op).c != Operand::None && as_int64(r[word_b(w)], &left) && as_int64(right_operand(r, k, w), &right)) {
        if (const std::optional<WideResult> wide = wide_arithmetic(op, left, right)) {
            if (!vm.heap.meter.charge(wide->fuel)) return fail(vm, vm.heap.meter.error());
            ErrorPtr error;
            return write_integer(vm.heap, r, ip, wide->value, &error) || fail(vm, std::move(error));
        }
    }
    Borrowed b(r[word_b(w)]);
    Result<Value> result = [&]() -> Result<Value> {
        if (op == Op::Inc) return add(vm.heap, b, Value::small_integer(1), "inc");
        if (op == Op::Dec) return subtract(vm.heap, b, Value::small_integer(1), "dec");
        if (op == Op::Neg) return negate(vm.heap, b);
        Borrowed c(right_operand(r, k, w));
        return is_bitwise(op) ? bitwise_value(vm, op, b, c) : arithmetic_value(vm.heap, op, b, c);
    }();
    if (!result.ok()) return fail(vm, result.take_error());
    return write(r, ip, std::move(result).value());
}

/// What a LoadGlobal would give, if it is known at once and an integer of the inline range; else nil.
Bits SlowPaths::integer_of_global(Vm& vm, const Bits* k, const Word* ip) {
    const InlineCache& cache = vm.caches_->at(ip[1]);
    if (cache.shape != &vm.names || cache.key != k[word_bc(*ip)]) return bits::kNil;
    const Bits value = vm.names.slot(static_cast<std::uint32_t>(cache.slot)).value.raw();
    return bits::is_integer(value) ? value : bits::kNil;
}

const Word* SlowPaths::fused_product(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    constexpr std::uint32_t kNone = 256;
    const FunctionProto* const proto = proto_of_frame(r);
    std::uint32_t loaded = kNone; // the register of a name that is read on the way, for the next instruction only
    Bits name = bits::kNil;
    const auto takes = [&](const Word* at) { return proto->takes[static_cast<std::size_t>(at - proto->code.data())]; };
    const auto operand = [&](Bits v) {
        return bits::is_integer(v) ? std::optional<std::int64_t>(bits::to_integer(v)) : std::nullopt;
    };
    const auto left = operand(r[word_b(*ip)]), right = operand(right_operand(r, k, *ip));
    if (!left || !right) return nullptr;
    std::optional<WideResult> product = wide_arithmetic(word_op(*ip), *left, *right);
    std::int64_t fuel = 0;
    while (product) {
        const std::int64_t value = product->value;
        const std::uint32_t held = word_a(*ip++);
        if (word_op(*ip) == Op::LoadGlobal && word_a(*ip) != held) {
            name = integer_of_global(vm, k, ip);
            loaded = word_a(*ip);
            ip += op_info(Op::LoadGlobal).words();
        }
        const Word w = *ip;
        const Op op = word_op(w);
        if (!is_wide_step(op)) return nullptr;
        const bool on_the_left = word_b(w) == held && (takes(ip) & kTakeB) != 0;
        const bool on_the_right = !is_constant_form(op) && word_c(w) == held && (takes(ip) & kTakeC) != 0;
        const bool reads_twice = !is_constant_form(op) && word_b(w) == word_c(w); // the register was not written
        if (on_the_left == on_the_right || reads_twice) return nullptr;
        Bits beside = on_the_left ? right_operand(r, k, w) : r[word_b(w)];
        if (loaded != kNone) {
            const bool is_right =
                on_the_left && !is_constant_form(op) && word_c(w) == loaded && (takes(ip) & kTakeC) != 0;
            const bool is_left = on_the_right && word_b(w) == loaded && (takes(ip) & kTakeB) != 0;
            if (!is_right && !is_left) return nullptr;
            beside = name;
            loaded = kNone;
        }
        const auto other = operand(beside);
        if (!other) return nullptr;
        product = on_the_left ? wide_arithmetic(op, value, *other) : wide_arithmetic(op, *other, value);
        if (!product) return nullptr;
        fuel += product->fuel;
        if (!bits::fits_integer(product->value)) continue;
        if (!vm.heap.meter.charge(fuel)) return nullptr; // the instructions say so, one by one
        r[word_a(w)] = bits::from_integer(product->value);
        return ip + 1;
    }
    return nullptr;
}

bool SlowPaths::compare_value(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Word w = *ip;
    Borrowed b(r[word_b(w)]), c(right_operand(r, k, w));
    return write(r, ip, Value::boolean(compare(vm.heap, word_op(w), b, c)));
}

bool SlowPaths::holds(Vm& vm, const Bits* r, const Bits* k, const Word* ip) {
    const Word w = *ip;
    Borrowed b(r[word_b(w)]), c(right_operand(r, k, w));
    return compare(vm.heap, word_op(w), b, c);
}

} // namespace ptc
