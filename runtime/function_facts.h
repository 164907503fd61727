// What may be said of a function of the language beside its texts: the columns of a row of builtins (runtime/builtin.h)
// and of a definition's metadata (runtime/core). These are names only; who reads a column knows what each of them
// means: the checker (result rules), the search for bounds (models), the emitter (instructions), the reader's repairs
// (use).
#pragma once
#include "runtime/kinds.h"
#include <cstdint>

namespace ptc {

/// How what a function gives follows from its arguments.
enum class ResultRule : std::uint8_t {
    Unknown, ///< not, beyond its kinds; it may call what it is given
#define PTC_RESULT_RULE(Name, word) Name,
#include "runtime/result_rules.def"
#undef PTC_RESULT_RULE
};

/// What a function gives when it does not fail.
struct Gives {
    Kinds kinds = 0; ///< kAny where nothing is known; 0 is a row that forgot to say, which a test finds
    ResultRule rule = ResultRule::Unknown;
    Kinds items = kinds::kAny; ///< of the vector that ResultRule::GivesList speaks of
    [[nodiscard]] constexpr bool may_be_nil() const { return (kinds & kinds::kNil) != 0; }
};

/// What a call does beside giving a value, or what else the value depends on. Without an effect, the same arguments
/// give the same value, and a call of constants is folded when compiling.
enum class SideEffect : std::uint8_t {
    None,
    Prints,
    Time,    ///< depends on when it runs
    Mission, ///< talks to the mission: budget, journal, plan
    Fails,   ///< gives no value, ever
};

/// What else programs go by when they call it.
using Traits = std::uint8_t;
namespace traits {
/// It gives a collection that it was given, changed: whose value is dropped has meant to change that collection.
inline constexpr Traits kUpdates = 1 << 0;
/// It works with numbers: its arguments, the items of its collection or, as format, what stands among others.
inline constexpr Traits kComputes = 1 << 1;
/// It gives what ends a reduction before its collection ends, or a transducer that does.
inline constexpr Traits kEndsEarly = 1 << 2;
/// It calls or makes step functions, of which any may end the reduction.
inline constexpr Traits kSteps = 1 << 3;
/// It gives what Clojure has a list or a lazy sequence for, or nil: conj and into add to its front.
inline constexpr Traits kSequence = 1 << 4;
/// It compares its arguments as numbers are compared: < > <= >=.
inline constexpr Traits kCompares = 1 << 5;
/// It orders items by what its function gives for them, whatever that is.
inline constexpr Traits kOrders = 1 << 6;
/// What its function gives has to be numbers.
inline constexpr Traits kNumbersBy = 1 << 7;
} // namespace traits

/// The number of arguments with which a function gives a sequence without an end, which is computed by need.
inline constexpr std::uint8_t kNeverEndless = 255;

/// What is known of the cost and the result of a call without running it: who computes it is in compiler/bounds.
enum class BoundModel : std::uint8_t {
    NotSaid, ///< a row that forgot to say, which a test finds
    Unknown, ///< the work is not followed: patterns, formats, JSON
    // sequences (compiler/bounds/native_collections.cpp)
    Count,            ///< count
    Element,          ///< first second fnext last ..
    ElementOfElement, ///< ffirst
    Nth,              ///< nth
    Rest,             ///< rest
    Next,             ///< next
    Nnext,            ///< nnext
    AllButLast,       ///< butlast
    TailOfElement,    ///< nfirst
    SoManyItems,      ///< take take-last
    SomeItems,        ///< drop drop-last
    SomeItemsOfFirst, ///< seq nthrest nthnext subvec ..
    SplitAt,          ///< split-at
    AllItems,         ///< reverse vec
    Vector,           ///< vector list
    Concat,           ///< concat
    Conj,             ///< conj
    Cons,             ///< cons
    Into,             ///< into join-result%
    Flatten,          ///< flatten
    Dedupe,           ///< dedupe
    Mixed,            ///< interpose zip interleave
    Sort,             ///< sort sort%
    SortByKeys,       ///< sort-by-keys%
    Repeated,         ///< repeat%
    Partition,        ///< partition partition-all
    Same,             ///< not-empty
    Emptied,          ///< empty
    // maps and sets (compiler/bounds/native_maps.cpp)
    Contains,    ///< contains?
    Distinct,    ///< distinct
    AsSet,       ///< set
    HashSet,     ///< hash-set
    Get,         ///< get
    GetIn,       ///< get-in
    AssocIn,     ///< assoc-in
    Find,        ///< find
    Entries,     ///< entries
    SetWork,     ///< union intersection difference disj
    AreDistinct, ///< distinct?
    Assoc,       ///< assoc
    GroupAppend, ///< group-append%
    Dissoc,      ///< dissoc
    Merge,       ///< merge
    Keys,        ///< keys
    Vals,        ///< vals
    Zipmap,      ///< zipmap
    HashMap,     ///< hash-map array-map
    SelectKeys,  ///< select-keys
    Frequencies, ///< frequencies
    // numbers, comparisons and questions (compiler/bounds/native_numbers.cpp)
    Question,   ///< nil? some? true? false? ..
    Direction,  ///< comparator-order%
    Comparison, ///< = == not= < ..
    Ordering,   ///< compare
    SmallValue, ///< type
    Plus,       ///< + +'
    Minus,      ///< - -'
    Product,    ///< * *'
    Divide,     ///< /
    Increment,  ///< inc inc'
    Decrement,  ///< dec dec'
    Quotient,   ///< quot
    Remainder,  ///< rem
    Modulus,    ///< mod
    OneOf,      ///< max min
    Absolute,   ///< abs
    Bits64,     ///< bit-and bit-or bit-xor bit-and-not ..
    Whole,      ///< floor ceil round trunc ..
    Real,       ///< sqrt double float
    Range,      ///< range
    Sum,        ///< sum avg
    // text and printing (compiler/bounds/native_texts.cpp)
    Str,          ///< str
    PrintedText,  ///< pr-str prn-str print-str println-str
    Prints,       ///< println prn
    JoinTexts,    ///< join
    MappedText,   ///< upper-case lower-case upcase downcase ..
    PieceOfText,  ///< trim triml trimr trim-newline ..
    TextQuestion, ///< blank? starts-with? ends-with? includes? ..
    PlaceInText,  ///< index-of last-index-of .indexOf .lastIndexOf ..
    NumberInText, ///< parse-long parse-int parse-double parse-boolean ..
    Lines,        ///< split-lines
    OfTime,       ///< parse LocalDate/parse LocalDate/of LocalDate/ofEpochDay ..
    NameOf,       ///< name
    KeywordOf,    ///< keyword
};
inline constexpr std::size_t kBoundModels = static_cast<std::size_t>(BoundModel::KeywordOf) + 1;

/// The instructions that do what a builtin does, for calls with the number of arguments that they have operands.
enum class Instruction : std::uint8_t {
    None,
    Add,
    Subtract,
    Multiply,
    Divide,
    Quotient,
    Remainder,
    Modulus,
    Increment,
    Decrement,
    Minimum,
    Maximum,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    BitTest,
    Not,
    Count,
    First,
    Rest,
    Conj,
    Get,
    Nth,
    Contains,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Assoc,
    GroupAppend,
    // Test and its jumps, by predicate (vm/predicates.def)
    Name,
    IsNil,
    IsSome,
    IsTrue,
    IsFalse,
    IsString,
    IsKeyword,
    IsNumber,
    IsMap,
    IsVector,
    IsSet,
    IsEmpty,
    IsZero,
    IsPositive,
    IsNegative,
    IsEven,
    IsOdd,
    IsWhole,
    IsReduced,
    HasItems,
};

/// How many arguments programs give in practice, where the usage allows what nobody writes: ranks the guesses about
/// brackets that are missing. Empty: what the usage says.
struct WrittenArguments {
    std::uint8_t min = 0;
    std::uint8_t max = 0;     ///< 255: any number; 0: nothing is said
    std::uint8_t usual = 255; ///< more are allowed but unlikely
};

} // namespace ptc
