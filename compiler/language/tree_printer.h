// The resolved tree as text, for tests and `ptcc disasm --tree`.
#pragma once
#include "compiler/language/tree.h"
#include <string>

namespace ptc {

/// One function a paragraph, the top level first:
///   main: (let [x.0 data:n] (fold "map" [acc.1 x.2] [] data:xs (conj acc.1 (+ x.2 x.0))))
/// A variable is its name and index; a captured one is marked ^, tail nodes are not marked. Constants print as pr-str
/// does.
std::string print_tree(Heap& heap, const Tree& tree);
std::string print_node(Heap& heap, const Node& node);

} // namespace ptc
