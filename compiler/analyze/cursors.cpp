// Loops that walk along a vector by first and rest, as loops over its positions.
//
//     (loop [xs coll sum 0] (if (empty? xs) sum (recur (rest xs) (+ sum (first xs)))))
//
// makes a view of the vector in each round, and asks each one for its kind. When xs is a vector at the beginning and
// nothing but first, rest, empty? and their kin looks at it, a number is as good: the loop is copied with a position in
// place of xs, (first xs) is (nth coll i), (empty? xs) is (>= i n), (rest xs) is (inc i). Where the loop ends, xs may
// be given away: then the view is made, once. Names for the rest of a variable (a let, the pattern [x & more]) are
// positions, too.
//
// What is no vector (nil, texts, maps, and what has no items and is an error) goes the loop as it was written, which
// stays beside the copy; it is left out where the beginning is known to be a vector. Only small loops are copied.
#include "compiler/analyze/cursors.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/node_facts.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostNodes = 120; ///< of a loop that is copied

/// The questions about a sequence that a position can answer.
enum class Question : std::uint8_t { Other, First, Rest, Next, IsEmpty, Seq, Not };

/// What a call with one argument asks.
Question question_of(const Node& node) {
    if (node.kind != NodeKind::CallBuiltin || node.children.size() != 1) return Question::Other;
    const Builtin& row = builtin_at(node.index);
    switch (row.instruction) {
    case Instruction::First: return Question::First;
    case Instruction::Rest: return Question::Rest;
    case Instruction::IsEmpty: return Question::IsEmpty;
    case Instruction::Not: return Question::Not;
    case Instruction::HasItems: return Question::Seq;
    case Instruction::None: break;
    default: return Question::Other;
    }
    return row.model == BoundModel::Next && row.name == std::string_view("next") ? Question::Next : Question::Other;
}

bool asks(const Node& node, Question question) { return question_of(node) == question; }

/// False when there are more nodes than `left`, or functions, which are not copied.
bool may_copy(const Node& node, std::size_t& left) {
    if (left == 0 || node.kind == NodeKind::Fn || !work::charge(1)) return false;
    --left;
    return std::all_of(node.children.begin(), node.children.end(),
                       [&](const Node* child) { return may_copy(*child, left); });
}

/// Whether some Recur of the loop in `node`, which stands last in it, is as asked for.
template <class IsWanted> bool any_recur(const Node& node, const Node* loop, const IsWanted& is_wanted) {
    switch (node.kind) {
    case NodeKind::Recur: return node.target == loop && is_wanted(node);
    case NodeKind::If:
        return any_recur(*node.children[1], loop, is_wanted) || any_recur(*node.children[2], loop, is_wanted);
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Do:
    case NodeKind::Let: return any_recur(*node.children.back(), loop, is_wanted);
    default: return false;
    }
}

bool recurs(const Node& node, const Node* loop) {
    return any_recur(node, loop, [](const Node&) { return true; });
}

bool is_step(const Node& node) {
    return asks(node, Question::Rest) || asks(node, Question::Next) || node.kind == NodeKind::Tail;
}

/// Whether each new value of the variable may be a place behind the old one, and one may be further on.
bool may_be_walked(const Node& body, const Node* loop, const Local* variable, std::size_t number) {
    const bool is_made = any_recur(body, loop, [&](const Node& recur) {
        return recur.children[number]->kind != NodeKind::LocalRef && !is_step(*recur.children[number]);
    });
    return !is_made && any_recur(body, loop, [&](const Node& recur) {
        const Node& value = *recur.children[number];
        return value.kind != NodeKind::LocalRef || value.local != variable;
    });
}

/// A place behind the beginning of a variable's present value.
struct Place {
    std::uint32_t variable = 0;
    std::uint32_t offset = 0;
    bool ends_in_nil = false; ///< as `next` gives it
};

/// The loop's variables that are walked along, and the names for what is behind them.
class Walked {
public:
    Walked(std::span<Local* const> variables, const Node* loop, const Node& body)
        : variables_(variables), loop_(loop), is_walked_(variables.size()), by_next_(variables.size()),
          by_rest_(variables.size()), advances_(variables.size()) {
        for (std::size_t i = 0; i < variables.size(); ++i)
            is_walked_[i] = may_be_walked(body, loop, variables[i], i);
        std::size_t left = kMostNodes;
        if (!any() || !may_copy(body, left)) {
            is_walked_.assign(variables.size(), false);
            return;
        }
        do {
            is_settled_ = true;
            names_.clear();
            std::fill(advances_.begin(), advances_.end(), false);
            look(body, false, !recurs(body, loop));
            for (std::size_t i = 0; i < variables.size(); ++i) {
                if (is_walked_[i] && !advances_[i]) give_up(i);
            }
        } while (!is_settled_);
    }

