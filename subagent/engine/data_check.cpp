#include "subagent/engine/data_check.h"
#include "frontend/try.h"
#include "ptc/signature_text.h"
#include "runtime/map.h"
#include "runtime/silent_host.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "subagent/engine/boundary.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"
#include "vm/vm.h"
#include <optional>

namespace ptc {
namespace {

/// The only value of a map of one name.
Result<Value> only_value(Heap& heap, const Value& map) {
    const MapView view = PTC_TRY(MapView::of(heap, map));
    return view.size() == 1 ? view.value(0).copy() : Value();
}

/// Whether a key of a map in `value` is written otherwise than results and parameters have it: as text with
/// underscores.
Result<bool> has_odd_keys(Heap& heap, const Value& value) {
    if (value.is_vector()) {
        const VectorReader items(value);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (PTC_TRY(has_odd_keys(heap, items.at(i)))) return true;
        }
    }
    if (!value.is_map()) return false;
    const MapView view = PTC_TRY(MapView::of(heap, value));
    for (std::size_t i = 0; i < view.size(); ++i) {
        const Value& key = view.key(i);
        if (!key.is_string() || text_of(key).find('-') != std::string_view::npos) return true;
        if (PTC_TRY(has_odd_keys(heap, view.value(i)))) return true;
    }
    return false;
}

/// One name with `value`, whose keys are written as they should be.
Result<std::shared_ptr<const DataSet>> with_usual_keys(Heap& heap, std::string_view name, const Value& value) {
    return DataSet::from_datum(Datum::object({{std::string(name), PTC_TRY(to_datum(heap, value, KeyStyle::Normal))}}));
}

Result<CheckedData> check(std::string_view name, const Value& value, const CompiledSignature& signature,
                          const ValidationOptions& options) {
    SilentHost services;
    Vm vm(services);
    vm.bound_heap(options.limits);
    vm.heap.meter.start(options.limits.fuel, Meter::Clock::now() + options.limits.timeout, nullptr);
    MapBuilder arguments(vm.heap);
    arguments.put(PTC_TRY(make_string(vm.heap, name)), value.copy());
    const CheckRunner run = [&vm](const Program& validator, Value v, const CheckOptions& checks, CheckReport& found) {
        return vm.check(validator, std::move(v), checks, found);
    };
    CheckReport report;
    const Value checked =
        PTC_TRY(run_check(run, signature, Direction::Input, PTC_TRY(arguments.finish()), options, report));
    CheckedData result;
    result.faults = std::move(report.faults);
    result.warnings = std::move(report.warnings);
    result.more_faults = report.more_faults;
    const Value now = PTC_TRY(only_value(vm.heap, checked));
    if (!result.faults.empty()) return result;
    if (PTC_TRY(has_odd_keys(vm.heap, now)))
        result.coerced = PTC_TRY(with_usual_keys(vm.heap, name, now));
    else if (now.raw() != value.raw())
        result.coerced = PTC_TRY(DataSetAccess::copy_of(name, now));
    return result;
}

} // namespace

Result<std::shared_ptr<const CheckedData>> check_data(const DataSet& set, std::string_view name,
                                                      const CompiledSignature& signature,
                                                      const ValidationOptions& options) {
    const std::optional<Value> value = impl_of(set).find(name);
    if (!value) return std::shared_ptr<const CheckedData>();
    std::optional<Error> failed;
    const std::string key = "check " + std::string(name) + " " + signature_text(signature_of(signature)) + " " +
                            std::to_string(static_cast<int>(options.mode)) + std::to_string(options.is_json_text);
    std::shared_ptr<const CheckedData> checked = impl_of(set).derived.get<CheckedData>(key, [&] {
        Result<CheckedData> made = check(name, *value, signature, options);
        if (made.ok()) return std::make_shared<const CheckedData>(std::move(made).value());
        failed = made.error();
        return std::shared_ptr<const CheckedData>();
    });
    if (failed) return std::move(*failed);
    return checked;
}

} // namespace ptc
