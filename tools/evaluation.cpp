#include "tools/evaluation.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

/// Null when the member is absent or null.
const Datum* member(const Datum& object, std::string_view name) {
    const Datum* found = object.find(name);
    return found && !found->is_nil() ? found : nullptr;
}

} // namespace

Result<Evaluation> read_evaluation(const Datum& object, const Limits& defaults) {
    Evaluation result;
    const Datum* source = member(object, "src");
    if (!source || !source->text()) return invalid_request("A request has the program's text in `src`.");
    result.source = *source->text();
    if (const Datum* context = member(object, "context")) {
        if (!context->map()) return invalid_request("`context` is an object: data/NAME reads its member NAME.");
        result.options.data.push_back(PTC_TRY(DataSet::from_json(context->to_json())));
    }
    if (const Datum* memory = member(object, "memory")) {
        if (!memory->map()) return invalid_request("`memory` is an object: its members are defined names.");
        result.memory = *memory->map();
    }
    if (const Datum* history = member(object, "history")) {
        if (!history->list()) return invalid_request("`history` is an array of earlier results, the oldest first.");
        result.history = *history->list();
    }
    Limits limits = defaults;
    if (const Datum* given = member(object, "limits")) PTC_CHECK(read_limits(*given, &limits));
    result.options.limits = limits;
    return result;
}

Result<void> give_memory(Session& session, const Evaluation& evaluation) {
    for (const auto& [name, value] : evaluation.memory)
        PTC_CHECK(session.define(*name.text(), value));
    return {};
}

Result<Outcome> evaluate(Session& session, const Evaluation& evaluation) {
    PTC_CHECK(give_memory(session, evaluation));
    for (const Datum& value : evaluation.history)
        PTC_CHECK(session.push_history(value));
    return session.run(evaluation.source, evaluation.options);
}

} // namespace ptc
