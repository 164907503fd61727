// A store as a whole: opening it, what is kept by digest or by key, and how missions change their status. Each public
// function is one transaction (`transact`); what is called within one takes its Database.
#include "subagent/store/sql_store.h"
#include "frontend/json_writer.h"
#include "frontend/utf8.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/random_id.h"
#include "subagent/store/database_url.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMostAgentsKept = 256;
constexpr std::string_view kKeyProof = "a store of missions";
constexpr const char* kSelectLane =
    "SELECT lane, is_ready FROM {s}lane WHERE queue = $1 AND tenant = $2 AND agent = $3 {share}";
constexpr std::size_t kLargeContext = 4096; ///< bytes, from which on contexts are kept once

constexpr std::pair<MissionStatus, std::string_view> kStatusNames[] = {
    {MissionStatus::Ready, "ready"}, {MissionStatus::Running, "running"}, {MissionStatus::Waiting, "waiting"},
    {MissionStatus::Done, "done"},   {MissionStatus::Failed, "failed"},   {MissionStatus::Cancelled, "cancelled"},
};

/// Everything that makes two missions with the same id the same.
std::string content_of(const NewMission& m) {
    const auto ms = [](const std::optional<Millis64>& t) {
        return t ? std::to_string(t->count()) : std::string("none");
    };
    // What nobody chose is the same as it was when that was 5: who submits once more with another version finds his
    // own.
    const int attempts = m.max_attempts == kUsualAttempts ? 5 : m.max_attempts;
    std::string content;
    for (const std::string& part : {m.agent_digest, m.context, m.queue, m.tenant, std::to_string(m.priority),
                                    ms(m.delay), ms(m.deadline), std::to_string(attempts), m.parent})
        content.append(std::to_string(part.size())).append(":").append(part);
    return content;
}

} // namespace

Result<void> check_mission(const NewMission& mission) {
    PTC_CHECK(check_name("The id of a mission", mission.id, true));
    PTC_CHECK(check_name("A queue", mission.queue, false));
    PTC_CHECK(check_name("A tenant", mission.tenant, true));
    PTC_CHECK(check_name("The id of a parent", mission.parent, true));
    PTC_CHECK(check_name("The digest of an agent", mission.agent_digest, false));
    if (mission.max_attempts < 1) return invalid_request("`max_attempts` is at least 1.");
    if (mission.delay < Millis64(0) || mission.deadline.value_or(Millis64(0)) < Millis64(0))
        return invalid_request("`delay` and `deadline` are not negative.");
    return {};
}

std::string_view status_name(MissionStatus status) {
    return std::ranges::find(kStatusNames, status, &std::pair<MissionStatus, std::string_view>::first)->second;
}

std::optional<MissionStatus> status_named(std::string_view name) {
    const auto* found = std::ranges::find(kStatusNames, name, &std::pair<MissionStatus, std::string_view>::second);
    return found == std::end(kStatusNames) ? std::nullopt : std::optional(found->first);
}

std::string child_answer_bytes(const ChildAnswer& answer) {
    return std::string(status_name(answer.status)) + '\n' + answer.bytes;
}

std::optional<ChildAnswer> child_answer(std::string_view bytes) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::optional<MissionStatus> status = status_named(bytes.substr(0, end));
    if (!status || end == bytes.size()) return std::nullopt;
    return ChildAnswer{*status, std::string(bytes.substr(end + 1))};
}

Error lease_lost(const std::string& id) {
    return Error(Reason::LeaseLost,
                 "The lease of the mission `" + id + "` ended: another worker has it, or it is over.");
}

Result<void> check_name(std::string_view what, std::string_view name, bool may_be_empty, std::size_t most) {
    const bool has_control =
        std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
    if (name.size() <= most && utf8::find_invalid(name) == utf8::kValid && !has_control &&
        (may_be_empty || !name.empty()))
        return {};
    return invalid_request(std::string(what) + " is " + (may_be_empty ? "at most " : "1 to ") + std::to_string(most) +
                           " bytes of UTF-8 without control characters.");
}

std::string error_json(Reason reason, std::string_view message) {
    return JsonObject().text("reason", reason_name(reason)).text("message", message).finish();
}

// ---- Opening

Result<std::shared_ptr<MissionStore>> MissionStore::open(const std::string& url, StoreOptions options) {
    Payloads payloads = PTC_TRY(Payloads::create(options.key));
    auto store = std::make_shared<SqlStore>(std::move(options), std::move(payloads));
    PTC_CHECK(store->open(url));
    return std::shared_ptr<MissionStore>(std::move(store));
}

