// Rows of a constant table by their names.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptc {

/// Made while we are compiled; finds a row in a few steps that compare numbers, the first eight bytes of the names.
template <std::size_t N> class NameIndex {
public:
    /// `name_of(i)`: the name of row `i`. Of rows with one name the first is found.
    template <class NameOf> constexpr explicit NameIndex(NameOf name_of) {
        for (std::size_t i = 0; i < N; ++i)
            entries_[i] = {head_of(name_of(i)), static_cast<std::uint32_t>(i), name_of(i)};
        std::sort(entries_.begin(), entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.head != b.head ? a.head < b.head : a.row < b.row; });
    }
    /// Its row; N: none has this name.
    [[nodiscard]] constexpr std::size_t find(std::string_view name) const {
        const std::uint64_t head = head_of(name);
        auto entry = std::lower_bound(entries_.begin(), entries_.end(), head,
                                      [](const Entry& e, std::uint64_t h) { return e.head < h; });
        for (; entry != entries_.end() && entry->head == head; ++entry) {
            if (entry->name == name) return entry->row;
        }
        return N;
    }

private:
    struct Entry {
        std::uint64_t head = 0;
        std::uint32_t row = 0;
        std::string_view name{};
    };
    static constexpr std::uint64_t head_of(std::string_view name) {
        const std::size_t count = std::min<std::size_t>(8, name.size());
        std::uint64_t head = 0;
        for (std::size_t i = 0; i < count; ++i)
            head |= std::uint64_t{static_cast<unsigned char>(name[i])} << (56 - 8 * i);
        return head;
    }
    std::array<Entry, N> entries_{};
};

} // namespace ptc
