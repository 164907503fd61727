// One value with everything in it that owns something, for the tests of release, freezing and copying.
#pragma once
#include "runtime/function.h"
#include "runtime/regex.h"
#include "tests/runtime/collections_fixture.h"

namespace ptc::test {

/// One of everything that owns something, each part with parts of its own.
inline Value menagerie(Heap& heap) {
    VectorBuilder all(heap);
    auto text = [&](const std::string& s) { return must(make_string(heap, s)); };
    VectorBuilder flat(heap);
    for (int i = 0; i < 300; ++i)
        flat.push(text("item " + std::to_string(i)));
    Value v = must(flat.finish());
    Value buffer = must(vector_conj(heap, v.copy(), text("one more"))); // its copy is paid for
    all.push(must(vector_conj(heap, buffer.copy(), text("claimed"))));
    all.push(must(vector_slice(heap, buffer.copy(), 5, 200)));
    all.push(must(vector_assoc(heap, v.copy(), 7, text("overlay"))));
    all.push(must(vector_slice(heap, v.copy(), 3, 290)));
    all.push(std::move(v));
    all.push(std::move(buffer));
    Value m = empty_map();
    Value s = empty_set();
    for (int i = 0; i < 100; ++i) {
        Value key[2] = {text(std::to_string(i)), Value::small_integer(i)};
        Value k = must(make_vector(heap, key));
        s = must(set_conj(heap, std::move(s), k.copy()));
        m = must(map_assoc(heap, std::move(m), std::move(k), text("value")));
    }
    Value paid = must(map_assoc(heap, m.copy(), text("new"), text("flat")));
    all.push(must(map_assoc(heap, m.copy(), text("new"), text("overlay"))));
    paid = must(set_conj(heap, s.copy(), text("new")));
    all.push(must(set_conj(heap, s.copy(), text("new"))));
    EXPECT_TRUE(MapView::of(heap, m).ok());
    all.push(std::move(m));
    all.push(std::move(s));
    all.push(must(map_assoc(heap, empty_map(), text("field"), text("value"))));
    static constexpr FunctionInfo info{};
    auto* closure = heap.allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject) + sizeof(Value));
    closure->count = 1;
    closure->function = &info;
    std::construct_at(closure->captures(), text("captured"));
    all.push(heap.value_of(closure));
    all.push(must(make_range(heap, 0, 100, 1)));
    all.push(must(make_regex(heap, "a+b")));
    return must(all.finish());
}

} // namespace ptc::test
