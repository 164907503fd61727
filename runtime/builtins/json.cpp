// JSON in programs: what cannot be read or written gives nil (DIV-23, DIV-24), a spent budget is still an error.
// Programs write by a stricter rule than hosts do (json_write.cpp): only values that read back as the same ones have a
// JSON text, so keywords, sets and dates have none.
#include "runtime/json.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/scratch.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"
#include <cmath>

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

/// Writes only what reads back as the same value (DIV-24): no keywords, sets, dates, functions, infinities; keys are
/// strings, or integers as strings.
class StrictJsonWriter {
public:
    explicit StrictJsonWriter(Heap& heap) : heap_(heap), out_(heap), open_(heap) {}

    /// The text; nil when something in `root` has no exact form.
    Result<Value> write(const Value& root) {
        bool exact = PTC_TRY(write_value(root));
        while (exact && !open_.empty()) {
            Container& container = open_.back();
            if (container.next < container.size) {
                exact = PTC_TRY(write_next(container));
                continue;
            }
            PTC_CHECK(written(out_.append(container.collection.is_map() ? '}' : ']')));
            open_.pop();
        }
        if (!exact) return Value();
        return out_.finish();
    }

private:
    /// A vector or map that is being written.
    struct Container {
        Value collection; ///< keeps what is written alive
        MapView entries;
        std::size_t next = 0;
        std::size_t size = 0;
    };

    // `container` may move as soon as a value that is a collection itself is opened.
    Result<bool> write_next(Container& container) {
        std::size_t i = container.next++;
        if (i > 0) PTC_CHECK(written(out_.append(',')));
        if (container.collection.is_map()) {
            if (!PTC_TRY(write_key(container.entries.key(i)))) return false;
            return write_value(container.entries.value(i));
        }
        if (const Value* data = vector_data_or_null(container.collection)) return write_value(data[i]);
        return write_value(vector_get(container.collection, i));
    }

    Result<bool> write_value(const Value& v) {
        if (!heap_.meter.charge(1 + number_text_cost(v))) return heap_.meter.error();
        if (v.is_vector()) return open_vector(v);
        if (v.is_map()) return open_map(v);
        if (v.is_string()) return written(write_text(text_of(v)));
        if (v.is_nil()) return written(out_.append("null"));
        if (v.is_boolean()) return written(out_.append(v.is_true() ? "true" : "false"));
        if (v.is_small_integer()) return written(out_.append_integer(v.small_integer()));
        if (!v.is_number() || (v.is_double() && !std::isfinite(v.as_double()))) return false;
        return written(out_.append(number_to_text(v)));
    }
    Result<bool> write_key(const Value& key) {
        if (key.is_string()) return written(write_text(text_of(key)) && out_.append(':'));
        if (!key.is_integer()) return false;
        if (!heap_.meter.charge(number_text_cost(key))) return heap_.meter.error();
        return written(out_.append('"') && out_.append(number_to_text(key)) && out_.append("\":"));
    }
    Result<bool> written(bool appended) {
        if (!appended) return text_failure(heap_);
        return true;
    }
    Result<bool> open_vector(const Value& v) {
        return written(out_.append('[') && open_.push(Container{v.copy(), {}, 0, vector_length(v)}));
    }
    Result<bool> open_map(const Value& v) {
        MapView entries = PTC_TRY(MapView::of(heap_, v));
        std::size_t size = entries.size();
        return written(out_.append('{') && open_.push(Container{v.copy(), std::move(entries), 0, size}));
    }

    bool write_text(std::string_view text) {
        if (!heap_.meter.charge(static_cast<std::int64_t>(text.size() / 8))) return false;
        if (!out_.append('"')) return false;
        std::size_t plain = 0; // start of what needs no escape
        for (std::size_t i = 0; i < text.size(); ++i) {
            auto byte = static_cast<unsigned char>(text[i]);
            if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
            if (i > plain && !out_.append(text.substr(plain, i - plain))) return false;
            if (!write_escape(byte)) return false;
            plain = i + 1;
        }
        return (plain == text.size() || out_.append(text.substr(plain))) && out_.append('"');
    }
    bool write_escape(unsigned char byte) {
        switch (byte) {
        case '"': return out_.append("\\\"");
        case '\\': return out_.append("\\\\");
        case '\n': return out_.append("\\n");
        case '\r': return out_.append("\\r");
        case '\t': return out_.append("\\t");
        case '\b': return out_.append("\\b");
        case '\f': return out_.append("\\f");
        default: break;
        }
        constexpr const char* kHex = "0123456789abcdef";
        return out_.append("\\u00") && out_.append(kHex[byte >> 4]) && out_.append(kHex[byte & 15]);
    }

    Heap& heap_;
    StringBuilder out_;
    ScratchStack<Container> open_;
};

Result<Value> call_generate_string(Call& call, Args args) { return StrictJsonWriter(call.heap).write(args[0]); }

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
     .doc = "x as a JSON text; nil when something in it has no exact JSON form: a keyword, a set, a date, a function, "
            "##Inf. "
            "Keys are strings or integers; (name k) makes a string of a keyword.",
     .example = {"(json/generate-string {\"a\" [1 nil]})", "\"{\\\"a\\\":[1,null]}\""},
     .category = Category::Json,
     .work = Work::Inside,
     .gives = {kinds::kText | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = call_generate_string,
     .differs = "Cheshire writes keywords as strings (DIV-24)."},
};

} // namespace

std::span<const Builtin> json_builtins() { return kRows; }

} // namespace ptc