    [[nodiscard]] bool any() const { return std::find(is_walked_.begin(), is_walked_.end(), true) != is_walked_.end(); }
    [[nodiscard]] bool is_walked(std::size_t i) const { return is_walked_[i]; }
    /// What `node` says, if it is a place of a variable that is walked along.
    [[nodiscard]] std::optional<Place> place_of(const Node& node) const {
        if (node.kind == NodeKind::LocalRef) return place_of(node.local);
        const bool is_next = asks(node, Question::Next);
        const std::uint32_t more = node.kind == NodeKind::Tail             ? node.index
                                   : is_next || asks(node, Question::Rest) ? 1
                                                                           : 0;
        if (more == 0) return std::nullopt;
        std::optional<Place> from = place_of(*node.children[0]);
        if (!from) return std::nullopt;
        return Place{from->variable, from->offset + more, is_next || node.kind == NodeKind::Tail};
    }

private:
    [[nodiscard]] std::optional<Place> place_of(const Local* local) const {
        for (const auto& [name, place] : names_) {
            if (name == local && is_walked_[place.variable]) return place;
        }
        for (std::uint32_t i = 0; i < variables_.size(); ++i) {
            if (variables_[i] == local && is_walked_[i]) return Place{i, 0, by_next_[i]};
        }
        return std::nullopt;
    }

    void give_up(std::size_t variable) {
        is_walked_[variable] = false;
        is_settled_ = false;
    }

    void look_at_parts(const Node& node, bool leaves) {
        for (const Node* child : node.children)
            look(*child, false, leaves);
    }

    /// `is_test`: only its truth counts. `leaves`: the loop does not go on behind it.
    void look(const Node& node, bool is_test, bool leaves) {
        if (const auto place = place_of(node)) {
            if (!leaves && !is_test) give_up(place->variable);
            return;
        }
        switch (node.kind) {
        case NodeKind::If:
            look(*node.children[0], true, leaves);
            for (std::size_t i : {1, 2})
                look(*node.children[i], is_test, leaves || !recurs(*node.children[i], loop_));
            return;
        case NodeKind::And:
        case NodeKind::Or:
            for (const Node* child : node.children)
                look(*child, is_test, leaves);
            return;
        case NodeKind::Do:
            for (const Node* child : node.children)
                look(*child, child != node.children.back() || is_test, leaves);
            return;
        case NodeKind::Let:
            for (std::size_t i = 0; i < node.locals.size(); ++i) {
                if (const auto place = place_of(*node.children[i]))
                    names_.emplace_back(node.locals[i], *place);
                else
                    look(*node.children[i], false, leaves);
            }
            return look(*node.children.back(), is_test, leaves);
        case NodeKind::Recur:
            if (node.target == loop_) return look_at_recur(node);
            break;
        case NodeKind::Elem:
            if (place_of(*node.children[0])) return;
            break;
        case NodeKind::CallBuiltin: {
            const Question question = question_of(node);
            if (question == Question::Not) return look(*node.children[0], true, leaves);
            const bool is_answered =
                question == Question::First || question == Question::IsEmpty || (question == Question::Seq && is_test);
            if (is_answered && place_of(*node.children[0])) return;
            break;
        }
        default: break;
        }
        look_at_parts(node, leaves);
    }

    void look_at_recur(const Node& recur) {
        for (std::size_t i = 0; i < recur.children.size(); ++i) {
            const auto place = place_of(*recur.children[i]);
            if (!is_walked_[i] || !place || place->variable != i) {
                if (is_walked_[i]) give_up(i);
                look(*recur.children[i], false, false);
                continue;
            }
            if (place->offset > 0) advances_[i] = true;
            if (place->offset > 0 && !place->ends_in_nil) by_rest_[i] = true;
            if (place->offset > 0 && place->ends_in_nil && !by_next_[i]) {
                by_next_[i] = true;
                is_settled_ = false; // names for it were taken down without knowing that
            }
            if (by_next_[i] && by_rest_[i]) give_up(i); // what is left at the end is nil on one way, empty on the other
        }
    }

