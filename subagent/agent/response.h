// The program in a model's reply.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Without blanks and line ends around it.
std::string_view trimmed(std::string_view text);

/// What a reply says to run: the blocks are one program, in order.
struct ReplyProgram {
    std::vector<std::string> blocks; ///< trimmed, not empty
    /// The text to compile.
    [[nodiscard]] std::string text() const;
};

/// Requirements 127 to 130. Blocks that are fenced and tagged as Lisp (```clojure, ```lisp, <clojure>), all of them;
/// else blocks without a tag that start with `(`; else the whole reply when it starts with `(`. Text around blocks is
/// ignored; a fence that is never closed, as in a reply that was cut, ends with the reply. Typographic quotes and
/// invisible characters outside of string literals become what was meant. nullopt: the reply has no program. Linear.
std::optional<ReplyProgram> find_program(std::string_view reply);

} // namespace ptc
