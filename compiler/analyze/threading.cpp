// -> ->> as-> cond-> cond->> some-> some->> doto ..
//
// -> and ->> are rewritten: each step becomes a call with the value among its arguments, and the last form is analysed.
// The others name the value of each step, by a name that no source text can contain where the program gives none.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/patterns.h"

namespace ptc {
namespace {

constexpr std::string_view kThreadedName = " it";

/// The step with `value` as first or last argument: `inc` is (inc value).
const Form* insert_argument(Analyzer& a, const Form& step, const Form& value, bool last) {
    const bool list = step.is(FormKind::List) && step.size > 0;
    if (list && step.items()[0].is_symbol("fn") && !a.at.site.core) {
        a.report(threaded_literal(a.span_of(step)));
        return &value;
    }
    const std::size_t old_size = list ? step.size : 1;
    auto* items = a.nodes.allocate<Form>(old_size + 1);
    const Form* old_items = list ? step.first : &step;
    const std::size_t at = last ? old_size : 1;
    for (std::size_t i = 0, from = 0; i <= old_size; ++i)
        new (&items[i]) Form(i == at ? value : old_items[from++]);
    Form* call = a.nodes.create<Form>();
    call->kind = FormKind::List;
    call->span = step.span;
    call->first = items;
    call->size = static_cast<std::uint32_t>(old_size + 1);
    return call;
}

Node* thread(Analyzer& a, const Form& list, Tail tail, bool last) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_threading(a.span_of(list), *a.special_of(list), "the value is missing"));
    const Form* form = &parts[0];
    for (const Form& step : parts.subspan(1))
        form = insert_argument(a, step, *form, last);
    return a.analyze(*form, tail);
}

/// A step that could not be called, behind a test that is never true.
bool is_never(const Form& step, const Node* test) {
    return step.is(FormKind::Nil) && test->kind == NodeKind::Constant && !bits::is_truthy(test->constant);
}

// (cond-> value test step ..): it := value, it := (if test (step it) it) ..
Node* cond_thread(Analyzer& a, const Form& list, Tail tail, bool last) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_threading(span, *a.special_of(list), "the value is missing"));
    if (parts.size() % 2 == 0) {
        return a.failed(bad_threading(a.span_of(parts.back()), *a.special_of(list), "this test has no step"));
    }
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    Node* value = a.analyze(parts[0], parts.size() == 1 ? tail : kValue);
    for (std::size_t i = 1; i < parts.size(); i += 2) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        const Tail at = i + 2 == parts.size() ? tail & kFunctionTail : kValue;
        Node* test = nullptr;
        const Span where = a.span_of(parts[i + 1]);
        Local* local = let.temporary(value);
        if (a.names.lazy_escapes()) local->laziness = static_cast<std::uint8_t>(Laziness::Maybe);
        test = a.analyze(parts[i], kValue);
        if (is_never(parts[i + 1], test)) { // (cond-> 1 false nil)
            value = a.nodes.reference(local, where, at);
            continue;
        }
        a.names.bind(kThreadedName, local);
        Node* step = a.analyze(*insert_argument(a, parts[i + 1], hidden_name(kThreadedName, where), last), at);
        a.at.site.scope = scope;
        value = a.nodes.make_if(test, step, a.nodes.reference(local, where, at), where, at);
    }
    return let.finish(value, span, tail);
}

// (some-> value step ..): it := value; (if (nil? it) nil (let it := (step it) ..)). Built from the last step.
Node* some_thread(Analyzer& a, const Form& list, Tail tail, bool last) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_threading(span, *a.special_of(list), "the value is missing"));
    const Binding* const scope = a.at.site.scope;
    Node* value = a.analyze(parts[0], parts.size() == 1 ? tail : kValue);
    struct ThreadedForm {
        Local* local;
        Node* value;
    };
    // (some-> nil nil): what could not be called is never reached.
    const bool is_nil = value->kind == NodeKind::Constant && value->constant == bits::kNil;
    if (is_nil && parts.size() == 2 && parts[1].is(FormKind::Nil)) return a.nodes.nil(span, tail);
    const std::size_t count = parts.size() - 1;
    auto* steps = a.nodes.allocate<ThreadedForm>(count + 1);
    const std::uint32_t depth = a.at.depth;
    Laziness laziness = laziness_of(a, parts[0]);
    for (std::size_t i = 0; i < count; ++i, ++a.at.depth) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        const Span where = a.span_of(parts[i + 1]);
        steps[i] = {a.nodes.new_local("", value->span), value};
        steps[i].local->laziness = static_cast<std::uint8_t>(laziness);
        a.names.bind(kThreadedName, steps[i].local);
        const Form& step = *insert_argument(a, parts[i + 1], hidden_name(kThreadedName, where), last);
        laziness = laziness_of(a, step);
        value = a.analyze(step, i + 1 == count ? tail & kFunctionTail : kValue);
        a.at.site.scope = scope;
    }
    a.at.depth = depth;
    for (std::size_t i = count; i-- > 0;) {
        const Tail at = tail & kFunctionTail;
        const Span where = a.span_of(parts[i + 1]);
        Node* test = a.nodes.native_call("nil?", where, kValue, {a.nodes.reference(steps[i].local, where)});
        Let let(a.nodes);
        let.add(steps[i].local, steps[i].value);
        value = let.finish(a.nodes.make(NodeKind::If, where, at, {test, a.nodes.nil(where, at), value}), span, at);
    }
    return value;
}

} // namespace

