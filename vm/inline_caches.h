// What instructions of a run found last: the slot of a field in records of a shape, of a name, of data. Fuel follows
// from what is in them (what is not, is looked for), so each run begins with empty ones and shares them with none.
#pragma once
#include "runtime/shape.h"
#include "runtime/value.h"
#include "vm/opcode.h"
#include <array>

namespace ptc {

struct InlineCache {
    const void* shape; ///< or the namespace, or the data
    Bits key;          ///< or the place in the program
    std::uint64_t slot;
};

struct InlineCaches {
    static constexpr std::size_t kCaches = 128;
    static constexpr std::size_t kSites = 128;

    /// For the instruction with this word in front of, or behind, it.
    [[nodiscard]] InlineCache& at(Word site) { return caches[site % kCaches]; }
    /// Of a field instruction with this word behind it, where it meets a record of this shape: a place in the program
    /// that meets several shapes in turn has as many caches.
    [[nodiscard]] InlineCache& of_field(Word site, const ShapeObject* shape) {
        return caches[((site >> 16) + shape->hash) % kCaches];
    }
    /// What the instruction met last. Looked at first: where it is does not follow from the record, so a processor that
    /// expects the shape of the last time has the field while it still waits for the record's shape.
    [[nodiscard]] InlineCache& of_site(Word site) { return sites[(site >> 16) % kSites]; }
    /// The field of a record by the caches of its place in the program; null when they do not know it.
    [[nodiscard]] const InlineCache* find_field(Word site, const ShapeObject* shape, Bits key) {
        InlineCache& here = of_site(site);
        if (here.shape == shape && here.key == key) [[likely]]
            return &here;
        const InlineCache& cache = of_field(site, shape);
        if (cache.shape != shape || cache.key != key) return nullptr;
        here = cache;
        return &here;
    }

    std::array<InlineCache, kCaches> caches;
    std::array<InlineCache, kSites> sites;
};

} // namespace ptc
