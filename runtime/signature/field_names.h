// One name for programs for each field of a schema, also where fields differ by hyphens alone: `user_id`, and
// `user_id_2` for `user-id`.
#pragma once
#include "ptc/schema_reader.h"
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// The fields that share a name but for hyphens with another one anywhere in the schema, and those whose names stand in
/// the way of the numbers. A field has the same name wherever the schema has it. Of text that is no JSON there are
/// none.
std::vector<RenamedParameter> field_names(std::string_view schema);

/// Of Tool::other_arguments, which has all fields of `field_names`: the parameter that is meant by a name of the
/// schema, where hyphens alone tell it from another one.
std::map<std::string, std::string> twin_arguments(std::span<const std::string> other_arguments);

/// names_apart of keys beside `declared` fields (normalized), whose names none of them gets.
std::vector<std::pair<std::string, std::string>>
names_apart_from(const std::set<std::string>& declared, std::vector<std::string> keys, std::size_t* tried = nullptr);

} // namespace ptc
