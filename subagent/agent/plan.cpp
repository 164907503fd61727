#include "ptc/plan.h"
#include "frontend/try.h"
#include "ptc/signature.h"
#include "subagent/engine/invalid_request.h"

namespace ptc {
namespace {

constexpr std::int64_t kFormat = 1;

} // namespace

Result<std::string> plan_json(const Step& step) {
    if (!step.ok)
        return invalid_request("A step that failed is no plan" + (step.fail ? ": " + step.fail->message : "."));
    return Datum::object({{"ptc_plan", kFormat}, {"signature", step.signature}, {"value", step.value}}).to_json();
}

Result<Step> read_plan(std::string_view json) {
    Result<Datum> read = Datum::from_json(json);
    if (!read.ok()) return invalid_request("The text is no plan: " + read.error().message);
    const Datum plan = std::move(read).value();
    const Datum* format = plan.find("ptc_plan");
    const Datum* signature = plan.find("signature");
    const Datum* value = plan.find("value");
    std::int64_t version = 0;
    if (!format || !format->to_int64(&version) || version != kFormat || !signature || !signature->text() || !value)
        return invalid_request("The text is no plan: a map of `ptc_plan`, `signature` and `value`.");
    const Result<SignaturePtr> compiled = compile_signature(*signature->text());
    if (!compiled.ok()) return invalid_request("The signature of the plan cannot be read: " + compiled.error().message);
    Validation checked = PTC_TRY(validate(*compiled.value(), Direction::Output, *value, {.is_json_text = true}));
    if (!checked.ok)
        return Error(Reason::ValidationError, "The plan does not fit its signature.\n" +
                                                  validation_errors_text(checked.errors, checked.more_errors));
    Step step;
    step.ok = true;
    step.value = std::move(checked.data);
    step.signature = *signature->text();
    step.memory = Datum(Datum::Map());
    return step;
}

} // namespace ptc
