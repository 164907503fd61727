// One pass over the pattern with a stack of open groups, which writes two translations at once. Where an engine lacks a
// construct or defines it differently, it is spelled out (sets as ranges, `[A&&B]` as a look-ahead and a class); where
// a difference shows only for some texts, the translation says for which. What nobody can express is an error that
// names the construct, never a guess.
#include "runtime/regex_syntax.h"
#include "frontend/try.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace ptc {
namespace {

struct CodeRange {
    char32_t first;
    char32_t last;
};

// Sets that the engines lack or define differently; all as in java.util.regex.Pattern without flags.
constexpr CodeRange kSpace[] = {{0x09, 0x0D}, {0x20, 0x20}};
constexpr CodeRange kHorizontalSpace[] = {{0x09, 0x09},     {0x20, 0x20},     {0xA0, 0xA0},
                                          {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200A},
                                          {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
constexpr CodeRange kVerticalSpace[] = {{0x0A, 0x0D}, {0x85, 0x85}, {0x2028, 0x2029}};
constexpr CodeRange kLineEnds[] = {{0x0A, 0x0A}, {0x0D, 0x0D}, {0x85, 0x85}, {0x2028, 0x2029}};
constexpr CodeRange kNewline[] = {{0x0A, 0x0A}};
constexpr CodeRange kDigit[] = {{'0', '9'}};
constexpr CodeRange kWord[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
constexpr CodeRange kLower[] = {{'a', 'z'}};
constexpr CodeRange kUpper[] = {{'A', 'Z'}};
constexpr CodeRange kAscii[] = {{0, 0x7F}};
constexpr CodeRange kAlpha[] = {{'A', 'Z'}, {'a', 'z'}};
constexpr CodeRange kAlnum[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
constexpr CodeRange kPunct[] = {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
constexpr CodeRange kGraph[] = {{'!', '~'}};
constexpr CodeRange kPrint[] = {{' ', '~'}};
constexpr CodeRange kBlank[] = {{0x09, 0x09}, {' ', ' '}};
constexpr CodeRange kCntrl[] = {{0, 0x1F}, {0x7F, 0x7F}};
constexpr CodeRange kXDigit[] = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
constexpr CodeRange kWhiteSpace[] = {{0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                                     {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                     {0x205F, 0x205F}, {0x3000, 0x3000}};

struct NamedSet {
    std::string_view name;
    std::span<const CodeRange> ranges;
};
constexpr NamedSet kPosixSets[] = {
    {"Lower", kLower}, {"Upper", kUpper},
    {"ASCII", kAscii}, {"Alpha", kAlpha},
    {"Digit", kDigit}, {"Alnum", kAlnum},
    {"Punct", kPunct}, {"Graph", kGraph},
    {"Print", kPrint}, {"Blank", kBlank},
    {"Cntrl", kCntrl}, {"XDigit", kXDigit},
    {"Space", kSpace}, {"IsWhite_Space", kWhiteSpace},
};

/// Java's binary properties that are a general category in other words.
struct PropertyAlias {
    std::string_view name;
    std::string_view category;
};
constexpr PropertyAlias kPropertyAliases[] = {
    {"IsLetter", "L"}, {"IsUppercase", "Lu"},  {"IsLowercase", "Ll"}, {"IsTitlecase", "Lt"},
    {"IsDigit", "Nd"}, {"IsPunctuation", "P"}, {"IsControl", "Cc"},
};
constexpr std::string_view kCategories[] = {"C",  "Cc", "Cf", "Co", "Cs", "L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",
                                            "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf",
                                            "Pi", "Po", "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs"};

constexpr bool is_alphabetic(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_decimal(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_pattern_space(char c) { return c == ' ' || (c >= 0x09 && c <= 0x0D); }

void append_code_point(std::string& out, char32_t c) {
    char digits[16];
    char* end = std::to_chars(digits, digits + sizeof digits, static_cast<std::uint32_t>(c), 16).ptr;
    out += "\\x{";
    out.append(digits, end);
    out += '}';
}

void append_ranges(std::string& out, std::span<const CodeRange> ranges) {
    for (CodeRange range : ranges) {
        append_code_point(out, range.first);
        if (range.last == range.first) continue;
        out += '-';
        append_code_point(out, range.last);
    }
}

void append_complement(std::string& out, std::span<const CodeRange> ranges) {
    char32_t next = 0;
    for (CodeRange range : ranges) {
        if (range.first > next) append_ranges(out, std::array{CodeRange{next, range.first - 1}});
        next = range.last + 1;
    }
    append_ranges(out, std::array{CodeRange{next, 0x10FFFF}});
}

struct Flags {
    bool dot_all = false;    // s
    bool multiline = false;  // m
    bool comments = false;   // x
    bool unix_lines = false; // d
};

class Translator {
public:
    explicit Translator(std::string_view pattern) : pattern_(pattern) {}

    Result<TranslatedRegex> run() {
        while (at_ < pattern_.size())
            PTC_CHECK(token());
        if (!groups_.empty()) return error(groups_.back().at, "this group is not closed");
        out_.may_read_ahead = has_loop_ && has_choice_;
        return std::move(out_);
    }

private:
    /// Whether a sequence or one of its alternatives so far can match the empty text.
    struct Emptiness {
        bool sequence = true;
        bool alternatives = false;
        void end_alternative() {
            alternatives |= sequence;
            sequence = true;
        }
        [[nodiscard]] bool any() const { return alternatives || sequence; }
    };
    struct Group {
        std::size_t at;
        Flags outer; ///< restored when it closes
        bool is_assertion = false;
        Emptiness empty;
    };
    Emptiness& emptiness() { return groups_.empty() ? empty_ : groups_.back().empty; }

    // ------------------------------------------------------------ reading

    [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
    }
    bool accept(std::string_view text) {
        if (pattern_.substr(at_, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    [[nodiscard]] Error error(std::size_t at, const std::string& what) const {
        auto begin = static_cast<std::uint32_t>(std::min(at, pattern_.size()));
        Error e(Reason::RuntimeError,
                "Regex `" + std::string(pattern_) + "`, offset " + std::to_string(begin) + ": " + what + ".");
        return e;
    }

    // ------------------------------------------------------------ writing

    void emit(std::string_view text) { emit(text, text); }
    void emit(std::string_view linear, std::string_view backtracking) {
        if (class_text_) { // inside of brackets both are the same
            *class_text_ += linear;
            return;
        }
        out_.linear += linear;
        out_.backtracking += backtracking;
    }
    void emit_literal(char32_t c) {
        std::string text;
        if (c < 0x80 && !is_alphabetic(static_cast<char>(c)) && !is_decimal(static_cast<char>(c))) {
            append_code_point(text, c);
        } else {
            char bytes[4];
            text.assign(bytes, encode_utf8(c, bytes));
        }
        emit(text);
    }
    void emit_set(std::span<const CodeRange> ranges, bool negated, bool in_class) {
        std::string text;
        if (!in_class) text += negated ? "[^" : "[";
        if (in_class && negated)
            append_complement(text, ranges);
        else
            append_ranges(text, ranges);
        if (!in_class) text += ']';
        emit(text);
    }

    // ------------------------------------------------------------ outside of classes

    Result<void> token() {
        std::size_t start = at_;
        char c = pattern_[at_];
        if (flags_.comments && skip_comment()) return {};
        switch (c) {
        case '(': return open_group();
        case ')': return close_group();
        case '|':
            ++at_;
            has_choice_ = true;
            emptiness().end_alternative();
            emit("|");
            return {};
        case '[': PTC_CHECK(char_class()); return quantifier();
        case '.':
            ++at_;
            if (flags_.dot_all)
                emit("(?s:.)");
            else
                emit_set(flags_.unix_lines ? std::span<const CodeRange>(kNewline) : kLineEnds, true, false);
            return quantifier();
        case '^':
            ++at_;
            out_.has_line_anchor |= flags_.multiline;
            emit(flags_.multiline ? "(?m:^)" : "\\A");
            return {};
        case '$':
            ++at_;
            end_anchor();
            return {};
        case '\\': return escape();
        case '*':
        case '+':
        case '?': return error(start, std::string("`") + c + "` has nothing to repeat");
        case '{': return error(start, "`{` has nothing to repeat; a brace itself is written `\\{`");
        default: emit_literal(next_code_point(pattern_, &at_)); return quantifier();
        }
    }

    bool skip_comment() {
        if (is_pattern_space(peek())) {
            ++at_;
            return true;
        }
        if (peek() != '#') return false;
        while (!at_end() && peek() != '\n')
            ++at_;
        return true;
    }

    void end_anchor() {
        if (flags_.multiline) {
            out_.has_line_anchor = true;
            emit("(?m:$)");
        } else {
            out_.has_end_anchor = true;
            emit("\\z", "\\Z");
        }
    }

    Result<void> open_group() {
        std::size_t start = at_++;
        groups_.push_back({start, flags_, false, {}});
        if (peek() == '*') return error(start, "`*` has nothing to repeat");
        if (!accept("?")) {
            out_.group_names.emplace_back();
            emit("(");
            return {};
        }
        if (accept(":")) {
            emit("(?:");
            return {};
        }
        for (std::string_view form : {"=", "!", ">", "<=", "<!"}) {
            if (!accept(form)) continue;
            out_.needs_backtracking = true;
            has_choice_ = true;
            groups_.back().is_assertion = form != ">";
            emit("", "(?" + std::string(form));
            return {};
        }
        return peek() == '<' ? named_group(start) : flag_group(start);
    }

    Result<void> named_group(std::size_t start) {
        ++at_;
        std::size_t name_start = at_;
        while (is_alphabetic(peek()) || is_decimal(peek()))
            ++at_;
        std::string name(pattern_.substr(name_start, at_ - name_start));
        if (name.empty() || is_decimal(name[0]) || !accept(">"))
            return error(start, "a group name is letters and digits, as in `(?<year>..)`");
        if (std::find(out_.group_names.begin(), out_.group_names.end(), name) != out_.group_names.end())
            return error(start, "the group name `" + name + "` is used twice");
        emit("(?P<" + name + ">");
        out_.group_names.push_back(std::move(name));
        return {};
    }

    /// (?i) sets flags up to the end of the enclosing group, (?i:..) for one group.
    Result<void> flag_group(std::size_t start) {
        bool on = true;
        std::string engine_flags; // only `i` is left to the engines
        Flags flags = flags_;
        for (;; ++at_) {
            switch (peek()) {
            case 'i': engine_flags += on ? "i" : "-i"; continue;
            case 's': flags.dot_all = on; continue;
            case 'm': flags.multiline = on; continue;
            case 'x': flags.comments = on; continue;
            case 'd': flags.unix_lines = on; continue;
            case 'u': continue; // case is always folded by Unicode's rules
            case 'U': return error(at_, "the flag U is not supported; write Unicode classes such as `\\p{L}`");
            case '-': on = false; continue;
            case ')':
                ++at_;
                groups_.pop_back();
                flags_ = flags;
                if (!engine_flags.empty()) emit("(?" + engine_flags + ")");
                return {};
            case ':':
                ++at_;
                flags_ = flags;
                emit("(?" + engine_flags + ":");
                return {};
            default: return error(start, "this kind of group does not exist");
            }
        }
    }

    Result<void> close_group() {
        if (groups_.empty()) return error(at_, "`)` has no matching `(`");
        ++at_;
        flags_ = groups_.back().outer;
        const bool can_be_empty = groups_.back().is_assertion || groups_.back().empty.any();
        groups_.pop_back();
        emit(")");
        after_group_ = true;
        Result<void> result = quantifier(can_be_empty);
        after_group_ = false;
        return result;
    }

    /// What may follow an atom: * + ? {n} {n,} {n,m}, then ? (reluctant) or + (possessive). `can_be_empty`: the atom.
    Result<void> quantifier(bool can_be_empty = false) {
        while (flags_.comments && !at_end() && skip_comment()) {
        }
        std::size_t start = at_;
        bool unbounded = false;
        const bool can_be_left_out = peek() == '*' || peek() == '?' || pattern_.substr(at_, 2) == "{0";
        emptiness().sequence &= can_be_empty || can_be_left_out;
        switch (peek()) {
        case '*':
        case '+':
            unbounded = true;
            ++at_;
            break;
        case '?': ++at_; break;
        case '{': PTC_CHECK(counted(&unbounded)); break;
        default: return {};
        }
        // A loop ends with the first round that matches nothing; RE2 goes on with other alternatives, and forgets the
        // round.
        out_.needs_backtracking |= unbounded && can_be_empty;
        has_loop_ |= unbounded;
        has_choice_ |= after_group_;
        emit(pattern_.substr(start, at_ - start));
        if (accept("?")) {
            emit("?");
        } else if (accept("+")) {
            out_.needs_backtracking = true;
            has_choice_ = true;
            emit("+");
        }
        return {};
    }

    Result<void> counted(bool* unbounded) {
        std::size_t start = at_++;
        auto number = [&] {
            std::size_t digits = at_;
            std::uint32_t count = 0;
            constexpr std::uint32_t kMost = 65'535; // as PCRE2 has it
            for (; is_decimal(peek()); ++at_)
                count = std::min(count * 10 + static_cast<std::uint32_t>(peek() - '0'), kMost);
            out_.largest_count = std::max(out_.largest_count, count);
            return at_ > digits;
        };
        bool least = number();
        bool comma = accept(",");
        bool most = comma && number();
        if (!least || !accept("}"))
            return error(start, "a repetition is written `{2}`, `{2,}` or `{2,5}`; a brace itself `\\{`");
        *unbounded = comma && !most;
        return {};
    }

    // ------------------------------------------------------------ escapes

    Result<void> escape() {
        std::size_t start = at_;
        char c = peek(1);
        if (accept("\\Q")) return quoted();
        if (c >= '1' && c <= '9') return back_reference();
        switch (c) {
        case 'b':
        case 'B':
        case 'A':
        case 'z':
            at_ += 2;
            if (c == 'b' && peek() == '{') return error(start, "`\\b{..}` is not supported");
            out_.has_no_boundary |= c == 'B';
            emit(pattern_.substr(start, 2));
            return {};
        case 'Z':
            at_ += 2;
            out_.has_end_anchor = true;
            emit("\\z", "\\Z");
            return {};
        case 'G':
        case 'X':
            at_ += 2;
            out_.needs_backtracking = true;
            has_choice_ = true;
            emit("", pattern_.substr(start, 2));
            return c == 'X' ? quantifier() : Result<void>();
        case 'R':
            at_ += 2;
            emit("(?:\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])");
            has_choice_ = true;
            return quantifier();
        case 'k': return named_reference();
        default: break;
        }
        bool is_set = false;
        PTC_CHECK(set_escape(false, &is_set));
        if (!is_set) emit_literal(PTC_TRY(character_escape()));
        return quantifier();
    }

    Result<void> quoted() {
        while (!at_end() && !accept("\\E")) {
            emit_literal(next_code_point(pattern_, &at_));
            if (at_end() || pattern_.substr(at_, 2) == "\\E") { // the last character may be repeated
                accept("\\E");
                return quantifier();
            }
            emptiness().sequence = false;
        }
        return {};
    }

    /// Java: as many digits as give a group that exists so far.
    Result<void> back_reference() {
        std::size_t start = at_++;
        std::size_t number = static_cast<std::size_t>(peek() - '0');
        ++at_;
        while (is_decimal(peek()) && number * 10 + static_cast<std::size_t>(peek() - '0') <= out_.group_names.size()) {
            number = number * 10 + static_cast<std::size_t>(peek() - '0');
            ++at_;
        }
        if (number > out_.group_names.size())
            return error(start, "there is no group " + std::to_string(number) + " before it");
        out_.needs_backtracking = out_.has_back_reference = true;
        has_choice_ = true;
        emit("", "\\g{" + std::to_string(number) + "}");
        return quantifier(true);
    }

    Result<void> named_reference() {
        std::size_t start = at_;
        at_ += 2;
        std::size_t end = pattern_.find('>', at_);
        if (peek() != '<' || end == std::string_view::npos)
            return error(start, "a named reference is written `\\k<name>`");
        std::string name(pattern_.substr(at_ + 1, end - at_ - 1));
        if (name.empty() || std::find(out_.group_names.begin(), out_.group_names.end(), name) == out_.group_names.end())
            return error(start, "there is no group `" + name + "` before it");
        at_ = end + 1;
        out_.needs_backtracking = out_.has_back_reference = true;
        has_choice_ = true;
        emit("", "\\k<" + name + ">");
        return quantifier(true);
    }

    /// \d \w \s \h \v and their negations, \p{..}.
    Result<void> set_escape(bool in_class, bool* is_set) {
        *is_set = true;
        char c = peek(1);
        switch (c) {
        case 'd':
        case 'D': return simple_set(kDigit, c == 'D', in_class);
        case 'w':
        case 'W': return simple_set(kWord, c == 'W', in_class);
        case 's':
        case 'S': return simple_set(kSpace, c == 'S', in_class);
        case 'h':
        case 'H': return simple_set(kHorizontalSpace, c == 'H', in_class);
        case 'v':
        case 'V': return simple_set(kVerticalSpace, c == 'V', in_class);
        case 'p':
        case 'P': return property(in_class);
        default: *is_set = false; return {};
        }
    }

    Result<void> simple_set(std::span<const CodeRange> ranges, bool negated, bool in_class) {
        at_ += 2;
        emit_set(ranges, negated, in_class);
        return {};
    }

    Result<void> property(bool in_class) {
        std::size_t start = at_;
        bool negated = peek(1) == 'P';
        at_ += 2;
        std::string name(1, peek());
        if (accept("{")) {
            std::size_t end = pattern_.find('}', at_);
            if (end == std::string_view::npos) return error(start, "a property is written `\\p{Name}`");
            name = pattern_.substr(at_, end - at_);
            at_ = end + 1;
        } else {
            ++at_;
        }
        for (const NamedSet& set : kPosixSets) {
            if (set.name != name) continue;
            emit_set(set.ranges, negated, in_class);
            return {};
        }
        if (name == "IsAlphabetic") {
            if (in_class && negated) return error(start, "`\\P{IsAlphabetic}` is not supported inside of brackets");
            emit(in_class ? "\\p{L}\\p{Nl}" : negated ? "[^\\p{L}\\p{Nl}]" : "[\\p{L}\\p{Nl}]");
            return {};
        }
        std::string engine_name = engine_property(name);
        if (engine_name.empty())
            return error(start,
                         "the property `" + name +
                             "` is not supported; use a category such as `L` or `Lu`, or a script such as `IsGreek`");
        emit((negated ? "\\P{" : "\\p{") + engine_name + "}");
        return {};
    }

    /// What both engines call a Java property; they check that a script exists.
    static std::string engine_property(std::string_view name) {
        for (const PropertyAlias& alias : kPropertyAliases)
            if (alias.name == name) return std::string(alias.category);
        for (std::string_view prefix : {"general_category=", "gc=", "script=", "sc=", "Is"}) {
            if (name.substr(0, prefix.size()) != prefix) continue;
            name.remove_prefix(prefix.size());
            break;
        }
        bool category = std::find(std::begin(kCategories), std::end(kCategories), name) != std::end(kCategories);
        bool script = name.size() > 2 && name.substr(0, 2) != "In" && name.substr(0, 4) != "java" &&
                      std::all_of(name.begin(), name.end(), [](char c) { return is_alphabetic(c) || c == '_'; });
        return category || script ? std::string(name) : std::string();
    }

    /// An escape that stands for one character.
    Result<char32_t> character_escape() {
        std::size_t start = at_++;
        if (at_end()) return error(start, "a single `\\` ends the pattern");
        char32_t c = next_code_point(pattern_, &at_);
        switch (c) {
        case 't': return U'\t';
        case 'n': return U'\n';
        case 'r': return U'\r';
        case 'f': return U'\f';
        case 'a': return U'\a';
        case 'e': return char32_t{0x1B};
        case '0': return number_escape(start, 8, 1, 3);
        case 'x':
            if (accept("{")) {
                char32_t value = PTC_TRY(number_escape(start, 16, 1, 6));
                if (!accept("}") || value > 0x10FFFF) return error(start, "a code point is written `\\x{1F600}`");
                return value;
            }
            return number_escape(start, 16, 2, 2);
        case 'u': return utf16_escape(start);
        case 'c': {
            if (at_end()) return error(start, "`\\c` needs a letter");
            return static_cast<char32_t>(pattern_[at_++] ^ 64);
        }
        default: break;
        }
        if (c < 0x80 && is_alphabetic(static_cast<char>(c)))
            return error(start, std::string("the escape `\\") + static_cast<char>(c) + "` does not exist");
        return c;
    }

    Result<char32_t> number_escape(std::size_t start, int base, std::size_t least, std::size_t most) {
        std::uint32_t value = 0;
        std::size_t end = std::min(pattern_.size(), at_ + most);
        auto [stop, status] = std::from_chars(pattern_.data() + at_, pattern_.data() + end, value, base);
        std::size_t n = static_cast<std::size_t>(stop - (pattern_.data() + at_));
        if (status != std::errc() || n < least) return error(start, "a character number is incomplete");
        at_ += n;
        return static_cast<char32_t>(value);
    }

    Result<char32_t> utf16_escape(std::size_t start) {
        char32_t unit = PTC_TRY(number_escape(start, 16, 4, 4));
        if (unit < 0xD800 || unit > 0xDFFF) return unit;
        if (unit > 0xDBFF || !accept("\\u")) return error(start, "half of a surrogate pair");
        char32_t low = PTC_TRY(number_escape(start, 16, 4, 4));
        if (low < 0xDC00 || low > 0xDFFF) return error(start, "half of a surrogate pair");
        return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }

    // ------------------------------------------------------------ classes

    /// What one side of a `&&` holds: the inside of a bracket, and atoms that cannot be written there.
    struct ClassOperand {
        std::string items;
        std::vector<std::string> atoms;
        [[nodiscard]] bool is_plain() const { return atoms.empty(); }
        [[nodiscard]] bool is_empty() const { return items.empty() && atoms.empty(); }
        [[nodiscard]] std::string text() const {
            if (is_plain()) return "[" + items + "]";
            std::string alternatives = "(?:";
            if (!items.empty()) alternatives += "[" + items + "]|";
            for (const std::string& atom : atoms)
                alternatives += atom + "|";
            alternatives.back() = ')';
            return alternatives;
        }
    };
    /// A class as read: its operands, all of which a character must be in.
    struct ClassSet {
        bool negated = false;
        std::vector<ClassOperand> operands;
        [[nodiscard]] bool is_plain() const { return operands.size() == 1 && operands[0].is_plain(); }
        /// Engines have no `&&` and no class in a class: [A&&B] is written (?:(?=A)B), its complement (?:(?!(?=A)B).).
        [[nodiscard]] std::string text() const {
            if (is_plain()) return (negated ? "[^" : "[") + operands[0].items + "]";
            std::string all;
            for (std::size_t i = 0; i + 1 < operands.size(); ++i)
                all += "(?=" + operands[i].text() + ")";
            all += operands.back().text();
            return negated ? "(?:(?!" + all + ")(?s:.))" : "(?:" + all + ")";
        }
    };

    Result<void> char_class() {
        const ClassSet set = PTC_TRY(class_set());
        if (set.is_plain()) {
            emit(set.text());
            return {};
        }
        out_.needs_backtracking = true;
        has_choice_ = true;
        emit("", set.text());
        return {};
    }

    /// From `[` to its `]`.
    Result<ClassSet> class_set() {
        const std::size_t start = at_++;
        ClassSet set;
        set.negated = accept("^");
        set.operands.emplace_back();
        std::string* const outer = class_text_;
        class_text_ = &set.operands.back().items;
        Result<void> read = class_items(start, set);
        class_text_ = outer;
        if (!read.ok()) return read.error();
        return set;
    }

    Result<void> class_items(std::size_t start, ClassSet& set) {
        for (bool first = true;; first = false) {
            if (at_end()) return error(start, "this `[` is not closed");
            if (flags_.comments && skip_comment()) continue;
            if (peek() == ']' && !first) {
                if (set.operands.back().is_empty()) return error(at_, "`&&` needs characters on both sides");
                ++at_;
                return {};
            }
            if (accept("&&")) {
                if (set.operands.back().is_empty()) return error(at_, "`&&` needs characters on both sides");
                set.operands.emplace_back();
                class_text_ = &set.operands.back().items;
                continue;
            }
            if (peek() == '[') {
                PTC_CHECK(nested_class(set.operands.back()));
                continue;
            }
            if (accept("\\Q")) {
                while (!at_end() && !accept("\\E"))
                    emit_literal(next_code_point(pattern_, &at_));
                continue;
            }
            bool is_set = false;
            if (peek() == '\\') PTC_CHECK(set_escape(true, &is_set));
            if (!is_set) PTC_CHECK(class_range());
        }
    }

    /// A member of a union. The items of a plain class are simply items of the outer one.
    Result<void> nested_class(ClassOperand& outer) {
        if (peek(1) == ':') return error(at_, "a POSIX class is written `\\p{Alpha}`");
        ClassSet set = PTC_TRY(class_set());
        if (set.is_plain() && !set.negated)
            outer.items += set.operands[0].items;
        else
            outer.atoms.push_back(set.text());
        return {};
    }

    Result<void> class_range() {
        std::size_t start = at_;
        char32_t first = PTC_TRY(class_character());
        emit_literal(first);
        bool is_range = peek() == '-' && peek(1) != ']' && peek(1) != '[' && at_ + 1 < pattern_.size();
        if (!is_range) return {};
        ++at_;
        if (peek() == '\\' && std::string_view("dDwWsShHvVpP").find(peek(1)) != std::string_view::npos)
            return error(start, "a range ends in a character, not in a class");
        char32_t last = PTC_TRY(class_character());
        if (last < first) return error(start, "this range is empty");
        emit("-");
        emit_literal(last);
        return {};
    }

    Result<char32_t> class_character() {
        if (peek() == '\\') return character_escape();
        return next_code_point(pattern_, &at_);
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    Flags flags_;
    std::vector<Group> groups_;
    Emptiness empty_; ///< outside of groups
    TranslatedRegex out_;
    std::string* class_text_ = nullptr; ///< while a class is read: the items of its operand
    bool after_group_ = false;          ///< the atom before was a group
    bool has_loop_ = false;
    bool has_choice_ = false;
};

} // namespace

Result<TranslatedRegex> translate_regex(std::string_view pattern) { return Translator(pattern).run(); }

} // namespace ptc
