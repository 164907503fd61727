// Values to text: str, join, pr-str, println and their like (spec 8.3, 8.13). Texts whose size is known beforehand
// (strings, integers, keywords) are written straight into a string of that size; all else goes through a printer. `str`
// appends in place to a text that nobody else has, so that building one in a loop is linear.
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/print.h"
#include "runtime/seq.h"
#include <charconv>
#include <cstring>

namespace ptc {
namespace {

constexpr std::size_t kNeedsPrinter = SIZE_MAX;

std::size_t digit_count(std::uint64_t n) {
    std::size_t count = 1;
    for (; n >= 10'000; n /= 10'000)
        count += 4;
    return count + (n >= 10) + (n >= 100) + (n >= 1000);
}

/// The size of the text of `v` when it needs no printer; kNeedsPrinter otherwise.
std::size_t plain_size(const Value& v) {
    if (v.is_string()) return text_of(v).size();
    if (v.is_small_integer()) {
        std::int64_t i = v.small_integer();
        return i < 0 ? 1 + digit_count(static_cast<std::uint64_t>(-i)) : digit_count(static_cast<std::uint64_t>(i));
    }
    if (v.is_nil()) return 0;
    if (v.is_keyword()) return 1 + text_of(v).size();
    if (v.is_boolean()) return v.is_true() ? 4 : 5;
    return kNeedsPrinter;
}

char* write_text(std::string_view text, char* out) {
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

/// Writes the text whose size plain_size gives; gives its end.
char* write_plain(const Value& v, char* out) {
    if (v.is_string()) return write_text(text_of(v), out);
    if (v.is_small_integer()) return std::to_chars(out, out + 24, v.small_integer()).ptr;
    if (v.is_nil()) return out;
    if (v.is_boolean()) return write_text(v.is_true() ? "true" : "false", out);
    *out = ':';
    return write_text(text_of(v), out + 1);
}

/// The bytes that the items and separators take; kNeedsPrinter when an item's text has to be built first.
std::size_t exact_size(std::span<const Value> items, std::size_t separator_size) {
    std::size_t total = items.empty() ? 0 : (items.size() - 1) * separator_size;
    for (const Value& item : items) {
        std::size_t size = plain_size(item);
        if (size == kNeedsPrinter) return kNeedsPrinter;
        total += size;
    }
    return total;
}

Result<Value> concatenate_exactly(Heap& heap, std::span<const Value> items, std::string_view separator,
                                  std::size_t size) {
    PTC_CHECK(charge_bytes_of_work(heap, size));
    char* out = nullptr;
    Value result = PTC_TRY(make_string_buffer(heap, size, &out));
    constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;
    const char* looked = out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0 && !separator.empty()) out = write_text(separator, out);
        out = write_plain(items[i], out);
        if (static_cast<std::size_t>(out - looked) < kBytesAtOnce) continue;
        looked = out;
        if (!heap.meter.look()) return heap.meter.error();
    }
    finish_string(result);
    return result;
}

/// (str acc part ..) where acc has no other owner: the parts go to its end, so that building a text in a loop is
/// linear.
Result<Value> append_parts(Heap& heap, Value target, std::span<const Value> parts) {
    for (const Value& part : parts) {
        if (part.is_string()) {
            target = PTC_TRY(string_append(heap, std::move(target), text_of(part)));
        } else if (part.is_small_integer() || part.is_boolean()) {
            char text[24];
            std::string_view piece(text, static_cast<std::size_t>(write_plain(part, text) - text));
            target = PTC_TRY(string_append(heap, std::move(target), piece));
        } else {
            StringBuilder built(heap);
            if (!append_str(built, heap, part)) return text_failure(heap);
            target = PTC_TRY(string_append(heap, std::move(target), built.view()));
        }
    }
    return target;
}

Result<Value> call_str(Call& call, Args args) {
    if (args.size() == 1 && args[0].is_string()) return std::move(args[0]);
    if (!call.heap.meter.charge(static_cast<std::int64_t>(args.size()))) return call.heap.meter.error();
    if (args.size() > 1 && args[0].is_string() && args[0].is_sole_owner()) {
        return append_parts(call.heap, std::move(args[0]), args.subspan(1));
    }
    return concatenate(call.heap, args, {});
}

Result<Value> call_join(Call& call, Args args) {
    Heap& heap = call.heap;
    Value separator;
    if (args.size() == 2) separator = PTC_TRY(concatenate(heap, args.first(1), {}));
    std::string_view between = args.size() == 2 ? text_of(separator) : std::string_view{};
    Value& coll = args.back();
    if (coll.is_string() && between.empty()) return std::move(coll);
    if (!is_seqable(coll)) {
        Error error = argument_error(call, args, args.size(), "a collection");
        return std::move(error).with_hint(args.size() == 2 ? "Write (join separator coll): the collection comes last."
                                                           : "Write (join coll) or (join separator coll).");
    }
    Value items = PTC_TRY(to_vector(heap, std::move(coll), call.who()));
    std::size_t count = vector_length(items);
    if (!heap.meter.charge(static_cast<std::int64_t>(count))) return heap.meter.error();
    if (const Value* data = vector_data_or_null(items)) return concatenate(heap, {data, count}, between);
    StringBuilder out(heap);
    VectorReader reader(items);
    const auto price = static_cast<std::int64_t>(between.size() / 8); // as of all text
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && (!heap.meter.charge(price) || !out.append(between))) return text_failure(heap);
        if (!append_str(out, heap, reader.at(i))) return text_failure(heap);
    }
    return out.finish();
}

