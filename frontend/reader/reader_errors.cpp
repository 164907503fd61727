// Messages say what stands there, what is wrong with it, and what to write; where one repair is likely it is an edit.
// Texts of the author are shown with `show`, which cuts them. Most of the length of this file is guesses: what a
// bracket, a prefix or a sign of another language was meant to be.
#include "frontend/reader/reader_errors.h"

#include "frontend/quoted.h"
#include "frontend/reader/foreign_syntax.h"
#include "frontend/reader/literals.h"
#include "frontend/reader/repairs.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

namespace ptc {
namespace {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (const std::string_view part : parts)
        all += part;
    return all;
}

std::string place(const Source& source, std::uint32_t offset) {
    const LineColumn at = source.position(offset);
    return std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string hex(char32_t code) {
    std::array<char, 8> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::uint32_t>(code), 16).ptr;
    return {digits.data(), end};
}

Error problem(Span span, std::string message, std::string hint) {
    return Error(Reason::ParseError, span, std::move(message), std::move(hint));
}

std::uint32_t offset_after_blanks(const Source& source, std::uint32_t at) {
    const std::string_view text = source.text();
    const std::size_t next = text.find_first_not_of(" \t\n\r\f\v,", at);
    return static_cast<std::uint32_t>(std::min(next, text.size()));
}

} // namespace

// ---- Limits and encoding

Error source_too_large(const Source& source, std::size_t max_bytes) {
    const std::string size = std::to_string(source.text().size());
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(source.text().size(), UINT32_MAX));
    return problem(
        {static_cast<std::uint32_t>(std::min<std::size_t>(max_bytes, end)), end},
        "The program has " + size + " bytes; the limit is " + std::to_string(max_bytes) + " bytes of source text.",
        "Pass large data in as context and refer to it as `data/name` instead of writing it into the program.");
}

Error formatted_too_large(const Source& source, std::size_t max_bytes) {
    return problem({0, static_cast<std::uint32_t>(source.text().size())},
                   "Laid out, the program would have more than " + std::to_string(max_bytes) +
                       " bytes, the limit of source text.",
                   "Split it up, or nest its expressions less deeply.");
}

Error invalid_utf8(const Source& source, std::uint32_t at) {
    const auto byte = static_cast<unsigned char>(source.text()[at]);
    // Text that is not UTF-8 is nearly always Latin-1, where a byte is its own code point.
    std::string latin1;
    utf8::append(latin1, byte < 0xA0 ? U'\uFFFD' : char32_t{byte});
    return problem({at, at + 1},
                   "The byte 0x" + hex(byte) + " at offset " + std::to_string(at) + " is not valid UTF-8.",
                   "Programs are UTF-8 text; as Latin-1 this byte would be `" + latin1 + "`.")
        .with_edit({at, at + 1}, latin1);
}

Error nesting_too_deep(Span span, std::string_view token, std::uint32_t max_nesting) {
    const bool is_bracket = std::string_view("([{").find(token.back()) != std::string_view::npos;
    const std::string what = (is_bracket ? "The bracket " : "The prefix ") + quoted_token(token);
    return problem(span,
                   what + " is nested too deeply: the limit is " + std::to_string(max_nesting) + " levels of nesting.",
                   "Give inner expressions a name with `let`, or move them into functions with `defn`.");
}

Error too_many_forms(Span span, std::uint32_t max_forms) {
    return problem(span, "The program has too many forms: the limit is " + std::to_string(max_forms) + " forms.",
                   "Pass large data in as context and refer to it as `data/name`.");
}

// ---- Brackets

namespace {

std::string_view opening_text(const Source& source, const OpenBracket& bracket) {
    return source.text({bracket.offset, bracket.offset + bracket.size});
}

std::string opened_at(const Source& source, const OpenBracket& bracket) {
    return quoted_token(opening_text(source, bracket)) + " opened at " + place(source, bracket.offset);
}

Span span_of(const OpenBracket& bracket) { return {bracket.offset, bracket.offset + bracket.size}; }

} // namespace

