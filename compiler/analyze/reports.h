// What an analysis reports, and whether it goes on.
#pragma once
#include "ptc/diagnostic.h"
#include <cstddef>

namespace ptc {

/// The errors of one analysis. Owns the count and the stop; borrows the diagnostics that errors go to.
class Reports {
public:
    explicit Reports(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
    /// A form may be analysed more than once (a small function literal that is inlined at two places), and what follows
    /// from a mistake is not reported again: one error a span.
    void add(Error error);
    /// A limit is exceeded: the analysis ends as soon as it can. Only the first one is reported.
    void stop(Error error);
    void stop() { stopped_ = true; }
    [[nodiscard]] bool stopped() const { return stopped_; }
    /// Nobody sees what is found from here on.
    [[nodiscard]] bool is_full() const { return diagnostics_.dropped() > 0; }
    /// Calls of `add`: what compares two of them knows whether something in between was wrong.
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    Diagnostics& diagnostics_;
    std::size_t count_ = 0;
    bool stopped_ = false;
};

} // namespace ptc
