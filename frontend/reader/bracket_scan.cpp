#include "frontend/reader/bracket_scan.h"

#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

constexpr std::uint8_t kMany = 255;

// Sorted by name. Argument counts are those of the language; where it allows a shape that nobody writes (a `let`
// without a body), the count here is the useful one, as this only ranks guesses.
constexpr KnownHead kHeads[] = {
    {KnownHead::Call, "*", 2, kMany},
    {KnownHead::Call, "+", 2, kMany},
    {KnownHead::Call, "-", 1, kMany},
    {KnownHead::Threading, "->", 2, kMany},
    {KnownHead::Threading, "->>", 2, kMany},
    {KnownHead::Call, "/", 1, kMany},
    {KnownHead::Call, "<", 2, kMany, 2},
    {KnownHead::Call, "<=", 2, kMany, 2},
    {KnownHead::Call, "=", 2, kMany, 2},
    {KnownHead::Call, ">", 2, kMany, 2},
    {KnownHead::Call, ">=", 2, kMany, 2},
    {KnownHead::Special, "and", 1, kMany},
    {KnownHead::Call, "apply", 2, kMany},
    {KnownHead::Threading, "as->", 3, kMany},
    {KnownHead::Call, "assoc", 3, kMany},
    {KnownHead::Call, "assoc-in", 3, 3},
    {KnownHead::Special, "case", 2, kMany},
    {KnownHead::Call, "concat", 1, kMany},
    {KnownHead::Special, "cond", 2, kMany},
    {KnownHead::Threading, "cond->", 3, kMany},
    {KnownHead::Threading, "cond->>", 3, kMany},
    {KnownHead::Call, "conj", 2, kMany},
    {KnownHead::Call, "contains?", 2, 2},
    {KnownHead::Call, "count", 1, 1},
    {KnownHead::Call, "dec", 1, 1},
    {KnownHead::Special, "def", 2, 3},
    {KnownHead::Special, "defonce", 2, 3},
    {KnownHead::Function, "defn", 3, kMany},
    {KnownHead::Special, "do", 1, kMany},
    {KnownHead::Binding, "doseq", 2, kMany},
    {KnownHead::Call, "dissoc", 2, kMany},
    {KnownHead::Call, "drop", 2, 2},
    {KnownHead::Call, "empty?", 1, 1},
    {KnownHead::Call, "even?", 1, 1},
    {KnownHead::Call, "every?", 2, 2},
    {KnownHead::Call, "fail", 1, 1},
    {KnownHead::Call, "filter", 2, 2},
    {KnownHead::Call, "filterv", 2, 2},
    {KnownHead::Call, "first", 1, 1},
    {KnownHead::Function, "fn", 2, kMany},
    {KnownHead::Binding, "for", 2, 2},
    {KnownHead::Call, "frequencies", 1, 1},
    {KnownHead::Call, "get", 2, 3},
    {KnownHead::Call, "get-in", 2, 3},
    {KnownHead::Call, "group-by", 2, 2},
    {KnownHead::Special, "if", 2, 3},
    {KnownHead::Binding, "if-let", 2, 3},
    {KnownHead::Special, "if-not", 2, 3},
    {KnownHead::Binding, "if-some", 2, 3},
    {KnownHead::Call, "inc", 1, 1},
    {KnownHead::Call, "into", 2, 3},
    {KnownHead::Call, "keep", 2, 2},
    {KnownHead::Call, "keys", 1, 1},
    {KnownHead::Call, "last", 1, 1},
    {KnownHead::Binding, "let", 2, kMany},
    {KnownHead::Binding, "loop", 2, kMany},
    {KnownHead::Call, "map", 2, kMany},
    {KnownHead::Call, "map-indexed", 2, 2},
    {KnownHead::Call, "mapcat", 2, kMany},
    {KnownHead::Call, "mapv", 2, kMany},
    {KnownHead::Call, "max-by", 2, 2},
    {KnownHead::Call, "merge", 1, kMany},
    {KnownHead::Call, "min-by", 2, 2},
    {KnownHead::Call, "mod", 2, 2},
    {KnownHead::Call, "neg?", 1, 1},
    {KnownHead::Call, "nil?", 1, 1},
    {KnownHead::Call, "not", 1, 1},
    {KnownHead::Call, "nth", 2, 3},
    {KnownHead::Call, "odd?", 1, 1},
    {KnownHead::Special, "or", 1, kMany},
    {KnownHead::Call, "pmap", 2, kMany},
    {KnownHead::Call, "pos?", 1, 1},
    {KnownHead::Call, "quot", 2, 2},
    {KnownHead::Call, "range", 1, 3},
    {KnownHead::Special, "recur", 0, kMany},
    {KnownHead::Call, "reduce", 2, 3},
    {KnownHead::Call, "rem", 2, 2},
    {KnownHead::Call, "remove", 2, 2},
    {KnownHead::Call, "rest", 1, 1},
    {KnownHead::Call, "return", 1, 1},
    {KnownHead::Call, "reverse", 1, 1},
    {KnownHead::Call, "second", 1, 1},
    {KnownHead::Call, "select-keys", 2, 2},
    {KnownHead::Call, "seq", 1, 1},
    {KnownHead::Call, "set", 1, 1},
    {KnownHead::Call, "some", 2, 2},
    {KnownHead::Threading, "some->", 2, kMany},
    {KnownHead::Threading, "some->>", 2, kMany},
    {KnownHead::Call, "some?", 1, 1},
    {KnownHead::Call, "sort", 1, 2},
    {KnownHead::Call, "sort-by", 2, 3},
    {KnownHead::Call, "str", 1, kMany},
    {KnownHead::Call, "sum-by", 2, 2},
    {KnownHead::Call, "take", 2, 2},
    {KnownHead::Call, "take-while", 2, 2},
    {KnownHead::Call, "update", 3, kMany},
    {KnownHead::Call, "update-in", 3, kMany},
    {KnownHead::Call, "vals", 1, 1},
    {KnownHead::Call, "vec", 1, 1},
    {KnownHead::Special, "when", 2, kMany},
    {KnownHead::Binding, "when-let", 2, kMany},
    {KnownHead::Special, "when-not", 2, kMany},
    {KnownHead::Binding, "when-some", 2, kMany},
    {KnownHead::Call, "zero?", 1, 1},
};

