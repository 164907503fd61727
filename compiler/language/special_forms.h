// The table of special forms; the rows are in special_forms.def. What their columns are written with stands here.
#pragma once
#include "frontend/vocabulary.h"
#include "runtime/kinds.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ptc {

struct SpecialForm {
    enum Shadowing : std::uint8_t {
        kTrue,  ///< nothing hides it where it is called
        kFixed, ///< only a local binding hides it
        kOpen,  ///< a definition of the program hides it too
        kCore,  ///< exists in the core library only
    };
    const char* name;
    Shadowing shadowing;
    FormStyle style;
    std::optional<KnownHead> head;
    Kinds gives;
    const char* section; ///< in the reference
    const char* usage;   ///< every shape in brackets
    const char* doc;
    const char* example;
    const char* example_result; ///< as pr-str prints it, or "!! reason"
    const char* differs;        ///< from Clojure; "" where it does not
};

std::span<const SpecialForm> special_forms();
/// Whether its first part is a vector of names and values: let, loop, for, if-let .., and let*.
[[nodiscard]] bool binds_pairs(std::string_view name);

/// The words of special_forms.def.
namespace form_columns {
inline constexpr std::uint8_t kMany = 255;

inline constexpr FormStyle as_arguments{};
inline constexpr FormStyle steps{FormStyle::Steps};
inline constexpr FormStyle function{FormStyle::Function};
inline constexpr FormStyle bindings{FormStyle::Body, 1, true};
constexpr FormStyle body(std::uint8_t leading) { return {FormStyle::Body, leading}; }
constexpr FormStyle loose_body(std::uint8_t leading) { return {FormStyle::LooseBody, leading}; }
constexpr FormStyle pairs(std::uint8_t leading) { return {FormStyle::Pairs, leading}; }

inline constexpr std::nullopt_t unknown = std::nullopt;
constexpr KnownHead as_call(std::uint8_t min, std::uint8_t max) { return {KnownHead::Call, {}, min, max}; }
constexpr KnownHead special(std::uint8_t min, std::uint8_t max) { return {KnownHead::Special, {}, min, max}; }
constexpr KnownHead binding(std::uint8_t min, std::uint8_t max) { return {KnownHead::Binding, {}, min, max}; }
constexpr KnownHead threading(std::uint8_t min, std::uint8_t max) { return {KnownHead::Threading, {}, min, max}; }
constexpr KnownHead definition(std::uint8_t min, std::uint8_t max) { return {KnownHead::Function, {}, min, max}; }
} // namespace form_columns

} // namespace ptc
