// JSON in programs: what cannot be read gives nil (DIV-23), a spent budget is still an error; what cannot be written is
// an error (json.h says what that is).
#include "runtime/json.h"
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/key_conversion.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/edn.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"
#include <algorithm>
#include <initializer_list>

namespace ptc {
namespace {

/// A second argument that is none of those that Clojure's libraries take is one too many.
Error as_arity_error(Error error) {
    error.reason = Reason::ArityError;
    return error;
}

/// The value of a JSON text; nil when it is malformed.
Result<Value> read_or_nil(Call& call, std::string_view text) {
    Result<Value> parsed = parse_json(call.heap, call.shapes, text);
    if (!parsed.ok() && parsed.error().reason == Reason::InvalidJson) return Value();
    return parsed;
}

bool is_function_named(const Value& v, std::string_view name) {
    return v.is_builtin() && builtin_at(v.builtin_index()).name == name;
}

/// What argument `position` asks keys to be: keywords or, for nothing and for identity, the texts that they are.
Result<bool> wants_keywords(const Call& call, Args args, std::size_t position) {
    const Value& option = args[position - 1];
    if (option.is_true() || is_function_named(option, "keyword")) return true;
    if (option.is_nil() || option.is_boolean() || is_function_named(option, "str")) return false;
    return as_arity_error(argument_error(call, args, position, "true or `keyword`"))
        .with_hint("Keys are texts or keywords: (update-keys m f) makes others of those of one map.");
}

Result<Value> call_parse_string(Call& call, Args args) {
    const bool has_keywords = args.size() == 2 && PTC_TRY(wants_keywords(call, args, 2));
    if (!args[0].is_string()) return Value();
    Value parsed = PTC_TRY(read_or_nil(call, text_of(args[0])));
    return has_keywords ? with_keyword_keys(call, std::move(parsed)) : Result<Value>(std::move(parsed));
}

/// The place (from 1) of what follows the option of this name among pairs from argument 2 on; 0 without it.
/// Options that are in none of `known` are refused.
Result<std::size_t> option_place(const Call& call, Args args, std::string_view name,
                                 std::initializer_list<std::string_view> known) {
    std::size_t place = 0;
    for (std::size_t i = 1; i < args.size(); i += 2) {
        const std::string_view option = args[i].is_keyword() ? text_of(args[i]) : std::string_view();
        if (i + 1 == args.size()) return argument_error(call, args, i + 1, "an option and its value");
        if (option == name)
            place = i + 2;
        else if (std::find(known.begin(), known.end(), option) == known.end())
            return argument_error(call, args, i + 1, (":" + std::string(name) + ", the one option").c_str());
    }
    return place;
}

// clojure.data.json's: what is malformed is an error there.
Result<Value> call_read_str(Call& call, Args args) {
    const std::size_t place = PTC_TRY(option_place(call, args, "key-fn", {"bigdec"}));
    const bool has_keywords = place != 0 && PTC_TRY(wants_keywords(call, args, place));
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    Value parsed = PTC_TRY(parse_json(call.heap, call.shapes, text));
    return has_keywords ? with_keyword_keys(call, std::move(parsed)) : Result<Value>(std::move(parsed));
}

/// Keys are written by their names: another function is refused.
Result<void> check_key_names(const Call& call, Args args, std::size_t position, const Value& option) {
    if (option.is_nil() || is_function_named(option, "name") || is_function_named(option, "str")) return {};
    return argument_error(call, args, position, "no :key-fn, or `name`")
        .with_hint("(update-keys m f) makes other keys of those of one map.");
}

Result<Value> call_parse_lines(Call& call, Args args) {
    if (!args[0].is_string()) return Value();
    std::string_view text = text_of(args[0]);
    VectorBuilder values(call.heap);
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (!call.heap.meter.charge(1)) return call.heap.meter.error();
        if (PTC_TRY(trim_start(call.heap, line)).empty()) continue;
        if (!values.push(PTC_TRY(read_or_nil(call, line)))) return call.heap.out_of_memory();
    }
    return values.finish();
}

Result<Value> call_generate_string(Call& call, Args args) {
    if (args.size() == 2) {
        if (!args[1].is_map() && !args[1].is_nil())
            return as_arity_error(argument_error(call, args, 2, "a map of options"));
        Value option;
        const Value key = PTC_TRY(make_keyword(call.heap, "key-fn"));
        (void)PTC_TRY(lookup(call.heap, args[1], key, &option));
        PTC_CHECK(check_key_names(call, args, 2, option));
    }
    PTC_CHECK(charge(call, 1));
    StringBuilder out(call.heap);
    PTC_CHECK(write_json(out, call.heap, args[0], call.who()));
    return out.finish();
}

Result<Value> call_write_str(Call& call, Args args) {
    const std::size_t place = PTC_TRY(
        option_place(call, args, "key-fn", {"indent", "escape-unicode", "escape-slash", "escape-js-separators"}));
    if (place != 0) PTC_CHECK(check_key_names(call, args, place, args[place - 1]));
    return call_generate_string(call, args.first(1));
}

/// Nothing but white space and commas. Pays for what it passes, a unit for each 4 bytes, above kFreeBytes.
Result<bool> is_blank_data(Heap& heap, std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at += kMeterPiece) {
        const std::string_view piece = text.substr(at, kMeterPiece);
        const std::size_t blank = std::min(piece.find_first_not_of(" \t\r\n,"), piece.size());
        if (blank > kFreeBytes) PTC_CHECK(charge_bytes_of_work(heap, 2 * blank));
        if (blank < piece.size()) return false;
    }
    return true;
}

