// Taking strings apart and putting other text in: split, split-lines, re-split, replace, replace-first
// (spec 8.3, 8.10).
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/regex.h"
#include "runtime/vector.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace ptc {
namespace {

// ---- delimiters

/// What a string is split at. Most patterns that programs write need no regex engine: the loops for them find the very
/// same places (Java's \s is [ \t\n\x0B\f\r]).
struct Delimiter {
    enum class Kind : std::uint8_t { Graphemes, Literal, Space, Spaces, Lines, Regex };
    Kind kind = Kind::Regex;
    std::string literal; ///< of Kind::Literal
};

constexpr std::array<bool, 256> kIsSpace = [] {
    std::array<bool, 256> table{};
    for (unsigned char c : {' ', '\t', '\n', '\x0B', '\f', '\r'})
        table[c] = true;
    return table;
}();

/// The text that `pattern` matches when that is one text only, escapes resolved; nothing for a real pattern.
std::optional<std::string> literal_of_pattern(std::string_view pattern) {
    constexpr std::string_view kMeta = ".*+?|()[]{}^$";
    std::string literal;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        if (c == '\\') {
            if (++i == pattern.size()) return std::nullopt;
            c = pattern[i];
            if (c == 'n')
                c = '\n';
            else if (c == 't')
                c = '\t';
            else if (c == 'r')
                c = '\r';
            else if (!std::ispunct(static_cast<unsigned char>(c)))
                return std::nullopt;
        } else if (kMeta.find(c) != std::string_view::npos) {
            return std::nullopt;
        }
        literal += c;
    }
    return literal;
}

Delimiter delimiter_of_regex(std::string_view pattern) {
    using Kind = Delimiter::Kind;
    if (pattern.empty()) return {Kind::Graphemes, {}};
    if (pattern == "\\s+") return {Kind::Spaces, {}};
    if (pattern == "\\s") return {Kind::Space, {}};
    if (pattern == "\\r?\\n") return {Kind::Lines, {}};
    if (auto literal = literal_of_pattern(pattern)) return {Kind::Literal, std::move(*literal)};
    return {Kind::Regex, {}};
}

/// Finds the places that a Delimiter matches, one after the other.
class DelimiterSearch {
public:
    /// `regex` is looked at for Kind::Regex only. All must outlive the search.
    DelimiterSearch(Heap& heap, const Delimiter& delimiter, const Value& regex, std::string_view text)
        : heap_(heap), delimiter_(delimiter), text_(text) {
        if (delimiter.kind == Delimiter::Kind::Regex) regex_search_.emplace(heap, regex, text);
    }
    /// The next place; false when there is none. Pays for the text that it passes.
    Result<bool> next(ByteRange& match) {
        const std::size_t from = from_;
        const bool found = PTC_TRY(find(match));
        if (!regex_search_) PTC_CHECK(charge_bytes_of_work(heap_, (found ? from_ : text_.size()) - from));
        return found;
    }

private:
    Result<bool> find(ByteRange& match) {
        switch (delimiter_.kind) {
        case Delimiter::Kind::Regex: {
            bool found = PTC_TRY(regex_search_->next());
            if (found) match = regex_search_->match();
            return found;
        }
        case Delimiter::Kind::Graphemes: // between any two, and at the end
            if (from_ == text_.size()) return false;
            from_ = next_grapheme(heap_, text_, from_);
            match = {from_, from_};
            return true;
        case Delimiter::Kind::Literal: {
            std::size_t at = delimiter_.literal.size() == 1 ? text_.find(delimiter_.literal[0], from_)
                                                            : find_text(text_, delimiter_.literal, from_);
            return found(match, at, at + delimiter_.literal.size());
        }
        case Delimiter::Kind::Space:
        case Delimiter::Kind::Spaces: return next_space(match);
        case Delimiter::Kind::Lines: return next_line_break(match);
        }
        return false;
    }

