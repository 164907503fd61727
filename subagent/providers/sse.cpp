#include "subagent/providers/sse.h"
#include <charconv>
#include <utility>

namespace ptc {

bool SseReader::feed(std::string_view bytes, const Visit& visit) {
    while (!bytes.empty()) {
        if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
        after_cr_ = false;
        const std::size_t end = bytes.find_first_of("\r\n");
        const std::string_view part = bytes.substr(0, end);
        if (line_.size() + event_.data.size() + part.size() > max_bytes_) {
            is_too_long_ = true;
            return false;
        }
        line_ += part;
        if (end == std::string_view::npos) return true;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (!end_line(visit)) return false;
    }
    return true;
}

bool SseReader::finish(const Visit& visit) {
    if (!line_.empty() && !end_line(visit)) return false;
    return dispatch(visit);
}

bool SseReader::end_line(const Visit& visit) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const std::string line = std::exchange(line_, {});
    std::string_view text = line;
    if (std::exchange(is_first_line_, false) && text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    if (text.empty()) return dispatch(visit);
    const std::size_t colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") {
        event_.name = value;
    } else if (field == "data") {
        if (has_data_) event_.data += '\n';
        has_data_ = true;
        event_.data += value;
    } else if (field == "id") {
        event_.id = value;
    } else if (field == "retry") {
        std::int64_t millis = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), millis);
        if (error == std::errc() && end == value.data() + value.size() && millis >= 0) retry_ = millis;
    }
    return true;
}

bool SseReader::dispatch(const Visit& visit) {
    const SseEvent event = std::exchange(event_, {});
    return !std::exchange(has_data_, false) || visit(event);
}

} // namespace ptc
