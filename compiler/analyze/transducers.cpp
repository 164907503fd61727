// Transducers that are known when compiling.
//
// (into [] (comp (filter f) (take n) (map g)) xs) is one Fold over xs. Its body is made from the last stage backwards:
// `push` gives the accumulator after an item has gone through stage i and all later ones. A stage that drops the item
// gives the accumulator as it is, one that makes several is a Fold inside, one that ends the loop is a Break of the
// outer one. What a stage remembers (how many to take, what it has seen) is a variable in front of the loop that the
// body assigns: no closure, collection or cell is made for it. What partition-by and partition-all still hold at the
// end goes through the later stages once more, behind the loop (`flush`).
//
// A chain may have a name: a let's, or that of a definition which stands above and is the only one. What its stages are
// given is looked at in the scope where it was written, and must be of a kind that means the same wherever it is made.
//
// Functions of stages are bound to hidden names, in the order in which they are written, as the arguments of a core
// function are (inlining.h): a literal becomes its body. A chain with a part that is only known when it runs, or one
// whose later stages would be written out too often, is left to the functions of runtime/core.
#include "compiler/analyze/transducers.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/language/form_questions.h"
#include "runtime/seq.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ptc {
namespace {

constexpr std::size_t kMaxStages = 16;
constexpr std::size_t kMaxCopies = 8; ///< of the reducing function: interpose and partition repeat what is behind them

constexpr std::string_view kFunctionNames[kMaxStages] = {" f0", " f1", " f2",  " f3",  " f4",  " f5",  " f6",  " f7",
                                                         " f8", " f9", " f10", " f11", " f12", " f13", " f14", " f15"};
constexpr std::string_view kReducer = " rf", kCompletion = " cf", kItem = " x", kAccumulator = " acc", kIndex = " i";

struct Stage {
    Transducer kind;
    const Form* argument = nullptr; ///< its function or number, if it has one
    Site site{};                    ///< where that was written
    Local* given = nullptr;         ///< a number, separator or map: evaluated once
    Local* state = nullptr;
    Local* group = nullptr;   ///< of partition-by: the run so far; of dedupe: whether there was an item
    bool drops_short = false; ///< of partition-all: the last group if it is short, as partition does
};

/// Whether the stage gives what it still holds when the collection is at its end.
bool flushes(const Stage& stage) { return holds_items(stage.kind) && !stage.drops_short; }

/// How often a stage writes out what is behind it.
std::size_t copies_of(const Stage& stage) {
    const bool twice = stage.kind == Transducer::Interpose || flushes(stage);
    return twice ? 2 : 1;
}

/// What a name stands for, and the scope where that was written.
struct Written {
    const Form* form;
    const Binding* scope;
};

bool is_repeatable(Analyzer& a, const Form& form);
bool are_repeatable(Analyzer& a, FormSpan forms) {
    return std::all_of(forms.begin(), forms.end(), [&a](const Form& form) { return is_repeatable(a, form); });
}
/// Whether a form gives the same wherever it is looked at in its scope, and calls nothing but what makes functions.
bool is_repeatable(Analyzer& a, const Form& form) {
    switch (form.kind) {
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set: return are_repeatable(a, form.items());
    case FormKind::Var:
    case FormKind::Quote: return false;
    default: return true; // scalars and #()
    case FormKind::Symbol: {
        const Resolved name = a.names.resolve(form, false);
        return name.kind == Resolved::Local || name.kind == Resolved::Known || name.kind == Resolved::Core ||
               name.kind == Resolved::Builtin;
    }
    case FormKind::List: {
        if (form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return false;
        if (form.items()[0].is_symbol("fn")) return a.names.resolve(form.items()[0], false).kind == Resolved::Special;
        const Resolved head = a.names.resolve(form.items()[0], false);
        if (head.kind != Resolved::Core) return false;
        const CoreFunction::ArityForm* arity = head.name->core->arity(form.size - 1);
        return arity && arity->combinator && are_repeatable(a, form.items().subspan(1));
    }
    }
}

/// The chain that a name is known to stand for.
std::optional<Written> written_chain(Analyzer& a, const Form& symbol) {
    if (a.at.site.core) return std::nullopt;
    if (const Binding* found = find_binding(a.at.site.scope, symbol.text(), name_hash(symbol.text()))) {
        if (found->kind != BindingKind::Local || !found->local->transducer) return std::nullopt;
        return Written{found->local->transducer, found->outer};
    }
    // A function may be called when a later program has defined the name anew.
    if (a.at.function->parent || !a.names.known_functions()) return std::nullopt;
    const Resolved name = a.names.resolve(symbol, false);
    if (name.kind != Resolved::Global || name.global->definitions != 1 || name.global->in_session ||
        !name.global->defined || !name.global->top_level)
        return std::nullopt;
    const Form& definition = *name.global->top_level;
    if (!definition.items()[0].is_symbol("def") || definition.size < 3) return std::nullopt;
    return Written{&definition.items().back(), nullptr};
}

/// The function of the language that makes a transducer, or `comp`, of which a form is a call; cat and identity are
/// names alone. Null for all other forms.
const CoreName* maker_of(Analyzer& a, const Form& form) {
    const bool is_list = form.is(FormKind::List) && form.size > 0;
    const Form& head = is_list ? form.items()[0] : form;
    if (!head.is(FormKind::Symbol)) return nullptr;
    const Resolved name = a.names.resolve(head, false);
    if (name.kind != Resolved::Core && name.kind != Resolved::Builtin) return nullptr;
    const std::string_view word = name.name->name;
    if (is_list ? word == "comp" : word == "identity") return name.name;
    const CoreFunction* function = name.name->core;
    if (!function) return nullptr;
    return (is_list ? function->makes_transducer(form.size - 1u) : function->transducer == Transducer::Cat) ? name.name
                                                                                                            : nullptr;
}

/// Whether a form makes a transducer of parts that are repeatable.
bool is_chain(Analyzer& a, const Form& form) {
    if (form.is(FormKind::Symbol) && written_chain(a, form)) return true;
    const CoreName* maker = maker_of(a, form);
    if (!maker || !form.is(FormKind::List)) return maker != nullptr;
    const FormSpan parts = form.items().subspan(1);
    if (maker->name != "comp") return are_repeatable(a, parts);
    return std::all_of(parts.begin(), parts.end(), [&a](const Form& part) { return is_chain(a, part); });
}

/// What was read of a chain.
struct Chain {
    std::vector<Stage> stages{};
    std::size_t forms = 0;
    std::size_t named = 0; ///< forms that names stand for
};
constexpr std::size_t kMostNamed = 60;

/// The stages of a transducer form. False: some part is only known when it runs.
bool read_stages(Analyzer& a, const Form& form, Chain& read) {
    constexpr std::size_t kMostForms = 64; // names may stand for chains of names
    if (++read.forms > kMostForms || !work::charge(1)) return false;
    if (form.is(FormKind::Symbol)) {
        if (const std::optional<Written> chain = written_chain(a, form)) {
            const Site here = a.at.site;
            a.at.site.scope = chain->scope;
            a.at.site.in_short_fn = false;
            read.named += count_forms(*chain->form, kMostNamed);
            const bool is_known =
                read.named <= kMostNamed && is_chain(a, *chain->form) && read_stages(a, *chain->form, read);
            a.at.site = here;
            return is_known;
        }
    }
    const CoreName* maker = maker_of(a, form);
    if (!maker) return false;
    if (maker->name == "comp") {
        for (const Form& part : form.items().subspan(1)) {
            if (!read_stages(a, part, read)) return false;
        }
        return true;
    }
    if (maker->name == "identity") return true;
    if (read.stages.size() == kMaxStages) return false;
    Stage stage{.kind = maker->core->transducer, .site = a.at.site};
    if (form.is(FormKind::List) && form.size == 2) stage.argument = &form.items()[1];
    read.stages.push_back(stage);
    return true;
}

/// Whether what was read by names may be written out once more. A name is how programs keep code small: what functions
/// in the chain call, chains within chains, and a program that uses one very often are left to functions.
bool may_write_out(const Analyzer& a, const Chain& chain) {
    constexpr std::size_t kMostStages = 8, kMostInProgram = 2000;
    constexpr unsigned kMostLevels = 2;
    return chain.named == 0 || (chain.stages.size() <= kMostStages && a.named_chains < kMostLevels &&
                                a.named_chain_forms + chain.named <= kMostInProgram);
}

/// An endless sequence that is written out: (iterate f x), (range), (repeat x), (repeatedly f).
struct Source {
    enum class Kind : std::uint8_t { Iterate, Count, Repeat, Repeatedly };
    Kind kind = Kind::Count;
    const Form* function = nullptr; ///< of iterate and repeatedly
    const Form* first = nullptr;    ///< of iterate and repeat
};

/// The loop while it is made. Owns nothing but its list of stages.
class Pipeline {
public:
    Pipeline(Analyzer& a, std::vector<Stage> stages, Span span) : a_(a), stages_(std::move(stages)), span_(span) {}

    /// The functions of the stages under their hidden names, and what else they are given; in the order of writing.
    void bind_stages(const CoreFunction& function, Let& let);
    /// The reducing function: (completing f) and (completing f cf) are taken apart.
    void bind_reducer(const CoreFunction& function, const Form& form, bool has_init, Let& let);
    void conj_items() { conj_ = true; }
    [[nodiscard]] Node* first_value(); ///< (f)
    /// The loop, and behind it what stages still hold and the completion, over `init` and `coll`.
    Node* run(Node* init, Node* coll, std::string_view who, Let& let);
    /// The same over an endless source, from [] on, where the last stage is the one that ends it.
    void bind_source(const Source& source, const CoreFunction& function, Let& let);
    /// One more stage: of what comes out, one item is taken.
    void take_one(Let& let);
    Node* run_endless(const Source& source, std::string_view who, Let& let);

private:
    [[nodiscard]] std::size_t copies_before(std::size_t end) const;
    void bind(std::string_view name, const Form& form, const Site& site, const ParamUse& use,
              const CoreFunction& function, Let& let);
    void name(std::string_view name, Local* local) { a_.names.bind(name, local); }
    Node* ref(Local* local) { return a_.nodes.reference(local, span_); }
    Node* call(std::string_view function, std::initializer_list<std::string_view> arguments, Tail tail = kValue);
    Node* native(const char* name, std::initializer_list<Node*> arguments) {
        return a_.nodes.native_call(name, span_, kValue, arguments);
    }
    Node* choose(Node* test, Node* yes, Node* no) { return a_.nodes.make_if(test, yes, no, span_, kValue); }
    Node* constant(Value value) { return a_.nodes.literal(Result<Value>(std::move(value)), span_, kValue); }
    Node* assign(Local* local, Node* value);
    Node* both(Node* first, Node* second) { return a_.nodes.make(NodeKind::Do, span_, kValue, {first, second}); }
    Node* leave(Node* value);
    Node* bound(Node* value, auto next);
    Node* fold(std::string_view who, Node* init, Node* coll, auto body);
    void make_body(Node* fold, auto body);

    Node* push(std::size_t i, Local* acc, Local* item);
    Node* reduce(Local* acc, Local* item);
    Node* push_taken(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_indexed(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_new(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_run(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_group(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_between(Stage& stage, std::size_t i, Local* acc, Local* item);
    Node* push_all(std::size_t i, Local* acc, Node* items);
    Node* flush(std::size_t i, Local* acc);
    Node* complete(Local* acc);
    void make_state(Let& let);
    Node* next_item(const Source& source, Local* item);
    Node* takes_any();

    enum class Completion : std::uint8_t { None, Reducer, Other };

    Analyzer& a_;
    std::vector<Stage> stages_;
    Span span_;
    Node* outer_ = nullptr; ///< the Fold that a Break leaves
    bool conj_ = false;
    bool is_endless_ = false;
    Local* first_item_ = nullptr; ///< of an endless source
    Completion completion_ = Completion::None;
};

// ---- Names

std::size_t Pipeline::copies_before(std::size_t end) const {
    std::size_t copies = 1;
    for (std::size_t i = 0; i < end; ++i)
        copies *= copies_of(stages_[i]);
    return copies;
}

void Pipeline::bind(std::string_view name, const Form& form, const Site& site, const ParamUse& use,
                    const CoreFunction& function, Let& let) {
    const Site here = std::exchange(a_.at.site, site);
    Binding binding;
    if (!pass_on(a_, form, binding) && !pass_lambda(a_, form, use, binding, let)) {
        Node* value = check_callable(a_, function, 0, use, a_.analyze(form, kValue));
        bind_node(value, false, binding, let);
    }
    a_.at.site = here;
    binding.name = name;
    a_.names.bind(binding);
}

void Pipeline::bind_stages(const CoreFunction& function, Let& let) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        Stage& stage = stages_[i];
        if (!stage.argument) continue;
        if (!takes_function(stage.kind)) {
            const Site here = std::exchange(a_.at.site, stage.site);
            stage.given = let.temporary(a_.analyze(*stage.argument, kValue));
            a_.at.site = here;
            continue;
        }
        ParamUse use;
        use.direct = true;
        const bool is_indexed = stage.kind == Transducer::MapIndexed || stage.kind == Transducer::KeepIndexed;
        use.calls[is_indexed ? 2 : 1] = static_cast<std::uint8_t>(copies_before(i));
        bind(kFunctionNames[i], *stage.argument, stage.site, use, function, let);
    }
}

/// Whether a call of `form` with one argument fits what is known of it.
bool takes_one(Analyzer& a, const Form& form) {
    if (const Lambda* lambda = literal_lambda(a, form)) {
        return std::any_of(lambda->clauses.begin(), lambda->clauses.end(),
                           [](const FnClause& clause) { return clause.accepts(1); });
    }
    if (!form.is(FormKind::Symbol)) return true;
    const Resolved name = a.names.resolve(form, false);
    if (name.kind != Resolved::Known) return true;
    const Function& known = *name.global->known;
    return known.variadic ? known.params.size() <= 2 : known.params.size() == 1 || known.next_arity != nullptr;
}

void Pipeline::bind_reducer(const CoreFunction& function, const Form& form, bool has_init, Let& let) {
    const Form* reducer = &form;
    const Form* completion = nullptr;
    bool is_completing = false;
    if (form.is(FormKind::List) && (form.size == 2 || form.size == 3) && form.items()[0].is(FormKind::Symbol)) {
        const Resolved head = a_.names.resolve(form.items()[0], false);
        is_completing = head.kind == Resolved::Core && head.name->name == "completing";
    }
    if (is_completing) {
        reducer = &form.items()[1];
        if (form.size == 3) completion = &form.items()[2];
    }
    completion_ = completion                                  ? Completion::Other
                  : !is_completing && takes_one(a_, *reducer) ? Completion::Reducer
                                                              : Completion::None;
    ParamUse use;
    use.direct = true;
    use.calls[2] = static_cast<std::uint8_t>(copies_before(stages_.size()));
    if (!has_init) use.calls[0] = 1;
    if (completion_ == Completion::Reducer) use.calls[1] = 1;
    bind(kReducer, *reducer, a_.at.site, use, function, let);
    if (!completion) return;
    ParamUse last;
    last.direct = true;
    last.calls[1] = 1;
    bind(kCompletion, *completion, a_.at.site, last, function, let);
}

// ---- Nodes

Node* Pipeline::call(std::string_view function, std::initializer_list<std::string_view> arguments, Tail tail) {
    auto* items = a_.nodes.allocate<Form>(arguments.size() + 1);
    std::size_t count = 0;
    items[count++] = hidden_name(function, span_);
    for (std::string_view argument : arguments)
        items[count++] = hidden_name(argument, span_);
    return a_.analyze(call_of({items, count}, span_), tail);
}

Node* Pipeline::assign(Local* local, Node* value) { return a_.nodes.assign(local, value, span_); }

Node* Pipeline::leave(Node* value) {
    Node* node = a_.nodes.make(NodeKind::Break, span_, kValue, {value});
    node->target = outer_;
    return node;
}

/// A variable with this value, for what `next` makes of it.
Node* Pipeline::bound(Node* value, auto next) {
    Let let(a_.nodes);
    Local* local = let.temporary(value);
    return let.finish(next(local), span_, kValue);
}

/// A Fold whose next accumulator `body` makes of its accumulator and item.
Node* Pipeline::fold(std::string_view who, Node* init, Node* coll, auto body) {
    Node* node = a_.nodes.fold(who, init, coll, span_, kValue);
    LoopScope loop(a_);
    make_body(node, body);
    return loop.finish(fused_fold(a_, node), kValue);
}

void Pipeline::make_body(Node* fold, auto body) {
    Local* const locals[2] = {a_.nodes.new_local("", span_), a_.nodes.new_local("", span_)};
    fold->locals = a_.nodes.copy(std::span<Local* const>(locals));
    Node* const outer_fold = a_.at.fold;
    a_.at.fold = fold;
    if (!outer_) outer_ = fold;
    fold->children[2] = body(locals[0], locals[1]);
    a_.at.fold = outer_fold;
    if (outer_ == fold) outer_ = nullptr;
}

// ---- Stages

/// The accumulator after `item` has gone through stage i and those behind it.
Node* Pipeline::push(std::size_t i, Local* acc, Local* item) {
    if (a_.stop_at_limits(span_)) return a_.nodes.nil(span_);
    if (i == stages_.size()) return reduce(acc, item);
    Stage& stage = stages_[i];
    const std::string_view f = kFunctionNames[i];
    const auto applied = [&] {
        name(kItem, item);
        return call(f, {kItem});
    };
    const auto next = [&](Local* value) { return push(i + 1, acc, value); };
    switch (stage.kind) {
    case Transducer::None: break;
    case Transducer::Map: return bound(applied(), next);
    case Transducer::Filter: {
        Node* test = applied();
        return choose(test, next(item), ref(acc));
    }
    case Transducer::Remove: {
        Node* test = applied();
        return choose(test, ref(acc), next(item));
    }
    case Transducer::Keep:
        return bound(applied(),
                     [&](Local* value) { return choose(native("nil?", {ref(value)}), ref(acc), next(value)); });
    case Transducer::TakeWhile: {
        Node* test = applied();
        return choose(test, next(item), leave(ref(acc)));
    }
    case Transducer::DropWhile: {
        Node* drops = choose(ref(stage.state), applied(), constant(Value::boolean(false)));
        return choose(drops, ref(acc), both(assign(stage.state, constant(Value::boolean(false))), next(item)));
    }
    case Transducer::Mapcat: return push_all(i, acc, applied());
    case Transducer::Cat: return push_all(i, acc, ref(item));
    case Transducer::Replace: return bound(native("replaced%", {ref(stage.given), ref(item)}), next);
    case Transducer::MapIndexed:
    case Transducer::KeepIndexed: return push_indexed(stage, i, acc, item);
    case Transducer::Take: return push_taken(stage, i, acc, item);
    case Transducer::Drop:
        return choose(native("pos?", {ref(stage.state)}),
                      both(assign(stage.state, native("dec", {ref(stage.state)})), ref(acc)), next(item));
    case Transducer::TakeNth: {
        Node* count = assign(stage.state, native("inc", {ref(stage.state)}));
        Node* test = native("zero?", {native("rem", {ref(stage.state), ref(stage.given)})});
        return both(count, choose(test, next(item), ref(acc)));
    }
    case Transducer::Distinct:
    case Transducer::Dedupe: return push_new(stage, i, acc, item);
    case Transducer::PartitionBy: return push_run(stage, i, acc, item);
    case Transducer::PartitionAll: return push_group(stage, i, acc, item);
    case Transducer::Interpose: return push_between(stage, i, acc, item);
    }
    return ref(acc);
}

Node* Pipeline::reduce(Local* acc, Local* item) {
    if (conj_) return native("conj", {ref(acc), ref(item)});
    Node* const left = a_.at.leave;
    a_.at.leave = outer_;
    name(kAccumulator, acc);
    name(kItem, item);
    Node* step = until_reduced(a_, call(kReducer, {kAccumulator, kItem}, kStepTail), span_);
    a_.at.leave = left;
    return step;
}

// The last item that is taken ends the loop: what is behind it is never looked at. Of 2.5 items the third is the last.
Node* Pipeline::push_taken(Stage& stage, std::size_t i, Local* acc, Local* item) {
    Node* count = assign(stage.state, native("dec", {ref(stage.state)}));
    Node* pushed = push(i + 1, acc, item);
    if (!is_endless_) { // else it was asked whether there is anything to take
        Node* takes = native(">", {ref(stage.state), constant(Value::small_integer(-1))});
        pushed = choose(takes, pushed, ref(acc));
    }
    Node* rest = bound(pushed, [&](Local* result) {
        Node* more = native("pos?", {ref(stage.state)});
        return choose(more, ref(result), leave(ref(result)));
    });
    return both(count, rest);
}

Node* Pipeline::push_indexed(Stage& stage, std::size_t i, Local* acc, Local* item) {
    name(kIndex, stage.state);
    name(kItem, item);
    Node* value = call(kFunctionNames[i], {kIndex, kItem});
    return bound(value, [&](Local* result) {
        Node* count = assign(stage.state, native("inc", {ref(stage.state)}));
        if (stage.kind == Transducer::MapIndexed) return both(count, push(i + 1, acc, result));
        Node* is_nil = native("nil?", {ref(result)});
        return both(count, choose(is_nil, ref(acc), push(i + 1, acc, result)));
    });
}

Node* Pipeline::push_new(Stage& stage, std::size_t i, Local* acc, Local* item) {
    if (stage.kind == Transducer::Distinct) {
        Node* seen = native("contains?", {ref(stage.state), ref(item)});
        Node* add = assign(stage.state, native("conj", {ref(stage.state), ref(item)}));
        return choose(seen, ref(acc), both(add, push(i + 1, acc, item)));
    }
    Node* is_last = native("same-key%", {ref(stage.state), ref(item)});
    Node* same = choose(ref(stage.group), is_last, constant(Value::boolean(false)));
    Node* begun = assign(stage.group, constant(Value::boolean(true)));
    Node* last = assign(stage.state, ref(item));
    return choose(same, ref(acc), both(begun, both(last, push(i + 1, acc, item))));
}

// A run that was left by a Break is not begun again, so that it is not flushed.
Node* Pipeline::push_run(Stage& stage, std::size_t i, Local* acc, Local* item) {
    name(kItem, item);
    const auto single = [&] {
        Node* run = a_.nodes.make(NodeKind::Vector, span_, kValue, {ref(item)});
        return assign(stage.group, run);
    };
    return bound(call(kFunctionNames[i], {kItem}), [&](Local* key) {
        Node* is_first = native("nil?", {ref(stage.group)});
        Node* first = both(assign(stage.state, ref(key)), both(single(), ref(acc)));
        Node* same = native("=", {ref(stage.state), ref(key)});
        Node* grown = both(assign(stage.group, native("conj", {ref(stage.group), ref(item)})), ref(acc));
        Node* next = bound(ref(stage.group), [&](Local* run) {
            Node* emptied = assign(stage.group, a_.nodes.nil(span_));
            return both(emptied, bound(push(i + 1, acc, run), [&](Local* result) {
                            Node* begun = assign(stage.state, ref(key));
                            return both(begun, both(single(), ref(result)));
                        }));
        });
        return choose(is_first, first, choose(same, grown, next));
    });
}

Node* Pipeline::push_group(Stage& stage, std::size_t i, Local* acc, Local* item) {
    Node* grow = assign(stage.state, native("conj", {ref(stage.state), ref(item)}));
    Node* is_full = native("=", {ref(stage.given), native("count", {ref(stage.state)})});
    Node* next = bound(ref(stage.state), [&](Local* group) {
        return both(assign(stage.state, constant(empty_vector())), push(i + 1, acc, group));
    });
    return both(grow, choose(is_full, next, ref(acc)));
}

Node* Pipeline::push_between(Stage& stage, std::size_t i, Local* acc, Local* item) {
    Node* with = bound(push(i + 1, acc, stage.given), [&](Local* result) { return ref(result); });
    Node* begun = both(assign(stage.state, constant(Value::boolean(true))), ref(acc));
    return bound(choose(ref(stage.state), with, begun), [&](Local* result) { return push(i + 1, result, item); });
}

Node* Pipeline::push_all(std::size_t i, Local* acc, Node* items) {
    return fold("mapcat", ref(acc), items, [&](Local* inner, Local* item) { return push(i + 1, inner, item); });
}

// ---- Around the loop

void Pipeline::make_state(Let& let) {
    for (Stage& stage : stages_) {
        switch (stage.kind) {
        case Transducer::Take:
        case Transducer::Drop: stage.state = let.temporary(ref(stage.given)); break;
        case Transducer::MapIndexed:
        case Transducer::KeepIndexed: stage.state = let.temporary(constant(Value::small_integer(0))); break;
        case Transducer::TakeNth: stage.state = let.temporary(constant(Value::small_integer(-1))); break;
        case Transducer::DropWhile: stage.state = let.temporary(constant(Value::boolean(true))); break;
        case Transducer::Interpose: stage.state = let.temporary(constant(Value::boolean(false))); break;
        case Transducer::Distinct: stage.state = let.temporary(constant(empty_set())); break;
        case Transducer::PartitionAll: stage.state = let.temporary(constant(empty_vector())); break;
        case Transducer::Dedupe:
            stage.state = let.temporary(a_.nodes.nil(span_));
            stage.group = let.temporary(constant(Value::boolean(false)));
            break;
        case Transducer::PartitionBy:
            stage.state = let.temporary(a_.nodes.nil(span_));
            stage.group = let.temporary(a_.nodes.nil(span_));
            break;
        default: break;
        }
    }
}

/// What stage i and those behind it still hold goes to the end; then the accumulator is completed.
Node* Pipeline::flush(std::size_t i, Local* acc) {
    while (i < stages_.size() && !flushes(stages_[i]))
        ++i;
    if (i == stages_.size()) return complete(acc);
    Stage& stage = stages_[i];
    Local* held = stage.kind == Transducer::PartitionBy ? stage.group : stage.state;
    Node* is_empty =
        stage.kind == Transducer::PartitionBy ? native("nil?", {ref(held)}) : native("empty?", {ref(held)});
    // A Fold over the one group, which a later stage may leave.
    Node* group = a_.nodes.make(NodeKind::Vector, span_, kValue, {ref(held)});
    Node* pushed = fold("mapcat", ref(acc), group, [&](Local* inner, Local* item) { return push(i + 1, inner, item); });
    return bound(choose(is_empty, ref(acc), pushed), [&](Local* flushed) { return flush(i + 1, flushed); });
}

Node* Pipeline::complete(Local* acc) {
    if (completion_ == Completion::None) return ref(acc);
    name(kAccumulator, acc);
    return call(completion_ == Completion::Reducer ? kReducer : kCompletion, {kAccumulator});
}

Node* Pipeline::first_value() { return call(kReducer, {}); }

Node* Pipeline::run(Node* init, Node* coll, std::string_view who, Let& let) {
    make_state(let);
    Node* loop = fold(who, init, coll, [&](Local* acc, Local* item) { return push(0, acc, item); });
    return bound(loop, [&](Local* acc) { return flush(0, acc); });
}

// ---- Endless sources

constexpr std::string_view kSource = " source";

void Pipeline::bind_source(const Source& source, const CoreFunction& function, Let& let) {
    if (source.function) {
        ParamUse use;
        use.direct = true;
        if (source.kind == Source::Kind::Iterate)
            use.calls[1] = 1;
        else
            use.calls[0] = 2;
        bind(kSource, *source.function, a_.at.site, use, function, let);
    }
    if (source.kind == Source::Kind::Repeatedly) return;
    first_item_ = let.temporary(source.first ? a_.analyze(*source.first, kValue) : constant(Value::small_integer(0)));
}

/// What follows `item`.
Node* Pipeline::next_item(const Source& source, Local* item) {
    switch (source.kind) {
    case Source::Kind::Repeat: return ref(first_item_);
    case Source::Kind::Repeatedly: return call(kSource, {});
    case Source::Kind::Count: return native("inc", {ref(item)});
    case Source::Kind::Iterate: break;
    }
    name(kItem, item);
    return call(kSource, {kItem});
}

void Pipeline::take_one(Let& let) {
    stages_.push_back({.kind = Transducer::Take, .given = let.temporary(constant(Value::small_integer(1)))});
}

/// Whether each take takes something: what stands in front of one that takes nothing is not computed.
Node* Pipeline::takes_any() {
    Node* all = constant(Value::boolean(true));
    for (const Stage& stage : stages_) {
        const bool is_some = !stage.argument || (stage.argument->is(FormKind::Integer) && stage.argument->integer > 0);
        if (stage.kind == Transducer::Take && !is_some)
            all = choose(all, native("pos?", {ref(stage.given)}), constant(Value::boolean(false)));
    }
    return all;
}

Node* Pipeline::run_endless(const Source& source, std::string_view who, Let& let) {
    is_endless_ = true;
    Node* takes = takes_any();
    make_state(let);
    Node* first = first_item_ ? ref(first_item_) : call(kSource, {});
    LoopScope scope(a_);
    Node* loop = a_.nodes.iterated_fold(who, constant(empty_vector()), first, span_);
    make_body(loop, [&](Local* acc, Local* item) { return push(0, acc, item); });
    loop->children[3] = next_item(source, loop->locals[1]);
    Node* all = scope.finish(loop, kValue);
    if (std::ranges::any_of(stages_, flushes)) all = bound(all, [&](Local* acc) { return flush(0, acc); });
    return choose(takes, all, constant(empty_vector()));
}

/// The call that a loop takes the place of: its parts are analysed where it stands, its loop, from `enter_core` on, as
/// the language's own text. What was bound meanwhile is out of scope when it ends.
class ReplacedCall {
public:
    explicit ReplacedCall(Analyzer& a) : a_(a), site_(a.at.site), core_name_(a.at.core_name) {}
    ~ReplacedCall() {
        a_.at.site = site_;
        a_.at.core_name = core_name_;
    }
    ReplacedCall(const ReplacedCall&) = delete;
    ReplacedCall& operator=(const ReplacedCall&) = delete;
    void enter_core(std::string_view name, Span span) {
        a_.at.site.core = true;
        a_.at.site.in_short_fn = false;
        a_.at.site.span = span;
        a_.at.core_name = name;
    }

private:
    Analyzer& a_;
    const Site site_;
    const std::string_view core_name_;
};

/// The parts of a call: where its transducers, reducing function, first value and collection stand; 0 is none.
struct Shape {
    std::size_t first_stage = 1, last_stage = 1, reducer = 0, init = 0, coll = 0;
};

std::optional<Shape> shape_of(std::string_view name, std::size_t count) {
    if (name == "into" && count == 3) return Shape{2, 2, 0, 1, 3};
    if (name == "transduce" && count == 3) return Shape{1, 1, 2, 0, 3};
    if (name == "transduce" && count == 4) return Shape{1, 1, 2, 3, 4};
    if (name == "sequence" && count == 2) return Shape{1, 1, 0, 0, 2};
    if (name == "eduction" && count >= 2) return Shape{1, count - 1, 0, 0, count};
    return std::nullopt;
}

} // namespace

Node* transducer_loop(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail) {
    const std::optional<Shape> shape = shape_of(function.name, list.size - 1);
    if (!shape) return nullptr;
    const FormSpan parts = list.items();
    Chain chain;
    for (std::size_t i = shape->first_stage; i <= shape->last_stage; ++i) {
        if (!read_stages(a, parts[i], chain)) return nullptr;
    }
    std::size_t copies = 1;
    for (const Stage& stage : chain.stages)
        copies *= copies_of(stage);
    if (copies > kMaxCopies || !may_write_out(a, chain)) return nullptr;
    a.named_chain_forms += chain.named;
    a.named_chains += chain.named > 0 ? 1 : 0;

    const Span span = a.span_of(list);
    ReplacedCall call(a);
    Let let(a.nodes);
    Pipeline pipeline(a, std::move(chain.stages), span);
    Node* init = nullptr;
    if (function.name == "into") { // evaluated first; nil becomes a vector
        init = a.analyze(parts[shape->init], kValue);
        if (init->kind == NodeKind::Constant && Value::adopt(init->constant).is_nil())
            init = a.nodes.literal(empty_vector().give_up(), span, kValue);
        init = a.nodes.reference(let.temporary(init), span);
    }
    pipeline.bind_stages(function, let);
    if (shape->reducer != 0)
        pipeline.bind_reducer(function, parts[shape->reducer], shape->init != 0, let);
    else
        pipeline.conj_items();
    if (shape->init != 0 && !init) init = a.nodes.reference(let.temporary(a.analyze(parts[shape->init], kValue)), span);
    Node* coll = a.nodes.reference(let.temporary(a.analyze(parts[shape->coll], kValue)), span);
    call.enter_core(function.name, span);
    if (!init)
        init = shape->reducer != 0 ? pipeline.first_value() : a.nodes.literal(empty_vector().give_up(), span, kValue);
    Node* body = pipeline.run(init, coll, function.name, let);
    a.named_chains -= chain.named > 0 ? 1 : 0;
    return let.finish(body, span, tail);
}

namespace {

/// (partition 4 coll), of a number that is written.
std::optional<Stage> partition_stage(Analyzer& a, const Form& size) {
    if (!size.is(FormKind::Integer) || size.integer < 1) return std::nullopt;
    return Stage{.kind = Transducer::PartitionAll, .argument = &size, .site = a.at.site, .drops_short = true};
}

/// What a form does to its collection, its last argument, when it is a call of a function that also makes transducers.
std::optional<Stage> stage_of_call(Analyzer& a, const Form& form) {
    if (!form.is(FormKind::List) || form.size < 2 || form.size > 3 || !form.items()[0].is(FormKind::Symbol))
        return std::nullopt;
    const Resolved name = a.names.resolve(form.items()[0], false);
    if (name.kind != Resolved::Core && name.kind != Resolved::Builtin) return std::nullopt;
    if (name.name->name == "partition" && form.size == 3) return partition_stage(a, form.items()[1]);
    if (name.kind != Resolved::Core || !name.name->core->makes_transducer(form.size - 2u)) return std::nullopt;
    Stage stage{.kind = name.name->core->transducer, .site = a.at.site};
    if (form.size == 3) stage.argument = &form.items()[1];
    if (copies_of(stage) > 1 || (takes_function(stage.kind) && !may_be_function(*stage.argument))) return std::nullopt;
    switch (stage.kind) {
    case Transducer::None:
    case Transducer::TakeNth: // of 0, or of a number between two others, a sequence makes more than a transducer
    case Transducer::Mapcat:  // what it gets may be endless itself
    case Transducer::Cat: return std::nullopt;
    default: return stage;
    }
}

std::optional<Source> source_of(Analyzer& a, const Form& form) {
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return std::nullopt;
    const Resolved name = a.names.resolve(form.items()[0], false);
    if (name.kind != Resolved::Core && name.kind != Resolved::Builtin) return std::nullopt;
    const FormSpan parts = form.items();
    const std::string_view word = name.name->name;
    if (word == "range" && parts.size() == 1) return Source{};
    const bool has_function = parts.size() > 1 && may_be_function(parts[1]);
    if (word == "iterate" && parts.size() == 3 && has_function)
        return Source{Source::Kind::Iterate, &parts[1], &parts[2]};
    if (word == "repeat" && parts.size() == 2) return Source{Source::Kind::Repeat, nullptr, &parts[1]};
    if (word == "repeatedly" && parts.size() == 2 && has_function)
        return Source{Source::Kind::Repeatedly, &parts[1], nullptr};
    return std::nullopt;
}

/// The stages of such a call from the source on, and the source.
struct EndlessChain {
    std::vector<Stage> stages{};
    Source source{};
};

std::optional<EndlessChain> read_endless(Analyzer& a, const Form& list) {
    EndlessChain chain;
    const Form* form = &list;
    while (const std::optional<Stage> stage = stage_of_call(a, *form)) {
        if (chain.stages.size() == kMaxStages || !work::charge(1)) return std::nullopt;
        chain.stages.push_back(*stage);
        form = &form->items().back();
    }
    const std::optional<Source> source = source_of(a, *form);
    if (!source || chain.stages.empty()) return std::nullopt;
    std::ranges::reverse(chain.stages);
    chain.source = *source;
    return chain;
}

/// Whether what the chain is given may be evaluated in another order than it is written in: from the source on.
bool may_be_reordered(Analyzer& a, const EndlessChain& chain) {
    std::size_t reads = 0, others = 0;
    const auto look_at = [&](const Form* form) {
        if (!form || is_repeatable(a, *form)) return;
        const bool is_read = form->is(FormKind::Symbol) && a.names.resolve(*form, false).kind == Resolved::Global;
        ++(is_read ? reads : others);
    };
    for (const Stage& stage : chain.stages)
        look_at(stage.argument);
    look_at(chain.source.function);
    look_at(chain.source.first);
    return others == 0 || (others == 1 && reads == 0);
}

/// Whether no item of the chain is itself a sequence by need.
bool has_whole_items(Analyzer& a, const EndlessChain& chain, auto may_be_lazy) {
    const auto gives_whole = [&](const Form* function) { return !function || !may_be_lazy(a, *function, true); };
    if (chain.source.first && may_be_lazy(a, *chain.source.first, false)) return false;
    return gives_whole(chain.source.function) && std::ranges::all_of(chain.stages, [&](const Stage& stage) {
               return !takes_function(stage.kind) || gives_whole(stage.argument);
           });
}

/// The chain that a form is, if it may be written as a loop.
std::optional<EndlessChain> loop_of_chain(Analyzer& a, const Form& form, MayBeLazy may_be_lazy) {
    std::optional<EndlessChain> chain = read_endless(a, form);
    if (chain && (!may_be_reordered(a, *chain) || !has_whole_items(a, *chain, may_be_lazy))) chain.reset();
    return chain;
}

/// The loop of a chain; of its items the first one only, if that is all that is asked for.
Node* write_endless(Analyzer& a, EndlessChain chain, std::string_view who, bool is_first, Span span, Tail tail) {
    ReplacedCall call(a);
    const CoreFunction& function = *a.core.find(who);
    Let let(a.nodes);
    Pipeline pipeline(a, std::move(chain.stages), span);
    pipeline.bind_source(chain.source, function, let);
    pipeline.bind_stages(function, let);
    if (is_first) pipeline.take_one(let);
    pipeline.conj_items();
    call.enter_core(function.name, span);
    Node* body = pipeline.run_endless(chain.source, function.name, let);
    if (is_first) body = a.nodes.native_call("first", span, kValue, {body});
    return let.finish(body, span, tail);
}

} // namespace

Node* endless_chain(Analyzer& a, const CoreName& name, const Form& list, Tail tail, MayBeLazy may_be_lazy) {
    const bool is_first = name.name == "first" && list.size == 2;
    if (!is_first && ((name.name != "take" && name.name != "take-while") || list.size != 3)) return nullptr;
    std::optional<EndlessChain> chain = loop_of_chain(a, is_first ? list.items()[1] : list, may_be_lazy);
    if (!chain) return nullptr;
    return write_endless(a, std::move(*chain), is_first ? "take" : name.name, is_first, a.span_of(list), tail);
}

bool is_ended_chain(Analyzer& a, const Form& form, MayBeLazy may_be_lazy) {
    const std::optional<EndlessChain> chain = loop_of_chain(a, form, may_be_lazy);
    return chain && std::ranges::any_of(chain->stages, [](const Stage& stage) {
               return stage.kind == Transducer::Take || stage.kind == Transducer::TakeWhile;
           });
}

Node* ended_chain(Analyzer& a, const Form& form, Tail tail) {
    return write_endless(a, *read_endless(a, form), form.items()[0].text(), false, a.span_of(form), tail);
}

void note_transducer(Analyzer& a, const Form& name, const Form& form) {
    if (a.at.site.core || !name.is(FormKind::Symbol)) return;
    const Binding* found = find_binding(a.at.site.scope, name.text(), name_hash(name.text()));
    if (!found || found->kind != BindingKind::Local) return;
    const Binding* const scope = std::exchange(a.at.site.scope, found->outer);
    if (is_chain(a, form)) found->local->transducer = &form;
    a.at.site.scope = scope;
}

bool makes_transducer(Analyzer& a, const Form& list) {
    if (!list.is(FormKind::List) || list.size == 0 || !list.items()[0].is(FormKind::Symbol)) return false;
    const Resolved name = a.names.resolve(list.items()[0], false);
    return name.kind == Resolved::Core && name.name->core->makes_transducer(list.size - 1u);
}

// ---- reduced

namespace {

/// Whether the step of a loop may give what (reduced x) gives. `holds`: collections and variables from outside may hold
/// such a value, too; otherwise only calls make one.
class ReducedSearch {
public:
    ReducedSearch(bool holds, const Node& loop) : holds_(holds), loop_(loop) {}

    bool may_be(const Node& node, int depth) {
        if (depth > 64 || !work::charge(1)) return true;
        const auto is = [&](const Node* child) { return may_be(*child, depth + 1); };
        switch (node.kind) {
        case NodeKind::If: return is(node.children[1]) || is(node.children[2]);
        case NodeKind::And:
        case NodeKind::Or: return std::any_of(node.children.begin(), node.children.end(), is);
        case NodeKind::Let:
        case NodeKind::Loop:
            for (std::size_t i = 0; i < node.locals.size(); ++i)
                values_[node.locals[i]] = node.kind == NodeKind::Let ? node.children[i] : nullptr;
            return is(node.children.back());
        case NodeKind::Do: return is(node.children.back());
        case NodeKind::Fold: // a loop in the step: what it gives is not asked whether it ends this one
            folds_.push_back(&node);
            return is(node.children[0]) || is(node.children[2]);
        case NodeKind::Break:
            return std::find(folds_.begin(), folds_.end(), node.target) != folds_.end() && is(node.children[0]);
        case NodeKind::Try: return is(node.children[0]) || is(node.children[1]);
        case NodeKind::Fn: return node.function->body && is(node.function->body); // of a Try, which calls it
        case NodeKind::LocalRef: return may_be_variable(*node.local, depth);
        case NodeKind::CallBuiltin: return may_be_result(node);
        case NodeKind::CallFunction: {
            const Node* body = node.function->body;
            return !body || may_be(*body, depth + 16);
        }
        case NodeKind::Invoke:
        case NodeKind::CallSelf:
        case NodeKind::Apply: return true;
        case NodeKind::Constant: return is_reduced(Value::adopt(node.constant));
        case NodeKind::Global:
        case NodeKind::History:
        case NodeKind::AtomOp:
        case NodeKind::KeywordCall:
        case NodeKind::Field:
        case NodeKind::Elem: return holds_;
        default: return false;
        }
    }

private:
    bool may_be_variable(const Local& local, int depth) {
        if (plain_.contains(&local)) return false;
        const auto bound = values_.find(&local);
        bool is = holds_;
        if (bound != values_.end())
            is = !bound->second || may_be(*bound->second, depth + 1); // a loop may change its own
        else if (&local == loop_.locals[0]) // which ends where it is given one: only the first may be one
            is = holds_ && loop_.children[0] && may_be(*loop_.children[0], depth + 1);
        if (!is) plain_.insert(&local);
        return is;
    }

    bool may_be_result(const Node& call) const {
        const Builtin& row = builtin_at(call.index);
        if (std::string_view(row.name) == "reduced") return true;
        return holds_ && (row.gives.kinds == 0 || row.gives.kinds == kinds::kAny); // first, get, nth ..
    }

    const bool holds_;
    const Node& loop_;
    std::unordered_map<const Local*, const Node*> values_; ///< null: it gets several
    std::unordered_set<const Local*> plain_;               ///< of which it is known that they are none
    std::vector<const Node*> folds_;
};

} // namespace

/// Whether there can be reduced values at all: most programs make none, and a loop that calls what it does not know
/// pays for the question in each round. What earlier programs and preludes defined may make some.
static bool has_reduced_values(const Analyzer& a) {
    // A function may be called by a later program.
    return a.names.has_reduced() || (a.at.function && a.at.function->parent) || !a.core_targets.empty() ||
           a.names.prelude() || a.environment.prelude || a.environment.any_global || a.session_names > 0;
}

Node* until_reduced(Analyzer& a, Node* step, Span span) {
    if (!has_reduced_values(a)) return step;
    Node* const target = a.at.leave;
    if (!ReducedSearch(a.names.makes_reduced(), *target).may_be(*step, 0)) return step;
    Let let(a.nodes);
    Local* result = let.temporary(step);
    Node* test = a.nodes.native_call("reduced?", span, kValue, {a.nodes.reference(result, span)});
    Node* value = a.nodes.native_call("unreduced%", span, kValue, {a.nodes.reference(result, span)});
    Node* left = a.nodes.make(NodeKind::Break, span, kValue, {value});
    left->target = target;
    Node* node = a.nodes.make(NodeKind::If, span, kValue, {test, left, a.nodes.reference(result, span)});
    return let.finish(node, span, kValue);
}

} // namespace ptc
