// The methods of Java's String that programs may call, String, Character and System (spec 8.14, 8.15). They fail where
// Clojure's functions give a signal value (DIV-22), but count graphemes like all else here.
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include "runtime/ordering.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ptc {
namespace {

/// The receiver, argument 1: methods exist for strings only, numbers are no strings to Java.
Result<std::string_view> receiver(const Call& call, Args args, const char* hint_for_vectors = nullptr) {
    if (args[0].is_string()) return text_of(args[0]);
    Error error = argument_error(call, args, 1, "a string");
    if (hint_for_vectors && args[0].is_collection()) return std::move(error).with_hint(hint_for_vectors);
    return error;
}

/// What is searched for: a string, or the code point of a character (Java's overloads). `utf8` holds the latter.
Result<std::string_view> needle(const Call& call, Args args, char (&utf8)[4]) {
    if (args[1].is_string()) return text_of(args[1]);
    std::size_t size = 0;
    if (args[1].is_small_integer() && args[1].small_integer() >= 0 && args[1].small_integer() <= 0x10FFFF) {
        size = encode_utf8(static_cast<char32_t>(args[1].small_integer()), utf8);
    }
    if (size == 0) return argument_error(call, args, 2, "a string or a character's code point");
    return std::string_view(utf8, size);
}

Result<Value> index_value(Heap& heap, const Value& string, std::size_t at) {
    if (at == std::string_view::npos) return Value::small_integer(-1);
    return Value::small_integer(static_cast<std::int64_t>(grapheme_index(heap, string, at)));
}

Result<std::size_t> offset_of(Heap& heap, const Value& string, std::int64_t index) {
    if (index <= 0) return std::size_t{0};
    return grapheme_offset(heap, string, static_cast<std::size_t>(index));
}

constexpr const char* kUseIndexedSearch =
    "Strings and vectors have places: (vec coll) makes a vector; (contains? set item) looks into a set.";

/// Where an item is in a vector, by `step` from `from` on; -1 when it is not.
Result<Value> index_of_item(Call& call, Args args, std::int64_t from, std::int64_t step) {
    VectorReader items(args[0]);
    const auto size = static_cast<std::int64_t>(items.size());
    for (std::int64_t i = step > 0 ? std::max<std::int64_t>(from, 0) : std::min(from, size - 1); i >= 0 && i < size;
         i += step) {
        PTC_CHECK(charge(call, 1));
        if (equivalent(call.heap, items.at(static_cast<std::size_t>(i)), args[1])) return Value::small_integer(i);
    }
    PTC_CHECK(charge(call, 1)); // notices what the comparisons charged
    return Value::small_integer(-1);
}

Result<Value> call_index_of(Call& call, Args args) {
    if (args[0].is_vector() && args.size() == 2) return index_of_item(call, args, 0, 1);
    char utf8[4];
    std::string_view text = PTC_TRY(receiver(call, args, kUseIndexedSearch));
    std::string_view part = PTC_TRY(needle(call, args, utf8));
    std::size_t from = 0;
    if (args.size() == 3) from = PTC_TRY(offset_of(call.heap, args[0], PTC_TRY(index_argument(call, args, 3))));
    PTC_CHECK(charge_needle(call.heap, part));
    std::size_t at = find_text(text, part, from);
    PTC_CHECK(charge_bytes_of_work(call.heap, std::min(at, text.size()) - std::min(from, text.size())));
    return index_value(call.heap, args[0], at);
}

Result<Value> call_last_index_of(Call& call, Args args) {
    if (args[0].is_vector() && args.size() == 2)
        return index_of_item(call, args, static_cast<std::int64_t>(vector_length(args[0])) - 1, -1);
    char utf8[4];
    std::string_view text = PTC_TRY(receiver(call, args, kUseIndexedSearch));
    std::string_view part = PTC_TRY(needle(call, args, utf8));
    std::size_t from = std::string_view::npos;
    if (args.size() == 3) {
        std::int64_t index = PTC_TRY(index_argument(call, args, 3));
        if (index < 0) return Value::small_integer(-1);
        from = PTC_TRY(offset_of(call.heap, args[0], index));
    }
    return index_value(call.heap, args[0], PTC_TRY(find_last_text(call.heap, text, part, from)));
}

Result<Value> call_contains(Call& call, Args args) {
    if (args[0].is_vector()) return Value::boolean(PTC_TRY(index_of_item(call, args, 0, 1)).small_integer() >= 0);
    if (args[0].is_set()) {
        Value found;
        return Value::boolean(PTC_TRY(lookup(call.heap, args[0], args[1], &found)));
    }
    std::string_view text = PTC_TRY(receiver(call, args, "(.containsKey map key) looks into a map."));
    std::string_view part = PTC_TRY(text_argument(call, args, 2));
    PTC_CHECK(charge_needle(call.heap, part));
    std::size_t at = find_text(text, part);
    PTC_CHECK(charge_bytes_of_work(call.heap, std::min(at, text.size())));
    return Value::boolean(at != std::string_view::npos);
}

Result<Value> call_starts_with(Call& call, Args args) {
    std::string_view text = PTC_TRY(receiver(call, args));
    std::string_view prefix = PTC_TRY(text_argument(call, args, 2));
    charge_reading(call.heap, prefix.size());
    if (args.size() == 2) return Value::boolean(text.starts_with(prefix));
    std::int64_t offset = PTC_TRY(index_argument(call, args, 3));
    if (offset < 0 || offset > static_cast<std::int64_t>(grapheme_count(call.heap, args[0])))
        return Value::boolean(false);
    return Value::boolean(text.substr(PTC_TRY(offset_of(call.heap, args[0], offset))).starts_with(prefix));
}

Result<Value> call_ends_with(Call& call, Args args) {
    std::string_view text = PTC_TRY(receiver(call, args));
    std::string_view suffix = PTC_TRY(text_argument(call, args, 2));
    charge_reading(call.heap, suffix.size());
    return Value::boolean(text.ends_with(suffix));
}

Result<std::int64_t> length_of(Call& call, Args args, const char* hint_for_vectors = nullptr) {
    PTC_CHECK(receiver(call, args, hint_for_vectors));
    return static_cast<std::int64_t>(grapheme_count(call.heap, args[0]));
}

Result<Value> call_length(Call& call, Args args) {
    return Value::small_integer(PTC_TRY(length_of(call, args, "(count coll) counts the items of a collection.")));
}

Result<Value> call_is_empty(Call& call, Args args) {
    if (args[0].is_collection()) return Value::boolean(PTC_TRY(count_of(call.heap, args[0], call.who())) == 0);
    return Value::boolean(PTC_TRY(receiver(call, args)).empty());
}

Result<Value> call_substring(Call& call, Args args) {
    std::int64_t length = PTC_TRY(length_of(call, args));
    for (std::size_t position = 2; position <= args.size(); ++position) {
        const Value& index = args[position - 1];
        if (index.is_double() && !std::isfinite(index.as_double()))
            return argument_error(call, args, position, "an index");
    }
    std::int64_t start = PTC_TRY(index_argument(call, args, 2));
    std::int64_t end = args.size() == 3 ? PTC_TRY(index_argument(call, args, 3)) : length;
    if (start < 0 || start > end || end > length)
        return substring_out_of_range(start, end, static_cast<std::size_t>(length));
    return substring(call.heap, args[0], static_cast<std::size_t>(start), static_cast<std::size_t>(end));
}

Result<Value> call_char_at(Call& call, Args args) {
    std::int64_t length = PTC_TRY(length_of(call, args));
    std::int64_t index = PTC_TRY(index_argument(call, args, 2));
    if (index < 0 || index >= length) return index_out_of_range(".charAt", index, static_cast<std::size_t>(length));
    return substring(call.heap, args[0], static_cast<std::size_t>(index), static_cast<std::size_t>(index) + 1);
}

Result<Value> call_to_lower_case(Call& call, Args args) {
    PTC_CHECK(receiver(call, args));
    return to_lower(call.heap, args[0]);
}

Result<Value> call_to_upper_case(Call& call, Args args) {
    PTC_CHECK(receiver(call, args));
    return to_upper(call.heap, args[0]);
}

Result<Value> call_equals_ignore_case(Call& call, Args args) {
    PTC_CHECK(receiver(call, args));
    if (args[1].is_nil()) return Value::boolean(false);
    PTC_CHECK(text_argument(call, args, 2));
    Value a = PTC_TRY(to_lower(call.heap, args[0]));
    Value b = PTC_TRY(to_lower(call.heap, args[1]));
    return Value::boolean(text_of(a) == text_of(b));
}

// Java's trim knows no Unicode: all up to U+0020 goes.
Result<Value> call_trim(Call& call, Args args) {
    std::string_view text = PTC_TRY(receiver(call, args));
    auto is_kept = [](char c) { return static_cast<unsigned char>(c) > ' '; };
    auto begin = std::find_if(text.begin(), text.end(), is_kept);
    auto end = std::find_if(text.rbegin(), std::make_reverse_iterator(begin), is_kept).base();
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size() - static_cast<std::size_t>(end - begin)));
    return part_of(call.heap, args[0], static_cast<std::size_t>(begin - text.begin()),
                   static_cast<std::size_t>(end - text.begin()));
}

