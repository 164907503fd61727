// The texts that go to a model, and the messages in which they go. Each request begins with all of the one before, so
// that providers can cache it: the system text says what the mission was given (data, tools, namespaces), which no turn
// changes, and is made anew for every request; what turns add is said in messages, which grow and are never changed.
// Programs that come as calls of the native tool lisp_eval need an
// answer each (requirement 225): `eval_call` of the state is the id of the call that still waits for its own.
#include "subagent/agent/conversation.h"
#include "ptc/json_schema.h"
#include "subagent/agent/context_check.h"
#include "subagent/agent/eval_report.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/text_hash.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace ptc {
namespace {

std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "`" : ", `") + name + "`";
    return out;
}

/// Whether the model is to see no rows of some tool's results, just what they are (requirement 212).
bool has_metadata_previews(const AgentCore& core) {
    return std::ranges::any_of(core.options().tools, [&](const AgentTool& tool) {
        return tool.cache && core.impl().exposure_of(tool) == Exposure::Both &&
               tool.native_result.value_or(NativeResult{}).preview == NativeResult::Preview::Metadata;
    });
}

/// What a program should know of a tool.
std::string told_description(const AgentImpl& agent, const AgentTool& tool) {
    std::string text(agent.description_of(tool));
    if (tool.tool.approval)
        text += std::string(text.empty() ? "" : " ") + "Each call is approved first; one that is denied fails.";
    return text;
}

std::string told_text(const AgentImpl& agent, const AgentTool& tool) {
    return tool_text(tool.tool.name, agent.signature_of(tool), told_description(agent, tool));
}

bool is_collection(const Datum& value) { return value.list() || value.map() || value.get_if<Datum::Set>(); }

/// Whether two collections without others in them are the same, whatever the order of their keys.
bool is_same_row(const Datum& a, const Datum& b) {
    if (!a.map() || !b.map()) return a == b;
    return a.map()->size() == b.map()->size() && std::ranges::all_of(*a.map(), [&](const auto& entry) {
               const Datum* other = b.find(key_name(entry.first));
               return other && *other == entry.second;
           });
}

/// Whoever watches a reply cannot break its call, which is paid.
template <class Sink, class Piece> void show_to(const Sink& sink, const Piece& piece) {
    try {
        sink(piece);
    } catch (...) { // as of MissionOptions::on_event
    }
}

/// Each message by itself, and all of them together.
std::optional<Fail> check_attached(const std::vector<Message>& messages) {
    AttachmentSum sum;
    for (const Message& message : messages) {
        const Result<void> checked = check_attachments(message.attachments);
        if (!checked.ok()) return because(MissionReason::InvalidRequest, checked.error().message);
        sum.add(message.attachments);
    }
    if (!sum.is_too_much()) return std::nullopt;
    return because(MissionReason::InvalidRequest, "The conversation has " + std::to_string(sum.count) +
                                                      " attachments of " + std::to_string(sum.bytes) + " bytes; " +
                                                      std::to_string(Attachment::kMaxCount) + " of " +
                                                      std::to_string(Attachment::kMaxTotalBytes) + " are allowed.");
}

/// Whether collections are in it: rows, as far as one can see.
bool has_collections(const Datum& value) {
    if (const auto* items = value.list()) return std::ranges::any_of(*items, is_collection);
    if (const auto* set = value.get_if<Datum::Set>()) return std::ranges::any_of(set->items, is_collection);
    return value.map() && std::ranges::any_of(*value.map(), [](const auto& one) { return is_collection(one.second); });
}

} // namespace

std::vector<Message> said_in(std::span<const Message> messages) {
    std::vector<Message> said;
    for (const Message& message : messages) {
        const Message::Role role =
            message.role == Message::Role::Assistant ? Message::Role::Assistant : Message::Role::User;
        if (message.content.empty() && message.attachments.empty()) continue;
        if (said.empty() || said.back().role != role)
            said.push_back({.role = role, .content = message.content});
        else
            said.back().content += (said.back().content.empty() ? "" : "\n\n") + message.content;
        std::ranges::copy(message.attachments, std::back_inserter(said.back().attachments));
    }
    return said;
}

