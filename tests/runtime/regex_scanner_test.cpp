// The scanner beside RE2: random patterns of the kinds that it takes, on random texts, give the same matches and groups
// for the same fuel. That it takes the patterns which programs write, and reads no text again and again, is asked too.
#include "runtime/regex.h"
#include "runtime/regex_machine.h"
#include "runtime/regex_scanner.h"
#include "runtime/regex_syntax.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

/// The matches of a search as offsets, groups included; then the match of the whole text, and the fuel.
std::string found_in(const Value& regex, std::string_view text, bool has_scanner) {
    TextWorld w;
    w.fuel(100'000'000);
    std::string out;
    const auto note = [&](RegexSearch& search, const Result<bool>& found) {
        if (!found.ok()) out += "error: " + found.error().message;
        if (!found.ok() || !found.value()) return false;
        for (const ByteRange& group : search.groups())
            out += group.matched() ? std::to_string(group.begin) + "-" + std::to_string(group.end) + " " : "nil ";
        out += ", ";
        return true;
    };
    RegexSearch search(w.heap, regex, text), whole(w.heap, regex, text);
    if (!has_scanner) {
        search.leave_out_scanner();
        whole.leave_out_scanner();
    }
    while (note(search, search.next())) {
    }
    out += "whole ";
    note(whole, whole.full_match());
    return out + "for " + std::to_string(w.heap.meter.used());
}

bool has_scanner(std::string_view pattern) {
    const Result<TranslatedRegex> translated = translate_regex(pattern);
    if (!translated.ok() || translated.value().needs_backtracking) return false;
    const auto machine = RegexMachine::make(translated.value().linear);
    return machine && RegexScanner::make(*machine, translated.value().group_names.size());
}

/// Patterns of a few characters, so that texts of the same ones match them often.
class Patterns {
public:
    explicit Patterns(Random& random) : random_(random) {}
    std::string pattern() {
        std::string out = pick({"", "", "", "^", "\\b", "\\B", "(?i)", "(?m)^", "(?s)"}) + alternatives(2);
        return out + pick({"", "", "", "$", "\\b", "\\B", "\\z"});
    }
    std::string text() {
        std::string out;
        const bool is_long = random_.below(16) == 0; // what is searched for 16 bytes at a time
        for (std::size_t n = random_.below(24); n > 0; --n) {
            out += pick({"a", "b", "ab", "A", "1", "12", "-", " ", ",", "\n", "\u00e4", "k", "\u212a", "\u0085",
                         "\u2028", "\u20ac", "\U0001F600", "_"});
            if (is_long) out.append(random_.below(20), pick({"a", "b", "1", " ", ".", "A"})[0]);
        }
        return out;
    }

private:
    std::string pick(std::initializer_list<const char*> all) { return *(all.begin() + random_.below(all.size())); }
    std::string alternatives(int depth) {
        std::string out = sequence(depth);
        while (random_.below(5) == 0)
            out += "|" + sequence(depth);
        return out;
    }
    std::string sequence(int depth) {
        std::string out;
        for (std::size_t n = 1 + random_.below(3); n > 0; --n)
            out += atom(depth) + pick({"", "", "", "+", "+", "*", "?", "{2}", "{1,3}", "{2,}", "+?", "*?"});
        return out;
    }
    std::string atom(int depth) {
        if (depth > 0 && random_.below(4) == 0) return pick({"(", "(?:"}) + alternatives(depth - 1) + ")";
        return pick({"a",      "b",      "ab",    "1",   "-",   ",", "\\d",    "\\w", "\\s",    "[a-z]",
                     "[^,]",   "[^ab]",  "[ab1]", "\\S", "\\W", ".", "[a-z']", "\\D", "\u00e4", "[\u00e4-\u00ff]",
                     "[^\\n]", "\\p{L}", "k",     "aba", "1-1", "B"});
    }
    Random& random_;
};

TEST(RegexScanner, FindsWhatRe2Finds) {
    Random random;
    Patterns patterns(random);
    std::size_t taken = 0;
    for (int i = 0; i < 1'200; ++i) {
        const std::string pattern = patterns.pattern();
        TextWorld w;
        const Result<Value> regex = make_regex(w.heap, pattern);
        if (!regex.ok()) continue;
        taken += has_scanner(pattern);
        for (int k = 0; k < 6; ++k) {
            const std::string text = patterns.text();
            ASSERT_EQ(found_in(regex.value(), text, true), found_in(regex.value(), text, false))
                << pattern << " in " << text;
        }
    }
    EXPECT_GT(taken, 300u) << "most patterns of this kind are its own";
}

TEST(RegexScanner, TakesWhatProgramsWrite) {
    for (const char* pattern :
         {"\\d+",
          "\\w+",
          "\\s+",
          "[a-z]+",
          "[A-Za-z']+",
          "[^,]+",
          "\\d{4}-\\d{2}-\\d{2}",
          "foo|bar",
          "foo|far|f",
          "(\\w+)@(\\w+)\\.com",
          "[a-z0-9]+@[a-z]+\\.com",
          "(\\d+)-(\\d+)",
          "^\\s*#",
          "\\bcat\\b",
          "(?i)error|warn",
          "/\\d+",
          "([^=]+)=(.*)",
          "\\s*,\\s*",
          "[.!?]+\\s*",
          "(GET|POST) (\\S+)",
          "\"[^\"]*\"",
          "\\r?\\n",
          "(\\d{4}-\\d{2}-\\d{2})T(\\d{2}):\\d{2}:\\d{2}Z (\\w+) \\[(\\w+)\\] (\\w+) (\\S+) status=(\\d+) "
          "dur=(\\d+)ms"})
        EXPECT_TRUE(has_scanner(pattern)) << pattern;
    EXPECT_FALSE(has_scanner("(a+)(a)")) << "where the first group ends, one character does not say";
    EXPECT_FALSE(has_scanner("(?:a|b)*a(?:a|b){12}")) << "too many states";
}

