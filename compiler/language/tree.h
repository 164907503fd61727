// The resolved tree: what the analyzer makes of forms and the emitter makes code of. Macros are expanded, names are
// resolved, patterns are taken apart, core functions with a function argument are inlined as Folds.
#pragma once
#include "frontend/arena.h"
#include "ptc/source.h"
#include "runtime/heap.h"
#include "runtime/shape.h"
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct Form;
struct Function;
struct Node;

/// A name bound inside a function: parameter, let, loop or fold variable, capture. Bindings never change, except that a
/// recur or the next round of a fold gives the variables of a Loop or Fold new values, and that an Assign gives one to
/// what the analyzer itself keeps beside a Fold.
struct Local {
    std::string_view name; ///< for messages and disassembly; "" for a temporary
    Span span;
    Function* function = nullptr;     ///< whose frame holds it
    std::uint32_t index = 0;          ///< counts from 0 in its function
    std::uint32_t uses = 0;           ///< LocalRef nodes that name it, captures included
    std::uint8_t reg = 0;             ///< given by the emitter
    std::uint8_t laziness = 0;        ///< of its value: compiler/analyze/endless.h
    const Node* items = nullptr;      ///< the literal that it is bound to: a vector of a few variables and constants
    const Form* transducer = nullptr; ///< what made it, in the scope around its own, if calls may read that instead
    bool has_front = false;           ///< by need, with its first item there: compiler/analyze/held_fronts.h
    bool is_sequence = false;         ///< its value is a list where Clojure has lists: compiler/analyze/sequences.h
    bool dead_at_birth = false;       ///< nothing reads it: released as soon as it is bound (last-use pass)
    bool varies = false;              ///< it is given other values later: of a Loop, a Fold, an Assign
    bool says_begun = false;          ///< whether a Fold whose accumulator begins with its first item has had one
    bool by_use = false; ///< fetched from the closure where it is used: a capture (last-use pass), a sibling
};

enum class NodeKind : std::uint8_t {
    Constant, ///< `constant`: a frozen value or an immediate
    LocalRef, ///< `local`
    Global,   ///< `text`: a name of the session's namespace, looked up when run
    DataRef,  ///< `text`: data/x; nil when the host gave no such name
    DataAll,  ///< the whole context as a map (keys are strings)
    History,  ///< `index` 1..3: *1 *2 *3
    If,       ///< children: test, then, else
    And,
    Or,           ///< children: at least two
    Do,           ///< children: at least one; the last is the value
    Let,          ///< locals[i] := children[i], in order; the last child is the body
    Loop,         ///< as Let; the body may Recur to it
    Recur,        ///< children: the new values; `target` a Loop, or null for the enclosing function
    Fn,           ///< `function`: a function value (a closure when it captures)
    Invoke,       ///< children: callee, arguments
    CallFunction, ///< children: arguments; `function` is known and takes that many; `text` its global name
    CallSelf, ///< children: arguments; the enclosing function calls itself through its own name; `function` the arity
    CallBuiltin, ///< children: arguments; `index` is the builtin's; arity is right
    KeywordCall, ///< children: map, optional default; `constant` the keyword (or string) key: a field access
    Apply,       ///< children: callee, leading arguments.., last sequence
    Tool,        ///< children: the argument map; `text` the tool's name
    Fork,        ///< children: function, columns; the branches of pmap (`index` 0) or pcalls (1)
    Def,         ///< children: value; `text` the name; value is the var
    DefOnce,     ///< the same, unless it is bound
    Return,
    Fail,
    AtomOp, ///< children: what `atom` (index 0), `deref` (1), taking (2: as deref, for a reset that follows) and
            ///< `reset!` (3) are given
    Throw,  ///< children: value
    Try, ///< children: a function without parameters, the handler; locals: the failure. The function's value, or when
         ///< it fails the handler's
    Vector,
    Set,    ///< children: items
    Map,    ///< children: key, value, key, value ..
    Fold,   ///< locals: accumulator, item, and index when it has three; children: initial value, collection, body.
            ///< The body gives the next accumulator; the value is the last one. `text` names the function for errors.
            ///< With a `target`, the first Elem of its item: by pairs (compiler/pair_items.h). With a fourth child:
            ///< is_zipped, is_iterated; without: is_from_first
    Break,  ///< children: value; leaves the Fold `target` with it
    Assign, ///< locals[i] := children[i], all at once: state of a loop, which no program can name. A statement
    Elem,   ///< children: value; element `index` of it as a pattern [a b] takes it (nil when absent)
    Tail,   ///< children: value; the elements from `index` on, as `& rest` takes them (nil when there are none)
    Field,  ///< children: value, optional default; `constant` the key: as a pattern {:keys [a]} takes it
    Update, ///< (update m k f ..) in place: locals: old value; children: map, key, body. The body gives the new value
};

