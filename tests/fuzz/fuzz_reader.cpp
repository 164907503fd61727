// Any bytes: no crash, no hang; spans and edits lie in the text; edits do not overlap; accepted forms lie within their
// parents. Accepted texts are formatted: the layout has the same tokens and is its own layout.
#include "frontend/reader/reader.h"
#include "frontend/render.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/format_check.h"
#include <algorithm>
#include <cstdint>
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

namespace {

void check_span(const ptc::Source& source, ptc::Span span) {
    FUZZ_CHECK(span.begin <= span.end);
    FUZZ_CHECK(span.end <= source.text().size());
}

void check_forms(const ptc::Source& source, std::span<const ptc::Form> forms, ptc::Span parent) {
    for (const ptc::Form& form : forms) {
        check_span(source, form.span);
        FUZZ_CHECK(form.span.begin >= parent.begin && form.span.end <= parent.end);
        switch (form.kind) {
        case ptc::FormKind::Map: FUZZ_CHECK(form.size % 2 == 0); [[fallthrough]];
        case ptc::FormKind::List:
        case ptc::FormKind::Vector:
        case ptc::FormKind::Set:
        case ptc::FormKind::ShortFn:
        case ptc::FormKind::Quote: check_forms(source, form.items(), form.span); break;
        case ptc::FormKind::Nil:
        case ptc::FormKind::True:
        case ptc::FormKind::False:
        case ptc::FormKind::Integer:
        case ptc::FormKind::BigInteger:
        case ptc::FormKind::Float:
        case ptc::FormKind::String:
        case ptc::FormKind::Keyword:
        case ptc::FormKind::Symbol:
        case ptc::FormKind::Regex:
        case ptc::FormKind::Var: break;
        }
    }
}

/// The edits of all diagnostics may be applied together.
void check_edits(const ptc::Diagnostics& diagnostics) {
    std::vector<ptc::Span> spans;
    for (const ptc::Diagnostic& diagnostic : diagnostics.all()) {
        for (const ptc::Edit& edit : diagnostic.error.edits)
            spans.push_back(edit.span);
    }
    std::sort(spans.begin(), spans.end(),
              [](ptc::Span a, ptc::Span b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    for (std::size_t i = 1; i < spans.size(); ++i)
        FUZZ_CHECK(spans[i - 1].end <= spans[i].begin);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ptc::Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
    ptc::ReadLimits limits;
    limits.max_nesting = 64;
    ptc::Diagnostics diagnostics;
    const ptc::Forms forms = ptc::read_forms(source, limits, diagnostics);
    if (!diagnostics.has_errors()) {
        check_forms(source, forms.top_level(), {0, static_cast<std::uint32_t>(size)});
        FUZZ_CHECK(ptc::test::format_problem(std::string(source.text())).empty());
        return 0;
    }
    for (const ptc::Diagnostic& diagnostic : diagnostics.all()) {
        FUZZ_CHECK(diagnostic.error.has_span && !diagnostic.error.message.empty());
        check_span(source, diagnostic.error.span);
        for (const ptc::Label& label : diagnostic.error.labels)
            check_span(source, label.span);
        for (const ptc::Edit& edit : diagnostic.error.edits)
            check_span(source, edit.span);
    }
    check_edits(diagnostics);
    FUZZ_CHECK(!ptc::render_text(source, diagnostics).empty());
    FUZZ_CHECK(!ptc::render_json(source, diagnostics).empty());
    return 0;
}
