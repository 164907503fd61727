// Whose turn it is. Queues take turns, and within a queue its tenants: a lane is a queue, a tenant and an agent, and
// lanes of one queue and tenant take turns as one. `turn` is a number that is the same for all of these and says when
// they were served last, `served` is the lane's own. Of queues each process remembers itself which one it served last;
// the next one is the next by name in which something is ready. So a queue has its share however many tenants another
// one has, and a claim reads a few queues and lanes, however many there are.
//
// In PostgreSQL many claims work at once. They pass over missions and lanes that others have (SKIP LOCKED), so none
// waits for another's commit; two that look at the same lane at once serve it twice, and the next ones serve others.
// A lane is `is_ready` as long as something in it is due. Whoever makes a mission due keeps the lane (FOR KEY SHARE),
// and a claim lets a lane rest only when nobody keeps it, so no mission is left in a lane that rests. Workers are told
// when a lane that rests becomes ready; one that found a lane empty and could not let it rest looks again soon.
#include "subagent/store/sql_store.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace ptc {
namespace {

constexpr std::size_t kLanesBesides = 15; ///< that are looked at beyond those that are wanted: versions of agents
constexpr std::size_t kMostQueues = 16;   ///< of one claim, when there are more lanes than it looks at

std::size_t queues_of_one(const ClaimOptions& options) { return std::min(options.most, kMostQueues - 1) + 1; }

} // namespace

// ---- Which queues

void SqlStore::note_turn(const Look& seen) {
    const std::lock_guard lock(turn_mutex_);
    if (!seen.last_queue.empty()) last_queue_ = seen.last_queue;
    was_cut_ = seen.is_cut;
}

/// As the last claim left it: where there were more lanes than it looked at, there will be more now.
SqlStore::Turn SqlStore::turn() {
    const std::lock_guard lock(turn_mutex_);
    return {last_queue_, was_cut_};
}

#define PTC_FIRST_QUEUE(of) "(SELECT l.queue FROM {s}lane l WHERE l.is_ready = 1 " of " ORDER BY l.queue LIMIT 1)"
/// From one queue to the next by name, round and round: what was found before ends it.
#define PTC_QUEUES_BEHIND(agent)                                                                                                        \
    "WITH RECURSIVE found (queue) AS (SELECT COALESCE(" PTC_FIRST_QUEUE(                                                                \
        agent                                                                                                                           \
        " AND l.queue > $1") ", " PTC_FIRST_QUEUE(agent) ") UNION SELECT COALESCE(" PTC_FIRST_QUEUE(agent                               \
                                                                                                    " AND l.queue > "                   \
                                                                                                    "found.queue") ","                  \
                                                                                                                   " " PTC_FIRST_QUEUE( \
                                                                                                                       agent) ") FROM found WHERE found.queue IS NOT NULL) SELECT queue FROM found WHERE queue IS NOT NULL LIMIT $2"

std::vector<Statement> SqlStore::queue_statements(const ClaimOptions& options, const std::string& last) {
    std::vector<Statement> all;
    if (!options.queues.empty()) return all;
    const auto most = static_cast<std::int64_t>(queues_of_one(options));
    if (options.agents.empty()) all.push_back({PTC_QUEUES_BEHIND(""), {last, most}});
    for (const std::string& agent : options.agents)
        all.push_back({PTC_QUEUES_BEHIND("AND l.agent = $3"), {last, most, agent}});
    return all;
}

namespace {

/// As they follow on the one that was served last.
void put_in_turn(std::vector<std::string>& queues, const std::string& last) {
    std::ranges::sort(queues, {},
                      [&](const std::string& queue) { return std::pair(queue <= last, std::string_view(queue)); });
    queues.erase(std::ranges::unique(queues).begin(), queues.end());
}

#undef PTC_FIRST_QUEUE
#undef PTC_QUEUES_BEHIND

} // namespace

// ---- Which lanes

