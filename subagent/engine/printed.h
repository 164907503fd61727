// What a run prints: whole lines, a line that has only begun, and texts that with-out-str captures instead.
#pragma once
#include "ptc/shared_function.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// What a run has printed, up to a limit. Owns its lines; borrows the function that is called with each. For one
/// thread at a time, that of the run.
class Printed {
public:
    using OnLine = SharedFunction<void(std::string_view)>;

    /// `on_line` is called for each line that is complete and not captured; it is borrowed.
    void start(std::uint64_t max_bytes, const OnLine* on_line) {
        *this = {};
        left_ = max_bytes;
        on_line_ = on_line;
    }

    /// Each is false when that is more than is allowed: captured text counts as well.
    bool line(std::string_view text) {
        if (!take(text.size() + 1)) return false;
        if (!captures_.empty()) {
            captures_.back().append(text).push_back('\n');
        } else {
            part_.append(text);
            complete();
        }
        return true;
    }
    bool part(std::string_view text) {
        if (!take(text.size())) return false;
        if (!captures_.empty()) {
            captures_.back().append(text);
            return true;
        }
        for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
            part_.append(text.substr(0, end));
            complete();
        }
        part_.append(text);
        return true;
    }

    void begin_capture() { captures_.emplace_back(); }
    /// The text of the capture that began last; "" without one.
    std::string end_capture() {
        if (captures_.empty()) return {};
        std::string text = std::move(captures_.back());
        captures_.pop_back();
        return text;
    }

    /// All lines, at the end of a run; what a failure left captured is dropped.
    std::vector<std::string> finish() {
        captures_.clear();
        if (!part_.empty()) complete();
        return std::exchange(lines_, {});
    }

    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
    [[nodiscard]] const std::string& open_line() const { return part_; }
    [[nodiscard]] const std::vector<std::string>& captures() const { return captures_; }

    /// Goes on with what was printed before a snapshot; false when that is more than is allowed.
    bool resume(std::vector<std::string> lines, std::string open_line, std::vector<std::string> captures) {
        for (const std::string& text : lines) {
            if (!take(text.size() + 1)) return false;
        }
        for (const std::string& text : captures) {
            if (!take(text.size())) return false;
        }
        if (!take(open_line.size())) return false;
        lines_ = std::move(lines);
        part_ = std::move(open_line);
        captures_ = std::move(captures);
        return true;
    }

private:
    bool take(std::size_t bytes) {
        if (bytes > left_) return false;
        left_ -= bytes;
        return true;
    }
    void complete() {
        lines_.push_back(std::exchange(part_, {}));
        if (on_line_ && *on_line_) (*on_line_)(lines_.back());
    }

    std::vector<std::string> lines_;
    std::string part_;
    std::vector<std::string> captures_;
    std::uint64_t left_ = 0;
    const OnLine* on_line_ = nullptr;
};

} // namespace ptc
