// Where a missing quote belongs. A quote is missing on a line at whose end a string is open that began on it: few
// strings have line breaks. So each word's edge on such lines is a candidate, and the text is read with a quote there.
// The right place leaves a text that reads well.
#include "frontend/reader/string_repair.h"

#include "frontend/reader/bracket_scan.h"
#include "frontend/reader/form_builder.h"
#include "frontend/reader/reader_grammar.h"
#include <algorithm>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMaxLines = 4;
constexpr std::size_t kMaxPlaces = 80;       ///< candidates a line
constexpr std::size_t kMaxBytes = 64 * 1024; ///< beyond, a candidate costs too much to be tried
constexpr std::size_t kMaxWork = 1 << 20;    ///< bytes read for all candidates together
constexpr std::size_t kMaxLineBytes = 4 * 1024;

struct StringToken {
    std::uint32_t begin;
    std::uint32_t end;
};

bool is_string(std::string_view text, const BracketToken& token) {
    return token.kind == BracketToken::Literal &&
           (text[token.begin] == '"' || text.substr(token.begin).starts_with("#\""));
}

std::vector<StringToken> find_strings(std::string_view text) {
    std::vector<StringToken> strings;
    for (const BracketToken& token : scan_brackets(text)) {
        if (is_string(text, token)) strings.push_back({token.begin, token.end});
    }
    return strings;
}

/// Lines with a string that does not end on them: [begin, end) without the newline.
std::vector<StringToken> suspicious_lines(std::string_view text, const std::vector<StringToken>& strings) {
    std::vector<StringToken> lines;
    for (const StringToken& string : strings) {
        if (lines.size() == kMaxLines) break;
        const std::size_t newline = text.find('\n', string.begin);
        if (newline >= string.end && string.end != text.size()) continue;
        const std::size_t begin = text.rfind('\n', string.begin) + 1; // npos + 1 is 0
        const std::size_t end = std::min(newline, text.size());
        if (end - begin <= kMaxLineBytes)
            lines.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    }
    return lines;
}

/// Both edges of each word of a line, from its end: what is missing is mostly missing at the end.
std::vector<std::uint32_t> places_on(std::string_view text, const StringToken& line) {
    const std::size_t max_places = std::clamp<std::size_t>(kMaxWork / kMaxLines / (text.size() + 1), 4, kMaxPlaces);
    constexpr std::string_view kEdges = " \t\r,()[]{}\"";
    const auto is_edge = [&](std::uint32_t at) {
        return at < line.begin || at >= line.end || kEdges.find(text[at]) != kEdges.npos;
    };
    std::vector<std::uint32_t> places;
    for (std::uint32_t at = line.end + 1; at-- > line.begin && places.size() < max_places;) {
        if (is_edge(at) || is_edge(at - 1)) places.push_back(at);
    }
    return places;
}

int count_bracket_errors(const std::vector<BracketToken>& tokens) {
    std::vector<char> open;
    int errors = 0;
    for (const BracketToken& token : tokens) {
        if (token.kind == BracketToken::Open) open.push_back(token.closer);
        if (token.kind != BracketToken::Close) continue;
        if (open.empty() || open.back() != token.closer) ++errors;
        if (!open.empty()) open.pop_back();
    }
    return errors + static_cast<int>(open.size());
}

int imbalance(std::string_view text) {
    const auto opening =
        std::count_if(text.begin(), text.end(), [](char c) { return c == '(' || c == '[' || c == '{'; });
    const auto closing =
        std::count_if(text.begin(), text.end(), [](char c) { return c == ')' || c == ']' || c == '}'; });
    return static_cast<int>(std::min<std::ptrdiff_t>(std::abs(opening - closing), 100));
}

/// Whether there is a call in a text: the name of a function behind a bracket, and arguments.
bool holds_call(std::string_view inside, const Vocabulary* vocabulary) {
    if (!vocabulary) return false;
    for (std::size_t at = inside.find('('); at != inside.npos; at = inside.find('(', at + 1)) {
        const std::size_t end = inside.find_first_of(" ()[]{}", at + 1);
        const std::string_view name = inside.substr(at + 1, end == inside.npos ? end : end - at - 1);
        const bool has_arguments = end != inside.npos && inside[end] == ' ';
        if (has_arguments && !name.empty() && vocabulary->head(name) && inside.find(')', end) != inside.npos)
            return true;
    }
    return false;
}

