// Engines: what is compiled once and shared by all sessions. An engine compiles its tools' signatures, takes the core
// library from the build, compiles its preludes against both, and sums all of it up in a fingerprint, which snapshots
// are compared with. It is immutable afterwards; only its pools of memory and threads change, under their own locks.
#include "ptc/engine.h"
#include "compiler/check/type_facts.h"
#include "compiler/prelude/prelude_errors.h"
#include "compiler/prelude_compiler.h"
#include "frontend/bytes.h"
#include "frontend/suggest.h"
#include "frontend/work.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/engine_impl.h"
#include "vm/program_file.h"
#include "vm/snapshot/external_references.h"
#include <algorithm>
#include <cstdlib>
#include <map>

namespace ptc {

Engine::Engine() : Engine(EngineOptions()) {}
Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() = default;

namespace {

unsigned worker_count(const EngineOptions& options) {
    if (options.threads) return *options.threads;
    return std::max(1u, std::thread::hardware_concurrency()) - 1; // the session's own thread works too
}

CompileLimits compile_limits(const Limits& limits) {
    CompileLimits result;
    result.max_source_bytes = limits.max_source_bytes;
    result.max_nesting = limits.max_nesting;
    result.max_symbols = limits.max_symbols;
    result.max_constants = limits.max_constants;
    result.max_work = limits.fuel;
    return result;
}

Error unreadable_signature(const Tool& tool, const Error& why) {
    return Error(Reason::InvalidRequest, "The signature of the tool `" + tool.name + "` cannot be read: " + why.message)
        .with_hint(why.hint);
}

} // namespace

Engine::Impl::Impl(EngineOptions o)
    : options(std::move(o)), workers(worker_count(options)), callers(options.tool_threads) {
    for (const Tool& tool : options.tools)
        add_tool(tool);
    core.compile_when_needed([](const CoreLibrary& library) {
        Diagnostics diagnostics;
        compile_core(library, diagnostics);
        // The core library's source is part of the build: that it compiles is an invariant, which a test watches.
        if (diagnostics.has_errors()) std::abort();
    });
    for (const PreludeSource& source : options.preludes)
        add_prelude(source);
    list_exports();
    share_constants();
}

void Engine::Impl::share_constants() {
    if (prelude.empty()) return;
    std::vector<Bits> constants;
    for (const PreludeMember& member : prelude.members())
        constants.push_back(member.value);
    auto places = std::make_shared<ExternalReferences>();
    const auto index = std::make_shared<const FrozenIndex>(constants);
    places->add_values(std::shared_ptr<const void>(std::shared_ptr<const void>(), &prelude), std::move(constants));
    shared.fingerprint = fingerprint();
    for (const auto& program : prelude.programs())
        shared.programs.push_back(program.get());
    shared.write = [index, sum = fingerprint()](const Object* object, ByteWriter& out) {
        out.fixed(sum); // other preludes have other places
        out.size(0);    // the only space
        return index->write_way(object, out);
    };
    shared.read = [places, sum = fingerprint()](ByteReader& in) {
        return in.fixed<std::uint64_t>() == sum ? places->read_place(in) : bits::kHole;
    };
}

std::uint64_t Engine::Impl::sum_of_parts() const {
    std::uint64_t sum = instruction_set_fingerprint();
    // Of the core library, what code depends on: not what is said about a function beside its body.
    for (const CoreFunction& function : core.all()) {
        sum = sum_of_bytes(function.name, sum);
        for (const CoreFunction::ArityForm& arity : function.arities) {
            const std::size_t begin = arity.params->span.begin;
            const std::size_t end = arity.body.empty() ? arity.params->span.end : arity.body.back().span.end;
            sum = sum_of_bytes(core.source().text().substr(begin, end - begin), sum);
        }
    }
    for (const Builtin* builtin : all_builtins())
        sum = sum_of_bytes(builtin->usage, sum_of_bytes(builtin->name, sum));
    for (const PreludeSource& source : options.preludes)
        sum = sum_of_bytes(source.text, sum);
    return sum;
}

std::uint64_t Engine::Impl::fingerprint() const {
    std::call_once(fingerprint_taken, [this] { known_fingerprint = sum_of_parts(); });
    return known_fingerprint;
}

Meter Engine::Impl::budget(const Limits& limits, const std::atomic<bool>* interrupt) const {
    const auto deadline = limits.timeout.count() > 0 ? now() + limits.timeout : Meter::Clock::time_point::max();
    Meter budget;
    budget.start(Meter::kUnlimited, deadline, interrupt, work::Scope::kSlice);
    if (limits.timeout_after_fuel == 0) budget.time_out_after(0);
    return budget;
}

// ---- Preludes

void Engine::Impl::add_prelude(const PreludeSource& text) {
    Compiled compiled;
    compiled.source = Source(text.file_name, text.text);
    Diagnostics& diagnostics = compiled.diagnostics;
    for (const std::string_view space :
         compile_prelude(compiled.source, core, compile_limits(options.limits), prelude, diagnostics)) {
        for (const PreludeMember* member : prelude.find_namespace(space)->exports)
            check_needs(*member, diagnostics);
    }
    if (!diagnostics.has_errors()) return;
    diagnostics.sort();
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        const LineColumn at = compiled.source.position(diagnostic.error.span.begin);
        const std::string place =
            text.file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
        problems.push_back(
            Error(Reason::InvalidPrelude, place + diagnostic.error.message).with_hint(diagnostic.error.hint));
        if (!refusal) refusal = problems.back();
    }
    bad_preludes.push_back(std::move(compiled));
}

