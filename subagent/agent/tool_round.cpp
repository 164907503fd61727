// A round of tools: all calls that a suspended program, or one reply, waits for. They are asked for at once and
// answered in any order; the turn goes on when the last answer is there. Equal calls of cached tools are made once,
// also within a round (`same_as`). An agent behind a tool is an AgentRun of its own in the same mission: its needs go
// to the same host, and an answer finds its way down to it by the number of the need.
#include "subagent/agent/tool_round.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "ptc/cache_key.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/conversation.h"
#include "subagent/agent/eval_report.h"
#include "subagent/agent/native_preview.h"
#include "subagent/agent/tool_search.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/text_hash.h"
#include "subagent/engine/tool_calls.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

Datum error_content(const Error& error) {
    return Datum::object({{"status", "error"}, {"reason", Datum(reason_name(error.reason))}, {"error", error.message}});
}

} // namespace

ToolRound::ToolRound(const AgentCore& core, const Guards& guards) : core_(core), guards_(guards) {}
ToolRound::~ToolRound() = default;

// ---- Native calls

PendingUse ToolRound::native_use(const ToolCall& made) {
    const bool is_wrapped = made.name == kCallToolName && core_.impl().is_searched();
    const ToolCall call = is_wrapped ? unwrapped_call(made) : made;
    PendingUse use;
    use.call_id = call.id;
    use.tool = call.name;
    use.arguments = call.arguments;
    if (is_wrapped && call.name == kCallToolName && !call.problem.empty()) // it names no tool
        use.answer = Error(Reason::InvalidToolArgs, call.problem);
    else if (std::optional<Error> refused = why_refused(use, call.problem))
        use.answer = std::move(*refused);
    return use;
}

/// Why the call is not made, if it is not; otherwise its tool and arguments are as the tool gets them.
std::optional<Error> ToolRound::why_refused(PendingUse& use, const std::string& problem) {
    const AgentImpl& agent = core_.impl();
    const AgentOptions& options = core_.options();
    const AgentTool* tool = agent.find_native_tool(use.tool);
    if (!tool) {
        const bool is_for_programs = agent.find_tool(use.tool) && options.transport == Transport::ToolCall;
        return Error(Reason::UnknownTool, is_for_programs
                                              ? quoted(use.tool) + " is called from programs, with lisp_eval."
                                              : "There is no tool `" + use.tool + "`.");
    }
    use.tool = tool->tool.name;
    if (options.max_tool_calls && core_.state.native_calls >= *options.max_tool_calls)
        return Error(Reason::ToolCallsExceeded, "The limit of " + std::to_string(*options.max_tool_calls) +
                                                    " tool calls is reached. Answer without tools.");
    ++core_.state.native_calls;
    if (!problem.empty()) return Error(Reason::InvalidToolArgs, problem);
    std::vector<Fault> warnings;
    Result<Datum> arguments =
        arguments_for(tool->tool, agent.compiled_signature_of(*tool), use.arguments, core_.mode(), &warnings);
    core_.warn(core_.state.current.warnings, use.tool, warnings);
    if (!arguments.ok()) return Error(*arguments.take_error());
    use.arguments = std::move(arguments).value();
    return std::nullopt;
}

/// Requirement 210: of a result that is kept for programs, which can call the tool as well, the model reads a preview.
bool ToolRound::shows_preview(const PendingUse& use) const {
    return core_.is_combined() && core_.impl().exposure_of(tool_of(use)) == Exposure::Both &&
           core_.state.tool_cache.has(use.cache_key);
}

Datum ToolRound::cached_content(const PendingUse& use) const {
    std::string problem;
    Datum shown = native_preview(use.tool, use.arguments, std::get<Datum>(*use.answer),
                                 tool_of(use).native_result.value_or(NativeResult{}), &problem);
    if (!problem.empty()) {
        MissionEvent fallback = core_.event(MissionEvent::Kind::PreviewFallback);
        fallback.ok = false;
        fallback.tool = use.tool;
        fallback.reason = problem;
        core_.env.emit(fallback);
    }
    return shown;
}

