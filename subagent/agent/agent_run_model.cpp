// Requests to the model and its replies.
#include "ptc/json_schema.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/response.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

/// Providers refuse a conversation in which two calls have one id.
void make_ids_unique(LlmReply& reply) {
    std::set<std::string> ids;
    for (ToolCall& call : reply.tool_calls) {
        if (ids.insert(call.id).second) continue;
        std::size_t n = 2;
        while (!ids.insert(call.id + "-" + std::to_string(n)).second)
            ++n;
        call.id += "-" + std::to_string(n);
        reply.provider_state.clear(); // it has the ids as they came
    }
}

} // namespace

std::vector<InventoryEntry> AgentRun::inventory(std::vector<Type>& types) const {
    std::map<std::string, std::pair<const Datum*, bool>, std::less<>> names; // value, given at the start
    for (const auto& [key, value] : *state_.context.map())
        names[std::string(key_name(key))] = {&value, true};
    for (const Datum& result : state_.results) {
        for (const auto& [key, value] : *result.map())
            names[std::string(key_name(key))] = {&value, false};
    }
    types.reserve(names.size()); // the entries point into it
    std::vector<InventoryEntry> entries;
    for (const auto& [name, found] : names) {
        InventoryEntry entry{name, found.first};
        const auto declared =
            std::ranges::find_if(context_types_, [&](const Field& f) { return names_match(f.name, name); });
        if (found.second && declared != context_types_.end() && !declared->type.is(TypeKind::Any)) {
            types.push_back(declared->type);
            entry.type = &types.back();
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string AgentRun::make_system_text() const {
    if (options().output == AgentOutput::Text && !is_combined())
        return text_system_text(agent_->signature(), options());
    const Agent::Impl& agent = agent_->impl();
    SystemText parts;
    parts.card = agent.card;
    std::vector<Type> types;
    parts.inventory = inventory(types);
    for (const AgentTool& tool : options().tools) {
        if (agent.exposure_of(tool) != Exposure::Native)
            parts.tools.push_back(tool_text(tool.tool.name, agent.signature_of(tool), agent.description_of(tool)));
    }
    for (const Tool& tool : options().tool_catalog) {
        const Result<Signature> signature = parse_signature(tool.signature.empty() ? "() -> :any" : tool.signature);
        parts.catalog.push_back(tool_text(tool.name, signature.ok() ? &signature.value() : nullptr, tool.description));
    }
    for (const ExportedNamespace& space : agent.engine->exports()) {
        std::string told = namespace_text(space);
        if (!told.empty()) parts.namespaces.push_back(std::move(told));
    }
    parts.signature = &agent_->signature();
    parts.is_judgment = is_judgment();
    parts.secrets = &state_.secrets;
    if (is_combined()) return combined_system_text(parts, options());
    return system_text(parts, options());
}

LlmRequest AgentRun::make_request() const {
    LlmRequest request;
    request.system = make_system_text();
    request.messages = state_.messages;
    request.turn = state_.turn;
    request.attempt = state_.attempt;
    request.agent = options().name;
    request.depth = state_.depth;
    request.options = options().llm_options;
    if (state_.deadline) request.time_left = std::max(Millis(0), *state_.deadline - env_.now());
    if (state_.depth == 0) request.on_text = env_.options.on_text;
    if (options().output == AgentOutput::Text || options().transport == Transport::ToolCall)
        request.tools = agent_->impl().native_tools;
    if (options().output == AgentOutput::Text) {
        const Type& returns = agent_->signature().returns;
        const bool is_structured = returns.is(TypeKind::Record) || returns.is(TypeKind::List);
        if (is_structured) request.schema_json = structured_output_schema(returns);
    }
    return request;
}

void AgentRun::ask_model(Millis delay) {
    state_.phase = Phase::Model;
    state_.model_asked_at = env_.now();
    state_.model_need = ++env_.totals.last_need;
    ++env_.totals.llm_calls;
    ++state_.step.usage.llm_calls;
    state_.model_delay = delay;
    need_model();
}

void AgentRun::need_model() {
    LlmRequest request = make_request();
    request.key = env_.key_of(state_.model_need);
    const auto registered =
        std::ranges::find(env_.options.registry, model_, [](const auto& entry) { return &entry.second; });
    env_.needs.llm.push_back({.id = state_.model_need,
                              .request = std::move(request),
                              .model = model_,
                              .name = registered == env_.options.registry.end() ? "" : registered->first,
                              .delay = state_.model_delay,
                              .run = state_.run});
}

// Requirements 149 to 151: such failures cost attempts, never turns.
void AgentRun::on_model_error(const LlmError& error) {
    env_.totals.tokens += error.usage;
    state_.step.usage.tokens += error.usage;
    const RetryPolicy policy = env_.options.retry.value_or(options().retry);
    const std::string why = error.kind_name() + (error.message.empty() ? "" : ": " + error.message);
    if (why_over_budget()) { // attempts that fail cost, too
        state_.current.reason = reason_name(MissionReason::LlmError);
        state_.current.message = hidden(why);
        end_turn(false);
        return next_turn(); // which tells why there is none
    }
    if (policy.allows(error, state_.attempt) && !env_.is_interrupted()) {
        const Millis delay = policy.delay(state_.attempt, error, env_.random());
        if (!state_.deadline || env_.now() + delay < *state_.deadline) {
            MissionEvent retry = event(MissionEvent::Kind::LlmRetry);
            retry.ok = false;
            retry.reason = error.kind_name();
            retry.message = hidden(error.message);
            env_.emit(retry);
            ++state_.attempt;
            return ask_model(delay);
        }
    }
    state_.current.reason = reason_name(MissionReason::LlmError);
    state_.current.message = why;
    end_turn(false);
    if (is_late()) return next_turn();
    fail(MissionReason::LlmError,
         "The model could not be called, " + std::to_string(state_.attempt) +
             (state_.attempt == 1 ? " attempt" : " attempts") + ". Last: " + why,
         Datum::object({{"kind", error.kind_name()}, {"attempts", static_cast<std::int64_t>(state_.attempt)}}));
}

void AgentRun::on_reply(LlmResult result) {
    if (const auto* error = std::get_if<LlmError>(&result)) return on_model_error(*error);
    LlmReply& reply = std::get<LlmReply>(result);
    make_ids_unique(reply);
    env_.totals.tokens += reply.usage;
    state_.step.usage.tokens += reply.usage;
    state_.current.tokens = reply.usage;
    state_.current.reply = hidden(reply.text);
    MissionEvent told = event(MissionEvent::Kind::LlmReply);
    told.text = state_.current.reply;
    told.tokens = reply.usage;
    told.duration = env_.now() - state_.model_asked_at;
    env_.emit(told);
    state_.messages.push_back({.role = Message::Role::Assistant,
                               .content = reply.text,
                               .tool_calls = reply.tool_calls,
                               .provider_state = reply.provider_state});
    if (is_late()) {
        state_.current.reason = reason_name(MissionReason::MissionTimeout);
        end_turn(false);
        return next_turn(); // which is too late
    }
    if (on_eval_calls(reply)) return;
    if (options().output == AgentOutput::Text) {
        if (!reply.tool_calls.empty()) return on_native_calls(reply);
        return on_answer_text(reply.text);
    }
    if (options().transport == Transport::ToolCall) {
        if (!reply.tool_calls.empty()) return refuse_calls(reply, "unknown_tool", "The only tool is lisp_eval.");
        return on_text_beside_eval(reply.text);
    }
    const std::optional<ReplyProgram> program = find_program(reply.text);
    if (program) return run_program(program->text());
    fail_turn(MissionReason::NoProgram, "The reply has no program.", reminder_text(feedback()));
}

} // namespace ptc