std::vector<Statement> SqlStore::lane_statements(const ClaimOptions& options) {
#define PTC_LANE_COLUMNS "SELECT lane, queue, tenant, agent, turn, served FROM {s}lane WHERE is_ready = 1 "
#define PTC_LANE_ORDER " ORDER BY turn, served LIMIT $1"
    std::vector<Statement> all;
    if (options.most == 0) return all;
    const auto limit = static_cast<std::int64_t>(options.most + kLanesBesides);
    if (options.agents.empty() && options.queues.empty()) all.push_back({PTC_LANE_COLUMNS PTC_LANE_ORDER, {limit}});
    if (options.agents.empty()) {
        for (const std::string& queue : options.queues)
            all.push_back({PTC_LANE_COLUMNS "AND queue = $2" PTC_LANE_ORDER, {limit, queue}});
    }
    for (const std::string& agent : options.agents) {
        if (options.queues.empty()) all.push_back({PTC_LANE_COLUMNS "AND agent = $2" PTC_LANE_ORDER, {limit, agent}});
        for (const std::string& queue : options.queues)
            all.push_back({PTC_LANE_COLUMNS "AND agent = $2 AND queue = $3" PTC_LANE_ORDER, {limit, agent, queue}});
    }
#undef PTC_LANE_COLUMNS
#undef PTC_LANE_ORDER
    return all;
}

/// Of queues in turn; `found` answers `lane_statements`, `named` `queue_statements`, if they were asked already. Where
/// there are more lanes than those, whichever queues they are of, a few queues are looked at each by itself. `is_cut`:
/// there may be others behind what was looked at.
Result<std::vector<SqlStore::QueueLanes>> SqlStore::lanes_by_queue(Database& database, const ClaimOptions& options,
                                                                   const std::string& last, std::vector<Answer> found,
                                                                   std::vector<Answer> named, bool& is_cut) {
    const std::size_t limit = options.most + kLanesBesides;
    const auto is_full = [limit](const Answer& answer) { return answer.rows.size() >= limit; };
    is_cut = std::ranges::any_of(found, is_full);
    std::vector<std::string> queues;
    if (is_cut && options.queues.empty()) {
        if (named.empty()) named = PTC_TRY(database.execute_all(queue_statements(options, last)));
        for (const Answer& some : named)
            for (const Row& row : some.rows)
                queues.push_back(row[0].text());
        put_in_turn(queues, last);
        queues.resize(std::min(queues.size(), queues_of_one(options)));
        if (queues.size() > 1) {
            ClaimOptions of_queues = options;
            of_queues.queues = queues;
            found = PTC_TRY(database.execute_all(lane_statements(of_queues)));
        }
    }
    std::map<std::string, QueueLanes> lanes;
    for (const Answer& some : found)
        for (const Row& row : some.rows)
            lanes[row[1].text()].push_back(
                {row[0].integer(), row[1].text(), row[2].text(), row[3].text(), row[4].integer(), row[5].integer()});
    queues.clear();
    for (const auto& [queue, some] : lanes)
        queues.push_back(queue);
    put_in_turn(queues, last);
    std::vector<QueueLanes> all;
    for (const std::string& queue : queues) {
        QueueLanes& some = all.emplace_back(std::move(lanes[queue]));
        std::ranges::sort(some, {}, [](const CandidateLane& lane) {
            return std::tie(lane.turn, lane.tenant, lane.served, lane.lane);
        });
    }
    return all;
}

// ---- Which missions

namespace {

/// Round by round each part gets the same share of `most`, and what some have no use for goes to those that have more.
/// `ask(part, n)` gives at most n of it: those that it gave before, and others. Nothing is asked of those behind when
/// there is enough. In the order in which they were got.
template <class Due, class Ask> Result<std::vector<Due>> shared_out(std::size_t parts, std::size_t most, Ask ask) {
    std::vector<std::vector<Due>> found(parts);
    std::vector<std::size_t> hungry(parts);
    std::iota(hungry.begin(), hungry.end(), std::size_t{0});
    std::vector<std::size_t> order;
    std::size_t total = 0;
    while (total < most && !hungry.empty()) {
        const std::size_t share = std::max<std::size_t>(1, (most - total) / hungry.size());
        std::vector<std::size_t> fed;
        for (const std::size_t part : hungry) {
            const std::size_t before = found[part].size(), more = std::min(share, most - total);
            if (more == 0) break;
            found[part] = PTC_TRY(ask(part, before + more));
            const std::size_t got = found[part].size() - std::min(before, found[part].size());
            total += got;
            order.insert(order.end(), got > 0 ? 1 : 0, part);
            if (got == more) fed.push_back(part);
        }
        hungry = std::move(fed);
    }
    std::vector<Due> all; // the part that got something last is last
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (std::find(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(), order[i]) != order.end())
            continue;
        all.insert(all.end(), found[order[i]].begin(), found[order[i]].end());
    }
    return all;
}

} // namespace

