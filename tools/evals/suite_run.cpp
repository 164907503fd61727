// Runs the cases of an evaluation. A run is a job: it makes its agent and models anew, runs or replays the mission, and
// grades it; judges are missions as well, recorded beside the one that they judge. Jobs write into places that were
// made before they began, so their order does not show.
#include "tools/evals/suite_run.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/agent/shared_data.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/thread_pool.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_recording.h"
#include "tools/agent/agent_setup.h"
#include "tools/agent/mcp_tools.h"
#include "tools/agent/script.h"
#include "tools/io.h"
#include "tools/members.h"
#include "tools/run_options.h"
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <ptc/recording.h>

namespace ptc {
namespace {

namespace fs = std::filesystem;

bool failed_by(const Step& step, MissionReason reason) { return step.fail && step.fail->reason == reason_name(reason); }

class SuiteRunner {
public:
    SuiteRunner(const EvalSuite& suite, const EvalRunOptions& options) : suite_(suite), options_(options) {}

    Result<std::vector<EvalCaseRuns>> run() {
        PTC_CHECK(prepare());
        std::vector<EvalCaseRuns> out;
        std::vector<std::pair<std::size_t, std::size_t>> jobs;
        for (const EvalCase& one : suite_.cases) {
            for (std::size_t run = 0; run < one.runs; ++run)
                jobs.emplace_back(out.size(), run);
            out.push_back({&one, std::vector<EvalRun>(one.runs)});
        }
        const std::size_t threads = std::min(options_.jobs, jobs.size());
        ThreadPool pool(static_cast<unsigned>(threads > 0 ? threads - 1 : 0)); // this thread works as well
        pool.run(jobs.size(), [&](std::size_t job) {
            EvalCaseRuns& runs = out[jobs[job].first];
            EvalRun& run = runs.runs[jobs[job].second];
            run.number = jobs[job].second + 1;
            if (options_.stop.stop_requested()) return;
            carry_out(*runs.of, run);
            run.was_run = !failed_by(run.step, MissionReason::Interrupted) &&
                          !(options_.stop.stop_requested() && !was_graded(run));
            if (!options_.on_run || !run.was_run) return;
            const std::scoped_lock lock(mutex_);
            options_.on_run(*runs.of, run);
        });
        return out;
    }

private:
    /// A judge that was stopped has said nothing.
    [[nodiscard]] static bool was_graded(const EvalRun& run) {
        return std::ranges::none_of(run.grades, &Grade::was_stopped);
    }
    // All that can be known to be wrong before a model is called.
    Result<void> prepare() {
        data_ = PTC_TRY(load_data(data_assignments()));
        std::vector<std::string> files = suite_.preludes;
        files.insert(files.end(), options_.agent.preludes.begin(), options_.agent.preludes.end());
        preludes_ = PTC_TRY(load_preludes(files));
        for (const std::string& folder : {options_.recordings, options_.traces}) {
            if (!folder.empty() && !options_.only_replays) PTC_CHECK(make_private_folder(folder));
        }
        for (const EvalCase& one : suite_.cases) {
            if (Result<void> fine = check(one); !fine.ok()) {
                fine.error().message = "The case `" + one.id + "`: " + fine.error().message;
                return fine;
            }
        }
        return {};
    }
    [[nodiscard]] std::vector<std::string> data_assignments() const {
        std::vector<std::string> all = suite_.data;
        all.insert(all.end(), options_.agent.data.begin(), options_.agent.data.end());
        return all;
    }
    [[nodiscard]] Result<void> check(const EvalCase& one) const {
        const AgentPtr agent = PTC_TRY(make_agent(one, options_.only_replays));
        for (std::size_t run = 1; options_.only_replays && run <= one.runs; ++run) {
            const std::string path = recording_path(one, run, "");
            if (!is_there(path)) return invalid_request("There is no recording " + path + ".");
        }
        if (options_.only_replays) return {};
        const Datum llm = model_of(one);
        PTC_CHECK(check_prices(arguments_of(llm), agent->options()));
        PTC_CHECK(void_of(make_mission(llm)));
        return check_judges(one, agent->options());
    }
    [[nodiscard]] Result<void> check_judges(const EvalCase& one, const AgentOptions& agent) const {
        for (const Grader& grader : one.graders) {
            if (!grader.judge_llm()) continue;
            const Datum llm = judge_model(one, *grader.judge_llm());
            Result<void> fine = check_prices(arguments_of(llm), agent);
            if (fine.ok()) fine = void_of(make_mission(llm));
            if (!fine.ok()) return invalid_request("The judge: " + fine.error().message);
        }
        return {};
    }
    [[nodiscard]] Datum judge_model(const EvalCase& one, const Datum& own) const {
        if (!options_.judge_llm.empty()) return Datum(options_.judge_llm);
        if (!own.is_nil()) return own;
        return one.judge_llm.is_nil() ? model_of(one) : one.judge_llm;
    }
    /// The command line goes before the files.
    [[nodiscard]] Datum model_of(const EvalCase& one) const {
        return options_.agent.llm.empty() ? one.llm : Datum(options_.agent.llm);
    }
    static Result<void> void_of(Result<MissionOptions> made) {
        if (!made.ok()) return made.take_error();
        return {};
    }

