// Sessions: one sandbox, and the runs in it one after the other. A run is started on the session's VM and driven until
// it ends or suspends at tool calls. Those that have a function are called here, several at once when branches wait for
// several; those without are handed to the host as Suspended, and the run goes on with its answers. Values cross the
// boundary in three places, each checked by a signature if there is one: arguments (take_arguments), tool results
// (take_result), the result of the run (check_result, which runs as the VM's gate, so that a result that is refused
// keeps nothing of what the program defined). What is made for the host (printed text, JSON, trees, records of calls)
// is charged to the run. Between runs the meter is empty: what a host does with a session is nobody's work.
#include "compiler/language/declarations.h"
#include "compiler/repair/repair.h"
#include "frontend/json_text.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "ptc/engine.h"
#include "runtime/exceptions.h"
#include "runtime/json.h"
#include "runtime/print.h"
#include "runtime/runtime_errors.h"
#include "runtime/string.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/boundary.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/run_facts.h"
#include "subagent/engine/session_snapshot.h"
#include "subagent/engine/session_state.h"
#include "subagent/engine/tool_calls.h"
#include "vm/vm.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <unordered_set>

namespace ptc {
namespace {

constexpr std::size_t kHistory = 3;
/// Bounds the search for a repair of what a run met: some milliseconds, in slices of work. It ends with the run's time,
/// but for the first slices: what the error of a program that a model writes says does not depend on the clock.
constexpr int kRepairSlices = 400, kUnhurriedSlices = 40;
/// So much of an error's message hosts get whatever the limit of results is.
constexpr std::size_t kMinMessageBytes = 4096;

/// Whether an edit of the program may mend it: not what the host has ended, or a program that needs more than it may
/// have. A loop without an end mostly shows as fuel that is used up; where its time is over first, nothing is left for
/// a search.
bool may_be_mended(Reason reason) {
    switch (reason) {
    case Reason::Timeout:
    case Reason::Interrupted:
    case Reason::MemoryExceeded:
    case Reason::LimitExceeded:
    case Reason::OutputExceeded:
    case Reason::ToolCallsExceeded: return false;
    default: return true;
    }
}

/// Why a program's call of a tool failed.
Error failed_call(const std::string& tool, const Error& why) {
    const bool is_denied = why.reason == Reason::ApprovalDenied;
    return tool_failure(is_denied ? Reason::ApprovalDenied : Reason::ToolError, tool, why.message);
}

/// A message as hosts get it: as JSON no longer than a result may be. Programs and tools fail with texts of any length.
std::string bounded_message(std::string message, std::size_t max_bytes) {
    constexpr std::size_t kMarkBytes = 48;
    const std::size_t most = std::max(max_bytes, kMinMessageBytes), size = message.size();
    if (json_prefix_size(message, most) == size) return message;
    message.resize(json_prefix_size(message, most - kMarkBytes));
    return message + "… (" + std::to_string(size) + " bytes in all)";
}

} // namespace

namespace {

/// As long as it lives, work in the heap is charged to `meter` (borrowed), and not to the run.
class MeterScope {
public:
    MeterScope(Heap& heap, Meter& meter) : heap_(heap), meter_(meter) { std::swap(heap_.meter, meter_); }
    ~MeterScope() { std::swap(heap_.meter, meter_); }
    MeterScope(const MeterScope&) = delete;
    MeterScope& operator=(const MeterScope&) = delete;

private:
    Heap& heap_;
    Meter& meter_;
};

} // namespace

struct Session::Impl : SessionState {
    explicit Impl(const Engine& e) : SessionState(e) {}

    /// What seems not to be meant in a program that has changed these names.
    [[nodiscard]] Diagnostics check(std::string_view source, const Limits& l, const std::vector<std::string>& changed,
                                    const RunOptions& run, std::span<const ToolRecord> calls) const {
        const BoundNames bound(vm.names);
        SessionNames names = names_of(vm.names, bound);
        const std::unordered_set<std::string_view> are_changed(changed.begin(), changed.end());
        for (auto* some : {&names.sequences, &names.by_need})
            std::erase_if(*some, [&](std::string_view name) { return are_changed.contains(name); });
        const NamesWithout others(bound, are_changed);
        names.bound = &others;
        return engine.check(source, names, l, run, calls);
    }

