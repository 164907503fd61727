// One factory a kind of mistake. A signature is written by hand or by a model that knows TypeScript, Python or JSON
// Schema: so most messages look at what stands at the place of the error, find the spelling that was meant, and give it
// as an edit.
#include "runtime/signature/signature_errors.h"
#include "frontend/quoted.h"

#include "frontend/suggest.h"
#include "frontend/utf8.h"
#include "ptc/type.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

constexpr std::string_view kTypesHint =
    "Types are `:string`, `:int`, `:float`, `:bool`, `:keyword`, `:datetime`, `:map` and "
    "`:any`, lists `[:type]`, and maps `{field :type}`.";

/// Type names of other languages, in lower case, and what says the same here.
struct Foreign {
    std::string_view name;
    std::string_view replacement; ///< "" when there is no single one
    std::string_view hint;
};

constexpr std::string_view kListHint = "A list is `[:type]`: `[:string]`, `[{id :int}]`, or `[:any]`.";
constexpr std::string_view kTupleHint =
    "There are no tuples: name the parts in a map, `{field :type}`, or write `[:any]` for a list.";
constexpr std::string_view kMapHint = "A map with known fields is `{field :type}`; any map is `:map`.";
constexpr std::string_view kStringHint = "Text is `:string`.";
constexpr std::string_view kIntHint = "Whole numbers are `:int`.";
constexpr std::string_view kFloatHint = "Numbers with a fraction are `:float`; whole numbers pass as `:float` too.";
constexpr std::string_view kKeywordHint = "Keywords are `:keyword`; a fixed set of values is `:enum[red green]`.";
constexpr std::string_view kTimeHint = "A point in time is `:datetime`; a date without a time is `:string`.";
constexpr std::string_view kNilHint = "What may be nil or absent has a `?`: `:string?`.";

constexpr std::array kForeign = {
    Foreign{"array", "[:any]", kListHint},
    Foreign{"list", "[:any]", kListHint},
    Foreign{"vector", "[:any]", kListHint},
    Foreign{"vec", "[:any]", kListHint},
    Foreign{"seq", "[:any]", kListHint},
    Foreign{"set", "[:any]", kListHint},
    Foreign{"tuple", "", kTupleHint},
    Foreign{"object", ":map", kMapHint},
    Foreign{"dict", ":map", kMapHint},
    Foreign{"struct", ":map", kMapHint},
    Foreign{"record", ":map", kMapHint},
    Foreign{"hash", ":map", kMapHint},
    Foreign{"json", ":any", kMapHint},
    Foreign{"str", ":string", kStringHint},
    Foreign{"text", ":string", kStringHint},
    Foreign{"char", ":string", kStringHint},
    Foreign{"uuid", ":string", kStringHint},
    Foreign{"url", ":string", kStringHint},
    Foreign{"bytes", ":string", kStringHint},
    Foreign{"integer", ":int", kIntHint},
    Foreign{"long", ":int", kIntHint},
    Foreign{"number", ":float", kFloatHint},
    Foreign{"double", ":float", kFloatHint},
    Foreign{"real", ":float", kFloatHint},
    Foreign{"decimal", ":float", kFloatHint},
    Foreign{"atom", ":keyword", kKeywordHint},
    Foreign{"symbol", ":keyword", kKeywordHint},
    Foreign{"enum", "", kKeywordHint},
    Foreign{"date", ":datetime", kTimeHint},
    Foreign{"time", ":datetime", kTimeHint},
    Foreign{"timestamp", ":datetime", kTimeHint},
    Foreign{"nil", "", kNilHint},
    Foreign{"null", "", kNilHint},
    Foreign{"none", "", kNilHint},
    Foreign{"void", ":any", kNilHint},
    Foreign{"object?", ":map?", kMapHint},
};

std::string lower(std::string_view text) {
    std::string low(text);
    for (char& c : low)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return low;
}

std::string_view hint_of(std::string_view name) {
    const auto* row = std::ranges::find(kForeign, lower(name), &Foreign::name);
    return row == kForeign.end() ? kTypesHint : row->hint;
}

/// The type that other words for `name` mean, with its colon or brackets; "" if there is no single one.
std::string known_replacement(std::string_view name) {
    const std::string low = lower(name);
    if (primitive_kind(low)) return ":" + low;
    const auto* row = std::ranges::find(kForeign, low, &Foreign::name);
    return row == kForeign.end() ? std::string() : std::string(row->replacement);
}