    bool found(ByteRange& match, std::size_t begin, std::size_t end) {
        if (begin == std::string_view::npos) return false;
        match = {begin, end};
        from_ = end;
        return true;
    }
    bool next_space(ByteRange& match) {
        auto is_space = [&](std::size_t i) { return kIsSpace[static_cast<unsigned char>(text_[i])]; };
        std::size_t begin = from_;
        while (begin < text_.size() && !is_space(begin))
            ++begin;
        if (begin == text_.size()) return false;
        std::size_t end = begin + 1;
        if (delimiter_.kind == Delimiter::Kind::Spaces) {
            while (end < text_.size() && is_space(end))
                ++end;
        }
        return found(match, begin, end);
    }
    bool next_line_break(ByteRange& match) {
        std::size_t at = text_.find('\n', from_);
        if (at == std::string_view::npos) return false;
        return found(match, at > from_ && text_[at - 1] == '\r' ? at - 1 : at, at + 1);
    }

    Heap& heap_;
    const Delimiter& delimiter_;
    std::string_view text_;
    std::size_t from_ = 0;
    std::optional<RegexSearch> regex_search_;
};

// ---- split

/// Collects the parts of a string. Empty parts at the end are kept back until one follows that is not empty.
class Parts {
public:
    Parts(Heap& heap, const Value& string) : heap_(heap), string_(string), vector_(heap) {}
    Result<void> add(std::size_t begin, std::size_t end) {
        if (!heap_.meter.charge(1)) return heap_.meter.error();
        if (begin == end) {
            ++empty_at_end_;
            return {};
        }
        if (empty_at_end_ > 0) PTC_CHECK(flush_empty());
        if (!vector_.push(PTC_TRY(part_of(heap_, string_, begin, end)))) return heap_.out_of_memory();
        return {};
    }
    Result<Value> finish(bool keep_empty_at_end) {
        if (keep_empty_at_end) PTC_CHECK(flush_empty());
        return vector_.finish();
    }

private:
    Result<void> flush_empty() {
        if (empty_at_end_ == 0) return {};
        Value empty = PTC_TRY(make_string(heap_, {}));
        for (; empty_at_end_ > 0; --empty_at_end_) {
            if (!vector_.push(empty.copy())) return heap_.out_of_memory();
        }
        return {};
    }

    Heap& heap_;
    const Value& string_;
    VectorBuilder vector_;
    std::size_t empty_at_end_ = 0;
};

/// As Java's Pattern.split: at most `limit` parts when it is positive; 0 drops empty parts at the end. An empty match
/// at the start splits nothing off.
Result<Value> split_string(Heap& heap, const Value& string, const Delimiter& delimiter, const Value& regex,
                           std::int64_t limit) {
    std::string_view text = text_of(string);
    Parts parts(heap, string);
    DelimiterSearch search(heap, delimiter, regex, text);
    std::size_t begin = 0;
    bool is_split = false;
    ByteRange match;
    for (std::int64_t count = 1; limit <= 0 || count < limit;) {
        if (!PTC_TRY(search.next(match))) break;
        if (match.end == 0) continue;
        PTC_CHECK(parts.add(begin, match.begin));
        begin = match.end;
        is_split = true;
        ++count;
    }
    PTC_CHECK(parts.add(begin, text.size()));
    return parts.finish(limit != 0 || !is_split);
}

/// The delimiter of `split`, argument 2: a regex, a character, or "" for between all characters.
Result<Delimiter> split_delimiter(const Call& call, Args args) {
    if (args[1].is(ObjectType::Regex)) return delimiter_of_regex(regex_source(args[1]));
    if (!args[1].is_string()) {
        Error error = argument_error(call, args, 2, "a regex or a character");
        return std::move(error).with_hint("Write e.g. (split s #\",\").");
    }
    std::string_view text = text_of(args[1]);
    if (text.empty()) return Delimiter{Delimiter::Kind::Graphemes, {}};
    const bool is_one = is_character(call.heap, args[1]);
    if (call.heap.meter.has_run_out()) return call.heap.meter.error();
    if (!is_one) return split_by_text(text); // DIV-50
    return Delimiter{Delimiter::Kind::Literal, std::string(text)};
}

