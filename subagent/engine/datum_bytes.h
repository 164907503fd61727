// What hosts see, as bytes: parts of snapshots.
#pragma once
#include "frontend/bytes.h"
#include "ptc/engine.h"

namespace ptc {

void write_datum(ByteWriter& out, const Datum& value);
/// At most as deep as values that cross the boundary; fails the reader otherwise.
Datum read_datum(ByteReader& in);

void write_faults(ByteWriter& out, const std::vector<Fault>& faults);
std::vector<Fault> read_faults(ByteReader& in);

void write_answer(ByteWriter& out, const ToolAnswer& answer);
ToolAnswer read_answer(ByteReader& in);

} // namespace ptc