/// That there are the tools which an export cannot do without. What is upstream of a tool is not known here.
void Engine::Impl::check_needs(const PreludeMember& member, Diagnostics& diagnostics) const {
    for (const std::string& need : member.needs) {
        if (need.starts_with("upstream:")) continue;
        if (!need.starts_with("tool:")) {
            diagnostics.error(unknown_need(member.span, member.name, need));
            continue;
        }
        const std::string_view name = std::string_view(need).substr(5);
        if (find_tool(name)) continue;
        std::vector<std::string_view> names;
        for (const Tool& tool : options.tools)
            names.push_back(tool.name);
        diagnostics.error(missing_tool(member.span, member.name, name, suggest(name, names)));
    }
}

void Engine::Impl::list_exports() {
    for (const PreludeNamespace& space : prelude.namespaces()) {
        ExportedNamespace& listed = exports.emplace_back(ExportedNamespace{space.name, space.doc, {}});
        for (const PreludeMember* member : space.exports) {
            listed.exports.push_back({member->name, member->usage, member->doc, member->is_function, member->in_prompt,
                                      std::string(effect_name(member->effect)), member->provider, member->needs});
        }
    }
}

const std::vector<ExportedNamespace>& Engine::exports() const { return impl_->exports; }

std::string newest_description(const Tool& tool) {
    if (!tool.description_now) return tool.description;
    try {
        return tool.description_now();
    } catch (...) { // then it is as it was
        return tool.description;
    }
}

void Engine::Impl::add_tool(const Tool& tool) {
    ToolInfo info{.name = tool.name, .description = tool.description, .details = tool.details};
    SignaturePtr compiled;
    if (!tool.signature.empty()) {
        Result<SignaturePtr> signature = compile_signature(tool.signature);
        if (signature.ok()) {
            compiled = std::move(signature).value();
            info.signature = compiled->signature;
            info.unwritten = tool.unwritten;
            info.other_arguments = tool.other_arguments;
        } else {
            unusable.push_back(signatures.size());
            problems.push_back(unreadable_signature(tool, signature.error()));
        }
    }
    if (tool.description_now)
        info.description_now = [tool = Tool{.description = tool.description, .description_now = tool.description_now}] {
            return newest_description(tool);
        };
    if (tool.seen_result) {
        info.seen_result = [seen = tool.seen_result]() -> std::optional<Type> {
            try {
                return seen();
            } catch (...) { // then nothing is known
                return std::nullopt;
            }
        };
    }
    tools.push_back(std::move(info));
    signatures.push_back(std::move(compiled));
}

const Error* Engine::Impl::problem_of(const Tool& tool) const {
    const auto index = static_cast<std::size_t>(&tool - options.tools.data());
    const auto at = std::find(unusable.begin(), unusable.end(), index);
    return at == unusable.end() ? nullptr : &problems[static_cast<std::size_t>(at - unusable.begin())];
}

const std::vector<Error>& Engine::problems() const { return impl_->problems; }

const Tool* Engine::Impl::find_tool(std::string_view name) const {
    for (const Tool& tool : options.tools) {
        if (tool.name == name) return &tool;
    }
    return nullptr;
}

const FunctionProto* Engine::Impl::find_function(std::string_view name, std::uint32_t arity) const {
    if (const PreludeMember* member = prelude.find(name)) {
        const Value value = Value::adopt(member->value); // frozen: never counted
        return member->is_function && arity == 0 ? static_cast<const FunctionProto*>(value.static_function()) : nullptr;
    }
    const CoreFunction* found = core.find(name);
    const auto* proto = found ? static_cast<const FunctionProto*>(core.value_of(*found)) : nullptr;
    for (; proto && arity > 0; --arity)
        proto = proto->next_arity;
    return proto;
}

CompileOptions Engine::Impl::compile_options(const SessionNames& names, const Limits& limits) const {
    CompileOptions made;
    made.environment.globals = names.bound;
    made.environment.sequences = names.sequences;
    made.environment.by_need = names.by_need;
    made.environment.declarations = names.declarations;
    made.environment.notes_declarations = names.are_of_session;
    made.environment.tools = tools;
    made.environment.prelude = known_prelude();
    made.limits = compile_limits(limits);
    made.budget = budget(limits);
    made.warnings = options.warnings;
    return made;
}

