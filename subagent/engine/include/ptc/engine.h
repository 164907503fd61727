// Compiling and running programs. An Engine is what all threads share (tools, preludes, limits); a Session is one
// sandbox with a memory; a run ends in an Outcome, or waits for tools as Suspended. Errors of programs are values,
// never exceptions.
#pragma once
#include "ptc/data_set.h"
#include "ptc/datum.h"
#include "ptc/diagnostic.h"
#include "ptc/limits.h"
#include "ptc/owned.h"
#include "ptc/prelude.h"
#include "ptc/shared_function.h"
#include "ptc/signature.h"
#include "ptc/tool.h"
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptc {

class Program; ///< compiled code: immutable, shared by any number of sessions and threads
using ProgramPtr = std::shared_ptr<const Program>;

/// What compiling gave: a program, or diagnostics with at least one error. Warnings may be there either way.
struct Compiled {
    ProgramPtr program;
    Diagnostics diagnostics;
    Source source; ///< for rendering the diagnostics
    [[nodiscard]] explicit operator bool() const { return program != nullptr; }
};

/// What a run used.
struct Usage {
    std::int64_t fuel = 0;
    std::uint64_t peak_heap_bytes = 0; ///< beyond imported data
    std::chrono::microseconds duration{0};
};

/// How a run ended. Everything in it is independent of the session.
struct Outcome {
    enum class Kind : std::uint8_t {
        Ok,     ///< the last expression's value
        Return, ///< (return value)
        Fail,   ///< (fail value)
        Error,  ///< `error` says why
    };
    Kind kind = Kind::Ok;
    std::string value;               ///< as pr-str prints it; "" for Error
    std::optional<std::string> json; ///< when RunOptions::want_json and the value has a JSON form
    std::optional<Datum> datum;      ///< when RunOptions::want_datum
    std::optional<Error> error;
    std::optional<LineColumn> position;  ///< of the error in the program's text
    std::vector<Diagnostic> diagnostics; ///< all of them when the program did not compile
    std::vector<Diagnostic> warnings;    ///< of a program given as text that did (Compiled::diagnostics otherwise)
    std::vector<std::string> prints;
    std::vector<std::string> changed_names;
    std::vector<ToolRecord> tool_calls;
    bool is_result_refused = false;     ///< `error` is that the result does not fit RunOptions::signature
    std::vector<Fault> result_warnings; ///< of the result, against RunOptions::signature
    Usage usage;
    [[nodiscard]] bool ok() const { return kind == Kind::Ok || kind == Kind::Return; }
    [[nodiscard]] std::string_view kind_name() const;
};

/// A run that waits for tools whose Tool::function is empty, or that need approval: for one call, or, in a pmap or
/// pcalls, for those of all branches, in program order. They may be answered in any order and at the same time.
struct Suspended {
    std::vector<ToolCall> calls;
};
using RunState = std::variant<Outcome, Suspended>;

/// Milliseconds since 1970, for (System/currentTimeMillis), (Instant/now), (LocalDate/now) and (java.util.Date.): with
/// a clock of the host's a run depends on nothing but its program, its data and its tools. Called by one thread at a
/// time for a run: the one that runs the program, or one of its branches. When it throws, the last time that it gave
/// stands.
using Clock = SharedFunction<std::int64_t()>;

/// What (task id expression) keeps beyond its program, and (step-done id summary) tells. An agent has its own
/// (AgentOptions::journaling). Called on the threads that run the program, one at a time; must not throw.
///
/// A value of a program comes back from what is kept of it as what it is, dates included (as Datum::Opaque); a list as
/// a vector, a sorted map or set as another one. What no Datum says, such as a function, is an error of its `task`.
class TaskJournal {
public:
    virtual ~TaskJournal() = default;
    /// False: for steps alone, so that `task` computes its expression each time.
    [[nodiscard]] virtual bool keeps_tasks() const { return true; }
    /// The value under `id`, which stays until something is kept or forgotten; null for none.
    [[nodiscard]] virtual const Datum* find(std::string_view id) const = 0;
    /// Before the program calls another tool. An error is the program's, at its task; for tasks in branches, at the
    /// pmap or pcalls. What the program does behind it does not change what is kept.
    virtual Result<void> keep(std::string_view id, Datum value) = 0;
    virtual void forget(std::string_view id) = 0;
    virtual void step_done(std::string_view id, std::string_view summary) = 0;
};

struct RunOptions {
    std::vector<std::shared_ptr<const DataSet>> data{}; ///< data/NAME is looked up in order
    std::optional<Limits> limits{};                     ///< else the engine's
    bool want_json = false;
    bool want_datum = false;
    /// Called when a line is printed, on the thread that runs the program; Outcome::prints has it too.
    SharedFunction<void(std::string_view line)> on_print{};
    Clock clock_millis{}; ///< else the engine's
    /// What the result must be: one that does not fit makes the run fail with validation_error. With it, Outcome::json
    /// and Outcome::datum have text keys with underscores at every level.
    SignaturePtr signature{};
    /// True: only what (return v) gives is a result in this sense, with a signature or without; a last value is handed
    /// out as it is.
    bool only_returns = false;
    std::optional<ValidationMode> validation{}; ///< else the engine's
    /// What the host says of a value with which the program ended well, behind `signature` and before the session keeps
    /// anything: nothing, another value (one of (return v) must fit the signature, too), or an error, by which the run
    /// fails as if it had not fitted. `value` is as Outcome::datum has it; `is_result` as in `only_returns`.
    /// Called on the thread that runs or resumes the program, before that call returns.
    SharedFunction<Result<std::optional<Datum>>(bool is_result, const Datum& value)> accept{};
    /// What (budget/remaining) gives: a map. Called as `clock_millis` is.
    SharedFunction<Datum()> budget{};
    /// Borrowed until the run has ended. None: `task` computes its expression each time. What branches of pmap and
    /// pcalls keep is in it before any of them calls another tool, in program order, also of those that fail. Of two
    /// that do the same task at the same time, the second one gets an error in place of its call; of two without calls,
    /// what the first one has is kept. Steps that they report are dropped.
    TaskJournal* journal = nullptr;
    /// What a run that ends well has defined is not kept yet: Session::settle says whether it is.
    bool may_undo = false;
    /// What the program finds out of its tools is what they said when the engine was made, not what they say by now:
    /// the run can be repeated.
    bool is_repeatable = false;
    std::any host_value{};  ///< for tools that ask: ToolContext::host
    std::stop_token stop{}; ///< for tools that ask: ToolContext::stop. The program itself ends by Session::interrupt

    static const RunOptions& usual(); ///< of a run for which none are given
};

struct EngineOptions {
    std::vector<Tool> tools{};
    Limits limits{};
    /// Namespaces that every program may use. With a mistake in one of them, or a tool missing that an export needs, no
    /// program runs (Engine::problems).
    std::vector<PreludeSource> preludes{};
    ValidationMode validation = ValidationMode::Enabled; ///< of tools' arguments and results, and of runs' results
    bool warnings = true; ///< compiling looks for what is allowed and not meant as well; takes a third longer
    Clock clock_millis{}; ///< the system's when empty
    /// What (rand) and its kin begin with in every run; without one they fail, as runs could not be repeated.
    std::optional<std::uint64_t> seed{};
    /// Threads that the engine may start to run branches of pmap and pcalls, for all sessions together; the thread that
    /// runs the session works beside them. With 0 it does all of it. What programs give and cost does not depend on it.
    /// Default: one less than the machine has.
    std::optional<unsigned> threads{};
    /// The same for the tool calls that branches wait for: tools wait for others more than they work. With 0 they are
    /// made one after the other, in program order.
    unsigned tool_threads = 16;
};

class Session;

/// Immutable and thread-safe: one for a process is enough. Must outlive its sessions and programs.
class Engine {
public:
    Engine();
    explicit Engine(EngineOptions options);
    ~Engine();
    Engine(Engine&) = delete; // of no const Engine&, which `Engine engine({});` could mean as well
    Engine& operator=(const Engine&) = delete;

    /// `names`: of the session that will run it (Session::names). With `any_name` every name is accepted as one of
    /// them.
    [[nodiscard]] Compiled compile(std::string_view source, std::string_view file_name = "program",
                                   const std::vector<std::string>& names = {}, bool any_name = false) const;
    /// One program in a fresh sandbox that is gone afterwards. Tools without a function fail.
    [[nodiscard]] Outcome run(const ProgramPtr& program, const RunOptions& options = RunOptions::usual()) const;
    [[nodiscard]] Outcome run(std::string_view source, const RunOptions& options = RunOptions::usual()) const;

    /// Tools whose signature cannot be read, and why: their calls fail. And what is wrong with preludes
    /// (invalid_prelude; messages begin with the place, as in "crm.ptc:3:7: "): then each compilation and each run
    /// fails with the first one.
    [[nodiscard]] const std::vector<Error>& problems() const;

    /// What the preludes export, by name: for discovery by people, and for the prompts of models.
    [[nodiscard]] const std::vector<ExportedNamespace>& exports() const;

private:
    struct Impl;
    friend struct EngineAccess; ///< for the library's own files
    Owned<Impl> impl_;
};

/// A sandbox with memory: names defined by one run are there for the next, and *1 *2 *3 are the last results. A run
/// that fails changes nothing. Belongs to one thread at a time, except for `interrupt`.
class Session {
public:
    explicit Session(const Engine& engine);
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    [[nodiscard]] Compiled compile(std::string_view source, std::string_view file_name = "program") const;
    /// What the program seems not to mean, going by the session's names, the signatures of tools and all of the data:
    /// names and fields that are not there, for one. Nothing is run; each data set is looked through once, up to a
    /// million values. `ran`: how the program's own run ended, when it has run already: then what tools gave is known,
    /// too.
    [[nodiscard]] std::vector<Diagnostic> warnings(std::string_view source,
                                                   const RunOptions& options = RunOptions::usual()) const;
    [[nodiscard]] std::vector<Diagnostic> warnings(std::string_view source, const RunOptions& options,
                                                   const Outcome& ran) const;
    /// Runs to the end; tools are called on this thread, those of branches on several at once
    /// (EngineOptions::tool_threads).
    Outcome run(std::string_view source, const RunOptions& options = RunOptions::usual());
    Outcome run(const ProgramPtr& program, const RunOptions& options = RunOptions::usual());
    /// The same, but gives control back at tools that the host answers. Until then no other run can start.
    RunState start(const ProgramPtr& program, const RunOptions& options = RunOptions::usual());
    RunState start(std::string_view source, const RunOptions& options = RunOptions::usual());
    /// One answer for each of Suspended::calls, in their order; an error fails the call, and so does an answer that is
    /// missing. What a program does not catch ends the run, in branches the first of them.
    RunState resume(std::vector<ToolAnswer> answers);
    /// The same for one call.
    RunState resume(const Datum& result);
    RunState resume_with_error(std::string_view message);
    /// Drops a suspended run.
    void abandon();
    /// After a run with RunOptions::may_undo that ended well: keeps what it defined, or takes it back, and its value as
    /// *1 with it, as if it had failed. Whatever is done with the session instead keeps it.
    void settle(bool keep);
    /// The names that the suspended run has defined so far, or the one that is not settled.
    [[nodiscard]] std::vector<std::string> unsettled_names() const;
    /// What a suspended run waits for; none when there is no such run.
    [[nodiscard]] std::optional<Suspended> waiting() const;
    /// Where the program that is suspended makes call `i` of Suspended::calls, for those who decide about it.
    [[nodiscard]] std::optional<LineColumn> call_position(std::size_t i) const;

    /// The session as bytes, from which this process or another one goes on as if nothing had happened: names and their
    /// values, earlier results, and a suspended run with all that it has used and done. No tool is called and nothing
    /// is run again. Values that are found in data sets are referred to by their place: those of the suspended run, of
    /// a session between runs `data`. All others are in the bytes, as is the code that values and the run need. What
    /// hosts give as callables is not, nor are limits. Fails only for values that no session can have made
    /// (invalid_snapshot).
    [[nodiscard]] Result<std::string> save(const std::vector<std::shared_ptr<const DataSet>>& data) const;
    [[nodiscard]] Result<std::string> save() const;
    /// Only the session's names with their values, for `restore` (without data sets) into a session that begins with
    /// them. "" when `define` can give all of them again from what `value` says of them: when there are no functions,
    /// times and the like. Not while a run is suspended (invalid_request), nor behind the time of a mission (timeout).
    [[nodiscard]] Result<std::string> save_names() const;
    /// A session from what `save` gave. `engine` has the same preludes, and the tools that the run still needs.
    /// `options` are those of the suspended run, or those that the session's next runs will have: the same data sets in
    /// the same order; limits, of which the snapshot only knows what is used up; callables; the signature. The run's
    /// time goes on where it stood still. invalid_snapshot for bytes that were changed or come from another version:
    /// nothing in them is trusted, so they can neither crash the process nor exceed a limit. memory_exceeded when they
    /// need more than the limit of the heap, timeout when reading them takes longer than a run may.
    static Result<std::unique_ptr<Session>> restore(const Engine& engine, std::string_view bytes,
                                                    const RunOptions& options = RunOptions::usual());
    /// Ends a running program soon, or one that `run` or `start` compiles; from any thread. Applies to the current or
    /// the next run.
    void interrupt();

    /// Memory, as pr-str prints it.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The forms of its programs that later ones go on with (multimethods, protocols, aliases ..), and their
    /// definitions of what tools gave: a text, for what checks programs without the session.
    [[nodiscard]] std::string declarations() const;
    /// A text that would be longer than `max_bytes` is cut: it ends in "…", and `*cut` is set. One that is known to be
    /// much longer, as that of parts that are shared, ends after 64 KiB.
    [[nodiscard]] std::optional<std::string> value_text(std::string_view name, std::size_t max_bytes = SIZE_MAX,
                                                        bool* cut = nullptr) const;
    /// The same as a tree; limit_exceeded when it is too large for one (its functions are text).
    [[nodiscard]] Result<std::optional<Datum>> value(std::string_view name) const;
    /// Fails for a name in a namespace of a prelude.
    Result<void> define(std::string_view name, const Datum& value);
    /// From here on the name is not defined.
    void undefine(std::string_view name);
    /// Makes `value` the newest of *1 *2 *3.
    Result<void> push_history(const Datum& value);
    void clear();

private:
    struct Impl;
    Owned<Impl> impl_;
};

} // namespace ptc
