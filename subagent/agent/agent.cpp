// Agents: options checked and compiled once, so that missions begin with nothing to parse. Everything that can be wrong
// without a model is refused in Agent::create: numbers, names, signatures, placeholders of the prompt. The engine of an
// agent knows its tools by name and signature only; their functions are taken out, and the mission answers every call.
#include "ptc/agent.h"
#include "compiler/signature/signature_compiler.h"
#include "frontend/try.h"
#include "ptc/tool_primitive.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/builtin_tools.h"
#include "subagent/agent/language_card.h"
#include "subagent/agent/program_name.h"
#include "subagent/agent/tool_search.h"
#include "subagent/engine/engine_impl.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kDefaultSignature = "() -> :any";
constexpr unsigned kMostDepth = 32; ///< missions of children are nested in those of their parents

Error invalid(std::string message, std::string hint = {}) {
    return Error(Reason::InvalidRequest, std::move(message)).with_hint(std::move(hint));
}

/// The model calls tools by its provider's means, and from programs.
bool has_two_ways(const AgentOptions& options) {
    return options.output == AgentOutput::Text && options.transport == Transport::ToolCall;
}

/// Of the tools that a search found.
std::string_view how_found_is_called(const AgentOptions& options) {
    if (options.output == AgentOutput::PtcLisp) return "as (tool/NAME {..})";
    if (!has_two_ways(options)) return "with call_tool";
    return "as `by` says: with call_tool, or as (tool/NAME {..}) in a program for lisp_eval";
}

/// Adds the tools of the families; a host's own tool of the same name stands.
Result<void> add_builtin_tools(AgentOptions& options, const std::shared_ptr<const std::vector<ToolCard>>& cards) {
    std::vector<AgentTool>& tools = options.tools;
    std::erase_if(tools, &AgentTool::is_builtin); // of the agent whose options these are: they know its tools
    for (const std::string& family : options.builtin_tools) {
        std::vector<Tool> added =
            family == kToolSearchFamily
                ? std::vector{tool_search(cards, how_found_is_called(options), has_two_ways(options))}
                : builtin_tools(family);
        if (added.empty()) return invalid("There are no built-in tools `" + family + "`.");
        for (Tool& tool : added) {
            const bool is_there =
                std::ranges::any_of(tools, [&](const AgentTool& own) { return own.tool.name == tool.name; });
            if (is_there) continue;
            AgentTool& builtin = tools.emplace_back(std::move(tool));
            builtin.is_builtin = true;
            if (family == kToolSearchFamily && options.output == AgentOutput::Text) builtin.expose = Exposure::Both;
        }
    }
    return {};
}

/// Agents that take over are tools that end the work.
Result<void> add_handoffs(AgentOptions& options) {
    for (AgentTool& tool : options.handoffs) {
        if (!tool.agent || tool.cache)
            return invalid("The handoff `" + tool.tool.name + "` needs an agent, and cannot be cached.");
        if (tool.tool.description.empty()) tool.tool.description = tool.agent->options().description;
        tool.tool.description += (tool.tool.description.empty() ? "" : " ") +
                                 std::string("Takes over: its answer is the result. Call it alone.");
        if (!tool.handoff) tool.handoff.emplace();
        options.tools.push_back(std::move(tool));
    }
    options.handoffs.clear();
    return {};
}

Result<void> check_numbers(const AgentOptions& options) {
    if (options.max_turns == 0) return invalid("`max_turns` must be at least 1.");
    if (options.turn_budget == 0) return invalid("`turn_budget` must be at least 1.");
    if (options.max_depth > kMostDepth)
        return invalid("`max_depth` must be at most " + std::to_string(kMostDepth) + ".");
    if (options.timeout.count() <= 0) return invalid("`timeout` must be positive.");
    if (options.mission_timeout && options.mission_timeout->count() <= 0)
        return invalid("`mission_timeout` must be positive.");
    if (options.retry.max_attempts == 0) return invalid("`max_attempts` of `llm_retry` must be at least 1.");
    if (options.max_consecutive_failures && *options.max_consecutive_failures == 0)
        return invalid("`max_consecutive_failures` must be at least 1.");
    return {};
}

