// What programs make and ask of exceptions: ex-info and its questions, the constructors of Java's classes. What catches
// them is a form (try) and an instruction; that an exception is a map is said in runtime/exceptions.h.
#include "runtime/exceptions.h"
#include "frontend/try.h"
#include "frontend/words.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/qualified_name.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

Result<Value> ex_info(Call& call, Args args) {
    if (!args[0].is_string() && !args[0].is_nil()) return wrong_type(call.who(), "a text", args[0], 1);
    if (!args[1].is_map() && !args[1].is_nil()) return wrong_type(call.who(), "a map", args[1], 2);
    Value cause = args.size() > 2 ? std::move(args[2]) : Value();
    return make_exception(call.heap, "ExceptionInfo", std::move(args[0]), std::move(args[1]), std::move(cause));
}

/// (Exception. "message"), (IllegalStateException. "message" cause): the class is the name without its dot.
Result<Value> construct(Call& call, Args args) {
    std::string_view type = call.who();
    type.remove_suffix(1);
    type = type.substr(type.rfind('.') + 1); // npos + 1 is 0
    Value message = args.empty() ? Value() : std::move(args[0]);
    Value cause = args.size() > 1 ? std::move(args[1]) : Value();
    if (args.size() == 1 && message.is_map()) std::swap(message, cause); // (RuntimeException. cause)
    if (!message.is_string() && !message.is_nil()) return wrong_type(call.who(), "a text", message, 1);
    return make_exception(call.heap, type, std::move(message), Value(), std::move(cause));
}

template <const char* kPart> Result<Value> part(Call& call, Args args) {
    return exception_part(call.heap, args[0], kPart);
}
constexpr char kMessage[] = "message", kData[] = "data", kCause[] = "cause";

// ---- Classes, as their names

/// "java.lang.ArithmeticException" of an exception; "" of what is none. A failure of our own has the first class that
/// takes it.
std::string class_of_exception(Heap& heap, const Value& value) {
    const Value type = exception_part(heap, value, "type");
    if (!type.is_keyword()) return {};
    const ExceptionClass* found = find_exception_class(text_of(type));
    for (const ExceptionClass& known : exception_classes()) {
        if (!found && has_word(known.reasons, text_of(type))) found = &known;
    }
    return found ? std::string(found->package).append(".").append(found->name) : std::string();
}

/// What Clojure's class would be for a value like this.
const char* class_of_value(const Value& v) {
    std::int64_t number = 0;
    if (v.is_double()) return "java.lang.Double";
    if (v.is_integer()) return fits_int64(v, &number) ? "java.lang.Long" : "clojure.lang.BigInt";
    if (v.is_boolean()) return "java.lang.Boolean";
    if (v.is_vector()) return "clojure.lang.PersistentVector";
    if (v.is_map()) return "clojure.lang.PersistentArrayMap";
    if (v.is_set()) return "clojure.lang.PersistentHashSet";
    switch (v.type()) {
    case ObjectType::String: return "java.lang.String";
    case ObjectType::Keyword: return "clojure.lang.Keyword";
    case ObjectType::Symbol: return "clojure.lang.Symbol";
    case ObjectType::Regex: return "java.util.regex.Pattern";
    case ObjectType::LocalDate: return "java.time.LocalDate";
    case ObjectType::Instant: return "java.time.Instant";
    case ObjectType::Duration: return "java.time.Duration";
    case ObjectType::Period: return "java.time.Period";
    case ObjectType::LocalDateTime: return "java.time.LocalDateTime";
    case ObjectType::LocalTime: return "java.time.LocalTime";
    case ObjectType::ZonedDateTime: return "java.time.ZonedDateTime";
    case ObjectType::YearMonth: return "java.time.YearMonth";
    case ObjectType::TimeConstant:
        if (as_time(v).a == static_cast<std::int64_t>(TimeFamily::ChronoUnit)) return "java.time.temporal.ChronoUnit";
        return as_time(v).a == static_cast<std::int64_t>(TimeFamily::Month) ? "java.time.Month" : "java.time.DayOfWeek";
    default: return "clojure.lang.AFunction";
    }
}

Result<Value> call_class(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    const std::string name = class_of_exception(call.heap, args[0]);
    return make_string(call.heap, name.empty() ? class_of_value(args[0]) : name);
}

Result<Value> call_get_class(Call& call, Args args) {
    if (args[0].is_nil()) return argument_error(call, args, 1, "a value").with_hint("(nil? x) tells of nil.");
    return call_class(call, args);
}

