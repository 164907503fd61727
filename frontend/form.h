// What the reader makes of text: forms with spans, in one arena.
#pragma once
#include "frontend/arena.h"
#include "ptc/source.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace ptc {

enum class FormKind : std::uint8_t {
    Nil,
    True,
    False,
    Integer,    ///< fits int64: `integer`
    BigInteger, ///< decimal digits with optional sign: `text`
    Float,      ///< `number`, ##Inf, ##-Inf and ##NaN included
    String,     ///< `text`: unescaped bytes; character literals too
    Keyword,    ///< `text`: without the colon
    Symbol,     ///< `text`
    Regex,      ///< `text`: the pattern, as written between the quotes
    List,
    Vector,
    Map,
    Set,     ///< `items`; a Map holds keys and values alternately (the reader guarantees an even count)
    ShortFn, ///< #(...): `items` are the elements of the body list
    Var,     ///< #'name: `text`
    Quote,   ///< 'form: `items` has one element
};

/// A node. 24 bytes; text and items live in the Forms arena or point into the Source.
struct Form {
    FormKind kind = FormKind::Nil;
    Span span;
    std::uint32_t size = 0; ///< bytes of text, or number of items
    union {
        std::int64_t integer;
        double number;
        const char* chars;
        const Form* first;
    };
    Form() : integer(0) {}

    [[nodiscard]] std::string_view text() const { return {chars, size}; }
    [[nodiscard]] std::span<const Form> items() const { return {first, size}; }
    [[nodiscard]] bool is(FormKind k) const { return kind == k; }
    [[nodiscard]] bool is_symbol(std::string_view name) const { return kind == FormKind::Symbol && text() == name; }
};

/// The forms of one text. Owns their memory; the Source must outlive it.
class Forms {
public:
    Forms() : arena_(4096) {}
    [[nodiscard]] std::span<const Form> top_level() const { return top_; }
    void set_top_level(std::span<const Form> forms) { top_ = forms; }
    [[nodiscard]] Arena& arena() { return arena_; }

private:
    Arena arena_;
    std::span<const Form> top_;
};

} // namespace ptc
