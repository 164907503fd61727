// Diagnostics: errors and warnings of one text, collected, sorted and capped.
#pragma once
#include "ptc/error.h"
#include <cstdint>
#include <vector>

namespace ptc {

enum class Severity : std::uint8_t { Error, Warning };

struct Diagnostic {
    Severity severity = Severity::Error;
    Error error;
    bool is_behind_syntax = false; ///< found in the text as the edits of its syntax errors mend it
};

/// A sink that stages report to. Keeps at most `kMaxDiagnostics`; counts the rest.
class Diagnostics {
public:
    static constexpr std::size_t kMaxDiagnostics = 50;
    void error(Error e);
    void warning(Error e);
    /// What was found in the text as the edits of its syntax errors mend it.
    void add_behind_syntax(Diagnostic diagnostic);
    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    [[nodiscard]] std::size_t error_count() const { return errors_; }
    /// Takes the repair of one diagnostic back.
    void clear_edits(std::size_t index);
    /// Lets `change(Diagnostic&)` see each one; those for which it gives false go away.
    template <class Change> void change(Change change) {
        std::erase_if(all_, [&](Diagnostic& diagnostic) { return !change(diagnostic); });
        errors_ = 0;
        for (const Diagnostic& diagnostic : all_)
            errors_ += diagnostic.severity == Severity::Error ? 1 : 0;
    }
    /// Makes one error of those that say the same of several places: the others are labels of the first, whose edits
    /// mend all of them.
    void join_repeated();
    /// Adds what another sink has kept and dropped.
    void merge(Diagnostics&& other);
    /// Dropped because the cap was reached; renderers say so. A stage may stop looking at the first one that is.
    [[nodiscard]] std::size_t dropped() const { return dropped_; }
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    /// Orders by position, errors before warnings at the same place; what is behind the syntax errors comes after them.
    void sort();

private:
    void add(Severity severity, Error e);
    std::vector<Diagnostic> all_;
    std::size_t errors_ = 0;
    std::size_t dropped_ = 0;
};

} // namespace ptc
