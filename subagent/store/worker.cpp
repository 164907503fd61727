// The worker's threads, and what each of them does. The scout claims missions while there is room for them. Steps of
// missions (CarriedMission::work: programs, and what is written of them) are done by a few threads, one mission by one
// of them at a time, however many answers come. Models with an event loop are called by the thread that runs the
// worker, all else by threads of its own (CallThreads). The leases are renewed by a thread that does nothing else, so
// that no program and no slow call lets one end.
//
// One mutex guards what they share: who is carried, whose turn it is, what the thread of the models is to begin.
// Nobody holds it during a call of the store, of a model, or of anything of the host's but the log.
#include "ptc/worker.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "ptc/providers.h"
#include "subagent/agent/mission_calls.h"
#include "subagent/engine/random_id.h"
#include "subagent/store/call_threads.h"
#include "subagent/store/carried_mission.h"
#include <algorithm>
#include <condition_variable>
#include <thread>
#include <unistd.h>
#include <unordered_map>

namespace ptc {
namespace {

/// Also how soon a cancellation is seen: sooner while missions are few, as each of them is a row that is written.
constexpr Millis64 kShortestRenewal{1'000}, kLongestRenewal{5'000}, kRenewalOfEach{10};
constexpr Millis64 kAway{500}, kLongestAway{5'000}; ///< before a store that is away is asked again
constexpr unsigned kRefusals = 4;                   ///< of claims in a row, before the worker ends
constexpr Millis64 kLook{250};                      ///< how soon the end of the drain is seen
constexpr std::size_t kMostAtOnce = 32;             ///< of one claim

/// Why a call is not made that has waited for a thread since `came`.
std::string too_late(SteadyClock::time_point came) {
    const auto waited = std::chrono::floor<Millis64>(SteadyClock::now() - came).count();
    return "its time was over after " + std::to_string(waited) +
           " ms in line: all calls that the worker makes at once were under way.";
}

LlmResult call_in_time(LlmNeed& need, SteadyClock::time_point came) {
    LlmRequest& request = need.request;
    if (request.stop.stop_requested()) return LlmError{.kind = "cancelled"};
    if (!request.time_left) return call_model(need);
    const auto waited = std::chrono::floor<Millis64>(SteadyClock::now() - came);
    if (waited >= *request.time_left) return LlmError{.kind = "busy", .message = "It was not asked: " + too_late(came)};
    *request.time_left -= waited;
    return call_model(need);
}

/// `again`: another worker may have made the call.
ToolAnswer call_in_time(const ToolNeed& need, SteadyClock::time_point came, bool again) {
    const std::optional<SteadyClock::time_point>& end = need.context.deadline;
    if (!end || SteadyClock::now() < *end) return call_tool(need);
    return Error(Reason::ToolError,
                 again ? "It was not called again (a worker that ended may have called it): " + too_late(came)
                       : "It was not called: " + too_late(came));
}

WorkerOptions with_name(WorkerOptions options) {
    if (options.name.empty()) options.name = usual_worker_name();
    options.threads = std::max<std::size_t>(options.threads, 1);
    options.calls = std::max<std::size_t>(options.calls, 1);
    options.concurrency = std::max<std::size_t>(options.concurrency, 1);
    options.most_bytes = std::max<std::uint64_t>(options.most_bytes, 1);
    return options;
}

/// Where a mission stands in the line for the threads.
enum class InLine : std::uint8_t { Rests, Queued, AtWork, AtWorkAndCalled };

} // namespace

/// Shared with calls that are not waited for any more.
class WorkerCore : public MissionCarrier, public std::enable_shared_from_this<WorkerCore> {
public:
    WorkerCore(std::shared_ptr<MissionStore> store, MissionMaker maker, WorkerOptions options)
        : MissionCarrier(std::move(store), std::move(maker), with_name(std::move(options))) {}

    Result<void> run(const std::stop_token& stop, Millis64 drain);

