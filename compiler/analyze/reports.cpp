#include "compiler/analyze/reports.h"
#include <utility>

namespace ptc {

void Reports::add(Error error) {
    ++count_;
    for (const Diagnostic& earlier : diagnostics_.all()) {
        if (earlier.error.span == error.span) return;
    }
    diagnostics_.error(std::move(error));
}

void Reports::stop(Error error) {
    if (stopped_) return;
    stopped_ = true;
    add(std::move(error));
}

} // namespace ptc
