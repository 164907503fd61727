// What tools without a declared output type have given so far, as types: hints, never rules.
#pragma once
#include "ptc/datum.h"
#include "ptc/type.h"
#include <string>

namespace ptc::mcp {

/// The type of one value, of at most 500 nodes.
Type learn(const Datum& value);
/// What both fit: fields that one of them lacks are optional, kinds that differ are `:any`. As bounded.
Type merged(Type a, const Type& b);
/// Only the names of fields, at every level: with it a checker can warn of fields that were never seen, and can object
/// to nothing else.
Type names_only(const Type& type);

} // namespace ptc::mcp