Result<void> check_compaction(const Compaction& how) {
    if (!how.trigger_turns && !how.trigger_tokens && !how.decide)
        return invalid("`compaction` needs a trigger: turns, tokens, or a function that decides.");
    if (how.keep_recent_turns == 0 || (how.trigger_tokens && *how.trigger_tokens < 1))
        return invalid("`compaction` keeps at least 1 turn, and its trigger is at least 1 token.");
    if (how.trigger_turns && !how.decide && *how.trigger_turns < how.keep_recent_turns) {
        const std::string kept = std::to_string(how.keep_recent_turns);
        return invalid("`compaction` keeps " + kept + " turns, so its trigger must be at least as many, not " +
                       std::to_string(*how.trigger_turns) + ".");
    }
    return {};
}

Result<void> check_modes(const AgentOptions& options) {
    if (options.prompt.empty()) return invalid("An agent needs a prompt.");
    for (const Guard& guard : options.guards) {
        if (!guard.check || guard.points.empty())
            return invalid("The guard `" + guard.name + "` needs a function and points where it looks.");
    }
    const std::string& chosen = options.tool_choice.tool;
    const auto is_chosen = [&](const AgentTool& tool) { return tool.tool.name == chosen; };
    if (options.tool_choice.mode == ToolChoice::Mode::Tool && chosen != "lisp_eval" &&
        std::ranges::none_of(options.tools, is_chosen))
        return invalid("`tool_choice` names `" + chosen + "`, which is no tool of the agent.");
    if (options.output == AgentOutput::Text && options.transport == Transport::Content)
        return invalid("`ptc_transport: content` does not go with `output: text`, whose replies hold no programs.",
                       "Use `tool_call`, or leave it out.");
    return {};
}

Result<void> check_name(const std::string& name) {
    if (name.empty()) return invalid("A tool needs a name.");
    if (name == "return" || name == "fail")
        return Error(Reason::ReservedToolName,
                     "No tool can be called `" + name + "`: it is how programs end a mission.")
            .with_hint("Give the tool another name.");
    if (names_match(name, "lisp_eval"))
        return invalid("No tool can be called `" + name + "`: the name is reserved for running programs.",
                       "Give the tool another name.");
    return {};
}

Result<void> check_tool(const AgentTool& tool) {
    PTC_CHECK(check_name(tool.tool.name));
    if (tool.native_result && (tool.expose != Exposure::Both || !tool.cache))
        return invalid("The tool `" + tool.tool.name +
                       "` has `native_result`, which needs `expose: both` and `cache: true`.");
    if (tool.native_result && tool.native_result->limit == 0)
        return invalid("The tool `" + tool.tool.name + "` has `native_result` with a limit of 0 rows.",
                       "Give a limit of 1 or more; the preview `metadata` shows no rows.");
    return {};
}

/// Programs write tool/NAME.
Result<void> check_program_name(const AgentTool& tool, const AgentOptions& options) {
    const Exposure standard = options.output == AgentOutput::Text ? Exposure::Native : Exposure::PtcLisp;
    const std::string& name = tool.tool.name;
    if (tool.expose.value_or(standard) == Exposure::Native || is_program_name(name)) return {};
    return invalid("Programs cannot write the name of the tool `" + name + "`.",
                   "Call it `" + program_name(name) + "`.");
}

Result<void> check_tools(const AgentOptions& options) {
    std::vector<std::string> names; // as models write them
    for (const AgentTool& tool : options.tools) {
        PTC_CHECK(check_tool(tool));
        PTC_CHECK(check_program_name(tool, options));
        names.push_back(normalized_name(tool.tool.name));
    }
    for (const Tool& tool : options.tool_catalog)
        PTC_CHECK(check_name(tool.name));
    const bool has_search = std::ranges::find(options.builtin_tools, kToolSearchFamily) != options.builtin_tools.end();
    const bool has_own = std::ranges::find(names, kCallToolName) != names.end();
    if (has_search && has_own && options.output == AgentOutput::Text)
        return invalid("No tool can be called `call_tool` beside `tool_search`: it calls what was found.",
                       "Give the tool another name.");
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end())
        return invalid("Two tools are called `" + *twice + "` (hyphens and underscores do not tell names apart).");
    return {};
}