Result<int> MissionStore::migrate(const std::string& url) {
    constexpr Millis64 kLongestStep = std::chrono::hours(1); // an index of a large table takes its time
    const auto source = PTC_TRY(database_source(url, kLongestStep, [](std::string_view) {}));
    const auto database = PTC_TRY(source->connect());
    PTC_CHECK(database->begin());
    Result<int> steps = migrate_schema(*source, *database);
    Result<void> done = steps.ok() ? database->commit() : Result<void>(steps.error());
    if (done.ok()) return steps;
    database->rollback();
    return done.take_error();
}

SqlStore::SqlStore(StoreOptions options, Payloads payloads)
    : options_(std::move(options)), payloads_(std::move(payloads)) {
    options_.connections = std::max<std::size_t>(options_.connections, 1);
    options_.busy = std::max(options_.busy, Millis64(1)); // 0 would be for ever in PostgreSQL
}

Result<void> SqlStore::open(const std::string& url) {
    const auto count = [this](std::string_view sql) {
        const std::uint64_t number = ++statements_;
        if (options_.on_statement) options_.on_statement(number, sql);
    };
    source_ = PTC_TRY(database_source(url, options_.busy, count));
    pool_ = std::make_unique<ConnectionPool>(*source_, source_->connections(options_.connections));
    // What cannot be reached now is told now; only later is a store that is away waited for.
    PTC_CHECK(pool_->take(ConnectionPool::Clock::now()));
    return transact([&](Database& database, bool) -> Result<void> {
        PTC_CHECK(prepare_schema(*source_, database, options_.makes_tables));
        return check_key(database);
    });
}

/// The row says whether payloads are in clear, and proves the key when they are not.
Result<void> SqlStore::check_key(Database& database) {
    constexpr const char* kSelect = "SELECT number, " PTC_PAYLOAD("bytes") " FROM {s}meta WHERE name = 'key'";
    Answer found = PTC_TRY(database.execute(kSelect));
    if (found.rows.empty()) {
        const std::string proof = seal(kKeyProof, "meta", "key", "bytes");
        PTC_CHECK(
            database.execute("INSERT INTO {s}meta (name, number, bytes) VALUES ('key', $1, $2) ON CONFLICT DO NOTHING",
                             {std::int64_t{payloads_.has_key()}, Blob(proof)}));
        found = PTC_TRY(database.execute(kSelect));
    }
    if (found.rows.empty()) return invalid_request("The store does not say whether it is encrypted.");
    const bool is_sealed = found.rows[0][0].integer() != 0;
    if (is_sealed && !payloads_.has_key()) return invalid_request("The store is encrypted: it needs its key.");
    if (!is_sealed && payloads_.has_key())
        return invalid_request("The store was made without a key, so its payloads are in clear.");
    const Result<std::string> proof = unseal(found.rows[0][1].text(), "meta", "key", "bytes");
    if (proof.ok() && *proof == kKeyProof) return {};
    return invalid_request("The store is encrypted with another key.");
}

// ---- Agents and data

Result<std::string> SqlStore::put_agent(const std::string& name, const std::string& content) {
    PTC_CHECK(check_name("The name of an agent", name, true));
    std::string digest = sha256(name + '\n' + content);
    const std::string sealed = seal(content, "agent", digest, "content");
    PTC_CHECK(transact([&](Database& database, bool) {
        return database.execute("INSERT INTO {s}agent (digest, name, content, created) VALUES ($1, $2, $3, {now}) "
                                "ON CONFLICT DO NOTHING",
                                {digest, name, Blob(sealed)});
    }));
    return digest;
}

Result<std::optional<AgentVersion>> SqlStore::agent(const std::string& digest) {
    return transact([&](Database& database, bool) { return find_agent(database, digest); });
}

Result<std::optional<AgentVersion>> SqlStore::find_agent(Database& database, const std::string& digest) {
    {
        const std::lock_guard lock(agents_mutex_);
        if (const auto kept = agents_.find(digest); kept != agents_.end()) return std::optional(kept->second);
    }
    const Answer found = PTC_TRY(database.execute(
        "SELECT " PTC_NAME("name") ", " PTC_PAYLOAD("content") " FROM {s}agent WHERE digest = $1", {digest}));
    if (found.rows.empty()) return std::optional<AgentVersion>();
    AgentVersion agent{found.rows[0][0].text(), digest,
                       PTC_TRY(unseal(found.rows[0][1].text(), "agent", digest, "content"))};
    if (sha256(agent.name + '\n' + agent.content) != digest)
        return invalid_request("The store has an agent that was changed.");
    const std::lock_guard lock(agents_mutex_);
    if (agents_.size() >= kMostAgentsKept) agents_.clear();
    agents_.emplace(digest, agent);
    return std::optional(std::move(agent));
}

