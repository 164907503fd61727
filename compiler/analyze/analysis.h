// One analysis: its parts, and the recursion that all forms share.
//
// A program is analysed in one pass over its forms, by recursive descent: `analyze` looks at a form's kind, `calls.cpp`
// at what its head means, and the function of a special form (handlers.h) at the rest. Each family of forms is a file
// of free functions that take the analysis as `a`; what several families need of each other is in their headers
// (patterns.h, functions.h, inlining.h ..), and what everybody needs is here.
#pragma once
#include "compiler/analyze/analysis_errors.h"
#include "compiler/analyze/context.h"
#include "compiler/analyze/environment.h"
#include "compiler/analyze/names.h"
#include "compiler/analyze/nodes.h"
#include "compiler/analyze/reports.h"
#include "compiler/language/core_library.h"
#include "compiler/language/special_forms.h"
#include "frontend/work.h"
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// Owns its parts; borrows the tree that they fill, and what the analysis was given. Lives for one call of analyzer.h.
struct Analyzer {
    Analyzer(Tree& tree, const Environment& environment, const CoreLibrary& core, const CompileLimits& limits,
             Heap& heap, Diagnostics& diagnostics);
    Analyzer(const Analyzer&) = delete;
    Analyzer& operator=(const Analyzer&) = delete;

    // ---- The recursion
    /// The node of a form (forms.cpp).
    Node* analyze(const Form& form, Tail tail);
    /// All forms in order; the value of the last one (forms.cpp).
    Node* analyze_body(FormSpan body, Span span, Tail tail);
    /// The values of these forms.
    void analyze_all(FormSpan forms, NodeList& values);
    /// A call of a core function as its body, in the caller's frame (inlining.cpp).
    Node* inline_core(const CoreFunction& function, const CoreFunction::ArityForm& arity, const Form& list, Tail tail);
    /// 'name, '(1 2): the form as data; a list is a vector.
    Node* quoted(const Form& form, Span span, Tail tail);
    /// The same as a value of the program: a list has its near end in front.
    Node* quoted_value(const Form& form, Span span, Tail tail);
    /// True, with a report, when a limit is exceeded: every function that calls itself without `analyze` asks.
    bool stop_at_limits(Span span) {
        if (reports.stopped() || is_too_large() || !heap.meter.charge(1) || reports.is_full() || !work::charge(4))
            [[unlikely]]
            return stop(span);
        return false;
    }

    /// Whether a run will have data of this name. False, too, when that is not known and a function has the name.
    [[nodiscard]] bool is_data(std::string_view name);

    // ---- Reporting
    [[nodiscard]] Span span_of(const Form& form) const { return at.span_of(form); }
    void report(Error error) { reports.add(std::move(error)); }
    /// The node that stands for a form with this error.
    Node* failed(Error error);
    const SpecialForm* special_of_name(std::string_view name) const;
    const SpecialForm* special_of(const Form& list) const;                ///< the special form that a list is
    bool check_parts(const Form& list, std::size_t min, std::size_t max); ///< number of arguments of a special form

    const Environment& environment;
    const CoreLibrary& core;
    const CompileLimits& limits;
    Heap& heap;                     ///< of the constants; its meter counts the work
    const Source* source = nullptr; ///< of the program; null in the core library and in preludes
    /// The functions of the core program, while that is what is compiled.
    std::vector<std::pair<const CoreFunction::ArityForm*, Function*>> core_targets;

    std::optional<std::vector<std::string>> given_data{}; ///< names, when they were asked for: sorted, with underscores

    std::size_t session_names = 0; ///< how many the session has

    // Of chains of transducers that have names (transducers.h):
    unsigned named_chains = 0;         ///< whose loops are being made, one in another
    std::size_t named_chain_forms = 0; ///< that were written out so far

    Context at;
    Reports reports;
    Nodes nodes;
    Names names;

private:
    [[nodiscard]] bool is_too_large() const {
        return nodes.node_count() > limits.max_nodes || at.depth > kMaxDepth || has_too_many_names();
    }
    /// Of its own, or, where it defines some, of its session: a program that defines none runs in any session.
    [[nodiscard]] bool has_too_many_names() const {
        const std::size_t own = names.globals().own_count();
        return nodes.local_count() + own > limits.max_symbols || (own > 0 && session_names + own > limits.max_symbols);
    }
    /// Reports the limit that is exceeded.
    bool stop(Span span);
};

} // namespace ptc