Error in_tool(const std::string& name, const Error& error) {
    return invalid("The signature of the tool `" + name + "` cannot be read: " + error.message, error.hint);
}

/// Its own; of a tool that comes with schemas what they say, as far as a signature can; null without either.
Result<SignaturePtr> own_signature(const Tool& tool) {
    if (!tool.signature.empty()) return compile_signature(tool.signature);
    if (tool.input_schema_json.empty()) return SignaturePtr();
    const SignatureReading read = PTC_TRY(read_tool_schemas(tool.input_schema_json, tool.output_schema_json));
    return compile_signature(signature_text(read.signature));
}

/// Placeholders of the prompt are parameters (requirement 186).
Result<void> check_prompt(const AgentOptions& options, const Template& prompt, const Signature& signature) {
    if (options.signature.empty()) return {};
    const TemplateMatch match = prompt.match(signature);
    if (match.ok(false)) return {};
    std::string names;
    for (const auto* list : {&match.unmatched, &match.bad_fields}) {
        for (const std::string& name : *list)
            names += (names.empty() ? "`{{" : ", `{{") + name + "}}`";
    }
    return invalid("The prompt uses " + names + ", which the signature `" + signature_text(signature) +
                       "` does not have.",
                   "Add a parameter, or correct the name.");
}

/// Of agents that are called, placeholders are parameters as well (requirement 109): a caller would not know what to
/// give. One that takes over with the mission's data may find them there.
Result<void> check_called(const AgentOptions& options, const Template& prompt) {
    for (const AgentTool& tool : options.tools) {
        const AgentOptions* called = tool.agent ? &tool.agent->options() : tool.is_self ? &options : nullptr;
        if (!called || !called->signature.empty() || (tool.handoff && tool.handoff->context)) continue;
        const std::vector<std::string> names =
            tool.agent ? impl_of(*tool.agent).prompt.placeholders() : prompt.placeholders();
        if (names.empty()) continue;
        return invalid("The prompt of the agent `" + tool.tool.name + "` uses `{{" + names[0] +
                           "}}`, and it has no signature that says so to its callers.",
                       "Give it one: `(" + names[0] + " :any) -> :any`.");
    }
    return {};
}

/// What a search finds: the tools that prompts do not list.
void fill_cards(const AgentImpl& agent, std::vector<ToolCard>& cards) {
    const bool is_told = has_two_ways(agent.options);
    for (const AgentTool& tool : agent.options.tools) {
        if (agent.is_listed(tool)) continue;
        const std::string_view by = agent.exposure_of(tool) == Exposure::PtcLisp ? "lisp_eval" : kCallToolName;
        const Signature* signature = agent.signature_of(tool);
        cards.push_back({tool.tool.name, signature ? signature_text(*signature) : std::string(kDefaultSignature),
                         std::string(agent.description_of(tool)), tool.tool.details, is_told ? by : std::string_view(),
                         tool.tool.description_now});
    }
}

/// What programs may call; the mission answers all of it.
Result<std::unique_ptr<Engine>> make_engine(const AgentImpl& agent) {
    EngineOptions engine;
    engine.preludes = agent.options.preludes;
    engine.warnings = false;
    engine.limits = agent.options.limits;
    engine.limits.timeout = agent.options.timeout;
    engine.validation = agent.options.validation;
    for (const AgentTool& tool : agent.options.tools) {
        if (agent.exposure_of(tool) == Exposure::Native) continue;
        Tool callable = tool.tool;
        callable.function = nullptr;
        callable.keyed_function = nullptr;
        callable.context_function = nullptr;
        callable.description = agent.description_of(tool);
        if (tool.agent || tool.is_self) callable.signature = signature_text(*agent.signature_of(tool));
        engine.tools.push_back(std::move(callable));
    }
    auto made = std::make_unique<Engine>(std::move(engine));
    if (!made->problems().empty()) return made->problems().front();
    return made;
}

