// Making the tree: nodes, constants, variables and functions, in the tree's arena. Nodes are simplified while they are
// made: a call of natives with constants is its value, a branch that is decided is the only one. What is left out of
// the tree for that is discarded, so that the counts of uses stay right.
#pragma once
#include "compiler/analyze/context.h"
#include "compiler/analyze/reports.h"
#include "compiler/language/fold.h"
#include "compiler/language/tree.h"
#include <boost/container/small_vector.hpp>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptc {

class CoreLibrary;
struct CompileLimits;
struct Environment;
struct NamedConstant;

/// Makes every node. Owns the table of constant texts, the folder and the two stacks below (NodeList, Let); borrows the
/// tree that it fills, the heap of the constants, and the context, which says whose variables it makes.
class Nodes {
public:
    Nodes(Tree& tree, const Context& at, const Environment& environment, const CoreLibrary& core,
          const CompileLimits& limits, Heap& heap, Reports& reports);

    // ---- Nodes
    Node* make(NodeKind kind, Span span, Tail tail = kValue);
    Node* make(NodeKind kind, Span span, Tail tail, std::initializer_list<Node*> children);
    /// An If; only the branch that is taken when the test is constant.
    Node* make_if(Node* test, Node* yes, Node* no, Span span, Tail tail);
    /// A Fold whose variables are made by the caller, who also sets the body.
    Node* fold(std::string_view text, Node* init, Node* coll, Span span, Tail tail);
    /// One over `first` and what follows it without end; its maker adds body and successor.
    Node* iterated_fold(std::string_view text, Node* init, Node* first, Span span);
    /// The statement that gives variables their next values, all at once.
    Node* assign(std::span<Local* const> locals, std::span<Node* const> values, Span span);
    Node* assign(Local* local, Node* value, Span span) { return assign({&local, 1}, {&value, 1}, span); }
    /// A use of `local` in the current function: captured when it belongs to an enclosing one.
    Node* reference(Local* local, Span span, Tail tail = kValue);
    /// A call of a native: its value when it can be folded.
    Node* builtin_call(std::uint32_t index, Span span, Tail tail, std::span<Node* const> arguments);
    /// A call of the native `name`, which the analyzer itself wants.
    Node* native_call(const char* name, Span span, Tail tail, std::span<Node* const> arguments);
    Node* native_call(const char* name, Span span, Tail tail, std::initializer_list<Node*> arguments) {
        return native_call(name, span, tail, std::span<Node* const>(arguments.begin(), arguments.size()));
    }
    /// Takes the references in a subtree that is left out of the tree off their counts.
    void discard(const Node* node);
    /// Every mention of `from` in a subtree is one of `to`, a variable of the same function with the same value.
    /// Nothing assigns `from`.
    void rename(Node& node, Local* from, Local* to);

    // ---- Constants
    Node* nil(Span span, Tail tail = kValue);
    /// For what is not analysed, as the analysis has stopped: one node for all of it, however much is left.
    Node* unread(Span span);
    Node* literal(Bits bits, Span span, Tail tail);
    /// Freezes the value; reports the error when there is none, and gives nil.
    Node* literal(Result<Value> value, Span span, Tail tail);
    Node* named_constant(const NamedConstant& constant, Span span, Tail tail);
    Node* keyword(std::string_view text, Span span, Tail tail);
    Node* string(std::string_view text, Span span, Tail tail);

    // ---- Variables and functions
    Local* new_local(std::string_view name, Span span);
    /// A variable of a function that need not be the current one.
    Local* new_local_of(Function& function, std::string_view name, Span span);
    /// Gives the functions of a family, `firsts` and their arities, one list of captures. Once all of them have bodies.
    void share_captures(std::span<Function* const> firsts);
    /// A function inside of the current one.
    Function* new_function(std::string_view name, Span span);

