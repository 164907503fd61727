// Writes without recursion: a stack of open maps and vectors, each with the next element to write. What JSON has no
// notation for (functions, infinity, keys that are collections) is refused, and so are two keys of a map that would be
// one name: a map whose keys are all texts or all keywords has none; in any other, each key that is no text asks the
// map for the text that it is written as. The stack also says where a refused value is. Fuel is charged for elements
// and for each piece of text by its bytes; the pieces are put together in a block, which the sink gets when it is full.
#include "frontend/json_text.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/digits.h"
#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/print.h"
#include "runtime/runtime_errors.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/text_sink.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include <cmath>

namespace ptc {
namespace {

enum class Written : std::uint8_t {
    Done,
    NoJson,
    TwoNames, ///< two keys of a map are one name
    TooDeep,
    Failed, ///< the heap is full or the sink refuses
};

/// A block of text before a sink. What it owes the sink for pieces and work is paid with it.
template <class Sink> class Block {
public:
    explicit Block(Sink& sink) : sink_(sink) {}

    /// Free: punctuation, and what is shorter than a unit's 8 bytes.
    [[nodiscard]] bool put(char c) {
        if (size_ == sizeof bytes_ && !flush()) return false;
        bytes_[size_++] = c;
        return true;
    }
    [[nodiscard]] bool put(std::string_view s) {
        owed_ += static_cast<std::int64_t>(s.size() / 8);
        if (s.size() > sizeof bytes_ - size_) {
            if (!flush()) return false;
            if (s.size() > sizeof bytes_) return sink_.append_pieces(s, 0);
        }
        copy_bytes(bytes_ + size_, s.data(), s.size());
        size_ += s.size();
        return true;
    }
    /// Room for a text of at most `most` bytes, which is done once its end is known; null when the sink refuses.
    [[nodiscard]] char* room(std::size_t most) {
        if (most > sizeof bytes_ - size_ && !flush()) return nullptr;
        return bytes_ + size_;
    }
    void done(const char* end) {
        const auto size = static_cast<std::size_t>(end - (bytes_ + size_));
        owed_ += static_cast<std::int64_t>(size / 8);
        size_ += size;
    }
    /// A little work, charged with the block.
    void owe(std::int64_t units) { work_ += units; }
    /// Charges now, for much.
    [[nodiscard]] bool work(std::int64_t units) { return flush() && sink_.work(units); }
    [[nodiscard]] bool asks_how_long() { return sink_.asks_how_long(); }
    [[nodiscard]] std::size_t max_bytes() const { return sink_.max_bytes(); }
    [[nodiscard]] bool refuse() { return sink_.refuse(); }
    [[nodiscard]] bool flush() {
        const std::size_t size = std::exchange(size_, 0);
        const std::int64_t work = std::exchange(work_, 0), owed = std::exchange(owed_, 0);
        return (work == 0 || sink_.work(work)) && sink_.append_pieces({bytes_, size}, owed);
    }

private:
    Sink& sink_;
    std::size_t size_ = 0;
    std::int64_t work_ = 0, owed_ = 0;
    char bytes_[4096];
};

/// The first byte from `p` on that needs an escape, or `end`: eight bytes at a time.
const char* plain_end(const char* p, const char* end) {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kHigh = 0x8080'8080'8080'8080;
    const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHigh; };
    for (; end - p >= 8; p += 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word & kHigh;
        if (below_blank | has_zero(word ^ kOnes * '"') | has_zero(word ^ kOnes * '\\')) break;
    }
    while (p < end && !needs_json_escape(*p))
        ++p;
    return p;
}

template <class Sink> class Writer {
public:
    Writer(Sink& out, Heap& heap, std::size_t max_levels = SIZE_MAX)
        : out_(out), heap_(heap), open_(heap), max_levels_(max_levels) {}

    Written write(const Value& root) {
        const Value* current = &root;
        Value temporary; // an element that no collection holds
        while (true) {
            Written written = current->is_collection() ? open(*current) : scalar(*current);
            if (written != Written::Done) return refused(written);
            while (!open_.empty() && open_.back().next == open_.back().size) {
                if (!out_.put(open_.back().is_map ? '}' : ']')) return Written::Failed;
                open_.pop();
            }
            if (open_.empty()) return out_.flush() ? Written::Done : Written::Failed;
            if (out_.asks_how_long() && is_text_longer(heap_, root, out_.max_bytes())) return appended(out_.refuse());
            written = next(open_.back(), &current, temporary);
            if (written != Written::Done) return refused(written);
        }
    }

    /// Why it was refused. `opening` begins the sentence.
    Error problem(Reason reason, std::string opening) {
        return Error(reason, std::move(opening) + problem_ + where() + ".").with_hint(hint_);
    }

private:
    /// What was written before is paid for.
    Written refused(Written why) { return out_.flush() ? why : Written::Failed; }

    struct Container {
        Value items; ///< keeps what is written alive
        MapView view;
        const Value* elements = nullptr; ///< of a vector that has them side by side
        std::size_t next = 0;
        std::size_t size = 0;
        bool is_map = false;
        bool may_repeat = false; ///< a map with keys of several kinds, of which two may be one name
    };

    Written open(const Value& v) {
        if (open_.size() >= max_levels_) return Written::TooDeep;
        Container container;
        Result<void> prepared = prepare(v, container);
        if (!prepared.ok()) return Written::Failed;
        if (!out_.put(container.is_map ? '{' : '[') || !open_.push(std::move(container))) return Written::Failed;
        return Written::Done;
    }

    Result<void> prepare(const Value& v, Container& container) {
        container.is_map = v.is_map();
        if (v.is_map()) {
            container.items = v.copy();
            container.view = PTC_TRY(MapView::of(heap_, v));
            container.size = container.view.size();
            container.may_repeat = container.size > 1 && !have_one_kind(container.view);
            return {};
        }
        container.items = v.is_set() ? PTC_TRY(set_items(heap_, v)) : v.copy();
        container.size = vector_length(container.items);
        container.elements = vector_data_or_null(container.items);
        return {};
    }

    /// Writes what stands before the next element and finds it.
    Written next(Container& container, const Value** element, Value& temporary) {
        out_.owe(1);
        const std::size_t i = container.next++;
        if (i > 0 && !out_.put(',')) return Written::Failed;
        if (container.is_map) {
            *element = &container.view.value(i);
            return key(container.view.key(i));
        }
        if (container.elements) {
            *element = container.elements + i;
        } else {
            temporary = vector_get(container.items, i);
            *element = &temporary;
        }
        return Written::Done;
    }

    // The order of keys has those of one kind side by side.
    static bool have_one_kind(const MapView& view) {
        const Value& first = view.key(0);
        const Value& last = view.key(view.size() - 1);
        return (first.is_string() && last.is_string()) || (first.is_keyword() && last.is_keyword());
    }

    /// Writes `key`, of the map that is open last.
    Written key(const Value& key) {
        std::string made;
        std::string_view text;
        if (key.is_string() || key.is_keyword()) {
            text = text_of(key);
        } else {
            if (!out_.work(number_text_cost(key))) return Written::Failed;
            if (!make_key_text(key, made)) return no_json(true, key);
            text = made;
        }
        const Container& container = open_.back();
        if (container.may_repeat && !key.is_string()) {
            const Value& map = container.items;
            const Value* other = map_key_of_text(heap_, map, ObjectType::String, text);
            if (!other && !key.is_keyword()) other = map_key_of_text(heap_, map, ObjectType::Keyword, text);
            if (other) return two_names(key, *other);
        }
        const Written written = quoted(text);
        if (written != Written::Done) return written;
        return appended(out_.put(':'));
    }

    static bool make_key_text(const Value& key, std::string& text) {
        if (key.is_boolean())
            text = key.is_true() ? "true" : "false";
        else if (is_time(key))
            append_time(key, text);
        else if (key.is_integer() || (key.is_double() && std::isfinite(key.as_double())))
            text = number_to_text(key);
        else
            return false;
        return true;
    }

    Written no_json(bool is_key, const Value& v) {
        is_key_refused_ = is_key;
        const bool is_short = v.is_nil() || v.is_number();
        problem_ = std::string(is_key ? "a key that is " : "a value that is ") +
                   (is_short ? scalar_to_string(v) : "a " + std::string(type_name(v)));
        hint_ =
            is_key
                ? "Keys of JSON are texts: `(update-keys m str)` makes texts of all keys, `pr-str` of any one."
                : "JSON has texts, finite numbers, booleans, nil, lists and maps: leave it out, or write one of these.";
        return Written::NoJson;
    }
    Written two_names(const Value& key, const Value& other) {
        is_key_refused_ = true;
        constexpr std::size_t kShown = 60;
        problem_ = "the keys " + scalar_to_string(key).substr(0, kShown) + " and " +
                   scalar_to_string(other).substr(0, kShown) + " of one map, which are one name";
        hint_ = "Keep one of them: `dissoc` the other, or give it another name.";
        return Written::TwoNames;
    }

    /// Where the element is that was taken last, or the map whose key is refused: " at [:rows 2 :total]". The way to
    /// what is deep is cut.
    std::string where() {
        constexpr std::size_t kSteps = 8, kShown = 40;
        const std::size_t steps = open_.size() - is_key_refused_;
        std::string path;
        for (std::size_t i = 0; i < steps && i < kSteps; ++i) {
            const Container& container = open_.data()[i];
            const std::size_t at = container.next - 1;
            if (!path.empty()) path += ' ';
            path += container.is_map ? scalar_to_string(container.view.key(at)).substr(0, kShown) : std::to_string(at);
        }
        if (steps > kSteps) path += " ..";
        return path.empty() ? "" : " at [" + path + "]";
    }

    static Written appended(bool ok) { return ok ? Written::Done : Written::Failed; }

    Written scalar(const Value& v) {
        if (v.is_string()) return quoted(text_of(v));
        if (v.is_small_integer()) return integer(v.small_integer());
        if (v.is_double()) return std::isfinite(v.as_double()) ? number(v.as_double()) : no_json(false, v);
        if (v.is_nil()) return appended(out_.put("null"));
        if (v.is_boolean()) return appended(out_.put(v.is_true() ? "true" : "false"));
        if (v.is_number()) {
            if (!out_.work(number_text_cost(v))) return Written::Failed;
            return appended(out_.put(number_to_text(v)));
        }
        if (v.is_keyword()) return quoted(text_of(v));
        if (is_time(v)) {
            std::string text;
            append_time(v, text);
            return quoted(text);
        }
        return no_json(false, v);
    }

    Written integer(std::int64_t i) {
        out_.owe(1);
        char digits[kMostDigits];
        char* const end = digits + kMostDigits;
        const char* start = write_integer_before(end, i);
        return appended(out_.put(std::string_view(start, static_cast<std::size_t>(end - start))));
    }
    Written number(double d) {
        out_.owe(1);
        char* to = out_.room(kDoubleBytes);
        if (to) out_.done(write_double(d, to));
        return appended(to != nullptr);
    }

    Written quoted(std::string_view text) {
        const char* plain = text.data(); // start of the part that needs no escapes
        const char* const end = plain + text.size();
        bool ok = out_.put('"');
        constexpr std::size_t kEscapesAtOnce = 32; // short pieces are nothing to the sink
        for (std::size_t escapes = 1; ok; ++escapes) {
            const char* stop = plain_end(plain, end);
            ok = out_.put(std::string_view(plain, static_cast<std::size_t>(stop - plain)));
            if (stop == end) break;
            ok = ok && escape(*stop);
            plain = stop + 1;
            if (escapes % kEscapesAtOnce == 0) out_.owe(kEscapesAtOnce / 4);
        }
        return appended(ok && out_.put('"'));
    }

    bool escape(char c) {
        if (c == '\b') return out_.put("\\b");
        if (c == '\f') return out_.put("\\f");
        return out_.put(JsonEscape(c).text());
    }

    Block<Sink> out_;
    Heap& heap_;
    ScratchStack<Container> open_;
    std::size_t max_levels_;
    std::string problem_; ///< what was refused
    std::string hint_;
    bool is_key_refused_ = false;
};

} // namespace