// Two texts only: str takes values of any kind.
Result<Value> call_concat(Call& call, Args args) {
    PTC_CHECK(receiver(call, args, "(concat a b) joins sequences."));
    PTC_CHECK(text_argument(call, args, 2));
    return concatenate(call.heap, args, {});
}

Result<Value> call_repeat(Call& call, Args args) {
    std::string_view text = PTC_TRY(receiver(call, args));
    std::int64_t count = PTC_TRY(index_argument(call, args, 2));
    if (count < 0) return argument_error(call, args, 2, "a number that is not negative");
    StringBuilder out(call.heap);
    for (std::int64_t i = 0; i < count && !text.empty(); ++i) {
        PTC_CHECK(charge(call, 1 + text.size() / 8));
        if (!out.append(text)) return out.error();
    }
    return out.finish();
}

Result<Value> call_to_char_array(Call& call, Args args) {
    PTC_CHECK(receiver(call, args));
    return sequence_argument(call, args, 1);
}

// Java writes null where str writes nothing.
Result<Value> call_value_of(Call& call, Args args) {
    if (args[0].is_nil()) return make_string(call.heap, "null");
    return concatenate(call.heap, args, {});
}

/// The code point of argument 1, a one-character string.
Result<char32_t> character_argument(Call& call, Args args) {
    const bool is_one = is_character(call.heap, args[0]);
    if (call.heap.meter.has_run_out()) return call.heap.meter.error();
    if (!is_one) return argument_error(call, args, 1, "a character, that is a string of one character");
    std::size_t at = 0;
    return next_code_point(text_of(args[0]), &at);
}

