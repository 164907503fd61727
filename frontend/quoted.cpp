#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"

namespace ptc {
namespace {

/// `text` without what could disturb a terminal.
std::string on_one_line(std::string_view text) {
    std::string shown(text);
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    }
    return shown;
}

} // namespace

std::string quoted(std::string_view text) { return std::string("`").append(text).append("`"); }

std::string quoted_name(std::string_view name) {
    constexpr std::size_t kMaxBytes = 60;
    if (name.size() <= kMaxBytes) return quoted(name);
    return quoted(std::string(utf8::prefix(name, kMaxBytes)) + "…");
}

std::string quoted_excerpt(std::string_view text, std::size_t max_bytes) {
    const std::string_view kept = utf8::prefix(text, max_bytes);
    const std::string shown = spelled_out(on_one_line(kept)); // which may be longer
    const std::string_view fits = utf8::prefix(shown, max_bytes);
    const bool is_cut = kept.size() < text.size() || fits.size() < shown.size();
    return quoted(std::string(fits) + (is_cut ? "…" : ""));
}

std::string quoted_token(std::string_view token) {
    constexpr std::size_t kMaxBytes = 40;
    const std::string_view kept = utf8::prefix(token, kMaxBytes);
    std::string shown = quoted(on_one_line(kept));
    if (kept.size() < token.size()) shown += " (" + std::to_string(token.size() - kept.size()) + " more bytes)";
    return shown;
}

} // namespace ptc
