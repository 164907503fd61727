#include "runtime/seq.h"
#include "tests/runtime/collections_fixture.h"

namespace ptc::test {
namespace {

class ToVector : public CollectionTest {};

TEST_F(ToVector, OfEveryCollection) {
    EXPECT_TRUE(same(must(to_vector(heap, string("aé"), "seq")), vector(string("a"), string("é"))));
    Value entry = vector(keyword("a"), integer(1));
    EXPECT_TRUE(
        same(must(to_vector(heap, assoc(empty_map(), keyword("a"), integer(1)), "seq")), vector(std::move(entry))));
    Value set = must(set_conj(heap, must(set_conj(heap, empty_set(), integer(2))), integer(1)));
    EXPECT_TRUE(same(must(to_vector(heap, set.copy(), "seq")), vector(integer(1), integer(2))));
    EXPECT_EQ(vector_length(must(to_vector(heap, Value(), "seq"))), 0U);
    EXPECT_EQ(to_vector(heap, integer(1), "seq").error().reason, Reason::TypeError);
    EXPECT_EQ(must(seq_count(heap, set, "count")), 2U);
    EXPECT_FALSE(seq_count(heap, integer(5), "count").ok());
    EXPECT_TRUE(is_seqable(Value()));
    EXPECT_FALSE(is_seqable(integer(1)));
}

} // namespace
} // namespace ptc::test