Result<std::string> SqlStore::put_data(const std::string& bytes) {
    std::string digest = sha256(bytes);
    const Result<void> written = transact([&](Database& database, bool) -> Result<void> {
        const Answer found = PTC_TRY(database.execute("SELECT 1 FROM {s}data WHERE digest = $1", {digest}));
        if (!found.rows.empty()) return {};
        const std::string sealed = seal(bytes, "data", digest, "bytes");
        PTC_CHECK(database.execute("INSERT INTO {s}data (digest, bytes, created) VALUES ($1, $2, {now}) "
                                   "ON CONFLICT DO NOTHING",
                                   {digest, Blob(sealed)}));
        return {};
    });
    if (!written.ok()) return written.error();
    return digest;
}

Result<std::optional<std::string>> SqlStore::data(const std::string& digest) {
    return transact([&](Database& database, bool) -> Result<std::optional<std::string>> {
        const Answer found =
            PTC_TRY(database.execute("SELECT " PTC_PAYLOAD("bytes") " FROM {s}data WHERE digest = $1", {digest}));
        if (found.rows.empty()) return std::optional<std::string>();
        std::string bytes = PTC_TRY(unseal(found.rows[0][0].text(), "data", digest, "bytes"));
        if (sha256(bytes) != digest) return invalid_request("The store has a data set that was changed.");
        return std::optional(std::move(bytes));
    });
}

// ---- Submitting

Result<SqlStore::Coming> SqlStore::coming(const NewMission& mission) const {
    PTC_CHECK(check_mission(mission));
    Coming made{.mission = mission};
    made.id = mission.id.empty() ? random_id(32) : mission.id;
    made.digest = payloads_.fingerprint(content_of(mission));
    const bool is_large = mission.context.size() >= kLargeContext;
    if (is_large) made.context_digest = payloads_.fingerprint(mission.context);
    made.context = seal(is_large ? "" : mission.context, "mission", made.id, "context");
    return made;
}

Result<MissionStore::Submitted> SqlStore::submit(const NewMission& mission) {
    const Coming made = PTC_TRY(coming(mission));
    return transact([&](Database& database, bool is_repeat) { return insert(database, made, is_repeat); });
}

Result<MissionStore::Submitted> SqlStore::insert(Database& database, const Coming& coming, bool is_repeat) {
    const NewMission& mission = coming.mission;
    const std::string& id = coming.id;
    const std::int64_t delay = mission.delay.count();
    const std::int64_t deadline = mission.deadline ? mission.deadline->count() : -1;
    const Statement both[] = {{"SELECT digest FROM {s}mission WHERE id = $1", {id}},
                              {kSelectLane, {mission.queue, mission.tenant, mission.agent_digest}}};
    std::vector<Answer> answers = PTC_TRY(database.execute_all(both));
    const Answer& found = answers[0];
    if (!found.rows.empty()) {
        if (found.rows[0][0].text() == coming.digest) return Submitted{id, is_repeat && mission.id.empty()};
        return invalid_request("There is another mission with the id `" + id + "`.");
    }
    const bool is_large = !coming.context_digest.empty();
    if (is_large) PTC_CHECK(keep_context(database, coming.context_digest, mission.context));
    const Lane lane = PTC_TRY(lane_of(database, mission, std::move(answers[1])));
    const Answer inserted = PTC_TRY(database.execute(
        "INSERT INTO {s}mission (id, lane, priority, status, is_due, wake_at, not_before, deadline, since, created, "
        "changed, revision, attempts, max_attempts, worker, is_cancelled, has_news, parent, digest, context, "
        "context_digest, input_tokens, output_tokens, turns, cost_usd) "
        "VALUES ($1, $2, $3, 'ready', CASE WHEN $4 > 0 THEN 0 ELSE 1 END, "
        "CASE WHEN $4 > 0 AND ($5 < 0 OR $4 < $5) THEN {now} + $4 WHEN $5 >= 0 THEN {now} + $5 END, "
        "CASE WHEN $4 > 0 THEN {now} + $4 END, CASE WHEN $5 >= 0 THEN {now} + $5 END, {now} + $4, {now}, {now}, 0, 0, "
        "$6, '', 0, 0, $7, $8, $9, $10, 0, 0, 0, 0) ON CONFLICT (id) DO NOTHING RETURNING number",
        {id, lane.lane, std::int64_t{mission.priority}, delay, deadline, std::int64_t{mission.max_attempts},
         mission.parent, coming.digest, Blob(coming.context),
         is_large ? Parameter(std::string_view(coming.context_digest)) : Parameter()}));
    if (inserted.rows.empty()) { // somebody submitted it meanwhile
        const Answer other = PTC_TRY(database.execute("SELECT digest FROM {s}mission WHERE id = $1", {id}));
        if (!other.rows.empty() && other.rows[0][0].text() == coming.digest) return Submitted{id, false};
        return invalid_request("There is another mission with the id `" + id + "`.");
    }
    if (delay == 0 && !lane.is_ready) PTC_CHECK(make_lane_ready(database, lane.lane));
    return Submitted{id, true};
}

