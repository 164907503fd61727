// Values from bytes that nobody vouches for (graph_format.h). Objects are read depth first with a stack of frames; each
// is made at once, or at its end when its parts decide what it is. Sizes, indexes, kinds of parts and the nodes of
// overlays are checked, hashes and indexes of tables are made anew, and work and memory are charged to the heap that
// gets the values.
#pragma once
#include "vm/snapshot/external_references.h"
#include "vm/snapshot/graph_format.h"
#include <algorithm>
#include <array>
#include <memory>

namespace ptc {

struct BufferObject;
struct VectorObject;
struct EditsNode;

/// Frozen values that a snapshot holds because nobody else has them. Must outlive the values that were read with it.
struct FrozenStore {
    Heap heap{Heap::Mode::Frozen};
    ShapeTable shapes{heap};
};

/// Reads what a GraphWriter wrote. Whatever the bytes are, what it returns is a value like any other: everything that
/// code relies on is checked or made anew. What is made is charged to `heap`, whose cap holds. Works with a stack of
/// its own.
class GraphReader {
public:
    /// `heap` has a meter that bounds the work; see work_for.
    GraphReader(Heap& heap, ShapeTable& shapes, FrozenStore& store, const ExternalReferences& references,
                ByteReader& in)
        : heap_(heap), shapes_(shapes), store_(store), references_(references), in_(in),
          room_(std::min(kRoom + std::min(heap.limit(), SIZE_MAX - kRoom), kRoomPerByte * in.left())) {}
    ~GraphReader();
    GraphReader(const GraphReader&) = delete;
    GraphReader& operator=(const GraphReader&) = delete;

    /// A value, never a hole. invalid_snapshot, or memory_exceeded.
    Result<Value> read();
    /// A hole is allowed.
    Result<Value> read_or_hole();
    Result<void> read_shapes();
    /// Units of fuel that reading so many bytes may take, unless they were made to take long.
    static std::int64_t work_for(std::size_t bytes) { return 10'000'000 + 256 * static_cast<std::int64_t>(bytes); }
    [[nodiscard]] Error error() const;

private:
    /// What a program may hold: no hole, no part of a value.
    static bool is_whole(const Value& v) { return !v.is_hole() && (!v.is_object() || v.type() < ObjectType::Shape); }

    /// An object that is being read. It is made at once, or, when what it is made of must be known first, at its end.
    struct Frame {
        Value object{}; ///< holes: not made yet
        ObjectType type{};
        std::uint8_t flags = 0;
        bool is_shared = false;
        bool is_frozen = false;
        std::size_t next = 0;
        std::size_t parts = 0;
        std::array<std::uint64_t, 7> fields{};
        std::array<Value, 2> held{}; ///< a key, or the parts of what is made at the end
    };
    /// What a node of an overlay comes to.
    struct NodeSums {
        std::uint64_t edits = 0;
        std::int64_t growth = 0; ///< entries more than in the base
    };
    /// What a node was looked at for, and what came of it: several overlays may share it.
    struct KnownNode {
        const Object* base;
        std::uint32_t shift;
        std::uint32_t prefix;
        NodeSums sums;
    };

    [[nodiscard]] Heap& heap_for(const Frame& frame) { return frame.is_frozen ? store_.heap : heap_; }
    /// For what only reading needs. A run that lived just below its cap has to be read under the same cap, so as much
    /// as the cap and kRoom is free, where the bytes are that many, and only what is beyond it takes from the heap.
    [[nodiscard]] bool charge_own(std::size_t bytes);
    static constexpr std::size_t kRoom = std::size_t{16} << 20, kRoomPerByte = 256;

    [[nodiscard]] bool bad(const char* what);
    [[nodiscard]] bool full();
    bool next(Value* out);
    bool read_simple(std::uint8_t tag, Value* out);
    bool read_object(std::uint8_t tag, Value* out);
    bool read_again(Value* out);
    bool read_outside(Value* out);
    const FunctionProto* read_function();
    bool begin(Frame& frame);
    bool begin_vector(Frame& frame);
    bool begin_record(Frame& frame);
    bool begin_table(Frame& frame);
    bool begin_closure(Frame& frame);
    bool begin_buffer(Frame& frame);
    bool begin_node(Frame& frame);
    bool read_leaf(Frame& frame);
    bool read_text(ObjectType type, Heap& heap, Value* out);
    bool read_big_integer(Frame& frame);
    bool read_range(Frame& frame);
    bool read_time(Frame& frame);
    bool read_shape(bool is_frozen, Object** out);
    bool read_shape_keys(bool is_frozen, Object** out);
    bool fill(Frame& frame, Value* values);
    bool take(Frame& frame, Value part);
    bool take_table_part(Frame& frame, Value part);
    bool take_node_part(Frame& frame, Value part);
    bool take_edit(EditsNode& node, Frame& frame, std::size_t i, Value part);
    bool finish(Frame& frame, Value* out);
    bool finish_slice(Frame& frame);
    [[nodiscard]] bool give_view_room(const Frame& frame);
    bool find_elements(const Value& owner, std::uint64_t offset, std::uint64_t length, Value** first);
    bool finish_overlay_vector(Frame& frame);
    bool finish_overlay_table(Frame& frame);
    bool check_levels(Object* node, std::uint32_t level);
    bool check_edits(const Value& base, EditsNode* node, std::uint32_t shift, std::uint32_t prefix, NodeSums* sums);
    bool check_edit(const Value& base, const EditsNode& node, std::uint32_t i, NodeSums* sums);
    void make_known(const Value& value);

    Heap& heap_;
    ShapeTable& shapes_;
    FrozenStore& store_;
    const ExternalReferences& references_;
    ByteReader& in_;
    std::vector<Frame> frames_;
    std::size_t room_;         ///< bytes that are free
    std::size_t charged_ = 0;  ///< in all
    std::vector<Value> known_; ///< shared objects that are complete: kept, as their only owner may be dropped
    std::vector<Value> shape_list_;
    std::unordered_map<const Object*, KnownNode> sums_;
    std::unordered_map<const Object*, std::uint32_t> levels_; ///< of nodes of overlay vectors
    ErrorPtr error_;
};

/// What reading ends with when a meter has run out; `error` is the meter's.
Error reading_ended(Error error);

} // namespace ptc
