// Missions: the state of all agents (MissionState), the root AgentRun over it, and what Agent::run and Agent::restore
// make of them.
#include "ptc/mission.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/mission_snapshot.h"
#include "subagent/agent/taped_mission.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>

namespace ptc {
namespace {

Step chained_failure(const Step& previous) {
    Step step;
    step.fail = Fail{.reason = std::string(reason_name(MissionReason::ChainedFailure)),
                     .message = "The step before has failed: " + (previous.fail ? previous.fail->message : "")};
    Datum original;
    if (previous.fail)
        original = Datum::object({{"reason", previous.fail->reason},
                                  {"message", previous.fail->message},
                                  {"op", previous.fail->op ? Datum(*previous.fail->op) : Datum()},
                                  {"details", previous.fail->details}});
    step.fail->details = Datum::object({{"original_failure", std::move(original)}});
    step.memory = Datum(Datum::Map());
    return step;
}

/// What a run begins with moves out of the options: nobody else needs it.
RunInputs take_inputs(MissionOptions& options) {
    RunInputs inputs;
    inputs.context = std::move(options.previous ? options.previous->value : options.context);
    inputs.context_signature = options.context_signature;
    if (inputs.context_signature.empty() && options.previous) inputs.context_signature = options.previous->signature;
    inputs.memory = std::move(options.memory);
    inputs.tasks = std::move(options.tasks);
    inputs.done_steps = std::move(options.done_steps);
    inputs.history = std::move(options.history);
    inputs.former_data = std::move(options.former_data);
    inputs.user_message = options.user_message;
    inputs.attachments = std::move(options.attachments);
    return inputs;
}

} // namespace

struct Mission::Impl {
    Impl(AgentPtr a, MissionOptions o)
        : agent(std::move(a)), options(std::move(o)), env{options, state.totals, {}}, root(agent, env, state.root) {
        state.totals.max_depth = agent->options().max_depth;
    }
    /// Whether the mission's time is over, for what an agent does between two answers: it ends then, in any way, and
    /// the agent finds that it is late. Where the clock is the host's, what is done must not depend on ours; that of a
    /// recording keeps when it was.
    ~Impl() { env.stopping.request_stop(); }
    [[nodiscard]] std::function<bool()> work_time() const {
        if (env.tape)
            return [this] {
                const std::optional<Millis>& deadline = state.root.deadline;
                return env.tape->goes_on(deadline ? std::optional(*deadline + env.paused) : std::nullopt);
            };
        if (options.clock.now) return [] { return true; };
        return [this] { return !state.root.deadline || env.now() < *state.root.deadline; };
    }
    /// The mission works while it lives; its time stands still when it then waits for approvals alone.
    class Working {
    public:
        explicit Working(Impl& impl) : impl_(impl), time_(impl.work_time()) { impl_.env.end_pause(); }
        ~Working() { impl_.rest(); }
        Working(const Working&) = delete;
        Working& operator=(const Working&) = delete;

