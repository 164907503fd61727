// Words of which the names of fields are made in results of services.
#pragma once
#include <string_view>

namespace ptc::mcp {

/// Whether it is such a word, in lower case, or its plural: `id`, `created`, `prices`. Names of people, places,
/// products and words of texts mostly are none.
bool is_field_word(std::string_view word);

} // namespace ptc::mcp
