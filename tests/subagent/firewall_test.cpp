// What the firewall hides: values below keys that begin with `_`, wherever they are shown and however printers have
// written them, and nothing else; what it does when there is too much to look for; views, digests and cuts.
#include "frontend/work.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/shared_data.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

Datum json(std::string_view text) { return Datum::from_json(text).value(); }

Secrets secrets_of(std::string_view text) {
    Secrets secrets;
    learn_secrets(secrets, json(text));
    return secrets;
}

TEST(Secrets, AreWhatIsBelowFirewalledKeys) {
    const Secrets secrets =
        secrets_of(R"({"open": "visible-1", "_a": [{"b": "hidden-1"}, 990017], "c": [{"_d": "hidden-2"}]})");
    EXPECT_EQ(without_secrets(secrets, "visible-1 hidden-1 990017 hidden-2"),
              "visible-1 <Firewalled> <Firewalled> <Firewalled>");
}

TEST(Secrets, ShortOnesAreWordsThatOccurAnyway) {
    EXPECT_EQ(without_secrets(secrets_of(R"({"_a": "open", "_n": 7})"), "open 7"), "open 7");
}

TEST(Secrets, DigitsWithinALongerNumberAreAnotherNumber) {
    const Secrets secrets = secrets_of(R"({"_id": 123456})");
    EXPECT_EQ(without_secrets(secrets, "1234567 0123456 123456"), "1234567 0123456 <Firewalled>");
}

TEST(Secrets, TheBeginningOfALongOneGivesItAway) {
    const Secrets secrets = secrets_of(R"({"_k": "abcdefghijklmnopqrstuvwxyz"})");
    EXPECT_EQ(without_secrets(secrets, "got \"abcdefghijklmno…\""), "got \"<Firewalled>…\"");
    EXPECT_EQ(without_secrets(secrets, "abcdefgh"), "abcdefgh");
}

TEST(Secrets, NamesOfFieldsAreNone) {
    const Secrets rows =
        secrets_of(R"({"_customers": [{"country": "Norway-1", "joined_at": 1}, {"country": "Sweden-2"}]})");
    EXPECT_EQ(without_secrets(rows, "country Norway-1 Sweden-2"), "country <Firewalled> <Firewalled>");
    EXPECT_EQ(without_secrets(rows, "joined_at"), "<Firewalled>"); // only one has it: it may be data
    const Secrets by_key = secrets_of(R"({"_scores": [{"ann@example.org": 1}, {"ann@example.org": 2}]})");
    EXPECT_EQ(without_secrets(by_key, "ann@example.org"), "<Firewalled>");
}

TEST(Secrets, AreFoundAsLiteralsToo) {
    EXPECT_EQ(without_secrets(secrets_of(R"({"_k": "line\nbreak"})"), R"(a "line\nbreak" b)"), "a \"<Firewalled>\" b");
}

/// `text` as pr-str writes it, without the quotes around it.
std::string literal(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const std::size_t i = std::string_view("\"\\\n\t\r\b\f").find(c);
        if (i != std::string_view::npos) out += '\\';
        out += i == std::string_view::npos ? c : "\"\\ntrbf"[i];
    }
    return out;
}

std::string json_literal(std::string_view text) {
    const std::string json = Datum(text).to_json();
    return json.substr(1, json.size() - 2);
}

/// Printed `level` times, by the printers that the bits of `which` choose.
std::string printed(std::string text, int level, unsigned which) {
    for (int i = 0; i < level; ++i)
        text = (which >> i) & 1 ? "[\"" + literal(text) + "\"]" : "{\"k\":\"" + json_literal(text) + "\"}";
    return text;
}

const std::vector<std::string> kHardTexts = {
    "-----BEGIN PRIVATE KEY-----\nMIIEvgIBADAN/+==\nq83WqHn4\n-----END PRIVATE KEY-----\n",
    "bell\bsecret-oscar",
    "form\ffeed-secret",
    "c\x01trl\x1f-secret\x7fjuliet",
    "quo\"ted\"-secret\"",
    "\"begins-quoted",
    "back\\slash\\\\secret\\",
    "C:\\new\\table\\users\\u00e9",
    "C:\\\nends \\\"so\\",
    "tab\tcr\rline\n",
    "\n\t\"\\\b\f\x01 all of them",
    "a\"\n\"\tbc",
    "\xC3\xA9t\xC3\xA9\n\xF0\x9F\x98\x80secret",
};

