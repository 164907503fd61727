// Transducers that are known when compiling: (into [] (comp (filter f) (map g)) xs) as one loop.
#pragma once
#include "compiler/analyze/context.h"
#include "compiler/language/core_library.h"

namespace ptc {

struct Analyzer;

/// A call of into (with three arguments), transduce, sequence or eduction as a loop, when every transducer in it is
/// written out. Null: it is not such a call, and nothing was analysed.
Node* transducer_loop(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail);

/// A call that takes some of an endless sequence, as (take n (map f (iterate g x))), (first (filter p (range))) and
/// (take-while p (map f (range))) do, as a loop, when the functions in between and the source are written in it. Null:
/// it is not such a call, and nothing was analysed.
///
/// What `may_be_lazy` says of a form (whether its value may be a sequence by need) and of a function (of its result)
/// decides: no item of the chain may be one.
using MayBeLazy = bool (*)(Analyzer& a, const Form& form, bool is_function);
Node* endless_chain(Analyzer& a, const CoreName& name, const Form& list, Tail tail, MayBeLazy may_be_lazy);

/// Whether a form is such a chain with a take or take-while in it, at any place: it makes a vector.
bool is_ended_chain(Analyzer& a, const Form& form, MayBeLazy may_be_lazy);
/// The loop of one that is.
Node* ended_chain(Analyzer& a, const Form& form, Tail tail);

/// Whether a list is a call such as (map f), whose value is a transducer.
bool makes_transducer(Analyzer& a, const Form& list);

/// The variable `name`, which a let has just bound to the value of `form`, is known to be a transducer, if it is one
/// that may be made again where it is used: nothing in it is called, and what it names stays what it is.
void note_transducer(Analyzer& a, const Form& name, const Form& form);

/// `step`, the next accumulator of the Fold `a.at.leave`: one that is `reduced` ends it with what it holds. Looks at
/// the value when it runs only where that may happen.
Node* until_reduced(Analyzer& a, Node* step, Span span);

} // namespace ptc
