// Random operations of three clients, beside a model that is a map: what each call gives, and where each mission stands
// after it. Time passes by `advance`, so that leases end when the model says so.
#include "tests/store/stores.h"
#include <algorithm>
#include <map>
#include <optional>
#include <rapidcheck.h>

namespace ptc::test {
namespace {

class StoreModel : public Stores {};

constexpr Millis64 kModelLease{60'000};

struct Step {
    unsigned what = 0, client = 0, which = 0;
};

struct ModelMission {
    MissionStatus status = MissionStatus::Ready;
    std::uint64_t revision = 0;
    std::string token{};      ///< of the claim that may write
    bool has_expired = false; ///< the lease of a running one: the next claim takes it
    bool is_cancelled = false;
    bool has_news = false; ///< a signal came since it was claimed, or since `wait` said so
    int approvals = 0;
    bool is_answered = false; ///< the last of them
};

struct HeldClaim {
    ClaimedMission claim;
    std::size_t client = 0;
};

/// One run of random steps, in a queue of its own.
class Walk {
public:
    Walk(std::vector<std::shared_ptr<MissionStore>> clients, std::string agent, std::string queue)
        : clients_(std::move(clients)), agent_(std::move(agent)), queue_(std::move(queue)) {}

    /// Of the store's counts, those of this walk's queue are those of the map.
    void check_counts() {
        std::map<std::string_view, std::uint64_t> mine, theirs;
        for (const auto& [id, mission] : missions_)
            ++mine[status_name(mission.status)];
        for (const MissionStore::Count& count : must(clients_[0]->counts()))
            if (count.queue == queue_) theirs[status_name(count.status)] = count.missions;
        RC_ASSERT(mine == theirs);
    }

    void take(const Step& step, const std::function<void(Millis64)>& advance) {
        MissionStore& store = *clients_[step.client % clients_.size()];
        switch (step.what % 11) {
        case 0:
        case 1: submit(store, step.which); break;
        case 2:
        case 3: claim(store, step); break;
        case 4: commit(step.which); break;
        case 5: complete(step.which); break;
        case 6: wait(step.which); break;
        case 7: approve(store, step.which); break;
        case 8: cancel(store, step.which); break;
        case 9: release(step.which); break;
        default: expire(advance); break;
        }
        for (const auto& [id, mission] : missions_) {
            const auto shown = must(store.show(id));
            RC_ASSERT(shown.has_value());
            RC_ASSERT(status_name(shown->status) == status_name(mission.status));
            RC_ASSERT(shown->revision == mission.revision);
        }
    }

private:
    [[nodiscard]] ModelMission* held(std::size_t which, HeldClaim** claim) {
        if (held_.empty()) return nullptr;
        *claim = &held_[which % held_.size()];
        return &missions_.at((*claim)->claim.id);
    }
    [[nodiscard]] static bool owns(const ModelMission& mission, const std::string& token) {
        return mission.status == MissionStatus::Running && mission.token == token;
    }
    [[nodiscard]] std::map<std::string, ModelMission>::iterator any(std::size_t which) {
        return missions_.empty() ? missions_.end()
                                 : std::next(missions_.begin(), static_cast<std::ptrdiff_t>(which % missions_.size()));
    }

    void submit(MissionStore& store, unsigned which) {
        const std::string id = queue_ + "-" + std::to_string(which % 12);
        const auto made = must(store.submit({.id = id, .agent_digest = agent_, .queue = queue_, .max_attempts = 1000}));
        RC_ASSERT(made.is_new == missions_.emplace(id, ModelMission()).second);
    }

    void claim(MissionStore& store, const Step& step) {
        for (auto& [id, mission] : missions_) { // what a claim wakes first
            if (mission.status != MissionStatus::Running || !mission.has_expired) continue;
            mission.status = mission.is_cancelled ? MissionStatus::Cancelled : MissionStatus::Ready;
            mission.token.clear();
            mission.has_expired = false;
        }
        const std::size_t most = 1 + step.which % 3;
        const auto ready = static_cast<std::size_t>(
            std::ranges::count(missions_, MissionStatus::Ready, [](const auto& m) { return m.second.status; }));
        const auto claims = must(store.claim({.worker = "w", .queues = {queue_}, .most = most, .lease = kModelLease}));
        RC_ASSERT(claims.size() == std::min(most, ready));
        for (const ClaimedMission& one : claims) {
            ModelMission& mission = missions_.at(one.id);
            RC_ASSERT(mission.status == MissionStatus::Ready);
            RC_ASSERT(one.revision == mission.revision);
            mission.status = MissionStatus::Running;
            mission.token = one.token;
            mission.has_news = false;
            held_.push_back({one, step.client % clients_.size()});
        }
    }

    void commit(unsigned which) {
        HeldClaim* held_claim = nullptr;
        ModelMission* const mission = held(which, &held_claim);
        if (!mission) return;
        const bool may = owns(*mission, held_claim->claim.token) && mission->revision == held_claim->claim.revision;
        Commit commit{.snapshot = "s" + std::to_string(mission->revision)};
        const int need = mission->approvals + 1;
        commit.calls = {{.need = static_cast<std::uint64_t>(need), .kind = StoredCall::Kind::Approval, .name = "t"}};
        const Result<void> done = clients_[held_claim->client]->commit(held_claim->claim, commit);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        ++mission->revision;
        mission->approvals = need;
        mission->is_answered = false;
    }

    void complete(unsigned which) {
        HeldClaim* held_claim = nullptr;
        ModelMission* const mission = held(which, &held_claim);
        if (!mission) return;
        const bool may = owns(*mission, held_claim->claim.token) && mission->revision == held_claim->claim.revision;
        const Result<void> done = clients_[held_claim->client]->complete(held_claim->claim, {}, "r");
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        ++mission->revision;
        mission->status = MissionStatus::Done;
    }

    void wait(unsigned which) {
        HeldClaim* held_claim = nullptr;
        ModelMission* const mission = held(which, &held_claim);
        if (!mission) return;
        const bool may = owns(*mission, held_claim->claim.token);
        const Result<bool> waits = clients_[held_claim->client]->wait(held_claim->claim, {.for_whom = "[]"});
        RC_ASSERT(reason_of(waits) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        RC_ASSERT(waits.value() == (!mission->has_news && !mission->is_cancelled));
        if (waits.value()) mission->status = MissionStatus::Waiting;
        mission->has_news = false;
    }

    void approve(MissionStore& store, unsigned which) {
        const auto found = any(which);
        if (found == missions_.end() || found->second.approvals == 0) return;
        ModelMission& mission = found->second;
        const bool is_over = mission.status == MissionStatus::Done || mission.status == MissionStatus::Cancelled;
        const Signal signal{
            .kind = Signal::Kind::Answer, .need = static_cast<std::uint64_t>(mission.approvals), .bytes = "yes"};
        RC_ASSERT(must(store.signal(found->first, signal)) == (!is_over && !mission.is_answered));
        if (is_over || mission.is_answered) return;
        mission.is_answered = true;
        mission.has_news = true;
        if (mission.status == MissionStatus::Waiting) mission.status = MissionStatus::Ready;
    }

    void cancel(MissionStore& store, unsigned which) {
        const auto found = any(which);
        if (found == missions_.end()) return;
        ModelMission& mission = found->second;
        const bool is_over = mission.status == MissionStatus::Done || mission.status == MissionStatus::Cancelled;
        const bool takes = !is_over && !mission.is_cancelled;
        RC_ASSERT(must(store.signal(found->first, {})) == takes);
        if (!takes) return;
        if (mission.status == MissionStatus::Running)
            mission.is_cancelled = mission.has_news = true;
        else
            mission.status = MissionStatus::Cancelled;
    }

    void release(unsigned which) {
        HeldClaim* held_claim = nullptr;
        ModelMission* const mission = held(which, &held_claim);
        if (!mission) return;
        const bool may = owns(*mission, held_claim->claim.token);
        const Result<void> done = clients_[held_claim->client]->release(held_claim->claim, Millis64(0), false);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        mission->status = MissionStatus::Ready;
        mission->has_expired = false;
    }

    void expire(const std::function<void(Millis64)>& advance) {
        advance(2 * kModelLease);
        for (auto& [id, mission] : missions_)
            mission.has_expired |= mission.status == MissionStatus::Running;
    }

    std::vector<std::shared_ptr<MissionStore>> clients_;
    std::string agent_, queue_;
    std::map<std::string, ModelMission> missions_;
    std::vector<HeldClaim> held_; ///< lost ones, too: they go on trying
};

TEST_P(StoreModel, ClientsSeeWhatAMapWouldShow) {
    const std::vector<std::shared_ptr<MissionStore>> clients = {store, open(), open()};
    int runs = 0;
    const bool holds = rc::check("a store is a map with leases", [&] {
        Walk walk(clients, agent, "q" + std::to_string(++runs));
        const auto steps = *rc::gen::resize(60, rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
                                                    rc::gen::set(&Step::what, rc::gen::inRange(0u, 11u)),
                                                    rc::gen::set(&Step::client, rc::gen::inRange(0u, 3u)),
                                                    rc::gen::set(&Step::which, rc::gen::inRange(0u, 100u)))));
        for (const Step& step : steps)
            walk.take(step, [this](Millis64 time) { advance(time); });
        walk.check_counts();
    });
    EXPECT_TRUE(holds);
    EXPECT_GT(runs, 50);
}

PTC_STORE_SUITE(StoreModel);

} // namespace
} // namespace ptc::test
