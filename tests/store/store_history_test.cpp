// Several threads do things to one mission at once, each by a store of its own or all by one, and what each of them was
// told is written down with a number from before the call and one from behind it. Then an order of all calls is looked
// for in which a model without any threads would have told the same, and in which no call goes before one that had
// ended when it began (linearizability, by the search of Wing and Gong with the states that were seen already left
// out). Where there is no such order, the store did two things at once that cannot be.
//
// Nothing here goes by the clock: leases end when a thread makes them end, as one more thing that is done.
#include "tests/store/stores.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

namespace ptc::test {
namespace {

constexpr Millis64 kHour{3'600'000};

/// The first commit of a mission begins one of its own, its child, for whose end a call of it waits.
enum class What : std::uint8_t {
    Claim,
    Commit,
    Wait,
    Release,
    Complete,
    Fail,
    Heartbeat,
    Answer,
    Cancel,
    Retry,
    EndLease,
    Show,
    ClaimChild,
    CompleteChild,
    CancelChild,
    ShowChild
};
constexpr std::array kWhat{"claim",       "commit",         "wait",         "release",   "complete",  "fail",
                           "heartbeat",   "answer",         "cancel",       "retry",     "end lease", "show",
                           "claim child", "complete child", "cancel child", "show child"};
constexpr std::uint64_t kNeedOfChild = 40;

/// What a call was told.
enum class Told : std::uint8_t { Yes, No, Lost, Wrong };
constexpr std::array kTold{"yes", "no", "lease lost", "wrong"};

struct Operation {
    What what = What::Show;
    int thread = 0;
    std::string token{};        ///< by which it was done; of a claim the one it got
    std::uint64_t revision = 0; ///< the same; of `show` what it saw; of an answer the need
    Told told = Told::Yes;
    MissionStatus status = MissionStatus::Ready; ///< that `show` saw
    std::uint64_t begin = 0, end = 0;
};

std::string text_of(const Operation& o) {
    std::ostringstream out;
    out << o.begin << ".." << o.end << " thread " << o.thread << ": " << kWhat[static_cast<std::size_t>(o.what)] << " "
        << o.token.substr(0, 4) << " " << o.revision << " -> " << kTold[static_cast<std::size_t>(o.told)];
    if (o.what == What::Show || o.what == What::ShowChild) out << " " << status_name(o.status);
    return out.str();
}

// ---- The model

struct State {
    MissionStatus status = MissionStatus::Ready;
    std::string token{};                                 ///< that may write
    std::uint64_t revision = 0, calls = 0, answered = 0; ///< calls, answered: bits
    bool has_ended_lease = false, is_cancelled = false, has_news = false;
    bool has_child = false, is_child_cancelled = false,
         is_told = false; ///< is_told: the call of the child has its answer
    MissionStatus child = MissionStatus::Ready;
    std::string child_token{};

