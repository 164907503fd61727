// Sequences that are computed by need.
#pragma once
#include "compiler/analyze/context.h"
#include "compiler/analyze/laziness.h"
#include <optional>
#include <string_view>

namespace ptc {

struct Analyzer;
class CoreLibrary;
class Names;
struct CoreFunction;
struct CoreName;

/// Whether calling `name` with so many arguments makes a sequence by need, as (range) and (iterate f x) do. A program
/// without such a call needs none of the work below.
bool makes_lazy(const CoreLibrary& core, std::string_view name, std::size_t arguments);
/// The variant `lazy-NAME%` of a function, which takes sequences by need in place of collections; null: there is none.
const CoreFunction* lazy_variant(const CoreLibrary& core, std::string_view name, std::size_t arguments);
/// Whether the function reads its argument `i` of so many as a sequence: its usage says so.
bool reads_collection(const CoreName& name, std::size_t arguments, std::size_t i);
/// Whether a form of `size` items that calls `name` does, or would as a step of a threading form, with one argument
/// more.
bool may_make_lazy(const CoreName& name, std::size_t size);
Laziness laziness_of(Analyzer& a, const Form& form);
/// Of the second item of the vector that a call gives, as (split-at n coll) does; None for all other forms.
Laziness laziness_of_rest(Analyzer& a, const Form& form);
/// Such a call, for who takes the vector apart and knows.
Node* call_keeping_rest(Analyzer& a, const Form& list);

/// A call of a native or core function with an argument that is computed by need: goes to the function's variant for
/// them (`lazy-take%` for `take`), or to the function itself with what could be computed to its end. Null when no
/// argument is.
Node* call_with_lazy(Analyzer& a, const CoreName& name, const Form& list, Tail tail);
/// (apply concat colls), where some of the collections may be computed by need; null for all other calls of apply, and
/// in programs without such sequences.
Node* concat_with_lazy(Analyzer& a, const Form& list, Tail tail);
/// (for [x coll ..] body ..) over a collection that is known to have no end, as (mapcat (fn [it] (for [x [it] ..] body
/// ..)) coll), which gives its items by need; nothing for all other forms.
std::optional<Form> endless_for(Analyzer& a, const Form& list);
/// `name`, which was just bound to such a sequence, stands for one.
void note_laziness(Analyzer& a, const Form& name, Laziness laziness);
/// The form's value, computed to its end if it is computed by need.
/// An error, in the name of `reader`, when it is known to have none.
Node* analyze_realized(Analyzer& a, const Form& form, Tail tail, std::string_view reader);

/// The form's value as what the program gives: sequences by need are their items, wherever they are in it. An error,
/// in the name of `reader`, when the form is known to have no end.
Node* analyze_whole(Analyzer& a, const Form& form, Tail tail, std::string_view reader);
/// Whether the form gives a number, a text or the like, in which no sequence can be.
bool gives_scalar(Analyzer& a, const Form& form);

} // namespace ptc
