// From a text to a program: read, expanded, analysed, checked, mended where it has errors, made code of. Each phase
// stops when there are errors or the budget is over (frontend/work.h); a budget that is over leaves one error, its own,
// as what was found in a part of the text says nothing of the whole.
#include "compiler/compile.h"
#include "compiler/check/check.h"
#include "compiler/language/declarations.h"
#include "compiler/language/expand.h"
#include "compiler/language/form_maker.h"
#include "compiler/language/vocabulary.h"
#include "compiler/mended_text.h"
#include "compiler/repair/repair.h"
#include "frontend/assert.h"
#include "frontend/reader/reader.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include "vm/verifier.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace ptc {
namespace {

// Fuel for turning text into code: so that a run's budget covers all of its work.
std::int64_t compile_cost(const Program& program) {
    std::size_t words = 0;
    for (const auto& f : program.functions)
        words += f->code.size();
    return static_cast<std::int64_t>(program.source.text().size() / 4 + words) + program.heap.meter.used();
}

repair::Surroundings surroundings_of(const Environment& environment) {
    repair::Surroundings surroundings;
    surroundings.tools = environment.tools;
    surroundings.any_tool = environment.any_tool;
    surroundings.globals = environment.globals;
    surroundings.prelude = environment.prelude;
    if (environment.data_names) surroundings.data_names = environment.data_names();
    if (surroundings.data_names && surroundings.data_names->empty())
        surroundings.data_names.reset(); // then they will come from elsewhere
    return surroundings;
}

} // namespace

void compile_core(const CoreLibrary& core, Diagnostics& diagnostics) {
    auto program = std::make_shared<Program>();
    program->source = Source(core.source().name(), std::string(core.source().text()));
    CoreTree core_tree = analyze_core(core, program->heap, diagnostics);
    if (diagnostics.has_errors()) return;
    emit_program(core_tree.tree, *program, {.optimize = true, .is_core = true, .is_sealed = true}, diagnostics);
    if (diagnostics.has_errors()) return;
    std::vector<const FunctionInfo*> infos;
    for (const Function* f : core_tree.first_arity)
        infos.push_back(program->functions[f->index].get());
    program->heap.freeze();
    note_by_need(*program);
    core.bind(std::move(program), std::move(infos));
}

namespace {

std::unique_ptr<Program> compile_in_budget(Source source, const CompileOptions& options, const CoreLibrary& core,
                                           Diagnostics& diagnostics);

/// What is found in part of a text says nothing of the whole.
void replace_by(Error error, Diagnostics& diagnostics) {
    diagnostics.change([](const Diagnostic&) { return false; });
    if (error.reason == Reason::Timeout)
        error = Error(Reason::Timeout, "Compiling the program took longer than its time limit.")
                    .with_hint("Write a shorter program.");
    diagnostics.error(std::move(error));
}

} // namespace

std::unique_ptr<Program> compile(Source source, const CompileOptions& options, const CoreLibrary& core,
                                 Diagnostics& diagnostics) {
    Meter budget = options.budget;
    if (budget.times_out_at_once()) {
        replace_by(Error(Reason::Timeout, ""), diagnostics);
        return nullptr;
    }
    const work::Scope scope([&budget] { return budget.charge(work::Scope::kSlice); });
    std::unique_ptr<Program> program = compile_in_budget(std::move(source), options, core, diagnostics);
    if (work::is_over()) {
        // Else the budget around this one is over, of whoever called.
        replace_by(budget.has_run_out() ? budget.error() : Error(Reason::Timeout, ""), diagnostics);
        return nullptr;
    }
    // What constants cost is charged to their heap, which has the same deadline.
    const auto ended = std::ranges::find_if(diagnostics.all(), [](const Diagnostic& diagnostic) {
        return diagnostic.error.reason == Reason::Timeout || diagnostic.error.reason == Reason::Interrupted;
    });
    if (ended == diagnostics.all().end()) return program;
    Error error = ended->error;
    error.has_span = false;
    replace_by(std::move(error), diagnostics);
    return nullptr;
}

