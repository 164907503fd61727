// What a session remembers of the texts of its programs: the forms that later ones may go on with. What a multimethod
// with its methods, a protocol with its records, a hierarchy or an alias means is settled when a program is compiled;
// so a later one that goes on with such a form is compiled behind those that came before: they are its own then.
// Definitions of what tools gave, (def users (tool/users {})), are remembered as well: the checker looks at them again
// when a later program reads the name, as more may be known of the tool by then.
#pragma once
#include "frontend/form.h"
#include "ptc/source.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

class KnownNames;

/// What may be remembered, in bytes; what is beyond is forgotten, the oldest first.
inline constexpr std::size_t kMostDeclarations = std::size_t{64} << 10;

/// Of a definition of what tools gave, in bytes; a longer one is not remembered.
inline constexpr std::size_t kMostOfDefinition = std::size_t{4} << 10;

/// Whether a form of the program is one that is remembered. `has_tools`: it may call some.
bool declares(std::span<const Form> program, bool has_tools);

/// Of `earlier`, the forms of such a text, the definitions of what tools gave, in the order in which they were made, if
/// the program reads one of them; else none.
std::vector<Form> received_definitions(const Forms& earlier, std::span<const Form> program);

/// Whether there is anything in such a text but definitions of what tools gave.
bool declares_more(std::string_view declarations);

/// The part of `earlier`, the forms of such a text, that a program goes on with; "" where it goes on with none. What
/// the program (its forms, of `source`) declares itself is left out. `bound`: names that the session has values of.
std::string declarations_for(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                             const Source& source, const KnownNames* bound);

/// What is to be remembered behind the program: of `earlier` what it does not say anew, and what it declares.
std::string declarations_after(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                               const Source& source);

} // namespace ptc
