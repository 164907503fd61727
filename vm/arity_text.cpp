#include "vm/arity_text.h"
#include <algorithm>
#include <vector>

namespace ptc {

std::string arity_text(Arity arity) {
    if (arity.max == Arity::kOpen) return "at least " + std::to_string(arity.min);
    if (arity.min == arity.max) return std::to_string(arity.min);
    if (arity.min + 1 == arity.max) return std::to_string(arity.min) + " or " + std::to_string(arity.max);
    return std::to_string(arity.min) + " to " + std::to_string(arity.max);
}

std::string arguments_text(std::span<const Arity> arities) {
    std::vector<Arity> sorted(arities.begin(), arities.end());
    const auto is_less = [](Arity a, Arity b) { return a.min != b.min ? a.min < b.min : a.max < b.max; };
    std::sort(sorted.begin(), sorted.end(), is_less);
    std::string text;
    for (std::size_t i = 0; i < sorted.size(); ++i)
        text += (i == 0 ? "" : i + 1 == sorted.size() ? " or " : ", ") + arity_text(sorted[i]);
    return text + (sorted.size() == 1 && sorted[0].min == 1 ? " argument" : " arguments");
}

} // namespace ptc
