// Agents: missions in which every turn of a model is one program, compiled and run in a sandbox.
//
//   auto agent = ptc::Agent::create({.prompt = "Find the best customer of {{year}}.",
//                                    .signature = "(year :int) -> {name :string, total :float}",
//                                    .tools = {orders_tool}});
//   ptc::Step step = agent.value()->run(llm, ptc::Datum::object({{"year", 2025}}));
#pragma once
#include "ptc/approval.h"
#include "ptc/engine.h"
#include "ptc/guard.h"
#include "ptc/llm.h"
#include "ptc/owned.h"
#include "ptc/shared_function.h"
#include "ptc/step.h"
#include "ptc/tool.h"
#include "ptc/tool_feed.h"

namespace ptc {

class Agent;
using AgentPtr = std::shared_ptr<const Agent>;
struct AgentOptions;

/// Who may call a tool: the model by its provider's means, programs, or both.
enum class Exposure : std::uint8_t { Native, PtcLisp, Both };
std::optional<Exposure> exposure_named(std::string_view name); ///< "native", "ptc_lisp", "both"

/// What a model sees of the result of a tool that is exposed to both and cached; programs get all of it.
struct NativeResult {
    enum class Preview : std::uint8_t { Metadata, Rows, Custom };
    Preview preview = Preview::Metadata;
    std::size_t limit = 20;                                    ///< of Rows
    SharedFunction<Result<Datum>(const Datum& full)> custom{}; ///< of Custom: a map; as MissionOptions::on_event
};

/// What goes over when an agent gives its work to another one for good: the other's result is its own then, and must
/// fit its signature.
struct Handoff {
    /// The other agent's prompt stands behind what was said, as texts. False: it begins with the arguments of the call
    /// alone, which may be a summary.
    bool conversation = true;
    /// It has the context, the data that turns gave, and the data sets of the mission, beside the arguments.
    bool context = true;
};

/// A tool of an agent: a host's callable, or another agent. A ptc::Tool converts to one.
struct AgentTool {
    Tool tool{};                      ///< of an agent: `name` only, the rest is the agent's
    std::optional<Exposure> expose{}; ///< none: programs for AgentOutput::PtcLisp, the model for AgentOutput::Text
    bool cache = false; ///< within one run the same arguments (ptc/cache_key.h) give the same result, and no second
                        ///< call, as long as it is kept (AgentOptions::tool_cache)
    std::optional<NativeResult> native_result{};
    AgentPtr agent{};                 ///< answers instead of `tool.function`
    ModelRef model{};                 ///< of the agent; none: the caller's
    bool is_self = false;             ///< the agent that has this tool
    bool is_builtin = false;          ///< of AgentOptions::builtin_tools: made anew with each agent
    bool is_fed = false;              ///< of AgentOptions::tool_feed, or of what stands for it in a recording
    std::optional<Handoff> handoff{}; ///< `agent` takes over; see AgentOptions::handoffs