/// 0 to 9 and the letters after them; -1 for what is no digit.
std::int64_t digit_value(char32_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? static_cast<std::int64_t>(c - 'A') + 10 : -1;
}

Result<Value> call_digit(Call& call, Args args) {
    const std::int64_t digit = digit_value(PTC_TRY(character_argument(call, args)));
    const std::int64_t radix = args.size() == 2 ? PTC_TRY(index_argument(call, args, 2)) : 36;
    return Value::small_integer(radix >= 2 && radix <= 36 && digit < radix ? digit : -1);
}

Result<Value> call_for_digit(Call& call, Args args) {
    const std::int64_t digit = PTC_TRY(index_argument(call, args, 1));
    const std::int64_t radix = PTC_TRY(index_argument(call, args, 2));
    const bool is_digit = radix >= 2 && radix <= 36 && digit >= 0 && digit < radix;
    const char c = !is_digit ? '\0' : static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
    return make_string(call.heap, std::string_view(&c, 1));
}

/// What Java's Character says of a one-character string.
template <bool (*Test)(char32_t)> Result<Value> call_character(Call& call, Args args) {
    return Value::boolean(Test(PTC_TRY(character_argument(call, args))));
}

template <Result<Value> (*Map)(Heap&, const Value&)> Result<Value> call_character_case(Call& call, Args args) {
    PTC_CHECK(character_argument(call, args));
    return Map(call.heap, args[0]);
}

Result<Value> call_character_text(Call& call, Args args) {
    PTC_CHECK(character_argument(call, args));
    return std::move(args[0]);
}

bool is_letter_or_digit(char32_t c) { return is_letter(c) || is_digit(c); }

Result<Value> call_current_time_millis(Call& call, Args) {
    return Value::small_integer(std::clamp(call.host.now_millis(), bits::kMinInteger, bits::kMaxInteger));
}

// The host's clock counts milliseconds: the difference of two readings is what a program may rely on.
Result<Value> call_random(Call& call, Args) {
    const std::optional<std::uint64_t> bits = call.host.random_bits();
    if (!bits)
        return Error(Reason::UnboundVar, "There are no random numbers here: the host gives no seed.")
            .with_hint("Compute what is wanted without chance; branches of pmap have none in any case.");
    return Value::number(static_cast<double>(*bits >> 11) * 0x1p-53);
}

