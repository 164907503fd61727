// The checker's state and its families of forms, one .cpp file each. Private to check*.cpp.
#pragma once
#include "compiler/check/check.h"
#include "compiler/check/check_warnings.h"
#include "compiler/check/fact.h"
#include "compiler/check/misfit.h"
#include "compiler/language/call_rules.h"
#include "compiler/language/prelude.h"
#include "compiler/language/scope.h"

namespace ptc {

/// Goes through the forms as they are written, once, in the order of evaluation, with what is known of each value. The
/// analyzer has found nothing wrong, but it does not look at a function literal that is never called: no form is
/// trusted to have the parts that it should have.
class Checker {
public:
    Checker(const Source& source, const Tree& tree, const Environment& environment, const CoreLibrary& core,
            Diagnostics& diagnostics);
    void program(std::span<const Form> top_level);

private:
    using FormSpan = std::span<const Form>;
    using FactSpan = std::span<const Fact* const>;

    // ---- Names -----------------------------------------------------------------------------------------------------
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
        Variable* pattern = nullptr;  ///< Element: the first one
        Variable* shadowed = nullptr; ///< what the name meant outside
        Variable* previous = nullptr; ///< bound before
        Name* entry = nullptr;
    };
    struct Name {
        std::string_view name;
        std::uint32_t hash = 0;
        Variable* variable = nullptr;    ///< the innermost one
        bool defined = false;            ///< by the program or its session
        bool once = false;               ///< by exactly one definition, of the program
        const Fact* fact = Facts::any(); ///< of a name that is defined once, from there on
    };
    /// Unbinds, and reports what was not used, when it ends.
    struct Scope {
        explicit Scope(Checker& c) : checker(c), outer(c.innermost_) {}
        ~Scope() { checker.unbind(outer); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        Checker& checker;
        Variable* outer;
    };
    Variable* bind(const Form& name, const Fact* fact, Unused unused);
    void unbind(Variable* outer);
    void report_unused(Variable& variable);
    void bind_pattern(const Form& pattern, const Fact* fact, Unused unused, Variable** group = nullptr);
    void bind_vector(FormSpan items, const Fact* fact, Unused unused, Variable** group);
    void bind_map(FormSpan items, const Fact* fact, Unused unused);
    void bind_keys(const Form& names, const Fact* map, const Form* defaults);
    /// `names`: the vector behind :keys or :strs that holds `key`.
    const Fact* field_or_default(const Fact* map, const Form& key, const Form* otherwise, const Form* names = nullptr);
    void bind_let(FormSpan bindings, Unused unused);
    /// What a plain or qualified name means that is no variable and not the program's; null for what is none of the
    /// language's functions and forms.
    const CoreName* core_name(std::string_view text, std::uint32_t hash) const;
    struct Meaning {
        Variable* variable = nullptr;
        const Name* global = nullptr;
        const CoreName* core = nullptr;
    };
    Meaning meaning_of(std::string_view text);

    // ---- Expressions -----------------------------------------------------------------------------------------------
    static constexpr std::uint32_t kMaxDepth = 1000;
    const Fact* check(const Form& form);
    const Fact* check_atom(const Form& form);
    const Fact* check_symbol(const Form& symbol);
    const Fact* check_list(const Form& list);
    const Fact* check_name_call(const Form& list);
    const Fact* check_body(FormSpan body, bool last_is_value = true);
    const Fact* check_all(FormSpan forms);
    const Fact* check_vector(FormSpan items);
    const Fact* check_map(const Form& map);
    const Fact* check_set(FormSpan items);
    const Fact* check_key_call(const Form& list);
    bool check_key_of_items(const Form& list, const Fact& value);
    const Fact* user_call(const Fact* function, const Form& list);
    void check_callable(const Variable& variable, const Form& head);
    void check_discarded(const Form& form, std::uint32_t effects);

