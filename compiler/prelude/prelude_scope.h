// One namespace of a prelude while it is analysed: what its definitions are, what is known of them, and what each of
// them uses.
#pragma once
#include "compiler/language/scope.h"
#include "compiler/prelude/prelude_forms.h"
#include <optional>

namespace ptc {

struct PreludeScope {
    static constexpr std::size_t kNone = SIZE_MAX;

    /// What a definition refers to directly.
    struct Uses {
        std::vector<std::size_t> siblings;
        std::vector<const PreludeMember*> members; ///< of earlier namespaces
        std::vector<std::string> tools;
        std::vector<std::string> upstream; ///< "server/tool" of literal (tool/call {:server .. :tool ..})
        bool data = false;
    };

    const NamespaceForms* forms = nullptr;
    std::vector<std::string> names; ///< qualified, by definition
    /// Of the constants that have been made. Others are opaque.
    std::vector<std::optional<Bits>> values;

    /// What an analysis looks at: these functions, and this constant as the top level (kNone: all constants, one after
    /// the other).
    std::vector<bool> wanted;
    std::size_t constant = kNone;

    /// What it found.
    std::vector<Function*> functions;
    std::vector<Uses> uses;
    std::size_t current = kNone; ///< the definition that is being looked at

    [[nodiscard]] std::size_t size() const { return forms->definitions.size(); }
    [[nodiscard]] Uses* current_uses() { return current == kNone ? nullptr : &uses[current]; }
};

/// A definition of the namespace, by its plain name.
struct Sibling {
    std::string_view name;
    std::uint32_t hash = 0;
    std::size_t index = 0;
    const FnClause* clause = nullptr; ///< of a function
};

} // namespace ptc
