// Loops over what another loop has just made, put together.
//
// A Fold that makes a vector begins with [] and touches its accumulator only to add one item to it, to give it as it
// is, or to leave with it: map, filter, keep, for with any number of bindings, and what a program writes with reduce
// and conj. Where such a vector is only gone through by another Fold, it need not be made: the second loop's step takes
// the place of the conj, its first value that of []. So no accumulator but the second one's is left, and a chain of any
// length becomes one loop over its first collection. As there is one conj, nothing is copied.
//
//     Fold [acc 0  x  Fold [out [] y ys  (if (odd? y) (conj out (inc y)) out)]  (+ acc x)]
//  => Fold [acc 0  y ys  (if (odd? y) (let [x (inc y)] (+ acc x)) acc)]
//
// What is done for an item now stands in front of what is done for the items behind it, which is another order than the
// language has: everything about the first loop, then everything about the second one. It is the same as long as one of
// the two neither fails nor acts (node_facts.h), and nearly so where both can only fail: of two mistakes that of the
// earlier item is told. All other loops stay as they are.
//
// Two things are the language, and so are done always (environment.h, `fuse`): the items of an endless source are
// computed by need, so a loop over some of those is put together with the one that makes them; and a second loop that
// leaves early leaves out work of the first one, where that only computes. (some p (take-while q xs)) ends where `some`
// does, whatever q would have failed of behind that.
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/node_facts.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {
namespace {

bool calls(const Node& node, std::string_view name) {
    return node.kind == NodeKind::CallBuiltin && name == builtin_at(node.index).name;
}

bool is_empty_vector(const Node& node) {
    return is_vector_constant(node) && vector_length(Value::adopt(node.constant)) == 0;
}

// ---- Loops that make vectors

/// A Fold that makes a vector, within the Lets in which it stands.
struct Maker {
    Node* whole = nullptr;
    std::vector<Node*> lets; ///< from the outside in
    Node* guard = nullptr;   ///< an If around the Fold, which says whether there is any item
    Node* fold = nullptr;
    Node* inner = nullptr;     ///< the Fold in which the item is added: `fold` or one inside of it
    Node** add = nullptr;      ///< where the conj stands
    std::vector<Node*> passed; ///< the uses of the inner one's accumulator, but for that by the conj
    [[nodiscard]] Node* item() const { return (*add)->children[1]; }
};

/// Looks for what a Fold does with its accumulator.
class MakerSearch {
public:
    std::optional<Maker> find(Node* node) {
        Maker maker;
        maker.whole = node;
        for (;;) {
            if (node->kind == NodeKind::Let) {
                maker.lets.push_back(node);
                node = node->children.back();
            } else if (node->kind == NodeKind::If && !maker.guard && is_empty_vector(*node->children[2])) {
                maker.guard = node;
                node = node->children[1];
            } else {
                break;
            }
        }
        if (node->kind != NodeKind::Fold || !is_empty_vector(*node->children[0])) return std::nullopt;
        maker.fold = node;
        maker_ = &maker;
        if (!gives_next(*node) || !maker.add) return std::nullopt;
        return maker;
    }

private:
    /// Whether the body of `fold` gives nothing but its accumulator, perhaps with an item, and does not look at it.
    bool gives_next(Node& fold) {
        std::vector<Node*> passed;
        folds_.push_back(&fold);
        passed_ = &passed;
        const Local* const outer = std::exchange(accumulator_, fold.locals[0]);
        const std::uint32_t adds_before = adds_;
        const bool is_next = gives_next(fold.children[2]);
        accumulator_ = outer;
        folds_.pop_back();
        if (!is_next) return false;
        const bool adds_here = adds_ != adds_before && maker_->inner == &fold;
        if (fold.locals[0]->uses != passed.size() + (adds_here ? 1 : 0)) return false;
        if (adds_here) maker_->passed = std::move(passed);
        return true;
    }

    bool gives_next(Node*& place) {
        Node& node = *place;
        if (!work::charge(1)) return false;
        const auto is_accumulator = [&](const Node* n) {
            return n->kind == NodeKind::LocalRef && n->local == accumulator_;
        };
        switch (node.kind) {
        case NodeKind::LocalRef:
            if (!is_accumulator(&node)) return false;
            passed_->push_back(&node);
            return true;
        case NodeKind::If: return gives_next(node.children[1]) && gives_next(node.children[2]);
        case NodeKind::Let:
            if (node.locals.size() == 1 && given_by(*node.children[1]) == node.locals[0]) return gives_bound(node);
            return gives_next(node.children.back());
        case NodeKind::Do: return gives_next(node.children.back());
        case NodeKind::Break:
            return std::find(folds_.begin(), folds_.end(), node.target) != folds_.end() && gives_next(node.children[0]);
        case NodeKind::CallBuiltin:
            if (node.children.size() != 2 || !calls(node, "conj") || !is_accumulator(node.children[0])) return false;
            maker_->add = &place;
            maker_->inner = folds_.back();
            return ++adds_ == 1;
        case NodeKind::Fold: {
            if (!is_accumulator(node.children[0])) return false;
            passed_->push_back(node.children[0]);
            std::vector<Node*>* const outer = passed_;
            const bool is_next = gives_next(node);
            passed_ = outer;
            return is_next;
        }
        default: return false;
        }
    }

    /// (let [next ..] (if more next (break next))): the accumulator has another name from there on.
    bool gives_bound(Node& let) {
        if (!gives_next(let.children[0])) return false;
        std::vector<Node*> passed;
        std::vector<Node*>* const outer_passed = std::exchange(passed_, &passed);
        const Local* const outer = std::exchange(accumulator_, let.locals[0]);
        const std::uint32_t adds_before = adds_;
        const bool is_next = gives_next(let.children[1]);
        accumulator_ = outer;
        passed_ = outer_passed;
        return is_next && adds_ == adds_before && let.locals[0]->uses == passed.size();
    }

    /// The variable that a body gives, along its first branches; null: something else.
    static const Local* given_by(const Node& body) {
        const Node* node = &body;
        while (work::charge(1)) {
            switch (node->kind) {
            case NodeKind::Let:
            case NodeKind::Do: node = node->children.back(); break;
            case NodeKind::If: node = node->children[1]; break;
            case NodeKind::LocalRef: return node->local;
            default: return nullptr;
            }
        }
        return nullptr;
    }

    Maker* maker_ = nullptr;
    const Local* accumulator_ = nullptr; ///< of the innermost Fold, by its name here
    std::vector<Node*> folds_;
    std::vector<Node*>* passed_ = nullptr;
    std::uint32_t adds_ = 0;
};

/// Whether the items are those of an endless source, of which no more are computed than are asked for: then that is
/// the order of the language.
bool is_by_need(const Maker& maker) { return is_iterated(*maker.fold); }

std::optional<Maker> find_maker(Node* node) { return MakerSearch().find(node); }

/// Whether nobody but the clock could tell if the two were not put together.
bool is_for_speed(const Maker& maker, NodeWork made, bool leaves_early) {
    return !is_by_need(maker) && (!leaves_early || made == NodeWork::Acts);
}

/// What the first loop does before an item is there, and what is known of that item.
struct MakerFacts {
    NodeWork work = NodeWork::None;
    Kinds item = kinds::kAny;
};

MakerFacts facts_of(const Maker& maker, NodeFacts& facts) {
    for (const Node* let : maker.lets) {
        for (std::size_t i = 0; i < let->locals.size(); ++i)
            facts.note(let->locals[i], facts.kinds(*let->children[i]));
    }
    for (const Node* fold = maker.fold;; fold = maker.inner) {
        facts.note(fold->locals[0], kinds::kVector);
        facts.note_walk(*fold);
        if (fold == maker.inner) break;
    }
    const NodeWork work = facts.work(*maker.fold->children[2]);
    return {work, facts.kinds(*maker.item())};
}

// ---- Putting them together

bool leaves(const Node& node, const Node* fold) {
    if (node.kind == NodeKind::Break && node.target == fold) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const Node* child) { return leaves(*child, fold); });
}

