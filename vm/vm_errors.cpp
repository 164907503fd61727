// The wording of errors that only a running program can meet, all in one place so that they can be compared. Each says
// what was found, which rule it breaks and what would be right; the spans are added by who raises them
// (Vm::note_trace).
#include "vm/vm_errors.h"
#include "frontend/quoted.h"
#include "runtime/print.h"
#include "runtime/string.h"
#include "vm/arity_text.h"
#include <algorithm>
#include <span>
#include <vector>

namespace ptc {
namespace {
std::string count_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }
/// The number of arguments in some arity that is nearest to `got`.
std::size_t nearest_count(std::span<const Arity> arities, std::size_t got) {
    std::size_t nearest = arities[0].min;
    const auto distance = [&](std::size_t n) { return n > got ? n - got : got - n; };
    for (const Arity& arity : arities) {
        if (distance(arity.min) < distance(nearest)) nearest = arity.min;
    }
    return nearest;
}
} // namespace

Error not_bound_yet(std::string_view name) {
    return Error(Reason::UnboundVar, quoted(name) + " is used before it is defined.")
        .with_hint("Move its `def` before the first use.");
}

Error not_callable(const Value& callee) {
    Error error = Error(Reason::NotCallable, "Only functions, keywords, maps, sets and vectors can be called, not " +
                                                 describe_type(callee) + ".")
                      .with_hint("The first thing in round brackets is called; write a vector as [1 2 3].");
    error.bad_call.kind = operand_kind(callee);
    return error;
}

Error wrong_argument_count(const FunctionProto& function, std::size_t got) {
    std::vector<Arity> arities;
    for (const FunctionProto* p = function.first_arity ? function.first_arity : &function; p; p = p->next_arity) {
        const auto fixed = static_cast<std::uint8_t>(p->param_count - (p->variadic ? 1 : 0));
        arities.push_back({fixed, p->variadic ? Arity::kOpen : fixed});
    }
    std::string name = function.name_text.empty() ? "This function" : quoted(function.name_text);
    Error error(Reason::ArityMismatch,
                name + " takes " + arguments_text(arities) + ", not " + std::to_string(got) + ".");
    error.bad_call.function = function.name_text;
    error.bad_call.given = got;
    error.bad_call.taken = nearest_count(arities, got);
    return error;
}

Error wrong_builtin_argument_count(const Builtin& builtin, std::size_t got) {
    Arity arity = builtin.arity();
    Error error(Reason::ArityError, quoted(builtin.name) + " takes " + arity_text(arity) +
                                        (arity.max == 1 ? " argument" : " arguments") + ", not " + std::to_string(got) +
                                        ".");
    error.hint = std::string("Usage: ") + builtin.usage;
    error.bad_call.function = builtin.name;
    error.bad_call.given = got;
    error.bad_call.taken = arity.min;
    return error;
}

Error bad_keyword_call(const Value& keyword, std::size_t got) {
    return Error(Reason::InvalidKeywordCall, "`:" + std::string(text_of(keyword)) +
                                                 "` as a function takes a map and an optional default, not " +
                                                 count_text(got) + ".");
}

Error bad_collection_call(const Value& callee, std::size_t got) {
    const char* takes = callee.is_map() ? "a key and an optional default" : callee.is_set() ? "one item" : "one index";
    return Error(callee.is_map()   ? Reason::InvalidMapCall
                 : callee.is_set() ? Reason::ArityError
                                   : Reason::NotCallable,
                 std::string("Called as a function, ") + describe_type(callee) + " takes " + takes + ", not " +
                     count_text(got) + ".");
}

Error bad_vector_call(const Value& vector, const Value& index) {
    return Error(Reason::NotCallable,
                 "Called as a function, " + describe_type(vector) + " takes the index of an item, not " +
                     (index.is_small_integer() ? std::to_string(index.small_integer()) : describe_type(index)) + ".");
}

Error cannot_destructure(const Value& got) {
    Error error(Reason::DestructureError,
                "A pattern [..] needs a vector, a string or nil, got " + describe_type(got) + ".");
    error.hint = "Take maps apart with {:keys [..]}.";
    error.bad_call.kind = operand_kind(got);
    return error;
}