Result<Value> call_split(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    Delimiter delimiter = PTC_TRY(split_delimiter(call, args));
    std::int64_t limit = args.size() == 3 ? PTC_TRY(index_argument(call, args, 3)) : 0;
    return split_string(call.heap, args[0], delimiter, args[1], limit);
}

Result<Value> call_split_lines(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    return split_string(call.heap, args[0], {Delimiter::Kind::Lines, {}}, args[0], 0);
}

Result<Value> call_re_split(Call& call, Args args) {
    if (!args[0].is(ObjectType::Regex)) return argument_error(call, args, 1, "a regex");
    PTC_CHECK(text_argument(call, args, 2));
    return split_string(call.heap, args[1], delimiter_of_regex(regex_source(args[0])), args[0], -1);
}

// ---- replace

enum class Occurrences : bool { First, All };

/// The replacement text of a regex match, in which $1, ${name} and \ have Java's meaning (GAP-S73). Read once, used for
/// every match.
class Template {
public:
    static Result<Template> read(const Call& call, std::string_view text, const Value& regex) {
        Template result;
        const char* who = call.who();
        for (std::size_t i = 0; i < text.size();) {
            if (text[i] == '\\') {
                if (i + 1 == text.size()) return malformed_replacement(who, text, "a \\ stands at the end");
                std::size_t end = next_grapheme(text, i + 1);
                result.add_literal(text.substr(i + 1, end - i - 1));
                i = end;
            } else if (text[i] == '$') {
                i = PTC_TRY(result.add_reference(who, text, i + 1, regex));
            } else {
                std::size_t end = std::min(text.find_first_of("\\$", i), text.size());
                result.add_literal(text.substr(i, end - i));
                i = end;
            }
        }
        return result;
    }
    bool append_to(StringBuilder& out, std::string_view text, std::span<const ByteRange> groups) const {
        for (const Part& part : parts_) {
            std::string_view piece = part.literal;
            if (part.group != kLiteral)
                piece = groups[part.group].matched() ? groups[part.group].of(text) : std::string_view{};
            if (!piece.empty() && !out.append(piece)) return false;
        }
        return true;
    }
    Template() = default;
    [[nodiscard]] std::size_t part_count() const { return parts_.size(); }

private:
    static constexpr std::size_t kLiteral = SIZE_MAX;
    struct Part {
        std::size_t group = kLiteral;
        std::string_view literal;
    };
    void add_literal(std::string_view text) { parts_.push_back({kLiteral, text}); }

