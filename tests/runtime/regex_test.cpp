// Regular expressions as programs see them: Java's syntax and results. Patterns are translated for two engines, so
// expectations are Java's, whichever engine a pattern goes to; work and memory are charged, and backtracking ends in an
// error.
#include "frontend/try.h"
#include "runtime/regex.h"
#include "runtime/regex_machine.h"
#include "runtime/regex_syntax.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

std::string show_groups(const RegexSearch& search, std::string_view text) {
    std::string out;
    for (const ByteRange& group : search.groups()) {
        if (&group != &search.groups()[0]) out += '|';
        out += group.matched() ? std::string(group.of(text)) : "nil";
    }
    return out;
}

/// All matches, as "whole|group1|..", separated by commas; or the error.
std::string all(std::string_view pattern, std::string_view text) {
    TextWorld w;
    Result<Value> regex = make_regex(w.heap, pattern);
    if (!regex.ok()) return "error: " + regex.error().message;
    RegexSearch search(w.heap, regex.value(), text);
    std::string out;
    for (bool first = true;; first = false) {
        Result<bool> found = search.next();
        if (!found.ok()) return "error: " + found.error().message;
        if (!found.value()) return out;
        if (!first) out += ',';
        out += show_groups(search, text);
    }
}

/// What the groups of a whole match are, or "nil".
std::string full(std::string_view pattern, std::string_view text) {
    TextWorld w;
    Value regex = make_regex(w.heap, pattern).value();
    RegexSearch search(w.heap, regex, text);
    return search.full_match().value() ? show_groups(search, text) : "nil";
}

bool refused(std::string_view pattern) { return all(pattern, "").starts_with("error: "); }

TEST(Regex, FindsMatchesAndGroups) {
    EXPECT_EQ(all("\\d+", "a1b22c333"), "1,22,333");
    EXPECT_EQ(all("(\\d)(\\w)", "1a2b"), "1a|1|a,2b|2|b");
    EXPECT_EQ(all("a(\\d+)?", "a a2"), "a|nil,a2|2");
    EXPECT_EQ(all("(a|b)*c", "ababc"), "ababc|b");
    EXPECT_EQ(all("(?<year>\\d{4})-(?<month>\\d\\d)", "2024-05"), "2024-05|2024|05");
    EXPECT_EQ(all("x{2,3}", "xxxxx"), "xxx,xx");
    EXPECT_EQ(all("x+?", "xx"), "x,x");
    EXPECT_EQ(all("\\p{L}+", "\u65e5\u672c go"), "\u65e5\u672c,go");
    EXPECT_EQ(all("", "\u65e5a"), ",,") << "empty matches move on by a character";
    EXPECT_EQ(all("a*", "aab"), "aa,,");
}

TEST(Regex, WholeMatches) {
    EXPECT_EQ(full("\\d+", "123"), "123");
    EXPECT_EQ(full("\\d+", "123abc"), "nil");
    EXPECT_EQ(full("a|ab", "ab"), "ab");
    EXPECT_EQ(full("a", "a\n"), "nil");
    EXPECT_EQ(full("a$", "a\n"), "nil");
    EXPECT_EQ(full("x*", ""), "");
    EXPECT_EQ(full("(\\w)\\1", "aa"), "aa|a");
    EXPECT_EQ(full("(?=a).*", "ab"), "ab");
}

TEST(Regex, LookAroundAndReferencesWork) {
    EXPECT_EQ(all("(?<=\\$)\\d+", "cost $45, 7"), "45");
    EXPECT_EQ(all("\\d+(?!\\d|%)", "10% 20"), "20");
    EXPECT_EQ(all("(\\w)\\1", "hello book"), "ll|l,oo|o");
    EXPECT_EQ(all("(?<q>['\"]).*?\\k<q>", "'a' \"b\""), "'a'|',\"b\"|\"");
    EXPECT_EQ(all("a++b", "aaab"), "aaab");
    EXPECT_EQ(all("(?>a+)ab", "aaab"), "");
    EXPECT_EQ(all("(?<=\u65e5)\\w", std::string(100, ' ') + "\u65e5x"), "x") << "portions end between characters";
    EXPECT_EQ(all("\\X", "e\u0301x"), "e\u0301,x");
}

