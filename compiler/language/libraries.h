// What `ns`, `require`, `use` and `import` ask for: read off the form for the analyzer, which honours aliases and
// referred names, and for the checker, which warns of what is not here.
#pragma once
#include "frontend/form.h"
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// One library or class of such a form.
struct LibraryUse {
    std::string name; ///< clojure.string; of a class without its package
    Span span;
    bool is_class = false;
    std::string_view alias;                                            ///< "" without one
    std::vector<std::pair<std::string_view, std::string_view>> refers; ///< the name here, the name there
    bool refers_all = false;
};

struct LibraryUses {
    std::vector<LibraryUse> uses;
    const Form* unreadable = nullptr; ///< a part that names nothing; the rest is read all the same
};

/// `list`: (ns name ..), (require ..), (use ..) or (import ..), by its head. Names may be quoted or not. The result
/// points into the form.
LibraryUses library_uses(const Form& list);

} // namespace ptc