Error unclosed_brackets(const Source& source, std::span<const OpenBracket> opened, std::uint32_t insert_at) {
    constexpr std::size_t kMaxNamed = 3;
    const OpenBracket& inner = opened.back();
    std::string closers;
    for (std::size_t i = opened.size(); i-- > 0;)
        closers += opened[i].closer;
    std::string message = opened_at(source, inner);
    if (opened.size() == 1) {
        message += " has no matching " + quoted_token(inner.closer) + ".";
    } else {
        const std::size_t named = std::min(opened.size(), kMaxNamed);
        for (std::size_t i = 1; i < named; ++i)
            message += ", " + opened_at(source, opened[opened.size() - 1 - i]);
        if (named < opened.size()) message += " and " + std::to_string(opened.size() - named) + " more";
        message += " have no matching closing brackets.";
    }
    const std::string_view before = source.text().substr(0, insert_at);
    const std::size_t word = before.find_last_of(" \t\n\r,");
    const std::string_view last = before.substr(word + 1);
    Error error = problem(span_of(inner), std::move(message),
                          "Add " + quoted_token(closers) + " at " + place(source, insert_at) +
                              (last.empty() ? std::string() : ", after " + quoted_token(last)) + ".");
    for (std::size_t i = opened.size(); i-- > 0 && opened.size() - i <= kMaxNamed;) {
        error.labels.push_back({span_of(opened[i]), "opened here"});
    }
    return std::move(error).with_edit({insert_at, insert_at}, closers);
}

Error mismatched_bracket(const Source& source, const OpenBracket& opened, std::uint32_t closer_at) {
    const Span span{closer_at, closer_at + 1};
    return problem(span, quoted_token(source.text(span)) + " cannot close the " + opened_at(source, opened) + ".",
                   "Write " + quoted_token(opened.closer) + " instead.")
        .with_edit(span, std::string(1, opened.closer))
        .with_label(span_of(opened), "opened here");
}

Error surplus_bracket(const Source& source, std::uint32_t closer_at) {
    const Span span{closer_at, closer_at + 1};
    const std::string bracket = quoted_token(source.text(span));
    return problem(span, "The " + bracket + " closes nothing: there is one closing bracket too many.",
                   "Delete this " + bracket + ".")
        .with_edit(span, "");
}

Error wrong_opening_bracket(const Source& source, const OpenBracket& opened, std::uint32_t closer_at) {
    const std::string_view wanted = opened.closer == ')' ? "(" : opened.closer == ']' ? "[" : "{";
    const Span closer{closer_at, closer_at + 1};
    const std::uint32_t end = opened.offset + opened.size;
    const bool keeps_hash = opened.closer != ']'; // #( and #{ exist, #[ does not
    return problem(span_of(opened),
                   "The " + opened_at(source, opened) + " is closed by " + quoted_token(source.text(closer)) + " at " +
                       place(source, closer_at) + ".",
                   "Open it with " + quoted_token(wanted) + ".")
        .with_edit({keeps_hash ? end - 1 : opened.offset, end}, std::string(wanted))
        .with_label(closer, "closed here");
}

Error surplus_opening_bracket(const Source& source, const OpenBracket& opened) {
    return problem(span_of(opened),
                   "The " + opened_at(source, opened) + " has no matching " + quoted_token(opened.closer) + ".",
                   "Delete it: there is one opening bracket too many.")
        .with_edit(span_of(opened), "");
}

Error missing_opening_bracket(const Source& source, const OpenBracket& missing) {
    const std::string_view wanted = missing.closer == ')' ? "(" : missing.closer == ']' ? "[" : "{";
    const std::string_view rest = source.text().substr(missing.offset);
    const std::size_t size = std::max<std::size_t>(1, std::min(rest.find_first_of(" \t\n\r,()[]{}\""), rest.size()));
    const Span span{missing.offset, missing.offset + static_cast<std::uint32_t>(size)};
    return problem(span,
                   join({"A form that ends with ", quoted_token(missing.closer),
                         " is not opened; it seems to start with ", quoted_token(rest.substr(0, size)), "."}),
                   join({"Write ", quoted_token(wanted), " before ", quoted_token(rest.substr(0, size)), " at ",
                         place(source, missing.offset), "."}))
        .with_edit({missing.offset, missing.offset}, std::string(wanted));
}

namespace {

/// {name :name, age}: a pattern of names and their keys, one of them without its key.
std::vector<Edit> lone_name_edits(std::span<const Form> items) {
    std::vector<Edit> edits;
    bool has_pair = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is(FormKind::Symbol)) return {};
        const bool is_pair = i + 1 < items.size() && items[i + 1].is(FormKind::Keyword);
        if (!is_pair) edits.push_back({{items[i].span.end, items[i].span.end}, " :" + std::string(items[i].text())});
        has_pair = has_pair || is_pair;
        i += is_pair ? 1 : 0;
    }
    return has_pair ? edits : std::vector<Edit>();
}