Compiled Engine::Impl::compile(std::string_view source, std::string_view file_name, const SessionNames& names,
                               bool any_name, const Limits& limits,
                               const std::function<std::vector<std::string>()>& data_names,
                               const std::atomic<bool>* interrupt, bool is_repeatable) const {
    Compiled result;
    if (refusal) {
        result.diagnostics.error(*refusal);
        result.source = Source(std::string(file_name), std::string(source));
        return result;
    }
    CompileOptions made = compile_options(names, limits);
    made.budget = budget(limits, interrupt);
    made.environment.any_global = any_name;
    made.environment.data_names = data_names;
    made.environment.is_repeatable = is_repeatable;
    std::unique_ptr<Program> program =
        ptc::compile(Source(std::string(file_name), std::string(source)), made, core, result.diagnostics);
    if (!program || !result.diagnostics.all().empty())
        result.source = Source(std::string(file_name), std::string(source));
    result.diagnostics.sort();
    result.program = std::move(program);
    return result;
}

namespace {

/// What each tool has given, as a list under its name. Nothing when that is much.
std::vector<std::shared_ptr<const DataSet>> results_by_tool(std::span<const ToolRecord> calls) {
    constexpr std::size_t kMaxBytes = 1u << 20;
    std::size_t bytes = 0;
    std::map<std::string, std::string> lists;
    for (const ToolRecord& call : calls) {
        bytes += call.result_json.size();
        if (call.result_json.empty()) continue;
        std::string& list = lists[call.name];
        list += (list.empty() ? "[" : ",") + call.result_json;
    }
    std::vector<std::shared_ptr<const DataSet>> sets;
    for (const auto& [name, list] : lists) {
        Result<std::shared_ptr<const DataSet>> set = DataSet::from_json(name, bytes > kMaxBytes ? "[]" : list + "]");
        if (set.ok()) sets.push_back(std::move(set).value());
    }
    return sets;
}

} // namespace

namespace {

/// What is known of one data set, null when it cannot be looked at.
std::shared_ptr<const DataFacts> facts_of(const DataSet& set) {
    return impl_of(set).derived.get<DataFacts>("facts", [&] {
        Heap heap; // for what looking at the data needs
        auto facts = std::make_shared<DataFacts>();
        return facts->add(heap, Value::adopt(impl_of(set).root)).ok() ? facts : nullptr;
    });
}

} // namespace

Diagnostics Engine::Impl::check(std::string_view source, const SessionNames& names, const Limits& limits,
                                const RunOptions& run, std::span<const ToolRecord> calls) const {
    Heap heap; // for what looking at the results needs
    const std::vector<std::shared_ptr<const DataSet>> results = results_by_tool(calls);
    std::vector<std::shared_ptr<const DataFacts>> known;
    std::vector<DataInfo> infos;
    for (const auto& set : run.data) {
        const auto& facts = known.emplace_back(facts_of(*set));
        if (!facts) return {};
        infos.insert(infos.end(), facts->all().begin(), facts->all().end());
    }
    DataFacts given;
    for (const auto& set : results) {
        if (!given.add_results(heap, Value::adopt(impl_of(*set).root)).ok()) return {};
    }
    CompileOptions made = compile_options(names, limits);
    made.environment.is_repeatable = run.is_repeatable;
    made.environment.data = infos;
    made.environment.tool_results = given.results();
    made.environment.data_names = [&] {
        std::vector<std::string> all;
        for (const DataInfo& one : infos)
            all.emplace_back(one.name);
        return all;
    };
    made.warnings = true;
    made.only_check = true;
    Diagnostics found;
    (void)ptc::compile(Source("program", std::string(source)), made, core, found);
    found.sort();
    return found;
}

Compiled Engine::compile(std::string_view source, std::string_view file_name, const std::vector<std::string>& names,
                         bool any_name) const {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const ListedNames listed(views);
    return impl_->compile(source, file_name, {.bound = names.empty() ? nullptr : &listed}, any_name,
                          impl_->options.limits);
}

const RunOptions& RunOptions::usual() {
    static const RunOptions& kUsual = *new RunOptions; // never destroyed: statics of a host may run programs
    return kUsual;
}

Outcome Engine::run(const ProgramPtr& program, const RunOptions& options) const {
    return Session(*this).run(program, options);
}
Outcome Engine::run(std::string_view source, const RunOptions& options) const {
    return Session(*this).run(source, options);
}

std::string_view Outcome::kind_name() const {
    switch (kind) {
    case Kind::Ok: return "ok";
    case Kind::Return: return "return";
    case Kind::Fail: return "fail";
    case Kind::Error: return "error";
    }
    return "error";
}

} // namespace ptc