Node* thread_first_form(Analyzer& a, const Form& list, Tail tail) { return thread(a, list, tail, false); }
Node* thread_last_form(Analyzer& a, const Form& list, Tail tail) { return thread(a, list, tail, true); }

// (as-> value name step ..): a Let that binds the name again for each step.
Node* as_thread_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 2) return a.failed(bad_threading(span, *a.special_of(list), "it takes a value and a name"));
    if (!is_pattern(parts[1])) {
        return a.failed(bad_threading(a.span_of(parts[1]), *a.special_of(list), "after the value stands a plain name"));
    }
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    Laziness laziness = laziness_of(a, parts[0]);
    Node* value = a.analyze(parts[0], parts.size() == 2 ? tail : kValue);
    for (std::size_t i = 2; i < parts.size(); ++i) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        if (is_binding_name(parts[1])) {
            Local* local = a.nodes.new_local(parts[1].text(), a.span_of(parts[1]));
            local->laziness = static_cast<std::uint8_t>(laziness);
            let.add(local, value);
            a.names.bind(local->name, local);
        } else {
            destructure(a, parts[1], value, let);
        }
        laziness = laziness_of(a, parts[i]);
        value = a.analyze(parts[i], i + 1 == parts.size() ? tail : kValue);
    }
    a.at.site.scope = scope;
    return let.finish(value, span, tail);
}

Node* cond_thread_first_form(Analyzer& a, const Form& list, Tail tail) { return cond_thread(a, list, tail, false); }
Node* cond_thread_last_form(Analyzer& a, const Form& list, Tail tail) { return cond_thread(a, list, tail, true); }

Node* some_thread_first_form(Analyzer& a, const Form& list, Tail tail) { return some_thread(a, list, tail, false); }
Node* some_thread_last_form(Analyzer& a, const Form& list, Tail tail) { return some_thread(a, list, tail, true); }

// (doto value step ..): the steps are done with the value as first argument, and it is the result.
Node* doto_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_threading(span, *a.special_of(list), "the value is missing"));
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    Local* local = let.temporary(a.analyze(parts[0], kValue));
    NodeList nodes(a.nodes);
    for (const Form& step : parts.subspan(1)) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        a.names.bind(kThreadedName, local);
        Node* node = a.analyze(*insert_argument(a, step, hidden_name(kThreadedName, a.span_of(step)), false), kValue);
        a.at.site.scope = scope;
        nodes.add(node);
    }
    nodes.add(a.nodes.reference(local, span, tail));
    Node* body = a.nodes.make(NodeKind::Do, span, tail);
    body->children = nodes.take();
    return let.finish(body, span, tail);
}

// (.. value (method argument) method): (.method (.method value argument))
Node* method_chain_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_threading(a.span_of(list), *a.special_of(list), "the value is missing"));
    const Form* form = &parts[0];
    for (const Form& step : parts.subspan(1)) {
        const Form* call = insert_argument(a, step, *form, false);
        Form& method = const_cast<Form&>(call->items()[0]); // made by insert_argument
        if (!method.is(FormKind::Symbol))
            return a.failed(
                bad_threading(a.span_of(step), *a.special_of(list), "a step is a method: name or (name x)"));
        const std::string_view name = method.text();
        if (name.front() != '.') {
            const std::string_view text = a.nodes.keep_text(std::string(".").append(name));
            method.chars = text.data();
            method.size = static_cast<std::uint32_t>(text.size());
        }
        form = call;
    }
    return a.analyze(*form, tail);
}

// (new Class argument ..): (Class. argument ..)
Node* new_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty() || !parts[0].is(FormKind::Symbol))
        return a.failed(bad_form(a.span_of(list), *a.special_of(list), "the name of a class comes first"));
    auto* items = a.nodes.allocate<Form>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        new (&items[i]) Form(parts[i]);
    const std::string_view name = a.nodes.keep_text(std::string(parts[0].text()).append("."));
    items[0].chars = name.data();
    items[0].size = static_cast<std::uint32_t>(name.size());
    Form* call = a.nodes.create<Form>(list);
    call->first = items;
    call->size = static_cast<std::uint32_t>(parts.size());
    return a.analyze(*call, tail);
}

} // namespace ptc
