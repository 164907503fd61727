// Function literals: fn and #(), their parameters and bodies.
//
// A literal is first read: its shape is checked, and it is kept with the site where it was written (Lambda). Whether it
// then becomes a function of its own (fn_value) or its body where it is called (inlining.h) is for its user to decide,
// so a literal may be analysed several times. A function's body starts with a context of its own: no loop, no recur but
// to itself, and variables of the functions around it are captured when it names them.
#include "compiler/analyze/functions.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/cursors.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/laziness.h"
#include "compiler/analyze/patterns.h"
#include "frontend/work.h"
#include <algorithm>
#include <utility>

namespace ptc {
namespace {

constexpr std::size_t kMaxPlaceholder = 20;

constexpr std::string_view kPlaceholders[kMaxPlaceholder] = {"%1",  "%2",  "%3",  "%4",  "%5",  "%6",  "%7",
                                                             "%8",  "%9",  "%10", "%11", "%12", "%13", "%14",
                                                             "%15", "%16", "%17", "%18", "%19", "%20"};

const SpecialForm& fn_special() { return *special_form_of("fn"); }

/// A literal that is no call and no name.
bool is_data(const Form& form) {
    return form.kind < FormKind::Symbol || form.is(FormKind::Vector) || form.is(FormKind::Map) ||
           form.is(FormKind::Set);
}

/// The highest placeholder in `form`, and whether %& occurs.
void find_placeholders(const Form& form, std::size_t& highest, bool& rest) {
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        if (name.front() != '%') return;
        if (name == "%&")
            rest = true;
        else if (name == "%")
            highest = std::max<std::size_t>(highest, 1);
        else {
            for (std::size_t i = 0; i < kMaxPlaceholder; ++i) {
                if (name == kPlaceholders[i]) highest = std::max(highest, i + 1);
            }
        }
        return;
    }
    if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote)) return;
    for (const Form& item : form.items())
        find_placeholders(item, highest, rest);
}

} // namespace

std::string_view placeholder_name(std::size_t index) { return kPlaceholders[index]; }

bool read_params(Analyzer& a, const Form& params, FnClause& clause) {
    clause.params = &params;
    const FormSpan items = params.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_symbol("&")) continue;
        if (i + 2 != items.size() || items[i + 1].is_symbol("&")) {
            a.report(bad_form(items[i].span, fn_special(),
                              "`&` stands before exactly one name, which takes the rest of the arguments"));
            return false;
        }
        clause.count = static_cast<std::uint32_t>(i);
        clause.variadic = true;
        return true;
    }
    clause.count = static_cast<std::uint32_t>(items.size());
    return true;
}

namespace {

/// {:pre [..] :post [..]} in front of a body.
bool is_contract(const Form& form) {
    if (!form.is(FormKind::Map) || form.size == 0) return false;
    for (std::size_t i = 0; i < form.size; i += 2) {
        const Form& key = form.items()[i];
        const bool is_key = key.is(FormKind::Keyword) && (key.text() == "pre" || key.text() == "post");
        if (!is_key || !form.items()[i + 1].is(FormKind::Vector)) return false;
    }
    return true;
}

Form form_of(FormKind kind, std::span<const Form> items, Span span) {
    Form form = call_of(items, span);
    form.kind = kind;
    return form;
}

FormSpan conditions_of(const Form& contract, std::string_view key) {
    for (std::size_t i = 0; i < contract.size; i += 2) {
        if (contract.items()[i].text() == key) return contract.items()[i + 1].items();
    }
    return {};
}

void add_assertions(Analyzer& a, FormSpan conditions, Form*& next) {
    for (const Form& condition : conditions) {
        Form* items = a.nodes.allocate<Form>(2);
        new (&items[0]) Form(hidden_name(" assert", condition.span));
        new (&items[1]) Form(condition);
        new (next++) Form(call_of({items, 2}, condition.span));
    }
}

constexpr std::string_view kResult = "result%";

/// A condition of :post, whose % is the result.
Form with_result(Analyzer& a, const Form& condition) {
    if (condition.is_symbol("%")) return hidden_name(kResult, condition.span);
    if (condition.kind < FormKind::List || condition.is(FormKind::ShortFn) || condition.is(FormKind::Var) ||
        condition.is(FormKind::Quote))
        return condition;
    Form* items = a.nodes.allocate<Form>(condition.size);
    for (std::size_t i = 0; i < condition.size; ++i)
        new (&items[i]) Form(with_result(a, condition.items()[i]));
    return form_of(condition.kind, {items, condition.size}, condition.span);
}

/// The body with its contract as assertions: those of :post see the result as %.
FormSpan with_contract(Analyzer& a, const Form& contract, FormSpan body) {
    const FormSpan before = conditions_of(contract, "pre");
    const FormSpan after = conditions_of(contract, "post");
    if (!after.empty()) { // (let [% (do body ..)] (assert ..) .. %)
        Form* whole = a.nodes.allocate<Form>(body.size() + 1);
        new (&whole[0]) Form(hidden_name(" do", contract.span));
        std::uninitialized_copy(body.begin(), body.end(), whole + 1);
        Form* binding = a.nodes.allocate<Form>(2);
        new (&binding[0]) Form(hidden_name(kResult, contract.span));
        new (&binding[1]) Form(call_of({whole, body.size() + 1}, contract.span));
        Form* items = a.nodes.allocate<Form>(after.size() + 3);
        Form* next = items;
        new (next++) Form(hidden_name(" let", contract.span));
        new (next++) Form(form_of(FormKind::Vector, {binding, 2}, contract.span));
        Form* about = a.nodes.allocate<Form>(after.size());
        for (std::size_t i = 0; i < after.size(); ++i)
            new (&about[i]) Form(with_result(a, after[i]));
        add_assertions(a, {about, after.size()}, next);
        new (next++) Form(hidden_name(kResult, contract.span));
        body = {a.nodes.create<Form>(call_of({items, next}, contract.span)), 1};
    }
    if (before.empty()) return body;
    Form* items = a.nodes.allocate<Form>(before.size() + body.size());
    Form* next = items;
    add_assertions(a, before, next);
    std::uninitialized_copy(body.begin(), body.end(), next);
    return {items, before.size() + body.size()};
}

bool read_clause(Analyzer& a, FormSpan parts, const SpecialForm& special, FnClause& clause) {
    if (!parts[0].is(FormKind::Vector)) {
        a.report(bad_form(a.span_of(parts[0]), special, "parameters stand in a vector: [x y]"));
        return false;
    }
    clause.body = parts.subspan(1);
    if (!a.at.site.core && clause.body.size() > 1 && is_contract(clause.body[0]))
        clause.body = with_contract(a, clause.body[0], clause.body.subspan(1));
    return read_params(a, parts[0], clause);
}

/// Which arity a call takes depends on the number of arguments alone.
bool check_clauses(Analyzer& a, std::span<const FnClause> clauses, const SpecialForm& special) {
    for (std::size_t i = 0; i < clauses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool both_open = clauses[i].variadic && clauses[j].variadic;
            const bool same = clauses[i].variadic == clauses[j].variadic && clauses[i].count == clauses[j].count;
            const bool hidden = !both_open && clauses[i].variadic && clauses[j].count > clauses[i].count;
            if (!both_open && !same && !hidden) continue;
            a.report(bad_form(a.span_of(*clauses[i].params), special,
                              both_open ? "only one list of parameters may have `&`"
                              : same    ? "two lists of parameters take the same number of arguments"
                                        : "the list of parameters with `&` must be the longest"));
            return false;
        }
    }
    return true;
}

} // namespace

