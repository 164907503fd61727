// What is known of the session's definitions that hold what tools gave: by now, which may be more than when they were
// made.
#pragma once
#include "compiler/check/checker.h"
#include <optional>

namespace ptc {

/// Owns the forms and the facts; borrows the environment and the core library.
class Received {
public:
    /// Looks at definitions among the environment's declarations if `program` reads one of them; reports nothing.
    Received(const Environment& environment, const CoreLibrary& core, std::span<const Form> program);
    /// For Environment::received.
    [[nodiscard]] std::span<const DataInfo> facts() const { return facts_; }

private:
    Source source_;
    Tree no_tree_{};
    Forms forms_{};
    Diagnostics ignored_{};
    std::optional<Checker> checker_{};
    std::vector<DataInfo> facts_{};
};

} // namespace ptc
