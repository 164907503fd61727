// The paths of the search for a bound: how they wait, meet and end. Paths are followed in the order of their addresses:
// of the states that wait to be continued, the one with the lowest address goes first. Code that the compiler makes
// jumps back only to go round in a loop, so the two sides of a branch meet before what follows them is looked at, and a
// loop is gone round before what follows it. States that meet are joined; their cost is that of the dearer one. In any
// other order the result would be as sound, but found later.
#include "compiler/bounds/fuel_search.h"
#include "frontend/quoted.h"
#include "frontend/work.h"

#include <algorithm>
#include <cmath>

namespace ptc {
namespace {

using namespace kinds;

constexpr std::size_t kWorkOfStep = 20; ///< registers are copied where paths part

bool is_same(const AbstractValue& a, const AbstractValue& b) {
    return a.kinds == b.kinds && a.low == b.low && a.high == b.high && a.least == b.least && a.most == b.most &&
           a.walk_cost == b.walk_cost && a.is_chained == b.is_chained && a.inside == b.inside;
}

Tristate known(bool yes, bool no) { return yes ? Tristate::Yes : no ? Tristate::No : Tristate::Maybe; }

} // namespace

FuelBound FuelSearch::run() {
    FuelState start;
    start.cost = static_cast<double>(program_.compile_cost);
    enter(program_.functions[0].get(), {}, {}, std::move(start), {});
    while (!calls_.empty() && !stopped_) {
        Activation& call = calls_.back();
        if (call.waiting.empty()) {
            leave();
            continue;
        }
        auto next = call.waiting.extract(call.waiting.begin());
        follow(call, next.key(), std::move(next.mapped()));
    }
    if (stopped_) return std::move(*stopped_);
    return {static_cast<std::int64_t>(std::ceil(total_)), "", {}};
}

void FuelSearch::wait(Activation& call, std::uint32_t at, FuelState state) {
    const auto [place, is_new] = call.waiting.try_emplace(at);
    FuelState& other = place->second;
    if (is_new) {
        other = std::move(state);
        return;
    }
    for (std::size_t i = 0; i < state.registers.size(); ++i)
        other.registers[i] = join(other.registers[i], state.registers[i]);
    other.cost = std::max(other.cost, state.cost);
}

void FuelSearch::jump(Activation& call, std::uint32_t from, std::uint32_t target, FuelState state) {
    if (target <= from) {
        std::vector<AbstractValue>& last = call.rounds[target];
        const bool is_stuck = last.size() == state.registers.size() &&
                              std::equal(last.begin(), last.end(), state.registers.begin(), is_same);
        if (is_stuck) return stop(from, "nothing that is known ends this loop");
        last = state.registers;
        loop_span_ = span_at(from);
    }
    wait(call, target, std::move(state));
}

void FuelSearch::fork(Activation& call, std::uint32_t from, Tristate truth, std::uint32_t target, std::uint32_t next,
                      FuelState state, double jump_cost) {
    if (truth != Tristate::No) {
        FuelState taken = truth == Tristate::Yes ? std::move(state) : state;
        taken.cost += jump_cost;
        jump(call, from, target, std::move(taken));
    }
    if (truth != Tristate::Yes) wait(call, next, std::move(state));
}

void FuelSearch::follow(Activation& call, std::uint32_t at, FuelState state) {
    while (!stopped_) {
        if (++steps_ > max_steps_ || !work::charge(kWorkOfStep)) return stop_following(at);
        const Word* ip = &call.proto->code[at];
        const OpInfo& info = op_info(word_op(*ip));
        const std::uint32_t next = at + info.words();
        if (word_op(*ip) == Op::Try) return stop_at_instruction(at, ip); // a handler may run after any part of the body
        if (info.has(kBranch)) return branch(call, at, next, ip, std::move(state));
        if (info.has(kCall)) return start_call(call, at, next, ip, std::move(state));
        if (info.has(kEnd)) return end(call, at, ip, state);
        step(call, at, ip, state);
        if (!(state.cost < kMaxFuelBound)) return stop_at_cost(at, ip);
        at = next;
        if (!call.waiting.empty() && call.waiting.begin()->first <= at) return wait(call, at, std::move(state));
    }
}

void FuelSearch::end(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    if (word_op(w) != Op::Return && word_op(w) != Op::Finish) return stop_at_instruction(at, ip);
    AbstractValue& value = state.registers[word_b(w)];
    const bool is_last = calls_.size() == 1;
    if (word_op(w) == Op::Return && !is_last) {
        call.result = call.result ? join(*call.result, value) : std::move(value);
        call.result_cost = std::max(call.result_cost, state.cost);
        return;
    }
    // The host turns the result into text, JSON or its own values.
    if (!value.is_known())
        return stop(at, "the result may hold " + origins_[value.origin] + ", whose size is not known");
    if (!(state.cost + 3 * value.walk_cost < kMaxFuelBound))
        return stop(at, "the result may be so large that no bound is of use");
    total_ = std::max(total_, state.cost + 16 + 3 * value.walk_cost);
}

void FuelSearch::leave() {
    Activation done = std::move(calls_.back());
    calls_.pop_back();
    if (calls_.empty() || !done.result) return; // every path ends the run
    done.caller.registers[done.site.window] = std::move(*done.result);
    done.caller.cost = done.result_cost;
    wait(calls_.back(), done.site.next, std::move(done.caller));
}

void FuelSearch::branch(Activation& call, std::uint32_t at, std::uint32_t next, const Word* ip, FuelState state) {
    const Word w = *ip;
    const Op op = word_op(w);
    const std::uint32_t target = next + static_cast<std::uint32_t>(static_cast<std::int32_t>(ip[1]));
    const auto go = [&](Tristate truth, double cost = 0) {
        fork(call, at, truth, target, next, std::move(state), cost);
    };
    switch (op) {
    case Op::Jump: return go(Tristate::Yes);
    case Op::Loop: return go(Tristate::Yes, charge_of(w));
    case Op::JumpBound: return go(Tristate::Maybe);
    case Op::JumpIf: return go(truth_of(state.registers[word_b(w)]));
    case Op::JumpIfNot: return go(opposite(truth_of(state.registers[word_b(w)])));
    case Op::JumpTest:
    case Op::JumpNotTest: {
        const Tristate holds = predicate(static_cast<Predicate>(word_c(w)), state.registers[word_b(w)]);
        return go(op == Op::JumpTest ? holds : opposite(holds), charge_of(w));
    }
    case Op::IterNext:
    case Op::IterPair:
    case Op::IterZipped: return iterate(call, at, next, target, w, std::move(state));
    default: break;
    }
    if (op < Op::JumpLt || op > Op::JumpNotEqK) return stop_at_instruction(at, ip);
    const Comparison comparison = comparison_of(op);
    const AbstractValue& left = state.registers[word_b(w)];
    const AbstractValue right = right_operand(call, state, w);
    const Tristate holds = relation(comparison.relation, left, right);
    state.cost += comparison_cost(left, right);
    if (!(state.cost < kMaxFuelBound)) return stop_at_size(at, "this compares", left.is_known() ? right : left);
    go(comparison.negated ? opposite(holds) : holds, charge_of(w));
}

void FuelSearch::iterate(Activation& call, std::uint32_t at, std::uint32_t next, std::uint32_t target, Word w,
                         FuelState state) {
    const bool is_zipped = word_op(w) == Op::IterZipped;
    const AbstractValue& items = state.registers[word_a(w)];
    const AbstractValue& others = state.registers[word_a(w) + (is_zipped ? 2 : 0)];
    const AbstractValue& index = state.registers[word_a(w) + 1];
    const double least = std::min(items.least, others.least), most = std::min(items.most, others.most);
    if (!(most < kUnknown)) return stop_at_size(at, "this goes through", items);
    const auto i = static_cast<double>(index.low);
    const Tristate has_more = known(i < least, i >= most);
    if (has_more != Tristate::No) {
        FuelState more = has_more == Tristate::Yes ? std::move(state) : state;
        AbstractValue item = item_at(more.registers[word_a(w)], static_cast<std::size_t>(i));
        more.registers[word_a(w) + 1] = integer(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(i) + 1);
        if (word_op(w) == Op::IterPair) {
            take_apart(at, item, 0, more, word_a(w) + 3);
            take_apart(at, item, 1, more, word_a(w) + 4);
        } else if (is_zipped) {
            more.registers[word_a(w) + 4] = item_at(more.registers[word_a(w) + 2], static_cast<std::size_t>(i));
            more.registers[word_a(w) + 3] = std::move(item);
        } else {
            more.registers[word_b(w)] = std::move(item);
        }
        more.cost += charge_of(w);
        jump(call, at, target, std::move(more));
    }
    if (has_more == Tristate::Yes || stopped_) return;
    state.registers[word_a(w)] = state.registers[word_a(w) + 1] = AbstractValue{};
    if (word_op(w) == Op::IterPair || is_zipped) state.registers[word_a(w) + 2] = AbstractValue{};
    wait(call, next, std::move(state));
}

Span FuelSearch::span_at(std::uint32_t at) const {
    for (std::size_t i = calls_.size(); i-- > 0;) {
        if (calls_[i].proto->program == &program_) return calls_[i].proto->spans[at];
        at = calls_[i].site.at;
    }
    return {};
}

void FuelSearch::stop(std::uint32_t at, std::string why) {
    if (!stopped_) stopped_ = FuelBound{std::nullopt, std::move(why), span_at(at)};
}

std::string FuelSearch::caller_name(std::uint32_t at, std::string_view fallback) const {
    std::string_view name = program_.source.text(span_at(at));
    if (!name.starts_with("(")) return quoted(fallback);
    name = name.substr(1, name.find_first_of(" \t\r\n,()[]{}\"", 1) - 1);
    return quoted(name.empty() ? fallback : name);
}

void FuelSearch::stop_at_size(std::uint32_t at, const std::string& what, const AbstractValue& value) {
    if (value.is_known()) return stop(at, what + " values that may be so large that no bound is of use");
    const std::string& of = origins_[value.origin];
    stop(at, what + " " + (value.origin == 0 ? of + " whose" : of + ", whose") + " size is not known");
}

void FuelSearch::stop_at_cost(std::uint32_t at, const Word* ip) {
    const std::string name(op_info(word_op(*ip)).mnemonic);
    stop_at_size(at, caller_name(at, name) + " works on", {});
}

void FuelSearch::stop_at_instruction(std::uint32_t at, const Word* ip) {
    stop(at, "what " + caller_name(at, op_info(word_op(*ip)).mnemonic) + " costs is not followed");
}

void FuelSearch::stop_following(std::uint32_t at) {
    stop(at, "the search for a bound ends here, after " + std::to_string(std::min(steps_, max_steps_)) + " steps");
    if (loop_span_.size() > 0) stopped_->span = loop_span_;
}

FuelBound fuel_bound(const Program& program, std::span<const KnownData> data, std::size_t max_steps) {
    return FuelSearch(program, data, max_steps).run();
}

} // namespace ptc
