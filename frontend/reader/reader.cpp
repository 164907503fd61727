#include "frontend/reader/reader.h"

#include "frontend/reader/form_builder.h"
#include "frontend/reader/model_text.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/reader/reader_grammar.h"
#include "frontend/reader/string_repair.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include <algorithm>

// A text that reads well is read once. All else is on the error path: a text that does not read is cleaned of what
// models write around and inside of programs (model_text.h), then a missing quote is looked for (string_repair.h); what
// is reported is what is wrong with the text that was most likely meant. The spans are always those of the text as it
// stands: a cleaned text is as long as the original, and Relocation takes an inserted quote into account.

namespace ptc {
namespace {

constexpr std::size_t kBytesOfUnit = 100; ///< that are gone through for a unit of work

/// Reports every malformed byte; true when there is none.
bool check_encoding(const Source& source, Diagnostics& diagnostics) {
    const std::string_view text = source.text();
    std::size_t from = 0;
    while (diagnostics.dropped() == 0) {
        const std::size_t at = utf8::find_invalid(text.substr(from));
        if (at == utf8::kValid) return from == 0;
        diagnostics.error(invalid_utf8(source, static_cast<std::uint32_t>(from + at)));
        from += at + 1;
    }
    return false;
}

/// Moves an error from the text with a quote put in at `place` to the text without it.
class Relocation {
public:
    explicit Relocation(std::uint32_t place) : place_(place) {}

    void apply(Error& error) const {
        move(error.span);
        for (Label& label : error.labels)
            move(label.span);
        for (Edit& edit : error.edits)
            move(edit.span);
    }

    /// Text that goes in right behind the quote. Two insertions at one offset have no order, so they must become one.
    [[nodiscard]] std::string take_adjacent(Error& error) const {
        std::string text;
        std::erase_if(error.edits, [&](const Edit& edit) {
            const bool is_adjacent = edit.span == Span{place_ + 1, place_ + 1};
            if (is_adjacent) text += edit.text;
            return is_adjacent;
        });
        return text;
    }

private:
    void move(Span& span) const {
        if (span.begin > place_) --span.begin;
        if (span.end > place_) --span.end;
    }
    std::uint32_t place_;
};

/// A text, read once.
struct Reading {
    Forms forms;
    Diagnostics problems;
    bool is_broken = false; ///< its brackets do not match, or it ends inside a string
    std::uint32_t unterminated_at = FormBuilder::kNone;