Result<std::vector<ToolSchema>> make_native_tools(const AgentImpl& agent) {
    std::vector<ToolSchema> tools;
    for (const AgentTool& tool : agent.options.tools) {
        // Where turns are programs, nothing but lisp_eval is called natively.
        if (agent.options.output == AgentOutput::PtcLisp || agent.exposure_of(tool) == Exposure::PtcLisp) continue;
        if (!agent.is_listed(tool)) continue;
        Tool shown = tool.tool;
        shown.name = normalized_name(tool.tool.name);
        shown.description = agent.description_of(tool);
        if (tool.agent || tool.is_self) shown.signature = signature_text(*agent.signature_of(tool));
        tools.push_back(PTC_TRY(schema_of(shown)));
    }
    if (agent.is_searched()) tools.push_back(call_tool_schema());
    if (agent.options.transport == Transport::ToolCall)
        tools.push_back(
            {"lisp_eval", "Runs a PTC-Lisp program in a sandbox and shows what it gives.",
             R"({"type":"object","properties":{"program":{"type":"string","description":"The program."}},"required":["program"]})"});
    return tools;
}

/// Those that there are now, among the others; gives what the feed said of them.
FeedState take_fed_tools(AgentOptions& options) {
    if (!options.tool_feed.tools) return {};
    const std::optional<FeedState> state = state_of_feed(options.tool_feed); // before the tools: later ones are news
    if (std::optional<std::vector<Tool>> fed = tools_of_feed(options.tool_feed, {}))
        put_fed_tools(options, std::move(*fed));
    return state.value_or(FeedState());
}

template <class Enum, std::size_t N>
std::optional<Enum> named(const std::pair<std::string_view, Enum> (&rows)[N], std::string_view name) {
    for (const auto& [text, value] : rows) {
        if (text == name) return value;
    }
    return std::nullopt;
}

} // namespace

std::optional<Exposure> exposure_named(std::string_view name) {
    return named({std::pair<std::string_view, Exposure>{"native", Exposure::Native},
                  {"ptc_lisp", Exposure::PtcLisp},
                  {"both", Exposure::Both}},
                 name);
}

std::optional<AgentOutput> output_named(std::string_view name) {
    return named(
        {std::pair<std::string_view, AgentOutput>{"ptc_lisp", AgentOutput::PtcLisp}, {"text", AgentOutput::Text}},
        name);
}

std::optional<Transport> transport_named(std::string_view name) {
    return named(
        {std::pair<std::string_view, Transport>{"content", Transport::Content}, {"tool_call", Transport::ToolCall}},
        name);
}

std::string_view event_name(MissionEvent::Kind kind) {
    switch (kind) {
    case MissionEvent::Kind::MissionStart: return "mission_start";
    case MissionEvent::Kind::TurnStart: return "turn_start";
    case MissionEvent::Kind::LlmReply: return "llm_reply";
    case MissionEvent::Kind::LlmRetry: return "llm_retry";
    case MissionEvent::Kind::PreviewFallback: return "preview_fallback";
    case MissionEvent::Kind::Guard: return "guard";
    case MissionEvent::Kind::ProgramStart: return "program_start";
    case MissionEvent::Kind::ToolStart: return "tool_start";
    case MissionEvent::Kind::ToolCall: return "tool_call";
    case MissionEvent::Kind::Compaction: return "compaction";
    case MissionEvent::Kind::ApprovalRequest: return "approval_request";
    case MissionEvent::Kind::ApprovalAnswer: return "approval_answer";
    case MissionEvent::Kind::TurnStop: return "turn_stop";
    case MissionEvent::Kind::MissionStop: return "mission_stop";
    }
    return "";
}

AgentTool::AgentTool() = default;
AgentTool::AgentTool(Tool host_tool) : tool(std::move(host_tool)) {}
AgentTool::AgentTool(const AgentTool&) = default;
AgentTool::AgentTool(AgentTool&&) noexcept = default;
AgentTool& AgentTool::operator=(const AgentTool&) = default;
AgentTool& AgentTool::operator=(AgentTool&&) noexcept = default;
AgentTool::~AgentTool() = default;

AgentTool AgentTool::self(std::string name) {
    AgentTool tool;
    tool.tool.name = std::move(name);
    tool.is_self = true;
    return tool;
}

// ---- Agent::Impl