namespace {

/// The forms of a program that goes on with what earlier programs of the session have declared: behind these. Their
/// text is behind its own, so that its spans stay what they are.
Forms with_declarations(Forms forms, Program& program, const Environment& environment, ReadLimits limits) {
    if (environment.declarations.empty() && !declares(forms.top_level(), !environment.tools.empty())) return forms;
    Diagnostics ignored; // what is wrong in the program is known by now, and these have been compiled once
    const Source earlier_source("", std::string(environment.declarations));
    const Forms earlier = read_forms(earlier_source, limits, ignored);
    if (ignored.has_errors()) return forms;
    if (environment.notes_declarations)
        program.declarations = declarations_after(earlier, earlier_source, forms.top_level(), program.source);
    const std::string wanted =
        declarations_for(earlier, earlier_source, forms.top_level(), program.source, environment.globals);
    if (wanted.empty()) return forms;
    const std::size_t own_forms = forms.top_level().size();
    Source own = std::exchange(program.source, program.source.with_line(wanted));
    ReadLimits longer = limits;
    longer.max_bytes += static_cast<std::uint32_t>(wanted.size() + 1);
    Forms all = read_forms(program.source, longer, ignored);
    if (ignored.has_errors()) { // what is remembered may come from a snapshot that somebody wrote
        program.source = std::move(own);
        return read_forms(program.source, limits, ignored);
    }
    program.own_bytes = own.text().size();
    std::vector<Form> order(all.top_level().begin() + static_cast<std::ptrdiff_t>(own_forms), all.top_level().end());
    order.insert(order.end(), all.top_level().begin(),
                 all.top_level().begin() + static_cast<std::ptrdiff_t>(own_forms));
    FormMaker make(all);
    all.set_top_level(make.kept(order));
    return all;
}

std::unique_ptr<Program> compile_in_budget(Source source, const CompileOptions& options, const CoreLibrary& core,
                                           Diagnostics& diagnostics) {
    auto program = std::make_unique<Program>();
    program->source = std::move(source);
    program->heap.set_limit(options.limits.max_constant_bytes);
    program->heap.meter.start_share(options.budget, options.limits.max_work, nullptr);
    const LanguageVocabulary vocabulary(core);
    const ReadLimits read_limits{options.limits.max_source_bytes, options.limits.max_nesting, options.limits.max_nodes,
                                 &vocabulary};
    Forms forms = read_forms(program->source, read_limits, diagnostics);
    if (work::is_over()) return nullptr;
    if (diagnostics.has_errors()) {
        if (options.behind_syntax) {
            CompileOptions once = options;
            once.behind_syntax = false;
            once.only_check = true;
            add_errors_behind_syntax(program->source, diagnostics, [&](const Source& mended, Diagnostics& behind) {
                (void)compile(mended, once, core, behind);
            });
        }
        return nullptr;
    }
    const Environment& environment = options.environment;
    if (environment.notes_declarations || !environment.declarations.empty())
        forms = with_declarations(std::move(forms), *program, environment, read_limits);
    if (work::is_over()) return nullptr;
    if (!expand_forms(forms, diagnostics)) return nullptr;
    Tree tree = analyze(forms, program->source, options.environment, core, options.limits, program->heap, diagnostics);
    if (work::is_over()) return nullptr;
    if (options.warnings) check_program(program->source, forms, tree, options.environment, core, diagnostics);
    if (work::is_over()) return nullptr;
    diagnostics.change([&](const Diagnostic& d) { // of declarations there has been talk before
        return d.severity == Severity::Error || !d.error.has_span || d.error.span.begin < program->own_bytes;
    });
    if (diagnostics.has_errors()) {
        repair::repair_analysis(program->source, forms, core, surroundings_of(options.environment), diagnostics);
        diagnostics.join_repeated();
        return nullptr;
    }
    const auto lacks_edits = [](const Diagnostic& d) {
        return d.error.edits.empty() &&
               (d.error.reason == Reason::NotCallable || d.error.reason == Reason::SuspiciousForm ||
                d.error.reason == Reason::UnusedValue || d.error.reason == Reason::UnusedBinding);
    };
    if (std::ranges::any_of(diagnostics.all(), lacks_edits))
        repair::repair_warnings(program->source, forms, core, surroundings_of(options.environment), diagnostics);
    if (options.only_check) return nullptr;
    emit_program(tree, *program, options.emit, diagnostics);
    if (diagnostics.has_errors()) return nullptr;
    for (std::string_view name : tree.defined_names)
        program->defined_names.emplace_back(name);
    for (std::string_view name : tree.data_names)
        program->data_names.emplace_back(name);
    for (std::string_view name : tree.tool_names)
        program->tool_names.emplace_back(name);
    program->heap.freeze();
    note_by_need(*program);
    // What the compiler makes is code that bytecode files may hold; unless its time ended, when it is not used.
    PTC_ASSERT(work::is_over() || verify(*program).ok());
    program->compile_cost = compile_cost(*program);
    return program;
}

} // namespace
} // namespace ptc
