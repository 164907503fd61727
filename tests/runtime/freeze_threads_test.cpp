#include "runtime/freeze.h"
#include "tests/runtime/menagerie.h"
#include <thread>

namespace ptc::test {
namespace {

class FrozenValue : public CollectionTest {};

TEST_F(FrozenValue, IsReadByManyThreadsAndUpdatedByEach) {
    Heap data;
    ShapeTable data_shapes(data);
    Value frozen = menagerie(data);
    freeze_value(frozen);
    data.freeze();
    auto work = [&] {
        Heap own;
        ShapeTable own_shapes(own);
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < vector_length(frozen); ++i) {
                Value part = vector_get(frozen, i);
                (void)hash(own, part);
                (void)total_order(own, part, frozen);
                if (part.is_map())
                    part = must(map_assoc(own, std::move(part), Value(), Value()));
                else if (part.is_set())
                    part = must(set_disj(own, std::move(part), Value()));
                else if (part.is_vector())
                    part = must(vector_cons(own, Value(), must(vector_conj(own, std::move(part), Value()))));
            }
        }
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
}

// The view of a set counts the edits that nobody looked between; whoever looks at a frozen one leaves that alone.
TEST_F(FrozenValue, WhoseViewWasEditedIsReadByManyThreads) {
    Heap data;
    Value set = empty_set();
    for (int i = 0; i < 20; ++i)
        set = must(set_conj(data, std::move(set), Value::small_integer(i)));
    EXPECT_EQ(must(SetView::of(data, set)).size(), 20U);
    set = must(set_conj(data, std::move(set), Value::small_integer(-1)));
    freeze_value(set);
    data.freeze();
    auto work = [&] {
        Heap own;
        EXPECT_EQ(must(SetView::of(own, set)).item(0).small_integer(), -1);
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
}

} // namespace
} // namespace ptc::test
