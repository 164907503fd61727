// References within a JSON document, "#/$defs/Name": JSON pointers (RFC 6901) behind a number sign, for any form of it.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

/// A step of a JSON pointer: ~1 is /, ~0 is ~.
inline std::string unescaped_step(std::string_view step) {
    std::string text;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1');
        text += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return text;
}

/// What `reference` leads to from `root`, where `member(value, name)` is a pointer to a member, null where there is
/// none. Null for what is elsewhere.
template <class T, class Member> const T* referred(const T& root, std::string_view reference, Member member) {
    if (!reference.starts_with('#')) return nullptr;
    reference.remove_prefix(1);
    const T* target = &root;
    while (target && !reference.empty()) {
        if (reference.front() != '/') return nullptr;
        reference.remove_prefix(1);
        const std::string_view step = reference.substr(0, reference.find('/'));
        target = member(*target, unescaped_step(step));
        reference.remove_prefix(step.size());
    }
    return target;
}

} // namespace ptc