/// Takes `(println (take 3 "hello"))` for text: a vector of characters prints without brackets (DIV-39 does not reach
/// println; the reference prints "hel").
bool is_vector_of_characters(Heap& heap, const Value& v) {
    if (!v.is_vector()) return false;
    VectorReader reader(v);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        Value item = reader.at(i);
        if (!item.is_string() || !is_one_grapheme(heap, item)) return false;
        heap.meter.charge_unchecked(1);
    }
    return reader.size() > 0;
}

enum class CharacterVectors : bool { AsVectors, AsText };

bool append_printed(StringBuilder& out, Heap& heap, Args args, PrintStyle style, CharacterVectors characters) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i > 0 && !out.append(' ')) return false;
        if (characters == CharacterVectors::AsText && is_vector_of_characters(heap, args[i])) {
            VectorReader reader(args[i]);
            for (std::size_t k = 0; k < reader.size(); ++k) {
                if (!out.append(text_of(reader.at(k)))) return false;
            }
        } else if (!print_value(out, heap, args[i], style)) {
            return false;
        }
    }
    return heap.meter.charge(static_cast<std::int64_t>(args.size() + out.size() / 8));
}

Result<Value> printed(Call& call, Args args, PrintStyle style, std::string_view end) {
    StringBuilder out(call.heap);
    if (!append_printed(out, call.heap, args, style, CharacterVectors::AsVectors) || !out.append(end)) {
        return text_failure(call.heap);
    }
    return out.finish();
}

Result<Value> call_pr_str(Call& call, Args args) { return printed(call, args, PrintStyle::Readable, ""); }
Result<Value> call_prn_str(Call& call, Args args) { return printed(call, args, PrintStyle::Readable, "\n"); }
Result<Value> call_print_str(Call& call, Args args) { return printed(call, args, PrintStyle::Display, ""); }
Result<Value> call_println_str(Call& call, Args args) { return printed(call, args, PrintStyle::Display, "\n"); }

Result<Value> print_line(Call& call, Args args, PrintStyle style, CharacterVectors characters) {
    StringBuilder out(call.heap);
    if (!append_printed(out, call.heap, args, style, characters)) return text_failure(call.heap);
    if (!call.host.print(out.view())) return output_exceeded(call.who());
    return Value();
}

