// The graders. kGraders is the table: a row of it makes, of what stands in a case, a function that grades missions, and
// finds what is wrong with it before any model is called. Values are compared as JSON says them, since that is how
// cases are written: 12 is 12.0, a keyword is its name. Whatever a grader says is for reports, so firewalled values are
// hidden in it, also below other names; graders themselves see everything, but for judges, whose models are others'.
#include "tools/evals/grader.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/firewall.h"
#include "subagent/engine/closed_data.h"
#include "subagent/engine/invalid_request.h"
#include "tools/members.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace ptc {
namespace {

constexpr std::size_t kMostNote = 500; ///< bytes

std::string note_text(const Datum& value) { return quoted_excerpt(public_view(value).to_json(), kMostNote); }

/// As a case would say it.
Datum as_json(const Datum& value) {
    Result<Datum> json = Datum::from_json(value.to_json());
    return json.ok() ? std::move(json).value() : value;
}

std::string expected_but_got(const std::string& path, const Datum& expected, const Datum& actual) {
    return (path.empty() ? "" : path + ": ") + "expected " + note_text(expected) + ", got " + note_text(actual);
}

/// The first place where two values from JSON part; "" when they are the same. Both nest as deep as JSON may.
std::string difference(const Datum& expected, const Datum& actual, double tolerance, const std::string& path = "") {
    const auto here = [&] { return expected_but_got(path, expected, actual); };
    double a = 0, b = 0;
    const bool has_float = expected.get_if<double>() || actual.get_if<double>();
    if ((has_float || tolerance > 0) && expected.to_double(&a) && actual.to_double(&b))
        return expected == actual || std::abs(a - b) <= tolerance ? "" : here();
    if (expected.list() && actual.list()) {
        if (expected.list()->size() != actual.list()->size()) return here();
        for (std::size_t i = 0; i < expected.list()->size(); ++i) {
            std::string found =
                difference((*expected.list())[i], (*actual.list())[i], tolerance, path + "[" + std::to_string(i) + "]");
            if (!found.empty()) return found;
        }
        return "";
    }
    if (!expected.map() || !actual.map()) return expected == actual ? "" : here();
    for (const auto& [key, value] : *expected.map()) {
        const Datum* other = actual.find(*key.text());
        if (!other) return here();
        std::string found = difference(value, *other, tolerance, path + (path.empty() ? "" : ".") + *key.text());
        if (!found.empty()) return found;
    }
    return expected.map()->size() == actual.map()->size() ? "" : here();
}

/// What a row of a case gives, for one kind.
struct GraderRow {
    const Datum& value; ///< of the member that says the kind
    const Datum& row;
    std::size_t number;
};

Grade failed(std::string note) { return Grade{.grader = {}, .passed = false, .note = std::move(note)}; }
Grade passed(std::string note = {}) { return Grade{.grader = {}, .passed = true, .note = std::move(note)}; }

Result<Grader::Grading> exact(const GraderRow& given) {
    double tolerance = 0;
    const Datum* most = given.row.find("tolerance");
    if (most && (!most->to_double(&tolerance) || tolerance < 0))
        return invalid_request("`tolerance` is a number that is not negative.");
    return Grader::Grading([expected = given.value, tolerance](const GradedMission& mission) {
        const Datum actual = as_json(mission.step.value);
        if (difference(expected, actual, tolerance).empty()) return passed();
        const std::string shown = difference(public_view(expected), public_view(actual), tolerance);
        return failed(shown.empty() ? "a firewalled value is another one" : shown);
    });
}

Result<Grader::Grading> signature(const GraderRow& given) {
    if (!given.value.text()) return invalid_request("`signature` is a text.");
    const SignaturePtr compiled = PTC_TRY(compile_signature(*given.value.text()));
    return Grader::Grading([compiled](const GradedMission& mission) {
        const Result<Validation> checked = validate(*compiled, Direction::Output, mission.step.value);
        if (!checked.ok()) return failed(checked.error().message);
        if (checked.value().ok) return passed();
        return failed(without_firewalled_faults(validation_errors_text(checked.value().errors)));
    });
}

/// true, false, or a map with `pass` and perhaps `note`.
Grade grade_of_value(const Datum& value) {
    const Datum* verdict = value.map() ? value.find("pass") : &value;
    if (!verdict || !verdict->get_if<bool>())
        return failed("The program gives true or false, or a map with `pass`, not " + note_text(value) + ".");
    Grade grade{.grader = {}, .passed = is_true(verdict), .note = text_of(value, "note")};
    return grade;
}

/// One engine for all programs that grade: it has no tools.
const Engine& grading_engine() {
    static const Engine engine;
    return engine;
}

Result<Grader::Grading> program(const GraderRow& given) {
    if (!given.value.text()) return invalid_request("`program` is a text.");
    Compiled compiled = grading_engine().compile(*given.value.text(), "grader");
    if (!compiled)
        return invalid_request("The program of a grader: " + compiled.diagnostics.all().front().error.message);
    constexpr std::array<std::string_view, 4> kNames = {"result", "expected", "context", "step"};
    PTC_CHECK(check_data_names(*compiled.program, kNames));
    return Grader::Grading([program = compiled.program](const GradedMission& mission) {
        const auto data = DataSet::from_datum(Datum::object({{"result", mission.step.value},
                                                             {"expected", mission.expected},
                                                             {"context", mission.context},
                                                             {"step", step_facts(mission.step)}}));
        if (!data.ok()) return failed(data.error().message);
        RunOptions options{.data = {data.value()}, .want_datum = true};
        const Outcome outcome = grading_engine().run(program, options);
        if (outcome.ok() && outcome.datum) return grade_of_value(*outcome.datum);
        return failed("The program of the grader failed: " + (outcome.error ? outcome.error->message : outcome.value));
    });
}

Result<Grader::Grading> judge(const GraderRow& given) {
    if (!given.value.text())
        return invalid_request("`judge` is a text: a template with {{result}}, {{expected}}, {{task}}, ..");
    AgentOptions options{.name = "judge",
                         .prompt = *given.value.text(),
                         .signature = "(task :string, context :string, result :string, expected :string) -> "
                                      "{pass :bool, note :string}",
                         .max_turns = 1,
                         .retry_turns = 1};
    options.output = AgentOutput::Text;
    const AgentPtr agent = PTC_TRY(Agent::create(std::move(options)));
    const Datum* llm = given.row.find("llm");
    return Grader::Grading(
        [agent, llm = llm ? *llm : Datum(), number = given.number](const GradedMission& mission) -> Grade {
            const Result<Step> said = mission.ask(agent,
                                                  Datum::object({{"task", mission.prompt},
                                                                 {"context", mission.shown(mission.context)},
                                                                 {"result", mission.shown(mission.step.value)},
                                                                 {"expected", mission.shown(mission.expected)}}),
                                                  llm, number);
            if (!said.ok()) return failed(said.error().message);
            Grade grade = failed("");
            grade.tokens = said.value().usage.tokens;
            if (mission.paid) mission.paid(grade.tokens);
            if (!said.value().ok) {
                grade.note = "The judge failed: " + said.value().fail->message;
                grade.was_stopped = said.value().fail->reason == reason_name(MissionReason::Interrupted);
                return grade;
            }
            grade.passed = is_true(said.value().value.find("pass"));
            grade.note = text_of(said.value().value, "note");
            return grade;
        });
}

Result<Grader::Grading> fails(const GraderRow& given) {
    if (!given.value.text()) return invalid_request("`fails` is a text: the reason, or `any`.");
    return Grader::Grading([reason = *given.value.text()](const GradedMission& mission) {
        if (mission.step.ok) return failed("expected the failure `" + reason + "`, got a result");
        if (reason == "any" || mission.step.fail->reason == reason) return passed();
        return failed("expected the failure `" + reason + "`, got `" + mission.step.fail->reason + "`");
    });
}

struct GraderKind {
    std::string_view name;
    Result<Grader::Grading> (*make)(const GraderRow& given);
    bool takes_failures = false;
};

constexpr GraderKind kGraders[] = {
    {"exact", exact}, {"signature", signature}, {"program", program}, {"judge", judge}, {"fails", fails, true},
};
constexpr std::string_view kOtherMembers[] = {"name", "tolerance", "llm"};

} // namespace

