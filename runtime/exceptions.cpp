// Exceptions as maps, and which handler takes which. The classes are Java's, by name only: nothing here has methods or
// subclasses beyond the table, and the reason of a failure of our own stands in as many classes as Java would have
// thrown for it.
#include "runtime/exceptions.h"
#include "frontend/try.h"
#include "frontend/words.h"
#include "runtime/heap.h"
#include "runtime/map.h"
#include "runtime/print.h"
#include "runtime/runtime_errors.h"
#include "runtime/string.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr ExceptionClass kClasses[] = {
#define PTC_EXCEPTION(name, package, parent, reasons) {name, package, parent, reasons},
#include "runtime/exception_classes.def"
};

/// How much of the data of an exception that nobody caught its message shows.
constexpr std::size_t kMaxShownData = 200;

const ExceptionClass* plain_class(std::string_view name) {
    const auto* found = std::find_if(std::begin(kClasses), std::end(kClasses),
                                     [&](const ExceptionClass& known) { return known.name == name; });
    return found == std::end(kClasses) ? nullptr : found;
}

bool is_or_descends_from(const ExceptionClass* known, std::string_view ancestor) {
    for (; known; known = plain_class(known->parent)) {
        if (known->name == ancestor) return true;
    }
    return false;
}

constexpr std::string_view kToolMark = "tool/"; ///< in front of BadCall::function, which names a tool then

bool is_tool_reason(Reason reason) { return reason == Reason::ToolError || reason == Reason::ApprovalDenied; }

/// What stands in front of the tool's own text.
std::string tool_failure_beginning(Reason reason, std::string_view tool) {
    const std::string name = "`" + std::string(tool) + "`";
    return reason == Reason::ApprovalDenied ? "The call of the tool " + name + " was not approved: "
                                            : "The tool " + name + " failed: ";
}

/// Of a tool's failure; nil of another one.
Result<Value> data_of(Heap& heap, const Error& error) {
    const std::string& function = error.bad_call.function;
    if (!is_tool_reason(error.reason) || !function.starts_with(kToolMark)) return Value();
    const std::string_view tool = std::string_view(function).substr(kToolMark.size());
    const std::string beginning = tool_failure_beginning(error.reason, tool);
    std::string_view why; // "" when nobody said, or it is a branch's failure, whose message says so
    if (error.message.starts_with(beginning)) why = std::string_view(error.message).substr(beginning.size());
    MapBuilder map(heap);
    map.put(PTC_TRY(make_keyword(heap, "reason")), PTC_TRY(make_keyword(heap, reason_name(error.reason))));
    map.put(PTC_TRY(make_keyword(heap, "tool")), PTC_TRY(make_string(heap, tool)));
    map.put(PTC_TRY(make_keyword(heap, "message")), PTC_TRY(make_string(heap, why)));
    return map.finish();
}

/// Clojure's words for it, which programs print and compare.
std::string message_for_handlers(const Error& error) {
    return error.message.ends_with(" divides by zero.") ? "Divide by zero" : error.message;
}

} // namespace

std::span<const ExceptionClass> exception_classes() { return kClasses; }

const ExceptionClass* find_exception_class(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return plain_class(name);
    const ExceptionClass* found = plain_class(name.substr(dot + 1));
    return found && found->package == name.substr(0, dot) ? found : nullptr;
}

bool catches(const ExceptionClass& handler, std::string_view type) {
    if (const ExceptionClass* thrown = plain_class(type)) return is_or_descends_from(thrown, handler.name);
    return std::any_of(std::begin(kClasses), std::end(kClasses), [&](const ExceptionClass& known) {
        return has_word(known.reasons, type) && is_or_descends_from(&known, handler.name);
    });
}

bool is_catchable(Reason reason) {
    const std::string_view name = reason_name(reason);
    return std::any_of(std::begin(kClasses), std::end(kClasses),
                       [&](const ExceptionClass& known) { return has_word(known.reasons, name); });
}

Result<Value> make_exception(Heap& heap, std::string_view type, Value message, Value data, Value cause) {
    MapBuilder map(heap);
    map.put(PTC_TRY(make_keyword(heap, "type")), PTC_TRY(make_keyword(heap, type)));
    map.put(PTC_TRY(make_keyword(heap, "message")), std::move(message));
    if (!data.is_nil()) map.put(PTC_TRY(make_keyword(heap, "data")), std::move(data));
    if (!cause.is_nil()) map.put(PTC_TRY(make_keyword(heap, "cause")), std::move(cause));
    return map.finish();
}

Result<Value> exception_of(Heap& heap, const Error& error) {
    Value message = PTC_TRY(make_string(heap, message_for_handlers(error)));
    Value data = PTC_TRY(data_of(heap, error));
    return make_exception(heap, reason_name(error.reason), std::move(message), std::move(data), Value());
}

Error tool_failure(Reason reason, std::string_view tool, std::string_view why) {
    std::string message = tool_failure_beginning(reason, tool);
    if (why.empty() && reason == Reason::ApprovalDenied) message.replace(message.size() - 2, 2, ".");
    Error error(reason, message.append(why));
    error.bad_call.function = std::string(kToolMark) + std::string(tool);
    return error;
}

bool is_same_failure(const Error& thrown, const Error& caught) {
    return thrown.reason == caught.reason &&
           (thrown.message == caught.message || thrown.message == message_for_handlers(caught));
}

Value exception_part(Heap& heap, const Value& exception, std::string_view part) {
    if (!exception.is_map()) return Value();
    const Value* key = map_key_of_text(heap, exception, ObjectType::Keyword, part);
    const Value* found = key ? map_find(heap, exception, *key) : nullptr;
    return found ? found->copy() : Value();
}

Error error_of_thrown(Heap& heap, const Value& value) {
    const Value type = exception_part(heap, value, "type");
    const Value message = exception_part(heap, value, "message");
    if (!type.is_keyword() || !(message.is_string() || message.is_nil())) {
        return wrong_type("throw", "an exception", value)
            .with_hint("Make one: (throw (ex-info \"what is wrong\" {:key value})).");
    }
    // The message is copied a few times until a handler or the host has it.
    if (message.is_string() && !heap.meter.charge(static_cast<std::int64_t>(text_of(message).size() / 64)))
        return heap.meter.error();
    std::string text = message.is_string() ? std::string(text_of(message)) : "An exception without a message.";
    const std::optional<Reason> reason = reason_named(text_of(type));
    const Value data = exception_part(heap, value, "data");
    // The message of a tool's failure says what its data say.
    if (!data.is_nil() && !(reason && is_tool_reason(*reason)))
        text += " " + print_to_string(heap, data, PrintStyle::Readable, kMaxShownData);
    return {reason && is_catchable(*reason) ? *reason : Reason::RuntimeError, std::move(text)};
}

} // namespace ptc
