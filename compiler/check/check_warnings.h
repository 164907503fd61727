// The wording of everything the checker warns of, so that messages can be read together and compared.
#pragma once
#include "compiler/check/fact.h"
#include "frontend/form.h"
#include "ptc/error.h"
#include "ptc/signature_text.h"
#include "ptc/source.h"
#include <string>
#include <string_view>

namespace ptc {

// ---- Names
Error unused_binding(Span where, std::string_view name, bool may_be_renamed);
/// A variable that hides a function of the language is called as if it were that function.
Error hidden_function(Span where, std::string_view name, FactKind kind, Span binding);

// ---- Code that is not run
Error never_run(Span where, Span end);
/// What follows a part of `form` ("cond", "or") after which nothing is looked at any more.
Error never_reached(Span where, std::string_view form, Span cause);
Error constant_test(Span where, bool truth, const Fact& fact);
Error unknown_library(Span where, std::string_view name, bool is_class);
Error repeated_clause(Span where, Span first);
/// Keys of a map that are one name, as a keyword and as a text.
Error two_spellings(Span where, Span first, std::string_view name);
Error literal_default(Span where, std::string_view form, std::string_view keyword);
/// `updates`: the function that is called, when it gives a changed collection (traits::kUpdates); else "".
Error unused_value(Span where, std::string_view updates);

// ---- Values
/// `literal`, of `kind`, is compared with something of another kind.
Error never_equal(const Form& literal, FactKind kind, FactKind other, bool negated);
/// `key`: a keyword or string, or a name of a pattern, which stands for a keyword.
/// `names`: the vector of names in a pattern that holds `key`; null elsewhere.
Error unknown_field(const Form& key, const Fact& record);
/// A field of something that has none: a vector, a string.
Error no_fields(const Form& key, const Fact& value);

// ---- Lints (lints.cpp, call_lints.def)
/// 'name': `name` is what stands between the quotes.
Error single_quoted(Span where, std::string_view name);
/// `indexes`: the vectors behind the value, each with one item.
Error subscript(const Form& value, std::span<const Form> indexes);
/// `before`: where the argument in front of the plus ends.
Error plus_between(Span where, std::uint32_t before);
/// `modifier` of for, and its `value`, behind the vector that it belongs into.
Error loose_modifier(const Form& bindings, const Form& modifier, const Form& value);
Error interpolated(Span text, std::string code);
Error python_places(Span text, std::string mended);
Error format_by_str(Span function);
/// (< (:price o) 10), where the field holds texts.
Error text_compared(Span text);
/// (> nil 1), (max x nil)
Error nil_compared(Span nil, std::string_view function);
/// `number`, which texts of dates are compared with, may spell one: 20240501.
Error date_compared(const Form& number);
/// (conj acc x) in front of a form that takes acc as it was.
Error lost_update(Span update, std::string_view function, std::vector<Edit> edits);
/// (when test then :else otherwise)
Error when_else(const Form& list, const Form& keyword, const Form& otherwise);
/// 'name, compared with something that is no symbol.
Error symbol_compared(const Form& quote, FactKind other, bool negated);
/// A text is looked for among keywords; what is put around the key, or the set that is called.
Error text_in_keywords(Span where, std::string_view before, std::string_view behind);
/// `name` of metadata, which do not exist.
Error no_metadata(Span where, std::string_view function);
/// An atom as the program's value, or as an argument of what takes values.
Error unread_atom(Span where, std::string_view name);
/// (if test acc) in front of a recur
Error lost_result(Span test, std::vector<Edit> edits);
/// {:return x}, [:return x], (:return x) as the program's value; `name`: return or fail.
Error returned_form(const Form& form, const Form& value, std::string_view name);
/// (printf ..) as the program's value
Error printed_answer(Span function);
/// (return x) in a function whose value is used.
Error return_of_function(Span where, std::string_view function, std::vector<Edit> edits);
/// (f rows), where f reads the fields of one; and (map f rows), where it reads those of all.
Error called_for_all(Span function);
Error called_for_whole(Span map);
/// Two arguments that are each what the other should be.
Error swapped_arguments(const Form& first, const Form& second, const Source& source);
/// A function of several parameters that gets one row.
Error row_for_parameters(Span function, std::size_t parameters);
/// The parameters of a fold, and their order.
Error accumulator_first(Span parameters, const std::string& order);
/// Texts in the place of numbers, tests or lists, and the code around `where` that makes these of them.
Error texts_taken_for_others(Span where, const char* message, std::string before, std::string behind);
/// A word compared with a list of words. `inside`: what stands in the brackets of the call.
Error word_of_list(Span inside, std::string_view word, std::string_view list);
/// A text that the data have in another spelling.
Error other_word(Span where, std::string_view word, std::string_view near);
/// Data that are not of the shape in which the program reads them. `written`: what gives those.
Error other_reading(Span where, const std::string& written, std::vector<Edit> edits);
Error key_of_items(const Form& key, const Fact& coll);
/// `run`: values with operators between them; `function` takes them all, "" when none does.
Error infix_in_body(std::span<const Form> run, std::string_view function);
Error bracketed_clauses(std::span<const Form> clauses);
/// A call whose arguments show that another one is meant.
Error misused_call(Span where, std::string_view message, std::vector<Edit> edits, const Source& source);
/// A function of the language stands where a key is read.
Error function_as_key(Span where, std::string_view name);
/// A map of keywords is called with records, and knows none of them.
Error map_as_test(const Form& map);
Error join_the_other_way(Span call, Span first, const Form& second);
Error join_threaded_first(Span step);

// ---- Arguments of tools
struct Mismatch;
Error mismatched_argument(Span where, std::string_view tool, const Mismatch& mismatch, const Signature& signature);
Error missing_arguments(Span call, std::string_view tool, std::span<const Field* const> missing,
                        const Signature& signature);
/// `*meant`: the one of `absent` that the name seems to stand for; null for none.
Error unknown_argument(const Form& key, std::string_view tool, std::span<const Field* const> absent,
                       const Signature& signature, const Field** meant);

/// "a vector", "a string": a kind in a message.
std::string_view describe_kind(FactKind kind);

} // namespace ptc
