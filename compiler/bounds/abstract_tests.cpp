#include "compiler/bounds/abstract_tests.h"

namespace ptc {

using namespace kinds;

namespace {

Tristate known(bool yes, bool no) { return yes ? Tristate::Yes : no ? Tristate::No : Tristate::Maybe; }

} // namespace

Tristate truth_of(const AbstractValue& value) {
    if (value.must_be(kNil | kFalse)) return Tristate::No;
    return value.may_be(kNil | kFalse) ? Tristate::Maybe : Tristate::Yes;
}

AbstractValue abstract_boolean(Tristate truth) {
    return scalar(truth == Tristate::Yes ? kTrue : truth == Tristate::No ? kFalse : kBoolean);
}

Tristate relation(Op op, const AbstractValue& b, const AbstractValue& c) {
    if (!b.must_be(kInteger) || !c.must_be(kInteger)) return Tristate::Maybe;
    switch (op) {
    case Op::Lt: return known(b.high < c.low, b.low >= c.high);
    case Op::Le: return known(b.high <= c.low, b.low > c.high);
    case Op::Gt: return known(b.low > c.high, b.high <= c.low);
    case Op::Ge: return known(b.low >= c.high, b.high < c.low);
    default: break;
    }
    const bool is_equal = b.low == b.high && c.low == c.high && b.low == c.low;
    const Tristate equal = known(is_equal, b.high < c.low || c.high < b.low);
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

double comparison_cost(const AbstractValue& b, const AbstractValue& c) {
    return b.may_be(kCollection) && c.may_be(kCollection) ? 8 + 4 * (b.walk_cost + c.walk_cost) : 0;
}

Tristate predicate(Predicate test, const AbstractValue& b) {
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
        if (!b.must_be(kCollection | kText | kNil)) return Tristate::Maybe;
        return known(b.must_be(kNil) || b.most == 0, b.must_be(kCollection) && b.least > 0);
    case Predicate::IsZero: return is_integer ? relation(Op::Eq, b, integer(0, 0)) : Tristate::Maybe;
    case Predicate::IsPositive: return is_integer ? known(b.low > 0, b.high <= 0) : Tristate::Maybe;
    case Predicate::IsNegative: return is_integer ? known(b.high < 0, b.low >= 0) : Tristate::Maybe;
    case Predicate::IsEven:
        return is_integer && b.low == b.high ? known(b.low % 2 == 0, b.low % 2 != 0) : Tristate::Maybe;
    case Predicate::IsOdd:
        return is_integer && b.low == b.high ? known(b.low % 2 != 0, b.low % 2 == 0) : Tristate::Maybe;
    case Predicate::IsReduced: return b.may_be(kSequence) ? Tristate::Maybe : Tristate::No;
    case Predicate::HasItems: return opposite(predicate(Predicate::IsEmpty, b));
    case Predicate::IsWhole: return known(b.must_be(kNumber | kText | kKeyword | kCollection | kNil), false);
    }
    return Tristate::Maybe;
}

} // namespace ptc
