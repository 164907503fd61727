// The text form of signatures: what is accepted, its normal form, and what is said of mistakes. A row of mistakes has
// the span, the message and the text after the repair.
#include "ptc/signature_text.h"
#include <gtest/gtest.h>

#include <algorithm>

namespace ptc {
namespace {

std::string canonical(std::string_view text) {
    const Result<Signature> signature = parse_signature(text);
    return signature.ok() ? signature_text(signature.value()) : "!! " + signature.error().message;
}

Error error_of(std::string_view text) {
    const Result<Signature> signature = parse_signature(text);
    return signature.ok() ? Error(Reason::RuntimeError, "accepted: " + std::string(text)) : signature.error();
}

std::string repaired(std::string_view text) {
    std::string fixed(text);
    std::vector<Edit> edits = error_of(text).edits;
    std::ranges::sort(edits, std::greater<>(), [](const Edit& edit) { return edit.span.begin; });
    for (const Edit& edit : edits)
        fixed.replace(edit.span.begin, edit.span.size(), edit.text);
    return fixed;
}

TEST(Signature, AnOutputAloneHasNoParameters) {
    EXPECT_EQ(canonical(":int"), "() -> :int");
    EXPECT_EQ(canonical(" [ :string ] "), "() -> [:string]");
    EXPECT_EQ(parse_signature("{a :int}").value(), parse_signature("() -> {a :int}").value());
}

TEST(Signature, BothSpellingsOfFieldsGiveOneTree) {
    EXPECT_EQ(parse_signature("{:id :int :tags [:string]?}").value(),
              parse_signature("{id :int, tags [:string]?}").value());
    EXPECT_EQ(canonical("{:id :int, :name :string}"), "() -> {id :int, name :string}");
    EXPECT_EQ(canonical("{:int :string :map :any}"), "() -> {int :string, map :any}");
}

TEST(Signature, WhiteSpaceIsFreeAndOptional) {
    EXPECT_EQ(canonical("(a:int,b:string?)->[{x:float}]"), "(a :int, b :string?) -> [{x :float}]");
    EXPECT_EQ(canonical("(\n  a :int ,\r\n\tb {\n c :bool }\n)\n ->\n :any"), "(a :int, b {c :bool}) -> :any");
}

TEST(Signature, EveryTypeMayBeOptional) {
    EXPECT_EQ(canonical("(a [:int?]?, b {c :map?}?, d :enum[x]?) -> :int[>0]|:string?"),
              "(a [:int?]?, b {c :map?}?, d :enum[x]?) -> :int[>0]|:string?");
    EXPECT_TRUE(parse_signature(":int|:string?").value().returns.is_optional);
}

TEST(Signature, UnionsHoldAtomsAndMayHoldNil) {
    const Type type = parse_signature("{a :int} | [:string] | :nil").value().returns;
    ASSERT_EQ(type.items.size(), 3u);
    EXPECT_EQ(type_text(type), "{a :int}|[:string]|:nil");
    EXPECT_EQ(error_of("{a :nil}").span, (Span{3, 7}));
}

TEST(Signature, ChoicesAreWordsTextsKeywordsAndNumbers) {
    const Type type =
        parse_signature(R"(:enum[open "in progress" :done 3 -1.5 true nil "true" "a\"b\u0001\n"])").value().returns;
    const std::vector<Choice> expected = {
        std::string("open"), std::string("in progress"), KeywordChoice{"done"},    std::int64_t{3}, -1.5, true,
        std::monostate(),    std::string("true"),        std::string("a\"b\x01\n")};
    EXPECT_EQ(type.choices, expected);
    EXPECT_EQ(type_text(type), R"(:enum[open "in progress" :done 3 -1.5 true nil "true" "a\"b\u0001\u000a"])");
    EXPECT_EQ(parse_signature(type_text(type)).value().returns, type);
    EXPECT_EQ(canonical(":enum[a, b,c ]"), "() -> :enum[a b c]");
}

TEST(Signature, BoundsAreRangesOrComparisons) {
    EXPECT_EQ(canonical(":int[ 1 .. 100 ]"), "() -> :int[1..100]");
    EXPECT_EQ(canonical(":float[>=0.5<1e3]"), "() -> :float[>=0.5 <1000.0]");
    EXPECT_EQ(canonical(":int[>=1 <=100]"), "() -> :int[1..100]");
    EXPECT_EQ(canonical(":int[>=5 <=1]"), "() -> :int[>=5 <=1]"); // allows nothing, and is no range
    EXPECT_EQ(canonical(":int[!=0]?"), "() -> :int[!=0]?");
}

TEST(Signature, NamesAreKeptAsWrittenAndFoundWithEitherMark) {
    const Signature signature =
        parse_signature("(page-size :int, _x :any) -> {_ids [:int], rows [{_t :int, id :int}]}").value();
    EXPECT_NE(signature.find_param("page_size"), nullptr);
    EXPECT_EQ(signature.find_param("pagesize"), nullptr);
    EXPECT_EQ(signature.params[0].name, "page-size");
    EXPECT_EQ(firewalled_paths(signature.returns), (std::vector<std::string>{"_ids", "rows[]._t"}));
    EXPECT_EQ(type_text(public_type(signature.returns)), "{rows [{id :int}]}");
    EXPECT_EQ(prompt_text("find", signature), "find(page-size :int, _x :any) -> {rows [{id :int}]}");
    EXPECT_EQ(return_text("(a :int) -> {b :int}").value(), "{b :int}");
    EXPECT_EQ(return_text("{b :int}").value(), "{b :int}");
}