std::vector<Datum> ToolRound::native_contents(const std::function<bool(const Datum&)>& remember) const {
    std::vector<Datum> contents;
    std::vector<std::pair<std::size_t, Preview>> kept; // long results that are remembered, and which they are
    for (const PendingUse& use : core_.state.pending) {
        const Datum* result = std::get_if<Datum>(&*use.answer);
        if (!result)
            contents.push_back(error_content(std::get<Error>(*use.answer)));
        else if (shows_preview(use))
            contents.push_back(cached_content(use));
        else {
            NativeShown shown = show_native(*result, core_.options().prompt_limit, core_.is_combined());
            contents.push_back(std::move(shown.content));
            if (shown.preview.is_cut && core_.is_combined() && remember(*result))
                kept.emplace_back(contents.size() - 1, std::move(shown.preview));
        }
    }
    constexpr std::size_t kStars = 3;
    for (std::size_t star = 1; star <= std::min(kept.size(), kStars); ++star) {
        const auto& [index, shown] = kept[kept.size() - star];
        contents[index] = native_part(shown, paging_text(shown, true, {}, static_cast<unsigned>(star)));
    }
    return contents;
}

// ---- Asking

void ToolRound::ask(std::vector<PendingUse> uses, const Llm* model) {
    std::vector<PendingUse>& pending = core_.state.pending;
    pending = std::move(uses);
    core_.state.asked_at = core_.env.now();
    children_.clear();
    children_.resize(pending.size());
    model_ = model;
    for (std::size_t i = 0; i < pending.size(); ++i) {
        PendingUse& use = pending[i];
        if (!use.answer && pending.size() > 1 && tool_of(use).handoff)
            use.answer =
                Error(Reason::ToolError, quoted(use.tool) + " takes over: call it alone, behind everything else.");
        const bool is_asked = !use.answer && guard_call(use);
        // What the cache answers is no call: nobody has to approve it.
        const bool is_known = !use.answer && is_asked && tool_of(use).cache && find_answer(i);
        if (!use.answer && !is_known) is_asked ? ask_approval(i) : ask_tool(i);
    }
    settle_children();
}

void ToolRound::give(RunInputs& inputs, AgentState& child, const Handoff& handoff) const {
    const AgentState& state = core_.state;
    if (handoff.conversation) inputs.history = said_in(state.messages);
    if (!handoff.context) return;
    child.is_handed_over = true;
    Datum::Map all = inputs.context.map() ? *inputs.context.map() : Datum::Map();
    const auto add = [&all](const Datum& data) {
        for (const auto& [key, value] : *data.map()) {
            const bool is_there = std::ranges::any_of(
                all, [&key](const auto& entry) { return names_match(key_name(entry.first), key_name(key)); });
            if (!is_there) all.emplace_back(key, value);
        }
    };
    for (auto result = state.results.rbegin(); result != state.results.rend(); ++result)
        add(*result);
    add(state.context);
    inputs.context = Datum(std::move(all));
}

Step ToolRound::take_handover() {
    Step step = std::move(*handed_over_);
    handed_over_.reset();
    return step;
}

bool ToolRound::guard_call(PendingUse& use) {
    if (!guards_.look_at(GuardPoint::BeforeTool)) return false;
    const Guards::Decision decision = guards_.decide(GuardPoint::BeforeTool, use.arguments, use.tool);
    if (decision.refusal && !decision.question) {
        use.answer = Error(Reason::ToolError, *decision.refusal);
        return false;
    }
    use.problem = decision.question.value_or("");
    if (decision.is_changed) {
        const AgentTool& tool = tool_of(use);
        std::vector<Fault> warnings;
        Result<Datum> arguments =
            arguments_for(tool.tool, core_.impl().compiled_signature_of(tool), use.arguments, core_.mode(), &warnings);
        if (arguments.ok())
            use.arguments = std::move(arguments).value();
        else
            use.answer = Error(*arguments.take_error());
    }
    return !use.answer && decision.question;
}

