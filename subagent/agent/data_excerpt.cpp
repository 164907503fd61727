#include "subagent/agent/data_excerpt.h"
#include "frontend/utf8.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "subagent/agent/preview.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMostValues = 20'000; ///< of one name; a preview has not as many bytes. Then lists end ..
constexpr std::size_t kAtAll = 100'000;     ///< .. and behind these everything does
constexpr std::size_t kLeast = 100;         ///< items and entries that are looked at whatever a prompt shows
constexpr unsigned kDepth = 13;             ///< one more than a preview shows

/// The least that one more shows.
std::size_t one_more(std::size_t shown) { return std::min(std::max(shown, kLeast), kMostValues) + 1; }

class Excerpting {
public:
    Excerpting(Heap& heap, const PromptLimit& limit, FullSizes& sizes) : heap_(heap), limit_(limit), sizes_(sizes) {}
    void add(const Value& value, unsigned depth, Datum& out) {
        if (depth > kDepth || values_ >= kAtAll) return;
        ++values_;
        if (value.is_string()) return add_text(text_of(value), out.emplace<std::string>());
        if (value.is_vector()) return add_items(value, out.emplace<Datum::List>(), depth);
        if (value.is_map()) return add_entries(value, out.emplace<Datum::Map>(), depth);
        if (value.is_set()) {
            const Result<Value> items = set_items(heap_, value);
            if (items.ok()) add_items(items.value(), out.emplace<Datum::Set>().items, depth);
            return;
        }
        if (Result<Datum> scalar = to_datum(heap_, value); scalar.ok()) out = std::move(scalar).value();
    }

private:
    void add_text(std::string_view text, std::string& out) {
        out = utf8::prefix(text, one_more(limit_.string));
        if (out.size() < text.size()) sizes_[&out] = text.size();
    }
    void add_items(const Value& vector, Datum::List& out, unsigned depth) {
        const VectorReader items(vector);
        const std::size_t most = std::min(items.size(), one_more(limit_.list));
        out.reserve(most); // parts are known by their addresses
        for (std::size_t i = 0; i < most && (i == 0 || values_ < kMostValues); ++i)
            add(items.at(i), depth + 1, out.emplace_back());
        if (out.size() < items.size()) sizes_[&out] = items.size();
    }
    void add_entries(const Value& map, Datum::Map& out, unsigned depth) {
        const Result<MapView> view = MapView::of(heap_, map);
        if (!view.ok()) return;
        const std::size_t size = view.value().size();
        const std::size_t count = std::min(size, one_more(PreviewLimits().map));
        out.resize(count);
        if (count < size) sizes_[&out] = size;
        for (std::size_t i = 0; i < count; ++i) {
            add(view.value().key(i), depth + 1, out[i].first);
            add(view.value().value(i), depth + 1, out[i].second);
        }
    }

    Heap& heap_;
    const PromptLimit& limit_;
    FullSizes& sizes_;
    std::size_t values_ = 0;
};

} // namespace

std::shared_ptr<const Excerpts> excerpts_of(const DataSet& set, const PromptLimit& limit) {
    const std::string key = "excerpts " + std::to_string(limit.list) + " " + std::to_string(limit.string);
    return impl_of(set).derived.get<Excerpts>(key, [&] {
        auto excerpts = std::make_shared<Excerpts>();
        Heap heap; // frozen maps keep their own views
        const Value root = Value::adopt(impl_of(set).root);
        const Result<MapView> names = MapView::of(heap, root);
        for (std::size_t i = 0; names.ok() && i < names.value().size(); ++i) {
            Excerpt& excerpt = (*excerpts)[std::string(text_of(names.value().key(i)))];
            Excerpting(heap, limit, excerpt.sizes).add(names.value().value(i), 0, excerpt.value);
        }
        return excerpts;
    });
}

} // namespace ptc
