// Source, UTF-8, error reasons, diagnostics and suggestions: the parts of the frontend below the reader, each by
// itself.
#include "frontend/percent.h"
#include "frontend/suggest.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <set>
#include <vector>

namespace ptc {
namespace {

TEST(Source, PositionsCountLinesAndCodePoints) {
    const Source source("f", "ab\né😀x\n\nz");
    const auto at = [&](std::uint32_t offset) {
        return std::pair(source.position(offset).line, source.position(offset).column);
    };
    EXPECT_EQ(at(0), std::pair(1u, 1u));
    EXPECT_EQ(at(2), std::pair(1u, 3u));
    EXPECT_EQ(at(3), std::pair(2u, 1u));
    EXPECT_EQ(at(9), std::pair(2u, 3u));
    EXPECT_EQ(at(11), std::pair(3u, 1u));
    EXPECT_EQ(at(12), std::pair(4u, 1u));
    EXPECT_EQ(at(13), std::pair(4u, 2u));
    EXPECT_EQ(at(999), std::pair(4u, 2u));
}

TEST(Source, AnExtraByteHasNoColumn) {
    const Source source("f", "a\nb\"cd\ne", 3);
    EXPECT_EQ(source.position(3).column, 2u);
    EXPECT_EQ(source.position(4).column, 2u);
    EXPECT_EQ(source.position(5).column, 3u);
    EXPECT_EQ(source.position(7).column, 1u);
}

TEST(Source, LinesComeWithoutTheirEnds) {
    const Source source("f", "ab\r\ncd\n");
    EXPECT_EQ(source.line_at(0), "ab");
    EXPECT_EQ(source.line_at(3), "ab");
    EXPECT_EQ(source.line_at(4), "cd");
    EXPECT_EQ(source.line_at(7), "");
    EXPECT_EQ(Source("f", "").line_at(0), "");
}

TEST(Source, TextOfASpanIsCutToTheSource) {
    const Source source("f", "abc");
    EXPECT_EQ(source.text({1, 2}), "b");
    EXPECT_EQ(source.text({2, 99}), "c");
    EXPECT_EQ(source.text({7, 9}), "");
}

TEST(Utf8, EveryScalarValueSurvivesARoundTrip) {
    for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
        if (utf8::is_surrogate(c)) continue;
        std::string text;
        utf8::append(text, c);
        const utf8::Decoded decoded = utf8::decode(text, 0);
        ASSERT_TRUE(decoded.valid && decoded.code_point == c && decoded.size == text.size())
            << static_cast<unsigned>(c);
        ASSERT_EQ(utf8::find_invalid(text), utf8::kValid);
    }
}

TEST(Utf8, FindsTheFirstMalformedByte) {
    EXPECT_EQ(utf8::find_invalid("plain ascii, longer than a word"), utf8::kValid);
    EXPECT_EQ(utf8::find_invalid("0123456789\xFF"), 10u);
    EXPECT_EQ(utf8::find_invalid("é\xE9 "), 2u);
    EXPECT_EQ(utf8::find_invalid("\x80"), 0u);
    EXPECT_EQ(utf8::find_invalid("a\xE2\x82"), 1u);
    EXPECT_EQ(utf8::find_invalid("\xC1\xBF"), 0u);
    EXPECT_EQ(utf8::find_invalid("\xF5\x80\x80\x80"), 0u);
}

TEST(Utf8, PrefixCutsNoCodePoint) {
    EXPECT_EQ(utf8::prefix("aéb", 2), "a");
    EXPECT_EQ(utf8::prefix("aéb", 3), "aé");
    EXPECT_EQ(utf8::prefix("ab", 9), "ab");
    EXPECT_EQ(utf8::count("aé😀"), 3u);
}

TEST(Reasons, NamesAreUniqueSnakeCase) {
    std::set<std::string_view> names;
#define PTC_ERROR(Name, text, doc)                                                                                     \
    names.insert(reason_name(Reason::Name));                                                                           \
    EXPECT_EQ(reason_name(Reason::Name), #text);                                                                       \
    EXPECT_TRUE(reason_doc(Reason::Name).ends_with('.'));
#include "ptc/errors.def"
#undef PTC_ERROR
    std::size_t rows = 0;
#define PTC_ERROR(Name, text, doc) ++rows;
#include "ptc/errors.def"
#undef PTC_ERROR
    EXPECT_EQ(names.size(), rows);
}

TEST(Diagnostics, AreSortedByPlaceErrorsFirst) {
    Diagnostics diagnostics;
    diagnostics.warning(Error(Reason::TypeError, {5, 6}, "w"));
    diagnostics.error(Error(Reason::TypeError, {5, 6}, "e1"));
    diagnostics.error(Error(Reason::TypeError, {5, 6}, "e2"));
    diagnostics.error(Error(Reason::TypeError, {1, 2}, "e0"));
    diagnostics.sort();
    std::string order;
    for (const Diagnostic& d : diagnostics.all())
        order += d.error.message + " ";
    EXPECT_EQ(order, "e0 e1 e2 w ");
    EXPECT_EQ(diagnostics.error_count(), 3u);
}

TEST(Diagnostics, KeepACappedNumber) {
    Diagnostics diagnostics;
    for (std::size_t i = 0; i < Diagnostics::kMaxDiagnostics; ++i)
        diagnostics.error(Error(Reason::TypeError, "x"));
    EXPECT_EQ(diagnostics.dropped(), 0u);
    diagnostics.error(Error(Reason::TypeError, "x"));
    EXPECT_EQ(diagnostics.dropped(), 1u);
    EXPECT_EQ(diagnostics.all().size(), Diagnostics::kMaxDiagnostics);
}

TEST(Diagnostics, MergingKeepsTheCounts) {
    Diagnostics one;
    Diagnostics other;
    one.warning(Error(Reason::TypeError, "w"));
    for (std::size_t i = 0; i < 60; ++i)
        other.error(Error(Reason::TypeError, "x"));
    one.merge(std::move(other));
    EXPECT_EQ(one.error_count(), 60u);
    EXPECT_EQ(one.all().size() + one.dropped(), 61u);
}

constexpr std::array<std::string_view, 17> kNames{
    "filter", "filterv", "first",   "find",   "map", "mapv",
    "reduce", "sort",    "sort-by", "empty?", "str", "clojure.string/join",
    "join",   "+",       "count",   "get",    "set"};

std::vector<std::string> near(std::string_view name, std::size_t max = 3) { return suggest(name, kNames, max); }

TEST(Suggest, TypingErrors) {
    EXPECT_EQ(near("fliter").front(), "filter"); // two letters swapped
    EXPECT_EQ(near("filtr").front(), "filter");
    EXPECT_EQ(near("redduce").front(), "reduce");
    EXPECT_EQ(near("cuont").front(), "count");
    EXPECT_EQ(near("firs").front(), "first");
    EXPECT_EQ(suggest("partion", std::vector<std::string_view>{"partial", "partition"}).front(),
              "partition"); // letters lost
}

TEST(Suggest, CaseAndMarksCountLittle) {
    EXPECT_EQ(near("sortBy").front(), "sort-by");
    EXPECT_EQ(near("sort_by").front(), "sort-by");
    EXPECT_EQ(near("empty").front(), "empty?");
    EXPECT_EQ(near("Map").front(), "map");
}

TEST(Suggest, OtherNamespaces) {
    EXPECT_EQ(near("str/join").front(), "join");
    EXPECT_EQ(near("string/join", 2), (std::vector<std::string>{"join", "clojure.string/join"}));
}

TEST(Suggest, FarNamesAreNotSuggested) {
    EXPECT_TRUE(near("banana").empty());
    EXPECT_TRUE(near("x").empty());
    EXPECT_TRUE(near("").empty());
    EXPECT_TRUE(near(std::string(100'000, 'a')).empty());
    EXPECT_EQ(near("filte", 1).size(), 1u);
}

TEST(Suggest, DistanceIsCutOff) {
    EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3u);
    EXPECT_EQ(edit_distance("ab", "ba", 5), 1u);
    EXPECT_EQ(edit_distance("abc", "abc", 5), 0u);
    EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3u);
}

/// The distance by the whole table.
std::size_t whole_distance(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                                    table[i - 1][j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[a.size()][b.size()];
}

TEST(Suggest, DistanceUpToALimitIsThatOfTheWholeTable) {
    std::mt19937 random(1);
    const auto text = [&random] {
        std::string made;
        for (std::size_t i = random() % 12; i > 0; --i)
            made += "abcB"[random() % 4];
        return made;
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::string a = text(), b = text();
        const std::size_t limit = random() % 7;
        ASSERT_EQ(std::min(edit_distance(a, b, limit), limit + 1), std::min(whole_distance(a, b), limit + 1))
            << a << ' ' << b << ' ' << limit;
    }
}

TEST(Suggest, Sentences) {
    EXPECT_EQ(did_you_mean({}), "");
    EXPECT_EQ(did_you_mean(std::vector<std::string>{"a"}), "Did you mean `a`?");
    EXPECT_EQ(did_you_mean(std::vector<std::string>{"a", "b", "c"}), "Did you mean `a`, `b` or `c`?");
}

TEST(Percent, BytesAndTheirEscapesAreOne) {
    EXPECT_EQ(percent_encoded("a b/é~"), "a%20b%2F%C3%A9~");
    EXPECT_EQ(percent_decoded("a%20b%2f%C3%A9~"), "a b/é~");
    EXPECT_EQ(percent_decoded("%%4%zz%41%4"), "%%4%zzA%4");
}

TEST(VisibleText, OfOtherProgramsIsOneLineWithinAMessage) {
    EXPECT_EQ(printable_reason("no such table: x.\n"), "no such table: x");
    EXPECT_EQ(printable_line("order-17."), "order-17."); // a name has its own
    EXPECT_EQ(printable_line("a\n\tb\x1b[2J"), "a  b\xEF\xBF\xBD[2J");
    EXPECT_EQ(printable_line("ééé", 3), "é…");
    EXPECT_EQ(printable_line(""), "");
}

} // namespace
} // namespace ptc