TEST(Regex, LineEndsAreJavas) {
    EXPECT_EQ(all("a.b", "a\nb a\rb a\u2028b a-b"), "a-b");
    EXPECT_EQ(all("(?s)a.b", "a\nb"), "a\nb");
    EXPECT_EQ(all("a$", "a"), "a");
    EXPECT_EQ(all("a$", "a\n"), "a") << "before a line end that ends the text";
    EXPECT_EQ(all("a$", "a\n\n"), "");
    EXPECT_EQ(all("a\\Z", "a\r\n"), "a");
    EXPECT_EQ(all("a\\z", "a\n"), "");
    EXPECT_EQ(all("(?m)^.*$", "a\nb\n"), "a,b") << "no line begins behind the last line end";
    EXPECT_EQ(all("(?m)^.*$", "a\r\nb"), "a,b");
    EXPECT_EQ(all("(?m)^- (.*)$", "- one\n- two\nthree"), "- one|one,- two|two");
    EXPECT_EQ(all("\\R", "a\r\nb\n"), "\r\n,\n");
}

TEST(Regex, JavasClassesAreTranslated) {
    EXPECT_EQ(all("\\s", std::string("\x0B\xC2\xA0", 3)), "\x0B");
    EXPECT_EQ(all("\\h", "a\u00a0b"), "\u00a0");
    EXPECT_EQ(all("[\\s\\d]+", "a 1\x0B"
                               "2b"),
              " 1\x0B"
              "2");
    EXPECT_EQ(all("[^\\W\\d]+", "ab12_"), "ab,_");
    EXPECT_EQ(all("[\\S]+", "a b"), "a,b");
    EXPECT_EQ(all("\\p{Alpha}+\\p{Punct}", "ab! c"), "ab!");
    EXPECT_EQ(all("\\p{IsGreek}+", "a\u03b1\u03b2"), "\u03b1\u03b2");
    EXPECT_EQ(all("\\P{Lu}", "Ab"), "b");
    EXPECT_EQ(all("[\\P{Upper}]", "Ab"), "b");
    EXPECT_EQ(all("\\pL", "1x"), "x");
    EXPECT_EQ(all("[a-c[x-z]]+", "bxq"), "bx");
    EXPECT_EQ(all("[\\[\\]]", "x[1]"), "[,]");
    EXPECT_EQ(all("[-a]+", "a-"), "a-");
    EXPECT_EQ(all("[]a]+", "a]"), "a]");
    EXPECT_EQ(all("\\Qa.b\\E+", "a.bb axb"), "a.bb");
    EXPECT_EQ(all("\\x41\\u0042\\x{1F600}\\t", "AB\U0001F600\t"), "AB\U0001F600\t");
    EXPECT_EQ(all("\\uD83D\\uDE00", "\U0001F600"), "\U0001F600");
}

TEST(Regex, FlagsHoldForTheirGroup) {
    EXPECT_EQ(all("(?i)ab", "AbabAB"), "Ab,ab,AB");
    EXPECT_EQ(all("a(?i)b|c", "aB C c"), "aB,C,c");
    EXPECT_EQ(all("(?i:a)b", "Ab AB"), "Ab");
    EXPECT_EQ(all("((?s).)x.", "\nx\n"), "");
    EXPECT_EQ(all("(?x) a b # comment\n c", "abc"), "abc");
    EXPECT_EQ(all("(?s-i:a.)", "a\n"), "a\n");
}

TEST(Regex, ClassesCanBeIntersectedAndNested) {
    EXPECT_EQ(all("[a-z&&[^aeiou]]+", "aeixyzo"), "xyz");
    EXPECT_EQ(all("[a-z&&[def]]+", "abcdefg"), "def");
    EXPECT_EQ(all("[a-z&&[^m-p]&&[^x]]+", "mnxab"), "ab");
    EXPECT_EQ(all("[^a-z&&[def]]+", "abdx"), "ab,x") << "the complement of the intersection";
    EXPECT_EQ(all("[a[^b-z]]+", "zb1a2c"), "1a2");
    EXPECT_EQ(all("[a-d[m-p]]+", "xyzambq"), "amb");
    EXPECT_EQ(all("[a[b&&[bc]]]+", "abcab"), "ab,ab");
    EXPECT_EQ(all("[\\Qa&&b\\E]+", "a&b"), "a&b");
    EXPECT_EQ(all("(?i)[a-z&&[^b]]+", "ABC"), "A,C");
}

TEST(Regex, ALoopEndsWithItsFirstEmptyRound) {
    EXPECT_EQ(all("(a?)*", "a"), "a|,|");
    EXPECT_EQ(all("(a|b*)*", "ab"), "ab|,|");
    EXPECT_EQ(all("(?:a?|b)*", "b"), ",") << "the empty alternative comes first";
    EXPECT_EQ(all("(x*|y)+z", "xyz"), "xyz|");
    EXPECT_EQ(all("(?:\\b|ab)*", "ab"), ",,");
    EXPECT_EQ(all("(a{0,2})+b", "aab"), "aab|");
    EXPECT_EQ(all("(a+)*b", std::string(5000, 'a') + "c"), "") << "a round that cannot be empty stays linear";
}

