// Several threads do things to one mission at once, each by a store of its own, and what each of them was told is
// written down with a number from before the call and one from behind it. Then an order of all calls is looked for in
// which a model without any threads would have told the same, and in which no call goes before one that had ended when
// it began (linearizability, by the search of Wing and Gong with the states that were seen already left out). Where
// there is no such order, the store did two things at once that cannot be.
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

enum class What : std::uint8_t { Claim, Commit, Wait, Release, Complete, Heartbeat, Answer, Cancel, EndLease, Show };
constexpr std::array kWhat{"claim",     "commit", "wait",   "release",   "complete",
                           "heartbeat", "answer", "cancel", "end lease", "show"};

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
    if (o.what == What::Show) out << " " << status_name(o.status);
    return out.str();
}

// ---- The model

struct State {
    MissionStatus status = MissionStatus::Ready;
    std::string token{}; ///< that may write
    std::uint64_t revision = 0, calls = 0, answered = 0;
    bool has_ended_lease = false, is_cancelled = false, has_news = false;

    [[nodiscard]] bool is_over() const { return status == MissionStatus::Done || status == MissionStatus::Cancelled; }
    [[nodiscard]] bool has(const std::string& t) const { return status == MissionStatus::Running && token == t; }
    auto operator<=>(const State&) const = default;
};

State ready(State state) {
    state.status = MissionStatus::Ready;
    state.token.clear();
    state.has_ended_lease = false;
    return state;
}

/// What a claim does to a mission whose worker ended without a word.
State woken(State state) {
    if (state.status != MissionStatus::Running || !state.has_ended_lease) return state;
    const bool is_cancelled = state.is_cancelled;
    state = ready(std::move(state));
    if (is_cancelled) state.status = MissionStatus::Cancelled;
    return state;
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
    const bool names_revision = o.what == What::Commit || o.what == What::Complete;
    const bool is_allowed = state.has(o.token) && (!names_revision || state.revision == o.revision);
    if (is_allowed != (o.told != Told::Lost)) return {};
    if (!is_allowed) return {state};
    switch (o.what) {
    case What::Commit: state.calls = ++state.revision; return {state};
    case What::Complete:
        ++state.revision;
        state = ready(std::move(state));
        state.status = MissionStatus::Done;
        return {state};
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
    if (is_answer && (o.revision > state.calls) != (o.told == Told::Wrong)) return {};
    if (o.told == Told::Wrong) return {state};
    const bool is_taken = !state.is_over() && (is_answer ? (state.answered & bit) == 0 : !state.is_cancelled);
    if (is_taken != (o.told == Told::Yes)) return {};
    if (!is_taken) return {state};
    if (!is_answer && state.status != MissionStatus::Running) {
        state = ready(std::move(state));
        state.status = MissionStatus::Cancelled;
        return {state};
    }
    state.has_news = true;
    if (is_answer)
        state.answered |= bit;
    else
        state.is_cancelled = true;
    if (state.status == MissionStatus::Waiting) state.status = MissionStatus::Ready;
    return {state};
}

/// The states that may be after an operation that was told what it was; none when it cannot have been.
States after(const State& state, const Operation& o, bool may_pass_over) {
    switch (o.what) {
    case What::Claim: return after_claim(state, o, may_pass_over);
    case What::Answer:
    case What::Cancel: return after_signal(state, o);
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
}

// ---- The threads

class StoreHistories : public Stores {
protected:
    /// One history of a mission of its own.
    std::vector<Operation> history(const std::string& id, unsigned seed);

    static constexpr int kThreads = 4, kEach = 8;
    std::vector<std::shared_ptr<MissionStore>> stores_;

private:
    void act(MissionStore& own, const std::string& id, Operation& o, std::mt19937& random);
    void act_by_claim(MissionStore& own, Operation& o, ClaimedMission claim);
    /// One of all claims, of any thread, as it was when it was made or committed.
    ClaimedMission some_claim(std::mt19937& random);
    void keep(const ClaimedMission& claim) {
        const std::scoped_lock lock(mutex_);
        claims_.push_back(claim);
    }

    std::mutex mutex_;
    std::vector<ClaimedMission> claims_;
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
        StoredCall call{.need = claim.revision + 1, .kind = StoredCall::Kind::Approval, .name = "t"};
        o.told = told_of(own.commit(claim, {.snapshot = "s" + std::to_string(claim.revision), .calls = {call}}));
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
    default: {
        const auto beat = must(own.heartbeat({claim}, kHour));
        o.told = !beat.lost.empty() ? Told::Lost : !beat.cancelled.empty() ? Told::No : Told::Yes;
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
    constexpr std::array kChances{What::Claim,     What::Claim,    What::Claim,  What::Claim,   What::Claim,
                                  What::Commit,    What::Commit,   What::Commit, What::Commit,  What::Commit,
                                  What::Wait,      What::Wait,     What::Wait,   What::Release, What::Release,
                                  What::Heartbeat, What::Answer,   What::Answer, What::Answer,  What::EndLease,
                                  What::EndLease,  What::EndLease, What::Show,   What::Show,    What::Complete};
    return random() % 40 == 0 ? What::Cancel : kChances[random() % kChances.size()];
}

std::vector<Operation> StoreHistories::history(const std::string& id, unsigned seed) {
    must(store->submit({.id = id, .agent_digest = agent, .queue = id, .max_attempts = 1'000'000}));
    claims_.clear();
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
    for (int i = 0; i < kThreads; ++i)
        stores_.push_back(open());
    const int histories = is_postgres() ? 150 : 60;
    int overlaps = 0, commits = 0, lost = 0;
    std::set<MissionStatus> ends;
    for (int i = 0; i < histories && !HasFailure(); ++i) {
        const std::string id = "h" + std::to_string(i);
        const std::vector<Operation> all = history(id, static_cast<unsigned>(i));
        for (std::size_t k = 1; k < all.size(); ++k)
            overlaps += all[k].begin < all[k - 1].end ? 1 : 0;
        for (const Operation& o : all) {
            commits += o.what == What::Commit && o.told == Told::Yes ? 1 : 0;
            lost += o.told == Told::Lost ? 1 : 0;
        }
        ends.insert(must(store->show(id)).value_or(StoredMission()).status);
        std::string text;
        for (const Operation& o : all)
            text += text_of(o) + "\n";
        EXPECT_TRUE(Search(all, is_postgres()).finds_an_order()) << "seed " << i << "\n" << text;
    }
    // There was something to be seen.
    EXPECT_GT(overlaps, histories);
    EXPECT_GT(commits, histories / 2);
    EXPECT_GT(lost, histories / 2);
    EXPECT_GE(ends.size(), 3u);
    RecordProperty("overlaps", overlaps);
    RecordProperty("commits", commits);
    RecordProperty("lost", lost);
}

PTC_STORE_SUITE(StoreHistories);

} // namespace
} // namespace ptc::test