void ToolRound::guard_answer(PendingUse& use, ToolAnswer& answer) const {
    Datum* value = std::get_if<Datum>(&answer);
    if (!value || !guards_.look_at(GuardPoint::AfterTool)) return;
    const Guards::Decision decision =
        guards_.decide(GuardPoint::AfterTool, *value, use.tool, &use.arguments, &use.attachments);
    if (!decision.refusal) return;
    answer = Error(Reason::ToolError, *decision.refusal);
    use.attachments.clear();
}

/// True: the cache has the answer, or an earlier call of the round will.
bool ToolRound::find_answer(std::size_t index) {
    PendingUse& use = core_.state.pending[index];
    const Tool& tool = tool_of(use).tool;
    use.cache_key = tool.pass_input || tool.keeps_keys ? input_cache_key(use.tool, use.arguments)
                                                       : cache_key(use.tool, use.arguments);
    if (const Datum* found = core_.state.tool_cache.find(use.cache_key)) {
        use.is_cached = true;
        use.answer = *found;
        return true;
    }
    for (std::size_t i = 0; i < index; ++i) {
        const PendingUse& earlier = core_.state.pending[i];
        if (earlier.cache_key != use.cache_key || earlier.same_as) continue;
        use.is_cached = true;
        use.same_as = i;
        return true;
    }
    return false;
}

void ToolRound::ask_tool(std::size_t index) {
    const AgentTool& tool = tool_of(core_.state.pending[index]);
    if (tool.cache && find_answer(index)) return;
    if (tool.tool.approval) return ask_approval(index);
    make_call(index);
}

void ToolRound::make_call(std::size_t index) {
    PendingUse& use = core_.state.pending[index];
    const AgentTool& tool = tool_of(use);
    use.asked_at = core_.env.now();
    // The arguments, as anybody may see them, are a copy: for those who look.
    if (core_.env.options.on_event) core_.env.emit(tool_event(MissionEvent::Kind::ToolStart, use));
    if (const Agent* called = AgentImpl::agent_of(tool, *core_.agent)) {
        AgentRun& child = add_child(index, *called);
        use.child->depth = core_.state.depth + 1;
        use.child->parent = core_.state.run;
        RunInputs inputs;
        inputs.context = use.arguments;
        inputs.caller = &core_.state;
        if (tool.handoff) give(inputs, *use.child, *tool.handoff);
        return child.begin(std::move(inputs), tool.model, model_);
    }
    use.need = ++core_.env.totals.last_need;
    ++core_.state.step.usage.tool_calls;
    need_tool(use);
}

void ToolRound::need_tool(const PendingUse& use) {
    const Tool& tool = tool_of(use).tool;
    ToolContext context = tool.context_function ? context_for(use) : ToolContext();
    context.key = core_.env.key_of(use.need);
    context.deadline = time_over();
    context.stop = core_.env.stopping.get_token();
    core_.env.needs.tools.push_back({use.need, &tool, use.arguments, context.key, core_.state.run, std::move(context)});
}

ToolContext ToolRound::context_for(const PendingUse& use) const {
    const AgentState& state = core_.state;
    ToolContext context = core_.env.tool_context(use.need);
    context.agent = core_.options().name;
    context.run = state.run;
    context.turn = state.turn;
    if (const auto& watch = core_.env.options.on_progress)
        context.progress = [watch, run = state.run, turn = state.turn, name = use.tool](Datum said) {
            watch({.run = run, .turn = turn, .tool = name, .state = std::move(said)});
        };
    return context;
}

