// Exceptions, loops and state of other languages: rules of foreign.def (@try, @throw, @switch, @foreach, @atom ..).
//
// There are no exceptions and no cells here, so the equivalent is found by what the form is for: a try around a parser
// has a value to fall back on, a cell becomes a name of the session, a loop over a collection is doseq. Where the
// meaning would change the rule gives nothing and the row's advice stands alone.
#include "compiler/repair/foreign_rules.h"
#include <algorithm>

namespace ptc::repair {

// ---- Exceptions

namespace {

bool is_handler(const Form& form) { return calls(form, "catch") || calls(form, "finally") || calls(form, "except"); }

struct Parser {
    std::string_view throws, gives_nil;
};
/// Functions that throw on a text that is no number, and those that give nil.
constexpr Parser kParsers[] = {
    {"Integer/parseInt", "parse-long"},   {"Integer/valueOf", "parse-long"},      {"Long/parseLong", "parse-long"},
    {"Long/valueOf", "parse-long"},       {"Double/parseDouble", "parse-double"}, {"Double/valueOf", "parse-double"},
    {"Float/parseFloat", "parse-double"},
};

void find_parsers(const Form& form, std::vector<Edit>& edits) {
    for (const Parser& parser : kParsers) {
        if (form.is_symbol(parser.throws)) edits.push_back({form.span, std::string(parser.gives_nil)});
    }
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        find_parsers(item, edits);
}

/// Whether the value of `form` is nil where another language would have thrown.
bool is_nil_on_failure(const Form& form) {
    for (const char* name :
         {"parse-long", "parse-double", "parse-int", "throw", "first", "get", "get-in", "re-find", "re-matches"}) {
        if (mentions(form, name)) return true;
    }
    return false;
}

bool is_constant(const Form& form) {
    return form.kind < FormKind::Symbol || ((form.is(FormKind::Vector) || form.is(FormKind::Map)) && form.size == 0);
}

} // namespace

Proposal try_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->is_step()) return std::nullopt;
    const FormSpan parts = s.call->whole->items().subspan(1);
    const Form* handler = nullptr;
    const Form* body = nullptr;
    std::size_t bodies = 0;
    Repair repair;
    for (const Form& part : parts) {
        if (is_handler(part)) {
            repair.edits.push_back(removal(s.code, part));
            if (calls(part, "catch")) handler = &part;
        } else {
            body = &part;
            ++bodies;
        }
    }
    const Form* otherwise = handler ? &handler->items().back() : nullptr;
    std::vector<Edit> parsers;
    if (body && otherwise) find_parsers(*body, parsers);
    const bool has_default = bodies == 1 && otherwise && handler->size >= 3 && is_constant(*otherwise) &&
                             !otherwise->is(FormKind::Nil) && (!parsers.empty() || is_nil_on_failure(*body));
    repair.edits.push_back({s.symbol().span, has_default ? "or" : "do"});
    if (has_default) repair.edits.push_back(insertion(body->span.end, " " + s.code.copy(*otherwise)));
    repair.edits = join(std::move(repair.edits), std::move(parsers));
    // What stands in the handlers goes away.
    for (const Form& part : parts) {
        if (!is_handler(part)) continue;
        repair.covers = repair.covers.end == 0 ? part.span : Span{repair.covers.begin, part.span.end};
    }
    return repair;
}

Proposal guarded_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->size() == 0 || s.call->is_step()) return std::nullopt;
    const Form& body = s.name() == "with-handlers" ? *s.call->arguments.back() : *s.call->arguments[0];
    const Span whole = s.call->whole->span;
    return Repair{{{{whole.begin, body.span.begin}, ""}, {{body.span.end, whole.end}, ""}}, {}, whole};
}

Proposal throw_rule(const Subject& s) {
    if (!s.call || s.call->size() == 0 || !s.call->has(0)) return std::nullopt;
    const Form& whole = *s.call->whole;
    for (const Form* form : s.place.forms) {
        const bool is_caught =
            calls(*form, "try") && std::any_of(form->items().begin(), form->items().end(),
                                               [](const Form& part) { return calls(part, "catch"); });
        if (is_caught) return Repair{{{whole.span, "nil"}}, {}, whole.span};
    }
    const Form& thrown = *s.call->arguments[0];
    const Form* reason = &thrown;
    if (is_call(thrown) && thrown.size >= 2) reason = &thrown.items()[calls(thrown, "new") && thrown.size > 2 ? 2 : 1];
    Pieces pieces;
    pieces.text("(fail ").copy(*reason).text(")");
    Repair repair = replace(s.code, whole, pieces, "(fail reason) ends the program with a failure.");
    repair.covers = whole.span;
    return repair;
}

// ---- Choices and loops

