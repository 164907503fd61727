// What tools without a declared output type have given so far, as types: hints, never rules.
#pragma once
#include "ptc/datum.h"
#include "ptc/type.h"
#include <optional>
#include <string>

namespace ptc::mcp {

/// The type of one value, of at most 500 nodes, which a call with these arguments gave (nil: some other call than any).
/// A map whose keys stand in the arguments is `:map`, as is one with a key that looks like a secret; a record of which
/// the arguments name half of the fields may have others. One whose keys may be names of fields or data is kept, and
/// nothing is said of it: it has values of one kind, and few keys with words that fields have. Of a list 1,000 items
/// are looked at, and of a value about 20,000 parts.
Type learn(const Datum& value, const Datum& arguments = {});
/// What both fit: fields that one of them lacks are optional, kinds that differ are `:any`. A map that was kept is a
/// record when both have the same keys, and those do not look like data; one whose keys are mostly others each time and
/// whose values are alike is `:map`, and so are two records that share no field. Of a map that was kept the same call
/// says nothing new. As bounded.
Type merged(Type a, const Type& b);
/// With `:map` in the place of maps whose keys are, or may be, data.
Type without_data_keys(Type type);
/// Only the names of fields, at every level: with it a checker can warn of fields that were never seen, and can object
/// to nothing else. Nothing where there may be fields that were not looked at.
Type names_only(const Type& type);
/// As hints show it: as a signature writes types, with names that none can write in quotes.
std::string shown_type(const Type& type);
/// As deep as it can be shown in so many bytes; "" where that is not even one level.
std::string shown_type(const Type& type, std::size_t most_bytes);
/// For a file: the text of a signature where that says all of it, else an object with `items`, or with `fields`, pairs
/// of a name and a type.
std::string learnt_json(const Type& type);
std::optional<Type> read_learnt(const Datum& json);

} // namespace ptc::mcp
