// The walk of the checker over the forms of a program, in families of forms: one .cpp file each. Private to check*.cpp.
// What is known of a value is a Fact (fact.h); every member that checks a form gives the fact of its value.
#pragma once
#include "compiler/check/call_results.h"
#include "compiler/check/check_report.h"
#include "compiler/check/fact.h"
#include "compiler/check/host_facts.h"
#include "compiler/check/lints.h"
#include "compiler/check/names_in_scope.h"
#include "compiler/check/suppose.h"
#include "compiler/language/core_library.h"
#include "compiler/language/pattern_defaults.h"

namespace ptc {

/// Goes through the forms as they are written, once, in the order of evaluation, with what is known of each value. The
/// analyzer has found nothing wrong, but it does not look at a function literal that is never called: no form is
/// trusted to have the parts that it should have.
///
/// Owns the arena, the facts in it and the parts that work with them: the names, the lints, what is known from the host
/// and what calls of the language's functions give. Borrows the environment, and for its parts the source, the core
/// library and the diagnostics. Its own state is where the walk is: the placeholders, the effects so far, the depth.
class Checker final : private FormChecks {
public:
    Checker(const Source& source, const Tree& tree, const Environment& environment, const CoreLibrary& core,
            Diagnostics& diagnostics, std::span<const Supposition> suppositions = {});
    void program(std::span<const Form> top_level) {
        lints_.begin(top_level);
        check_body(top_level);
        lints_.check_returns();
        report_.end_trials();
    }
    /// What is known of the values of definitions that earlier programs made: (def name value) each.
    [[nodiscard]] std::vector<DataInfo> facts_of(std::span<const Form> definitions);
    /// What the walk found of the shapes of values.
    [[nodiscard]] ShapeProblems problems() const { return {report_.found(), report_.clashes(), points_}; }
    [[nodiscard]] Facts& facts() { return facts_; }

private:
    using FormSpan = std::span<const Form>;
    using FactSpan = std::span<const Fact* const>;
    using Unused = NamesInScope::Unused;

    // ---- Expressions (check.cpp)
    static constexpr std::uint32_t kMaxDepth = 1000;
    const Fact* check(const Form& form) override;
    const Fact* check_as_written(const Form& form);
    void note_point(const Form& form, const Fact* fact);
    const Fact* as_supposed(const Form& form, const Fact* fact);
    bool is_supposed_away(const Form& form) const;
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
    const Fact* check_data_call(const Form& list);
    const Fact* user_call(const NamesInScope::Meaning& meaning, const Form& list);
    const Fact* call_result(const NamesInScope::Meaning& meaning, FactSpan arguments);
    void check_callable(const NamesInScope::Variable& variable, const Form& list, FactSpan arguments);
    const Fact* fact_in_rounds(const Form& variable, const Fact* first, FormSpan body, std::size_t index);
    void check_discarded(FormSpan body, std::size_t at, std::uint32_t effects);
    const Fact* call_core(const CoreName& name, const Form& list);
    const Fact* call_tool(std::string_view name, const Form& list, FormSpan arguments);
    const CoreName* core_function(const Form& head) override;
    void add_effect() override { ++effects_; }

    // ---- Patterns (check_patterns.cpp)
    void bind_pattern(const Form& pattern, const Fact* fact, Unused unused, NamesInScope::Variable** group = nullptr);
    void bind_vector(FormSpan items, const Fact* fact, Unused unused, NamesInScope::Variable** group);
    void bind_map(FormSpan items, const Fact* fact, Unused unused);
    void bind_keys(const Form& names, const Fact* map, const PatternDefaults& defaults);
    /// `names`: the vector behind :keys or :strs that holds `key`.
    const Fact* field_or_default(const Fact* map, const Form& key, const Form* otherwise, const Form* names = nullptr);
    void bind_let(FormSpan bindings, Unused unused);

    // ---- Functions (check_functions.cpp)
    const Fact* function_value(const Form& literal);
    const Fact* check_fn(FormSpan parts, FactSpan arguments);
    /// [params] body .. or ([params] body ..) ..
    const Fact* check_clauses(FormSpan parts, FactSpan arguments);
    const Fact* check_clause(const Form& params, FormSpan body, FactSpan arguments);
    const Fact* check_short_fn(const Form& form, FactSpan arguments);
    /// What calling `function`, a form, with these arguments gives.
    const Fact* apply(const Form& function, FactSpan arguments, bool string_key = false) override;
    const Fact* apply_name(const Form& symbol, FactSpan arguments);
    bool suits(const Form* function, NamesInScope::Variable* place, FactSpan arguments);
    void mend_own_call(const NamesInScope::Meaning& meaning, const Form& list, FactSpan arguments,
                       WarningSink::Mark before);
    void mend_mapped_call(const CoreName& name, const Form& list, std::span<const CallArgument> arguments,
                          WarningSink::Mark before);
    const Fact* try_function(const Form* function, NamesInScope::Variable* place, FactSpan arguments);
    const Fact* apply_made(const Form& call, FactSpan arguments);

    // ---- Special forms (check_forms.cpp, check_conditionals.cpp)
    enum class Truth : std::uint8_t { Unknown, True, False };
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
    const Fact* try_form(const Form& list);
    const Fact* end_form(const Form& list);
    const Fact* call_form(const Form& list);
    const Fact* memory_put_form(const Form& list);
    const Fact* defmulti_form(const Form& list);
    const Fact* defmethod_form(const Form& list);
    const Fact* letfn_form(const Form& list);
    const Fact* dotimes_form(const Form& list);
    const Fact* doto_form(const Form& list);
    const Fact* library_form(const Form& list);
    const Fact* precision_form(const Form& list);
    const Fact* other_form(const Form& list);

    const Fact* conditional(const Form& list, bool one_branch);
    const Fact* conditional_binding(const Form& list, bool one_branch, bool only_nil);
    void bind_comprehension(const Form& list);
    const Fact* and_or(const Form& list, Truth stops);
    const Fact* thread_step(const Form& step, const Fact* value, bool last);
    /// What stands behind the name, text and metadata of a defn.
    static FormSpan definition_parts(FormSpan parts);
    const Fact* define(const Form& name, const Fact* value, const Form* function = nullptr);
    /// Whether a test has the same outcome each time, as far as it is written out: a variable may be there to be
    /// changed.
    static Truth truth_of(const Form& test, const Fact* fact);
    void check_test(const Form& test, const Fact* fact);
    /// A form of which the program asks whether it gives something.
    const Fact* check_asked(const Form& form);

    const Source& source_;
    const Environment& environment_;
    WarningSink report_;
    Arena arena_{4096};
    Facts facts_;
    NamesInScope names_;
    Lints lints_;
    HostFacts host_;
    CallResults calls_;
    FactSpan placeholders_;       ///< of the #() that encloses the form
    const Form* asked_ = nullptr; ///< what check_asked looks at
    std::uint32_t effects_ = 0;   ///< how many things were met that do more than give a value
    std::uint32_t nesting_ = 0;   ///< forms around the form
    std::uint32_t depth_ = 0;     ///< functions and branches around the form: at 0 it is run exactly once
    struct Trial {
        const Form* function;
        bool is_recursive; ///< it calls itself
    };
    std::vector<Trial> tried_; ///< the functions that are being looked at with known arguments
    std::uint32_t trials_ = 0; ///< how many there have been
    std::span<const Supposition> suppositions_;
    std::vector<DataPoint> points_; ///< where data come in
};

} // namespace ptc