    /// Reads what follows a `$` at `i`; gives the offset behind it.
    Result<std::size_t> add_reference(const char* who, std::string_view text, std::size_t i, const Value& regex) {
        if (i < text.size() && text[i] == '{') {
            std::size_t end = text.find('}', i);
            if (end == std::string_view::npos) return malformed_replacement(who, text, "a ${ has no }");
            std::string_view name = text.substr(i + 1, end - i - 1);
            std::size_t group = regex_group_number(regex, name);
            if (group == 0) return unknown_group(who, name, regex_source(regex));
            parts_.push_back({group, {}});
            return end + 1;
        }
        auto is_digit_at = [&](std::size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
        if (!is_digit_at(i)) return malformed_replacement(who, text, "a $ is not followed by a group number or {name}");
        std::size_t group_count = regex_group_count(regex);
        auto group = static_cast<std::size_t>(text[i] - '0');
        if (group > group_count) return unknown_group(who, text.substr(i, 1), regex_source(regex));
        // More digits belong to the number as long as a group of that number exists.
        for (++i; is_digit_at(i); ++i) {
            std::size_t longer = group * 10 + static_cast<std::size_t>(text[i] - '0');
            if (longer > group_count) break;
            group = longer;
        }
        parts_.push_back({group, {}});
        return i;
    }

    std::vector<Part> parts_;
};

/// Copies text with parts replaced into a builder, paying as it goes. Nothing is copied before the first replacement.
class Rewriter {
public:
    Rewriter(Heap& heap, std::string_view text) : heap_(heap), text_(text), out_(heap) {}
    [[nodiscard]] StringBuilder& out() { return out_; }
    /// Copies the text up to `end`, which is where the next replacement goes.
    Result<void> copy_up_to(std::size_t end) {
        if (end > done_ && !out_.append(text_.substr(done_, end - done_))) return out_.error();
        done_ = end;
        return {};
    }
    /// The part up to `end` has been replaced by what `out()` got.
    Result<void> skip_to(std::size_t end) {
        done_ = end;
        is_changed_ = true;
        auto grown = static_cast<std::int64_t>((out_.size() - paid_) / 8 + 1);
        paid_ = out_.size();
        if (!heap_.meter.charge(grown)) return heap_.meter.error();
        return {};
    }
    /// The new string; `unchanged` when nothing was replaced.
    Result<Value> finish(Value unchanged) {
        if (!is_changed_) return unchanged;
        PTC_CHECK(copy_up_to(text_.size()));
        return out_.finish();
    }

private:
    Heap& heap_;
    std::string_view text_;
    StringBuilder out_;
    std::size_t done_ = 0;
    std::size_t paid_ = 0;
    bool is_changed_ = false;
};

Result<Value> replace_text(Call& call, Args args, Occurrences occurrences) {
    std::string_view text = text_of(args[0]);
    std::string_view part = text_of(args[1]);
    std::string_view replacement = text_of(args[2]);
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    Rewriter rewriter(call.heap, text);
    for (std::size_t at = find_text(text, part); at != std::string_view::npos;) {
        PTC_CHECK(rewriter.copy_up_to(at));
        if (!replacement.empty() && !rewriter.out().append(replacement)) return rewriter.out().error();
        PTC_CHECK(rewriter.skip_to(at + part.size()));
        if (occurrences == Occurrences::First) break;
        if (!part.empty())
            at = find_text(text, part, at + part.size());
        else
            at = at < text.size() ? next_grapheme(call.heap, text, at)
                                  : std::string_view::npos; // "" is before, between and behind
    }
    return rewriter.finish(std::move(args[0]));
}

constexpr std::size_t kFreeParts = 16; ///< of a replacement, written for nothing with each match

Result<Value> replace_regex(Call& call, Args args, Occurrences occurrences) {
    std::string_view text = text_of(args[0]);
    const std::string_view written = text_of(args[2]);
    if (written.size() > kFreeBytes) PTC_CHECK(charge_bytes_of_work(call.heap, 8 * written.size()));
    Template replacement = PTC_TRY(Template::read(call, written, args[1]));
    Rewriter rewriter(call.heap, text);
    RegexSearch search(call.heap, args[1], text);
    while (PTC_TRY(search.next())) {
        PTC_CHECK(rewriter.copy_up_to(search.match().begin));
        if (replacement.part_count() > kFreeParts)
            PTC_CHECK(charge_bytes_of_work(call.heap, 2 * replacement.part_count()));
        if (!replacement.append_to(rewriter.out(), text, search.groups())) return rewriter.out().error();
        PTC_CHECK(rewriter.skip_to(search.match().end));
        if (occurrences == Occurrences::First) { // nobody has looked at the rest
            const std::size_t rest = text.size() - search.match().end;
            if (rest > kFreeBytes) PTC_CHECK(charge_bytes_of_work(call.heap, rest));
            break;
        }
    }
    return rewriter.finish(std::move(args[0]));
}

Result<Value> replace_in_string(Call& call, Args args, Occurrences occurrences) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    bool by_regex = args[1].is(ObjectType::Regex);
    if (!by_regex && !args[1].is_string()) return argument_error(call, args, 2, "a string or a regex");
    if (!args[2].is_string()) {
        Error error = argument_error(call, args, 3, "a string");
        if (args[2].is_function() && !by_regex)
            return std::move(error).with_hint("Only a regex can be replaced by a function.");
        return error;
    }
    return by_regex ? replace_regex(call, args, occurrences) : replace_text(call, args, occurrences);
}

