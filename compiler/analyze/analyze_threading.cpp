// -> ->> as-> cond-> cond->> some-> some->>.
#include "compiler/analyze/analysis.h"

namespace ptc {

/// The step with `value` as first or last argument: `inc` is (inc value).
const Form* Analyzer::insert_argument(const Form& step, const Form& value, bool last) {
    const bool list = step.is(FormKind::List) && step.size > 0;
    if (list && step.items()[0].is_symbol("fn") && !site_.core) {
        report(threaded_literal(span_of(step)));
        return &value;
    }
    const std::size_t old_size = list ? step.size : 1;
    auto* items = static_cast<Form*>(arena_.allocate((old_size + 1) * sizeof(Form), alignof(Form)));
    const Form* old_items = list ? step.first : &step;
    const std::size_t at = last ? old_size : 1;
    for (std::size_t i = 0, from = 0; i <= old_size; ++i)
        new (&items[i]) Form(i == at ? value : old_items[from++]);
    Form* call = create<Form>();
    call->kind = FormKind::List;
    call->span = step.span;
    call->first = items;
    call->size = static_cast<std::uint32_t>(old_size + 1);
    return call;
}

Node* Analyzer::thread(const Form& list, Place place, bool last) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return failed(bad_threading(span_of(list), *special_of(list), "the value is missing"));
    const Form* form = &parts[0];
    for (const Form& step : parts.subspan(1))
        form = insert_argument(step, *form, last);
    return analyze(*form, place);
}

Node* Analyzer::thread_first_form(const Form& list, Place place) { return thread(list, place, false); }
Node* Analyzer::thread_last_form(const Form& list, Place place) { return thread(list, place, true); }

// (as-> value name step ..): a Let that binds the name again for each step.
Node* Analyzer::as_thread_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 2) return failed(bad_threading(span, *special_of(list), "it takes a value and a name"));
    if (!is_pattern(parts[1])) {
        return failed(bad_threading(span_of(parts[1]), *special_of(list), "after the value stands a plain name"));
    }
    const Binding* const scope = site_.scope;
    Let let(*this);
    Node* value = analyze(parts[0], parts.size() == 2 ? place : kValue);
    for (std::size_t i = 2; i < parts.size(); ++i) {
        if (is_binding_name(parts[1])) {
            Local* local = new_local(parts[1].text(), span_of(parts[1]));
            let.add(local, value);
            push(local->name, local);
        } else {
            destructure(parts[1], value, let);
        }
        value = analyze(parts[i], i + 1 == parts.size() ? place : kValue);
    }
    site_.scope = scope;
    return let.finish(value, span, place);
}

namespace {

constexpr std::string_view kThreadedName = " it";

} // namespace

// (cond-> value test step ..): it := value, it := (if test (step it) it) ..
Node* Analyzer::cond_thread(const Form& list, Place place, bool last) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return failed(bad_threading(span, *special_of(list), "the value is missing"));
    if (parts.size() % 2 == 0) {
        return failed(bad_threading(span_of(parts.back()), *special_of(list), "this test has no step"));
    }
    const Binding* const scope = site_.scope;
    Let let(*this);
    Node* value = analyze(parts[0], parts.size() == 1 ? place : kValue);
    for (std::size_t i = 1; i < parts.size(); i += 2) {
        const Place at = i + 2 == parts.size() ? place & kFunctionTail : kValue;
        Node* test = nullptr;
        const Span where = span_of(parts[i + 1]);
        Local* local = let.temporary(value);
        test = analyze(parts[i], kValue);
        push(kThreadedName, local);
        Node* step = analyze(*insert_argument(parts[i + 1], hidden_name(kThreadedName, where), last), at);
        site_.scope = scope;
        value = make_if(test, step, reference(local, where, at), where, at);
    }
    return let.finish(value, span, place);
}

Node* Analyzer::cond_thread_first_form(const Form& list, Place place) { return cond_thread(list, place, false); }
Node* Analyzer::cond_thread_last_form(const Form& list, Place place) { return cond_thread(list, place, true); }

// (some-> value step ..): it := value; (if (nil? it) nil (let it := (step it) ..)). Built from the last step.
Node* Analyzer::some_thread(const Form& list, Place place, bool last) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return failed(bad_threading(span, *special_of(list), "the value is missing"));
    const Binding* const scope = site_.scope;
    Node* value = analyze(parts[0], parts.size() == 1 ? place : kValue);
    struct Step {
        Local* local;
        Node* value;
    };
    const std::size_t count = parts.size() - 1;
    auto* steps = static_cast<Step*>(arena_.allocate((count + 1) * sizeof(Step), alignof(Step)));
    const std::uint32_t depth = depth_;
    for (std::size_t i = 0; i < count; ++i, ++depth_) {
        const Span where = span_of(parts[i + 1]);
        steps[i] = {new_local("", value->span), value};
        push(kThreadedName, steps[i].local);
        value = analyze(*insert_argument(parts[i + 1], hidden_name(kThreadedName, where), last),
                        i + 1 == count ? place & kFunctionTail : kValue);
        site_.scope = scope;
    }
    depth_ = depth;
    for (std::size_t i = count; i-- > 0;) {
        const Place at = place & kFunctionTail;
        const Span where = span_of(parts[i + 1]);
        Node* test = builtin_call(native("nil?"), where, kValue, {reference(steps[i].local, where)});
        Let let(*this);
        let.add(steps[i].local, steps[i].value);
        value = let.finish(make(NodeKind::If, where, at, {test, nil(where, at), value}), span, at);
    }
    return value;
}

Node* Analyzer::some_thread_first_form(const Form& list, Place place) { return some_thread(list, place, false); }
Node* Analyzer::some_thread_last_form(const Form& list, Place place) { return some_thread(list, place, true); }

} // namespace ptc