    static bool is_end(MissionStatus s) {
        return s == MissionStatus::Done || s == MissionStatus::Failed || s == MissionStatus::Cancelled;
    }
    [[nodiscard]] bool is_over() const { return is_end(status); }
    [[nodiscard]] bool has(const std::string& t) const { return status == MissionStatus::Running && token == t; }
    auto operator<=>(const State&) const = default;
};

State ready(State state) {
    state.status = MissionStatus::Ready;
    state.token.clear();
    state.has_ended_lease = false;
    return state;
}

State after_childs_end(State state, MissionStatus end) {
    state.child = end;
    state.child_token.clear();
    if (state.is_over()) return state;
    state.is_told = state.has_news = true;
    if (state.status == MissionStatus::Waiting) state.status = MissionStatus::Ready;
    return state;
}

/// By somebody, or with its parent.
State with_child_cancelled(State state) {
    if (!state.has_child || state.is_child_cancelled || State::is_end(state.child)) return state;
    if (state.child != MissionStatus::Running) return after_childs_end(std::move(state), MissionStatus::Cancelled);
    state.is_child_cancelled = true;
    return state;
}

State ended(State state, MissionStatus end) {
    state = ready(std::move(state));
    state.status = end;
    return end == MissionStatus::Done ? state : with_child_cancelled(std::move(state));
}

/// What a claim does to a mission whose worker ended without a word.
State woken(State state) {
    if (state.status != MissionStatus::Running || !state.has_ended_lease) return state;
    return state.is_cancelled ? ended(std::move(state), MissionStatus::Cancelled) : ready(std::move(state));
}

using States = std::vector<State>;

States after_claim(const State& state, const Operation& o, bool may_pass_over) {
    State next = woken(state);
    if (o.told == Told::Yes) {
        if (next.status != MissionStatus::Ready || next.revision != o.revision) return {};
        next.status = MissionStatus::Running;
        next.token = o.token;
        next.has_news = false;
        return {next};
    }
    States all;
    if (may_pass_over || next.status != MissionStatus::Ready) all.push_back(next);
    if (may_pass_over && next != state) all.push_back(state);
    return all;
}

/// Of what is done by a claim: each is refused when the claim is no more.
States after_claimed(State state, const Operation& o) {
    const bool names_revision = o.what == What::Commit || o.what == What::Complete || o.what == What::Fail;
    const bool is_allowed = state.has(o.token) && (!names_revision || state.revision == o.revision);
    if (is_allowed != (o.told != Told::Lost)) return {};
    if (!is_allowed) return {state};
    switch (o.what) {
    case What::Commit:
        state.has_child = true; // with the first one
        state.calls |= std::uint64_t{1} << ++state.revision;
        return {state};
    case What::Complete:
    case What::Fail:
        ++state.revision;
        return {ended(std::move(state), o.what == What::Fail ? MissionStatus::Failed : MissionStatus::Done)};
    case What::Release: return {ready(std::move(state))};
    case What::Heartbeat:
        if (state.is_cancelled != (o.told == Told::No)) return {};
        state.has_ended_lease = false;
        return {state};
    default: { // Wait
        const bool waits = !state.has_news && !state.is_cancelled;
        if (waits != (o.told == Told::Yes)) return {};
        if (waits) state = ready(std::move(state)), state.status = MissionStatus::Waiting;
        state.has_news = false;
        return {state};
    }
    }
}

States after_signal(State state, const Operation& o) {
    const std::uint64_t bit = std::uint64_t{1} << o.revision;
    const bool is_answer = o.what == What::Answer;
    if (is_answer && ((state.calls & bit) == 0) != (o.told == Told::Wrong)) return {};
    if (o.told == Told::Wrong) return {state};
    const bool is_taken = !state.is_over() && (is_answer ? (state.answered & bit) == 0 : !state.is_cancelled);
    if (is_taken != (o.told == Told::Yes)) return {};
    if (!is_taken) return {state};
    if (!is_answer && state.status != MissionStatus::Running)
        return {ended(std::move(state), MissionStatus::Cancelled)};
    state.has_news = true;
    if (is_answer)
        state.answered |= bit;
    else
        state.is_cancelled = true;
    if (state.status == MissionStatus::Waiting) state.status = MissionStatus::Ready;
    return {is_answer ? state : with_child_cancelled(std::move(state))};
}

/// With the child whose end it was not told.
States after_retry(State state, const Operation& o) {
    const bool is_taken = state.status == MissionStatus::Failed || state.status == MissionStatus::Cancelled;
    if (is_taken != (o.told == Told::Yes)) return {};
    if (!is_taken) return {state};
    state = ready(std::move(state));
    state.is_cancelled = false;
    if (!state.has_child || state.is_told) return {state};
    if (state.child == MissionStatus::Done) return {after_childs_end(std::move(state), MissionStatus::Done)};
    state.is_child_cancelled = false;
    if (State::is_end(state.child)) state.child = MissionStatus::Ready;
    return {state};
}

States after_childs(State state, const Operation& o, bool may_pass_over) {
    switch (o.what) {
    case What::ClaimChild: { // wakes whatever is late
        States all;
        for (State next : may_pass_over ? States{woken(state), state} : States{woken(state)}) {
            const bool is_ready = next.has_child && next.child == MissionStatus::Ready;
            if (o.told == Told::Yes && !is_ready) continue;
            if (o.told == Told::No && is_ready && !may_pass_over) continue;
            if (o.told == Told::Yes) next.child = MissionStatus::Running, next.child_token = o.token;
            all.push_back(std::move(next));
        }
        return all;
    }
    case What::CompleteChild: {
        const bool is_allowed = state.child == MissionStatus::Running && state.child_token == o.token;
        if (is_allowed != (o.told == Told::Yes)) return {};
        return {is_allowed ? after_childs_end(std::move(state), MissionStatus::Done) : state};
    }
    case What::CancelChild: {
        if (state.has_child == (o.told == Told::Wrong)) return {};
        const bool is_taken = state.has_child && !state.is_child_cancelled && !State::is_end(state.child);
        if (is_taken != (o.told == Told::Yes)) return {};
        return {with_child_cancelled(std::move(state))};
    }
    default: // ShowChild
        if (state.has_child != (o.told == Told::Yes)) return {};
        return !state.has_child || state.child == o.status ? States{state} : States{};
    }
}

/// The states that may be after an operation that was told what it was; none when it cannot have been.
States after(const State& state, const Operation& o, bool may_pass_over) {
    switch (o.what) {
    case What::Claim: return after_claim(state, o, may_pass_over);
    case What::Answer:
    case What::Cancel: return after_signal(state, o);
    case What::Retry: return after_retry(state, o);
    case What::ClaimChild:
    case What::CompleteChild:
    case What::CancelChild:
    case What::ShowChild: return after_childs(state, o, may_pass_over);
    case What::EndLease: {
        State next = state;
        next.has_ended_lease |= state.status == MissionStatus::Running;
        return {next};
    }
    case What::Show: return state.status == o.status && state.revision == o.revision ? States{state} : States{};
    default: return after_claimed(state, o);
    }
}

// ---- The search

/// Whether some order explains all of it. `skips`: a claim passes over a mission that somebody else has in a statement,
/// so one that was not alone may have found nothing.
class Search {
public:
    Search(std::vector<Operation> history, bool skips) : history_(std::move(history)), skips_(skips) {}
    bool finds_an_order() { return goes_on(0, State()); }

private:
    [[nodiscard]] bool was_alone(std::size_t i) const {
        return std::ranges::none_of(history_, [&](const Operation& o) {
            return &o != &history_[i] && o.begin < history_[i].end && history_[i].begin < o.end;
        });
    }
    [[nodiscard]] bool may_be_next(std::uint64_t done, std::size_t i) const {
        for (std::size_t other = 0; other < history_.size(); ++other)
            if ((done >> other & 1) == 0 && history_[other].end < history_[i].begin) return false;
        return true;
    }
    bool goes_on(std::uint64_t done, const State& state) {
        if (done + 1 == std::uint64_t{1} << history_.size()) return true;
        if (!seen_.emplace(done, state).second) return false;
        for (std::size_t i = 0; i < history_.size(); ++i) {
            if ((done >> i & 1) != 0 || !may_be_next(done, i)) continue;
            for (const State& next : after(state, history_[i], skips_ && !was_alone(i)))
                if (goes_on(done | std::uint64_t{1} << i, next)) return true;
        }
        return false;
    }

