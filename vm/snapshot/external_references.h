// What a snapshot refers to instead of holding it: programs, and frozen values that its reader has as well.
#pragma once
#include "frontend/bytes.h"
#include "vm/program.h"
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace ptc {

/// Where the frozen objects below some values are: each by the way to it that was found first. Immutable once made.
class FrozenIndex {
public:
    explicit FrozenIndex(std::span<const Bits> roots);
    /// Writes the way to `object`: a root's number, then numbers of parts. False when it is not there.
    bool write_way(const Object* object, ByteWriter& out) const;

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Node {
        std::uint32_t parent;
        std::uint32_t part;
    };
    std::vector<Node> nodes_;
    std::unordered_map<const Object*, std::uint32_t> numbers_;
};

/// Keeps indexes from one snapshot to the next, as long as the session refers to the same things; and those things
/// alive, so that no other one gets their address.
struct CachedIndex {
    std::shared_ptr<const void> owner;
    std::shared_ptr<const FrozenIndex> index;
};
using IndexCache = std::unordered_map<const void*, CachedIndex>;

/// Programs and frozen values by number. Who reads a snapshot must list the same things in the same order as who wrote
/// it.
class ExternalReferences {
public:
    /// Its functions, and the values below its constants; null for one that nothing refers to. All programs before
    /// values.
    void add_program(std::shared_ptr<const Program> program);
    /// Gives the index of values that several sessions share, which makes it once.
    using SharedIndex = std::function<std::shared_ptr<const FrozenIndex>()>;
    /// Values in any heaps, which `owner` keeps alive. Without `index` each session makes its own.
    void add_values(std::shared_ptr<const void> owner, std::vector<Bits> roots, SharedIndex index = {});

    [[nodiscard]] const std::vector<const Program*>& programs() const { return programs_; }
    /// SIZE_MAX for one that is not listed.
    [[nodiscard]] std::size_t number_of(const Program* program) const;

    /// Writes space and way of a frozen object, and returns the space: a program's has its number. SIZE_MAX when it is
    /// in none of them.
    std::size_t write_place(const Object* object, IndexCache& cache, ByteWriter& out) const;
    /// What stands at such a place: frozen bits, also of parts of values; a hole when there is no such place.
    [[nodiscard]] Bits read_place(ByteReader& in) const;
    /// Forgets what is not listed any more.
    void trim(IndexCache& cache) const;

private:
    struct Space {
        std::shared_ptr<const void> owner;
        const Program* program; ///< null: `roots`
        std::vector<Bits> roots;
        const Heap* heap; ///< all of its objects are there; null when they may be anywhere
        SharedIndex index{};
        [[nodiscard]] std::vector<Bits> all_roots() const;
    };
    static const FrozenIndex& index_of(const Space& space, IndexCache& cache);
    std::vector<const Program*> programs_;
    std::vector<Space> spaces_;
};

/// The parts of a frozen object that a way may lead through, whatever it is made of inside: elements, entries in key
/// order, fields and then the shape, keys of a shape, captures; last, what a vector's elements are kept in.
std::size_t frozen_part_count(const Object* object);
Bits frozen_part(const Object* object, std::size_t part);

} // namespace ptc
