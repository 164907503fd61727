// Definitions and functions in the shapes of other Lisps, JavaScript and Python: rules of foreign.def (@define,
// @function, @let, @defrecord). They share one idea: find the name, the parameters and the body, whatever brackets and
// signs they have, and write def, defn, fn or let around them.
#include "compiler/repair/foreign_rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// (x y) as [x y].
std::vector<Edit> as_vector(const Form& list) { return rebracketing(list, "[", "]"); }

/// The parameters in front of a body that is written as bare names: x y (* x y).
std::size_t bare_parameters(FormSpan parts) {
    std::size_t count = 0;
    while (count + 1 < parts.size() && parts[count].is(FormKind::Symbol) && !is_arrow(parts[count]))
        ++count;
    return count;
}

/// Edits that give the parameters of a function their vector; `parts` begin with them.
std::vector<Edit> parameter_edits(const Code& code, FormSpan parts) {
    std::vector<Edit> edits;
    if (parts.empty()) return edits;
    std::size_t end = 1;
    if (parts[0].is(FormKind::List)) {
        edits = as_vector(parts[0]);
    } else if (parts[0].is(FormKind::Symbol)) {
        const std::size_t count = bare_parameters(parts);
        if (count == 0) return edits;
        edits = wrapping({parts[0].span.begin, parts[count - 1].span.end}, "[", "]");
        end = count;
    }
    if (end < parts.size() && is_arrow(parts[end])) edits.push_back(removal(code, parts[end]));
    return edits;
}

} // namespace

Proposal define_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->size() == 0 || s.call->is_step()) return std::nullopt;
    if (Proposal found = changed_local(s.code, s.place.outer())) return found;
    const FormSpan parts = s.call->whole->items().subspan(1);
    Repair repair;
    repair.covers = s.call->whole->span;
    const auto head = [&](const char* name) { repair.edits.push_back({s.symbol().span, name}); };
    if (is_call(parts[0]) && parts.size() >= 2) { // (define (f x) ..)
        const Form& signature = parts[0];
        head("defn");
        Pieces pieces;
        pieces.copy(signature.items()[0]).text(" [");
        for (std::size_t i = 1; i < signature.size; ++i)
            pieces.text(i > 1 ? " " : "").copy(signature.items()[i]);
        pieces.text("]");
        repair.edits = join(std::move(repair.edits), pieces.edits(s.code.source(), signature.span));
        return repair;
    }
    if (!parts[0].is(FormKind::Symbol)) return std::nullopt;
    const bool is_function = s.name() == "defun" || s.name() == "defn-";
    if (is_function && parts.size() >= 2) {
        head("defn");
        if (!parts[1].is(FormKind::Vector) && !parts[1].is(FormKind::String))
            repair.edits = join(std::move(repair.edits), parameter_edits(s.code, parts.subspan(1)));
        return repair;
    }
    if (parts.size() == 1) { // (var x)
        if (s.name() == "var") return replace(*s.call->whole, s.code.copy(parts[0]));
        head("def");
        repair.edits.push_back(insertion(parts[0].span.end, " nil"));
        return repair;
    }
    head("def");
    const bool has_sign = parts.size() >= 3 && (parts[1].is_symbol("=") || parts[1].is_symbol(":="));
    if (has_sign) repair.edits.push_back(removal(s.code, parts[1]));
    if (parts.size() == 2 || (has_sign && parts.size() == 3)) return repair;
    if (parts.size() == 3 && parts[2].is(FormKind::String)) { // (defvar x 5 "doc")
        repair.edits.push_back(removal(s.code, parts[2]));
        return repair;
    }
    if (has_sign) {
        const FormSpan run = parts.subspan(2);
        const std::string value = prefix_of(s.code, run);
        if (value.empty()) return std::nullopt;
        repair.edits.push_back({{run.front().span.begin, run.back().span.end}, value});
        return repair;
    }
    if (parts.size() % 2 != 0) return std::nullopt;
    std::string all = "(do"; // (setq a 1 b 2)
    for (std::size_t i = 0; i < parts.size(); i += 2)
        all += " (def " + s.code.copy(parts[i]) + " " + s.code.copy(parts[i + 1]) + ")";
    return Repair{{{s.call->whole->span, all + ")"}}, {}, s.call->whole->span};
}

Proposal function_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->is_step()) return std::nullopt;
    FormSpan parts = s.call->whole->items().subspan(1);
    const bool is_statement = !s.place.around(2);
    Repair repair;
    repair.covers = s.call->whole->span;
    const bool is_named = parts.size() >= 3 && parts[0].is(FormKind::Symbol) &&
                          (parts[1].is(FormKind::Vector) || (parts[1].is(FormKind::List) && s.name() != "lambda"));
    repair.edits = {{s.symbol().span, is_named && is_statement ? "defn" : "fn"}};
    if (is_named) parts = parts.subspan(1);
    if (!parts.empty() && !parts[0].is(FormKind::Vector)) {
        std::vector<Edit> more = parameter_edits(s.code, parts);
        if (more.empty()) return std::nullopt;
        repair.edits = join(std::move(repair.edits), std::move(more));
    } else if (parts.size() > 1 && is_arrow(parts[1])) {
        repair.edits.push_back(removal(s.code, parts[1]));
    }
    return repair;
}

Proposal let_rule(const Subject& s) {
    if (!s.call || s.call->size() == 0 || !s.call->has(0)) return replace(s.symbol(), "let");
    Repair repair;
    repair.edits = {{s.symbol().span, "let"}};
    repair.covers = s.call->whole->span;
    const Form& bindings = *s.call->arguments[0];
    if (bindings.is(FormKind::Vector)) {
        repair.covers = {};
        return repair;
    }
    Proposal shape = binding_shape(s.code, s.place.outer().inner(bindings));
    if (!shape) return std::nullopt;
    repair.edits = join(std::move(repair.edits), std::move(shape->edits));
    return repair;
}

// ---- Types

// (defrecord P [x y]) as a function that makes the map; not where there are methods, which it would drop.
Proposal defrecord_rule(const Subject& s) {
    if (!s.call || s.call->size() != 2 || !s.call->arguments[0]->is(FormKind::Symbol) ||
        !s.call->arguments[1]->is(FormKind::Vector))
        return std::nullopt;
    const Form& fields = *s.call->arguments[1];
    std::string map;
    for (const Form& field : fields.items())
        map += (map.empty() ? ":" : " :") + s.code.copy(field) + " " + s.code.copy(field);
    const std::string text =
        "(defn ->" + s.code.copy(*s.call->arguments[0]) + " " + s.code.copy(fields) + " {" + map + "})";
    return Repair{{{s.call->whole->span, text}}, "A record is a map; this function makes one.", s.call->whole->span};
}

} // namespace ptc::repair