/// What leaves `from` leaves `to`.
void leave_other(Node& node, const Node* from, Node* to) {
    if (node.kind == NodeKind::Break && node.target == from) node.target = to;
    for (Node* child : node.children)
        leave_other(*child, from, to);
}

/// The variable of a walk in which the item stands as it is, as in filter; null: the item is made.
Local* item_as_it_is(const Maker& maker) {
    const Node* item = maker.item();
    if (item->kind != NodeKind::LocalRef) return nullptr;
    const bool is_walked = item->local == maker.inner->locals[1] || item->local == maker.fold->locals[1];
    return is_walked ? item->local : nullptr;
}

/// Where `node` takes one of the first `n` elements of `item` by a pattern.
void find_elements(Node& node, const Local* item, std::size_t n, std::vector<Node*>& out) {
    if (!work::charge(1)) return;
    if (node.kind == NodeKind::Elem && node.children[0]->kind == NodeKind::LocalRef &&
        node.children[0]->local == item && node.index < n) {
        out.push_back(&node);
        return;
    }
    for (Node* child : node.children)
        find_elements(*child, item, n, out);
}

/// The body for an item that is a vector of `parts`, of which it takes nothing but elements, with variables in their
/// place: (fn [[i x]] ..) over (map-indexed vector xs). Null when it looks at the vector.
Node* body_of_parts(Analyzer& a, std::span<Node* const> parts, Local* item, Node* body, Span span) {
    std::vector<Node*> elements;
    if (!parts.empty()) find_elements(*body, item, parts.size(), elements);
    if (elements.empty() || elements.size() != item->uses) return nullptr;
    Let let(a.nodes);
    std::vector<Local*> variables;
    for (Node* part : parts)
        variables.push_back(let.temporary(part));
    for (Node* element : elements) {
        Local* const variable = variables[element->index];
        a.nodes.discard(element->children[0]);
        element->children = {};
        element->kind = NodeKind::LocalRef;
        element->local = variable;
        ++variable->uses;
    }
    return let.finish(body, span, kValue);
}

