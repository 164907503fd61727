#include "ptc/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace ptc {

void Diagnostics::error(Error e) { add(Severity::Error, std::move(e)); }
void Diagnostics::warning(Error e) { add(Severity::Warning, std::move(e)); }
void Diagnostics::clear_edits(std::size_t index) { all_[index].error.edits.clear(); }

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

namespace {

bool overlap(const Error& a, const Error& b) {
    for (const Edit& x : a.edits) {
        for (const Edit& y : b.edits) {
            if (x.span.begin <= y.span.end && y.span.begin <= x.span.end) return true;
        }
    }
    return false;
}

/// Whether `later` says what `first` does. Only of names: two wrong calls of one function are two mistakes.
bool says_the_same(const Diagnostic& first, const Diagnostic& later) {
    return first.severity == Severity::Error && later.severity == Severity::Error &&
           first.error.reason == Reason::UnboundVar && later.error.reason == Reason::UnboundVar &&
           first.error.message == later.error.message && first.error.hint == later.error.hint &&
           first.error.edits.empty() == later.error.edits.empty() && !overlap(first.error, later.error);
}

} // namespace

void Diagnostics::join_repeated() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        for (std::size_t j = i + 1; j < all_.size();) {
            if (!says_the_same(all_[i], all_[j])) {
                ++j;
                continue;
            }
            Error& first = all_[i].error;
            first.labels.push_back({all_[j].error.span, "here, too"});
            first.edits.insert(first.edits.end(), all_[j].error.edits.begin(), all_[j].error.edits.end());
            all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(j));
            --errors_;
        }
    }
}

void Diagnostics::add_behind_syntax(Diagnostic diagnostic) {
    const std::size_t before = all_.size();
    add(diagnostic.severity, std::move(diagnostic.error));
    if (all_.size() > before) all_.back().is_behind_syntax = true;
}

void Diagnostics::sort() {
    const auto is_before = [](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(a.is_behind_syntax, a.error.span.begin, a.severity) <
               std::tuple(b.is_behind_syntax, b.error.span.begin, b.severity);
    };
    // Insertion keeps the order in which a stage found what it reports at one place; there are few diagnostics.
    for (auto it = all_.begin(); it != all_.end(); ++it) {
        std::rotate(std::upper_bound(all_.begin(), it, *it, is_before), it, it + 1);
    }
}

} // namespace ptc
