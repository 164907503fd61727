#include "ptc/data_set.h"
#include "runtime/copy.h"
#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/string.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"

namespace ptc {

DataSet::DataSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DataSet::~DataSet() = default;

std::size_t DataSet::memory_bytes() const { return impl_->heap.committed_bytes(); }

Result<std::shared_ptr<const DataSet>> DataSet::from_json(std::string_view json, const ImportLimits& limits) {
    auto impl = std::make_unique<Impl>();
    Value root = PTC_TRY(impl->import(json, limits));
    if (!root.is_map())
        return Error(Reason::InvalidJson, "A context is a JSON object whose members are the names behind data/.");
    impl->root = root.give_up();
    return std::shared_ptr<const DataSet>(new DataSet(std::move(impl)));
}

Result<std::shared_ptr<const DataSet>> DataSet::from_json(std::string_view name, std::string_view json,
                                                          const ImportLimits& limits) {
    auto impl = std::make_unique<Impl>();
    Value value = PTC_TRY(impl->import(json, limits));
    PTC_CHECK(impl->wrap(name, std::move(value)));
    return std::shared_ptr<const DataSet>(new DataSet(std::move(impl)));
}

Result<std::shared_ptr<const DataSet>> DataSet::from_text(std::string_view name, std::string_view utf8) {
    auto impl = std::make_unique<Impl>();
    Value value = PTC_TRY(make_string(impl->heap, utf8));
    PTC_CHECK(impl->wrap(name, std::move(value)));
    return std::shared_ptr<const DataSet>(new DataSet(std::move(impl)));
}

Result<std::shared_ptr<const DataSet>> DataSet::from_datum(const Datum& map) {
    if (!map.map()) return Error(Reason::InvalidRequest, "A context is a map whose keys are the names behind data/.");
    Heap heap;               // what is built step by step is frozen only when it is whole
    ShapeTable shapes(heap); // small maps become records, whose fields programs find by their slot
    Value value = PTC_TRY(ptc::from_datum(heap, map));
    auto impl = std::make_unique<Impl>();
    Value root = PTC_TRY(deep_copy(impl->heap, impl->shapes, value, false));
    impl->root = root.give_up();
    return std::shared_ptr<const DataSet>(new DataSet(std::move(impl)));
}

Result<Value> DataSet::Impl::import(std::string_view json, const ImportLimits& limits) {
    const ImportScope scope(limits);
    const std::size_t before = heap.limit();
    heap.set_limit(limits.max_bytes.value_or(import_bytes(json.size())));
    Result<Value> value = import_json(heap, shapes, json);
    heap.set_limit(before);
    return value;
}

// {name value} as a record of the same frozen heap.
Result<void> DataSet::Impl::wrap(std::string_view name, Value value) {
    Value keys[1] = {PTC_TRY(make_string(heap, name))};
    ShapeObject* shape = shapes.intern(keys);
    if (!shape) return heap.out_of_memory();
    Value record = PTC_TRY(make_record(heap, shape, std::span<Value>(&value, 1)));
    root = record.give_up();
    return {};
}

} // namespace ptc
