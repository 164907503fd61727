// The analyzer's state and its families of forms, one .cpp file each. Private to analyzer*.cpp and analyze_*.cpp.
#pragma once
#include "compiler/analyze/analysis_errors.h"
#include "compiler/analyze/analyzer.h"
#include "compiler/language/core_library.h"
#include "compiler/language/fold.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/reference.h"
#include "compiler/language/scope.h"
#include "compiler/language/special_forms.h"
#include "compiler/prelude/prelude_scope.h"
#include "runtime/builtin.h"
#include <functional>

namespace ptc {

/// What happens to the value of a form.
using Place = std::uint8_t;
inline constexpr Place kValue = 0;        ///< more work follows
inline constexpr Place kFunctionTail = 1; ///< it is the value of the function
inline constexpr Place kRecurTail = 2;    ///< a recur may stand here

/// Forms nested deeper than this, after expansion, are refused (limit_exceeded): the analyzer and the emitter recurse.
inline constexpr std::uint32_t kMaxDepth = 1000;

class Analyzer {
public:
    Analyzer(Tree& tree, const Environment& environment, const CoreLibrary& core, const CompileLimits& limits,
             Heap& heap, Diagnostics& diagnostics);
    void program(std::span<const Form> top_level, const Source& source);
    /// One arity of a core function as a Function of its own.
    Function* core_arity(const CoreFunction& function, const CoreFunction::ArityForm& arity);
    void core_functions(std::vector<Function*>& first_arity);
    Node* core_function_value(const CoreFunction& function, Span span, Place place);
    void prelude_namespace(PreludeScope& scope);

private:
    using FormSpan = std::span<const Form>;
    using Handler = Node* (Analyzer::*)(const Form& list, Place place);
    static const Handler kHandlers[];

    // ---- What a name is ------------------------------------------------------------------------------------------
    struct Resolved {
        enum Kind : std::uint8_t {
            Unknown,
            Local,    ///< local
            Node,     ///< node: an argument that was analysed already
            Lambda,   ///< argument
            Self,     ///< function
            Known,    ///< global
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
    /// `report`: an unknown name is an error. Otherwise Unknown is returned for it.
    Resolved resolve(const Form& symbol, bool report = true);
    Resolved resolve_plain(std::string_view name, std::uint32_t hash);
    Resolved resolve_qualified(const Form& symbol, std::string_view name, std::uint32_t hash, bool report);
    Resolved resolve_member(const Form& symbol, std::string_view space, std::string_view member, bool report);
    void report_unknown(const Form& symbol);

    // ---- Making nodes --------------------------------------------------------------------------------------------
    Node* make(NodeKind kind, Span span, Place place = kValue);
    Node* make(NodeKind kind, Span span, Place place, std::initializer_list<Node*> children);
    Node* nil(Span span, Place place = kValue);
    Node* literal(Bits bits, Span span, Place place);
    Node* literal(Result<Value> value, Span span, Place place);
    Node* named_constant(const NamedConstant& constant, Span span, Place place);
    Node* keyword(std::string_view text, Span span, Place place);
    Node* string(std::string_view text, Span span, Place place);
    Node* reference(Local* local, Span span, Place place = kValue);
    Node* builtin_call(std::uint32_t index, Span span, Place place, std::initializer_list<Node*> children);
    Node* builtin_call(std::uint32_t index, Span span, Place place, std::size_t first_node);
    Local* new_local(std::string_view name, Span span);
    Function* new_function(std::string_view name, Span span);
    Local* capture(Local* local, Function* into);
    /// Takes the references in a subtree that is left out of the tree off their counts.
    void discard(const Node* node);
    std::span<Node*> take_nodes(std::size_t first); ///< moves node_stack_[first..] to the arena
    template <class T> std::span<T> copy(std::span<const T> items);
    template <class T, class... Args> T* create(Args&&... args);

    // Bindings collected for a Let or Loop node, on a stack shared by all that are open.
    struct Let {
        explicit Let(Analyzer& a) : analyzer(a), first(a.let_stack_.size()) {}
        void add(Local* local, Node* value) { analyzer.let_stack_.push_back({local, value}); }
        Local* temporary(Node* value);
        [[nodiscard]] bool empty() const { return analyzer.let_stack_.size() == first; }
        Node* finish(Node* body, Span span, Place place, Node* into = nullptr);
        Analyzer& analyzer;
        std::size_t first;
    };
    struct LetEntry {
        Local* local;
        Node* value;
    };

