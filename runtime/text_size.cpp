// The length of a text before it is written: a walk over the value in which each part that has several owners is gone
// through once. The sum of what is seen for the first time is itself a bound of the text from below, so the walk ends
// when that is too much, however many elements there are that no memory holds (ranges).
#include "runtime/text_size.h"
#include "frontend/try.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace ptc {

Result<Cursor> Cursor::of(Heap& heap, const Value& v) {
    Cursor cursor;
    if (v.is_map()) {
        cursor.view_ = PTC_TRY(MapView::of(heap, v));
        cursor.size_ = cursor.view_.size() * 2;
        cursor.is_map_ = true;
        cursor.close_ = "}";
        cursor.items_ = v.copy();
    } else if (v.is_set()) {
        cursor.items_ = PTC_TRY(set_items(heap, v));
        cursor.size_ = vector_length(cursor.items_);
        cursor.close_ = "}";
    } else {
        cursor.items_ = v.copy();
        cursor.size_ = vector_length(v);
        cursor.close_ = "]";
    }
    return cursor;
}

namespace {

/// The bytes of collections that were looked at: open addressing, at most half full, charged to the heap.
class KnownSizes {
public:
    explicit KnownSizes(Heap& heap) : heap_(heap) {}
    ~KnownSizes() { heap_.refund_bytes(slots_.size() * sizeof(Slot)); }
    KnownSizes(const KnownSizes&) = delete;
    KnownSizes& operator=(const KnownSizes&) = delete;

    /// 0 when it is not known.
    [[nodiscard]] std::size_t find(const Object* object) const {
        return slots_.empty() ? 0 : slots_[place_of(object)].bytes;
    }
    /// False when the heap is full.
    [[nodiscard]] bool add(const Object* object, std::size_t bytes) {
        if (2 * (count_ + 1) > slots_.size() && !grow()) return false;
        ++count_;
        slots_[place_of(object)] = {object, bytes};
        return true;
    }

private:
    struct Slot {
        const Object* object = nullptr;
        std::size_t bytes = 0;
    };
    /// Where it stands, or the empty slot for it.
    [[nodiscard]] std::size_t place_of(const Object* object) const {
        const auto address = reinterpret_cast<std::uintptr_t>(object) >> 4;
        std::size_t at = static_cast<std::size_t>((address * 0x9E3779B97F4A7C15) >> 32) & (slots_.size() - 1);
        while (slots_[at].object && slots_[at].object != object)
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    [[nodiscard]] bool grow() {
        const std::size_t size = std::max<std::size_t>(64, 2 * slots_.size());
        if (!heap_.charge_bytes((size - slots_.size()) * sizeof(Slot))) return false;
        const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(size));
        for (const Slot& slot : before)
            if (slot.object) slots_[place_of(slot.object)] = slot;
        return true;
    }

    Heap& heap_;
    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

/// At least so many bytes are written for what is no collection, in any notation.
std::size_t least_bytes_of(const Value& v) {
    if (v.is_string()) return text_of(v).size() + 2;
    return v.is_keyword() ? text_of(v).size() + 1 : 1;
}

class TextSize {
public:
    TextSize(Heap& heap, std::size_t max_bytes)
        : heap_(heap), open_(heap), known_(heap), max_(std::min(max_bytes, SIZE_MAX / 4)) {}

    bool is_longer(const Value& root) {
        if (!root.is_collection()) return least_bytes_of(root) > max_;
        if (!enter(root)) return ends_as_longer();
        while (true) {
            while (open_.back().cursor.at_end()) {
                const std::size_t bytes = open_.back().bytes;
                if (open_.back().shared && !known_.add(open_.back().shared, bytes)) return false;
                open_.pop();
                if (open_.empty()) return false;
                if (!add(bytes, 0)) return ends_as_longer();
            }
            constexpr std::size_t kAtOnce = 4096;
            if (++work_ % kAtOnce == 0 && !heap_.meter.look()) return false;
            const Value item = open_.back().cursor.next();
            if (!item.is_collection()) {
                const std::size_t bytes = least_bytes_of(item);
                if (!add(bytes, bytes)) return ends_as_longer();
            } else if (const std::size_t known = known_.find(item.object())) {
                if (!add(known, 0)) return ends_as_longer();
            } else if (!enter(item)) {
                return ends_as_longer();
            }
        }
    }

private:
    struct Part {
        Cursor cursor;
        const Object* shared = nullptr; ///< null for what has one owner, and for elements that were made for the cursor
        std::size_t bytes = 0;          ///< of its text so far
    };

    /// Counts brackets, and what stands between elements. `collection` is an owner, too.
    bool enter(const Value& collection) {
        const bool is_shared = collection.object()->refs > 2;
        Result<Cursor> cursor = Cursor::of(heap_, collection);
        if (!cursor.ok()) return false;
        const std::size_t size = cursor.value().size();
        if (!open_.push({std::move(cursor).value(), is_shared ? collection.object() : nullptr, 0})) return false;
        const std::size_t around = 2 + size - (size > 0);
        return add(around, around);
    }
    /// `bytes` of the collection that is open last, of which `seen` were not looked at before: all of these stand in
    /// the text of the root.
    bool add(std::size_t bytes, std::size_t seen) {
        seen_ += seen;
        open_.back().bytes += bytes;
        is_longer_ = open_.back().bytes > max_ || seen_ > max_;
        return !is_longer_;
    }
    bool ends_as_longer() {
        if (is_longer_) heap_.meter.charge_unchecked(static_cast<std::int64_t>(work_));
        return is_longer_;
    }

    Heap& heap_;
    ScratchStack<Part> open_;
    KnownSizes known_;
    std::size_t max_; ///< so that no sum of two leaves the range
    std::size_t seen_ = 0;
    std::size_t work_ = 0;
    bool is_longer_ = false;
};

} // namespace

bool is_text_longer(Heap& heap, const Value& v, std::size_t max_bytes) {
    return TextSize(heap, max_bytes).is_longer(v);
}

} // namespace ptc