Result<Value> call_nano_time(Call& call, Args) {
    constexpr std::int64_t kNanosPerMilli = 1'000'000;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kNanosPerMilli;
    return make_integer(call.heap, std::clamp(call.host.now_millis(), -kMost, kMost) * kNanosPerMilli);
}

constexpr const char* kCountsGraphemes = "Indexes count graphemes; Java counts UTF-16 units.";

constexpr Builtin kRows[] = {
    {.name = ".length",
     .usage = "(.length s)",
     .doc = "The number of characters of a string.",
     .example = {"(.length \"hello\")", "5"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::PlaceInText,
     .call = call_length,
     .differs = kCountsGraphemes},
    {.name = ".isEmpty",
     .usage = "(.isEmpty coll)",
     .doc = "True if a string has no characters, or a collection no items.",
     .example = {"(.isEmpty \"\")", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_is_empty},
    {.name = ".contains",
     .usage = "(.contains coll x)",
     .doc = "True if a string has another one in it, or a vector or set an item.",
     .example = {"(.contains \"hello\" \"ell\")", "true"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_contains},
    {.name = ".startsWith",
     .usage = "(.startsWith s prefix) (.startsWith s prefix offset)",
     .doc = "True if s, from offset on, starts with prefix.",
     .example = {"(.startsWith \"hello\" \"he\")", "true"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_starts_with},
    {.name = ".endsWith",
     .usage = "(.endsWith s suffix)",
     .doc = "True if s ends with suffix.",
     .example = {"(.endsWith \"hello\" \"lo\")", "true"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_ends_with},
    {.name = ".indexOf",
     .usage = "(.indexOf coll x) (.indexOf coll x start)",
     .doc = "The index of the first occurrence of x, a string or code point, in a string, at or after start, or of an "
            "item in a vector; -1 when there is none.",
     .example = {"(.indexOf \"hello\" \"l\")", "2"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::PlaceInText,
     .call = call_index_of,
     .differs = kCountsGraphemes},
    {.name = ".lastIndexOf",
     .usage = "(.lastIndexOf coll x) (.lastIndexOf coll x start)",
     .doc = "The index of the last occurrence of x, a string or code point, in a string, at or before start, or of an "
            "item in a vector; -1 when there is none.",
     .example = {"(.lastIndexOf \"hello\" \"l\")", "3"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::PlaceInText,
     .call = call_last_index_of,
     .differs = kCountsGraphemes},
    {.name = ".substring",
     .usage = "(.substring s start) (.substring s start end)",
     .doc = "The part of s from start up to, not including, end; an error when an index is out of range.",
     .example = {"(.substring \"hello\" 1 3)", "\"el\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::PieceOfText,
     .call = call_substring,
     .differs = kCountsGraphemes},
    {.name = ".charAt",
     .usage = "(.charAt s index)",
     .doc = "The character at index, as a string of one character.",
     .example = {"(.charAt \"hello\" 1)", "\"e\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_char_at,
     .differs = kCountsGraphemes},
    {.name = ".toLowerCase",
     .usage = "(.toLowerCase s)",
     .doc = "s in small letters.",
     .example = {"(.toLowerCase \"Hello\")", "\"hello\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::MappedText,
     .call = call_to_lower_case},
    {.name = ".toUpperCase",
     .usage = "(.toUpperCase s)",
     .doc = "s in capital letters.",
     .example = {"(.toUpperCase \"Hello\")", "\"HELLO\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::MappedText,
     .call = call_to_upper_case},
    {.name = ".equalsIgnoreCase",
     .usage = "(.equalsIgnoreCase a b)",
     .doc = "True if two strings differ in case at most.",
     .example = {"(.equalsIgnoreCase \"Ab\" \"aB\")", "true"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kBoolean},
     .model = BoundModel::TextQuestion,
     .call = call_equals_ignore_case},
    {.name = ".trim",
     .usage = "(.trim s)",
     .doc = "s without blanks and control characters at both ends.",
     .example = {"(.trim \" a \")", "\"a\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::PieceOfText,
     .call = call_trim},
    {.name = "String/valueOf",
     .usage = "(String/valueOf x)",
     .doc = "The text of any value; as str, but \"null\" for nil.",
     .example = {"(String/valueOf 12)", "\"12\""},
     .category = Category::Interop,
     .work = Work::Inside,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_value_of},
    {.name = "Character/isDigit",
     .usage = "(Character/isDigit c)",
     .doc = "True for a character that is a decimal digit.",
     .example = {"(Character/isDigit \\7)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_digit>},
    {.name = "Character/isLetter",
     .usage = "(Character/isLetter c)",
     .doc = "True for a character that is a letter.",
     .example = {"(Character/isLetter \\é)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_letter>},
    {.name = "Character/isLetterOrDigit",
     .usage = "(Character/isLetterOrDigit c)",
     .doc = "True for a character that is a letter or a decimal digit.",
     .example = {"(Character/isLetterOrDigit \\_)", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_letter_or_digit>},
    {.name = "Character/isUpperCase",
     .usage = "(Character/isUpperCase c)",
     .doc = "True for a capital letter.",
     .example = {"(Character/isUpperCase \\A)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_upper_case>},
    {.name = "Character/isLowerCase",
     .usage = "(Character/isLowerCase c)",
     .doc = "True for a small letter.",
     .example = {"(Character/isLowerCase \\A)", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_lower_case>},
    {.name = "Character/isWhitespace",
     .usage = "(Character/isWhitespace c)",
     .doc = "True for white space, as trim has it.",
     .example = {"(Character/isWhitespace \\tab)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_whitespace>},
    {.name = "Character/digit",
     .usage = "(Character/digit c radix)",
     .doc = "The value of a digit in a radix from 2 to 36; -1 for what is no digit of it.",
     .example = {"(Character/digit \\f 16)", "15"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_digit},
    {.name = "Character/forDigit",
     .usage = "(Character/forDigit n radix)",
     .doc = "The character of a digit in a radix from 2 to 36; \\u0000 for what is no digit of it.",
     .example = {"(Character/forDigit 11 16)", "\"b\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_for_digit},
    {.name = "Character/getNumericValue",
     .usage = "(Character/getNumericValue c)",
     .doc = "The value of a digit, 10 to 35 for a letter; -1 for anything else.",
     .example = {"(Character/getNumericValue \\7)", "7"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_digit},
    {.name = "System/currentTimeMillis",
     .usage = "(System/currentTimeMillis)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(pos? (System/currentTimeMillis))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_current_time_millis,
     .effect = SideEffect::Time},
    {.name = "Math/random",
     .usage = "(Math/random)",
     .doc = "A float from 0.0 to less than 1.0, of the random numbers that the host's seed begins.",
     .example = {"(fn? Math/random)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_random,
     .effect = SideEffect::Time,
     .differs = "Fails where the host gives no seed, and in branches of pmap."},
    {.name = "System/nanoTime",
     .usage = "(System/nanoTime)",
     .doc = "A count of nanoseconds, as exact as the host's clock: for differences.",
     .example = {"(integer? (System/nanoTime))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_nano_time,
     .effect = SideEffect::Time},
    {.name = "currentTimeMillis",
     .usage = "(currentTimeMillis)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(pos? (currentTimeMillis))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_current_time_millis,
     .effect = SideEffect::Time,
     .alias_of = "System/currentTimeMillis"},
    {.name = ".concat",
     .usage = "(.concat s part)",
     .doc = "s and part in one string.",
     .example = {"(.concat \"a\" \"b\")", "\"ab\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_concat},
    {.name = ".repeat",
     .usage = "(.repeat s n)",
     .doc = "n times s in one string.",
     .example = {"(.repeat \"ab\" 3)", "\"ababab\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_repeat},
    {.name = ".toCharArray",
     .usage = "(.toCharArray s)",
     .doc = "The characters of s.",
     .example = {"(.toCharArray \"ab\")", "[\"a\" \"b\"]"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_to_char_array},
    {.name = "Character/toUpperCase",
     .usage = "(Character/toUpperCase c)",
     .doc = "The capital letter of a character.",
     .example = {"(Character/toUpperCase \\a)", "\"A\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_character_case<to_upper>},
    {.name = "Character/toLowerCase",
     .usage = "(Character/toLowerCase c)",
     .doc = "The small letter of a character.",
     .example = {"(Character/toLowerCase \\A)", "\"a\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_character_case<to_lower>},
    {.name = "Character/isAlphabetic",
     .usage = "(Character/isAlphabetic c)",
     .doc = "True for a character that is a letter.",
     .example = {"(Character/isAlphabetic \\é)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_character<is_letter>},
    {.name = "Character/toString",
     .usage = "(Character/toString c)",
     .doc = "The string of a character.",
     .example = {"(Character/toString \\a)", "\"a\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_character_text},
};

} // namespace

std::span<const Builtin> interop_builtins() { return kRows; }

} // namespace ptc
