// What a session remembers of the texts of its programs: the forms that later ones may go on with. What a multimethod
// with its methods, a protocol with its records, a hierarchy or an alias means is settled when a program is compiled;
// so a later one that goes on with such a form is compiled behind those that came before: they are its own then.
#pragma once
#include "frontend/form.h"
#include "ptc/source.h"
#include <span>
#include <string>
#include <string_view>

namespace ptc {

/// What may be remembered, in bytes; what is beyond is forgotten, the oldest first.
inline constexpr std::size_t kMostDeclarations = std::size_t{64} << 10;

/// Whether a form of the program is one that is remembered.
bool declares(std::span<const Form> program);

/// The part of `earlier`, the forms of such a text, that a program goes on with; "" where it goes on with none. What
/// the program (its forms, of `source`) declares itself is left out. `bound`: names that the session has values of.
std::string declarations_for(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                             const Source& source, std::span<const std::string_view> bound);

/// What is to be remembered behind the program: of `earlier` what it does not say anew, and what it declares.
std::string declarations_after(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                               const Source& source);

} // namespace ptc
