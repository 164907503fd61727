// One name for programs for each field of a schema, also where names are one for them: `user_id`, and `user_id_2` for
// `user-id` beside it. Of parameters `a b` and `a-b` are such, too, as programs write both `a-b`.
#pragma once
#include "ptc/schema_reader.h"
#include "ptc/type.h"
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// Whether a signature can write it.
bool can_be_written(std::string_view name);
/// What programs call a parameter that is alone with its name: normalized, "" where no name is like it.
std::string name_in_programs(std::string_view in_schema);

/// Other names for keys that are one name for programs: `user_id` stays, `user-id` is `user_id_2`; the names that
/// cannot be written come last. Usually there are none. Counts the names that are `tried`: at most two of each key.
std::vector<std::pair<std::string, std::string>> names_apart(std::vector<std::string> keys,
                                                             std::size_t* tried = nullptr);

/// Other names of the keys of one object: of those that share a name with another of them, as `apart` has it for the
/// whole schema, and of parameters that no signature can write.
using OtherNames = std::map<std::string, std::string, std::less<>>;
OtherNames names_of_object(std::span<const std::string> keys, const OtherNames& apart, bool are_parameters);

/// What has become of the fields of a type.
struct FieldNames {
    /// Those that share a name with another one in some object, and those whose names stand in the way of the numbers.
    /// One that has another name has the same one in each such object, and its own elsewhere.
    std::vector<RenamedParameter> apart{};
    std::vector<RenamedParameter> written{};    ///< parameters that have another name for what cannot be written alone
    std::map<std::string, std::string> paths{}; ///< by those of the schema, where they are others now
};
/// Gives the fields of `type`, which have the names of a schema, those that programs have for them. With
/// `has_parameters` the outermost ones are parameters; of others those stay that no signature can write.
FieldNames name_fields(Type& type, bool has_parameters);

/// Of Tool::other_arguments, which has all of FieldNames::apart and `written`: the parameter that is meant by a name of
/// the schema, where that shares its name with another one.
std::map<std::string, std::string> twin_arguments(std::span<const std::string> other_arguments);

} // namespace ptc
