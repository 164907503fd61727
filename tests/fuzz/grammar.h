// What a kind of text is made of, for mutators: words, literals, whole forms, and what may be put around a form. Names
// come from the tables that the product itself goes by, so that a new builtin is tried without a line here.
#pragma once
#include "tests/fuzz/text_tree.h"
#include <string>
#include <vector>

namespace ptc::fuzz {

struct Grammar {
    Dialect dialect;
    std::vector<std::string> names;    ///< what may stand at the head of a list, or anywhere
    std::vector<std::string> literals; ///< small ones, and those that break things
    std::vector<std::string> forms;    ///< examples of everything
    /// Around a form: % is the form, $ a name, & a literal, ~ another form.
    std::vector<std::string> wraps;
};

const Grammar& program_grammar();
const Grammar& json_grammar();
const Grammar& signature_grammar();
const Grammar& malli_grammar();
const Grammar& template_grammar();

} // namespace ptc::fuzz