TEST(Regex, WhatJavaOrThisLanguageLacksIsRefused) {
    for (const char* pattern : {"[a",       "(a",          "a)",        "*a",           "a**",
                                "a{",       "{1}",         "a{x}",      "(?<1>a)",      "(?<n>a)(?<n>b)",
                                "\\",       "\\q",         "\\1",       "(?P<n>a)",     "(?R)",
                                "(*FAIL)a", "(?|a)",       "\\K",       "[[:alpha:]]",  "[a&&]",
                                "[&&a]",    "(?U)a",       "\\p{Nope}", "\\p{InGreek}", "[z-a]",
                                "[a-\\d]",  "\\x{110000}", "\\uD800",   "\\b{g}",       "(?'n'a)",
                                "\\g1",     "a{2,1}"})
        EXPECT_TRUE(refused(pattern)) << pattern;
    EXPECT_TRUE(refused(std::string(257, 'a')));
    EXPECT_FALSE(refused(std::string(256, 'a')));
}

TEST(Regex, ContextBeforeTheStartIsSeen) {
    TextWorld w;
    Value regex = make_regex(w.heap, "\\bcat\\b").value();
    std::string_view text = "concat cat";
    RegexSearch search(w.heap, regex, text);
    ASSERT_TRUE(search.find(3).value());
    EXPECT_EQ(search.match().begin, 7u);
    EXPECT_FALSE(search.find(8).value());
    EXPECT_FALSE(search.find(99).value());
}

TEST(Regex, NoMatchBeginsInsideOfACharacter) {
    EXPECT_EQ(all("\\B", "\U0001F600"), ",") << "at its start and its end";
    EXPECT_EQ(all("\\B[^a]?", "a\u00e4\u20ac"), "\u20ac,");
    EXPECT_EQ(all("\\b", "a\u00e4"), ",");
}

TEST(Regex, NamedGroupsHaveNumbers) {
    TextWorld w;
    Value regex = make_regex(w.heap, "(a)(?<b>b)(?:c)(?<d>d)").value();
    EXPECT_EQ(regex_group_count(regex), 3u);
    EXPECT_EQ(regex_group_number(regex, "b"), 2u);
    EXPECT_EQ(regex_group_number(regex, "d"), 3u);
    EXPECT_EQ(regex_group_number(regex, "x"), 0u);
    EXPECT_EQ(regex_group_number(regex, ""), 0u);
    EXPECT_EQ(regex_source(regex), "(a)(?<b>b)(?:c)(?<d>d)");
}

