// Arguments against the types of a signature, before anything runs.
#pragma once
#include "compiler/check/fact.h"
#include "frontend/form.h"
#include "ptc/type.h"
#include <optional>
#include <string>

namespace ptc {

/// Why an argument cannot pass.
struct Mismatch {
    Span span;                  ///< of the part that is wrong; empty when it is not written in the program
    std::string path;           ///< to it: ".customer.id", "[2]"
    const Type* type = nullptr; ///< what it is to be
    std::string got;            ///< "a string"; "" when it is missing
    bool is_written = false;    ///< it stands in the program like this; else it follows from what is known of a value
};

/// Whether a value written as `form` (null when it is not known how), of which `fact` is known, can never be a `type`
/// as tools take it: texts of numbers and booleans are numbers and booleans there (requirements 36 to 40), keywords are
/// texts. None when it may pass.
std::optional<Mismatch> find_mismatch(const Type& type, const Form* form, const Fact& fact);

} // namespace ptc
