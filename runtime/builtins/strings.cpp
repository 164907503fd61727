// Functions on strings (spec 8.3, clojure.string). Indexes and lengths count graphemes (DIV-36), searching looks at
// bytes: places are converted only where a program sees them. What is out of range is cut back to what there is
// (DIV-22). Searches charge for the bytes that they looked at, not for those that they were given.
#include "frontend/try.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/qualified_name.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <array>
#include <bitset>

namespace ptc {
namespace {

/// The part of `string` between byte offsets; the string itself when that is all of it. What is skipped costs a unit
/// for each 8 bytes, of which `paid` are paid.
Result<Value> cut(Heap& heap, Value string, std::size_t begin, std::size_t end, std::size_t paid) {
    std::size_t size = text_of(string).size();
    if (begin == 0 && end == size) return string;
    PTC_CHECK(charge_bytes_of_work(heap, size - (end - begin) - 8 * paid));
    return part_of(heap, string, begin, end);
}

Result<Value> call_trim(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    std::string_view rest = PTC_TRY(trim_start(call.heap, text));
    std::size_t begin = text.size() - rest.size();
    std::size_t size = PTC_TRY(trim_end(call.heap, rest)).size();
    return cut(call.heap, std::move(args[0]), begin, begin + size, begin / 8 + (rest.size() - size) / 8);
}

Result<Value> call_triml(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    std::size_t begin = text.size() - PTC_TRY(trim_start(call.heap, text)).size();
    return cut(call.heap, std::move(args[0]), begin, text.size(), begin / 8);
}

Result<Value> call_trimr(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    std::size_t end = PTC_TRY(trim_end(call.heap, text)).size();
    return cut(call.heap, std::move(args[0]), 0, end, (text.size() - end) / 8);
}

Result<Value> call_trim_newline(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PieceMeter pay(call.heap, text.size(), text.size() / 8);
    std::size_t end = text.size();
    for (; end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r'); --end)
        if (!pay.reach(text.size() - end)) return call.heap.meter.error();
    const std::size_t units = (text.size() - end) / 8;
    if (!pay.finish_at(units)) return call.heap.meter.error();
    return cut(call.heap, std::move(args[0]), 0, end, units);
}

Result<Value> call_blank(Call& call, Args args) {
    if (args[0].is_nil()) return Value::boolean(true);
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    return Value::boolean(PTC_TRY(trim_start(call.heap, text)).empty());
}

// ---- upper and lower case

Result<Value> call_upper_case(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    return to_upper(call.heap, args[0]);
}

Result<Value> call_lower_case(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    return to_lower(call.heap, args[0]);
}

Result<Value> call_upcase(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    return to_upper(call.heap, args[0]);
}

Result<Value> call_downcase(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    return to_lower(call.heap, args[0]);
}

Result<Value> call_capitalize(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    return to_capitalized(call.heap, args[0]);
}

// ---- parts and their places

/// The usual case: whole numbers, and a string that is all ASCII, whose places are bytes.
bool is_plain_subs(Args args) {
    return args[0].is_string() && is_ascii_string(args[0]) && args[1].is_small_integer() &&
           (args.size() == 2 || args[2].is_small_integer());
}
Result<Value> plain_subs(Heap& heap, Args args) {
    const std::string_view text = text_of(args[0]);
    const auto length = static_cast<std::int64_t>(text.size());
    const std::int64_t start = args[1].small_integer();
    const std::int64_t end = args.size() == 3 ? std::min(args[2].small_integer(), length) : length;
    if (start < 0 || end <= start) return shared_string(std::string_view());
    if (start == 0 && end == length) return std::move(args[0]);
    if (!heap.meter.charge((end - start) / 8)) return heap.meter.error();
    return make_ascii_string(heap, text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
}

Result<Value> call_subs(Call& call, Args args) {
    if (is_plain_subs(args)) return plain_subs(call.heap, args);
    PTC_CHECK(text_argument(call, args, 1));
    auto length = static_cast<std::int64_t>(grapheme_count(call.heap, args[0]));
    std::int64_t start = PTC_TRY(index_argument(call, args, 2));
    std::int64_t end = length;
    if (args.size() == 3) end = std::min(PTC_TRY(index_argument(call, args, 3)), length);
    // DIV-22: out of range gives what is there, and a negative start (an .indexOf that found nothing) gives "".
    if (start < 0 || end <= start) return make_string(call.heap, {});
    if (start == 0 && end == length) return std::move(args[0]);
    return substring(call.heap, args[0], static_cast<std::size_t>(start), static_cast<std::size_t>(end));
}

Result<Value> call_starts_with(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view prefix = PTC_TRY(text_argument(call, args, 2));
    charge_reading(call.heap, prefix.size());
    return Value::boolean(text_of(args[0]).starts_with(prefix));
}

Result<Value> call_ends_with(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view suffix = PTC_TRY(text_argument(call, args, 2));
    charge_reading(call.heap, suffix.size());
    return Value::boolean(text_of(args[0]).ends_with(suffix));
}

/// Where `part` first occurs at or after byte `from`; npos when it does not. Pays for what it has looked at only, so
/// that walking through a long text from match to match stays linear.
Result<std::size_t> search(Heap& heap, std::string_view text, std::string_view part, std::size_t from) {
    std::size_t at = find_text(text, part, from);
    PTC_CHECK(charge_bytes_of_work(heap, std::min(at, text.size()) - std::min(from, text.size())));
    PTC_CHECK(charge_needle(heap, part));
    return at;
}

Result<Value> call_includes(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view part = PTC_TRY(text_argument(call, args, 2));
    return Value::boolean(PTC_TRY(search(call.heap, text_of(args[0]), part, 0)) != std::string_view::npos);
}

/// The byte offset of grapheme `index` of argument 1; the size when that is past the end.
Result<std::size_t> offset_of(Call& call, Args args, std::int64_t index) {
    if (index <= 0) return std::size_t{0};
    return grapheme_offset(call.heap, args[0], static_cast<std::size_t>(index));
}

/// The grapheme index of the match at byte `at` of argument 1, or nil.
Result<Value> match_index(Call& call, Args args, std::size_t at) {
    if (at == std::string_view::npos) return Value();
    return Value::small_integer(static_cast<std::int64_t>(grapheme_index(call.heap, args[0], at)));
}

Result<Value> call_index_of(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view part = PTC_TRY(text_argument(call, args, 2));
    std::size_t from = 0;
    if (args.size() == 3) from = PTC_TRY(offset_of(call, args, PTC_TRY(index_argument(call, args, 3))));
    return match_index(call, args, PTC_TRY(search(call.heap, text_of(args[0]), part, from)));
}

Result<Value> call_last_index_of(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    std::string_view part = PTC_TRY(text_argument(call, args, 2));
    std::size_t from = std::string_view::npos;
    if (args.size() == 3) {
        std::int64_t index = PTC_TRY(index_argument(call, args, 3));
        if (index < 0) return Value(); // GAP-S80
        from = PTC_TRY(offset_of(call, args, index));
    }
    return match_index(call, args, PTC_TRY(find_last_text(call.heap, text_of(args[0]), part, from)));
}

Result<Value> call_reverse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PieceMeter pay(call.heap, text.size(), text.size() * 2 / 8);
    char* out = nullptr;
    Value result = PTC_TRY(make_string_buffer(call.heap, text.size(), &out));
    if (is_ascii_string(args[0])) {
        std::reverse_copy(text.begin(), text.end(), out);
    } else {
        out += text.size();
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = next_grapheme(call.heap, text, at);
            out -= end - at;
            std::memcpy(out, text.data() + at, end - at);
            at = end;
            if (!pay.reach(at)) return call.heap.meter.error();
        }
    }
    if (!pay.finish()) return call.heap.meter.error();
    finish_string(result);
    return result;
}

/// Appends the graphemes of a text with replacements for those that are keys of a map. Looks each ASCII character up
/// once.
class Escaper {
public:
    Escaper(Heap& heap, const Value& map) : heap_(heap), map_(map) {}
    Result<Value> escape(const Value& string) {
        std::string_view text = text_of(string);
        for (std::size_t at = 0; at < text.size();) {
            if (const std::size_t plain = plain_size(text.substr(at, kMeterPiece), is_ascii_string(string))) {
                if (!out_.append(text.substr(at, plain))) return text_failure(heap_);
                if (!heap_.meter.charge(static_cast<std::int64_t>(plain))) return heap_.meter.error();
                at += plain;
                continue;
            }
            std::size_t end = is_ascii_string(string) ? at + 1 : next_grapheme(heap_, text, at);
            std::string_view grapheme = text.substr(at, end - at);
            if (grapheme.size() > kFreeBytes) PTC_CHECK(charge_bytes_of_work(heap_, grapheme.size() * 2));
            const Value* replacement = PTC_TRY(find(grapheme));
            if (!(replacement ? append_str(out_, heap_, *replacement) : out_.append(grapheme))) {
                return text_failure(heap_);
            }
            if (!heap_.meter.charge(1)) return heap_.meter.error();
            at = end;
        }
        return out_.finish();
    }

private:
    /// How many characters at the start are known to stay as they are.
    [[nodiscard]] std::size_t plain_size(std::string_view ascii, bool is_ascii) const {
        const auto is_plain = [this](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return seen_[byte] && !cache_[byte];
        };
        if (!is_ascii) return 0;
        return static_cast<std::size_t>(std::find_if_not(ascii.begin(), ascii.end(), is_plain) - ascii.begin());
    }
    Result<const Value*> find(std::string_view grapheme) {
        auto byte = static_cast<unsigned char>(grapheme[0]);
        bool is_cached = grapheme.size() == 1 && byte < 128;
        if (is_cached && seen_[byte]) return cache_[byte];
        Value key = PTC_TRY(make_string(heap_, grapheme));
        const Value* found = map_find(heap_, map_, key);
        if (found && found->is_nil()) found = nullptr; // Clojure: no replacement
        if (is_cached) {
            seen_[byte] = true;
            cache_[byte] = found;
        }
        return found;
    }

