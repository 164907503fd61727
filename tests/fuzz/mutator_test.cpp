// What changes the inputs of fuzz targets: it must survive any text itself, keep to its size, reach every name of the
// language, and mostly give programs that the reader accepts, as others only try the reader.
#include "compiler/language/special_forms.h"
#include "frontend/reader/reader.h"
#include "runtime/builtin.h"
#include "tests/fuzz/mutator.h"
#include "tests/support/core.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace ptc::fuzz {
namespace {

std::vector<std::string> texts_of(std::string_view text) {
    std::vector<std::string> all;
    for (const TextForm& form : forms_of(text, kLisp))
        all.emplace_back(text.substr(form.begin, form.end - form.begin));
    return all;
}

TEST(TextTree, HasEachFormInFrontOfItsParts) {
    EXPECT_EQ(
        texts_of("(a [b \"c)\"] #{d}) ; (no)\n'(x)"),
        (std::vector<std::string>{"(a [b \"c)\"] #{d})", "a", "[b \"c)\"]", "b", "\"c)\"", "#{d}", "d", "'(x)", "x"}));
}

TEST(TextTree, TakesBrokenTextsAsTheyAre) {
    EXPECT_EQ(texts_of("(a (b"), (std::vector<std::string>{"(a (b", "a", "(b", "b"}));
    EXPECT_EQ(texts_of(") a]"), (std::vector<std::string>{")", "a", "]"}));
    EXPECT_EQ(texts_of("\"open \\"), (std::vector<std::string>{"\"open \\"}));
    EXPECT_EQ(texts_of("\\( \\"), (std::vector<std::string>{"\\(", "\\"}));
}

TEST(TextTree, LiesWithinTheText) {
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::size_t n = random.below(40); n > 0; --n)
            text += "()[]{}\"\\#'; \nab:,@"[random.below(19)];
        const std::vector<TextForm> forms = forms_of(text, i % 2 ? kLisp : kJson);
        for (std::size_t f = 0; f < forms.size(); ++f) {
            EXPECT_LT(forms[f].begin, forms[f].end) << text;
            EXPECT_LE(forms[f].end, text.size()) << text;
            EXPECT_GT(forms[f].next, f) << text;
            const std::size_t parent = forms[f].parent;
            EXPECT_TRUE(parent == kNoForm || forms[f].begin >= forms[parent].inside) << text;
        }
    }
}

TEST(Mutator, KnowsEveryNameOfTheLanguage) {
    const std::vector<std::string>& names = program_grammar().names;
    const std::set<std::string> known(names.begin(), names.end());
    for (const Builtin* row : all_builtins())
        EXPECT_TRUE(known.contains(row->name)) << row->name;
    for (const CoreFunction& function : test::core().all())
        EXPECT_TRUE(known.contains(std::string(function.name))) << function.name;
    for (const SpecialForm& form : special_forms())
        EXPECT_TRUE(known.contains(form.name)) << form.name;
}

TEST(Mutator, GivesTheSameForTheSameSeedAndKeepsToItsSize) {
    std::string text = "(defn f [x] (map inc x))";
    for (unsigned seed = 0; seed < 3000; ++seed) {
        Random one(seed), same(seed);
        const std::size_t max_size = 16 + seed % 600;
        const std::string changed = mutated(program_grammar(), text, max_size, one);
        EXPECT_EQ(changed, mutated(program_grammar(), text, max_size, same));
        EXPECT_LE(changed.size(), max_size);
        EXPECT_LE(crossed(program_grammar(), text, "[1 {:a 2}]", max_size, one).size(), max_size);
        text = changed;
    }
}

TEST(Mutator, MostlyGivesWhatCanBeRead) {
    const std::string text = "(let [a [1 2 3]] (map (fn [x] (str x \"!\")) (filter odd? a)))";
    int read = 0, different = 0;
    constexpr int kTries = 2000;
    for (unsigned seed = 0; seed < kTries; ++seed) {
        Random random(seed);
        const std::string changed = mutated(program_grammar(), text, 4000, random);
        Diagnostics diagnostics;
        (void)read_forms(Source("text", changed), ReadLimits{}, diagnostics);
        read += diagnostics.has_errors() ? 0 : 1;
        different += changed == text ? 0 : 1;
    }
    EXPECT_GT(read, kTries * 6 / 10);
    EXPECT_LT(read, kTries * 95 / 100) << "broken ones matter as well";
    EXPECT_GT(different, kTries * 9 / 10);
}

TEST(Mutator, KeepsMostJsonWellFormed) {
    const std::string text = R"({"a": [1, 2, {"b": null}], "c": "x"})";
    int balanced = 0;
    constexpr int kTries = 1000;
    for (unsigned seed = 0; seed < kTries; ++seed) {
        Random random(seed);
        const std::string changed = mutated(json_grammar(), text, 4000, random);
        const auto count = [&](char c) { return std::count(changed.begin(), changed.end(), c); };
        balanced += count('[') == count(']') && count('{') == count('}') ? 1 : 0;
    }
    EXPECT_GT(balanced, kTries * 6 / 10);
}

} // namespace
} // namespace ptc::fuzz
