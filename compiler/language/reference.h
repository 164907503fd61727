// What the tables say of each name of the language, wherever it is declared: what `doc` prints, what the reference page
// shows, what prompts list.
#pragma once
#include "compiler/language/core_library.h"
#include "compiler/language/prelude.h"
#include "compiler/language/special_forms.h"
#include <span>
#include <string>
#include <vector>

namespace ptc {

/// One name. The texts belong to the tables or to the core library.
struct ReferenceEntry {
    std::string_view name;
    std::string_view usage; ///< every arity in brackets
    std::string_view doc;
    std::string_view example;
    std::string_view example_result; ///< as pr-str prints it, or "!! reason"
    std::string_view differs;        ///< from Clojure; "" where it does not
    std::string_view section;        ///< what it is about: one of reference_sections()
    // Where it is declared; all null for what a program defines.
    const SpecialForm* form = nullptr;
    const Builtin* builtin = nullptr;
    const CoreFunction* function = nullptr;
    const PreludeMember* member = nullptr;
};

/// `differs` of what Clojure does not have.
inline constexpr std::string_view kNotInClojure = "Not in Clojure.";

ReferenceEntry reference_entry(const CoreName& name);

/// False for the names that only the core library may use, which end in %, and for free slots.
bool is_public(const CoreName& name);

/// Everything that a program can name, by section and then by name.
std::vector<ReferenceEntry> reference_entries(const CoreLibrary& core);

/// The titles of the sections, from what every program needs to what few do.
std::span<const std::string_view> reference_sections();

/// "(get m k) (get m k default)" as its parts.
std::vector<std::string_view> usages(std::string_view usage);

/// The parameters of each shape of a usage text: "(get m key) (get m key default)". "&" stands before a rest.
[[nodiscard]] std::vector<std::vector<std::string_view>> parameters_of(std::string_view usage);
/// Those of the shape that takes so many arguments, a rest repeated; empty when there is none.
[[nodiscard]] std::vector<std::string_view> parameters_of(std::string_view usage, std::size_t arguments);

/// What a call costs in fuel: "4, and a few for each item"; "" for what is compiled to instructions.
std::string cost_text(const ReferenceEntry& entry);

/// The entry in a few lines of plain text.
std::string doc_text(const ReferenceEntry& entry);

/// For prompts: a line for each entry, its usage and the first sentence of its doc, under the titles of the sections.
/// `entries` are ordered by section.
std::string compact_reference(std::span<const ReferenceEntry> entries);

} // namespace ptc
