#include "subagent/engine/known_data.h"
#include "runtime/map.h"
#include "runtime/string.h"
#include "subagent/engine/data_set_impl.h"

namespace ptc {

std::vector<KnownData> known_data(const std::vector<std::shared_ptr<const DataSet>>& sets) {
    std::vector<KnownData> known;
    Heap heap; // frozen maps keep their own views
    for (const auto& set : sets) {
        Value root = Value::adopt(impl_of(*set).root);
        const Result<MapView> view = MapView::of(heap, root);
        for (std::size_t i = 0; view.ok() && i < view.value().size(); ++i)
            known.push_back({std::string(text_of(view.value().key(i))), abstract_value_of(view.value().value(i))});
        (void)root.give_up();
    }
    return known;
}

} // namespace ptc