/// One node, owned by its Tree's arena. Fields are used as NodeKind says.
struct Node {
    NodeKind kind = NodeKind::Constant;
    bool tail = false;     ///< its value is its function's value (set by the analyzer)
    bool last_use = false; ///< LocalRef: nothing later needs the local (set by the last-use pass)
    bool is_late =
        false; ///< an operand that is evaluated behind its siblings, but for locals (set by the last-use pass)
    Span span;
    /// An access to a field: 1 when the map need not hold the value any longer. An assoc: bit i when it need not hold
    /// that of the i-th field from where the arguments are evaluated (dead-field pass).
    std::uint8_t forgets = 0;
    std::uint32_t index = 0;
    std::span<Node*> children;
    std::span<Local*> locals;
    union {
        Local* local = nullptr;
        Function* function;
        Node* target;
        Bits constant;
    };
    std::string_view text;
    struct Drops* drops = nullptr; ///< what to release where (last-use pass); null: nothing
};

/// Whether it binds its locals: an Assign names those of other nodes.
inline bool binds_locals(const Node& node) { return node.kind != NodeKind::Assign; }
/// A Fold over two vectors, of which the fourth child is the second (compiler/zipped_items.h).
inline bool is_zipped(const Node& fold) { return fold.children.size() > 3 && fold.index == 0; }
/// A Fold over x, (f x), (f (f x)) .. without end, which a Break leaves: the second child is x, not a collection, the
/// fourth gives the item of the next round, when that begins.
inline bool is_iterated(const Node& fold) { return fold.children.size() > 3 && fold.index != 0; }

/// A Fold whose first value is the first item of a vector, and whose collection the rest of it: it goes through the
/// whole vector and begins with what it finds first.
inline bool is_from_first(const Node& fold) { return fold.children.size() == 3 && fold.index != 0; }

/// A function of the program; the top level is one without parameters.
struct Function {
    std::string_view name; ///< "" when anonymous
    std::string_view doc;
    Span span;
    Function* parent = nullptr; ///< the function it is written in; null for the top level and core functions
    std::vector<Local*> params; ///< of this arity; the last one takes the rest when `variadic`
    bool variadic = false;
    std::uint32_t fixed = 0;           ///< parameters that every call gives
    std::vector<Local*> captured_from; ///< locals of `parent` that it captures ..
    std::vector<Local*> captures;      ///< .. and its own locals for them, in the same order
    std::vector<bool> capture_takes;   ///< which captured_from die when the closure is made (last-use pass)
    Local* self = nullptr;             ///< its own name, when (fn name [..] ..) uses it as a value
    bool has_recur = false;            ///< a Recur targets it
    Node* body = nullptr;
    Function* next_arity = nullptr;  ///< another arity of the same function
    Function* first_arity = nullptr; ///< the one that stands for all of them, and that a Fn node names; null: this one
    /// Functions that are written together and have the same captures, so that each can make the others from its own
    /// closure: the arities of a function, those of a letfn. Its first; null: there is only this one.
    Function* family = nullptr;
    struct Sibling {
        Function* function;
        Local* local;
    };
    std::vector<Sibling> siblings; ///< others of its family that it uses as values, and the names for them
    std::vector<Local*> locals;    ///< all of them, by index
    std::uint32_t index = 0;       ///< in Tree::functions
};

/// The arity that stands for all arities of `function`.
inline Function* first_arity(Function& function) { return function.first_arity ? function.first_arity : &function; }

/// The function among `first`, which is a first arity, and its other arities that takes `n` arguments; null: none does.
inline Function* find_arity(Function* first, std::size_t n) {
    Function* variadic = nullptr;
    for (Function* f = first; f; f = f->next_arity) {
        if (f->variadic ? n >= f->fixed : n == f->fixed) {
            if (!f->variadic) return f;
            variadic = f;
        }
    }
    return variadic;
}

/// What the analyzer hands to the emitter.
struct Tree {
    Arena arena{16 * 1024};
    std::deque<Function> functions;                ///< functions[0] is the top level
    std::vector<std::string_view> defined_names;   ///< by def, defn, defonce
    std::vector<std::string_view> redefined_names; ///< those of them with several definitions
    std::vector<std::string_view> data_names;      ///< data/x and ctx/x
    std::vector<std::string_view> tool_names;
};

} // namespace ptc