/// `body` for each item, in place of the conj.
Node* step_for(Analyzer& a, const Maker& maker, Node* fold, Local* index) {
    Node* body = fold->children[2];
    Local* item = fold->locals[1];
    Node* made = maker.item();
    const Span span = fold->span;
    if (index) { // the number of items so far, which is kept beside the loop
        Let let(a.nodes);
        let.add(fold->locals[2], a.nodes.reference(index, span));
        Node* count =
            a.nodes.assign(index, a.nodes.native_call("inc", span, kValue, {a.nodes.reference(index, span)}), span);
        body = let.finish(a.nodes.make(NodeKind::Do, span, kValue, {count, body}), span, kValue);
    }
    if (item->uses == 0 && NodeFacts().work(*made) == NodeWork::None) {
        a.nodes.discard(made);
        return body;
    }
    if (item->uses == 0) return a.nodes.make(NodeKind::Do, span, kValue, {made, body});
    if (Local* same = item_as_it_is(maker)) {
        a.nodes.discard(made);
        a.nodes.rename(*body, item, same);
        return body;
    }
    if (Node* apart = body_of_parts(a, written_parts(*made), item, body, span)) return apart;
    Let let(a.nodes);
    let.add(item, made);
    return let.finish(body, span, kValue);
}

/// A constant or variable, at another place.
Node* once_more(Analyzer& a, const Node& node) {
    if (node.kind == NodeKind::LocalRef) return a.nodes.reference(node.local, node.span);
    Node* other = a.nodes.make(NodeKind::Constant, node.span, kValue);
    other->constant = node.constant;
    other->text = node.text;
    return other;
}

/// Where `fold` stands in what `put_together` gave.
Node*& place_in(Node*& whole, const Node* fold) {
    Node** place = &whole;
    while (*place != fold)
        place = (*place)->kind == NodeKind::If ? &(*place)->children[1] : &(*place)->children.back();
    return *place;
}

/// The two loops as one. `fold` goes through what `maker` makes.
Node* put_together(Analyzer& a, const Maker& maker, Node* fold) {
    const Span span = fold->span;
    const Tail tail = fold->tail ? kFunctionTail : kValue;
    Let before(a.nodes);
    Node* first = fold->children[0];
    if (maker.whole != maker.fold && first->kind != NodeKind::Constant && first->kind != NodeKind::LocalRef)
        first = a.nodes.reference(before.temporary(first), span);
    const bool counts = fold->locals.size() > 2 && fold->locals[2]->uses > 0;
    Local* index = counts ? before.temporary(a.nodes.literal(bits::from_integer(0), span, kValue)) : nullptr;
    leave_other(*fold->children[2], fold, maker.fold);
    Node* conj = *maker.add;
    *maker.add = step_for(a, maker, fold, index);
    // The accumulator of the second loop is that of the innermost first one.
    Local* accumulator = fold->locals[0];
    Local* old = maker.inner->locals[0];
    a.nodes.discard(conj->children[0]);
    for (Node* use : maker.passed) {
        use->local = accumulator;
        ++accumulator->uses;
        --old->uses;
    }
    maker.inner->locals[0] = accumulator;
    maker.fold->children[0] = first;
    maker.fold->tail = fold->tail;
    for (Node* let : maker.lets)
        let->tail = fold->tail;
    if (maker.guard) {
        maker.guard->children[2] = once_more(a, *first);
        maker.guard->tail = fold->tail;
    }
    Node* whole = before.finish(maker.whole, span, tail);
    // What it leaves early may leave out more of the chain than the loop that was there before.
    if (leaves(*maker.fold->children[2], maker.fold)) {
        Node*& place = place_in(whole, maker.fold);
        place = fused_fold(a, maker.fold);
    }
    return whole;
}

