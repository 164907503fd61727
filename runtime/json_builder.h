// Values of a JSON text while it is read, for both readers: the scanner of well-formed text (json.cpp) and Boost.JSON's
// parser, which decides about everything else (boost_json.cpp).
#pragma once
#include "runtime/json.h"
#include "runtime/scratch.h"
#include "runtime/string.h"
#include <memory>
#include <vector>

namespace ptc {

/// How the objects of one kind are written: their keys in text order, the shape these make, and where each value goes.
/// `next[i]` is the layout that the object at key i had last time: rows repeat, so it is likely to come again.
struct JsonLayout {
    static constexpr std::uint32_t kMaxKeys = ShapeObject::kMaxFields;
    std::uint32_t count = 0;
    std::uint8_t slots[kMaxKeys] = {};
    ShapeObject* shape = nullptr;            ///< one owner
    const StringObject* keys[kMaxKeys] = {}; ///< owned by the shape
    JsonLayout* next[kMaxKeys] = {};
};

/// Builds one value bottom up on a stack. Every function is false when the heap is full or the meter has run out
/// (`failure` says which); the builder may then only be destroyed.
class JsonBuilder {
public:
    JsonBuilder(Heap& heap, ShapeTable& shapes)
        : heap_(heap), shapes_(shapes), values_(heap), keys_(heap), frames_(heap) {}
    ~JsonBuilder();
    JsonBuilder(const JsonBuilder&) = delete;
    JsonBuilder& operator=(const JsonBuilder&) = delete;

    [[nodiscard]] std::size_t depth() const { return frames_.size(); }
    [[nodiscard]] bool in_object() const { return !frames_.empty() && frames_.back().is_object; }

    bool begin_object();
    bool begin_array();
    bool end_object();
    bool end_array();
    /// The predicted text of the next key, or null. When the text agrees, call `accept_predicted_key`.
    [[nodiscard]] const StringObject* predicted_key() const {
        const Frame& frame = frames_.back();
        return frame.layout && frame.index < frame.layout->count ? frame.layout->keys[frame.index] : nullptr;
    }
    void accept_predicted_key() { ++frames_.back().index; }
    bool key(std::string_view text);

    bool value(Value v) { return values_.push(std::move(v)) || out_of_memory(); }
    /// `text` is ASCII without control characters.
    bool ascii_string(std::string_view text) {
        if (has_shared_string(text)) return value(shared_string(text));
        StringObject* s = new_ascii_string(heap_, text);
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
