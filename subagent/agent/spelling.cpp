// How texts are brought into the one spelling of spelling.h. A text is read from left to right, each piece by its first
// character: backslashes, whose number is forgotten; the number of a character behind them, which becomes the
// character; what is always escaped, which has a backslash and its letter; and plain text up to the next of these.
// Nothing is looked at twice but a surrogate's second half, so the work is linear.
#include "subagent/agent/spelling.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <charconv>

namespace ptc {
namespace {

constexpr std::size_t kUnitDigits = 4; ///< of \u00e9

bool is_escaped(char32_t c) { return c < 0x20 || c == 0x7F || c == '"'; }

/// What stands behind the backslash: of characters that are always escaped by number, themselves.
char letter_of(char c) {
    switch (c) {
    case '\n': return 'n';
    case '\t': return 't';
    case '\r': return 'r';
    case '\b': return 'b';
    case '\f': return 'f';
    default: return c;
    }
}

/// Where the first character from `at` on stands that is not spelled as it is.
std::size_t plain_end(std::string_view text, std::size_t at) {
    const auto* end = std::find_if(text.data() + at, text.data() + text.size(),
                                   [](char c) { return c == '\\' || is_escaped(static_cast<unsigned char>(c)); });
    return static_cast<std::size_t>(end - text.data());
}

/// The hexadecimal digits that stand at `at`, up to four of them.
std::string_view digits_at(std::string_view text, std::size_t at) {
    const std::string_view digits = text.substr(std::min(at, text.size()), kUnitDigits);
    return digits.substr(0, digits.find_first_not_of("0123456789abcdefABCDEF"));
}

char32_t number_of(std::string_view digits) {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
}

/// The second half of a character beyond U+FFFF, at `at` with its backslashes; the offset behind it, or 0.
std::size_t read_low_half(std::string_view text, std::size_t at, char32_t& low) {
    const std::size_t u = text.find_first_not_of('\\', at);
    if (u == at || u == text.npos || text[u] != 'u') return 0;
    const std::string_view digits = digits_at(text, u + 1);
    low = number_of(digits);
    return digits.size() == kUnitDigits && low >= 0xDC00 && low <= 0xDFFF ? u + 1 + kUnitDigits : 0;
}

} // namespace

bool SpellingReader::next() {
    begin_ = end_;
    if (begin_ == text_.size()) return false;
    const bool was_behind_backslash = is_behind_backslash_;
    is_behind_backslash_ = false;
    can_begin_ = true;
    const char c = text_[begin_];
    is_plain_ = false;
    if (c == '\\') return read_backslashes();
    end_ = plain_end(text_, begin_);
    is_plain_ = end_ > begin_;
    if (is_plain_) return true;
    end_ = begin_ + 1;
    if (was_behind_backslash) { // which is its own, or one more
        const char letter = letter_of(c);
        spell({&letter, 1});
        can_begin_ = false;
    } else {
        spell_escape(c);
    }
    return true;
}

bool SpellingReader::read_backslashes() {
    end_ = std::min(text_.find_first_not_of('\\', begin_), text_.size());
    if (end_ < text_.size() && text_[end_] == 'u' && read_number(end_)) return true;
    is_behind_backslash_ = !is_cut_at(end_);
    spell(is_behind_backslash_ ? "\\" : "");
    can_begin_ = is_behind_backslash_;
    return true;
}

/// False when it is no number of a character, or of a backslash.
bool SpellingReader::read_number(std::size_t u) {
    const std::string_view digits = digits_at(text_, u + 1);
    std::size_t end = u + 1 + digits.size();
    if (digits.size() < kUnitDigits) {
        if (!is_cut_at(end)) return false;
        spell("");
        can_begin_ = false;
        end_ = end;
        return true;
    }
    char32_t c = number_of(digits), low = 0;
    if (c == '\\') return false;
    if (utf8::is_surrogate(c)) {
        end = c < 0xDC00 ? read_low_half(text_, end, low) : 0;
        if (end == 0) return false;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    end_ = end;
    if (is_escaped(c)) {
        spell_escape(static_cast<char>(c));
    } else {
        std::string bytes;
        utf8::append(bytes, c);
        spell(bytes);
    }
    return true;
}

// Those of the text are a multiple of a power of two, those of a quote one less than a power that is no larger.
std::size_t SpellingReader::backslashes_of_next() const {
    constexpr std::string_view kLetters = "bfnrtu";
    if (!is_behind_backslash_ || end_ == text_.size()) return 0;
    const std::size_t all = end_ - begin_;
    if (text_[end_] == '"') return (all ^ (all + 1)) >> 1;
    return kLetters.find(text_[end_]) != kLetters.npos ? all & 1 : 0;
}

void SpellingReader::spell(std::string_view spelled) {
    size_ = static_cast<std::uint8_t>(spelled.copy(bytes_, sizeof bytes_));
}

void SpellingReader::spell_escape(char c) {
    const char escape[] = {'\\', letter_of(c)};
    spell({escape, sizeof escape});
}

std::string spelling_of(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (SpellingReader reader(text); reader.next();)
        out += reader.spelled();
    return out;
}

} // namespace ptc
