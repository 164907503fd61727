// The state of missions as bytes. Each type has one list of its fields, `fields`, which a Saver and a Loader both
// follow, so what is written and what is read cannot part: a new field of the state is a word here. Points in time are
// written relative to now. The bytes are not trusted: enumerations are bounded, and read_state checks what the rest
// relies on.
#include "subagent/agent/mission_snapshot.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/engine/datum_bytes.h"
#include "subagent/engine/engine_impl.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <type_traits>

namespace ptc {
namespace {

using SharedBytes = std::shared_ptr<const std::string>;

/// Where the bytes of an attachment are.
enum class Shared : std::uint8_t { None, Here, Kept };
constexpr std::uint64_t kShareds = 3;

struct Saver {
    ByteWriter& out;
    Millis now;
    template <class T> void operator()(const T& value);
    void time(const Millis& at) { out.integer((at - now).count()); }
    void bytes(const std::string& any) { out.text(any); }
    /// Written once, whoever shares it: 0 and the bytes, or the digest by which they are kept elsewhere; later, its
    /// number.
    void shared(const SharedBytes& any) {
        const auto [at, is_new] = known.try_emplace(any.get(), known.size() + 1);
        out.size(is_new ? 0 : at->second);
        if (!is_new) return;
        const std::string digest = keeper ? keeper->keep(any) : "";
        out.byte(static_cast<std::uint8_t>(!any ? Shared::None : digest.empty() ? Shared::Here : Shared::Kept));
        if (any) out.text(digest.empty() ? *any : digest);
    }
    /// A long text may be kept elsewhere: 0 and its digest, else its size and one, and the text.
    void text(const std::string& any) {
        const std::string digest = keeper ? keeper->keep_text(any) : "";
        out.size(digest.empty() ? any.size() + 1 : 0);
        if (digest.empty())
            out.plain(any);
        else
            out.text(digest);
    }
    AttachmentKeeper* keeper = nullptr;
    std::map<const std::string*, std::uint64_t> known{};
};

struct Loader {
    ByteReader& in;
    Millis now;
    template <class T> void operator()(T& value);
    void bytes(std::string& any) { any = in.raw(); }
    void shared(SharedBytes& any) {
        const std::uint64_t number = in.size();
        if (number == 0) {
            const std::uint64_t where = in.below(kShareds);
            if (where == static_cast<std::uint64_t>(Shared::Here)) any = std::make_shared<const std::string>(in.raw());
            if (where == static_cast<std::uint64_t>(Shared::Kept)) {
                any = keeper ? keeper->find(std::string(in.text())) : nullptr;
                if (!any) in.fail();
            }
            known.push_back(any);
        } else if (number <= known.size()) {
            any = known[number - 1];
        } else {
            in.fail();
        }
    }
    void text(std::string& any) {
        const std::uint64_t size = in.size();
        const std::shared_ptr<const std::string> kept =
            size == 0 && keeper ? keeper->find_text(std::string(in.text())) : nullptr;
        const std::string_view text = kept       ? std::string_view(*kept)
                                      : size > 0 ? in.plain(size - 1)
                                                 : std::string_view();
        if ((size == 0 && !kept) || utf8::find_invalid(text) != utf8::kValid) return in.fail();
        any = text;
    }
    AttachmentKeeper* keeper = nullptr;
    void time(Millis& at) {
        constexpr std::int64_t kMost = std::int64_t{1} << 50;
        at = now + Millis(std::clamp(in.integer(), -kMost, kMost));
    }
    std::vector<SharedBytes> known{};
};

// ---- The lists. `A` is a Saver or a Loader.

template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, ToolCall> {
    a(s.id), a(s.name), a(s.arguments), a(s.problem);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Attachment> {
    a(s.kind), a(s.media_type), a(s.name), a(s.url), a.shared(s.bytes);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Message> {
    a(s.role), a(s.content), a(s.tool_calls), a(s.tool_call_id), a(s.is_error), a(s.provider_state), a(s.attachments);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, TokenUsage> {
    a(s.input), a(s.output), a(s.cache_read), a(s.cache_creation), a(s.cost_usd);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, ToolUse> {
    a(s.name), a(s.arguments), a(s.result), a(s.error), a(s.is_cached), a(s.duration);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, BoundaryWarning> {
    a(s.what), a(s.text), a(s.times);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, BoundaryWarnings> {
    a(s.all), a(s.more);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Turn> {
    a(s.number), a(s.reply), a(s.program), a(s.ok), a(s.result), a(s.reason), a(s.message), a(s.prints),
        a(s.tool_calls), a(s.warnings);
    a(s.tokens), a(s.fuel), a(s.peak_heap_bytes), a(s.duration);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, MissionUsage> {
    a(s.turns), a(s.llm_calls), a(s.tool_calls), a(s.tokens), a(s.fuel), a(s.peak_heap_bytes), a(s.duration);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Fail> {
    a(s.reason), a(s.message), a(s.op), a(s.details);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Memory> {
    using Names = std::conditional_t<std::is_const_v<S>, const Datum, Datum>;
    a(static_cast<Names&>(s)), a.bytes(s.machine);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, JournalLine> {
    a(s.turn), a(s.text);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Handover> {
    a(s.path), a(s.memory), a(s.context);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Step> {
    a(s.ok), a(s.value), a(s.fail), a(s.memory), a(s.signature), a(s.usage), a(s.warnings), a(s.trace), a(s.messages);
    a(s.journal), a(s.data_names), a(s.tasks), a(s.done_steps), a(s.handed_over);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, MemoryUse> {
    a(s.bytes), a(s.total);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, Secrets> {
    a(s.texts), a(s.bytes), a(s.collections), a(s.is_full);
    if constexpr (!std::is_const_v<S>) s.index();
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, ToolCache::Entry> {
    a(s.result), a(s.bytes), a(s.used);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, ToolCache> {
    a(s.entries), a(s.uses), a(s.bytes);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, PendingUse> {
    a(s.need), a(s.tool), a(s.arguments), a(s.call_id), a(s.cache_key), a(s.same_as), a(s.answer), a(s.is_cached);
    a(s.attachments);
    a.time(s.asked_at), a(s.took);
    a(s.awaits_approval), a(s.line), a(s.column), a(s.problem), a(s.changes);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, HeldCall> {
    a(s.tool), a(s.state), a(s.result), a(s.why);
    if constexpr (!std::is_const_v<S>) s.bytes = s.state == HeldCall::State::Held ? compact_size(s.result) : 0;
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, PendingQuestion> {
    a(s.need), a(s.point), a(s.value), a(s.message), a(s.problem), a(s.changes);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, MissionTotals> {
    a(s.last_need), a(s.last_run), a(s.turns), a(s.llm_calls), a(s.tokens), a(s.max_depth), a(s.is_interrupted);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, TreeUse> {
    a(s.turns), a(s.tokens);
}
template <class A, class S> void fields(A& a, S& s) requires std::is_same_v<std::remove_const_t<S>, AgentState> {
    a(s.phase), a(s.run), a(s.parent), a(s.depth), a(s.is_handed_over), a.time(s.started);
    bool has_deadline = s.deadline.has_value();
    a(has_deadline);
    Millis deadline = s.deadline.value_or(Millis(0));
    a.time(deadline);
    if constexpr (!std::is_const_v<S>) s.deadline = has_deadline ? std::optional(deadline) : std::nullopt;
    a(s.instructions), a(s.context_signature), a(s.context), a(s.results), a(s.moved), a(s.former_data), a(s.memory),
        a(s.secrets), a(s.tool_cache), a(s.tasks), a(s.task_bytes), a(s.done_steps), a(s.new_steps), a(s.messages),
        a(s.head_messages), a(s.cut_turns), a(s.listed_tools), a(s.known_tools);
    a(s.turn), a(s.retries), a(s.failures_in_row), a(s.native_calls);
    a(s.tree), a(s.last_turn), a(s.last_token), a(s.last_cost);
    a(s.attempt), a(s.model_need), a(s.model_delay), a(s.current), a(s.is_result_refused);
    a.time(s.program_started), a.time(s.model_asked_at), a.time(s.asked_at), a(s.waited_for_others);
    a.time(s.approval_asked_at);
    a(s.program), a(s.pending), a(s.held), a(s.question), a(s.attached), a(s.eval_call), a(s.step);
}

// ---- Writing

void save(Saver& a, const std::string& s) { a.text(s); }
void save(Saver& a, bool b) { a.out.byte(b); }
void save(Saver& a, double d) { a.out.fixed(d); }
template <class T>
requires std::is_integral_v<T>
void save(Saver& a, T n) {
    if constexpr (std::is_signed_v<T>)
        a.out.integer(n);
    else
        a.out.size(n);
}
template <class T>
requires std::is_enum_v<T>
void save(Saver& a, T e) { a.out.byte(static_cast<std::uint8_t>(e)); }
template <class R, class P> void save(Saver& a, const std::chrono::duration<R, P>& d) { a.out.integer(d.count()); }
void save(Saver& a, const Datum& d) { write_datum(a.out, d); }
void save(Saver& a, const ToolAnswer& answer) { write_answer(a.out, answer); }
template <class T> void save(Saver& a, const std::optional<T>& o) {
    a.out.byte(o.has_value());
    if (o) a(*o);
}
template <class T> void save(Saver& a, const std::vector<T>& items) {
    a.out.size(items.size());
    for (const T& item : items)
        a(item);
}
void save(Saver& a, const std::set<std::string, std::less<>>& items) {
    a.out.size(items.size());
    for (const std::string& item : items)
        a.out.text(item);
}
void save(Saver& a, const std::set<std::uint64_t>& items) {
    a.out.size(items.size());
    for (const std::uint64_t item : items)
        a.out.fixed(item);
}
template <class T> void save(Saver& a, const std::map<std::string, T, std::less<>>& items) {
    a.out.size(items.size());
    for (const auto& [key, item] : items)
        a.out.text(key), a(item);
}

template <class T> void Saver::operator()(const T& value) {
    if constexpr (requires { fields(*this, value); })
        fields(*this, value);
    else
        save(*this, value);
}

// ---- Reading

/// The number of values that an enumeration has.
template <class T> constexpr std::uint64_t kValues = 0;
template <> constexpr std::uint64_t kValues<Message::Role> = 3;
template <> constexpr std::uint64_t kValues<AgentState::Phase> = 6;
template <> constexpr std::uint64_t kValues<GuardPoint> = static_cast<std::uint64_t>(GuardPoint::Result) + 1;
template <> constexpr std::uint64_t kValues<Attachment::Kind> = 2;
template <> constexpr std::uint64_t kValues<HeldCall::State> = static_cast<std::uint64_t>(HeldCall::State::Refused) + 1;

void load(Loader& a, std::string& s) { a.text(s); }
void load(Loader& a, bool& b) { b = a.in.byte() != 0; }
void load(Loader& a, double& d) { d = a.in.fixed<double>(); }
template <class T>
requires std::is_integral_v<T>
void load(Loader& a, T& n) {
    if constexpr (std::is_signed_v<T>)
        n = static_cast<T>(a.in.integer());
    else
        n = static_cast<T>(a.in.size());
}
template <class T>
requires std::is_enum_v<T>
void load(Loader& a, T& e) { e = static_cast<T>(a.in.below(kValues<T>)); }
template <class R, class P> void load(Loader& a, std::chrono::duration<R, P>& d) {
    constexpr std::int64_t kMost = std::int64_t{1} << 52;
    d = std::chrono::duration<R, P>(std::clamp(a.in.integer(), -kMost, kMost));
}
void load(Loader& a, Datum& d) { d = read_datum(a.in); }
void load(Loader& a, ToolAnswer& answer) { answer = read_answer(a.in); }
template <class T> void load(Loader& a, std::optional<T>& o) {
    if (a.in.byte() != 0) a(o.emplace());
}
template <class T> void load(Loader& a, std::vector<T>& items) {
    for (std::size_t n = a.in.count(); n > 0 && a.in.ok(); --n)
        a(items.emplace_back());
}
void load(Loader& a, std::set<std::string, std::less<>>& items) {
    for (std::size_t n = a.in.count(); n > 0 && a.in.ok(); --n)
        items.emplace(a.in.text());
}
void load(Loader& a, std::set<std::uint64_t>& items) {
    for (std::size_t n = a.in.count(); n > 0 && a.in.ok(); --n)
        items.insert(a.in.fixed<std::uint64_t>());
}
template <class T> void load(Loader& a, std::map<std::string, T, std::less<>>& items) {
    for (std::size_t n = a.in.count(); n > 0 && a.in.ok(); --n) {
        std::string key(a.in.text());
        a(items[std::move(key)]);
    }
}

template <class T> void Loader::operator()(T& value) {
    if constexpr (requires { fields(*this, value); })
        fields(*this, value);
    else
        load(*this, value);
}

bool may_be_asked(const PendingQuestion& question, const AgentState& state) {
    const bool is_text = question.value.text() != nullptr;
    switch (question.point) {
    case GuardPoint::BeforeModel: return is_text && question.message < state.messages.size();
    case GuardPoint::AfterModel:
        return is_text && question.message < state.messages.size() &&
               state.messages[question.message].role == Message::Role::Assistant;
    case GuardPoint::BeforeProgram: return is_text;
    case GuardPoint::Result: return true;
    case GuardPoint::AfterProgram:
    case GuardPoint::BeforeTool:
    case GuardPoint::AfterTool: return false;
    }
    return false;
}

/// In front of the payload; another number for each change of what follows.
constexpr std::uint32_t kFormat = 0x7074630a;

std::string hash_of(std::string_view text) { return "#" + std::to_string(sum_of_bytes(text)); }

constexpr std::size_t kMostParts = 10'000;

using AgentParts = std::vector<std::pair<std::string, std::string>>;

AgentParts read_parts(ByteReader& in) {
    AgentParts parts;
    for (std::size_t n = std::min(in.count(), kMostParts); n > 0 && in.ok(); --n) {
        std::string name(in.text());
        parts.emplace_back(std::move(name), in.text());
    }
    return parts;
}

const std::string* find_part(const AgentParts& parts, std::string_view name) {
    const auto found = std::ranges::find(parts, name, [](const auto& part) { return std::string_view(part.first); });
    return found == parts.end() ? nullptr : &found->second;
}

/// "max_turns (5, now 6)", "the prompt", "the tool `x` (not there now)"; nothing more of what is hashed.
std::string difference_text(const std::string& name, const std::string* before, const std::string* now) {
    std::string text(utf8::prefix(name, 100));
    if (!before || !now) return text + (now ? " (not there before)" : " (not there now)");
    if (!before->starts_with('#')) text += " (" + std::string(utf8::prefix(*before, 100)) + ", now " + *now + ")";
    return text;
}

} // namespace

AgentParts agent_parts(const Agent& agent) {
    const AgentOptions& options = agent.options();
    const std::string transport = !options.transport                          ? "none"
                                  : *options.transport == Transport::ToolCall ? "tool_call"
                                                                              : "content";
    AgentParts parts = {
        {"the version of ptc or the preludes", "#" + std::to_string(impl_of(*impl_of(agent).engine).fingerprint())},
        {"the name", quoted_excerpt(options.name)},
        {"the prompt", hash_of(options.prompt)},
        {"the signature", quoted_excerpt(signature_text(agent.signature()), 200)},
        {"the output", options.output == AgentOutput::Text ? "text" : "ptc_lisp"},
        {"the transport", transport},
        {"max_turns", std::to_string(options.max_turns)},
        {"retry_turns", std::to_string(options.retry_turns)},
        {"journaling", options.journaling ? "true" : "false"}};
    for (const AgentTool& tool : options.tools) {
        if (tool.is_fed) continue; // they may be others: the state has what its model was told
        const std::uint64_t called = tool.agent ? agent_fingerprint(*tool.agent) : std::uint64_t{tool.is_self};
        parts.emplace_back("the tool " + quoted_name(tool.tool.name),
                           hash_of(tool.tool.signature + "\n" + std::to_string(called) + (tool.cache ? "cached" : "") +
                                   (tool.handoff ? "takes over" : "")));
    }
    return parts;
}

std::uint64_t agent_fingerprint(const Agent& agent) {
    std::uint64_t sum = kFormat;
    for (const auto& [name, value] : agent_parts(agent))
        sum = sum_of_bytes(value, sum_of_bytes(name, sum));
    return sum_of_bytes(signature_text(agent.signature()), sum);
}

void write_agent(ByteWriter& out, const Agent& agent) {
    const AgentParts parts = agent_parts(agent);
    out.fixed(kFormat);
    out.size(parts.size());
    for (const auto& [name, value] : parts)
        out.text(name), out.text(value);
}

void skip_agent(ByteReader& in) {
    if (in.fixed<std::uint32_t>() != kFormat) in.fail();
    (void)read_parts(in);
}

bool is_of_another_agent(std::string_view bytes, const Agent& agent) {
    return is_whole_snapshot(bytes, kMissionMagic) &&
           !open_snapshot(bytes, kMissionMagic, agent_fingerprint(agent)).ok();
}

Error other_agent(std::string_view bytes, const Agent& agent) {
    const Result<std::string_view> payload = open_foreign_snapshot(bytes, kMissionMagic);
    if (!payload.ok()) return payload.error();
    ByteReader in(payload.value());
    if (in.fixed<std::uint32_t>() != kFormat) return bad_snapshot("it was made by another version of this program");
    const AgentParts before = read_parts(in);
    if (!in.ok()) return bad_snapshot("it is cut short");
    const AgentParts now = agent_parts(agent);
    std::vector<std::string> differences;
    for (const auto& [name, value] : now) {
        const std::string* was = find_part(before, name);
        if (!was || *was != value) differences.push_back(difference_text(name, was, &value));
    }
    for (const auto& [name, value] : before)
        if (!find_part(now, name)) differences.push_back(difference_text(name, &value, nullptr));
    constexpr std::size_t kMost = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(differences.size(), kMost); ++i)
        text += (i == 0 ? "" : ", ") + differences[i];
    if (differences.size() > kMost) text += " and " + std::to_string(differences.size() - kMost) + " more";
    return bad_snapshot(("another agent began it. What differs: " + text).c_str());
}

void write_totals(ByteWriter& out, const MissionTotals& totals) {
    Saver saver{out, Millis(0)};
    saver(totals);
}

void read_totals(ByteReader& in, MissionTotals& totals) {
    Loader loader{in, Millis(0)};
    loader(totals);
}

void write_state(ByteWriter& out, const AgentState& state, Millis now, AttachmentKeeper& keeper) {
    Saver saver{.out = out, .now = now, .keeper = &keeper};
    saver(state);
}

void read_state(ByteReader& in, AgentState& state, Millis now, AttachmentKeeper& keeper) {
    Loader loader{.in = in, .now = now, .keeper = &keeper};
    loader(state);
    const auto is_map = [](const Datum& d) { return d.map() != nullptr; };
    if (!std::ranges::all_of(state.results, is_map) || (!state.context.is_nil() && !state.context.map())) in.fail();
    if (state.head_messages > state.messages.size() || state.step.journal.size() > Step::kMostJournal) in.fail();
    if (state.question.has_value() != (state.phase == AgentState::Phase::Question)) in.fail();
    if (state.question && !may_be_asked(*state.question, state)) in.fail();
    for (const Message& message : state.messages)
        if (!check_attachments(message.attachments).ok()) in.fail();
    for (std::size_t i = 0; i < state.pending.size(); ++i) {
        if (state.pending[i].same_as && *state.pending[i].same_as >= i) in.fail();
    }
}

} // namespace ptc