/// When nobody waits for the calls any more.
std::optional<std::chrono::steady_clock::time_point> ToolRound::time_over() const {
    if (core_.env.tape || core_.env.options.clock.now) return std::nullopt; // that time is another's
    const AgentState& state = core_.state;
    const Millis now = core_.env.now();
    std::optional<Millis> left;
    if (state.deadline) left = *state.deadline - now;
    if (state.phase == AgentState::Phase::Program) {
        const Millis of_program =
            core_.options().timeout - (now - state.program_started - state.waited_for_others - approval_wait());
        left = left ? std::min(*left, of_program) : of_program;
    }
    if (!left) return std::nullopt;
    return std::chrono::steady_clock::now() + *left;
}

AgentRun& ToolRound::add_child(std::size_t index, const Agent& called) {
    PendingUse& use = core_.state.pending[index];
    use.child = std::make_unique<AgentState>();
    use.child->caller = &core_.state;
    children_[index] = std::make_unique<AgentRun>(called.shared_from_this(), core_.env, *use.child);
    return *children_[index];
}

// ---- Answers

bool ToolRound::take(Arrival& arrival) {
    std::vector<PendingUse>& pending = core_.state.pending;
    for (std::size_t i = 0; i < pending.size(); ++i) {
        const bool is_own = pending[i].need == arrival.id && !pending[i].answer;
        if (is_own && pending[i].awaits_approval && arrival.approval)
            take_approval(i, std::move(*arrival.approval));
        else if (is_own && !pending[i].awaits_approval && arrival.answer)
            settle(pending[i], std::move(*arrival.answer));
        else if (i >= children_.size() || !children_[i] || !children_[i]->take(arrival))
            continue;
        settle_children();
        return true;
    }
    return false;
}

/// Takes images and files off the answer; one that has what is not allowed is an error.
void ToolRound::take_attached(PendingUse& use, ToolAnswer& answer) const {
    Datum* value = std::get_if<Datum>(&answer);
    if (!value) return;
    Result<std::vector<Attachment>> taken = take_attachments(*value);
    if (taken.ok() && taken.value().empty()) return;
    AttachmentSum sum;
    for (const Message& message : core_.state.messages)
        sum.add(message.attachments);
    sum.add(core_.state.attached);
    for (const PendingUse& other : core_.state.pending)
        sum.add(other.attachments);
    if (taken.ok()) sum.add(taken.value());
    if (!taken.ok())
        answer = Error(Reason::ToolError, taken.error().message);
    else if (sum.is_too_much())
        answer = Error(Reason::ToolError, "The conversation has no room for more images and files.");
    else
        use.attachments = std::move(taken).value();
}

/// What is read as text keeps the firewall as other text does, with what the tool gave beside it.
void ToolRound::hide_attached(PendingUse& use, ToolAnswer& answer) const {
    const std::optional<std::string> refusal = hide_secrets(core_.state.secrets, use.attachments);
    if (!refusal) return;
    answer = Error(Reason::ToolError, *refusal);
    use.attachments.clear();
}

void ToolRound::settle(PendingUse& use, ToolAnswer answer) {
    take_attached(use, answer);
    guard_answer(use, answer);
    if (const Datum* value = std::get_if<Datum>(&answer)) {
        learn_secrets(core_.state.secrets, *value);
        hide_attached(use, answer);
    }
    if (const Datum* value = std::get_if<Datum>(&answer)) {
        if (!use.cache_key.empty()) core_.state.tool_cache.keep(use.cache_key, *value, core_.options().tool_cache);
    }
    if (Error* error = std::get_if<Error>(&answer)) error->reason = Reason::ToolError; // whatever the host calls it
    use.took = core_.env.now() - use.asked_at;
    use.answer = std::move(answer);
}

namespace {

/// Of a child that is done, as the agent that called it says it.
Handover handover_of(PendingUse& use) {
    Step& step = use.child->step;
    Handover over = step.handed_over ? std::move(*step.handed_over)
                                     : Handover{{}, std::move(step.memory), std::move(use.child->context)};
    over.path.insert(over.path.begin(), use.tool);
    return over;
}

} // namespace

