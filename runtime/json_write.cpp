// Writes without recursion: a stack of open maps and vectors, each with the next element to write. What JSON has no
// notation for (functions, infinity, keys that are collections) is refused; keywords are refused or written as strings,
// as the caller says. Fuel is charged by the sink for bytes and here for elements.
#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/text_sink.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include <cmath>

namespace ptc {
namespace {

enum class Outcome : std::uint8_t {
    Done,
    NoJson,
    Failed, ///< the heap is full or the sink refuses
};

template <class Sink> class Writer {
public:
    Writer(Sink& out, Heap& heap, JsonKeywords keywords) : out_(out), heap_(heap), keywords_(keywords), open_(heap) {}

    Outcome write(const Value& root) {
        Value current = root.copy();
        while (true) {
            Outcome outcome = current.is_collection() ? open(current) : scalar(current);
            if (outcome != Outcome::Done) return outcome;
            while (!open_.empty() && open_.back().next == open_.back().size) {
                if (!out_.append(open_.back().is_map ? "}" : "]")) return Outcome::Failed;
                open_.pop();
            }
            if (open_.empty()) return Outcome::Done;
            outcome = next(open_.back(), current);
            if (outcome != Outcome::Done) return outcome;
        }
    }

private:
    struct Container {
        Value items; ///< keeps what is written alive
        MapView view;
        std::size_t next = 0;
        std::size_t size = 0;
        bool is_map = false;
    };

    Outcome open(const Value& v) {
        Container container;
        Result<void> prepared = prepare(v, container);
        if (!prepared.ok()) return Outcome::Failed;
        if (!out_.append(container.is_map ? "{" : "[") || !open_.push(std::move(container))) return Outcome::Failed;
        return Outcome::Done;
    }

    Result<void> prepare(const Value& v, Container& container) {
        container.is_map = v.is_map();
        if (v.is_map()) {
            container.items = v.copy();
            container.view = PTC_TRY(MapView::of(heap_, v));
            container.size = container.view.size();
            return {};
        }
        container.items = v.is_set() ? PTC_TRY(set_items(heap_, v)) : v.copy();
        container.size = vector_length(container.items);
        return {};
    }

    /// Writes what stands before the next element and takes it.
    Outcome next(Container& container, Value& element) {
        if (!out_.work(1)) return Outcome::Failed;
        std::size_t i = container.next++;
        if (i > 0 && !out_.append(",")) return Outcome::Failed;
        if (!container.is_map) {
            element = vector_get(container.items, i);
            return Outcome::Done;
        }
        element = container.view.value(i).copy();
        return key(container.view.key(i));
    }

    Outcome key(const Value& key) {
        Outcome outcome = Outcome::NoJson;
        if (key.is_string() || (key.is_keyword() && keywords_ == JsonKeywords::AsStrings)) {
            outcome = quoted(text_of(key));
        } else if (key.is_integer()) {
            if (!out_.work(number_text_cost(key))) return Outcome::Failed;
            outcome = quoted(number_to_text(key));
        }
        if (outcome != Outcome::Done) return outcome;
        return appended(out_.append(":"));
    }

    static Outcome appended(bool ok) { return ok ? Outcome::Done : Outcome::Failed; }

    Outcome scalar(const Value& v) {
        if (v.is_nil()) return appended(out_.append("null"));
        if (v.is_boolean()) return appended(out_.append(v.is_true() ? "true" : "false"));
        if (v.is_double() && !std::isfinite(v.as_double())) return Outcome::NoJson;
        if (v.is_number()) {
            if (!out_.work(number_text_cost(v))) return Outcome::Failed;
            return appended(out_.append(number_to_text(v)));
        }
        if (v.is_string()) return quoted(text_of(v));
        if (v.is_keyword() && keywords_ == JsonKeywords::AsStrings) return quoted(text_of(v));
        if (is_time(v)) {
            std::string text;
            append_time(v, text);
            return quoted(text);
        }
        return Outcome::NoJson;
    }

    Outcome quoted(std::string_view text) {
        bool ok = out_.append("\"");
        std::size_t plain = 0; // start of the part that needs no escapes
        for (std::size_t i = 0; i < text.size() && ok; ++i) {
            auto c = static_cast<unsigned char>(text[i]);
            if (c >= ' ' && c != '"' && c != '\\') continue;
            ok = out_.append(text.substr(plain, i - plain)) && escape(c);
            plain = i + 1;
        }
        return appended(ok && out_.append(text.substr(plain)) && out_.append("\""));
    }

    bool escape(unsigned char c) {
        constexpr char kHex[] = "0123456789abcdef";
        switch (c) {
        case '"': return out_.append("\\\"");
        case '\\': return out_.append("\\\\");
        case '\n': return out_.append("\\n");
        case '\r': return out_.append("\\r");
        case '\t': return out_.append("\\t");
        case '\b': return out_.append("\\b");
        case '\f': return out_.append("\\f");
        default: {
            const char text[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
            return out_.append({text, sizeof text});
        }
        }
    }

    Sink& out_;
    Heap& heap_;
    JsonKeywords keywords_;
    ScratchStack<Container> open_;
};

} // namespace

Result<bool> write_json(StringBuilder& out, Heap& heap, const Value& v, JsonKeywords keywords) {
    MeteredSink sink(out, heap.meter);
    switch (Writer(sink, heap, keywords).write(v)) {
    case Outcome::Done: return true;
    case Outcome::NoJson: return false;
    case Outcome::Failed: break;
    }
    if (!heap.meter.charge(0)) return heap.meter.error();
    return heap.out_of_memory();
}

Result<std::optional<std::string>> result_to_json(Heap& heap, const Value& v, std::size_t max_bytes) {
    ResultSink sink(heap.meter, max_bytes);
    switch (Writer(sink, heap, JsonKeywords::AsStrings).write(v)) {
    case Outcome::Done: return std::optional(std::move(sink).whole());
    case Outcome::NoJson: return std::optional<std::string>();
    case Outcome::Failed: break;
    }
    if (sink.is_full()) return std::optional<std::string>();
    return heap.out_of_memory();
}

bool to_json(Heap& heap, const Value& v, std::string& out, std::size_t max_bytes) {
    BoundedSink sink(max_bytes);
    if (Writer(sink, heap, JsonKeywords::AsStrings).write(v) != Outcome::Done) return false;
    out += std::move(sink).whole();
    return true;
}

} // namespace ptc
