#include "subagent/agent/preview.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

Datum json(std::string_view text) { return Datum::from_json(text).value(); }

TEST(Preview, WritesValuesAsProgramsDo) {
    EXPECT_EQ(preview(json(R"({"id": 1, "a b": [null, true, 1.5, "x\n"]})"), {}).text,
              R"({"a b" [nil true 1.5 "x\n"] :id 1})");
    EXPECT_EQ(preview(Datum(Datum::Keyword{"open"}), {}).text, ":open");
    EXPECT_EQ(preview(Datum(Datum::Set{{Datum(1)}}), {}).text, "#{1}");
}

TEST(Preview, LongListsTellTheirSize) {
    const Preview shown = preview(json("[[1],[2],[3],[4],[5],[6],[7]]"), {});
    EXPECT_EQ(shown.text, "[[1] [2] [3] [4] [5] … (7 in all)]");
    EXPECT_TRUE(shown.is_cut);
    EXPECT_EQ(preview(json("[1,2,3,4,5]"), {}).text, "[1 2 3 4 5]");
}

TEST(Preview, ShortListsOfScalarsAreShownWhole) {
    Datum::List numbers, texts;
    for (std::int64_t i = 0; i < 100; ++i) {
        numbers.emplace_back(i);
        texts.emplace_back(std::string(40, 'x'));
    }
    EXPECT_FALSE(preview(Datum(numbers), {}).is_cut);
    EXPECT_TRUE(preview(Datum(texts), {}).is_cut) << "more than 2 KB";
    numbers.emplace_back(100);
    EXPECT_TRUE(preview(Datum(numbers), {}).is_cut) << "more than 100";
}

TEST(Preview, LongTextsTellTheirSizeAndAreCutBetweenCharacters) {
    PreviewLimits limits;
    limits.string = 4;
    EXPECT_EQ(preview(Datum("abcä"), limits).text, "\"abc…\" (5 bytes in all)");
    EXPECT_EQ(preview(Datum("abcd"), limits).text, "\"abcd\"");
}

TEST(Preview, WideMapsDeepValuesAndTheWholeAreBounded) {
    PreviewLimits limits;
    limits.map = 1;
    EXPECT_EQ(preview(json(R"({"a": 1, "b": 2})"), limits).text, "{:a 1 … (2 in all)}");
    limits = {};
    limits.depth = 1;
    EXPECT_EQ(preview(json("[[[1]]]"), limits).text, "[[…]]");
    limits = {};
    limits.bytes = 100;
    limits.list = 1000;
    const Preview shown = preview(Datum(Datum::List(1000, Datum("0123456789"))), limits);
    EXPECT_LT(shown.text.size(), 200u);
    EXPECT_TRUE(shown.is_cut);
    EXPECT_NE(shown.text.find("(1000 in all)"), std::string::npos);
}

TEST(Preview, FirewalledValuesAreHiddenAtEveryDepth) {
    EXPECT_EQ(preview(json(R"([{"n": 1, "_key": {"a": "secret"}}])"), {}).text, "[{:_key <Firewalled> :n 1}]");
}

TEST(ShownType, DescribesWhatIsThere) {
    EXPECT_EQ(shown_type_text(json(R"([{"id": 1, "name": "x"}, {"id": 2}])")), "[{id :int, name :string?}]");
    EXPECT_EQ(shown_type_text(json("[1, 2.5]")), "[:float]");
    EXPECT_EQ(shown_type_text(json("[1, \"a\"]")), "[:any]");
    EXPECT_EQ(shown_type_text(json("[]")), "[:any]");
    EXPECT_EQ(shown_type_text(json("{}")), ":map");
    EXPECT_EQ(shown_type_text(json(R"({"a b": 1})")), ":map");
    EXPECT_EQ(shown_type_text(json(R"({"a": null})")), "{a :any}");
    EXPECT_EQ(shown_type_text(Datum()), "nil");
}

TEST(ShownType, IsOfAllRowsWhateverTheirOrder) {
    const auto type = [](const char* rows) { return shown_type_text(json(rows)); };
    EXPECT_EQ(type(R"([{"a": 1}, {"a": 2}, {"a": 3}])"), "[{a :int}]");
    EXPECT_EQ(type(R"([{"a": 1}, {"a": 2}, {"a": 2.5}])"), "[{a :float}]");
    EXPECT_EQ(type(R"([{"a": 2.5}, {"a": 2}])"), "[{a :float}]");
    EXPECT_EQ(type(R"([{"a": "x"}, {"a": null}, {"a": "y"}])"), "[{a :string?}]");
    EXPECT_EQ(type(R"([{"a": null}, {"a": "y"}])"), "[{a :string?}]");
    EXPECT_EQ(type(R"([{"a": {"b": 1}}, {"a": {"b": 2}}, {"a": {"b": true}}])"), "[{a {b :any}}]");
    EXPECT_EQ(type(R"([{"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 1, "c": 1}])"), "[{a :int?, b :int, c :int?}]");
    EXPECT_EQ(type(R"([{"a": [1]}, {"a": []}, {"a": ["x"]}])"), "[{a [:any]}]");
    EXPECT_EQ(type(R"([{"a": 1}, 7])"), "[:any]");
}

TEST(ShownType, LeavesFirewalledFieldsOut) { EXPECT_EQ(shown_type_text(json(R"({"n": 1, "_ids": [1]})")), "{n :int}"); }

} // namespace
} // namespace ptc
