// JSON in programs: what cannot be read gives nil (DIV-23), a spent budget is still an error; what cannot be written is
// an error (json.h says what that is).
#include "runtime/json.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/edn.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

/// The value of a JSON text; nil when it is malformed.
Result<Value> read_or_nil(Call& call, std::string_view text) {
    Result<Value> parsed = parse_json(call.heap, call.shapes, text);
    if (!parsed.ok() && parsed.error().reason == Reason::InvalidJson) return Value();
    return parsed;
}

Result<Value> call_parse_string(Call& call, Args args) {
    if (!args[0].is_string()) return Value();
    return read_or_nil(call, text_of(args[0]));
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
        if (is_blank(line)) continue;
        if (!values.push(PTC_TRY(read_or_nil(call, line)))) return call.heap.out_of_memory();
    }
    return values.finish();
}

Result<Value> call_generate_string(Call& call, Args args) {
    PTC_CHECK(charge(call, 1));
    StringBuilder out(call.heap);
    PTC_CHECK(write_json(out, call.heap, args[0], call.who()));
    return out.finish();
}

// Data in the language's own notation; nothing is evaluated.
Result<Value> call_read_string(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    if (text.find_first_not_of(" \t\r\n,") == std::string_view::npos) return Value();
    Result<Value> value = parse_edn(call.heap, call.shapes, text);
    if (value.ok() || value.error().reason != Reason::ParseError) return value;
    return runtime_failure(call.who(), value.error().message)
        .with_hint("It reads one value, as pr-str writes it: (json/parse-string s) reads JSON.");
}

constexpr Builtin kRows[] = {
    {.name = "json/parse-string",
     .usage = "(json/parse-string s)",
     .doc = "The value of a JSON text, objects as maps with string keys; nil when it is not well-formed.",
     .example = {"(json/parse-string \"{\\\"a\\\": [1, 2.5, null]}\")", "{\"a\" [1 2.5 nil]}"},
     .category = Category::Json,
     .work = Work::Text,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_parse_string,
     .differs = "Cheshire throws for a malformed text (DIV-23)."},
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
     .usage = "(json/generate-string x)",
     .doc = "x as a JSON text: keywords and dates as texts, sets as lists, keys that are numbers or booleans as texts.",
     .example = {"(json/generate-string {:a [1 nil :b]})", "\"{\\\"a\\\":[1,null,\\\"b\\\"]}\""},
     .category = Category::Json,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = call_generate_string,
     .differs =
         "A function, an infinity, a key that is nil or a collection, and two keys that are one name are errors; in "
         "the reference they give nil, as keywords do (DIV-24)."},
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
