// The table of special forms; the rows are in special_forms.def. What their columns are written with stands here.
#pragma once
#include "frontend/vocabulary.h"
#include "runtime/kinds.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ptc {

/// Which parts of a form may be its value: those in tail position. Parts are counted from the name, which is 0.
struct Tails {
    enum Shape : std::uint8_t {
        None,    ///< the value is made of the parts, or where it comes from is decided by a part itself: and, or
        Last,    ///< the last part, from `first` on
        Guarded, ///< as Last, or nil when a test fails
        From,    ///< each part from `first` on
        Results, ///< every second part from `first` on, and a last one that has no test
    } shape = None;
    std::uint8_t first = 0;
};

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
    Tails tails;
    Kinds gives;
    const char* section; ///< in the reference
    const char* usage;   ///< every shape in brackets
    const char* doc;
    const char* example;
    const char* example_result; ///< as pr-str prints it, or "!! reason"
    const char* differs;        ///< from Clojure; "" where it does not
};

std::span<const SpecialForm> special_forms();
/// The row of this name; null for other names.
[[nodiscard]] const SpecialForm* special_form_of(std::string_view name);
/// Whether its first part is a vector of names and values: let, loop, for, if-let .., and let*.
[[nodiscard]] bool binds_pairs(std::string_view name);
/// Whether the value of a form with `size` parts may be that of part `index`.
[[nodiscard]] bool is_tail(Tails tails, std::size_t index, std::size_t size);

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

inline constexpr Tails no_tail{};
constexpr Tails tail_at_end(std::uint8_t first) { return {Tails::Last, first}; }
constexpr Tails guarded_tail(std::uint8_t first) { return {Tails::Guarded, first}; }
constexpr Tails tails_from(std::uint8_t first) { return {Tails::From, first}; }
constexpr Tails tail_results(std::uint8_t first) { return {Tails::Results, first}; }

inline constexpr std::nullopt_t unknown = std::nullopt;
constexpr KnownHead as_call(std::uint8_t min, std::uint8_t max) { return {KnownHead::Call, {}, min, max}; }
constexpr KnownHead special(std::uint8_t min, std::uint8_t max) { return {KnownHead::Special, {}, min, max}; }
constexpr KnownHead binding(std::uint8_t min, std::uint8_t max) { return {KnownHead::Binding, {}, min, max}; }
constexpr KnownHead threading(std::uint8_t min, std::uint8_t max) { return {KnownHead::Threading, {}, min, max}; }
constexpr KnownHead definition(std::uint8_t min, std::uint8_t max) { return {KnownHead::Function, {}, min, max}; }
} // namespace form_columns

} // namespace ptc
