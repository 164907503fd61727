// The driver: forms by kind, names, literals, and the making of nodes.
#include "compiler/analyze/analyzer.h"
#include "compiler/analyze/analysis.h"
#include "compiler/language/form_identity.h"
#include "runtime/freeze.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <cassert>

namespace ptc {
namespace {

constexpr SpecialForm kSpecialForms[] = {
#define PTC_SPECIAL_FORM(name, handler, shadowing, ...) {name, SpecialForm::shadowing, __VA_ARGS__},
#include "compiler/language/special_forms.def"
#undef PTC_SPECIAL_FORM
};

/// Restores what a nested form may change.
template <class T> struct Restore {
    T& place;
    T saved;
    explicit Restore(T& p) : place(p), saved(p) {}
    ~Restore() { place = saved; }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;
};

} // namespace

Form hidden_name(std::string_view name, Span span) {
    Form form;
    form.kind = FormKind::Symbol;
    form.span = span;
    form.chars = name.data();
    form.size = static_cast<std::uint32_t>(name.size());
    return form;
}

Form call_of(std::span<const Form> items, Span span) {
    Form form;
    form.kind = FormKind::List;
    form.span = span;
    form.first = items.data();
    form.size = static_cast<std::uint32_t>(items.size());
    return form;
}

Bits empty_vector_bits() { return empty_vector().give_up(); }

std::span<const SpecialForm> special_forms() { return kSpecialForms; }

const Analyzer::Handler Analyzer::kHandlers[] = {
#define PTC_SPECIAL_FORM(name, handler, ...) &Analyzer::handler,
#include "compiler/language/special_forms.def"
#undef PTC_SPECIAL_FORM
};

Tree analyze(const Forms& forms, const Source& source, const Environment& environment, const CoreLibrary& core,
             const CompileLimits& limits, Heap& heap, ShapeTable&, Diagnostics& diagnostics) {
    Tree tree;
    Analyzer analyzer(tree, environment, core, limits, heap, diagnostics);
    analyzer.program(forms.top_level(), source);
    return tree;
}

CoreTree analyze_core(const CoreLibrary& core, Heap& heap, ShapeTable&, Diagnostics& diagnostics) {
    CoreTree result;
    const Environment nothing;
    const CompileLimits limits;
    Analyzer analyzer(result.tree, nothing, core, limits, heap, diagnostics);
    analyzer.core_functions(result.first_arity);
    return result;
}

Analyzer::Analyzer(Tree& tree, const Environment& environment, const CoreLibrary& core, const CompileLimits& limits,
                   Heap& heap, Diagnostics& diagnostics)
    : tree_(tree), arena_(*tree.arena), environment_(environment), core_(core), limits_(limits), heap_(heap),
      diagnostics_(diagnostics), folder_(heap), globals_(arena_), texts_(arena_), tools_(arena_), data_(arena_),
      siblings_(arena_) {}

void Analyzer::program(std::span<const Form> top_level, const Source& source) {
    source_ = &source;
    for (std::string_view name : environment_.globals) {
        GlobalName& global = globals_.add(name, name_hash(name));
        global.in_session = global.defined = true;
    }
    find_definitions(top_level);
    const Span all = top_level.empty() ? Span{} : Span{top_level.front().span.begin, top_level.back().span.end};
    fn_ = new_function("", all);
    fn_->body = analyze_body(top_level, all, kFunctionTail);
    globals_.each([&](const GlobalName& name) {
        if (name.definitions > 0) tree_.defined_names.push_back(name.name);
        if (name.definitions > 1 || !known_functions_) tree_.redefined_names.push_back(name.name);
    });
}

void Analyzer::core_functions(std::vector<Function*>& first_arity) {
    fn_ = new_function("", {});
    fn_->body = nil({});
    Function* top = fn_;
    for (const CoreFunction& function : core_.all()) {
        Function* previous = nullptr;
        for (const CoreFunction::ArityForm& arity : function.arities) {
            Function* made = new_function(function.name, arity.params->span);
            made->doc = function.doc;
            core_targets_.push_back({&arity, made});
            if (previous)
                previous->next_arity = made;
            else
                first_arity.push_back(made);
            previous = made;
        }
    }
    std::size_t at = 0;
    for (const CoreFunction& function : core_.all()) {
        for (const CoreFunction::ArityForm& arity : function.arities) {
            FnClause clause{arity.params, arity.body, arity.count, arity.variadic};
            const Lambda lambda{{}, arity.params->span, {&clause, 1}, Site{nullptr, true, false, arity.params->span}};
            Restore name(core_name_);
            Restore compiled(core_function_);
            core_name_ = function.name;
            core_function_ = &function;
            fn_body(*core_targets_[at++].second, lambda, clause);
            fn_ = top;
        }
    }
}

// ---- Making nodes
// ------------------------------------------------------------------------------------------------------

Node* Analyzer::make(NodeKind kind, Span span, Place place) {
    Node* node = create<Node>();
    node->kind = kind;
    node->span = span;
    node->tail = (place & kFunctionTail) != 0;
    ++node_count_;
    return node;
}

Node* Analyzer::make(NodeKind kind, Span span, Place place, std::initializer_list<Node*> children) {
    Node* node = make(kind, span, place);
    node->children = copy(std::span<Node* const>(children.begin(), children.size()));
    return node;
}

Node* Analyzer::literal(Bits bits, Span span, Place place) {
    Node* node = make(NodeKind::Constant, span, place);
    node->constant = bits;
    return node;
}

Node* Analyzer::literal(Result<Value> value, Span span, Place place) {
    if (!value.ok()) {
        value.error().span = span;
        value.error().has_span = true;
        report(std::move(value.error()));
        return nil(span, place);
    }
    if (++constant_count_ > limits_.max_constants && !stopped_) {
        stopped_ = true;
        report(program_too_large(span, "constants", limits_.max_constants));
    }
    // Frozen at once: from here on a constant is a word that any number of nodes may hold.
    freeze_value(value.value());
    const Value& made = value.value();
    // Sorted once: a frozen set or large map without a view is sorted whenever somebody looks.
    if (made.is_set() || (made.is_map() && !made.is(ObjectType::Record))) prepare_views(heap_, made);
    return literal(value.value().give_up(), span, place);
}

Node* Analyzer::keyword(std::string_view text, Span span, Place place) {
    ConstantText& entry = texts_.add(text, name_hash(text));
    if (entry.keyword != 0) return literal(entry.keyword, span, place);
    Node* node = literal(make_keyword(heap_, text), span, place);
    entry.keyword = node->constant;
    return node;
}

Node* Analyzer::string(std::string_view text, Span span, Place place) {
    ConstantText& entry = texts_.add(text, name_hash(text));
    if (entry.string != 0) return literal(entry.string, span, place);
    Node* node = literal(make_string(heap_, text), span, place);
    entry.string = node->constant;
    return node;
}

Node* Analyzer::nil(Span span, Place place) { return literal(bits::kNil, span, place); }

Node* Analyzer::reference(Local* local, Span span, Place place) {
    Local* own = local->function == fn_ ? local : capture(local, fn_);
    Node* node = make(NodeKind::LocalRef, span, place);
    node->local = own;
    ++own->uses;
    return node;
}

/// The variable that holds `local`, which belongs to an enclosing function, inside of `into`.
Local* Analyzer::capture(Local* local, Function* into) {
    if (local->function == into) return local;
    Local* outer = into->parent ? capture(local, into->parent) : local;
    for (std::size_t i = 0; i < into->captured_from.size(); ++i) {
        if (into->captured_from[i] == outer) return into->captures[i];
    }
    if (into->captures.size() == 250) {
        if (!stopped_) report(program_too_large(into->span, "variables captured by one function", 250));
        stopped_ = true;
    }
    Local& own = tree_.locals.emplace_back();
    own.name = local->name;
    own.span = local->span;
    own.function = into;
    own.index = static_cast<std::uint32_t>(into->locals.size());
    into->locals.push_back(&own);
    into->captured_from.push_back(outer);
    into->captures.push_back(&own);
    ++outer->uses;
    return &own;
}

void Analyzer::discard(const Node* node) {
    if (node->kind == NodeKind::LocalRef) --node->local->uses;
    if (node->kind == NodeKind::Fn) {
        for (Local* local : node->function->captured_from)
            --local->uses;
    }
    for (const Node* child : node->children)
        discard(child);
}

Local* Analyzer::new_local(std::string_view name, Span span) {
    Local& local = tree_.locals.emplace_back();
    local.name = name;
    local.span = site_.core ? site_.span : span; // places in the core library mean nothing in the program's text
    local.function = fn_;
    local.index = static_cast<std::uint32_t>(fn_->locals.size());
    fn_->locals.push_back(&local);
    return &local;
}

Function* Analyzer::new_function(std::string_view name, Span span) {
    Function& function = tree_.functions.emplace_back();
    function.name = name;
    function.span = span;
    function.parent = fn_;
    function.index = static_cast<std::uint32_t>(tree_.functions.size() - 1);
    return &function;
}

std::span<Node*> Analyzer::take_nodes(std::size_t first) {
    std::span<Node*> taken = copy(std::span<Node* const>(node_stack_).subspan(first));
    node_stack_.resize(first);
    return taken;
}

Local* Analyzer::Let::temporary(Node* value) {
    Local* local = analyzer.new_local("", value->span);
    add(local, value);
    return local;
}

/// A Let of what was added, around `body`; only `body` when nothing was. `into`: a Loop node made beforehand.
Node* Analyzer::Let::finish(Node* body, Span span, Place place, Node* into) {
    if (empty() && !into) return body;
    auto entries = std::span(analyzer.let_stack_).subspan(first);
    Node* node = into ? into : analyzer.make(NodeKind::Let, span, place);
    auto* children =
        static_cast<Node**>(analyzer.arena_.allocate((entries.size() + 1) * sizeof(Node*), alignof(Node*)));
    auto* locals =
        static_cast<Local**>(analyzer.arena_.allocate((entries.size() + 1) * sizeof(Local*), alignof(Local*)));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        locals[i] = entries[i].local;
        children[i] = entries[i].value;
    }
    children[entries.size()] = body;
    node->children = {children, entries.size() + 1};
    node->locals = {locals, entries.size()};
    analyzer.let_stack_.resize(first);
    return node;
}