    // ---- What lives as long as the tree
    template <class T> T* allocate(std::size_t count) {
        return static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    }
    template <class T> std::span<T> copy(std::span<const T> items) {
        if (items.empty()) return {};
        T* to = allocate<T>(items.size());
        std::uninitialized_copy(items.begin(), items.end(), to);
        return {to, items.size()};
    }
    template <class T, class... Args> T* create(Args&&... args) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (allocate<T>(1)) T{std::forward<Args>(args)...};
    }
    std::string_view keep_text(std::string_view text) {
        return {copy(std::span<const char>(text)).data(), text.size()};
    }

    [[nodiscard]] std::uint32_t node_count() const { return node_count_; }
    [[nodiscard]] std::size_t local_count() const { return local_count_; }

private:
    static bool is_chain_of_comparisons(std::uint32_t index, std::span<Node* const> arguments);
    Node* comparisons(std::uint32_t index, Span span, Tail tail, std::span<Node* const> operands);
    friend class NodeList;
    friend class Let;
    struct Binding {
        Local* local;
        Node* value;
    };
    Local* capture(Local* local, Function* into);
    [[nodiscard]] bool all_known(std::span<Node* const> arguments) const;

    Tree& tree_;
    Arena& arena_;
    const Context& at_;
    const Environment& environment_;
    const CoreLibrary& core_;
    const CompileLimits& limits_;
    Heap& heap_;
    Reports& reports_;
    Folder folder_;
    NameTable<ConstantText> texts_; ///< keywords and strings, one value each
    boost::container::small_vector<Node*, 32> node_stack_;
    boost::container::small_vector<Binding, 16> let_stack_;
    Node* unread_ = nullptr;
    std::uint32_t node_count_ = 0;
    std::uint32_t local_count_ = 0;
    std::uint32_t constant_count_ = 0;
};

/// Nodes that become the children of another one. All lists that are open share one stack, so only the newest may grow.
class NodeList {
public:
    explicit NodeList(Nodes& nodes) : nodes_(nodes), first_(nodes.node_stack_.size()) {}
    ~NodeList() { nodes_.node_stack_.resize(first_); }
    NodeList(const NodeList&) = delete;
    NodeList& operator=(const NodeList&) = delete;
    void add(Node* node) { nodes_.node_stack_.push_back(node); }
    [[nodiscard]] std::span<Node* const> items() const {
        return std::span<Node* const>(nodes_.node_stack_.data(), nodes_.node_stack_.size()).subspan(first_);
    }
    [[nodiscard]] bool empty() const { return items().empty(); }
    [[nodiscard]] Node* operator[](std::size_t i) const { return nodes_.node_stack_[first_ + i]; }
    /// The list in the arena.
    [[nodiscard]] std::span<Node*> take() const { return nodes_.copy(items()); }

private:
    Nodes& nodes_;
    std::size_t first_;
};

/// Variables and their values, collected for a Let or Loop node. Like lists, only the newest may grow.
class Let {
public:
    explicit Let(Nodes& nodes) : nodes_(nodes), first_(nodes.let_stack_.size()) {}
    /// What was added without being finished is dropped.
    ~Let() {
        if (nodes_.let_stack_.size() > first_) nodes_.let_stack_.resize(first_);
    }
    Let(const Let&) = delete;
    Let& operator=(const Let&) = delete;
    void add(Local* local, Node* value) { nodes_.let_stack_.push_back({local, value}); }
    /// A variable without a name.
    Local* temporary(Node* value);
    /// A Let of what was added, around `body`; only `body` when nothing was. `into`: a Loop node made beforehand.
    Node* finish(Node* body, Span span, Tail tail, Node* into = nullptr);

private:
    Nodes& nodes_;
    std::size_t first_;
};

/// A symbol that no source text can contain (it starts with a space), for what an expansion binds.
Form hidden_name(std::string_view name, Span span);
/// The list of these items, which must outlive it.
Form call_of(std::span<const Form> items, Span span);

} // namespace ptc
