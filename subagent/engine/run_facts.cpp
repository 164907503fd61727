#include "subagent/engine/run_facts.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxValues = 4000;
constexpr std::size_t kMaxItems = 50; ///< of one collection: rows are alike
constexpr std::size_t kMaxKeys = 1000;

bool is_name(const Value& key) { return key.is_keyword() || key.is_string(); }

class KeyWalk {
public:
    explicit KeyWalk(Heap& heap) : heap_(heap) {}

    void visit(const Value& root) {
        pending_.push_back(root.copy());
        while (!pending_.empty() && seen_ < kMaxValues && keys_.size() < kMaxKeys) {
            const Value value = std::move(pending_.back());
            pending_.pop_back();
            ++seen_;
            if (value.is_map()) add_map(value);
            if (value.is_vector()) add_items(value);
        }
        pending_.clear();
    }

    std::vector<std::string> take_keys() {
        std::sort(keys_.begin(), keys_.end());
        keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
        return std::move(keys_);
    }

private:
    void add_map(const Value& map) {
        const Result<MapView> view = MapView::of(heap_, map);
        if (!view.ok()) return;
        for (std::size_t i = 0; i < std::min(view.value().size(), kMaxItems); ++i) {
            if (is_name(view.value().key(i)) && text_of(view.value().key(i)).size() <= ShapeObject::kMaxKeyBytes)
                keys_.emplace_back(text_of(view.value().key(i)));
            pending_.push_back(view.value().value(i).copy());
        }
    }
    void add_items(const Value& vector) {
        const VectorReader reader(vector);
        for (std::size_t i = 0; i < std::min(reader.size(), kMaxItems); ++i)
            pending_.push_back(reader.at(i));
    }

    Heap& heap_;
    std::vector<Value> pending_;
    std::vector<std::string> keys_;
    std::size_t seen_ = 0;
};

} // namespace

std::vector<std::string> data_names(Heap& heap, std::span<const Value> data) {
    std::vector<std::string> names;
    for (const Value& map : data) {
        if (!map.is_map()) continue;
        const Result<MapView> view = MapView::of(heap, map);
        if (!view.ok()) continue;
        for (std::size_t i = 0; i < std::min(view.value().size(), kMaxKeys); ++i) {
            if (is_name(view.value().key(i))) names.emplace_back(text_of(view.value().key(i)));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> known_keys(Vm& vm) {
    KeyWalk walk(vm.heap);
    for (const Value& map : vm.data)
        walk.visit(map);
    for (std::uint32_t i = 0; i < vm.names.size(); ++i) {
        if (!vm.names.slot(i).value.is_hole()) walk.visit(vm.names.slot(i).value);
    }
    for (const Value& value : vm.history)
        walk.visit(value);
    return walk.take_keys();
}

} // namespace ptc
