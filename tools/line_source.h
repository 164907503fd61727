// Where the REPL's lines come from: a person at a terminal, or a pipe.
#pragma once
#include "tools/batch.h"
#include <memory>
#include <string>

namespace ptc {

class LineSource {
public:
    enum class Event : std::uint8_t {
        Line,
        Cancelled, ///< the person gave up what was typed so far
        TooLong,
        End,
    };
    virtual ~LineSource() = default;
    /// The next line, without its newline.
    virtual Event read(const char* prompt, std::string* line) = 0;
    /// Notes what was entered, so that it can be recalled.
    virtual void remember(const std::string& entry) = 0;
};

/// Lines with editing and a history, by libedit. The history is kept in `history_file` unless that is "".
std::unique_ptr<LineSource> terminal_lines(const std::string& history_file);

/// Lines from a pipe or file: no prompt, no history.
std::unique_ptr<LineSource> piped_lines(int fd);

} // namespace ptc
