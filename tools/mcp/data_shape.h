// What data is like, without what is in it.
#pragma once
#include "ptc/data_set.h"
#include <string>

namespace ptc::mcp {

/// The type of data/NAME as far as it was looked at: names of fields, no keys that may be data (learnt_types.h), and
/// nothing that is firewalled.
std::string data_type(const DataSet& set, const std::string& name);
/// A line for all of it and each place in it: how many there are, how long texts are, and between which numbers numbers
/// lie. Of at most two million values, and of bounded size. The first call for a set looks at all of it.
std::string data_shape(const DataSet& set, const std::string& name);

} // namespace ptc::mcp
