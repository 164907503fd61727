#pragma once
#include "ptc/data_set.h"
#include "runtime/heap.h"
#include "runtime/shape.h"

namespace ptc {

/// A frozen heap and the map in it that data/NAME looks into.
struct DataSet::Impl {
    Heap heap{Heap::Mode::Frozen};
    ShapeTable shapes{heap};
    Bits root = bits::kNil;

    Result<Value> import(std::string_view json, const ImportLimits& limits);
    Result<void> wrap(std::string_view name, Value value);
};

/// The way in for the library's own files; hosts have none.
struct DataSetAccess {
    static const DataSet::Impl& impl(const DataSet& set) { return *set.impl_; }
};
inline const auto& impl_of(const DataSet& set) { return DataSetAccess::impl(set); }

} // namespace ptc