const AgentTool* Agent::Impl::find_tool(std::string_view name) const {
    const auto at =
        std::ranges::find(options.tools, name, [](const AgentTool& tool) { return std::string_view(tool.tool.name); });
    return at == options.tools.end() ? nullptr : &*at;
}

const Signature* Agent::Impl::signature_of(const AgentTool& tool) const {
    if (tool.is_self) return &ptc::signature_of(*signature);
    if (tool.agent) return &tool.agent->signature();
    const SignaturePtr& own = signatures[static_cast<std::size_t>(&tool - options.tools.data())];
    return own ? &ptc::signature_of(*own) : nullptr;
}

const CompiledSignature* Agent::Impl::compiled_signature_of(const AgentTool& tool) const {
    if (tool.is_self) return signature.get();
    if (tool.agent) return impl_of(*tool.agent).signature.get();
    return signatures[static_cast<std::size_t>(&tool - options.tools.data())].get();
}

const AgentTool* Agent::Impl::find_native_tool(std::string_view name) const {
    const auto at = std::ranges::find_if(options.tools, [&](const AgentTool& tool) {
        return exposure_of(tool) != Exposure::PtcLisp && names_match(tool.tool.name, name);
    });
    return at == options.tools.end() ? nullptr : &*at;
}

std::string_view Agent::Impl::description_of(const AgentTool& tool) const {
    if (!tool.tool.description.empty()) return tool.tool.description;
    if (tool.is_self) return options.description;
    return tool.agent ? std::string_view(tool.agent->options().description) : std::string_view();
}

bool Agent::Impl::is_listed(const AgentTool& tool) const {
    if (tool.handoff || tool.tool.name == kToolSearchName) return true;
    if (options.tool_choice.mode == ToolChoice::Mode::Tool && tool.tool.name == options.tool_choice.tool) return true;
    return std::ranges::find(options.builtin_tools, kToolSearchFamily) == options.builtin_tools.end();
}

bool Agent::Impl::is_searched() const {
    return options.output == AgentOutput::Text && std::ranges::any_of(options.tools, [this](const AgentTool& tool) {
               return exposure_of(tool) != Exposure::PtcLisp && !is_listed(tool);
           });
}

Exposure Agent::Impl::exposure_of(const AgentTool& tool) const {
    return tool.expose.value_or(options.output == AgentOutput::Text ? Exposure::Native : Exposure::PtcLisp);
}

// ---- Tools of a feed

std::optional<FeedState> state_of_feed(const ToolFeed& feed) {
    try {
        return FeedState{.version = feed.version ? feed.version() : 0, .hints = feed.hints ? feed.hints() : 0};
    } catch (...) {
        return std::nullopt;
    }
}
std::optional<std::vector<Tool>> tools_of_feed(const ToolFeed& feed, const std::stop_token& stop) {
    try {
        return feed.tools(stop);
    } catch (...) {
        return std::nullopt;
    }
}

/// By name, whatever order they came in: a recording keeps them as an object, which has no other order, and repeats
/// them.
void put_fed_tools(AgentOptions& options, std::vector<Tool> fed) {
    std::ranges::stable_sort(fed, {}, &Tool::name);
    std::erase_if(options.tools, [](const AgentTool& tool) { return tool.is_fed; });
    const std::size_t own = options.tools.size();
    for (Tool& tool : fed) {
        const auto is_named_so = [&](const AgentTool& one) { return one.tool.name == tool.name; };
        if (std::any_of(options.tools.begin(), options.tools.begin() + static_cast<std::ptrdiff_t>(own), is_named_so))
            continue;
        AgentTool added(std::move(tool));
        added.is_fed = true;
        options.tools.push_back(std::move(added));
    }
}

// ---- Agent

