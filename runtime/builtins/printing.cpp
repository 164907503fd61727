// Values to text: str, join, pr-str, println and their like (spec 8.3, 8.13). Texts whose size is known beforehand
// (strings, integers, keywords) are written straight into a string of that size; all else goes through a printer. `str`
// appends in place to a text that nobody else has, so that building one in a loop is linear.
#include "frontend/try.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/digits.h"
#include "runtime/print.h"
#include "runtime/seq.h"
#include <algorithm>
#include <array>
#include <optional>

namespace ptc {
namespace {

/// The text of a value that needs no printer: a string's own bytes, or written into a small place. A keyword is its
/// colon and its bytes. Holds nothing until `read`, which makes a row of them cost nothing.
class PlainText {
public:
    /// False when `v` needs a printer.
    [[nodiscard]] bool read(const Value& v) {
        if (v.is_string()) return set(text_of(v), v.object()->flags, false);
        if (v.is_small_integer()) {
            char* const end = digits_ + kMostDigits;
            const char* start = write_integer_before(end, v.small_integer());
            return set({start, static_cast<std::size_t>(end - start)}, StringObject::kAscii, false);
        }
        if (v.is_nil()) return set({}, StringObject::kAscii, false);
        if (v.is_keyword()) return set(text_of(v), v.object()->flags, true);
        if (v.is_boolean()) return set(v.is_true() ? "true" : "false", StringObject::kAscii, false);
        return false;
    }
    [[nodiscard]] std::size_t size() const { return size_ + has_colon_; }
    /// Behind what is written; null when the meter ended it.
    char* write(Meter& meter, char* out) const {
        if (has_colon_) *out++ = ':';
        return copy_watched(meter, out, data_, size_) ? out + size_ : nullptr;
    }
    [[nodiscard]] std::string_view text() const { return {data_, size_}; }
    /// Of a string that this one is a part of: ASCII, and it does not end in what may become CR LF.
    [[nodiscard]] bool keeps_ascii() const {
        return (flags_ & StringObject::kAscii) && (size_ == 0 || data_[size_ - 1] != '\r');
    }

private:
    bool set(std::string_view text, std::uint8_t flags, bool has_colon) {
        data_ = text.data();
        size_ = text.size();
        flags_ = flags;
        has_colon_ = has_colon;
        return true;
    }
    const char* data_;
    std::size_t size_;
    std::uint8_t flags_;
    bool has_colon_;
    char digits_[kMostDigits];
};
static_assert(std::is_trivially_default_constructible_v<PlainText>);

/// An exact size, and whether the whole is ASCII as its parts are.
struct ExactSize {
    std::size_t bytes = 0;
    bool is_ascii = true;
};

/// Of the items and separators; nothing when an item's text has to be built first.
std::optional<ExactSize> exact_size(std::span<const Value> items, std::string_view separator) {
    ExactSize total;
    if (!separator.empty()) {
        total.bytes = items.empty() ? 0 : (items.size() - 1) * separator.size();
        const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0 && c != '\r'; };
        total.is_ascii = std::all_of(separator.begin(), separator.end(), is_plain);
    }
    PlainText text;
    for (const Value& item : items) {
        if (!text.read(item)) return std::nullopt;
        total.bytes += text.size();
        total.is_ascii = total.is_ascii && text.keeps_ascii();
    }
    return total;
}

Value finished(Value string, bool is_ascii) {
    if (is_ascii)
        string.object()->flags = StringObject::kAscii;
    else
        finish_string(string);
    return string;
}

Result<Value> concatenate_exactly(Heap& heap, std::span<const Value> items, std::string_view separator,
                                  ExactSize size) {
    PTC_CHECK(charge_bytes_of_work(heap, size.bytes));
    char* out = nullptr;
    Value result = PTC_TRY(make_string_buffer(heap, size.bytes, &out));
    constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;
    const char* looked = out;
    PlainText text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0 && !separator.empty()) {
            copy_bytes(out, separator.data(), separator.size());
            out += separator.size();
        }
        (void)text.read(items[i]);
        out = text.write(heap.meter, out);
        if (!out) return heap.meter.error();
        if (static_cast<std::size_t>(out - looked) < kBytesAtOnce) continue;
        looked = out;
        if (!heap.meter.look()) return heap.meter.error();
    }
    return finished(std::move(result), size.is_ascii);
}

constexpr std::size_t kFewParts = 6;

/// The same of a few parts, which are looked at once. Nothing when one needs a printer.
std::optional<Result<Value>> concatenate_few(Heap& heap, std::span<const Value> items) {
    std::array<PlainText, kFewParts> texts;
    ExactSize size;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!texts[i].read(items[i])) return std::nullopt;
        size.bytes += texts[i].size();
        size.is_ascii = size.is_ascii && texts[i].keeps_ascii();
    }
    if (!heap.meter.charge(static_cast<std::int64_t>(size.bytes / 8))) return Result<Value>(heap.meter.error());
    StringObject* made = new_string_object(heap, ObjectType::String, size.bytes);
    if (!made) return Result<Value>(heap.out_of_memory());
    Value string = heap.value_of(made);
    char* out = made->bytes;
    for (std::size_t i = 0; i < items.size(); ++i) {
        out = texts[i].write(heap.meter, out);
        if (!out) return Result<Value>(heap.meter.error());
    }
    return Result<Value>(finished(std::move(string), size.is_ascii));
}

/// (str acc part ..) where acc has no other owner: the parts go to its end, so that building a text in a loop is
/// linear.
Result<Value> append_parts(Heap& heap, Value target, std::span<const Value> parts) {
    for (const Value& part : parts) {
        if (part.is_string()) {
            target = PTC_TRY(string_append(heap, std::move(target), text_of(part)));
        } else if (part.is_small_integer() || part.is_boolean()) {
            PlainText piece;
            (void)piece.read(part);
            target = PTC_TRY(string_append(heap, std::move(target), piece.text()));
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
    if (args.size() > 1 && args[0].is_string() && args[0].is_counted() && args[0].object()->refs == 2)
        call.heap.forget_text_places(); // perhaps the other owner
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
     .doc = "What println would print, as a string without the line break; a vector of texts stays a vector.",
     .example = {"(print-str \"a\" 1 nil)", "\"a 1 nil\""},
     .category = Category::String,
     .work = Work::Inside,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::PrintedText,
     .call = call_print_str},
    {.name = "println-str",
     .usage = "(println-str & xs)",
     .doc = "What println would print, as a string; a vector of texts stays a vector.",
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
     .differs = "Strings within collections keep their quotes. A vector of one-character strings prints as the text "
                "that it spells."},
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
    if (items.size() <= kFewParts && separator.empty()) {
        if (std::optional<Result<Value>> text = concatenate_few(heap, items)) return std::move(*text);
    } else if (const std::optional<ExactSize> size = exact_size(items, separator)) {
        return concatenate_exactly(heap, items, separator, *size);
    }
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