/// (replace smap coll) of clojure.core: items at which `get` finds something in smap become that.
Result<Value> replace_items(Call& call, Args args) {
    const Value& replacements = args[0];
    if (!replacements.is_map() && !replacements.is_vector() && !replacements.is_nil()) {
        Error error = argument_error(call, args, 1, "a map");
        return std::move(error).with_hint("For a string write (replace s what by).");
    }
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    VectorReader reader(items);
    VectorBuilder result(call.heap);
    PTC_CHECK(charge(call, 2 * reader.size()));
    if (!result.reserve(reader.size())) return call.heap.out_of_memory();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        Value item = reader.at(i);
        Value replacement;
        bool found = PTC_TRY(lookup(call.heap, replacements, item, &replacement));
        if (!result.push(found ? std::move(replacement) : std::move(item))) return call.heap.out_of_memory();
    }
    return result.finish();
}

Result<Value> call_replace(Call& call, Args args) {
    return args.size() == 2 ? replace_items(call, args) : replace_in_string(call, args, Occurrences::All);
}

Result<Value> call_replace_first(Call& call, Args args) { return replace_in_string(call, args, Occurrences::First); }

Result<Value> call_re_quote_replacement(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view text = text_of(args[0]);
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    Rewriter rewriter(call.heap, text);
    for (std::size_t at = text.find_first_of("\\$"); at != std::string_view::npos;
         at = text.find_first_of("\\$", at + 1)) {
        PTC_CHECK(rewriter.copy_up_to(at));
        if (!rewriter.out().append('\\') || !rewriter.out().append(text[at])) return rewriter.out().error();
        PTC_CHECK(rewriter.skip_to(at + 1));
    }
    return rewriter.finish(std::move(args[0]));
}

// ---- Java's methods, in which a text is a regex

/// Argument `position` as a regex: a regex, or the pattern of one.
Result<void> pattern_argument(Call& call, Args args, std::size_t position) {
    Value& pattern = args[position - 1];
    if (pattern.is(ObjectType::Regex)) return {};
    if (!pattern.is_string()) return argument_error(call, args, position, "the pattern of a regex, a string");
    pattern = PTC_TRY(make_regex(call.heap, text_of(pattern)));
    return {};
}

Result<Value> call_split_method(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    PTC_CHECK(pattern_argument(call, args, 2));
    const std::int64_t limit = args.size() == 3 ? PTC_TRY(index_argument(call, args, 3)) : 0;
    return split_string(call.heap, args[0], delimiter_of_regex(regex_source(args[1])), args[1], limit);
}

template <Occurrences Which> Result<Value> call_replace_pattern(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    PTC_CHECK(pattern_argument(call, args, 2));
    PTC_CHECK(text_argument(call, args, 3));
    return replace_regex(call, args, Which);
}

Result<Value> call_replace_literal(Call& call, Args args) {
    for (std::size_t position = 1; position <= 3; ++position)
        PTC_CHECK(text_argument(call, args, position));
    return replace_text(call, args, Occurrences::All);
}

Result<Value> call_matches(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    PTC_CHECK(pattern_argument(call, args, 2));
    RegexSearch search(call.heap, args[1], text_of(args[0]));
    return Value::boolean(PTC_TRY(search.full_match()));
}

