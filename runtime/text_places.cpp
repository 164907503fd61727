#include "runtime/text_places.h"
#include "runtime/string.h"
#include <algorithm>
#include <utility>

namespace ptc {

TextPlaces& TextPlaces::of(Heap& heap) {
    if (!heap.text_places) heap.text_places = new TextPlaces(heap);
    return *heap.text_places;
}

void Heap::drop_text_places() { delete std::exchange(text_places, nullptr); }

void Heap::lose_text_places() {
    text_places->lose_texts();
    drop_text_places();
}

/// Those of its heap.
void TextPlaces::lose_texts() {
    for (Known& known : known_) {
        if (known.text.is_counted() && &Heap::of(known.text.object()) == &heap_) (void)known.text.give_up();
    }
}

TextPlaces::Known& TextPlaces::find(const Value& text) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].text.raw() != text.raw()) continue;
        newest_ = i;
        return known_[i];
    }
    constexpr std::size_t kMostPlaces = 1024, kLeastSpacing = 32;
    newest_ = (newest_ + 1) % known_.size();
    known_[newest_] = Known{
        .text = text.copy(), .spacing = std::max(kLeastSpacing, text_of(text).size() / kMostPlaces), .places = {0}};
    return known_[newest_];
}

std::size_t TextPlaces::count(const Value& text) {
    Known& known = find(text);
    if (known.graphemes == 0) known.graphemes = count_graphemes(heap_, text);
    const std::size_t count = known.graphemes;
    if (heap_.meter.has_run_out()) known.graphemes = 0; // what was found is nothing
    return count;
}

std::size_t TextPlaces::offset(const Value& text, std::size_t index) {
    Known& known = find(text);
    const std::size_t passed = std::min(index / known.spacing, known.places.size() - 1);
    std::size_t at = passed * known.spacing, byte = known.places[passed];
    if (known.index <= index && known.index > at) {
        at = known.index;
        byte = known.byte;
    }
    GraphemeWalk walk(heap_, text_of(text), byte);
    while (at < index && walk.next()) {
        ++at;
        if (at == known.places.size() * known.spacing) known.places.push_back(static_cast<std::uint32_t>(walk.at()));
    }
    known.index = at;
    known.byte = walk.at();
    return walk.at();
}

// ---- What string.h says of positions

/// What is kept lives longer than the program wants it to, so it is a small part of the heap.
static bool is_worth_knowing(const Heap& heap, const StringObject& s) {
    constexpr std::size_t kPartOfHeap = 64;
    return s.size > kFreeBytes && s.size <= heap.limit() / kPartOfHeap;
}

std::size_t grapheme_count(Heap& heap, const Value& string) {
    const StringObject& s = as_string(string);
    if (s.flags & StringObject::kAscii) [[likely]]
        return s.size;
    return is_worth_knowing(heap, s) ? TextPlaces::of(heap).count(string) : count_graphemes(heap, string);
}

std::size_t grapheme_offset(Heap& heap, const Value& string, std::size_t index) {
    const StringObject& s = as_string(string);
    if (s.flags & StringObject::kAscii) [[likely]]
        return std::min<std::size_t>(index, s.size);
    if (is_worth_knowing(heap, s)) return TextPlaces::of(heap).offset(string, index);
    GraphemeWalk walk(heap, s.view(), 0);
    while (index > 0 && walk.next())
        --index;
    return walk.at();
}

} // namespace ptc