Result<Grader> Grader::create(const Datum& row, std::size_t number) {
    if (!row.map()) return invalid_request("A grader is a map such as {\"exact\": VALUE}.");
    std::vector<std::string_view> known;
    const GraderKind* kind = nullptr;
    for (const GraderKind& one : kGraders) {
        known.push_back(one.name);
        if (!row.find(one.name)) continue;
        if (kind)
            return invalid_request("A grader has one kind, not `" + std::string(kind->name) + "` and `" +
                                   std::string(one.name) + "`.");
        kind = &one;
    }
    std::ranges::copy(kOtherMembers, std::back_inserter(known));
    PTC_CHECK(check_members(row, known, "a grader"));
    if (!kind) return invalid_request("A grader has one of the members exact, signature, program, judge, fails.");
    Grader grader;
    grader.name_ = row.find("name") ? text_of(row, "name") : std::string(kind->name);
    grader.takes_failures_ = kind->takes_failures;
    const Datum* llm = row.find("llm");
    if (kind->make == judge) grader.judge_llm_ = llm ? *llm : Datum();
    grader.grading_ = PTC_TRY(kind->make({*row.find(kind->name), row, number}));
    return grader;
}

Grade Grader::grade(const GradedMission& mission) const {
    Grade grade;
    if (mission.step.ok || takes_failures_)
        grade = grading_(mission);
    else
        grade.note = "there is no result";
    grade.grader = name_;
    return grade;
}

std::string GradedMission::shown(const Datum& value) const { return public_view(value, secrets).to_json(); }

Grade grade_of_end(const Step& step) {
    if (step.ok) return Grade{.grader = "end", .passed = true};
    return Grade{.grader = "end", .passed = false, .note = step.fail->reason + ": " + step.fail->message};
}

Datum step_facts(const Step& step) {
    Datum::List calls;
    for (const Turn& turn : step.trace) {
        for (const ToolUse& use : turn.tool_calls) {
            std::vector<std::pair<std::string, Datum>> call = {{"name", use.name}, {"arguments", use.arguments}};
            if (!use.error.empty()) call.emplace_back("error", use.error);
            calls.push_back(Datum::object(std::move(call)));
        }
    }
    const MissionUsage& usage = step.usage;
    std::vector<std::pair<std::string, Datum>> facts = {{"ok", step.ok},
                                                        {"turns", static_cast<std::int64_t>(usage.turns)},
                                                        {"llm_calls", static_cast<std::int64_t>(usage.llm_calls)},
                                                        {"tool_calls", std::move(calls)},
                                                        {"input_tokens", usage.tokens.input},
                                                        {"output_tokens", usage.tokens.output},
                                                        {"cost_usd", usage.tokens.cost_usd}};
    if (step.ok) facts.emplace_back("result", step.value);
    if (step.fail) {
        facts.emplace_back("reason", step.fail->reason);
        facts.emplace_back("message", step.fail->message);
    }
    return Datum::object(std::move(facts));
}

} // namespace ptc
