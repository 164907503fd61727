// Values from one heap to another.
#pragma once
#include "runtime/heap.h"
#include "runtime/shape.h"
#include <memory>

namespace ptc {

/// A copy of `v` that belongs to `into`, whose shapes are in `shapes`: what is shared inside of `v` is shared in the
/// copy. Frozen parts are shared with `v` unless `copy_frozen`. Copies are in their simplest form (no slices or
/// overlays). In a frozen heap the copy is complete for readers on other threads. Works with a stack of its own. Only
/// reads `v`, whose heap may be read by other threads at the same time. Charges `into`.
Result<Value> deep_copy(Heap& into, ShapeTable& shapes, const Value& v, bool copy_frozen);

/// The same for several values: what they share, their copies share, as long as none of these goes.
class DeepCopy {
public:
    DeepCopy(Heap& into, ShapeTable& shapes, bool copy_frozen);
    ~DeepCopy();
    DeepCopy(const DeepCopy&) = delete;
    DeepCopy& operator=(const DeepCopy&) = delete;
    /// `*to`, nil so far, becomes a copy of `from`. After a failure it is incomplete, but may be released.
    Result<void> copy(const Value& from, Value* to);

private:
    class Copier;
    std::unique_ptr<Copier> copier_;
};

} // namespace ptc