Node* Analyzer::builtin_call(std::uint32_t index, Span span, Place place, std::size_t first_node) {
    std::span<Node* const> arguments = std::span<Node* const>(node_stack_).subspan(first_node);
    bool known = environment_.fold && arguments.size() <= 8;
    for (const Node* argument : arguments) {
        // A core function is not a value yet while the core itself is compiled.
        known = known && argument->kind == NodeKind::Constant && !Value::adopt(argument->constant).is_static_function();
    }
    if (known) {
        Bits values[8];
        for (std::size_t i = 0; i < arguments.size(); ++i)
            values[i] = arguments[i]->constant;
        if (auto folded = folder_.call(builtin_at(index), {values, arguments.size()})) {
            node_stack_.resize(first_node);
            return literal(*folded, span, place);
        }
    }
    Node* node = make(NodeKind::CallBuiltin, span, place);
    node->index = index;
    node->children = take_nodes(first_node);
    return node;
}

Node* Analyzer::builtin_call(std::uint32_t index, Span span, Place place, std::initializer_list<Node*> children) {
    const std::size_t first = node_stack_.size();
    node_stack_.insert(node_stack_.end(), children.begin(), children.end());
    return builtin_call(index, span, place, first);
}

std::uint32_t Analyzer::native(const char* name) const {
    const CoreName* entry = core_.lookup(name, name_hash(name));
    assert(entry && entry->builtin >= 0);
    return static_cast<std::uint32_t>(entry->builtin);
}

