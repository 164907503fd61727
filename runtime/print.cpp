// One printer for all sinks: strings of programs (charged and metered), texts for hosts and messages (bounded), results
// (both). Collections are printed with a stack of cursors, maps and sets in the total order, so the text of a value
// depends on nothing but the value.
#include "runtime/print.h"
#include "frontend/try.h"
#include "runtime/digits.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/runtime_errors.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/text_sink.h"
#include "runtime/text_size.h"
#include "runtime/time.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

const char* escape_of(char c) {
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    case '\b': return "\\b";
    case '\f': return "\\f";
    default: return nullptr;
    }
}

template <class Sink> bool append_quoted(Sink& out, std::string_view text) {
    if (!out.append("\"")) return false;
    constexpr std::size_t kPiece = 4096;       // a sink that wants no more says so long before the end of a long text
    constexpr std::size_t kEscapesAtOnce = 32; // short pieces are nothing to the sink
    std::size_t escapes = 0;
    std::size_t plain = 0; // start of the part that needs no escapes
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char* escape = escape_of(text[i]);
        if (!escape && i - plain < kPiece) continue;
        if (!out.append(text.substr(plain, i - plain))) return false;
        if (escape && !out.append(escape)) return false;
        if (escape && ++escapes % kEscapesAtOnce == 0 && !out.work(kEscapesAtOnce / 4)) return false;
        plain = escape ? i + 1 : i;
    }
    return out.append(text.substr(plain)) && out.append("\"");
}

/// The pattern between quotes; a quote that the pattern does not escape itself is escaped.
template <class Sink> bool append_regex(Sink& out, std::string_view pattern) {
    if (!out.append("#\"")) return false;
    constexpr std::size_t kPiecesAtOnce = 32;
    for (std::size_t i = 0, pieces = 0; i < pattern.size(); ++i) {
        if (++pieces % kPiecesAtOnce == 0 && !out.work(kPiecesAtOnce / 4)) return false;
        bool escaped = pattern[i] == '\\' && i + 1 < pattern.size();
        if (pattern[i] == '"' && !out.append("\\")) return false;
        if (!out.append(pattern.substr(i, escaped ? 2 : 1))) return false;
        if (escaped) ++i;
    }
    return out.append("\"");
}

template <class Sink> bool append_small_integer(Sink& out, std::int64_t i) {
    char digits[kMostDigits];
    char* const end = digits + kMostDigits;
    const char* start = write_integer_before(end, i);
    return out.append(std::string_view(start, static_cast<std::size_t>(end - start)));
}

std::string double_text(double d, PrintStyle style) {
    std::string text;
    append_double(d, text);
    // `str` gives what Java's toString gives, readers get the reader's notation.
    if (style == PrintStyle::Display) {
        if (text == "##Inf") return "Infinity";
        if (text == "##-Inf") return "-Infinity";
        if (text == "##NaN") return "NaN";
    }
    return text;
}

std::string function_text(const Value& v) {
    if (v.is_builtin()) return "#<builtin>";
    const FunctionInfo& info = function_info(v);
    if (info.parameters) return std::string("#fn[") + info.parameters + "]";
    // Of the core library: one of its functions, or what comp, partial and the like give.
    return v.is_static_function() ? "#<builtin>" : "#fn[...]";
}

/// Dates print as text in quotes, as a data reader gets them back; a duration has a notation of its own (spec 8.14).
std::string time_text(const Value& v, PrintStyle style) {
    std::string text;
    append_time(v, text);
    if (style == PrintStyle::Display || v.is(ObjectType::Duration)) return text;
    return '"' + text + '"';
}

template <class Sink> bool append_scalar(Sink& out, const Value& v, PrintStyle style) {
    if (v.is_small_integer()) return append_small_integer(out, v.small_integer());
    if (v.is_double()) return out.append(double_text(v.as_double(), style));
    if (v.is_nil()) return out.append("nil");
    if (v.is_boolean()) return out.append(v.is_true() ? "true" : "false");
    if (v.is_function()) return out.append(function_text(v));
    switch (v.type()) {
    case ObjectType::String:
        return style == PrintStyle::Display ? out.append(text_of(v)) : append_quoted(out, text_of(v));
    case ObjectType::Keyword: return out.append(":") && out.append(text_of(v));
    case ObjectType::BigInteger: return out.append(number_to_text(v));
    case ObjectType::Regex:
        return style == PrintStyle::Display ? out.append(regex_source(v)) : append_regex(out, regex_source(v));
    case ObjectType::Var:
        if (text_of(v).starts_with(kAtomPrefix)) return out.append("#<atom>");
        return out.append("#'") && out.append(text_of(v));
    case ObjectType::Symbol: return out.append("'") && out.append(text_of(v));
    case ObjectType::LocalDate:
    case ObjectType::Instant:
    case ObjectType::Duration:
    case ObjectType::Period:
    case ObjectType::LocalDateTime:
    case ObjectType::LocalTime:
    case ObjectType::ZonedDateTime:
    case ObjectType::YearMonth:
    case ObjectType::TimeConstant: return out.append(time_text(v, style));
    default: return out.append("#<unknown>");
    }
}

