// Names of other languages and what to write instead of them: the table is foreign.def.
#pragma once
#include <string_view>

namespace ptc::repair {

struct Foreign {
    std::string_view name;
    std::string_view rewrite;
    std::string_view advice;

    /// What takes its place depends on the arguments of the call, not only on their number.
    [[nodiscard]] bool asks_arguments() const {
        return rewrite.starts_with('@') || rewrite.find(" => ") != std::string_view::npos;
    }
};

/// Null when the table does not have the name.
const Foreign* find_foreign(std::string_view name);
/// The row whose name is one typing error away; null for short names and when there is none.
const Foreign* nearest_foreign(std::string_view name);

} // namespace ptc::repair