/// The type whose name is nearest to `name`, with its colon; "" if none is near.
std::string nearest_type(std::string_view name) {
    constexpr std::array<std::string_view, 9> kNames = {"string",   "int", "float", "bool",   "keyword",
                                                        "datetime", "map", "any",   "boolean"};
    const std::vector<std::string> near = suggest(lower(name), kNames, 1);
    return near.empty() ? std::string() : ":" + near.front();
}

/// Adds to `error` that `replacement` goes in place of its span.
Error with_replacement(Error error, const std::string& replacement) {
    if (replacement.empty()) return error;
    if (error.hint.find(quoted(replacement)) == std::string::npos || error.hint == kTypesHint)
        error.hint = "Write `" + replacement + "`. " + error.hint;
    const Span span = error.span;
    return std::move(error).with_edit(span, replacement);
}

bool is_name_first(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_first(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end]))
        ++end;
    return text.substr(at, end - at);
}

/// What stands at `at`: a word, `:word`, or one character; empty at the end.
std::string_view token_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return {};
    if (text[at] == ':') return text.substr(at, 1 + word_at(text, at + 1).size());
    if (text.substr(at, 2) == "=>" || text.substr(at, 2) == "->") return text.substr(at, 2);
    const std::string_view word = word_at(text, at);
    if (!word.empty()) return word;
    return text.substr(at, std::max<std::size_t>(1, utf8::decode(text, at).size));
}

std::string found(std::string_view token) { return token.empty() ? "the end of the text" : quoted_token(token); }

Error problem(Span span, std::string message, std::string_view hint) {
    return Error(Reason::ParseError, span, std::move(message), std::string(hint));
}

/// Where something else than the grammar wants stands.
struct FailurePoint {
    std::string_view text;
    std::uint32_t at;
    std::uint32_t opened;
    std::string_view token;
    Span span;

    [[nodiscard]] char next() const { return at < text.size() ? text[at] : '\0'; }
    [[nodiscard]] bool is_end() const { return at >= text.size(); }
    [[nodiscard]] char bracket() const { return opened == kNoBracket ? '\0' : text[opened]; }
    [[nodiscard]] std::string closer() const { return bracket() == '{' ? "}" : bracket() == '(' ? ")" : "]"; }
    /// The last character before `at` that is not blank.
    [[nodiscard]] char before() const { return end_before() == 0 ? '\0' : text[end_before() - 1]; }
    /// Where what stands before `at` ends.
    [[nodiscard]] std::uint32_t end_before() const {
        std::uint32_t end = at;
        while (end > 0 && is_blank(text[end - 1]))
            --end;
        return end;
    }
};

Error unclosed(const FailurePoint& place) {
    const std::string bracket(1, place.bracket());
    return problem({place.opened, place.opened + 1},
                   quoted_token(bracket) + " has no matching " + quoted_token(place.closer()) + ".",
                   "Add " + quoted_token(place.closer()) + " at the end.")
        .with_edit({place.at, place.at}, place.closer());
}

Error bare_type_name(const FailurePoint& place) {
    const std::string replacement = known_replacement(place.token);
    return with_replacement(problem(place.span,
                                    "Type names start with a colon, " + quoted_token(place.token) + " has none.",
                                    hint_of(place.token)),
                            replacement);
}

/// {a: int}
Error colon_behind_name(const FailurePoint& place) {
    std::size_t at = place.at + 1;
    while (at < place.text.size() && is_blank(place.text[at]))
        ++at;
    const std::string_view word = word_at(place.text, at);
    Error error = problem(place.span, "The colon goes in front of the type, not behind the name.",
                          "Write `name :type`, as in `id :int`.");
    const std::string replacement = known_replacement(word);
    if (word.empty() || replacement.empty()) return error;
    return std::move(error).with_edit({place.at, static_cast<std::uint32_t>(at + word.size())}, " " + replacement);
}

/// search(q :string) -> :int, as prompts show tools
Error name_before_parameters(const FailurePoint& place) {
    return problem(place.span, "A signature does not name its tool; here is " + quoted_token(place.token) + ".",
                   "It starts with the parameters: `(query :string) -> :int`.")
        .with_edit({place.at, place.span.end}, "");
}

/// {a? :int}
Error optional_name(const FailurePoint& place) {
    Error error = problem(place.span, "The `?` goes behind the type, not behind the name.",
                          "Write `name :type?`, as in `limit :int?`.");
    std::size_t at = place.span.end;
    while (at < place.text.size() && is_blank(place.text[at]))
        ++at;
    const std::string_view type = token_at(place.text, at);
    if (!type.starts_with(':') || type.size() < 2) return error;
    const auto end = static_cast<std::uint32_t>(at + type.size());
    return std::move(error).with_edit(place.span, "").with_edit({end, end}, "?");
}

