// What a name means where it stands. One look-up answers for everything a name may be (Resolved), so that a form
// decides by the kind of the answer; the tables behind it are for those who define.
#pragma once
#include "compiler/analyze/context.h"
#include "compiler/analyze/environment.h"
#include "compiler/analyze/reports.h"
#include "ptc/error.h"
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ptc {

class CoreLibrary;
struct CoreName;
struct NamedConstant;
struct LanguageNamespace;
struct PreludeMember;
struct PreludeScope;
struct Sibling;

/// What a name turned out to be, and the entry that says so.
struct Resolved {
    enum Kind : std::uint8_t {
        Unknown,
        Local,    ///< local
        Node,     ///< node: an argument that was analysed already
        Lambda,   ///< argument
        Self,     ///< function
        Known,    ///< global: a function that calls may go to directly
        Global,   ///< global
        Special,  ///< name->special
        Core,     ///< name->core
        Builtin,  ///< name->builtin
        Constant, ///< constant
        Tool,     ///< text
        Data,     ///< text
        Memory,   ///< text, perhaps global
        History,  ///< index
        Export,   ///< member: of a prelude
        Sibling,  ///< sibling: of the namespace that is being compiled
        Error,    ///< reported
    } kind = Unknown;
    union {
        ptc::Local* local = nullptr;
        const ptc::Node* node;
        const Argument* argument;
        Function* function;
        GlobalName* global;
        const CoreName* name;
        const NamedConstant* constant;
        const PreludeMember* member;
        const ptc::Sibling* sibling;
        std::uint32_t index;
    };
    std::string_view text;
};

/// A name that `require` or its kin gave a meaning.
struct LibraryName {
    std::string_view name;
    std::uint32_t hash = 0;
    std::string_view target;
};

/// (defmulti name dispatch) and its methods, all of them top-level forms. It is one function, made where the last of
/// them stands.
struct Multimethod {
    struct Method {
        const Form* form;
        Method* next = nullptr;
    };
    std::string_view name;
    std::uint32_t hash = 0;
    const Form* definition = nullptr;
    Method* first = nullptr;
    Method* last = nullptr;
};

/// The names of one analysis: it binds them in the current scope and resolves them, innermost scope first, then
/// preludes, the program's definitions, the language. Owns the tables of definitions, tools, data and siblings; borrows
/// the context, whose scope it changes, the environment, the core library, and the namespace that is being compiled.
class Names {
public:
    Names(Tree& tree, Context& at, const Environment& environment, const CoreLibrary& core, Reports& reports);

    // ---- Scopes
    void bind(std::string_view name, Local* local);
    /// `node` is a constant: what is known wherever it is used.
    void bind(std::string_view name, Node* node);
    void bind(Binding binding);

    // ---- Meaning
    /// `report`: an unknown name is an error. Otherwise Unknown is returned for it.
    Resolved resolve(const Form& symbol, bool report = true);
    /// The function or special form of the language that `form` is the name of here; "" for anything else.
    std::string_view language_name(const Form& form);
    /// As the head of a call: what is truly special, such as `if`, is hidden by nothing.
    Resolved resolve_head(const Form& symbol);
    /// From here on `alias`/name means a name of `space`, and `name` means `target`, which has a namespace. The texts
    /// live as long as the tree.
    void add_alias(std::string_view alias, std::string_view space);
    void refer(std::string_view name, std::string_view target);

    // ---- The program's definitions
    [[nodiscard]] GlobalNames& globals() { return globals_; }
    [[nodiscard]] const GlobalNames& globals() const { return globals_; }
    /// Whether a variable here or a definition of the program has the name, and not the language.
    [[nodiscard]] bool is_own(std::string_view name) const;
    /// Some definition cannot be attributed to a name: any function may be another one when it is called.
    void forget_functions() { known_functions_ = false; }
    [[nodiscard]] bool known_functions() const { return known_functions_; }

    /// The program names something that makes reduced values (transducers.h).
    void note_reduced() { has_reduced_ = true; }
    [[nodiscard]] bool has_reduced() const { return has_reduced_; }
    /// The program itself makes reduced values: it may keep them anywhere.
    void note_makes_reduced() { has_reduced_ = makes_reduced_ = true; }
    [[nodiscard]] bool makes_reduced() const { return makes_reduced_; }
    /// The program makes a StringBuilder.
    void note_builder() { has_builder_ = true; }
    [[nodiscard]] bool has_builder() const { return has_builder_; }
    /// The program makes maps or sets that a function of its own sorts: what adds keys may have to call that.
    void note_sorted() { has_sorted_ = true; }
    [[nodiscard]] bool has_sorted() const { return has_sorted_; }
    /// What `name` is in such a program, `conj-sorted%` for conj; `name` itself when nothing is another one.
    [[nodiscard]] Resolved sorted_variant(const Resolved& name) const;
    /// Whether names of the session are, or may give, sequences by need.
    [[nodiscard]] bool has_by_need_in_session() const { return !environment_.by_need.empty(); }
    /// The program makes sequences by need (endless.h).
    void note_lazy() { has_lazy_ = true; }
    /// The program may call functions of a prelude.
    [[nodiscard]] bool has_prelude() const { return environment_.prelude != nullptr; }
    [[nodiscard]] bool has_lazy() const { return has_lazy_; }
    /// Some of them may be anywhere, so that only a run can tell (lazy_escapes.h).
    void note_lazy_escapes() { lazy_escapes_ = true; }
    [[nodiscard]] bool lazy_escapes() const { return lazy_escapes_; }
    /// The multimethod of this name, with all its methods; null when the program defines none at its top level.
    [[nodiscard]] Multimethod* find_multimethod(std::string_view name) const {
        return multimethods_.find(name, name_hash(name));
    }
    Multimethod& add_multimethod(std::string_view name) { return multimethods_.add(name, name_hash(name)); }
    void add_method(Multimethod& multi, const Form& form);
    /// Whether the form is a method of some multimethod of the program.
    [[nodiscard]] bool is_method_form(const Form& form) const { return methods_.contains(&form); }
    [[nodiscard]] Arena& arena() { return arena_; }

    // ---- What the program uses; a definition of a prelude notes it, too
    void note_tool(std::string_view name);
    /// A tool that a prelude's definition calls. Of (tool/call {:server "s" :tool "t"}) both names are noted.
    void note_prelude_tool(std::string_view name, FormSpan arguments);
    void note_data(std::string_view name);

    // ---- Preludes
    /// The namespace that is being compiled; null in programs.
    [[nodiscard]] PreludeScope* prelude() const { return prelude_; }
    void enter(PreludeScope& scope) { prelude_ = &scope; }
    [[nodiscard]] NameTable<Sibling>& siblings() { return siblings_; }
    /// False, with a report, for a form that reads or changes what a session remembers, in a prelude.
    bool check_stateless(const Form& form, std::string_view what);
    /// What all preludes export.
    [[nodiscard]] std::vector<const PreludeMember*> exports() const;

private:
    /// A copy of `binding`, at which searches in the scope end.
    const Binding* indexed(const Binding& binding);
    Resolved resolve_plain(std::string_view name, std::uint32_t hash);
    std::optional<Resolved> resolve_library_name(const Form& symbol, std::string_view name, std::uint32_t hash,
                                                 bool report);
    Resolved resolve_qualified(const Form& symbol, std::string_view name, std::uint32_t hash, bool report);
    Resolved resolve_member(const Form& symbol, std::string_view space, std::string_view member, bool report);
    std::optional<Resolved> resolve_export(const Form& symbol, std::string_view name, bool report);
    Resolved resolve_method(const Form& symbol, std::string_view name, bool report);
    const CoreName* find_member(const LanguageNamespace& space, std::string_view member) const;
    const Sibling* find_sibling(std::string_view name, std::uint32_t hash);
    void note_use(const PreludeMember& member);

    /// A name with this mistake: reported when `report` asks for it.
    Resolved unresolved(Error error, bool report);
    Error unknown_space(Span where, std::string_view space) const;
    Error unknown_member_of(Span where, const LanguageNamespace& known, std::string_view space,
                            std::string_view member) const;
    Error unknown(const Form& symbol);
    [[nodiscard]] std::vector<std::string_view> visible_names() const;

    Tree& tree_;
    Arena& arena_;
    Context& at_;
    const Environment& environment_;
    const CoreLibrary& core_;
    Reports& reports_;
    GlobalNames globals_;
    NameTable<GlobalName> tools_; ///< called by the program
    NameTable<GlobalName> data_;  ///< read from the context
    PreludeScope* prelude_ = nullptr;
    NameTable<Sibling> siblings_;
    bool has_lazy_ = false;
    bool lazy_escapes_ = false;
    bool has_builder_ = false;
    bool has_sorted_ = false;
    bool has_reduced_ = false;
    bool makes_reduced_ = false;
    NameTable<Multimethod> multimethods_;
    std::unordered_set<const Form*> methods_;
    NameTable<LibraryName> aliases_; ///< to namespaces
    NameTable<LibraryName> refers_;  ///< to qualified names
    bool known_functions_ = true;
};

} // namespace ptc