/// Children that are done have answered.
void ToolRound::settle_children() {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        PendingUse& use = core_.state.pending[i];
        if (!children_[i] || use.answer || !children_[i]->is_done()) continue;
        Step& step = children_[i]->step();
        MissionUsage& usage = core_.state.step.usage;
        usage.turns += step.usage.turns;
        usage.llm_calls += step.usage.llm_calls;
        usage.tool_calls += step.usage.tool_calls;
        usage.tokens += step.usage.tokens;
        usage.fuel += step.usage.fuel;
        usage.peak_heap_bytes = std::max(usage.peak_heap_bytes, step.usage.peak_heap_bytes);
        const bool takes_over = tool_of(use).handoff && (step.ok || step.usage.turns > 0);
        std::optional<Step> over;
        if (takes_over) {
            over.emplace().ok = step.ok;
            over->fail = step.fail;
            over->handed_over = handover_of(use);
            learn_secrets(core_.state.secrets, use.child->secrets); // which may be in what it goes on with
        }
        // What a child kept from its model it keeps from ours, too.
        if (step.ok)
            settle(use, std::move(step.value));
        else
            settle(use, Error(Reason::ToolError,
                              without_secrets(use.child->secrets, step.fail->reason + ": " + step.fail->message)));
        if (const Datum* value = std::get_if<Datum>(&*use.answer); over && value) over->value = *value;
        if (over && over->ok == std::holds_alternative<Datum>(*use.answer)) handed_over_ = std::move(over);
        children_[i].reset();
        use.child.reset();
    }
}

bool ToolRound::all_answered() const {
    return std::ranges::all_of(core_.state.pending, [](const PendingUse& use) { return use.answer || use.same_as; });
}

void ToolRound::interrupt() {
    for (const auto& child : children_) {
        if (child) child->interrupt();
    }
}

// ---- A round that is answered

MissionEvent ToolRound::tool_event(MissionEvent::Kind kind, const PendingUse& use) const {
    MissionEvent event = core_.event(kind);
    event.tool = use.tool;
    event.arguments = public_view(use.arguments, core_.state.secrets);
    event.layer = core_.state.phase == AgentState::Phase::Native ? Exposure::Native : Exposure::PtcLisp;
    event.is_cached = use.is_cached;
    const AgentTool* tool = core_.impl().find_tool(use.tool);
    event.is_handoff = tool && tool->handoff;
    event.duration = use.took;
    if (!use.cache_key.empty()) event.cache_key_hash = hash_digits(text_hash(use.cache_key));
    return event;
}

void ToolRound::record() {
    std::vector<PendingUse>& pending = core_.state.pending;
    for (PendingUse& use : pending) {
        if (use.same_as) use.answer = pending[*use.same_as].answer;
        ToolUse record;
        record.name = use.tool;
        MissionEvent made = tool_event(MissionEvent::Kind::ToolCall, use);
        record.is_cached = use.is_cached;
        record.duration = use.took;
        if (const Datum* value = std::get_if<Datum>(&*use.answer)) {
            const Preview shown = preview(*value, preview_limits(core_.options().prompt_limit));
            record.result = core_.hidden(shown.text);
            made.is_cut = shown.is_cut;
            if (!use.cache_key.empty() && core_.env.options.on_event) {
                made.is_full_result_cached = core_.state.phase == AgentState::Phase::Native && shows_preview(use);
                made.retained_bytes = core_.state.tool_cache.bytes_of(use.cache_key);
            }
        } else {
            const Error& error = std::get<Error>(*use.answer);
            record.error = core_.hidden(error.message);
            made.reason = reason_name(error.reason);
        }
        made.ok = record.error.empty();
        made.message = record.error;
        made.result = record.result;
        if (core_.state.phase == AgentState::Phase::Program) // with what the model reads of the program
            std::ranges::move(use.attachments, std::back_inserter(core_.state.attached));
        core_.env.emit(made);
        record.arguments = std::move(made.arguments);
        core_.state.current.tool_calls.push_back(std::move(record));
    }
}