    std::span<Local* const> variables_;
    const Node* loop_; ///< null: the function
    std::vector<bool> is_walked_, by_next_, by_rest_, advances_;
    std::vector<std::pair<const Local*, Place>> names_;
    bool is_settled_ = true;
};

/// Copies the loop with positions in place of what is walked along.
class Copy {
public:
    Copy(Analyzer& a, Function& function, std::span<Local* const> variables, const Node* loop, const Walked& walked)
        : a_(a), function_(function), variables_(variables), loop_(loop), walked_(walked) {}

    /// `firsts`: variables that hold the first values. `has_items`: which of them are nil rather than empty.
    Node* make(const Node& body, std::span<Local* const> firsts, const std::vector<bool>& has_items, Span span,
               Tail tail) {
        span_ = span;
        has_items_ = has_items;
        bases_ = firsts;
        counts_.resize(firsts.size());
        Let counts(a_.nodes);
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            if (walked_.is_walked(i)) counts_[i] = counts.temporary(native("count", {use(firsts[i])}));
        }
        target_ = a_.nodes.make(NodeKind::Loop, span, tail);
        Let values(a_.nodes);
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            Local* local = a_.nodes.new_local_of(function_, variables_[i]->name, variables_[i]->span);
            const bool is_walked = walked_.is_walked(i);
            values.add(local, is_walked ? integer(0) : use(firsts[i]));
            if (is_walked)
                local->name = {};
            else
                copies_.emplace_back(variables_[i], local);
            news_.push_back(local);
        }
        Node* copied = copy(body, false);
        return counts.finish(values.finish(copied, span, tail, target_), span, tail);
    }