/// Of a class, which is its name; a keyword has a name as well.
Result<Value> call_get_name(Call& call, Args args) {
    if (args[0].is_string()) return std::move(args[0]);
    if (!args[0].is_keyword() && !args[0].is(ObjectType::Symbol)) {
        Error error = argument_error(call, args, 1, "a class or a keyword");
        error.reason = Reason::UnsupportedMethod; // spec 8.12: of anything else there is no such method
        return std::move(error).with_hint("(.getName (.getClass x))");
    }
    const std::string_view text = text_of(args[0]);
    const std::size_t slash = namespace_end_of_name(text);
    return make_string(call.heap, slash == std::string_view::npos ? text : text.substr(slash + 1));
}

Result<Value> call_get_simple_name(Call& call, Args args) {
    if (!args[0].is_string())
        return argument_error(call, args, 1, "a class").with_hint("(.getSimpleName (.getClass x))");
    const std::string_view name = text_of(args[0]);
    PTC_CHECK(charge_bytes_of_work(call.heap, name.size()));
    return make_string(call.heap, name.substr(name.rfind('.') + 1)); // npos + 1 is 0
}

Result<Value> call_nothing(Call&, Args) { return Value(); }

// ---- Throwable->map

Result<void> put(MapBuilder& map, Heap& heap, std::string_view key, Value value) {
    map.put(PTC_TRY(make_keyword(heap, key)), std::move(value));
    return {};
}

/// An exception as an entry of :via.
Result<Value> described(Call& call, const Value& exception) {
    MapBuilder map(call.heap);
    PTC_CHECK(put(map, call.heap, "type", PTC_TRY(make_string(call.heap, class_of_exception(call.heap, exception)))));
    PTC_CHECK(put(map, call.heap, "message", exception_part(call.heap, exception, "message")));
    Value data = exception_part(call.heap, exception, "data");
    if (!data.is_nil()) PTC_CHECK(put(map, call.heap, "data", std::move(data)));
    return map.finish();
}

Result<Value> throwable_to_map(Call& call, Args args) {
    if (class_of_exception(call.heap, args[0]).empty()) return argument_error(call, args, 1, "an exception");
    VectorBuilder via(call.heap);
    Value at = std::move(args[0]);
    for (;;) {
        PTC_CHECK(charge(call, 8));
        if (!via.push(PTC_TRY(described(call, at)))) return call.heap.out_of_memory();
        Value cause = exception_part(call.heap, at, "cause");
        if (class_of_exception(call.heap, cause).empty()) break;
        at = std::move(cause);
    }
    MapBuilder map(call.heap);
    PTC_CHECK(put(map, call.heap, "via", PTC_TRY(via.finish())));
    PTC_CHECK(put(map, call.heap, "trace", empty_vector()));
    PTC_CHECK(put(map, call.heap, "cause", exception_part(call.heap, at, "message")));
    Value data = exception_part(call.heap, at, "data");
    if (!data.is_nil()) PTC_CHECK(put(map, call.heap, "data", std::move(data)));
    return map.finish();
}

/// Whether the class in args[1], which the compiler has looked up, takes the exception.
Result<Value> is_caught(Call& call, Args args) {
    if (!args[1].is_string()) return wrong_type(call.who(), "the name of a class", args[1], 2);
    const ExceptionClass* handler = find_exception_class(text_of(args[1]));
    const Value type = exception_part(call.heap, args[0], "type");
    return Value::boolean(handler && type.is_keyword() && catches(*handler, text_of(type)));
}

#define PTC_CONSTRUCTOR(class_name)                                                                                    \
    {                                                                                                                  \
        .name = class_name ".",                                                                                        \
        .usage = "(" class_name ".) (" class_name ". message) (" class_name ". message cause)",                        \
        .doc = "An exception of this class, to be thrown.",                                                            \
        .example = {"(ex-message (" class_name ". \"no\"))", "\"no\""}, .category = Category::Interop,                 \
        .gives = {kinds::kMap}, .model = BoundModel::Unknown, .call = construct,                                       \
        .differs = "An exception is a map of :type, :message and :cause."                                              \
    }