TEST(Secrets, AreFoundHoweverOftenTheyWerePrinted) {
    for (const std::string& text : kHardTexts) {
        Secrets secrets;
        learn_secrets(secrets, Datum::object({{"_k", Datum(text)}}));
        for (int level = 0; level <= 4; ++level) {
            for (unsigned which = 0; which < 1u << level; ++which) {
                const std::string whole = "see " + printed("a " + text + " b", level, which) + " there";
                const std::string shown = without_secrets(secrets, whole);
                const std::string frame = "see " + printed("a <Firewalled> b", level, which) + " there";
                EXPECT_EQ(shown, frame) << whole;
                EXPECT_EQ(without_secrets(secrets, printed(text, level, which)), printed("<Firewalled>", level, which))
                    << text;
            }
        }
    }
}

// Tools' programs write in their own ways.
TEST(Secrets, AreFoundWithCharactersByNumber) {
    const Secrets secrets = secrets_of(R"({"_k": "\u00e9t\u00e9-\ud83d\ude00", "_l": "a\n</b>c"})");
    EXPECT_EQ(without_secrets(secrets, R"(x \u00e9t\u00E9-\ud83d\ude00 y \\u00e9t\\u00e9-\\ud83d\\ude00 z)"),
              "x <Firewalled> y <Firewalled> z");
    EXPECT_EQ(without_secrets(secrets, R"(a\u000a\u003c/b>c)"), "<Firewalled>");
    EXPECT_EQ(without_secrets(secrets, R"(\u \u00 \ud83d \ude00 \u005c \ud83d\n)"),
              R"(\u \u00 \ud83d \ude00 \u005c \ud83d\n)");
}

TEST(Secrets, AreFoundOnOneLine) {
    EXPECT_EQ(without_secrets(secrets_of(R"({"_k": "line\nbreak\ttab"})"), "got `line break tab`."),
              "got `<Firewalled>`.");
}

TEST(Secrets, OtherTextsStayHoweverTheyArePrinted) {
    const Secrets secrets = secrets_of(R"({"_a": "line\nbreak", "_b": "nabcdef", "_c": "\n\n\n", "_d": "a\"b\"c"})");
    for (const std::string_view text :
         {"linenbreak", "line\\break", "lin\ne\nbreak", "\nabcdef", "x\n\n\n\n\ny", R"(\n\n\n)", R"(a\"b\"c)", "\\",
          "\\\\…", "\"\x01\x7f\"", R"({"a":"b\\n\"c\\\"\u0001"})", "\\u00", "\\u00…", "line…"})
        EXPECT_EQ(without_secrets(secrets, text), text == "line…" ? "<Firewalled>…" : text);
}

TEST(Secrets, OnesWithManyEscapesAreNoBeginningsOfAnother) {
    const Secrets secrets = secrets_of(R"({"_k": "\u0001\u0002\u0003\u0004\u0005\u0006\u0007 and more"})");
    EXPECT_EQ(without_secrets(secrets, R"(\u0001\u0002\u0003\u0004\u0005\u0006\u0007.)"),
              R"(\u0001\u0002\u0003\u0004\u0005\u0006\u0007.)");
    EXPECT_EQ(without_secrets(secrets, R"(\u0001\u0002\u0003\u0004\u0005\u0006\u0007 and m.)"), "<Firewalled>.");
}

TEST(Secrets, TheirBeginningsStandBeforeNoCutOfAnEscape) {
    const Secrets secrets = secrets_of(R"({"_k": "open\n\u0001sesame"})");
    for (const char* text : {"open…", R"(open\…)", R"(open\n…)", R"(open\\…)", R"(open\n\u0…)", R"(open\\n\\u000…)"})
        EXPECT_TRUE(without_secrets(secrets, text).starts_with("<Firewalled>")) << text;
}

TEST(Secrets, AreTheSameReadFromASnapshot) {
    Secrets secrets;
    for (const std::string& text : kHardTexts)
        learn_secrets(secrets, Datum::object({{"_k", Datum(text)}}));
    Secrets again = secrets;
    again.index();
    EXPECT_EQ(again.texts, secrets.texts);
    EXPECT_EQ(again.beginnings, secrets.beginnings);
}

TEST(Secrets, TheirBeginningsStandBeforeNoCut) {
    const Secrets secrets = secrets_of(R"({"_k": "hunter2-pass", "_n": "qwerty"})");
    EXPECT_EQ(without_secrets(secrets, "hunter2-p… (40 bytes in all)"), "<Firewalled>… (40 bytes in all)");
    EXPECT_EQ(without_secrets(secrets, "\"the hun…\""), "\"the <Firewalled>…\"");
    EXPECT_EQ(without_secrets(secrets, "qwe… qw… hunter2-p"), "<Firewalled>… qw… hunter2-p");
}

