// Values as hosts make and read them: integers of every type, members and items, C++ types.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <vector>

namespace {

ptc::Datum people() {
    return ptc::Datum::from_json(R"({"user": {"name": "Ann", "tags": ["a", "b"]}, "n": 3, "x": 2.5, "big": 1e3})")
        .value();
}

TEST(Datum, TakesEveryIntegerType) {
    const std::vector<int> three{1, 2, 3};
    const ptc::Datum expected(std::int64_t{3});
    EXPECT_EQ(ptc::Datum(3), expected);
    EXPECT_EQ(ptc::Datum(3u), expected);
    EXPECT_EQ(ptc::Datum(3L), expected);
    EXPECT_EQ(ptc::Datum(3UL), expected);
    EXPECT_EQ(ptc::Datum(3LL), expected);
    EXPECT_EQ(ptc::Datum(3ULL), expected);
    EXPECT_EQ(ptc::Datum(three.size()), expected);
    EXPECT_EQ(ptc::Datum(three.end() - three.begin()), expected);
    EXPECT_EQ(ptc::Datum(static_cast<short>(3)), expected);
    EXPECT_EQ(ptc::Datum(static_cast<unsigned short>(3)), expected);
    EXPECT_EQ(ptc::Datum(std::uint8_t{3}), expected);
    EXPECT_EQ(ptc::Datum(std::int8_t{3}), expected);
    EXPECT_EQ(ptc::Datum(std::int8_t{-3}), ptc::Datum(-3));
    EXPECT_EQ(ptc::Datum(true), ptc::Datum::from_json("true").value());
    EXPECT_EQ(ptc::Datum(1.5f), ptc::Datum(1.5));
    static_assert(!std::is_constructible_v<ptc::Datum, char>);
    static_assert(!std::is_constructible_v<ptc::Datum, char32_t>);
}

TEST(Datum, AnIntegerBeyond64BitsWithSignIsABigIntegerAsInPrograms) {
    const ptc::Datum largest(UINT64_MAX);
    ASSERT_TRUE(largest.get_if<ptc::Datum::BigInteger>());
    EXPECT_EQ(largest.to_json(), "18446744073709551615");
    EXPECT_EQ(largest, ptc::Datum::from_json("18446744073709551615").value());
    EXPECT_EQ(ptc::Datum(std::uint64_t{INT64_MAX}), ptc::Datum(INT64_MAX));
    EXPECT_EQ(largest.as<std::uint64_t>().value(), UINT64_MAX);
    EXPECT_EQ(largest.as<double>().value(), 18446744073709551616.0);
    EXPECT_EQ(largest.as<std::int64_t>().error().message,
              "expected int from -9223372036854775808 to 9223372036854775807, got int 18446744073709551615");
}

TEST(Datum, IsReadByNamesAndIndexes) {
    const ptc::Datum data = people();
    EXPECT_EQ(*data["user"]["name"].text(), "Ann");
    EXPECT_EQ(*data["user"]["tags"][1].text(), "b");
    EXPECT_EQ(ptc::Datum(ptc::Datum::Map{{ptc::Datum(ptc::Datum::Keyword{"n"}), 3}})["n"], ptc::Datum(3));
    EXPECT_EQ(people()["user"]["tags"][0].as<std::string>().value(), "a") << "of a temporary";
}

TEST(Datum, WhatIsMissingIsNil) {
    const ptc::Datum data = people();
    EXPECT_TRUE(data["nobody"].is_nil());
    EXPECT_TRUE(data["nobody"]["name"][3].is_nil());
    EXPECT_TRUE(data["user"]["tags"][2].is_nil());
    EXPECT_TRUE(data["user"]["tags"][-1].is_nil());
    EXPECT_TRUE(data["user"][0].is_nil());
    EXPECT_TRUE(data["n"]["name"].is_nil());
}

TEST(Datum, ItemsAndEntriesAreIteratedWithoutChecks) {
    std::string text;
    for (const ptc::Datum& tag : people()["user"]["tags"].items())
        text += tag.as<std::string>().value();
    const ptc::Datum data = people();
    for (const auto& [key, value] : data["user"].entries())
        text += "," + *key.text();
    for (const ptc::Datum& none : data["n"].items())
        text += none.to_json();
    EXPECT_EQ(text, "ab,name,tags");
    EXPECT_TRUE(data["n"].entries().empty());
    EXPECT_EQ(data.size(), 4u);
    EXPECT_EQ(data["user"]["tags"].size(), 2u);
    EXPECT_EQ(ptc::Datum(ptc::Datum::Set{{1, 2}}).items().size(), 2u);
    EXPECT_EQ(data["n"].size(), 0u);
}

TEST(Datum, IsReadAsCppTypes) {
    const ptc::Datum data = people();
    EXPECT_EQ(data["n"].as<int>().value(), 3);
    EXPECT_EQ(data["n"].as<unsigned char>().value(), 3);
    EXPECT_EQ(data["n"].as<double>().value(), 3.0);
    EXPECT_EQ(data["x"].as<float>().value(), 2.5f);
    EXPECT_EQ(data["user"]["name"].as<std::string>().value(), "Ann");
    EXPECT_EQ(ptc::Datum(true).as<bool>().value(), true);
    EXPECT_EQ(data["user"].as<ptc::Datum>().value(), data["user"]);
    EXPECT_EQ(data["nobody"].as<int>().value_or(7), 7);
}

TEST(Datum, AViewIsItsOwnText) {
    const ptc::Datum data = people();
    const ptc::Result<std::string_view> name = data["user"]["name"].as<std::string_view>();
    EXPECT_EQ(name.value(), "Ann");
    EXPECT_EQ(name.value().data(), data["user"]["name"].text()->data());
    EXPECT_EQ(data["n"].as<std::string_view>().error().reason, ptc::Reason::ValidationError);
    const ptc::Datum keyword(ptc::Datum::Keyword{"open"});
    EXPECT_EQ(keyword.as<std::string_view>().value(), "open");
}

TEST(Datum, BecomesAPartOfItself) {
    using ptc::Datum;
    const std::string long_text = "a text that is longer than a string keeps in itself";
    Datum whole(Datum::List{Datum(long_text), Datum(Datum::Opaque{long_text, "symbol"}), Datum(2.5)});
    Datum copied = whole, moved = whole;
    copied = copied.items()[1];
    EXPECT_EQ(copied, Datum(Datum::Opaque{long_text, "symbol"}));
    Datum::List& items = moved.emplace<Datum::List>();
    items.push_back(whole);
    moved = std::move(items[0]);
    EXPECT_EQ(moved, whole);
    moved = Datum(Datum::List{moved, std::move(moved)});
    EXPECT_EQ(moved.items()[1], whole);
    const Datum& same = whole;
    whole = same;
    EXPECT_EQ(whole.size(), 3u);
    moved.emplace<std::string>(long_text);
    EXPECT_EQ(*moved.text(), long_text);
    EXPECT_NE(Datum(std::string("1")), Datum(Datum::Keyword{"1"}));
    EXPECT_EQ(Datum(nullptr), Datum());
}

TEST(Datum, SaysWhatItIsWhenItIsNoneOfTheType) {
    const ptc::Datum data = people();
    EXPECT_EQ(data["x"].as<int>().error().message, "expected int, got float 2.5");
    EXPECT_EQ(data["user"].as<std::string>().error().message, "expected string, got map");
    EXPECT_EQ(data["nobody"].as<bool>().error().message, "expected bool, got nil");
    EXPECT_EQ(ptc::Datum(300).as<std::uint8_t>().error().message, "expected int from 0 to 255, got int 300");
    EXPECT_EQ(ptc::Datum(-1).as<std::uint64_t>().error().message,
              "expected int from 0 to 18446744073709551615, got int -1");
    EXPECT_EQ(ptc::Datum(-1).as<std::uint64_t>().error().reason, ptc::Reason::ValidationError);
}

} // namespace
