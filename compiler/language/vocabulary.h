// The language's names as the reader's repairs and the formatter know them: what the tables say, in their terms.
#pragma once
#include "compiler/language/core_library.h"
#include "frontend/vocabulary.h"

namespace ptc {

class LanguageVocabulary final : public Vocabulary {
public:
    /// `core` outlives it.
    explicit LanguageVocabulary(const CoreLibrary& core) : core_(core) {}
    [[nodiscard]] std::optional<KnownHead> head(std::string_view name) const override;
    [[nodiscard]] FormStyle style(std::string_view name) const override;

private:
    const CoreLibrary& core_;
};

} // namespace ptc