TEST(Secrets, TheLongestOfThoseThatBeginAlikeIsHidden) {
    const Secrets secrets =
        secrets_of(R"({"_a": ["abcdef", "abcdefa", "abcdefzzz", "abcdef-012345", "abcdef-0123456789"]})");
    EXPECT_EQ(without_secrets(secrets, "abcdefb abcdefzzz! abcdef-0123456x"),
              "<Firewalled>b <Firewalled>! <Firewalled>x");
}

TEST(Secrets, MoreThanCanBeLookedForHideEverything) {
    Secrets secrets = secrets_of(R"({"_small": "hidden-1"})");
    learn_secrets(secrets, Datum::object({{"_large", Datum(std::string(kMaxSecretBytes, 'x'))}}));
    EXPECT_TRUE(secrets.is_full);
    EXPECT_EQ(without_secrets(secrets, "what could be anything"), "<Firewalled>");
    EXPECT_EQ(public_view(json(R"({"a": ["b", 1, true]})"), secrets).to_json(),
              R"({"<Firewalled>":["<Firewalled>","<Firewalled>",true]})");
}

TEST(Secrets, OfACallerAreKeptByWhomItCalls) {
    Secrets secrets;
    learn_secrets(secrets, secrets_of(R"({"_k": "hunter2-pass", "_ids": [1, 2]})"));
    EXPECT_EQ(public_view(json(R"({"q": "hunter2-pass", "r": [1, 2]})"), secrets).to_json(),
              R"({"q":"<Firewalled>","r":"<Firewalled>"})");
}

TEST(FirewalledFaults, KeepTheirPathsWithoutTheValues) {
    EXPECT_EQ(without_firewalled_faults(
                  "Tool validation errors:\n- _ids[0]: expected int, got string \"a\"\n- n: expected int, got nil"),
              "Tool validation errors:\n- _ids[0]: expected int, got <Firewalled>\n- n: expected int, got nil");
    EXPECT_EQ(without_firewalled_faults("- rows[1]._key: coerced string \"10\" to int"),
              "- rows[1]._key: coerced string <Firewalled>");
    EXPECT_EQ(without_firewalled_faults("- a_b: expected int, got string \"x\""),
              "- a_b: expected int, got string \"x\"");
}

TEST(PublicView, HidesWhatIsBelowFirewalledKeys) {
    EXPECT_EQ(public_view(json(R"({"a": [{"_b": 1}], "_c": {"d": 2}})")).to_json(),
              R"({"_c":"<Firewalled>","a":[{"_b":"<Firewalled>"}]})");
}

TEST(Secrets, OfADataSetAreLookedForInTheTimeOfWhoeverAsks) {
    std::string rows = "[";
    for (int i = 0; i < 20000; ++i)
        rows += (i > 0 ? "," : "") + std::string("{\"n\": 1, \"_key\": \"hidden-") + std::to_string(i) + "\"}";
    const auto set = DataSet::from_json("rows", rows + "]").value();
    for (int slices : {0, 1, 5}) {
        const work::Scope scope([&slices] { return slices-- > 0; });
        EXPECT_TRUE(secrets_of(*set)->is_full);
    }
    const std::shared_ptr<const Secrets> all = secrets_of(*set);
    EXPECT_FALSE(all->is_full);
    EXPECT_EQ(without_secrets(*all, "hidden-19999"),
              without_secrets(secrets_of(R"({"_key": "hidden-19999"})"), "hidden-19999"));
    EXPECT_EQ(secrets_of(*set), all);
}

// When there is more to hide than can be kept, everything is hidden: the rest need not be looked at.
TEST(Secrets, OfADataSetAreNotLookedForBeyondWhatIsKept) {
    const std::string value(8 << 10, 'x');
    std::string rows = "[";
    for (int i = 0; i < 1000; ++i)
        rows += (i > 0 ? "," : "") + std::string("{\"_key\": \"") + std::to_string(i) + value + "\"}";
    const auto set = DataSet::from_json("rows", rows + "]").value();
    const std::shared_ptr<const Secrets> some = secrets_of(*set);
    EXPECT_TRUE(some->is_full);
    EXPECT_LE(some->bytes, kMaxSecretBytes);
}

} // namespace
} // namespace ptc