    // ---- Forms ---------------------------------------------------------------------------------------------------
    Node* analyze(const Form& form, Place place);
    Node* analyze_body(FormSpan body, Span span, Place place);
    Node* analyze_symbol(const Form& form, Place place);
    Node* value_of(const Resolved& name, const Form& form, Place place);
    Node* analyze_list(const Form& list, Place place);
    Node* analyze_vector(const Form& form, Place place);
    Node* analyze_set(const Form& form, Place place);
    Node* analyze_map(const Form& form, Place place);
    Node* analyze_number(const Form& form, Place place);
    Node* quoted(const Form& form, Place place, Span span);
    bool check_duplicates(FormSpan items, std::size_t step, const char* what);
    [[nodiscard]] Span span_of(const Form& form) const { return site_.core ? site_.span : form.span; }

    // ---- Calls (analyze_calls.cpp) -------------------------------------------------------------------------------
    Node* call_name(const Form& list, const Resolved& name, Place place);
    Node* call_value(Node* callee, FormSpan arguments, Span span, Place place);
    Node* call_keyword(Node* keyword, const Form& list, Place place);
    Node* call_builtin(const CoreName& name, const Form& list, Place place);
    bool is_endless_range(const Form& form);
    Node* call_core(const CoreFunction& function, const Form& list, Place place);
    Node* call_known(const GlobalName& global, const Form& list, Place place);
    Node* call_self(Function* function, const Form& list, Place place);
    Node* call_constant(const Node& callee, const Form& list, Place place);
    bool check_dropped(FormSpan arguments);
    Node* analyze_arguments(Node* node, FormSpan arguments, std::size_t first);
    /// A wrong number of arguments inside of the core library is left to the run: it may never be reached.
    Node* call_at_run_time(Node* callee, const Form& list, Place place);

    // ---- Inlining (analyze_inline.cpp) ---------------------------------------------------------------------------
    Node* inline_core(const CoreFunction& function, const CoreFunction::ArityForm& arity, const Form& list,
                      Place place);
    void bind_update_call(const CoreFunction& function, FormSpan arguments, Let& let, std::span<Binding> bindings);
    Node* update_path(const CoreFunction& function, const Form& list, Place place);
    Node* inline_lambda(const Lambda& lambda, const Form& list, Place place);
    struct Inlining;
    Node* inline_body(const Lambda& lambda, const FnClause& clause, FormSpan arguments, const Form& list, Place place);
    void bind_argument(Inlining& call, std::size_t index, const Form& argument);
    void bind_rest_arguments(Inlining& call, FormSpan arguments);
    void bind_parameter(Inlining& call, std::string_view name, const Form* pattern, Node* value, bool rest);
    Node* inlined_body(Inlining& call, Place place);
    Node* inlined_loop(Inlining& call, Place place);
    /// Evaluating it neither does work nor has effects: it may stay where it is while other arguments are moved.
    static bool is_trivial(const Form& form) { return form.kind < FormKind::List || form.kind >= FormKind::ShortFn; }
    bool pass_on(const Form& form, Binding& binding);
    bool pass_lambda(const Form& form, const ParamUse& use, Binding& binding, Let& let);
    const Lambda* literal_lambda(const Form& form);
    const Lambda* combinator(const Form& form, Let& let);
    const Argument* argument(const Form* form, const Lambda* lambda);
    const Binding* bind_arguments(const CoreFunction& function, const CoreFunction::ArityForm& arity, const Form& list,
                                  Let& let);
    Node* check_callable(const CoreFunction& function, std::size_t index, const ParamUse& use, Node* value);
    Node* mismatched_literal(const Lambda& lambda, const Form& list, Place place);

    // ---- Functions (analyze_functions.cpp) -----------------------------------------------------------------------
    Node* fn_value(const Lambda& lambda, Place place);
    void fn_body(Function& function, const Lambda& lambda, const FnClause& clause);
    bool read_params(const Form& params, FnClause& clause);
    const Lambda* read_fn(const Form& list);
    const Lambda* read_short_fn(const Form& form);
    Local* self_value(Function* function);

    struct RecurTarget {
        Node* loop = nullptr; ///< null: the function
        std::size_t count = 0;
        bool used = false;
    };

    // ---- Bindings (analyze_bindings.cpp) -------------------------------------------------------------------------
    void push(std::string_view name, Local* local);
    void push(Binding binding);
    /// Binds the names of `pattern` to `value`, adding to `let`.
    void destructure(const Form& pattern, Node* value, Let& let);
    /// After an error in a pattern: its names mean nil, so that their uses are no errors too.
    void bind_to_nil(const Form& pattern);
    void destructure_vector(const Form& pattern, Node* value, Let& let);
    void destructure_map(const Form& pattern, Node* value, Let& let);
    void bind_field(const Form& pattern, Node* key, Local* map, const Form* defaults, Let& let);
    void bind_names(const Form& names, std::string_view option, Local* map, const Form* defaults, Let& let);
    void bind_rest(const Form& pattern, Node* rest, Let& let);
    const Form* find_default(const Form* defaults, std::string_view name) const;
    bool check_bindings(const Form& form, const Form& list);
    Node* plain_loop(const Form& list, Place place, RecurTarget& target);
    Node* pattern_loop(const Form& list, Place place, RecurTarget& target);

