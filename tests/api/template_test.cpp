// Prompt templates and cache keys: what a template expands to, its limits and errors, and which spellings of a call
// have the same key.
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

std::string expand(std::string_view text, std::string_view context) {
    const Result<Template> parsed = Template::parse(text);
    if (!parsed.ok()) return "!! " + parsed.error().message;
    const Result<Expansion> expansion = parsed.value().expand(Datum::from_json(context).value());
    if (!expansion.ok()) return "!! " + expansion.error().message;
    std::string out = expansion.value().text;
    for (const std::string& name : expansion.value().missing)
        out += " (missing " + name + ")";
    return out;
}

TEST(TemplateExample, ExpandsWithAContext) {
    const Template prompt =
        Template::parse("Find {{limit}} of {{user.name}}:{{#tags}} {{.}}{{/tags}}{{^tags}} all{{/tags}}").value();
    const Datum context = Datum::from_json(R"({"limit": 3, "user": {"name": "Ann"}, "tags": ["a", "b"]})").value();
    EXPECT_EQ(prompt.expand(context).value().text, "Find 3 of Ann: a b");
    EXPECT_EQ(prompt.placeholders(), (std::vector<std::string>{"limit", "user.name", "tags"}));
}

TEST(Template, SectionsNestAndLookOutside) {
    EXPECT_EQ(expand("{{#rows}}{{unit}}{{id}}{{#in}}({{x}}{{id}}){{/in}};{{/rows}}",
                     R"({"unit": "#", "rows": [{"id": 1, "in": {"x": 5}}, {"id": 2}]})"),
              "#1(51);#2;");
    EXPECT_EQ(expand("{{#a.b}}{{.}}{{/a.b}}", R"({"a": {"b": [1, 2]}})"), "12");
    EXPECT_EQ(expand("{{#xs}}{{y}}{{/xs}}", R"({"xs": [1]})"), " (missing y)");
    EXPECT_EQ(expand("{{#s}}x{{/s}}{{^s}}y{{/s}}", R"({"s": ""})"), "y");
}

TEST(Template, TagsAloneOnTheirLineTakeItAway) {
    EXPECT_EQ(expand("a\n  {{#on}}  \nb\r\n{{/on}}\r\n{{! c }}\nd", R"({"on": true})"), "a\nb\r\nd");
    EXPECT_EQ(expand("{{#on}}", "{}").rfind("!! The section `on` is never closed", 0), 0u);
}

TEST(Template, FirewalledValuesAreNotShown) {
    EXPECT_EQ(expand("{{_ids}} {{user._token}} {{user}}", R"({"_ids": [990017], "user": {"_token": "t", "n": 1}})"),
              "<Firewalled> <Firewalled> {\"_token\":\"<Firewalled>\",\"n\":1}");
}

TEST(Template, NamesMatchInEitherSpelling) { EXPECT_EQ(expand("{{user_name}}", R"({"user-name": 1})"), "1"); }

TEST(Template, ErrorsHaveSpans) {
    const Error error = Template::parse("ab {{#x}} {{/y}}").error();
    EXPECT_EQ(error.reason, Reason::TemplateError);
    EXPECT_EQ(error.span, (Span{10, 16}));
    ASSERT_EQ(error.labels.size(), 1u);
    EXPECT_EQ(error.labels[0].span, (Span{3, 9}));
}

TEST(Template, ExpandingEndsWithinItsLimits) {
    std::string text, close;
    for (int i = 0; i < 20; ++i) {
        text += "{{#xs}}";
        close += "{{/xs}}";
    }
    EXPECT_EQ(
        expand(text + close, R"({"xs": [1, 2, 3, 4, 5, 6, 7, 8, 9]})").rfind("!! The expanded template is longer", 0),
        0u);
    const Template big = Template::parse("{{#xs}}{{t}}{{/xs}}").value();
    const Datum context = Datum::object({{"t", std::string(1000, 'x')}, {"xs", Datum::List(100, Datum(1))}});
    EXPECT_FALSE(big.expand(context, 99'999).ok());
    EXPECT_EQ(big.expand(context, 100'000).value().text.size(), 100'000u);
    std::string deep;
    for (int i = 0; i < 65; ++i)
        deep += "{{#x}}";
    EXPECT_FALSE(Template::parse(deep).ok());
}

TEST(Template, MatchesASignature) {
    const Signature signature =
        parse_signature("(user {name :string}, rows [{tags [:string], on :bool}], note :string?) -> :any").value();
    const auto match = [&](std::string_view text) { return Template::parse(text).value().match(signature); };
    EXPECT_TRUE(match("{{user.name}}{{#rows}}{{#tags}}{{.}}{{/tags}}{{#on}}{{note}}{{/on}}{{/rows}}").ok(true));
    EXPECT_EQ(match("{{user.age}} {{x}}").unmatched, (std::vector<std::string>{"user.age", "x"}));
    EXPECT_EQ(match("{{#rows}}{{.}}{{size}}{{/rows}}").bad_fields, (std::vector<std::string>{".", "size"}));
    EXPECT_EQ(match("{{user.name}}").unused, (std::vector<std::string>{"rows", "note"}));
    EXPECT_TRUE(match("{{user.name}}").ok(false));
    EXPECT_FALSE(match("{{user.name}}").ok(true));
}

TEST(CacheKeyExample, IsTheSameForEverySpellingOfACall) {
    const Datum a = Datum(Datum::Map{{Datum::Keyword{"user-id"}, 1.0}, {"tags", Datum::List{"x"}}});
    const Datum b = Datum::object({{"tags", Datum::List{"x"}}, {"user_id", 1}});
    EXPECT_EQ(cache_key("find", a), cache_key("find", b));
    EXPECT_NE(cache_key("find", a), cache_key("fetch", a));
    EXPECT_EQ(canonical_arguments(a).to_json(), R"({"tags":["x"],"user_id":1})");
}

TEST(CacheKey, LargeWholeFloatsAreIntegersExactly) {
    EXPECT_EQ(canonical_arguments(Datum(1e23)).to_json(), "99999999999999991611392");
    EXPECT_EQ(cache_key("t", Datum(-0.0)), cache_key("t", Datum(0)));
    EXPECT_NE(cache_key("t", Datum(Datum::List{Datum("a,b")})),
              cache_key("t", Datum(Datum::List{Datum("a"), Datum("b")})));
}

} // namespace
} // namespace ptc