    void call(const CarriedPtr& mission, LlmNeed need) override;
    void call(const CarriedPtr& mission, ToolNeed need) override;
    void wake(const CarriedPtr& mission) override;
    [[nodiscard]] bool is_draining() const override { return is_draining_; }
    void note_store(const Error* error, std::optional<SteadyClock::time_point> begun) override {
        note_store(error, false, begun.value_or(SteadyClock::now()));
    }
    [[nodiscard]] bool is_store_away() const override {
        const std::scoped_lock lock(mutex_);
        return away_since_.has_value();
    }
    [[nodiscard]] bool has_given_up() const override {
        const std::scoped_lock lock(mutex_);
        return has_given_up_;
    }
    [[nodiscard]] Millis64 leave(const std::string& mission) override;
    void note_begun() override {
        const std::scoped_lock lock(mutex_);
        left_in_row_ = pauses_ = 0;
    }
    void log(std::string_view level, std::string_view event, std::string_view mission,
             std::string_view members) override;

private:
    struct ModelCall {
        CarriedPtr mission;
        LlmNeed need;
    };

    // Each is a thread's.
    CarriedMission::Verdict step(CarriedMission& mission);
    void scout();
    void work();
    void renew_leases();
    void call_models(const std::stop_token& stop, Millis64 drain);

    void start(ModelCall call);
    void take_replies(std::vector<ProviderCalls::Done> done);
    void take_due(SteadyClock::time_point now);
    void begin_drain();
    void notify();
    /// `is_refused`: whatever it is asked for.
    /// `begun`: when the call began that failed.
    void note_store(const Error* error, bool is_refused, SteadyClock::time_point begun);
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] int losses_in_hand() const;
    [[nodiscard]] bool is_full_of_bytes() const { return bytes_in_hand_ >= options().most_bytes; }
    [[nodiscard]] bool has_left_all() const {
        const std::scoped_lock lock(mutex_);
        return left_in_row_ > 0 && !options().until_empty; // that one ends when nothing else is left
    }
    bool wait_after_leaving();
    bool claim_some(std::size_t most);
    [[nodiscard]] bool is_all_done();
    [[nodiscard]] bool is_all_left_to_others();
    void enqueue(const CarriedPtr& mission);
    void settle(const CarriedPtr& mission, CarriedMission::Verdict verdict);
    void forget_missions();
    void end_with(const Error& error);

    mutable std::mutex mutex_;
    std::condition_variable changed_;  ///< for the threads of missions
    std::condition_variable has_room_; ///< for the scout
    std::condition_variable ends_;     ///< for the thread of leases
    std::condition_variable models_came_;
    std::map<std::string, CarriedPtr> carried_;
    std::map<std::string, unsigned> left_; ///< missions that only others can carry, and how often they came here
    unsigned left_in_row_ = 0;             ///< none was begun in between
    unsigned pauses_ = 0;                  ///< meanwhile, before claims
    std::size_t left_of_round_ = 0;        ///< claims up to the next pause; the scout's
    std::unordered_map<const CarriedMission*, InLine> turns_;
    std::vector<CarriedPtr> apart_;   ///< of `carried_`, those that lost workers (most_in_hand)
    bool has_left_apart_ = false;     ///< there are such missions for a hand that is empty
    std::uint64_t bytes_in_hand_ = 0; ///< of `carried_`, as they were claimed
    std::deque<CarriedPtr> line_;
    std::vector<ModelCall> models_; ///< to be called
    std::multimap<SteadyClock::time_point, std::function<void()>> due_;
    std::size_t at_work_ = 0;
    unsigned failed_claims_ = 0;       ///< in a row; the scout's
    std::atomic<bool> is_over_{false}; ///< all threads end
    bool is_empty_ = false;            ///< nothing is left (until_empty)
    std::optional<Error> error_{};
    std::optional<SteadyClock::time_point> away_since_{}; ///< of the store: nothing was written since
    bool has_given_up_ = false;
    std::atomic<bool> is_draining_{false};

