// update-in along a path that stands in the program.
#pragma once
#include "compiler/analyze/context.h"
#include <optional>

namespace ptc {

struct Analyzer;
struct CoreFunction;

/// The most parts that such a call may have, besides its head.
inline constexpr std::size_t kMaxPathArguments = 7;
/// The longest path that becomes nested updates: they lie in each other.
inline constexpr std::size_t kMaxPathKeys = 64;

/// Notes that the name of a let was bound to `value`, where that is a literal which may be a path: a vector of
/// variables and constants.
void note_path(Analyzer& a, const Form& name, const Node* value);
/// A path that has a name, as the literal that it is: `path` and (conj path :on) behind (let [path [house area]] ..).
/// Binds the names that stand in it. Nothing for what is no such path.
std::optional<Form> written_path(Analyzer& a, const Form& path);

/// (update-in m [k1 k2] f a ..); `function` is update-in.
Node* update_path(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail);

} // namespace ptc
