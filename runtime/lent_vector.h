// A vector for the time of a look-up, of items that lie somewhere else.
#pragma once
#include "runtime/vector.h"
#include <span>

namespace ptc {

/// It is no object of a heap, so nobody may keep its value. Does not own the items, which must outlive it.
class LentVector {
public:
    explicit LentVector(std::span<Value> items) {
        vector_.refs = kImmortal;
        vector_.type = ObjectType::Vector;
        vector_.length = static_cast<std::uint32_t>(items.size());
        vector_.data = items.data();
    }
    LentVector(const LentVector&) = delete;
    LentVector& operator=(const LentVector&) = delete;
    [[nodiscard]] const Value& value() const { return value_; }

private:
    VectorObject vector_{};
    Value value_ = Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(&vector_));
};

} // namespace ptc
