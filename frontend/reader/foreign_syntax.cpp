// Constructs of other languages, seen from one token of theirs. Each function is called for a token that the reader
// could not make sense of and looks around it for the construct of another language that it may be a part of. It gives
// edits when the construct is complete on its line, else nothing: a wrong repair is worse than none.
#include "frontend/reader/foreign_syntax.h"

#include "frontend/reader/text_scan.h"
#include <algorithm>
#include <cctype>

namespace ptc {

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

// ---- Functions of Python

namespace {

constexpr std::string_view kBlanks = " \t\r\n,";

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
