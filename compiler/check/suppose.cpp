// A program that takes its data for others reads fields that are not there. For each place where data come in, and each
// way from there to other data (supposition.h), the program is looked at again as if the place gave these. A way
// counts when every field that was missing is found, nothing else goes wrong, and no other way is as near. The work is
// bounded by the number of walks.
#include "compiler/check/suppose.h"
#include "compiler/check/check_warnings.h"
#include "compiler/language/form_questions.h"
#include "frontend/work.h"
#include <algorithm>
#include <map>

namespace ptc {
namespace {

constexpr std::uint32_t kMaxWalks = 96;
constexpr std::size_t kMaxBytes = 4u << 20; ///< of source that all walks go through

bool is_missing(const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    const bool is_known = error.hint.starts_with("Did you mean") || error.hint.starts_with("It lies deeper") ||
                          error.hint.starts_with("A vector is taken apart");
    return diagnostic.severity == Severity::Warning && error.reason == Reason::UnknownField && error.edits.empty() &&
           !is_known;
}

bool is_of_shapes(const Diagnostic& diagnostic) {
    const Reason reason = diagnostic.error.reason;
    return reason == Reason::UnknownField || reason == Reason::NeverEqual || reason == Reason::NotCallable ||
           reason == Reason::SuspiciousForm;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class Supposing {
public:
    Supposing(const Source& source, Facts& facts, const ShapeProblems& problems, const WalkSupposing& walk,
              Diagnostics& diagnostics)
        : source_(source), facts_(facts), problems_(problems), walk_(walk), diagnostics_(diagnostics) {
        for (const Diagnostic& diagnostic : diagnostics_.all()) {
            if (!is_missing(diagnostic)) continue;
            missing_.push_back(diagnostic.error.span);
            std::string_view key = source_.text(diagnostic.error.span);
            if (key.starts_with(':')) key.remove_prefix(1);
            if (std::ranges::find(keys_, key) == keys_.end()) keys_.push_back(key);
        }
    }

    void run() {
        const auto is_mended = [](const Diagnostic& known) {
            return is_of_shapes(known) && !known.error.edits.empty();
        };
        if (missing_.empty() && (problems_.clashes == 0 || std::ranges::any_of(diagnostics_.all(), is_mended))) return;
        // A name all of whose places are read in the same way comes first.
        std::map<std::string_view, std::vector<const Form*>> names;
        for (const DataPoint& point : problems_.points) {
            if (point.form->is(FormKind::Symbol)) names[point.form->text()].push_back(point.form);
        }
        for (const DataPoint& point : problems_.points) {
            const bool is_name = point.form->is(FormKind::Symbol);
            std::vector<const Form*> places{point.form};
            if (is_name) {
                auto& all = names[point.form->text()];
                if (all.empty() || all.front() == point.form) look_at(all, *point.fact);
                if (all.size() < 2) continue;
            }
            look_at(places, *point.fact);
        }
        if (best_.size() == 1) give(best_.front());
    }

private:
    void look_at(const std::vector<const Form*>& places, const Fact& fact) {
        if (places[0]->is(FormKind::Keyword)) return try_way({places, WaySteps{WayStep{WayStep::Argument, {}}}}, 2);
        if (places.size() == 1 && is_key_call(*places[0]))
            try_way({places, WaySteps{WayStep{WayStep::Argument, {}}}}, 2);
        for (const Way& way : ways_from(facts_, &fact, keys_)) {
            if (way.distance > nearest_) return;
            try_way({places, way.steps}, way.distance);
        }
    }
    static bool is_key_call(const Form& form) {
        if (!form.is(FormKind::List) || form.size < 2) return false;
        const Form& head = form.items()[0];
        if (form.size == 2) return head.is(FormKind::Keyword) || is_symbol_of(head, {"first", "last"});
        return form.size == 3 && head.is_symbol("get") && form.items()[2].kind <= FormKind::Keyword;
    }
    void try_way(Supposition supposition, std::uint32_t distance) {
        if (distance > nearest_ || walks_ == kMaxWalks || walks_ * source_.text().size() > kMaxBytes || work::is_over())
            return;
        ++walks_;
        Diagnostics found;
        const ShapeProblems after = walk_({&supposition, 1}, found);
        std::vector<Error> further; // what is wrong then too, and can be mended
        if (after.clashes > 0) return;
        for (const Diagnostic& diagnostic : found.all()) {
            const auto is_here = [&](const Diagnostic& d) { return d.error.span == diagnostic.error.span; };
            if (is_missing(diagnostic)) return;
            if (!is_of_shapes(diagnostic) || std::ranges::any_of(diagnostics_.all(), is_here)) continue;
            if (diagnostic.error.edits.empty()) return;
            further.push_back(diagnostic.error);
        }
        distance += static_cast<std::uint32_t>(further.size());
        if (distance > nearest_) return;
        const bool is_argument = supposition.steps[0].kind == WayStep::Argument;
        for (const Span& span : missing_) {
            const Form& place = *supposition.places[0];
            const bool goes =
                is_argument && (place.span == span || (has_items(place) && (place.items()[0].span == span ||
                                                                            place.items().back().span == span)));
            if (!goes && std::ranges::find(after.found, span) == after.found.end()) return;
        }
        if (distance < nearest_) best_.clear();
        nearest_ = distance;
        further_ = std::move(further);
        best_.push_back(std::move(supposition));
    }

    void give(const Supposition& supposition) {
        std::vector<Edit> edits;
        std::string written;
        for (const Form* place : supposition.places) {
            const std::string text(source_.text(place->span));
            if (place->is(FormKind::Keyword)) { // a step of a threading form
                std::uint32_t begin = place->span.begin;
                while (begin > 0 && is_blank(source_.text()[begin - 1]))
                    --begin;
                edits.push_back({{begin, place->span.end}, ""});
                continue;
            }
            if (supposition.steps[0].kind == WayStep::Argument) {
                const Span argument = place->items()[1].span;
                edits.push_back({{place->span.begin, argument.begin}, ""});
                edits.push_back({{argument.end, place->span.end}, ""});
                written = source_.text(argument);
                continue;
            }
            const CodeAround code = code_of(supposition.steps);
            edits.push_back({{place->span.begin, place->span.begin}, code.before});
            edits.push_back({{place->span.end, place->span.end}, code.behind});
            written = code.before + text + code.behind;
        }
        bool is_given = false;
        diagnostics_.change([&](Diagnostic& diagnostic) {
            Error& error = diagnostic.error;
            if (diagnostic.severity != Severity::Warning || error.reason != Reason::UnknownField) return true;
            error.edits.clear();
            error.hint = written.empty()              ? "It is that already: leave the step out."
                         : written.size() <= kMaxHint ? "Write `" + written + "`."
                                                      : "";
            if (!is_given) error.edits = edits;
            is_given = true;
            return true;
        });
        for (Error& error : further_)
            diagnostics_.warning(std::move(error));
        if (!is_given) diagnostics_.warning(other_reading(supposition.places[0]->span, written, std::move(edits)));
    }

    static constexpr std::size_t kMaxHint = 120;
    const Source& source_;
    Facts& facts_;
    const ShapeProblems& problems_;
    const WalkSupposing& walk_;
    Diagnostics& diagnostics_;
    std::vector<Span> missing_;
    std::vector<std::string_view> keys_;
    std::vector<Supposition> best_;
    std::vector<Error> further_; ///< of the last one
    std::uint32_t nearest_ = 1000;
    std::uint32_t walks_ = 0;
};

} // namespace

void mend_by_supposing(const Source& source, Facts& facts, const ShapeProblems& problems, const WalkSupposing& walk,
                       Diagnostics& diagnostics) {
    Supposing(source, facts, problems, walk, diagnostics).run();
}

} // namespace ptc
