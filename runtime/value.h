// The 64-bit value of the language.
//
//   0x0000... .. 0xFFF0...   double (every NaN is the one quiet NaN 0x7FF8...)
//   0xFFF2 + pointer         counted heap object, belongs to one VM's Heap
//   0xFFF3 + pointer         frozen heap object: immortal, immutable, shared by threads, never counted
//   0xFFF4 + index           built-in function
//   0xFFF5 + pointer         a program's function without captures (FunctionInfo)
//   0xFFF6 + n               nil, false, true, hole (an absent value; never visible to a program)
//   0xFFF8... .. 0xFFFF...   integer, stored as kIntegerBase + i, -2^50 <= i < 2^50; others are BigInteger objects
//
// The integer base keeps order: comparing bits compares integers, and a + b is bits(a) + bits(b) - base.
#pragma once
#include "frontend/assert.h"
#include "ptc/source.h"
#include <bit>
#include <cstdint>
#include <utility>

namespace ptc {

using Bits = std::uint64_t;
class Heap;

enum class ObjectType : std::uint8_t {
    Free, ///< a freed block
    // values
    String,
    Keyword,
    BigInteger,
    Vector,
    Range,
    OverlayVector, ///< vectors: keep together
    Record,
    HashMap,
    OverlayMap, ///< maps: keep together
    HashSet,
    OverlaySet, ///< sets: keep together
    Closure,
    Regex,
    Var,
    Symbol,
    LocalDate,
    Instant,
    Duration,
    Period,
    LocalDateTime,
    LocalTime,
    ZonedDateTime,
    YearMonth,
    TimeConstant, ///< times: keep together
    // parts of values
    Shape,
    Buffer,
    Table,
    TrieNode,
    SortedView,
    Scratch,
};

/// `refs` of an object that is never counted again: it is frozen, or had 2^32 owners. Nobody writes to it.
inline constexpr std::uint32_t kImmortal = UINT32_MAX;

/// What every heap object starts with. `refs` counts owners and saturates.
struct Object {
    std::uint32_t refs;
    ObjectType type;
    std::uint8_t flags;
    std::uint16_t size_class; ///< set by Heap
};

/// What the runtime knows of a function; vm/ derives FunctionProto from it.
struct FunctionInfo {
    const char* name = "fn"; ///< owned by the program
    std::uint8_t min_arity = 0;
    std::uint8_t max_arity = 0; ///< the same as min_arity without optional parts
    bool variadic = false;
    const char* doc = nullptr;
    const char* parameters =
        nullptr; ///< as written, a pattern as "_": "x y & more"; printed as #fn[x y & more]; none: core
};

/// Releases one owner of a counted object; frees it, and what it alone owns, iteratively.
void release_object(Object* object) noexcept;

namespace bits {
inline constexpr Bits kTagShift = 48;
inline constexpr Bits kFirstTagged = 0xFFF1'0000'0000'0000;
inline constexpr Bits kCounted = 0xFFF2'0000'0000'0000;
inline constexpr Bits kFrozen = 0xFFF3'0000'0000'0000;
inline constexpr Bits kBuiltin = 0xFFF4'0000'0000'0000;
inline constexpr Bits kFunction = 0xFFF5'0000'0000'0000;
inline constexpr Bits kNil = 0xFFF6'0000'0000'0000;
inline constexpr Bits kFalse = kNil + 1;
inline constexpr Bits kTrue = kNil + 2;
inline constexpr Bits kHole = kNil + 3;
inline constexpr Bits kFirstInteger = 0xFFF8'0000'0000'0000;
inline constexpr Bits kIntegerBase = 0xFFFC'0000'0000'0000;
inline constexpr Bits kPointerMask = 0x0000'FFFF'FFFF'FFFF;
inline constexpr Bits kQuietNaN = 0x7FF8'0000'0000'0000;
inline constexpr std::int64_t kMinInteger = -(std::int64_t{1} << 50);
inline constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 50) - 1;

constexpr bool is_integer(Bits b) { return b >= kFirstInteger; }
constexpr bool is_double(Bits b) { return b < kFirstTagged; }
constexpr bool is_counted(Bits b) { return (b >> kTagShift) == (kCounted >> kTagShift); }
constexpr bool is_object(Bits b) { return (b >> (kTagShift + 1)) == (kCounted >> (kTagShift + 1)); }
constexpr bool is_truthy(Bits b) { return (b | 1) != kFalse; }
constexpr bool fits_integer(std::int64_t i) { return i >= kMinInteger && i <= kMaxInteger; }
constexpr std::int64_t to_integer(Bits b) {
    PTC_ASSERT(is_integer(b));
    return static_cast<std::int64_t>(b - kIntegerBase);
}
constexpr Bits from_integer(std::int64_t i) {
    PTC_ASSERT(fits_integer(i));
    return kIntegerBase + static_cast<Bits>(i);
}
constexpr double to_double(Bits b) {
    PTC_ASSERT(is_double(b));
    return std::bit_cast<double>(b);
}
constexpr Bits from_double(double d) { return d != d ? kQuietNaN : std::bit_cast<Bits>(d); }
/// A double, or an integer of the inline range, which a double holds exactly.
constexpr bool is_number_at_hand(Bits b) { return is_double(b) || is_integer(b); }
constexpr double number_at_hand(Bits b) { return is_double(b) ? to_double(b) : static_cast<double>(to_integer(b)); }
inline Object* to_object(Bits b) {
    PTC_ASSERT(is_object(b));
    return reinterpret_cast<Object*>(b & kPointerMask);
}
// An object without owners is freed, or about to be: nobody may own it again.
inline void retain(Object* object) {
    PTC_ASSERT(object->refs != 0);
    if (object->refs != kImmortal) [[likely]]
        ++object->refs;
}
/// The common case, one owner of several goes, stays inline.
inline void release(Object* object) noexcept {
    PTC_ASSERT(object->refs != 0);
    if (object->refs - 2 < kImmortal - 2)
        --object->refs;
    else
        release_object(object);
}
inline void retain(Bits b) {
    if (is_counted(b)) retain(to_object(b));
}
inline void release(Bits b) {
    if (is_counted(b)) release(to_object(b));
}
} // namespace bits

