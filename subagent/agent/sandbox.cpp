// The sandbox of an agent: one session for all its turns. What a program defines stays in the session; what it gives,
// if that is a map, becomes a layer of data above the context, so that the next program reads it as data/NAME and a
// newer value hides an older one of the same name. Layers are merged when there are many. A program is bounded by the
// agent's limits and by what is left of the mission's time; on a tape (ptc/recording.h) by what the tape says instead.
#include "subagent/agent/sandbox.h"
#include "compiler/bounds/effects.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/signature/field_names.h"
#include "subagent/agent/outcome_facts.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/session_snapshot.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <ranges>
#include <set>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>

namespace ptc {
namespace {

/// Layers of data beyond this are merged into one.
constexpr std::size_t kMostResults = 16;

using Names = std::unordered_set<std::string_view>;

/// The keys of maps, as names.
void add_names(const Datum& map, Names& names) {
    if (!map.map()) return;
    for (const auto& [key, value] : *map.map())
        names.insert(key_name(key));
}

} // namespace

void Sandbox::open() { session_.emplace(*core_.impl().engine); }

std::optional<Fail> Sandbox::define(const Memory& memory) {
    if (memory.is_nil() && memory.machine.empty()) return std::nullopt;
    const EngineImpl& engine = impl_of(*core_.impl().engine);
    if (!is_session_of(memory.machine, engine.fingerprint())) return define_names(memory);
    RunOptions options;
    options.limits = core_.options().limits;
    Result<std::unique_ptr<Session>> session = Session::restore(*core_.impl().engine, memory.machine, options);
    if (!session.ok()) return because(MissionReason::MemoryExceeded, session.error().message);
    session_ = std::move(*session.value());
    learn_secrets(core_.state.secrets, memory);
    if (memory.secrets) learn_secrets(core_.state.secrets, *memory.secrets);
    measure(names(), core_.state.memory);
    return std::nullopt;
}

/// What a map can say of them.
std::optional<Fail> Sandbox::define_names(const Memory& memory) {
    if (memory.is_nil()) return std::nullopt;
    if (!memory.map()) return because(MissionReason::InvalidRequest, "The memory must be a map of names and values.");
    std::vector<std::string> names;
    for (const auto& [key, value] : *memory.map()) {
        const Result<void> defined = session_->define(key_name(key), value);
        if (!defined.ok()) return because(MissionReason::MemoryExceeded, defined.error().message);
        names.emplace_back(key_name(key));
    }
    learn_secrets(core_.state.secrets, memory);
    if (memory.secrets) learn_secrets(core_.state.secrets, *memory.secrets);
    measure(names, core_.state.memory);
    return std::nullopt;
}

Result<void> Sandbox::import_context() {
    context_data_ = PTC_TRY(DataSet::from_datum(core_.state.context));
    return {};
}

// ---- Programs

std::vector<std::shared_ptr<const DataSet>> Sandbox::data_sets() const {
    std::vector<std::shared_ptr<const DataSet>> data(result_data_.rbegin(), result_data_.rend());
    data.push_back(context_data_);
    data.insert(data.end(), core_.shared_data().begin(), core_.shared_data().end());
    return data;
}

RunOptions Sandbox::run_options() {
    const AgentOptions& options = core_.options();
    const std::optional<Millis> deadline = core_.state.deadline;
    RunOptions run;
    run.data = data_sets();
    Limits limits = options.limits;
    limits.timeout = options.timeout;
    if (deadline) limits.timeout = std::clamp(*deadline - core_.env.now(), Millis(1), limits.timeout);
    if (MissionTape* tape = core_.env.tape) {
        const MissionTape::ProgramTime time = tape->begin_program();
        taped_program_ = time.number;
        limits.timeout_after_fuel = time.timeout_after_fuel;
        limits.timeout = time.timeout.value_or(limits.timeout);
        run.clock_millis = [tape] { return tape->wall_millis(); };
        run.is_repeatable = true;
    }
    run.limits = limits;
    run.want_datum = true;
    if (!core_.is_combined()) run.signature = core_.impl().signature;
    run.only_returns = !core_.is_judgment();
    run.may_undo = true;
    run.validation = core_.mode();
    if (guards_.look_at(GuardPoint::AfterProgram) || guards_.look_at(GuardPoint::Result))
        run.accept = [this](bool is_result, const Datum& value) { return accept(is_result, value); };
    run.budget = [this] { return limits_.remaining(); };
    if (journal_.is_on()) run.journal = &journal_;
    return run;
}

Result<std::optional<Datum>> Sandbox::accept(bool is_return, const Datum& value) {
    const bool is_result = is_return && !core_.is_combined();
    const GuardPoint point = is_result ? GuardPoint::Result : GuardPoint::AfterProgram;
    Datum left = value;
    const Guards::Decision decision = guards_.decide(point, left);
    if (is_result && decision.question) { // the program goes on to its end; then somebody is asked
        question_ = decision.question;
        return decision.is_changed ? std::optional(std::move(left)) : std::nullopt;
    }
    if (decision.refusal && !is_result) refusal_ = decision.refusal;
    if (decision.refusal) return Error(Reason::ValidationError, *decision.refusal);
    return decision.is_changed ? std::optional(std::move(left)) : std::nullopt;
}

/// While it lives, a mission that is stopped ends its program. One that is recorded does not: what a program came to
/// is not told by another's hand then. A replay does.
class Sandbox::Stop {
public:
    Stop(const AgentCore& core, Session& session)
        : callback_(core.env.tape ? core.env.tape->stop() : core.env.options.stop,
                    [&session] { session.interrupt(); }) {}

private:
    std::stop_callback<std::function<void()>> callback_;
};

RunState Sandbox::resume(std::vector<ToolAnswer> answers) {
    const Stop stop(core_, *session_);
    return session_->resume(std::move(answers));
}

std::optional<Outcome> Sandbox::reads_gone_data() const {
    const std::string& text = core_.state.program;
    const auto is_gone = [this](const std::string& name) {
        return !is_given(name) && !is_data_of_turn(name) && !core_.agent->signature().find_param(name);
    };
    const std::string plain = normalized_name(text);
    std::set<std::string> gone;
    for (const std::string& name : core_.state.former_data) {
        const std::string one = normalized_name(name);
        if (plain.find(one) != std::string::npos && is_gone(name)) gone.insert(one);
    }
    if (gone.empty()) return std::nullopt;
    const Compiled compiled = session_->compile(text);
    if (!compiled) return std::nullopt; // which the run says better
    for (const EffectSite& site : effects_of(*compiled.program).sites) {
        if (site.kind != EffectKind::Data || !gone.contains(normalized_name(site.name))) continue;
        Outcome outcome;
        outcome.kind = Outcome::Kind::Error;
        outcome.error = Error(Reason::UnboundVar, site.span,
                              quoted("data/" + site.name) +
                                  " was data of an earlier message, and is not there any more: what turns add to "
                                  "data/ ends with their message.")
                            .with_hint("Make it again. What later messages need is to be defined, (def name ..).");
        outcome.position = compiled.source.position(site.span.begin);
        outcome.diagnostics.push_back({Severity::Error, *outcome.error}); // it never ran
        return outcome;
    }
    return std::nullopt;
}

RunState Sandbox::start() {
    question_.reset();
    drop_held();
    if (std::optional<Outcome> outcome = reads_gone_data()) return std::move(*outcome);
    const Stop stop(core_, *session_);
    core_.state.program_started = core_.env.now();
    core_.state.waited_for_others = Millis(0);
    return session_->start(core_.state.program, run_options());
}

Millis Sandbox::time_used() const {
    return core_.env.now() - core_.state.program_started - core_.state.waited_for_others;
}

std::string Sandbox::warnings(const Outcome& outcome) const {
    if (work::is_over()) return {};
    RunOptions run;
    run.data = data_sets();
    run.is_repeatable = core_.env.tape != nullptr;
    return rendered_warnings(core_.state.program, session_->warnings(core_.state.program, run, outcome));
}

void Sandbox::note_error(const Outcome& outcome) const {
    if (core_.env.tape && outcome.error->reason == Reason::Timeout)
        core_.env.tape->program_timed_out(taped_program_, outcome.usage.fuel);
}

// ---- What programs leave behind

Memory Sandbox::memory() const {
    Datum::Map memory;
    if (!session_) return Datum(std::move(memory));
    const std::vector<std::string> names = work::is_over() ? std::vector<std::string>() : session_->names();
    for (const std::string& name : names) {
        if (work::is_over()) break;
        Result<std::optional<Datum>> kept = session_->value(name);
        if (kept.ok() && kept.value()) memory.emplace_back(Datum(name), std::move(*kept.value()));
    }
    Memory all(Datum(std::move(memory)));
    if (Result<std::string> machine = session_->save_names(); machine.ok()) all.machine = std::move(machine).value();
    if (!core_.state.secrets.empty()) all.secrets = std::make_shared<const Secrets>(core_.state.secrets);
    return all;
}

std::optional<std::string> Sandbox::why_too_much(const MemoryUse& use) const {
    const std::optional<std::uint64_t>& limit = core_.options().memory_limit;
    if (!limit || use.total <= *limit) return std::nullopt;
    const std::string size =
        use.is_measured() ? std::to_string(use.total) + " bytes large" : "too large to be measured";
    return "What the programs defined is " + size + ", more than the limit of " + std::to_string(*limit) + " bytes.";
}

void Sandbox::see_definitions(const std::vector<std::string>& names, const SeeDefinition& see) const {
    ptc::see_definitions(*session_, names, core_.options().memory_limit.value_or(kMostDefined), see);
}

void Sandbox::measure(const std::vector<std::string>& names, MemoryUse& use, const SeeDefinition& see) const {
    see_definitions(names, [&](Definition one) {
        use.set(one);
        if (see) see(std::move(one));
    });
    use.add_up();
}

std::optional<std::string> Sandbox::why_memory_exceeded(const std::vector<std::string>& changed,
                                                        const SeeDefinition& see) {
    if (changed.empty()) return std::nullopt;
    measure(changed, core_.state.memory, see);
    return why_too_much(core_.state.memory);
}

std::optional<std::string> Sandbox::why_memory_exceeded() const {
    const std::vector<std::string> changed = session_->unsettled_names();
    if (changed.empty()) return std::nullopt;
    MemoryUse use = core_.state.memory;
    measure(changed, use);
    return why_too_much(use);
}

void Sandbox::take_back(const std::vector<std::string>& changed) {
    session_->settle(false);
    measure(changed, core_.state.memory);
}

bool Sandbox::move_to_data(const std::vector<std::string>& changed, std::vector<NewData>& new_data) {
    MemoryUse use = core_.state.memory;
    std::vector<Definition> definitions;
    ptc::see_definitions(*session_, changed, UINT64_MAX, [&](Definition one) {
        use.set(one);
        definitions.push_back(std::move(one));
    });
    use.add_up();
    std::ranges::sort(definitions, std::ranges::greater(), [&](const Definition& one) { return use.bytes[one.name]; });
    Datum::Map moved;
    std::vector<NewData> added;
    for (Definition& one : definitions) {
        if (use.total <= *core_.options().memory_limit) break;
        if (!one.value.ok() || !one.value.value()) return false;
        const std::string name = free_name(one.name, added, one.name);
        moved.emplace_back(Datum(name), std::move(*one.value.value()));
        added.push_back({name, "", one.name});
        one.value = std::optional<Datum>();
        use.set(one);
        use.add_up();
    }
    if (use.total > *core_.options().memory_limit) return false;
    std::vector<std::string> names;
    for (const NewData& one : added)
        names.push_back(one.name);
    Datum data(std::move(moved));
    if (std::optional<std::string> why = why_refused(names, data)) {
        refusal_ = std::move(why);
        return false;
    }
    std::vector<NewData> noted;
    if (!keep_result(data, noted)) return false;
    session_->settle(true);
    for (std::size_t i = 0; i < added.size(); ++i) {
        learn_secrets(core_.state.secrets, *data.find(names[i]), is_firewalled(added[i].definition));
        session_->undefine(added[i].definition);
        added[i].name = noted[i].name;
        added[i].note = noted[i].note;
        core_.state.moved[added[i].name] = added[i].definition;
        new_data.push_back(std::move(added[i]));
    }
    core_.state.memory = std::move(use);
    return true;
}

/// Under this name, or one that programs find by it.
bool Sandbox::is_given(std::string_view name) const {
    Names given;
    add_names(core_.state.context, given);
    const auto shared = names_in(core_.shared_data());
    return std::ranges::any_of(given, [name](const auto& one) { return names_match(one, name); }) ||
           std::ranges::any_of(shared, [name](const auto& one) { return names_match(one.first, name); });
}

bool Sandbox::is_data_of_turn(std::string_view name) const {
    const auto is_it = [name](const auto& entry) {
        return entry.first.text() && names_match(*entry.first.text(), name);
    };
    return std::ranges::any_of(core_.state.results,
                               [&](const Datum& layer) { return std::ranges::any_of(layer.entries(), is_it); });
}

std::string Sandbox::free_name(std::string_view name, const std::vector<NewData>& taken,
                               std::string_view definition) const {
    const auto& moved = core_.state.moved;
    const auto is_former = [&](const std::string& one) { // the same definition, made anew
        const auto found = moved.find(one);
        return !definition.empty() && found != moved.end() && found->second == definition;
    };
    const auto is_taken = [&](const std::string& one) {
        return is_given(one) || (is_data_of_turn(one) && !is_former(one)) ||
               std::ranges::any_of(taken, [&](const NewData& other) { return names_match(other.name, one); });
    };
    const std::string written = core_.written_name(name);
    std::string free = written;
    for (int n = 2; is_taken(free); ++n)
        free = written + "-" + std::to_string(n);
    return free;
}

const Datum* Sandbox::newest_data(std::string_view name) const {
    for (const Datum& result : std::views::reverse(core_.state.results)) {
        if (const Datum* found = result.find(name)) return found;
    }
    return nullptr;
}

// ---- Results of tools for which a program has no room

std::uint64_t Sandbox::result_bytes() const {
    std::uint64_t bytes = 0;
    for (const Datum& result : core_.state.results)
        bytes += compact_size(result);
    return bytes;
}

std::vector<KeptCalls> Sandbox::keep_held() {
    const std::uint64_t most = core_.options().tool_cache.bytes;
    const auto room = [&] { return most - std::min(most, result_bytes()); };
    std::uint64_t wanted = 0;
    for (const HeldCall& call : core_.state.held)
        wanted += call.bytes;
    if (wanted > room()) (void)merge_results(); // what newer data hide takes room
    held_.settle(room());
    std::vector<KeptCalls> kept;
    for (std::vector<std::size_t>& calls : held_.by_tool()) {
        if (std::optional<KeptCalls> one = keep_calls(std::move(calls))) kept.push_back(std::move(*one));
    }
    return kept;
}

std::optional<KeptCalls> Sandbox::keep_calls(std::vector<std::size_t> calls) {
    const std::string& tool = core_.state.held[calls[0]].tool;
    const std::string name = free_name(tool + "-result", {});
    Datum data = Datum::object({{name, held_.value_of(calls)}});
    if (std::optional<std::string> why = why_refused({name}, data)) {
        held_.lose(calls, HeldCall::State::Refused, *why);
        return std::nullopt;
    }
    learn_secrets(core_.state.secrets, *data.find(name), is_firewalled(tool));
    std::vector<NewData> added;
    if (keep_result(data, added) && !added.empty()) return KeptCalls{std::move(added.front()), std::move(calls)};
    // One that cannot be data, as it is nested too deep, does not lose those of other calls.
    const auto is_unfit = [this](std::size_t i) {
        return !DataSet::from_datum(Datum::object({{"one", core_.state.held[i].result}})).ok();
    };
    std::vector<std::size_t> rest;
    std::ranges::remove_copy_if(calls, std::back_inserter(rest), is_unfit);
    const bool is_less = rest.size() < calls.size() && std::ranges::any_of(rest, [this](std::size_t i) {
                             return core_.state.held[i].state == HeldCall::State::Held;
                         });
    std::erase_if(calls, [&](std::size_t i) { return is_less && std::ranges::binary_search(rest, i); });
    held_.lose(calls, HeldCall::State::NoRoom);
    return is_less ? keep_calls(std::move(rest)) : std::nullopt;
}

std::optional<std::string> Sandbox::why_refused(const std::vector<std::string>& names, Datum& data) {
    Guards::Decision decision = guards_.decide(GuardPoint::AfterProgram, data);
    if (decision.refusal || !decision.is_changed) return std::move(decision.refusal);
    Datum::Map left;
    for (const std::string& name : names) {
        const Datum* value = data.find(name);
        if (!value) return "A guard at after_program leaves nothing of `" + name + "`.";
        left.emplace_back(Datum(name), *value);
    }
    data = Datum(std::move(left));
    return std::nullopt;
}

bool Sandbox::merge_results() {
    if (core_.state.results.size() < 2) return true;
    Datum::Map all;
    std::unordered_map<std::string_view, std::size_t> places; // by name, which is what every key is
    for (const Datum& result : core_.state.results) {
        for (const auto& [key, value] : *result.map()) {
            const auto [at, is_new] = places.try_emplace(key_name(key), all.size());
            if (is_new)
                all.emplace_back(key, value);
            else
                all[at->second].second = value;
        }
    }
    Datum merged(std::move(all));
    Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(merged);
    if (!data.ok()) return false;
    core_.state.results = {std::move(merged)};
    result_data_ = {std::move(data).value()};
    return true;
}

bool Sandbox::keep_result(const Datum& value, std::vector<NewData>& new_data) {
    if (!value.map() || value.map()->empty()) return true;
    Names given, former;
    add_names(core_.state.context, given);
    const auto shared = names_in(core_.shared_data());
    for (const auto& [name, set] : shared)
        given.insert(name);
    for (const Datum& result : core_.state.results)
        add_names(result, former);
    Datum::Map named;
    std::unordered_set<std::string> taken;
    for (const auto& [key, item] : *value.map()) {
        if (key_name(key).empty()) continue;
        const std::string name = core_.written_name(key_name(key));
        if (!taken.insert(name).second) continue; // another key is written so, too
        const bool is_given = given.contains(name);
        // A conversation goes on with the data that it was given; a mission's turns build on each other (requirement
        // 119).
        if (is_given && core_.is_combined()) continue;
        named.emplace_back(Datum(name), item);
        new_data.push_back({name, former.contains(name) ? " (in place of the former one)"
                                  : is_given            ? " (in place of what was given)"
                                                        : ""});
    }
    if (named.empty()) return true;
    Datum layer(std::move(named));
    Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(layer);
    if (!data.ok()) return false;
    for (const auto& [key, item] : *layer.map())
        core_.state.moved.erase(std::string(key_name(key)));
    core_.state.results.push_back(std::move(layer));
    result_data_.push_back(std::move(data).value());
    if (core_.state.results.size() > kMostResults) (void)merge_results(); // else they are one layer more
    return true;
}

// ---- Snapshots

Result<void> Sandbox::save(ByteWriter& out) const {
    out.text(PTC_TRY(session_->save(data_sets())));
    return {};
}

Result<void> Sandbox::move_to(const Engine& engine) {
    const DataSets data = data_sets();
    const std::string bytes = PTC_TRY(session_->save(data));
    RunOptions options;
    options.data = data;
    options.limits = core_.options().limits;
    std::unique_ptr<Session> session = PTC_TRY(Session::restore(engine, bytes, options));
    session_ = std::move(*session);
    return {};
}

Result<void> Sandbox::restore_data() {
    PTC_CHECK(import_context());
    for (const Datum& result : core_.state.results)
        result_data_.push_back(PTC_TRY(DataSet::from_datum(result)));
    return {};
}

Result<void> Sandbox::restore(ByteReader& in) {
    std::unique_ptr<Session> session = PTC_TRY(Session::restore(*core_.impl().engine, in.raw(), run_options()));
    session_ = std::move(*session);
    const AgentState& state = core_.state;
    const std::optional<Suspended> waiting = session_->waiting();
    if (waiting.has_value() != (state.phase == AgentState::Phase::Program))
        return bad_snapshot("an agent waits for nothing");
    if (!waiting) return {};
    const bool is_fit = std::ranges::equal(waiting->calls, state.pending, {}, &ToolCall::name, &PendingUse::tool);
    return is_fit ? Result<void>() : bad_snapshot("an agent waits for other tools than its program");
}

} // namespace ptc
