#include "frontend/reader/foreign_syntax.h"

#include <algorithm>
#include <cctype>

namespace ptc {
namespace {

constexpr std::string_view kBlanks = " \t\r\n,";
constexpr std::string_view kBoundaries = " \t\r\n,()[]{}";

bool is_one_of(std::string_view chars, char c) { return chars.find(c) != std::string_view::npos; }
bool starts_token(std::string_view text, std::size_t at) { return at == 0 || is_one_of(kBoundaries, text[at - 1]); }
std::size_t line_begin(std::string_view text, std::size_t at) { return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; }
std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

/// Behind the string that begins at `at`; the text's end when it is not closed.
std::size_t skip_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

/// Calls `visit(at)` for each byte that stands in no string, comment or character; it gives the place to go on from.
template <class Visit> void walk(std::string_view text, Visit visit) {
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"')
            at = skip_string(text, at);
        else if (text[at] == '\\')
            at += 2;
        else
            at = visit(at);
    }
}

} // namespace

bool is_hash_comment(std::string_view text, std::uint32_t at) {
    if (!starts_token(text, at)) return false;
    const std::size_t next = at + 1;
    if (next >= text.size()) return false;
    if (is_one_of(" \t\n\r#!-=*", text[next])) return true;
    // `#total of all` on a line of its own; #inst "..", #user{..} are tagged literals.
    const bool is_word = std::isalpha(static_cast<unsigned char>(text[next])) != 0;
    const std::size_t word_end = std::min(text.find_first_of(" \t\n\"([{", next), text.size());
    return is_word &&
           text.substr(line_begin(text, at), at - line_begin(text, at)).find_first_not_of(" \t") == text.npos &&
           (word_end == text.size() || text[word_end] == '\n' ||
            (text[word_end] == ' ' && word_end + 1 < text.size() &&
             std::isalpha(static_cast<unsigned char>(text[word_end + 1])) != 0));
}

Respelled with_comments(std::string_view text) {
    Respelled result{std::string(text), {}};
    walk(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        const bool is_hash = text[at] == '#' && is_hash_comment(text, static_cast<std::uint32_t>(at));
        const bool is_slashes = text.substr(at).starts_with("//") && starts_token(text, at) && at + 2 < text.size() &&
                                (at == 0 || text[at - 1] != '(');
        if (!is_hash && !is_slashes) return at + 1;
        result.text[at] = ';';
        result.places.push_back(static_cast<std::uint32_t>(at));
        return line_end(text, at);
    });
    return result;
}

Respelled without_semicolons(std::string_view text) {
    Respelled result{std::string(text), {}};
    walk(text, [&](std::size_t at) {
        if (text[at] != ';') return at + 1;
        const std::size_t begin = line_begin(text, at);
        const std::string_view before = text.substr(begin, at - begin);
        const std::string_view after = text.substr(at + 1, line_end(text, at) - at - 1);
        // What separates forms touches the one before it; a comment keeps its distance.
        if (before.empty() || is_one_of(" \t", before.back()) || after.find_first_not_of(" \t\r;") == after.npos ||
            after.starts_with(';'))
            return line_end(text, at);
        result.text[at] = ' ';
        result.places.push_back(static_cast<std::uint32_t>(at));
        return at + 1;
    });
    return result;
}

Respelled without_fences(std::string_view text) {
    Respelled result{std::string(text), {}};
    walk(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        if (!text.substr(at).starts_with("```")) return at + 1;
        std::size_t begin = at; // backwards over blanks only: one long line must not be searched again and again
        while (begin > 0 && is_one_of(" \t", text[begin - 1]))
            --begin;
        if (begin > 0 && text[begin - 1] != '\n') return at + 1;
        const std::size_t end = line_end(text, at);
        std::fill(result.text.begin() + static_cast<std::ptrdiff_t>(at),
                  result.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        result.places.push_back(static_cast<std::uint32_t>(begin));
        return end;
    });
    return result;
}

namespace {

/// Words, and what marks them in Markdown: no brackets, no code.
bool is_prose(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r*_#>-");
    if (begin == line.npos || line.find_first_of("()[]{}\"/") != line.npos) return false;
    if (line.find_first_of(";") != line.npos || std::isalpha(static_cast<unsigned char>(line[begin])) == 0)
        return false;
    const std::size_t last = line.find_last_not_of(" \t\r*_");
    return line.find(' ', begin) < last || is_one_of(":.!", line[last]);
}

} // namespace

Respelled without_prose(std::string_view text) {
    Respelled result = without_fences(text);
    const bool fenced = !result.places.empty();
    result.places.clear();
    int depth = 0;
    bool inside = !fenced;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = line_end(text, at);
        const std::string_view line = text.substr(at, end - at);
        const bool is_fence =
            fenced && line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with("```");
        if (is_fence) {
            inside = !inside;
        } else if (depth == 0 && (is_prose(line) || (!inside && line.find_first_not_of(" \t\r") != line.npos))) {
            std::fill(result.text.begin() + static_cast<std::ptrdiff_t>(at),
                      result.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
            result.places.push_back(static_cast<std::uint32_t>(at));
        } else if (inside) {
            walk(line, [&](std::size_t i) {
                if (line[i] == ';') return line.size();
                depth += is_one_of("([{", line[i]) ? 1 : is_one_of(")]}", line[i]) ? -1 : 0;
                return i + 1;
            });
        }
        at = end + 1;
    }
    return result;
}

