// What tasks came to, as the host's journal has it (TaskJournal).
#pragma once
#include "ptc/datum.h"
#include "runtime/builtin.h"
#include <memory>
#include <string_view>

namespace ptc {

/// A value of a program for the journal, from which it comes back as what it is: a list as a vector, a sorted map as a
/// map. type_error for one that has a function, an atom or a var in it. Charges as to_datum does.
Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view id, const Value& value);
/// Of one that say_task made, like the other one.
Result<Value> value_of_said(Heap& heap, const SaidTask& said);
Datum take_datum(std::unique_ptr<SaidTask> said);

} // namespace ptc
