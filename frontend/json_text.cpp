// Writes texts as JSON strings. Most texts need no escape, so what stands as it is is found eight bytes at a time and
// copied as one piece; escapes come out of a table and are put side by side in a block, as a text that has many has
// them one after the other.
#include "frontend/json_text.h"
#include "frontend/utf8.h"
#include <cstring>
#include <utility>

namespace ptc {
namespace {

/// From `at` on, where nothing is escaped: the first byte that may be, or is not ASCII. Eight bytes at a time.
std::size_t plain_end(std::string_view text, std::size_t at) {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kHigh = 0x8080'8080'8080'8080;
    const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word; };
    for (std::uint64_t word = 0; text.size() - at >= sizeof word; at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word;
        const std::uint64_t escaped =
            has_zero(word ^ kOnes * '"') | has_zero(word ^ kOnes * '\\') | has_zero(word ^ kOnes * 0x7F);
        if (((word | below_blank | escaped) & kHigh) != 0) break;
    }
    const auto is_plain = [](char c) {
        return utf8::is_ascii(static_cast<unsigned char>(c)) && !needs_json_escape(c) && c != 0x7F;
    };
    while (at < text.size() && is_plain(text[at]))
        ++at;
    return at;
}

/// Of each ASCII character its escape, and behind it how long that is: 0 for what stands as it is.
constexpr auto kEscapes = [] {
    std::array<std::array<char, 8>, 128> escapes{};
    for (std::size_t i = 0; i < escapes.size(); ++i) {
        const char c = static_cast<char>(i);
        if (!needs_json_escape(c) && c != 0x7F) continue;
        const JsonEscape escape(c);
        escape.text().copy(escapes[i].data(), escape.text().size());
        escapes[i][7] = static_cast<char>(escape.text().size());
    }
    return escapes;
}();

/// Appends what stands as it is, and escapes, which are many side by side in a text that has many.
class EscapedText {
public:
    EscapedText(std::string& out, std::string_view text) : out_(out), text_(text) {}
    /// `size` bytes at `at` become `replacement`, of whose 8 bytes the first `length` count; all up to them is plain.
    void replace(std::size_t at, std::size_t size, const char* replacement, std::size_t length) {
        if (at > plain_ || pending_ + kRoom > block_.size()) copy_up_to(at);
        std::memcpy(block_.data() + pending_, replacement, kRoom);
        pending_ += length;
        plain_ = at + size;
    }
    void finish() { copy_up_to(text_.size()); }

private:
    static constexpr std::size_t kRoom = 8;
    void copy_up_to(std::size_t at) {
        out_.append(block_.data(), std::exchange(pending_, 0));
        out_ += text_.substr(plain_, at - plain_);
    }
    std::string& out_;
    std::string_view text_;
    std::size_t plain_ = 0; ///< start of the part that is copied as it is
    std::size_t pending_ = 0;
    std::array<char, 1024> block_;
};

} // namespace

void append_json_string(std::string& out, std::string_view text, bool escapes_delete) {
    out += '"';
    append_json_escaped(out, text, escapes_delete);
    out += '"';
}

void append_json_escaped(std::string& out, std::string_view text, bool escapes_delete) {
    EscapedText escaped(out, text);
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (!utf8::is_ascii(byte)) {
            const utf8::Decoded decoded = utf8::decode(text, at);
            if (!decoded.valid) escaped.replace(at, decoded.size, "\uFFFD     ", 3);
            at += decoded.size;
        } else if (const char length = kEscapes[byte][7]; length == 0) {
            at = plain_end(text, at);
        } else {
            if (byte != 0x7F || escapes_delete)
                escaped.replace(at, 1, kEscapes[byte].data(), static_cast<std::size_t>(length));
            ++at;
        }
    }
    escaped.finish();
}

std::size_t json_prefix_size(std::string_view text, std::size_t max_bytes) {
    constexpr std::size_t kReplacement = 3; // U+FFFD
    std::size_t at = 0;
    for (std::size_t taken = 0; at < text.size();) {
        const char c = text[at];
        const bool is_ascii = utf8::is_ascii(static_cast<unsigned char>(c));
        const utf8::Decoded decoded = is_ascii ? utf8::Decoded{0, 1, true} : utf8::decode(text, at);
        if (needs_json_escape(c) || c == 0x7F)
            taken += JsonEscape(c).text().size();
        else
            taken += decoded.valid ? decoded.size : kReplacement;
        if (taken > max_bytes) break;
        at += decoded.size;
    }
    return at;
}

} // namespace ptc