    /// `data_names`: of the run to come, empty when they are not known.
    /// `interrupt`: null, or what ends it.
    [[nodiscard]] Compiled compile(std::string_view source, std::string_view file_name, const Limits& l,
                                   const std::function<std::vector<std::string>()>& data_names = {},
                                   const std::atomic<bool>* interrupt = nullptr, bool is_repeatable = false) const {
        const BoundNames bound(vm.names);
        return engine.compile(source, file_name, names_of(vm.names, bound), false, l, data_names, interrupt,
                              is_repeatable);
    }

    std::vector<std::string> names_in(const std::vector<std::shared_ptr<const DataSet>>& sets) {
        std::vector<Value> roots;
        for (const auto& set : sets)
            roots.push_back(Value::adopt(impl_of(*set).root));
        Meter unlimited;
        const MeterScope scope(vm.heap, unlimited);
        return data_names(vm.heap, roots);
    }

    /// Adds a repair to the error of a run, while the run's data are still there.
    void suggest_repair(Error& error) {
        if (!error.has_span || !program || !may_be_mended(error.reason)) return;
        int slices = 0;
        const work::Scope scope([&slices, this] {
            ++slices;
            return slices <= kUnhurriedSlices || (slices <= kRepairSlices && has_time());
        });
        const BoundNames bound(vm.names);
        repair::Surroundings surroundings;
        surroundings.tools = engine.tools;
        surroundings.globals = &bound;
        surroundings.prelude = engine.known_prelude();
        {
            Meter unlimited; // looking at values is not the program's work
            const MeterScope meter(vm.heap, unlimited);
            surroundings.data_names = data_names(vm.heap, vm.data);
            surroundings.keys = known_keys(vm);
        }
        Limits unclocked = limits;
        unclocked.timeout = {};
        const Diagnostics known = check(program->source.text().substr(0, program->own_bytes), unclocked,
                                        vm.changed_names(), options, tool_calls);
        surroundings.warnings = known.all();
        repair::repair_run(program->source, engine.core, surroundings, error);
    }

    /// Of a run that is to be repeated it is not asked.
    [[nodiscard]] bool has_time() const {
        return options.is_repeatable || vm.heap.meter.time_left(engine.now()) > Meter::Clock::duration::zero();
    }

    /// Runs until the end or tools that only the host can answer.
    RunState drive(Status status) {
        while (status == Status::Suspended) {
            ask();
            suspended_at = engine.now();
            call_tools();
            Suspended waiting = waits_for();
            if (!waiting.calls.empty()) return waiting;
            status = deliver();
        }
        return finish(status);
    }

    [[nodiscard]] Suspended waits_for() const {
        Suspended waiting;
        for (const AskedTool& a : asked) {
            if (a.is_for_host()) waiting.calls.push_back(a.call);
        }
        return waiting;
    }

    /// What the run waits for becomes `asked`. Arguments that cannot be given to a tool fail their call, and nothing
    /// behind it is asked for.
    void ask() {
        asked.clear();
        for (std::size_t i = 0; i < vm.calls().size(); ++i) {
            const PendingCall& call = vm.calls()[i];
            AskedTool one{engine.find_tool(call.tool), {.name = std::string(call.tool), .arguments = {}}};
            Result<Datum> arguments = take_arguments(i, one);
            if (!arguments.ok()) return vm.answer(i, arguments.take_error());
            one.call.arguments = std::move(arguments).value();
            asked.push_back(std::move(one));
        }
    }

