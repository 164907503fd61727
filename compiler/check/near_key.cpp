#include "compiler/check/near_key.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc {
namespace {

using Words = std::vector<std::string>;

bool has_word(const Words& words, const Words& part) {
    const bool tells = part.size() == 1 && words.size() > 1 && (part[0].size() >= 3 || part[0] == "id");
    return tells && std::ranges::find(words, part[0]) != words.end();
}

/// qty of quantity, host of hostname.
bool is_abbreviation(std::string_view shorter, std::string_view longer) {
    if (shorter.size() < 2 || shorter.size() >= longer.size() || shorter[0] != longer[0]) return false;
    std::size_t at = 0;
    for (const char c : longer)
        at += at < shorter.size() && shorter[at] == c ? 1 : 0;
    return at == shorter.size();
}

/// The only one of `keys` that `fits`; "" for none and for several.
template <class Fits> std::string only_one(std::span<const std::string_view> keys, Fits fits) {
    std::string found;
    for (const std::string_view key : keys) {
        if (!fits(key) || found == key) continue;
        if (!found.empty()) return {};
        found = key;
    }
    return found;
}

} // namespace

std::string normal_key(std::string_view name) {
    std::string out;
    for (const char c : name)
        out += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::vector<std::string> words_of_key(std::string_view name) {
    Words words(1);
    for (const char c : name) {
        const bool upper = 'A' <= c && c <= 'Z';
        const bool parts = c == '-' || c == '_' || c == ' ' || c == '/';
        if (parts || (upper && !words.back().empty())) words.emplace_back();
        if (!parts) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    std::erase(words, "");
    return words;
}

std::string near_spelling(std::string_view name, std::span<const std::string_view> keys) {
    const std::string wanted = normal_key(name);
    const Words words = words_of_key(name);
    for (const std::string_view key : keys) {
        if (normal_key(key) == wanted || words_of_key(key) == words) return std::string(key);
    }
    const std::vector<std::string> near = suggest(name, keys, 1);
    const std::size_t most = std::max<std::size_t>(1, (wanted.size() + 1) / 3);
    const bool is_near = !near.empty() && edit_distance(normal_key(near.front()), wanted, 3) <= most;
    return is_near ? near.front() : std::string();
}

std::string near_key(std::string_view name, std::span<const std::string_view> keys) {
    if (std::string near = near_spelling(name, keys); !near.empty()) return near;
    const std::string wanted = normal_key(name);
    const Words words = words_of_key(name);
    std::string one = only_one(keys, [&](std::string_view key) {
        const Words other = words_of_key(key);
        return has_word(words, other) || has_word(other, words);
    });
    if (!one.empty()) return one;
    return only_one(keys, [&](std::string_view key) {
        return is_abbreviation(normal_key(key), wanted) || is_abbreviation(wanted, normal_key(key));
    });
}

} // namespace ptc
