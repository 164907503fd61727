#include "compiler/repair/edits.h"
#include "frontend/quoted.h"
#include <algorithm>
#include <array>

namespace ptc::repair {

Repair replace(const Code& code, const Form& form, const Pieces& pieces, std::string hint) {
    return {pieces.edits(code.source(), form.span), std::move(hint), {}};
}

Repair replace(const Form& form, std::string text, std::string hint) {
    return {{{form.span, std::move(text)}}, std::move(hint), {}};
}

Edit removal(const Code& code, const Form& form) {
    constexpr std::string_view kBlanks = " \t\r\n,";
    const std::string_view text = code.source();
    Span span = form.span;
    if (span.end > text.size()) return {span, ""};
    while (span.begin > 0 && kBlanks.find(text[span.begin - 1]) != kBlanks.npos)
        --span.begin;
    const bool is_first =
        span.begin == 0 || std::string_view("([{").find(text[span.begin - 1]) != std::string_view::npos;
    if (is_first) {
        span.begin = form.span.begin;
        while (span.end < text.size() && kBlanks.find(text[span.end]) != kBlanks.npos)
            ++span.end;
    }
    // The end of a comment line must stay.
    if (!is_first && code.has_semicolon_before(span.begin)) span.begin = form.span.begin;
    return {span, ""};
}

Edit insertion(std::uint32_t at, std::string text) { return {{at, at}, std::move(text)}; }

std::vector<Edit> wrapping(Span span, std::string before, std::string after) {
    return {insertion(span.begin, std::move(before)), insertion(span.end, std::move(after))};
}

namespace {
std::uint32_t opening_size(const Form& form) { return form.is(FormKind::ShortFn) || form.is(FormKind::Set) ? 2 : 1; }
} // namespace

std::vector<Edit> unwrapping(const Form& form) { return rebracketing(form, "", ""); }

std::vector<Edit> rebracketing(const Form& form, std::string opening, std::string closing) {
    const Span span = form.span;
    return {{{span.begin, span.begin + opening_size(form)}, std::move(opening)},
            {{span.end - 1, span.end}, std::move(closing)}};
}

std::vector<Edit> join(std::vector<Edit> a, std::vector<Edit> b) {
    append(a, std::move(b));
    return in_order(std::move(a));
}

void append(std::vector<Edit>& edits, std::vector<Edit> more) {
    edits.insert(edits.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<Edit> in_order(std::vector<Edit> edits) {
    std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
    return edits;
}

std::string write_this(std::string_view code) { return "Write " + quoted_excerpt(code, 80) + "."; }

} // namespace ptc::repair