    AgentTool();
    AgentTool(Tool host_tool);
    AgentTool(const AgentTool&);
    AgentTool(AgentTool&&) noexcept;
    AgentTool& operator=(const AgentTool&);
    AgentTool& operator=(AgentTool&&) noexcept;
    ~AgentTool();
    /// The agent that has the tool calls itself.
    static AgentTool self(std::string name);
};

/// A judgment: one call of a model with a template, whose answer is JSON of the signature's result.
struct LlmTool {
    std::string prompt{};
    std::string signature{}; ///< inputs must be the template's placeholders
    std::string description{};
    ModelRef model{};               ///< none: the caller's
    std::vector<AgentTool> tools{}; ///< with tools it is an agent of several turns
    /// invalid_request: prompt or signature is missing, or they do not go together.
    [[nodiscard]] Result<AgentTool> as_tool(std::string name) const;
};

enum class AgentOutput : std::uint8_t {
    PtcLisp, ///< turns are programs; `return` ends the mission
    Text,    ///< the model's text is the answer
};
enum class Transport : std::uint8_t {
    Content,  ///< programs in fenced blocks of replies
    ToolCall, ///< programs as arguments of the native tool lisp_eval
};
std::optional<AgentOutput> output_named(std::string_view name);  ///< "ptc_lisp", "text"
std::optional<Transport> transport_named(std::string_view name); ///< "content", "tool_call"

/// How much of large values prompts show. The result of a native call has a bound of its own, as long as nothing here
/// is below its default: all of it up to 12,000 bytes, else as much of its beginning as has room in them (beside
/// programs: as of any value, and the program that reads on). Without programs a model is told that it has a part, and
/// cannot read on: tools of such agents do well to take a range.
struct PromptLimit {
    std::size_t list = 5;      ///< items from the start of a list
    std::size_t string = 1000; ///< bytes of a text
};

/// What replaces or surrounds the generated system text.
struct SystemPrompt {
    std::string replacement{}; ///< instead of role and language reference; data, tools and output stay
    std::string whole{};       ///< instead of all of it
    std::string prefix{};
    std::string suffix{};
};

/// How long a conversation has become.
struct ConversationSize {
    std::size_t turn = 0;    ///< that is about to begin
    std::size_t turns = 0;   ///< that the model still reads
    std::size_t bytes = 0;   ///< of the next request
    std::int64_t tokens = 0; ///< the same, as the provider counted the last one, else by four bytes a token
};

/// When a conversation is cut, and to what. Whole turns go, the oldest first; what stands in front of the first turn
/// (system text, history, prompt) stays as it is, for providers that cache it. A message in their place says which
/// turns they were, what programs defined in them (which stays) and what the last of them came to. The host has all
/// turns in Step::trace, and a line for each that was cut in Step::journal.
struct Compaction {
    std::optional<std::size_t> trigger_turns = 16; ///< when there are more turns
    std::optional<std::int64_t> trigger_tokens{};  ///< when the next request would be longer
    /// At most; with `trigger_tokens` fewer, where these would leave less than half of the room for turns free.
    std::size_t keep_recent_turns = 6;
    /// Instead of the triggers: how many turns to keep, at least 1; none for all. Must not depend on time or chance
    /// where missions are recorded. Called on the thread that runs the mission.
    SharedFunction<std::optional<std::size_t>(const ConversationSize& size)> decide{};
};

/// What a run keeps of cached tools' results: the longest unused goes first, one beyond `bytes` is not kept. Also of
/// results for which a program has no room, small ones first: they are data/TOOL-result while all data of turns are
/// within `bytes`.
struct ToolCacheLimits {
    std::size_t entries = 1000;
    std::uint64_t bytes = std::uint64_t{64} << 20; ///< serialised as memory is
};

/// A step of what an agent is to do, for its model to read and to report.
struct PlanStep {
    std::string id{}; ///< by which programs report it: (step-done id summary)
    std::string text{};
};

struct AgentOptions {
    std::string name = "agent"; ///< in traces and events
    std::string prompt{};       ///< a template (ptc/template.h) of the mission
    std::string signature{};    ///< "" is "() -> :any"
    std::string description{};
    std::vector<AgentTool> tools{};
    /// Families of tools that need no host: "grep" (grep and grep-n, lines of a text that match), "tool_search"
    /// (search_tools; prompts and requests do not list the other tools then, however many there are. Programs call what
    /// they found, and a model by the native tool call_tool). Agent::create adds them to `tools`, where a tool of the
    /// host's with the same name stands.
    std::vector<std::string> builtin_tools{};
    /// Agents (Agent::as_tool) that may take over. A call of one, alone in its round, ends the turn and with it this
    /// agent's work; one that fails before its first turn is a failed call. Agent::create adds them to `tools`.
    std::vector<AgentTool> handoffs{};
    /// More tools, which may change between the turns of a mission. Agent::create adds those that there are to `tools`,
    /// where a tool of the host's with the same name stands. A mission has, from its next turn on, those that there are
    /// then, and says in its conversation what is new, changed and gone: what it said before, and providers keep,
    /// stays. A checkpoint may be gone on with when they have changed; one that waits for a tool that is gone is
    /// refused.
    ToolFeed tool_feed{};
    std::vector<Tool> tool_catalog{}; ///< shown for planning, never callable
    /// Namespaces that its programs may use (ptc/prelude.h). The prompt lists the exports that are for prompts; the
    /// tools that they need must be among `tools`, for programs to call.
    std::vector<PreludeSource> preludes{};
    std::size_t max_turns = 5;   ///< 1: a judgment, whose program's value is the result without `return`
    std::size_t retry_turns = 0; ///< further turns when the last one returned what does not fit the signature
    std::chrono::milliseconds timeout{5000}; ///< of a program, host tools included, agents as tools not
    std::optional<std::chrono::milliseconds> mission_timeout{60'000};
    unsigned max_depth = 3;       ///< levels of agents below the root
    std::size_t turn_budget = 20; ///< turns of the agent and all that it calls; as `max_cost_usd` and `token_limit`,
                                  ///< its callers' hold as well, and what others beside it use up is not its own
    /// Bytes of definitions, compactly serialised. A program that defined more ends the mission. It only fails, and
    /// keeps nothing, where tools have to do with it: one that has too much before its first call of a tool ends there;
    /// what one defined that called tools becomes data of later turns (data/NAME), as the tools cannot be called again
    /// for nothing; what cannot be data is its value, as *1.
    std::optional<std::uint64_t> memory_limit{std::uint64_t{16} << 20};
    std::optional<std::size_t> max_tool_calls{}; ///< native calls
    ToolCacheLimits tool_cache{};                ///< of each run; an agent that is called has its own
    std::optional<std::size_t> max_consecutive_failures{};
    std::optional<double> max_cost_usd{};
    std::optional<std::int64_t> token_limit{};
    std::optional<unsigned> float_precision{}; ///< decimals that results keep
    PromptLimit prompt_limit{};
    SystemPrompt system_prompt{};
    Limits limits{}; ///< of a program; its `timeout` is the one above
    ValidationMode validation = ValidationMode::Enabled;
    RetryPolicy retry{};
    AgentOutput output = AgentOutput::PtcLisp;
    /// None: Content for programs, and for text no programs at all; with ToolCall, an agent of text may run programs,
    /// too.
    std::optional<Transport> transport{};
    /// Where programs come as native calls: only `return` and `fail` end the mission (requirement 121). Without it, so
    /// does a reply that is JSON and nothing else, where the result is no text; talk never does.
    bool only_return_ends = false;
    std::optional<Compaction> compaction{}; ///< none: the model always reads the whole conversation
    Datum llm_options{};                    ///< goes to the model with every request, as it is
    /// (task id expression) computes its expression once: what it gave is in the journal at once, also if the program
    /// fails behind it, and stands for it in later programs, and in later missions to which it is given
    /// (MissionOptions::tasks). So does what a branch of a pmap did, and what `return` gave inside of the expression;
    /// an expression that fails keeps nothing. Values come back as what they are (ptc::TaskJournal); what no Datum says
    /// is an error. The id is a text, or the text of a value: `:a` is another one than "a". At most 10,000 values of
    /// `memory_limit` bytes. Without it the expression is computed each time. An agent that is called begins without.
    bool journaling = false;
    /// Stands behind the prompt; what programs report of it, (step-done id summary), behind what they gave. It binds
    /// nobody.
    std::vector<PlanStep> plan{};
    std::vector<Guard> guards{}; ///< of this agent; agents that it calls have their own
    std::optional<ReasoningEffort> reasoning_effort{};
    /// Required and Tool hold for the first turn, so that the model can answer after it; where programs come by calls
    /// (Transport::ToolCall of AgentOutput::PtcLisp), for all turns.
    ToolChoice tool_choice{};
};

/// What happens in a mission, as it happens. Holds no firewalled values.
struct MissionEvent {
    enum class Kind : std::uint8_t {
        MissionStart,
        TurnStart,
        LlmReply,
        LlmRetry,
        Guard, ///< changed something (`ok`), or refused it
        ProgramStart,
        ToolStart,
        ToolCall,        ///< its answer is there
        ApprovalRequest, ///< a call waits for approval, or what a guard asks about
        ApprovalAnswer,  ///< `ok`: it is made; otherwise `message` says why it is not, or what is wrong with the answer
        PreviewFallback, ///< a custom preview could not be used; `reason` says why
        Compaction,      ///< turns were cut from the conversation; `text` is what the model reads instead
        TurnStop,
        MissionStop,
    };
    Kind kind;
    std::uint64_t run = 0;    ///< which of the mission's agents at work, from 1
    std::uint64_t parent = 0; ///< the run that called it; 0 for the root
    std::string agent;
    unsigned depth = 0;
    std::size_t turn = 0;
    bool ok = true;
    std::string reason{}; ///< when not ok
    std::string message{};
    /// MissionStart: the prompt as written; TurnStart: what the model reads for the first time; LlmReply: the
    /// reply; ProgramStart: the program.
    std::string text{};
    std::string reasoning{}; ///< of LlmReply: what the model showed of its reasoning
    std::string model{};     ///< of LlmReply: LlmReply::model; of LlmRetry: the model that failed, if known
    std::string system{};    ///< of an agent's first TurnStart: the system text
    std::string signature{}; ///< of MissionStart
    std::string tool{};      ///< of ToolStart, ToolCall and the approvals
    Datum arguments{};       ///< of these; of an ApprovalAnswer those that it gives
    std::uint32_t line = 0;  ///< of an ApprovalRequest: where in the program
    std::uint32_t column = 0;
    bool has_changed_arguments = false; ///< of an ApprovalAnswer
    std::string result{};               ///< of ToolCall and MissionStop, when ok: a preview
    bool is_cut = false;                ///< the preview does not show all of it
    Exposure layer = Exposure::PtcLisp; ///< of ToolStart and ToolCall: who called, Native or PtcLisp
    bool is_cached = false;
    bool is_handoff = false;      ///< of ToolStart and ToolCall: the agent takes over
    std::string guard{};          ///< of Guard: its name; `reason` is "change", "refuse" or "ask"
    std::string point{};          ///< of Guard: where, a name of guard_points.def; of approvals ApprovalRequest::point
    std::string cache_key_hash{}; ///< of a cached tool
    /// Of a ToolCall of a native call: the model has a preview, programs get all of it from the cache.
    bool is_full_result_cached = false;
    std::size_t retained_bytes = 0; ///< of a ToolCall of a cached tool: what the cache keeps (serialised as memory is)
    TokenUsage tokens{};            ///< of LlmReply and TurnStop: of the turn; of MissionStop: of all
    std::chrono::microseconds duration{0};
    const BoundaryWarnings* warnings = nullptr; ///< of TurnStop and MissionStop, while the callback runs
    const Turn* record = nullptr;               ///< of TurnStop: the turn, while the callback runs
    const MissionUsage* usage = nullptr;        ///< of MissionStop: of all, while the callback runs
};
std::string_view event_name(MissionEvent::Kind kind); ///< "mission_start", ..

/// Time and chance, for tests that do not wait. All but `sleep` is called on the thread that runs the mission.
struct MissionClock {
    SharedFunction<std::chrono::milliseconds()> now{}; ///< steady; the system's when empty
    /// Between retries, on the thread of the mission or, when other calls are under way, on one of the agent's.
    SharedFunction<void(std::chrono::milliseconds)> sleep{};
    SharedFunction<double()> random{}; ///< from 0 to 1
};

class Mission;

/// What a tool said of how far it is (ToolContext::report).
struct ToolProgress {
    std::uint64_t run = 0; ///< as in MissionEvent
    std::size_t turn = 0;
    std::string tool{};
    Datum state{}; ///< the tool's own words
};

/// A piece of a reply, as it arrives, and which of the mission's agents at work gets it.
struct MissionDelta {
    std::uint64_t run = 0; ///< as in MissionEvent, also the next ones
    std::uint64_t parent = 0;
    std::string_view agent{};
    unsigned depth = 0;
    std::size_t turn = 0;
    unsigned attempt = 1; ///< of the turn's call, as LlmRequest::attempt: another one shows its reply from the start
    /// The agent's answers are structured, so its texts are pieces of JSON: see ptc/partial_answer.h.
    bool is_answer = false;
    LlmDelta delta{};
};

/// What changes in the journal of a mission, when it does.
struct JournalChange {
    enum class Kind : std::uint8_t {
        Kept,      ///< a task is done, and came to `value`
        Forgotten, ///< (task-reset id)
        StepDone   ///< a step was reported, by a program that ended well: `value` is a text
    };
    Kind kind;
    std::string_view id;
    const Datum* value; ///< null of what is forgotten
};

/// One mission's inputs.
struct MissionOptions {
    /// Different for all missions of a host, for tools that must not do a thing twice (Tool::keyed_function).
    std::string id{};
    ModelRef model{};
    ModelRegistry registry{};
    /// A map: data/NAME. A name that programs cannot write becomes one that they can: `Total sales` is Total-sales.
    Datum context{};
    /// More names behind data/, imported once and shared by any number of missions, at the same time too: nothing of
    /// them is copied. Those of `context` hide them, earlier sets later ones. A checkpoint says which they are, by
    /// names and digests, and Agent::restore wants the same ones in the same order. They are this agent's; agents that
    /// it calls have their arguments.
    std::vector<std::shared_ptr<const DataSet>> data{};
    /// Types of the context, which is checked as by the agent's parameters; of a full signature, those of the result.
    std::string context_signature{};
    std::optional<Step>
        previous{};  ///< its result is the context, its signature the context's (requirements 137 to 139)
    Memory memory{}; ///< definitions to begin with: a map, or what Step::memory was
    /// Of an agent with a journal: what tasks came to before, as Step::tasks had it, or as the host says. A map of ids.
    Datum tasks{};
    /// Of one with a journal or a plan: what was reported before, as Step::done_steps had it. A map of ids and texts.
    Datum done_steps{};
    std::vector<Message> history{}; ///< before the prompt, as Step::messages gave it
    /// Names behind data/ of earlier missions, of which the history tells (Step::data_names). A program that reads one
    /// which this mission does not have fails before it runs (analysis_error), and its model reads what to do: it would
    /// find nil, as a function of an earlier mission does that reads it. Not so of parameters of the agent's signature.
    std::vector<std::string> former_data{};
    /// A message of a chat, which the model answers; the agent's prompt becomes its instructions, in the system text.
    std::string user_message{};
    /// Images and files that the model reads with the prompt, or with `user_message`. Programs do not see them, nor do
    /// agents that this one calls; one that takes over has the conversation with all of them.
    std::vector<Attachment> attachments{};
    std::optional<ValidationMode> validation{}; ///< else the agent's
    std::optional<RetryPolicy> retry{};         ///< else the agent's
    /// On the thread that runs the mission: that of Agent::run, or whichever calls the Mission. An exception is
    /// dropped.
    SharedFunction<void(const MissionEvent&)> on_event{};
    /// Each change of the journal, at once: of a task before the mission makes its next call. So what was done is known
    /// to a host whose process ends before the mission does. On a thread that runs a program, one at a time. Of this
    /// agent, not of those that it calls. A mission that goes on from a snapshot tells again what it did behind that.
    /// An error, of a host that cannot keep it, ends the program at its task, where nothing catches it; the mission
    /// goes on unless `is_interrupted` says otherwise. An exception is dropped.
    SharedFunction<Result<void>(const JournalChange&)> on_journal{};
    /// Decides about calls of tools that need approval, in Agent::run: called on the thread that runs the mission, one
    /// request after the other, when nothing else is under way. None given here, and every call is denied; none as the
    /// answer denies this one (a CheckpointFile keeps the mission waiting instead).
    Approver approve{};
    /// Replies as they arrive, on the threads that call models: several at once when agents work in parallel whose
    /// models have no loops, or while a tool has the thread of the mission (Tool::one_at_a_time). What a
    /// call showed that failed then is void; `on_event` has an LlmRetry before the next one begins again. An exception
    /// is dropped, here and of `on_delta`, and the call goes on: what is paid is not lost for it.
    TextSink on_text{};
    /// As `on_text`, of all agents of the mission: text, reasoning, arguments of tool calls. On the threads that call
    /// models: of agents that run in parallel, several at once.
    SharedFunction<void(const MissionDelta&)> on_delta{};
    MissionClock clock{};
    std::vector<Guard> guards{}; ///< of all agents of the mission, in front of their own; given again to Agent::restore
    std::any host_value{};       ///< the host's own for this mission, such as its user: tools that ask get it
    /// Called on the threads of tools, several at once. Nothing in it is hidden: a tool says what may be seen.
    SharedFunction<void(const ToolProgress&)> on_progress{};
    /// A stop that is requested interrupts the mission, and reaches tools under way (ToolContext::stop). Nothing is
    /// begun after it: no tool, also none that waits for a thread, and nothing that a reply asks for which arrives
    /// then.
    std::stop_token stop{};
    /// True: the mission ends soon with `interrupted`, as after a stop. Looked at between calls, and by models during
    /// one (LlmRequest::is_unwanted), on the threads that call them.
    SharedFunction<bool()> is_interrupted{};
};

/// Immutable and thread-safe; any number of missions may run at once, each isolated from the others.
class Agent : public std::enable_shared_from_this<Agent> {
public:
    /// invalid_request: options that are malformed or contradict each other, or a placeholder that is no parameter of
    /// the signature. reserved_tool_name: a tool called `return` or `fail`. invalid_prelude: the first mistake in
    /// `preludes`, or a tool that one of them needs and the agent does not have.
    static Result<AgentPtr> create(AgentOptions options);
    ~Agent();

