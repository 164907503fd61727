// Positions of many places of one text, each found by counting a few hundred bytes: Source::position counts from the
// start of the text for each.
#pragma once
#include "ptc/source.h"
#include <vector>

namespace ptc {

class Positions {
public:
    explicit Positions(const Source& source); ///< borrowed
    /// What Source::position gives, for a text as its author wrote it.
    [[nodiscard]] LineColumn of(std::uint32_t offset) const;

private:
    const Source& source_;
    std::vector<LineColumn> marks_; ///< at the same distance from each other
};

} // namespace ptc
