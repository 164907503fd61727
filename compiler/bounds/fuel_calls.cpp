// The search for a bound of fuel: calls. A call of a known function is followed into its code with the abstract values
// of its arguments, a fresh activation each time, so recursion ends when the values decide its tests. A builtin is not
// followed: its model gives cost and result, and where the number of arguments is not known a bound for both ends of
// its range has to do (takes_any_count). What cannot be followed ends the search with the place and the reason.
#include "compiler/bounds/fuel_search.h"
#include "frontend/quoted.h"

#include "runtime/builtin.h"
#include <algorithm>

namespace ptc {
namespace {

using namespace kinds;

constexpr std::size_t kMaxCalls = 2'000; ///< within each other

} // namespace

void FuelSearch::enter(const FunctionProto* proto, AbstractValue self, std::vector<AbstractValue> arguments,
                       FuelState caller, CodeSite site) {
    if (calls_.size() >= kMaxCalls) {
        return stop(site.at, quoted(proto->name) + " calls itself, and nothing that is known ends that");
    }
    FuelState start;
    start.cost = caller.cost + proto->entry_cost;
    start.registers.resize(std::max<std::size_t>(proto->frame_size, arguments.size()));
    std::move(arguments.begin(), arguments.end(), start.registers.begin());
    Activation& call = calls_.emplace_back();
    call.proto = proto;
    call.self = std::move(self);
    call.caller = std::move(caller);
    call.site = site;
    call.waiting.emplace(0, std::move(start));
}

void FuelSearch::start_call(Activation& call, std::uint32_t at, std::uint32_t next, const Word* ip, FuelState state) {
    const Word w = *ip;
    const CodeSite site{at, next, word_a(w)};
    AbstractValue callee;
    switch (word_op(w)) {
    case Op::CallFunction: {
        const std::string name = constant_text(call, ip[1] >> 16);
        if (definitions_[name] > 1) return stop(at, quoted(name) + " is defined more than once");
        const Value function = Value::adopt(call.proto->constants[ip[1] & 0xFFFF]);
        callee = abstract_value_of(function);
        break;
    }
    case Op::CallSelf: callee = call.self; break;
    case Op::Call:
    case Op::Apply: callee = state.registers[site.window]; break;
    case Op::CallOne: {
        callee = state.registers[word_b(w)];
        std::vector<AbstractValue> argument{state.registers[word_c(w)]};
        return call_value(site, callee, std::move(argument), std::move(state));
    }
    default: return stop_at_instruction(at, ip);
    }
    const auto first = state.registers.begin() + site.window + kFrameLink;
    std::vector<AbstractValue> arguments(first, first + word_b(w));
    if (word_op(w) == Op::Apply) return apply(site, callee, std::move(arguments), std::move(state));
    call_value(site, callee, std::move(arguments), std::move(state));
}

void FuelSearch::call_value(CodeSite site, const AbstractValue& callee, std::vector<AbstractValue> arguments,
                            FuelState state) {
    if (!callee.may_be(kFunction)) return call_key(site, callee, arguments, std::move(state));
    if (!callee.must_be(kFunction) || !callee.inside)
        return stop(site.at, "which function is called here is not known");
    if (!callee.inside->function) {
        return call_builtin(site, callee.inside->builtin, arguments, std::move(state));
    }
    const FunctionProto* proto = choose_arity(callee.inside->function, arguments.size());
    if (!proto) return failed(state);
    if (proto->first_arity || proto->next_arity) // another arity of a closure is a closure of its own
        state.cost += static_cast<double>(callee.inside->captures.size());
    if (proto->variadic) {
        const std::size_t fixed = proto->param_count - 1u;
        const auto n = static_cast<double>(arguments.size() - fixed);
        AbstractValue item;
        for (std::size_t i = fixed; i < arguments.size(); ++i)
            item = i == fixed ? arguments[i] : join(item, arguments[i]);
        AbstractValue rest = n > 0 ? vector_of(item, n, n) : scalar(kNil);
        state.cost += copy_share(rest);
        arguments.resize(fixed);
        arguments.push_back(std::move(rest));
    }
    enter(proto, callee, std::move(arguments), std::move(state), site);
}

void FuelSearch::failed(const FuelState& state) { total_ = std::max(total_, state.cost + 16); }

void FuelSearch::call_builtin(CodeSite site, std::uint32_t index, std::span<const AbstractValue> arguments,
                              FuelState state) {
    const Builtin& builtin = builtin_at(index);
    if (!builtin.arity().accepts(arguments.size())) return failed(state);
    state.cost += builtin.cost;
    if (!run_native(site.at, index, arguments, state.cost, state.registers[site.window])) return;
    wait(calls_.back(), site.next, std::move(state));
}

void FuelSearch::call_key(CodeSite site, const AbstractValue& callee, std::span<const AbstractValue> arguments,
                          FuelState state) {
    if (arguments.empty() || arguments.size() > 2) return failed(state);
    state.cost += std::max(lookup_cost(callee, arguments[0]), lookup_cost(arguments[0], callee));
    if (!(state.cost < kMaxFuelBound))
        return stop_at_size(site.at, "this looks something up in", callee.is_known() ? arguments[0] : callee);
    AbstractValue found =
        callee.must_be(kKeyword) ? found_in(arguments[0]) : join(found_in(callee), found_in(arguments[0]));
    found = join(found, arguments.size() > 1 ? arguments[1] : scalar(kNil));
    found.kinds |= kNil;
    state.registers[site.window] = std::move(found);
    wait(calls_.back(), site.next, std::move(state));
}

void FuelSearch::apply(CodeSite site, const AbstractValue& callee, std::vector<AbstractValue> arguments,
                       FuelState state) {
    constexpr double kMostArguments = 2'000;
    const AbstractValue spread = as_sequence(arguments.back());
    state.cost += sequence_cost(arguments.back()) + spread.most;
    arguments.pop_back();
    if (!(state.cost < kMaxFuelBound)) return stop_at_size(site.at, "`apply` goes through", spread);
    const bool is_exact = spread.least == spread.most;
    if (is_exact && spread.most <= kMostArguments) {
        arguments.resize(arguments.size() + static_cast<std::size_t>(spread.most), item_of(spread));
        return call_value(site, callee, std::move(arguments), std::move(state));
    }
    if (callee.must_be(kFunction) && callee.inside && !callee.inside->function &&
        takes_any_count(callee.inside->builtin))
        return apply_builtin(site, callee.inside->builtin, std::move(arguments), spread, std::move(state));
    stop(site.at, "how many arguments `apply` passes is not known");
}

void FuelSearch::apply_builtin(CodeSite site, std::uint32_t index, std::vector<AbstractValue> arguments,
                               const AbstractValue& spread, FuelState state) {
    constexpr double kMostArguments = 100'000;
    if (spread.most > kMostArguments) return stop(site.at, "how many arguments `apply` passes is not known");
    const std::size_t fixed = arguments.size();
    const Builtin& builtin = builtin_at(index);
    std::optional<AbstractValue> result;
    double dearest = state.cost;
    for (const double n : {spread.least, spread.least + 1, spread.most - 1, spread.most}) {
        if (n < 0 || n > spread.most) continue;
        arguments.resize(fixed);
        arguments.resize(fixed + static_cast<std::size_t>(n), item_of(spread));
        if (!builtin.arity().accepts(arguments.size())) continue;
        double cost = state.cost + builtin.cost;
        AbstractValue one;
        if (!run_native(site.at, index, arguments, cost, one)) return;
        result = result ? join(*result, one) : one;
        dearest = std::max(dearest, cost);
    }
    state.cost = dearest;
    if (!result) return failed(state);
    state.registers[site.window] = std::move(*result);
    wait(calls_.back(), site.next, std::move(state));
}

bool FuelSearch::run_native(std::uint32_t at, std::uint32_t index, std::span<const AbstractValue> arguments,
                            double& cost, AbstractValue& result) {
    const Builtin& builtin = builtin_at(index);
    steps_ += arguments.size() / 4; // long lists of arguments take their time
    std::optional<NativeBound> native = native_bound(index, arguments);
    if (!native) {
        stop(at, "what `" + std::string(builtin.name) + "` costs depends on more than the sizes of its arguments");
        return false;
    }
    cost += native->cost;
    if (!(cost < kMaxFuelBound)) {
        const auto unknown =
            std::find_if(arguments.begin(), arguments.end(), [](const AbstractValue& a) { return !a.is_known(); });
        stop_at_size(at, caller_name(at, builtin.name) + " works on",
                     unknown == arguments.end() ? AbstractValue{} : *unknown);
        return false;
    }
    result = std::move(native->result);
    return true;
}

} // namespace ptc
