#include "frontend/positions.h"
#include "frontend/utf8.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kBetweenMarks = 512;

/// Where `text` ends, which begins at `at`.
LineColumn advanced(LineColumn at, std::string_view text) {
    const std::size_t line_start = text.rfind('\n') + 1; // npos + 1 is 0: it is all of one line
    if (line_start > 0) {
        at.line += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
        at.column = 1;
    }
    at.column += static_cast<std::uint32_t>(utf8::count(text.substr(line_start)));
    return at;
}

} // namespace

Positions::Positions(const Source& source) : source_(source) {
    const std::string_view all = source.text();
    marks_.reserve(all.size() / kBetweenMarks);
    LineColumn at;
    for (std::size_t end = kBetweenMarks; end <= all.size(); end += kBetweenMarks) {
        at = advanced(at, all.substr(end - kBetweenMarks, kBetweenMarks));
        marks_.push_back(at);
    }
}

LineColumn Positions::of(std::uint32_t offset) const {
    const std::string_view before = source_.text().substr(0, offset);
    const std::size_t mark = std::min(before.size() / kBetweenMarks, marks_.size());
    return advanced(mark == 0 ? LineColumn() : marks_[mark - 1], before.substr(mark * kBetweenMarks));
}

} // namespace ptc
