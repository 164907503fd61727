// The words of the language, for tests of the text's own tools.
#pragma once
#include "compiler/language/vocabulary.h"
#include "tests/support/core.h"

namespace ptc::test {

inline const Vocabulary& vocabulary() {
    static const LanguageVocabulary words(core());
    return words;
}

} // namespace ptc::test
