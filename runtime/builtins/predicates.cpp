// Questions about one value (spec 8.7, 8.8). They never fail: what is no number is not zero, either (DIV-31). A
// question is a function of a Value that `ask` makes a builtin of. Clojure's types that do not exist here have
// predicates as well, which are always false.
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/function.h"
#include "runtime/number.h"
#include "runtime/qualified_name.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <cmath>

namespace ptc {
namespace {

using Test = bool (*)(const Value&);
template <Test test> Result<Value> ask(Call&, Args args) { return Value::boolean(test(args[0])); }

bool is_nil(const Value& v) { return v.is_nil(); }
bool is_some(const Value& v) { return !v.is_nil(); }
bool is_true(const Value& v) { return v.is_true(); }
bool is_false(const Value& v) { return v.is_boolean() && !v.is_true(); }
bool is_boolean(const Value& v) { return v.is_boolean(); }
bool is_number(const Value& v) { return v.is_number(); }
bool is_integer(const Value& v) { return v.is_integer(); }
bool is_double(const Value& v) { return v.is_double(); }
bool is_string(const Value& v) { return v.is_string(); }
bool is_keyword(const Value& v) { return v.is_keyword(); }
bool is_vector(const Value& v) { return v.is_vector(); }
bool is_map(const Value& v) { return v.is_map(); }
bool is_set(const Value& v) { return v.is_set(); }
bool is_collection(const Value& v) { return v.is_collection(); }
bool is_function(const Value& v) { return v.is_function(); }
bool is_any_seqable(const Value& v) { return is_seqable(v); }
bool never(const Value&) { return false; }
bool is_entry(const Value& v) {
    if (!v.is(ObjectType::Vector)) return false;
    const auto& vector = *static_cast<const VectorObject*>(v.object());
    return (vector.flags & VectorObject::kIsEntry) != 0 && vector.length == 2;
}

// A character is a string of one grapheme (spec 3.5).
Result<Value> is_character(Call& call, Args args) {
    return Value::boolean(args[0].is_string() && is_one_grapheme(call.heap, args[0]));
}
bool is_associative(const Value& v) { return v.is_map() || v.is_vector(); }
bool is_callable(const Value& v) { return v.is_function() || v.is_keyword() || v.is_collection(); }

bool is_nan(const Value& v) { return v.is_double() && std::isnan(v.as_double()); }
bool is_infinite(const Value& v) { return v.is_double() && std::isinf(v.as_double()); }
bool is_natural(const Value& v) { return v.is_integer() && !is_negative(v); }
bool is_positive_integer(const Value& v) { return v.is_integer() && is_positive_number(v); }
bool is_negative_integer(const Value& v) { return v.is_integer() && is_negative(v); }

bool has_namespace(const Value& v) { return namespace_end_of_name(text_of(v)) != std::string_view::npos; }
bool is_identifier(const Value& v) { return v.is_keyword() || v.is(ObjectType::Symbol); }
bool is_qualified_keyword(const Value& v) { return v.is_keyword() && has_namespace(v); }
bool is_simple_keyword(const Value& v) { return v.is_keyword() && !has_namespace(v); }
bool is_qualified_identifier(const Value& v) { return is_identifier(v) && has_namespace(v); }
bool is_simple_identifier(const Value& v) { return is_identifier(v) && !has_namespace(v); }

const char* type_keyword(const Value& v) {
    if (v.is_boolean()) return "boolean";
    if (v.is_number()) return "number";
    if (v.is_string()) return "string";
    if (v.is_keyword()) return "keyword";
    if (v.is_vector()) return "vector";
    if (v.is_map()) return "map";
    if (v.is_set()) return "set";
    if (v.is_function()) return "function";
    switch (v.type()) {
    case ObjectType::Regex: return "regex";
    case ObjectType::Var: return "var";
    case ObjectType::Symbol: return "symbol";
    case ObjectType::LocalDate: return "date";
    case ObjectType::Instant: return "datetime";
    case ObjectType::Duration: return "duration";
    case ObjectType::Period: return "period";
    case ObjectType::LocalDateTime:
    case ObjectType::ZonedDateTime: return "datetime";
    case ObjectType::LocalTime: return "time";
    case ObjectType::YearMonth: return "month";
    case ObjectType::TimeConstant: return "constant";
    default: return "unknown";
    }
}

Result<Value> type(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    return make_keyword(call.heap, type_keyword(args[0]));
}

constexpr const char* kNoError = "false, and no error, for what is not a number.";
constexpr const char* kNoSuchType = "There is no such type here, so the answer is always false.";

/// 1: a function of runtime/core that gives an item and the rest; 2: a lazy-seq; 3: a delay; 4: an atom; 0: anything
/// else.
Result<Value> lazy_kind(Call&, Args args) {
    return Value::small_integer(static_cast<std::int64_t>(need_kind(args[0])));
}
bool is_whole(const Value& v) { return need_kind(v) == NeedKind::None; }

constexpr Builtin kRows[] = {
    {.name = "lazy-kind%",
     .usage = "(lazy-kind% x)",
     .doc = "Whether a value is a sequence that is computed by need.",
     .example = {"(take 2 (lazy-seq [1 2 3]))", "[1 2]"},
     .category = Category::Internal,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = lazy_kind},
    {.name = "whole?%",
     .usage = "(whole?% x)",
     .doc = "Whether a value is all there: no sequence by need, delay or atom.",
     .example = {"(take 2 (lazy-seq [1 2 3]))", "[1 2]"},
     .category = Category::Internal,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsWhole,
     .call = ask<is_whole>},
    {.name = "nil?",
     .usage = "(nil? x)",
     .doc = "Whether x is nil.",
     .example = {"(nil? nil)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsNil,
     .call = ask<is_nil>},
    {.name = "some?",
     .usage = "(some? x)",
     .doc = "Whether x is not nil.",
     .example = {"(some? false)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsSome,
     .call = ask<is_some>},
    {.name = "true?",
     .usage = "(true? x)",
     .doc = "Whether x is true itself.",
     .example = {"(true? 1)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsTrue,
     .call = ask<is_true>},
    {.name = "false?",
     .usage = "(false? x)",
     .doc = "Whether x is false itself.",
     .example = {"(false? nil)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsFalse,
     .call = ask<is_false>},
    {.name = "boolean?",
     .usage = "(boolean? x)",
     .doc = "Whether x is true or false.",
     .example = {"(boolean? false)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_boolean>},
    {.name = "number?",
     .usage = "(number? x)",
     .doc = "Whether x is a number; NaN and the infinities are.",
     .example = {"(number? 1.5)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsNumber,
     .call = ask<is_number>},
    {.name = "int?",
     .usage = "(int? x)",
     .doc = "Whether x is an integer of any size.",
     .example = {"(int? 5.0)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_integer>},
    {.name = "integer?",
     .usage = "(integer? x)",
     .doc = "Whether x is an integer of any size.",
     .example = {"(integer? 5)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_integer>,
     .alias_of = "int?"},
    {.name = "rational?",
     .usage = "(rational? x)",
     .doc = "Whether x is an integer.",
     .example = {"(rational? 0.5)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_integer>,
     .differs = "There are no ratios and no decimals; only integers are rational."},
    {.name = "float?",
     .usage = "(float? x)",
     .doc = "Whether x is a double.",
     .example = {"(float? 1.0)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_double>},
    {.name = "double?",
     .usage = "(double? x)",
     .doc = "Whether x is a double.",
     .example = {"(double? 1)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_double>,
     .alias_of = "float?"},
    {.name = "nat-int?",
     .usage = "(nat-int? x)",
     .doc = "Whether x is an integer and not negative.",
     .example = {"(nat-int? 0)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_natural>},
    {.name = "pos-int?",
     .usage = "(pos-int? x)",
     .doc = "Whether x is an integer above 0.",
     .example = {"(pos-int? 0)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_positive_integer>},
    {.name = "neg-int?",
     .usage = "(neg-int? x)",
     .doc = "Whether x is an integer below 0.",
     .example = {"(neg-int? -1)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_negative_integer>},
    {.name = "zero?",
     .usage = "(zero? x)",
     .doc = "Whether x is 0.",
     .example = {"(zero? 0.0)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsZero,
     .call = ask<is_zero_number>,
     .traits = traits::kComputes,
     .differs = kNoError},
    {.name = "pos?",
     .usage = "(pos? x)",
     .doc = "Whether x is above 0.",
     .example = {"(pos? 3)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsPositive,
     .call = ask<is_positive_number>,
     .traits = traits::kComputes,
     .differs = kNoError},
    {.name = "neg?",
     .usage = "(neg? x)",
     .doc = "Whether x is below 0.",
     .example = {"(neg? 3)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsNegative,
     .call = ask<is_negative_number>,
     .traits = traits::kComputes,
     .differs = kNoError},
    {.name = "even?",
     .usage = "(even? x)",
     .doc = "Whether x is a multiple of 2.",
     .example = {"(even? 4)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsEven,
     .call = ask<is_even_number>,
     .traits = traits::kComputes,
     .differs = "Doubles without fraction count too; false for what is not a number."},
    {.name = "odd?",
     .usage = "(odd? x)",
     .doc = "Whether x is whole and not a multiple of 2.",
     .example = {"(odd? 4)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsOdd,
     .call = ask<is_odd_number>,
     .traits = traits::kComputes,
     .differs = "Doubles without fraction count too; false for what is not a number."},
    {.name = "NaN?",
     .usage = "(NaN? x)",
     .doc = "Whether x is the double that is not a number.",
     .example = {"(NaN? ##NaN)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_nan>,
     .differs = kNoError},
    {.name = "infinite?",
     .usage = "(infinite? x)",
     .doc = "Whether x is one of the two infinities.",
     .example = {"(infinite? ##-Inf)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_infinite>,
     .differs = kNoError},
    {.name = "string?",
     .usage = "(string? x)",
     .doc = "Whether x is a string.",
     .example = {"(string? \"\")", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsString,
     .call = ask<is_string>},
    {.name = "char?",
     .usage = "(char? x)",
     .doc = "Whether x is a string of one character.",
     .example = {"(char? \\a)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = is_character,
     .differs = "A character is a string of length one."},
    {.name = "keyword?",
     .usage = "(keyword? x)",
     .doc = "Whether x is a keyword.",
     .example = {"(keyword? :a)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsKeyword,
     .call = ask<is_keyword>},
    {.name = "vector?",
     .usage = "(vector? x)",
     .doc = "Whether x is a vector, as every sequence is.",
     .example = {"(vector? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsVector,
     .call = ask<is_vector>},
    {.name = "map?",
     .usage = "(map? x)",
     .doc = "Whether x is a map.",
     .example = {"(map? {:a 1})", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsMap,
     .call = ask<is_map>},
    {.name = "set?",
     .usage = "(set? x)",
     .doc = "Whether x is a set.",
     .example = {"(set? #{1})", "true"},
     .category = Category::Set,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsSet,
     .call = ask<is_set>},
    {.name = "coll?",
     .usage = "(coll? x)",
     .doc = "Whether x is a vector, map or set.",
     .example = {"(coll? \"ab\")", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_collection>},
    {.name = "sequential?",
     .usage = "(sequential? x)",
     .doc = "Whether x is a vector.",
     .example = {"(sequential? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_vector>},
    {.name = "seq?",
     .usage = "(seq? x)",
     .doc = "Whether x is a vector: what seq, map and filter give is one.",
     .example = {"(seq? (seq \"ab\"))", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_vector>,
     .differs = "There is one sequence type, the vector."},
    {.name = "seqable?",
     .usage = "(seqable? x)",
     .doc = "Whether x can be read element by element: collections, strings, nil.",
     .example = {"(seqable? \"ab\")", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_any_seqable>},
    {.name = "associative?",
     .usage = "(associative? x)",
     .doc = "Whether x takes assoc: maps and vectors.",
     .example = {"(associative? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_associative>},
    {.name = "counted?",
     .usage = "(counted? x)",
     .doc = "Whether x is a collection, whose count is known.",
     .example = {"(counted? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_collection>},
    {.name = "indexed?",
     .usage = "(indexed? x)",
     .doc = "Whether x is a vector.",
     .example = {"(indexed? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_vector>},
    {.name = "reversible?",
     .usage = "(reversible? x)",
     .doc = "Whether x is a vector.",
     .example = {"(reversible? [1])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_vector>},
    {.name = "fn?",
     .usage = "(fn? x)",
     .doc = "Whether x is a function.",
     .example = {"(fn? inc)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_function>},
    {.name = "ifn?",
     .usage = "(ifn? x)",
     .doc = "Whether x can be called: functions, keywords, vectors, maps and sets.",
     .example = {"(ifn? :a)", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_callable>},
    {.name = "qualified-keyword?",
     .usage = "(qualified-keyword? x)",
     .doc = "Whether x is a keyword with a namespace.",
     .example = {"(qualified-keyword? :a)", "false"},
     .category = Category::Core,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = ask<is_qualified_keyword>},
    {.name = "simple-keyword?",
     .usage = "(simple-keyword? x)",
     .doc = "Whether x is a keyword without a namespace.",
     .example = {"(simple-keyword? :a)", "true"},
     .category = Category::Core,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = ask<is_simple_keyword>},
    {.name = "ident?",
     .usage = "(ident? x)",
     .doc = "Whether x is a keyword or a symbol.",
     .example = {"(ident? :a)", "true"},
     .category = Category::Core,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = ask<is_identifier>},
    {.name = "qualified-ident?",
     .usage = "(qualified-ident? x)",
     .doc = "Whether x is a keyword or a symbol with a namespace.",
     .example = {"(qualified-ident? :a)", "false"},
     .category = Category::Core,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = ask<is_qualified_identifier>},
    {.name = "simple-ident?",
     .usage = "(simple-ident? x)",
     .doc = "Whether x is a keyword or a symbol without a namespace.",
     .example = {"(simple-ident? :a)", "true"},
     .category = Category::Core,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = ask<is_simple_identifier>},
    {.name = "symbol?",
     .usage = "(symbol? x)",
     .doc = "false for every value: programs use keywords.",
     .example = {"(symbol? :a)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<never>,
     .differs = "Also of a symbol that a quote gives, which `ident?` and `type` tell."},
    {.name = "decimal?",
     .usage = "(decimal? x)",
     .doc = "false for every value.",
     .example = {"(decimal? 1.5)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<never>,
     .differs = kNoSuchType},
    {.name = "ratio?",
     .usage = "(ratio? x)",
     .doc = "false for every value.",
     .example = {"(ratio? 1)", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<never>,
     .differs = kNoSuchType},
    {.name = "sorted?",
     .usage = "(sorted? x)",
     .doc = "false for every value.",
     .example = {"(sorted? {:a 1})", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<never>,
     .differs = kNoSuchType},
    {.name = "map-entry?",
     .usage = "(map-entry? x)",
     .doc = "Whether x is an entry of a map that clojure.walk walks through; elsewhere entries are vectors of two.",
     .example = {"(map-entry? [:a 1])", "false"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = ask<is_entry>,
     .differs = "false for entries that do not come from clojure.walk, as in (map-entry? (first {:a 1}))."},
    {.name = "type",
     .usage = "(type x)",
     .doc = "The kind of x as a keyword: :boolean :number :string :keyword :symbol :vector :map :set :regex :function "
            ":var, of times :date :datetime :time :month :duration :period; nil for nil.",
     .example = {"(type [1])", ":vector"},
     .gives = {kinds::kKeyword | kinds::kNil},
     .model = BoundModel::SmallValue,
     .call = type,
     .differs = "Gives a keyword, not a class."},
};

} // namespace

std::span<const Builtin> predicate_builtins() { return kRows; }

} // namespace ptc