#ifdef NDEBUG
inline constexpr bool may_update_in_place = true;
#else
/// Builds with assertions can be told to change nothing in place (PTC_FORCE_SHARING), so that the differential tests
/// see whether any program can tell. Set once, before the first value is made.
inline bool may_update_in_place = true;
#endif

/// An owned value. Move-only: one more owner is the visible `copy()`. Destroying it releases it.
class Value {
public:
    constexpr Value() : bits_(bits::kNil) {}
    constexpr explicit Value(std::nullptr_t) : bits_(bits::kNil) {}
    Value(Value&& other) noexcept : bits_(std::exchange(other.bits_, bits::kNil)) {}
    Value& operator=(Value&& other) noexcept {
        Bits old = std::exchange(bits_, std::exchange(other.bits_, bits::kNil));
        bits::release(old);
        return *this;
    }
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    ~Value() { bits::release(bits_); }

    /// Takes over one owner that `raw` already counts.
    static Value adopt(Bits raw) {
        Value v;
        v.bits_ = raw;
        return v;
    }
    /// Gives up ownership without releasing.
    [[nodiscard]] Bits give_up() { return std::exchange(bits_, bits::kNil); }
    [[nodiscard]] Bits raw() const { return bits_; }
    [[nodiscard]] Value copy() const {
        bits::retain(bits_);
        return adopt(bits_);
    }