Result<void> write_json(StringBuilder& out, Heap& heap, const Value& v, const char* who) {
    MeteredSink sink(out, heap.meter);
    Writer writer(sink, heap);
    switch (writer.write(v)) {
    case Written::Done: return {};
    case Written::NoJson:
    case Written::TwoNames: return writer.problem(Reason::TypeError, quoted(who) + " cannot write ");
    case Written::TooDeep:
    case Written::Failed: break;
    }
    if (!heap.meter.charge(0)) return heap.meter.error();
    return heap.out_of_memory();
}

namespace {

Error result_too_deep(std::size_t limit) {
    return Error(Reason::LimitExceeded,
                 "The result's JSON is nested deeper than the limit of " + std::to_string(limit) + " levels.")
        .with_hint("Return it flat, e.g. `(flatten x)`, or as a text: `(pr-str x)`.");
}

} // namespace

Result<std::optional<std::string>> result_to_json(Heap& heap, const Value& v, std::size_t max_bytes) {
    ResultSink sink(heap.meter, max_bytes);
    constexpr std::size_t kMaxLevels = JsonLimits().max_depth;
    Writer writer(sink, heap, kMaxLevels);
    switch (writer.write(v)) {
    case Written::Done: return std::optional(std::move(sink).whole());
    case Written::NoJson: return std::optional<std::string>();
    case Written::TwoNames: return writer.problem(Reason::ValidationError, "The result cannot be JSON with ");
    case Written::TooDeep: return result_too_deep(kMaxLevels);
    case Written::Failed: break;
    }
    if (sink.is_full()) return result_too_long("JSON", max_bytes);
    return heap.out_of_memory();
}

bool to_json(Heap& heap, const Value& v, std::string& out, std::size_t max_bytes) {
    BoundedSink sink(max_bytes);
    if (Writer(sink, heap).write(v) != Written::Done) return false;
    if (out.empty())
        out = std::move(sink).whole();
    else
        out += std::move(sink).whole();
    return true;
}

} // namespace ptc