    std::vector<Operation> history_;
    bool skips_;
    std::set<std::pair<std::uint64_t, State>> seen_;
};

Operation operation(What what, Told told, std::string token, std::uint64_t revision, std::uint64_t begin,
                    std::uint64_t end) {
    return {.what = what, .token = std::move(token), .revision = revision, .told = told, .begin = begin, .end = end};
}

/// That it would see what must not be.
TEST(StoreHistory, TheSearchRefusesWhatNoOrderExplains) {
    const Operation claim = operation(What::Claim, Told::Yes, "a", 0, 1, 2);
    const Operation commit = operation(What::Commit, Told::Yes, "a", 0, 3, 6);
    const auto explains = [](std::vector<Operation> history) {
        return Search(std::move(history), true).finds_an_order();
    };
    EXPECT_TRUE(explains({claim, commit}));
    EXPECT_TRUE(explains({claim, commit, operation(What::Commit, Told::Lost, "a", 0, 4, 5)}));
    EXPECT_FALSE(explains({claim, commit, operation(What::Commit, Told::Yes, "a", 0, 4, 5)})) << "twice the same";
    EXPECT_FALSE(explains({claim, operation(What::Claim, Told::Yes, "b", 0, 3, 4)})) << "one lease for two";
    const Operation end = operation(What::EndLease, Told::Yes, "", 0, 3, 4);
    const Operation other = operation(What::Claim, Told::Yes, "b", 0, 5, 6);
    EXPECT_TRUE(explains({claim, end, other, operation(What::Commit, Told::Lost, "a", 0, 7, 8)}));
    EXPECT_FALSE(explains({claim, end, other, operation(What::Commit, Told::Yes, "a", 0, 7, 8)})) << "no fence";
    EXPECT_TRUE(explains({claim, end, commit, operation(What::Claim, Told::Yes, "b", 1, 5, 7)})) << "in time";
    EXPECT_FALSE(explains({claim, operation(What::Commit, Told::Lost, "a", 0, 3, 4)})) << "lost for no reason";
    EXPECT_FALSE(explains({operation(What::Claim, Told::No, "", 0, 1, 2)})) << "a mission that nobody finds";
    EXPECT_TRUE(
        explains({operation(What::Claim, Told::No, "", 0, 1, 3), operation(What::Claim, Told::Yes, "a", 0, 2, 4)}));
    // A wait that sleeps over an answer which came before it.
    const Operation answer = operation(What::Answer, Told::Yes, "", 1, 7, 8);
    EXPECT_TRUE(explains({claim, commit, answer, operation(What::Wait, Told::No, "a", 0, 9, 10)}));
    EXPECT_FALSE(explains({claim, commit, answer, operation(What::Wait, Told::Yes, "a", 0, 9, 10)}));
    EXPECT_FALSE(explains({claim, commit, answer, operation(What::Answer, Told::Yes, "", 1, 9, 10)}))
        << "twice one answer";
    // A child that ends, before its parent waits and behind it.
    const Operation cancelled = operation(What::CancelChild, Told::Yes, "", 0, 7, 8);
    EXPECT_TRUE(explains({claim, commit, cancelled, operation(What::Wait, Told::No, "a", 0, 9, 10)}));
    EXPECT_FALSE(explains({claim, commit, cancelled, operation(What::Wait, Told::Yes, "a", 0, 9, 10)})) << "slept over";
    const Operation again = operation(What::Claim, Told::Yes, "b", 1, 13, 14);
    const Operation waits = operation(What::Wait, Told::Yes, "a", 0, 9, 10);
    const Operation late = operation(What::CancelChild, Told::Yes, "", 0, 11, 12);
    EXPECT_TRUE(explains({claim, commit, waits, late, again}));
    EXPECT_FALSE(explains({claim, commit, waits, again})) << "woken by nobody";
    EXPECT_FALSE(explains({claim, commit, operation(What::Fail, Told::Yes, "a", 1, 7, 8),
                           operation(What::ClaimChild, Told::Yes, "c", 0, 9, 10)}))
        << "a child that goes on without its parent";
    EXPECT_TRUE(explains({claim, commit, operation(What::Fail, Told::Yes, "a", 1, 7, 8),
                          operation(What::Retry, Told::Yes, "", 0, 9, 10),
                          operation(What::ClaimChild, Told::Yes, "c", 0, 11, 12)}));
}

// ---- The threads

class StoreHistories : public Stores {
protected:
    /// One history of a mission of its own.
    std::vector<Operation> history(const std::string& id, unsigned seed);