/// {:a = 1}, {:a 1 :tags "x" "y"}: signs to take away, and values to put together.
std::vector<Edit> odd_map_edits(const Source& source, const Form& map) {
    std::vector<Edit> edits;
    std::size_t left = 0;
    for (const Form& item : map.items()) {
        const bool is_sign =
            item.is_symbol("=") || item.is_symbol("=>") || item.is_symbol("->") || item.is_symbol(":=");
        if (!is_sign)
            ++left;
        else
            edits.push_back({{item.span.begin, offset_after_blanks(source, item.span.end)}, ""});
    }
    if (left % 2 == 0) return edits;
    edits.clear();
    const std::span<const Form> items = map.items();
    if (items.size() == 1 && items[0].is(FormKind::Symbol)) // {name}: a pattern
        return {{{items[0].span.begin, items[0].span.begin}, ":keys ["}, {{items[0].span.end, items[0].span.end}, "]"}};
    if (items.size() == 1 && (items[0].is(FormKind::List) || items[0].is(FormKind::String))) // {(f x)}: a block
        return {{{map.span.begin, items[0].span.begin}, ""}, {{items[0].span.end, map.span.end}, ""}};
    if (std::vector<Edit> names = lone_name_edits(items); !names.empty()) return names;
    for (std::size_t i = 0; i < items.size();) {
        if (!items[i].is(FormKind::Keyword)) return {};
        std::size_t end = i + 1;
        while (end < items.size() && !items[end].is(FormKind::Keyword))
            ++end;
        if (end == i + 1) return {};
        const bool is_index = end == i + 3 && items[i + 1].is(FormKind::Symbol) && items[i + 2].is(FormKind::Vector) &&
                              items[i + 2].size == 1 && items[i + 1].span.end == items[i + 2].span.begin;
        if (is_index) { // {:total totals[best]}
            const Span index = items[i + 2].span;
            const bool is_number = items[i + 2].items()[0].is(FormKind::Integer);
            edits.push_back({{items[i + 1].span.begin, items[i + 1].span.begin}, is_number ? "(nth " : "(get "});
            edits.push_back({{index.begin, index.begin + 1}, " "});
            edits.push_back({{index.end - 1, index.end}, ")"});
        } else if (end > i + 2) {
            edits.push_back({{items[i + 1].span.begin, items[i + 1].span.begin}, "["});
            edits.push_back({{items[end - 1].span.end, items[end - 1].span.end}, "]"});
        }
        i = end;
    }
    return edits;
}

} // namespace

Error odd_map(const Source& source, const Form& map) {
    if (std::vector<Edit> edits = odd_map_edits(source, map); !edits.empty()) {
        Error error = problem(map.span,
                              "The map literal at " + place(source, map.span.begin) + " has " +
                                  std::to_string(map.size) + " forms; keys and values must come in pairs.",
                              "Each key has one value, and nothing stands between them: {:key value}.");
        error.edits = std::move(edits);
        return error;
    }
    const std::size_t key = key_without_value(map.items());
    const Form& form = map.items()[key];
    return problem(form.span,
                   "The map literal at " + place(source, map.span.begin) + " has " + std::to_string(map.size) +
                       " forms; keys and values must come in pairs.",
                   "Give the key " + quoted_token(source.text(form.span)) + " a value, e.g. nil, or remove it.")
        .with_edit({form.span.end, form.span.end}, " nil")
        .with_label({map.span.begin, map.span.begin + 1}, "the map starts here");
}

// ---- Strings and characters

Error unterminated_string(const Source& source, std::uint32_t begin, std::uint32_t insert_at) {
    const bool is_regex = source.text()[begin] == '#';
    const Span opening{begin, begin + (is_regex ? 2 : 1)};
    return problem(opening,
                   join({"The ", is_regex ? "regex" : "string", " opened at ", place(source, begin),
                         " has no closing `\"`."}),
                   "Add `\"` at " + place(source, insert_at) + ".")
        .with_edit({insert_at, insert_at}, "\"")
        .with_label(opening, "opened here");
}

Error unopened_string(const Source& source, std::uint32_t end, std::uint32_t insert_at) {
    const Span closing{end, end + 1};
    return problem(closing, "The `\"` at " + place(source, end) + " closes no string.",
                   "Add `\"` at " + place(source, insert_at) + ", where the string starts.")
        .with_edit({insert_at, insert_at}, "\"");
}

