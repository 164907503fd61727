// What the names of a program mean while the checker goes through it, and which bindings nothing reads.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/check/check_report.h"
#include "compiler/check/fact.h"
#include "compiler/language/core_library.h"
#include "compiler/language/scope.h"

namespace ptc {

/// Owns the table of names and the chain of variables that are bound now, innermost first; both lie in the arena that
/// it borrows, with the environment, the core library and the report.
class NamesInScope {
public:
    enum class Unused : std::uint8_t {
        Silent,  ///< says nothing: parameters, items of a loop
        Name,    ///< a name that may be given another one
        Key,     ///< a name that is also the key of a field
        Element, ///< one of the elements of a pattern: unless one of them is used
    };
    struct Name;
    struct Variable {
        std::string_view name;
        Span span;
        const Fact* fact = Facts::any();
        Unused unused = Unused::Silent;
        bool used = false;
        const Form* function = nullptr; ///< the literal that it is
        Variable* pattern = nullptr;    ///< Element: the first one
        Variable* shadowed = nullptr;   ///< what the name meant outside
        Variable* previous = nullptr;   ///< bound before
        Name* entry = nullptr;
    };
    struct Name {
        std::string_view name;
        std::uint32_t hash = 0;
        Variable* variable = nullptr;    ///< the innermost one
        bool defined = false;            ///< by the program or its session
        bool once = false;               ///< by exactly one definition, of the program
        const Fact* fact = Facts::any(); ///< of a name that is defined once, from there on
        const Form* function = nullptr;  ///< the literal or defn that it is
    };
    /// A variable, a definition, or a name of the language; nothing of these for a name that is none of them.
    struct Meaning {
        Variable* variable = nullptr;
        const Name* global = nullptr;
        const CoreName* core = nullptr;
    };
    /// Unbinds what was bound in it, and reports what was not used, when it ends.
    class Scope {
    public:
        explicit Scope(NamesInScope& names) : names_(names), outer_(names.innermost_) {}
        ~Scope() { names_.unbind(outer_); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        NamesInScope& names_;
        Variable* outer_;
    };

    /// Knows the names that the session and `tree`, the program, define.
    NamesInScope(const Tree& tree, const Environment& environment, const CoreLibrary& core, Arena& arena,
                 WarningSink& report);

    /// As long as it lives, names mean what they did where `place` was bound, or outside of all functions (null).
    class Elsewhere {
    public:
        Elsewhere(NamesInScope& names, Variable* place);
        ~Elsewhere();
        Elsewhere(const Elsewhere&) = delete;
        Elsewhere& operator=(const Elsewhere&) = delete;

    private:
        NamesInScope& names_;
        Variable* here_;
    };

    /// What is known of a name of the session, as long as it means that.
    void receive(std::string_view name, const Fact* fact);
    Variable* bind(const Form& name, const Fact* fact, Unused unused);
    /// `value` is what the name is from here on, as far as nothing else defines it. `function`: the form that makes it,
    /// when it is a function.
    void define(std::string_view name, const Fact* value, const Form* function = nullptr);
    [[nodiscard]] Variable* innermost() const { return innermost_; }
    /// What `name` means here; a variable counts as used from now on.
    Meaning meaning_of(std::string_view name);
    /// What a plain or qualified name means that is no variable and not the program's; null for what is none of the
    /// language's functions and forms.
    [[nodiscard]] const CoreName* core_name(std::string_view name) const;
    /// Whether the language's function of this name says this of itself (runtime/function_facts.h).
    [[nodiscard]] bool has_trait(std::string_view name, Traits trait) const {
        const CoreName* core = core_name(name);
        return core && (core->traits & trait) != 0;
    }

private:
    /// What is known of a name, which may be the session's. The text lives as long as the program.
    Name& entry_of(std::string_view name, std::uint32_t hash);
    void unbind(Variable* outer);
    void report_unused(Variable& variable);
    [[nodiscard]] const CoreName* core_name(std::string_view text, std::uint32_t hash) const;

    const Environment& environment_;
    const CoreLibrary& core_;
    Arena& arena_;
    WarningSink& report_;
    NameTable<Name> names_;
    Variable* innermost_ = nullptr;
};

} // namespace ptc
