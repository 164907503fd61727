// Answers that need no more than a look: what instructions ask before they take a slow path (slow_paths.h).
#pragma once
#include "runtime/hash_table.h"
#include "runtime/value.h"
#include "runtime/vector.h"
#include "vm/opcode.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace ptc {

/// What a predicate says of an object, as far as its type tells.
enum class AnswerOfType : std::int8_t { Unknown = -1, No, Yes, IfEmpty, IfFilled };

constexpr AnswerOfType answer_of_type(Predicate predicate, ObjectType type) {
    const auto is_in = [type](ObjectType first, ObjectType last) {
        return type >= first && type <= last ? AnswerOfType::Yes : AnswerOfType::No;
    };
    const bool is_vector = type == ObjectType::Vector;
    switch (predicate) {
    case Predicate::IsNil:
    case Predicate::IsTrue:
    case Predicate::IsFalse: return AnswerOfType::No;
    case Predicate::IsSome: return AnswerOfType::Yes;
    case Predicate::IsString: return is_in(ObjectType::String, ObjectType::String);
    case Predicate::IsKeyword: return is_in(ObjectType::Keyword, ObjectType::Keyword);
    case Predicate::IsNumber: return is_in(ObjectType::BigInteger, ObjectType::BigInteger);
    case Predicate::IsVector: return is_in(ObjectType::Vector, ObjectType::OverlayVector);
    case Predicate::IsMap: return is_in(ObjectType::Record, ObjectType::OverlayMap);
    case Predicate::IsSet: return is_in(ObjectType::HashSet, ObjectType::OverlaySet);
    case Predicate::IsEmpty: return is_vector ? AnswerOfType::IfEmpty : AnswerOfType::Unknown;
    case Predicate::HasItems: return is_vector ? AnswerOfType::IfFilled : AnswerOfType::Unknown;
    case Predicate::IsWhole:
        return is_vector || type == ObjectType::Record || type == ObjectType::String ? AnswerOfType::Yes
                                                                                     : AnswerOfType::Unknown;
    case Predicate::IsReduced:
        return is_vector || type == ObjectType::OverlayVector ? AnswerOfType::Unknown : AnswerOfType::No;
    default: return AnswerOfType::Unknown;
    }
}

inline constexpr std::size_t kObjectTypes = static_cast<std::size_t>(ObjectType::Scratch) + 1;
inline constexpr std::size_t kPredicates = static_cast<std::size_t>(Predicate::HasItems) + 1;
inline constexpr auto kAnswersOfTypes = [] {
    std::array<std::array<AnswerOfType, kObjectTypes>, kPredicates> answers{};
    for (std::size_t p = 0; p < kPredicates; ++p)
        for (std::size_t t = 0; t < kObjectTypes; ++t)
            answers[p][t] = answer_of_type(static_cast<Predicate>(p), static_cast<ObjectType>(t));
    return answers;
}();

/// What a predicate says of an object, 1 or 0; -1: its type is not enough. For the loop itself.
inline int test_by_type(Predicate predicate, const Object* object) {
    const AnswerOfType answer =
        kAnswersOfTypes[static_cast<std::size_t>(predicate)][static_cast<std::size_t>(object->type)];
    if (answer < AnswerOfType::IfEmpty) return static_cast<int>(answer);
    return (static_cast<const VectorObject*>(object)->length == 0) == (answer == AnswerOfType::IfEmpty) ? 1 : 0;
}

/// What a predicate says of an integer, 1 or 0; -1: nothing, it is an error. For the loop itself.
constexpr int test_integer(Predicate predicate, std::int64_t n) {
    switch (predicate) {
    case Predicate::IsZero: return n == 0;
    case Predicate::IsPositive: return n > 0;
    case Predicate::IsNegative: return n < 0;
    case Predicate::IsEven: return (n & 1) == 0;
    case Predicate::IsOdd: return static_cast<int>(n & 1);
    case Predicate::IsSome:
    case Predicate::IsNumber:
    case Predicate::IsWhole: return 1;
    case Predicate::IsEmpty:
    case Predicate::HasItems: return -1;
    default: return 0;
    }
}

/// The same by sign and lowest bit, which decide it: bit 3 * (n & 1) + 1 + sign of n of a predicate's row.
inline constexpr auto kAnswersOfIntegers = [] {
    std::array<std::int8_t, kPredicates> answers{};
    for (std::size_t p = 0; p < kPredicates; ++p) {
        const auto predicate = static_cast<Predicate>(p);
        const std::int64_t all[] = {-2, 0, 2, -1, 0, 1};
        for (int i = 0; i < 6; ++i)
            answers[p] = static_cast<std::int8_t>(answers[p] | (test_integer(predicate, all[i]) == 1 ? 1 << i : 0));
        if (test_integer(predicate, 0) < 0) answers[p] = -1;
    }
    return answers;
}();

inline int test_integer_by_table(Predicate predicate, std::int64_t n) {
    const std::int8_t row = kAnswersOfIntegers[static_cast<std::size_t>(predicate)];
    return row < 0 ? -1 : row >> (3 * (n & 1) + 1 + (n > 0) - (n < 0)) & 1;
}

/// What a predicate says of most values, 1 or 0; -1: not known here. Costs no fuel, cannot fail.
int test_at_once(Predicate predicate, Bits b);

/// Whether two values are equal as `=` has it, 1 or 0, where that costs no fuel: of texts that are read for nothing,
/// and of nil, true, false and functions with anything; -1: not one of these.
int equal_at_once(Bits b, Bits c);

/// The number of the entry of a flat table whose key is this integer, HashTableObject::kNone when it has none;
/// kNotAtOnce: that takes a walk past many keys, which costs fuel.
inline constexpr std::uint32_t kNotAtOnce = HashTableObject::kNone - 1;
std::uint32_t entry_at_once(const HashTableObject& table, Bits integer);

} // namespace ptc
