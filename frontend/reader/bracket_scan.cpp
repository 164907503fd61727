// A text as brackets, names and line starts, for guesses about brackets that are missing or too many. It reads any
// text, well-formed or not, in one pass, and follows the grammar only as far as needed to not mistake what is inside of
// strings, comments and characters for brackets. What it knows of names comes from the caller's Vocabulary.
#include "frontend/reader/bracket_scan.h"
#include "frontend/work.h"

#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

constexpr std::string_view kDelimiters = " \t\n\r\f\v,()[]{}\";\\"; ///< `a\"` is a name and a character
class Scanner {
public:
    Scanner(std::string_view text, const Vocabulary* vocabulary) : text_(text), vocabulary_(vocabulary) {}

    void run(const std::function<bool(const BracketToken&)>& take) {
        while (at_ < text_.size()) {
            has_token_ = false;
            step();
            if (has_token_ && (!work::charge(2) || !take(token_))) return;
        }
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
            token_.is_short_fn = true;
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
        if (vocabulary_) token_.head = vocabulary_->head(word);
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
        token_ = {};
        token_.kind = kind;
        token_.closer = closer;
        token_.is_first_on_line = is_first_on_line_;
        token_.begin = static_cast<std::uint32_t>(at_);
        token_.end = static_cast<std::uint32_t>(at_ + size);
        token_.line = line_;
        token_.column = static_cast<std::int32_t>(at_ - line_begin_);
        has_token_ = true;
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
    const Vocabulary* vocabulary_;
    BracketToken token_; ///< that the newest step has found
    bool has_token_ = false;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::uint32_t line_ = 0;
    bool is_first_on_line_ = true;
};

} // namespace

std::vector<BracketToken> scan_brackets(std::string_view text, const Vocabulary* vocabulary) {
    std::vector<BracketToken> tokens;
    scan_brackets(text, vocabulary, [&](const BracketToken& token) {
        tokens.push_back(token);
        return true;
    });
    return tokens;
}

void scan_brackets(std::string_view text, const Vocabulary* vocabulary,
                   const std::function<bool(const BracketToken&)>& take) {
    Scanner(text, vocabulary).run(take);
}

void find_own_functions(std::string_view text, std::vector<BracketToken>& tokens) {
    std::unordered_map<std::string_view, KnownHead> by_name;
    const auto word = [&](const BracketToken& t) { return text.substr(t.begin, t.end - t.begin); };
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const BracketToken& name = tokens[i + 1];
        if (word(tokens[i]) != "defn" || name.kind != BracketToken::Symbol) continue;
        std::size_t at = i + 2;
        if (tokens[at].kind == BracketToken::Literal) ++at; // a docstring
        if (at >= tokens.size() || tokens[at].kind != BracketToken::Open || tokens[at].closer != ']') continue;
        // Only plain parameters: with a pattern among them a missing bracket would look like a nested one.
        std::size_t end = at + 1;
        while (end < tokens.size() && tokens[end].kind == BracketToken::Symbol && word(tokens[end]) != "&")
            ++end;
        if (end == tokens.size() || tokens[end].kind != BracketToken::Close || tokens[end].closer != ']') continue;
        const auto count = static_cast<std::uint8_t>(std::min<std::size_t>(end - at - 1, 250));
        by_name[word(name)] = {KnownHead::Call, word(name), count, count};
    }
    if (by_name.empty()) return;
    for (BracketToken& token : tokens) {
        if (token.kind != BracketToken::Symbol || token.head) continue;
        const auto found = by_name.find(word(token));
        if (found != by_name.end()) token.head = found->second;
    }
}

} // namespace ptc
