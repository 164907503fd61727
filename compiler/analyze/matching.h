// A value that is compared with one constant after the other: by case, and by a multimethod with its methods' values.
#pragma once
#include "frontend/form.h"
#include <boost/container/small_vector.hpp>
#include <span>

namespace ptc {

struct Analyzer;
struct Local;
struct Node;
class Let;

/// A literal that is the same each time: no name and no call in it (GAP-S72).
[[nodiscard]] bool is_constant_literal(const Form& form);

/// The value, evaluated once, before the first test. A vector that is written out, as in (case [a b] [:x 1] ..), is not
/// made where all that it is compared with is literal: its items are compared one by one.
class Matched {
public:
    /// Adds the variables that hold the value to `let`. `in_parts`: every constant is a literal (is_constant_literal).
    Matched(Analyzer& a, Node* value, bool in_parts, Let& let);
    /// (= constant value)
    [[nodiscard]] Node* equals(const Form& constant) const;
    /// The value itself.
    [[nodiscard]] Node* whole(Span span) const;

private:
    [[nodiscard]] Node* items_equal(const Form& constant) const;

    Analyzer& a_;
    Local* whole_ = nullptr; ///< null: the value is a vector of `items_`
    boost::container::small_vector<Local*, 4> items_;
};

} // namespace ptc
