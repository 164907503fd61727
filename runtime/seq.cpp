#include "runtime/seq.h"
#include "frontend/try.h"
#include "runtime/runtime_errors.h"

namespace ptc {

namespace {

Result<Value> graphemes(Heap& heap, const Value& string) {
    std::string_view text = text_of(string);
    PieceMeter pay(heap, text.size(), text.size());
    const std::size_t count = grapheme_count(heap, string);
    if (heap.meter.has_run_out()) return heap.meter.error();
    VectorBuilder items(heap);
    if (!items.reserve(count)) return heap.out_of_memory();
    const bool is_ascii = (as_string(string).flags & StringObject::kAscii) != 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = is_ascii ? at + 1 : next_grapheme(heap, text, at);
        if (!pay.reach(end)) return heap.meter.error();
        const std::string_view grapheme = text.substr(at, end - at);
        items.push(is_ascii ? shared_string(grapheme) : PTC_TRY(make_string(heap, grapheme)));
        at = end;
    }
    if (!pay.finish()) return heap.meter.error();
    return items.finish();
}

} // namespace

bool is_seqable(const Value& v) { return v.is_nil() || v.is_collection() || v.is_string(); }

Result<Value> to_vector(Heap& heap, Value coll, const char* who) {
    if (coll.is_vector()) return coll;
    if (coll.is_map()) return map_entries(heap, coll);
    if (coll.is_set()) return set_items(heap, coll);
    if (coll.is_string()) return graphemes(heap, coll);
    if (coll.is_nil()) return empty_vector();
    return wrong_type(who, "a collection", coll);
}

Result<std::size_t> seq_count(Heap& heap, const Value& coll, const char* who) {
    if (coll.is_vector()) return vector_length(coll);
    if (coll.is_map()) return map_count(coll);
    if (coll.is_set()) return set_count(coll);
    if (coll.is_string()) return grapheme_count(heap, coll);
    if (coll.is_nil()) return std::size_t{0};
    return wrong_type(who, "a collection", coll);
}

} // namespace ptc
