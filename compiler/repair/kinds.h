// Which kinds of value a form may give and a parameter takes: what arguments are put in order by.
#pragma once
#include "compiler/language/reference.h"
#include "compiler/repair/call_site.h"
#include "runtime/kinds.h"

namespace ptc::repair {

using ptc::Kinds;
inline constexpr Kinds kNilKind = kinds::kNil, kBoolean = kinds::kBoolean, kNumber = kinds::kNumber,
                       kText = kinds::kText, kKeyword = kinds::kKeyword, kVectorKind = kinds::kVector,
                       kMapKind = kinds::kMap, kSetKind = kinds::kSet, kFunctionKind = kinds::kFunction,
                       kRegex = kinds::kRegex, kAnyKind = kinds::kAny;
inline constexpr Kinds kCollection = kVectorKind | kMapKind | kSetKind;

/// What the value of `form` may be.
[[nodiscard]] Kinds kinds_of(const Code& code, const Place& place);
/// What a run has met there.
[[nodiscard]] Kinds kinds_of(OperandKind kind);
/// What a parameter of this name takes, going by the names that usage texts have.
[[nodiscard]] Kinds kinds_of_parameter(std::string_view name);

/// Whether the second parameter is a vector of keys: "(get-in coll path)", "(select-keys coll keys)".
[[nodiscard]] bool takes_keys(std::string_view usage);

/// An order of arguments that fits the parameters better than the order they have: order[i] is the index of the
/// argument that parameter i should get. Empty when there is none.
[[nodiscard]] std::vector<std::size_t> better_order(std::span<const std::string_view> parameters,
                                                    std::span<const Kinds> arguments);

} // namespace ptc::repair
