// Function values: fn and #(), their parameters and captures.
#include "compiler/analyze/analysis.h"
#include <algorithm>
#include <charconv>

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

Node* Analyzer::fn_form(const Form& list, Place place) {
    const Lambda* lambda = read_fn(list);
    return lambda ? fn_value(*lambda, place) : nil(span_of(list), place);
}

/// Counts the parameters; a part after `&` must be the last. False after a report.
bool Analyzer::read_params(const Form& params, FnClause& clause) {
    clause.params = &params;
    const FormSpan items = params.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_symbol("&")) continue;
        if (i + 2 != items.size() || items[i + 1].is_symbol("&")) {
            report(bad_form(items[i].span, fn_special(),
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

// (fn name? [params] body ..); core code also has (fn ([params] body ..) ..)
const Lambda* Analyzer::read_fn(const Form& list) {
    if (!check_parts(list, 1, SIZE_MAX)) return nullptr;
    FormSpan parts = list.items().subspan(1);
    std::string_view name;
    if (parts[0].is(FormKind::Symbol)) {
        name = parts[0].text();
        parts = parts.subspan(1);
    }
    if (parts.empty()) {
        report(bad_form(span_of(list), fn_special(), "the parameters are missing"));
        return nullptr;
    }
    const std::size_t count = site_.core && parts[0].is(FormKind::List) ? parts.size() : 1;
    auto* clauses = static_cast<FnClause*>(arena_.allocate(count * sizeof(FnClause), alignof(FnClause)));
    for (std::size_t i = 0; i < count; ++i) {
        const bool nested = parts[i].is(FormKind::List);
        if (nested && !site_.core) {
            const bool arities = parts[i].size > 0 && parts[i].items()[0].is(FormKind::Vector);
            report(bad_form(
                span_of(parts[i]), fn_special(),
                arities ? "a function has one list of parameters: write one function for each number of arguments, "
                          "or take the rest with `&`"
                        : "parameters stand in a vector: [x y]"));
            return nullptr;
        }
        const FormSpan clause = nested ? parts[i].items() : parts;
        if (!clause[0].is(FormKind::Vector)) {
            report(bad_form(span_of(clause[0]), fn_special(), "parameters stand in a vector: [x y]"));
            return nullptr;
        }
        new (&clauses[i]) FnClause;
        clauses[i].body = clause.subspan(1);
        if (!read_params(clause[0], clauses[i])) return nullptr;
    }
    return create<Lambda>(name, span_of(list), std::span<const FnClause>(clauses, count), site_);
}

namespace {

/// A literal that is no call and no name.
bool is_data(const Form& form) {
    return form.kind < FormKind::Symbol || form.is(FormKind::Vector) || form.is(FormKind::Map) ||
           form.is(FormKind::Set);
}

} // namespace

const Lambda* Analyzer::read_short_fn(const Form& form) {
    if (site_.in_short_fn) {
        report(nested_short_fn(span_of(form)));
        return nullptr;
    }
    std::size_t highest = 0;
    bool rest = false;
    for (const Form& item : form.items())
        find_placeholders(item, highest, rest);
    Form* body = create<Form>(form);
    body->kind = FormKind::List;
    // Spec 13.1: #(42) gives 42, it does not call it; so does #([% 2]), a vector. #() gives nil.
    if (form.size == 0) body = create<Form>();
    if (form.size == 1 && is_data(form.items()[0])) body = create<Form>(form.items()[0]);
    auto* clause = create<FnClause>();
    clause->body = {body, 1};
    clause->count = static_cast<std::uint32_t>(highest);
    clause->variadic = rest;
    return create<Lambda>(std::string_view(), span_of(form), std::span<const FnClause>(clause, 1), site_);
}

/// A Fn node. Of several clauses the last one is taken: it accepts any number of arguments.
Node* Analyzer::fn_value(const Lambda& lambda, Place place) {
    Function* function = new_function(lambda.name, lambda.span);
    fn_body(*function, lambda, lambda.clauses.back());
    Node* node = make(NodeKind::Fn, lambda.site.core ? lambda.site.span : lambda.span, place);
    node->function = function;
    return node;
}

void Analyzer::fn_body(Function& function, const Lambda& lambda, const FnClause& clause) {
    Function* const outer_fn = fn_;
    RecurTarget* const outer_recur = recur_;
    HoistFrame* const outer_hoist = hoist_;
    Node* const outer_fold = fold_;
    const Site outer_site = site_;

    RecurTarget target{nullptr, clause.count + (clause.variadic ? 1u : 0u)};
    fn_ = &function;
    recur_ = &target;
    hoist_ = nullptr;
    fold_ = nullptr;
    site_ = lambda.site;
    site_.in_short_fn = site_.in_short_fn || clause.params == nullptr;
    function.variadic = clause.variadic;
    if (!lambda.name.empty()) {
        Binding self;
        self.name = lambda.name;
        self.kind = BindingKind::Self;
        self.self = &function;
        push(self);
    }
    const FormSpan params = clause.params ? clause.params->items() : FormSpan{};
    for (std::size_t i = 0; i < target.count; ++i) {
        const bool rest = i == clause.count;
        const Form* pattern = params.empty() ? nullptr : &params[rest ? i + 1 : i];
        const std::string_view name = !pattern                    ? (rest ? "%&" : placeholder_name(i))
                                      : is_binding_name(*pattern) ? pattern->text()
                                                                  : "";
        Local* local = new_local(name, pattern ? span_of(*pattern) : lambda.span);
        function.params.push_back(local);
        if (!name.empty()) push(name, local);
    }
    Let let(*this);
    for (std::size_t i = 0; i < target.count && !params.empty(); ++i) {
        const bool rest = i == clause.count;
        const Form& pattern = params[rest ? i + 1 : i];
        if (is_binding_name(pattern)) continue;
        Node* value = reference(function.params[i], span_of(pattern));
        if (rest)
            bind_rest(pattern, value, let);
        else
            destructure(pattern, value, let);
    }
    Node* body = analyze_body(clause.body, lambda.span, kFunctionTail | kRecurTail);
    function.body = let.finish(body, lambda.span, kFunctionTail);
    function.has_recur = target.used;

    fn_ = outer_fn;
    recur_ = outer_recur;
    hoist_ = outer_hoist;
    fold_ = outer_fold;
    site_ = outer_site;
}

/// The variable that holds a named function inside of itself, made when it is first used as a value.
Local* Analyzer::self_value(Function* function) {
    if (!function->self) {
        Local& local = tree_.locals.emplace_back();
        local.name = function->name;
        local.span = function->span;
        local.function = function;
        local.index = static_cast<std::uint32_t>(function->locals.size());
        function->locals.push_back(&local);
        function->self = &local;
    }
    return function->self;
}

} // namespace ptc