private:
    Node* use(Local* local) { return a_.nodes.reference(local, span_); }
    Node* native(const char* name, std::initializer_list<Node*> arguments) {
        return a_.nodes.native_call(name, span_, kValue, arguments);
    }
    Node* integer(std::int64_t n) { return a_.nodes.literal(bits::from_integer(n), span_, kValue); }

    Node* position(const Place& place) {
        Node* start = use(news_[place.variable]);
        if (place.offset == 0) return start;
        if (place.offset == 1) return native("inc", {start});
        return native("+", {start, integer(place.offset)});
    }
    Node* is_inside(const Place& place) { return native("<", {position(place), use(counts_[place.variable])}); }
    /// Whether the place is never an empty vector, as next and seq give none.
    [[nodiscard]] bool is_nil_at_end(const Place& place) const {
        return place.ends_in_nil && (place.offset > 0 || has_items_[place.variable]);
    }
    /// Whether the value is neither nil nor false, for a place or `seq` of it.
    Node* truth(const Place& place, bool is_seq) {
        if (is_seq || is_nil_at_end(place)) return is_inside(place);
        if (!place.ends_in_nil) return a_.nodes.literal(bits::kTrue, span_, kValue);
        Node* at_begin = native("=", {position(place), integer(0)}); // what the loop began with is a vector
        return a_.nodes.make(NodeKind::Or, span_, kValue, {at_begin, is_inside(place)});
    }
    Node* item(const Place& place, const Node& of) {
        const auto found = [&] {
            Node* node = native("nth", {use(bases_[place.variable]), position(place)});
            node->span = of.span;
            return node;
        };
        const bool is_there = std::any_of(filled_.begin(), filled_.end(), [&](const Place& known) {
            return known.variable == place.variable && known.offset >= place.offset;
        });
        if (is_there) return found();
        return native("get", {use(bases_[place.variable]), position(place)}); // nil behind the end
    }
    /// The value itself, where it leaves the loop.
    Node* view(const Place& place) {
        Node* base = use(bases_[place.variable]);
        if (!place.ends_in_nil) return native("nthrest", {base, position(place)});
        Node* behind = native("nthnext", {base, position(place)});
        if (is_nil_at_end(place)) return behind;
        Node* at_begin = native("=", {position(place), integer(0)});
        return a_.nodes.make_if(at_begin, use(bases_[place.variable]), behind, span_, kValue);
    }

    /// Notes where there are items when `test` is as `truth` says.
    void note_filled(const Node& test, bool truth) {
        if (asks(test, Question::Not)) return note_filled(*test.children[0], !truth);
        if (test.kind == NodeKind::And || test.kind == NodeKind::Or) {
            if (truth != (test.kind == NodeKind::And)) return;
            for (const Node* child : test.children)
                note_filled(*child, truth);
            return;
        }
        std::optional<Place> place;
        if (asks(test, Question::IsEmpty) ? !truth : truth && asks(test, Question::Seq))
            place = walked_.place_of(*test.children[0]);
        if (truth && test.kind == NodeKind::LocalRef) {
            place = walked_.place_of(test);
            if (place && !is_nil_at_end(*place)) place.reset(); // [] is true, too
        }
        if (place) filled_.push_back(*place);
    }

    Local* local_for(Local* local) {
        for (std::size_t i = copies_.size(); i-- > 0;) {
            if (copies_[i].first == local) return copies_[i].second;
        }
        return local;
    }

    Local* new_local(Local* local) {
        Local* own = a_.nodes.new_local_of(function_, local->name, local->span);
        own->varies = local->varies;
        own->says_begun = local->says_begun;
        copies_.emplace_back(local, own);
        return own;
    }

    Node* copy_test(const Node& node) { return copy(node, true); }

    Node* copy(const Node& node, bool is_test) {
        if (const auto place = walked_.place_of(node)) return is_test ? truth(*place, false) : view(*place);
        if (node.kind == NodeKind::CallBuiltin && node.children.size() == 1) {
            if (const auto place = walked_.place_of(*node.children[0])) {
                if (asks(node, Question::First)) return item(*place, node);
                if (asks(node, Question::IsEmpty))
                    return native(">=", {position(*place), use(counts_[place->variable])});
                if (is_test && asks(node, Question::Seq)) return truth(*place, true);
            }
        }
        if (node.kind == NodeKind::Elem) {
            if (auto place = walked_.place_of(*node.children[0])) {
                place->offset += node.index;
                return item(*place, node);
            }
        }
        switch (node.kind) {
        case NodeKind::If: return copy_if(node, is_test);
        case NodeKind::Let: return copy_let(node, is_test);
        case NodeKind::Recur:
            if (node.target == loop_) return copy_recur(node);
            break;
        default: break;
        }
        Node* own = shell(node);
        own->children = a_.nodes.copy(std::span<Node* const>(node.children));
        copy_locals(node, *own);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            const bool is_last = i + 1 == node.children.size();
            const bool tests = node.kind == NodeKind::Do                                 ? !is_last || is_test
                               : node.kind == NodeKind::And || node.kind == NodeKind::Or ? is_test
                                                                                         : asks(node, Question::Not);
            own->children[i] = copy(*node.children[i], tests);
        }
        return own;
    }

    /// The node without its parts.
    Node* shell(const Node& node) {
        Node* own = a_.nodes.make(node.kind, node.span);
        *own = node;
        own->drops = nullptr;
        if (node.kind == NodeKind::LocalRef) own->local = local_for(node.local);
        if (node.kind == NodeKind::LocalRef) ++own->local->uses;
        if (node.kind == NodeKind::Loop || node.kind == NodeKind::Fold) targets_.emplace_back(&node, own);
        if (node.kind == NodeKind::Recur || node.kind == NodeKind::Break) {
            for (const auto& [from, to] : targets_) {
                if (node.target == from) own->target = to;
            }
        }
        return own;
    }

    void copy_locals(const Node& node, Node& own) {
        own.locals = a_.nodes.copy(std::span<Local* const>(node.locals));
        for (Local*& local : own.locals)
            local = binds_locals(node) ? new_local(local) : local_for(local);
    }

    Node* copy_if(const Node& node, bool is_test) {
        Node* test = copy_test(*node.children[0]);
        const std::size_t known = filled_.size();
        note_filled(*node.children[0], true);
        Node* yes = copy(*node.children[1], is_test);
        filled_.resize(known);
        note_filled(*node.children[0], false);
        Node* no = copy(*node.children[2], is_test);
        filled_.resize(known);
        return a_.nodes.make_if(test, yes, no, node.span, node.tail ? kFunctionTail : kValue);
    }

    Node* copy_let(const Node& node, bool is_test) {
        std::vector<Node*> values;
        std::vector<Local*> locals;
        for (std::size_t i = 0; i < node.locals.size(); ++i) {
            if (walked_.place_of(*node.children[i])) continue; // a name for a position
            values.push_back(copy(*node.children[i], false));
            locals.push_back(new_local(node.locals[i]));
        }
        Node* body = copy(*node.children.back(), is_test);
        if (values.empty()) return body;
        values.push_back(body);
        Node* own = a_.nodes.make(NodeKind::Let, node.span, node.tail ? kFunctionTail : kValue);
        own->children = a_.nodes.copy(std::span<Node* const>(values));
        own->locals = a_.nodes.copy(std::span<Local* const>(locals));
        return own;
    }

    Node* copy_recur(const Node& node) {
        Node* own = shell(node);
        own->target = target_;
        own->children = a_.nodes.copy(std::span<Node* const>(node.children));
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            own->children[i] =
                walked_.is_walked(i) ? position(*walked_.place_of(*node.children[i])) : copy(*node.children[i], false);
        }
        return own;
    }

    Analyzer& a_;
    Function& function_;
    std::span<Local* const> variables_;
    const Node* loop_;
    const Walked& walked_;
    Span span_;
    Node* target_ = nullptr;
    std::span<Local* const> bases_;
    std::vector<bool> has_items_;
    std::vector<Local*> counts_;
    std::vector<Local*> news_;
    std::vector<std::pair<Local*, Local*>> copies_;
    std::vector<std::pair<const Node*, Node*>> targets_;
    std::vector<Place> filled_; ///< where there are items, as far as tests have shown
};

