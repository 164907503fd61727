// Where the parts of the checker report to.
#pragma once
#include "ptc/diagnostic.h"

namespace ptc {

/// Borrows the diagnostics of the compilation. One warning a place, the first that is found; none at all where what is
/// warned of may come from an error that is known.
class WarningSink {
public:
    explicit WarningSink(Diagnostics& diagnostics)
        : diagnostics_(diagnostics), only_errors_(diagnostics.has_errors()) {}

    void warn(Error warning) {
        if (!only_errors_ && !has_one_at(warning.span)) diagnostics_.warning(std::move(warning));
    }
    void error(Error error) {
        if (!has_one_at(error.span)) diagnostics_.error(std::move(error));
    }
    [[nodiscard]] bool is_full() const { return diagnostics_.all().size() >= Diagnostics::kMaxDiagnostics; }
    [[nodiscard]] bool only_errors() const { return only_errors_; }

private:
    [[nodiscard]] bool has_one_at(Span span) const {
        for (const Diagnostic& earlier : diagnostics_.all()) {
            if (earlier.error.span == span) return true;
        }
        return false;
    }

    Diagnostics& diagnostics_;
    bool only_errors_;
};

} // namespace ptc
