// What programs make and ask of exceptions: ex-info and its questions, the constructors of Java's classes. What catches
// them is a form (try) and an instruction; that an exception is a map is said in runtime/exceptions.h.
#include "runtime/exceptions.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/string.h"

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
     .doc = "What ex-info was given as data; nil without any.",
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
