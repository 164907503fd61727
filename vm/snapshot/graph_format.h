// How a snapshot writes values (graph_writer.h, graph_reader.h).
//
// A value is a tag byte and what the tag says:
//
//   Nil False True Hole EmptyVector EmptyMap EmptySet EmptyList EmptyQueue
//   Integer n    Double 8 bytes    Builtin n    Function program, index
//   Again n      the n-th shared object of the snapshot, which is complete by now: so there are no circles
//   SharedString n: "" or a text of one ASCII character, which all heaps share (runtime/string.h)
//   Outside type, space, way: a frozen object that the reader has, too (external_references.h)
//   kObject + type, perhaps | kShared | kFrozenObject: an object, its plain fields, then its parts as values, depth
//   first
//
// Objects are written as they are, with their slack, overlays and sharing, so that a run that goes on costs what it
// would have cost. Indexes of tables and sorted views are made anew. Inside of a frozen object everything is frozen.
#pragma once
#include "runtime/vector.h"
#include <cstdint>

namespace ptc::graph {

enum class Tag : std::uint8_t {
    Nil,
    False,
    True,
    Hole,
    EmptyVector,
    EmptyMap,
    EmptySet,
    EmptyList,
    EmptyQueue,
    Integer,
    Double,
    Builtin,
    Function,
    Again,
    Outside,
    SharedString,
};
inline constexpr std::uint8_t kObject = 0x20; ///< + ObjectType, which is below 0x20
inline constexpr std::uint8_t kShared = 0x40; ///< others refer to it by Again
inline constexpr std::uint8_t kFrozenObject = 0x80;

/// In a vector's byte of flags, beside those of the object.
inline constexpr std::uint8_t kHasSlack = 0x40; ///< slots, front and capacity follow
inline constexpr std::uint8_t kIsSlice = 0x80;  ///< offset follows; its one part is what owns the elements
inline constexpr std::uint8_t kKeptVectorFlags =
    VectorObject::kCopyPaid | VectorObject::kHasGrown | VectorObject::kEnds | VectorObject::kIsEntry;
/// In a table's.
inline constexpr std::uint8_t kHasView = 0x80;
inline constexpr std::uint8_t kHasComparator = 0x40; ///< the first part of an arranged table
/// In a text's.
inline constexpr std::uint8_t kHasRoom = 0x80; ///< the bytes that it takes follow
/// In an overlay vector's.
inline constexpr std::uint8_t kOverRange = 1; ///< its base is a range; else the offset in its base's elements follows

/// How a record's shape is given.
enum class ShapeTag : std::uint8_t { Counted, Frozen, Outside, First }; ///< First + n: the n-th shape of the snapshot

} // namespace ptc::graph
