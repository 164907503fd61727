// Keywords and symbols with a namespace: `user/name` in one text.
#pragma once
#include <string_view>

namespace ptc {

/// Where the slash behind the namespace of a keyword's text is; npos when it has none (`user/name`, but not `/`).
inline std::size_t namespace_end_of_name(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash == 0 || slash + 1 == name.size() ? std::string_view::npos : slash;
}

} // namespace ptc