// (switch x (case 1 :a) (default :b))
Proposal switch_rule(const Subject& s) {
    if (!s.call || s.call->size() < 2 || s.call->is_step()) return std::nullopt;
    const FormSpan parts = s.call->whole->items().subspan(1);
    const bool has_clauses =
        std::all_of(parts.begin() + 1, parts.end(), [](const Form& part) { return is_call(part) && part.size >= 2; });
    if (!has_clauses) return replace(s.symbol(), "case");
    Pieces pieces;
    pieces.text("(case ").copy(parts[0]);
    for (const Form& part : parts.subspan(1)) {
        const FormSpan items = part.items();
        const bool is_default =
            items[0].is_symbol("default") || items[0].is_symbol("else") || items[0].is_symbol("otherwise");
        const FormSpan rest = items[0].is_symbol("case") || is_default ? items.subspan(1) : items;
        if (is_default ? rest.size() != 1 : rest.size() != 2) return std::nullopt;
        for (const Form& item : rest)
            pieces.text(" ").copy(item);
    }
    pieces.text(")");
    Repair repair = replace(s.code, *s.call->whole, pieces);
    repair.covers = s.call->whole->span;
    return repair;
}

namespace {

Proposal loop_over(const Subject& s, const Form& name, const Pieces& coll, FormSpan body) {
    Pieces pieces = Pieces().text("(doseq [").copy(name).text(" ").text(coll.str(s.code.source())).text("]");
    for (const Form& form : body)
        pieces.text(" ").copy(form);
    pieces.text(")");
    Repair repair = replace(s.code, *s.call->whole, pieces);
    repair.covers = s.call->whole->span;
    return repair;
}

} // namespace

Proposal foreach_rule(const Subject& s) {
    if (!s.call || s.call->size() < 2) return std::nullopt;
    if (s.call->is_step()) return rewrite(s, "(doseq [x $2] ($1 x))");
    const FormSpan parts = s.call->whole->items().subspan(1);
    if (parts[0].is(FormKind::Vector) && parts[0].size >= 2 && parts[0].items()[0].is(FormKind::Symbol) &&
        parts.size() > 1)
        return replace(s.symbol(), "doseq");
    if (parts[0].is(FormKind::List) && parts[0].size >= 2 && !is_function_literal(parts[0]))
        return loop_over(s, parts[0].items()[0], Pieces().copy(parts[0].items().back()), parts.subspan(1));
    if (parts[0].is(FormKind::Symbol) && parts.size() >= 3) {
        const std::size_t coll = parts[1].is_symbol("in") ? 2 : 1;
        if (parts.size() > coll + 1) return loop_over(s, parts[0], Pieces().copy(parts[coll]), parts.subspan(coll + 1));
    }
    const bool function_first = argument_kinds(s, 0) == kFunctionKind || (argument_kinds(s, 1) & kFunctionKind) == 0;
    return rewrite(s, function_first ? "(doseq [x $2] ($1 x))" : "(doseq [x $1] ($2 x))");
}

// ---- State

// A cell becomes a name of the session, which def may give a new value.
Proposal atom_rule(const Subject& s) {
    if (!s.call || s.call->size() == 0 || !s.call->has(0) || s.call->is_step()) return std::nullopt;
    const Place whole = s.place.outer();
    const Form* around = whole.around();
    const bool is_binding = around && around->is(FormKind::Vector) && whole.index() % 2 == 1 && whole.around(2) &&
                            is_call(*whole.around(2));
    Pieces pieces;
    if (!is_binding) {
        pieces.copy(*s.call->arguments[0]);
        return replace(s.code, *s.call->whole, pieces);
    }
    const Form& name = around->items()[whole.index() - 1];
    if (!name.is(FormKind::Symbol)) return std::nullopt;
    pieces.text("(def " + std::string(name.text()) + " ").copy(*s.call->arguments[0]).text(")");
    Repair repair;
    repair.edits = join({{name.span, "_"}}, pieces.edits(s.code.source(), s.call->whole->span));
    return repair;
}

namespace {

/// Whether what the form at `place` gives is thrown away.
bool is_discarded(const Place& place) {
    const Form* around = place.around();
    if (!around) return place.index() + 1 < place.siblings().size();
    if (calls(*around, "doseq")) return true;
    const bool has_body = calls(*around, "do") || calls(*around, "let") || calls(*around, "fn") ||
                          calls(*around, "when") || calls(*around, "defn");
    if (!has_body) return false;
    return place.index() + 1 < around->size || is_discarded(place.outer());
}

} // namespace

Proposal update_state_rule(const Subject& s) {
    if (!s.call || s.call->size() < 2 || s.call->is_step() || !s.call->arguments[0]->is(FormKind::Symbol))
        return std::nullopt;
    const Form& cell = *s.call->arguments[0];
    const bool resets = s.name() == "reset!" || s.name() == "vreset!" || s.name() == "ref-set";
    const bool discarded = is_discarded(s.place.outer());
    Pieces pieces;
    pieces.text(discarded ? "(def " : "(do (def ").copy(cell).text(" ");
    if (resets) {
        pieces.copy(*s.call->arguments[1]);
    } else {
        pieces.text("(").copy(*s.call->arguments[1]).text(" " + std::string(cell.text()));
        for (std::size_t i = 2; i < s.call->size(); ++i)
            pieces.text(" ").copy(*s.call->arguments[i]);
        pieces.text(")");
    }
    pieces.text(discarded ? ")" : ") " + std::string(cell.text()) + ")");
    return replace(s.code, *s.call->whole, pieces);
}

} // namespace ptc::repair
