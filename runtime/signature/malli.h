// The Malli form of signatures: data, `[:=> [:cat :string] [:map [:n :int]]]`, as EDN text or as a value of a program.
#pragma once
#include "ptc/signature_text.h"
#include "runtime/heap.h"
#include "runtime/shape.h"

namespace ptc {

/// True for a text that can only be the Malli form of a signature: it starts with `[:=>`.
bool is_malli(std::string_view text);

/// A schema that is no `:=>` is a result without parameters. Understood are the primitives' names (also `:double`,
/// `:boolean`, `:nil`), :map, :vector, :sequential, :enum, :or, :and with comparisons, :maybe, {:optional true}, :min
/// and :max of numbers, :cat and, for parameters with names, :catn. The error has the span of what is wrong.
Result<Signature> parse_malli(std::string_view edn);
/// The same from a vector of keywords and vectors. Errors have no span.
Result<Signature> malli_signature(const Value& schema);

/// The signature as EDN text of a Malli vector; parameters with names are in a `:catn`. Gives the same tree back.
std::string malli_text(const Signature& signature);
/// The same as a value.
Result<Value> malli_value(Heap& heap, ShapeTable& shapes, const Signature& signature);

} // namespace ptc
