// Values as bytes: see graph_format.h.
#pragma once
#include "vm/snapshot/external_references.h"
#include "vm/snapshot/graph_format.h"

namespace ptc {

struct ShapeObject;
struct VectorObject;

/// Objects, numbered in the order in which they are added.
class ObjectNumbers {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    [[nodiscard]] std::uint32_t find(const Object* object) const;
    /// One that is not there.
    void add(const Object* object);

private:
    struct Slot {
        const Object* object = nullptr;
        std::uint32_t number = 0;
    };
    [[nodiscard]] std::size_t slot_of(const Object* object) const {
        const auto address = reinterpret_cast<std::uintptr_t>(object) >> 4;
        return static_cast<std::size_t>((address * 0x9E3779B97F4A7C15) >> 32) & (slots_.size() - 1);
    }
    void place(Slot slot);
    std::vector<Slot> slots_; ///< open addressing, a power of two, at most half full
    std::uint32_t count_ = 0;
};

/// Writes values of one heap; what they share is written once. Only reads them. Works with a stack of its own.
class GraphWriter {
public:
    GraphWriter(const Heap& heap, const ExternalReferences& references, IndexCache& cache, ByteWriter& out)
        : heap_(heap), references_(references), cache_(cache), out_(out), used_(references.programs().size()) {}
    /// Of another heap: a lane's. Nothing is shared between heaps.
    [[nodiscard]] GraphWriter for_heap(const Heap& heap) const { return {heap, references_, cache_, out_}; }
    void use_programs_of(const GraphWriter& other);
    [[nodiscard]] ByteWriter& out() { return out_; }

    /// invalid_snapshot for a function of a program that is not listed.
    Result<void> write(const Value& value) { return write(value.raw()); }
    Result<void> write(Bits root);
    /// All shapes of the heap's table, used or not: how many there are is seen (ShapeTable::is_crowded).
    Result<void> write_shapes(const ShapeTable& shapes);
    /// By number: whether what was written refers to the program.
    [[nodiscard]] const std::vector<bool>& used_programs() const { return used_; }

private:
    struct Frame {
        const Object* object;
        const Value* values; ///< its parts, when they are values side by side
        std::size_t next;
        std::size_t parts;
        bool is_shared;
        bool is_frozen;
    };
    void put(Bits bits, bool is_inside_frozen = false);
    void put_values(Frame& frame);
    void put_simple(Bits bits);
    void put_function(const FunctionInfo* info);
    void put_object(Bits bits);
    bool put_known(Bits bits);
    void begin(Bits bits, bool is_shared);
    std::size_t put_header(const Object* object);
    std::size_t put_vector(const VectorObject& vector);
    std::size_t put_leaf(const Object* object);
    std::size_t put_overlay(const Object* object);
    std::size_t put_node(const Object* object);
    void put_text(const Object* object);
    void put_own_text(const Object* object);
    void put_shape(const ShapeObject* shape);
    static const Value* values_of(const Object* object);
    [[nodiscard]] Bits part(const Object* object, std::size_t i) const;
    [[nodiscard]] Bits bits_of(const Object* object) const;
    void finish(const Object* object, bool is_shared);
    [[nodiscard]] bool is_foreign(const Object* object) const;

    const Heap& heap_;
    const ExternalReferences& references_;
    IndexCache& cache_;
    ByteWriter& out_;
    std::vector<Frame> frames_;
    ObjectNumbers known_; ///< shared objects that are complete
    ObjectNumbers shapes_;
    const ShapeObject* last_shape_ = nullptr; ///< rows of data have one after the other
    std::uint32_t last_shape_number_ = 0;
    bool put_place(const Object* object);
    std::vector<bool> used_;
    const char* problem_ = nullptr;
};

} // namespace ptc
