// Traces that somebody wrote: refused with the line that is wrong, or shown, with work in proportion to the text. What
// the trace says never becomes a part of the page's own code, and no trace differs from itself.
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/work.h"
#include "tools/trace/trace_diff.h"

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 0)

namespace {

using namespace ptc;

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const fuzz::Measure measure;
    const Result<TraceTree> read = read_trace(text);
    if (!read.ok()) {
        FUZZ_CHECK(!read.error().message.empty());
        return 0;
    }
    const TraceTree& tree = read.value();
    const std::string page = trace_html(tree);
    const std::string shown = trace_text(tree, {});
    fuzz::check_work("showing a trace", measure.taken(), size, 400);
    static const std::string empty = trace_html({});
    for (const char* tag : {"<script", "<style", "<img", "<iframe", "<link"})
        FUZZ_CHECK(count(page, tag) == count(empty, tag));
    FUZZ_CHECK(page.size() <= empty.size() + 100 * size + 4096 && shown.size() <= 100 * size + 4096);
    const TraceComparison same = compare_traces(tree, tree);
    FUZZ_CHECK(!same.difference && same.same_events == tree.events.size());
    FUZZ_CHECK(Datum::from_json(comparison_json(same)).ok());
    return 0;
}