// Each way to look for a start: a byte behind the first loop, a few bytes, one, a set of them, two sets one behind the
// other; where the bytes are rare, many, at either end of the text, and where a character is not ASCII.
TEST(RegexScanner, FindsEachStartThatRe2Finds) {
    const std::string spaces(50, ' '), letters(50, 'x'), characters = "\u00e4\u2028\u0085\U0001F600";
    std::vector<std::string> texts = {"", "@", "x@", "@x@y@.com", letters + "@" + letters + "@b"};
    for (const std::string& around : {spaces, letters, characters, std::string(40, '@'), std::string(40, '9')})
        for (const char* inner :
             {"x12@mail.com", "@", "9x@", "error: x", "err", "WARN", "wa", "\u212a", "2026-11", "k=v=w", "\u00e4b"})
            texts.push_back(inner + around + inner + around + inner + inner);
    for (const char* pattern : {"[a-z0-9]+@[a-z]+\\.com",
                                "[a-z][a-z0-9]*@",
                                "(\\w+)@(\\w+)",
                                "([^=]+)=(.*)",
                                "[^@]+@",
                                ".+@",
                                "\\b\\w+@",
                                "[x@]+@",
                                "error: (\\w+)",
                                "err|error",
                                "er+or",
                                "x?@",
                                "(?i)warn",
                                "(?i)k",
                                "(?i)err|was",
                                "(?i)[a-c]+b",
                                "[a-z]x",
                                "[\u00e4-\u00ff][a-z]",
                                "[x\u00e4]b?",
                                "\\d{4}-\\d\\d",
                                "w|W",
                                "k=",
                                "^x",
                                "x$",
                                "@@@",
                                "@{20}",
                                "x{3,}@"}) {
        TextWorld w;
        const Value regex = make_regex(w.heap, pattern).value();
        for (const std::string& text : texts)
            ASSERT_EQ(found_in(regex, text, true), found_in(regex, text, false)) << pattern << " in " << text;
    }
}

// The table is made by the first search. A regex costs what it costs, used or not, and so does each search.
TEST(RegexScanner, WhetherItIsThereShowsInNoFigure) {
    TextWorld w;
    w.fuel(1'000'000);
    const Value regex = make_regex(w.heap, "(\\w+)@(\\w+)").value();
    const auto fuel = w.heap.meter.used();
    const std::size_t bytes = w.heap.live_bytes();
    const std::string first = found_in(regex, "ann@home, bob@work", true);
    EXPECT_EQ(found_in(regex, "ann@home, bob@work", true), first);
    EXPECT_EQ(w.heap.live_bytes(), bytes);
    const Value again = make_regex(w.heap, "(\\w+)@(\\w+)").value();
    EXPECT_EQ(w.heap.meter.used(), 2 * fuel);
    EXPECT_EQ(w.heap.live_bytes(), 2 * bytes);
}

TEST(RegexScanner, GroupsAreThoseOfTheLastRound) {
    TextWorld w;
    const Value regex = make_regex(w.heap, "((a)|(b))+,").value();
    EXPECT_EQ(found_in(regex, "ba,ab,", true), found_in(regex, "ba,ab,", false));
    EXPECT_EQ(found_in(regex, "ba,", true), "0-3 1-2 1-2 0-1 , whole 0-3 1-2 1-2 0-1 , for 12");
}

// What is read in vain is a few times the text at most, then RE2 goes on: looked for with work that is charged nowhere,
// these would take hours.
TEST(RegexScanner, ReadsNoTextAgainAndAgain) {
    const std::string letters(400'000, 'x');
    for (const char* pattern :
         {"x[a-z]+1", "[a-z]+1", "x[a-z]*?1|y", "(x)([a-z]+)1", "\\b[a-z]+\\b1", "xx+y", "x{3}y"}) {
        TextWorld w;
        const Value regex = make_regex(w.heap, pattern).value();
        ASSERT_EQ(found_in(regex, letters, true), found_in(regex, letters, false)) << pattern;
    }
}

TEST(RegexScanner, ALongTextMeetsTheDeadline) {
    const std::string letters(8'000'000, 'x');
    TextWorld w;
    const Value regex = make_regex(w.heap, "[a-z]+").value();
    const std::atomic<bool> interrupted = true;
    w.heap.meter.start(1'000'000'000, Meter::Clock::time_point::max(), &interrupted);
    RegexSearch search(w.heap, regex, letters);
    const Result<bool> found = search.next();
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().reason, Reason::Interrupted);
    EXPECT_EQ(w.heap.meter.used(), 0) << "before the text was paid for";
}

} // namespace
} // namespace ptc::test