Error tool_arguments_not_a_map(std::string_view tool, const Value& got) {
    return Error(Reason::InvalidToolArgs,
                 "The tool " + quoted(tool) + " takes one map of named arguments, got " + describe_type(got) + ".")
        .with_hint("Write (tool/" + std::string(tool) + " {:name value}).");
}

Error too_many_tool_calls(std::size_t limit) {
    return Error(Reason::ToolCallsExceeded, "The run made more than " + std::to_string(limit) + " tool calls.");
}

Error too_deep(std::size_t limit) {
    return Error(Reason::DepthExceeded, "Calls are nested more than " + std::to_string(limit) + " deep.")
        .with_hint("Use `recur`, `loop` or `reduce` instead of recursion.");
}

Error too_many_iterations(std::uint64_t limit) {
    return Error(Reason::LoopLimitExceeded, "The run made more than " + std::to_string(limit) + " loop iterations.");
}

Error unanswered_call(std::string_view tool) {
    return Error(Reason::ToolError, "The tool " + quoted(tool) + " was not answered.");
}

Error return_in_branch(ForkKind kind) {
    return Error(Reason::RuntimeError,
                 "`return` ends the program, which a branch of " + quoted(fork_name(kind)) + " cannot do.")
        .with_hint("Let the branch give its value as its result, and use `return` on the vector of results.");
}

Error second_task(std::string_view id) {
    return Error(Reason::RuntimeError, "Another branch does the task " + quoted_excerpt(id) + " at the same time.")
        .with_hint("Give each branch's task an id of its own, such as (str \"charge-\" (:id order)).");
}

Error fail_in_branch(ForkKind kind, std::string_view reason) {
    return Error(Reason::RuntimeError, "`fail` was called with " + std::string(reason) + ", but a branch of " +
                                           quoted(fork_name(kind)) + " cannot end the program.")
        .with_hint("Let the branch give a value that says what failed, and use `fail` on the vector of results.");
}

namespace {
/// Failures of tools have one reason wherever they are called (requirement 158).
bool is_of_tool(Reason reason) {
    return reason == Reason::ToolError || reason == Reason::ApprovalDenied || reason == Reason::ValidationError ||
           reason == Reason::InvalidToolArgs;
}

bool is_limit(Reason reason) {
    switch (reason) {
    case Reason::FuelExhausted:
    case Reason::MemoryExceeded:
    case Reason::Timeout:
    case Reason::Interrupted:
    case Reason::DepthExceeded:
    case Reason::LoopLimitExceeded:
    case Reason::ToolCallsExceeded:
    case Reason::LimitExceeded: return true;
    default: return false;
    }
}
} // namespace

Error branch_failed(ForkKind outer, ForkKind inner, std::size_t index, Error cause) {
    if (is_limit(cause.reason)) return cause;
    if (!is_of_tool(cause.reason)) cause.reason = outer == ForkKind::Pmap ? Reason::PmapError : Reason::PcallsError;
    cause.message = quoted(fork_name(inner)) + " failed at index " + std::to_string(index) + ": " + cause.message;
    return cause;
}

Error branch_out_of_memory(ForkKind kind, std::size_t lanes, std::size_t share, std::size_t limit, Error cause) {
    cause.message = "The branches of " + quoted(fork_name(kind)) + " need more memory than there is: the limit is " +
                    std::to_string(limit) + " bytes, of which each of " + std::to_string(lanes) +
                    " groups of branches that run at the same time gets " + std::to_string(share) + ".";
    cause.hint = kind == ForkKind::Pmap ? "Let each branch give a small result, or use `map`, which may use all of it."
                                        : "Let each branch give a small result.";
    return cause;
}

Error too_many_atoms(std::uint32_t most) {
    return Error(Reason::LimitExceeded, "The program made more than " + std::to_string(most) + " atoms.")
        .with_hint("Carry the state in `reduce` or `loop`.");
}

Error atom_without_value() {
    return Error(Reason::RuntimeError, "The atom holds nothing: it is being changed by `swap!`, or was made by an "
                                       "earlier program and ended with it.")
        .with_hint(
            "Keep the atom itself under a name, (def counter (atom 0)), or what it holds: (def total @counter).");
}

Error atom_of_another_branch() {
    return Error(Reason::RuntimeError, "A branch of `pmap` or `pcalls` cannot change an atom from outside of it.")
        .with_hint("Return what the branch found, and combine the results.");
}

} // namespace ptc