    std::mutex log_mutex_;
    std::optional<ProviderCalls> providers_; ///< of the thread that runs the worker, but for `wake`
    std::unordered_map<std::uint64_t, std::pair<CarriedPtr, std::uint64_t>> asked_; ///< the same
    std::uint64_t last_call_ = 0;
    std::optional<CallThreads> calls_;
};

// ---- Missions and their turns

void WorkerCore::wake(const CarriedPtr& mission) {
    const std::scoped_lock lock(mutex_);
    const auto turn = turns_.find(mission.get());
    if (turn == turns_.end()) return; // it is over
    if (turn->second == InLine::AtWork)
        turn->second = InLine::AtWorkAndCalled;
    else if (turn->second == InLine::Rests)
        enqueue(mission);
}

void WorkerCore::enqueue(const CarriedPtr& mission) {
    turns_[mission.get()] = InLine::Queued;
    line_.push_back(mission);
    changed_.notify_one();
}

/// What escapes (no memory, what a host's callable threw where nobody looked) ends one mission's claim and no process:
/// its lease ends with its time, and it counts as an attempt.
CarriedMission::Verdict WorkerCore::step(CarriedMission& mission) {
    try {
        return mission.work();
    } catch (const std::exception& e) {
        log("error", "exception", mission.id(), ",\"why\":" + json_string(e.what()));
    } catch (...) {
        log("error", "exception", mission.id(), "");
    }
    ++counts.errors;
    mission.stop_calls();
    return CarriedMission::Verdict::Over;
}

void WorkerCore::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return is_over_ || !line_.empty(); });
        if (is_over_) return;
        const CarriedPtr mission = std::move(line_.front());
        line_.pop_front();
        turns_[mission.get()] = InLine::AtWork;
        ++at_work_;
        lock.unlock();
        const CarriedMission::Verdict verdict = step(*mission);
        if (verdict == CarriedMission::Verdict::Over) mission->note_over();
        lock.lock();
        --at_work_;
        settle(mission, verdict);
        if (verdict == CarriedMission::Verdict::Over || line_.empty()) has_room_.notify_one();
        if (!options().until_empty || !carried_.empty()) continue;
        lock.unlock();
        store().wake(); // it may have been the last one
        lock.lock();
    }
}

void WorkerCore::settle(const CarriedPtr& mission, CarriedMission::Verdict verdict) {
    const auto turn = turns_.find(mission.get());
    if (verdict == CarriedMission::Verdict::Over) {
        turns_.erase(turn);
        const auto found = carried_.find(mission->id());
        if (found != carried_.end() && found->second == mission) {
            bytes_in_hand_ -= mission->claimed_bytes();
            carried_.erase(found);
        }
        std::erase(apart_, mission);
        if (is_draining_ && carried_.empty()) notify();
        return;
    }
    const bool is_called = turn->second == InLine::AtWorkAndCalled;
    turn->second = InLine::Rests;
    if (is_called) {
        enqueue(mission);
    } else if (const auto wait = mission->retry_in()) {
        due_.emplace(SteadyClock::now() + *wait, [this, mission] { wake(mission); });
        notify();
    }
}

/// Missions keep the worker that carries them: one that is known when the worker ends would keep both for ever.
void WorkerCore::forget_missions() {
    carried_.clear();
    bytes_in_hand_ = 0;
    turns_.clear();
    apart_.clear();
    has_left_apart_ = false;
}

// ---- Claims

int WorkerCore::losses_in_hand() const {
    int most = 0;
    for (const CarriedPtr& mission : apart_)
        most = std::max(most, mission->losses());
    return most;
}