    // ---- Functions -------------------------------------------------------------------------------------------------
    const Fact* function_value(const Form& literal);
    const Fact* check_fn(FormSpan parts, FactSpan arguments);
    const Fact* check_clause(const Form& params, FormSpan body, FactSpan arguments);
    const Fact* check_short_fn(const Form& form, FactSpan arguments);
    static bool is_function_literal(const Form& form);
    /// What calling `function`, a form, with these arguments gives.
    const Fact* apply(const Form& function, FactSpan arguments, bool string_key = false);
    const Fact* apply_name(const Form& symbol, FactSpan arguments);
    const Fact* apply_made(const Form& call, FactSpan arguments);

    // ---- Calls of the language's functions -------------------------------------------------------------------------
    struct Argument {
        const Form* form = nullptr; ///< null: there is only a fact
        const Fact* fact = nullptr; ///< null: not looked at yet
    };
    struct Call {
        const CoreName& name;
        const CallRule& rule;
        Span span;
        std::span<Argument> arguments;
        [[nodiscard]] std::size_t size() const { return arguments.size(); }
    };
    using Rule = const Fact* (Checker::*)(Call& call);
    static const Rule kRules[];
    const Fact* call_core(const CoreName& name, const Form& list);
    const Fact* call_rule(const CoreName& name, Span span, std::span<Argument> arguments);
    const Fact* fact_of(Argument& argument);
    const Fact* last_of(Call& call);
    void look_at_all(Call& call);
    const Fact* apply_argument(Call& call, std::size_t index, FactSpan arguments, bool string_key = false);
    const Fact* as_ruled(const Call& call, const Fact* fact);
    const Fact* added(const Fact* coll, const Fact* item);
    const Fact* filtered(Call& call, bool string_key);
    const Fact* mapped(Call& call);
    void call_comparator(Call& call, std::size_t index);
#define PTC_CALL_FAMILY(Name, handler) const Fact* handler(Call& call);
#include "compiler/language/call_rules.def"
#undef PTC_CALL_FAMILY

    // ---- Fields ----------------------------------------------------------------------------------------------------
    /// `key`, a keyword or string, looked up in `map`.
    const Fact* read_field(const Fact* map, const Form& key, bool has_default, const Form* names = nullptr);
    static bool is_key(const Form& form) { return form.is(FormKind::Keyword) || form.is(FormKind::String); }

    enum class Truth : std::uint8_t { Unknown, True, False };

    // ---- Special forms ---------------------------------------------------------------------------------------------
    using Handler = const Fact* (Checker::*)(const Form& list);
    static constexpr Handler handler_of(std::string_view special_form);
    const Fact* special_form(std::size_t index, const Form& list);
    const Fact* let_form(const Form& list);
    const Fact* loop_form(const Form& list);
    const Fact* fn_form(const Form& list);
    const Fact* if_form(const Form& list);
    const Fact* when_form(const Form& list);
    const Fact* cond_form(const Form& list);
    const Fact* case_form(const Form& list);
    const Fact* condp_form(const Form& list);
    const Fact* if_let_form(const Form& list);
    const Fact* if_some_form(const Form& list);
    const Fact* when_let_form(const Form& list);
    const Fact* when_some_form(const Form& list);
    const Fact* when_first_form(const Form& list);
    const Fact* do_form(const Form& list);
    const Fact* and_form(const Form& list);
    const Fact* or_form(const Form& list);
    const Fact* names_form(const Form& list);
    const Fact* def_form(const Form& list);
    const Fact* defn_form(const Form& list);
    const Fact* for_form(const Form& list);
    const Fact* doseq_form(const Form& list);
    const Fact* thread_first_form(const Form& list);
    const Fact* thread_last_form(const Form& list);
    const Fact* thread(const Form& list, bool last);
    const Fact* cond_thread(const Form& list, bool last);
    const Fact* some_thread(const Form& list, bool last);
    const Fact* as_thread_form(const Form& list);
    const Fact* cond_thread_first_form(const Form& list);
    const Fact* cond_thread_last_form(const Form& list);
    const Fact* some_thread_first_form(const Form& list);
    const Fact* some_thread_last_form(const Form& list);
    const Fact* apply_form(const Form& list);
    const Fact* end_form(const Form& list);
    const Fact* call_form(const Form& list);
    const Fact* memory_put_form(const Form& list);
    const Fact* other_form(const Form& list);