/// What a claim reads of a mission: of its context and its answers, and, as the last part says, of its snapshot.
#define PTC_CLAIMED_BYTES                                                                                              \
    "length(context) + COALESCE((SELECT length(c.bytes) FROM {s}context c WHERE c.digest = context_digest), 0) + "     \
    "COALESCE((SELECT sum(length(k.answer)) FROM {s}call k WHERE k.mission = number AND k.is_taken = 0), 0), "         \
    "COALESCE((SELECT max(p.size) FROM {s}snapshot p WHERE p.mission = number), 0)"

/// A file may say anything of a size.
static std::uint64_t claimed_bytes(std::int64_t texts, std::int64_t snapshot) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(texts, 0, kMost) +
                                      std::clamp<std::int64_t>(snapshot, 0, kMost));
}

/// At most so many of lanes that take turns as one: those of the highest priority, and of these the oldest.
Result<std::vector<SqlStore::Due>> SqlStore::due_of(Database& database, std::span<const CandidateLane> lanes,
                                                    std::size_t most, AskedLanes& asked) {
    const auto limit = static_cast<std::int64_t>(most);
    std::vector<Due> due;
    for (const CandidateLane& lane : lanes) {
        const Answer found = PTC_TRY(database.execute(
            "SELECT number, priority, CASE WHEN deadline <= {now} THEN 1 ELSE 0 END, "
            "CASE WHEN " PTC_IS_WORN_OUT(
                "0") " THEN 1 ELSE 0 END, id, revision, (SELECT count(*) FROM (SELECT 1 FROM {s}mission WHERE lane = "
                     "$1 AND is_due = 1 ORDER BY priority DESC, number LIMIT $3) d), losses, " PTC_CLAIMED_BYTES
                     " FROM {s}mission WHERE lane "
                     "= $1 "
                     "AND is_due = 1 "
                     "ORDER BY priority DESC, number LIMIT $2 {skip}",
            {lane.lane, limit, limit + 1}));
        for (const Row& row : found.rows)
            due.push_back({row[0].integer(), row[1].integer(), &lane, row[2].integer() != 0, row[3].integer() != 0,
                           row[4].text(), row[5].integer() > 0, static_cast<int>(row[7].integer()),
                           claimed_bytes(row[8].integer(), row[9].integer())});
        const std::int64_t there = found.rows.empty() ? 0 : found.rows[0][6].integer();
        asked[lane.lane] = {most, found.rows.size(), static_cast<std::size_t>(there)};
    }
    std::ranges::sort(due, [](const Due& a, const Due& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.number < b.number;
    });
    if (due.size() > most) due.resize(most);
    return due;
}

#undef PTC_CLAIMED_BYTES

/// Those of a queue: each tenant gets its share.
Result<std::vector<SqlStore::Due>> SqlStore::due_of_tenants(Database& database, std::span<const CandidateLane> lanes,
                                                            std::size_t most, AskedLanes& asked) {
    std::vector<std::span<const CandidateLane>> tenants;
    for (std::size_t begin = 0; begin < lanes.size();) {
        std::size_t end = begin + 1;
        while (end < lanes.size() && lanes[end].tenant == lanes[begin].tenant)
            ++end;
        tenants.push_back(lanes.subspan(begin, end - begin));
        begin = end;
    }
    return shared_out<Due>(tenants.size(), most,
                           [&](std::size_t i, std::size_t n) { return due_of(database, tenants[i], n, asked); });
}

Result<std::vector<SqlStore::Due>> SqlStore::choose(Database& database, std::span<const QueueLanes> queues,
                                                    std::size_t most, AskedLanes& asked) {
    return shared_out<Due>(queues.size(), most,
                           [&](std::size_t i, std::size_t n) { return due_of_tenants(database, queues[i], n, asked); });
}

