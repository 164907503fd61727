// Where printers write to. `append` and `work` (units of fuel) are false when it is enough. `append_pieces` is for a
// text that was put together of pieces beforehand: `units` is what appending them one by one would have charged.
// `asks_how_long` is true once, when the text has become long and there is a limit for it: whoever finds that the whole
// would break it ends with `refuse`.
#pragma once
#include "runtime/string.h"
#include "runtime/text_size.h"
#include <algorithm>
#include <string>

namespace ptc {

/// A StringBuilder that charges a unit for 8 bytes.
class MeteredSink {
public:
    MeteredSink(StringBuilder& out, Meter& meter) : out_(out), meter_(meter) {}
    bool append(std::string_view s) { return meter_.charge(static_cast<std::int64_t>(s.size() / 8)) && out_.append(s); }
    bool append_pieces(std::string_view s, std::int64_t units) { return meter_.charge(units) && out_.append(s); }
    bool work(std::int64_t units) { return meter_.charge(units); }
    static bool asks_how_long() { return false; }
    static std::size_t max_bytes() { return SIZE_MAX; }
    static bool refuse() { return false; }

private:
    StringBuilder& out_;
    Meter& meter_;
};

/// Of a text that grows: the moment when it has become so long that it is worth asking for the length of the whole.
class AskOnce {
public:
    bool asks(std::size_t bytes, std::size_t max_bytes) {
        if (bytes < kAskedTextBytes || was_asked_) return false;
        was_asked_ = true;
        return max_bytes < SIZE_MAX;
    }

private:
    bool was_asked_ = false;
};

/// For hosts, who look at values after the fuel is gone: refuses what would make the text longer than `max_bytes`,
/// which also ends the text of small values that share their parts many times over. Work is bounded by a multiple of
/// that: an integer of millions of digits is not converted to show the first ten of them.
class BoundedSink {
public:
    /// `meter` is charged for the work as well.
    explicit BoundedSink(std::size_t max_bytes, Meter* meter = nullptr)
        : meter_(meter), max_(max_bytes), work_left_(kWork + std::min(max_bytes, kMaxText) * kWorkPerByte) {}
    bool append(std::string_view s) {
        if (s.size() <= max_ - text_.size()) {
            text_ += s;
            return true;
        }
        text_ += s.substr(0, max_ - text_.size());
        return false;
    }
    bool append_pieces(std::string_view s, std::int64_t) { return append(s); }
    bool work(std::int64_t units) {
        if (static_cast<std::uint64_t>(units) > work_left_) return false;
        work_left_ -= static_cast<std::uint64_t>(units);
        return !meter_ || meter_->charge(units);
    }
    bool asks_how_long() { return ask_.asks(text_.size(), max_); }
    [[nodiscard]] std::size_t max_bytes() const { return max_; }
    static bool refuse() { return false; }
    /// The text with an ellipsis in place of what does not fit, never cutting a character in two.
    std::string cut() && {
        constexpr std::string_view kEllipsis = "…";
        std::size_t end = std::min(text_.size(), max_ > kEllipsis.size() ? max_ - kEllipsis.size() : 0);
        while (end > 0 && end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80)
            --end;
        text_.resize(end);
        return std::move(text_) + std::string(kEllipsis);
    }
    std::string whole() && { return std::move(text_); }

private:
    static constexpr std::size_t kWork = 4096, kWorkPerByte = 4, kMaxText = std::size_t{1} << 32;
    Meter* meter_;
    std::string text_;
    std::size_t max_;
    std::size_t work_left_;
    AskOnce ask_;
};

/// For the result of a run, which pays for its text as well: a std::string of at most `max_bytes`, a unit for 8 bytes.
class ResultSink {
public:
    ResultSink(Meter& meter, std::size_t max_bytes) : meter_(meter), max_(max_bytes) {}
    bool append(std::string_view s) { return append_pieces(s, static_cast<std::int64_t>(s.size() / 8)); }
    bool append_pieces(std::string_view s, std::int64_t units) {
        if (!meter_.charge(units)) return false;
        is_full_ = s.size() > max_ - text_.size();
        if (!is_full_) text_ += s;
        return !is_full_;
    }
    bool work(std::int64_t units) { return meter_.charge(units); }
    bool asks_how_long() { return ask_.asks(text_.size(), max_); }
    [[nodiscard]] std::size_t max_bytes() const { return max_; }
    bool refuse() {
        is_full_ = true;
        return false;
    }
    /// Whether it refused because the text would have been too long.
    [[nodiscard]] bool is_full() const { return is_full_; }
    std::string whole() && { return std::move(text_); }

private:
    Meter& meter_;
    std::string text_;
    std::size_t max_;
    bool is_full_ = false;
    AskOnce ask_;
};

} // namespace ptc
