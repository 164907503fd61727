// Random operations of three clients, beside a model that is a map: what each call gives, and where each mission stands
// after it. Missions have approvals, answers of models and missions of their own; they wait for these or for a time,
// are given back for later, fail too often, are late, are cancelled and tried again. Time passes by `advance`, so that
// leases end when the model says so.
#include "tests/store/stores.h"
#include <algorithm>
#include <map>
#include <optional>
#include <rapidcheck.h>

namespace ptc::test {
namespace {

class StoreModel : public Stores {};

constexpr Millis64 kModelLease{60'000};
constexpr int kMaxAttempts = 2;
using Kind = StoredCall::Kind;

struct Step {
    unsigned what = 0, client = 0, which = 0;
};
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Step& step) {
    return out << step.what << " by " << step.client << ": " << step.which;
}

struct ModelCall {
    Kind kind = Kind::Approval;
    std::string child{};
    std::optional<std::string> answer{}; ///< of a child: what became of it, without the words of the store
};

struct ModelMission {
    MissionStatus status = MissionStatus::Ready;
    std::size_t number = 0; ///< in the order of their coming
    std::uint64_t revision = 0;
    std::string token{}; ///< of the claim that may write
    std::string parent{};
    bool is_cancelled = false;
    bool has_news = false;     ///< a signal came since it was claimed, or since `wait` said so
    bool is_timed = false;     ///< of one that is ready: not yet; of one that waits: not for ever
    bool is_time_over = false; ///< the same, and the lease of one that runs: the next claim sees it
    bool has_deadline = false, is_late = false;
    int attempts = 0, losses = 0;
    std::vector<ModelCall> calls{}; ///< their needs count from 1

    [[nodiscard]] bool is_open() const {
        return status == MissionStatus::Ready || status == MissionStatus::Running || status == MissionStatus::Waiting;
    }
    [[nodiscard]] bool is_worn_out(int more) const {
        return attempts + (losses + more) / kLossesOfAnAttempt >= kMaxAttempts;
    }
    void become(MissionStatus to) {
        status = to;
        token.clear();
        is_timed = is_time_over = false;
    }
};

struct HeldClaim {
    ClaimedMission claim;
    std::size_t client = 0;
};

/// What tests compare of an answer.
std::string text_of(Kind kind, const std::string& answer) {
    const auto child = kind == Kind::Child ? child_answer(answer) : std::nullopt;
    return child ? std::string(status_name(child->status)) : answer;
}

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

    void check_calls() {
        for (const auto& [id, mission] : missions_) {
            const auto calls = must(clients_[0]->calls(id));
            RC_ASSERT(calls.size() == mission.calls.size());
            for (std::size_t i = 0; i < calls.size(); ++i)
                check_call(calls[i], mission.calls[i]);
        }
    }

    void take(const Step& step, const std::function<void(Millis64)>& advance) {
        MissionStore& store = *clients_[step.client % clients_.size()];
        switch (step.what % kWays) {
        case 0:
        case 1: submit(store, step.which); break;
        case 2:
        case 3:
        case 4: claim(store, step); break;
        case 5:
        case 6: commit(step.which); break;
        case 7: complete(step.which); break;
        case 8: fail(step.which); break;
        case 9:
        case 10: wait(step.which); break;
        case 11: approve(store, step.which); break;
        case 12: cancel(store, step.which); break;
        case 13:
        case 14: release(step.which); break;
        case 15: record(step.which); break;
        case 16:
        case 17: retry(store, step.which); break;
        case 18:
        case 19: // as workers do
            commit(step.which | 1u);
            wait(step.which);
            break;
        case 20: fail_parent(store); break;
        default: expire(advance); break;
        }
        check_missions(store);
    }

    static constexpr unsigned kWays = 23;
    std::map<std::string, int> seen{}; ///< how often what is worth being seen was

private:
    void check_missions(MissionStore& store) {
        const auto listed = must(store.list({.queue = queue_}));
        RC_ASSERT(listed.size() == missions_.size());
        for (const StoredMission& shown : listed) {
            const ModelMission& mission = missions_.at(shown.id);

            RC_ASSERT(status_name(shown.status) == status_name(mission.status));
            RC_ASSERT(shown.revision == mission.revision);
            RC_ASSERT(shown.attempts == mission.attempts + (shown.status == MissionStatus::Running ? 1 : 0));
            RC_ASSERT(shown.losses == mission.losses);
        }
    }
    static void check_call(const StoredCall& call, const ModelCall& model) {
        RC_ASSERT(call.kind == model.kind);
        RC_ASSERT(call.answer.has_value() == model.answer.has_value());
        RC_ASSERT((call.answered != 0) == model.answer.has_value());
        if (model.answer) RC_ASSERT(text_of(call.kind, *call.answer) == *model.answer);
    }

