// What the test of a loop asks of variables around the loop: (count v) in (loop [i 0] (if (< i (count v)) ..)) is the
// same in every round.
#pragma once

namespace ptc {

struct Analyzer;
class Let;
struct Node;

/// `loop` is a Loop that is complete. Operands of its first test that are numbers and the same in every round become
/// variables of `around`, which is to be wrapped around it.
void take_out_of_test(Analyzer& a, Node& loop, Let& around);

} // namespace ptc
