#include "runtime/unicode.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

std::string upper(std::string_view s) {
    TextWorld w;
    return std::string(text_of(to_upper(w.heap, w.string(s)).value()));
}
std::string lower(std::string_view s) {
    TextWorld w;
    return std::string(text_of(to_lower(w.heap, w.string(s)).value()));
}
std::string capital(std::string_view s) {
    TextWorld w;
    return std::string(text_of(to_capitalized(w.heap, w.string(s)).value()));
}

TEST(Unicode, UpperCaseMayBeSeveralLetters) {
    EXPECT_EQ(upper("stra\u00dfe"), "STRASSE");
    EXPECT_EQ(upper("\ufb01n"), "FIN");
    EXPECT_EQ(upper("\u0149"), "\u02bcN");
    EXPECT_EQ(upper("\u1f80\u1fa7\u1faf"), "\u1f08\u0399\u1f6f\u0399\u1f6f\u0399");
    EXPECT_EQ(upper("\u0390"), "\u0399\u0308\u0301");
    EXPECT_EQ(upper("\ufb17"), "\u0544\u053d");
    EXPECT_EQ(upper("\u00e9\u00e0\u0436"), "\u00c9\u00c0\u0416");
    EXPECT_EQ(upper("\u65e5\u672c"), "\u65e5\u672c");
}

TEST(Unicode, CaseMappingKeepsNulCharacters) {
    std::string text("\u00e9\0x", 4);
    EXPECT_EQ(upper(text), std::string("\u00c9\0X", 4));
    EXPECT_EQ(lower(upper(text)), text);
}

TEST(Unicode, ASigmaThatEndsAWordIsFinal) {
    EXPECT_EQ(lower("\u039f\u0394\u039f\u03a3"), "\u03bf\u03b4\u03bf\u03c2");
    EXPECT_EQ(lower("\u03a3\u0391\u03a3 \u03a3"), "\u03c3\u03b1\u03c2 \u03c3");
    EXPECT_EQ(lower("\u0391\u03a3'\u0391"), "\u03b1\u03c3'\u03b1") << "the word goes on behind an apostrophe";
    EXPECT_EQ(lower("\u0391\u03a3."), "\u03b1\u03c2.");
    EXPECT_EQ(lower("\u0130"), "i\u0307");
}

TEST(Unicode, TextWithoutCaseIsShared) {
    TextWorld w;
    for (const char* text : {"abc 1", "\u65e5\u672c", ""}) {
        Value s = w.string(text);
        EXPECT_EQ(to_lower(w.heap, s).value().raw(), s.raw()) << text;
    }
}

TEST(Unicode, CapitalizeLowersTheRest) {
    EXPECT_EQ(capital("hELLO wORLD"), "Hello world");
    EXPECT_EQ(capital("\u00e9COLE"), "\u00c9cole");
    EXPECT_EQ(capital("\u00dfA"), "SSa");
    EXPECT_EQ(capital(""), "");
}

TEST(Unicode, WhiteSpaceIsJavas) {
    EXPECT_EQ(trim_start(" \t\n\x1C\u2003x "), "x ");
    EXPECT_EQ(trim_end(" x\u2003\u2028\r\n"), " x");
    EXPECT_EQ(trim_start("\u00a0x"), "\u00a0x") << "a non-breaking space is not trimmed";
    EXPECT_TRUE(is_blank("\u2003\t"));
    EXPECT_FALSE(is_blank("\u00a0"));
    EXPECT_TRUE(is_blank(""));
}

TEST(Unicode, RefusesInvalidUtf8) {
    for (const char* good : {"", "plain", "\u00e9", "\ud7ff", "\ue000", "\U0010FFFF", "a long text and then \u65e5"})
        EXPECT_TRUE(is_valid_utf8(good));
    for (const char* bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF8\x88\x80\x80\x80", "ab\xFF", "\xE6\x97", "12345678\xE6\x97x"})
        EXPECT_FALSE(is_valid_utf8(bad));
}

} // namespace
} // namespace ptc::test
