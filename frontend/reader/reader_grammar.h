// The X3 grammar's one entry point; only reader_grammar.cpp sees Spirit.
#pragma once
#include <string_view>

namespace ptc {

class FormBuilder;

/// Feeds every token of `text` to `builder`, until the end or until the builder stops. Linear in the text's size.
void run_grammar(std::string_view text, FormBuilder& builder);

} // namespace ptc
