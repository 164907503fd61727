// The wording of everything the analyzer reports, so that messages can be read together and compared.
#pragma once
#include "frontend/form.h"
#include "ptc/error.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct SpecialForm;

// ---- Names
/// `nearest`: candidates, best first; the first becomes an edit.
Error unknown_name(Span where, std::string_view name, const std::vector<std::string>& nearest);
/// A name that models write although it does not exist, or a typing error away from one; none when there is no advice.
std::optional<Error> absent_name(Span where, std::string_view name);
/// Whether exactly this name has an equivalent that `absent_name` names.
bool is_absent_name(std::string_view name);
/// `makes_lazy`: the program makes sequences by need, of which some may be made of themselves.
Error used_in_itself(Span where, std::string_view name, bool makes_lazy);
Error used_before_definition(Span where, std::string_view name, Span definition);
Error special_form_as_value(Span where, std::string_view name);
Error whole_context(Span where, std::string_view name);
Error placeholder_outside(Span where, std::string_view name);
Error bad_placeholder(Span where, std::string_view name);
/// What begins with a capital is a class of Java.
Error unknown_namespace(Span where, std::string_view space, const std::vector<std::string>& nearest);
Error unknown_member(Span where, std::string_view space, std::string_view member,
                     std::span<const std::string_view> members, const std::vector<std::string>& nearest);
Error unknown_method(Span where, std::string_view name, const std::vector<std::string>& nearest);
/// `written`: what stands before the name in the program ("tool/", or the quote of the older form).
Error unknown_tool(Span where, std::string_view name, const std::vector<std::string>& nearest, bool any,
                   std::string_view written);

// ---- Calls
/// "`subs` takes 2 or 3 arguments, not 1."
Error wrong_arity(Reason reason, Span call, std::string_view name, std::string_view takes, std::size_t got,
                  std::string usage);
/// "2 or 3 arguments", "at least 1 argument".
std::string argument_count(std::size_t min, std::size_t max);
/// "the number 5", "a vector": a form in a message.
std::string describe_form(const Form& form);
Error not_a_function(Span where, std::string_view text);
Error not_a_function_argument(Span where, std::string_view function, std::size_t position, std::string_view text);
Error bad_keyword_call(Span call, std::string_view keyword, std::size_t got);
Error bad_map_call(Span call, std::size_t got);
Error bad_tool_arguments(Span where, std::string_view tool, std::string_view what);

/// A form whose native is not part of this build.
Error not_available(Span where, std::string_view name);

// ---- Special forms
Error wrong_parts(Span form, const SpecialForm& special, std::size_t got);
Error bad_form(Span where, const SpecialForm& special, std::string_view what);
Error bad_shape(Span where, std::string message, std::string hint = {});
Error bad_condition(Span where, std::string message, std::string hint = {});
Error bad_threading(Span where, const SpecialForm& special, std::string_view what);
/// (-> x (fn [y] ..)): the step would put x between `fn` and its parameters.
Error threaded_literal(Span step);
Error bad_pattern(Span where, std::string_view text);
Error misplaced_recur(Span where, bool in_any);
/// recur in the body of a try or lazy-seq, which is a function of its own.
Error recur_inside(Span where, std::string_view form);
Error wrong_recur(Span where, std::size_t expected, std::size_t got, bool loop);
Error nested_short_fn(Span where);
Error repeated_key(Span where, Span first, const char* what);

// ---- Limits
Error program_too_large(Span where, std::string_view what, std::size_t limit);

} // namespace ptc