std::string tool_hash(const AgentImpl& agent, const AgentTool& tool) {
    return hash_digits(text_hash(told_text(agent, tool)));
}

/// Whether a definition shows rows of a result of which the model has the metadata alone: what looks like rows, or is
/// one of them.
bool Conversation::shows_rows(const Datum& definition) const {
    if (core_.state.tool_cache.entries.empty() || !is_collection(definition)) return false;
    if (has_collections(definition)) return true;
    return std::ranges::any_of(core_.state.tool_cache.entries, [&](const auto& kept) {
        const Datum& result = kept.second.result;
        const auto* rows = result.list();
        const auto is_row = [&](const Datum& row) { return is_same_row(row, definition); };
        return is_row(result) || (rows && std::ranges::any_of(*rows, is_row));
    });
}

// ---- Before the first turn

std::optional<Fail> Conversation::read_context_types() {
    Result<std::vector<Field>> types = context_fields(core_.state.context_signature);
    if (!types.ok())
        return because(MissionReason::InvalidRequest,
                       "The context's signature cannot be read: " + types.error().message);
    context_types_ = std::move(types).value();
    const std::vector<Field>& params = core_.agent->signature().params;
    context_types_.insert(context_types_.end(), params.begin(), params.end());
    return std::nullopt;
}

std::optional<Fail> Conversation::write_prompt(const std::string& user_message, std::vector<Attachment> attachments) {
    // A host may give a firewalled value under a public name as well; a program of a caller may not.
    const bool is_called = core_.state.depth > 0;
    const Result<Datum> used = context_shown_by(core_.impl().prompt, core_.state.context, core_.shared_data());
    if (!used.ok()) return because(MissionReason::TemplateError, used.error().message);
    const Datum shown = is_called ? public_view(used.value(), core_.state.secrets) : public_view(used.value());
    const Result<Expansion> expansion = core_.impl().prompt.expand(shown);
    if (!expansion.ok()) return because(MissionReason::TemplateError, expansion.error().message);
    if (!expansion.value().missing.empty())
        return because(MissionReason::TemplateError,
                       "The context has no value for " + join(expansion.value().missing) + ", which the prompt names.");
    const std::string& prompt = expansion.value().text;
    if (!user_message.empty()) core_.state.instructions = prompt;
    if (const auto refusal = hide_secrets(core_.state.secrets, attachments))
        return because(MissionReason::InvalidRequest, *refusal);
    core_.state.messages.push_back(
        {.content = user_message.empty() ? prompt : user_message, .attachments = std::move(attachments)});
    return check_attached(core_.state.messages);
}

std::optional<Fail> Conversation::choose_model(const ModelRef& model, const Llm* callers) {
    model_ = model.call ? &model.call : callers;
    if (!model.name.empty() && !model.call) {
        const ModelRegistry& registry = core_.env.options.registry;
        const auto found = registry.find(model.name);
        if (found == registry.end())
            return because(MissionReason::ModelNotFound, "No model is registered as `" + model.name + "`.");
        model_ = &found->second;
    }
    if (!model_ || !*model_)
        return because(MissionReason::LlmRequired, "The mission needs a model: a callback or a registered name.");
    return std::nullopt;
}

// ---- Requests

