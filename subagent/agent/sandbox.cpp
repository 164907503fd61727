// The sandbox of an agent: one session for all its turns. What a program defines stays in the session; what it gives,
// if that is a map, becomes a layer of data above the context, so that the next program reads it as data/NAME and a
// newer value hides an older one of the same name. Layers are merged when there are many. A program is bounded by the
// agent's limits and by what is left of the mission's time; on a tape (ptc/recording.h) by what the tape says instead.
#include "subagent/agent/sandbox.h"
#include "frontend/try.h"
#include "subagent/agent/outcome_facts.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/session_snapshot.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <ranges>
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
    core_.state.memory.update(definitions(names()));
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
    core_.state.memory.update(definitions(names));
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
        if (!time.has_clock) limits.timeout = Millis(0);
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

/// While it lives, a mission that is stopped ends its program. On a tape it does not: what a program came to is not
/// told by another's hand then.
class Sandbox::Stop {
public:
    Stop(const AgentCore& core, Session& session) {
        if (!core.env.tape) callback_.emplace(core.env.options.stop, [&session] { session.interrupt(); });
    }

private:
    std::optional<std::stop_callback<std::function<void()>>> callback_;
};

RunState Sandbox::resume(std::vector<ToolAnswer> answers) {
    const Stop stop(core_, *session_);
    return session_->resume(std::move(answers));
}

RunState Sandbox::start() {
    question_.reset();
    drop_held();
    const Stop stop(core_, *session_);
    core_.state.program_started = core_.env.now();
    core_.state.waited_for_others = Millis(0);
    return session_->start(core_.state.program, run_options());
}

Millis Sandbox::time_used() const {
    return core_.env.now() - core_.state.program_started - core_.state.waited_for_others;
}

