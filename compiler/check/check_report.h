// Where the parts of the checker report to.
#pragma once
#include "frontend/work.h"
#include "ptc/diagnostic.h"
#include <algorithm>
#include <utility>

namespace ptc {

/// Borrows the diagnostics of the compilation. One warning a place, the first that is found. Beside errors only what
/// cannot come from them: that a name is not used, or a test always the same, may.
class WarningSink {
public:
    explicit WarningSink(Diagnostics& diagnostics)
        : diagnostics_(diagnostics), only_errors_(diagnostics.has_errors()) {}

    void warn(Error warning) {
        if (trials_ > 0) {
            const bool may_be_found = warning.reason == Reason::UnknownField || warning.reason == Reason::NotCallable ||
                                      warning.reason == Reason::NeverEqual;
            if (may_be_found && absent_.size() < kMostOfTrials) absent_.push_back(std::move(warning));
            return;
        }
        if (only_errors_ && !stands_beside_errors(warning)) return;
        if (!has_one_at(warning.span)) diagnostics_.warning(std::move(warning));
    }
    /// Certain in every call of a function: reported from a trial as well.
    void warn_always(Error warning) {
        if (!has_one_at(warning.span)) diagnostics_.warning(std::move(warning));
    }
    void error(Error error) {
        if (!has_one_at(error.span)) diagnostics_.error(std::move(error));
    }
    /// A function of the program is looked at with the arguments of one call: what it reads may be there in another
    /// call. Fields that no call finds are reported by `end_trials`; nothing else that is found in trials is.
    /// The result is for `end_trial`.
    [[nodiscard]] std::size_t begin_trial() {
        ++trials_;
        return absent_.size();
    }
    /// `is_recursive`: the function calls itself, with arguments that nobody looked at. Then nothing is known of what
    /// it does not find: a tree whose root lacks a field has it in its leaves.
    void end_trial(std::size_t begin, bool is_recursive) {
        --trials_;
        if (is_recursive) absent_.erase(absent_.begin() + static_cast<std::ptrdiff_t>(begin), absent_.end());
    }
    /// What trials have found missing so far; and takes back what they found since.
    struct Mark {
        std::size_t absent, found;
        std::uint32_t clashes;
    };
    [[nodiscard]] Mark mark() const { return {absent_.size(), found_.size(), clashes_}; }
    void take_back(Mark mark) {
        absent_.resize(std::min(mark.absent, absent_.size()));
        found_.resize(std::min(mark.found, found_.size()));
        clashes_ = mark.clashes;
    }
    void note_found(Span field) {
        if (trials_ > 0) {
            is_found_whole_ = is_found_whole_ && found_.size() < kMostFoundInTrials;
            if (is_found_whole_) found_.push_back(field);
        }
        if (found_anywhere_.size() < kMaxFound) found_anywhere_.push_back(field);
    }
    /// A function of the language gets a value that it can never use.
    void note_clash() { ++clashes_; }
    [[nodiscard]] const std::vector<Span>& found() const { return found_anywhere_; }
    [[nodiscard]] std::uint32_t clashes() const { return clashes_; }
    [[nodiscard]] bool is_trial() const { return trials_ > 0; }
    void end_trials() {
        const auto place = [](const Span& span) { return std::pair(span.begin, span.end); };
        std::ranges::sort(found_, {}, place);
        for (Error& absent : absent_) {
            if (is_found_whole_ && !is_full() && !std::ranges::binary_search(found_, place(absent.span), {}, place))
                warn(std::move(absent));
        }
        absent_.clear();
    }
    [[nodiscard]] bool is_full() const {
        return diagnostics_.all().size() >= Diagnostics::kMaxDiagnostics || work::is_over();
    }

private:
    /// What is known of data and tools does not depend on what is wrong elsewhere; inside of a wrong form it may.
    [[nodiscard]] bool stands_beside_errors(const Error& warning) const {
        const Reason reason = warning.reason;
        if (reason != Reason::UnknownField && reason != Reason::UnboundVar && reason != Reason::SuspiciousForm &&
            reason != Reason::NeverEqual && reason != Reason::InvalidToolArgs)
            return false;
        if (reason == Reason::UnboundVar) return true;
        return std::ranges::none_of(diagnostics_.all(), [&](const Diagnostic& known) {
            const Span other = known.error.span;
            const bool is_error = known.severity == Severity::Error && known.error.has_span;
            return is_error && other.begin < warning.span.end && warning.span.begin < other.end;
        });
    }
    [[nodiscard]] bool has_one_at(Span span) const {
        for (const Diagnostic& earlier : diagnostics_.all()) {
            if (earlier.error.span == span) return true;
        }
        return false;
    }

    Diagnostics& diagnostics_;
    bool only_errors_;
    std::uint32_t trials_ = 0; ///< that are under way
    static constexpr std::size_t kMostOfTrials = 10'000;
    static constexpr std::size_t kMostFoundInTrials = 1'000'000;
    std::vector<Error> absent_;
    std::vector<Span> found_;
    bool is_found_whole_ = true; ///< else nobody knows what no call has found
    static constexpr std::size_t kMaxFound = 10'000;
    std::vector<Span> found_anywhere_; ///< in trials and outside of them
    std::uint32_t clashes_ = 0;
};

} // namespace ptc
