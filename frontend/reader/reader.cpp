#include "frontend/reader/reader.h"

#include "frontend/reader/foreign_syntax.h"
#include "frontend/reader/form_builder.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/reader/reader_grammar.h"
#include "frontend/reader/string_repair.h"
#include "frontend/utf8.h"
#include <algorithm>

namespace ptc {
namespace {

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

/// A text that ends inside a string: what was read behind the missing quote is noise, so it is read again with the
/// quote.
Diagnostics report_missing_quote(const Source& source, const ReadLimits& limits, std::uint32_t unterminated_at) {
    const MissingQuote missing = find_missing_quote(source.text(), unterminated_at);
    Error error = missing.partner < missing.insert_at ? unterminated_string(source, missing.partner, missing.insert_at)
                                                      : unopened_string(source, missing.partner, missing.insert_at);
    std::string repaired(source.text());
    repaired.insert(missing.insert_at, 1, '"');
    const Source better(source.name(), std::move(repaired), missing.insert_at);
    Diagnostics others;
    Forms forms;
    ReadLimits roomier = limits; // the quote may be one byte too many
    roomier.max_bytes += 1;
    FormBuilder builder(better, roomier, others, forms);
    run_grammar(better.text(), builder);
    builder.finish();
    const Relocation relocation(missing.insert_at);
    Diagnostics moved;
    for (Diagnostic other : others.all()) {
        error.edits.front().text += relocation.take_adjacent(other.error);
        relocation.apply(other.error);
        moved.error(std::move(other.error));
    }
    moved.error(std::move(error));
    return moved;
}

/// What a text with `respelled` in its place has to report, when its brackets match; false when they do not.
bool report_respelling(const Source& source, const ReadLimits& limits, const Respelled& respelled, bool is_comment,
                       Diagnostics& found) {
    if (respelled.places.empty()) return false;
    const Source better(source.name(), respelled.text);
    Diagnostics others;
    Forms forms;
    FormBuilder builder(better, limits, others, forms);
    run_grammar(better.text(), builder);
    builder.finish();
    if (builder.is_broken()) return false;
    for (const std::uint32_t at : respelled.places)
        others.error(is_comment ? foreign_comment(source, at) : separating_semicolon(at));
    found = std::move(others);
    return true;
}

bool report_respelled(const Source& source, const ReadLimits& limits, Diagnostics& found) {
    return report_respelling(source, limits, with_comments(source.text()), true, found) ||
           report_respelling(source, limits, without_semicolons(source.text()), false, found);
}

/// What is wrong with a text of the same length.
Diagnostics problems_of(const Source& better, const ReadLimits& limits) {
    Diagnostics found;
    Forms forms;
    FormBuilder builder(better, limits, found, forms);
    run_grammar(better.text(), builder);
    builder.finish();
    const bool is_open = builder.unterminated_at() != FormBuilder::kNone;
    return is_open ? report_missing_quote(better, limits, builder.unterminated_at()) : std::move(found);
}

/// A program between fences, as it stands in Markdown.
bool report_fences(const Source& source, const ReadLimits& limits, Diagnostics& found) {
    const Respelled respelled = without_fences(source.text());
    if (respelled.places.empty()) return false;
    found = problems_of(Source(source.name(), respelled.text), limits);
    found.error(fenced_program(source, respelled.places));
    return true;
}

/// Sentences around a program, when nothing else is wrong without them.
bool report_prose(const Source& source, const ReadLimits& limits, Diagnostics& found) {
    const Respelled respelled = without_prose(source.text());
    if (respelled.places.empty() || respelled.text.find_first_not_of(" \t\r\n") == std::string::npos) return false;
    if (!problems_of(Source(source.name(), respelled.text), limits).all().empty()) return false;
    std::vector<std::uint32_t> lines = without_fences(source.text()).places;
    lines.insert(lines.end(), respelled.places.begin(), respelled.places.end());
    std::sort(lines.begin(), lines.end());
    found = Diagnostics();
    found.error(prose_around_program(source, lines));
    return true;
}

/// 'some text' as a string, when nothing else is wrong then.
bool report_single_quotes(const Source& source, const ReadLimits& limits, Diagnostics& found) {
    const Respelled respelled = with_double_quotes(source.text());
    if (respelled.places.empty()) return false;
    if (!problems_of(Source(source.name(), respelled.text), limits).all().empty()) return false;
    found = Diagnostics();
    for (std::size_t i = 0; i + 1 < respelled.places.size(); i += 2)
        found.error(single_quoted_string(respelled.places[i], respelled.places[i + 1]));
    return true;
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
    Forms forms;
    if (source.text().size() > limits.max_bytes) {
        diagnostics.error(source_too_large(source, limits.max_bytes));
        return forms;
    }
    if (!check_encoding(source, diagnostics)) return forms;
    Diagnostics found;
    FormBuilder builder(source, limits, found, forms, tokens);
    run_grammar(source.text(), builder);
    builder.finish();
    const bool is_open = builder.unterminated_at() != FormBuilder::kNone;
    const bool is_wrong = is_open || builder.is_broken() || !found.all().empty();
    if (is_wrong && (report_prose(source, limits, found) || report_fences(source, limits, found) ||
                     report_single_quotes(source, limits, found))) {
        // Only these are wrong, or what is wrong without them.
    } else if (builder.is_broken() && report_respelled(source, limits, found)) {
        // The brackets match when the signs of another language are taken for what they are there.
    } else if (is_open)
        found = report_missing_quote(source, limits, builder.unterminated_at());
    if (found.all().empty()) return forms;
    clear_nested_edits(found);
    diagnostics.merge(std::move(found));
    diagnostics.sort();
    return forms;
}

} // namespace ptc