    [[nodiscard]] ModelMission* held(std::size_t which, HeldClaim** claim) {
        if (held_.empty()) return nullptr;
        *claim = &held_[held_.size() - 1 - which / 4 % std::min<std::size_t>(held_.size(), 6)]; // the newest more often
        return &missions_.at((*claim)->claim.id);
    }
    [[nodiscard]] static bool owns(const ModelMission& mission, const ClaimedMission& claim) {
        return mission.status == MissionStatus::Running && mission.token == claim.token;
    }
    [[nodiscard]] std::map<std::string, ModelMission>::iterator any(std::size_t which) {
        return missions_.empty() ? missions_.end()
                                 : std::next(missions_.begin(), static_cast<std::ptrdiff_t>(which % missions_.size()));
    }
    [[nodiscard]] NewMission new_mission(const std::string& id) const {
        return {.id = id, .agent_digest = agent_, .queue = queue_, .max_attempts = kMaxAttempts};
    }
    ModelMission& add(const std::string& id, ModelMission mission) {
        mission.number = ++last_number_;
        return missions_.emplace(id, std::move(mission)).first->second;
    }

    // ---- What ends, and whom that concerns

    void end(const std::string& id, MissionStatus status) {
        missions_.at(id).become(status);
        tell_parent(id, status);
        if (status != MissionStatus::Done) cancel_children(id);
    }
    void tell_parent(const std::string& child, MissionStatus status) {
        const auto found = missions_.find(missions_.at(child).parent);
        if (found == missions_.end() || !found->second.is_open()) return;
        ModelMission& parent = found->second;
        for (ModelCall& call : parent.calls)
            if (call.child == child && !call.answer) call.answer = std::string(status_name(status));
        ++seen[parent.status == MissionStatus::Waiting ? "told while it waits" : "told before it waits"];
        parent.has_news = true;
        if (parent.status == MissionStatus::Waiting) parent.become(MissionStatus::Ready);
    }
    void cancel_one(const std::string& id) {
        ModelMission& mission = missions_.at(id);
        if (mission.status == MissionStatus::Running) {
            mission.is_cancelled = mission.has_news = true;
        } else {
            mission.become(MissionStatus::Cancelled);
            tell_parent(id, MissionStatus::Cancelled);
        }
    }
    void cancel_children(const std::string& parent) {
        for (auto& [id, mission] : missions_) {
            if (mission.parent != parent || mission.is_cancelled || !mission.is_open()) continue;
            ++seen["cancelled with its parent"];
            cancel_one(id);
            cancel_children(id);
        }
    }

    // ---- What clients do

    void submit(MissionStore& store, unsigned which) {
        const std::string id = queue_ + "-" + std::to_string(which % 8);
        NewMission mission = new_mission(id);
        const bool has_deadline = which % 8 == 0;
        if (has_deadline) mission.deadline = kModelLease;
        const bool is_new = !missions_.contains(id);
        RC_ASSERT(must(store.submit(mission)).is_new == is_new);
        if (is_new) add(id, {.has_deadline = has_deadline});
    }

    /// What a claim wakes first, and what ends by itself there. Of what ends, a parent may have gone before its child,
    /// or the child before its parent: what the store made of these counts, where it may be.
    void wake(MissionStore& store) {
        std::vector<std::string> ends;
        for (auto& [id, mission] : missions_) {
            if (!mission.is_open() || (!mission.is_time_over && !mission.is_late)) continue;
            const bool was_running = mission.status == MissionStatus::Running;
            if (mission.is_late || (was_running && (mission.is_cancelled || mission.is_worn_out(1)))) {
                ends.push_back(id);
                continue;
            }
            if (was_running) ++mission.losses;
            mission.become(MissionStatus::Ready);
        }
        for (const std::string& id : ends) {
            const ModelMission mission = missions_.at(id);
            const MissionStatus status = must(store.show(id)).value_or(StoredMission()).status;
            const bool has_parent_that_ends = std::ranges::find(ends, mission.parent) != ends.end();
            const bool may_be_cancelled =
                has_parent_that_ends || (mission.status == MissionStatus::Running && mission.is_cancelled);
            RC_ASSERT((status == MissionStatus::Failed || (status == MissionStatus::Cancelled && may_be_cancelled)));
            ++seen[mission.is_late        ? "late"
                   : mission.is_cancelled ? "cancelled, its worker gone"
                                          : "worn out by losses"];
            missions_.at(id).become(status);
        }
        for (const std::string& id : ends) {
            tell_parent(id, missions_.at(id).status);
            cancel_children(id);
        }
        for (const std::string& id : ends) {
            const auto calls = must(store.calls(id));
            for (std::size_t i = 0; i < calls.size(); ++i)
                if (calls[i].answer) missions_.at(id).calls[i].answer = text_of(calls[i].kind, *calls[i].answer);
        }
    }

