// instance?: there are no classes, so the test of one is a predicate that is known while compiling.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/handlers.h"
#include "compiler/language/java_classes.h"
#include "runtime/exceptions.h"

namespace ptc {

// (instance? Class x)
Node* instance_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 2, 2)) return a.nodes.nil(span, tail);
    const Form& name = list.items()[1];
    const std::string_view text = name.is(FormKind::Symbol) ? name.text() : std::string_view();
    const std::string_view test = class_test(text);
    const ExceptionClass* exception = test.empty() && !text.empty() ? find_exception_class(text) : nullptr;
    if (test.empty() && !exception)
        return a.failed(
            bad_form(a.span_of(name), *a.special_of(list), "it takes the name of a class first: (instance? String x)"));
    Node* value = a.analyze(list.items()[2], kValue);
    if (exception) {
        Node* wanted = a.nodes.string(exception->name, span, kValue);
        return a.nodes.native_call("caught%", span, tail, {value, wanted});
    }
    if (test.front() != ':') return a.nodes.native_call(test.data(), span, tail, {value}); // a literal of the table
    Node* kind = a.nodes.native_call("type", span, kValue, {value});
    return a.nodes.native_call("=", span, tail, {kind, a.nodes.keyword(test.substr(1), span, kValue)});
}

} // namespace ptc
