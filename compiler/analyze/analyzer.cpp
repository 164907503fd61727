// The three things that are analysed: a program, the core library, a namespace of a prelude.
#include "compiler/analyze/analyzer.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/preludes.h"

namespace ptc {
namespace {

/// All forms; what is computed by need in the result is computed to its end.
Node* program_body(Analyzer& a, FormSpan top_level, Span all) {
    if (top_level.empty() || !a.names.lazy_escapes() || gives_scalar(a, top_level.back()))
        return a.analyze_body(top_level, all, kFunctionTail);
    NodeList parts(a.nodes);
    a.analyze_all(top_level.first(top_level.size() - 1), parts);
    parts.add(analyze_whole(a, top_level.back(), kFunctionTail, "The result"));
    Node* node = a.nodes.make(NodeKind::Do, all, kFunctionTail);
    node->children = parts.take();
    return node;
}

void analyze_program(Analyzer& a, Tree& tree, FormSpan top_level) {
    for (std::string_view name : a.environment.by_need)
        a.names.globals().add(name, name_hash(name)).by_need_in_session = true;
    for (std::string_view name : a.environment.sequences)
        a.names.globals().add(name, name_hash(name)).is_sequence_in_session = true;
    a.session_names = a.environment.globals ? a.environment.globals->size() : 0;
    find_definitions(a.names, a.core, top_level);
    const Span all = top_level.empty() ? Span{} : Span{top_level.front().span.begin, top_level.back().span.end};
    a.at.function = a.nodes.new_function("", all);
    a.at.function->body = program_body(a, top_level, all);
    a.names.globals().each([&](const GlobalName& name) {
        if (name.definitions > 0) tree.defined_names.push_back(name.name);
        if (name.definitions > 1 || !a.names.known_functions()) tree.redefined_names.push_back(name.name);
    });
}

/// Makes a Function for each arity, without bodies: they refer to each other.
void declare_core(Analyzer& a, std::vector<Function*>& first_arity) {
    for (const CoreFunction& function : a.core.all()) {
        Function* previous = nullptr;
        for (const CoreFunction::ArityForm& arity : function.arities) {
            Function* made = a.nodes.new_function(function.name, arity.params->span);
            made->doc = function.doc;
            a.core_targets.push_back({&arity, made});
            if (previous)
                previous->next_arity = made;
            else
                first_arity.push_back(made);
            previous = made;
        }
    }
}

void analyze_core_bodies(Analyzer& a) {
    auto target = a.core_targets.begin();
    const Context outer = a.at;
    for (const CoreFunction& function : a.core.all()) {
        a.at.core_name = function.name;
        for (const CoreFunction::ArityForm& arity : function.arities) {
            const FnClause clause{arity.params, arity.body, arity.count, arity.variadic};
            const Lambda lambda{{}, arity.params->span, {&clause, 1}, Site{nullptr, true, false, arity.params->span}};
            fn_body(a, *(target++)->second, lambda, clause);
        }
    }
    a.at = outer;
}

} // namespace

Tree analyze(const Forms& forms, const Source& source, const Environment& environment, const CoreLibrary& core,
             const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics) {
    Tree tree;
    Analyzer a(tree, environment, core, limits, heap, diagnostics);
    a.source = &source;
    analyze_program(a, tree, forms.top_level());
    return tree;
}

CoreTree analyze_core(const CoreLibrary& core, Heap& heap, Diagnostics& diagnostics) {
    CoreTree result;
    const Environment nothing;
    const CompileLimits limits;
    Analyzer a(result.tree, nothing, core, limits, heap, diagnostics);
    a.at.function = a.nodes.new_function("", {});
    a.at.function->body = a.nodes.nil({});
    declare_core(a, result.first_arity);
    analyze_core_bodies(a);
    return result;
}

Tree analyze_namespace(PreludeScope& scope, const Environment& environment, const CoreLibrary& core,
                       const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics) {
    Tree tree;
    Analyzer a(tree, environment, core, limits, heap, diagnostics);
    analyze_definitions(a, scope);
    return tree;
}

} // namespace ptc
