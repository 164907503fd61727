#pragma once
#include "frontend/work.h"
#include "ptc/data_set.h"
#include "runtime/heap.h"
#include "runtime/shape.h"
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ptc {

/// What other parts of the library work out from a data set, once for all who share the set: each under a key of its
/// own. Any number of threads; while one of them makes a thing, the others wait. Of the things of most keys only so
/// many are kept.
class DerivedThings {
public:
    /// `make()` gives a std::shared_ptr<const T>, or null when it cannot be made, which is not kept. It is bounded by
    /// the size of the set alone, and may not ask for another thing of the same set.
    template <class T, class Make> std::shared_ptr<const T> get(std::string_view key, const Make& make) {
        return find_or_make<T>(key, [&make] {
            const work::Outside unbounded;
            return make();
        });
    }
    /// The same in the time of whoever asks: `make()` gives null when that is over, and the next one begins anew.
    template <class T, class Make> std::shared_ptr<const T> get_in_time(std::string_view key, const Make& make) {
        return find_or_make<T>(key, make);
    }

private:
    template <class T, class Make> std::shared_ptr<const T> find_or_make(std::string_view key, const Make& make) {
        const std::scoped_lock lock(mutex_);
        for (const auto& [known, thing] : things_) {
            if (known == key) return std::static_pointer_cast<const T>(thing);
        }
        std::shared_ptr<const T> made = make();
        if (!made) return made;
        if (things_.size() >= kMost) things_.erase(things_.begin());
        things_.emplace_back(key, made);
        return made;
    }

    static constexpr std::size_t kMost = 64;
    std::mutex mutex_;
    std::vector<std::pair<std::string, std::shared_ptr<const void>>> things_;
};

/// A frozen heap and the map in it that data/NAME looks into.
struct DataSet::Impl {
    Heap heap{Heap::Mode::Frozen};
    ShapeTable shapes{heap};
    Bits root = bits::kNil;
    bool may_have_firewalled_names = true; ///< false: nothing in it needs to be looked at for them
    mutable DerivedThings derived{};

    Result<Value> import(std::string_view json, const ImportLimits& limits);
    Result<void> wrap(std::string_view name, Value value);
    /// The value of `name`, which is frozen; none when there is no such name.
    [[nodiscard]] std::optional<Value> find(std::string_view name) const;
};

/// The way in for the library's own files; hosts have none.
struct DataSetAccess {
    static const DataSet::Impl& impl(const DataSet& set) { return *set.impl_; }
    /// One name with a copy of `value`.
    static Result<std::shared_ptr<const DataSet>> copy_of(std::string_view name, const Value& value);
};
inline const auto& impl_of(const DataSet& set) { return DataSetAccess::impl(set); }

} // namespace ptc
