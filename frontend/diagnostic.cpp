#include "ptc/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace ptc {

void Diagnostics::add(Severity severity, Error e) {
    if (severity == Severity::Error) ++errors_;
    if (all_.size() == kMaxDiagnostics) {
        ++dropped_;
        return;
    }
    all_.push_back({severity, std::move(e)});
}

void Diagnostics::merge(Diagnostics&& other) {
    for (Diagnostic& diagnostic : other.all_)
        add(diagnostic.severity, std::move(diagnostic.error));
    dropped_ += other.dropped_;
    errors_ += other.errors_ -
               static_cast<std::size_t>(std::count_if(other.all_.begin(), other.all_.end(), [](const Diagnostic& d) {
                   return d.severity == Severity::Error;
               }));
    other = {};
}

void Diagnostics::sort() {
    const auto is_before = [](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(a.error.span.begin, a.severity) < std::tuple(b.error.span.begin, b.severity);
    };
    // Insertion keeps the order in which a stage found what it reports at one place; there are few diagnostics.
    for (auto it = all_.begin(); it != all_.end(); ++it) {
        std::rotate(std::upper_bound(all_.begin(), it, *it, is_before), it, it + 1);
    }
}

} // namespace ptc
