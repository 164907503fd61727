// What the rows of opcodes.def say of windows and ownership, asked of single instructions.
#include "runtime/builtin.h"
#include "vm/opcode.h"
#include "vm/ownership.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

RegisterSet registers(std::initializer_list<std::size_t> numbers) {
    RegisterSet set;
    for (const std::size_t number : numbers)
        set.set(number);
    return set;
}

/// The effect of an instruction that stands alone.
Effect effect(Word word, std::uint8_t takes = 0, bool exhausted = false) {
    FunctionProto proto;
    proto.code = {word, 0};
    proto.takes = {takes, 0};
    return effect_of(proto, proto.code.data(), exhausted);
}

TEST(Opcode, WindowsCoverWhatTheirLettersSay) {
    EXPECT_EQ(window_size(make_word(Op::Call, 2, 4, 0), 0), kFrameLink + 4u);
    EXPECT_EQ(window_size(make_word(Op::CallNative, 2, 0, 0), 0), 1u) << "the result needs a register";
    EXPECT_EQ(window_size(make_word(Op::MakeClosure, 2, 0, 0), 3), 3u);
    EXPECT_EQ(window_size(make_word(Op::IterNext, 2, 0, 0), 0), 2u);
    EXPECT_EQ(window_size(make_word(Op::CallOne, 2, 0, 1), 0), kFrameLink + 1u) << "its argument goes there";
    EXPECT_EQ(window_size(make_word(Op::Add, 2, 3, 4), 0), 0u);
}

TEST(Opcode, ACallTakesCalleeAndArgumentsAndGivesTheResult) {
    const Effect e = effect(make_word(Op::Call, 2, 2, 0));
    EXPECT_EQ(e.uses, registers({2, 5, 6}));
    EXPECT_EQ(e.kills, registers({2, 5, 6}));
    EXPECT_EQ(e.gives, registers({2}));
}

TEST(Opcode, ACallOfAKnownFunctionHasNoCallee) {
    const Effect e = effect(make_word(Op::CallFunction, 2, 1, 0));
    EXPECT_EQ(e.uses, registers({5}));
    EXPECT_EQ(e.gives, registers({2}));
}

TEST(Opcode, ACallOfOneArgumentReadsCalleeAndArgumentWhereTheyAre) {
    const Effect e = effect(make_word(Op::CallOne, 4, 1, 2), kTakeC);
    EXPECT_EQ(e.uses, registers({1, 2}));
    EXPECT_EQ(e.kills, registers({2}));
    EXPECT_EQ(e.gives, registers({4}));
}

TEST(Opcode, TakeFieldOnlyReadsItsMapAndGivesTheField) {
    const Effect e = effect(make_word(Op::TakeField, 4, 5, 6));
    EXPECT_EQ(e.uses, registers({4, 5}));
    EXPECT_TRUE(e.kills.none());
    EXPECT_EQ(e.gives, registers({6}));
}

TEST(Opcode, TakeKeyOnlyReadsItsMapAndGivesTheField) {
    const Effect e = effect(make_word(Op::TakeKey, 4, 0, 5));
    EXPECT_EQ(e.uses, registers({4}));
    EXPECT_TRUE(e.kills.none());
    EXPECT_EQ(e.gives, registers({5}));
}

TEST(Opcode, ForgetKeyKeepsItsMap) {
    const Effect e = effect(make_word(Op::ForgetKey, 4, 0, 0));
    EXPECT_EQ(e.uses, registers({4}));
    EXPECT_TRUE(e.kills.none());
    EXPECT_TRUE(e.gives.none());
}

TEST(Opcode, ForgetItemKeepsItsCollectionAndItsKey) {
    const Effect e = effect(make_word(Op::ForgetItem, 4, 5, 0));
    EXPECT_EQ(e.uses, registers({4, 5}));
    EXPECT_TRUE(e.kills.none());
    EXPECT_TRUE(e.gives.none());
}

TEST(Opcode, AssocChangesItsCollectionAndTakesTheValue) {
    const Effect e = effect(make_word(Op::Assoc, 4, 5, 6), kTakeB);
    EXPECT_EQ(e.uses, registers({4, 5, 6}));
    EXPECT_EQ(e.kills, registers({5, 6}));
    EXPECT_TRUE(e.gives.none());
}

TEST(Opcode, AnIterationGivesAnItemOrEnds) {
    const Word next = make_word(Op::IterNext, 1, 4, 3);
    EXPECT_EQ(effect(next).gives, registers({4}));
    EXPECT_TRUE(effect(next).kills.none());
    EXPECT_TRUE(effect(next, 0, true).gives.none());
    EXPECT_EQ(effect(next, 0, true).kills, registers({1, 2}));
}

TEST(Opcode, AnIterationByPairsGivesTwoOrEnds) {
    const Word next = make_word(Op::IterPair, 1, 0, 3);
    EXPECT_EQ(effect(next).uses, registers({1, 2, 3}));
    EXPECT_EQ(effect(next).gives, registers({4, 5}));
    EXPECT_TRUE(effect(next).kills.none());
    EXPECT_TRUE(effect(next, 0, true).gives.none());
    EXPECT_EQ(effect(next, 0, true).kills, registers({1, 2, 3}));
}

TEST(Opcode, TheTakeMaskSaysWhatDies) {
    const Effect e = effect(make_word(Op::Add, 1, 2, 3), kTakeC);
    EXPECT_EQ(e.uses, registers({2, 3}));
    EXPECT_EQ(e.kills, registers({3}));
    EXPECT_EQ(e.gives, registers({1}));
}

TEST(Opcode, ChargesAreReadOffTheRow) {
    EXPECT_EQ(charge_of(make_word(Op::Loop, 0, 0x34, 0x12)), 0x1234u);
    EXPECT_EQ(charge_of(make_word(Op::JumpLt, 7, 1, 2)), 7u);
    EXPECT_EQ(charge_of(make_word(Op::IterNext, 1, 4, 9)), 9u);
    EXPECT_EQ(charge_of(make_word(Op::Add, 1, 2, 3)), 0u);
}

// A row's finer kinds of operands are no part of the file format.
TEST(Opcode, TheFingerprintCountsGeneralKinds) {
    EXPECT_EQ(general_kind(Operand::Text16), Operand::Const16);
    EXPECT_EQ(general_kind(Operand::Charge), Operand::Num);
    EXPECT_EQ(general_kind(Operand::Shape32), Operand::Const32);
    EXPECT_EQ(general_kind(Operand::Take), Operand::Take);
}

TEST(Opcode, EveryBuiltinThatARowNamesExists) {
    for (const OpInfo& info : kOpInfo) {
        if (!info.builtin.empty()) {
            EXPECT_GE(find_builtin(info.builtin), 0) << info.mnemonic;
        }
    }
}

#ifndef NDEBUG
TEST(Assertions, AccessorsRefuseValuesOfAnotherKind) {
    const Value nil;
    EXPECT_DEATH(static_cast<void>(nil.small_integer()), "broken invariant: is_integer");
    EXPECT_DEATH(static_cast<void>(nil.object()), "broken invariant: is_object");
    EXPECT_DEATH(static_cast<void>(Value::small_integer(INT64_MAX)), "broken invariant: fits_integer");
}
#endif

} // namespace
} // namespace ptc