bool ToolRound::has_agents() const {
    return std::ranges::any_of(core_.state.pending, [&](const PendingUse& use) {
        const AgentTool* tool = core_.impl().find_tool(use.tool);
        return tool && AgentImpl::agent_of(*tool, *core_.agent) != nullptr;
    });
}

std::vector<ToolAnswer> ToolRound::take_answers() {
    std::vector<ToolAnswer> answers;
    for (PendingUse& use : core_.state.pending)
        answers.push_back(std::move(*use.answer));
    end();
    return answers;
}

void ToolRound::end() {
    core_.state.pending.clear();
    children_.clear();
}

// ---- Snapshots

Result<void> ToolRound::save(ByteWriter& out) const {
    for (std::size_t i = 0; i < core_.state.pending.size(); ++i) {
        const bool has_child = i < children_.size() && children_[i] != nullptr;
        out.byte(has_child);
        if (has_child) PTC_CHECK(children_[i]->save(out));
    }
    return {};
}

Result<void> ToolRound::restore(ByteReader& in, const Llm* model) {
    children_.resize(core_.state.pending.size());
    model_ = model;
    for (std::size_t i = 0; i < children_.size(); ++i)
        PTC_CHECK(restore_use(in, i, model));
    if (!children_.empty() && all_answered()) return bad_snapshot("an agent waits for nothing");
    return {};
}

/// Who approved a call approved what its tool was said to be. One that was under way when the mission ended is not made
/// again with another tool.
bool ToolRound::has_changed_since_approval(const PendingUse& use) const {
    const auto known = core_.state.known_tools.find(use.tool);
    if (use.awaits_approval || known == core_.state.known_tools.end()) return false;
    const AgentTool& tool = tool_of(use);
    return tool.tool.approval && known->second != tool_hash(core_.impl(), tool);
}

const Tool& ToolRound::refusing_tool() {
    static const Tool refusing{.name = "refused", .function = [](const Datum&) -> Result<Datum> {
                                   return Error(Reason::ToolError,
                                                "It has changed since this call was approved: the call is not made.");
                               }};
    return refusing;
}

Result<void> ToolRound::restore_use(ByteReader& in, std::size_t index, const Llm* model) {
    PendingUse& use = core_.state.pending[index];
    const AgentTool* tool = core_.impl().find_tool(use.tool);
    const bool is_error = use.answer && std::holds_alternative<Error>(*use.answer);
    if (!tool && !is_error)
        return bad_snapshot(
            ("it waits for the tool " + quoted_excerpt(use.tool) + ", which is not there any more").c_str());
    const Agent* called = tool ? AgentImpl::agent_of(*tool, *core_.agent) : nullptr;
    if (in.byte() == 0) {
        const bool is_asked = use.need != 0 || use.answer || use.same_as;
        const bool waits_for_host = tool && use.need != 0 && !use.answer;
        if (!is_asked || (waits_for_host && called && !use.awaits_approval))
            return bad_snapshot("a tool was never asked");
        if (waits_for_host && has_changed_since_approval(use))
            core_.env.needs.tools.push_back({use.need, &refusing_tool(), use.arguments, "", core_.state.run, {}});
        else if (waits_for_host)
            use.awaits_approval ? need_approval(use) : need_tool(use);
        return {};
    }
    if (!called || use.answer || use.awaits_approval) return bad_snapshot("an agent answers who did not ask it");
    AgentRun& child = add_child(index, *called);
    PTC_CHECK(child.restore(in, tool->model, model));
    if (child.is_done() || use.child->depth != core_.state.depth + 1)
        return bad_snapshot("an agent answers who did not ask it");
    return {};
}

} // namespace ptc
