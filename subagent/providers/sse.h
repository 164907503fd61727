// Server-sent events, as providers stream replies with them, read as they arrive.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

struct SseEvent {
    std::string name; ///< of `event:`; "" when there is none
    std::string data; ///< the `data:` lines, joined by line feeds
    std::string id;   ///< of `id:`; "" when there is none
};

/// Bytes in, events out, wherever the bytes are cut. Lines end with LF, CR or CRLF; comments and unknown fields mean
/// nothing here. An event without data is none. Memory: one event.
class SseReader {
public:
    explicit SseReader(std::size_t max_event_bytes) : max_bytes_(max_event_bytes) {}
    using Visit = std::function<bool(const SseEvent&)>;
    /// Calls `visit` for each event that is complete now, until it says false; what follows is not read then. False as
    /// well when an event is too long (is_too_long).
    bool feed(std::string_view bytes, const Visit& visit);
    /// At the end of the bytes: an event that no empty line has ended is one all the same, as several servers end so.
    bool finish(const Visit& visit);
    [[nodiscard]] bool is_too_long() const { return is_too_long_; }
    /// What `retry:` last said: after how many milliseconds a client may ask again. None: nothing.
    [[nodiscard]] std::optional<std::int64_t> retry() const { return retry_; }

private:
    bool end_line(const Visit& visit);
    bool dispatch(const Visit& visit);

    std::size_t max_bytes_;
    std::string line_;
    SseEvent event_;
    std::optional<std::int64_t> retry_;
    bool has_data_ = false;
    bool after_cr_ = false; ///< a LF that follows belongs to it
    bool is_first_line_ = true;
    bool is_too_long_ = false;
};

} // namespace ptc
