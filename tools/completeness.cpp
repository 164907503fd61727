#include "tools/completeness.h"
#include <string>

namespace ptc {
namespace {

/// The offset behind the string that starts at `at`, or npos when it is open.
std::size_t skip_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::string_view::npos;
}

} // namespace

bool needs_more_lines(std::string_view text) {
    std::string open;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
        case '(': open += ')'; break;
        case '[': open += ']'; break;
        case '{': open += '}'; break;
        case ')':
        case ']':
        case '}':
            if (open.empty() || open.back() != text[at]) return false;
            open.pop_back();
            break;
        case '\\': ++at; break; // a character: it may be a bracket or a quote
        case '"':
            at = skip_string(text, at);
            if (at == std::string_view::npos) return true;
            --at;
            break;
        case ';':
            at = text.find('\n', at);
            if (at == std::string_view::npos) return !open.empty();
            break;
        default: break;
        }
    }
    return !open.empty();
}

} // namespace ptc