    [[nodiscard]] Result<AgentPtr> make_agent(const EvalCase& one, bool is_silent) const {
        const PartMakers makers = is_silent ? silent_parts() : command_line_parts(options_.agent.limits.timeout);
        const Datum row = PTC_TRY(with_mcp_tools(one.agent, options_.tools));
        AgentOptions agent = PTC_TRY(agent_options_of(row, preludes_, options_.agent.limits, makers));
        if (!is_silent) bind_mcp_tools(agent, options_.tools);
        return Agent::create(std::move(agent));
    }
    /// The command line as it would be for this model; a list of replies needs none.
    [[nodiscard]] AgentArguments arguments_of(const Datum& llm) const {
        AgentArguments arguments = options_.agent;
        arguments.data.clear();
        if (llm.text()) arguments.llm = *llm.text();
        return arguments;
    }
    [[nodiscard]] Result<MissionOptions> make_mission(const Datum& llm) const {
        AgentArguments arguments = arguments_of(llm);
        if (llm.list()) {
            MissionOptions mission = PTC_TRY(without_model(arguments));
            mission.model = ModelRef(scripted_llm(replies_of(*llm.list())));
            mission.retry = script_retry();
            return mission;
        }
        if (!llm.is_nil() && !llm.text()) return invalid_request("`llm` is a SPEC, or a list of replies.");
        if (arguments.llm.empty())
            return invalid_request("There is no model: neither --llm nor `llm` in the case or the suite.");
        GivenReplies given;
        return read_mission_options(arguments, given);
    }
    /// Those of --model.
    static Result<MissionOptions> without_model(AgentArguments& arguments) {
        arguments.llm = "script:/dev/null";
        GivenReplies given;
        return read_mission_options(arguments, given);
    }
    static Datum::List replies_of(const Datum::List& replies) {
        Datum::List out;
        for (const Datum& reply : replies)
            out.push_back(reply.text() ? Datum::object({{"text", reply}}) : reply);
        return out;
    }

    [[nodiscard]] std::string recording_path(const EvalCase& one, std::size_t run, const std::string& judge) const {
        if (options_.recordings.empty()) return "";
        return (fs::path(options_.recordings) / (one.id + "." + std::to_string(run) + judge + ".rec")).string();
    }

    /// A mission with a model, recorded or not, or from its recording.
    struct Carried {
        Step step;
        bool is_replayed = false;
    };
    /// `fill` gives the mission what it has beside its model.
    [[nodiscard]] Result<Carried> carry(const std::string& path, const Datum& llm,
                                        const std::function<Result<AgentPtr>(bool is_silent)>& agent,
                                        const std::function<void(MissionOptions&)>& fill) const {
        if (!path.empty() && is_there(path)) {
            const std::shared_ptr<const Recording> recording = PTC_TRY(Recording::open(path));
            if (recording->is_complete() || options_.only_replays) {
                MissionOptions mission = silent_mission(recording->note());
                fill(mission);
                mission.stop = options_.stop;
                Result<Step> step = recording->replay(PTC_TRY(agent(true)), std::move(mission));
                if (!step.ok()) return named(path, step.error());
                return Carried{std::move(step).value(), true};
            }
        }
        if (options_.only_replays) return invalid_request("There is no recording " + path + ".");
        MissionOptions mission = PTC_TRY(make_mission(llm));
        fill(mission);
        mission.stop = options_.stop;
        if (options_.approve) // one asks at a time, whatever runs beside it
            mission.approve = [this](const ApprovalRequest& request) {
                const std::scoped_lock lock(approve_mutex_);
                return options_.approve(request);
            };
        mission.is_interrupted = [stop = options_.stop] { return stop.stop_requested(); };
        const AgentPtr made = PTC_TRY(agent(false));
        if (path.empty()) return Carried{made->run(std::move(mission))};
        const Datum note = note_of(mission, llm);
        Step step = PTC_TRY(record_mission(made, std::move(mission), path, note));
        std::error_code ignored;
        if (failed_by(step, MissionReason::Interrupted) || failed_by(step, MissionReason::LlmError))
            fs::remove(path, ignored);
        return Carried{std::move(step)};
    }
    static Error named(const std::string& path, Error error) {
        error.message = path + " is of another mission (delete it to record anew): " + error.message;
        return error;
    }
    /// What a replay has to know of the models (silent_mission). The agent is the suite's, as are the data.
    [[nodiscard]] static Datum note_of(const MissionOptions& mission, const Datum& llm) {
        std::vector<std::string> models;
        for (const auto& [name, model] : mission.registry)
            models.push_back(name);
        const bool is_script = llm.list() || (llm.text() && llm.text()->starts_with("script:"));
        return Datum::object({{"ptc_eval", 1}, {"models", Datum::texts(models)}, {"is_script", is_script}});
    }