std::string Sandbox::warnings(const Outcome& outcome) const {
    RunOptions run;
    run.data = data_sets();
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
    for (const std::string& name : session_->names()) {
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

std::optional<std::string> Sandbox::why_memory_exceeded(const std::vector<Definition>& changed) {
    if (changed.empty()) return std::nullopt;
    core_.state.memory.update(changed);
    return why_too_much(core_.state.memory);
}

std::optional<std::string> Sandbox::why_memory_exceeded() const {
    const std::vector<std::string> changed = session_->unsettled_names();
    if (changed.empty()) return std::nullopt;
    MemoryUse use = core_.state.memory;
    use.update(definitions(changed));
    return why_too_much(use);
}

void Sandbox::take_back(const std::vector<std::string>& changed) {
    session_->settle(false);
    core_.state.memory.update(definitions(changed));
}

bool Sandbox::move_to_data(const std::vector<std::string>& changed, std::vector<NewData>& new_data) {
    MemoryUse use = core_.state.memory;
    std::vector<Definition> definitions = definitions_of(*session_, changed, UINT64_MAX);
    use.update(definitions);
    std::ranges::sort(definitions, std::ranges::greater(), [&](const Definition& one) { return use.bytes[one.name]; });
    Datum::Map moved;
    std::vector<NewData> added;
    for (Definition& one : definitions) {
        if (use.total <= *core_.options().memory_limit) break;
        if (!one.value.ok() || !one.value.value()) return false;
        const std::string name = free_name(one.name, added);
        moved.emplace_back(Datum(name), std::move(*one.value.value()));
        added.push_back({name, "", one.name});
        one.value = std::optional<Datum>();
        std::vector<Definition> gone;
        gone.push_back({one.name, std::optional<Datum>()});
        use.update(gone);
    }
    std::vector<NewData> noted;
    if (use.total > *core_.options().memory_limit || !keep_result(Datum(moved), noted)) return false;
    session_->settle(true);
    for (std::size_t i = 0; i < added.size(); ++i) {
        learn_secrets(core_.state.secrets, moved[i].second, is_firewalled(added[i].definition));
        session_->undefine(added[i].definition);
        added[i].name = noted[i].name;
        added[i].note = noted[i].note;
        new_data.push_back(std::move(added[i]));
    }
    core_.state.memory = std::move(use);
    return true;
}

bool Sandbox::is_given(std::string_view name) const {
    Names given;
    add_names(core_.state.context, given);
    const auto shared = names_in(core_.shared_data());
    return given.contains(name) || std::ranges::any_of(shared, [name](const auto& one) { return one.first == name; });
}

std::string Sandbox::free_name(const std::string& name, const std::vector<NewData>& taken) const {
    const auto is_taken = [&](const std::string& one) {
        return (core_.is_combined() && is_given(one)) || std::ranges::find(taken, one, &NewData::name) != taken.end();
    };
    std::string free = name;
    for (int n = 2; is_taken(free); ++n)
        free = name + "-" + std::to_string(n);
    return free;
}

const Datum* Sandbox::newest_data(std::string_view name) const {
    for (const Datum& result : std::views::reverse(core_.state.results)) {
        if (const Datum* found = result.find(name)) return found;
    }
    return nullptr;
}

// ---- Results of tools for which a program has no room

void Sandbox::hold(const std::vector<PendingUse>& uses) {
    const std::uint64_t most = core_.options().tool_cache.bytes;
    std::uint64_t bytes = 0;
    for (const PendingUse& use : uses) {
        if (const Datum* value = std::get_if<Datum>(&*use.answer)) bytes += compact_size(*value);
    }
    if (held_bytes_ + bytes > most) drop_held();
    if (bytes > most) return;
    held_bytes_ += bytes;
    for (const PendingUse& use : uses) {
        auto held = std::ranges::find(held_, use.tool, &HeldResults::tool);
        if (held == held_.end()) held = held_.insert(held, {use.tool, {}});
        const Datum* value = std::get_if<Datum>(&*use.answer);
        held->results.push_back(value ? *value : Datum());
    }
}

std::size_t Sandbox::held_calls(std::string_view tool) const {
    const auto held = std::ranges::find(held_, tool, &HeldResults::tool);
    return held == held_.end() ? 0 : held->results.size();
}

bool Sandbox::are_fit(const std::vector<HeldResults>& held) const {
    const EngineImpl& engine = impl_of(*core_.impl().engine);
    // Time and heap are bounded by the size of what is held.
    Limits limits;
    limits.fuel = INT64_MAX / 2;
    limits.heap_bytes = UINT64_MAX / 4;
    limits.timeout = std::chrono::hours(24);
    return std::ranges::all_of(held, [&](const HeldResults& one) {
        const Tool* tool = engine.find_tool(one.tool);
        const CompiledSignature* signature = tool ? engine.signature_of(*tool) : nullptr;
        if (!signature) return true;
        const ValidationMode mode = tool->validation.value_or(core_.mode());
        return std::ranges::all_of(one.results, [&](const Datum& result) {
            const Result<Validation> checked =
                validate(*signature, Direction::Output, result, {.mode = mode, .is_json_text = true, .limits = limits});
            return result.is_nil() || (checked.ok() && checked.value().ok);
        });
    });
}

std::uint64_t Sandbox::result_bytes() const {
    std::uint64_t bytes = 0;
    for (const Datum& result : core_.state.results)
        bytes += compact_size(result);
    return bytes;
}

bool Sandbox::drop_hidden_results() {
    if (core_.state.results.size() < 2) return true;
    std::vector<Datum> results = core_.state.results;
    std::vector<std::shared_ptr<const DataSet>> data = result_data_;
    merge_results();
    Result<std::shared_ptr<const DataSet>> merged = DataSet::from_datum(core_.state.results.front());
    if (merged.ok()) {
        result_data_.push_back(std::move(merged).value());
        return true;
    }
    core_.state.results = std::move(results);
    result_data_ = std::move(data);
    return false;
}

bool Sandbox::keep_held(std::vector<NewData>& new_data) {
    std::vector<HeldResults> held = std::exchange(held_, {});
    drop_held();
    std::erase_if(held, [](const HeldResults& one) { return std::ranges::all_of(one.results, &Datum::is_nil); });
    if (held.empty() || !are_fit(held)) return false;
    Datum::Map moved;
    std::vector<NewData> named;
    for (HeldResults& one : held) {
        // It hides neither what was given nor what was kept before.
        const std::string name = core_.written_name(one.tool + "-result");
        std::string free = free_name(name, named);
        for (int n = 2; is_given(free) || newest_data(free); ++n)
            free = free_name(name + "-" + std::to_string(n), named);
        named.push_back({std::move(free), ""});
        Datum value = one.results.size() == 1 ? std::move(one.results[0]) : Datum(std::move(one.results));
        learn_secrets(core_.state.secrets, value, is_firewalled(one.tool));
        moved.emplace_back(Datum(named.back().name), std::move(value));
    }
    const Datum all(std::move(moved));
    const std::uint64_t bytes = compact_size(all), most = core_.options().tool_cache.bytes;
    if (result_bytes() + bytes > most && !drop_hidden_results()) return false;
    return result_bytes() + bytes <= most && keep_result(all, new_data);
}

void Sandbox::merge_results() {
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
    core_.state.results = {Datum(std::move(all))};
    result_data_.clear();
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
    std::vector<Datum>& results = core_.state.results;
    results.push_back(Datum(std::move(named)));
    if (results.size() > kMostResults) merge_results();
    Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(results.back());
    if (!data.ok()) {
        results.pop_back();
        return false;
    }
    result_data_.push_back(std::move(data).value());
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
