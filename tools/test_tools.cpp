#include "tools/test_tools.h"

namespace ptc {
namespace {

Result<Datum> add(const Datum& arguments) {
    const Datum* x = arguments.find("x");
    const Datum* y = arguments.find("y");
    if (!x || !y) return Error(Reason::ToolError, "add needs x and y");
    const auto* i = x->get_if<std::int64_t>();
    const auto* j = y->get_if<std::int64_t>();
    std::int64_t sum = 0;
    if (i && j && !__builtin_add_overflow(*i, *j, &sum)) return Datum(sum);
    double a = 0;
    double b = 0;
    if (!x->to_double(&a) || !y->to_double(&b)) return Error(Reason::ToolError, "add needs numbers");
    return Datum(a + b);
}

Datum user(std::int64_t id, const char* name, std::int64_t age) {
    return Datum::object({{"id", id}, {"name", name}, {"age", age}});
}

} // namespace

std::vector<Tool> test_tools() {
    return {
        {"echo", "Returns its arguments.", "", [](const Datum& arguments) { return Result<Datum>(arguments); }},
        {"add", "Adds two numbers.", "(x :any, y :any) -> :any", add},
        {"boom", "Always fails.", "", [](const Datum&) { return Result<Datum>(Error(Reason::ToolError, "boom")); }},
        {"users", "Lists the users.", "() -> [{id :int, name :string, age :int}]",
         [](const Datum&) {
             return Result<Datum>(Datum::List{user(1, "Ann", 31), user(2, "Bo", 25)});
         }},
    };
}

} // namespace ptc
