// The wording of everything the checker warns of, so that messages can be read together and compared.
#pragma once
#include "compiler/fact.h"
#include "frontend/error.h"
#include "frontend/form.h"
#include "frontend/signature.h"
#include <string>
#include <string_view>

namespace ptc {

// ---- Names
Error unused_binding(Span where, std::string_view name, bool may_be_renamed);
/// A variable that hides a function of the language is called as if it were that function.
Error hidden_function(Span where, std::string_view name, std::string_view kind, Span binding);

// ---- Code that is not run
Error never_run(Span where, Span end);
/// What follows a part of `form` ("cond", "or") after which nothing is looked at any more.
Error never_reached(Span where, std::string_view form, Span cause);
Error constant_test(Span where, bool truth, const Fact& fact);
Error repeated_clause(Span where, Span first);
Error literal_default(Span where, std::string_view form, std::string_view keyword);
/// `function`: what is called, "" for another expression.
Error unused_value(Span where, std::string_view function);

// ---- Values
/// `literal`, of `kind`, is compared with something of another kind.
Error never_equal(const Form& literal, FactKind kind, FactKind other, bool negated);
/// `key`: a keyword or string, or a name of a pattern, which stands for a keyword.
Error unknown_field(const Form& key, const Fact& record);
/// A field of something that has none: a vector, a string.
Error no_fields(const Form& key, const Fact& value);

// ---- Habits of other languages (check_habits.cpp)
/// 'name': `name` is what stands between the quotes.
Error single_quoted(Span where, std::string_view name);
Error subscript(const Form& value, const Form& index);
/// `before`: where the argument in front of the plus ends.
Error plus_between(Span where, std::uint32_t before);
Error bracketed_clauses(std::span<const Form> clauses);
/// A collection as the only argument of a function of several values.
Error unspread(Span where, Span head, std::string_view function);
/// A function of the language stands where a key is read.
Error function_as_key(Span where, std::string_view name);
/// A map of keywords is called with records, and knows none of them.
Error map_as_test(const Form& map);
Error join_the_other_way(Span call, Span first, const Form& second);
Error join_threaded_first(Span step);

// ---- Arguments of tools
struct Misfit;
Error misfit_argument(Span where, std::string_view tool, const Misfit& misfit, const Signature& signature);
Error missing_arguments(Span call, std::string_view tool, std::span<const Field* const> missing,
                        const Signature& signature);
/// `*meant`: the one of `absent` that the name seems to stand for; null for none.
Error unknown_argument(const Form& key, std::string_view tool, std::span<const Field* const> absent,
                       const Signature& signature, const Field** meant);

/// "a vector", "a string": a kind in a message.
std::string_view describe_kind(FactKind kind);

} // namespace ptc