Result<Value> print_part(Call& call, Args args, PrintStyle style) {
    StringBuilder out(call.heap);
    if (!append_printed(out, call.heap, args, style, CharacterVectors::AsVectors)) return text_failure(call.heap);
    if (!call.host.print_part(out.view())) return output_exceeded(call.who());
    return Value();
}
Result<Value> call_print(Call& call, Args args) { return print_part(call, args, PrintStyle::Display); }
Result<Value> call_pr(Call& call, Args args) { return print_part(call, args, PrintStyle::Readable); }

Result<Value> call_newline(Call& call, Args) {
    if (!call.host.print({})) return output_exceeded(call.who());
    return Value();
}
Result<Value> call_flush(Call&, Args) { return Value(); }

Result<Value> call_begin_capture(Call& call, Args) {
    if (call.host.begin_capture()) return Value();
    return Error(Reason::RuntimeError, "`with-out-str` cannot stand in a branch of pmap or pcalls.")
        .with_hint("Branches print nothing: let them return the text, made by str or format.");
}
Result<Value> call_end_capture(Call& call, Args) {
    const std::string text = call.host.end_capture();
    if (!call.heap.meter.charge(static_cast<std::int64_t>(text.size() / 8))) return call.heap.meter.error();
    return make_string(call.heap, text);
}

Result<Value> call_println(Call& call, Args args) {
    return print_line(call, args, PrintStyle::Display, CharacterVectors::AsText);
}
Result<Value> call_prn(Call& call, Args args) {
    return print_line(call, args, PrintStyle::Readable, CharacterVectors::AsVectors);
}

