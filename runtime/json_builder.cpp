// The values of a JSON text, made bottom up. Rows of data have the same keys in the same order nearly always. So the
// builder remembers the layouts of objects (their keys in the order of the text, and the shape of the record that they
// become) and predicts that the next object has the layout of the one before: a key that is the predicted one costs a
// comparison, and its value goes straight into the record. An object that is not as predicted puts its keys on a stack
// and looks for, or makes, a layout at its end.
#include "runtime/json_builder.h"
#include "frontend/try.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/vector.h"
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace ptc {
namespace {

constexpr std::size_t kMaxLayouts = 256;   ///< more kinds of objects are built without prediction
constexpr std::size_t kKeyTableSize = 256; ///< a power of two
constexpr std::size_t kMaxProbes = 8;      ///< keys that collide more often are simply not shared

std::size_t key_table_slot(std::string_view text) {
    std::uint64_t h = text.size() * 0x9E37'79B9'7F4A'7C15;
    for (std::size_t i = 0; i < text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
        h = (h ^ word) * 0xD6E8'FEB8'6659'FD93;
        h ^= h >> 32;
    }
    return static_cast<std::size_t>(h) & (kKeyTableSize - 1);
}

/// Whether a number that from_chars found out of a double's range is too large, and not too small: its first digit that
/// is not zero says so, by its decimal exponent.
bool is_overflow(std::string_view text) {
    std::size_t e = text.find_first_of("eE");
    std::string_view mantissa =
        text.substr(text.front() == '-' ? 1 : 0, e == std::string_view::npos ? e : e - (text.front() == '-' ? 1 : 0));
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view digits = text.substr(e + 1);
        if (digits.front() == '+') digits.remove_prefix(1);
        auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        if (status != std::errc()) exponent = digits.front() == '-' ? INT64_MIN / 2 : INT64_MAX / 2;
    }
    std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    std::size_t first = mantissa.find_first_of("123456789");
    auto position = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    return position + exponent > 0;
}

} // namespace

constexpr std::array<ShortText::Words, ShortText::kMostBytes + 1> ShortText::kMasks = [] {
    std::array<Words, kMostBytes + 1> masks{};
    std::array<unsigned char, kMostBytes> bytes{};
    for (std::size_t i = 0; i < kMostBytes; ++i) { // a byte more each
        bytes[i] = 0xFF;
        masks[i + 1] = std::bit_cast<Words>(bytes);
    }
    return masks;
}();

void JsonLayout::spell() {
    const auto is_escaped = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; };
    is_spelled = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view key = keys[i]->view();
        if (key.size() + 2 > ShortText::kMostBytes || std::any_of(key.begin(), key.end(), is_escaped)) continue;
        std::array<char, ShortText::kMostBytes> bytes{};
        copy_bytes(bytes.data(), key.data(), key.size());
        bytes[key.size()] = '"';
        bytes[key.size() + 1] = ':';
        spelled[i] = {ShortText::at(bytes.data(), key.size() + 2), key.size() + 2};
    }
}

RecentTexts::RecentTexts(Heap& heap, std::size_t text_bytes) : heap_(heap) {
    constexpr std::size_t kLeast = 64, kMost = 4096, kBytesPerEntry = 64;
    const std::size_t count = std::bit_floor(std::min(text_bytes / kBytesPerEntry, kMost));
    if (!heap.is_frozen() || count < kLeast || !heap.charge_bytes(count * sizeof(Entry))) return;
    entries_.resize(count);
    shift_ = 64 - std::countr_zero(count);
}

JsonBuilder::~JsonBuilder() {
    for (const auto& layout : layouts_)
        bits::release(layout->shape);
    heap_.refund_bytes(layouts_.size() * sizeof(JsonLayout) + known_keys_.size() * sizeof(Value));
}

bool JsonBuilder::push_result(Result<Value> result) {
    return result.ok() ? value(std::move(result).value()) : fail(result.take_error());
}

