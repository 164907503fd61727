#include "compiler/bounds/extent_truth.h"

namespace ptc {

using namespace kinds;

namespace {

Truth known(bool yes, bool no) { return yes ? Truth::Yes : no ? Truth::No : Truth::Maybe; }

} // namespace

Truth truth_of(const Extent& extent) {
    if (extent.must_be(kNil | kFalse)) return Truth::No;
    return extent.may_be(kNil | kFalse) ? Truth::Maybe : Truth::Yes;
}

Extent extent_of_truth(Truth truth) {
    return scalar(truth == Truth::Yes ? kTrue : truth == Truth::No ? kFalse : kBoolean);
}

Truth relation(Op op, const Extent& b, const Extent& c) {
    if (!b.must_be(kInteger) || !c.must_be(kInteger)) return Truth::Maybe;
    switch (op) {
    case Op::Lt: return known(b.high < c.low, b.low >= c.high);
    case Op::Le: return known(b.high <= c.low, b.low > c.high);
    case Op::Gt: return known(b.low > c.high, b.high <= c.low);
    case Op::Ge: return known(b.low >= c.high, b.high < c.low);
    default: break;
    }
    const bool is_equal = b.low == b.high && c.low == c.high && b.low == c.low;
    const Truth equal = known(is_equal, b.high < c.low || c.high < b.low);
    return op == Op::Ne ? opposite(equal) : equal;
}

Comparison comparison_of(Op jump) {
    switch (jump) {
    case Op::JumpLt:
    case Op::JumpLtK: return {Op::Lt, false};
    case Op::JumpLe:
    case Op::JumpLeK: return {Op::Le, false};
    case Op::JumpGt:
    case Op::JumpGtK: return {Op::Gt, false};
    case Op::JumpGe:
    case Op::JumpGeK: return {Op::Ge, false};
    case Op::JumpNotLt:
    case Op::JumpNotLtK: return {Op::Lt, true};
    case Op::JumpNotLe:
    case Op::JumpNotLeK: return {Op::Le, true};
    case Op::JumpNotGt:
    case Op::JumpNotGtK: return {Op::Gt, true};
    case Op::JumpNotGe:
    case Op::JumpNotGeK: return {Op::Ge, true};
    case Op::JumpNotEq:
    case Op::JumpNotEqK: return {Op::Eq, true};
    default: return {Op::Eq, false};
    }
}

double comparison_cost(const Extent& b, const Extent& c) {
    return b.may_be(kCollection) && c.may_be(kCollection) ? 8 + 4 * (b.weight + c.weight) : 0;
}

Truth predicate(Predicate test, const Extent& b) {
    const auto is_kind = [&](std::uint16_t k) { return known(b.must_be(k), !b.may_be(k)); };
    const bool is_integer = b.must_be(kInteger);
    switch (test) {
    case Predicate::IsNil: return is_kind(kNil);
    case Predicate::IsSome: return opposite(is_kind(kNil));
    case Predicate::IsTrue: return is_kind(kTrue);
    case Predicate::IsFalse: return is_kind(kFalse);
    case Predicate::IsString: return is_kind(kText);
    case Predicate::IsKeyword: return is_kind(kKeyword);
    case Predicate::IsNumber: return is_kind(kNumber);
    case Predicate::IsMap: return is_kind(kMap);
    case Predicate::IsVector: return is_kind(kSequence);
    case Predicate::IsSet: return is_kind(kSet);
    case Predicate::IsEmpty:
        if (!b.must_be(kCollection | kText | kNil)) return Truth::Maybe;
        return known(b.must_be(kNil) || b.most == 0, b.must_be(kCollection) && b.least > 0);
    case Predicate::IsZero: return is_integer ? relation(Op::Eq, b, integer(0, 0)) : Truth::Maybe;
    case Predicate::IsPositive: return is_integer ? known(b.low > 0, b.high <= 0) : Truth::Maybe;
    case Predicate::IsNegative: return is_integer ? known(b.high < 0, b.low >= 0) : Truth::Maybe;
    case Predicate::IsEven: return is_integer && b.low == b.high ? known(b.low % 2 == 0, b.low % 2 != 0) : Truth::Maybe;
    case Predicate::IsOdd: return is_integer && b.low == b.high ? known(b.low % 2 != 0, b.low % 2 == 0) : Truth::Maybe;
    }
    return Truth::Maybe;
}

} // namespace ptc