    // ---- Loops ---------------------------------------------------------------------------------------------------
    struct Hoisted {
        std::string_view name;
        Local* local;
        Span span;
        Hoisted* next;
    };
    struct HoistFrame {
        Hoisted* first = nullptr;
    };
    /// While it lives, data/ names used in the current function are read once, before its outermost loop.
    struct LoopScope {
        explicit LoopScope(Analyzer& a) : analyzer(a), outermost(a.hoist_ == nullptr) {
            if (outermost) a.hoist_ = &frame;
        }
        /// Ends the scope: `loop`, within a Let of what was hoisted.
        Node* finish(Node* loop, Place place);
        Analyzer& analyzer;
        HoistFrame frame;
        bool outermost;
    };
    Node* data_reference(std::string_view name, Span span, Place place);
    Node* fold(std::string_view text, Node* init, Node* coll, Span span, Place place);

    // ---- Iteration -----------------------------------------------------------------------------------------------
    struct Comprehension {
        FormSpan clauses;
        FormSpan body;
        bool collect = false;
        Span span;
    };
    Node* comprehension(const Form& list, Place place, bool collect);
    Node* comprehend(const Comprehension& it, std::size_t at, Local* accumulator, Node* fold);
    Node* comprehend_fold(const Comprehension& it, std::size_t at, Node* init, Place place);
    bool check_clauses(const Form& vector, const Form& list);

    // ---- Threading -----------------------------------------------------------------------------------------------
    const Form* insert_argument(const Form& step, const Form& value, bool last);
    Node* thread(const Form& list, Place place, bool last);
    Node* cond_thread(const Form& list, Place place, bool last);
    Node* some_thread(const Form& list, Place place, bool last);

    // ---- Conditionals --------------------------------------------------------------------------------------------
    Node* make_if(Node* test, Node* yes, Node* no, Span span, Place place);
    Node* conditional_binding(const Form& list, Place place, bool only_nil, bool has_else);
    Node* case_test(const Form& constant, Local* value);
    Node* analyze_call(std::initializer_list<Form> parts, Span span, Place place);
    Node* condp_clauses(const Form& list, FormSpan clauses, Place place);
    Node* condp_function_clause(const Form& list, FormSpan clauses, Place place);

    // ---- Definitions ---------------------------------------------------------------------------------------------
    void find_definitions(FormSpan top_level);
    void find_definitions_in(const Form& form);
    void note_definition(const Form& name, bool function);
    bool check_unprotected(const Form& name);
    bool check_definition_name(const Form& name, const Form& list);
    Node* define(NodeKind kind, const Form& list, Place place);
    Node* definition(NodeKind kind, const Form& name, Node* value, Span span, Place place);
    Node* define_function(const Form& name, const Lambda& lambda, std::string_view doc, const Form& list, Place place);

    // ---- Tools, memory, discovery --------------------------------------------------------------------------------
    Node* call_tool(std::string_view name, const Form& list, FormSpan arguments, Span name_span, Place place);
    Node* tool_function(std::string_view name, Span span, Place place);
    bool check_tool(std::string_view name, Span span, std::string_view written);
    Node* tool_arguments(std::string_view name, const Form& list, FormSpan arguments);
    Node* runtime_form(const char* name, const Form& list, std::size_t min, std::size_t max, Place place);

    // ---- Preludes (analyze_preludes.cpp) ---------------------------------------------------------------------------
    std::optional<Resolved> resolve_export(const Form& symbol, std::string_view name, bool report);
    const Sibling* find_sibling(std::string_view name, std::uint32_t hash);
    void note_use(const PreludeMember& member);
    void note_tool(std::string_view name);
    void note_prelude_tool(std::string_view name, FormSpan arguments);
    bool check_stateless(const Form& form, std::string_view what);
    Node* member_value(Bits value, Span span, Place place);
    Node* call_member_constant(Bits value, std::string_view name, const Form& list, Place place);
    Node* call_export(const PreludeMember& member, const Form& list, Place place);
    Node* sibling_value(const Sibling& sibling, Span span, Place place);
    Node* call_sibling(const Sibling& sibling, const Form& list, Place place);
    void declare_sibling(std::size_t index);
    void analyze_sibling(std::size_t index);

