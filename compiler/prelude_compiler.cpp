// The text of a prelude to functions and constants that programs can hold.
//
// A namespace is analysed as a whole first, which finds all mistakes and what uses what. Its constants are made next,
// one after the other in the order of the text, each by running a small program that holds what the constant reaches; a
// host that gives nothing (NoHost) sees to it that they depend on nothing outside. Then the functions are compiled
// together, calling each other directly. Everything ends as frozen values of the engine: sessions have nothing to
// start.
#include "compiler/prelude_compiler.h"
#include "compiler/emitter.h"
#include "compiler/language/form_text.h"
#include "compiler/language/vocabulary.h"
#include "compiler/prelude/prelude_errors.h"
#include "compiler/prelude/prelude_scope.h"
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "runtime/freeze.h"
#include "runtime/print.h"
#include "vm/vm.h"
#include <algorithm>

namespace ptc {
namespace {

// ---- Constants

/// A host that gives nothing, and notes what it was asked for.
struct NoHost final : HostServices {
    bool print(std::string_view) override {
        asked = "what is printed";
        return false;
    }
    std::int64_t now_millis() override {
        asked = "the clock";
        return 0;
    }
    Result<Value> budget(Heap&, ShapeTable&) override {
        asked = "the budget";
        return Value();
    }
    const char* asked = nullptr;
};

/// Makes the values of constants and keeps them.
class ConstantMaker {
public:
    /// `fuel`: of each.
    explicit ConstantMaker(std::int64_t fuel) : vm_(host_), fuel_(fuel) {}

    /// Runs the top level of `program`. Errors have their places in the prelude's text, or those of `value`.
    Result<Bits> make(const Program& program, std::string_view name, const Form& value) {
        Limits limits;
        limits.fuel = fuel_;
        limits.timeout = {}; // the same on the slowest machine: fuel ends it
        host_.asked = nullptr;
        const Status status = vm_.start(program, limits, nullptr, 0);
        if (status == Status::Suspended) {
            const std::string tool(vm_.calls().front().tool);
            vm_.abandon();
            return constant_from_tool(value.span, name, tool);
        }
        ErrorPtr error = status == Status::Error ? vm_.take_error() : nullptr;
        if (host_.asked) return changing_constant(value.span, name, host_.asked);
        if (error) {
            if (!error->has_span) error->span = value.span;
            error->has_span = true;
            return std::move(*error);
        }
        Value made = vm_.take_result();
        if (status != Status::Done)
            return ended_constant(value.span, name, status == Status::Returned ? "return" : "fail");
        freeze_value(made);
        return made.give_up();
    }

    /// No more constants: from now on other threads may read them.
    void finish() { vm_.heap.freeze(); }

private:
    NoHost host_;
    Vm vm_;
    std::int64_t fuel_;
};

// ---- One namespace

class NamespaceCompiler {
public:
    NamespaceCompiler(const Source& source, const NamespaceForms& forms, const Environment& environment,
                      const CoreLibrary& core, const CompileLimits& limits, ConstantMaker& constants,
                      Diagnostics& diagnostics)
        : source_(source), forms_(forms), environment_(environment), core_(core), limits_(limits),
          constants_(constants), diagnostics_(diagnostics) {
        scope_.forms = &forms;
        for (const PreludeDefinition& definition : forms.definitions)
            scope_.names.push_back(std::string(forms.name).append("/").append(definition.name));
        scope_.values.resize(scope_.size());
    }

    /// False after a report.
    bool compile() {
        if (!analyze_all() || !make_constants() || !compile_functions()) return false;
        describe_all();
        return true;
    }

    std::vector<PreludeMember> take_members() { return std::move(members_); }
    std::vector<std::shared_ptr<const Program>> take_programs() { return std::move(programs_); }

private:
    using Uses = PreludeScope::Uses;

    /// Finds all mistakes, and what uses what.
    bool analyze_all() {
        Program scratch;
        limit(scratch);
        scope_.wanted.assign(scope_.size(), true);
        analyze_namespace(scope_, environment_, core_, limits_, scratch.heap, diagnostics_);
        uses_ = std::move(scope_.uses);
        return !diagnostics_.has_errors();
    }

    /// Each constant by a program that holds what it reaches. Functions among that are compiled again, for the
    /// constants that they use are not all known yet.
    bool make_constants() {
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            if (!forms_.definitions[i].params && !make_constant(i)) return false;
        }
        return true;
    }