    /// The arguments of call `i`, checked and coerced by the tool's signature.
    Result<Datum> take_arguments(std::size_t i, AskedTool& one) {
        const PendingCall& call = vm.calls()[i];
        if (one.tool) {
            if (const Error* problem = engine.problem_of(*one.tool)) return *problem;
        }
        if (one.tool && one.tool->pass_input) return to_datum(*call.heap, *call.arguments, KeyStyle::Input);
        const CompiledSignature* signature = one.tool ? engine.signature_of(*one.tool) : nullptr;
        const bool keeps_keys = one.tool && one.tool->keeps_keys;
        if (!signature) return to_datum(*call.heap, *call.arguments, keeps_keys ? KeyStyle::Input : KeyStyle::Tool);
        Value arguments = call.arguments->copy();
        if (!one.tool->other_arguments.empty()) {
            const Datum given = PTC_TRY(to_datum(*call.heap, *call.arguments, KeyStyle::Input));
            if (const std::optional<Datum> named = with_written_names(*one.tool, *signature, given))
                arguments = PTC_TRY(from_datum(*call.heap, *named));
        }
        CheckedValue checked =
            PTC_TRY(check_value(runner_for(i), *signature, Direction::Input, std::move(arguments),
                                {.mode = mode_for(*one.tool), .keeps_keys = keeps_keys},
                                "The arguments of `" + one.tool->name + "` do not fit its signature"));
        if (checked.error) return std::move(*checked.error);
        one.warnings = std::move(checked.warnings);
        if (keeps_keys) return with_free_keys(*call.heap, checked.value, *signature, Direction::Input);
        return to_datum(*call.heap, checked.value, KeyStyle::Tool);
    }

    /// Of a result that a program cannot have: the tool has done what it does, and calling it again gives the same.
    static Error without_room(const std::string& tool, const Error& error) {
        if (error.reason != Reason::MemoryExceeded && error.reason != Reason::LimitExceeded) return error;
        return Error(error.reason, "The result of the tool " + quoted(tool) +
                                       " is too large for a program. The tool was called; the program has nothing of "
                                       "what it gave. " +
                                       error.message)
            .with_hint("Ask the tool for less: a part, a filter, fewer fields.");
    }

    /// The answer to call `i` as a value, checked by the tool's signature. It was JSON, or might have been.
    Result<Value> take_result(std::size_t i, AskedTool& one) {
        Value value = PTC_TRY(from_datum(*vm.calls()[i].heap, one.answer->value()));
        const CompiledSignature* signature = one.tool ? engine.signature_of(*one.tool) : nullptr;
        if (!signature) return value;
        CheckedValue checked =
            PTC_TRY(check_value(runner_for(i), *signature, Direction::Output, std::move(value),
                                {.mode = mode_for(*one.tool), .is_json_text = true},
                                "The result of the tool `" + one.tool->name + "` does not fit its signature"));
        if (checked.error) return std::move(*checked.error);
        std::ranges::move(checked.warnings, std::back_inserter(one.warnings));
        return std::move(checked.value);
    }

    [[nodiscard]] ValidationMode mode() const { return options.validation.value_or(engine.options.validation); }

    [[nodiscard]] ValidationMode mode_for(const Tool& tool) const { return tool.validation.value_or(mode()); }

    CheckRunner runner_for(std::size_t i) {
        return [this, i](const Program& validator, Value value, const CheckOptions& checks, CheckReport& report) {
            return vm.check_for_call(i, validator, std::move(value), checks, report);
        };
    }

    void call_tools() {
        std::vector<AskedTool*> together, alone;
        for (AskedTool& a : asked) {
            if (!a.is_for_host()) (a.tool->one_at_a_time ? alone : together).push_back(&a);
        }
        ToolContext context{.host_value = options.host_value, .stop = options.stop};
        if (limits.timeout.count() > 0) context.deadline = started + limits.timeout;
        const auto call = [&context](AskedTool& a) { a.answer = call_tool(*a.tool, a.call.arguments, context); };
        if (together.size() == 1)
            call(*together[0]);
        else
            engine.callers.run(together.size(), [&](std::size_t i) { call(*together[i]); });
        for (AskedTool* a : alone)
            call(*a);
    }

    /// Gives the run its answers and goes on. All of the calls were made, so all are on record.
    Status deliver() {
        const auto waited = engine.now() - suspended_at;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            ToolRecord& record =
                tool_calls.emplace_back(ToolRecord{asked[i].call.name, asked[i].call.arguments.to_json(), ""});
            Result<Datum>& answer = *asked[i].answer;
            if (answer.ok()) drop_attachments(answer);
            if (answer.ok()) record.result_json = answer.value().to_json();
            const bool has_room = charge_record(record);
            if (!vm.needs_answer(i)) continue;
            Result<Value> value = !has_room     ? Result<Value>(vm.heap.out_of_memory())
                                  : answer.ok() ? take_result(i, asked[i])
                                                : failed_call(record.name, answer.error());
            if (answer.ok() && !value.ok()) value = without_room(record.name, value.error());
            vm.answer(i, std::move(value));
            record.warnings = std::move(asked[i].warnings);
        }
        asked.clear();
        return vm.resume(waited);
    }

