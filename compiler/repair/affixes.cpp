// Names that say a known function with one word more: list-length, keys-of, str-contains?, clojure.string.join.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// Words that only say what a function is for.
bool is_front_word(std::string_view word) {
    return is_one_of(word, {"array", "arr",    "coll", "dict", "do",  "get",    "hash", "is",   "list", "lst",   "map",
                            "my",    "number", "num",  "safe", "seq", "string", "str",  "text", "vec",  "vector"});
}
bool is_back_word(std::string_view word) {
    return is_one_of(word,
                     {"all", "coll", "fn", "items", "list", "map", "of", "seq", "str", "string", "value", "values"});
}

/// The function that `name` is, as a part of another name.
Proposal as_function(const Subject& subject, std::string_view name, bool is_text) {
    if (const Foreign* foreign = is_text ? find_foreign("text/" + std::string(name)) : nullptr)
        return rewrite_foreign(subject, *foreign);
    const CoreName* entry = subject.code.core_name(name);
    if (entry && entry->special < 0) return replace(subject.symbol(), std::string(name));
    if (const Foreign* foreign = find_foreign(name); foreign && !foreign->rewrite.empty() && foreign->rewrite != "nil")
        return rewrite_foreign(subject, *foreign);
    return std::nullopt;
}

} // namespace

Proposal affixed_name(const Subject& subject) {
    const std::string_view name = subject.name();
    if (const std::size_t dot = name.rfind('.'); dot != name.npos && name.starts_with("clojure.") && dot > 8)
        return as_function(subject, name.substr(dot + 1), name.starts_with("clojure.string"));
    if (name.ends_with('?')) { // contains-str?, contains-string?
        const std::size_t last = name.find_last_of("-_");
        const std::string_view word = last == name.npos ? "" : name.substr(last + 1, name.size() - last - 2);
        if (last != name.npos && is_back_word(word)) {
            const std::string test = std::string(name.substr(0, last)) + "?";
            if (Proposal found = as_function(subject, test, word == "str" || word == "string")) return found;
        }
    }
    const std::size_t first = name.find_first_of("-_");
    if (first == name.npos || first == 0) return std::nullopt;
    const std::string_view front = name.substr(0, first);
    if (is_front_word(front)) {
        if (Proposal found = as_function(subject, name.substr(first + 1), front == "str" || front == "string"))
            return found;
    }
    const std::size_t last = name.find_last_of("-_");
    const std::string_view word = name.substr(last + 1);
    return is_back_word(word) ? as_function(subject, name.substr(0, last), word == "str" || word == "string")
                              : std::nullopt;
}

std::string own_name_with_affix(std::string_view name, std::span<const std::string_view> own) {
    const auto bare = [](std::string_view text) { return text.substr(0, text.find_last_not_of("?!") + 1); };
    const auto extends = [&](std::string_view longer, std::string_view shorter) {
        longer = bare(longer);
        shorter = bare(shorter);
        if (shorter.size() < 3 || longer.size() < shorter.size() + 2) return false;
        const bool in_front = longer.ends_with(shorter) && longer[longer.size() - shorter.size() - 1] == '-';
        return in_front || (longer.starts_with(shorter) && longer[shorter.size()] == '-');
    };
    std::string found;
    for (const std::string_view candidate : own) {
        if ((!extends(candidate, name) && !extends(name, candidate)) || candidate == found) continue;
        if (!found.empty()) return {};
        found = candidate;
    }
    return found;
}

} // namespace ptc::repair
