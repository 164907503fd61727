// The defaults of a map pattern: {:keys [a] :or {a 1}}.
#pragma once
#include "frontend/form.h"
#include "frontend/work.h"
#include <string_view>
#include <unordered_map>

namespace ptc {

class PatternDefaults {
public:
    /// `map`: behind the `:or`; null without one.
    explicit PatternDefaults(const Form* map) : map_(map && map->is(FormKind::Map) ? map : nullptr) {
        if (!map_ || map_->size <= kFew) return;
        for (std::size_t i = 0; i + 1 < map_->size && work::charge(kWorkOfName); i += 2) {
            if (map_->items()[i].is(FormKind::Symbol)) index_.emplace(map_->items()[i].text(), &map_->items()[i + 1]);
        }
    }
    /// Null when the name has none.
    [[nodiscard]] const Form* find(std::string_view name) const {
        if (!index_.empty()) {
            const auto found = index_.find(name);
            return found == index_.end() ? nullptr : found->second;
        }
        for (std::size_t i = 0; map_ && i + 1 < map_->size; i += 2) {
            const Form& key = map_->items()[i];
            if (key.is(FormKind::Symbol) && key.text() == name) return &map_->items()[i + 1];
        }
        return nullptr;
    }

private:
    static constexpr std::size_t kFew = 32; ///< forms that are looked through as fast as found
    static constexpr std::size_t kWorkOfName = 10;
    const Form* map_;
    std::unordered_map<std::string_view, const Form*> index_; ///< of many
};

} // namespace ptc
