// The rules by which a type takes a value or not, for all who ask: the check of a value in a run (scalar_check.h) and
// the type check of literals before the run (compiler/check). Both describe what they look at as a Scalar.
#pragma once
#include "ptc/signature_text.h"
#include "ptc/type.h"
#include "runtime/signature/checks.h"
#include <string_view>

namespace ptc {

/// nil, a boolean, a number, a text or a keyword: what the rules look at. Borrows its text.
struct Scalar {
    ValueKind kind = ValueKind::Nil;
    bool is_true = false;
    bool is_wide = false; ///< an integer of more than 64 bits, of which only the sign counts: `integer` has it
    std::int64_t integer = 0;
    double number = 0;
    std::string_view text{}; ///< of a String or Keyword
};

/// The kinds of values that a type takes whatever their value is: none for Enum and Union. `exactly`: an integer is no
/// float.
[[nodiscard]] KindMask kinds_of_type(TypeKind kind, bool exactly = false);
/// The kinds that an argument of the type may have: texts and keywords become anything but collections.
[[nodiscard]] KindMask kinds_of_argument(TypeKind kind);

/// The parameters by the names under which calls give them: those without a name (of the Malli form) are arg1, arg2 ..;
/// a single map without a name is the map of arguments, whose fields they are.
[[nodiscard]] std::vector<Field> named_params(const Signature& signature);

[[nodiscard]] bool is_choice(const Choice& choice, const Scalar& value);
[[nodiscard]] bool is_within(const Type& type, const Scalar& number);

/// 3, -3, +3
[[nodiscard]] bool is_integer_text(std::string_view text);
/// 3, 3.14, 1.5e3
[[nodiscard]] bool is_float_text(std::string_view text);
[[nodiscard]] inline bool is_bool_text(std::string_view text) { return text == "true" || text == "false"; }
/// Around a float, unlike an integer, blanks are allowed, as in the reference.
[[nodiscard]] std::string_view trim_blanks(std::string_view text);

} // namespace ptc
