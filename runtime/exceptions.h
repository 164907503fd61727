// What a program can throw and catch. An exception is a map: `:type` is the name of its class or the reason of a
// failure, as a keyword, `:message` a text, `:data` what ex-info was given, `:cause` another exception. So programs
// look into one like into any other value, and it goes wherever a map goes: over a tool call, into a snapshot, out as
// JSON.
#pragma once
#include "ptc/error.h"
#include "ptc/result.h"
#include "runtime/value.h"
#include <span>
#include <string_view>

namespace ptc {

class Heap;

/// A row of exception_classes.def.
struct ExceptionClass {
    std::string_view name;
    std::string_view package;
    std::string_view parent;
    std::string_view reasons; ///< separated by spaces
};

std::span<const ExceptionClass> exception_classes();
/// By its name, with or without the package; null when there is none.
const ExceptionClass* find_exception_class(std::string_view name);
/// Whether a handler of this class takes an exception of this `:type`.
bool catches(const ExceptionClass& handler, std::string_view type);
/// Whether a failure with this reason can be caught at all.
bool is_catchable(Reason reason);

/// A map as above. `data` and `cause` are left out when they are nil.
Result<Value> make_exception(Heap& heap, std::string_view type, Value message, Value data, Value cause);
/// That a program's call of a tool failed, or was not approved (Reason::ApprovalDenied); `why` is the tool's text, or
/// that of who denied it. Programs that catch it find all of it in its data.
Error tool_failure(Reason reason, std::string_view tool, std::string_view why);
/// What a handler gets of a failure that the program did not throw itself. Of a tool_failure the data are {:reason
/// :tool :message}.
Result<Value> exception_of(Heap& heap, const Error& error);
/// The failure that throwing `value` is: its message, and its reason when it is one that was caught before. A value
/// that is no exception is a type_error. Never fails.
Error error_of_thrown(Heap& heap, const Value& value);

/// Whether a failure that `throw` ends with is `caught`, thrown again: by `finally`, by a handler that hands it on, or
/// where no handler of a try takes it.
bool is_same_failure(const Error& thrown, const Error& caught);

/// An entry of an exception: "type", "message", "data" or "cause"; nil for what is none.
Value exception_part(Heap& heap, const Value& exception, std::string_view part);

} // namespace ptc