TEST(Signature, NamesThatDifferInMarksOnlyClash) {
    const Error error = error_of("{a-b :int, c :int, a_b :string}");
    EXPECT_EQ(error.span, (Span{19, 22}));
    EXPECT_NE(error.message.find("`a-b` and `a_b`"), std::string::npos) << error.message;
    ASSERT_EQ(error.labels.size(), 1u);
    EXPECT_EQ(error.labels[0].span, (Span{1, 4}));
    EXPECT_NE(error_of("(x :int, x :int) -> :any").message.find("twice"), std::string::npos);
    EXPECT_TRUE(parse_signature("{a {b :int}, b {a :int}}").ok());
}

TEST(Signature, NestingHasALimit) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + ":int" + std::string(depth, ']'); };
    EXPECT_TRUE(parse_signature(nested(kMaxTypeNesting)).ok());
    EXPECT_EQ(error_of(nested(kMaxTypeNesting + 1)).span.begin, kMaxTypeNesting);
    EXPECT_FALSE(parse_signature(std::string(65537, ' ')).ok());
    EXPECT_FALSE(parse_signature(":enum[\"\xff\"]").ok());
}

struct Mistake {
    std::string_view text;
    std::string_view repaired;
    Span span;
    std::string_view message;
};

TEST(SignatureErrors, EachMistakeHasItsSpanMessageAndRepair) {
    const Mistake mistakes[] = {
        {"(items :list) -> :bool", "(items [:any]) -> :bool", {7, 12}, "`:list` is not a type"},
        {"{x :Object}", "{x :map}", {3, 10}, "`:Object` is not a type"},
        {"{x :tuple}", "{x :tuple}", {3, 9}, "`:tuple` is not a type"},
        {"{x :strng?}", "{x :string?}", {3, 9}, "`:strng` is not a type"},
        {"[int]", "[:int]", {1, 4}, "colon"},
        {"{a: number}", "{a :float}", {2, 3}, "in front of the type"},
        {"::int", ":int", {0, 2}, "one colon"},
        {"[]", "[:any]", {0, 2}, "what the list holds"},
        {"{a :int b :int}", "{a :int, b :int}", {8, 9}, "comma is missing"},
        {"{a :int,}", "{a :int,}", {8, 9}, "followed by another field"},
        {"{a :int", "{a :int}", {0, 1}, "no matching `}`"},
        {"(a [:int", "(a [:int]", {3, 4}, "no matching `]`"},
        {"(a :int => :int", "(a :int => :int", {8, 10}, "`)` is expected"},
        {"() => :int", "() -> :int", {3, 5}, "`=>`"},
        {"()", "() -> :any", {2, 2}, "end of the text"},
        {"(:a :int) -> :int", "(a :int) -> :int", {1, 3}, "no colon"},
        {"[:int :string]", "[:int :string]", {6, 13}, "one element type"},
        {":string?|:int", ":string?|:int", {8, 9}, "behind its last type"},
        {"{a :int??}", "{a :int??}", {8, 9}, "once"},
        {":string -> :int", ":string -> :int", {8, 10}, "parentheses"},
        {"[:int]]", "[:int]", {6, 7}, "closes no bracket"},
        {":enum[]", ":enum[]", {5, 7}, "allows no value"},
        {":enum", ":enum", {5, 5}, "choice"},
        {":enum[a;b]", ":enum[a;b]", {7, 8}, "choice"},
        {":string[>1]", ":string[>1]", {7, 8}, "Only numbers"},
        {":int[5..1]", ":int[5..1]", {8, 9}, "below its start"},
        {":int[>99999999999999999999]", ":int[>99999999999999999999]", {6, 26}, "too large"},
        {":int[]", ":int[]", {5, 6}, "limit on the number"},
        {"  ", "  ", {0, 2}, "empty"},
        {" -> :int", " () -> :int", {1, 3}, "parameters are missing"},
        {"find(q :string) -> :int", "(q :string) -> :int", {0, 4}, "does not name its tool"},
        {"{a :int, b? :string}", "{a :int, b :string?}", {10, 11}, "behind the type"},
        {"{b? [:int]}", "{b? [:int]}", {2, 3}, "behind the type"},
    };
    for (const Mistake& mistake : mistakes) {
        const Error error = error_of(mistake.text);
        EXPECT_EQ(error.reason, Reason::ParseError) << error.message;
        EXPECT_EQ(error.span.begin, mistake.span.begin) << mistake.text << ": " << error.message;
        EXPECT_EQ(error.span.end, mistake.span.end) << mistake.text << ": " << error.message;
        EXPECT_NE(error.message.find(mistake.message), std::string::npos) << mistake.text << ": " << error.message;
        EXPECT_FALSE(error.hint.empty()) << mistake.text;
        EXPECT_EQ(repaired(mistake.text), mistake.repaired);
    }
}

} // namespace
} // namespace ptc
