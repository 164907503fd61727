// What a call that met a value of the wrong kind wanted instead, and which of its arguments are to blame.
#pragma once
#include "compiler/repair/rules.h"

namespace ptc::repair {

enum class Wanted : std::uint8_t { Number, Text, Collection, Other };

/// What the function wants where it met what it could not use.
[[nodiscard]] Wanted wanted_by(const Code& code, const BadCall& bad_call);
/// The argument of `list` that is the function that failed, when it is one that the call passes on: (reduce + xs),
/// (map inc xs). Null otherwise.
[[nodiscard]] const Form* passed_function(const Code& code, const Form& list, std::string_view function);
/// The arguments that may have been what the run met.
[[nodiscard]] std::vector<std::size_t> suspects(const Code& code, const Place& place, const CallSite& call,
                                                const BadCall& bad_call);
/// Puts `before` and `after` around the arguments; the threaded value gets a step of its own.
[[nodiscard]] Proposal wrapped(const CallSite& call, const std::vector<std::size_t>& which, const std::string& before,
                               const std::string& after, std::string hint);
/// The collection that a call like (reduce f coll) works on, or the step that gives it.
[[nodiscard]] const Form* worked_on(const CallSite& call);
/// A function literal in place of the name of a function of one argument.
[[nodiscard]] std::string function_of_one(const Place& place, std::string_view function, const std::string& before,
                                          const std::string& after);

} // namespace ptc::repair
