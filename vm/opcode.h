// The instruction set, from opcodes.def: each row of it as an Op and an OpInfo, and how code words are taken apart. All
// that reads code (interpreter, verifier, disassembler, file format, search for bounds) asks here what an operand
// refers to and which registers a window takes, reads and writes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace ptc {

enum class Op : std::uint8_t {
#define PTC_OP(Name, ...) Name,
#include "vm/opcodes.def"
#undef PTC_OP
};

enum class Predicate : std::uint8_t {
#define PTC_PREDICATE(Name, builtin) Name,
#include "vm/predicates.def"
#undef PTC_PREDICATE
};

/// What an operand is. The general kinds come first, in the order that the file format's fingerprint counts; the kinds
/// behind them are finer and count as the general one that `general_kind` names.
enum class Operand : std::uint8_t {
    None,
    Dst,
    Use,
    Take,
    Win,
    Num,
    Const, ///< constant index: a value that a register may hold
    Edit,
    Num16,
    Const16,
    Num32,
    Jump32,     ///< a jump counts words from the instruction behind
    Cache32,    ///< inline cache number
    KeyCache32, ///< low half: constant index of a keyword or a string; high half: inline cache number
    Const32,
    Function32, ///< low half: constant index of a function; high half: of its name, a Var
    Native32,   ///< builtin index
    Check16,    ///< index into the validator's checks
    Check32,
    Dying32, ///< the take mask once more

    Charge,       ///< Num: fuel that a jump costs; of no branch, that going on costs
    Primitive,    ///< Num: nil (0), false (1) or true (2)
    Capture,      ///< Num: of the running closure's values
    PredicateOf,  ///< Num: predicates.def
    Ending,       ///< Num: returned (0) or failed (1)
    Branching,    ///< Num: ForkKind
    Charge16,     ///< Num16
    Int16,        ///< Num16: signed
    Kinds16,      ///< Num16: a mask of kinds of values
    Value16,      ///< Const16: a value that a register may hold
    Var16,        ///< Const16: the name of a session's value
    Text16,       ///< Const16: a string
    Closure16,    ///< Const16: a function with captures
    ValueCache32, ///< KeyCache32 whose key may be any value
    Value32,      ///< Const32: a value that a register may hold
    Shape32,      ///< Const32
};
constexpr Operand general_kind(Operand kind) {
    switch (kind) {
    case Operand::Charge:
    case Operand::Primitive:
    case Operand::Capture:
    case Operand::PredicateOf:
    case Operand::Ending:
    case Operand::Branching: return Operand::Num;
    case Operand::Charge16:
    case Operand::Int16:
    case Operand::Kinds16: return Operand::Num16;
    case Operand::Value16:
    case Operand::Var16:
    case Operand::Text16:
    case Operand::Closure16: return Operand::Const16;
    case Operand::ValueCache32: return Operand::KeyCache32;
    case Operand::Value32:
    case Operand::Shape32: return Operand::Const32;
    default: return kind;
    }
}
constexpr bool is_register(Operand kind) {
    return kind == Operand::Dst || kind == Operand::Use || kind == Operand::Take || kind == Operand::Win ||
           kind == Operand::Edit;
}

/// The registers from A on that an instruction works on beside its operands, read off its letters in opcodes.def. A bit
/// stands for a register: bit 0 for A.
struct Window {
    enum class Tail : std::uint8_t {
        None,
        Values,   ///< as many as B says, taken
        Captures, ///< as many as the function in B and C captures, taken
    };
    std::uint8_t slots = 0; ///< registers in front of the tail
    Tail tail = Tail::None;
    std::uint8_t taken = 0;
    std::uint8_t read = 0;
    std::uint8_t written = 0;      ///< beside the result
    bool begins_iteration = false; ///< slots 0 and 1 become a sequence and the position in it
    bool iterates = false;         ///< they are such; what is read is released at the end of the sequence

    [[nodiscard]] constexpr bool exists() const { return slots > 0 || tail != Tail::None; }
    /// Whether the result goes to slot 0.
    [[nodiscard]] constexpr bool has_result() const { return exists() && (read & 1) == 0; }

    static consteval Window parse(std::string_view letters) {
        Window window;
        for (const char letter : letters) {
            const auto bit = static_cast<std::uint8_t>(1u << window.slots);
            if (window.tail != Tail::None) throw "the tail of a window stands last";
            switch (letter) {
            case '*': window.tail = Tail::Values; continue;
            case '^': window.tail = Tail::Captures; continue;
            case 't': window.taken |= bit; break;
            case 'S':
                window.taken |= bit;
                window.begins_iteration = true;
                break;
            case 'r': window.read |= bit; break;
            case 's':
            case 'p':
                window.read |= bit;
                window.iterates = true;
                break;
            case 'w':
            case 'P': window.written |= bit; break;
            case '-': break;
            default: throw "no such letter of a window";
            }
            ++window.slots;
        }
        return window;
    }
};

inline constexpr std::uint8_t kCanFail = 1, kBranch = 2, kEnd = 4, kCall = 8, kCheck = 16;

/// A row of opcodes.def.
struct OpInfo {
    std::string_view mnemonic;
    Operand a, b, c, w;
    Window window;
    std::string_view builtin; ///< whose work it does, or empty
    std::uint8_t flags;
    std::string_view doc;
    [[nodiscard]] constexpr bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    [[nodiscard]] constexpr unsigned words() const { return w == Operand::None ? 1 : 2; }
};

inline constexpr OpInfo kOpInfo[] = {
#define PTC_OP(Name, mnemonic, a, b, c, w, window, builtin, flags, doc)                                                \
    {mnemonic, Operand::a, Operand::b, Operand::c, Operand::w, Window::parse(window), builtin, flags, doc},
#include "vm/opcodes.def"
#undef PTC_OP
};
inline constexpr std::size_t kOpCount = std::size(kOpInfo);
constexpr const OpInfo& op_info(Op op) { return kOpInfo[static_cast<std::size_t>(op)]; }
/// Whether it writes its registers only when it jumps, with the next element of a sequence.
constexpr bool is_iteration(Op op) { return op_info(op).b == Operand::Dst || op_info(op).window.iterates; }
/// Whether field C repeats what the take mask says of B.
constexpr bool repeats_take_mask(const OpInfo& info) { return info.b == Operand::Use && info.c == Operand::None; }

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

/// Fuel that an instruction charges: a branch when it jumps, any other when it goes on.
constexpr std::uint32_t charge_of(Word w) {
    const OpInfo& info = op_info(word_op(w));
    if (info.a == Operand::Charge) return word_a(w);
    if (info.b == Operand::Charge16) return word_bc(w);
    return info.c == Operand::Charge ? word_c(w) : 0;
}
/// The registers that its window covers: at least A where there is a window. `captures` is the count of its function's.
constexpr std::uint32_t window_size(Word w, std::uint32_t captures) {
    const Window& window = op_info(word_op(w)).window;
    const std::uint32_t tail = window.tail == Window::Tail::Values     ? word_b(w)
                               : window.tail == Window::Tail::Captures ? captures
                                                                       : 0;
    const std::uint32_t size = window.slots + tail;
    return size == 0 && window.exists() ? 1 : size;
}

/// Bits of a take mask: which Use operands die at an instruction.
inline constexpr std::uint8_t kTakeB = 1, kTakeC = 2;

/// Link slots below a frame: the running function, the return address, the caller's constants.
inline constexpr unsigned kFrameLink = 3;

} // namespace ptc
