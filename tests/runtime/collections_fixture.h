// What the tests of single collections share: a heap that must be empty again at the end, and short ways to make
// values.
#pragma once
#include "runtime/clock.h"
#include "runtime/equality.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/set.h"
#include "runtime/shape.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <gtest/gtest.h>
#include <string>

namespace ptc::test {

template <class T> T must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return std::move(result).value();
}

class CollectionTest : public testing::Test {
protected:
    Heap heap;
    ShapeTable shapes{heap};

    static Value integer(std::int64_t i) { return Value::small_integer(i); }
    Value keyword(const std::string& text) { return must(make_keyword(heap, text)); }
    Value string(const std::string& text) { return must(make_string(heap, text)); }
    Value range(std::int64_t n) { return must(make_range(heap, 0, n, 1)); }
    template <class... Items> Value vector(Items... items) {
        Value v = empty_vector();
        ((v = must(vector_conj(heap, std::move(v), std::move(items)))), ...);
        return v;
    }
    /// A flat vector 0 .. n-1.
    Value integers(std::int64_t n) {
        VectorBuilder builder(heap);
        for (std::int64_t i = 0; i < n; ++i)
            builder.push(integer(i));
        return must(builder.finish());
    }
    Value assoc(Value map, Value key, Value value) {
        return must(map_assoc(heap, std::move(map), std::move(key), std::move(value)));
    }
    /// {0 0, 1 1, ..}
    Value integer_map(std::int64_t n) {
        Value m = empty_map();
        for (std::int64_t i = 0; i < n; ++i)
            m = assoc(std::move(m), integer(i), integer(i));
        return m;
    }
    Value conj(Value v, Value item) { return must(vector_conj(heap, std::move(v), std::move(item))); }
    bool same(const Value& a, const Value& b) {
        bool yes = equal(heap, a, b);
        EXPECT_EQ(yes, equal(heap, b, a));
        EXPECT_TRUE(!yes || hash(heap, a) == hash(heap, b));
        return yes;
    }
    int order(const Value& a, const Value& b) {
        int forward = total_order(heap, a, b), backward = total_order(heap, b, a);
        EXPECT_EQ(forward<0, backward> 0);
        EXPECT_EQ(forward > 0, backward < 0);
        return forward;
    }
};

} // namespace ptc::test
