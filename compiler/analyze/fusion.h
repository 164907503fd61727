// Loops over what another loop has just made, put together: (reduce + (map f (filter p xs))) as one pass over xs.
#pragma once
#include "compiler/analyze/context.h"
#include <cstdint>
#include <span>

namespace ptc {

struct Analyzer;

/// The Fold `fold`, which is complete, as part of the one that makes its collection, where nobody can tell the
/// difference; itself for any other one.
Node* fused_fold(Analyzer& a, Node* fold);

/// A call of a native whose argument is a loop that makes a vector, as that loop: (count (filter p xs)) counts.
/// Null: it is not such a call. `arguments` become parts of what is given.
Node* fused_call(Analyzer& a, std::uint32_t builtin, std::span<Node* const> arguments, Span span, Tail tail);

/// The parts of a vector that is written where it is made; none for other nodes.
std::span<Node* const> written_parts(const Node& made);

/// A constant that is a vector and no list.
bool is_vector_constant(const Node& node);

/// Whether the node makes a vector that is no list, as can be seen.
bool is_plain_vector(Node* node);

/// `fold`, whose accumulator begins with the first item of `coll`; `none` when there is none. It has its variables and
/// its body, and nothing else.
Node* fold_from_first(Analyzer& a, Node* fold, Node* coll, Node* none, Span span, Tail tail);

/// A call of a function of numbers with the items of a loop: (apply + (map f xs)) as (reduce + (map f xs)). Null: it is
/// not such a call.
Node* fused_apply(Analyzer& a, Node* callee, Node* coll, Span span, Tail tail);

} // namespace ptc
