// JSON taken apart without being made values: for what is too large to be read at once, or is nested too deep. It costs
// the length of the text, however deep that is nested. Text that is no JSON gives parts of which one is none.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ptc::mcp {

/// Calls `visit(i, depth)` for each bracket, comma and colon outside of texts, where `depth` brackets are open around
/// it, until that says false.
template <class Visit> void visit_structure(std::string_view json, Visit visit) {
    std::size_t depth = 0;
    bool is_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (is_text) {
            if (c == '\\') ++i;
            is_text = c != '"';
            continue;
        }
        is_text = c == '"';
        const bool closes = c == ']' || c == '}';
        if (closes && depth > 0) --depth;
        const bool opens = c == '[' || c == '{';
        if ((opens || closes || c == ',' || c == ':') && !visit(i, depth)) return;
        depth += opens;
    }
}

/// Without the blanks around it.
std::string_view trimmed_json(std::string_view text);

/// Whether brackets outside of texts are nested deeper than `most`.
bool is_deeper(std::string_view json, std::size_t most);
/// With null in place of what is nested deeper than `most`.
std::string without_deeper(std::string_view json, std::size_t most);

/// Whether the text is one JSON value by its grammar (RFC 8259), whatever it takes to be one here: a number may be
/// larger than any, and nesting deeper.
bool is_json(std::string_view text);

/// The members of an object: each key, with its quotes, and value, until `visit` says false. False: it is no object, or
/// something follows it.
bool visit_members(std::string_view object,
                   const std::function<bool(std::string_view key, std::string_view value)>& visit);
/// The items of a list in the same way.
bool visit_items(std::string_view list, const std::function<bool(std::string_view item)>& visit);

/// The value of a member whose key has no escapes: a part of `object`, which is "" where there is none.
std::string_view find_member(std::string_view object, std::string_view key);

} // namespace ptc::mcp