/// False when the sink refuses or the heap is full. A long text is not written on when it is known to be too long.
template <class Sink> bool print(Sink& out, Heap& heap, const Value& root, PrintStyle style) {
    if (!root.is_collection()) {
        if (!out.work(number_text_cost(root))) return false;
        return append_scalar(out, root, style);
    }
    ScratchStack<Cursor> open(heap);
    Value current = root.copy();
    while (true) {
        if (!out.work(number_text_cost(current) + 1)) return false;
        if (current.is_collection()) {
            if (!out.append(Cursor::opening(current))) return false;
            Result<Cursor> cursor = Cursor::of(heap, current);
            if (!cursor.ok() || !open.push(std::move(cursor).value())) return false;
        } else if (!append_scalar(out, current, PrintStyle::Readable)) {
            return false;
        }
        while (open.back().at_end()) {
            if (!out.append(open.back().closing())) return false;
            open.pop();
            if (open.empty()) return true;
        }
        if (out.asks_how_long() && is_text_longer(heap, root, out.max_bytes())) return out.refuse();
        if (!open.back().at_start() && !out.append(" ")) return false;
        current = open.back().next();
    }
}

std::string counted(const char* kind, std::size_t n, const char* item, const char* items) {
    if (n == 0) return std::string("an empty ") + kind;
    return std::string("a ") + kind + " of " + std::to_string(n) + " " + (n == 1 ? item : items);
}

} // namespace

bool print_value(StringBuilder& out, Heap& heap, const Value& v, PrintStyle style) {
    MeteredSink sink(out, heap.meter);
    return print(sink, heap, v, style);
}

std::string print_to_string(Heap& heap, const Value& v, PrintStyle style, std::size_t max_bytes, bool* cut) {
    BoundedSink sink(max_bytes);
    bool complete = print(sink, heap, v, style);
    if (cut) *cut = !complete;
    return complete ? std::move(sink).whole() : std::move(sink).cut();
}

std::string print_for_host(Heap& heap, const Value& v, std::size_t max_bytes, bool* cut) {
    BoundedSink sink(max_bytes, &heap.meter);
    const bool complete = print(sink, heap, v, PrintStyle::Readable);
    if (cut) *cut = !complete;
    return complete ? std::move(sink).whole() : std::move(sink).cut();
}

Result<std::string> print_result(Heap& heap, const Value& v, std::size_t max_bytes) {
    ResultSink sink(heap.meter, max_bytes);
    if (print(sink, heap, v, PrintStyle::Readable)) return std::move(sink).whole();
    if (!sink.is_full()) return heap.out_of_memory();
    return result_too_long("text", max_bytes);
}

std::string scalar_to_string(const Value& v) {
    BoundedSink sink(SIZE_MAX);
    append_scalar(sink, v, PrintStyle::Readable);
    return std::move(sink).whole();
}

const char* type_name(const Value& v) {
    if (v.is_nil()) return "nil";
    if (v.is_boolean()) return "boolean";
    if (v.is_integer()) return "integer";
    if (v.is_double()) return "float";
    if (v.is_function()) return "function";
    if (v.is_vector()) return "vector";
    if (v.is_map()) return "map";
    if (v.is_set()) return "set";
    switch (v.type()) {
    case ObjectType::String: return "string";
    case ObjectType::Keyword: return "keyword";
    case ObjectType::Regex: return "regex";
    case ObjectType::Var: return text_of(v).starts_with(kAtomPrefix) ? "atom" : "var";
    case ObjectType::Symbol: return "symbol";
    case ObjectType::LocalDate: return "date";
    case ObjectType::Instant: return "instant";
    case ObjectType::Duration: return "duration";
    case ObjectType::Period: return "period";
    case ObjectType::LocalDateTime:
    case ObjectType::ZonedDateTime: return "date and time";
    case ObjectType::LocalTime: return "time of day";
    case ObjectType::YearMonth: return "month of a year";
    case ObjectType::TimeConstant: return names_of(static_cast<TimeFamily>(as_time(v).a)).family;
    default: return "value";
    }
}

std::string describe_type(const Value& v) {
    if (v.is_nil()) return "nil";
    if (v.is_vector()) return counted("vector", vector_length(v), "item", "items");
    if (v.is_map()) return counted("map", map_count(v), "entry", "entries");
    if (v.is_set()) return counted("set", set_count(v), "member", "members");
    const NeedKind need = need_kind(v);
    if (need == NeedKind::Cell || need == NeedKind::LazySeq) return "a sequence that is computed by need";
    const char* name = type_name(v);
    bool vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos;
    return std::string(vowel ? "an " : "a ") + name;
}

} // namespace ptc