/// It stays until the transaction is over: whoever drops contexts waits, and sees the mission then.
Result<void> SqlStore::keep_context(Database& database, const std::string& digest, const std::string& context) {
    const Answer found = PTC_TRY(database.execute("SELECT 1 FROM {s}context WHERE digest = $1 {share}", {digest}));
    if (!found.rows.empty()) return {};
    const std::string sealed = seal(context, "context", digest, "bytes");
    PTC_CHECK(database.execute("INSERT INTO {s}context (digest, bytes, created) VALUES ($1, $2, {now}) "
                               "ON CONFLICT DO NOTHING",
                               {digest, Blob(sealed)}));
    return {};
}

Result<std::string> SqlStore::read_context(Database& database, const std::string& digest) {
    const Answer found =
        PTC_TRY(database.execute("SELECT " PTC_PAYLOAD("bytes") " FROM {s}context WHERE digest = $1", {digest}));
    if (found.rows.empty()) return invalid_request("The store has lost a context.");
    std::string context = PTC_TRY(unseal(found.rows[0][0].text(), "context", digest, "bytes"));
    if (payloads_.fingerprint(context) != digest) return invalid_request("The store has a context that was changed.");
    return context;
}

/// Those that no mission has any more. Each is taken first and looked at then, so that of two who forget its last two
/// missions at once the second one sees that nobody is left.
Result<void> SqlStore::drop_contexts(Database& database, const std::set<std::string>& digests) {
    for (const std::string& digest : digests) {
        PTC_CHECK(database.execute("SELECT 1 FROM {s}context WHERE digest = $1 {own_all}", {digest}));
        PTC_CHECK(database.execute("DELETE FROM {s}context WHERE digest = $1 AND NOT EXISTS "
                                   "(SELECT 1 FROM {s}mission WHERE context_digest = $1)",
                                   {digest}));
    }
    return {};
}

Result<SqlStore::Lane> SqlStore::lane_of(Database& database, const NewMission& mission, Answer found) {
    if (found.rows.empty()) { // it gets in line: endless new tenants do not go before those who wait
        if (!PTC_TRY(find_agent(database, mission.agent_digest)))
            return invalid_request("The store has no agent with the digest `" + mission.agent_digest + "`.");
        // One that somebody else makes meanwhile is taken in the same statement, or it could be pruned before.
        found = PTC_TRY(
            database.execute("INSERT INTO {s}lane AS l (queue, tenant, agent, is_ready, turn, served) "
                             "SELECT $1, $2, $3, 0, COALESCE(max(turn) + 1, 0), 0 FROM {s}lane WHERE is_ready = 1 "
                             "ON CONFLICT (queue, tenant, agent) DO UPDATE SET turn = l.turn RETURNING lane, is_ready",
                             {mission.queue, mission.tenant, mission.agent_digest}));
    }
    if (found.rows.empty()) return Error(Reason::StoreUnavailable, "A lane could not be made.");
    return Lane{found.rows[0][0].integer(), found.rows[0][1].integer() != 0};
}

// ---- How missions change their status

Result<void> SqlStore::make_lane_ready(Database& database, std::int64_t lane) {
    const Answer changed =
        PTC_TRY(database.execute("UPDATE {s}lane SET is_ready = 1 WHERE lane = $1 AND is_ready = 0", {lane}));
    if (changed.changed > 0) PTC_CHECK(source_->notify(database)); // workers may be idle
    return {};
}