const KnownHead* find_head(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kHeads), std::end(kHeads), [&](const KnownHead& head) { return head.name == name; });
    return found == std::end(kHeads) ? nullptr : found;
}

constexpr std::string_view kDelimiters = " \t\n\r\f\v,()[]{}\";";
constexpr std::size_t kLongestHead = 11;

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<BracketToken> run() {
        while (at_ < text_.size())
            step();
        return std::move(tokens_);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void step() {
        const char c = text_[at_];
        switch (c) {
        case '\n':
            ++line_;
            line_begin_ = at_ + 1;
            is_first_on_line_ = true;
            ++at_;
            return;
        case ' ':
        case '\t':
        case '\r':
        case '\f':
        case '\v':
        case ',': ++at_; return;
        case ';': at_ = std::min(text_.find('\n', at_), text_.size()); return;
        case '(': return add(BracketToken::Open, 1, ')');
        case '[': return add(BracketToken::Open, 1, ']');
        case '{': return add(BracketToken::Open, 1, '}');
        case ')':
        case ']':
        case '}': return add(BracketToken::Close, 1, c);
        case '"': return add(BracketToken::Literal, string_size(1));
        case '\\': return add(BracketToken::Literal, std::max<std::size_t>(2, run_size(2)));
        case '\'':
        case '@':
        case '`':
        case '~':
        case '^': ++at_; return;
        case '#': return dispatch();
        default: return name();
        }
    }

    void dispatch() {
        switch (peek(1)) {
        case '(':
            add(BracketToken::Open, 2, ')');
            tokens_.back().is_short_fn = true;
            return;
        case '{': return add(BracketToken::Open, 2, '}');
        case '"': return add(BracketToken::Literal, string_size(2));
        case '#': return add(BracketToken::Literal, run_size(2));
        case '_':
        case '\'':
        case '^': at_ += 2; return;
        default: at_ += run_size(1); return;
        }
    }

    void name() {
        const std::size_t size = std::max<std::size_t>(1, run_size(0));
        const std::string_view word = text_.substr(at_, size);
        const char c = word.front();
        if (c == ':') return add(BracketToken::Keyword, size);
        const bool is_number =
            (c >= '0' && c <= '9') || (word.size() > 1 && (c == '-' || c == '+') && word[1] >= '0' && word[1] <= '9');
        if (is_number || word == "nil" || word == "true" || word == "false") return add(BracketToken::Literal, size);
        add(BracketToken::Symbol, size);
        if (word.size() <= kLongestHead) tokens_.back().head = find_head(word);
    }

    /// Bytes from at_ to the next delimiter, looking from at_ + `from`.
    [[nodiscard]] std::size_t run_size(std::size_t from) const {
        return std::min(text_.find_first_of(kDelimiters, at_ + from), text_.size()) - at_;
    }

    [[nodiscard]] std::size_t string_size(std::size_t from) const {
        std::size_t i = at_ + from;
        while (i < text_.size() && text_[i] != '"')
            i += text_[i] == '\\' ? 2 : 1;
        return std::min(i + 1, text_.size()) - at_;
    }

    void add(BracketToken::Kind kind, std::size_t size, char closer = 0) {
        size = std::min(size, text_.size() - at_);
        BracketToken token;
        token.kind = kind;
        token.closer = closer;
        token.is_first_on_line = is_first_on_line_;
        token.begin = static_cast<std::uint32_t>(at_);
        token.end = static_cast<std::uint32_t>(at_ + size);
        token.line = line_;
        token.column = static_cast<std::int32_t>(at_ - line_begin_);
        tokens_.push_back(token);
        is_first_on_line_ = false;
        // A string may hold newlines.
        for (std::size_t i = at_; i < at_ + size; ++i) {
            if (text_[i] != '\n') continue;
            ++line_;
            line_begin_ = i + 1;
        }
        at_ += size;
    }

    std::string_view text_;
    std::vector<BracketToken> tokens_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::uint32_t line_ = 0;
    bool is_first_on_line_ = true;
};

} // namespace

