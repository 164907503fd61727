#include "compiler/language/known_names.h"
#include "compiler/language/scope.h"
#include <algorithm>

namespace ptc {

GlobalName& GlobalNames::look_up(std::string_view name, std::uint32_t hash) const {
    char* const text = static_cast<char*>(arena_.allocate(name.size(), 1)); // what asks may keep its text for itself
    std::ranges::copy(name, text);
    GlobalName& entry = names_.add({text, name.size()}, hash);
    const bool is_there = session_->has(name);
    entry.in_session = entry.defined = is_there;
    entry.is_absent = !is_there;
    return entry;
}

} // namespace ptc
