// One mission of a worker, as a state machine that blocks only in the store. A step (`work`) takes the answers that
// came, each recorded before the mission gets it; runs the mission as far as it goes; writes what it needs now; and
// only then has calls made. So at any point the store has all that others need to go on: the mission as it was when
// its calls were made, and the answers since. What is in memory alone can be had again from those.
//
// Two answers are not recorded. A call of a model that failed: the mission takes it first, and if that ends it, it is
// given back as it was written last, so that only this call is made anew. And what a tool said after it was stopped.
#include "subagent/store/carried_mission.h"
#include "frontend/bytes.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/mission_snapshot.h"
#include "subagent/agent/reply_bytes.h"
#include "subagent/engine/datum_bytes.h"
#include "subagent/store/payload.h"
#include "subagent/store/sql_store.h"
#include <algorithm>
#include <exception>

namespace ptc {
namespace {

constexpr Millis64 kFirstRetry{100}; ///< of a write to a store that is away
constexpr Millis64 kLongestRetry{5'000};
constexpr Millis64 kLongestTime = std::chrono::years(50); ///< that a clock of nanoseconds can go on for

std::string bytes_of(const LlmResult& result) {
    ByteWriter out;
    write_reply(out, result);
    return std::move(out.bytes());
}

std::string bytes_of(const ToolAnswer& answer) {
    ByteWriter out;
    write_answer(out, answer);
    return std::move(out.bytes());
}

std::string bytes_of(const ApprovalAnswer& answer) {
    ByteWriter out;
    write_approval(out, answer);
    return std::move(out.bytes());
}

template <class T> std::optional<T> read_bytes(const std::string& bytes, T (*read)(ByteReader&)) {
    ByteReader in(bytes);
    T value = read(in);
    return in.ok() ? std::optional(std::move(value)) : std::nullopt;
}

std::string error_json(std::string_view reason, std::string_view message) {
    return JsonObject().text("reason", reason).text("message", message).finish();
}

std::string approval_json(const ApprovalNeed& need) {
    const ApprovalRequest& request = need.request;
    JsonObject out;
    out.number("need", static_cast<std::int64_t>(need.id)).text("tool", request.subject());
    if (!request.point.empty()) out.text("point", request.point);
    out.raw("arguments", request.arguments.to_json()).text("agent", request.agent);
    out.number("turn", static_cast<std::int64_t>(request.turn));
    if (request.is_cut) out.boolean("is_cut", true);
    if (!request.description.empty()) out.text("description", request.description);
    if (request.line > 0) out.number("line", request.line).number("column", request.column);
    if (!request.problem.empty()) out.text("problem", request.problem);
    return out.finish();
}

/// A call that is answered elsewhere, for people and for who answers it.
std::string tool_json(const ToolNeed& need, const StoredCall& call) {
    constexpr std::size_t kMostArguments = 64 * 1024;
    const bool is_child = call.kind == StoredCall::Kind::Child;
    const std::string arguments = public_view(need.arguments).to_json();
    JsonObject out;
    out.number("need", static_cast<std::int64_t>(need.id)).text("tool", need.tool->name);
    out.text("answered_by", is_child ? "child" : "outside");
    if (is_child) out.text("child", call.key);
    if (arguments.size() <= kMostArguments) return out.raw("arguments", arguments).finish();
    return out.boolean("is_cut", true).finish();
}

/// Nobody is asked once more: who answered believes that it is done.
ApprovalAnswer read_decision(const std::string& bytes) {
    std::optional<ApprovalAnswer> answer = read_bytes(bytes, read_approval);
    return answer ? std::move(*answer) : ApprovalAnswer::deny("The answer that was stored cannot be read.");
}

/// What a child came to, as the answer of a tool.
std::optional<ToolAnswer> read_child(const std::string& bytes) {
    const std::optional<ChildAnswer> answer = child_answer(bytes);
    if (!answer) return std::nullopt;
    const Result<Datum> json = Datum::from_json(answer->bytes);
    if (!json.ok()) return std::nullopt;
    if (answer->status == MissionStatus::Done) return json.value();
    const auto text = [&](const char* member) {
        const Datum* const found = json.value().find(member);
        return found && found->text() ? *found->text() : std::string();
    };
    const char* const how = answer->status == MissionStatus::Cancelled ? "was cancelled" : "failed";
    return Error(Reason::ToolError,
                 std::string("The child mission ") + how + ": " + text("reason") + ": " + text("message"));
}

/// A row may say that somebody answered and have no answer: that is one that cannot be read. Nobody would give another.
bool has_come(const StoredCall& call) {
    using Kind = StoredCall::Kind;
    const bool is_elsewhere = call.kind == Kind::Approval || call.kind == Kind::Outside || call.kind == Kind::Child;
    return call.answer || (is_elsewhere && call.answered != 0);
}

/// A name that is the same for the same call, and short enough.
std::string child_id(const std::string& mission, std::uint64_t need) {
    const std::string id = mission + "/" + std::to_string(need);
    return id.size() <= kMostNameBytes ? id : sha256(mission) + "/" + std::to_string(need);
}

} // namespace

Millis64 backoff(Millis64 first, Millis64 longest, unsigned times_before) {
    const Millis64 wait = first * (std::int64_t{1} << std::min(times_before, 20u));
    return std::min(wait, longest);
}

Signal approval_signal(std::uint64_t need, const ApprovalAnswer& answer) {
    return {.kind = Signal::Kind::Answer, .need = need, .bytes = bytes_of(answer)};
}

Signal tool_signal(std::uint64_t need, const ToolAnswer& answer) {
    return {.kind = Signal::Kind::Answer, .need = need, .bytes = bytes_of(answer)};
}

std::optional<ApprovalAnswer> approval_answer(const StoredCall& call) {
    if (call.kind != StoredCall::Kind::Approval || !call.answer) return std::nullopt;
    return read_bytes(*call.answer, read_approval);
}

CarriedMission::CarriedMission(ClaimedMission claim, std::shared_ptr<MissionCarrier> carrier)
    : id_(claim.id), token_(claim.token), claim_(std::move(claim)), losses_(claim_.losses),
      claimed_bytes_(claim_.bytes), carrier_(std::move(carrier)) {
    is_cancelled_ = claim_.is_cancelled;
    for (StoredCall& call : claim_.calls) {
        if (has_come(call)) known_.emplace(call.need, std::move(call.answer).value_or(""));
        call.answer.reset();
        pending_.emplace(call.need, std::move(call)); // it is in the store already
    }
    claim_.calls.clear();
}

// ---- What others tell it

void CarriedMission::put(std::uint64_t need, std::variant<LlmResult, ToolAnswer> result) {
    {
        const std::scoped_lock lock(mutex_);
        came_.push_back({need, std::move(result)});
    }
    carrier_->wake(shared_from_this());
}

void CarriedMission::note_lost() {
    if (is_lost_.exchange(true)) return;
    stop_.request_stop();
    carrier_->wake(shared_from_this());
}

void CarriedMission::note_cancel() {
    if (is_cancelled_.exchange(true)) return;
    stop_.request_stop();
    carrier_->wake(shared_from_this());
}

void CarriedMission::note_late() {
    if (is_late_.exchange(true)) return;
    stop_.request_stop();
    carrier_->wake(shared_from_this());
}

ClaimedMission CarriedMission::lease() const {
    ClaimedMission lease;
    lease.id = id_;
    lease.token = token_;
    return lease;
}

template <class Event> void CarriedMission::log(std::string_view level, const Event& event, std::string members) {
    if (carrier_->options().on_log) carrier_->log(level, event, id_, members);
}

// ---- Steps

CarriedMission::Verdict CarriedMission::work() {
    retry_in_.reset();
    Next next = Next::GoOn;
    while (next == Next::GoOn) {
        if (is_lost_) {
            next = lose();
            break;
        }
        if (carrier_->has_given_up()) { // its lease ends with its time
            next = Next::End;
            break;
        }
        if (is_to_end() && !mission_) next = finish_early();
        if (next == Next::GoOn && !mission_) next = begin();
        if (next == Next::GoOn) next = take_arrivals();
        if (next == Next::GoOn && is_to_end() && !mission_->is_done()) mission_->interrupt();
        if (next == Next::GoOn) next = mission_->is_done() ? finish() : write_and_call();
        if (next == Next::GoOn) next = rest();
    }
    if (next == Next::Wait) return Verdict::Waits;
    stop_.request_stop(); // of calls that nobody waits for any more
    return Verdict::Over;
}

/// The mission as it was written last, or a new one.
CarriedMission::Next CarriedMission::begin() {
    const auto prepared = [&]() -> Result<void> {
        runnable_ = PTC_TRY(carrier_->maker()(claim_));
        if (runnable_.not_here) return *runnable_.not_here;
        MissionOptions options = runnable_.options;
        options.id = id_;
        options.stop = stop_.get_token();
        options.on_event = [this, also = std::move(options.on_event)](const MissionEvent& event) {
            on_event(event);
            if (also) also(event);
        };
        if (!claim_.snapshot.empty()) {
            mission_ = PTC_TRY(runnable_.agent->restore(claim_.snapshot, std::move(options)));
            return {};
        }
        auto mission = std::make_unique<Mission>(runnable_.agent, std::move(options));
        mission->start();
        mission_ = std::move(mission);
        return {};
    };
    try {
        const Result<void> done = prepared();
        if (!done.ok() && runnable_.not_here) return leave_to_others(done.error());
        if (!done.ok() && runnable_.agent && is_of_another_agent(claim_.snapshot, *runnable_.agent))
            return leave_to_others(done.error());
        if (!done.ok()) return try_later(reason_name(done.error().reason), done.error().message);
        began_with_ = mission_->step().usage;
        carrier_->note_begun();
        return Next::GoOn;
    } catch (const std::exception& e) { // what hosts write may throw
        return try_later("exception", e.what());
    } catch (...) {
        return try_later("exception", "of unknown type");
    }
}

void CarriedMission::on_event(const MissionEvent& event) {
    if (event.kind == MissionEvent::Kind::TurnStart) ++carrier_->counts.turns;
    if (carrier_->options().on_event) carrier_->options().on_event(claim_, event);
}

CarriedMission::Next CarriedMission::take_arrivals() {
    {
        const std::scoped_lock lock(mutex_);
        std::ranges::move(came_, std::back_inserter(arrived_));
        came_.clear();
    }
    while (!arrived_.empty()) {
        if (!mission_->is_done()) {
            if (const Next next = take(arrived_.front()); next != Next::GoOn) return next;
        }
        arrived_.pop_front();
        --under_way_;
    }
    return Next::GoOn;
}

CarriedMission::Next CarriedMission::take(Arrival& arrival) {
    const auto* reply = std::get_if<LlmResult>(&arrival.result);
    const auto* answer = std::get_if<ToolAnswer>(&arrival.result);
    const bool has_failed = reply && std::holds_alternative<LlmError>(*reply);
    const bool is_given_up = answer && std::holds_alternative<Error>(*answer) && stop_.stop_requested();
    const std::string bytes = reply ? bytes_of(*reply) : bytes_of(*answer);
    // A model is asked once more where the database's machine ends before the commit that follows; what a tool did
    // stands outside.
    const Durability durability = reply ? Durability::WithNext : Durability::AtOnce;
    if (!has_failed && !is_given_up) {
        const Next next = record(arrival.need, bytes, durability);
        if (next != Next::GoOn) return next;
    }
    if (carrier_->is_draining()) return Next::GoOn; // whoever goes on finds it
    std::visit([&](auto& result) { give(arrival.need, std::move(result)); }, arrival.result);
    // It counts as one of the attempts. When this fails, the call is made again, as after a crash.
    if (has_failed && !mission_->is_done()) (void)carrier_->store().record(claim_, arrival.need, bytes, durability);
    return Next::GoOn;
}

CarriedMission::Next CarriedMission::record(std::uint64_t need, std::string_view answer, Durability durability) {
    const SteadyClock::time_point begun = SteadyClock::now();
    const Next next = after(carrier_->store().record(claim_, need, answer, durability), "record", begun);
    if (next == Next::GoOn) losses_ = 0; // the store counts anew, too
    return next;
}

bool CarriedMission::may_be_made(std::uint64_t need) const {
    const auto call = pending_.find(need);
    return call != pending_.end() && call->second.asked > 0;
}

/// Whether it is new: not from the claim.
bool CarriedMission::add_call(std::uint64_t need, StoredCall::Kind kind, std::string name, std::string key) {
    StoredCall call;
    call.need = need;
    call.kind = kind;
    call.name = std::move(name);
    call.key = std::move(key);
    const bool is_new = pending_.emplace(need, std::move(call)).second;
    is_uncommitted_ |= is_new;
    return is_new;
}

void CarriedMission::add_needs(Needs needs) {
    for (LlmNeed& need : needs.llm) {
        add_call(need.id, StoredCall::Kind::ModelCall, need.name, need.request.key);
        needs_.llm.push_back(std::move(need));
    }
    for (ToolNeed& need : needs.tools)
        add_tool(std::move(need));
    for (ApprovalNeed& need : needs.approvals) {
        add_call(need.id, StoredCall::Kind::Approval, need.request.tool, id_ + "/" + std::to_string(need.id));
        needs_.approvals.push_back(std::move(need));
    }
}

Result<std::optional<Elsewhere>> CarriedMission::where_answered(const ToolNeed& need) const {
    if (!runnable_.elsewhere) return std::optional<Elsewhere>();
    try {
        return runnable_.elsewhere(need);
    } catch (const std::exception& e) {
        return Error(Reason::ToolError, e.what());
    } catch (...) {
        return Error(Reason::ToolError, "an exception of unknown type");
    }
}

/// What the store knows of a call counts, whatever the host says now.
void CarriedMission::add_tool(ToolNeed need) {
    using Kind = StoredCall::Kind;
    Result<std::optional<Elsewhere>> where = where_answered(need);
    std::optional<Elsewhere> elsewhere = where.ok() ? std::move(where).value() : std::nullopt;
    const bool has_end = elsewhere && elsewhere->at_most;
    const Millis64 at_most = has_end ? std::clamp(*elsewhere->at_most, Millis64(0), kLongestTime) : Millis64(0);
    if (const auto known = pending_.find(need.id); known != pending_.end()) {
        const StoredCall& call = known->second;
        if (call.kind == Kind::Outside || call.kind == Kind::Child) {
            std::optional<SteadyTime>& end = elsewhere_[need.id];
            const std::int64_t asked = std::clamp<std::int64_t>(call.asked, 0, claim_.now); // a row may say anything
            if (has_end) end = claimed_at_ + (at_most - Millis64(claim_.now - asked));
        }
    } else if (!elsewhere) {
        add_call(need.id, Kind::ToolCall, need.tool->name, need.key);
        if (!where.ok()) refused_.emplace(need.id, where.error());
    } else {
        if (elsewhere->child && elsewhere->child->id.empty()) elsewhere->child->id = child_id(id_, need.id);
        add_call(need.id, elsewhere->child ? Kind::Child : Kind::Outside, need.tool->name,
                 elsewhere->child ? elsewhere->child->id : need.key);
        if (elsewhere->child) children_.push_back(std::move(*elsewhere->child));
        elsewhere_.emplace(need.id, std::nullopt);
        if (has_end) times_.emplace(need.id, at_most);
    }
    needs_.tools.push_back(std::move(need));
}

std::optional<ToolAnswer> CarriedMission::read_tool(std::uint64_t need, const std::string& bytes) const {
    const auto call = pending_.find(need);
    const bool is_elsewhere = elsewhere_.contains(need);
    const bool is_child = call != pending_.end() && call->second.kind == StoredCall::Kind::Child;
    std::optional<ToolAnswer> answer = is_child ? read_child(bytes) : read_bytes(bytes, read_answer);
    if (!answer && is_elsewhere) return Error(Reason::ToolError, "The answer that was stored cannot be read.");
    return answer;
}

/// The mission gets an answer, and needs other things then.
template <class Answer> void CarriedMission::give(std::uint64_t need, Answer answer) {
    pending_.erase(need);
    elsewhere_.erase(need);
    taken_.push_back(need);
    mission_->answer(need, std::move(answer));
    add_needs(mission_->take_needs());
}

/// Gives the mission the answers that were recorded before it was claimed.
void CarriedMission::answer_known() {
    add_needs(mission_->take_needs());
    const auto give_first = [this](auto& list, auto read) {
        for (auto need = list.begin(); need != list.end(); ++need) {
            const auto found = known_.find(need->id);
            if (found == known_.end()) continue;
            auto answer = read(need->id, found->second);
            const std::uint64_t id = need->id;
            known_.erase(found);
            if (!answer) { // the call is made again, and its next answer is kept in place of this one
                forgotten_.push_back(id);
                is_uncommitted_ = true;
                return true;
            }
            list.erase(need);
            give(id, std::move(*answer));
            return true;
        }
        return false;
    };
    const auto reply = [](std::uint64_t, const std::string& bytes) { return read_bytes(bytes, read_reply); };
    const auto tool = [this](std::uint64_t need, const std::string& bytes) { return read_tool(need, bytes); };
    const auto approval = [](std::uint64_t, const std::string& bytes) { return std::optional(read_decision(bytes)); };
    while (!known_.empty() && !mission_->is_done()) {
        if (give_first(needs_.llm, reply) || give_first(needs_.tools, tool) || give_first(needs_.approvals, approval))
            continue;
        known_.clear(); // of calls that nobody waits for
    }
}

CarriedMission::Next CarriedMission::write_and_call() {
    answer_known();
    if (mission_->is_done()) return finish();
    if (is_uncommitted_) {
        Result<Commit> commit = commit_of(true);
        if (!commit.ok()) return after(commit.error(), "save");
        commit.value().children = children_;
        const SteadyClock::time_point begun = SteadyClock::now();
        const Result<void> written = carrier_->store().commit(claim_, commit.value());
        // An id that another mission has, an agent that is not there: the same for whoever claims it next.
        if (!children_.empty() && !written.ok() && written.error().reason == Reason::InvalidRequest)
            return fail(reason_name(Reason::InvalidRequest), "A child cannot begin: " + written.error().message);
        const Next next = after(written, "commit", begun);
        if (next != Next::GoOn) return next;
        ++carrier_->counts.commits;
        note_committed();
    }
    if (!carrier_->is_draining()) call_all();
    return Next::GoOn;
}

void CarriedMission::note_committed() {
    is_uncommitted_ = false;
    taken_.clear();
    forgotten_.clear();
    children_.clear();
    for (const auto& [need, at_most] : times_) // from now on: no earlier than by the store's clock
        if (const auto call = elsewhere_.find(need); call != elsewhere_.end())
            call->second = std::chrono::steady_clock::now() + at_most;
    times_.clear();
}

void CarriedMission::call_all() {
    const CarriedPtr self = shared_from_this();
    Needs needs = std::exchange(needs_, {});
    for (ApprovalNeed& need : needs.approvals)
        open_.emplace(need.id, std::move(need));
    for (LlmNeed& need : needs.llm) {
        ++under_way_;
        carrier_->call(self, std::move(need));
    }
    for (ToolNeed& need : needs.tools) {
        if (elsewhere_.contains(need.id))
            open_tools_.emplace(need.id, std::move(need));
        else
            call_here(std::move(need));
    }
}

void CarriedMission::call_here(ToolNeed need) {
    ++under_way_;
    const auto refused = refused_.find(need.id);
    if (refused == refused_.end() && !need.tool->one_at_a_time)
        return carrier_->call(shared_from_this(), std::move(need));
    // On the thread that runs the mission.
    ToolAnswer answer = refused == refused_.end() ? call_tool(need) : ToolAnswer(refused->second);
    if (refused != refused_.end()) refused_.erase(refused);
    const std::scoped_lock lock(mutex_);
    came_.push_back({need.id, std::move(answer)});
}

/// Nothing can be done now: it waits for calls here, for what is answered elsewhere in the store.
CarriedMission::Next CarriedMission::rest() {
    {
        const std::scoped_lock lock(mutex_);
        if (!came_.empty() || is_lost_ || is_to_end()) return Next::GoOn;
    }
    if (under_way_ > 0) return Next::Wait;
    if (carrier_->is_draining()) {
        give_back();
        return Next::End;
    }
    if (open_.empty() && open_tools_.empty()) return try_later("stalled", "The mission waits for nothing.");
    Next next = ask_approvals();
    if (next == Next::Wait) next = end_times();
    return next == Next::Wait ? wait_in_store() : next;
}

/// Wait: nobody here knows more.
CarriedMission::Next CarriedMission::ask_approvals() {
    const Approver& approve = carrier_->options().approve;
    for (auto at = open_.begin(); approve && at != open_.end(); ++at) {
        const std::uint64_t id = at->first;
        std::optional<ApprovalAnswer> answer;
        try {
            answer = approve(at->second.request);
        } catch (const std::exception& e) {
            answer = ApprovalAnswer::deny(std::string("it could not be asked for: ") + e.what());
        } catch (...) {
            answer = ApprovalAnswer::deny("it could not be asked for");
        }
        if (!answer) continue;
        const Next next = record(id, bytes_of(*answer));
        if (next != Next::GoOn) return next;
        open_.erase(at);
        give(id, std::move(*answer));
        return Next::GoOn;
    }
    return Next::Wait;
}

/// Of the calls whose time is over, what the store has as their answers: nil, where nothing came before.
CarriedMission::Next CarriedMission::end_times() {
    bool is_any = false;
    for (const auto& [need, tool] : open_tools_) {
        const std::optional<SteadyTime>& end = elsewhere_.at(need);
        if (!end || *end > std::chrono::steady_clock::now()) continue;
        const Next next = record(need, bytes_of(ToolAnswer(Datum())));
        if (next != Next::GoOn) return next;
        is_any = true;
    }
    return is_any ? read_answers() : Next::Wait;
}

/// Until the first time of an open call is over.
std::optional<Millis64> CarriedMission::time_left() const {
    std::optional<SteadyTime> first;
    for (const auto& [need, tool] : open_tools_)
        if (const auto& end = elsewhere_.at(need); end && (!first || *end < *first)) first = end;
    if (!first) return std::nullopt;
    return std::max(std::chrono::ceil<Millis64>(*first - std::chrono::steady_clock::now()), Millis64(1));
}

CarriedMission::Next CarriedMission::wait_in_store() {
    const Result<bool> waits = carrier_->store().wait(claim_, {.for_whom = waits_for(), .at_most = time_left()});
    if (!waits.ok()) return after(waits.error(), "wait");
    if (!waits.value()) return read_answers();
    ++carrier_->counts.waiting;
    log("info", "waits");
    return Next::End;
}

std::string CarriedMission::waits_for() const {
    std::vector<std::string> all;
    for (const auto& [id, need] : open_)
        all.push_back(approval_json(need));
    for (const auto& [id, need] : open_tools_)
        all.push_back(tool_json(need, pending_.at(id)));
    return json_array(all, [](const std::string& one) { return one; });
}

/// Somebody answered, or cancelled the mission, while it was on its way to wait.
CarriedMission::Next CarriedMission::read_answers() {
    const Result<std::vector<StoredCall>> calls = carrier_->store().calls(id_);
    if (!calls.ok()) return after(calls.error(), "calls");
    bool is_answered = false;
    for (const StoredCall& call : calls.value()) {
        if (!has_come(call)) continue;
        const std::string answer = call.answer.value_or("");
        if (open_.erase(call.need) > 0) {
            give(call.need, read_decision(answer));
        } else if (open_tools_.erase(call.need) > 0) {
            give(call.need, *read_tool(call.need, answer)); // there is one of each call that is open
        } else {
            continue;
        }
        is_answered = true;
    }
    if (is_answered) {
        fruitless_reads_ = 0;
        return Next::GoOn;
    }
    const Result<MissionStore::Heartbeat> beat = carrier_->store().heartbeat({lease()}, carrier_->options().lease);
    if (!beat.ok()) return after(beat.error(), "heartbeat");
    if (!beat.value().cancelled.empty()) note_cancel();
    if (!beat.value().late.empty()) note_late();
    if (!beat.value().lost.empty()) note_lost();
    const bool is_told = !beat.value().cancelled.empty() || !beat.value().late.empty() || !beat.value().lost.empty();
    constexpr int kMostFruitless = 3; // rows that contradict each other would be read for ever
    if (is_told || ++fruitless_reads_ <= kMostFruitless) return Next::GoOn;
    return try_later("stalled", "The store says that calls were answered, and has no answer of those that are open.");
}

// ---- Its end

Result<Commit> CarriedMission::commit_of(bool with_snapshot) const {
    Commit commit;
    if (with_snapshot) commit.snapshot = PTC_TRY(mission_->save());
    for (const auto& [id, call] : pending_)
        commit.calls.push_back(call);
    commit.taken = taken_;
    commit.forgotten = forgotten_;
    commit.keeps_usage = !mission_; // it could not begin here
    if (!mission_) return commit;
    const MissionUsage& usage = mission_->step().usage;
    commit.is_progress = usage.turns > began_with_.turns || usage.tool_calls > began_with_.tool_calls;
    commit.input_tokens = usage.tokens.input;
    commit.output_tokens = usage.tokens.output;
    commit.turns = static_cast<std::int64_t>(usage.turns);
    commit.cost_usd = usage.tokens.cost_usd;
    return commit;
}

CarriedMission::Next CarriedMission::finish() {
    if (is_to_end()) return finish_early();
    const Step& step = mission_->step();
    if (step.fail && is_outside(cause_of(step.fail->reason))) {
        if (step.fail->reason == reason_name(MissionReason::Interrupted)) {
            give_back();
            return Next::End;
        }
        return try_later(step.fail->reason, step.fail->message);
    }
    if (!step.ok) return fail(step.fail->reason, step.fail->message);
    pending_.clear();
    const Commit last = commit_of(false).value();
    const SteadyClock::time_point begun = SteadyClock::now();
    const Next next = after(carrier_->store().complete(claim_, last, step.value.to_json()), "complete", begun);
    if (next != Next::GoOn) return next;
    ++carrier_->counts.done;
    log("info", "done");
    return Next::End;
}

CarriedMission::Next CarriedMission::fail(std::string_view reason, const std::string& message) {
    pending_.clear();
    const Next next =
        after(carrier_->store().fail(claim_, commit_of(false).value(), error_json(reason, message)), "fail");
    if (next != Next::GoOn) return next;
    ++carrier_->counts.failed;
    log("info", "failed", ",\"reason\":" + json_string(reason));
    return Next::End;
}

CarriedMission::Next CarriedMission::finish_early() {
    pending_.clear();
    const Commit last = commit_of(false).value();
    const bool is_cancelled = is_cancelled_;
    const std::string error = is_cancelled ? error_json(reason_name(Reason::Interrupted), "It was cancelled.")
                                           : error_json(reason_name(Reason::Timeout), "Its deadline came.");
    const Next next = after(carrier_->store().fail(claim_, last, error, is_cancelled), "end");
    if (next != Next::GoOn) return next;
    ++(is_cancelled ? carrier_->counts.cancelled : carrier_->counts.failed);
    log("info", is_cancelled ? "cancelled" : "failed");
    return Next::End;
}

void CarriedMission::note_over() {
    if (carrier_->options().on_over) carrier_->options().on_over(claim_);
}

void CarriedMission::give_back() {
    constexpr Millis64 kPatience{500};
    if (carrier_->is_store_away()) return; // its lease ends with its time
    const Result<void> released = carrier_->store().release(claim_, Millis64(0), false, kPatience);
    carrier_->note_store(released.ok() ? nullptr : &released.error(), {});
    if (!released.ok()) return;
    ++carrier_->counts.released;
    log("info", "given back");
}

/// For a reason outside of it. The last time it fails for that.
CarriedMission::Next CarriedMission::try_later(std::string_view reason, const std::string& message) {
    if (claim_.attempts >= claim_.max_attempts) return fail(reason, message);
    const unsigned before = static_cast<unsigned>(std::max(claim_.attempts, 1)) - 1;
    const Millis64 delay = backoff(runnable_.backoff, runnable_.longest_backoff, before);
    const Next next = after(carrier_->store().release(claim_, delay, true, {}, error_json(reason, message)), "release");
    if (next != Next::GoOn) return next;
    ++carrier_->counts.released;
    log("warning", "to be tried again",
        ",\"after_ms\":" + std::to_string(delay.count()) + ",\"reason\":" + json_string(reason) +
            ",\"why\":" + json_string(message));
    return Next::End;
}

/// No attempt: nothing is wrong with it, as while old and new workers run side by side.
CarriedMission::Next CarriedMission::leave_to_others(const Error& why) {
    const Millis64 delay = carrier_->leave(id_);
    const std::string text = error_json(reason_name(why.reason), why.message);
    const Next next = after(carrier_->store().release(claim_, delay, false, {}, text), "release");
    if (next != Next::GoOn) return next;
    ++carrier_->counts.released;
    log("warning", "left to others",
        ",\"after_ms\":" + std::to_string(delay.count()) + ",\"why\":" + json_string(why.message));
    return Next::End;
}

CarriedMission::Next CarriedMission::after(const Result<void>& written, std::string_view what,
                                           std::optional<SteadyClock::time_point> begun) {
    if (written.ok()) {
        failures_in_row_ = 0;
        carrier_->note_store(nullptr, {});
        return Next::GoOn;
    }
    const Error& error = written.error();
    carrier_->note_store(&error, begun);
    if (error.reason == Reason::LeaseLost) return lose();
    ++carrier_->counts.errors;
    log("error", what, ",\"why\":" + json_string(error.message));
    if (error.reason == Reason::StoreUnavailable) return try_again();
    // It cannot be written as it is. Whoever claims it next may find a way; the last one says why there is none.
    if (claim_.attempts >= claim_.max_attempts && !std::exchange(is_failing_, true))
        return fail(reason_name(error.reason), error.message);
    (void)carrier_->store().release(claim_, runnable_.backoff, true, {},
                                    error_json(reason_name(error.reason), error.message));
    ++carrier_->counts.released;
    return Next::End;
}

/// Another worker has it, or it is over: nothing of it may be written here.
CarriedMission::Next CarriedMission::lose() {
    ++carrier_->counts.lost;
    log("warning", "lease lost");
    return Next::End;
}

CarriedMission::Next CarriedMission::try_again() {
    retry_in_ = backoff(kFirstRetry, kLongestRetry, failures_in_row_++);
    return Next::Wait;
}

} // namespace ptc