Result<void> SqlStore::make_due(Database& database, std::int64_t number, std::int64_t lane) {
    PTC_CHECK(database.defer("UPDATE {s}mission SET " PTC_SET_DUE " WHERE number = $1", {number}));
    return keep_lane_ready(database, lane);
}

Result<void> SqlStore::keep_lane_ready(Database& database, std::int64_t lane) {
    const Answer found = PTC_TRY(database.execute("SELECT is_ready FROM {s}lane WHERE lane = $1 {share}", {lane}));
    const bool is_ready = !found.rows.empty() && found.rows[0][0].integer() != 0;
    return is_ready ? Result<void>() : make_lane_ready(database, lane);
}

Result<bool> SqlStore::end_mission(Database& database, std::int64_t number, const std::string& id, const End& end) {
    const bool has_children = PTC_TRY(end_alone(database, number, id, end));
    const bool cancels = has_children && end.status != MissionStatus::Done;
    if (cancels) PTC_CHECK(cancel_children(database, id));
    return cancels;
}

Result<bool> SqlStore::end_alone(Database& database, std::int64_t number, const std::string& id, const End& end) {
    const std::string result = seal(end.result, "mission", id, "result");
    const std::string error = seal(end.error, "mission", id, "error");
    const bool has_result = end.status == MissionStatus::Done;
    constexpr const char* kEnd =
        "UPDATE {s}mission SET status = $2, is_due = 0, ended_token = COALESCE(token, ended_token), token = NULL, "
        "worker = '', wake_at = "
        "NULL, "
        "ended = {now}, not_before = NULL, waits_for = NULL, retry_why = NULL, result = $3, error = $4, changed = "
        "{now} WHERE number "
        "= $1";
    PTC_CHECK(database.defer(kEnd, {number, status_name(end.status), has_result ? Parameter(Blob(result)) : Parameter(),
                                    has_result ? Parameter() : Parameter(Blob(error))}));
    if (has_result) PTC_CHECK(database.defer("DELETE FROM {s}snapshot WHERE mission = $1", {number}));
    const Answer found = PTC_TRY(database.execute(
        "SELECT parent, CASE WHEN EXISTS (SELECT 1 FROM {s}mission c WHERE c.parent = m.id AND c.parent <> '') THEN 1 "
        "ELSE 0 END FROM {s}mission m WHERE number = $1",
        {number}));
    if (found.rows.empty()) return false;
    const std::string& parent = found.rows[0][0].text();
    if (!parent.empty()) PTC_CHECK(tell_parent(database, parent, id, end));
    return found.rows[0][1].integer() != 0;
}

/// The parent's call has its answer, and the parent looks again at what it waits for.
Result<void> SqlStore::tell_parent(Database& database, const std::string& parent, const std::string& child,
                                   const End& end) {
    const Answer found =
        PTC_TRY(database.execute("SELECT number, lane, status FROM {s}mission WHERE id = $1 AND status IN ('ready', "
                                 "'running', 'waiting') {own}",
                                 {parent}));
    if (found.rows.empty()) return {};
    const std::int64_t number = found.rows[0][0].integer();
    const Answer calls = PTC_TRY(database.execute(
        "SELECT need FROM {s}call WHERE mission = $1 AND kind = 'child' AND key = $2 AND answer IS NULL",
        {number, child}));
    const std::string answer =
        child_answer_bytes({end.status, std::string(end.status == MissionStatus::Done ? end.result : end.error)});
    for (const Row& call : calls.rows) {
        const std::string sealed = seal(answer, "call", parent, "answer", std::to_string(call[0].integer()));
        PTC_CHECK(database.execute("UPDATE {s}call SET answer = $3, answered = {now} WHERE mission = $1 AND need = $2",
                                   {number, call[0].integer(), Blob(sealed)}));
    }
    PTC_CHECK(database.execute("UPDATE {s}mission SET has_news = 1 WHERE number = $1", {number}));
    if (found.rows[0][2].text() != status_name(MissionStatus::Waiting)) return {};
    return make_due(database, number, found.rows[0][1].integer());
}

// ---- Effects and the outbox