constexpr Builtin kRows[] = {
    {.name = "str",
     .usage = "(str & xs)",
     .doc = "The texts of all arguments in one string; nil is empty, strings stand for themselves.",
     .example = {"(str \"n=\" 42 nil :k)", "\"n=42:k\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::Str,
     .written = {1, 255},
     .call = call_str},
    {.name = "join",
     .usage = "(join coll) (join separator coll)",
     .doc = "The texts of the items of coll in one string, with separator between them.",
     .example = {"(join \", \" [1 2 3])", "\"1, 2, 3\""},
     .category = Category::String,
     .work = Work::Items,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::JoinTexts,
     .call = call_join},
    {.name = "String/join",
     .usage = "(String/join separator coll)",
     .doc = "As join, always with a separator.",
     .example = {"(String/join \"-\" [1 2])", "\"1-2\""},
     .category = Category::Interop,
     .work = Work::Items,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_join,
     .alias_of = "join"},
    {.name = "pr-str",
     .usage = "(pr-str & xs)",
     .doc = "The arguments as the reader would read them back, separated by spaces: strings quoted, nil as nil.",
     .example = {"(pr-str \"a\" 1 nil)", "\"\\\"a\\\" 1 nil\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PrintedText,
     .call = call_pr_str,
     .differs = "Collections print without commas and maps in key order (DIV-39)."},
    {.name = "prn-str",
     .usage = "(prn-str & xs)",
     .doc = "pr-str with a line break at the end.",
     .example = {"(prn-str :a \"b\")", "\":a \\\"b\\\"\\n\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText},
     .model = BoundModel::PrintedText,
     .call = call_prn_str},
    {.name = "print-str",
     .usage = "(print-str & xs)",
     .doc = "What println would print, as a string without the line break.",
     .example = {"(print-str \"a\" 1 nil)", "\"a 1 nil\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PrintedText,
     .call = call_print_str},
    {.name = "println-str",
     .usage = "(println-str & xs)",
     .doc = "What println would print, as a string.",
     .example = {"(println-str \"a\" 1)", "\"a 1\\n\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText},
     .model = BoundModel::PrintedText,
     .call = call_println_str},
    {.name = "println",
     .usage = "(println & xs)",
     .doc = "Prints the arguments, separated by spaces, as one line of output. Returns nil.",
     .example = {"(println \"total:\" 3)", "nil"},
     .work = Work::Inside,
     .gives = {kinds::kNil, ResultRule::Print},
     .model = BoundModel::Prints,
     .call = call_println,
     .effect = SideEffect::Prints,
     .differs = "A vector of one-character strings prints as the text that it spells."},
    {.name = "prn",
     .usage = "(prn & xs)",
     .doc = "Prints the arguments as pr-str writes them, as one line of output. Returns nil.",
     .example = {"(prn \"total:\" 3)", "nil"},
     .work = Work::Inside,
     .gives = {kinds::kNil, ResultRule::Print},
     .model = BoundModel::Prints,
     .call = call_prn,
     .effect = SideEffect::Prints},
    {.name = "pprint",
     .usage = "(pprint x)",
     .doc = "Prints a value as prn does. Returns nil.",
     .example = {"(clojure.pprint/pprint {:a [1 2]})", "nil"},
     .work = Work::Inside,
     .gives = {kinds::kNil},
     .model = BoundModel::Unknown,
     .call = call_prn,
     .effect = SideEffect::Prints,
     .differs = "On one line, however long."},
    {.name = "print",
     .usage = "(print & xs)",
     .doc = "Prints the arguments, separated by spaces, without ending the line. Returns nil.",
     .example = {"(print \"total: \")", "nil"},
     .work = Work::Inside,
     .gives = {kinds::kNil, ResultRule::Print},
     .model = BoundModel::Prints,
     .call = call_print,
     .effect = SideEffect::Prints},
    {.name = "pr",
     .usage = "(pr & xs)",
     .doc = "Prints the arguments as pr-str writes them, without ending the line. Returns nil.",
     .example = {"(pr \"total:\" 3)", "nil"},
     .work = Work::Inside,
     .gives = {kinds::kNil, ResultRule::Print},
     .model = BoundModel::Prints,
     .call = call_pr,
     .effect = SideEffect::Prints},
    {.name = "newline",
     .usage = "(newline)",
     .doc = "Ends the line of output. Returns nil.",
     .example = {"(newline)", "nil"},
     .gives = {kinds::kNil},
     .model = BoundModel::Prints,
     .call = call_newline,
     .effect = SideEffect::Prints},
    {.name = "flush",
     .usage = "(flush)",
     .doc = "nil: output waits for nothing.",
     .example = {"(flush)", "nil"},
     .gives = {kinds::kNil},
     .model = BoundModel::Prints,
     .call = call_flush},
    {.name = "begin-capture%",
     .usage = "(begin-capture%)",
     .doc = "Keeps what is printed from here on.",
     .example = {"(with-out-str (println 1))", "\"1\\n\""},
     .category = Category::Internal,
     .gives = {kinds::kNil},
     .model = BoundModel::Prints,
     .call = call_begin_capture,
     .effect = SideEffect::Prints},
    {.name = "end-capture%",
     .usage = "(end-capture%)",
     .doc = "What was printed since the capture began.",
     .example = {"(with-out-str (print 1))", "\"1\""},
     .category = Category::Internal,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_end_capture,
     .effect = SideEffect::Prints},
};

} // namespace

Error text_failure(Heap& heap) { return heap.meter.charge(0) ? heap.out_of_memory() : heap.meter.error(); }

bool append_str(StringBuilder& out, Heap& heap, const Value& v) {
    if (v.is_string()) return out.append(text_of(v));
    if (v.is_small_integer()) return out.append_integer(v.small_integer());
    return v.is_nil() || print_value(out, heap, v, PrintStyle::Display);
}

Result<Value> concatenate(Heap& heap, std::span<const Value> items, std::string_view separator) {
    std::size_t size = exact_size(items, separator.size());
    if (size != kNeedsPrinter) return concatenate_exactly(heap, items, separator, size);
    StringBuilder out(heap);
    std::size_t paid = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if ((i > 0 && !out.append(separator)) || !append_str(out, heap, items[i])) return text_failure(heap);
        if (out.size() - paid < kMeterPiece) continue;
        PTC_CHECK(charge_bytes_of_work(heap, out.size() / 8 * 8 - paid));
        paid = out.size() / 8 * 8;
    }
    PTC_CHECK(charge_bytes_of_work(heap, out.size() - paid));
    return out.finish();
}

std::span<const Builtin> printing_builtins() { return kRows; }

} // namespace ptc