TEST(Regex, BacktrackingEndsInAnError) {
    std::string text(40, 'a');
    EXPECT_NE(all("(a+)+(?!a)\\1$", text + "!").find("backtracks too"), std::string::npos);
    EXPECT_EQ(all("(a+)+$", std::string(100'000, 'a') + "!"), "") << "linear";
}

TEST(Regex, WorkIsCharged) {
    TextWorld w;
    std::string text(1'000'000, 'a');
    Value linear = make_regex(w.heap, "b").value(), backtracking = make_regex(w.heap, "(?<=c)b|a(?=b)").value(),
          ahead = make_regex(w.heap, "a(?:.*b)?").value();
    for (const Value* regex : {&linear, &backtracking, &ahead}) {
        w.fuel(10'000);
        RegexSearch search(w.heap, *regex, text);
        Result<bool> found = search.next();
        while (found.ok() && found.value())
            found = search.next();
        ASSERT_FALSE(found.ok());
        EXPECT_EQ(found.error().reason, Reason::FuelExhausted);
    }
}

/// The groups that the machine and RE2 find, as offsets.
std::string offsets_of(std::span<const ByteRange> groups) {
    std::string out;
    for (const ByteRange& group : groups)
        out += group.matched() ? std::to_string(group.begin) + "-" + std::to_string(group.end) + " " : "nil ";
    return out;
}

TEST(Regex, TheMachineFindsWhatTheAutomatonFinds) {
    const char* patterns[] = {
        "a|ab|abc",      "(a|ab)(c|bcd)(d*)", "(a+)(b+)?|c",     "a*?b",         "(?:a{0,2}|b){3}c?",
        "(a{2,3}?)(a*)", "(?i)k[a-c]+\\d?",   "(?i)\\p{Lu}s",    "[^ab\\n]+",    "^a|b$",
        "(?m)^(.)|(.)$", "\\bk\\w*",          "\\P{L}+(\\p{L})", "\\R",          "((a)|(b))*",
        "(a?\?)(a?)b",   "x{0}y?z",           "(?s).+b",         "(a|b|(c))+?k", "\u00e4+|[\u00e0-\u00ff]k"};
    const char* texts[] = {"",          "abcd",
                           "aaab",      "Kab1 kss",
                           "\u212aab2", "\u00c4\u017f\u00e4k",
                           "a\nb\r\nc", "a1-b2_kk \u00e4z",
                           "cabcabck",  "zyzab abc",
                           "aabbaabbc"};
    for (const char* pattern : patterns) {
        const Result<TranslatedRegex> translated = translate_regex(pattern);
        ASSERT_TRUE(translated.ok() && !translated.value().needs_backtracking) << pattern;
        const auto machine = RegexMachine::make(translated.value().linear);
        ASSERT_TRUE(machine) << pattern;
        for (const std::string_view text : texts) {
            TextWorld w;
            const Value regex = make_regex(w.heap, pattern).value();
            RegexSearch search(w.heap, regex, text);
            std::vector<ByteRange> groups(regex_group_count(regex) + 1);
            std::size_t charged = 0;
            const bool found = search.find(0).value();
            ASSERT_EQ(machine->run(w.heap, text, 0, RegexExtent::Search, groups, &charged).value(), found)
                << pattern << " in " << text;
            if (found) {
                EXPECT_EQ(offsets_of(groups), offsets_of(search.groups())) << pattern << " in " << text;
            }
        }
    }
}

// Where a match is, the automaton says; its groups are found by another engine when the match is long.
TEST(Regex, GroupsOfLongMatchesAreThoseOfShortOnes) {
    for (const std::size_t lines : {std::size_t{10}, std::size_t{40'000}}) {
        TextWorld w;
        std::string text;
        for (std::size_t i = 0; i < lines; ++i)
            text += "word,";
        text += "last";
        const Value regex = make_regex(w.heap, "(\\w+,)*(\\w+)").value();
        RegexSearch search(w.heap, regex, text);
        ASSERT_TRUE(search.full_match().value());
        EXPECT_EQ(search.groups()[1].of(text), "word,");
        EXPECT_EQ(search.groups()[2].of(text), "last");
        EXPECT_EQ(search.match().end, text.size());
    }
}

TEST(Regex, AnAutomatonThatOverflowsChangesNoAnswer) {
    TextWorld w;
    Random random;
    std::string text;
    for (std::size_t i = 0; i < 200'000; ++i)
        text += random.below(2) == 0 ? 'a' : 'b';
    const Value regex = make_regex(w.heap, "(?:a|b)*a(?:a|b){12}b").value();
    std::size_t end = text.size();
    while (!(text[end - 1] == 'b' && text[end - 14] == 'a'))
        --end;
    std::int64_t fuel = 0;
    for (int i = 0; i < 3; ++i) { // the second one finds an automaton that was used
        w.fuel(std::int64_t{1} << 40);
        RegexSearch search(w.heap, regex, text);
        ASSERT_TRUE(search.next().value());
        EXPECT_EQ(search.match().end, end);
        if (i > 0) {
            EXPECT_EQ(w.heap.meter.used(), fuel) << "fuel does not depend on what ran before";
        }
        fuel = w.heap.meter.used();
    }
}

TEST(Regex, TheProgramIsChargedAndGivenBack) {
    Heap heap;
    {
        Value regex = make_regex(heap, "a+(?=b)").value();
        EXPECT_GT(heap.live_bytes(), 100u);
        Value linear = make_regex(heap, "a+").value();
        EXPECT_GT(heap.live_bytes(), 100'000u);
    }
    EXPECT_EQ(heap.live_bytes(), 0u);
    Heap frozen(Heap::Mode::Frozen);
    EXPECT_TRUE(make_regex(frozen, "a+").value().is_frozen());
}

TEST(Regex, FailsCleanlyWithEveryLimit) {
    auto action = [](Heap& heap, ShapeTable&) -> Result<Value> {
        Value regex = PTC_TRY(make_regex(heap, "(?<=a)(b+)c"));
        RegexSearch search(heap, regex, "aabbbbbbbbbbc");
        return Value::boolean(PTC_TRY(search.next()));
    };
    fail_with_every_limit(action);
    fail_with_every_fuel(action);
}

} // namespace
} // namespace ptc::test
