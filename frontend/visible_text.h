// Texts of others for whoever reads them: people at terminals, and models. This is the one rule for what in them acts,
// or is not seen.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

/// `text` for a terminal: control characters other than tab and line break would act on it, and so would those that
/// change the direction of the text around them. U+FFFD stands for each.
std::string printable(std::string_view text);
/// The same on one line, cut behind `max_bytes`.
std::string printable_line(std::string_view text, std::size_t max_bytes = 500);
/// Such a line of what another program says of an error, to stand within a message: without the full stop at its end.
std::string printable_reason(std::string_view text);
/// As `printable`, for who decides by it, or is told what to do: such characters, and those that nobody sees (of no
/// width, tags), are written out, as in JSON (\u202e), so that they are seen.
std::string spelled_out(std::string_view text);

} // namespace ptc