    // ---- Discovery ----------------------------------------------------------------------------------------------
    std::string_view reference_text(const Form& list, std::size_t max_parts);
    Node* unknown_reference(const Form& list, std::string_view name, const char* what);
    const PreludeMember* find_export(std::string_view name) const;
    const PreludeNamespace* find_prelude_namespace(std::string_view name) const;
    Node* prelude_publics(const PreludeNamespace& space, const Form& list, Place place);
    template <class Visit> void for_each_export(Visit visit) const {
        if (!environment_.prelude) return;
        for (const PreludeNamespace& space : environment_.prelude->namespaces()) {
            for (const PreludeMember* member : space.exports)
                visit(*member);
        }
    }
    bool find_entry(std::string_view name, ReferenceEntry& found);
    std::string_view usage_of(const GlobalName& global);
    bool members_of(std::string_view space, std::vector<const CoreName*>& members);
    std::string_view keep_text(const std::string& text) {
        return {copy(std::span<const char>(text)).data(), text.size()};
    }

    Node* single_value(NodeKind kind, const Form& list, Place place);

    // ---- Handlers ------------------------------------------------------------------------------------------------
#define PTC_SPECIAL_FORM(name, handler, ...) Node* handler(const Form& list, Place place);
#include "compiler/language/special_forms.def"
#undef PTC_SPECIAL_FORM

    // ---- Errors --------------------------------------------------------------------------------------------------
    void report(Error error);
    Node* failed(Error error) {
        report(std::move(error));
        return nil(span_in_error_);
    }
    const SpecialForm* special_of_name(std::string_view name) const;
    const SpecialForm* special_of(const Form& list) const;                ///< the special form that a list is
    bool check_parts(const Form& list, std::size_t min, std::size_t max); ///< number of arguments of a special form
    bool stop_at_limits(Span span);
    std::vector<std::string_view> visible_names() const;
    [[nodiscard]] bool is_core_text(std::string_view name) const {
        const std::string_view text = core_.source().text();
        return std::less_equal<>()(text.data(), name.data()) && std::less<>()(name.data(), text.data() + text.size());
    }

    std::uint32_t native(const char* name) const; ///< index of a native that the analyzer itself emits

    Tree& tree_;
    const Source* source_ = nullptr; ///< of the program; null in the core library
    std::pmr::monotonic_buffer_resource& arena_;
    const Environment& environment_;
    const CoreLibrary& core_;
    const CompileLimits& limits_;
    Heap& heap_;
    Diagnostics& diagnostics_;
    Folder folder_;

    Site site_;
    Function* fn_ = nullptr;
    RecurTarget* recur_ = nullptr;
    HoistFrame* hoist_ = nullptr;
    Node* fold_ = nullptr;                        ///< what break% leaves
    std::string_view core_name_;                  ///< the core function being inlined
    const CoreFunction* core_function_ = nullptr; ///< the core function being compiled, when the core itself is
    GlobalNames globals_;
    NameTable<ConstantText> texts_;   ///< keywords and strings, one value each
    GlobalNames tools_;               ///< called by the program
    GlobalNames data_;                ///< names read from the context
    PreludeScope* prelude_ = nullptr; ///< the namespace that is being compiled, when one is
    NameTable<Sibling> siblings_;
    bool known_functions_ = true; ///< false when a definition cannot be attributed to a name
    std::vector<Node*> node_stack_;
    std::vector<LetEntry> let_stack_;
    std::vector<std::pair<const CoreFunction::ArityForm*, Function*>> core_targets_;
    std::uint32_t depth_ = 0;
    std::uint32_t node_count_ = 0;
    std::uint32_t constant_count_ = 0;
    std::size_t reports_ = 0; ///< calls of report
    bool stopped_ = false;
    Span span_in_error_;
};

Bits empty_vector_bits();
/// A symbol that no source text can contain (it starts with a space), for what an expansion binds.
Form hidden_name(std::string_view name, Span span);
/// The list of these items, which must outlive it.
Form call_of(std::span<const Form> items, Span span);
/// %1, %2 .. by index.
std::string_view placeholder_name(std::size_t index);
/// What can be bound: a name, or a vector or map of patterns.
inline bool is_pattern(const Form& form) {
    return is_binding_name(form) || form.is(FormKind::Vector) || form.is(FormKind::Map);
}

template <class T> std::span<T> Analyzer::copy(std::span<const T> items) {
    if (items.empty()) return {};
    T* to = static_cast<T*>(arena_.allocate(items.size_bytes(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), to);
    return {to, items.size()};
}

template <class T, class... Args> T* Analyzer::create(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena_.allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
}

} // namespace ptc
