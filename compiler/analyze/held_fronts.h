// Sequences by need whose front is looked at more than once.
#pragma once
#include "compiler/analyze/nodes.h"

namespace ptc {

struct Analyzer;
struct Binding;
struct Form;

/// For a form that is computed now, in front of others that go on with the same sequences, as the test in
/// (if (empty? s) .. (f (first s) (rest s))): each local in it that may be by need, and whose first item the form
/// computes in any case, stands from here on for a sequence that has it. `let` gets them, and the caller takes the
/// scope back. Nothing is kept of a sequence by need, so that each look would compute the item again, and each look of
/// a sequence that is made of others theirs.
void hold_fronts(Analyzer& a, const Form& form, Let& let);
/// The same around one form, until it is finished.
class HeldFronts {
public:
    HeldFronts(Analyzer& a, const Form& form);
    ~HeldFronts();
    HeldFronts(const HeldFronts&) = delete;
    HeldFronts& operator=(const HeldFronts&) = delete;
    Node* finish(Node* node, Span span, Tail tail);

private:
    Analyzer& a_;
    const Binding* scope_;
    Let let_;
};
/// Whether that would do anything.
bool has_fronts(Analyzer& a, const Form& form);

} // namespace ptc
