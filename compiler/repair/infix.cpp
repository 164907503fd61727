// Operators that stand between their operands: (a + b * c), (if x > 3 a b).
//
// A run of operands and operators in turn is parsed by precedence into a tree, which is written as calls. Operands are
// copied in place, so that edits inside of them still fit. A list is such a run only if it alternates and its head is
// no operator: (- 1) and (+ 1 2) are calls.
#include "compiler/repair/rules.h"
#include "frontend/reader/repairs.h"
#include <algorithm>
#include <memory>

namespace ptc::repair {
namespace {

struct Operator {
    std::string_view written;
    std::string_view function;
    int binding; ///< the higher the tighter; 0: stands before its one operand
};

constexpr int kNotBinding = 3;

constexpr Operator kOperators[] = {
    {"||", "or", 1},   {"or", "or", 1},     {"OR", "or", 1},   {"&&", "and", 2}, {"and", "and", 2}, {"AND", "and", 2},
    {"=", "=", 4},     {"==", "=", 4},      {"===", "=", 4},   {"is", "=", 4},   {"!=", "not=", 4}, {"!==", "not=", 4},
    {"<>", "not=", 4}, {"not=", "not=", 4}, {"/=", "not=", 4}, {"<", "<", 4},    {"<=", "<=", 4},   {"=<", "<=", 4},
    {">", ">", 4},     {">=", ">=", 4},     {"=>", ">=", 4},   {"in", "in", 4},  {"+", "+", 5},     {"-", "-", 5},
    {"*", "*", 6},     {"/", "/", 6},       {"//", "quot", 6}, {"%", "mod", 6},  {"mod", "mod", 6}, {"div", "quot", 6},
    {"**", "pow", 7},  {"^", "pow", 7},     {"not", "not", 0}, {"!", "not", 0},  {"+=", "+", 4},    {"-=", "-", 4},
    {"*=", "*", 4},
};

const Operator* operator_of(const Form& form) {
    if (!form.is(FormKind::Symbol)) return nullptr;
    const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                           [&](const Operator& o) { return form.text() == o.written; });
    return found == std::end(kOperators) ? nullptr : found;
}

/// An expression: an operand, or a function of expressions.
struct Expression {
    const Form* operand = nullptr;
    std::string_view function;
    std::vector<std::unique_ptr<Expression>> parts;
};
using Tree = std::unique_ptr<Expression>;

Tree make(std::string_view function, Tree a, Tree b = nullptr, Tree c = nullptr) {
    // a + b + c is one call.
    const bool joins = function == "+" || function == "*" || function == "and" || function == "or";
    if (joins && a->function == function) {
        a->parts.push_back(std::move(b));
        return a;
    }
    Tree tree = std::make_unique<Expression>();
    tree->function = function;
    tree->parts.push_back(std::move(a));
    if (b) tree->parts.push_back(std::move(b));
    if (c) tree->parts.push_back(std::move(c));
    return tree;
}

/// Precedence climbing. Null as soon as something does not fit. Operators nest at most as deep as they bind.
class Parser {
public:
    explicit Parser(FormSpan run) : run_(run) {}

    Tree whole() {
        Tree tree = expression(1);
        if (!tree || at_ == run_.size()) return tree;
        if (!run_[at_].is_symbol("?") || at_ + 3 != run_.size()) return nullptr;
        return make("if", std::move(tree), leaf(run_[at_ + 1]), leaf(run_[at_ + 2]));
    }
    /// As much as fits.
    Tree part(std::size_t* used) {
        Tree tree = expression(1);
        *used = at_;
        return tree;
    }

private:
    static Tree leaf(const Form& form) {
        Tree tree = std::make_unique<Expression>();
        tree->operand = &form;
        return tree;
    }
    Tree operand() {
        if (at_ == run_.size()) return nullptr;
        const Operator* op = operator_of(run_[at_]);
        if (!op) return leaf(run_[at_++]);
        // (% > 1) in #()
        if (is_placeholder(run_[at_])) return leaf(run_[at_++]);
        const bool negates = op->written == "-";
        if (op->binding != 0 && !negates) return nullptr;
        ++at_;
        Tree tree = negates ? operand() : expression(kNotBinding);
        return tree ? make(negates ? "-" : "not", std::move(tree)) : nullptr;
    }
    Tree expression(int binding) {
        Tree left = operand();
        while (left && at_ < run_.size()) {
            const Operator* op = operator_of(run_[at_]);
            if (!op || op->binding == 0 || op->binding < binding) break;
            if (at_ + 1 == run_.size()) return nullptr;
            ++at_;
            Tree right = expression(op->binding + 1);
            if (!right) return nullptr;
            left = make(op->function, std::move(left), std::move(right));
        }
        return left;
    }

