// Where printers write to. `append` and `work` (units of fuel) are false when it is enough.
#pragma once
#include "runtime/string.h"
#include <algorithm>
#include <string>

namespace ptc {

/// A StringBuilder that charges a unit for 8 bytes.
class MeteredSink {
public:
    MeteredSink(StringBuilder& out, Meter& meter) : out_(out), meter_(meter) {}
    bool append(std::string_view s) { return meter_.charge(static_cast<std::int64_t>(s.size() / 8)) && out_.append(s); }
    bool work(std::int64_t units) { return meter_.charge(units); }

private:
    StringBuilder& out_;
    Meter& meter_;
};

/// For hosts, who look at values after the fuel is gone: refuses what would make the text longer than `max_bytes`, which
/// also ends the text of small values that share their parts many times over.
class BoundedSink {
public:
    explicit BoundedSink(std::size_t max_bytes) : max_(max_bytes) {}
    bool append(std::string_view s) {
        if (s.size() <= max_ - text_.size()) {
            text_ += s;
            return true;
        }
        text_ += s.substr(0, max_ - text_.size());
        return false;
    }
    bool work(std::int64_t) { return true; }
    /// The text with an ellipsis in place of what does not fit, never cutting a character in two.
    std::string cut() && {
        constexpr std::string_view kEllipsis = "…";
        std::size_t end = std::min(text_.size(), max_ > kEllipsis.size() ? max_ - kEllipsis.size() : 0);
        while (end > 0 && end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) --end;
        text_.resize(end);
        return std::move(text_) + std::string(kEllipsis);
    }
    std::string whole() && { return std::move(text_); }

private:
    std::string text_;
    std::size_t max_;
};

} // namespace ptc
