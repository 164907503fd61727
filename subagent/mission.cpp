#include "ptc/mission.h"
#include "subagent/agent_run.h"
#include "subagent/engine_impl.h"
#include "subagent/mission_calls.h"

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

RunInputs inputs_of(const MissionOptions& options) {
    RunInputs inputs;
    inputs.context = options.previous ? options.previous->value : options.context;
    inputs.context_signature = options.context_signature;
    if (inputs.context_signature.empty() && options.previous) inputs.context_signature = options.previous->signature;
    inputs.memory = options.memory;
    inputs.history = options.history;
    inputs.user_message = options.user_message;
    return inputs;
}

} // namespace

struct Mission::Impl {
    Impl(AgentPtr a, MissionOptions o)
        : agent(std::move(a)), options(std::move(o)), env{options, state.totals, {}}, root(agent, env, state.root) {
        state.totals.max_depth = agent->options().max_depth;
    }
    AgentPtr agent;
    MissionOptions options;
    MissionState state;
    MissionEnv env;
    AgentRun root;
};

Mission::Mission(AgentPtr agent, MissionOptions options)
    : impl_(std::make_unique<Impl>(std::move(agent), std::move(options))) {}
Mission::~Mission() = default;
Mission::Mission(Mission&&) noexcept = default;
Mission& Mission::operator=(Mission&&) noexcept = default;

void Mission::start() {
    const MissionOptions& options = impl_->options;
    if (options.previous && !options.previous->ok) {
        impl_->state.root.step = chained_failure(*options.previous);
        impl_->state.root.step.signature = signature_text(impl_->agent->signature());
        impl_->state.root.phase = AgentState::Phase::Done;
        return;
    }
    impl_->root.begin(inputs_of(options), options.model, nullptr);
}

Needs Mission::take_needs() { return std::exchange(impl_->env.needs, {}); }

void Mission::answer(std::uint64_t id, LlmResult result) {
    Arrival arrival{.id = id, .reply = std::move(result)};
    impl_->root.take(arrival);
}

void Mission::answer(std::uint64_t id, ToolAnswer answer) {
    Arrival arrival{.id = id, .answer = std::move(answer)};
    impl_->root.take(arrival);
}

void Mission::interrupt() {
    impl_->state.totals.is_interrupted = true;
    impl_->root.interrupt();
}

bool Mission::is_done() const { return impl_->root.is_done(); }
const Step& Mission::step() const { return impl_->root.step(); }
Step Mission::take_step() { return std::move(impl_->root.step()); }

// ---- The simple form

Step Agent::run(MissionOptions options) const {
    const MissionClock clock = options.clock;
    Mission mission(shared_from_this(), std::move(options));
    MissionCalls calls(impl_->engine->impl().callers, clock);
    mission.start();
    while (!mission.is_done()) {
        calls.add(mission.take_needs());
        std::optional<MissionCalls::Answer> answer = calls.wait();
        if (!answer) break; // a mission that is not done needs something
        std::visit([&](auto& result) { mission.answer(answer->id, std::move(result)); }, answer->result);
    }
    return mission.take_step();
}

Step Agent::run(Llm llm, Datum context) const {
    MissionOptions options;
    options.model = ModelRef(std::move(llm));
    options.context = std::move(context);
    return run(std::move(options));
}

Step Agent::validate(const MissionOptions& options) const {
    if (options.previous && !options.previous->ok) return chained_failure(*options.previous);
    MissionState state;
    MissionEnv env{options, state.totals, {}};
    AgentRun run(shared_from_this(), env, state.root);
    if (run.prepare(inputs_of(options))) state.root.step.ok = true;
    return std::move(state.root.step);
}

} // namespace ptc