Error expected_type(const FailurePoint& place) {
    if (place.opened == kNoBracket && is_name_first(place.next()) && place.text.substr(place.span.end, 1) == "(")
        return name_before_parameters(place);
    if (place.opened == kNoBracket && place.token == "->" && place.end_before() == 0)
        return problem(place.span, "The parameters are missing in front of `->`.",
                       "Without parameters a signature is `() -> :type`, or `:type` alone.")
            .with_edit({place.at, place.at}, "() ");
    const char next = place.next();
    const bool follows_name = place.bracket() == '{' || place.bracket() == '(';
    if (is_name_first(next) && (!follows_name || !known_replacement(place.token).empty())) return bare_type_name(place);
    if (next == ':' && place.at + 1 < place.text.size() && place.text[place.at + 1] == ':')
        return problem({place.at, place.at + 2}, "A type has one colon, not two.", kTypesHint)
            .with_edit({place.at, place.at + 1}, "");
    if (next == ':') return colon_behind_name(place);
    if (place.is_end() && place.opened == kNoBracket)
        return problem(place.span, "The text ends where a type is expected.", kTypesHint);
    if (follows_name && next == '?' && is_name_char(place.text[place.at - 1])) return optional_name(place);
    if (follows_name)
        return problem(place.span, "A name is followed by its type; here is " + found(place.token) + ".",
                       "Write `name :type`. " + std::string(kTypesHint));
    return problem(place.span, "A type is expected; here is " + found(place.token) + ".", kTypesHint);
}

Error expected_name(const FailurePoint& place, std::string_view what) {
    if (place.is_end() && place.opened != kNoBracket) return unclosed(place);
    if (place.before() == ',')
        return problem(place.span,
                       "A comma is followed by another " + std::string(what) + "; here is " + found(place.token) + ".",
                       "Leave out the last comma.");
    if (place.next() == ':')
        return problem(place.span, "The names of parameters have no colon.", "Write `(id :int)`.")
            .with_edit({place.at, place.at + 1}, "");
    if (place.next() == '"') return problem(place.span, "The names of fields have no quotes.", "Write `{id :int}`.");
    return problem(place.span,
                   "The name of a " + std::string(what) + " is expected; here is " + found(place.token) + ".",
                   "Names start with a letter or `_`; letters, digits, `_` and `-` follow.");
}

Error expected_comma(const FailurePoint& place) {
    if (place.is_end()) return unclosed(place);
    const std::string list = "`,` or " + quoted_token(place.closer());
    if (place.next() == '?')
        return problem(place.span, "`?` stands once, right behind the type.", "Write `email :string?`.");
    if (place.next() == '|')
        return problem(place.span, "The `?` of a union stands behind its last type.", "Write `:string|:int?`.");
    if (is_name_first(place.next()))
        return problem(place.span, "A comma is missing in front of " + quoted_token(place.token) + ".",
                       "Fields and parameters are separated by commas: `{id :int, name :string}`.")
            .with_edit({place.end_before(), place.end_before()}, ",");
    return problem(place.span, list + " is expected; here is " + found(place.token) + ".",
                   "Fields and parameters are `name :type`, separated by commas.");
}

Error expected_end_of_list(const FailurePoint& place) {
    if (place.is_end()) return unclosed(place);
    if (place.next() == ':' || place.next() == ',' || place.next() == '[' || place.next() == '{')
        return problem(place.span, "A list has one element type; here is a second, " + quoted_token(place.token) + ".",
                       "For elements of several types write `[:int|:string]` or `[:any]`; for parts with a meaning of "
                       "their own a map, `{id :int, name :string}`.");
    return problem(place.span, "`]` is expected; here is " + found(place.token) + ".", "A list is `[:type]`.");
}

Error expected_arrow(const FailurePoint& place) {
    Error error =
        problem(place.span, "`->` and the type of the result are expected; here is " + found(place.token) + ".",
                "Write `(id :int) -> :string`; a result of any type is `-> :any`.");
    if (place.token == "=>") return std::move(error).with_edit(place.span, "->");
    if (place.is_end()) return std::move(error).with_edit(place.span, " -> :any");
    return error;
}

