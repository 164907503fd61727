// Where graphemes begin in texts that are not ASCII, so that a program which goes through one by positions does not
// begin at the front each time. A heap has this for the two texts that were asked for last: programs compare one with
// another. It is forgotten whenever a run ends or waits, so what a look-up costs depends on that run alone.
#pragma once
#include "runtime/heap.h"
#include "runtime/value.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptc {

/// Of one heap. Owns the texts that it knows: none of them is edited in place, or another text at its address.
class TextPlaces {
public:
    /// Those of `heap`, made when it has none.
    static TextPlaces& of(Heap& heap);
    TextPlaces(const TextPlaces&) = delete;
    TextPlaces& operator=(const TextPlaces&) = delete;

    /// The number of graphemes of `text`, which is not ASCII. A unit a byte is charged, and nothing when it is asked
    /// again.
    std::size_t count(const Value& text);
    /// The byte offset of grapheme `index`; the size when past the end. A unit is charged for each byte from the
    /// nearest place that is known: the last one, or one of some thousand that were passed.
    std::size_t offset(const Value& text, std::size_t index);

private:
    struct Known {
        Value text;
        std::size_t spacing = 0;             ///< in graphemes
        std::vector<std::uint32_t> places{}; ///< offsets of the graphemes 0, spacing, 2 * spacing ..
        std::size_t index = 0;               ///< the last one that was asked for
        std::size_t byte = 0;                ///< and its offset
        std::size_t graphemes = 0;           ///< in all; 0: not known, as a text that is kept here has some
    };

    friend class Heap;
    explicit TextPlaces(Heap& heap) : heap_(heap) {}
    void lose_texts();
    Known& find(const Value& text);

    Heap& heap_;
    std::array<Known, 2> known_{};
    std::size_t newest_ = 0;
};

} // namespace ptc
