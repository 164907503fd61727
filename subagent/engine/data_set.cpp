// Data imported once into a frozen heap, from JSON, a text or a tree. The digest of a name is a hash of the value as
// the language sees it, in the order of keys, so that it is the same however the value was imported.
#include "ptc/data_set.h"
#include "frontend/try.h"
#include "ptc/type.h"
#include "runtime/copy.h"
#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/print.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/text_hash.h"
#include <algorithm>
#include <map>

namespace ptc {

DataSet::DataSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DataSet::~DataSet() = default;

namespace {

/// A hash of a value that follows from what it is, not from how it is kept: maps and sets in the order of their keys.
class Digest {
public:
    explicit Digest(Heap& heap) : heap_(heap) {}
    Result<std::uint64_t> of(const Value& value) {
        hash_ = text_hash("");
        PTC_CHECK(add(value));
        return hash_;
    }

private:
    void add(std::string_view bytes) { hash_ = text_hash(bytes, hash_); }
    void add_size(char kind, std::size_t size) {
        add(std::string_view(&kind, 1));
        add(std::to_string(size));
        add(";");
    }
    // A level of the C++ stack for a level of the data, which are at most as deep as JSON may be.
    Result<void> add(const Value& v) {
        if (v.is_map()) return add_map(v);
        if (v.is_set()) return add_items('s', PTC_TRY(set_items(heap_, v)));
        if (v.is_vector()) return add_items('v', v);
        const std::string text =
            v.is_string() ? std::string(text_of(v)) : print_to_string(heap_, v, PrintStyle::Readable);
        add_size(v.is_string() ? '"' : 'x', text.size());
        add(text);
        return {};
    }
    Result<void> add_items(char kind, const Value& vector) {
        const VectorReader items(vector);
        add_size(kind, items.size());
        for (std::size_t i = 0; i < items.size(); ++i)
            PTC_CHECK(add(items.at(i)));
        return {};
    }
    Result<void> add_map(const Value& map) {
        const MapView view = PTC_TRY(MapView::of(heap_, map));
        add_size('m', view.size());
        for (std::size_t i = 0; i < view.size(); ++i) {
            PTC_CHECK(add(view.key(i)));
            PTC_CHECK(add(view.value(i)));
        }
        return {};
    }
    Heap& heap_;
    std::uint64_t hash_ = 0;
};

using Digests = std::map<std::string, std::string, std::less<>>;

std::shared_ptr<const Digests> digests_of(const DataSet& set) {
    return impl_of(set).derived.get<Digests>("digests", [&] {
        auto digests = std::make_shared<Digests>();
        Heap heap; // frozen maps keep their own views
        Value root = Value::adopt(impl_of(set).root);
        const Result<MapView> view = MapView::of(heap, root);
        for (std::size_t i = 0; view.ok() && i < view.value().size(); ++i) {
            const Result<std::uint64_t> digest = Digest(heap).of(view.value().value(i));
            (*digests)[std::string(text_of(view.value().key(i)))] = hash_digits(digest.ok() ? digest.value() : 0);
        }
        (void)root.give_up();
        return digests;
    });
}

/// Whether a JSON text may have a name that begins with `_`: as it stands, or escaped. Looked for by what is rarer in
/// such texts than quotes are.
bool may_write_firewalled_names(std::string_view json) {
    const auto is_behind_a_quote = [json](std::size_t at) { return at > 0 && json[at - 1] == '"'; };
    for (std::size_t at = json.find('_'); at != std::string_view::npos; at = json.find('_', at + 1)) {
        if (is_behind_a_quote(at)) return true;
    }
    for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at + 1)) {
        if (is_behind_a_quote(at) && json.substr(at).starts_with("\\u005")) return true;
    }
    return false;
}

} // namespace

std::size_t DataSet::memory_bytes() const { return impl_->heap.committed_bytes(); }

std::vector<std::string> DataSet::names() const {
    std::vector<std::string> names;
    Heap heap;
    Value root = Value::adopt(impl_->root);
    if (const Result<MapView> view = MapView::of(heap, root); view.ok()) {
        for (std::size_t i = 0; i < view.value().size(); ++i)
            names.emplace_back(text_of(view.value().key(i)));
    }
    (void)root.give_up();
    std::ranges::sort(names);
    return names;
}

std::string DataSet::digest(std::string_view name) const {
    const std::shared_ptr<const Digests> digests = digests_of(*this);
    const auto found = digests->find(name);
    return found == digests->end() ? "" : found->second;
}

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
    impl->may_have_firewalled_names = false;
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
    may_have_firewalled_names = may_write_firewalled_names(json);
    return value;
}

Result<std::shared_ptr<const DataSet>> DataSetAccess::copy_of(std::string_view name, const Value& value) {
    auto impl = std::make_unique<DataSet::Impl>();
    PTC_CHECK(impl->wrap(name, PTC_TRY(deep_copy(impl->heap, impl->shapes, value, true))));
    return std::shared_ptr<const DataSet>(new DataSet(std::move(impl)));
}

std::optional<Value> DataSet::Impl::find(std::string_view name) const {
    Heap other;
    Value map = Value::adopt(root);
    std::optional<Value> found;
    if (const Result<MapView> view = MapView::of(other, map); view.ok()) {
        for (std::size_t i = 0; i < view.value().size() && !found; ++i) {
            if (text_of(view.value().key(i)) == name) found = view.value().value(i).copy();
        }
    }
    (void)map.give_up();
    return found;
}

// {name value} as a record of the same frozen heap.
Result<void> DataSet::Impl::wrap(std::string_view name, Value value) {
    may_have_firewalled_names = may_have_firewalled_names || is_firewalled(name);
    Value keys[1] = {PTC_TRY(make_string(heap, name))};
    ShapeObject* shape = shapes.intern(keys);
    if (!shape) return heap.out_of_memory();
    Value record = PTC_TRY(make_record(heap, shape, std::span<Value>(&value, 1)));
    root = record.give_up();
    return {};
}

} // namespace ptc