    [[nodiscard]] bool ends_in_string() const { return unterminated_at != FormBuilder::kNone; }
    [[nodiscard]] bool reads_well() const { return !is_broken && !problems.has_errors(); }
};

Reading read_once(const Source& source, const ReadLimits& limits, std::vector<SyntaxToken>* tokens = nullptr) {
    Reading reading;
    FormBuilder builder(source, limits, reading.problems, reading.forms, tokens);
    run_grammar(source.text(), builder);
    builder.finish();
    reading.is_broken = builder.is_broken();
    reading.unterminated_at = builder.unterminated_at();
    return reading;
}

/// A text that ends inside a string: what was read behind the missing quote is noise, so it is read again with the
/// quote.
Diagnostics report_missing_quote(const Source& source, const ReadLimits& limits, std::uint32_t unterminated_at) {
    const MissingQuote missing = find_missing_quote(source.text(), limits.vocabulary, unterminated_at);
    Error error = missing.partner < missing.insert_at ? unterminated_string(source, missing.partner, missing.insert_at)
                                                      : unopened_string(source, missing.partner, missing.insert_at);
    std::string repaired(source.text());
    repaired.insert(missing.insert_at, 1, '"');
    const Source better(source.name(), std::move(repaired), missing.insert_at);
    ReadLimits roomier = limits; // the quote may be one byte too many
    roomier.max_bytes += 1;
    const Reading reading = read_once(better, roomier);
    const Relocation relocation(missing.insert_at);
    Diagnostics moved;
    for (Diagnostic other : reading.problems.all()) {
        error.edits.front().text += relocation.take_adjacent(other.error);
        relocation.apply(other.error);
        if (other.severity == Severity::Error) moved.error(std::move(other.error));
    }
    moved.error(std::move(error));
    return moved;
}

/// What is wrong with a text that was read as it stands.
Diagnostics problems_of(const Source& source, const ReadLimits& limits, Reading reading) {
    if (reading.ends_in_string()) return report_missing_quote(source, limits, reading.unterminated_at);
    return std::move(reading.problems);
}

/// Whether a cleaned text that reads like this is what the author meant.
bool proves(Cleaning::Proof proof, const Reading& cleaned) {
    switch (proof) {
    case Cleaning::Proof::None: return true;
    case Cleaning::Proof::ReadsWell: return cleaned.reads_well();
    case Cleaning::Proof::BracketsMatch: return !cleaned.is_broken;
    }
    return false;
}

/// What is wrong with a text that does not read: seen as the first cleaning sees it that its proof speaks for, else as
/// it stands.
Diagnostics explain(const Source& source, const ReadLimits& limits, Reading written) {
    for (const Cleaning& cleaning : cleanings()) {
        if (!work::charge(source.text().size() / kBytesOfUnit)) return {};
        if (cleaning.proof == Cleaning::Proof::BracketsMatch && !written.is_broken) continue;
        const CleanedText cleaned = cleaning.clean(source.text());
        if (cleaned.places.empty()) continue;
        const Source better(source.name(), cleaned.text);
        Reading reading = read_once(better, limits);
        if (!proves(cleaning.proof, reading)) continue;
        Diagnostics found = problems_of(better, limits, std::move(reading));
        cleaning.report(source, cleaned, found);
        return found;
    }
    return problems_of(source, limits, std::move(written));
}

bool is_inside(const Error& inner, const Error& outer) {
    for (const Edit& edit : outer.edits) {
        for (const Edit& other : inner.edits) {
            const bool is_replaced = other.span.begin < edit.span.end && edit.span.begin < other.span.end;
            const bool is_in_the_middle = edit.span.begin < other.span.begin && other.span.end < edit.span.end;
            if (is_replaced || is_in_the_middle) return true;
        }
    }
    return false;
}

/// All edits may be applied together: what is inside of text that another error deletes, such as ^{:a 1/2}, needs none.
void clear_nested_edits(Diagnostics& found) {
    const std::vector<Diagnostic>& all = found.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Error& inner = all[i].error;
        const auto is_around = [&](const Diagnostic& other) {
            return &other.error != &inner && is_inside(inner, other.error) &&
                   other.error.span.begin <= inner.span.begin;
        };
        if (std::any_of(all.begin(), all.end(), is_around)) found.clear_edits(i);
    }
}

} // namespace

Forms read_forms(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics,
                 std::vector<SyntaxToken>* tokens) {
    if (source.text().size() > limits.max_bytes) {
        diagnostics.error(source_too_large(source, limits.max_bytes));
        return {};
    }
    if (!check_encoding(source, diagnostics)) return {};
    Reading reading = read_once(source, limits, tokens);
    Forms forms = std::move(reading.forms);
    if (work::is_over()) return {};
    if (reading.reads_well()) {
        diagnostics.merge(std::move(reading.problems)); // warnings
        return forms;
    }
    Diagnostics found = explain(source, limits, std::move(reading));
    clear_nested_edits(found);
    diagnostics.merge(std::move(found));
    diagnostics.sort();
    return forms;
}

Forms read_part(const Source& source, Span part, const ReadLimits& limits, Diagnostics& diagnostics) {
    Forms forms;
    FormBuilder builder(source, limits, diagnostics, forms, nullptr);
    run_grammar(source.text(part), builder);
    builder.finish();
    return forms;
}

} // namespace ptc
