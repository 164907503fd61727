// Rows of foreign.def applied to a name, and the rules of their own that rows call by name (@define): for names whose
// equivalent cannot be said as "this call becomes that text", because something is searched around the call or a part
// of an argument is looked into. The families of definitions, control and sequences have files of their own; the table
// at the end names them all.
#include "compiler/repair/foreign_rules.h"
#include "compiler/language/java_classes.h"
#include "frontend/reader/repairs.h"
#include <algorithm>

namespace ptc::repair {

Place argument_place(const Subject& subject, std::size_t i) {
    const Place around = subject.call->whole == &subject.symbol() ? subject.place : subject.place.outer();
    return around.inner(*subject.call->arguments[i]);
}

Kinds argument_kinds(const Subject& subject, std::size_t i) {
    return subject.call && subject.call->has(i) ? kinds_of(subject.code, argument_place(subject, i)) : kAnyKind;
}

Proposal rewrite(const Subject& subject, std::string_view alternatives) {
    if (!subject.call) return rewrite_value(subject.place, alternatives);
    return rewrite_call(subject.code, *subject.call, alternatives,
                        [&](std::size_t i) { return argument_kinds(subject, i); });
}

Proposal rewrite_foreign(const Subject& subject, const Foreign& foreign) {
    Proposal found;
    if (foreign.rewrite.starts_with('@')) {
        if (const ForeignRule rule = find_rule(foreign.rewrite)) found = rule(subject);
    } else if (!foreign.rewrite.empty()) {
        found = rewrite(subject, foreign.rewrite);
    }
    // A program whose whole value is a function is none that anybody means.
    const bool gives_function =
        found && !subject.place.around() && found->edits.size() == 1 && found->edits[0].text.starts_with("#(");
    if (!found || gives_function) {
        Repair advice{{}, std::string(foreign.advice), {}};
        // Where nothing can take its place what it is given has no meaning either.
        advice.is_moot = foreign.rewrite.empty() && subject.call && subject.call->whole != &subject.symbol();
        if (advice.is_moot) advice.covers = subject.call->whole->span;
        return advice;
    }
    if (found->hint.empty()) found->hint = foreign.advice;
    return found;
}

namespace {

// ---- Values

Proposal instance(const Subject& s) {
    if (!s.call || s.call->size() != 2) return std::nullopt;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const Argument type = s.call->arguments[i];
        if (!type->is(FormKind::Symbol)) continue;
        const std::string_view test = class_test(type->text());
        if (test.empty() || test.front() == ':') continue;
        Proposal found = rewrite_call(s.code, *s.call, "any any => (" + std::string(test) + (i == 0 ? " $2)" : " $1)"));
        if (found) found->covers = s.call->whole->span;
        return found;
    }
    return std::nullopt;
}

// ---- Collections and texts

/// (sorted xs :key f :reverse true)
Proposal sorted(const Subject& s) {
    if (!s.call || s.call->size() < 2) return rewrite(s, "sort");
    std::size_t key = 0;
    bool descends = false;
    for (std::size_t i = 1; i < s.call->size(); ++i) {
        if (!s.call->has(i)) return std::nullopt;
        const std::string_view option = s.code.text(*s.call->arguments[i]);
        const bool has_value = i + 1 < s.call->size();
        if ((option == ":key" || option == "key=" || option == "key") && has_value)
            key = ++i;
        else if (option == ":reverse" || option == "reverse=")
            descends = !has_value || !s.call->arguments[++i]->is(FormKind::False);
        else if (option == "reverse=true" || option == "reverse=True")
            descends = true;
        else if (key == 0)
            key = i;
        else
            return std::nullopt;
    }
    std::string text = key > 0 ? "(sort-by $" + std::to_string(key + 1) : "(sort";
    Pieces pieces;
    pieces.text(key > 0 ? "(sort-by " : "(sort ");
    if (key > 0) pieces.copy(*s.call->arguments[key]).text(" ");
    if (descends) pieces.text("> ");
    if (!s.call->has(0)) return std::nullopt;
    pieces.copy(*s.call->arguments[0]).text(")");
    Repair repair = replace(s.code, *s.call->whole, pieces);
    repair.covers = s.call->whole->span;
    return repair;
}

// ---- Leaving out

Proposal remove_form(const Subject& s) {
    if (!s.call || !s.place.around()) return std::nullopt;
    const Form& form = *s.call->whole;
    Repair repair;
    const bool is_only_form = s.place.outer().siblings().size() == 1;
    repair.edits = {is_only_form || s.place.around(2) ? Edit{form.span, "nil"} : removal(s.code, form)};
    repair.covers = form.span;
    return repair;
}

// ---- Methods

/// (. target method ..) and (. target (method ..))
Proposal method_rule(const Subject& s) {
    if (!s.call || s.call->size() < 2 || !s.call->has(0) || !s.call->has(1)) return std::nullopt;
    const Form& method = *s.call->arguments[1];
    if (!(is_call(method) ? method.items()[0] : method).is(FormKind::Symbol)) return std::nullopt;
    Pieces pieces;
    pieces.text("(.");
    if (is_call(method)) {
        pieces.copy(method.items()[0]).text(" ").copy(*s.call->arguments[0]);
        for (const Form& argument : method.items().subspan(1))
            pieces.text(" ").copy(argument);
    } else {
        pieces.copy(method).text(" ").copy(*s.call->arguments[0]);
        for (std::size_t i = 2; i < s.call->size(); ++i)
            pieces.text(" ").copy(*s.call->arguments[i]);
    }
    pieces.text(")");
    Repair repair = replace(s.code, *s.call->whole, pieces);
    repair.covers = s.call->whole->span;
    return repair;
}

/// (defmacro f [x] ..)
Proposal function_definition(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol() || s.call->size() < 3) return std::nullopt;
    return Repair{{{s.symbol().span, "defn"}}, {}, s.call->whole->span};
}

