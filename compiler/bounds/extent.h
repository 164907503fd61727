// Extents: what is known of a value without running the program, as far as fuel depends on it. Which kinds of value it
// may be, how many items it has at most, and how much work it is to go through all of it.
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
/// members, and going through it once, printing, hashing and sorting included, costs at most `weight`.
struct Extent {
    Kinds kinds = kinds::kNil;
    bool is_chained =
        false; ///< it came out of an update and has only one place since: updating it again copies nothing
    std::uint16_t origin = 0; ///< why the weight is unknown: an index into the analysis' list of sources
    std::int64_t low = bits::kMinInteger, high = bits::kMaxInteger; ///< of an inline integer
    double least = 0, most = 0;
    double weight = 2;
    std::shared_ptr<const Inside> inside; ///< null: its parts are anything that its weight has room for

    [[nodiscard]] bool may_be(Kinds k) const { return (kinds & k) != 0; }
    [[nodiscard]] bool must_be(Kinds k) const { return (kinds & ~k) == 0; }
    [[nodiscard]] bool is_known() const { return weight < kUnknown; }
};

/// What a collection holds; which function a function is.
struct Inside {
    Extent key;                              ///< of a map
    Extent item;                             ///< of a vector or set; a map's values
    const FunctionProto* function = nullptr; ///< of a program; null for a builtin
    std::uint32_t builtin = 0;
    std::vector<Extent> captures;
    std::vector<Extent> items;        ///< of a vector, one by one, when they are known; else empty
    std::int64_t start = 0, step = 0; ///< of a range, when `step` is not 0
};

// ---- Making them

/// One of `k`, none of which holds anything.
Extent scalar(Kinds k);
/// An integer from `low` to `high`; beyond the inline range it may be a big one of a single limb.
Extent integer(std::int64_t low, std::int64_t high);
/// A string of at most `bytes`.
Extent text(double bytes);
/// Anything of this weight. Unknown ones carry the reason.
Extent anything(double weight, std::uint16_t origin);
Extent vector_of(Extent item, double least, double most);
/// A vector of exactly these.
Extent vector_of_items(std::vector<Extent> items);
Extent set_of(Extent item, double least, double most);
Extent map_of(Extent key, Extent item, double least, double most);
Extent function_extent(const FunctionProto* function, std::vector<Extent> captures);
Extent builtin_extent(std::uint32_t index);
/// Whatever `a` or `b` stands for.
Extent join(const Extent& a, const Extent& b);
/// The extent of a frozen value: a constant, or data.
Extent extent_of(const Value& value);

// ---- Reading them

/// An item as `first` or iteration gives it: of a vector, a character of a string, an entry of a map, a member.
Extent item_of(const Extent& collection);
/// The item at `i`, which is below `most`.
Extent item_at(const Extent& collection, std::size_t i);
/// What looking something up in it can give; nil not included.
Extent found_in(const Extent& collection);
/// The same items as a vector, which is what every function makes of a collection that it goes through.
Extent as_sequence(const Extent& collection);
/// The fuel for that.
double sequence_cost(const Extent& collection);
/// Limbs of an integer.
double limbs_of(const Extent& number);
/// Bytes of its text as `str` writes it.
double text_bytes(const Extent& value);

// ---- What collections cost. An update of a shared vector may copy it, but the next copy of a large one has to be paid
// for by as many updates (runtime/vector.h); so each update is charged a fixed share, and whoever makes a large vector
// the first copy. What an update gave is changed in place as long as nobody else has it.

/// Finding `key`: chains of a hash table whose keys were chosen to collide may be as long as the table.
double lookup_cost(const Extent& collection, const Extent& key);
/// Adding an item to a collection that is updated one by one.
double insert_cost(const Extent& collection, const Extent& key);
/// Building a map or set of `count` of these keys.
double build_cost(double count, const Extent& key);
/// The copy that a new vector of this extent will allow.
double copy_share(const Extent& made);

} // namespace ptc