    /// The oldest that are due.
    std::vector<std::string> chosen(std::size_t most) {
        std::vector<std::pair<std::size_t, std::string>> due;
        for (const auto& [id, mission] : missions_)
            if (mission.status == MissionStatus::Ready && !mission.is_timed) due.emplace_back(mission.number, id);
        std::ranges::sort(due);
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < std::min(most, due.size()); ++i)
            ids.push_back(due[i].second);
        return ids;
    }

    /// Of those that lost their workers as many as an empty hand takes, and then no others.
    void keep_apart(std::vector<std::string>& ids) {
        const auto losses_of = [this](const std::string& id) { return missions_.at(id).losses; };
        const auto is_apart = [&](const std::string& id) {
            return !missions_.at(id).is_worn_out(0) && is_kept_apart(losses_of(id));
        };
        if (std::ranges::none_of(ids, is_apart)) return;
        ++seen["kept apart"];
        std::ranges::stable_sort(ids, std::greater(), losses_of);
        int worst = 0;
        std::size_t in_hand = 0;
        std::erase_if(ids, [&](const std::string& id) {
            if (missions_.at(id).is_worn_out(0)) return false;
            worst = std::max(worst, losses_of(id));
            return !is_apart(id) || in_hand++ >= most_in_hand(worst);
        });
    }

    void claim(MissionStore& store, const Step& step) {
        const std::size_t most = 1 + step.which % 3;
        const auto claims = must(store.claim({.worker = "w", .queues = {queue_}, .most = most, .lease = kModelLease}));
        wake(store);
        std::vector<std::string> expected = chosen(most);
        keep_apart(expected);
        for (const std::string& id : std::vector<std::string>(expected)) {
            if (!missions_.at(id).is_worn_out(0)) continue;
            ++seen["worn out"];
            end(id, MissionStatus::Failed);
        }
        std::erase_if(expected, [&](const auto& id) { return !missions_.at(id).is_open(); }); // with their parents, too
        RC_ASSERT(ids_of(claims) == expected);
        for (const ClaimedMission& one : claims) {
            ModelMission& mission = missions_.at(one.id);
            RC_ASSERT(one.revision == mission.revision);
            RC_ASSERT(one.is_cancelled == mission.is_cancelled);
            RC_ASSERT(one.attempts == mission.attempts + 1);
            RC_ASSERT(one.calls.size() == mission.calls.size()); // no commit of the model takes any
            for (std::size_t i = 0; i < one.calls.size(); ++i)
                check_call(one.calls[i], mission.calls[i]);
            mission.become(MissionStatus::Running);
            mission.token = one.token;
            mission.has_news = false;
            held_.push_back({one, step.client % clients_.size()});
        }
    }

    /// With an approval, a call of a model or a mission of its own.
    void commit(unsigned which) {
        HeldClaim* by = nullptr;
        ModelMission* const mission = held(which, &by);
        if (!mission) return;
        const bool may = owns(*mission, by->claim) && mission->revision == by->claim.revision;
        const std::string id = by->claim.id;
        const std::uint64_t need = mission->calls.size() + 1;
        constexpr Kind kKinds[] = {Kind::Approval, Kind::Child, Kind::ModelCall, Kind::Child};
        ModelCall call{.kind = kKinds[which % 4]};
        Commit commit{.snapshot = "s" + std::to_string(mission->revision)};
        if (call.kind == Kind::Child) {
            call.child = id + "/" + std::to_string(need);
            commit.children.push_back(new_mission(call.child));
        }
        commit.calls = {{.need = need, .kind = call.kind, .name = "t", .key = call.child}};
        commit.is_progress = which % 5 != 0;
        const Result<void> done = clients_[by->client]->commit(by->claim, commit);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        ++mission->revision;
        mission->calls.push_back(call);
        if (commit.is_progress) mission->attempts = mission->losses = 0;
        if (call.kind == Kind::Child) add(call.child, {.parent = id});
    }