Error bad_escape(Span span, std::string_view token) {
    constexpr std::string_view kKnown =
        "The escapes are \\\\ \\\" \\n \\t \\r \\b \\f, \\uXXXX with four hexadecimal digits and \\NNN in octal.";
    if (token.starts_with("\\u") && token.size() < 6) {
        return problem(span, "The escape " + quoted_token(token) + " needs four hexadecimal digits.",
                       std::string(kKnown))
            .with_edit({span.begin, span.begin}, "\\");
    }
    if (token.starts_with("\\u")) {
        return problem(span, "The escape " + quoted_token(token) + " is half of a surrogate pair and no character.",
                       "Write the character itself, or both halves.")
            .with_edit(span, "\\uFFFD");
    }
    if (token == "\\'" || token == "\\`")
        return problem(span, "The string has the unknown escape " + quoted_token(token) + ".",
                       "This quote needs no backslash in a string.")
            .with_edit({span.begin, span.begin + 1}, "");
    return problem(span, "The string has the unknown escape " + quoted_token(token) + ".",
                   join({"For a backslash write two: `\\", token, "`. ", kKnown}))
        .with_edit({span.begin, span.begin}, "\\");
}

Error raw_string(std::uint32_t prefix_at) {
    const Span prefix{prefix_at, prefix_at + 1};
    return problem(prefix, "A string has no letter in front.", "A regex is written #\"..\", with single backslashes.")
        .with_edit(prefix, "#");
}

Error smart_quotes(Span span, std::string_view token) {
    return problem(span, "The text " + quoted_token(token) + " is in typographic quotes.",
                   "Strings are written in straight quotes: `\"`.")
        .with_edit({span.begin, span.begin + 3}, "\"")
        .with_edit({span.end - 3, span.end}, "\"");
}

Error bad_character_code(Span span, std::string_view token) {
    return problem(
        span, "The character literal " + quoted_token(token) + " has no valid code.",
        "Write \\uXXXX with four hexadecimal digits, \\oNNN with octal digits up to 377, or the character itself.");
}

Error character_too_long(const Source& source, Span span, std::string_view token) {
    const std::string_view body = token.substr(1);
    if (std::vector<Edit> edits = slashed_regex_edits(source.text(), span.begin); !edits.empty()) {
        Error regex =
            problem(span, "A regex is not written between slashes.", "Write " + quoted_token(edits[0].text) + ".");
        regex.edits = std::move(edits);
        return regex;
    }
    Error error =
        problem(span, "The character literal " + quoted_token(token) + " is longer than one character.",
                "Text of several characters is a string: \"" + std::string(utf8::prefix(body, 40)) +
                    "\". Named characters are \\newline, \\space, \\tab, \\return, \\backspace and \\formfeed.");
    return std::move(error).with_edit(span, named_character_or_string(body));
}

// ---- Numbers

namespace {

struct NumberRepair {
    std::string_view what;
    std::string text;
};

std::string number_in_base(std::string_view digits, int base, std::string_view sign) {
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || digits.front() == '-') return {};
    return std::string(sign) + std::to_string(value);
}

bool all_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// What a number of another language, or another Clojure, would be here.
NumberRepair repair_number(std::string_view token) {
    const std::string_view sign = token.front() == '-' ? "-" : "";
    const std::string_view body = token.substr(token.front() == '-' || token.front() == '+');
    if (body.starts_with("0b") || body.starts_with("0B")) {
        return {"Binary numbers do not exist", body.size() > 2 ? number_in_base(body.substr(2), 2, sign) : ""};
    }
    if (body.starts_with("0o") || body.starts_with("0O")) {
        return {"Octal numbers do not exist", body.size() > 2 ? number_in_base(body.substr(2), 8, sign) : ""};
    }
    if (const std::size_t slash = body.find('/');
        slash != body.npos && all_digits(body.substr(0, slash)) && all_digits(body.substr(slash + 1))) {
        return {"A ratio of this size does not exist",
                join({"(/ ", sign, body.substr(0, slash), " ", body.substr(slash + 1), ")"})};
    }
    if (body.find('_') != body.npos) {
        std::string plain(token);
        std::erase(plain, '_');
        return {"Digits cannot be grouped with `_`", is_number(plain) ? plain : ""};
    }
    if (token == "1+") return {"`1+` does not exist", "inc"};
    if (token == "1-") return {"`1-` does not exist", "dec"};
    const std::string_view head = token.substr(0, token.size() - 1);
    const char last = token.back();
    if (std::string_view("LlfFdDn").find(last) != std::string_view::npos && is_number(head)) {
        return {"Numbers have no type suffix", std::string(head)};
    }
    if (last == 'N' && is_number(head)) return {"`N` stands behind whole numbers", std::string(head)};
    if (last == '%' && is_number(head)) return {"Percentages do not exist", join({"(/ ", head, " 100.0)"})};
    if (last == '.' && is_number(head)) return {"A decimal point needs digits on both sides", std::string(head) + ".0"};
    if (const std::size_t point = token.find(".e"); point != token.npos) {
        const std::string whole = join({token.substr(0, point), ".0", token.substr(point + 1)});
        return {"A decimal point needs digits on both sides", is_number(whole) ? whole : ""};
    }
    if (last == 'e' || last == 'E') return {"An exponent needs digits", is_number(head) ? std::string(head) : ""};
    return {};
}

} // namespace

