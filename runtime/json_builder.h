// Values of a JSON text while it is read, for both readers: the scanner of well-formed text (json.cpp) and Boost.JSON's
// parser, which decides about everything else (boost_json.cpp).
#pragma once
#include "runtime/json.h"
#include "runtime/scratch.h"
#include "runtime/string.h"
#include <memory>
#include <vector>

namespace ptc {

/// Up to 16 bytes, none of which is zero, as two words: compared and hashed without a loop.
struct ShortText {
    static constexpr std::size_t kMostBytes = 16;
    using Words = std::array<std::uint64_t, 2>;
    Words words{};
    /// The first `size` bytes at `bytes`, of which 16 can be read.
    static ShortText at(const char* bytes, std::size_t size) {
        Words words;
        std::memcpy(&words, bytes, kMostBytes);
        return {{words[0] & kMasks[size][0], words[1] & kMasks[size][1]}};
    }
    bool operator==(const ShortText& other) const {
        return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) == 0;
    }
    static const std::array<Words, kMostBytes + 1> kMasks; ///< what of 16 bytes counts, by the size
};

/// How the objects of one kind are written: their keys in text order, the shape these make, and where each value goes.
/// `next[i]` is the layout that the object at key i had last time: rows repeat, so it is likely to come again.
struct JsonLayout {
    static constexpr std::uint32_t kMaxKeys = ShapeObject::kMaxFields;
    /// How a key goes on behind its opening quote, colon included, when that is short and nothing of it is escaped.
    struct Spelling {
        ShortText text;
        std::size_t size = 0; ///< 0 when there is none
    };
    std::uint32_t count = 0;
    bool is_spelled = false; ///< done when it is predicted for the first time
    std::uint8_t slots[kMaxKeys] = {};
    Spelling spelled[kMaxKeys] = {};
    ShapeObject* shape = nullptr;            ///< one owner
    const StringObject* keys[kMaxKeys] = {}; ///< owned by the shape
    JsonLayout* next[kMaxKeys] = {};
    void spell();
};

/// The short texts of a frozen heap that were met last, found by their bytes: in rows the same few come again and
/// again, and what is frozen is shared for nothing. Texts that are made to collide are not shared, no more.
class RecentTexts {
public:
    /// For a text of so many bytes.
    RecentTexts(Heap& heap, std::size_t text_bytes);
    ~RecentTexts() { heap_.refund_bytes(entries_.size() * sizeof(Entry)); }
    RecentTexts(const RecentTexts&) = delete;
    RecentTexts& operator=(const RecentTexts&) = delete;
    [[nodiscard]] bool are_kept() const { return !entries_.empty(); }
    /// A string of so many bytes at `bytes`, which are printable ASCII, known or new. Null when the heap is full.
    StringObject* get(const char* bytes, std::size_t size) {
        const ShortText text = ShortText::at(bytes, size);
        const std::uint64_t mixed = text.words[0] * 0x9E37'79B9'7F4A'7C15 ^ text.words[1];
        Entry& entry = entries_[mixed * 0xD6E8'FEB8'6659'FD93 >> shift_];
        if (entry.text == text) [[likely]]
            return entry.string;
        StringObject* const made = new_ascii_string(heap_, {bytes, size});
        if (made) entry = {text, made};
        return made;
    }

private:
    struct Entry {
        ShortText text; ///< empty where there is none
        StringObject* string = nullptr;
    };
    Heap& heap_;
    std::vector<Entry> entries_; ///< a power of two of them; none when texts are not kept
    int shift_ = 0;              ///< from a hash to its entry
};

/// Builds one value bottom up on a stack. Every function is false when the heap is full or the meter has run out
/// (`failure` says which); the builder may then only be destroyed.
class JsonBuilder {
public:
    /// For a text of so many bytes.
    JsonBuilder(Heap& heap, ShapeTable& shapes, std::size_t text_bytes)
        : heap_(heap), shapes_(shapes), values_(heap), keys_(heap), frames_(heap), texts_(heap, text_bytes) {}
    ~JsonBuilder();
    JsonBuilder(const JsonBuilder&) = delete;
    JsonBuilder& operator=(const JsonBuilder&) = delete;

