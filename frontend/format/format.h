// The formatter behind `ptcc fmt`: one way to lay out a program, in the community's Clojure style.
//
// Line breaks of the author stay, as in gofmt; what is added: breaks where a line would be longer than 100 columns and
// where a form that takes several lines asks for them (bodies, steps of a threading, pairs), and all indentation.
#pragma once
#include "frontend/vocabulary.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <string>

namespace ptc {

/// The text of `source`, laid out. Reading it gives the same forms; every comment and the spelling of every token is
/// kept, commas are not; at most one blank line stays between two things. Formatting the result gives the result again.
/// `vocabulary` says which forms have bodies, bindings or pairs. Linear in the text's size. A text with syntax errors,
/// or whose layout would be longer than a source may be, is reported to `diagnostics` as read_forms does; the result is
/// then "". So it is when the budget is over (frontend/work.h); what was found then means nothing.
std::string format_source(const Source& source, const Vocabulary& vocabulary, Diagnostics& diagnostics);

} // namespace ptc
