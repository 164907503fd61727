// The instruction set, from opcodes.def.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ptc {

enum class Op : std::uint8_t {
#define PTC_OP(Name, mnemonic, a, b, c, w, flags, doc) Name,
#include "vm/opcodes.def"
#undef PTC_OP
};

enum class Predicate : std::uint8_t {
#define PTC_PREDICATE(Name, builtin) Name,
#include "vm/predicates.def"
#undef PTC_PREDICATE
};

enum class Operand : std::uint8_t {
    None,
    Dst,
    Use,
    Take,
    Win,
    Num,
    Const,
    Edit, ///< register read, and perhaps given another value
    Num16,
    Const16, ///< B and C together
    Num32,
    Jump32,     ///< W; a jump counts words from the instruction behind
    Cache32,    ///< W: inline cache number
    KeyCache32, ///< W: constant index of the key in the low half, inline cache number in the high half
    Const32,    ///< W: constant index
    Function32, ///< W: constant index of the function in the low half, of its name in the high half
    Native32,   ///< W: builtin index
    Check16,    ///< B and C together: index into the validator's checks
    Check32,    ///< W: the same
};

inline constexpr std::uint8_t kCanFail = 1, kBranch = 2, kEnd = 4, kCall = 8, kCheck = 16;

struct OpInfo {
    std::string_view mnemonic;
    Operand a, b, c, w;
    std::uint8_t flags;
    std::string_view doc;
    [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    [[nodiscard]] unsigned words() const { return w == Operand::None ? 1 : 2; }
};

inline constexpr OpInfo kOpInfo[] = {
#define PTC_OP(Name, mnemonic, a, b, c, w, flags, doc)                                                                 \
    {mnemonic, Operand::a, Operand::b, Operand::c, Operand::w, flags, doc},
#include "vm/opcodes.def"
#undef PTC_OP
};
inline constexpr std::size_t kOpCount = std::size(kOpInfo);
constexpr const OpInfo& op_info(Op op) { return kOpInfo[static_cast<std::size_t>(op)]; }

inline constexpr std::string_view kPredicateNames[] = {
#define PTC_PREDICATE(Name, builtin) builtin,
#include "vm/predicates.def"
#undef PTC_PREDICATE
};

/// A code word. Fields are free functions so that the interpreter and the tools decode alike.
using Word = std::uint32_t;
constexpr Op word_op(Word w) { return static_cast<Op>(w & 0xFF); }
constexpr std::uint32_t word_a(Word w) { return (w >> 8) & 0xFF; }
constexpr std::uint32_t word_b(Word w) { return (w >> 16) & 0xFF; }
constexpr std::uint32_t word_c(Word w) { return w >> 24; }
constexpr std::uint32_t word_bc(Word w) { return w >> 16; }
constexpr Word make_word(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return static_cast<Word>(op) | a << 8 | b << 16 | c << 24;
}

/// Bits of a take mask: which Use operands die at an instruction.
inline constexpr std::uint8_t kTakeB = 1, kTakeC = 2;

/// Link slots below a frame: the running function, the return address, the caller's constants.
inline constexpr unsigned kFrameLink = 3;

} // namespace ptc
