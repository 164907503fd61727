// How long the text of a value becomes, found before it is written: values share their parts, texts do not.
#pragma once
#include "runtime/heap.h"
#include "runtime/map.h"
#include "runtime/vector.h"
#include <string_view>

namespace ptc {

/// A collection of which one element after the other is looked at, in the order in which it is printed.
class Cursor {
public:
    static Result<Cursor> of(Heap& heap, const Value& v);
    static std::string_view opening(const Value& v) { return v.is_map() ? "{" : v.is_set() ? "#{" : "["; }

    Cursor() = default;
    [[nodiscard]] bool at_end() const { return next_ == size_; }
    [[nodiscard]] bool at_start() const { return next_ == 0; }
    /// Of a map keys and values are two.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view closing() const { return close_; }
    [[nodiscard]] const Value& collection() const { return items_; }
    Value next() {
        std::size_t i = next_++;
        if (!is_map_) return vector_get(items_, i);
        return (i % 2 == 0 ? view_.key(i / 2) : view_.value(i / 2)).copy();
    }

private:
    Value items_; ///< keeps what is printed alive
    MapView view_;
    std::size_t next_ = 0;
    std::size_t size_ = 0;
    bool is_map_ = false;
    std::string_view close_;
};

/// A text longer than this asks is_text_longer about the rest.
inline constexpr std::size_t kAskedTextBytes = std::size_t{64} << 10;

/// Whether the text of `v`, printed or as JSON, is longer than `max_bytes` for certain: its escapes are not counted. A
/// part that has several owners is looked at once, and all that is looked at stands in the text at least once, so this
/// takes no longer than to write `max_bytes`, and mostly as long as the value is large. Costs fuel only when the text
/// is longer: what is written has its own price. False, too, when that cannot be found out: the heap is full, or the
/// time is over, which the next charge notices.
bool is_text_longer(Heap& heap, const Value& v, std::size_t max_bytes);

} // namespace ptc