Error bad_number(Span span, std::string_view token) {
    const NumberRepair repair = repair_number(token);
    const bool has_points = std::count(token.begin(), token.end(), '.') > 1;
    Error error(has_points ? Reason::UnsupportedMethod : Reason::ParseError, span,
                quoted_token(token) + " is not a number.");
    error.hint = repair.what.empty() ? "Numbers are written 42, -7, 3.14 or 2.5e10; names do not start with a digit."
                                     : join({repair.what, "."});
    if (repair.text.empty()) {
        if (has_points)
            error.hint = "A number has one decimal point. Versions, dates and addresses are strings: \"" +
                         std::string(utf8::prefix(token, 40)) + "\".";
        const std::string spelled = has_points ? join({"\"", token, "\""}) : spell_as_name(token);
        return spelled.empty() ? error : std::move(error).with_edit(span, spelled);
    }
    error.hint.back() = ';';
    error.hint += " write " + quoted_token(repair.text) + ".";
    return std::move(error).with_edit(span, repair.text);
}

Error ratio_as_float(Span span, std::string_view token) {
    return Error(Reason::SuspiciousForm, span, "The ratio " + quoted_token(token) + " is a float here.")
        .with_hint("There are no exact fractions: sums of it are rounded.");
}

Error bare_fraction(Span span, std::string_view token) {
    const std::size_t point = token.find('.');
    const std::string whole =
        join({token.substr(token.front() == '+', point - (token.front() == '+')), "0", token.substr(point)});
    Error error(Reason::UnsupportedMethod, span,
                quoted_token(token) + " is a method name, not a number: a decimal point needs digits on both sides.");
    if (!is_number(whole)) return error;
    error.hint = "Write `" + whole + "`.";
    return std::move(error).with_edit(span, whole);
}

Error integer_too_long(Span span, std::string_view token) {
    return problem(span,
                   "The integer " + quoted_token(token) + " has more than " + std::to_string(kMaxIntegerDigits) +
                       " digits, the limit for literals.",
                   "Compute it, or pass it in as context.");
}

Error real_too_large(Span span, std::string_view token) {
    const std::string_view infinity = token.front() == '-' ? "##-Inf" : "##Inf";
    return problem(span, "The number " + quoted_token(token) + " is beyond the largest double, about 1.8e308.",
                   join({"Write `", infinity, "` for infinity."}))
        .with_edit(span, std::string(infinity));
}

Error unknown_special_number(Span span, std::string_view token) {
    const std::string spelled = special_number_like(token);
    Error error =
        problem(span, quoted_token(token) + " is not a number.", "The special numbers are ##Inf, ##-Inf and ##NaN.");
    return spelled.empty() ? error : std::move(error).with_edit(span, spelled);
}

// ---- Names

Error lone_colon(const Source& source, Span span, Span key) {
    Error error = problem(span, "The keyword " + quoted_token(source.text(span)) + " has no name.",
                          "Write the name right after the colon: `:name`.");
    if (std::vector<Edit> edits = python_function_edits(source.text(), span.begin); !edits.empty()) {
        error.hint = "A function is (fn [x] ..), or (defn name [x] ..).";
        error.edits = std::move(edits);
        return error;
    }
    if (key.end > 0 && source.text()[key.begin] == '\'') { // {'a': 1}
        error.hint = "Strings are written in double quotes.";
        return std::move(error).with_edit({key.begin, key.begin + 1}, "\"").with_edit({key.end - 1, span.end}, "\"");
    }
    if (key.end > 0) {
        error.hint = "Write " + quoted_token(join({":", source.text(key)})) + ", with the colon in front.";
        return std::move(error).with_edit({key.begin, key.begin}, ":").with_edit(span, "");
    }
    return std::move(error).with_edit(span, "");
}

