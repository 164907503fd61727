#include "subagent/agent/firewall.h"
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

} // namespace
} // namespace ptc