    bool make_constant(std::size_t index) {
        const PreludeDefinition& definition = forms_.definitions[index];
        const Form& value = definition.body[0];
        if (uses_[index].data) return fail(changing_constant(value.span, definition.name, "data/"));
        const std::vector<bool> reached = reach(index);
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            const PreludeDefinition& other = forms_.definitions[i];
            if (reached[i] && !other.params && !scope_.values[i])
                return fail(constant_before_definition(value.span, other.name, definition.name, other.name_span));
        }
        scope_.wanted = reached;
        for (std::size_t i = 0; i < scope_.size(); ++i)
            scope_.wanted[i] = reached[i] && forms_.definitions[i].params;
        scope_.constant = index;
        const std::shared_ptr<Program> program = compile_wanted();
        if (!program) return false;
        Result<Bits> made = constants_.make(*program, definition.name, value);
        if (!made.ok()) return fail(std::move(made.error()));
        scope_.values[index] = made.value();
        return true;
    }

    bool compile_functions() {
        for (std::size_t i = 0; i < scope_.size(); ++i)
            scope_.wanted[i] = forms_.definitions[i].params != nullptr;
        scope_.constant = scope_.size(); // none of them
        const std::shared_ptr<Program> program = compile_wanted();
        if (!program) return false;
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            if (function_index_[i] != kNoFunction)
                scope_.values[i] = Value::function(program->functions[function_index_[i]].get()).give_up();
        }
        return true;
    }

    std::shared_ptr<Program> compile_wanted() {
        auto program = std::make_shared<Program>();
        program->source = source_;
        limit(*program);
        Tree tree = analyze_namespace(scope_, environment_, core_, limits_, program->heap, diagnostics_);
        if (!diagnostics_.has_errors()) emit_program(tree, *program, {.is_sealed = true}, diagnostics_);
        if (diagnostics_.has_errors()) return nullptr;
        function_index_.assign(scope_.size(), kNoFunction); // the functions go with the tree
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            if (const Function* function = scope_.functions[i]) function_index_[i] = function->index;
        }
        program->heap.freeze();
        note_by_need(*program);
        programs_.push_back(program);
        return program;
    }

    void limit(Program& program) const {
        program.heap.set_limit(limits_.max_constant_bytes);
        program.heap.meter.start(limits_.max_work, Meter::Clock::time_point::max(), nullptr);
    }

    bool fail(Error error) {
        diagnostics_.error(std::move(error));
        return false;
    }

    /// What the definition refers to, directly or not; itself only if it is among that.
    [[nodiscard]] std::vector<bool> reach(std::size_t from) const {
        std::vector<bool> reached(scope_.size());
        std::vector<std::size_t> rest{from};
        while (!rest.empty()) {
            const std::size_t at = rest.back();
            rest.pop_back();
            for (const std::size_t next : uses_[at].siblings) {
                if (reached[next]) continue;
                reached[next] = true;
                rest.push_back(next);
            }
        }
        return reached;
    }

    // ---- What is known of the members

    void describe_all() {
        members_.resize(scope_.size());
        for (std::size_t i = 0; i < scope_.size(); ++i)
            describe(i);
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            if (!members_[i].is_public) continue;
            members_[i].is_reachable = true;
            const std::vector<bool> reached = reach(i);
            for (std::size_t j = 0; j < scope_.size(); ++j)
                members_[j].is_reachable = members_[j].is_reachable || reached[j];
        }
    }

    void describe(std::size_t index) {
        const PreludeDefinition& definition = forms_.definitions[index];
        PreludeMember& member = members_[index];
        member.name = scope_.names[index];
        member.is_public = definition.is_public;
        member.in_prompt = definition.in_prompt.value_or(forms_.in_prompt);
        member.is_function = definition.params != nullptr;
        member.doc = std::string(definition.doc);
        member.usage = member.name;
        if (definition.params) describe_parameters(*definition.params, member);
        member.needs = needs_of(index);
        // What calls something outside and is not said to write is taken to read.
        const bool is_backed = !member.needs.empty() || !definition.provider.empty();
        member.effect = definition.effect.value_or(is_backed ? PreludeEffect::Read : PreludeEffect::Unknown);
        member.provider = std::string(definition.provider);
        if (member.provider.empty() && uses_[index].upstream.size() == 1)
            member.provider = "upstream:" + uses_[index].upstream.front();
        member.source = source_text(member, *definition.form);
        member.value = *scope_.values[index];
        member.span = definition.name_span;
    }

    void describe_parameters(const Form& params, PreludeMember& member) const {
        for (const Form& param : params.items()) {
            if (param.is_symbol("&")) member.variadic = true;
            member.parameters.push_back(form_text(source_, param));
            member.usage += " " + member.parameters.back();
        }
        member.usage = "(" + member.usage + ")";
        member.fixed_arguments = params.size - (member.variadic ? 2 : 0);
    }

    [[nodiscard]] std::vector<std::string> needs_of(std::size_t index) const {
        std::vector<std::string> needs;
        std::vector<bool> reached = reach(index);
        reached[index] = true;
        for (std::size_t i = 0; i < scope_.size(); ++i) {
            if (!reached[i]) continue;
            for (const std::string& tool : uses_[i].tools)
                needs.push_back("tool:" + tool);
            for (const std::string& operation : uses_[i].upstream)
                needs.push_back("upstream:" + operation);
            for (const PreludeMember* member : uses_[i].members)
                needs.insert(needs.end(), member->needs.begin(), member->needs.end());
            for (const std::string_view need : forms_.definitions[i].needs)
                needs.emplace_back(need);
        }
        std::ranges::sort(needs);
        needs.erase(std::ranges::unique(needs).begin(), needs.end());
        return needs;
    }

    /// A function has its documentation, metadata, parameters and body below its name.
    [[nodiscard]] std::string lines_of(const Form& form) const {
        const auto parts = form.items();
        if (parts[0].is_symbol("def")) return form_text(source_, form);
        std::string text = "(" + form_text(source_, parts[0]) + " " + form_text(source_, parts[1]);
        for (std::size_t i = 2; i < parts.size(); ++i)
            text += (i == 2 && parts[i].is(FormKind::Vector) ? " " : "\n") + form_text(source_, parts[i]);
        return text + ")";
    }

    [[nodiscard]] std::string source_text(const PreludeMember& member, const Form& form) const {
        std::string text = ";; " + member.name + ": ";
        if (!member.is_public)
            text += "private";
        else
            text += member.in_prompt ? "visibility :prompt" : "visibility :discoverable";
        text.append(", effect :").append(effect_name(member.effect));
        if (member.is_function)
            text += ", arity " + std::to_string(member.fixed_arguments) + (member.variadic ? "+" : "");
        Diagnostics none;
        std::string body = format_source(Source("", lines_of(form)), LanguageVocabulary(core_), none);
        while (body.ends_with('\n'))
            body.pop_back();
        return text + "\n" + body;
    }

    const Source& source_;
    const NamespaceForms& forms_;
    const Environment& environment_;
    const CoreLibrary& core_;
    const CompileLimits& limits_;
    ConstantMaker& constants_;
    Diagnostics& diagnostics_;
    PreludeScope scope_;
    std::vector<Uses> uses_;
    std::vector<PreludeMember> members_;
    std::vector<std::shared_ptr<const Program>> programs_;
    static constexpr std::size_t kNoFunction = SIZE_MAX;
    std::vector<std::size_t> function_index_; ///< in the program compiled last, by definition
};

} // namespace