/// How many missions may be claimed now: what the threads cannot take up soon is left to other workers. Where missions
/// are to be kept apart the hand empties first, as they would never have their turn otherwise.
std::size_t WorkerCore::room() const {
    const std::size_t most_in_line = 2 * options().threads;
    const std::size_t busy = line_.size() + at_work_;
    const std::size_t in_hand = carried_.size();
    const int losses = losses_in_hand();
    if (has_left_apart_ && losses == 0 && in_hand > 0) return 0;
    if (is_full_of_bytes()) return 0;
    const std::size_t most = std::min(options().concurrency, most_in_hand(losses));
    if (in_hand >= most || busy >= most_in_line) return 0;
    return std::min({most - in_hand, most_in_line - busy, kMostAtOnce});
}

void WorkerCore::scout() {
    while (true) {
        std::size_t most = 0;
        {
            std::unique_lock lock(mutex_);
            has_room_.wait(lock, [this] { return is_over_ || is_draining_ || room() > 0; });
            if (is_over_ || is_draining_) return;
            most = room();
        }
        const bool has_left = has_left_all();
        if (has_left && left_of_round_ == 0 && !wait_after_leaving()) return;
        const bool is_more = claim_some(has_left ? 1 : most);
        left_of_round_ = has_left && is_more && left_of_round_ > 0 ? left_of_round_ - 1 : 0;
        if (is_more) continue;
        if (is_over_ || is_draining_) return;
        store().watch(options().poll);
    }
}