// ---- Forms by kind
// -----------------------------------------------------------------------------------------------------

bool Analyzer::stop_at_limits(Span span) {
    if (stopped_) return true;
    if (node_count_ > limits_.max_nodes) {
        report(program_too_large(span, "nodes after expansion", limits_.max_nodes));
    } else if (depth_ > kMaxDepth) {
        report(program_too_large(span, "levels of nesting after expansion", kMaxDepth));
    } else if (tree_.locals.size() + globals_.size() > limits_.max_symbols) {
        report(program_too_large(span, "names", limits_.max_symbols));
    } else if (!heap_.meter.charge(1)) {
        Error error = heap_.meter.error();
        error.span = span;
        error.has_span = true;
        report(std::move(error));
    } else if (diagnostics_.dropped() == 0) { // else nobody sees what is found from here on
        return false;
    }
    return stopped_ = true;
}

Node* Analyzer::analyze(const Form& form, Place place) {
    if (stop_at_limits(span_of(form))) [[unlikely]]
        return nil(span_of(form), place);
    switch (form.kind) {
    case FormKind::Nil: return nil(span_of(form), place);
    case FormKind::True: return literal(bits::kTrue, span_of(form), place);
    case FormKind::False: return literal(bits::kFalse, span_of(form), place);
    case FormKind::Integer:
    case FormKind::BigInteger:
    case FormKind::Float: return analyze_number(form, place);
    case FormKind::String: return string(form.text(), span_of(form), place);
    case FormKind::Keyword: return keyword(form.text(), span_of(form), place);
    case FormKind::Symbol: return analyze_symbol(form, place);
    case FormKind::Regex: {
        Result<Value> regex = make_regex(heap_, form.text());
        // The literal is wrong, nothing has run.
        if (!regex.ok() && regex.error().reason == Reason::RuntimeError) regex.error().reason = Reason::InvalidForm;
        return literal(std::move(regex), span_of(form), place);
    }
    case FormKind::Var: {
        Form name = form;
        name.kind = FormKind::Symbol;
        const Resolved meaning = resolve(name);
        if (meaning.kind == Resolved::Error) return nil(span_of(form), place);
        if (meaning.kind == Resolved::Export || meaning.kind == Resolved::Sibling)
            return value_of(meaning, name, place);
        return literal(make_var(heap_, form.text()), span_of(form), place);
    }
    case FormKind::Quote: return quoted(form.items()[0], place, span_of(form));
    case FormKind::ShortFn: {
        const Lambda* lambda = read_short_fn(form);
        return lambda ? fn_value(*lambda, place) : nil(span_of(form), place);
    }
    default: break;
    }
    ++depth_;
    Node* node = nullptr;
    switch (form.kind) {
    case FormKind::Vector: node = analyze_vector(form, place); break;
    case FormKind::Map: node = analyze_map(form, place); break;
    case FormKind::Set: node = analyze_set(form, place); break;
    default: node = analyze_list(form, place); break;
    }
    --depth_;
    return node;
}