std::vector<std::string_view> compile_prelude(const Source& source, const CoreLibrary& core,
                                              const CompileLimits& limits, Prelude& prelude, Diagnostics& diagnostics) {
    const LanguageVocabulary vocabulary(core);
    const ReadLimits read_limits{limits.max_source_bytes, limits.max_nesting, limits.max_nodes, &vocabulary};
    const Forms forms = read_forms(source, read_limits, diagnostics);
    if (diagnostics.has_errors()) return {};
    const std::vector<NamespaceForms> spaces = read_prelude(forms.top_level(), core, prelude, diagnostics);
    if (diagnostics.has_errors()) return {};
    std::vector<std::string_view> added;
    const auto constants = std::make_shared<ConstantMaker>(limits.max_work);
    Environment environment;
    environment.prelude = &prelude;
    environment.any_tool = true;
    for (const NamespaceForms& space : spaces) {
        NamespaceCompiler compiler(source, space, environment, core, limits, *constants, diagnostics);
        if (!compiler.compile()) break; // later ones may need it
        std::vector<PreludeMember> members = compiler.take_members();
        added.push_back(prelude.add(std::string(space.name), std::string(space.doc), std::move(members),
                                    compiler.take_programs(), constants));
    }
    constants->finish();
    return added;
}

} // namespace ptc
