// What an agent's program reports to its host, and asks of it: progress, journal, budget (spec 5.18 to 5.20, 9.5).
// Without a mission around it every question has an answer that says so.
#include "frontend/try.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/map.h"

namespace ptc {
namespace {

Result<Value> call_budget(Call& call, Args) {
    Value budget = PTC_TRY(call.host.budget(call.heap, call.shapes));
    return budget.is_nil() ? empty_map() : std::move(budget);
}

Result<Value> call_step_done(Call& call, Args args) {
    // Steps are numbered as often as named: a number stands for its text.
    PTC_CHECK(number_to_string_argument(call, args, 1));
    PTC_CHECK(number_to_string_argument(call, args, 2));
    const std::string_view id = PTC_TRY(text_argument(call, args, 1));
    const std::string_view summary = PTC_TRY(text_argument(call, args, 2));
    call.host.step_done(id, summary);
    return std::move(args[1]);
}

Result<Value> call_task_reset(Call& call, Args args) {
    PTC_CHECK(number_to_string_argument(call, args, 1));
    call.host.forget_task(PTC_TRY(text_argument(call, args, 1)));
    return Value();
}

// (task id expression) is (if (task-kept?% id) (task-value% id) (task-keep% id expression)), with a text for id.
Result<Value> call_task_is_kept(Call& call, Args args) {
    return Value::boolean(call.host.has_task(PTC_TRY(text_argument(call, args, 1))));
}

Result<Value> call_task_value(Call& call, Args args) {
    return call.host.task_value(call.heap, call.shapes, PTC_TRY(text_argument(call, args, 1)));
}

Result<Value> call_task_keep(Call& call, Args args) {
    const std::string_view id = PTC_TRY(text_argument(call, args, 1));
    std::unique_ptr<SaidTask> said = PTC_TRY(call.host.say_task(call.heap, id, args[1]));
    if (!said) return std::move(args[1]);
    Value seen = said->is_whole ? std::move(args[1]) : PTC_TRY(call.host.value_of(call.heap, *said));
    PTC_CHECK(call.host.keep_task(id, std::move(said)));
    return seen;
}

// (return v) inside of a task, which comes to v: the program has no other way to its end. Where a return is an error it
// comes to nothing.
Result<Value> call_task_return(Call& call, Args args) {
    const bool is_open = call.host.may_return() && !call.host.has_task(PTC_TRY(text_argument(call, args, 1)));
    return is_open ? call_task_keep(call, args) : std::move(args[1]);
}

constexpr const char* kNotInClojure = "Not in Clojure.";

constexpr Builtin kRows[] = {
    {.name = "budget/remaining",
     .usage = "(budget/remaining)",
     .doc = "What is left of the mission's budget, as a map; an empty one outside of a mission.",
     .example = {"(budget/remaining)", "{}"},
     .category = Category::Agent,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_budget,
     .effect = SideEffect::Mission,
     .differs = kNotInClojure},
    {.name = "step-done",
     .usage = "(step-done id summary)",
     .doc = "Reports that a step of the plan is done; gives the summary.",
     .example = {"(step-done \"1\" \"Fetched 3 rows\")", "\"Fetched 3 rows\""},
     .category = Category::Agent,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_step_done,
     .effect = SideEffect::Mission,
     .differs = kNotInClojure},
    {.name = "task-reset",
     .usage = "(task-reset id)",
     .doc = "Forgets what (task id ..) kept.",
     .example = {"(task-reset \"fetch\")", "nil"},
     .category = Category::Agent,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_task_reset,
     .effect = SideEffect::Mission,
     .differs = kNotInClojure},
    {.name = "task-kept?%",
     .usage = "(task-kept?% id)",
     .doc = "Whether the journal has a value of this task.",
     .example = {"(task \"fetch\" 1)", "1"},
     .category = Category::Internal,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_task_is_kept,
     .effect = SideEffect::Mission},
    {.name = "task-value%",
     .usage = "(task-value% id)",
     .doc = "The value of a task that the journal has.",
     .example = {"(task \"fetch\" 1)", "1"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_task_value,
     .effect = SideEffect::Mission},
    {.name = "task-keep%",
     .usage = "(task-keep% id value)",
     .doc = "Enters a task's value into the journal, and gives it.",
     .example = {"(task \"fetch\" 1)", "1"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_task_keep,
     .effect = SideEffect::Mission},
    {.name = "task-return%",
     .usage = "(task-return% id value)",
     .doc = "Enters the value with which a task ends its program into the journal, unless it has one, and gives it.",
     .example = {"(task \"fetch\" 1)", "1"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_task_return,
     .effect = SideEffect::Mission},
};

} // namespace

std::span<const Builtin> agent_builtins() { return kRows; }

} // namespace ptc
