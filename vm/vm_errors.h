// The wording of errors that only a running program can meet.
#pragma once
#include "ptc/error.h"
#include "runtime/builtin.h"
#include "vm/fork_request.h"
#include "vm/program.h"

namespace ptc {

Error not_bound_yet(std::string_view name);
Error not_callable(const Value& callee);
Error wrong_argument_count(const FunctionProto& function, std::size_t got);
Error wrong_builtin_argument_count(const Builtin& builtin, std::size_t got);
Error bad_keyword_call(const Value& keyword, std::size_t got);
Error bad_collection_call(const Value& callee, std::size_t got);
Error bad_vector_call(const Value& vector, const Value& index);
Error cannot_destructure(const Value& got);
Error tool_arguments_not_a_map(std::string_view tool, const Value& got);
Error too_many_tool_calls(std::size_t limit);
Error too_deep(std::size_t limit);
Error too_many_iterations(std::uint64_t limit);
Error unanswered_call(std::string_view tool);
/// `(return v)` and `(fail v)` where there is no program to end; `reason` is v as text.
Error return_in_branch(ForkKind kind);
/// A branch is about to do a task that another one does.
Error second_task(std::string_view id);
Error fail_in_branch(ForkKind kind, std::string_view reason);
/// `cause` ended branch `index` of an `inner`, which may stand inside of a branch of the run's own `outer`. Breaches of
/// limits stay what they are.
Error branch_failed(ForkKind outer, ForkKind inner, std::size_t index, Error cause);
/// A lane used up its share of the heap, or there was no room for the results.
Error branch_out_of_memory(ForkKind kind, std::size_t lanes, std::size_t share, std::size_t limit, Error cause);

Error too_many_atoms(std::uint32_t most);
/// Its run has ended, or it is being changed.
Error atom_without_value();
Error atom_of_another_branch();

} // namespace ptc
