// Exceptions, loops and state of other languages: rules of foreign.def (@guarded, @switch, @foreach, @atom ..).
//
// The equivalent is found by what the form is for: a cell of whatever kind is an atom, a guard is a try, a loop over a
// collection is doseq. Where the meaning would change the rule gives nothing and the row's advice stands alone.
#include "compiler/repair/foreign_rules.h"
#include <algorithm>

namespace ptc::repair {

// ---- Exceptions

namespace {

/// The clause of `catch` that does what `handler` does, behind its class; false when that is not certain.
bool write_handler(std::string_view guard, const Form& handler, Pieces& pieces) {
    if (guard == "with-handlers") { // ([exn:fail? (lambda (e) 0)])
        if (handler.size != 1 || !has_items(handler) || !has_items(handler.items()[0])) return false;
        const Form& clause = handler.items()[0];
        if (clause.size < 2) return false;
        pieces.text("e (").copy(clause.items().back()).text(" e)");
        return true;
    }
    if (guard == "try-catch" && !calls(handler, "catch")) {
        if (is_function_literal(handler)) return false;
        pieces.text("_ ").copy(handler);
        return true;
    }
    // (error (e) 0), (catch e 0), (catch Exception e 0)
    if (!is_call(handler) || handler.size < 3) return false;
    std::size_t name = 1;
    if (handler.size > 3 && handler.items()[1].is(FormKind::Symbol) && handler.items()[2].is(FormKind::Symbol))
        name = 2;
    const Form& caught = handler.items()[name];
    const bool is_listed = caught.is(FormKind::List) && caught.size == 1;
    const Form& symbol = is_listed ? caught.items()[0] : caught;
    const bool is_nameless = caught.is(FormKind::List) && caught.size == 0;
    if (!symbol.is(FormKind::Symbol) && !is_nameless) return false;
    pieces.text(is_nameless ? "_" : symbol.text());
    for (const Form& form : handler.items().subspan(name + 1))
        pieces.text(" ").copy(form);
    return true;
}

} // namespace

Proposal guarded_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->size() != 2 || s.call->is_step()) return std::nullopt;
    const bool is_body_last = s.name() == "with-handlers";
    const Form& body = *s.call->arguments[is_body_last ? 1 : 0];
    Pieces pieces;
    pieces.text("(try ").copy(body).text(" (catch Exception ");
    if (!write_handler(s.name(), *s.call->arguments[is_body_last ? 0 : 1], pieces)) return std::nullopt;
    pieces.text("))");
    Repair repair = replace(s.code, *s.call->whole, pieces);
    repair.covers = s.call->whole->span;
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

// ---- Texts that are read

// A text of code has names in it, which are no data.
Proposal read_string_rule(const Subject& s) {
    const bool is_code = s.call && s.call->has(0) && s.call->arguments[0]->is(FormKind::String) &&
                         s.call->arguments[0]->text().find('(') != std::string_view::npos;
    return is_code ? std::nullopt : rewrite(s, "clojure.edn/read-string");
}

} // namespace ptc::repair