    static Value boolean(bool b) { return adopt(b ? bits::kTrue : bits::kFalse); }
    /// `i` must fit (bits::fits_integer); number.h has make_integer for all others.
    static Value small_integer(std::int64_t i) { return adopt(bits::from_integer(i)); }
    static Value number(double d) { return adopt(bits::from_double(d)); }
    static Value builtin(std::uint32_t index) { return adopt(bits::kBuiltin | index); }
    static Value function(const FunctionInfo* info) { return adopt(bits::kFunction | reinterpret_cast<Bits>(info)); }
    static Value hole() { return adopt(bits::kHole); }

    [[nodiscard]] bool is_nil() const { return bits_ == bits::kNil; }
    [[nodiscard]] bool is_hole() const { return bits_ == bits::kHole; }
    [[nodiscard]] bool is_boolean() const { return bits_ == bits::kTrue || bits_ == bits::kFalse; }
    [[nodiscard]] bool is_true() const { return bits_ == bits::kTrue; }
    [[nodiscard]] bool is_truthy() const { return bits::is_truthy(bits_); }
    [[nodiscard]] bool is_small_integer() const { return bits::is_integer(bits_); }
    [[nodiscard]] bool is_double() const { return bits::is_double(bits_); }
    [[nodiscard]] bool is_object() const { return bits::is_object(bits_); }
    [[nodiscard]] bool is_counted() const { return bits::is_counted(bits_); }
    [[nodiscard]] bool is_frozen() const { return bits::is_object(bits_) && !bits::is_counted(bits_); }
    [[nodiscard]] bool is_builtin() const { return (bits_ >> bits::kTagShift) == (bits::kBuiltin >> bits::kTagShift); }
    [[nodiscard]] bool is_static_function() const {
        return (bits_ >> bits::kTagShift) == (bits::kFunction >> bits::kTagShift);
    }

    [[nodiscard]] std::int64_t small_integer() const { return bits::to_integer(bits_); }
    [[nodiscard]] double as_double() const { return bits::to_double(bits_); }
    [[nodiscard]] Object* object() const { return bits::to_object(bits_); }
    [[nodiscard]] std::uint32_t builtin_index() const {
        PTC_ASSERT(is_builtin());
        return static_cast<std::uint32_t>(bits_ & 0xFFFF);
    }
    [[nodiscard]] const FunctionInfo* static_function() const {
        PTC_ASSERT(is_static_function());
        return reinterpret_cast<const FunctionInfo*>(bits_ & bits::kPointerMask);
    }

    /// The object's type; ObjectType::Free for what is no object.
    [[nodiscard]] ObjectType type() const { return is_object() ? object()->type : ObjectType::Free; }
    [[nodiscard]] bool is(ObjectType t) const { return is_object() && object()->type == t; }
    [[nodiscard]] bool in(ObjectType first, ObjectType last) const {
        return is_object() && object()->type >= first && object()->type <= last;
    }
    [[nodiscard]] bool is_string() const { return is(ObjectType::String); }
    [[nodiscard]] bool is_keyword() const { return is(ObjectType::Keyword); }
    [[nodiscard]] bool is_vector() const { return in(ObjectType::Vector, ObjectType::OverlayVector); }
    [[nodiscard]] bool is_map() const { return in(ObjectType::Record, ObjectType::OverlayMap); }
    [[nodiscard]] bool is_set() const { return in(ObjectType::HashSet, ObjectType::OverlaySet); }
    [[nodiscard]] bool is_collection() const { return in(ObjectType::Vector, ObjectType::OverlaySet); }
    [[nodiscard]] bool is_integer() const { return is_small_integer() || is(ObjectType::BigInteger); }
    [[nodiscard]] bool is_number() const { return is_double() || is_integer(); }
    /// Built-in, static function or closure. Keywords, maps and sets can be called too but are not functions.
    [[nodiscard]] bool is_function() const { return is_builtin() || is_static_function() || is(ObjectType::Closure); }

    /// May be changed in place: counted and this is its only owner.
    [[nodiscard]] bool is_sole_owner() const { return is_counted() && object()->refs == 1 && may_update_in_place; }

private:
    Bits bits_;
};
static_assert(sizeof(Value) == 8);

} // namespace ptc