    Heap& heap_;
    const Value& map_;
    StringBuilder out_{heap_};
    std::bitset<128> seen_;
    std::array<const Value*, 128> cache_{};
};

Result<Value> call_escape(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    if (!args[1].is_map()) {
        Error error = argument_error(call, args, 2, "a map from characters to their replacements");
        return std::move(error).with_hint("Write e.g. (escape s {\\< \"&lt;\" \\& \"&amp;\"}).");
    }
    return Escaper(call.heap, args[1]).escape(args[0]);
}

Result<Value> call_name(Call& call, Args args) {
    if (args[0].is_string()) return std::move(args[0]);
    // DIV-19: a quoted name refers to something; programs cannot look into it.
    if (args[0].is(ObjectType::Symbol)) {
        return runtime_failure(call.who(), "a quoted symbol has no name of its own")
            .with_hint("Use a keyword, (name :abc), or the string itself.");
    }
    if (!args[0].is_keyword()) {
        Error error = argument_error(call, args, 1, "a keyword or a string");
        return std::move(error).with_hint("(str x) gives the text of any value.");
    }
    // What stands behind the namespace of :user/name.
    const std::string_view whole = text_of(args[0]);
    const std::size_t slash = namespace_end_of_name(whole);
    return make_string(call.heap, slash == std::string_view::npos ? whole : whole.substr(slash + 1));
}

constexpr const char* kGraphemes = "Indexes count graphemes, not UTF-16 units (DIV-36).";
constexpr const char* kOneFunction = "An older name; Clojure has upper-case and lower-case only.";

constexpr Builtin kRows[] = {
    {.name = "trim",
     .usage = "(trim s)",
     .doc = "s without the whitespace at both ends.",
     .example = {"(trim \" a b \")", "\"a b\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PieceOfText,
     .call = call_trim},
    {.name = "triml",
     .usage = "(triml s)",
     .doc = "s without the whitespace at its start.",
     .example = {"(triml \" a \")", "\"a \""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PieceOfText,
     .call = call_triml},
    {.name = "trimr",
     .usage = "(trimr s)",
     .doc = "s without the whitespace at its end.",
     .example = {"(trimr \" a \")", "\" a\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PieceOfText,
     .call = call_trimr},
    {.name = "trim-newline",
     .usage = "(trim-newline s)",
     .doc = "s without the line breaks (\\n, \\r) at its end.",
     .example = {"(trim-newline \"a\\r\\n\")", "\"a\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PieceOfText,
     .call = call_trim_newline},
    {.name = "blank?",
     .usage = "(blank? s)",
     .doc = "True if s is nil, empty or only whitespace.",
     .example = {"(blank? \" \\t\")", "true"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::TextQuestion,
     .call = call_blank},
    {.name = "upper-case",
     .usage = "(upper-case s)",
     .doc = "s in capital letters.",
     .example = {"(upper-case \"straße\")", "\"STRASSE\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::MappedText,
     .call = call_upper_case},
    {.name = "lower-case",
     .usage = "(lower-case s)",
     .doc = "s in small letters.",
     .example = {"(lower-case \"ÀB\")", "\"àb\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::MappedText,
     .call = call_lower_case},
    {.name = "upcase",
     .usage = "(upcase s)",
     .doc = "s in capital letters; s must be a string.",
     .example = {"(upcase \"ab\")", "\"AB\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::MappedText,
     .call = call_upcase,
     .differs = kOneFunction,
     .alias_of = "upper-case"},
    {.name = "downcase",
     .usage = "(downcase s)",
     .doc = "s in small letters; s must be a string.",
     .example = {"(downcase \"AB\")", "\"ab\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::MappedText,
     .call = call_downcase,
     .differs = kOneFunction,
     .alias_of = "lower-case"},
    {.name = "capitalize",
     .usage = "(capitalize s)",
     .doc = "s with its first character in upper case and the rest in lower case.",
     .example = {"(capitalize \"hELLO you\")", "\"Hello you\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::MappedText,
     .call = call_capitalize},
    {.name = "subs",
     .usage = "(subs s start) (subs s start end)",
     .doc = "The part of s from start up to, not including, end. Out of range gives what is there, or \"\".",
     .example = {"(subs \"hello\" 1 3)", "\"el\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PieceOfText,
     .call = call_subs,
     .differs = "Clojure throws when an index is out of range (DIV-22). Indexes count graphemes (DIV-36)."},
    {.name = "starts-with?",
     .usage = "(starts-with? s prefix)",
     .doc = "True if s starts with prefix.",
     .example = {"(starts-with? \"hello\" \"he\")", "true"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::TextQuestion,
     .call = call_starts_with},
    {.name = "ends-with?",
     .usage = "(ends-with? s suffix)",
     .doc = "True if s ends with suffix.",
     .example = {"(ends-with? \"a.txt\" \".txt\")", "true"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::TextQuestion,
     .call = call_ends_with},
    {.name = "includes?",
     .usage = "(includes? s part)",
     .doc = "True if part occurs in s.",
     .example = {"(includes? \"hello\" \"ll\")", "true"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::TextQuestion,
     .call = call_includes},
    {.name = "index-of",
     .usage = "(index-of s part) (index-of s part from)",
     .doc = "The index of the first occurrence of part in s, at or after from; nil when there is none.",
     .example = {"(index-of \"hello\" \"l\")", "2"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::PlaceInText,
     .call = call_index_of,
     .differs = kGraphemes},
    {.name = "last-index-of",
     .usage = "(last-index-of s part) (last-index-of s part from)",
     .doc = "The index of the last occurrence of part in s that starts at or before from; nil when there is none.",
     .example = {"(last-index-of \"hello\" \"l\")", "3"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::PlaceInText,
     .call = call_last_index_of,
     .differs = kGraphemes},
    {.name = "string/reverse",
     .usage = "(clojure.string/reverse s)",
     .doc = "s with its characters in reverse order.",
     .example = {"(clojure.string/reverse \"abc\")", "\"cba\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::MappedText,
     .call = call_reverse},
    {.name = "escape",
     .usage = "(escape s replacements)",
     .doc = "s with every character that is a key of the map replaced by the key's value.",
     .example = {"(escape \"a<b\" {\"<\" \"&lt;\"})", "\"a&lt;b\""},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_escape},
    {.name = "name",
     .usage = "(name x)",
     .doc = "The text of a keyword without its colon; a string stands for itself.",
     .example = {"(name :user-id)", "\"user-id\""},
     .category = Category::String,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::NameOf,
     .call = call_name},
    {.name = ".strip",
     .usage = "(.strip s)",
     .doc = "s without the whitespace at both ends.",
     .example = {"(.strip \" a \")", "\"a\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::PieceOfText,
     .call = call_trim,
     .alias_of = "trim"},
    {.name = ".stripLeading",
     .usage = "(.stripLeading s)",
     .doc = "s without the whitespace at its start.",
     .example = {"(.stripLeading \" a\")", "\"a\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::PieceOfText,
     .call = call_triml,
     .alias_of = "triml"},
    {.name = ".stripTrailing",
     .usage = "(.stripTrailing s)",
     .doc = "s without the whitespace at its end.",
     .example = {"(.stripTrailing \"a \")", "\"a\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::PieceOfText,
     .call = call_trimr,
     .alias_of = "trimr"},
    {.name = ".isBlank",
     .usage = "(.isBlank s)",
     .doc = "True if s is empty or only whitespace.",
     .example = {"(.isBlank \" \")", "true"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_blank,
     .alias_of = "blank?"},
};

} // namespace

std::span<const Builtin> string_builtins() { return kRows; }

} // namespace ptc