    /// There is no model here that could read them.
    static void drop_attachments(Result<Datum>& answer) {
        const Result<std::vector<Attachment>> taken = take_attachments(answer.value());
        if (!taken.ok()) answer = Error(Reason::ToolError, taken.error().message);
    }

    /// What the host gets to know of a tool call counts as the run's memory until it ends: thousands of calls with
    /// megabytes each would outgrow any limit. False when there is no room; the record is then cut to the tool's name.
    bool charge_record(ToolRecord& record) {
        const std::size_t bytes = bytes_of(record);
        if (vm.heap.charge_bytes(bytes)) {
            record_bytes += bytes;
            return true;
        }
        record.arguments_json = "null";
        record.result_json.clear();
        return false;
    }

    /// The host's answers, in the order of Suspended::calls.
    RunState answer(std::vector<ToolAnswer> answers) {
        std::size_t given = 0;
        for (AskedTool& a : asked) {
            if (!a.is_for_host()) continue;
            ToolAnswer answer = given < answers.size() ? std::move(answers[given++])
                                                       : Error(Reason::ToolError, "the host gave no answer");
            std::visit([&a](auto&& one) { a.answer = std::move(one); }, std::move(answer));
        }
        return drive(deliver());
    }

    /// Tools that only a host could answer fail.
    static Outcome finish_without_host(RunState state, Session& session) {
        while (auto* waiting = std::get_if<Suspended>(&state)) {
            std::vector<ToolAnswer> answers;
            for (const ToolCall& call : waiting->calls)
                answers.push_back(session.impl_->answer_without_host(call.name));
            state = session.resume(std::move(answers));
        }
        return std::move(std::get<Outcome>(state));
    }

    [[nodiscard]] Error answer_without_host(const std::string& name) const {
        const Tool* tool = engine.find_tool(name);
        if (tool && tool->approval) return Error(Reason::ApprovalDenied, "nobody is there who could approve it");
        return Error(Reason::ToolError, "no function is registered for `" + name + "`");
    }

    /// Of call `i` of those that the host is to answer.
    [[nodiscard]] std::optional<LineColumn> call_position(std::size_t i) const {
        std::size_t call = 0;
        for (; call < asked.size(); ++call) {
            if (asked[call].is_for_host() && i-- == 0) break;
        }
        if (call == asked.size() || !program) return std::nullopt;
        const Span span = vm.call_span(call);
        return span.begin == span.end ? std::nullopt : std::optional(program->source.position(span.begin));
    }

    /// What the run printed, called and used.
    void add_account(Outcome& outcome) {
        outcome.warnings = std::move(warnings);
        warnings.clear();
        outcome.is_result_refused = is_result_refused;
        outcome.prints = services.printed.finish();
        outcome.tool_calls = std::move(tool_calls);
        tool_calls.clear();
        outcome.result_warnings = std::move(result_warnings);
        result_warnings.clear();
        outcome.usage.fuel = vm.fuel_used();
        outcome.usage.peak_heap_bytes = vm.heap.peak_bytes();
        outcome.usage.duration =
            std::chrono::duration_cast<std::chrono::microseconds>(engine.now() - started - compiling_took);
    }

    Outcome finish(Status status) {
        if (status == Status::Error) {
            Error error = std::move(*vm.take_error());
            suggest_repair(error);
            return failed(std::move(error));
        }
        Value result = vm.take_result();
        Result<Outcome> made = outcome_of(status, result);
        const bool is_open = made.ok() && options.may_undo && status != Status::Failed;
        if (made.ok() && status != Status::Failed) remember_declarations();
        if (status != Status::Failed && !is_open) vm.settle(made.ok());
        if (is_open) hold_history();
        // A function is of the program, also one that captures nothing and so is no object.
        const bool is_kept = made.ok() && status == Status::Done && (result.is_object() || result.is_static_function());
        if (made.ok() && status == Status::Done) remember(std::move(result));
        result = Value(); // while the code and the data are there that it may be made of
        if (!made.ok()) return failed(std::move(made.error()));
        Outcome outcome = std::move(made).value();
        outcome.kind = status == Status::Done       ? Outcome::Kind::Ok
                       : status == Status::Returned ? Outcome::Kind::Return
                                                    : Outcome::Kind::Fail;
        add_account(outcome);
        outcome.changed_names = is_open ? vm.names.changed_names() : vm.changed_names();
        retain_code(is_kept || !outcome.changed_names.empty());
        end_run();
        return outcome;
    }

