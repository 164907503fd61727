#include "subagent/agent/agent_run.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace ptc {
namespace {

Datum rounded(const Datum& value, unsigned decimals) {
    if (const double* x = value.get_if<double>()) {
        const double scale = std::pow(10.0, decimals);
        const double scaled = *x * scale;
        return std::isfinite(scaled) ? Datum(std::round(scaled) / scale) : value;
    }
    if (const auto* items = value.list()) {
        Datum::List out;
        for (const Datum& item : *items)
            out.push_back(rounded(item, decimals));
        return Datum(std::move(out));
    }
    if (const auto* entries = value.map()) {
        Datum::Map out;
        for (const auto& [key, item] : *entries)
            out.emplace_back(key, rounded(item, decimals));
        return Datum(std::move(out));
    }
    return value;
}

} // namespace

// ---- MissionEnv

Millis system_now() { return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch()); }

/// Seeded once a thread.
double system_chance() {
    thread_local std::minstd_rand generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

Millis MissionEnv::now() const {
    if (tape) return tape->now();
    if (options.clock.now) return options.clock.now();
    return system_now();
}

std::string MissionEnv::key_of(std::uint64_t need) const {
    return options.id.empty() ? "" : options.id + "/" + std::to_string(need);
}

double MissionEnv::random() const {
    if (tape) return tape->random();
    return options.clock.random ? options.clock.random() : system_chance();
}

bool MissionEnv::is_interrupted() const {
    if (tape) return totals.is_interrupted || tape->is_interrupted();
    return totals.is_interrupted || (options.is_interrupted && options.is_interrupted());
}

void MissionEnv::emit(const MissionEvent& event) const {
    if (!options.on_event) return;
    try {
        options.on_event(event);
    } catch (...) { // whoever watches a mission cannot break it
    }
}

// ---- AgentRun

AgentRun::AgentRun(AgentPtr agent, MissionEnv& env, AgentState& state)
    : agent_(std::move(agent)), env_(env), state_(state) {}

std::string AgentRun::hidden(std::string_view text) const { return without_secrets(state_.secrets, text); }

MissionEvent AgentRun::event(MissionEvent::Kind kind) const {
    MissionEvent event{.kind = kind, .run = state_.run, .parent = state_.parent, .agent = options().name};
    event.depth = state_.depth;
    event.turn = state_.turn;
    return event;
}

bool AgentRun::is_late() const { return state_.deadline && env_.now() >= *state_.deadline; }

void AgentRun::say(std::string text) {
    if (!text.empty()) state_.messages.push_back({.content = std::move(text)});
}

/// Turns that may follow the one under way.
std::size_t AgentRun::turns_left() const {
    const std::size_t budget = state_.last_turn - std::min(state_.last_turn, env_.totals.turns);
    const std::size_t own = options().max_turns > state_.turn ? options().max_turns - state_.turn : 0;
    const std::size_t retries = state_.is_result_refused ? options().retry_turns - state_.retries : 0;
    return std::min(budget, own > 0 ? own : retries);
}

Feedback AgentRun::feedback() const {
    Feedback told;
    told.turn = state_.turn;
    told.turns_left = turns_left();
    told.is_judgment = is_judgment() || options().output == AgentOutput::Text;
    told.is_by_call = options().transport == Transport::ToolCall;
    return told;
}

namespace {

Fail because(MissionReason reason, std::string message) {
    return Fail{.reason = std::string(reason_name(reason)), .message = std::move(message)};
}

} // namespace

std::optional<Fail> AgentRun::why_over_budget() const {
    if (state_.last_token && env_.totals.tokens.total() > *state_.last_token)
        return because(MissionReason::BudgetExceeded, "The mission has used more tokens than it may.");
    if (state_.last_cost && env_.totals.tokens.cost_usd > *state_.last_cost)
        return because(MissionReason::BudgetExceeded, "The mission has cost more than it may.");
    return std::nullopt;
}

/// Why there is no further turn, if there is none.
std::optional<Fail> AgentRun::why_no_turn() const {
    if (env_.is_interrupted()) return because(MissionReason::Interrupted, "The host stopped the mission.");
    if (is_late()) return because(MissionReason::MissionTimeout, "The mission takes longer than allowed.");
    const auto& most_failures = options().max_consecutive_failures;
    if (most_failures && state_.failures_in_row >= *most_failures)
        return because(MissionReason::ConsecutiveFailures,
                       std::to_string(*most_failures) + " turns in a row failed, which is as many as may.");
    if (std::optional<Fail> over = why_over_budget()) return over;
    const bool may_retry = state_.is_result_refused && state_.retries < options().retry_turns;
    if (state_.turn >= options().max_turns && !may_retry)
        return because(MissionReason::MaxTurnsExceeded,
                       "The mission has had its " + std::to_string(state_.turn) + " turns and has not returned.");
    if (env_.totals.turns >= state_.last_turn)
        return because(MissionReason::TurnBudgetExhausted,
                       "The turns that the agents of the mission share are used up.");
    return std::nullopt;
}

void AgentRun::next_turn() {
    if (std::optional<Fail> why = why_no_turn()) {
        if (!state_.step.trace.empty() && !state_.step.trace.back().ok) {
            const Turn& last = state_.step.trace.back();
            why->details =
                Datum::object({{"last_error", Datum::object({{"reason", last.reason}, {"message", last.message}})}});
        }
        return finish(std::move(why));
    }
    if (state_.turn >= options().max_turns) ++state_.retries;
    ++state_.turn;
    ++env_.totals.turns;
    ++state_.step.usage.turns;
    state_.current = Turn{.number = state_.turn};
    state_.attempt = 1;
    state_.is_result_refused = false;
    tell_turn();
    ask_model(Millis(0));
}

void AgentRun::tell_turn() const {
    MissionEvent starts = event(MissionEvent::Kind::TurnStart);
    if (env_.options.on_event) { // else nobody reads the texts
        auto first = state_.messages.end();
        while (first != state_.messages.begin() && std::prev(first)->role != Message::Role::Assistant)
            --first;
        for (; first != state_.messages.end(); ++first)
            starts.text += (starts.text.empty() ? "" : "\n\n") + first->content;
        starts.text = hidden(starts.text);
        if (state_.turn == 1) starts.system = hidden(make_system_text());
    }
    env_.emit(starts);
}

void AgentRun::end_turn(bool ok) {
    state_.current.ok = ok;
    state_.failures_in_row = ok ? 0 : state_.failures_in_row + 1;
    MissionEvent stop = event(MissionEvent::Kind::TurnStop);
    stop.ok = ok;
    stop.reason = state_.current.reason;
    stop.message = state_.current.message;
    stop.tokens = state_.current.tokens;
    stop.duration = state_.current.duration;
    state_.step.usage.fuel += state_.current.fuel;
    state_.step.trace.push_back(std::move(state_.current));
    state_.current = {};
    stop.record = &state_.step.trace.back();
    env_.emit(stop);
}

void AgentRun::fail_turn(MissionReason reason, std::string message, std::string text, Datum details) {
    state_.current.reason = reason_name(reason);
    state_.current.message = hidden(message);
    end_turn(false);
    if (state_.eval_call)
        answer_eval_error(reason_name(reason), message, text);
    else
        say(hidden(text));
    // What a judgment fails by is its failure, and so is a result that was never right.
    const bool is_last =
        state_.turn >= options().max_turns && !(state_.is_result_refused && state_.retries < options().retry_turns);
    if (is_last && reason != MissionReason::NoProgram &&
        ((options().max_turns == 1 && !is_combined()) || state_.is_result_refused) && !is_late())
        return fail(reason, std::move(message), std::move(details));
    next_turn();
}

void AgentRun::fail(MissionReason reason, std::string message, Datum details) {
    finish(
        Fail{.reason = std::string(reason_name(reason)), .message = std::move(message), .details = std::move(details)});
}

void AgentRun::finish(std::optional<Fail> fail, Datum value) {
    Step& step = state_.step;
    step.ok = !fail;
    step.fail = std::move(fail);
    if (step.ok) step.value = options().float_precision ? rounded(value, *options().float_precision) : std::move(value);
    Datum::Map memory;
    if (session_) {
        for (const std::string& name : session_->names()) {
            Result<std::optional<Datum>> kept = session_->value(name);
            if (kept.ok() && kept.value()) memory.emplace_back(Datum(name), std::move(*kept.value()));
        }
    }
    step.memory = Datum(std::move(memory));
    if (state_.eval_call)
        answer_eval(Datum::object({{"status", step.ok ? "ok" : "error"}, {"message", "The mission has ended."}}),
                    !step.ok);
    step.messages = state_.messages;
    step.usage.duration = std::chrono::duration_cast<std::chrono::microseconds>(env_.now() - state_.started);
    state_.phase = Phase::Done;
    state_.model_need = 0;
    MissionEvent stop = event(MissionEvent::Kind::MissionStop);
    stop.ok = step.ok;
    if (step.fail) {
        stop.reason = hidden(step.fail->reason);
        stop.message = hidden(step.fail->message);
    }
    stop.tokens = step.usage.tokens;
    stop.duration = step.usage.duration;
    stop.usage = &step.usage;
    if (step.ok && env_.options.on_event) {
        const Preview shown = preview(step.value, preview_limits(options().prompt_limit));
        stop.result = hidden(shown.text);
        stop.is_cut = shown.is_cut;
    }
    env_.emit(stop);
}

void AgentRun::interrupt() {
    if (is_done()) return;
    for (const auto& child : children_) {
        if (child) child->interrupt();
    }
    if (state_.phase == Phase::Program) session_->abandon();
    fail(MissionReason::Interrupted, "The host stopped the mission.");
}

bool AgentRun::take(Arrival& arrival) {
    if (is_done()) return false;
    if (state_.model_need == arrival.id && arrival.reply) {
        state_.model_need = 0;
        on_reply(std::move(*arrival.reply));
        return true;
    }
    for (std::size_t i = 0; i < state_.pending.size(); ++i) {
        PendingUse& use = state_.pending[i];
        const bool is_own = use.need == arrival.id && !use.answer && arrival.answer;
        if (is_own)
            settle(use, std::move(*arrival.answer));
        else if (i >= children_.size() || !children_[i] || !children_[i]->take(arrival))
            continue;
        settle_children();
        if (all_answered()) go_on();
        return true;
    }
    return false;
}

} // namespace ptc