std::vector<BracketToken> scan_brackets(std::string_view text) { return Scanner(text).run(); }

std::deque<KnownHead> find_own_functions(std::string_view text, std::vector<BracketToken>& tokens) {
    std::deque<KnownHead> functions;
    std::unordered_map<std::string_view, const KnownHead*> by_name;
    const auto word = [&](const BracketToken& t) { return text.substr(t.begin, t.end - t.begin); };
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const BracketToken& name = tokens[i + 1];
        if (word(tokens[i]) != "defn" || name.kind != BracketToken::Symbol) continue;
        std::size_t at = i + 2;
        if (tokens[at].kind == BracketToken::Literal) ++at; // a docstring
        if (at >= tokens.size() || tokens[at].kind != BracketToken::Open || tokens[at].closer != ']') continue;
        // Only plain parameters: with a pattern among them a missing bracket could not be told from a nested one.
        std::size_t end = at + 1;
        while (end < tokens.size() && tokens[end].kind == BracketToken::Symbol && word(tokens[end]) != "&")
            ++end;
        if (end == tokens.size() || tokens[end].kind != BracketToken::Close || tokens[end].closer != ']') continue;
        const auto count = static_cast<std::uint8_t>(std::min<std::size_t>(end - at - 1, 250));
        functions.push_back({KnownHead::Call, word(name), count, count});
        by_name[word(name)] = &functions.back();
    }
    if (functions.empty()) return functions;
    for (BracketToken& token : tokens) {
        if (token.kind != BracketToken::Symbol || token.head != nullptr) continue;
        const auto found = by_name.find(word(token));
        if (found != by_name.end()) token.head = found->second;
    }
    return functions;
}

} // namespace ptc