bool may_fuse(const Analyzer& a, const Maker& maker, const Node& fold) {
    if (is_by_need(maker)) return true;
    NodeFacts facts;
    const MakerFacts made = facts_of(maker, facts);
    const bool leaves_early = leaves(*fold.children[2], &fold);
    if (!a.environment.fuse && is_for_speed(maker, made.work, leaves_early)) return false;
    if (made.work == NodeWork::Acts && leaves_early) return false;
    if (made.work == NodeWork::None) return true;
    facts.note_walk(fold);
    facts.note(fold.locals[1], made.item);
    const Kinds first = facts.kinds(*fold.children[0]);
    facts.note(fold.locals[0], facts.kinds_of_accumulator(fold.locals[0], first, *fold.children[2]));
    const NodeWork work = facts.work(*fold.children[2]);
    return work == NodeWork::None || (work == NodeWork::Fails && made.work == NodeWork::Fails);
}

} // namespace

std::span<Node* const> written_parts(const Node& made) {
    const bool is_written = made.kind == NodeKind::Vector || calls(made, "vector");
    return is_written ? std::span<Node* const>(made.children.begin(), made.children.size()) : std::span<Node* const>();
}

bool is_vector_constant(const Node& node) {
    if (node.kind != NodeKind::Constant) return false;
    const Value value = Value::adopt(node.constant);
    return value.is_vector() && vector_ends(value) == 0;
}

Node* fused_fold(Analyzer& a, Node* fold) {
    if (fold->children[1]->kind == NodeKind::LocalRef) return fold;
    const std::optional<Maker> maker = find_maker(fold->children[1]);
    if (!maker || !may_fuse(a, *maker, *fold)) return fold;
    return put_together(a, *maker, fold);
}

bool is_plain_vector(Node* node) {
    switch (node->kind) {
    case NodeKind::Vector: return true;
    case NodeKind::Constant: return is_empty_vector(*node);
    case NodeKind::Let:
    case NodeKind::Do: return is_plain_vector(node->children.back());
    case NodeKind::If: return is_plain_vector(node->children[1]) && is_plain_vector(node->children[2]);
    case NodeKind::CallBuiltin: return calls(*node, "vec") || calls(*node, "reverse");
    case NodeKind::Fold: return MakerSearch().find(node).has_value();
    default: return false;
    }
}

// ---- Calls of natives

