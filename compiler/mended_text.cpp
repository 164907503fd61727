// A text whose syntax errors all have edits is compiled as the edits would leave it, so that one answer says
// everything: a missing bracket hides every other mistake of a program otherwise. Places in the mended text are moved
// back to the text as it stands; what lies in text that an edit puts in has no place there, and an edit that overlaps
// one of the syntax's edits is left out, as all edits of an answer may be applied together.
#include "compiler/mended_text.h"
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ptc {
namespace {

std::vector<Edit> edits_of(const Diagnostics& found) {
    std::vector<Edit> edits;
    for (const Diagnostic& diagnostic : found.all()) {
        if (diagnostic.severity != Severity::Error) continue;
        if (diagnostic.error.edits.empty()) return {};
        edits.insert(edits.end(), diagnostic.error.edits.begin(), diagnostic.error.edits.end());
    }
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
    for (std::size_t i = 1; i < edits.size(); ++i) {
        if (edits[i].span.begin < edits[i - 1].span.end) return {};
    }
    return edits;
}

std::string apply(std::string_view text, const std::vector<Edit>& edits) {
    std::string mended;
    std::uint32_t at = 0;
    for (const Edit& edit : edits) {
        mended.append(text.substr(at, edit.span.begin - at)).append(edit.text);
        at = edit.span.end;
    }
    return mended.append(text.substr(at));
}

/// From offsets of the mended text to those of the text as it stands.
class WayBack {
public:
    explicit WayBack(const std::vector<Edit>& edits) : edits_(edits) {}

    /// None for a place inside of text that was put in. Where text was taken away, what ends there ends in front of it,
    /// and what begins there begins behind it.
    [[nodiscard]] std::optional<std::uint32_t> offset(std::uint32_t at, bool begins) const {
        std::int64_t moved = 0; // how much longer the mended text is up to here
        for (const Edit& edit : edits_) {
            const std::int64_t begin = edit.span.begin + moved;
            const bool is_behind = begins && at == begin && edit.text.empty();
            if (at <= begin && !is_behind) break;
            const std::int64_t end = begin + static_cast<std::int64_t>(edit.text.size());
            if (at < end) return std::nullopt;
            moved += static_cast<std::int64_t>(edit.text.size()) - edit.span.size();
        }
        return static_cast<std::uint32_t>(at - moved);
    }

    [[nodiscard]] std::optional<Span> span(Span span) const {
        const auto begin = offset(span.begin, span.begin < span.end);
        const auto end = offset(span.end, false);
        if (!begin || !end || *begin > *end) return std::nullopt;
        return Span{*begin, *end};
    }

    [[nodiscard]] bool touches(Span span) const {
        return std::any_of(edits_.begin(), edits_.end(), [&](const Edit& edit) {
            return span.begin == edit.span.begin || (span.begin < edit.span.end && edit.span.begin < span.end);
        });
    }

private:
    const std::vector<Edit>& edits_;
};

/// False when the error has no place in the text as it stands.
bool move_back(const WayBack& way, Error& error) {
    const std::optional<Span> where = way.span(error.span);
    if (!where) return false;
    error.span = *where;
    for (Edit& edit : error.edits) {
        const std::optional<Span> span = way.span(edit.span);
        if (!span || way.touches(*span)) {
            error.edits.clear();
            break;
        }
        edit.span = *span;
    }
    std::erase_if(error.labels, [&](Label& label) {
        const std::optional<Span> span = way.span(label.span);
        if (span) label.span = *span;
        return !span;
    });
    error.hint += error.hint.empty() ? "" : " ";
    error.hint += "(Seen in the text as mended.)";
    return true;
}

} // namespace

void add_errors_behind_syntax(const Source& source, Diagnostics& found,
                              const std::function<void(const Source& mended, Diagnostics& behind)>& look) {
    if (found.dropped() > 0) return;
    const std::vector<Edit> edits = edits_of(found);
    if (edits.empty()) return;
    const Source mended(source.name(), apply(source.text(), edits));
    Diagnostics behind;
    look(mended, behind);
    const WayBack way(edits);
    for (Diagnostic diagnostic : behind.all()) {
        if (diagnostic.error.reason == Reason::ParseError) return;
        if (move_back(way, diagnostic.error)) found.add_behind_syntax(std::move(diagnostic));
    }
}

} // namespace ptc
