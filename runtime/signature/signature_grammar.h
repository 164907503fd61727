// The X3 grammar of signatures; only signature_grammar.cpp sees Spirit.
#pragma once
#include "runtime/signature/signature_builder.h"

namespace ptc {

/// Feeds `text` to `builder`. True if all of it is a signature; else the builder has an error.
bool run_signature_grammar(std::string_view text, SignatureBuilder& builder);
/// The text form alone, as parse_signature reads it.
Result<Signature> parse_shorthand(std::string_view text);

} // namespace ptc