    /// They count as what the run has defined: undone with it, and saved. A full heap forgets them.
    void remember_declarations() {
        if (!program->declarations || *program->declarations == declarations_of(vm.names)) return;
        Meter unlimited;
        const MeterScope scope(vm.heap, unlimited);
        Result<Value> text = make_string(vm.heap, *program->declarations);
        if (text.ok()) vm.names.define(vm.names.intern(kDeclarationsName), std::move(text).value());
    }

    Outcome failed(Error error) {
        Outcome outcome;
        add_account(outcome);
        error.message = bounded_message(std::move(error.message), limits.max_result_bytes);
        set_error(outcome, std::move(error));
        end_run();
        return outcome;
    }

    /// Whether RunOptions::signature holds for the value of a run that ended so.
    [[nodiscard]] bool is_result(Status ended) const { return ended == Status::Returned || !options.only_returns; }

    /// The result in the forms that are wanted; one with a signature has the keys of the signature. The run
    /// pays for them too, and fails when it cannot.
    Result<Outcome> outcome_of(Status ended, const Value& result) {
        Outcome outcome;
        const bool normal_keys = is_result(ended) && (options.signature || options.only_returns);
        const std::size_t most_bytes = most_result_bytes(limits);
        outcome.value = PTC_TRY(print_result(vm.heap, result, most_bytes));
        if (options.want_json && !normal_keys) outcome.json = PTC_TRY(result_to_json(vm.heap, result, most_bytes));
        if (!options.want_datum && !(options.want_json && normal_keys)) return outcome;
        Datum tree = PTC_TRY(to_datum(vm.heap, result, normal_keys ? KeyStyle::Normal : KeyStyle::AsIs));
        if (options.want_json && normal_keys) {
            std::string json = tree.to_json();
            if (json.size() > most_bytes) return result_too_long("JSON", most_bytes);
            outcome.json = std::move(json);
        }
        if (options.want_datum) outcome.datum = std::move(tree);
        return outcome;
    }

    /// Checks the result of a run that ended well, before the session keeps what it defined.
    Result<Value> check_result(Status ended, Value result) {
        if (is_result(ended) && has_checks()) result = PTC_TRY(check_type(std::move(result)));
        if (!options.accept) return result;
        const bool normal_keys = is_result(ended) && (options.signature || options.only_returns);
        const Datum value = PTC_TRY(to_datum(vm.heap, result, normal_keys ? KeyStyle::Normal : KeyStyle::AsIs));
        Result<std::optional<Datum>> accepted = options.accept(is_result(ended), value);
        is_result_refused = !accepted.ok() && is_result(ended);
        if (!accepted.ok()) return accepted.take_error();
        if (!accepted.value()) return result;
        result = PTC_TRY(from_datum(vm.heap, *accepted.value()));
        return is_result(ended) && has_checks() ? check_type(std::move(result)) : std::move(result);
    }
    [[nodiscard]] bool has_checks() const { return options.signature && mode() != ValidationMode::Disabled; }

    Result<Value> check_type(Value result) {
        const CheckRunner run = [this](const Program& validator, Value value, const CheckOptions& checks,
                                       CheckReport& report) {
            return vm.check(validator, std::move(value), checks, report);
        };
        CheckedValue checked = PTC_TRY(check_value(run, *options.signature, Direction::Output, std::move(result),
                                                   {.mode = mode()}, "The result does not fit the signature"));
        is_result_refused = checked.error.has_value();
        if (checked.error) return std::move(*checked.error);
        result_warnings = std::move(checked.warnings);
        return std::move(checked.value);
    }

