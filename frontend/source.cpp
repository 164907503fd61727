#include "ptc/source.h"

#include "frontend/utf8.h"
#include <algorithm>

namespace ptc {

std::string_view Source::text(Span span) const {
    const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
    const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
    return std::string_view(text_).substr(begin, end - begin);
}

LineColumn Source::position(std::uint32_t offset) const {
    const std::string_view before = std::string_view(text_).substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 is 0: the first line
    LineColumn at;
    at.line = static_cast<std::uint32_t>(lines) + 1;
    at.column = static_cast<std::uint32_t>(utf8::count(before.substr(line_start))) + 1;
    if (line_start <= extra_ && extra_ < before.size()) --at.column;
    return at;
}

std::string_view Source::line_at(std::uint32_t offset) const {
    const std::string_view all = text_;
    const std::size_t here = std::min<std::size_t>(offset, all.size());
    const std::size_t begin = here == 0 ? 0 : all.rfind('\n', here - 1) + 1;
    std::string_view line = all.substr(begin, all.find('\n', here) - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

} // namespace ptc
