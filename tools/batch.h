// One request a line in, one answer a line out: how any language keeps a ptcc process as its evaluator.
#pragma once
#include "tools/io.h"
#include <functional>

namespace ptc {

inline constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20;
/// A line without its newline. Valid until the next one is read.
struct InputLine {
    std::size_t number = 0; ///< from 1
    std::string_view text;
    bool too_long = false; ///< longer than the reader's bound; `text` is empty then
};

/// Lines from a file descriptor (not owned), whole as soon as their newline has arrived. Memory is bounded by
/// `max_bytes`: the rest of a longer line is read and dropped.
class LineReader {
public:
    /// `wake`: a descriptor that is readable when nothing more is to be read, as if the input had ended; -1: none.
    explicit LineReader(int fd, std::size_t max_bytes = kMaxLineBytes, int wake = -1)
        : fd_(fd), max_bytes_(max_bytes), wake_(wake) {}
    /// False at the end of the input, and when it cannot be read (see error_number).
    bool next(InputLine* line);
    [[nodiscard]] int error_number() const { return error_; }

private:
    bool fill();
    /// Whether there is something to read, the end included.
    [[nodiscard]] bool wait() const;

    int fd_;
    std::size_t max_bytes_;
    int wake_;
    std::size_t number_ = 0;
    std::string buffer_;
    std::size_t begin_ = 0;
    bool at_end_ = false;
    int error_ = 0;
};

/// Whether a line holds nothing.
bool is_blank_line(std::string_view line);

/// Writes the answer to each line that is not blank, and flushes it, until the input ends or the output is closed.
/// Up to `jobs` lines are answered at once, each by a thread of its own; answers come in the order of their lines, each
/// as soon as those before it are there. Fails when the input cannot be read.
Result<void> answer_lines(LineReader& reader, Output& out, const std::function<std::string(const InputLine&)>& answer,
                          std::size_t jobs = 1);

} // namespace ptc
