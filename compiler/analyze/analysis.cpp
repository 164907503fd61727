// What all stages of the analysis share: quoted data, limits of the work, the ways to report an error.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/collections.h"
#include "runtime/function.h"
#include <algorithm>

namespace ptc {
Analyzer::Analyzer(Tree& tree, const Environment& given, const CoreLibrary& library, const CompileLimits& bounds,
                   Heap& constants, Diagnostics& diagnostics)
    : environment(given), core(library), limits(bounds), heap(constants), reports(diagnostics),
      nodes(tree, at, given, library, bounds, constants, reports), names(tree, at, given, library, reports) {}

void Analyzer::analyze_all(FormSpan forms, NodeList& values) {
    for (const Form& form : forms) {
        Node* value = analyze(form, kValue); // before the list grows: it adds to the same stack
        values.add(value);
    }
}

bool Analyzer::is_data(std::string_view name) {
    if (!environment.data_names) return name.find('.') == std::string_view::npos && !core.lookup(name, name_hash(name));
    const auto plain = [](std::string text) {
        std::ranges::replace(text, '-', '_');
        return text;
    };
    if (!given_data) {
        given_data = environment.data_names();
        std::ranges::transform(*given_data, given_data->begin(), plain);
        std::ranges::sort(*given_data);
    }
    return std::ranges::binary_search(*given_data, plain(std::string(name)));
}

Node* Analyzer::quoted(const Form& form, Span span, Tail tail) {
    if (stop_at_limits(span)) return nodes.nil(span, tail);
    switch (form.kind) {
    case FormKind::Symbol:
        if (form.text() == "nil") return nodes.nil(span, tail);
        if (form.text() == "true") return nodes.literal(bits::kTrue, span, tail);
        if (form.text() == "false") return nodes.literal(bits::kFalse, span, tail);
        return nodes.literal(make_symbol(heap, form.text()), span, tail);
    case FormKind::List:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set: break;
    case FormKind::Quote: return quoted(form.items()[0], span, tail);
    case FormKind::ShortFn:
    case FormKind::Var:
        return failed(bad_shape(span, "What is quoted is data: names, numbers, texts and collections of them.",
                                "Write the function without the quote."));
    default: return analyze(form, tail);
    }
    ++at.depth;
    Node* node = quoted_collection(*this, form, tail);
    --at.depth;
    return node;
}

Node* Analyzer::quoted_value(const Form& form, Span span, Tail tail) {
    if (!form.is(FormKind::List)) return quoted(form, span, tail);
    return nodes.native_call("as-list%", span, tail, {quoted(form, span, kValue)});
}

bool Analyzer::stop(Span span) {
    if (reports.stopped()) return true;
    if (nodes.node_count() > limits.max_nodes) {
        reports.stop(program_too_large(span, "nodes after expansion", limits.max_nodes));
    } else if (at.depth > kMaxDepth) {
        reports.stop(program_too_large(span, "levels of nesting after expansion", kMaxDepth));
    } else if (has_too_many_names()) {
        const char* what = session_names > 0 ? "names, those of its session included" : "names";
        reports.stop(program_too_large(span, what, limits.max_symbols));
    } else if (heap.meter.has_run_out()) {
        Error error = heap.meter.error();
        error.span = span;
        error.has_span = true;
        reports.stop(std::move(error));
    } else { // nobody sees more errors, or the time is over
        reports.stop();
    }
    return true;
}

Node* Analyzer::failed(Error error) {
    const Span span = error.span;
    report(std::move(error));
    return nodes.nil(span);
}

const SpecialForm* Analyzer::special_of(const Form& list) const {
    const std::string_view name = list.items()[0].text();
    return special_of_name(name.starts_with(' ') ? name.substr(1) : name); // hidden_name
}

const SpecialForm* Analyzer::special_of_name(std::string_view name) const {
    const CoreName* entry = core.lookup(name, name_hash(name));
    if (!entry || entry->special < 0) { // (clojure.core/let ..)
        name = name.substr(name.find('/') + 1);
        entry = core.lookup(name, name_hash(name));
    }
    const std::span<const SpecialForm> rows = special_forms();
    return &rows[entry && entry->special >= 0 ? static_cast<std::size_t>(entry->special) : 0];
}

bool Analyzer::check_parts(const Form& list, std::size_t min, std::size_t max) {
    const std::size_t got = list.size - 1;
    if (got >= min && got <= max) return true;
    report(wrong_parts(span_of(list), *special_of(list), got));
    return false;
}

} // namespace ptc