Node* Analyzer::analyze_number(const Form& form, Place place) {
    switch (form.kind) {
    case FormKind::Integer:
        if (bits::fits_integer(form.integer)) return literal(bits::from_integer(form.integer), span_of(form), place);
        return literal(make_integer(heap_, form.integer), span_of(form), place);
    case FormKind::Float: return literal(bits::from_double(form.number), span_of(form), place);
    default: return literal(parse_integer(heap_, form.text()), span_of(form), place);
    }
}

Node* Analyzer::quoted(const Form& form, Place place, Span span) {
    if (!form.is(FormKind::Symbol)) {
        return failed(bad_shape(span, "Only a name can be quoted.",
                                "Vectors, maps and keywords need no quote: write [a b] or :a."));
    }
    return literal(make_symbol(heap_, form.text()), span, place);
}

Node* Analyzer::analyze_body(FormSpan body, Span span, Place place) {
    if (body.empty()) return nil(span, place);
    if (body.size() == 1) return analyze(body[0], place);
    const std::size_t first = node_stack_.size();
    for (const Form& form : body.first(body.size() - 1)) {
        Node* node = analyze(form, kValue);
        if (node->kind != NodeKind::Constant && node->kind != NodeKind::LocalRef)
            node_stack_.push_back(node);
        else
            discard(node);
    }
    Node* last = analyze(body.back(), place);
    if (node_stack_.size() == first) return last;
    node_stack_.push_back(last);
    Node* node = make(NodeKind::Do, span, place);
    node->children = take_nodes(first);
    return node;
}

// ---- Collections
// -------------------------------------------------------------------------------------------------------

namespace {

bool all_constant(std::span<Node* const> nodes) {
    for (const Node* node : nodes) {
        if (node->kind != NodeKind::Constant) return false;
    }
    return true;
}

Result<Value> constant_map(Heap& heap, std::span<Node* const> nodes) {
    MapBuilder builder(heap);
    for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
        builder.put(Value::adopt(nodes[i]->constant), Value::adopt(nodes[i + 1]->constant));
    }
    return builder.finish();
}

Result<Value> constant_set(Heap& heap, std::span<Node* const> nodes) {
    Value set = empty_set();
    for (const Node* node : nodes) {
        set = PTC_TRY(set_conj(heap, std::move(set), Value::adopt(node->constant)));
    }
    return set;
}

Result<Value> constant_vector(Heap& heap, std::span<Node* const> nodes) {
    VectorBuilder builder(heap);
    if (!builder.reserve(nodes.size())) return heap.out_of_memory();
    for (const Node* node : nodes)
        builder.push(Value::adopt(node->constant));
    return builder.finish();
}

} // namespace