    void carry_out(const EvalCase& one, EvalRun& run) const {
        const Result<std::shared_ptr<const DataSet>> context = DataSet::from_json(one.context.to_json());
        if (!context.ok()) return fail(run, context.error());
        std::shared_ptr<TraceFile> trace;
        if (!options_.traces.empty()) {
            auto file = TraceFile::create(
                (fs::path(options_.traces) / (one.id + "." + std::to_string(run.number) + ".jsonl")).string());
            if (!file.ok()) return fail(run, file.error());
            trace = std::move(file).value();
        }
        Result<Carried> carried = carry(
            recording_path(one, run.number, ""), model_of(one),
            [&](bool is_silent) { return make_agent(one, is_silent); },
            [&](MissionOptions& mission) {
                mission.data = data_;
                mission.data.insert(mission.data.begin(), context.value()); // hides the suite's
                if (trace) mission.on_event = [&trace](const MissionEvent& event) { trace->write(event); };
            });
        if (!carried.ok()) return fail(run, carried.error());
        run.step = std::move(carried.value().step);
        run.is_replayed = carried.value().is_replayed;
        run.step.messages.clear();
        grade(one, run);
    }
    static void fail(EvalRun& run, const Error& error) { run.error = error.message; }

    void grade(const EvalCase& one, EvalRun& run) const {
        const std::string prompt = one.prompt();
        const Secrets secrets = secrets_of_run(one, run);
        const Result<AgentPtr> agent = make_agent(one, true);
        std::optional<double> dollars_left = agent.ok() ? agent.value()->options().max_cost_usd : std::nullopt;
        if (dollars_left) *dollars_left -= run.step.usage.tokens.cost_usd;
        const GradedMission mission{.step = run.step,
                                    .prompt = prompt,
                                    .context = one.context,
                                    .expected = one.expected,
                                    .secrets = secrets,
                                    .ask = [&](const AgentPtr& judge, const Datum& context, const Datum& llm,
                                               std::size_t number) -> Result<Step> {
                                        const AgentPtr bounded = PTC_TRY(within(judge, dollars_left));
                                        return ask_judge(one, run.number, bounded, context, llm, number);
                                    },
                                    .paid =
                                        [&](const TokenUsage& used) {
                                            if (dollars_left) *dollars_left -= used.cost_usd;
                                        }};
        if (!one.takes_failures()) run.grades.push_back(grade_of_end(run.step));
        for (const Grader& grader : one.graders)
            run.grades.push_back(grader.grade(mission));
        run.passed = std::ranges::all_of(run.grades, &Grade::passed);
        for (Grade& grade : run.grades)
            grade.note = without_secrets(secrets, grade.note);
        run.step.value = public_view(run.step.value, secrets);
        if (run.step.fail) run.step.fail->message = without_secrets(secrets, run.step.fail->message);
    }
    /// What a report must not tell, whatever name a program has given it.
    [[nodiscard]] Secrets secrets_of_run(const EvalCase& one, const EvalRun& run) const {
        Secrets secrets;
        for (const Datum* value : {&one.context, &one.expected, &run.step.value})
            learn_secrets(secrets, *value);
        for (const auto& set : data_)
            learn_secrets(secrets, *secrets_of(*set));
        if (run.step.memory.secrets) learn_secrets(secrets, *run.step.memory.secrets);
        return secrets;
    }
    /// The judge with what is left of the budget that it shares with its mission.
    static Result<AgentPtr> within(const AgentPtr& judge, std::optional<double> dollars_left) {
        if (!dollars_left) return judge;
        if (*dollars_left <= 0) return invalid_request("Nothing is left of `max_cost_usd` for the judge.");
        AgentOptions options = judge->options();
        options.max_cost_usd = dollars_left;
        return Agent::create(std::move(options));
    }
    [[nodiscard]] Result<Step> ask_judge(const EvalCase& one, std::size_t run, const AgentPtr& judge,
                                         const Datum& context, const Datum& llm, std::size_t number) const {
        Result<Carried> carried = carry(
            recording_path(one, run, ".judge-" + std::to_string(number)), judge_model(one, llm),
            [&](bool) { return Result<AgentPtr>(judge); }, [&](MissionOptions& mission) { mission.context = context; });
        if (!carried.ok()) return carried.take_error();
        return std::move(carried.value().step);
    }

    const EvalSuite& suite_;
    const EvalRunOptions& options_;
    std::vector<std::shared_ptr<const DataSet>> data_;
    std::vector<PreludeSource> preludes_;
    std::mutex mutex_; ///< of on_run
    mutable std::mutex approve_mutex_;
};

} // namespace

Result<std::vector<EvalCaseRuns>> run_suite(const EvalSuite& suite, const EvalRunOptions& options) {
    return SuiteRunner(suite, options).run();
}

} // namespace ptc
