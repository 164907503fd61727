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
    {"*=", "*", 4},    {"??", "or", 1},
};

constexpr Operator kIsNot{"is not", "not=", 4};
constexpr Operator kNotIn{"not in", "not in", 4};

const Operator* operator_of(const Form& form) {
    if (!form.is(FormKind::Symbol)) return nullptr;
    const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                           [&](const Operator& o) { return form.text() == o.written; });
    return found == std::end(kOperators) ? nullptr : found;
}

/// The operator at run[at], and how many forms spell it: `is not` and `not in` are two.
const Operator* operator_at(FormSpan run, std::size_t at, std::size_t* length) {
    *length = 2;
    if (at + 1 < run.size() && run[at].is_symbol("is") && run[at + 1].is_symbol("not")) return &kIsNot;
    if (at + 1 < run.size() && run[at].is_symbol("not") && run[at + 1].is_symbol("in")) return &kNotIn;
    *length = 1;
    return operator_of(run[at]);
}

/// An expression: an operand of one form or of several that touch, or a function of expressions.
struct Expression {
    FormSpan operand;
    std::string_view function;
    std::vector<std::unique_ptr<Expression>> parts;
};
using Tree = std::unique_ptr<Expression>;

Tree make(std::string_view function, Tree a, Tree b = nullptr, Tree c = nullptr) {
    // a + b + c is one call.
    const bool compares = function == "<" || function == ">" || function == "<=" || function == ">=";
    const bool chains = compares && a->function == function; // 0 < x < 9
    const bool joins = chains || function == "+" || function == "*" || function == "and" || function == "or";
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
        return make("if", std::move(tree), leaf(run_.subspan(at_ + 1, 1)), leaf(run_.subspan(at_ + 2, 1)));
    }
    /// As much as fits.
    Tree part(std::size_t* used) {
        Tree tree = expression(1);
        *used = at_;
        return tree;
    }

private:
    static Tree leaf(FormSpan operand) {
        Tree tree = std::make_unique<Expression>();
        tree->operand = operand;
        return tree;
    }
    Tree leaf() {
        const std::size_t begin = at_;
        at_ += operand_length(run_.subspan(begin));
        return leaf(run_.subspan(begin, at_ - begin));
    }
    Tree operand() {
        if (at_ == run_.size()) return nullptr;
        const Operator* op = operator_of(run_[at_]);
        if (!op) return leaf();
        // (% > 1) in #()
        if (is_placeholder(run_[at_])) return leaf();
        const bool negates = op->written == "-";
        if (op->binding != 0 && !negates) return nullptr;
        ++at_;
        Tree tree = negates ? operand() : expression(kNotBinding);
        return tree ? make(negates ? "-" : "not", std::move(tree)) : nullptr;
    }
    Tree expression(int binding) {
        Tree left = operand();
        while (left && at_ < run_.size()) {
            std::size_t length = 1;
            const Operator* op = operator_at(run_, at_, &length);
            if (!op || op->binding == 0 || op->binding < binding) break;
            if (at_ + length >= run_.size()) return nullptr;
            at_ += length;
            Tree right = expression(op->binding + 1);
            if (!right) return nullptr;
            left = make(op->function, std::move(left), std::move(right));
        }
        return left;
    }

    FormSpan run_;
    std::size_t at_ = 0;
};

void write(const Code& code, const Expression& e, Pieces& pieces, bool brackets = true);

/// "%d of %d" % (n, m)
bool fills_in(const Code& code, const Expression& e) {
    if (e.function != "mod" || e.parts[0]->operand.size() != 1) return false;
    const Form& text = e.parts[0]->operand[0];
    return text.is(FormKind::String) && code.text(text).find('%') != std::string_view::npos;
}

void write_values(const Code& code, const Expression& e, Pieces& pieces) {
    const Form* list = e.operand.size() == 1 ? &e.operand[0] : nullptr;
    const bool is_tuple = list && list->is(FormKind::List) && list->size > 0 &&
                          code.core_function(list->items()[0]).empty() && !list->items()[0].is(FormKind::Keyword);
    if (!is_tuple) {
        write(code, e, pieces.text(" "));
        return;
    }
    for (const Form& item : list->items())
        pieces.text(" ").copy(item);
}