Agent::Agent(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Agent::~Agent() = default;

Result<AgentPtr> Agent::create(AgentOptions options) {
    const FeedState state = take_fed_tools(options);
    return AgentAccess::make(std::move(options), state, std::make_shared<FedAgents>());
}

Result<AgentPtr> AgentAccess::make(AgentOptions options, FeedState feed_state, std::shared_ptr<FedAgents> fed) {
    const auto cards = std::make_shared<std::vector<ToolCard>>();
    PTC_CHECK(add_builtin_tools(options, cards));
    PTC_CHECK(add_handoffs(options));
    PTC_CHECK(check_numbers(options));
    PTC_CHECK(check_modes(options));
    if (options.compaction) PTC_CHECK(check_compaction(*options.compaction));
    PTC_CHECK(check_tools(options));
    auto impl = std::make_unique<Impl>();
    impl->options = std::move(options);
    impl->feed_state = feed_state;
    impl->fed = std::move(fed);
    if (impl->fed->kept.expired()) impl->fed->kept = impl->newest = std::make_shared<AgentPtr>();
    const AgentOptions& kept = impl->options;
    for (const AgentTool& tool : kept.tools) {
        Result<SignaturePtr> signature = own_signature(tool.tool);
        if (!signature.ok()) return in_tool(tool.tool.name, signature.error());
        impl->signatures.push_back(std::move(signature).value());
    }
    for (const Tool& tool : kept.tool_catalog) {
        const Result<Signature> signature =
            parse_signature(tool.signature.empty() ? kDefaultSignature : tool.signature);
        if (!signature.ok()) return in_tool(tool.name, signature.error());
    }
    Result<SignaturePtr> signature = compile_signature(kept.signature.empty() ? kDefaultSignature : kept.signature);
    if (!signature.ok())
        return invalid("The agent's signature cannot be read: " + signature.error().message, signature.error().hint);
    impl->signature = std::move(signature).value();
    Result<Template> prompt = Template::parse(kept.prompt);
    if (!prompt.ok()) return invalid("The prompt is no template: " + prompt.error().message, prompt.error().hint);
    impl->prompt = std::move(prompt).value();
    fill_cards(*impl, *cards);
    PTC_CHECK(check_called(kept, impl->prompt));
    PTC_CHECK(check_prompt(kept, impl->prompt, signature_of(*impl->signature)));
    impl->native_tools = PTC_TRY(make_native_tools(*impl));
    impl->engine = PTC_TRY(make_engine(*impl));
    const CoreLibrary& core = impl_of(*impl->engine).core;
    const bool is_text = kept.output == AgentOutput::Text;
    const bool has_cached_calls = std::ranges::any_of(
        kept.tools, [](const AgentTool& tool) { return tool.cache && tool.expose == Exposure::Both; });
    impl->card = is_text ? compact_card(core, has_cached_calls) : language_card(core);
    return AgentPtr(new Agent(std::move(impl)));
}

const AgentOptions& Agent::options() const { return impl_->options; }
const Signature& Agent::signature() const { return signature_of(*impl_->signature); }

AgentTool Agent::as_tool(std::string name, ModelRef model) const {
    AgentTool tool;
    tool.tool.name = std::move(name);
    tool.agent = shared_from_this();
    tool.model = std::move(model);
    return tool;
}

AgentPtr Agent::answering(const Step& step) const {
    AgentPtr at = shared_from_this();
    if (!step.handed_over) return at;
    for (const std::string& name : step.handed_over->path) {
        const AgentTool* tool = handoff_named(*at, name);
        if (!tool) return nullptr;
        at = AgentPtr(tool->agent);
    }
    return at;
}

const AgentTool* handoff_named(const Agent& agent, std::string_view name) {
    for (const AgentTool& tool : agent.options().tools)
        if (tool.handoff && tool.tool.name == name) return &tool;
    return nullptr;
}

// ---- Agents as tools

Result<AgentTool> LlmTool::as_tool(std::string name) const {
    AgentOptions options;
    options.name = name;
    options.prompt = prompt;
    options.signature = signature;
    options.description = description;
    options.tools = tools;
    return agent_tool(std::move(name), std::move(options), model);
}

Result<AgentTool> agent_tool(std::string name, AgentOptions options, ModelRef model) {
    if (options.prompt.empty()) return invalid("The tool `" + name + "` needs a prompt.");
    if (options.signature.empty()) return invalid("The tool `" + name + "` needs a signature.");
    if (options.tools.empty()) { // a judgment
        options.output = AgentOutput::Text;
        options.max_turns = 1;
    }
    const AgentPtr agent = PTC_TRY(Agent::create(std::move(options)));
    return agent->as_tool(std::move(name), std::move(model));
}

} // namespace ptc