namespace {

/// `:address.city`: what reads one key after the other; "" when the parts are no keywords.
std::string spell_as_path(std::string_view token) {
    std::string keys;
    for (std::size_t end = token.size(); end > 0;) {
        const std::size_t dot = token.rfind('.', end - 1);
        const std::size_t begin = dot == token.npos ? 1 : dot + 1;
        const std::string_view part = token.substr(begin, end - begin);
        if (part.empty() ||
            part.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-?!") != part.npos ||
            !(part[0] > '9'))
            return {};
        keys += join({" :", part});
        if (dot == token.npos) break;
        end = dot;
    }
    return join({"(comp", keys, ")"});
}

} // namespace

Error bad_keyword(Span span, std::string_view token, bool in_call) {
    if (std::any_of(token.begin(), token.end(),
                    [](char c) { return !utf8::is_ascii(static_cast<unsigned char>(c)); })) {
        const std::string text = join({"\"", token.substr(token.find_first_not_of(':')), "\""});
        return problem(span, "The keyword " + quoted_token(token) + " has characters beyond ASCII.",
                       "Keywords are made of letters a-z, digits and + - * < > = ? ! _. For other keys use strings: " +
                           quoted_token(text) + ".")
            .with_edit(span, text);
    }
    if (const std::string path = in_call && token.find('.') != token.npos ? spell_as_path(token) : ""; !path.empty()) {
        return problem(span, join({"The keyword ", quoted_token(token), " has dots, which keywords cannot have."}),
                       "One key after the other is read by " + quoted_token(path) + ", or by get-in.")
            .with_edit(span, path);
    }
    const std::size_t slash = token.rfind('/');
    const bool is_qualified = slash != token.npos && slash + 1 < token.size();
    const bool has_namespace = slash != token.npos;
    std::string spelled = spell_as_keyword(is_qualified ? join({":", token.substr(slash + 1)}) : std::string(token));
    // The name alone could be another key of the program.
    if (is_qualified && token.find_first_not_of(':') < slash)
        spelled = join({spell_as_keyword(token.substr(0, slash)), "/", spelled.substr(1)});
    if (has_namespace && token.starts_with("::")) {
        return problem(span, quoted_token(token) + " names an alias of a namespace, which keywords cannot have.",
                       "Write " + quoted_token(spelled) + ".")
            .with_edit(span, spelled);
    }
    if (token.starts_with(":data/") || token.starts_with(":ctx/") || token.starts_with(":tool/")) {
        return problem(span, quoted_token(token) + " is a keyword, not a value of the context or a tool.",
                       "Values of the context and tools are named without a colon: " + quoted_token(token.substr(1)) +
                           ".")
            .with_edit(span, std::string(token.substr(1)));
    }
    return problem(span,
                   join({"The keyword ", quoted_token(token),
                         has_namespace ? " has no plain namespace and name."
                                       : " has a character that keywords cannot have."}),
                   "Keywords are made of letters, digits and + - * < > = ? ! _; write " + quoted_token(spelled) + ".")
        .with_edit(span, spelled);
}

Error bad_name(Span span, std::string_view token) {
    constexpr std::size_t kLongestToMend = 1000; // bytes; nobody means a longer one as a name
    const std::string rule = "Names are made of ASCII letters, digits and + - * / < > = ? ! _ % . & '";
    const std::string message = "The name " + quoted_token(token) + " has characters beyond ASCII.";
    if (token.size() > kLongestToMend) return problem(span, message, rule + ".");
    const NonAscii repair = replace_non_ascii(token);
    std::string hint = repair.hint.empty() ? rule + "; write " + quoted_token(repair.text) + "." : repair.hint;
    return problem(span, message, std::move(hint)).with_edit(span, repair.text);
}

Error foreign_comment(const Source& source, std::uint32_t at) {
    const std::uint32_t size = source.text()[at] == '#' ? 1 : 2;
    return problem({at, at + size}, quoted_token(source.text({at, at + size})) + " begins no comment.",
                   "Comments begin with `;` and go on to the end of their line.")
        .with_edit({at, at + size}, ";");
}