std::span<const FnClause> read_clauses(Analyzer& a, FormSpan parts, const SpecialForm& special) {
    const bool several = parts[0].is(FormKind::List);
    // (defn f ([x] ..) {metadata})
    if (several && parts.size() > 1 && parts.back().is(FormKind::Map)) parts = parts.first(parts.size() - 1);
    const std::size_t count = several ? parts.size() : 1;
    auto* clauses = a.nodes.allocate<FnClause>(count);
    for (std::size_t i = 0; i < count; ++i) {
        new (&clauses[i]) FnClause;
        if (several &&
            (!parts[i].is(FormKind::List) || parts[i].size == 0 || !parts[i].items()[0].is(FormKind::Vector))) {
            a.report(bad_form(a.span_of(parts[i]), special,
                              parts[i].is(FormKind::List) && count == 1
                                  ? "parameters stand in a vector: [x y]"
                                  : "each number of arguments has a list of its own: ([x] ..) ([x y] ..)"));
            return {};
        }
        if (!read_clause(a, several ? parts[i].items() : parts, special, clauses[i])) return {};
    }
    const auto is_open = [](const FnClause& clause) { return clause.variadic; };
    std::stable_partition(clauses, clauses + count, [&](const FnClause& clause) { return !is_open(clause); });
    if (!a.at.site.core && !check_clauses(a, {clauses, count}, special)) return {};
    return {clauses, count};
}

const Lambda* read_fn(Analyzer& a, const Form& list) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return nullptr;
    FormSpan parts = list.items().subspan(1);
    std::string_view name;
    if (parts[0].is(FormKind::Symbol)) {
        name = parts[0].text();
        parts = parts.subspan(1);
    }
    if (parts.empty()) {
        a.report(bad_form(a.span_of(list), fn_special(), "the parameters are missing"));
        return nullptr;
    }
    const std::span<const FnClause> clauses = read_clauses(a, parts, fn_special());
    if (clauses.empty()) return nullptr;
    return a.nodes.create<Lambda>(name, a.span_of(list), clauses, a.at.site);
}

const Lambda* read_short_fn(Analyzer& a, const Form& form) {
    if (a.at.site.in_short_fn) {
        a.report(nested_short_fn(a.span_of(form)));
        return nullptr;
    }
    std::size_t highest = 0;
    bool rest = false;
    for (const Form& item : form.items())
        find_placeholders(item, highest, rest);
    Form* body = a.nodes.create<Form>(form);
    body->kind = FormKind::List;
    // Spec 13.1: #(42) gives 42, it does not call it; so does #([% 2]), a vector. #() gives nil.
    if (form.size == 0) body = a.nodes.create<Form>();
    if (form.size == 1 && is_data(form.items()[0])) body = a.nodes.create<Form>(form.items()[0]);
    auto* clause = a.nodes.create<FnClause>();
    clause->body = {body, 1};
    clause->count = static_cast<std::uint32_t>(highest);
    clause->variadic = rest;
    return a.nodes.create<Lambda>(std::string_view(), a.span_of(form), std::span<const FnClause>(clause, 1), a.at.site);
}