Error JsonBuilder::failure() const {
    if (failure_) return *failure_;
    return memory_ ? heap_.out_of_memory() : heap_.meter.error();
}

JsonLayout** JsonBuilder::expectation() {
    if (frames_.empty()) return &root_;
    const Frame& frame = frames_.back();
    if (!frame.is_object) return frame.expected;
    if (frame.layout) return &frame.layout->next[frame.index - 1];
    nowhere_ = nullptr;
    return &nowhere_;
}

bool JsonBuilder::begin_object() {
    JsonLayout** expected = expectation();
    if (*expected && !(*expected)->is_spelled) (*expected)->spell();
    Frame frame{static_cast<std::uint32_t>(values_.size()),
                static_cast<std::uint32_t>(keys_.size()),
                0,
                true,
                *expected,
                expected};
    return frames_.push(frame) || out_of_memory();
}

bool JsonBuilder::begin_array() {
    JsonLayout** expected = expectation();
    Frame frame{static_cast<std::uint32_t>(values_.size()), 0, 0, false, nullptr, expected};
    return frames_.push(frame) || out_of_memory();
}

bool JsonBuilder::end_array() {
    Frame frame = frames_.back();
    frames_.pop();
    std::size_t count = values_.size() - frame.values;
    if (!heap_.meter.charge(static_cast<std::int64_t>(count) + 1)) return false;
    Result<Value> vector =
        count == 0 ? Result<Value>(empty_vector()) : make_vector(heap_, {values_.data() + frame.values, count});
    if (!vector.ok()) return fail(vector.take_error());
    values_.resize_down(frame.values);
    return value(std::move(vector).value());
}

/// The object is none of the expected kind: its keys so far go to the stack of keys.
bool JsonBuilder::leave_layout(Frame& frame) {
    JsonLayout* layout = std::exchange(frame.layout, nullptr);
    for (std::uint32_t i = 0; layout && i < frame.index; ++i) {
        const Value& key = layout->shape->keys()[layout->slots[i]];
        if (!keys_.push(key.copy())) return out_of_memory();
    }
    return true;
}

bool JsonBuilder::key(std::string_view text) {
    Frame& frame = frames_.back();
    if (frame.layout && !leave_layout(frame)) return false;
    ++frame.index;
    Result<Value> key = interned_key(text);
    if (!key.ok()) return fail(key.take_error());
    return keys_.push(std::move(key).value()) || out_of_memory();
}

Result<Value> JsonBuilder::interned_key(std::string_view text) {
    if (known_keys_.empty()) {
        if (!heap_.charge_bytes(kKeyTableSize * sizeof(Value))) return heap_.out_of_memory();
        known_keys_.resize(kKeyTableSize);
    }
    std::size_t slot = key_table_slot(text);
    for (std::size_t probe = 0; probe < kMaxProbes; ++probe) {
        Value& known = known_keys_[(slot + probe) & (kKeyTableSize - 1)];
        if (known.is_nil()) {
            known = PTC_TRY(make_string(heap_, text));
            return known.copy();
        }
        if (text_of(known) == text) return known.copy();
    }
    return make_string(heap_, text);
}

bool JsonBuilder::end_object() {
    Frame frame = frames_.back();
    if (frame.layout && frame.index < frame.layout->count && !leave_layout(frame)) return false;
    frames_.pop();
    if (!heap_.meter.charge(frame.index + 1)) return false;
    if (frame.index == 0) return value(empty_map());
    JsonLayout* layout = frame.layout ? frame.layout : layout_of_keys(frame);
    if (!layout) return !memory_ && finish_map(frame);
    *frame.expected = layout;
    keys_.resize_down(frame.keys);
    return finish_record(frame, *layout);
}