/// How badly `text`, which has the quote put in at `place`, reads. Names that occur nowhere else are likely prose.
int badness(const std::string& text, const Vocabulary* vocabulary, std::uint32_t place, std::uint32_t line_end) {
    const Source source("", text);
    Diagnostics diagnostics;
    Forms forms;
    const ReadLimits limits;
    FormBuilder builder(source, limits, diagnostics, forms);
    run_grammar(source.text(), builder);
    if (builder.unterminated_at() != FormBuilder::kNone) return 1000;
    const std::vector<BracketToken> tokens = scan_brackets(text, vocabulary);
    int bad = 20 * static_cast<int>(diagnostics.error_count()) + 10 * count_bracket_errors(tokens);
    const auto word_of = [&](const BracketToken& t) { return std::string_view(text).substr(t.begin, t.end - t.begin); };
    std::unordered_map<std::string_view, int> uses;
    for (const BracketToken& token : tokens) {
        if (token.kind == BracketToken::Symbol) ++uses[word_of(token)];
    }
    const auto line_begin = static_cast<std::uint32_t>(text.rfind('\n', place) + 1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const BracketToken& token = tokens[i];
        if (token.begin < line_begin || token.begin > line_end) continue;
        const BracketToken* before = i > 0 ? &tokens[i - 1] : nullptr;
        // Nobody writes a"b" or "a"b, or calls a string.
        const bool touches = before != nullptr && before->end == token.begin && before->kind != BracketToken::Open &&
                             token.kind != BracketToken::Close;
        const bool is_followed = touches && is_string(text, *before) && token.kind == BracketToken::Open &&
                                 word_of(*before).ends_with(": \""); // "total: "(count xs)
        if (touches && !is_followed && (is_string(text, token) || is_string(text, *before))) bad += 4;
        if (is_string(text, token)) {
            if (before != nullptr && before->kind == BracketToken::Open && before->closer == ')') bad += 4;
            const std::string_view inside = word_of(token);
            if (inside.find('\n') != inside.npos) bad += 8;
            if (inside.size() == 2) bad += 2;
            if (inside.size() > 3 && inside[inside.size() - 2] == ',') bad += 1; // {"a" "b, "c" 1}: commas are blanks
            if (const std::size_t colon = inside.find(" :");
                colon != inside.npos && colon + 2 < inside.size() && inside[colon + 2] >= 'A')
                bad += 3;
            if (inside.find_first_of("()[]{}") != inside.npos) bad += 2;
            if (holds_call(inside, vocabulary)) bad += 9;
            bad += 4 * std::min(imbalance(inside), 3);
            if (inside.starts_with('#') && inside.find(' ') != inside.npos) bad += 4; // regexes are rarely prose
        }
        if (token.kind != BracketToken::Symbol || token.head) continue;
        if (uses[word_of(token)] < 2 && !word_of(token).starts_with("data/")) bad += 3;
    }
    return bad;
}

/// The string's end on its own line, in front of closing brackets that look like code.
std::uint32_t end_of_line(std::string_view text, std::uint32_t begin) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    while (end > begin + 1 && std::string_view(")]} \t\r").find(text[end - 1]) != std::string_view::npos)
        --end;
    return static_cast<std::uint32_t>(end);
}

MissingQuote with_partner(std::uint32_t place, const std::string& repaired, std::uint32_t unterminated_at) {
    for (const StringToken& string : find_strings(repaired)) {
        const std::uint32_t opening = string.begin + (repaired[string.begin] == '#' ? 1 : 0);
        if (opening == place) return {place, string.end - 2}; // the inserted quote opens it
        if (string.end == place + 1) return {place, string.begin};
    }
    return {place, unterminated_at}; // behind a backslash the quote is none: nothing better was found
}

} // namespace

MissingQuote find_missing_quote(std::string_view text, const Vocabulary* vocabulary, std::uint32_t unterminated_at) {
    const std::uint32_t fallback = end_of_line(text, unterminated_at);
    const auto with_quote = [&](std::uint32_t place) {
        std::string repaired(text);
        repaired.insert(place, 1, '"');
        return repaired;
    };
    if (text.size() > kMaxBytes) return {fallback, unterminated_at};
    std::uint32_t best = fallback;
    int least = badness(with_quote(fallback), vocabulary, fallback,
                        static_cast<std::uint32_t>(std::min(text.find('\n', fallback), text.size())));
    for (const StringToken& line : suspicious_lines(text, find_strings(text))) {
        for (const std::uint32_t place : places_on(text, line)) {
            const int bad = badness(with_quote(place), vocabulary, place, line.end);
            if (bad >= least) continue;
            best = place;
            least = bad;
        }
    }
    return with_partner(best, with_quote(best), unterminated_at);
}

} // namespace ptc
