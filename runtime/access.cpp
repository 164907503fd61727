// Collections of any type, read and updated by key. What a key means depends on the collection: a map is asked for the
// key and its other spellings (spec 7.5), a vector for a position, a set for a member, nil for nothing. Every function
// names its caller (`who`) in the errors that it gives.
#include "runtime/access.h"
#include "frontend/try.h"
#include "runtime/builtin.h"
#include "runtime/number.h"
#include "runtime/scratch.h"
#include "runtime/seq.h"
#include "runtime/sorted_view.h"
#include <algorithm>
#include <cmath>

namespace ptc {

namespace {

Result<bool> find_grapheme(Heap& heap, const Value& string, std::int64_t i, Value* found) {
    const std::string_view text = text_of(string);
    if (i < 0 || static_cast<std::size_t>(i) >= text.size()) return false; // no grapheme is shorter than a byte
    if (as_string(string).flags & StringObject::kAscii) {
        *found = shared_string(text.substr(static_cast<std::size_t>(i), 1));
        return true;
    }
    const std::size_t start = grapheme_offset(heap, string, static_cast<std::size_t>(i));
    if (start == text.size()) return false;
    *found = PTC_TRY(make_string(heap, grapheme_at(heap, string, start)));
    return true;
}

bool find_element(const Value& vector, std::int64_t i, Value* found) {
    if (i < 0 || static_cast<std::size_t>(i) >= vector_length(vector)) return false;
    *found = vector_get(vector, static_cast<std::size_t>(i));
    return true;
}

bool find_exactly(Heap& heap, const Value& map, const Value& key, Value* found) {
    const Value* value = map_find(heap, map, key);
    if (value) *found = value->copy();
    return value != nullptr;
}

// A vector is read by index; nil and strings too; maps and sets have no indexes, as in Clojure.
Error no_positions(const Value& coll, const char* who) {
    Error error = wrong_type(who, "a vector or string", coll);
    if (coll.is_map())
        return std::move(error).with_hint("A map has no indexes. Take `(seq m)`, `(keys m)` or `(vals m)` first.");
    if (coll.is_set()) return std::move(error).with_hint("A set has no indexes. Take `(seq s)` first.");
    return error;
}

Result<Value> conj_to_map(Heap& heap, Value map, Value item, const char* who) {
    if (item.is_map()) {
        if (!heap.meter.charge(static_cast<std::int64_t>(map_count(item)))) return heap.meter.error();
        return map_merge(heap, std::move(map), item);
    }
    if (item.is_nil()) return map;
    if (item.is_vector() && vector_length(item) == 2) {
        return map_assoc(heap, std::move(map), vector_get(item, 0), vector_get(item, 1));
    }
    return wrong_type(who, "a [key value] pair or a map to add to a map", item);
}

} // namespace

Result<bool> lookup_key(Heap& heap, const Value& coll, const Value& key, Value* found) {
    if (coll.is_map()) {
        const Value* value = map_find_flexible(heap, coll, key);
        if (value) *found = value->copy();
        return value != nullptr;
    }
    if (coll.is_vector()) return key.is_small_integer() && find_element(coll, key.small_integer(), found);
    if (coll.is_set()) {
        const Value* member = set_find(heap, coll, key);
        if (member) *found = member->copy();
        return member != nullptr;
    }
    if (coll.is_string() && key.is_number()) return find_grapheme(heap, coll, index_of_number(key), found);
    return false;
}

// An exact key comes before a path.
Result<bool> lookup(Heap& heap, const Value& coll, const Value& key, Value* found) {
    if (key.is_vector() && coll.is_map()) {
        if (find_exactly(heap, coll, key, found)) return true;
        return lookup_in(heap, coll, key, found);
    }
    return lookup_key(heap, coll, key, found);
}

// A step of a path may be a path itself: all steps are taken in depth-first order, with a stack of our own.
Result<bool> lookup_in(Heap& heap, const Value& root, const Value& path, Value* found) {
    std::size_t taken = 0;
    const Value* at = &root;
    Value temporary;
    // Steps that are no paths, through what lends its parts, as nearly all are.
    for (const std::size_t steps = vector_length(path); taken < steps; ++taken) {
        const Value& step = vector_element(path, taken, temporary);
        if (step.is_vector() || !(at->is_map() || at->is(ObjectType::Vector))) break;
        if (!heap.meter.charge(1)) return heap.meter.error();
        const Value* next = nullptr;
        if (at->is_map())
            next = map_find_flexible(heap, *at, step);
        else if (step.is_small_integer() && static_cast<std::uint64_t>(step.small_integer()) < vector_length(*at))
            next = as_flat(*at).data + step.small_integer();
        if (!next) return false;
        at = next;
    }
    if (taken == vector_length(path)) {
        *found = at->copy();
        return true;
    }
    struct Steps {
        Value path;
        std::size_t next;
    };
    ScratchStack<Steps> stack(heap);
    if (!stack.push({path.copy(), taken})) return heap.out_of_memory();
    Value current = at->copy();
    while (!stack.empty()) {
        Steps& steps = stack.back();
        if (steps.next == vector_length(steps.path)) {
            stack.pop();
            continue;
        }
        Value step = vector_get(steps.path, steps.next++);
        if (!heap.meter.charge(1)) return heap.meter.error(); // paths may be shared so often that only fuel ends this
        Value next;
        if (step.is_vector() && current.is_map()) {
            if (find_exactly(heap, current, step, &next)) {
                current = std::move(next);
                continue;
            }
            if (!stack.push({std::move(step), 0})) return heap.out_of_memory();
            continue;
        }
        if (!PTC_TRY(lookup_key(heap, current, step, &next))) return false;
        current = std::move(next);
    }
    *found = std::move(current);
    return true;
}

Result<bool> element_at(Heap& heap, const Value& coll, std::int64_t i, Value* found, const char* who) {
    if (coll.is_vector()) return find_element(coll, i, found);
    if (coll.is_string()) return find_grapheme(heap, coll, i, found);
    if (coll.is_nil()) return false;
    return no_positions(coll, who);
}

Result<Value> first_of(Heap& heap, const Value& coll, const char* who) {
    Value found;
    if (coll.is(ObjectType::OverlayMap) || coll.is(ObjectType::OverlaySet)) {
        if (const Value* entry = PTC_TRY(first_of_overlay(heap, coll))) {
            if (coll.is_set()) return entry->copy();
            Value pair[2] = {entry[0].copy(), entry[1].copy()};
            return make_vector(heap, pair);
        }
    }
    if (coll.is_map()) { // no more than the one entry is made: a sorted map may be a queue
        const MapView view = PTC_TRY(MapView::of(heap, coll));
        if (view.size() == 0) return Value();
        Value pair[2] = {view.key(0).copy(), view.value(0).copy()};
        return make_vector(heap, pair);
    }
    if (coll.is_set()) {
        const SetView view = PTC_TRY(SetView::of(heap, coll));
        return view.size() == 0 ? Value() : view.item(0).copy();
    }
    (void)PTC_TRY(element_at(heap, coll, 0, &found, who));
    return found;
}

Result<Value> rest_of(Heap& heap, Value coll, std::size_t n, const char* who) {
    if (coll.is_vector()) [[likely]] {
        const std::size_t length = vector_length(coll);
        return vector_slice(heap, std::move(coll), std::min(n, length), length);
    }
    Value items = PTC_TRY(to_positions(heap, std::move(coll), who));
    std::size_t length = vector_length(items);
    return vector_slice(heap, std::move(items), std::min(n, length), length);
}

Result<Value> to_positions(Heap& heap, Value coll, const char* who) {
    if (coll.is_vector()) return coll;
    if (coll.is_nil()) return empty_vector();
    if (!coll.is_map() && !coll.is_set() && !coll.is_string()) return no_positions(coll, who);
    if (!coll.is_string()) {
        const std::size_t count = PTC_TRY(seq_count(heap, coll, who));
        if (!heap.meter.charge(static_cast<std::int64_t>(count))) return heap.meter.error();
    }
    return to_vector(heap, std::move(coll), who);
}

Result<std::size_t> count_of(Heap& heap, const Value& coll, const char* who) { return seq_count(heap, coll, who); }

Result<Value> conj_to(Heap& heap, Value coll, Value item, const char* who) {
    if (coll.is_vector()) return vector_conj(heap, std::move(coll), std::move(item));
    if (coll.is_map()) return conj_to_map(heap, std::move(coll), std::move(item), who);
    if (coll.is_set()) return set_conj(heap, std::move(coll), std::move(item));
    if (coll.is_nil()) return make_vector(heap, std::span(&item, 1));
    return wrong_type(who, "a vector, map, set or nil", coll, 1);
}

Result<Value> assoc_to(Heap& heap, Value coll, Value key, Value value, const char* who) {
    if (coll.is_map()) return map_assoc(heap, std::move(coll), std::move(key), std::move(value));
    if (coll.is_nil()) return map_assoc(heap, empty_map(), std::move(key), std::move(value));
    if (!coll.is_vector()) return wrong_type(who, "a map, vector or nil", coll, 1);
    if (!key.is_integer()) return wrong_type(who, "an index for a vector", key);
    std::size_t length = vector_length(coll);
    if (!key.is_small_integer() || key.small_integer() < 0 || static_cast<std::size_t>(key.small_integer()) > length) {
        return runtime_failure(who, "a vector of " + std::to_string(length) + " has no place for an element " +
                                        number_for_message(key) + ".")
            .with_hint("An index from 0 to the vector's length is allowed; `conj` adds at the end.");
    }
    return vector_assoc(heap, std::move(coll), static_cast<std::size_t>(key.small_integer()), std::move(value));
}

} // namespace ptc