constexpr Builtin kRows[] = {
    {.name = "split",
     .usage = "(split s re) (split s re limit)",
     .doc = "The parts of s between the matches of re, a regex or a single character; \"\" splits into characters. "
            "Empty parts "
            "at the end are dropped. A positive limit gives at most that many parts; a negative one keeps empty parts.",
     .example = {"(split \"a1b22c\" #\"\\d+\")", "[\"a\" \"b\" \"c\"]"},
     .category = Category::String,
     .work = Work::Pattern,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_split,
     .differs = "A one-character string is taken as a delimiter too; a longer one is a type_error (DIV-50)."},
    {.name = "split-lines",
     .usage = "(split-lines s)",
     .doc = "The lines of s, without \\n or \\r\\n. Empty lines at the end are dropped.",
     .example = {"(split-lines \"a\\r\\nb\\n\")", "[\"a\" \"b\"]"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kText},
     .model = BoundModel::Lines,
     .call = call_split_lines},
    {.name = "re-split",
     .usage = "(re-split re s)",
     .doc = "The parts of s between the matches of re, empty parts at the end included.",
     .example = {"(re-split #\",\" \"a,b,\")", "[\"a\" \"b\" \"\"]"},
     .category = Category::Regex,
     .work = Work::Pattern,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_re_split,
     .differs = "Not in Clojure; like (split s re -1)."},
    {.name = "replace",
     .usage = "(replace s match replacement) (replace smap coll)",
     .doc = "s with every match, a string or a regex, replaced; after a regex $1 stands for a group. With a map and a "
            "collection: the items that are keys of the map become their values.",
     .example = {"(replace \"a1\" #\"(\\d)\" \"<$1>\")", "\"a<1>\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_replace},
    {.name = "replace-first",
     .usage = "(replace-first s match replacement)",
     .doc = "s with the first match, a string or a regex, replaced.",
     .example = {"(replace-first \"aa\" \"a\" \"b\")", "\"ba\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_replace_first},
    {.name = "re-quote-replacement",
     .usage = "(re-quote-replacement s)",
     .doc = "s so that replace with a regex puts it in literally: $ and \\ escaped.",
     .example = {"(replace \"a1\" #\"\\d\" (re-quote-replacement \"$\"))", "\"a$\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_re_quote_replacement},
    {.name = ".split",
     .usage = "(.split s re) (.split s re limit)",
     .doc = "The parts of s between the matches of a regex, which may be a string; empty parts at the end are dropped.",
     .example = {"(.split \"a, b\" \", *\")", "[\"a\" \"b\"]"},
     .category = Category::Interop,
     .work = Work::Pattern,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_split_method,
     .differs = "Gives a vector, not an array."},
    {.name = ".replace",
     .usage = "(.replace s part replacement)",
     .doc = "s with every occurrence of part replaced.",
     .example = {"(.replace \"a.b\" \".\" \"-\")", "\"a-b\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_replace_literal},
    {.name = ".replaceAll",
     .usage = "(.replaceAll s re replacement)",
     .doc = "s with every match of a regex, which may be a string, replaced; $1 stands for a group.",
     .example = {"(.replaceAll \"a1b2\" \"[0-9]\" \"#\")", "\"a#b#\""},
     .category = Category::Interop,
     .work = Work::Pattern,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_replace_pattern<Occurrences::All>},
    {.name = ".replaceFirst",
     .usage = "(.replaceFirst s re replacement)",
     .doc = "s with the first match of a regex, which may be a string, replaced.",
     .example = {"(.replaceFirst \"a1b2\" \"[0-9]\" \"#\")", "\"a#b2\""},
     .category = Category::Interop,
     .work = Work::Pattern,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_replace_pattern<Occurrences::First>},
    {.name = ".matches",
     .usage = "(.matches s re)",
     .doc = "True if a regex, which may be a string, matches all of s.",
     .example = {"(.matches \"12\" \"[0-9]+\")", "true"},
     .category = Category::Interop,
     .work = Work::Pattern,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_matches},
};

} // namespace

std::span<const Builtin> splitting_builtins() { return kRows; }

} // namespace ptc