bool SqlStore::keep_apart(std::vector<Due>& chosen, const ClaimOptions& options) {
    const auto is_apart = [](const Due& due) { return !due.is_late && !due.is_worn_out && is_kept_apart(due.losses); };
    const bool any_apart = std::ranges::any_of(chosen, is_apart);
    const bool is_of_these = options.in_hand == 0 ? any_apart : is_kept_apart(options.losses_in_hand);
    if (!any_apart && !is_of_these) return false;
    std::ranges::stable_sort(chosen, std::greater(), &Due::losses); // alike ones are together
    std::size_t in_hand = options.in_hand;
    int losses = options.losses_in_hand;
    bool has_left = false;
    std::erase_if(chosen, [&](const Due& due) {
        if (due.is_late || due.is_worn_out) return false; // nobody gets it
        const int worst = std::max(losses, due.losses);
        const bool fits = is_apart(due) == is_of_these && in_hand < most_in_hand(worst);
        has_left = has_left || (!fits && is_apart(due));
        if (!fits) return true;
        ++in_hand;
        losses = worst;
        return false;
    });
    return has_left;
}

void SqlStore::keep_until_full(std::vector<Due>& chosen, const ClaimOptions& options) {
    std::uint64_t bytes = options.bytes_in_hand;
    const auto left = std::ranges::find_if(chosen, [&](const Due& due) {
        if (due.is_late || due.is_worn_out) return false; // nobody gets it
        if (bytes >= options.most_bytes) return true;
        bytes += due.bytes;
        return false;
    });
    chosen.erase(left, chosen.end());
}

/// Those that were served go behind all others of their queue, with those that take turns with them.
Result<void> SqlStore::stamp(Database& database, std::span<const QueueLanes> queues, const std::vector<Due>& chosen,
                             std::int64_t last_turn) {
    // Of a store that somebody else wrote, it may be the last one that there is.
    const std::int64_t turn = last_turn + (last_turn < std::numeric_limits<std::int64_t>::max() ? 1 : 0);
    std::set<std::int64_t> served;
    std::set<std::pair<std::string_view, std::string_view>> pairs;
    for (const Due& due : chosen) {
        served.insert(due.lane->lane);
        pairs.emplace(due.lane->queue, due.lane->tenant);
    }
    for (const QueueLanes& lanes : queues) {
        if (lanes.size() < 2) continue; // there is nobody else
        for (const CandidateLane& lane : lanes) {
            if (!pairs.contains({lane.queue, lane.tenant})) continue;
            // A lane that another claim has is stamped by that one.
            PTC_CHECK(database.defer("UPDATE {s}lane SET turn = $2, served = $3 WHERE lane IN "
                                     "(SELECT lane FROM {s}lane WHERE lane = $1 {skip})",
                                     {lane.lane, turn, served.contains(lane.lane) ? turn : lane.served}));
        }
    }
    return {};
}

// ---- Which lanes rest

/// Those in which nothing is due when what was chosen is taken. What others have of a lane may come back to it.
std::vector<std::int64_t> SqlStore::emptied_of(const AskedLanes& asked, const std::vector<Due>& chosen,
                                               bool& is_settled) {
    std::map<std::int64_t, std::size_t> taken;
    for (const Due& due : chosen)
        ++taken[due.lane->lane];
    std::vector<std::int64_t> emptied;
    for (const auto& [lane, answer] : asked) {
        if (answer.due <= taken[lane]) emptied.push_back(lane);
        if (answer.due > answer.found && answer.found < answer.wanted) is_settled = false;
    }
    return emptied;
}

/// Nothing in them is due any more, unless somebody is just making something so, or taking it; how many rest.
Result<std::size_t> SqlStore::rest_lanes(Database& database, const std::vector<std::int64_t>& lanes) {
    std::vector<Statement> keep, rest;
    for (const std::int64_t lane : lanes)
        keep.push_back({"SELECT lane FROM {s}lane WHERE lane = $1 {skip_all}", {lane}});
    if (keep.empty()) return std::size_t{0};
    for (const Answer& kept : PTC_TRY(database.execute_all(keep))) {
        if (kept.rows.empty()) continue;
        rest.push_back({"UPDATE {s}lane SET is_ready = 0 WHERE lane = $1 AND NOT EXISTS "
                        "(SELECT 1 FROM {s}mission WHERE lane = $1 AND is_due = 1)",
                        {kept.rows[0][0].integer()}});
    }
    std::size_t rested = 0;
    if (rest.empty()) return rested;
    for (const Answer& answer : PTC_TRY(database.execute_all(rest)))
        rested += answer.changed > 0 ? 1 : 0;
    return rested;
}

} // namespace ptc
