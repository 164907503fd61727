// When two forms are written alike: what a Clojure reader would call the same key. The order in maps and sets does not
// count. Two functions or regexes never are the same.
#pragma once
#include "frontend/form.h"

namespace ptc {

bool same_form(const Form& a, const Form& b);
/// Equal for forms that are the same.
std::uint64_t form_hash(const Form& form);

} // namespace ptc