Node* fn_value(Analyzer& a, const Lambda& lambda, Tail tail) {
    Function* function = declare_function(a, lambda, lambda.name);
    fn_bodies(a, *function, lambda);
    Function* const family[] = {function};
    a.nodes.share_captures(family);
    Node* node = a.nodes.make(NodeKind::Fn, lambda.site.core ? lambda.site.span : lambda.span, tail);
    node->function = function;
    return node;
}

Function* declare_function(Analyzer& a, const Lambda& lambda, std::string_view name) {
    Function* first = nullptr;
    Function* previous = nullptr;
    for (const FnClause& clause : lambda.clauses) {
        Function* function = a.nodes.new_function(name, lambda.span);
        function->variadic = clause.variadic;
        function->fixed = clause.count;
        if (previous) {
            previous->next_arity = function;
            function->first_arity = function->family = first;
        } else {
            first = function;
        }
        previous = function;
    }
    if (lambda.clauses.size() > 1) first->first_arity = first->family = first;
    return first;
}

void fn_bodies(Analyzer& a, Function& first, const Lambda& lambda) {
    Function* function = &first;
    for (const FnClause& clause : lambda.clauses) {
        fn_body(a, *function, lambda, clause);
        function = function->next_arity;
    }
}

void fn_body(Analyzer& a, Function& function, const Lambda& lambda, const FnClause& clause) {
    const Context outer = a.at;
    RecurTarget target{nullptr, clause.count + (clause.variadic ? 1u : 0u)};
    target.around = std::exchange(a.at.body_of, nullptr);
    a.at.function = &function;
    a.at.recur = &target;
    a.at.hoist = nullptr;
    a.at.fold = nullptr;
    a.at.site = lambda.site;
    a.at.site.in_short_fn = a.at.site.in_short_fn || clause.params == nullptr;
    function.variadic = clause.variadic;
    function.fixed = clause.count;
    if (!lambda.name.empty()) {
        Binding self;
        self.name = lambda.name;
        self.kind = BindingKind::Self;
        self.self = first_arity(function);
        a.names.bind(self);
    }
    const FormSpan params = clause.params ? clause.params->items() : FormSpan{};
    for (std::size_t i = 0; i < target.count && work::charge(4); ++i) {
        const bool rest = i == clause.count;
        const Form* pattern = params.empty() ? nullptr : &params[rest ? i + 1 : i];
        const std::string_view name = !pattern                    ? (rest ? "%&" : placeholder_name(i))
                                      : is_binding_name(*pattern) ? pattern->text()
                                                                  : "";
        Local* local = a.nodes.new_local(name, pattern ? a.span_of(*pattern) : lambda.span);
        if (!rest &&
            a.names.lazy_escapes()) // also of the language's own, which may pass it to a literal of the program
            local->laziness = static_cast<std::uint8_t>(Laziness::Maybe);
        local->is_sequence = rest && !lambda.site.core;
        function.params.push_back(local);
        if (!name.empty()) a.names.bind(name, local);
    }
    Let let(a.nodes);
    for (std::size_t i = 0; i < function.params.size() && !params.empty(); ++i) {
        const bool rest = i == clause.count;
        const Form& pattern = params[rest ? i + 1 : i];
        if (is_binding_name(pattern)) continue;
        Node* value = a.nodes.reference(function.params[i], a.span_of(pattern));
        if (rest)
            bind_rest(a, pattern, value, let);
        else
            destructure(a, pattern, value, let);
    }
    Node* body = a.analyze_body(clause.body, lambda.span, kFunctionTail | kRecurTail);
    function.body = let.finish(body, lambda.span, kFunctionTail);
    function.has_recur = target.used;
    if (target.used) with_cursors(a, function);

    a.at = outer;
}

Local* self_value(Analyzer& a, Function* function) {
    const auto family_of = [](Function* f) { return f->family ? f->family : f; };
    Function* frame = a.at.function; // the body may be one inside of the function
    while (family_of(frame) != family_of(function))
        frame = frame->parent;
    if (frame == function) {
        if (!function->self) function->self = a.nodes.new_local_of(*function, function->name, function->span);
        return function->self;
    }
    for (const Function::Sibling& sibling : frame->siblings) {
        if (sibling.function == function) return sibling.local;
    }
    Local* local = a.nodes.new_local_of(*frame, function->name, function->span);
    local->by_use = true;
    frame->siblings.push_back({function, local});
    return local;
}

Node* fn_form(Analyzer& a, const Form& list, Tail tail) {
    const Lambda* lambda = read_fn(a, list);
    return lambda ? fn_value(a, *lambda, tail) : a.nodes.nil(a.span_of(list), tail);
}

} // namespace ptc