Error expected_end(const FailurePoint& place) {
    if (place.token == "->")
        return problem(place.span, "Parameters are written in parentheses, with names.",
                       "Write `(query :string) -> :int`.");
    if (place.next() == ')' || place.next() == ']' || place.next() == '}')
        return problem(place.span, quoted_token(place.token) + " closes no bracket.", "Leave it out.")
            .with_edit(place.span, "");
    if (place.next() == '?') return problem(place.span, "`?` stands once, right behind the type.", "Write `:string?`.");
    if (place.next() == '|')
        return problem(place.span, "The `?` of a union stands behind its last type.", "Write `:string|:int?`.");
    return problem(place.span,
                   "The signature ends with the type of the result; here is " + quoted_token(place.token) + ".",
                   "Several values are returned as a map, `{count :int, names [:string]}`.");
}

Error expected_choice(const FailurePoint& place) {
    if (place.is_end() && place.opened != kNoBracket && place.bracket() == '[') return unclosed(place);
    return problem(
        place.span, "A choice is expected; here is " + found(place.token) + ".",
        "Choices are words, quoted texts, keywords or numbers: `:enum[open done]`, `:enum[\"in progress\" 3]`.");
}

Error expected_constraint(const FailurePoint& place) {
    return problem(place.span, "A limit on the number is expected; here is " + found(place.token) + ".",
                   "Write a range, `:int[1..100]`, or comparisons, `:int[>0]`, `:float[>=0 <1]`.");
}

} // namespace

Error signature_mismatch(std::string_view text, Expected expected, std::uint32_t at, std::uint32_t opened) {
    const std::string_view token = token_at(text, at);
    const FailurePoint place{text, at, opened, token, {at, at + static_cast<std::uint32_t>(token.size())}};
    switch (expected) {
    case Expected::Type: return expected_type(place);
    case Expected::Name: return expected_name(place, "field");
    case Expected::ParameterName: return expected_name(place, "parameter");
    case Expected::Comma: return expected_comma(place);
    case Expected::EndOfList: return expected_end_of_list(place);
    case Expected::Arrow: return expected_arrow(place);
    case Expected::End: return expected_end(place);
    case Expected::EnumChoice: return expected_choice(place);
    case Expected::Constraint: return expected_constraint(place);
    }
    return expected_type(place);
}

Error empty_signature(std::string_view text) {
    return problem({0, static_cast<std::uint32_t>(text.size())}, "The signature is empty.",
                   "A tool or mission that returns anything has `() -> :any`.");
}

Error signature_too_large(std::string_view text, std::size_t max_bytes) {
    return problem({0, 0},
                   "The signature has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(max_bytes) + ".",
                   "Use `:map` for what need not be checked.");
}

Error signature_is_not_utf8(std::uint32_t at) {
    return problem({at, at + 1}, "The byte at offset " + std::to_string(at) + " is not valid UTF-8.",
                   "Signatures are UTF-8 text.");
}

Error signature_too_deep(std::uint32_t at, std::uint32_t max_nesting) {
    return problem({at, at + 1}, "Types are nested more than " + std::to_string(max_nesting) + " deep here.",
                   "Use `:map` or `[:any]` for what need not be checked.");
}

Error empty_list_type(Span span) {
    return problem(span, "`[]` does not say what the list holds.", "A list of anything is `[:any]`.")
        .with_edit(span, "[:any]");
}

Error empty_enum(Span span) {
    return problem(span, "`:enum[]` allows no value.", "Write its choices: `:enum[open done]`.");
}

Error unknown_type(Span span, std::string_view name) {
    const std::string known = known_replacement(name);
    return with_replacement(problem(span, quoted_token(":" + std::string(name)) + " is not a type.", hint_of(name)),
                            known.empty() && hint_of(name) == kTypesHint ? nearest_type(name) : known);
}

Error nil_is_no_type(Span span) { return problem(span, "`:nil` alone is not a type.", kNilHint); }

Error bounds_need_number(Span span, std::string_view type) {
    return problem(span, "Only numbers have limits, `:" + std::string(type) + "` has none.",
                   "Write `:int[1..100]` or `:float[>0]`; a fixed set of values is `:enum[open done]`.");
}

Error bound_out_of_range(Span span, std::string_view number) {
    return problem(span, quoted_token(number) + " is too large.", "Numbers in signatures have 64 bits.");
}

Error empty_range(Span span) {
    return problem(span, "The range ends below its start, so no number is in it.",
                   "Write the smaller number first: `[1..100]`.");
}

Error name_clash(Span first_span, std::string_view first, Span second_span, std::string_view second) {
    const bool is_same = first == second;
    std::string message = is_same ? quoted_token(first) + " is defined twice."
                                  : quoted_token(first) + " and " + quoted_token(second) +
                                        " are the same name: hyphens count as underscores.";
    return problem(second_span, std::move(message), "Rename one of them.").with_label(first_span, "defined here first");
}

} // namespace ptc
