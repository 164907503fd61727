// What rules for bindings, parameters, definitions and patterns share.
#pragma once
#include "compiler/repair/rules.h"

namespace ptc::repair {

inline constexpr const char* kPairs = "Bindings are pairs of name and value in one vector: [x 1 y 2].";

/// (let ..), (loop ..) and all others that bind names, also those of other languages.
[[nodiscard]] bool binds(const Form& list);
/// ((x 1) (y 2)): each item is a name, or a pattern, and a value in brackets of their own.
[[nodiscard]] bool are_pairs(FormSpan items);
/// (x y), [x y]
[[nodiscard]] bool are_names(const Form& form);
/// A sign or word between name and value: = := in.
[[nodiscard]] bool is_noise(const Form& form);
/// ((x 1) (y 2)) as [x 1 y 2]; the outer brackets too unless they are square already.
[[nodiscard]] std::vector<Edit> flattened(const Form& bindings);
/// Takes the signs between names and values away: [x = 1 y = 2].
[[nodiscard]] Proposal without_signs(const Code& code, const Form& bindings);

} // namespace ptc::repair
