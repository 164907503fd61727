// The reference: every name of the language that a program can use, from the tables that define them.
#pragma once
#include "compiler/core_library.h"
#include <string>
#include <vector>

namespace ptc {

struct ReferenceEntry {
    std::string section;
    std::string name;
    std::string usage; ///< every arity in brackets
    std::string doc;
    std::string example;
    std::string example_result; ///< as pr-str prints it, or "!! reason"
    std::string cost;           ///< of a call; "" for special forms, which become instructions
    std::string differs;        ///< from Clojure; "" where it does not
};

/// Ordered by section, special forms first, and by name.
std::vector<ReferenceEntry> reference_entries(const CoreLibrary& core);

/// All of them as a Markdown page.
std::string reference_page(const CoreLibrary& core);

} // namespace ptc