Error fenced_program(const Source& source, const std::vector<std::uint32_t>& lines) {
    const auto end_of = [&](std::uint32_t begin) {
        return static_cast<std::uint32_t>(std::min(source.text().find('\n', begin), source.text().size()));
    };
    Error error = problem({lines[0], end_of(lines[0])}, "A program is code alone, without the fences of Markdown.",
                          "Delete the lines that begin with ```.");
    for (const std::uint32_t begin : lines) {
        const auto next = static_cast<std::uint32_t>(std::min<std::size_t>(end_of(begin) + 1, source.text().size()));
        error.edits.push_back({{begin, next}, ""});
    }
    return error;
}

Error prose_around_program(const Source& source, const std::vector<std::uint32_t>& lines) {
    const auto end_of = [&](std::uint32_t begin) {
        return static_cast<std::uint32_t>(std::min(source.text().find('\n', begin), source.text().size()));
    };
    Error error = problem({lines[0], end_of(lines[0])}, "A program is code alone: this line is none.",
                          "Delete what is written around the code, or begin it with `;`.");
    for (const std::uint32_t begin : lines) {
        const auto next = static_cast<std::uint32_t>(std::min<std::size_t>(end_of(begin) + 1, source.text().size()));
        error.edits.push_back({{begin, next}, ""});
    }
    return error;
}

Error single_quoted_string(std::uint32_t opening, std::uint32_t closing) {
    return problem({opening, closing + 1}, "Single quotes hold no string.", "Strings are written in double quotes.")
        .with_edit({opening, opening + 1}, "\"")
        .with_edit({closing, closing + 1}, "\"");
}

Error separating_semicolon(std::uint32_t at) {
    return problem({at, at + 1}, "`;` begins a comment: the rest of its line is not read.",
                   "Forms are separated by blanks; delete the `;`.")
        .with_edit({at, at + 1}, " ");
}

namespace {

struct Sign {
    std::string_view written, meant;
    const char* hint;
};
constexpr Sign kSigns[] = {
    {"||", "or", "Write (or a b)."},
    {"|>", "->>", "Values are threaded by (->> coll (filter f) (map g))."},
    {"$", "it", "Write a name for the value, such as `it`."},
};

} // namespace

Error bad_character(const Source& source, Span span) {
    const std::string_view token = source.text(span);
    for (const Sign& sign : kSigns) {
        if (!source.text().substr(span.begin).starts_with(sign.written)) continue;
        const Span whole{span.begin, span.begin + static_cast<std::uint32_t>(sign.written.size())};
        return problem(whole, quoted_token(sign.written) + " does not exist.", sign.hint)
            .with_edit(whole, std::string(sign.meant));
    }
    const auto byte = static_cast<unsigned char>(token.front());
    const bool is_visible = byte > ' ' && byte < 0x7F;
    const std::string shown = is_visible ? quoted_token(token) : "of code 0x" + hex(byte);
    const std::string hint = token == "\\"
                                 ? "A backslash starts a character literal such as \\a or \\newline."
                                 : "Delete it; names are made of letters, digits and + - * / < > = ? ! _ % . & '.";
    return problem(span, "The character " + shown + " has no meaning here.", hint).with_edit(span, "");
}

// ---- Reader macros that do not exist

Error nothing_to_discard(Span span) {
    return problem(span, "`#_` is followed by no form that it could discard.", "Delete this `#_`.").with_edit(span, "");
}

Error nothing_to_quote(Span span) {
    return problem(span, "`'` is followed by nothing that it could quote.", "Delete it, or write `'name`, `'(1 2)`.")
        .with_edit(span, "");
}

Error unsupported_metadata(const Source& source, std::uint32_t begin, const Form* form) {
    const std::string_view text = source.text();
    if (begin > 0 && text[begin - 1] == '(' && begin + 1 < text.size() && text[begin + 1] == ' ') {
        return problem({begin, begin + 1}, "`^` does not exist.", "A power is (pow base exponent).")
            .with_edit({begin, begin + 1}, "pow");
    }
    const bool is_dispatch = source.text()[begin] == '#';
    const Span mark{begin, begin + (is_dispatch ? 2u : 1u)};
    const Span all{begin, form == nullptr ? mark.end : offset_after_blanks(source, form->span.end)};
    return problem(mark, "`^` stands in front of metadata, as in `^:private name`.",
                   "Delete " + quoted_token(source.text(form == nullptr ? mark : Span{begin, form->span.end})) + ".")
        .with_edit(all, "");
}

