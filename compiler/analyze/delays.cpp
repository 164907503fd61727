// delay and future: a body that is computed when it is first wanted, and once (delay-cell% in runtime/core).
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/language/core_library.h"

namespace ptc {

// (delay body ..), (future body ..)
Node* delay_form(Analyzer& a, const Form& list, Tail tail) {
    Form* items = a.nodes.allocate<Form>(2 + list.size + 1);
    Form* params = a.nodes.create<Form>();
    params->kind = FormKind::Vector;
    params->span = list.span;
    params->first = params;
    Form* function = items + 2; // (fn [] body ..)
    new (&function[0]) Form(hidden_name("fn", list.span));
    new (&function[1]) Form(*params);
    for (std::size_t i = 1; i < list.size; ++i)
        new (&function[i + 1]) Form(list.items()[i]);
    new (&items[0]) Form(hidden_name("delay-cell%", list.span));
    new (&items[1]) Form(call_of({function, list.size + 1}, list.span));
    Resolved name;
    name.kind = Resolved::Core;
    name.name = a.core.lookup("delay-cell%", name_hash("delay-cell%"));
    return call_name(a, call_of({items, 2}, list.span), name, tail);
}

} // namespace ptc