/// The known or new layout of the keys on the stack; null when these objects are not predicted.
JsonLayout* JsonBuilder::layout_of_keys(const Frame& frame) {
    if (frame.index > JsonLayout::kMaxKeys || shapes_.is_crowded()) return nullptr;
    heap_.meter.charge_unchecked(static_cast<std::int64_t>(layouts_.size() / 8));
    const Value* keys = keys_.data() + frame.keys;
    for (const auto& layout : layouts_) {
        if (layout->count != frame.index) continue;
        bool same = true;
        for (std::uint32_t i = 0; i < frame.index && same; ++i)
            same = layout->keys[i]->view() == text_of(keys[i]);
        if (same) return layout.get();
    }
    return layouts_.size() < kMaxLayouts ? make_layout(frame) : nullptr;
}

JsonLayout* JsonBuilder::make_layout(const Frame& frame) {
    const Value* keys = keys_.data() + frame.keys;
    if (!std::all_of(keys, keys + frame.index, is_field_key)) return nullptr;
    std::array<std::uint8_t, JsonLayout::kMaxKeys> order{}; // order[slot] is the key that belongs there
    for (std::uint32_t i = 0; i < frame.index; ++i)
        order[i] = static_cast<std::uint8_t>(i);
    std::sort(order.begin(), order.begin() + frame.index,
              [&](std::uint8_t a, std::uint8_t b) { return text_of(keys[a]) < text_of(keys[b]); });
    for (std::uint32_t i = 1; i < frame.index; ++i)
        if (text_of(keys[order[i - 1]]) == text_of(keys[order[i]])) return nullptr; // a repeated key
    std::array<Value, JsonLayout::kMaxKeys> sorted;
    for (std::uint32_t i = 0; i < frame.index; ++i)
        sorted[i] = keys[order[i]].copy();
    if (!heap_.charge_bytes(sizeof(JsonLayout))) return out_of_memory(), nullptr;
    ShapeObject* shape = shapes_.intern({sorted.data(), frame.index});
    if (!shape) {
        heap_.refund_bytes(sizeof(JsonLayout));
        return out_of_memory(), nullptr;
    }
    auto layout = std::make_unique<JsonLayout>();
    layout->count = frame.index;
    layout->shape = shape;
    for (std::uint32_t slot = 0; slot < frame.index; ++slot) {
        std::uint32_t i = order[slot];
        layout->slots[i] = static_cast<std::uint8_t>(slot);
        layout->keys[i] = &as_string(shape->keys()[slot]);
    }
    layouts_.push_back(std::move(layout));
    return layouts_.back().get();
}

bool JsonBuilder::finish_record(const Frame& frame, JsonLayout& layout) {
    auto* record =
        heap_.allocate<RecordObject>(ObjectType::Record, sizeof(RecordObject) + layout.count * sizeof(Value));
    if (!record) return out_of_memory();
    record->shape = layout.shape;
    bits::retain(layout.shape);
    // The values move as plain words: the stack forgets them, the record owns them.
    const Value* from = values_.data() + frame.values;
    auto* to = reinterpret_cast<Bits*>(record->values());
    for (std::uint32_t i = 0; i < layout.count; ++i)
        to[layout.slots[i]] = from[i].raw();
    values_.forget(frame.values);
    return value(heap_.value_of(record));
}

bool JsonBuilder::finish_map(const Frame& frame) {
    MapBuilder map(heap_);
    for (std::uint32_t i = 0; i < frame.index; ++i)
        map.put(std::move(keys_.data()[frame.keys + i]), std::move(values_.data()[frame.values + i]));
    keys_.resize_down(frame.keys);
    values_.resize_down(frame.values);
    return push_result(map.finish());
}

bool JsonBuilder::string(std::string_view text) { return push_result(make_string(heap_, text)); }

bool JsonBuilder::number(std::string_view text, bool* in_range) {
    *in_range = true;
    if (text.find_first_of(".eE") == std::string_view::npos) return push_result(parse_integer(heap_, text));
    double d = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), d);
    if (status == std::errc::result_out_of_range) {
        *in_range = !is_overflow(text);
        d = text.front() == '-' ? -0.0 : 0.0;
    }
    return value(Value::number(d));
}

} // namespace ptc