Node* Analyzer::analyze_vector(const Form& form, Place place) {
    const std::size_t first = node_stack_.size();
    for (const Form& item : form.items()) {
        Node* node = analyze(item, kValue);
        node_stack_.push_back(node);
    }
    std::span<Node* const> items = std::span<Node* const>(node_stack_).subspan(first);
    if (all_constant(items)) {
        Result<Value> value = items.empty() ? Result<Value>(empty_vector()) : constant_vector(heap_, items);
        node_stack_.resize(first);
        return literal(std::move(value), span_of(form), place);
    }
    Node* node = make(NodeKind::Vector, span_of(form), place);
    node->children = take_nodes(first);
    return node;
}

Node* Analyzer::analyze_set(const Form& form, Place place) {
    if (!check_duplicates(form.items(), 1, "item")) return nil(span_of(form), place);
    const std::size_t first = node_stack_.size();
    for (const Form& item : form.items()) {
        Node* node = analyze(item, kValue);
        node_stack_.push_back(node);
    }
    std::span<Node* const> items = std::span<Node* const>(node_stack_).subspan(first);
    if (all_constant(items)) {
        Result<Value> value = constant_set(heap_, items);
        node_stack_.resize(first);
        return literal(std::move(value), span_of(form), place);
    }
    Node* node = make(NodeKind::Set, span_of(form), place);
    node->children = take_nodes(first);
    return node;
}

Node* Analyzer::analyze_map(const Form& form, Place place) {
    if (!check_duplicates(form.items(), 2, "key")) return nil(span_of(form), place);
    const std::size_t first = node_stack_.size();
    for (const Form& item : form.items()) {
        Node* node = analyze(item, kValue);
        node_stack_.push_back(node);
    }
    std::span<Node* const> items = std::span<Node* const>(node_stack_).subspan(first);
    if (all_constant(items)) {
        Result<Value> value = items.empty() ? Result<Value>(empty_map()) : constant_map(heap_, items);
        node_stack_.resize(first);
        return literal(std::move(value), span_of(form), place);
    }
    Node* node = make(NodeKind::Map, span_of(form), place);
    node->children = take_nodes(first);
    return node;
}

// GAP-S147: a key form written twice is an error of the program; keys that only turn out equal when run are not
// (DIV-06).
bool Analyzer::check_duplicates(FormSpan items, std::size_t step, const char* what) {
    const std::size_t count = items.size() / step;
    if (count < 2 || site_.core) return true;
    struct Entry {
        std::uint64_t hash;
        const Form* form;
    };
    Entry few[16];
    std::vector<Entry> many;
    std::span<Entry> entries(few, 0);
    if (count > std::size(few)) {
        many.resize(count);
        entries = many;
    } else {
        entries = {few, count};
    }
    for (std::size_t i = 0; i < count; ++i)
        entries[i] = {form_hash(items[i * step]), &items[i * step]};
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.hash != b.hash ? a.hash < b.hash : a.form < b.form; });
    bool distinct = true;
    for (std::size_t i = 1; i < count; ++i) {
        const Entry& entry = entries[i];
        if (entry.hash == entries[i - 1].hash && same_form(*entry.form, *entries[i - 1].form)) {
            report(repeated_key(entry.form->span, entries[i - 1].form->span, what));
            distinct = false;
        }
    }
    return distinct;
}

// ---- Errors
// ------------------------------------------------------------------------------------------------------------

/// A form may be analysed more than once (a small function literal inlined at two places): its errors count once.
void Analyzer::report(Error error) {
    ++reports_;
    span_in_error_ = error.span;
    for (const Diagnostic& earlier : diagnostics_.all()) {
        if (earlier.error.span == error.span) return; // what follows from a mistake is not reported again
    }
    diagnostics_.error(std::move(error));
}

const SpecialForm* Analyzer::special_of(const Form& list) const { return special_of_name(list.items()[0].text()); }

const SpecialForm* Analyzer::special_of_name(std::string_view name) const {
    const CoreName* entry = core_.lookup(name, name_hash(name));
    if (!entry || entry->special < 0) { // (clojure.core/let ..)
        name = name.substr(name.find('/') + 1);
        entry = core_.lookup(name, name_hash(name));
    }
    return entry && entry->special >= 0 ? &kSpecialForms[entry->special] : kSpecialForms;
}

bool Analyzer::check_parts(const Form& list, std::size_t min, std::size_t max) {
    const std::size_t got = list.size - 1;
    if (got >= min && got <= max) return true;
    report(wrong_parts(span_of(list), *special_of(list), got));
    return false;
}

} // namespace ptc