    const Fact* conditional(const Form& list, bool one_branch);
    const Fact* conditional_binding(const Form& list, bool one_branch, bool only_nil);
    void bind_comprehension(const Form& list);
    const Fact* and_or(const Form& list, Truth stops);
    const Fact* thread_step(const Form& step, const Fact* value, bool last);
    const Fact* define(const Form& name, const Fact* value);
    /// Whether a test has the same outcome each time, as far as it is written out: a variable may be there to be
    /// changed.
    static Truth truth_of(const Form& test, const Fact* fact);
    void check_test(const Form& test, const Fact* fact);
    void check_literal_default(const Form& list, FormSpan clauses);
    void check_repeated(std::vector<const Form*>& forms);

    // ---- Comparisons -----------------------------------------------------------------------------------------------
    /// `literal`, when it is a keyword, string or number, is compared with something else.
    void check_equal(const Form& literal, const Fact* other, bool negated);

    // ---- Habits of other languages ---------------------------------------------------------------------------------
    void check_quoted(const Form& quote);
    void check_subscripts(FormSpan items);
    void check_joined(FormSpan arguments);
    void check_infix(FormSpan body);
    void check_loose_modifier(const Form& list);
    void check_bracketed_clauses(FormSpan clauses);
    void check_key_argument(std::string_view function, std::span<const Argument> given);
    void check_collection_argument(std::string_view function, const Form& list, std::span<const Argument> given);

    // ---- Arguments of the wrong shape (check_arguments.cpp)
    void check_argument_shapes(std::string_view function, const Form& list, std::span<const Argument> given);
    bool has_shape(char shape, std::span<const Argument> given, std::size_t index, Span& span);
    const Fact* shape_fact(const Argument& argument);
    bool items_have(const Fact& coll, const Form& key);
    static bool leads_on(const Fact& map, const Form& key, const Form& next);

    // ---- Tools and data --------------------------------------------------------------------------------------------
    struct ToolFacts {
        std::string_view name;
        std::uint32_t hash = 0;
        const Signature* signature = nullptr;
        const Fact* result = Facts::any();
    };
    /// A named argument of a call: the forms are null when it comes from a value.
    struct GivenArgument {
        std::string_view name;
        const Form* key;
        const Form* value;
        const Fact* fact;
    };
    ToolFacts& tool_facts(std::string_view name);
    const Fact* call_tool(std::string_view name, const Form& list, FormSpan arguments);
    const Fact* apply_tool(std::string_view name, Span span, FactSpan arguments);
    void check_written(const ToolFacts& tool, FormSpan map, const Fact& fact, Span call);
    void check_passed(const ToolFacts& tool, Span where, const Fact& fact);
    void check_given(const ToolFacts& tool, std::span<const GivenArgument> given, bool all_known, bool is_written,
                     Span call);
    void check_argument_names(const ToolFacts& tool, std::span<const GivenArgument> given,
                              std::vector<const Field*>& absent);
    /// `is_written`: it stands in the program, so every call fails; else it follows from what is known of values.
    void report_argument(Error error, bool is_written);
    [[nodiscard]] const Fact* data_fact(std::string_view name) const;

    void warn(Error warning);
    [[nodiscard]] bool is_full() const { return diagnostics_.all().size() >= Diagnostics::kMaxDiagnostics; }

    const Source& source_;
    const Tree& tree_;
    const Environment& environment_;
    const CoreLibrary& core_;
    Diagnostics& diagnostics_;
    std::pmr::monotonic_buffer_resource arena_;
    Facts facts_;
    NameTable<Name> names_;
    NameTable<ToolFacts> tools_;
    Variable* innermost_ = nullptr;
    FactSpan placeholders_;     ///< of the #() that encloses the form
    std::uint32_t effects_ = 0; ///< how many things were met that do more than give a value
    bool only_errors_ = false;  ///< what is warned of may come from an error that is known
    std::uint32_t nesting_ = 0; ///< forms around the form
    std::uint32_t depth_ = 0;   ///< functions and branches around the form: at 0 it is run exactly once
};

} // namespace ptc