    /// Why nothing may run: preludes that are wrong; requirement 46: strictly, a tool without a signature.
    [[nodiscard]] std::optional<Error> refused() const {
        if (engine.refusal) return engine.refusal;
        if (mode() != ValidationMode::Strict) return std::nullopt;
        for (const Tool& tool : engine.options.tools) {
            if (engine.signature_of(tool)) continue;
            return Error(Reason::ValidationError,
                         "The tool `" + tool.name + "` has no signature, which strict validation needs.")
                .with_hint("Give it one, such as `(query :string) -> :any`.");
        }
        return std::nullopt;
    }

    void set_error(Outcome& outcome, Error error) const {
        outcome.kind = Outcome::Kind::Error;
        if (error.has_span && program) outcome.position = program->source.position(error.span.begin);
        outcome.error = std::move(error);
    }

    // What the session keeps may live in this program's constants and this run's data: results, what names stand for,
    // and what is in atoms. When these end with a run that is settled later, the code need not be there for them.
    void retain_code(bool has_kept_values) {
        if (!has_kept_values && !vm.names.has_changed_atoms()) return;
        if (std::find(programs.begin(), programs.end(), program) == programs.end()) {
            programs.push_back(program);
            if (!has_kept_values && is_unsettled) kept_for_atoms = program;
        }
        for (const auto& d : options.data) {
            if (std::find(data.begin(), data.end(), d) == data.end()) data.push_back(d);
        }
    }

    [[nodiscard]] bool has_atoms() const {
        for (std::uint32_t i = 0; i < vm.names.size(); ++i)
            if (vm.names.slot(i).name.starts_with(kAtomPrefix)) return true;
        return false;
    }

    void hold_history() {
        is_unsettled = true;
        for (const Value& former : vm.history)
            former_history.push_back(former.copy());
    }

    void remember(Value result) {
        vm.history.insert(vm.history.begin(), std::move(result));
        if (vm.history.size() > kHistory) vm.history.pop_back();
    }

    /// What died late may point into the code and data of its run.
    void retain_for_the_dying() {
        if (!vm.heap.has_put_aside()) {
            dying_programs.clear();
            dying_data.clear();
            return;
        }
        dying_programs.push_back(program);
        dying_data.insert(dying_data.end(), options.data.begin(), options.data.end());
    }

    void end_run() {
        retain_for_the_dying();
        vm.heap.meter = Meter(); // what the host does with the session between runs is not the last run's work
        viewing = Meter();
        viewing.start(kMaxViewing, Meter::Clock::time_point::max(), nullptr);
        viewing.join_scope();
        vm.heap.refund_bytes(std::exchange(record_bytes, 0));
        warnings.clear();
        is_result_refused = false;
        vm.gate = nullptr;
        vm.data.clear();
        vm.shapes.sweep(); // shapes may hold keys of the program and its data
        program.reset();
        options = {};
        interrupted.store(false, std::memory_order_relaxed);
    }

    void set_gate() {
        if (has_checks() || options.accept)
            vm.gate = [this](Status ended, Value result) { return check_result(ended, std::move(result)); };
    }

    /// From here on the last run is kept, settled or not.
    void keep_last() {
        is_unsettled = false;
        kept_for_atoms = nullptr;
        former_history.clear();
    }

    /// Gives back the newest names, as far as they are not bound. A run that is suspended has cached slots.
    void trim_names() {
        if (!program) vm.heap.refund_bytes(vm.names.trim());
    }

    /// `spent`: what compiling took of the run's time.
    RunState start(const ProgramPtr& p, const RunOptions& o, std::int64_t charged, Meter::Clock::duration spent = {}) {
        keep_last();
        program = p;
        options = o;
        limits = o.limits.value_or(engine.options.limits);
        services.start(limits.max_print_bytes, options);
        for (const auto& d : o.data)
            vm.data.push_back(Value::adopt(impl_of(*d).root));
        started = engine.now() - spent;
        compiling_took = spent;
        if (std::optional<Error> error = refused()) {
            Outcome outcome;
            set_error(outcome, std::move(*error));
            end_run();
            return outcome;
        }
        set_gate();
        const Meter::Clock::duration left = std::max(limits.timeout - spent, Meter::Clock::duration::zero());
        return drive(vm.start(*p, limits, &interrupted, charged, left));
    }
};