    static constexpr int kThreads = 4, kEach = 9;
    std::vector<std::shared_ptr<MissionStore>> stores_;

private:
    void act(MissionStore& own, const std::string& id, Operation& o, std::mt19937& random);
    void act_by_claim(MissionStore& own, Operation& o, ClaimedMission claim);
    void act_on_child(MissionStore& own, const std::string& id, Operation& o);
    /// One of all claims, of any thread, as it was when it was made or committed.
    ClaimedMission some_claim(std::mt19937& random);
    void keep(const ClaimedMission& claim) {
        const std::scoped_lock lock(mutex_);
        claims_.push_back(claim);
    }

    std::mutex mutex_;
    std::vector<ClaimedMission> claims_;
    ClaimedMission child_claim_{}; ///< the last one
};

template <class T> Told told_of(const Result<T>& result) {
    if (result.ok()) return Told::Yes;
    if (result.error().reason == Reason::LeaseLost) return Told::Lost;
    if (result.error().reason != Reason::InvalidRequest) ADD_FAILURE() << result.error().message;
    return Told::Wrong;
}

ClaimedMission StoreHistories::some_claim(std::mt19937& random) {
    const std::scoped_lock lock(mutex_);
    if (claims_.empty()) return {.id = "none", .token = "none"};
    // The newest ones more often: old ones are refused, which is soon known.
    const std::size_t back =
        std::min<std::size_t>(random() % 4 == 0 ? random() % claims_.size() : random() % 2, claims_.size() - 1);
    return claims_[claims_.size() - 1 - back];
}

void StoreHistories::act_by_claim(MissionStore& own, Operation& o, ClaimedMission claim) {
    o.token = claim.token;
    o.revision = claim.revision;
    switch (o.what) {
    case What::Commit: {
        Commit commit{.snapshot = "s" + std::to_string(claim.revision)};
        commit.calls = {{.need = claim.revision + 1, .kind = StoredCall::Kind::Approval, .name = "t"}};
        const std::string child = claim.id + "-child"; // which the first one begins
        commit.calls.push_back({.need = kNeedOfChild, .kind = StoredCall::Kind::Child, .name = "t", .key = child});
        commit.children = {{.id = child, .agent_digest = agent, .queue = child, .max_attempts = 1'000'000}};
        o.told = told_of(own.commit(claim, commit));
        if (o.told == Told::Yes) keep(claim);
        break;
    }
    case What::Wait: {
        const Result<bool> waits = own.wait(claim, {.for_whom = "[]"});
        o.told = waits.ok() && !*waits ? Told::No : told_of(waits);
        break;
    }
    case What::Release: o.told = told_of(own.release(claim, Millis64(0), false)); break;
    case What::Complete: o.told = told_of(own.complete(claim, {}, "r")); break;
    case What::Fail: o.told = told_of(own.fail(claim, {}, "{}")); break;
    default: {
        const auto beat = must(own.heartbeat({claim}, kHour));
        o.told = !beat.lost.empty() ? Told::Lost : !beat.cancelled.empty() ? Told::No : Told::Yes;
    }
    }
}

void StoreHistories::act_on_child(MissionStore& own, const std::string& id, Operation& o) {
    const std::string child = id + "-child";
    switch (o.what) {
    case What::ClaimChild: {
        const auto claims = must(own.claim({.worker = "w", .queues = {child}, .lease = kHour}));
        o.told = claims.empty() ? Told::No : Told::Yes;
        if (claims.empty()) return;
        o.token = claims[0].token;
        const std::scoped_lock lock(mutex_);
        child_claim_ = claims[0];
        return;
    }
    case What::CompleteChild: {
        std::unique_lock lock(mutex_);
        ClaimedMission claim = child_claim_;
        lock.unlock();
        o.token = claim.token;
        o.told = told_of(own.complete(claim, {}, "r"));
        return;
    }
    case What::CancelChild: {
        const Result<bool> taken = own.signal(child, {});
        o.told = taken.ok() && !*taken ? Told::No : told_of(taken);
        return;
    }
    default: {
        const auto seen = must(own.show(child));
        o.told = seen ? Told::Yes : Told::No;
        if (seen) o.status = seen->status;
    }
    }
}

void StoreHistories::act(MissionStore& own, const std::string& id, Operation& o, std::mt19937& random) {
    switch (o.what) {
    case What::Claim: {
        const auto claims = must(own.claim({.worker = "w", .queues = {id}, .lease = kHour}));
        o.told = claims.empty() ? Told::No : Told::Yes;
        if (claims.empty()) return;
        o.token = claims[0].token;
        o.revision = claims[0].revision;
        return keep(claims[0]);
    }
    case What::Answer: {
        o.revision = 1 + random() % 3;
        const Result<bool> taken = own.signal(id, {.kind = Signal::Kind::Answer, .need = o.revision, .bytes = "yes"});
        o.told = taken.ok() && !*taken ? Told::No : told_of(taken);
        return;
    }
    case What::Cancel: o.told = must(own.signal(id, {})) ? Told::Yes : Told::No; return;
    case What::Retry: o.told = must(own.retry(id)) ? Told::Yes : Told::No; return;
    case What::ClaimChild:
    case What::CompleteChild:
    case What::CancelChild:
    case What::ShowChild: return act_on_child(own, id, o);
    case What::EndLease:
        sql("UPDATE " + table("mission") + " SET wake_at = wake_at - 2 * " + std::to_string(kHour.count()) +
            " WHERE id = '" + id + "' AND status = 'running'");
        return;
    case What::Show: {
        const StoredMission seen = must(own.show(id)).value_or(StoredMission());
        o.status = seen.status;
        o.revision = seen.revision;
        return;
    }
    default: return;
    }
}

/// How often each is done. Few ends, so that there is much before them.
What some_operation(std::mt19937& random) {
    constexpr std::array kChances{
        What::Claim,      What::Claim,         What::Claim,         What::Claim,      What::Claim,
        What::Commit,     What::Commit,        What::Commit,        What::Commit,     What::Commit,
        What::Wait,       What::Wait,          What::Wait,          What::Commit,     What::Release,
        What::Heartbeat,  What::Answer,        What::Answer,        What::Commit,     What::EndLease,
        What::EndLease,   What::Commit,        What::Show,          What::Commit,     What::Fail,
        What::Fail,       What::Fail,          What::Complete,      What::Retry,      What::Retry,
        What::Retry,      What::ShowChild,     What::ShowChild,     What::ClaimChild, What::ClaimChild,
        What::ClaimChild, What::CompleteChild, What::CompleteChild, What::CancelChild};
    return random() % 40 == 0 ? What::Cancel : kChances[random() % kChances.size()];
}

std::vector<Operation> StoreHistories::history(const std::string& id, unsigned seed) {
    must(store->submit({.id = id, .agent_digest = agent, .queue = id, .max_attempts = 1'000'000}));
    claims_.clear();
    child_claim_ = {.id = id + "-child", .token = "none"};
    std::atomic<std::uint64_t> counter = 0;
    std::barrier together(kThreads);
    std::array<std::vector<Operation>, kThreads> all;
    const auto work = [&](int thread) {
        std::mt19937 random(seed * kThreads + static_cast<unsigned>(thread));
        MissionStore& own = *stores_[static_cast<std::size_t>(thread)];
        for (int i = 0; i < kEach; ++i) {
            Operation o{.what = i == 0 ? What::Claim : some_operation(random), .thread = thread};
            const bool is_by_claim = o.what >= What::Commit && o.what <= What::Heartbeat;
            ClaimedMission claim = is_by_claim ? some_claim(random) : ClaimedMission();
            together.arrive_and_wait(); // each round at once; who is first is the machine's affair
            o.begin = ++counter;
            if (is_by_claim)
                act_by_claim(own, o, std::move(claim));
            else
                act(own, id, o, random);
            o.end = ++counter;
            all[static_cast<std::size_t>(thread)].push_back(o);
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread)
            threads.emplace_back(work, thread);
    }
    std::vector<Operation> merged;
    for (const auto& part : all)
        merged.insert(merged.end(), part.begin(), part.end());
    std::ranges::sort(merged, {}, &Operation::begin);
    return merged;
}

TEST_P(StoreHistories, WhatThreadsAreToldCouldHaveBeenToldInOneOrder) {
    const std::vector<std::shared_ptr<MissionStore>> own = {open(), open(), open(), open()};
    const int histories = is_postgres() ? 150 : 60;
    int overlaps = 0, commits = 0, lost = 0, children = 0, retries = 0;
    std::set<MissionStatus> ends;
    for (int i = 0; i < histories && !HasFailure(); ++i) {
        const std::string id = "h" + std::to_string(i);
        stores_ = i % 2 == 0 ? own : std::vector(kThreads, store); // or all by one, whose writes may be done together
        const std::vector<Operation> all = history(id, static_cast<unsigned>(i));
        for (std::size_t k = 1; k < all.size(); ++k)
            overlaps += all[k].begin < all[k - 1].end ? 1 : 0;
        for (const Operation& o : all) {
            commits += o.what == What::Commit && o.told == Told::Yes ? 1 : 0;
            lost += o.told == Told::Lost ? 1 : 0;
            children += o.what == What::CompleteChild && o.told == Told::Yes ? 1 : 0;
            retries += o.what == What::Retry && o.told == Told::Yes ? 1 : 0;
        }
        ends.insert(must(store->show(id)).value_or(StoredMission()).status);
        std::string text;
        for (const Operation& o : all)
            text += text_of(o) + "\n";
        EXPECT_TRUE(Search(all, is_postgres()).finds_an_order()) << "seed " << i << "\n" << text;
    }
    // There was something to be seen.
    EXPECT_GT(overlaps, histories);
    EXPECT_GT(commits, histories / 4);
    EXPECT_GT(lost, histories / 2);
    EXPECT_GT(children, histories / 20);
    EXPECT_GT(retries, histories / 10);
    EXPECT_GE(ends.size(), 3u);
    RecordProperty("overlaps", overlaps);
    RecordProperty("commits", commits);
    RecordProperty("lost", lost);
    RecordProperty("children", children);
    RecordProperty("retries", retries);
}

PTC_STORE_SUITE(StoreHistories);

} // namespace
} // namespace ptc::test