    FormSpan run_;
    std::size_t at_ = 0;
};

void write(const Code& code, const Expression& e, Pieces& pieces, bool brackets = true) {
    if (e.operand) {
        pieces.copy(*e.operand);
        return;
    }
    if (brackets) pieces.text("(");
    if (e.function == "in") {
        pieces.text("contains? (set ");
        write(code, *e.parts[1], pieces);
        pieces.text(") ");
        write(code, *e.parts[0], pieces);
    } else {
        pieces.text(e.function);
        for (const Tree& part : e.parts) {
            pieces.text(" ");
            write(code, *part, pieces);
        }
    }
    if (brackets) pieces.text(")");
}

bool alternates(FormSpan run) {
    const bool starts_with_not = !run.empty() && (run[0].is_symbol("not") || run[0].is_symbol("!"));
    return run.size() >= 3 && (starts_with_not || (operator_of(run[1]) && operator_of(run[1])->binding > 0));
}

} // namespace

bool is_operator(const Form& form) { return operator_of(form) != nullptr; }

std::string prefix_of(const Code& code, FormSpan run) {
    if (!alternates(run)) return {};
    const Tree tree = Parser(run).whole();
    if (!tree || tree->operand) return {};
    Pieces pieces;
    write(code, *tree, pieces);
    return pieces.str(code.source());
}

Proposal infix(const Code& code, const Place& list) {
    if (list.empty() || !is_call(list.form())) return std::nullopt;
    const FormSpan items = list.form().items();
    const bool is_short = list.form().is(FormKind::ShortFn);
    if (items.size() == 2 && items[1].is(FormKind::Symbol) && !operator_of(items[0])) { // (x ++)
        const std::string_view op = items[1].text();
        if (op != "++" && op != "--") return std::nullopt;
        return replace(list.form(),
                       std::string(is_short ? "#(" : "(") + (op == "++" ? "inc " : "dec ") + code.copy(items[0]) + ")");
    }
    if (!alternates(items) || (operator_of(items[0]) && !is_placeholder(items[0]))) return std::nullopt;
    const Tree tree = Parser(items).whole();
    if (!tree || tree->operand) return std::nullopt;
    Pieces pieces;
    pieces.text(is_short ? "#(" : "(");
    write(code, *tree, pieces, false);
    pieces.text(")");
    Repair repair = replace(code, list.form(), pieces, "The function comes first: (+ a b), (> a b).");
    return repair;
}

Proposal infix_among_arguments(const Code& code, const Place& call) {
    if (call.empty() || !is_call(call.form())) return std::nullopt;
    const FormSpan items = call.form().items();
    const FormSpan arguments = items.subspan(1);
    const bool whole = items[0].is_symbol("not") || items[0].is_symbol("return") || items[0].is_symbol("def");
    const bool has_branches = items[0].is_symbol("if") || items[0].is_symbol("if-not");
    const bool has_body = items[0].is_symbol("when") || items[0].is_symbol("when-not");
    const std::size_t first = items[0].is_symbol("def") ? 1 : 0;
    if ((!whole && !has_branches && !has_body) || arguments.size() < 3 + first) return std::nullopt;
    if (!alternates(arguments.subspan(first))) return std::nullopt;
    Parser parser(arguments.subspan(first));
    std::size_t used = 0;
    const Tree tree = parser.part(&used);
    if (!tree || tree->operand) return std::nullopt;
    const std::size_t left = arguments.size() - first - used;
    if (whole ? left != 0 : left == 0 || (has_branches && left > 2)) return std::nullopt;
    Pieces pieces;
    write(code, *tree, pieces);
    const Span run{arguments[first].span.begin, arguments[first + used - 1].span.end};
    Repair repair;
    repair.edits = pieces.edits(code.source(), run);
    repair.hint = "The function comes first: (+ a b), (> a b).";
    return repair;
}

} // namespace ptc::repair
