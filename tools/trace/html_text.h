// Texts of strangers as parts of a page.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

/// `text` with everything replaced that a page would take for something else: markup, control characters but tabs and
/// line breaks, and characters that change the direction of text, which could make a program look like another one.
/// Fit for contents of elements and for attributes in double quotes.
std::string html_text(std::string_view text);

/// A program (or a printed value) with its parts marked: <i class="..."> of c(omment), s(tring), n(umber), k(eyword),
/// d(efinition or special form), t(ool or data), p(arenthesis).
std::string html_program(std::string_view program);

} // namespace ptc