    void complete(unsigned which) { finish(which, MissionStatus::Done); }
    void fail(unsigned which) { finish(which, which % 2 == 0 ? MissionStatus::Failed : MissionStatus::Cancelled); }

    void finish(unsigned which, MissionStatus status) {
        HeldClaim* by = nullptr;
        ModelMission* const mission = held(which, &by);
        if (!mission) return;
        const bool may = owns(*mission, by->claim) && mission->revision == by->claim.revision;
        MissionStore& store = *clients_[by->client];
        const Result<void> done = status == MissionStatus::Done
                                      ? store.complete(by->claim, {}, "r")
                                      : store.fail(by->claim, {}, "{}", status == MissionStatus::Cancelled);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        ++mission->revision;
        mission->attempts = mission->losses = 0;
        end(by->claim.id, status);
    }

    /// Whose child somebody has, and completes.
    void fail_parent(MissionStore& store) {
        commit(1);
        const std::size_t before = held_.size();
        claim(store, {.which = 2});
        const auto behind = static_cast<unsigned>(held_.size() - before);
        if (behind == 0) return;
        fail(4 * behind);
        complete(0);
    }

    void wait(unsigned which) {
        HeldClaim* by = nullptr;
        ModelMission* const mission = held(which, &by);
        if (!mission) return;
        const bool may = owns(*mission, by->claim);
        const bool is_timed = which % 4 == 0;
        const Result<bool> waits = clients_[by->client]->wait(
            by->claim, {.for_whom = "[]", .at_most = is_timed ? std::optional(kModelLease) : std::nullopt});
        RC_ASSERT(reason_of(waits) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        RC_ASSERT(waits.value() == (!mission->has_news && !mission->is_cancelled));
        mission->has_news = false;
        if (!waits.value()) return;
        mission->become(MissionStatus::Waiting);
        mission->attempts = mission->losses = 0;
        mission->is_timed = is_timed;
    }

    void record(unsigned which) {
        HeldClaim* by = nullptr;
        ModelMission* const mission = held(which, &by);
        if (!mission) return;
        const auto call = std::ranges::find(mission->calls, Kind::ModelCall, &ModelCall::kind);
        if (call == mission->calls.end()) return;
        const bool may = owns(*mission, by->claim);
        const auto need = static_cast<std::uint64_t>(call - mission->calls.begin()) + 1;
        const std::string answer = "a" + std::to_string(which);
        const Durability durability = which % 2 == 0 ? Durability::AtOnce : Durability::WithNext;
        const Result<void> done = clients_[by->client]->record(by->claim, need, answer, durability);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        if (call->answer) return; // the first one stays
        call->answer = answer;
        mission->losses = 0;
    }

    void approve(MissionStore& store, unsigned which) {
        const auto found = any(which);
        if (found == missions_.end()) return;
        ModelMission& mission = found->second;
        const auto call =
            std::ranges::find(mission.calls.rbegin(), mission.calls.rend(), Kind::Approval, &ModelCall::kind);
        if (call == mission.calls.rend()) return;
        const auto need = static_cast<std::uint64_t>(mission.calls.rend() - call);
        const Signal signal{.kind = Signal::Kind::Answer, .need = need, .bytes = "yes"};
        const bool takes = mission.is_open() && !call->answer;
        RC_ASSERT(must(store.signal(found->first, signal)) == takes);
        if (!takes) return;
        call->answer = "yes";
        mission.has_news = true;
        if (mission.status == MissionStatus::Waiting) mission.become(MissionStatus::Ready);
    }

    void cancel(MissionStore& store, unsigned which) {
        const auto found = any(which);
        if (found == missions_.end()) return;
        const bool takes = found->second.is_open() && !found->second.is_cancelled;
        RC_ASSERT(must(store.signal(found->first, {})) == takes);
        if (!takes) return;
        cancel_one(found->first);
        cancel_children(found->first);
    }

    /// Gives a claim back: to be had at once or after a pause, as a failure or not.
    void release(unsigned which) {
        HeldClaim* by = nullptr;
        ModelMission* const mission = held(which, &by);
        if (!mission) return;
        const bool may = owns(*mission, by->claim);
        const bool is_later = which % 2 == 0, failed = which % 4 < 3;
        const Result<void> done =
            clients_[by->client]->release(by->claim, is_later ? kModelLease : Millis64(0), failed);
        RC_ASSERT(reason_of(done) == (may ? "ok" : "lease_lost"));
        if (!may) return;
        mission->become(MissionStatus::Ready);
        mission->is_timed = is_later;
        if (failed) ++mission->attempts;
    }

    void retry(MissionStore& store, unsigned which) {
        auto found = any(which);
        if (found == missions_.end()) return;
        // Rather one that failed with a child, which may have come to its end since.
        const auto has_child = [](const auto& entry) {
            return entry.second.status == MissionStatus::Failed &&
                   std::ranges::any_of(entry.second.calls, [](const ModelCall& call) { return !call.child.empty(); });
        };
        if (const auto other = std::ranges::find_if(missions_, has_child); which % 2 == 0 && other != missions_.end())
            found = other;
        const bool takes =
            found->second.status == MissionStatus::Failed || found->second.status == MissionStatus::Cancelled;
        RC_ASSERT(must(store.retry(found->first)) == takes);
        if (takes) revive(found->first);
    }
    /// With the children whose ends it was not told.
    void revive(const std::string& id) {
        ModelMission& mission = missions_.at(id);
        mission.become(MissionStatus::Ready);
        mission.is_cancelled = mission.has_deadline = mission.is_late = false;
        mission.attempts = mission.losses = 0;
        ++seen["tried again"];
        for (const ModelCall& call : mission.calls) {
            if (call.kind != Kind::Child || call.answer) continue;
            ModelMission& child = missions_.at(call.child);
            if (child.status == MissionStatus::Done)
                ++seen["told by a retry"], tell_parent(call.child, child.status);
            else if (child.is_open())
                child.is_cancelled = false;
            else
                revive(call.child);
        }
    }

    void expire(const std::function<void(Millis64)>& advance) {
        advance(2 * kModelLease);
        for (auto& [id, mission] : missions_) {
            if (!mission.is_open()) continue;
            mission.is_time_over |= mission.is_timed || mission.status == MissionStatus::Running;
            mission.is_late |= mission.has_deadline;
        }
    }

    std::vector<std::shared_ptr<MissionStore>> clients_;
    std::string agent_, queue_;
    std::map<std::string, ModelMission> missions_;
    std::size_t last_number_ = 0;
    std::vector<HeldClaim> held_; ///< lost ones, too: they go on trying
};

TEST_P(StoreModel, ClientsSeeWhatAMapWouldShow) {
    const std::vector<std::shared_ptr<MissionStore>> clients = {store, open(), open()};
    int runs = 0;
    std::map<std::string, int> seen;
    const auto walks = [&](int round) {
        return rc::check("a store is a map with leases", [&] {
            for (int i = 0; i < round; ++i)
                (void)*rc::gen::arbitrary<int>(); // each check of a process begins with the same seed
            Walk walk(clients, agent, "q" + std::to_string(++runs));
            const auto steps = *rc::gen::resize(120, rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
                                                         rc::gen::set(&Step::what, rc::gen::inRange(0u, Walk::kWays)),
                                                         rc::gen::set(&Step::client, rc::gen::inRange(0u, 3u)),
                                                         rc::gen::set(&Step::which, rc::gen::inRange(0u, 100u)))));
            for (const Step& step : steps)
                walk.take(step, [this](Millis64 time) { advance(time); });
            walk.check_calls();
            walk.check_counts();
            for (const auto& [what, times] : walk.seen)
                seen[what] += times;
        });
    };
    constexpr const char* kRare[] = {
        "told while it waits", "told before it waits",      "cancelled with its parent", "late", "worn out",
        "tried again",         "cancelled, its worker gone"};
    const auto has_seen = [&](const char* what) { return seen[what] > 0; };
    bool holds = walks(0);
    for (int round = 1; round < 6 && holds && !std::ranges::all_of(kRare, has_seen); ++round)
        holds = walks(round); // a hundred walks miss one of them now and then
    EXPECT_TRUE(holds);
    EXPECT_GT(runs, 50);
    for (const char* what : kRare)
        EXPECT_TRUE(has_seen(what)) << what;
    for (const auto& [what, times] : seen)
        RecordProperty(what, times);
}

PTC_STORE_SUITE(StoreModel);

} // namespace
} // namespace ptc::test