    [[nodiscard]] std::size_t depth() const { return frames_.size(); }
    [[nodiscard]] bool in_object() const { return !frames_.empty() && frames_.back().is_object; }

    bool begin_object();
    bool begin_array();
    bool end_object();
    bool end_array();
    /// What the keys of the open object are if it is like the one before in its place, or null; and how many of them it
    /// had so far. When the text agrees, `accept_predicted_keys` says how many it has then.
    [[nodiscard]] const JsonLayout* predicted() const { return frames_.back().layout; }
    [[nodiscard]] std::uint32_t key_count() const { return frames_.back().index; }
    void accept_predicted_keys(std::uint32_t count) { frames_.back().index = count; }
    bool key(std::string_view text);

    bool value(Value v) { return values_.push(std::move(v)) || out_of_memory(); }
    /// `text` is ASCII without control characters.
    bool ascii_string(std::string_view text) {
        if (has_shared_string(text)) return value(shared_string(text));
        StringObject* s = new_ascii_string(heap_, text);
        return s ? value(heap_.value_of(s)) : out_of_memory();
    }
    /// The same of at most 16 bytes at `bytes`, of which 16 can be read.
    bool short_ascii_string(const char* bytes, std::size_t size) {
        if (!texts_.are_kept() || size < 2) return ascii_string({bytes, size});
        StringObject* s = texts_.get(bytes, size);
        return s ? value(heap_.value_of(s)) : out_of_memory();
    }
    bool string(std::string_view text);
    /// The text of a number as JSON's grammar has it. `*in_range` is false for one beyond every double.
    bool number(std::string_view text, bool* in_range);

    /// The one value that is left.
    Value finish() { return std::move(values_.back()); }
    [[nodiscard]] Error failure() const;
    [[nodiscard]] Heap& heap() { return heap_; }

private:
    struct Frame {
        std::uint32_t values; ///< where the values begin
        std::uint32_t keys;   ///< where the keys begin, once `layout` was left
        std::uint32_t index;  ///< keys so far
        bool is_object;
        JsonLayout* layout;    ///< all keys so far are its first ones; null when they are on the stack of keys
        JsonLayout** expected; ///< where the layout is remembered
    };

    bool out_of_memory() {
        memory_ = true;
        return false;
    }
    bool fail(ErrorPtr why) {
        failure_ = std::move(why);
        return false;
    }
    bool push_result(Result<Value> result);
    /// The prediction slot of a value that begins now.
    JsonLayout** expectation();
    bool leave_layout(Frame& frame);
    Result<Value> interned_key(std::string_view text);
    JsonLayout* layout_of_keys(const Frame& frame);
    JsonLayout* make_layout(const Frame& frame);
    bool finish_record(const Frame& frame, JsonLayout& layout);
    bool finish_map(const Frame& frame);

    Heap& heap_;
    ShapeTable& shapes_;
    ScratchStack<Value> values_;
    ScratchStack<Value> keys_;
    ScratchStack<Frame> frames_;
    RecentTexts texts_;
    std::vector<std::unique_ptr<JsonLayout>> layouts_;
    std::vector<Value> known_keys_; ///< open addressing by text; keys are shared by all objects that are no records
    JsonLayout* root_ = nullptr;
    JsonLayout* nowhere_ = nullptr; ///< the prediction of what has none
    bool memory_ = false;
    ErrorPtr failure_; ///< of a value that could not be made
};

/// Reads `text` with Boost.JSON's parser: the verdict on every text. Charges a unit for each 8 bytes. invalid_json with
/// the byte offset.
Result<Value> parse_json_strictly(Heap& heap, ShapeTable& shapes, std::string_view text, const JsonLimits& limits);
Error invalid_json(std::string_view text, std::size_t at, const std::string& why);

} // namespace ptc