Session::Session(const Engine& engine) : impl_(std::make_unique<Impl>(engine)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Compiled Session::compile(std::string_view source, std::string_view file_name) const {
    return impl_->compile(source, file_name, impl_->engine.options.limits);
}

Outcome Session::run(std::string_view source, const RunOptions& options) {
    return impl_->finish_without_host(start(source, options), *this);
}

Outcome Session::run(const ProgramPtr& program, const RunOptions& options) {
    return impl_->finish_without_host(start(program, options), *this);
}

RunState Session::start(std::string_view source, const RunOptions& options) {
    const Limits limits = options.limits.value_or(impl_->engine.options.limits);
    const auto data_names = [&] { return impl_->names_in(options.data); };
    const auto began = impl_->engine.now();
    Compiled compiled =
        impl_->compile(source, "program", limits, data_names, &impl_->interrupted, options.is_repeatable);
    if (compiled) {
        impl_->warnings = compiled.diagnostics.all();
        return impl_->start(compiled.program, options, compiled.program->compile_cost, impl_->engine.now() - began);
    }
    Outcome outcome;
    outcome.kind = Outcome::Kind::Error;
    for (const Diagnostic& d : compiled.diagnostics.all()) {
        if (d.severity == Severity::Error && !outcome.error) outcome.error = d.error;
        outcome.diagnostics.push_back(d);
    }
    if (outcome.error->has_span) outcome.position = compiled.source.position(outcome.error->span.begin);
    if (outcome.error->reason == Reason::Interrupted) impl_->interrupted.store(false, std::memory_order_relaxed);
    return outcome;
}

std::vector<Diagnostic> Session::warnings(std::string_view source, const RunOptions& options) const {
    return warnings(source, options, Outcome());
}

std::vector<Diagnostic> Session::warnings(std::string_view source, const RunOptions& options,
                                          const Outcome& ran) const {
    const Limits limits = options.limits.value_or(impl_->engine.options.limits);
    Diagnostics found = impl_->check(source, limits, ran.changed_names, options, ran.tool_calls);
    found.change([](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Warning; });
    return found.all();
}

RunState Session::start(const ProgramPtr& program, const RunOptions& options) {
    return impl_->start(program, options, program->compile_cost);
}

RunState Session::resume(std::vector<ToolAnswer> answers) { return impl_->answer(std::move(answers)); }

RunState Session::resume(const Datum& result) { return resume(std::vector<ToolAnswer>{result}); }

RunState Session::resume_with_error(std::string_view message) {
    return resume(std::vector<ToolAnswer>{Error(Reason::ToolError, std::string(message))});
}

void Session::abandon() {
    impl_->vm.abandon();
    impl_->end_run();
}

void Session::settle(bool keep) {
    if (!std::exchange(impl_->is_unsettled, false)) return;
    if (keep && !impl_->has_atoms())
        impl_->vm.names.commit(); // the outcome has told which names they are
    else
        impl_->vm.settle(keep);
    const ProgramPtr for_atoms = std::exchange(impl_->kept_for_atoms, nullptr);
    if (for_atoms && !impl_->vm.names.has_changed_atoms()) std::erase(impl_->programs, for_atoms);
    if (!keep) impl_->vm.history = std::move(impl_->former_history);
    impl_->keep_last();
}

std::vector<std::string> Session::unsettled_names() const { return impl_->vm.names.changed_names(); }

Result<std::string> Session::save() const { return save({}); }

Result<std::string> Session::save(const std::vector<std::shared_ptr<const DataSet>>& given) const {
    return write_session(*impl_, given);
}

Result<std::string> Session::save_names() const {
    if (impl_->program) return Error(Reason::InvalidRequest, "A run is suspended.");
    const MeterScope scope(impl_->vm.heap, impl_->viewing);
    bool is_all_plain = true;
    for (std::uint32_t i = 0; i < impl_->vm.names.size() && is_all_plain; ++i) {
        const Namespace::Slot& slot = impl_->vm.names.slot(i);
        // What is known of tools' results alone is no reason to save all as the machine has it.
        const bool is_known_only = slot.name == kDeclarationsName && !declares_more(declarations_of(impl_->vm.names));
        is_all_plain = slot.value.is_hole() || is_known_only ||
                       (!slot.name.starts_with(kAtomPrefix) && is_plain(impl_->vm.heap, slot.value));
        if (work::is_over()) return Error(Reason::Timeout, "There was no time to look at all that is defined.");
    }
    if (is_all_plain) return std::string();
    std::vector<Value> history = std::exchange(impl_->vm.history, {});
    Result<std::string> bytes = write_session(*impl_, {});
    impl_->vm.history = std::move(history);
    return bytes;
}

Result<std::unique_ptr<Session>> Session::restore(const Engine& engine, std::string_view bytes,
                                                  const RunOptions& options) {
    auto session = std::make_unique<Session>(engine);
    Impl& impl = *session->impl_;
    PTC_CHECK(read_session(impl, bytes, options));
    if (impl.program) impl.set_gate();
    return session;
}

std::optional<Suspended> Session::waiting() const {
    if (!impl_->program) return std::nullopt;
    return impl_->waits_for();
}

std::optional<LineColumn> Session::call_position(std::size_t i) const { return impl_->call_position(i); }

void Session::interrupt() { impl_->interrupted.store(true, std::memory_order_relaxed); }

std::string Session::declarations() const { return std::string(declarations_of(impl_->vm.names)); }

std::vector<std::string> Session::names() const {
    std::vector<std::string_view> views = BoundNames(impl_->vm.names).all();
    std::ranges::sort(views); // before they are texts: there may be many
    return {views.begin(), views.end()};
}

std::optional<std::string> Session::value_text(std::string_view name, std::size_t max_bytes, bool* cut) const {
    const std::uint32_t slot = impl_->vm.names.find(name);
    if (slot == Namespace::kNone || impl_->vm.names.slot(slot).value.is_hole()) return std::nullopt;
    const MeterScope scope(impl_->vm.heap, impl_->viewing);
    return print_for_host(impl_->vm.heap, impl_->vm.names.slot(slot).value, max_bytes, cut);
}

Result<std::optional<Datum>> Session::value(std::string_view name) const {
    const std::uint32_t slot = impl_->vm.names.find(name);
    if (slot == Namespace::kNone || impl_->vm.names.slot(slot).value.is_hole()) return std::optional<Datum>();
    // The limits of the boundary bound it, and the work of all looks since the last run, not what that left of its
    // fuel.
    const MeterScope scope(impl_->vm.heap, impl_->viewing);
    Result<Datum> tree = to_datum(impl_->vm.heap, impl_->vm.names.slot(slot).value);
    if (!tree.ok() && tree.error().reason == Reason::FuelExhausted)
        return Error(Reason::LimitExceeded, quoted(name) + " is too much work to convert.")
            .with_hint("Define a summary of it. Long integers take most.");
    if (!tree.ok()) return tree.take_error();
    return std::optional<Datum>(std::move(tree).value());
}

Result<void> Session::define(std::string_view name, const Datum& value) {
    if (impl_->engine.prelude.protects(name)) {
        return Error(Reason::InvalidRequest,
                     quoted(name) + " lies in a namespace of a prelude, which is not a session's to define.");
    }
    Value v = PTC_TRY(from_datum(impl_->vm.heap, value));
    impl_->keep_last();
    const std::uint32_t slot = PTC_TRY(impl_->vm.make_slot(name));
    impl_->vm.names.begin();
    impl_->vm.names.define(slot, std::move(v));
    impl_->vm.names.commit();
    return {};
}

void Session::undefine(std::string_view name) {
    const std::uint32_t slot = impl_->vm.names.find(name);
    if (slot == Namespace::kNone) return;
    impl_->keep_last();
    impl_->vm.names.begin();
    impl_->vm.names.define(slot, Value::hole());
    impl_->vm.names.commit();
    impl_->trim_names();
}

Result<void> Session::push_history(const Datum& value) {
    Value made = PTC_TRY(from_datum(impl_->vm.heap, value));
    impl_->keep_last();
    impl_->remember(std::move(made));
    return {};
}

void Session::clear() {
    impl_->keep_last();
    impl_->vm.names.clear();
    impl_->trim_names();
    impl_->vm.history.clear();
    impl_->vm.heap.give_back_the_rest(); // which may point into these
    impl_->programs.clear();
    impl_->program_bytes.clear();
    impl_->data.clear();
    impl_->store.reset();
}

} // namespace ptc