    /// Runs a mission to its end on this thread. Models are called here, those with loops (ptc/model_loop.h) any number
    /// at once; other models that are asked in parallel, and tools of parallel branches, on threads of the agent. Never
    /// throws, never fails otherwise than by Step::fail.
    [[nodiscard]] Step run(MissionOptions options) const;
    [[nodiscard]] Step run(Llm llm, Datum context = {}) const;
    /// A mission that goes on from what Mission::save gave. `options` give the callables again: model, registry,
    /// events, clock; and `data`, of which the bytes have the digests: invalid_request says what of it is missing or
    /// different. The rest of them is in the bytes, and ignored. invalid_snapshot for bytes that were changed, or
    /// that another agent or version made, or whose attachments are not in `kept`: nothing in them is trusted.
    [[nodiscard]] Result<std::unique_ptr<Mission>> restore(std::string_view bytes, MissionOptions options,
                                                           const AttachmentBytes& kept = {}) const;
    /// Everything that can be known before a model is called: placeholders, context, names (requirement 242).
    [[nodiscard]] Step validate(const MissionOptions& options) const;

    /// This agent as a tool of another one: its signature is the tool's, its failure the tool's error.
    [[nodiscard]] AgentTool as_tool(std::string name, ModelRef model = {}) const;

    /// Who gave the result of a mission of this agent: itself, or the one that it handed over to, as that did. Null
    /// when the step was another agent's.
    [[nodiscard]] AgentPtr answering(const Step& step) const;

    [[nodiscard]] const AgentOptions& options() const;
    [[nodiscard]] const Signature& signature() const;

private:
    struct Impl;
    friend struct AgentAccess; ///< for the library's own files
    explicit Agent(std::unique_ptr<Impl> impl);
    Owned<Impl> impl_;
};

/// Makes an agent and runs its one mission; options that are wrong are a step that failed by `invalid_request`.
[[nodiscard]] Step delegate(std::string prompt, MissionOptions mission);
[[nodiscard]] Step delegate(std::string prompt, MissionOptions mission, AgentOptions options);

/// A tool from the options of an agent: with tools an agent of several turns, without a judgment (LlmTool).
Result<AgentTool> agent_tool(std::string name, AgentOptions options, ModelRef model = {});

} // namespace ptc
