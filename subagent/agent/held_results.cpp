// Results of a program's calls beyond its end. A call is one of these: held; failed, and nil in the list of its tool;
// or made and lost, of which the model reads the number and the reason. So it can tell a payment that was made, and
// whose receipt is gone, from one that failed. What there is no room for goes by size, the largest first.
#include "subagent/agent/held_results.h"
#include "subagent/agent/approval_parts.h"
#include "subagent/engine/boundary.h"
#include "subagent/engine/engine_impl.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <stop_token>

namespace ptc {
namespace {

using State = HeldCall::State;

constexpr std::size_t kMostFailure = 200;  ///< bytes of why a call failed
constexpr std::size_t kMostFailures = 3;   ///< of which that is said
constexpr std::size_t kMostRuns = 6;       ///< "5 to 9", "12"
constexpr std::uint64_t kBytesOfName = 40; ///< of data/NAME and the list behind it, beside the tool's name

/// Checks of what is held against the signatures of tools, together within what a program may take.
class Checks {
public:
    explicit Checks(const AgentCore& core) : core_(core), fuel_(core.options().limits.fuel) {
        const MissionEnv& env = core.env;
        if (env.tape || env.options.clock.now) return; // that time is another's: fuel alone ends them
        const std::optional<Millis>& mission = core.state.deadline;
        const Millis most = core.options().timeout;
        const Millis left = mission ? std::clamp(*mission - env.now(), Millis(1), most) : most;
        deadline_ = Meter::Clock::now() + left;
        on_stop_.emplace(env.options.stop, [this] { is_stopped_.store(true, std::memory_order_relaxed); });
    }
    ~Checks() { core_.state.current.fuel += core_.options().limits.fuel - fuel_; }
    Checks(const Checks&) = delete;
    Checks& operator=(const Checks&) = delete;

    [[nodiscard]] State of(const HeldCall& call) {
        const EngineImpl& engine = impl_of(*core_.impl().engine);
        const Tool* tool = engine.find_tool(call.tool);
        const CompiledSignature* signature = tool ? engine.signature_of(*tool) : nullptr;
        if (!signature) return State::Held;
        const ValidationOptions options{.mode = tool->validation.value_or(core_.mode()), .is_json_text = true};
        const Result<bool> fits = fits_in_time(*signature, Direction::Output, call.result, options,
                                               {.deadline = deadline_, .interrupt = &is_stopped_, .fuel = &fuel_});
        if (fits.ok()) return fits.value() ? State::Held : State::Unfit;
        const Reason why = fits.error().reason;
        return why == Reason::LimitExceeded || why == Reason::MemoryExceeded ? State::NoRoom : State::Unchecked;
    }

private:
    const AgentCore& core_;
    std::int64_t fuel_;
    Meter::Clock::time_point deadline_ = Meter::Clock::time_point::max();
    std::atomic<bool> is_stopped_ = false;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_{};
};

void drop_result(HeldCall& call, State state, const std::string& why = "") {
    call.state = state;
    call.result = {};
    call.bytes = 0;
    call.why = why;
}

/// Why what a call gave is lost, behind a colon.
std::string why_lost(const HeldCall& call) {
    switch (call.state) {
    case State::NoRoom: return "there is no room for it.";
    case State::Unfit: return "it does not fit the tool's signature.";
    case State::Unchecked: return "checking it by the tool's signature takes too long.";
    case State::Refused: return call.why;
    case State::Held:
    case State::Failed: break;
    }
    return "";
}

} // namespace

void HeldResults::drop() {
    core_.state.held.clear();
    by_size_.clear();
    bytes_ = 0;
    counted_ = 0;
}

/// A program may make a hundred thousand calls, one after the other: each is counted once.
void HeldResults::count() {
    const std::vector<HeldCall>& held = core_.state.held;
    for (; counted_ < held.size(); ++counted_) {
        if (held[counted_].state != State::Held) continue;
        by_size_.emplace(held[counted_].bytes, counted_);
        bytes_ += held[counted_].bytes;
    }
}

void HeldResults::hold(const std::vector<PendingUse>& uses) {
    std::vector<HeldCall>& held = core_.state.held;
    const std::size_t first = held.size();
    for (const PendingUse& use : uses) {
        HeldCall& call = held.emplace_back(HeldCall{.tool = use.tool});
        if (const Error* error = std::get_if<Error>(&*use.answer))
            drop_result(call, State::Failed, cut_text(core_.hidden(error->message), kMostFailure));
        else
            call.bytes = compact_size(std::get<Datum>(*use.answer));
    }
    count(); // also what a snapshot had
    while (bytes_ > core_.options().tool_cache.bytes) {
        const auto largest = std::prev(by_size_.end());
        bytes_ -= largest->first;
        drop_result(held[largest->second], State::NoRoom);
        by_size_.erase(largest);
    }
    for (std::size_t i = first; i < held.size(); ++i)
        if (held[i].state == State::Held) held[i].result = std::get<Datum>(*uses[i - first].answer);
}

void HeldResults::settle(std::uint64_t room) {
    std::vector<HeldCall*> order;
    for (HeldCall& call : core_.state.held)
        if (call.state == State::Held) order.push_back(&call);
    std::ranges::sort(order, {}, [](const HeldCall* call) { return std::pair(call->bytes, call); });
    Checks checks(core_);
    std::set<std::string_view> named;
    for (HeldCall* call : order) {
        const std::uint64_t of_name = named.contains(call->tool) ? 0 : call->tool.size() + kBytesOfName;
        const State state = call->bytes + of_name > room ? State::NoRoom : checks.of(*call);
        if (state != State::Held) {
            drop_result(*call, state);
            continue;
        }
        room -= call->bytes + of_name;
        named.insert(call->tool);
    }
}

std::vector<std::vector<std::size_t>> HeldResults::by_tool() const {
    const std::vector<HeldCall>& held = core_.state.held;
    std::vector<std::vector<std::size_t>> tools;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i].state != State::Held && held[i].state != State::Failed) continue;
        const auto [at, is_new] = places.try_emplace(held[i].tool, tools.size());
        if (is_new) tools.emplace_back();
        tools[at->second].push_back(i);
    }
    std::erase_if(tools, [&](const std::vector<std::size_t>& calls) {
        return std::ranges::none_of(calls, [&](std::size_t i) { return held[i].state == State::Held; });
    });
    return tools;
}

