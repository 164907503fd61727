// Equality and order (spec 8.5). Any two values can be compared; numbers are equal by value here, while keys of maps
// and members of sets also go by type (equality.h). Comparing charges the meter without looking at it, so each function
// asks it at the end whether the fuel has lasted.
#include "frontend/try.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/ordering.h"
#include <cmath>

namespace ptc {
namespace {

bool all_equal(Heap& heap, Args args) {
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (!equivalent(heap, args[i - 1], args[i])) return false;
    }
    return true;
}

Result<Value> equals(Call& call, Args args) {
    bool answer = all_equal(call.heap, args);
    PTC_CHECK(charge(call, args.size())); // notices what the comparisons charged
    return Value::boolean(answer);
}

Result<Value> not_equals(Call& call, Args args) {
    bool answer = !all_equal(call.heap, args);
    PTC_CHECK(charge(call, args.size()));
    return Value::boolean(answer);
}

// DIV-30: any two values have an order. Adjacent pairs must hold.
Result<Value> chain(Call& call, Args args, Relation relation) {
    bool answer = true;
    for (std::size_t i = 1; i < args.size() && answer; ++i)
        answer = holds(call.heap, relation, args[i - 1], args[i]);
    PTC_CHECK(charge(call, args.size()));
    return Value::boolean(answer);
}

Result<Value> less(Call& call, Args args) { return chain(call, args, Relation::Less); }
Result<Value> less_equal(Call& call, Args args) { return chain(call, args, Relation::LessEqual); }
Result<Value> greater(Call& call, Args args) { return chain(call, args, Relation::Greater); }
Result<Value> greater_equal(Call& call, Args args) { return chain(call, args, Relation::GreaterEqual); }

bool is_nan(const Value& v) { return v.is_double() && std::isnan(v.as_double()); }

// NaN ties with everything, as in Clojure.
Result<Value> compare(Call& call, Args args) {
    if (is_nan(args[0]) || is_nan(args[1])) return Value::small_integer(0);
    int order = compare_values(call.heap, args[0], args[1]);
    PTC_CHECK(charge(call, 1));
    return Value::small_integer(order < 0 ? -1 : order > 0);
}

Result<Value> same_key_of_map(Call& call, Args args) {
    const bool same = equal(call.heap, args[0], args[1]);
    PTC_CHECK(charge(call, 1));
    return Value::boolean(same);
}

Result<Value> logical_not(Call&, Args args) { return Value::boolean(!args[0].is_truthy()); }
Bits boolean_at_once(Bits x) { return bits::is_truthy(x) ? bits::kTrue : bits::kFalse; }
Result<Value> boolean(Call&, Args args) { return Value::boolean(args[0].is_truthy()); }

constexpr const char* kNumbers = "Numbers are equal by value: 1 and 1.0 are. As map keys and set members they are two.";
constexpr const char* kAnyType =
    "Compares values of any types, also mixed ones: numbers come before nil, booleans, keywords, "
    "maps, vectors and strings. Keywords are ordered by their whole text: :a/b comes before :b.";

constexpr Builtin kRows[] = {
    {.name = "=",
     .usage = "(= x & more)",
     .doc = "Whether all arguments are equal.",
     .example = {"(= [1 2] [1 2])", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Equal},
     .model = BoundModel::Comparison,
     .instruction = Instruction::Equal,
     .written = {2, 255, 2},
     .call = equals,
     .differs = kNumbers},
    {.name = "==",
     .usage = "(== x & more)",
     .doc = "The same as =.",
     .example = {"(== 1 1.0)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Equal},
     .model = BoundModel::Comparison,
     .call = equals,
     .differs = "Takes values of any type.",
     .alias_of = "="},
    {.name = "not=",
     .usage = "(not= x & more)",
     .doc = "Whether not all arguments are equal.",
     .example = {"(not= 1 2)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Equal},
     .model = BoundModel::Comparison,
     .instruction = Instruction::NotEqual,
     .call = not_equals,
     .differs = kNumbers},
    {.name = "<",
     .usage = "(< x & more)",
     .doc = "Whether each argument is less than the next. nil is greater than every number: (or x 0) gives it a value.",
     .example = {"(< 1 2 3)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Comparison,
     .instruction = Instruction::Less,
     .written = {2, 255, 2},
     .call = less,
     .traits = traits::kCompares,
     .differs = kAnyType},
    {.name = "<=",
     .usage = "(<= x & more)",
     .doc =
         "Whether no argument is greater than the next. nil is greater than every number: (or x 0) gives it a value.",
     .example = {"(<= 1 1 2)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Comparison,
     .instruction = Instruction::LessOrEqual,
     .written = {2, 255, 2},
     .call = less_equal,
     .traits = traits::kCompares,
     .differs = kAnyType},
    {.name = ">",
     .usage = "(> x & more)",
     .doc =
         "Whether each argument is greater than the next. nil is greater than every number: (or x 0) gives it a value.",
     .example = {"(> 3 2 1)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Comparison,
     .instruction = Instruction::Greater,
     .written = {2, 255, 2},
     .call = greater,
     .traits = traits::kCompares,
     .differs = kAnyType},
    {.name = ">=",
     .usage = "(>= x & more)",
     .doc = "Whether no argument is less than the next. nil is greater than every number: (or x 0) gives it a value.",
     .example = {"(>= 3 3 1)", "true"},
     .work = Work::Inside,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Comparison,
     .instruction = Instruction::GreaterOrEqual,
     .written = {2, 255, 2},
     .call = greater_equal,
     .traits = traits::kCompares,
     .differs = kAnyType},
    {.name = "compare",
     .usage = "(compare x y)",
     .doc = "-1 when x comes before y, 1 when after, 0 when neither.",
     .example = {"(compare \"a\" \"b\")", "-1"},
     .work = Work::Inside,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Ordering,
     .call = compare,
     .differs = kAnyType},
    {.name = "not",
     .usage = "(not x)",
     .doc = "true for nil and false, else false.",
     .example = {"(not nil)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::Not,
     .call = logical_not},
    {.name = "boolean",
     .usage = "(boolean x)",
     .doc = "false for nil and false, else true.",
     .example = {"(boolean 0)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = boolean,
     .at_once = boolean_at_once},
    {.name = "same-key%",
     .usage = "(same-key% x y)",
     .doc = "Whether a map would take them for one key: as =, but 1 is not 1.0.",
     .example = {"(into [] (dedupe) [1 1 1.0])", "[1 1.0]"},
     .category = Category::Internal,
     .work = Work::Inside,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = same_key_of_map},
};

} // namespace

std::span<const Builtin> comparison_builtins() { return kRows; }

} // namespace ptc