namespace {

class HostTransaction final : public MissionStore::Transaction {
public:
    explicit HostTransaction(Database& database) : database_(database) {}
    Result<std::vector<std::vector<std::optional<std::string>>>>
    execute(const std::string& sql, const std::vector<std::string>& arguments) override {
        Result<Answer> answer = database_.execute_text(sql, arguments);
        if (!answer.ok()) {
            failed_ = answer.error();
            return answer.take_error();
        }
        std::vector<std::vector<std::optional<std::string>>> rows;
        for (const Row& row : answer.value().rows) {
            auto& texts = rows.emplace_back();
            for (const Cell& cell : row) {
                texts.emplace_back();
                if (!cell.is_null()) texts.back() = cell.text();
            }
        }
        return rows;
    }
    [[nodiscard]] const std::optional<Error>& failed() const { return failed_; }

private:
    Database& database_;
    std::optional<Error> failed_{};
};

/// What hosts write may throw.
Result<std::string> called(const SharedFunction<Result<std::string>(MissionStore::Transaction&)>& effect,
                           MissionStore::Transaction& transaction) {
    try {
        return effect(transaction);
    } catch (const std::exception& e) {
        return Error(Reason::ToolError, std::string("An effect failed: ") + e.what());
    } catch (...) {
        return Error(Reason::ToolError, "An effect failed: an exception of unknown type");
    }
}

} // namespace

Result<std::string> SqlStore::once(const std::string& key, SharedFunction<Result<std::string>(Transaction&)> effect) {
    PTC_CHECK(check_name("The key of an effect", key, false, kMostKeyBytes));
    return transact([&](Database& database, bool) -> Result<std::string> {
        const Answer inserted = PTC_TRY(database.execute(
            "INSERT INTO {s}effect (key, value, created) VALUES ($1, $2, {now}) ON CONFLICT (key) DO NOTHING",
            {key, Blob("")}));
        if (inserted.changed == 0) {
            const Answer found =
                PTC_TRY(database.execute("SELECT " PTC_PAYLOAD("value") " FROM {s}effect WHERE key = $1", {key}));
            if (found.rows.empty()) return Error(Reason::StoreUnavailable, "The key of an effect disappeared.");
            return unseal(found.rows[0][0].text(), "effect", key, "value");
        }
        HostTransaction transaction(database);
        std::string value = PTC_TRY(called(effect, transaction));
        if (transaction.failed()) return *transaction.failed(); // what it wrote is not whole
        const std::string sealed = seal(value, "effect", key, "value");
        PTC_CHECK(database.execute("UPDATE {s}effect SET value = $2 WHERE key = $1", {key, Blob(sealed)}));
        return value;
    });
}

/// Rows get their numbers here, one reader at a time, and not where they are written: transactions are committed in
/// another order than they began, and a row that appears behind a higher number would be passed over.
Result<std::vector<MissionStore::OutboxRow>> SqlStore::outbox(std::int64_t after, std::size_t most) {
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, 100'000));
    return transact([&](Database& database, bool) -> Result<std::vector<OutboxRow>> {
        const Answer counter = PTC_TRY(database.execute("SELECT number FROM {s}meta WHERE name = 'outbox' {own}"));
        std::int64_t last = counter.rows.empty() ? 0 : counter.rows[0][0].integer();
        const Answer fresh =
            PTC_TRY(database.execute("SELECT row FROM {s}outbox WHERE number IS NULL ORDER BY row LIMIT $1", {limit}));
        for (const Row& row : fresh.rows)
            PTC_CHECK(database.execute("UPDATE {s}outbox SET number = $2 WHERE row = $1", {row[0].integer(), ++last}));
        if (!fresh.rows.empty())
            PTC_CHECK(database.execute("UPDATE {s}meta SET number = $1 WHERE name = 'outbox'", {last}));
        const Answer found =
            PTC_TRY(database.execute("SELECT number, " PTC_NAME("mission") ", " PTC_PAYLOAD(
                                         "bytes") " FROM {s}outbox WHERE number > $1 ORDER BY number LIMIT $2",
                                     {after, limit}));
        std::vector<OutboxRow> rows;
        for (const Row& row : found.rows)
            rows.push_back(
                {row[0].integer(), row[1].text(), PTC_TRY(unseal(row[2].text(), "outbox", row[1].text(), "bytes"))});
        return rows;
    });
}

Result<void> SqlStore::clear_outbox(std::int64_t up_to) {
    return transact([&](Database& database, bool) -> Result<void> {
        PTC_CHECK(database.execute("DELETE FROM {s}outbox WHERE number <= $1", {up_to}));
        return {};
    });
}

} // namespace ptc