Error unsupported_conditional(const Source& source, std::uint32_t begin, const Form* form) {
    const bool splices = source.text().substr(begin).starts_with("#?@");
    const Span mark{begin, begin + (splices ? 3u : 2u)};
    Error error = problem(mark, "Reader conditionals `#?(..)` do not exist.", "Write the form for :clj alone.");
    if (form == nullptr) return std::move(error).with_edit(mark, "");
    const Form* branch = conditional_branch(*form);
    const Span all{begin, form->span.end};
    if (branch == nullptr) return std::move(error).with_edit(all, "");
    return std::move(error).with_edit({all.begin, branch->span.begin}, "").with_edit({branch->span.end, all.end}, "");
}

Error namespaced_map(const Source& source, std::uint32_t begin, const Form* form) {
    const std::size_t brace = std::min(source.text().find('{', begin), source.text().size());
    const Span prefix{begin, static_cast<std::uint32_t>(brace)};
    const std::size_t end = source.text().find_first_of(" \t\r\n,{", begin);
    std::string_view space = source.text().substr(begin, end - begin).substr(2); // ns, : or :alias
    const std::string shown = quoted_token(join({"#:", space}));
    const bool is_own = space == ":";
    if (space.starts_with(':')) space.remove_prefix(1);
    Error error = problem(prefix, "The namespaced map prefix " + shown + " does not exist.",
                          "Write the namespace into each key: {:ns/name 1}.");
    if (form == nullptr || !form->is(FormKind::Map)) return error;
    if (space.empty() && !is_own) return std::move(error).with_edit(prefix, "");
    error.edits.push_back({prefix, ""});
    for (std::size_t i = 0; i < form->size; i += 2) {
        const Form& key = form->items()[i];
        const bool is_plain = key.is(FormKind::Keyword) && source.text(key.span).substr(1) == key.text() &&
                              key.text().find('/') == std::string_view::npos;
        const std::uint32_t name = key.span.begin + 1;
        if (is_plain) error.edits.push_back({{name, name}, is_own ? ":" : join({space, "/"})});
    }
    return error;
}

Error unsupported_prefix(const Source& source, Span span, std::string_view token) {
    if (token == "`") {
        if (std::vector<Edit> edits = template_string_edits(source.text(), span.begin); !edits.empty()) {
            Error error =
                problem(span, "A string does not stand between backticks.",
                        edits[0].text.empty() ? "Delete the backticks." : "Write " + quoted_token(edits[0].text) + ".");
            error.edits = std::move(edits);
            return error;
        }
    }
    if (token == "@") {
        return problem(span, "`@` stands right in front of the atom that it reads: `@name`.",
                       "Delete it where there is no atom.")
            .with_edit(span, "");
    }
    Error error = problem(span, quoted_token(token) + " does not exist: there are no macros.",
                          "Write a function with `defn`, and data as vectors and maps.");
    if (token == "`" && source.text().find('~') == std::string_view::npos) error.edits.push_back({span, "'"}); // data
    return error;
}

namespace {

std::string_view truth_value(std::string_view token) {
    if (token == "#t" || token == "#true" || token == "#T") return "true";
    if (token == "#f" || token == "#false" || token == "#F") return "false";
    return token == "#nil" || token == "#null" ? "nil" : "";
}

} // namespace

Error unsupported_dispatch(const Source& source, Span span, std::string_view token) {
    if (const std::string_view value = truth_value(token); !value.empty()) {
        return problem(span, quoted_token(token) + " does not exist.", "The truth values are written true and false.")
            .with_edit(span, std::string(value));
    }
    if (is_hash_comment(source.text(), span.begin)) return foreign_comment(source, span.begin);
    if (token.starts_with("#:")) {
        return problem(span, "The namespaced map prefix " + quoted_token(token) + " does not exist.",
                       "Write the map alone, with the namespace in its keys: {:ns/name 1}.")
            .with_edit(span, "");
    }
    if (token.starts_with("#'")) {
        return problem(span, "`#'` needs a name.", "A var is written `#'name`.")
            .with_edit({span.begin, span.begin + 2}, "");
    }
    if (token.size() > 1 && token[1] >= 'A') {
        return problem(span, "The tagged literal " + quoted_token(token) + " does not exist.",
                       "Write its value alone; dates and ids are strings.")
            .with_edit({span.begin, offset_after_blanks(source, span.end)}, "");
    }
    return problem(span, quoted_token(token) + " is not a form.",
                   "`#` starts a set `#{..}`, a function `#(..)`, a regex `#\"..\"`, a var `#'x` or a discarded form "
                   "`#_x`.")
        .with_edit({span.begin, span.begin + 1}, "");
}

} // namespace ptc
