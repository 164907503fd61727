// A request of `eval --batch` becomes a fresh session with the request's memory and history, is run, and its outcome
// becomes a JSON line. Values that share their parts can be small in memory and endless in print, so the answer's
// memory has a limit, and a run whose memory breaks it, or is not written in the time that the run left, is answered as
// if it had failed.
#include "tools/eval_batch.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "subagent/engine/convert.h"
#include "tools/evaluation.h"
#include "tools/outcome_json.h"
#include "tools/request_reading.h"

namespace ptc {
namespace {

/// `source` is what the error's positions refer to.
std::string answer_json(std::string_view id, const Outcome& outcome, const Source& source, std::string_view memory) {
    JsonObject json;
    json.raw("id", id);
    add_outcome(json, outcome, source, memory);
    return json.finish();
}

/// An answer without a run.
std::string refusal(std::string_view id, Error error, const Source& source = {}, std::string_view memory = "{}") {
    Outcome outcome;
    outcome.kind = Outcome::Kind::Error;
    outcome.error = std::move(error);
    return answer_json(id, outcome, source, memory);
}

/// What the session has defined. Fails when the texts are longer than `max_bytes` together: values that share their
/// parts can be small in memory and endless in print.
Result<std::string> memory_json(const Session& session, std::size_t max_bytes) {
    const std::size_t limit = max_bytes;
    JsonObject json;
    for (const std::string& name : session.names()) {
        bool cut = false;
        const std::optional<std::string> text = session.value_text(name, max_bytes, &cut);
        if (!text) continue;
        if (cut) {
            Error error =
                work::is_over()
                    ? Error(Reason::Timeout, "With `" + name + "`, the memory's text took longer than there " +
                                                 "was time behind the program.")
                    : Error(Reason::LimitExceeded, "With `" + name +
                                                       "`, the memory's text is longer than the limit of " +
                                                       std::to_string(limit) + " bytes, or too much work.");
            return std::move(error).with_hint("Define a summary of it: the first items, or their number.");
        }
        max_bytes -= text->size();
        json.raw(name, json_text_in_time(*text));
    }
    return json.finish();
}

/// What compiling, running and what has followed since `began` left of a request's time; 0 for none.
std::chrono::milliseconds time_left(const Limits& limits, Meter::Clock::time_point began) {
    using std::chrono::milliseconds;
    return std::max(milliseconds(0), limits.timeout - std::chrono::ceil<milliseconds>(Meter::Clock::now() - began));
}

/// For the answer's text: always some, as a run may use up all of it.
ImportLimits time_for_answer(const Limits& limits, Meter::Clock::time_point began) {
    if (limits.timeout.count() <= 0) return {};
    const std::chrono::milliseconds least = std::max(std::chrono::milliseconds(20), limits.timeout / 10);
    return {.timeout = std::max(least, time_left(limits, began))};
}

/// What the program seems not to mean, as far as there is time to look for it.
std::vector<Diagnostic> warnings_of(const Session& session, const Evaluation& evaluation, const Outcome& outcome,
                                    Meter::Clock::time_point began) {
    RunOptions options = evaluation.options;
    if (options.limits->timeout.count() > 0) {
        options.limits->timeout = time_left(*options.limits, began);
        if (options.limits->timeout.count() == 0) return {};
    }
    return session.warnings(evaluation.source, options, outcome);
}

/// Fails when the memory cannot be written, or not all of it in time.
Result<std::string> answer_of(const Session& session, std::string_view id, const Evaluation& evaluation,
                              const Outcome& outcome, Meter::Clock::time_point began) {
    const Limits& limits = *evaluation.options.limits;
    const ImportScope writing(time_for_answer(limits, began));
    const std::string memory = PTC_TRY(memory_json(session, most_result_bytes(limits)));
    std::string answer = answer_json(id, outcome, Source("program", evaluation.source), memory);
    if (!work::is_over()) return answer;
    return Error(Reason::Timeout, "Writing the answer took longer than there was time behind the program.")
        .with_hint("Give a summary: the first items, or their number.");
}

/// The answer when a run cannot be told of: as if the run had failed, with the memory from before it.
std::string discarded_run(const Engine& engine, std::string_view id, const Evaluation& evaluation, Error error) {
    Session before(engine);
    const Result<void> restored = give_memory(before, evaluation);
    Result<std::string> memory = memory_json(before, kMaxLineBytes);
    return refusal(id, std::move(error), {}, restored.ok() && memory.ok() ? memory.value() : "{}");
}

Result<Evaluation> read_request(const Datum& request, const Limits& defaults) {
    if (!request.map())
        return Error(Reason::InvalidRequest, "A request is a JSON object with the members `id` and `src`.");
    Evaluation evaluation = PTC_TRY(read_evaluation(request, defaults));
    evaluation.options.want_json = true;
    if (const Datum* signature = request.find("signature"); signature && !signature->is_nil()) {
        if (!signature->text()) return Error(Reason::InvalidRequest, "`signature` is a text.");
        Result<SignaturePtr> compiled = compile_signature(*signature->text());
        if (!compiled.ok()) {
            return Error(Reason::InvalidRequest, "`signature` cannot be read: " + compiled.error().message)
                .with_hint(compiled.error().hint);
        }
        evaluation.options.signature = std::move(compiled).value();
    }
    return evaluation;
}

} // namespace

std::string answer_request(const Engine& engine, const Limits& defaults, const InputLine& line) {
    if (line.too_long) {
        return refusal("null", Error(Reason::InvalidRequest, "Line " + std::to_string(line.number) +
                                                                 " is longer than the limit of " +
                                                                 std::to_string(kMaxLineBytes) + " bytes."));
    }
    std::optional<ImportScope> reading(request_reading(line.text.size()));
    const Result<Datum> request = Datum::from_json(line.text);
    if (!request.ok()) return refusal("null", request.error(), Source("request", std::string(line.text)));
    const Datum* id = request.value().find("id");
    const std::string id_json = id ? id->to_json() : "null";
    Result<Evaluation> evaluation = read_request(request.value(), defaults);
    reading.reset();
    if (!evaluation.ok()) return refusal(id_json, evaluation.error());
    Session session(engine);
    const auto began = Meter::Clock::now();
    Result<Outcome> outcome = evaluate(session, evaluation.value());
    if (!outcome.ok()) return refusal(id_json, outcome.error());
    if (outcome.value().ok())
        outcome.value().warnings = warnings_of(session, evaluation.value(), outcome.value(), began);
    Result<std::string> answer = answer_of(session, id_json, evaluation.value(), outcome.value(), began);
    return answer.ok() ? std::move(answer).value()
                       : discarded_run(engine, id_json, evaluation.value(), std::move(answer.error()));
}

} // namespace ptc
