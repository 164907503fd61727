// Forms that undo something when their body ends, whether it fails or not: with-out-str takes back what was printed,
// binding and with-redefs give names their values back.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/exceptions.h"
#include "compiler/analyze/handlers.h"
#include <vector>

namespace ptc {
namespace {

Node* in_order(Analyzer& a, const NodeList& parts, Span span, Tail tail) {
    Node* node = a.nodes.make(NodeKind::Do, span, tail);
    node->children = parts.take();
    return node;
}

Node* thrown_again(Analyzer& a, Local* caught, Span span) {
    return a.nodes.make(NodeKind::Throw, span, kValue, {a.nodes.reference(caught, span)});
}

/// Adds definitions that give each of the names the value that a variable holds.
void define_names(Analyzer& a, const std::vector<const Form*>& names, const std::vector<Local*>& values,
                  NodeList& parts) {
    for (std::size_t i = 0; i < names.size() && !a.reports.stopped(); ++i) {
        const Span where = a.span_of(*names[i]);
        parts.add(definition(a, NodeKind::Def, *names[i], a.nodes.reference(values[i], where), where, kValue));
    }
}

} // namespace

// (with-out-str body ..)
Node* with_out_str_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    Local* caught = a.nodes.new_local("", span);
    Node* dropped = a.nodes.native_call("end-capture%", span, kValue, {});
    Node* handler = a.nodes.make(NodeKind::Do, span, kValue, {dropped, thrown_again(a, caught, span)});
    NodeList parts(a.nodes);
    parts.add(a.nodes.native_call("begin-capture%", span, kValue, {}));
    parts.add(guarded_body(a, list.items().subspan(1), caught, handler, span));
    parts.add(a.nodes.native_call("end-capture%", span, kValue, {}));
    return in_order(a, parts, span, tail);
}

// (binding [name value ..] body ..), (with-redefs [name value ..] body ..)
Node* binding_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& pairs = list.items()[1];
    if (!pairs.is(FormKind::Vector) || pairs.size % 2 != 0)
        return a.failed(
            bad_form(a.span_of(pairs), *a.special_of(list), "names and values stand in a vector: [*name* 1]"));
    std::vector<const Form*> names;
    std::vector<Local*> before, values;
    Let let(a.nodes);
    for (std::size_t i = 0; i < pairs.size && !a.reports.stopped(); i += 2) {
        const Form& name = pairs.items()[i];
        const GlobalName* global =
            name.is(FormKind::Symbol) ? a.names.globals().find(name.text(), name_hash(name.text())) : nullptr;
        if (!global || (!global->definition && !global->in_session))
            return a.failed(bad_form(a.span_of(name), *a.special_of(list),
                                     "it gives other values to names that the program defines"));
        names.push_back(&name);
        before.push_back(let.temporary(a.analyze(name, kValue)));
        values.push_back(let.temporary(a.analyze(pairs.items()[i + 1], kValue)));
    }
    Local* caught = a.nodes.new_local("", span);
    NodeList undo(a.nodes);
    define_names(a, names, before, undo);
    undo.add(thrown_again(a, caught, span));
    Node* handler = in_order(a, undo, span, kValue);
    NodeList change(a.nodes);
    define_names(a, names, values, change);
    change.add(guarded_body(a, list.items().subspan(2), caught, handler, span));
    Local* result = let.temporary(in_order(a, change, span, kValue));
    NodeList rest(a.nodes);
    define_names(a, names, before, rest);
    rest.add(a.nodes.reference(result, span));
    return let.finish(in_order(a, rest, span, kValue), span, tail);
}

} // namespace ptc