Datum HeldResults::value_of(const std::vector<std::size_t>& calls) const {
    if (calls.size() == 1) return core_.state.held[calls[0]].result;
    Datum::List list;
    for (const std::size_t i : calls)
        list.push_back(core_.state.held[i].result);
    return Datum(std::move(list));
}

void HeldResults::lose(const std::vector<std::size_t>& calls, State state, const std::string& why) {
    for (const std::size_t i : calls)
        if (core_.state.held[i].state == State::Held) drop_result(core_.state.held[i], state, why);
}

// ---- Words

std::string calls_text(const std::vector<std::size_t>& calls, const std::vector<HeldCall>& all) {
    std::vector<std::string> runs;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < calls.size() && runs.size() < kMostRuns; i = shown) {
        std::size_t end = i + 1;
        while (end < calls.size() && calls[end] == calls[end - 1] + 1)
            ++end;
        if (end - i == 2) end = i + 1; // "1 and 2"
        shown = end;
        runs.push_back(std::to_string(calls[i] + 1));
        if (end > i + 1) runs.back() += " to " + std::to_string(calls[end - 1] + 1);
    }
    if (shown < calls.size()) runs.push_back(std::to_string(calls.size() - shown) + " more");
    std::string text = calls.size() == 1 ? "call " : "calls ";
    for (std::size_t i = 0; i < runs.size(); ++i)
        text += (i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ") + runs[i];
    return text + " of " + std::to_string(all.size()) + " (" + all[calls[0]].tool + ")";
}

std::string unkept_text(const std::vector<HeldCall>& all) {
    std::string text;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].state != State::Failed || ++failed > kMostFailures) continue;
        std::string call = calls_text({i}, all);
        call[0] = 'C';
        text += call + " failed: " + all[i].why + (all[i].why.ends_with('.') ? " " : ". ");
    }
    if (failed > kMostFailures) text += "So did " + std::to_string(failed - kMostFailures) + " more. ";
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> lost; // by tool and why
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const std::string why = why_lost(all[i]); !why.empty()) lost[{all[i].tool, why}].push_back(i);
    for (const auto& [which, calls] : lost) {
        text += "What " + calls_text(calls, all) + " gave is lost, though " +
                (calls.size() == 1 ? "it was made: " : "they were made: ") + which.second + " ";
    }
    return text;
}

} // namespace ptc