// Data in the language's own notation; nothing is evaluated.
Result<Value> call_read_string(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    if (PTC_TRY(is_blank_data(call.heap, text))) return Value();
    Result<Value> value = parse_edn(call.heap, call.shapes, text);
    if (value.ok() || value.error().reason != Reason::ParseError) return value;
    return runtime_failure(call.who(), value.error().message)
        .with_hint("It reads one value, as pr-str writes it: (json/parse-string s) reads JSON.");
}

constexpr Builtin kRows[] = {
    {.name = "json/parse-string",
     .usage = "(json/parse-string s) (json/parse-string s key-fn)",
     .doc =
         "The value of a JSON text, objects as maps with string keys, or keywords if key-fn is true or `keyword`; nil "
         "when it is not well-formed.",
     .example = {"(json/parse-string \"{\\\"a\\\": [1, 2.5, null]}\")", "{\"a\" [1 2.5 nil]}"},
     .category = Category::Json,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_parse_string,
     .differs = "Cheshire throws for a malformed text (DIV-23)."},
    {.name = "json/read-str",
     .usage = "(json/read-str s & options)",
     .doc =
         "The value of a JSON text, objects as maps with string keys, or keywords with :key-fn keyword; an error when "
         "it is not well-formed.",
     .example = {"(json/read-str \"{\\\"a\\\": 1}\" :key-fn keyword)", "{:a 1}"},
     .category = Category::Json,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_read_str,
     .differs = "Keys are texts or keywords, :key-fn takes no other function."},
    {.name = "json/write-str",
     .usage = "(json/write-str x & options)",
     .doc = "As json/generate-string.",
     .example = {"(json/write-str {:a [1 nil :b]})", "\"{\\\"a\\\":[1,null,\\\"b\\\"]}\""},
     .category = Category::Json,
     .work = Work::Inside,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_write_str,
     .differs = "Options of layout and escapes change nothing: the text is on one line, and / is written as it is."},
    {.name = "json/parse-lines",
     .usage = "(json/parse-lines s)",
     .doc = "The values of the lines of a text, each a JSON text; blank lines are skipped, malformed ones are nil.",
     .example = {"(json/parse-lines \"{\\\"a\\\":1}\\n[2,3]\\n\")", "[{\"a\" 1} [2 3]]"},
     .category = Category::Json,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_parse_lines,
     .differs = "Not in Cheshire."},
    {.name = "json/generate-string",
     .usage = "(json/generate-string x) (json/generate-string x options)",
     .doc = "x as a JSON text: keywords and dates as texts, sets as lists, keys that are numbers or booleans as texts.",
     .example = {"(json/generate-string {:a [1 nil :b]})", "\"{\\\"a\\\":[1,null,\\\"b\\\"]}\""},
     .category = Category::Json,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = call_generate_string,
     .differs =
         "A function, an infinity, a key that is nil or a collection, and two keys that are one name are errors; in "
         "the reference they give nil, as keywords do (DIV-24). Options such as {:pretty true} change nothing."},
    {.name = "edn/read-string",
     .usage = "(clojure.edn/read-string s)",
     .doc = "The value that a text spells in EDN, the notation of programs; nil for nil and for a blank text.",
     .example = {"(clojure.edn/read-string \"{:a [1 #{2}]}\")", "{:a [1 #{2}]}"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_read_string,
     .differs = "Lists are vectors; tags like #inst are not known, and one value is all that the text may hold."},
};

} // namespace

std::span<const Builtin> json_builtins() { return kRows; }

} // namespace ptc
