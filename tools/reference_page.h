// The reference as a page for people, in Markdown.
#pragma once
#include "compiler/language/reference.h"

namespace ptc {

/// A way of writing that has no name to look up.
struct NotationEntry {
    std::string_view meaning;
    std::string_view example;
    std::string_view example_result; ///< as pr-str prints it
};
std::span<const NotationEntry> notation_entries();

/// The anchor of a name on the page: letters, digits and hyphens only, and no two names alike.
std::string anchor_of(std::string_view name);

std::string reference_page(const CoreLibrary& core);

} // namespace ptc
