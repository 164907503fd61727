// Abstract values: what is known of a value without running the program, as far as fuel depends on it. Which kinds of
// value it may be, how many items it has at most, and how much work it is to go through all of it.
#pragma once
#include "runtime/kinds.h"
#include "runtime/value.h"
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace ptc {

struct FunctionProto;

inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// a * b, where 0 times an unknown count is 0 (0 * infinity would be no number).
inline double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

struct Inside;

/// A bound for a value: any value that it stands for is of one of `kinds`, has `least` to `most` items, bytes or
/// members, and going through it once, printing, hashing and sorting included, costs at most `walk_cost`.
struct AbstractValue {
    Kinds kinds = kinds::kNil;
    bool is_chained =
        false; ///< it came out of an update and has only one place since: updating it again copies nothing
    std::uint16_t origin = 0; ///< why the walk cost is unknown: an index into the analysis' list of sources
    std::int64_t low = bits::kMinInteger, high = bits::kMaxInteger; ///< of an inline integer
    double least = 0, most = 0;
    double walk_cost = 2;
    std::shared_ptr<const Inside> inside; ///< null: its parts are anything that its walk cost has room for

    [[nodiscard]] bool may_be(Kinds k) const { return (kinds & k) != 0; }
    [[nodiscard]] bool must_be(Kinds k) const { return (kinds & ~k) == 0; }
    [[nodiscard]] bool is_known() const { return walk_cost < kUnknown; }
};

/// What a collection holds; which function a function is.
struct Inside {
    AbstractValue key;                       ///< of a map
    AbstractValue item;                      ///< of a vector or set; a map's values
    const FunctionProto* function = nullptr; ///< of a program; null for a builtin
    std::uint32_t builtin = 0;
    std::vector<AbstractValue> captures;
    std::vector<AbstractValue> items; ///< of a vector, one by one, when they are known; else empty
    std::int64_t start = 0, step = 0; ///< of a range, when `step` is not 0
};

// ---- Making them

/// One of `k`, none of which holds anything.
AbstractValue scalar(Kinds k);
/// An integer from `low` to `high`; beyond the inline range it may be a big one of a single limb.
AbstractValue integer(std::int64_t low, std::int64_t high);
/// A string of at most `bytes`.
AbstractValue text(double bytes);
/// Anything whose walk costs so much. Unknown ones carry the reason.
AbstractValue anything(double walk_cost, std::uint16_t origin);
AbstractValue vector_of(AbstractValue item, double least, double most);
/// A vector of exactly these.
AbstractValue vector_of_items(std::vector<AbstractValue> items);
AbstractValue set_of(AbstractValue item, double least, double most);
AbstractValue map_of(AbstractValue key, AbstractValue item, double least, double most);
AbstractValue abstract_function(const FunctionProto* function, std::vector<AbstractValue> captures);
AbstractValue abstract_builtin(std::uint32_t index);
/// Whatever `a` or `b` stands for.
AbstractValue join(const AbstractValue& a, const AbstractValue& b);
/// Of a frozen value: a constant, or data.
AbstractValue abstract_value_of(const Value& value);

// ---- Reading them

/// An item as `first` or iteration gives it: of a vector, a character of a string, an entry of a map, a member.
AbstractValue item_of(const AbstractValue& collection);
/// The item at `i`, which is below `most`.
AbstractValue item_at(const AbstractValue& collection, std::size_t i);
/// What looking something up in it can give; nil not included.
AbstractValue found_in(const AbstractValue& collection);
/// The same items as a vector, which is what every function makes of a collection that it goes through.
AbstractValue as_sequence(const AbstractValue& collection);
/// The fuel for that.
double sequence_cost(const AbstractValue& collection);
/// Limbs of an integer.
double limbs_of(const AbstractValue& number);
/// Bytes of its text as `str` writes it.
double text_bytes(const AbstractValue& value);

// ---- What collections cost. An update of a shared vector may copy it, but the next copy of a large one has to be paid
// for by as many updates (runtime/vector.h); so each update is charged a fixed share, and whoever makes a large vector
// the first copy. What an update gave is changed in place as long as nobody else has it.

/// Finding `key`: chains of a hash table whose keys were chosen to collide may be as long as the table.
double lookup_cost(const AbstractValue& collection, const AbstractValue& key);
/// Adding an item to a collection that is updated one by one.
double insert_cost(const AbstractValue& collection, const AbstractValue& key);
/// Building a map or set of `count` of these keys.
double build_cost(double count, const AbstractValue& key);
/// The copy that a new vector that is this will allow.
double copy_share(const AbstractValue& made);

} // namespace ptc