std::vector<InventoryEntry> Conversation::inventory(InventoryParts& parts) const {
    struct Named {
        const Datum* value;
        const FullSizes* sizes;
    };
    std::map<std::string, Named, std::less<>> names;
    for (const auto& set : core_.shared_data()) {
        const auto& excerpts = parts.excerpts.emplace_back(excerpts_of(*set, core_.options().prompt_limit));
        for (const auto& [name, excerpt] : *excerpts)
            names.try_emplace(name, Named{&excerpt.value, &excerpt.sizes});
    }
    for (const auto& [key, value] : *core_.state.context.map())
        names[std::string(key_name(key))] = {&value, nullptr};
    parts.types.reserve(names.size()); // the entries point into it
    std::vector<InventoryEntry> entries;
    for (const auto& [name, found] : names) {
        InventoryEntry entry{name, found.value, found.sizes};
        const auto declared =
            std::ranges::find_if(context_types_, [&](const Field& f) { return names_match(f.name, name); });
        if (declared != context_types_.end() && !declared->type.is(TypeKind::Any)) {
            parts.types.push_back(declared->type);
            entry.type = &parts.types.back();
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<std::string> Conversation::listed_tools() const {
    const AgentImpl& agent = core_.impl();
    std::vector<std::string> texts;
    for (const AgentTool& tool : core_.options().tools) {
        if (agent.exposure_of(tool) != Exposure::Native && agent.is_listed(tool))
            texts.push_back(told_text(agent, tool));
    }
    return bounded_tool_texts(std::move(texts), kToolsInPrograms);
}

/// `inventory_parts` outlives what is returned.
SystemText Conversation::system_parts(InventoryParts& inventory_parts) const {
    const AgentImpl& agent = core_.impl();
    SystemText parts;
    parts.card = agent.card;
    parts.inventory = inventory(inventory_parts);
    parts.tools = core_.state.listed_tools ? *core_.state.listed_tools : listed_tools();
    for (const Tool& tool : core_.options().tool_catalog) {
        const Result<Signature> signature = parse_signature(tool.signature.empty() ? "() -> :any" : tool.signature);
        parts.catalog.push_back(tool_text(tool.name, signature.ok() ? &signature.value() : nullptr, tool.description));
    }
    parts.catalog = bounded_tool_texts(std::move(parts.catalog), "the task may name others.");
    for (const ExportedNamespace& space : agent.engine->exports()) {
        std::string text = namespace_text(space);
        if (!text.empty()) parts.namespaces.push_back(std::move(text));
    }
    parts.instructions = core_.state.instructions;
    parts.signature = &core_.agent->signature();
    parts.is_judgment = core_.is_judgment();
    parts.has_journal = core_.options().journaling;
    parts.has_plan = !core_.options().plan.empty();
    parts.secrets = &core_.state.secrets;
    return parts;
}

GeneratedText Conversation::make_system_text() const {
    if (core_.options().output == AgentOutput::Text && !core_.is_combined())
        return text_system_text(core_.agent->signature(), core_.options(), core_.state.instructions);
    InventoryParts inventory_parts;
    const SystemText parts = system_parts(inventory_parts);
    if (core_.is_combined()) return combined_system_text(parts, core_.options());
    return system_text(parts, core_.options());
}

LlmRequest Conversation::make_request() const {
    const AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    LlmRequest request;
    GeneratedText system = make_system_text();
    request.system = std::move(system.text);
    request.shared_system = system.shared;
    request.messages = state.messages;
    if (state.head_messages > 0) request.prompt = state.messages[state.head_messages - 1].content;
    const bool is_chat = !state.instructions.empty() || (state.depth == 0 && !core_.env.options.user_message.empty());
    request.is_continued = is_chat || state.turn > 1 || limits_.turns_left() > 0 || state.retries < options.retry_turns;
    request.turn = state.turn;
    request.attempt = state.attempt;
    request.agent = options.name;
    request.depth = state.depth;
    request.options = options.llm_options;
    if (state.deadline) request.time_left = std::max(Millis(0), *state.deadline - core_.env.now());
    request.stop = core_.env.stopping.get_token();
    request.is_unwanted = [asked = core_.env.options.is_interrupted, stop = core_.env.options.stop] {
        return stop.stop_requested() || (asked && asked());
    };
    request.effort = options.reasoning_effort;
    const bool is_by_calls = options.output == AgentOutput::PtcLisp && options.transport == Transport::ToolCall;
    const bool may_answer = options.tool_choice.mode == ToolChoice::Mode::None;
    if (state.turn == 1 || is_by_calls || may_answer) request.tool_choice = options.tool_choice;
    if (state.depth == 0 && core_.env.options.on_text)
        request.on_text = [shown = core_.env.options.on_text](std::string_view text) { show_to(shown, text); };
    if (options.output == AgentOutput::Text || options.transport == Transport::ToolCall)
        request.tools = core_.impl().native_tools;
    if (options.output == AgentOutput::Text) {
        const Type& returns = core_.agent->signature().returns;
        const bool is_structured = returns.is(TypeKind::Record) || returns.is(TypeKind::List);
        if (is_structured) request.schema_json = structured_output_schema(returns);
    }
    if (core_.env.options.on_delta)
        request.on_delta = [shown = core_.env.options.on_delta, run = state.run, parent = state.parent,
                            agent = core_.agent, depth = state.depth, turn = state.turn, attempt = state.attempt,
                            is_answer = !request.schema_json.empty()](const LlmDelta& delta) {
            const MissionDelta of_mission{.run = run,
                                          .parent = parent,
                                          .agent = agent->options().name,
                                          .depth = depth,
                                          .turn = turn,
                                          .attempt = attempt,
                                          .is_answer = is_answer,
                                          .delta = delta};
            show_to(shown, of_mission);
        };
    return request;
}

void Conversation::ask(Millis delay) {
    AgentState& state = core_.state;
    MissionTotals& totals = core_.env.totals;
    state.phase = AgentState::Phase::Model;
    state.model_asked_at = core_.env.now();
    state.model_need = ++totals.last_need;
    ++totals.llm_calls;
    ++state.step.usage.llm_calls;
    state.model_delay = delay;
    ask_again();
}

void Conversation::ask_again() {
    const AgentState& state = core_.state;
    LlmRequest request = make_request();
    request.key = core_.env.key_of(state.model_need);
    const ModelRegistry& registry = core_.env.options.registry;
    const auto registered = std::ranges::find(registry, model_, [](const auto& entry) { return &entry.second; });
    core_.env.needs.llm.push_back({.id = state.model_need,
                                   .request = std::move(request),
                                   .model = model_,
                                   .name = registered == registry.end() ? "" : registered->first,
                                   .delay = state.model_delay,
                                   .run = state.run});
}

// ---- Tools that change

void Conversation::tell_tools() {
    AgentState& state = core_.state;
    if (told_ == core_.agent) return;
    told_ = core_.agent;
    const AgentImpl& agent = core_.impl();
    const bool may_change = core_.env.tape || core_.options().tool_feed.tools ||
                            std::ranges::any_of(core_.options().tools, &AgentTool::is_fed);
    if (!may_change) return;
    if (state.turn == 0) state.listed_tools = listed_tools();
    ToolChanges changes;
    std::map<std::string, std::string, std::less<>> now;
    for (const AgentTool& tool : core_.options().tools) {
        if (agent.exposure_of(tool) == Exposure::Native) continue; // their schemas go with each request
        const std::string& hash = now[tool.tool.name] = tool_hash(agent, tool);
        const auto known = state.known_tools.find(tool.tool.name);
        if (known != state.known_tools.end() && known->second == hash) continue;
        const bool is_listed = agent.is_listed(tool);
        changes.is_searched = changes.is_searched || !is_listed;
        (known == state.known_tools.end() ? changes.added : changes.changed)
            .push_back(is_listed ? told_text(agent, tool) : tool.tool.name);
    }
    for (const auto& [name, hash] : state.known_tools) {
        if (!now.contains(name)) changes.gone.push_back(name);
    }
    state.known_tools = std::move(now);
    const bool has_news = !changes.added.empty() || !changes.changed.empty() || !changes.gone.empty();
    if (state.turn == 0 || !has_news) return;
    std::size_t told = 0;
    for (const Message& message : state.messages)
        told += is_tool_changes_text(message.content) ? message.content.size() : 0;
    say(core_.hidden(tool_changes_text(changes, told)));
}

// ---- Messages

void Conversation::say(std::string text) {
    std::vector<Attachment> attached = std::exchange(core_.state.attached, {});
    if (!text.empty() || !attached.empty())
        core_.state.messages.push_back({.content = std::move(text), .attachments = std::move(attached)});
}

void Conversation::note_answer(const Datum& value) {
    const Datum shown = public_view(value, core_.state.secrets);
    core_.state.messages.push_back(
        {.role = Message::Role::Assistant, .content = core_.hidden(shown.text() ? *shown.text() : shown.to_json())});
}

void Conversation::answer_call(const std::string& id, const Datum& content, bool is_error) {
    core_.state.messages.push_back({.role = Message::Role::Tool,
                                    .content = core_.hidden(content.to_json()),
                                    .tool_call_id = id,
                                    .is_error = is_error,
                                    .attachments = std::exchange(core_.state.attached, {})});
}

void Conversation::answer_eval(const Datum& content, bool is_error) {
    answer_call(*core_.state.eval_call, content, is_error);
    core_.state.eval_call.reset();
}

void Conversation::answer_eval_error(std::string_view reason, const std::string& message, const std::string& feedback,
                                     const Datum* result) {
    EvalReport report;
    report.value = result;
    report.reason = result ? "fail" : reason;
    report.message = message;
    report.feedback = feedback;
    answer_eval(render(report, preview_limits(core_.options().prompt_limit)), true);
}

void Conversation::answer_eval_value(const Datum& value, bool is_kept, const Feedback& feedback,
                                     const ShownDefinitions& changed, std::vector<std::string> names) {
    EvalReport report;
    report.value = &value;
    report.is_kept = is_kept;
    report.prints = feedback.prints;
    report.feedback = success_text(feedback);
    report.changed = &changed;
    report.names = std::move(names);
    answer_eval(render(report, preview_limits(core_.options().prompt_limit)), false);
}

ShownDefinitions Conversation::shown_definitions() const {
    const PreviewLimits limits = preview_limits(core_.options().prompt_limit);
    if (!has_metadata_previews(core_)) return ShownDefinitions(limits);
    return ShownDefinitions(limits, [this](const Datum& definition) { return shows_rows(definition); });
}

namespace {

/// The calls of a turn that were made and did what they do, by tool, in the order of the first.
std::string made_calls(const Turn& turn) {
    constexpr std::size_t kMostTools = 10;
    std::vector<std::pair<std::string_view, std::size_t>> made;
    for (const ToolUse& call : turn.tool_calls) {
        if (!call.error.empty() || call.is_cached || made.size() > kMostTools) continue;
        const auto found = std::ranges::find(made, call.name, &std::pair<std::string_view, std::size_t>::first);
        if (found == made.end())
            made.emplace_back(call.name, 1);
        else
            ++found->second;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(made.size(), kMostTools); ++i) {
        text.append(i == 0 ? "" : ", ").append(made[i].first);
        if (made[i].second > 1) text += " (" + std::to_string(made[i].second) + " times)";
    }
    return made.size() > kMostTools ? text + ", .." : text;
}

} // namespace

Feedback Conversation::feedback() const {
    Feedback feedback;
    feedback.calls = made_calls(core_.state.current);
    feedback.turn = core_.state.turn;
    feedback.turns_left = limits_.turns_left();
    feedback.is_judgment = core_.is_judgment() || core_.options().output == AgentOutput::Text;
    feedback.is_by_call = core_.options().transport == Transport::ToolCall;
    return feedback;
}

std::string Conversation::new_text() const {
    const std::vector<Message>& messages = core_.state.messages;
    auto first = messages.end();
    while (first != messages.begin() && std::prev(first)->role != Message::Role::Assistant)
        --first;
    std::string text;
    for (; first != messages.end(); ++first) {
        text += (text.empty() ? "" : "\n\n") + first->content;
        for (const Attachment& one : first->attachments)
            text += (text.empty() ? "[" : "\n[") + one.description() + "]";
    }
    return text;
}

} // namespace ptc