namespace {

/// Leaves out a seq of what is a plain vector, for somebody to whom nil and an empty vector are the same. Whether
/// `node` is a plain vector then.
bool is_plain_without_seq(Node*& node) {
    if (node->kind == NodeKind::Let || node->kind == NodeKind::Do) return is_plain_without_seq(node->children.back());
    if (calls(*node, "seq") && is_plain_vector(node->children[0])) node = node->children[0];
    return is_plain_vector(node);
}

/// A Fold over what `maker` makes, put together with it. `step` makes its body of accumulator and item.
Node* walk(Analyzer& a, const Maker& maker, Node* coll, Node* first, Span span, Tail tail, auto step) {
    Node* fold = a.nodes.fold(maker.fold->text, first, coll, span, tail);
    Local* const locals[2] = {a.nodes.new_local("", span), a.nodes.new_local("", span)};
    fold->locals = a.nodes.copy(std::span<Local* const>(locals));
    fold->children[2] = step(fold);
    return put_together(a, maker, fold);
}

struct Walk {
    Analyzer& a;
    Span span;
    Node* use(Local* local) { return a.nodes.reference(local, span); }
    Node* accumulator(Node* fold) { return use(fold->locals[0]); }
    Node* item(Node* fold) { return use(fold->locals[1]); }
    Node* native(const char* name, std::initializer_list<Node*> arguments) {
        return a.nodes.native_call(name, span, kValue, arguments);
    }
    Node* constant(Value value) { return a.nodes.literal(Result<Value>(std::move(value)), span, kValue); }
    Node* leave(Node* fold, Node* value) {
        Node* node = a.nodes.make(NodeKind::Break, span, kValue, {value});
        node->target = fold;
        return node;
    }
};

bool is_empty(const Node& node, bool (Value::*is_kind)() const) {
    if (node.kind != NodeKind::Constant) return false;
    const Value value = Value::adopt(node.constant);
    if (!(value.*is_kind)()) return false;
    return value.is_map() ? value.raw() == empty_map().raw() : value.raw() == empty_set().raw();
}

/// (into {} ..) with items that are written as pairs: no pair is made.
Node* into_map(Analyzer& a, const Maker& maker, std::span<Node* const> arguments, Span span, Tail tail) {
    Node* pair = maker.item();
    if (pair->kind != NodeKind::Vector || pair->children.size() != 2) return nullptr;
    (*maker.add)->children[1] = a.nodes.nil(span); // key and value move
    Walk of{a, span};
    return walk(a, maker, arguments[1], arguments[0], span, tail, [&](Node* fold) {
        return of.native("assoc", {of.accumulator(fold), pair->children[0], pair->children[1]});
    });
}

Node* into(Analyzer& a, const Maker& maker, std::span<Node* const> arguments, Span span, Tail tail) {
    const Node& to = *arguments[0];
    if (is_empty(to, &Value::is_map)) return into_map(a, maker, arguments, span, tail);
    if (!is_empty(to, &Value::is_set)) return nullptr;
    Walk of{a, span};
    return walk(a, maker, arguments[1], arguments[0], span, tail, [&](Node* fold) {
        return of.native("conj", {of.accumulator(fold), of.item(fold)});
    });
}

/// 1, 2, .. as it is written. So few that most loops have more items: each costs a look at how many there are.
bool is_written_count(const Node& node) {
    constexpr std::int64_t kMost = 64;
    if (node.kind != NodeKind::Constant) return false;
    const Value value = Value::adopt(node.constant);
    return value.is_small_integer() && value.small_integer() > 0 && value.small_integer() <= kMost;
}

/// (let [next (conj acc item)] (if (= (count next) n) (break next) next))
Node* take_step(Walk of, Node* fold, Node* n) {
    Let let(of.a.nodes);
    Local* const next = let.temporary(of.native("conj", {of.accumulator(fold), of.item(fold)}));
    Node* is_all = of.native("=", {of.native("count", {of.use(next)}), n});
    return let.finish(of.a.nodes.make_if(is_all, of.leave(fold, of.use(next)), of.use(next), of.span, kValue), of.span,
                      kValue);
}

} // namespace

Node* fused_call(Analyzer& a, std::uint32_t builtin, std::span<Node* const> arguments, Span span, Tail tail) {
    if (arguments.empty() || arguments.size() > 2) return nullptr;
    Node* coll = arguments.back();
    const bool is_vec = arguments.size() == 1 && std::string_view("vec") == builtin_at(builtin).name;
    if (is_vec) return is_plain_without_seq(coll) ? coll : nullptr;
    if (coll->kind != NodeKind::Fold && coll->kind != NodeKind::Let && coll->kind != NodeKind::Vector &&
        coll->kind != NodeKind::If)
        return nullptr;
    const std::string_view name = builtin_at(builtin).name;
    const auto is = [&](std::string_view other) { return arguments.size() == 1 && name == other; };
    const bool is_into = arguments.size() == 2 && name == "into";
    const bool takes = arguments.size() == 2 && name == "take" && is_written_count(*arguments[0]);
    const bool stops = is("first") || is("empty?") || takes;
    if (!is_into && !stops && !is("count") && !is("set") && !is("sum") && !is("last")) return nullptr;
    const std::optional<Maker> maker = find_maker(coll);
    if (!maker) return nullptr;
    NodeFacts facts;
    const MakerFacts made = facts_of(*maker, facts);
    if (!a.environment.fuse && is_for_speed(*maker, made.work, stops)) return nullptr;
    if (is_into) return into(a, *maker, arguments, span, tail);
    if (stops && made.work == NodeWork::Acts && !is_by_need(*maker)) return nullptr;
    if (is("sum") && (made.item & ~kinds::kNumber) != 0) return nullptr;
    Walk of{a, span};
    const auto over = [&](Node* first, auto step) { return walk(a, *maker, coll, first, span, tail, step); };
    if (is("count"))
        return over(of.constant(Value::small_integer(0)),
                    [&](Node* fold) { return of.native("inc", {of.accumulator(fold)}); });
    if (is("sum")) {
        return over(of.constant(Value::small_integer(0)), [&](Node* fold) {
            return of.native("+", {of.accumulator(fold), of.item(fold)});
        });
    }
    if (is("set")) {
        return over(of.constant(empty_set()), [&](Node* fold) {
            return of.native("conj", {of.accumulator(fold), of.item(fold)});
        });
    }
    if (takes) return over(of.constant(empty_vector()), [&](Node* fold) { return take_step(of, fold, arguments[0]); });
    if (is("last")) return over(a.nodes.nil(span), [&](Node* fold) { return of.item(fold); });
    if (is("first")) return over(a.nodes.nil(span), [&](Node* fold) { return of.leave(fold, of.item(fold)); });
    return over(of.constant(Value::boolean(true)),
                [&](Node* fold) { return of.leave(fold, of.constant(Value::boolean(false))); });
}