/// `fast` where all that is walked along is a vector.
Node* guarded(Analyzer& a, const Walked& walked, std::span<Local* const> firsts, std::span<const Kinds> known,
              Node* fast, Node* slow, Span span, Tail tail) {
    std::vector<Node*> tests;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        if (!walked.is_walked(i) || (known[i] & ~kinds::kSequence) == 0) continue;
        tests.push_back(a.nodes.native_call("vector?", span, kValue, {a.nodes.reference(firsts[i], span)}));
    }
    if (tests.empty()) {
        a.nodes.discard(slow);
        return fast;
    }
    Node* test = tests[0];
    if (tests.size() > 1) {
        test = a.nodes.make(NodeKind::And, span);
        test->children = a.nodes.copy(std::span<Node* const>(tests));
    }
    return a.nodes.make_if(test, fast, slow, span, tail);
}

} // namespace

Node* with_cursors(Analyzer& a, Node* loop, Tail tail) {
    Node& body = *loop->children.back();
    if (!a.environment.fuse || a.reports.stopped()) return loop;
    const Walked walked(loop->locals, loop, body);
    if (!walked.any()) return loop;
    const Span span = loop->span;
    const Tail of_value = tail & kFunctionTail;
    Let let(a.nodes);
    std::vector<Local*> firsts;
    std::vector<Kinds> known;
    std::vector<bool> has_items;
    for (std::size_t i = 0; i < loop->locals.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) // later values may be made of earlier ones
            a.nodes.rename(*loop->children[i], loop->locals[j], firsts[j]);
        Node* first = loop->children[i];
        known.push_back(NodeFacts().kinds(*first));
        has_items.push_back(asks(*first, Question::Seq) || asks(*first, Question::Next) ||
                            first->kind == NodeKind::Tail);
        if (first->kind == NodeKind::LocalRef) {
            firsts.push_back(first->local);
            continue;
        }
        firsts.push_back(let.temporary(first));
        loop->children[i] = a.nodes.reference(firsts[i], span);
    }
    Node* fast = Copy(a, *a.at.function, loop->locals, loop, walked).make(body, firsts, has_items, span, of_value);
    return let.finish(guarded(a, walked, firsts, known, fast, loop, span, of_value), span, of_value);
}

void with_cursors(Analyzer& a, Function& function) {
    if (!a.environment.fuse || a.reports.stopped()) return;
    const Walked walked(function.params, nullptr, *function.body);
    if (!walked.any()) return;
    const std::vector<Kinds> known(function.params.size(), kinds::kAny);
    const std::vector<bool> none(function.params.size(), false);
    Node* fast = Copy(a, function, function.params, nullptr, walked)
                     .make(*function.body, function.params, none, function.body->span, kFunctionTail);
    function.body = guarded(a, walked, function.params, known, fast, function.body, function.body->span, kFunctionTail);
}

} // namespace ptc
