// delay and future: a body that is computed when it is first wanted, and once (delay-cell% in runtime/core).
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/handlers.h"
#include <memory>

namespace ptc {

// (delay body ..), (future body ..)
Node* delay_form(Analyzer& a, const Form& list, Tail tail) {
    Form* items = a.nodes.allocate<Form>(list.size + 3);
    Form* params = items + 1;
    new (&items[0]) Form(hidden_name(" fn", list.span));
    new (params) Form();
    params->kind = FormKind::Vector;
    params->span = list.span;
    params->first = params;
    std::uninitialized_copy(list.items().begin() + 1, list.items().end(), items + 2);
    Form* call = items + list.size + 1;
    new (&call[0]) Form(hidden_name(" delay-cell%", list.span));
    new (&call[1]) Form(call_of({items, list.size + 1}, list.span));
    return a.analyze(call_of({call, 2}, list.span), tail);
}

} // namespace ptc