    private:
        Impl& impl_;
        work::Scope time_;
    };
    void rest() {
        if (!root.is_done() && ptc::waits_for_approval(state.root)) env.pause();
    }
    AgentPtr agent;
    MissionOptions options;
    MissionState state;
    MissionEnv env;
    AgentRun root;
    std::stop_callback<std::function<void()>> on_stop{options.stop,
                                                      [source = env.stopping]() mutable { source.request_stop(); }};
};

Mission::Mission(AgentPtr agent, MissionOptions options)
    : impl_(std::make_unique<Impl>(std::move(agent), std::move(options))) {}
Mission::~Mission() = default;
Mission::Mission(Mission&&) noexcept = default;
Mission& Mission::operator=(Mission&&) noexcept = default;

void TapedMission::attach(Mission& mission, MissionTape& tape) { mission.impl_->env.tape = &tape; }

void Mission::start() {
    MissionOptions& options = impl_->options;
    if (impl_->state.root.phase != AgentState::Phase::New) return;
    if (options.previous && !options.previous->ok) {
        impl_->state.root.step = chained_failure(*options.previous);
        impl_->state.root.step.signature = signature_text(impl_->agent->signature());
        impl_->state.root.phase = AgentState::Phase::Done;
        return;
    }
    const Impl::Working working(*impl_);
    impl_->root.begin(take_inputs(options), options.model, nullptr);
}

bool Needs::empty() const { return llm.empty() && tools.empty() && approvals.empty(); }

Needs Mission::take_needs() { return std::exchange(impl_->env.needs, {}); }

void Mission::answer(std::uint64_t id, LlmResult result) {
    Arrival arrival{.id = id, .reply = std::move(result)};
    const Impl::Working working(*impl_);
    impl_->root.take(arrival);
}

void Mission::answer(std::uint64_t id, ToolAnswer answer) {
    // Others of its round may be under way, or not begun yet.
    if (!is_done() && impl_->env.is_interrupted()) impl_->env.stopping.request_stop();
    Arrival arrival{.id = id, .answer = std::move(answer)};
    const Impl::Working working(*impl_);
    impl_->root.take(arrival);
}

void Mission::answer(std::uint64_t id, ApprovalAnswer answer) {
    if (!is_done() && impl_->env.is_interrupted()) return interrupt(); // whoever stopped it wants no further call
    Arrival arrival{.id = id, .approval = std::move(answer)};
    const Impl::Working working(*impl_);
    impl_->root.take(arrival);
}

bool Mission::waits_for_approval() const { return !is_done() && ptc::waits_for_approval(impl_->state.root); }

void Mission::forget_attempts() {
    impl_->root.forget_attempts();
    for (LlmNeed& need : impl_->env.needs.llm)
        need.delay = Millis(0);
}

void Mission::interrupt() {
    impl_->state.totals.is_interrupted = true;
    impl_->env.stopping.request_stop();
    impl_->env.end_pause();
    impl_->root.interrupt();
}

bool Mission::is_done() const { return impl_->root.is_done(); }
const Step& Mission::step() const { return impl_->root.step(); }
Step Mission::take_step() { return std::move(impl_->root.step()); }

// ---- Snapshots

Result<std::string> Mission::save(AttachmentBytes* kept) const {
    if (impl_->state.root.phase == AgentState::Phase::New)
        return Error(Reason::InvalidRequest, "A mission that has not started has nothing to save.");
    if (kept) kept->clear();
    impl_->env.attachments.begin(kept);
    SnapshotWriter out(kMissionMagic, agent_fingerprint(*impl_->agent));
    write_agent(out, *impl_->agent);
    out.text(impl_->options.id);
    out.byte(is_done()); // then nobody reads the data any more
    if (!is_done()) write_data_sets(out, impl_->options.data);
    write_totals(out, impl_->state.totals);
    const Result<void> saved = impl_->root.save(out);
    impl_->env.attachments.end();
    if (!saved.ok()) return saved.error();
    return out.finish();
}

Result<std::unique_ptr<Mission>> Agent::restore(std::string_view bytes, MissionOptions options,
                                                const AttachmentBytes& kept) const {
    const Result<std::string_view> payload = open_snapshot(bytes, kMissionMagic, agent_fingerprint(*this));
    if (!payload.ok()) return other_agent(bytes, *this);
    ByteReader in(payload.value());
    skip_agent(in);
    options.id = in.text();
    if (std::ranges::find(options.data, nullptr) != options.data.end())
        return Error(Reason::InvalidRequest, "A data set is a null pointer.");
    if (in.byte() == 0) PTC_CHECK(check_data_sets(in, options.data));
    auto mission = std::make_unique<Mission>(shared_from_this(), std::move(options));
    Mission::Impl& impl = *mission->impl_;
    read_totals(in, impl.state.totals);
    impl.state.totals.max_depth = this->options().max_depth;
    impl.env.attachments.read_from(kept);
    const Result<void> restored = impl.root.restore(in, impl.options.model, nullptr);
    impl.env.attachments.end();
    if (!restored.ok()) return restored.error();
    if (!in.ok() || in.left() != 0) return bad_snapshot("there are bytes behind its end");
    std::ranges::sort(impl.env.needs.llm, {}, &LlmNeed::id);
    std::ranges::sort(impl.env.needs.tools, {}, &ToolNeed::id);
    std::ranges::sort(impl.env.needs.approvals, {}, &ApprovalNeed::id);
    impl.rest();
    return mission;
}

Step delegate(std::string prompt, MissionOptions mission) {
    return delegate(std::move(prompt), std::move(mission), AgentOptions());
}

Step delegate(std::string prompt, MissionOptions mission, AgentOptions options) {
    options.prompt = std::move(prompt);
    const Result<AgentPtr> agent = Agent::create(std::move(options));
    if (agent.ok()) return agent.value()->run(std::move(mission));
    Step step;
    step.fail = Fail{.reason = std::string(reason_name(agent.error().reason)), .message = agent.error().message};
    step.memory = Datum(Datum::Map());
    return step;
}

Step Agent::validate(const MissionOptions& options) const {
    if (options.previous && !options.previous->ok) return chained_failure(*options.previous);
    MissionState state;
    MissionOptions copy = options;
    MissionEnv env{copy, state.totals, {}};
    AgentRun run(shared_from_this(), env, state.root);
    if (run.prepare(take_inputs(copy))) state.root.step.ok = true;
    return std::move(state.root.step);
}

} // namespace ptc