void write(const Code& code, const Expression& e, Pieces& pieces, bool brackets) {
    if (!e.operand.empty()) {
        if (e.operand.size() == 1)
            pieces.copy(e.operand[0]);
        else
            pieces.text(operand_text(code, e.operand));
        return;
    }
    if (brackets) pieces.text("(");
    if (e.function == "in" || e.function == "not in") {
        pieces.text(e.function == "in" ? "contains? (set " : "not (contains? (set ");
        write(code, *e.parts[1], pieces);
        pieces.text(") ");
        write(code, *e.parts[0], pieces);
        if (e.function != "in") pieces.text(")");
    } else if (fills_in(code, e)) {
        pieces.text("format ").copy(e.parts[0]->operand[0]);
        write_values(code, *e.parts[1], pieces);
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
    if (run.size() < 3) return false;
    if (run[0].is_symbol("not") || run[0].is_symbol("!")) return true;
    const std::size_t behind = operand_length(run);
    std::size_t length = 1;
    const Operator* op = behind < run.size() ? operator_at(run, behind, &length) : nullptr;
    return op && op->binding > 0;
}

/// ("n is " ++ n), ("a" . "b"): signs that join texts elsewhere, with a text among the operands.
bool joins_texts(FormSpan run) {
    if (run.size() < 3 || run.size() % 2 == 0) return false;
    bool has_text = false;
    for (std::size_t i = 0; i < run.size(); ++i) {
        const bool is_sign = is_symbol_of(run[i], {"++", "<>", ".", "&", "..", "<<", "+"});
        if (i % 2 == 1 ? !is_sign : is_sign) return false;
        has_text = has_text || run[i].is(FormKind::String);
    }
    return has_text;
}

Pieces joined_texts(FormSpan run) {
    Pieces pieces;
    pieces.text("str");
    for (std::size_t i = 0; i < run.size(); i += 2)
        pieces.text(" ").copy(run[i]);
    return pieces;
}

} // namespace

std::size_t operand_length(FormSpan run) {
    std::size_t length = run.empty() ? 0 : 1;
    const bool can_go_on =
        length > 0 && (run[0].is(FormKind::Symbol) || run[0].is(FormKind::List)) && !is_operator(run[0]);
    while (can_go_on && length < run.size() && Code::touch(run[length - 1], run[length])) {
        const Form& link = run[length];
        const bool is_index = link.is(FormKind::Vector) && link.size == 1;
        const bool is_member = link.is(FormKind::Symbol) && link.text().starts_with('.') && link.size > 1;
        const bool is_call = link.is(FormKind::List) && run[length - 1].is(FormKind::Symbol);
        if (!is_index && !is_member && !is_call) break;
        ++length;
    }
    return length;
}

bool is_operator(const Form& form) { return operator_of(form) != nullptr; }

std::string prefix_of(const Code& code, FormSpan run) {
    if (joins_texts(run)) return "(" + joined_texts(run).str(code.source()) + ")";
    if (!alternates(run)) return {};
    const Tree tree = Parser(run).whole();
    if (!tree || !tree->operand.empty()) return {};
    Pieces pieces;
    write(code, *tree, pieces);
    return pieces.str(code.source());
}

std::string prefix_of_front(const Code& code, FormSpan forms, std::size_t* used) {
    if (!alternates(forms)) return {};
    const Tree tree = Parser(forms).part(used);
    if (!tree || !tree->operand.empty()) return {};
    Pieces pieces;
    write(code, *tree, pieces);
    return pieces.str(code.source());
}

std::string expression_of(const Code& code, FormSpan run) {
    const auto word = [&](const char* name) {
        const auto at = std::ranges::find_if(run, [&](const Form& form) { return form.is_symbol(name); });
        return static_cast<std::size_t>(at - run.begin());
    };
    const std::size_t test = word("if");
    const std::size_t other = word("else");
    if (test > 0 && test < other && other + 1 < run.size()) { // a if test else b
        const std::string parts[] = {expression_of(code, run.subspan(test + 1, other - test - 1)),
                                     expression_of(code, run.first(test)), expression_of(code, run.subspan(other + 1))};
        if (std::ranges::any_of(parts, [](const std::string& part) { return part.empty(); })) return {};
        return "(if " + parts[0] + " " + parts[1] + " " + parts[2] + ")";
    }
    if (const std::size_t mark = word("?"); mark > 0 && mark + 2 < run.size()) { // test ? a : b, its colon taken away
        const FormSpan branches = run.subspan(mark + 1);
        const std::size_t end = operand_length(branches);
        if (end >= branches.size()) return {};
        const std::size_t begin = branches[end].is(FormKind::Keyword) && branches[end].size == 0 ? end + 1 : end;
        const std::string parts[] = {expression_of(code, run.first(mark)), expression_of(code, branches.first(end)),
                                     expression_of(code, branches.subspan(begin))};
        if (std::ranges::any_of(parts, [](const std::string& part) { return part.empty(); })) return {};
        return "(if " + parts[0] + " " + parts[1] + " " + parts[2] + ")";
    }
    if (std::string prefix = prefix_of(code, run); !prefix.empty()) return prefix;
    return !run.empty() && operand_length(run) == run.size() ? operand_text(code, run) : std::string();
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
    if (joins_texts(items))
        return replace(code, list.form(),
                       Pieces().text(is_short ? "#(" : "(").text(joined_texts(items).str(code.source())).text(")"),
                       "Texts are put together by (str \"..\" x ..).");
    if (!alternates(items) || (operator_of(items[0]) && !is_placeholder(items[0]))) return std::nullopt;
    const Tree tree = Parser(items).whole();
    if (!tree || !tree->operand.empty()) return std::nullopt;
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
    if (!tree || !tree->operand.empty()) return std::nullopt;
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
