// The resolved tree as text, for people who work on the compiler: one line a node, children indented, locals by name
// and number (shadowed ones have the same name), captures with what they are captured from.
#include "compiler/language/tree_printer.h"
#include "runtime/builtin.h"
#include "runtime/print.h"

namespace ptc {
namespace {

class Printer {
public:
    explicit Printer(Heap& heap) : heap_(heap) {}
    std::string out;

    void function(const Function& f) {
        out += f.index == 0 ? "main" : "f" + std::to_string(f.index);
        if (!f.name.empty()) out.append("(").append(f.name).append(")");
        if (f.index != 0) {
            out += " [";
            for (std::size_t i = 0; i < f.params.size(); ++i) {
                if (i > 0) out += " ";
                if (f.variadic && i + 1 == f.params.size()) out += "& ";
                local(*f.params[i]);
            }
            out += "]";
        }
        for (std::size_t i = 0; i < f.captures.size(); ++i) {
            out += " ^";
            local(*f.captures[i]);
            out += "=";
            local(*f.captured_from[i]);
        }
        if (f.self) {
            out += " self=";
            local(*f.self);
        }
        out += ": ";
        if (f.body) node(*f.body);
        out += "\n";
    }

    void node(const Node& n) {
        switch (n.kind) {
        case NodeKind::Constant: return constant(n);
        case NodeKind::LocalRef: return local(*n.local);
        case NodeKind::Global:
            out += "global:";
            out += n.text;
            return;
        case NodeKind::DataRef:
            out += "data:";
            out += n.text;
            return;
        case NodeKind::DataAll: out += "data"; return;
        case NodeKind::History: out += "*" + std::to_string(n.index); return;
        case NodeKind::If: return plain("if", n);
        case NodeKind::And: return plain("and", n);
        case NodeKind::Or: return plain("or", n);
        case NodeKind::Do: return plain("do", n);
        case NodeKind::Let: return bindings("let", n);
        case NodeKind::Loop: return bindings("loop", n);
        case NodeKind::Recur: return plain(n.target ? "recur" : "recur-fn", n);
        case NodeKind::Fn: out += "fn:f" + std::to_string(n.function->index); return;
        case NodeKind::Invoke: return plain("invoke", n);
        case NodeKind::CallFunction: return plain(("call f" + std::to_string(n.function->index)).c_str(), n);
        case NodeKind::CallSelf: return plain("self", n);
        case NodeKind::CallBuiltin: return plain(builtin_at(n.index).name, n);
        case NodeKind::KeywordCall: return keyed("field", n);
        case NodeKind::Apply: return plain("apply", n);
        case NodeKind::Tool: return plain(("tool:" + std::string(n.text)).c_str(), n);
        case NodeKind::Fork: return plain(n.index == 0 ? "fork-pmap" : "fork-pcalls", n);
        case NodeKind::Def: return plain(("def:" + std::string(n.text)).c_str(), n);
        case NodeKind::DefOnce: return plain(("defonce:" + std::string(n.text)).c_str(), n);
        case NodeKind::Return: return plain("return", n);
        case NodeKind::Fail: return plain("fail", n);
        case NodeKind::AtomOp: return plain("atom-op", n);
        case NodeKind::Throw: return plain("throw", n);
        case NodeKind::Try: return plain("try", n);
        case NodeKind::Vector: return plain("vector", n);
        case NodeKind::Set: return plain("set", n);
        case NodeKind::Map: return plain("map", n);
        case NodeKind::Fold: return with_locals(("fold:" + std::string(n.text)).c_str(), n);
        case NodeKind::Break: return plain("break", n);
        case NodeKind::Assign:
            out += "(assign";
            for (const Local* l : n.locals) {
                out += ' ';
                local(*l);
            }
            return children(n);
        case NodeKind::Elem: return plain(("elem" + std::to_string(n.index)).c_str(), n);
        case NodeKind::Tail: return plain(("tail" + std::to_string(n.index)).c_str(), n);
        case NodeKind::Field: return keyed("pick", n);
        case NodeKind::Update: return with_locals("update", n);
        }
    }

private:
    void local(const Local& l) {
        out += l.name.empty() || l.name.front() == ' ' ? std::string_view("t") : l.name;
        out += "." + std::to_string(l.index);
    }
    void constant(const Node& n) {
        if (!n.text.empty()) {
            out += "core:";
            out += n.text;
            return;
        }
        print_bits(n.constant);
    }
    void print_bits(Bits bits) {
        const Value value = Value::adopt(bits).copy();
        if (value.is_builtin()) {
            out += "builtin:";
            out += builtin_at(value.builtin_index()).name;
            return;
        }
        out += print_to_string(heap_, value, PrintStyle::Readable);
    }
    void children(const Node& n) {
        for (const Node* child : n.children) {
            out += " ";
            if (child) node(*child);
        }
        out += ")";
    }
    void plain(const char* name, const Node& n) {
        out += "(";
        out += name;
        children(n);
    }
    void keyed(const char* name, const Node& n) {
        out += "(";
        out += name;
        out += " ";
        print_bits(n.constant);
        children(n);
    }
    /// (name [a b c], or with what they begin with (name [a 1 b 2 c 3]
    void open_locals(const char* name, const Node& n, bool has_values) {
        out += "(";
        out += name;
        out += " [";
        for (std::size_t i = 0; i < n.locals.size(); ++i) {
            if (i > 0) out += " ";
            local(*n.locals[i]);
            if (!has_values) continue;
            out += " ";
            node(*n.children[i]);
        }
        out += "]";
    }
    void with_locals(const char* name, const Node& n) {
        open_locals(name, n, false);
        children(n);
    }
    void bindings(const char* name, const Node& n) {
        open_locals(name, n, true);
        out += " ";
        node(*n.children.back());
        out += ")";
    }

    Heap& heap_;
};

} // namespace

std::string print_tree(Heap& heap, const Tree& tree) {
    Printer printer(heap);
    for (const Function& function : tree.functions) {
        if (function.body) printer.function(function);
    }
    return std::move(printer.out);
}

std::string print_node(Heap& heap, const Node& node) {
    Printer printer(heap);
    printer.node(node);
    return std::move(printer.out);
}

} // namespace ptc