Proposal thread_rule(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol()) return std::nullopt;
    return Repair{{{s.symbol().span, s.name() == "thread-first" ? "->" : "->>"}}, {}, s.call->whole->span};
}

/// (=> [x] ..), (=> coll (map f) (filter g)), (=> a b)
Proposal thick_arrow(const Subject& s) {
    if (!s.call || s.call->whole == &s.symbol()) return rewrite(s, ">=");
    if (s.call->has(0) && s.call->arguments[0]->is(FormKind::Vector) && s.call->size() == 2 &&
        wants_function(s.code, s.place.outer()))
        return Repair{{{s.symbol().span, "fn"}}, "A function is (fn [x] ..).", s.call->whole->span};
    const bool has_steps =
        s.call->size() > 1 &&
        std::all_of(s.call->arguments.begin() + 1, s.call->arguments.end(), [](const Argument& step) {
            return step && (is_call(*step) || step->is(FormKind::Symbol) || step->is(FormKind::Keyword));
        });
    if (has_steps && (s.call->size() > 2 || is_call(*s.call->arguments[1])))
        return Repair{
            {{s.symbol().span, "->>"}}, "Values are threaded by (->> coll (filter f) (map g)).", s.call->whole->span};
    return rewrite(s, ">=");
}

/// (where {:status "paid"} rows), (where #(..) rows)
Proposal where_rule(const Subject& s) {
    if (!s.call || s.call->size() < 2 || !s.call->has(0) || !s.call->arguments[0]->is(FormKind::Map))
        return rewrite(s, "filter");
    const std::string test = test_of_record(s.code, FormSpan(&*s.call->arguments[0], 1));
    if (test.empty()) return rewrite(s, "filter");
    return Repair{{{s.symbol().span, "filter"}, {s.call->arguments[0]->span, test}}, {}, {}};
}

Proposal break_rule(const Subject& s) {
    return s.call && s.call->whole->is(FormKind::List) ? left_loop(s.code, s.place.outer()) : std::nullopt;
}

Proposal continue_rule(const Subject& s) {
    return s.call && s.call->whole->is(FormKind::List) ? continued(s.code, s.place.outer()) : std::nullopt;
}

/// (+= total x)
Proposal change_rule(const Subject& s) {
    if (s.call && s.call->whole->is(FormKind::List)) {
        if (Proposal found = changed_local(s.code, s.place.outer())) return found;
    }
    return rewrite(s, "(" + std::string(s.name().substr(0, 1)) + " $*)");
}

struct NamedRule {
    std::string_view name;
    ForeignRule rule;
};

constexpr NamedRule kRules[] = {
    {"@break", break_rule},
    {"@change", change_rule},
    {"@continue", continue_rule},
    {"@define", define_rule},
    {"@defrecord", defrecord_rule},
    {"@delete", remove_form},
    {"@foreach", foreach_rule},
    {"@function", function_rule},
    {"@function-definition", function_definition},
    {"@guarded", guarded_rule},
    {"@instance", instance},
    {"@let", let_rule},
    {"@method", method_rule},
    {"@read-string", read_string_rule},
    {"@sorted", sorted},
    {"@switch", switch_rule},
    {"@thick-arrow", thick_arrow},
    {"@thread", thread_rule},
    {"@where", where_rule},
};

} // namespace

ForeignRule find_rule(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kRules), std::end(kRules), [&](const NamedRule& r) { return r.name == name; });
    return found == std::end(kRules) ? nullptr : found->rule;
}

} // namespace ptc::repair
