#include "frontend/json_text.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(JsonText, StringsAreEscaped) {
    constexpr std::string_view kText("a\"\\\n\r\t\0\x1f\x7fé😀\xff", 16);
    std::string out = "x";
    append_json_string(out, kText);
    EXPECT_EQ(out, "x\"a\\\"\\\\\\n\\r\\t\\u0000\\u001f\\u007fé😀\uFFFD\"");
    out.clear();
    append_json_string(out, kText, false);
    EXPECT_EQ(out, "\"a\\\"\\\\\\n\\r\\t\\u0000\\u001f\x7fé😀\uFFFD\"");
}

TEST(JsonText, WhatNeedsNoEscapeIsCopied) {
    for (const std::string_view text : {"", "plain", "é\xC3\xA9'/<>"}) {
        std::string out;
        append_json_string(out, text);
        EXPECT_EQ(out, '"' + std::string(text) + '"');
    }
}

TEST(JsonText, EscapesByNumber) {
    EXPECT_EQ(JsonEscape('\n').text(), "\\n");
    EXPECT_EQ(JsonEscape::by_number('\n').text(), "\\u000a");
    EXPECT_EQ(JsonEscape::by_number('\x7f').text(), "\\u007f");
}

TEST(JsonText, AsMuchAsFits) {
    constexpr std::string_view kText("a\"\x01\x7fé\xff!", 8); // 1, 2, 6, 6, 2, 3 and 1 bytes
    const std::size_t fitting[] = {0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 6, 6, 6, 7, 8, 8};
    for (std::size_t most = 0; most < std::size(fitting); ++most)
        EXPECT_EQ(json_prefix_size(kText, most), fitting[most]) << most;
}

} // namespace
} // namespace ptc
