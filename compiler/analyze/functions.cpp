// Function literals: fn and #(), their parameters and bodies.
//
// A literal is first read: its shape is checked, and it is kept with the site where it was written (Lambda). Whether it
// then becomes a function of its own (fn_value) or its body where it is called (inlining.h) is for its user to decide,
// so a literal may be analysed several times. A function's body starts with a context of its own: no loop, no recur but
// to itself, and variables of the functions around it are captured when it names them.
#include "compiler/analyze/functions.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/patterns.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxPlaceholder = 20;

constexpr std::string_view kPlaceholders[kMaxPlaceholder] = {"%1",  "%2",  "%3",  "%4",  "%5",  "%6",  "%7",
                                                             "%8",  "%9",  "%10", "%11", "%12", "%13", "%14",
                                                             "%15", "%16", "%17", "%18", "%19", "%20"};

const SpecialForm& fn_special() {
    for (const SpecialForm& form : special_forms()) {
        if (std::string_view(form.name) == "fn") return form;
    }
    return special_forms()[0];
}

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
    const std::size_t count = a.at.site.core && parts[0].is(FormKind::List) ? parts.size() : 1;
    auto* clauses = a.nodes.allocate<FnClause>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool nested = parts[i].is(FormKind::List);
        if (nested && !a.at.site.core) {
            const bool arities = parts[i].size > 0 && parts[i].items()[0].is(FormKind::Vector);
            a.report(bad_form(
                a.span_of(parts[i]), fn_special(),
                arities ? "a function has one list of parameters: write one function for each number of arguments, "
                          "or take the rest with `&`"
                        : "parameters stand in a vector: [x y]"));
            return nullptr;
        }
        const FormSpan clause = nested ? parts[i].items() : parts;
        if (!clause[0].is(FormKind::Vector)) {
            a.report(bad_form(a.span_of(clause[0]), fn_special(), "parameters stand in a vector: [x y]"));
            return nullptr;
        }
        new (&clauses[i]) FnClause;
        clauses[i].body = clause.subspan(1);
        if (!read_params(a, clause[0], clauses[i])) return nullptr;
    }
    return a.nodes.create<Lambda>(name, a.span_of(list), std::span<const FnClause>(clauses, count), a.at.site);
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
    Function* function = a.nodes.new_function(lambda.name, lambda.span);
    fn_body(a, *function, lambda, lambda.clauses.back());
    Node* node = a.nodes.make(NodeKind::Fn, lambda.site.core ? lambda.site.span : lambda.span, tail);
    node->function = function;
    return node;
}

void fn_body(Analyzer& a, Function& function, const Lambda& lambda, const FnClause& clause) {
    const Context outer = a.at;
    RecurTarget target{nullptr, clause.count + (clause.variadic ? 1u : 0u)};
    a.at.function = &function;
    a.at.recur = &target;
    a.at.hoist = nullptr;
    a.at.fold = nullptr;
    a.at.site = lambda.site;
    a.at.site.in_short_fn = a.at.site.in_short_fn || clause.params == nullptr;
    function.variadic = clause.variadic;
    if (!lambda.name.empty()) {
        Binding self;
        self.name = lambda.name;
        self.kind = BindingKind::Self;
        self.self = &function;
        a.names.bind(self);
    }
    const FormSpan params = clause.params ? clause.params->items() : FormSpan{};
    for (std::size_t i = 0; i < target.count; ++i) {
        const bool rest = i == clause.count;
        const Form* pattern = params.empty() ? nullptr : &params[rest ? i + 1 : i];
        const std::string_view name = !pattern                    ? (rest ? "%&" : placeholder_name(i))
                                      : is_binding_name(*pattern) ? pattern->text()
                                                                  : "";
        Local* local = a.nodes.new_local(name, pattern ? a.span_of(*pattern) : lambda.span);
        function.params.push_back(local);
        if (!name.empty()) a.names.bind(name, local);
    }
    Let let(a.nodes);
    for (std::size_t i = 0; i < target.count && !params.empty(); ++i) {
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

    a.at = outer;
}

Local* self_value(Analyzer& a, Function* function) {
    if (!function->self) function->self = a.nodes.new_local_of(*function, function->name, function->span);
    return function->self;
}

Node* fn_form(Analyzer& a, const Form& list, Tail tail) {
    const Lambda* lambda = read_fn(a, list);
    return lambda ? fn_value(a, *lambda, tail) : a.nodes.nil(a.span_of(list), tail);
}

} // namespace ptc
