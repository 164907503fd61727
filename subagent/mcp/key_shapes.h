// What the spelling of keys says of them: whether they are the names of fields, or data.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc::mcp {

enum class KeyShape : std::uint8_t {
    Field,  ///< made of words that fields have: userId, created_at, "Due Date"
    Plain,  ///< as fields and data may be: octocat, user-agent
    Proper, ///< as names of persons and things, codes, and numbered things: Ann, "Ann Smith", USD, web-1
    Odd,    ///< as no field is called: 2026-01-02, src/a.cpp, ann@x.org
};
KeyShape shape_of_key(std::string_view key);

/// Whether people call a field so, be it that no signature can write it: `user id`, `@type`, and not `2024` or
/// `a/b.txt`.
bool is_like_a_name(const std::string& name);

/// Whether it looks like a key of an account, an address of mail, the number of an account or a person, or the like:
/// what nobody calls a field, and nobody wants to see in prompts.
bool is_like_a_secret(std::string_view key);

} // namespace ptc::mcp