Respelled with_double_quotes(std::string_view text) {
    Respelled result{std::string(text), {}};
    walk(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        const bool quotes_form = at + 1 < text.size() && is_one_of("([{", text[at + 1]);
        if (text[at] != '\'' || !starts_token(text, at) || quotes_form) return at + 1;
        const std::size_t end = line_end(text, at);
        for (std::size_t close = at + 1; close < end && text[close] != '"'; ++close) {
            if (text[close] != '\'') continue;
            if (close + 1 < text.size() && !is_one_of(" \t\r\n,)]}", text[close + 1])) continue;
            for (const std::size_t quote : {at, close}) {
                result.text[quote] = '"';
                result.places.push_back(static_cast<std::uint32_t>(quote));
            }
            return close + 1;
        }
        return end; // no other quote on this line ends a string
    });
    return result;
}

// ---- Functions of Python

namespace {

/// `x, y` as `x y`.
std::string names_of(std::string_view list) {
    std::string names;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t begin = std::min(list.find_first_not_of(kBlanks, at), list.size());
        const std::size_t end = std::min(list.find_first_of(kBlanks, begin), list.size());
        if (end > begin) names += (names.empty() ? "" : " ") + std::string(list.substr(begin, end - begin));
        at = end;
    }
    return names;
}

bool are_names(std::string_view list) {
    return list.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-, \t") == list.npos;
}

/// Where an expression ends that begins at `at`: in front of a comma, a line's end or the bracket around it.
std::size_t expression_end(std::string_view text, std::size_t at) {
    int depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (is_one_of("([{", c)) ++depth;
        if (is_one_of(")]}", c) && --depth < 0) break;
        if (depth == 0 && is_one_of(",\n", c)) break;
        ++at;
    }
    while (at > 0 && is_one_of(" \t\r", text[at - 1]))
        --at;
    return at;
}

bool has_blank_outside_brackets(std::string_view text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (is_one_of("([{", text[at])) ++depth;
        if (is_one_of(")]}", text[at])) --depth;
        if (depth == 0 && text[at] == ' ') return true;
        ++at;
    }
    return false;
}

Edit edit(std::size_t begin, std::size_t end, std::string text) {
    return {{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, std::move(text)};
}

/// `head` in place of [begin, at], and the expression behind it in brackets when it has operators.
std::vector<Edit> function_edits(std::string_view text, std::size_t begin, std::size_t at, std::string head,
                                 std::string close) {
    std::size_t body = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size());
    if (text.substr(body).starts_with("return ")) body = std::min(text.find_first_not_of(" \t", body + 6), text.size());
    const std::size_t end = expression_end(text, body);
    if (end <= body) return {};
    const bool is_run = has_blank_outside_brackets(text.substr(body, end - body));
    std::vector<Edit> edits = {edit(begin, body, head + (is_run ? " (" : " "))};
    close.insert(0, is_run ? ")" : "");
    if (!close.empty()) edits.push_back(edit(end, end, close));
    return edits;
}

} // namespace

std::vector<Edit> python_function_edits(std::string_view text, std::uint32_t at) {
    const std::size_t line = line_begin(text, at);
    const std::string_view before = text.substr(line, at - line);
    if (const std::size_t word = before.rfind("lambda"); word != before.npos && starts_token(text, line + word)) {
        const std::string_view parameters = before.substr(word + 6);
        if (!are_names(parameters)) return {};
        const std::size_t begin = line + word;
        const bool has_bracket = begin > 0 && text[begin - 1] == '(';
        return function_edits(text, begin, at, (has_bracket ? "fn [" : "(fn [") + names_of(parameters) + "]",
                              has_bracket ? "" : ")");
    }
    const std::size_t word = before.find_first_not_of(" \t");
    if (word == before.npos || !before.substr(word).starts_with("def ") || before.back() != ')') return {};
    const std::size_t bracket = before.find('(', word);
    if (bracket == before.npos) return {};
    const std::string_view name = before.substr(word + 4, bracket - word - 4);
    const std::string_view parameters = before.substr(bracket + 1, before.size() - bracket - 2);
    if (!are_names(parameters) || name.find(' ') != name.npos) return {};
    return function_edits(text, line + word, at, "(defn " + std::string(name) + " [" + names_of(parameters) + "]", ")");
}

// ---- Strings and regexes

std::vector<Edit> template_string_edits(std::string_view text, std::uint32_t begin) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == text.npos || end > line_end(text, begin)) return {};
    const std::string_view inside = text.substr(begin + 1, end - begin - 1);
    if (inside.starts_with('(') && inside.ends_with(')') && starts_token(text, begin)) // code in Markdown
        return {edit(begin, begin + 1, ""), edit(end, end + 1, "")};
    std::string parts;
    std::string literal;
    bool has_code = false;
    for (std::size_t at = 0; at < inside.size(); ++at) {
        const std::size_t close = inside.substr(at).starts_with("${") ? inside.find('}', at) : inside.npos;
        if (close == inside.npos) {
            if (inside[at] == '"') literal += '\\';
            literal += inside[at];
            continue;
        }
        if (!literal.empty()) parts += " \"" + literal + "\"";
        literal.clear();
        parts += " " + std::string(inside.substr(at + 2, close - at - 2));
        has_code = true;
        at = close;
    }
    if (!literal.empty() || parts.empty()) parts += " \"" + literal + "\"";
    return {edit(begin, end + 1, has_code ? "(str" + parts + ")" : parts.substr(1))};
}

std::vector<Edit> slashed_regex_edits(std::string_view text, std::uint32_t at) {
    if (at == 0 || text[at - 1] != '/' || !starts_token(text, at - 1)) return {};
    std::size_t end = at;
    while (end < text.size() && text[end] != '\n' && text[end] != '/')
        end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size() || text[end] != '/') return {};
    std::size_t flags = end + 1;
    while (flags < text.size() && is_one_of("gimsu", text[flags]))
        ++flags;
    return {edit(at - 1, flags, "#\"" + std::string(text.substr(at, end - at)) + "\"")};
}

} // namespace ptc