// ---- Folds that begin with the first item

Node* fold_from_first(Analyzer& a, Node* fold, Node* coll, Node* none, Span span, Tail tail) {
    Walk of{a, span};
    std::optional<Maker> maker;
    if (coll->kind != NodeKind::LocalRef) maker = find_maker(coll);
    fold->children[1] = coll;
    if (maker) {
        fold->children[0] = maker->item(); // for its kinds
        if (!may_fuse(a, *maker, *fold)) maker.reset();
    }
    if (!maker) {
        Let let(a.nodes);
        Local* items = let.temporary(is_plain_vector(coll) ? coll : of.native("vec", {coll}));
        fold->children[0] = of.native("first", {of.use(items)});
        fold->children[1] = of.native("rest", {of.use(items)});
        fold->index = 1;
        // Evaluated in the order of writing: the test, then what it chooses.
        Node* test = of.native("empty?", {of.use(items)});
        return let.finish(a.nodes.make_if(test, none, fold, span, tail), span, tail);
    }
    Let let(a.nodes);
    Local* begun = let.temporary(of.constant(Value::boolean(false)));
    begun->says_begun = true;
    Node* begin = a.nodes.assign(begun, of.constant(Value::boolean(true)), span);
    Node* first = a.nodes.make(NodeKind::Do, span, kValue, {begin, of.item(fold)});
    fold->children[0] = a.nodes.nil(span);
    fold->tail = false;
    fold->children[2] = a.nodes.make_if(of.use(begun), fold->children[2], first, span, kValue);
    Node* walked = put_together(a, *maker, fold);
    Let result(a.nodes);
    Local* value = result.temporary(walked);
    Node* chosen = a.nodes.make_if(of.use(begun), of.use(value), none, span, tail);
    Node* inner = result.finish(chosen, span, tail);
    return let.finish(inner, span, tail);
}

// max and min take what they are given by two, as a fold of them does, and never fail; nor do sums of numbers.
Node* fused_apply(Analyzer& a, Node* callee, Node* coll, Span span, Tail tail) {
    if (callee->kind != NodeKind::Constant || coll->kind == NodeKind::LocalRef) return nullptr;
    const Value function = Value::adopt(callee->constant);
    if (!function.is_builtin()) return nullptr;
    const std::string_view name = builtin_at(function.builtin_index()).name;
    const bool is_extreme = name == "max" || name == "min";
    if (!is_extreme && name != "+" && name != "*") return nullptr;
    const std::optional<Maker> maker = find_maker(coll);
    if (!maker || (!a.environment.fuse && !is_by_need(*maker))) return nullptr;
    NodeFacts facts;
    if (!is_extreme && (facts_of(*maker, facts).item & ~kinds::kNumber) != 0) return nullptr;
    Walk of{a, span};
    Node* fold = a.nodes.fold(maker->fold->text, nullptr, nullptr, span, kValue);
    Local* const locals[2] = {a.nodes.new_local("", span), a.nodes.new_local("", span)};
    fold->locals = a.nodes.copy(std::span<Local* const>(locals));
    fold->children[2] = of.native(name.data(), {of.accumulator(fold), of.item(fold)});
    Node* none = a.nodes.make(NodeKind::Apply, span, tail, {callee, of.constant(empty_vector())});
    return fold_from_first(a, fold, coll, none, span, tail);
}

} // namespace ptc