/// A worker that can begin nothing of what it takes keeps missions from those that can: it looks now and then, at all
/// that it left so far and one more. Those are older and may be due again: what is behind them may be for it.
/// False: it is to end.
bool WorkerCore::wait_after_leaving() {
    constexpr Millis64 kFirst{100}, kLongest{5'000};
    std::unique_lock lock(mutex_);
    const Millis64 pause = backoff(kFirst, kLongest, pauses_++);
    left_of_round_ = left_.size() + 1;
    return !has_room_.wait_for(lock, pause, [this] { return is_over_ || is_draining_; });
}

/// Whether there may be more.
bool WorkerCore::claim_some(std::size_t most) {
    ClaimOptions wanted;
    wanted.worker = options().name;
    wanted.queues = options().queues;
    wanted.agents = options().agents;
    wanted.most = most;
    wanted.lease = options().lease;
    bool has_left_apart = false;
    wanted.has_left_apart = &has_left_apart;
    wanted.most_bytes = options().most_bytes;
    {
        const std::scoped_lock lock(mutex_);
        wanted.in_hand = carried_.size();
        wanted.losses_in_hand = losses_in_hand();
        wanted.bytes_in_hand = bytes_in_hand_;
    }
    const SteadyClock::time_point begun = SteadyClock::now();
    Result<std::vector<ClaimedMission>> claimed = store().claim(wanted);
    if (!claimed.ok()) {
        ++counts.errors;
        log("error", "claim", "", ",\"why\":" + json_string(claimed.error().message));
        // A server that is brought over to another machine refuses for a while, too.
        const bool is_refused = claimed.error().reason == Reason::InvalidRequest;
        if (is_refused && !options().until_empty && failed_claims_ >= kRefusals) end_with(claimed.error());
        note_store(&claimed.error(), is_refused && options().until_empty, begun);
        std::unique_lock lock(mutex_);
        has_room_.wait_for(lock, backoff(kAway, kLongestAway, failed_claims_++),
                           [this] { return is_over_ || is_draining_; });
        return false;
    }
    failed_claims_ = 0;
    if (!claimed.value().empty()) note_store(nullptr, {});
    counts.claimed += claimed.value().size();
    const std::size_t got = claimed.value().size();
    for (ClaimedMission& claim : claimed.value()) {
        if (options().on_log)
            log("info", "claimed", claim.id,
                ",\"agent\":" + json_string(claim.agent.name) + ",\"attempt\":" + std::to_string(claim.attempts));
        const auto mission = std::make_shared<CarriedMission>(std::move(claim), shared_from_this());
        std::unique_lock lock(mutex_);
        // A mission whose lease ended while this worker slept may come back to it.
        if (const auto former = carried_.find(mission->id()); former != carried_.end()) {
            const CarriedPtr lost = former->second;
            bytes_in_hand_ -= lost->claimed_bytes();
            carried_.erase(former);
            lock.unlock();
            lost->note_lost();
            lock.lock();
        }
        carried_[mission->id()] = mission;
        bytes_in_hand_ += mission->claimed_bytes();
        if (is_kept_apart(mission->losses())) apart_.push_back(mission);
        enqueue(mission);
    }
    bool is_full = false;
    {
        const std::scoped_lock lock(mutex_);
        has_left_apart_ = has_left_apart;
        is_full = is_full_of_bytes();
    }
    if (got == 0 && options().until_empty && is_all_done()) notify();
    return got == most || is_full; // which ends when a mission does, and then there may be more
}

bool WorkerCore::is_all_done() {
    {
        const std::scoped_lock lock(mutex_);
        if (!carried_.empty()) return false;
    }
    if (!is_all_left_to_others()) return false;
    const std::scoped_lock lock(mutex_);
    return is_empty_ = true;
}

/// Whether what is unfinished are missions that this worker cannot carry, if anything is.
bool WorkerCore::is_all_left_to_others() {
    std::map<std::string, unsigned> left;
    {
        const std::scoped_lock lock(mutex_);
        left = left_;
    }
    const Result<std::uint64_t> unfinished = store().unfinished(options().queues, left.size() + 1);
    if (!unfinished.ok() || unfinished.value() > left.size()) return false;
    std::uint64_t others = 0;
    for (auto mission = left.begin(); mission != left.end() && others < unfinished.value(); ++mission) {
        const Result<std::optional<StoredMission>> found = store().show(mission->first);
        if (!found.ok()) return false;
        const bool is_open = found.value() && (found.value()->status == MissionStatus::Ready ||
                                               found.value()->status == MissionStatus::Running);
        if (is_open) ++others;
    }
    return others == unfinished.value();
}

Millis64 WorkerCore::leave(const std::string& mission) {
    constexpr std::size_t kMost = 10'000; // remembered
    constexpr Millis64 kFirst{1'000}, kLongest{60'000};
    const std::scoped_lock lock(mutex_);
    if (left_.size() >= kMost) left_.clear();
    ++left_in_row_;
    return backoff(kFirst, kLongest, left_[mission]++);
}

/// A store that fails for long is waited for, but by a worker that somebody waits for.
void WorkerCore::note_store(const Error* error, bool is_refused, SteadyClock::time_point begun) {
    {
        const std::scoped_lock lock(mutex_);
        const bool is_away = error && (is_refused || error->reason == Reason::StoreUnavailable);
        if (!is_away) return away_since_.reset();
        const SteadyClock::time_point now = SteadyClock::now();
        if (!away_since_) away_since_ = begun;
        if (!options().until_empty || has_given_up_ || now - *away_since_ < options().give_up) return;
        has_given_up_ = true;
    }
    end_with({Reason::StoreUnavailable, error->message});
}

void WorkerCore::end_with(const Error& error) {
    {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = error;
    }
    notify();
}

void WorkerCore::renew_leases() {
    const auto interval = [this] {
        const Millis64 all = kRenewalOfEach * static_cast<std::int64_t>(carried_.size());
        return std::max(std::min(options().lease / 3, std::clamp(all, kShortestRenewal, kLongestRenewal)), Millis64(1));
    };
    std::unique_lock lock(mutex_);
    while (!ends_.wait_for(lock, interval(), [this] { return is_over_.load(); })) {
        std::vector<ClaimedMission> leases;
        std::map<std::string, CarriedPtr> missions = carried_;
        for (const auto& [id, mission] : missions)
            leases.push_back(mission->lease());
        lock.unlock();
        if (!leases.empty()) {
            const Result<MissionStore::Heartbeat> beat = store().heartbeat(leases, options().lease);
            if (!beat.ok()) {
                ++counts.errors;
                log("error", "heartbeat", "", ",\"why\":" + json_string(beat.error().message));
            } else {
                for (const std::string& id : beat.value().lost)
                    missions[id]->note_lost();
                for (const std::string& id : beat.value().cancelled)
                    missions[id]->note_cancel();
                for (const std::string& id : beat.value().late)
                    missions[id]->note_late();
            }
        }
        missions.clear();
        lock.lock();
    }
}

// ---- Calls

void WorkerCore::call(const CarriedPtr& mission, ToolNeed need) {
    const bool again = mission->may_be_made(need.id);
    calls_->start([mission, need = std::move(need), came = SteadyClock::now(), again] {
        mission->put(need.id, call_in_time(need, came, again));
    });
}

void WorkerCore::call(const CarriedPtr& mission, LlmNeed need) {
    if (!ProviderCalls::takes(*need.model) && need.delay.count() <= 0) {
        calls_->start([mission, need = std::move(need), came = SteadyClock::now()]() mutable {
            mission->put(need.id, call_in_time(need, came));
        });
        return;
    }
    {
        const std::scoped_lock lock(mutex_);
        models_.push_back({mission, std::move(need)});
    }
    notify();
}

/// For the thread of the models.
void WorkerCore::notify() {
    models_came_.notify_all();
    providers_->wake();
}

void WorkerCore::start(ModelCall call) {
    if (ProviderCalls::takes(*call.need.model)) {
        asked_[++last_call_] = {call.mission, call.need.id};
        providers_->start(last_call_, std::move(call.need));
        return;
    }
    const SteadyClock::time_point at = SteadyClock::now() + call.need.delay;
    call.need.delay = Millis64(0);
    const auto later = std::make_shared<ModelCall>(std::move(call)); // std::function copies
    const std::scoped_lock lock(mutex_);
    due_.emplace(at, [this, later] { this->call(later->mission, std::move(later->need)); });
}

void WorkerCore::take_replies(std::vector<ProviderCalls::Done> done) {
    for (ProviderCalls::Done& one : done) {
        const auto asked = asked_.find(one.id);
        const auto [mission, need] = asked->second;
        asked_.erase(asked);
        mission->put(need, std::move(one.result));
    }
}

void WorkerCore::take_due(SteadyClock::time_point now) {
    while (true) {
        std::function<void()> action;
        {
            const std::scoped_lock lock(mutex_);
            if (due_.empty() || due_.begin()->first > now) return;
            action = std::move(due_.begin()->second);
            due_.erase(due_.begin());
        }
        action();
    }
}

/// The loop of the thread that runs the worker: calls of models, and what is due; until all is over.
void WorkerCore::call_models(const std::stop_token& stop, Millis64 drain) {
    std::optional<SteadyClock::time_point> deadline;
    bool is_cut_off = false;
    const std::stop_callback on_stop(stop, [this] { notify(); });
    while (true) {
        std::vector<ModelCall> models;
        Millis64 patience = kLook * 4;
        {
            std::unique_lock lock(mutex_);
            if (is_empty_ || (error_ && carried_.empty())) return;
            if (deadline && carried_.empty()) return;
            const auto has_work = [&] {
                return !models_.empty() || is_empty_ || ((error_ || stop.stop_requested()) && !deadline);
            };
            if (!due_.empty())
                patience = std::clamp(std::chrono::duration_cast<Millis64>(due_.begin()->first - SteadyClock::now()) +
                                          Millis64(1),
                                      Millis64(0), patience);
            if (deadline) patience = std::min(patience, Millis64(10));
            if (providers_->size() == 0) models_came_.wait_for(lock, patience, has_work);
            models.swap(models_);
        }
        for (ModelCall& call : models)
            start(std::move(call));
        if (providers_->size() > 0) take_replies(providers_->wait(patience));
        take_due(SteadyClock::now());
        if ((stop.stop_requested() || error_) && !deadline) {
            deadline = SteadyClock::now() + (has_given_up() ? Millis64(0) : drain);
            begin_drain();
        }
        if (!deadline || SteadyClock::now() < *deadline) continue;
        std::vector<CarriedPtr> left;
        {
            const std::scoped_lock lock(mutex_);
            for (const auto& [id, mission] : carried_)
                left.push_back(mission);
        }
        if (!is_cut_off) log("warning", "cut off", "", ",\"missions\":" + std::to_string(left.size()));
        is_cut_off = true;
        for (const CarriedPtr& mission : left)
            mission->stop_calls();
        std::unique_lock lock(mutex_);
        if (at_work_ == 0 && line_.empty()) { // they wait for calls that do not end
            forget_missions();
            lock.unlock();
            for (const CarriedPtr& mission : left) {
                mission->give_back();
                mission->note_over();
            }
            return;
        }
    }
}

void WorkerCore::begin_drain() {
    log("info", "drain", "", "");
    std::vector<CarriedPtr> all;
    {
        const std::scoped_lock lock(mutex_);
        is_draining_ = true;
        for (const auto& [id, mission] : carried_)
            all.push_back(mission);
    }
    has_room_.notify_all();
    store().wake();
    for (const CarriedPtr& mission : all) // those that wait for nothing are given back at once
        wake(mission);
}

Result<void> WorkerCore::run(const std::stop_token& stop, Millis64 drain) {
    providers_.emplace();
    calls_.emplace(options().calls);
    is_draining_ = false;
    is_over_ = is_empty_ = false;
    error_.reset();
    away_since_.reset();
    has_given_up_ = false;
    log("info", "start", "", "");
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([this] { scout(); });
        threads.emplace_back([this] { renew_leases(); });
        for (std::size_t i = 0; i < options().threads; ++i)
            threads.emplace_back([this] { work(); });
        call_models(stop, drain);
        {
            const std::scoped_lock lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        has_room_.notify_all();
        ends_.notify_all();
        store().wake();
    }
    providers_.reset(); // aborts what is under way
    asked_.clear();
    calls_.reset();
    {
        const std::scoped_lock lock(mutex_);
        models_.clear();
        due_.clear();
        line_.clear();
        forget_missions();
    }
    log("info", "end", "", "");
    return error_ ? Result<void>(*error_) : Result<void>();
}

void WorkerCore::log(std::string_view level, std::string_view event, std::string_view mission,
                     std::string_view members) {
    if (!options().on_log) return;
    const std::string text = worker_log_line(level, event, options().name, mission, members);
    const std::scoped_lock lock(log_mutex_);
    try {
        options().on_log(text);
    } catch (...) { // the host's: a line that it cannot take ends no worker
    }
}

// ---- The public face

std::string usual_worker_name() {
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
    return std::string(host) + ":" + std::to_string(::getpid());
}

std::string worker_log_line(std::string_view level, std::string_view event, std::string_view worker,
                            std::string_view mission, std::string_view members) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    JsonObject line;
    line.number("time_ms", std::int64_t{std::chrono::duration_cast<Millis64>(now).count()});
    line.text("level", level).text("event", event).text("worker", worker);
    if (!mission.empty()) line.text("mission", mission);
    return line.more(members).finish();
}

struct Worker::Impl {
    std::shared_ptr<WorkerCore> core;
};

Worker::Worker(std::shared_ptr<MissionStore> store, MissionMaker maker, WorkerOptions options)
    : impl_(std::make_unique<Impl>(
          Impl{std::make_shared<WorkerCore>(std::move(store), std::move(maker), std::move(options))})) {}
Worker::~Worker() = default;

Result<void> Worker::run(std::stop_token stop, Millis64 drain) { return impl_->core->run(stop, drain); }

WorkerCounts Worker::counts() const {
    const SharedCounts& all = impl_->core->counts;
    return {.claimed = all.claimed,
            .done = all.done,
            .failed = all.failed,
            .cancelled = all.cancelled,
            .waiting = all.waiting,
            .released = all.released,
            .lost = all.lost,
            .turns = all.turns,
            .commits = all.commits,
            .errors = all.errors};
}

} // namespace ptc
