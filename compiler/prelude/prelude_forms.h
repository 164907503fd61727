// The text of a prelude as definitions: what stands where, and metadata; bodies are not looked at.
#pragma once
#include "compiler/language/core_library.h"
#include "compiler/language/prelude.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include <optional>

namespace ptc {

/// (def ..), (defn ..) or (defn- ..). Refers to the forms.
struct PreludeDefinition {
    std::string_view name;
    Span name_span;
    const Form* form = nullptr;
    bool is_public = true;
    std::string_view doc;
    std::optional<bool> in_prompt;
    std::optional<PreludeEffect> effect;
    std::string_view provider;
    std::vector<std::string_view> needs;
    const Form* params = nullptr; ///< of a function: the vector; null for a constant
    std::span<const Form> body;   ///< of a function; of a constant its value alone
};

struct NamespaceForms {
    std::string_view name;
    Span span;
    std::string_view doc;
    bool in_prompt = true; ///< of definitions that say nothing else
    std::vector<PreludeDefinition> definitions;
};

/// The namespaces that a text declares, in its order. Reports what has no place in a prelude, is malformed, or takes a
/// name that the language or an `earlier` prelude has.
std::vector<NamespaceForms> read_prelude(std::span<const Form> top_level, const CoreLibrary& core,
                                         const Prelude& earlier, Diagnostics& diagnostics);

} // namespace ptc