constexpr Builtin kRows[] = {
    {.name = "ex-info",
     .usage = "(ex-info message map) (ex-info message map cause)",
     .doc = "An exception with a message and data, to be thrown.",
     .example = {"(ex-data (ex-info \"no\" {:id 1}))", "{:id 1}"},
     .gives = {kinds::kMap},
     .model = BoundModel::Unknown,
     .call = ex_info,
     .differs = "An exception is a map of :type, :message, :data and :cause."},
    {.name = "ex-message",
     .usage = "(ex-message x)",
     .doc = "The message of an exception; nil for what is none.",
     .example = {"(ex-message (ex-info \"no\" {}))", "\"no\""},
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kMessage>},
    {.name = "ex-data",
     .usage = "(ex-data x)",
     .doc = "What ex-info was given as data; of a tool that failed or was not approved {:reason :tool :message}, with "
            "its text or that of who denied it; nil without any.",
     .example = {"(ex-data (ex-info \"no\" {:id 1}))", "{:id 1}"},
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kData>},
    {.name = "ex-cause",
     .usage = "(ex-cause x)",
     .doc = "The exception that this one was made for; nil without one.",
     .example = {"(ex-message (ex-cause (ex-info \"a\" {} (ex-info \"b\" {}))))", "\"b\""},
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kCause>},
    {.name = ".getMessage",
     .usage = "(.getMessage x)",
     .doc = "The message of an exception.",
     .example = {"(.getMessage (Exception. \"no\"))", "\"no\""},
     .category = Category::Interop,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kMessage>},
    {.name = ".getCause",
     .usage = "(.getCause x)",
     .doc = "The exception that this one was made for.",
     .example = {"(.getCause (Exception. \"no\"))", "nil"},
     .category = Category::Interop,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kCause>},
    {.name = ".getData",
     .usage = "(.getData x)",
     .doc = "What ex-info was given as data.",
     .example = {"(.getData (ex-info \"no\" {:id 1}))", "{:id 1}"},
     .category = Category::Interop,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = part<kData>},
    {.name = ".printStackTrace",
     .usage = "(.printStackTrace x)",
     .doc = "nil: there is no stack to print.",
     .example = {"(.printStackTrace (Exception. \"no\"))", "nil"},
     .category = Category::Interop,
     .gives = {kinds::kNil},
     .model = BoundModel::Unknown,
     .call = call_nothing,
     .differs = "Prints nothing."},
    {.name = "class",
     .usage = "(class x)",
     .doc = "The name of the class of a value, as Clojure has it; nil for nil.",
     .example = {"(.getSimpleName (class 1.5))", "\"Double\""},
     .gives = {kinds::kText | kinds::kNil},
     .model = BoundModel::Unknown,
     .call = call_class,
     .differs = "A class is its name, a text: (type x) gives the kind of a value, (instance? String x) tests it."},
    {.name = ".getClass",
     .usage = "(.getClass x)",
     .doc = "The name of the class of a value, as Clojure has it.",
     .example = {"(.getClass (IllegalStateException. \"no\"))", "\"java.lang.IllegalStateException\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_get_class,
     .differs =
         "A class is its name, a text; a failure of the language's own has the class that most likely takes it."},
    {.name = ".getName",
     .usage = "(.getName x)",
     .doc = "The name of a class with its package; that of a keyword without its namespace.",
     .example = {"(.getName (.getClass 1))", "\"java.lang.Long\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_get_name},
    {.name = ".getSimpleName",
     .usage = "(.getSimpleName x)",
     .doc = "The name of a class without its package.",
     .example = {"(.getSimpleName (.getClass (ex-info \"no\" {})))", "\"ExceptionInfo\""},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_get_simple_name},
    {.name = "Throwable->map",
     .usage = "(Throwable->map x)",
     .doc = "An exception and its causes as data: :cause is the message of the innermost one, :via all of them.",
     .example = {"(get (Throwable->map (Exception. \"a\" (Exception. \"b\"))) :cause)", "\"b\""},
     .work = Work::Inside,
     .gives = {kinds::kMap},
     .model = BoundModel::Unknown,
     .call = throwable_to_map,
     .differs = "There is no stack: :trace is empty; a class is its name, a text."},
    {.name = "caught%",
     .usage = "(caught% x class)",
     .doc = "Whether a handler of a class takes an exception.",
     .example = {"(try (throw (ex-info \"no\" {})) (catch Exception e (ex-message e)))", "\"no\""},
     .category = Category::Internal,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = is_caught},
    PTC_CONSTRUCTOR("Exception"),
    PTC_CONSTRUCTOR("RuntimeException"),
    PTC_CONSTRUCTOR("IllegalArgumentException"),
    PTC_CONSTRUCTOR("IllegalStateException"),
    PTC_CONSTRUCTOR("UnsupportedOperationException"),
    PTC_CONSTRUCTOR("ArithmeticException"),
    PTC_CONSTRUCTOR("NumberFormatException"),
    PTC_CONSTRUCTOR("IndexOutOfBoundsException"),
    PTC_CONSTRUCTOR("NullPointerException"),
    PTC_CONSTRUCTOR("ClassCastException"),
    PTC_CONSTRUCTOR("Throwable"),
    PTC_CONSTRUCTOR("Error"),
    PTC_CONSTRUCTOR("AssertionError"),
};
#undef PTC_CONSTRUCTOR

} // namespace

std::span<const Builtin> exception_builtins() { return kRows; }

} // namespace ptc
