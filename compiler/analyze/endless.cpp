// Sequences that are computed by need: (iterate f x), (range), (cycle coll), (repeat x), (repeatedly f), lazy-seq, and
// what map, filter, rest .. make of them.
//
// All other sequences are vectors, so that a loop over one is a loop and costs no closure an item. A sequence by need
// is a function named `lazy%` of runtime/core: called, it gives nil at the end, or an item and the rest. Which
// functions take one is decided here, when compiling: a call whose argument is known to be one goes to the variant
// `lazy-NAME%`, if there is one. A function without a variant reads all of its argument, which is an error for one
// without an end. What is known follows the text: calls, names that are bound or defined to such calls, functions of
// the program that end in one. In a program in which one may get anywhere (lazy_escapes.h), parameters, and what its
// own functions give, may be one: there the code asks when it runs. A sequence by need that gets anywhere else, into a
// collection say, is a function there, and the error says so; in what the program gives in the end it is its items.
#include "compiler/analyze/endless.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/transducers.h"
#include "compiler/analyze/written_sources.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/reference.h"
#include "frontend/quoted.h"
#include "frontend/work.h"
#include "runtime/parameters.h"
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptc {
namespace {

constexpr std::uint32_t kMaxLevels = 64; ///< levels of calls that are searched
constexpr std::string_view kWhole = " whole%";
constexpr std::string_view kAsked = " lazy-";        ///< a variant, whatever is known of its argument
constexpr std::string_view kHolder = "A collection"; ///< as the reader of an item in it

/// What a call gives that is by need whatever its arguments are; None for all others.
Laziness made_by(const CoreLibrary& core, std::string_view name, std::size_t arguments) {
    if (name == "lazy-seq") return Laziness::ByNeed;
    const CoreName* found = core.lookup(name, name_hash(name));
    return found && arguments < kNeverEndless && found->endless == arguments ? Laziness::Endless : Laziness::None;
}

/// Whether a :while stands among the modifiers in front of the next binding of a for.
bool has_while(FormSpan clauses) {
    for (; clauses.size() > 1 && clauses[0].is(FormKind::Keyword); clauses = clauses.subspan(2)) {
        if (clauses[0].text() == "while") return true;
    }
    return false;
}

/// Whether the first modifier is a :while, which ends the reading of the items.
bool ends_with_while(FormSpan clauses) {
    return clauses.size() > 1 && clauses[0].is(FormKind::Keyword) && clauses[0].text() == "while";
}

/// Whether a call is (reduce f init coll) with a function that the program defines.
bool reduces_by_own(const Analyzer& a, std::string_view head, FormSpan arguments) {
    if (head != "reduce" || arguments.size() != 3 || !arguments[0].is(FormKind::Symbol)) return false;
    const std::string_view name = arguments[0].text();
    if (find_binding(a.at.site.scope, name, name_hash(name))) return false;
    const GlobalName* global = a.names.globals().find(name, name_hash(name));
    return global && global->definition && global->definitions == 1 &&
           global->definition->items()[0].text().starts_with("defn");
}

/// Names that are bound by forms inside of each other: the newest go first.
class BoundNames {
public:
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] bool contains(std::string_view name) const { return !names_.empty() && times_.contains(name); }
    void add(std::string_view name) {
        names_.push_back(name);
        ++times_[name];
    }
    void cut(std::size_t size) {
        for (; names_.size() > size; names_.pop_back()) {
            const auto found = times_.find(names_.back());
            if (--found->second == 0) times_.erase(found);
        }
    }

private:
    std::vector<std::string_view> names_;
    std::unordered_map<std::string_view, std::uint32_t> times_;
};

/// Looks at forms without making anything of them.
class LazinessSearch {
public:
    explicit LazinessSearch(Analyzer& a) : a_(a) {}

    Laziness at(const Form& form) {
        if (depth_ > kMaxLevels) return Laziness::None;
        ++depth_;
        const Laziness found = form.is(FormKind::Symbol) ? at_name(form)
                               : form.is(FormKind::List) ? at_list(form)
                                                         : Laziness::None;
        --depth_;
        return found;
    }

    /// What a function gives that a call is given.
    Laziness result_of(const Form& function) {
        if (function.is(FormKind::Symbol)) {
            const std::string_view name = function.text();
            if (is_bound_inside(name) || find_binding(a_.at.site.scope, name, name_hash(name))) return Laziness::Maybe;
            GlobalName* global = a_.names.globals().find(name, name_hash(name));
            return global ? result_of_global(*global) : Laziness::None;
        }
        if (function.is(FormKind::ShortFn)) {
            Form body = function;
            body.kind = FormKind::List;
            return inside(body);
        }
        const bool is_literal = function.is(FormKind::List) && function.size > 2 && function.items()[0].is_symbol("fn");
        return is_literal ? inside(function.items().back()) : Laziness::Maybe;
    }

    /// Of the second item of (split-at n coll), (split-with pred coll).
    Laziness of_rest(const Form& form) {
        if (!form.is(FormKind::List) || form.size != 3 || !form.items()[0].is(FormKind::Symbol)) return Laziness::None;
        const std::string_view head = form.items()[0].text();
        if (is_hidden(head)) return Laziness::None;
        const CoreFunction* variant = lazy_variant(a_.core, head, 2);
        return variant && variant->keeps_rest ? unless_whole(*variant, at(form.items()[2])) : Laziness::None;
    }

    /// (reduce f init coll) whose init goes to a function of the program as it is, as that is likely to give what is by
    /// need: it makes such sequences, or init has no end.
    bool gives_start_away(std::string_view head, FormSpan arguments) {
        if (!reduces_by_own(a_, head, arguments)) return false;
        const Laziness start = at(arguments[1]);
        return start == Laziness::Endless || (start != Laziness::None && result_of(arguments[0]) > Laziness::Maybe);
    }

    /// Of a call of another function of the language that is by need where its caller asks for it.
    Laziness of_asked(const Form& form) {
        if (!form.is(FormKind::List) || form.size < 2 || !form.items()[0].is(FormKind::Symbol)) return Laziness::None;
        const std::string_view head = form.items()[0].text();
        if (is_hidden(head)) return Laziness::None;
        const CoreFunction* variant = lazy_variant(a_.core, head, form.size - 1);
        return variant && variant->lazy && variant->else_whole ? at(form.items()[variant->first_lazy + 1])
                                                               : Laziness::None;
    }

private:
    Laziness at_name(const Form& form) {
        const std::string_view name = form.text();
        if (scoped_) {
            if (const Binding* found = find_binding(a_.at.site.scope, name, name_hash(name)))
                return found->kind == BindingKind::Local ? static_cast<Laziness>(found->local->laziness)
                                                         : Laziness::None;
        }
        if (is_bound_inside(name)) return Laziness::Maybe;
        GlobalName* global = a_.names.globals().find(name, name_hash(name));
        if (!global) return !scoped_ && is_local_name(name) ? Laziness::Maybe : Laziness::None;
        Laziness found = Laziness::None;
        if (global->definition && global->definitions == 1) {
            const FormSpan parts = global->definition->items();
            if (parts[0].is_symbol("def")) found = once(*global, [&] { return outside(parts.back()); });
        }
        return beside_session(*global, found, global->is_sequence_in_session);
    }
    Laziness result_of_global(GlobalName& global) {
        const Laziness found = once(global, [&] { return of_function(global); });
        return beside_session(global, found, global.by_need_in_session);
    }

    /// Above the definition in this program a name means what the session knows by it.
    static Laziness beside_session(const GlobalName& global, Laziness found, bool is_by_need_there) {
        if (!global.in_session) return found;
        return found == Laziness::None && !is_by_need_there ? Laziness::None : Laziness::Maybe;
    }

    /// Of a name that the program does not define: whether it can only be bound somewhere around.
    bool is_local_name(std::string_view name) const {
        return namespace_end(name) == std::string_view::npos && !a_.core.lookup(name, name_hash(name));
    }

    /// What is found of a definition, which may lead back to itself, is kept.
    template <class Find> Laziness once(GlobalName& global, Find find) {
        if (!global.is_looked_at) {
            global.is_looked_at = true;
            BoundNames outside = std::exchange(bound_, {}); // what is bound here is not bound there
            global.laziness = static_cast<std::uint8_t>(find());
            bound_ = std::move(outside);
        }
        return static_cast<Laziness>(global.laziness);
    }

    Laziness at_list(const Form& form) {
        if (form.size == 0) return Laziness::None;
        const FormSpan parts = form.items();
        if (parts[0].is(FormKind::List)) return result_of(parts[0]);
        if (!parts[0].is(FormKind::Symbol)) return unknown();
        const std::string_view head = parts[0].text();
        if (head == kWhole) return Laziness::None;
        if (head.starts_with(kAsked)) return Laziness::ByNeed;
        if (is_bound_inside(head) || (scoped_ && find_binding(a_.at.site.scope, head, name_hash(head))))
            return Laziness::Maybe;
        if (GlobalName* global = a_.names.globals().find(head, name_hash(head))) return result_of_global(*global);
        if (const Laziness made = made_by(a_.core, head, parts.size() - 1); made != Laziness::None) return made;
        if (head == "for" && parts.size() > 1 && parts[1].is(FormKind::Vector) && parts[1].size > 1) {
            const bool may_end = has_while(parts[1].items().subspan(2));
            return !may_end && at(parts[1].items()[1]) == Laziness::Endless ? Laziness::Endless : Laziness::None;
        }
        if (tails_of(form).shape != Tails::None) return of_tails(form);
        if (head == "apply" && parts.size() > 2) return result_of(parts[1]);
        if (head == "->>" || head == "->") return of_thread(parts, head == "->>");
        if (!scoped_ && is_local_name(head)) return Laziness::Maybe;
        if (const CoreName* name = a_.core.lookup(head, name_hash(head)); name && name->special >= 0)
            return special_forms()[static_cast<std::size_t>(name->special)].gives == kinds::kAny ? Laziness::Maybe
                                                                                                 : Laziness::None;
        const Laziness found = of_call(head, parts.subspan(1));
        return found == Laziness::None && may_give_function(head) ? unknown() : found;
    }

    /// Of what nothing is known of. Where it stands as a call it is all there; what a function gives may be by need.
    [[nodiscard]] Laziness unknown() const { return in_function_ ? Laziness::Maybe : Laziness::None; }

    /// Whether a call of a name of the language may give a function, which is what a sequence by need is.
    bool may_give_function(std::string_view head) const {
        const CoreName* name = a_.core.lookup(head, name_hash(head));
        return !name || (name->gives.kinds & kinds::kFunction) != 0;
    }

    /// Of a form that has its value from one of its parts.
    Laziness of_tails(const Form& form) {
        Laziness most = Laziness::None;
        const std::size_t bound = bound_.size();
        if (form.size > 1 && form.items()[1].is(FormKind::Vector)) note_bound(form.items()[1]);
        for (const Form& part : form.items()) {
            if (gives_value(form, part)) most = std::max(most, inside(part));
        }
        bound_.cut(bound);
        return most;
    }

    /// What a variant gives for these arguments.
    Laziness of_call(std::string_view head, FormSpan arguments) {
        const CoreFunction* variant = lazy_variant(a_.core, head, arguments.size());
        if (head == "second" && arguments.size() == 1) {
            if (const Laziness rest = of_rest(arguments[0]); rest != Laziness::None) return rest;
        }
        if (gives_start_away(head, arguments)) return Laziness::Maybe;
        if (!variant || !variant->lazy) return Laziness::None;
        Laziness most = Laziness::None;
        bool all = true, is_any_unknown = false;
        for (std::size_t i = variant->first_lazy; i < arguments.size(); ++i) {
            const Laziness one = at(arguments[i]);
            most = std::max(most, one);
            all = all && one > Laziness::Maybe; // as variant_for has it
            is_any_unknown = is_any_unknown || one == Laziness::Maybe;
        }
        const bool has_several = arguments.size() > variant->first_lazy + std::size_t{1};
        if (!variant->lazy_if_all || all || !has_several) return unless_whole(*variant, most);
        return is_any_unknown || (in_function_ && most != Laziness::None) ? Laziness::Maybe : Laziness::None;
    }

    /// Of a threading form: of the calls that it stands for.
    Laziness of_thread(FormSpan parts, bool last) {
        if (parts.size() < 2) return Laziness::None;
        std::vector<std::vector<Form>> calls; // what the forms below point into
        calls.reserve(parts.size());
        Form value = parts[1];
        for (const Form& step : parts.subspan(2)) {
            const bool is_list = step.is(FormKind::List) && step.size > 0;
            const FormSpan items = is_list ? step.items() : FormSpan{&step, 1};
            std::vector<Form>& call = calls.emplace_back(items.begin(), items.end());
            call.insert(last ? call.end() : call.begin() + 1, value);
            value = call_of(call, step.span);
        }
        return at(value);
    }

    Laziness of_function(const GlobalName& global) {
        if (!global.definition || global.definitions != 1 || !global.definition->items()[0].text().starts_with("defn"))
            return Laziness::Maybe;
        const bool was = std::exchange(in_function_, true);
        const Laziness found = of_clauses(global);
        in_function_ = was;
        return found;
    }

    Laziness of_clauses(const GlobalName& global) {
        const FormSpan parts = global.definition->items().subspan(1);
        std::vector<Laziness> clauses; // of several arities, or of one
        for (const Form& part : parts) {
            if (part.is(FormKind::List) && part.size > 1 && part.items()[0].is(FormKind::Vector))
                clauses.push_back(of_body(part.items().back(), part.items()[0], parts[0]));
        }
        const auto parameters =
            std::find_if(parts.begin(), parts.end(), [](const Form& part) { return part.is(FormKind::Vector); });
        if (parameters != parts.end()) clauses.push_back(of_body(parts.back(), *parameters, parts[0]));
        if (clauses.empty()) return Laziness::Maybe;
        const auto [least, most] = std::minmax_element(clauses.begin(), clauses.end());
        return *least < *most ? std::min(*most, Laziness::ByNeed) : *most;
    }

    /// (lazy-seq (cons x (function ..))) with as many arguments calls itself whatever happens.
    Laziness of_body(const Form& last, const Form& parameters, const Form& function) {
        if (!is_call(last, "lazy-seq") || last.size != 2) return outside(last);
        const Form& cons = last.items()[1];
        const bool calls_itself = is_call(cons, "cons") && cons.size == 3 &&
                                  is_call(cons.items()[2], function.text()) &&
                                  cons.items()[2].size == parameters.size + 1;
        return calls_itself ? Laziness::Endless : outside(last);
    }
    static bool is_call(const Form& form, std::string_view name) {
        return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol(name);
    }

    /// The names of a binding vector, which hide those of the program; its values may be among them.
    void note_bound(const Form& form) {
        if (form.is(FormKind::Symbol)) bound_.add(form.text());
        if (!form.is(FormKind::Vector) && !form.is(FormKind::Map)) return;
        for (const Form& item : form.items())
            note_bound(item);
    }
    [[nodiscard]] bool is_bound_inside(std::string_view name) const { return bound_.contains(name); }
    /// Whether the name is none of the language here.
    [[nodiscard]] bool is_hidden(std::string_view name) const { return is_bound_inside(name) || a_.names.is_own(name); }
    static Laziness unless_whole(const CoreFunction& variant, Laziness found) {
        return variant.else_whole && found != Laziness::Endless ? Laziness::None : found;
    }

    /// Where other names are bound than here.
    Laziness inside(const Form& form) { return outside(form); }
    Laziness outside(const Form& form) {
        const bool was = std::exchange(scoped_, false);
        const Laziness found = at(form);
        scoped_ = was;
        return found;
    }

    Analyzer& a_;
    std::uint32_t depth_ = 0;
    bool scoped_ = true;
    BoundNames bound_;         ///< by the forms around the one that is looked at
    bool in_function_ = false; ///< in the body of a function of the program
};

Form call_form(Analyzer& a, std::string_view function, const Form& argument) {
    Form* items = a.nodes.allocate<Form>(2);
    new (&items[0]) Form();
    items[0].kind = FormKind::Symbol;
    items[0].span = argument.span;
    items[0].size = static_cast<std::uint32_t>(function.size());
    items[0].chars = function.data();
    new (&items[1]) Form(argument);
    return call_of({items, 2}, argument.span);
}

Node* call_core_function(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail) {
    Resolved name;
    name.kind = Resolved::Core;
    name.name = a.core.lookup(function.name, name_hash(function.name));
    return call_name(a, list, name, tail);
}

Node* call_of_one(Analyzer& a, std::string_view function, const Form& argument, Tail tail) {
    return call_core_function(a, *a.core.find(function), call_form(a, function, argument), tail);
}

/// Where no sequence by need gets anywhere, nothing that is not known to be one may be one.
Laziness settled(const Analyzer& a, Laziness found) {
    return found == Laziness::Maybe && !a.names.lazy_escapes() ? Laziness::None : found;
}

/// Whether a function or transducer may end the reading of its own accord: it mentions what does, or something that is
/// not known here. `looks`: how many more definitions are looked into.
bool may_end(Analyzer& a, const Form& form, std::uint32_t looks, std::vector<const Form*>& seen) {
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        const CoreName* core = a.core.lookup(name, name_hash(name));
        if (core && (core->traits & traits::kEndsEarly) != 0) return true;
        const GlobalName* global = a.names.globals().find(name, name_hash(name));
        if (!global || !global->definition) return global && global->in_session;
        if (looks == 0) return true;
        if (std::find(seen.begin(), seen.end(), global->definition) != seen.end()) return false;
        seen.push_back(global->definition);
        return may_end(a, *global->definition, looks - 1, seen);
    }
    if (form.kind < FormKind::List || form.is(FormKind::Var)) return false;
    return std::any_of(form.items().begin(), form.items().end(),
                       [&](const Form& item) { return may_end(a, item, looks, seen); });
}

/// A call of reduce and its kin, which reads to the end unless its function ends it.
bool reads_to_the_end(Analyzer& a, const CoreFunction& variant, const Form& list) {
    if (!variant.reads_all) return false;
    const FormSpan functions = list.items().subspan(1, list.size - 2); // all but the collection
    std::vector<const Form*> seen;
    return std::none_of(functions.begin(), functions.end(), [&](const Form& form) {
        const bool is_variable =
            form.is(FormKind::Symbol) && find_binding(a.at.site.scope, form.text(), name_hash(form.text()));
        return is_variable || may_end(a, form, 2, seen);
    });
}

/// (range) alone has been a call with too few arguments in all earlier versions of the language.
Error endless(const Form& form, Span where, std::string_view function) {
    const auto is_over = [](const Form& f) { // (for [x coll ..] ..)
        return f.is(FormKind::List) && f.size > 1 && f.items()[0].is_symbol("for") &&
               f.items()[1].is(FormKind::Vector) && f.items()[1].size > 1;
    };
    const Form* source = &form;
    while (is_over(*source))
        source = &source->items()[1].items()[1];
    const bool is_name = function != kHolder && function != "The result";
    const std::string reader = is_name ? quoted_name(function) : std::string(function);
    const bool is_bare_range = source->is(FormKind::List) && source->size == 1 && source->items()[0].is_symbol("range");
    Error error(is_bare_range ? Reason::ArityError : Reason::InvalidForm, where,
                reader + " would read all of an endless sequence.");
    error.hint = "Take what it needs first: (take n coll), or (take-while pred coll).";
    return error;
}

/// Whether a form is, or calls, a name that is by need in the session: not likely to be anything else.
bool is_by_need_of_session(const Analyzer& a, const Form& form) {
    if (!a.names.has_by_need_in_session()) return false;
    const bool is_call = form.is(FormKind::List) && form.size > 0;
    const Form& named = is_call ? form.items()[0] : form;
    if (!named.is(FormKind::Symbol)) return false;
    const std::string_view name = named.text();
    if (find_binding(a.at.site.scope, name, name_hash(name))) return false;
    const GlobalName* global = a.names.globals().find(name, name_hash(name));
    if (!global || global->definitions > 0) return false;
    return is_call ? global->by_need_in_session : global->is_sequence_in_session;
}

/// Whether reduce gives its second argument to its function as it is.
bool gives_start_away(Analyzer& a, std::string_view head, FormSpan arguments) {
    return a.names.lazy_escapes() && reduces_by_own(a, head, arguments) &&
           LazinessSearch(a).gives_start_away(head, arguments);
}

/// The arguments of a call from here on are collections, of which the variant of the function reads what it needs.
std::size_t first_collection(Analyzer& a, std::string_view head, const CoreFunction& variant, FormSpan arguments) {
    return gives_start_away(a, head, arguments) ? 2 : variant.first_lazy;
}

/// Whether argument `i` matters if it only may be by need: the variant of the function, if it has one, says which do.
bool matters_if_lazy(Analyzer& a, const CoreName& name, const CoreFunction* variant, const Form& list, std::size_t i) {
    if (variant) return i >= first_collection(a, name.name, *variant, list.items().subspan(1));
    return is_by_need_of_session(a, list.items()[i + 1]) || reads_collection(name, list.size - 1, i);
}

/// The call of `name` itself that `list` is; what is by need in it has other names by now. It counts as a level, so
/// that a mistake here is an error and no overflow.
Node* plain_call(Analyzer& a, const CoreName& name, const Form& call, Tail tail) {
    Resolved meaning;
    meaning.kind = name.core ? Resolved::Core : Resolved::Builtin;
    meaning.name = &name;
    ++a.at.depth;
    Node* node = call_name(a, call, meaning, tail);
    --a.at.depth;
    return node;
}

/// Names for the items of a form that is analysed with something else in their place.
class OtherItems {
public:
    OtherItems(Analyzer& a, const Form& list)
        : a_(a), scope_(a.at.site.scope), list_(list), items_(a.nodes.allocate<Form>(list.size)) {
        std::uninitialized_copy(list.items().begin(), list.items().end(), items_);
    }
    ~OtherItems() { a_.at.site.scope = scope_; }
    OtherItems(const OtherItems&) = delete;
    OtherItems& operator=(const OtherItems&) = delete;
    void put(std::size_t i, std::string_view what, Local* local) {
        const std::string_view hidden = a_.nodes.keep_text(std::string(what).append(std::to_string(i)));
        a_.names.bind(hidden, local);
        items_[i] = hidden_name(hidden, list_.items()[i].span);
    }
    [[nodiscard]] Form form() const { return call_of({items_, list_.size}, list_.span); }

private:
    Analyzer& a_;
    const Binding* scope_;
    const Form& list_;
    Form* items_;
};

/// A variable that is another name of one where `form` names one that keeps its value; null: it names none.
class SameVariable {
public:
    SameVariable(Analyzer& a, const Form& form) : a_(a) {
        if (!form.is(FormKind::Symbol)) return;
        const Node* const node = a.analyze(form, kValue);
        if (node->kind == NodeKind::LocalRef && !node->local->varies) variable_ = node->local;
        a.nodes.discard(node);
        if (!variable_) return;
        other_ = a.nodes.new_local(variable_->name, form.span);
        other_->is_sequence = variable_->is_sequence;
    }
    explicit operator bool() const { return variable_ != nullptr; }
    [[nodiscard]] Local* variable() const { return variable_; }
    /// By this name nothing is known to be by need.
    [[nodiscard]] Local* other_name() const { return other_; }
    /// In what was made with the other name it is the variable itself: nothing is copied to look at it.
    void join(Node& node) const { a_.nodes.rename(node, other_, variable_); }

private:
    Analyzer& a_;
    Local* variable_ = nullptr;
    Local* other_ = nullptr;
};

/// The call of a builtin with one argument that may be by need, a variable, and no forms within: the builtin of the
/// variable where that turns out to be whole. Null: it is no such call.
Node* call_of_whole(Analyzer& a, const CoreName& name, const Form& list, std::size_t asked, Tail tail) {
    const bool is_flat = std::ranges::all_of(list.items(), [](const Form& part) { return part.kind < FormKind::List; });
    if (name.core || !is_flat || laziness_of(a, list.items()[asked]) != Laziness::Maybe) return nullptr;
    const SameVariable same(a, list.items()[asked]);
    if (!same || a.stop_at_limits(a.span_of(list))) return nullptr;
    const Span span = a.span_of(list);
    const Tail inner = tail & kFunctionTail;
    Node* is_whole = a.nodes.native_call("whole?%", span, kValue, {a.nodes.reference(same.variable(), span)});
    Node* plain = nullptr;
    {
        OtherItems items(a, list);
        items.put(asked, " whole", same.other_name());
        plain = plain_call(a, name, items.form(), inner);
        same.join(*plain);
    }
    OtherItems items(a, list);
    Let let(a.nodes);
    items.put(asked, " realized", let.temporary(analyze_realized(a, list.items()[asked], kValue, name.name)));
    Node* other = let.finish(plain_call(a, name, items.form(), inner), span, inner);
    return a.nodes.make_if(is_whole, plain, other, span, tail);
}

/// The call with what is computed to its end in place of each argument that is by need. All that matter: the call is
/// looked at again, and none may be left.
Node* call_realized(Analyzer& a, const CoreName& name, const CoreFunction* variant, const Form& list, Tail tail) {
    const FormSpan parts = list.items();
    std::vector<std::size_t> asked;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (i == 2 && gives_start_away(a, name.name, parts.subspan(1))) continue;
        const Laziness laziness = laziness_of(a, parts[i]);
        if (laziness > Laziness::Maybe ||
            (laziness == Laziness::Maybe && matters_if_lazy(a, name, variant, list, i - 1)))
            asked.push_back(i);
    }
    if (asked.size() == 1)
        if (Node* call = call_of_whole(a, name, list, asked[0], tail)) return call;
    OtherItems items(a, list);
    Let let(a.nodes);
    for (const std::size_t i : asked)
        items.put(i, " realized", let.temporary(analyze_realized(a, parts[i], kValue, name.name)));
    if (a.stop_at_limits(a.span_of(list))) return a.nodes.nil(a.span_of(list));
    return let.finish(plain_call(a, name, items.form(), tail & kFunctionTail), a.span_of(list), tail);
}

} // namespace

bool makes_lazy(const CoreLibrary& core, std::string_view name, std::size_t arguments) {
    return made_by(core, name, arguments) != Laziness::None;
}

const CoreFunction* lazy_variant(const CoreLibrary& core, std::string_view name, std::size_t arguments) {
    std::string text("lazy-");
    text.append(name).append("%");
    const CoreFunction* found = core.find(text);
    return found && found->arity(arguments) ? found : nullptr;
}

bool reads_collection(const CoreName& name, std::size_t arguments, std::size_t i) {
    const std::vector<std::string_view> parameters = parameters_of(usage_of(name), arguments);
    if (i >= parameters.size()) return false;
    const std::optional<Kinds> taken = kinds_of_parameter(parameters[i]);
    return taken && (*taken & kinds::kVector) && !(*taken & (kinds::kNumber | kinds::kFunction));
}

bool may_make_lazy(const CoreName& name, std::size_t size) {
    if (name.endless >= kNeverEndless) return name.name == "lazy-seq";
    return name.endless + std::size_t{1} == size || (size > 1 && name.endless == size);
}

Laziness laziness_of(Analyzer& a, const Form& form) {
    if (!a.names.has_lazy() || a.at.site.core) return Laziness::None;
    return settled(a, LazinessSearch(a).at(form));
}

// (mapcat (fn [each] (for [x [each] ..] body ..)) coll); with :while first, (take-while (fn [x] test) coll) is its
// coll.
std::optional<Form> endless_for(Analyzer& a, const Form& list) {
    if (list.size < 2 || !list.items()[1].is(FormKind::Vector) || list.items()[1].size < 2) return std::nullopt;
    FormSpan clauses = list.items()[1].items();
    const Laziness laziness = laziness_of(a, clauses[1]);
    const bool may_be_endless = laziness == Laziness::Maybe && ends_with_while(clauses.subspan(2));
    if (laziness != Laziness::Endless && !may_be_endless) return std::nullopt;
    const auto items_of = [&](std::initializer_list<Form> heads, FormSpan rest) {
        auto* items = a.nodes.allocate<Form>(heads.size() + rest.size());
        std::uninitialized_copy(heads.begin(), heads.end(), items);
        std::uninitialized_copy(rest.begin(), rest.end(), items + heads.size());
        return FormSpan{items, heads.size() + rest.size()};
    };
    const Span span = list.span;
    const auto vector_of = [&](std::initializer_list<Form> heads, FormSpan rest) {
        Form vector = call_of(items_of(heads, rest), span);
        vector.kind = FormKind::Vector;
        return vector;
    };
    const auto function_of = [&](const Form& parameter, const Form& body) {
        return call_of(items_of({hidden_name(" fn", span), vector_of({parameter}, {}), body}, {}), span);
    };
    const Form pattern = clauses[0], each = hidden_name(" each", span);
    Form coll = clauses[1];
    clauses = clauses.subspan(2);
    while (clauses.size() > 1 && clauses[0].is(FormKind::Keyword) && clauses[0].text() == "while") {
        coll = call_of(items_of({hidden_name(" take-while", span), function_of(pattern, clauses[1]), coll}, {}), span);
        clauses = clauses.subspan(2);
    }
    if (has_while(clauses)) return std::nullopt; // what is left out in front of it is not tested by it
    const Form one = vector_of({pattern, vector_of({each}, {})}, clauses);
    const Form inner = call_of(items_of({list.items()[0], one}, list.items().subspan(2)), span);
    return call_of(items_of({hidden_name(" mapcat", span), function_of(each, inner), coll}, {}), span);
}

static bool may_be_lazy(Analyzer& a, const Form& form, bool is_function) {
    return (is_function ? settled(a, LazinessSearch(a).result_of(form)) : laziness_of(a, form)) != Laziness::None;
}

Node* analyze_realized(Analyzer& a, const Form& form, Tail tail, std::string_view reader) {
    const Laziness laziness = laziness_of(a, form);
    if (laziness == Laziness::None) return a.analyze(form, tail);
    if (is_ended_chain(a, form, may_be_lazy)) return ended_chain(a, form, tail);
    if (laziness == Laziness::Endless) return a.failed(endless(form, a.span_of(form), reader));
    return call_of_one(a, "realized%", form, tail);
}

bool gives_scalar(Analyzer& a, const Form& form) {
    constexpr Kinds kScalar = kinds::kNumber | kinds::kBoolean | kinds::kText | kinds::kKeyword | kinds::kNil;
    if (form.kind < FormKind::List) return !form.is(FormKind::Symbol);
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return false;
    if (a.names.is_method_form(form)) return true; // which stands at the top level, or is none
    const std::string_view head = form.items()[0].text();
    if (a.names.is_own(head)) return false;
    const CoreName* name = a.core.lookup(head, name_hash(head));
    if (!name || name->special >= 0) return false;
    const Kinds given =
        name->core ? name->core->gives.kinds : builtin_at(static_cast<std::uint32_t>(name->builtin)).gives.kinds;
    return (given & ~kScalar) == 0;
}

Node* analyze_whole(Analyzer& a, const Form& form, Tail tail, std::string_view reader) {
    if (!a.names.lazy_escapes() || a.at.site.core || gives_scalar(a, form)) return a.analyze(form, tail);
    if (laziness_of(a, form) == Laziness::Endless) return a.failed(endless(form, a.span_of(form), reader));
    return call_of_one(a, "whole-value%", form, tail);
}

void note_laziness(Analyzer& a, const Form& name, Laziness laziness) {
    if (!name.is(FormKind::Symbol)) return;
    const Binding* found = find_binding(a.at.site.scope, name.text(), name_hash(name.text()));
    if (found && found->kind == BindingKind::Local) found->local->laziness = static_cast<std::uint8_t>(laziness);
}

namespace {

/// The variant that takes sequences by need in place of the arguments that are; null where there is none.
const CoreFunction* variant_for(Analyzer& a, const CoreName& name, const Form& list) {
    const FormSpan arguments = list.items().subspan(1);
    const CoreFunction* variant = lazy_variant(a.core, name.name, arguments.size());
    if (!variant) return nullptr;
    bool all = true;
    for (std::size_t i = variant->first_lazy; i < arguments.size(); ++i)
        all = all && laziness_of(a, arguments[i]) > Laziness::Maybe;
    const bool has_several = arguments.size() > variant->first_lazy + std::size_t{1};
    if (variant->lazy_if_all && !all && has_several) {
        std::string text("bounded-");
        text.append(name.name).append("%");
        variant = a.core.find(text);
    }
    return variant && variant->arity(arguments.size()) ? variant : nullptr;
}

/// The call of a variant where one of the arguments turns out to be a sequence by need, else of the function itself.
Node* call_as_it_turns_out(Analyzer& a, const CoreName& name, const CoreFunction& variant, const Form& list,
                           Tail tail) {
    const FormSpan parts = list.items();
    const Span span = a.span_of(list);
    Let let(a.nodes);
    OtherItems items(a, list);
    std::vector<Local*> asked;
    std::vector<SameVariable> same;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i <= first_collection(a, name.name, variant, parts.subspan(1)) ||
            laziness_of(a, parts[i]) == Laziness::None)
            continue;
        if (const SameVariable one(a, parts[i]); one) {
            same.push_back(one);
            asked.push_back(one.other_name());
        } else {
            asked.push_back(let.temporary(a.analyze(parts[i], kValue)));
        }
        items.put(i, " asked", asked.back());
    }
    const Form call = items.form();
    if (a.stop_at_limits(span)) return a.nodes.nil(span); // a mistake here is an error, too, and no overflow
    ++a.at.depth;
    const Tail inner = tail & kFunctionTail;
    enum class Which { All, Some };
    const auto are_whole = [&](Which which) {
        Node* found = nullptr;
        for (Local* local : asked) {
            Node* one = a.nodes.native_call("whole?%", span, kValue, {a.nodes.reference(local, span)});
            Node* other = found ? a.nodes.literal(Value::boolean(which == Which::Some).raw(), span, kValue) : nullptr;
            if (!found)
                found = one;
            else
                found = which == Which::All ? a.nodes.make_if(found, one, other, span, kValue)
                                            : a.nodes.make_if(found, other, one, span, kValue);
        }
        return found;
    };
    Node* is_plain = are_whole(Which::All);
    Node* plain = plain_call(a, name, call, inner);
    Node* node = a.nodes.make_if(is_plain, plain, call_core_function(a, variant, call, inner), span, inner);
    // Where all collections turn out to be by need, so is the result.
    const CoreFunction* by_need = lazy_variant(a.core, name.name, parts.size() - 1);
    if (by_need != &variant && asked.size() == parts.size() - 1 - by_need->first_lazy) {
        Node* is_mixed = are_whole(Which::Some);
        node = a.nodes.make_if(is_mixed, node, call_core_function(a, *by_need, call, inner), span, inner);
    }
    --a.at.depth;
    for (const SameVariable& one : same)
        one.join(*node);
    return let.finish(node, span, tail);
}

/// Whether a form names a function in whose definition it stands.
bool names_surrounding(Analyzer& a, const Form& form, Span where) {
    if (form.is(FormKind::Symbol)) {
        const GlobalName* global = a.names.globals().find(form.text(), name_hash(form.text()));
        return global && global->definition && global->definition->span.begin <= where.begin &&
               where.end <= global->definition->span.end;
    }
    return form.kind >= FormKind::List && !form.is(FormKind::Var) &&
           std::any_of(form.items().begin(), form.items().end(),
                       [&](const Form& item) { return names_surrounding(a, item, where); });
}

/// Of what a function gives.
Laziness laziness_of_result(Analyzer& a, const Form& function) {
    return settled(a, LazinessSearch(a).result_of(function));
}

/// The function that gathers whole items where those that `name` is given may be sequences by need, which would be
/// functions in a collection. For map, whose items may be taken in part later, only where they are known to have an
/// end: not inside of the function that makes them, which would go on for ever where its reader stops.
const CoreFunction* gatherer_of(Analyzer& a, const CoreName& name, const Form& list, Laziness of_items) {
    if (name.name == "mapcat") return of_items != Laziness::None ? a.core.find("whole-mapcat%") : nullptr;
    const bool is_gathered = of_items == Laziness::ByNeed && !names_surrounding(a, list.items()[1], list.span);
    return is_gathered ? a.core.find("whole-map%") : nullptr;
}

/// (map f coll), (mapcat f coll) where f may give sequences by need; null for all other calls.
Node* gathering_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const bool gathers = name.name == "map" || name.name == "mapv" || name.name == "mapcat";
    if (!gathers || list.size != 3 || laziness_of(a, list.items()[2]) != Laziness::None) return nullptr;
    const Laziness of_items = laziness_of_result(a, list.items()[1]);
    if (of_items == Laziness::Endless && name.name == "mapcat")
        return a.failed(endless(list.items()[1], a.span_of(list), name.name));
    const CoreFunction* gatherer = gatherer_of(a, name, list, of_items);
    return gatherer ? call_core_function(a, *gatherer, list, tail) : nullptr;
}

/// (partition n step (repeat nil) coll): of the padding n items will do, so it may have no end. `n` is written twice.
Node* padded_partition(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const bool is_padded = (name.name == "partition" || name.name == "partitionv") && list.size == 5;
    if (!is_padded || laziness_of(a, list.items()[3]) == Laziness::None) return nullptr;
    const Form &count = list.items()[1], &padding = list.items()[3];
    if (!count.is(FormKind::Symbol) && count.kind >= FormKind::List) return nullptr;
    Form* taken = a.nodes.allocate<Form>(3);
    std::construct_at(&taken[0], hidden_name(" take", padding.span));
    std::construct_at(&taken[1], count);
    std::construct_at(&taken[2], padding);
    Form* items = a.nodes.allocate<Form>(list.size);
    std::uninitialized_copy(list.items().begin(), list.items().end(), items);
    items[3] = call_of({taken, 3}, padding.span);
    return a.analyze(call_of({items, list.size}, list.span), tail);
}

} // namespace

Laziness laziness_of_rest(Analyzer& a, const Form& form) {
    return a.names.lazy_escapes() ? LazinessSearch(a).of_rest(form) : Laziness::None;
}

Node* call_keeping_rest(Analyzer& a, const Form& list) {
    const std::string_view head = list.items()[0].text();
    const CoreName& name = *a.core.lookup(head, name_hash(head));
    const CoreFunction& variant = *lazy_variant(a.core, head, list.size - 1);
    const bool is_known = laziness_of(a, list.items().back()) > Laziness::Maybe;
    return is_known ? call_core_function(a, variant, list, kValue)
                    : call_as_it_turns_out(a, name, variant, list, kValue);
}

namespace {

/// A call with variants in place of its arguments that are by need only if it asks for it: it reads what it needs.
/// Nothing where there are none.
std::optional<Form> with_asked(Analyzer& a, const CoreName& name, const Form& list) {
    const CoreFunction* variant = lazy_variant(a.core, name.name, list.size - 1);
    if (!variant || variant->lazy || variant->keeps_rest)
        return std::nullopt; // what they give is not known to be whole
    Form* items = nullptr;
    for (std::size_t i = variant->first_lazy + std::size_t{1}; i < list.size; ++i) {
        const Form& argument = list.items()[i];
        if (settled(a, LazinessSearch(a).of_asked(argument)) != Laziness::ByNeed) continue;
        if (!items) {
            items = a.nodes.allocate<Form>(list.size);
            std::uninitialized_copy(list.items().begin(), list.items().end(), items);
        }
        Form* parts = a.nodes.allocate<Form>(argument.size);
        std::uninitialized_copy(argument.items().begin(), argument.items().end(), parts);
        const std::string asked = std::string(kAsked).append(argument.items()[0].text()).append("%");
        parts[0] = hidden_name(a.nodes.keep_text(asked), argument.items()[0].span);
        items[i] = call_of({parts, argument.size}, argument.span);
    }
    if (!items) return std::nullopt;
    return call_of({items, list.size}, list.span);
}

/// A call of a function that is given, or makes, a sequence by need; null where none is.
Node* call_by_need(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    const bool is_source = makes_lazy(a.core, name.name, arguments.size());
    const CoreFunction* variant = variant_for(a, name, list);
    Laziness most = Laziness::None;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i == 1 && gives_start_away(a, name.name, arguments)) continue;
        const Laziness one = laziness_of(a, arguments[i]);
        if (one != Laziness::Maybe || matters_if_lazy(a, name, variant, list, i)) most = std::max(most, one);
    }
    if (most == Laziness::None) return is_source && variant ? call_core_function(a, *variant, list, tail) : nullptr;
    const bool is_kept_whole = variant && variant->else_whole && most != Laziness::Endless;
    if (!variant || is_kept_whole || reads_to_the_end(a, *variant, list))
        return call_realized(a, name, variant, list, tail);
    if (most == Laziness::Maybe) return call_as_it_turns_out(a, name, *variant, list, tail);
    return call_core_function(a, *variant, list, tail);
}

/// A call whose source is written in it, as a loop. Where its first item is a parameter that may be by need, the code
/// asks; all is written twice then, so there is no such call inside. Null where it cannot be a loop.
Node* call_written(Analyzer& a, const CoreName& name, const WrittenCall& written, const Form& list, Tail tail) {
    const Form& items = *written.items;
    if (written.step && laziness_of_result(a, *written.step) != Laziness::None) return nullptr;
    if (written.other && laziness_of(a, *written.other) != Laziness::None) return nullptr;
    const Laziness laziness = laziness_of(a, items);
    const auto loop_of = [&](Tail loop_tail) {
        const CalledAs called(a.at, name.name);
        return call_core_function(a, *written.function, written.list, loop_tail);
    };
    if (laziness == Laziness::None) return loop_of(tail);
    const FormSpan parts = written.list.items().subspan(1);
    const bool has_another = std::ranges::any_of(parts, [](const Form& part) { return mentions(part, "iterate"); });
    if (laziness != Laziness::Maybe || !items.is(FormKind::Symbol) || !written.step || has_another) return nullptr;
    const Span span = a.span_of(list);
    const Tail inner = tail & kFunctionTail;
    Node* is_whole = a.nodes.native_call("whole?%", span, kValue, {a.analyze(items, kValue)});
    Node* loop = loop_of(inner);
    Node* other = call_by_need(a, name, list, inner);
    return other ? a.nodes.make_if(is_whole, loop, other, span, tail) : nullptr;
}

/// A call that gives no sequence by need with the vectors that endless chains in its arguments make: their loops are
/// part of it (fusion.h). Null where none is one.
Node* call_over_chains(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const CoreFunction* variant = lazy_variant(a.core, name.name, list.size - 1);
    if (variant && variant->lazy) return nullptr;
    Form* items = nullptr;
    for (std::size_t i = 1; i < list.size; ++i) {
        if (!is_ended_chain(a, list.items()[i], may_be_lazy)) continue;
        if (!items) {
            items = a.nodes.allocate<Form>(list.size);
            std::uninitialized_copy(list.items().begin(), list.items().end(), items);
        }
        items[i] = call_form(a, kWhole, items[i]);
    }
    if (!items || a.stop_at_limits(a.span_of(list))) return nullptr;
    Resolved meaning;
    meaning.kind = name.core ? Resolved::Core : Resolved::Builtin;
    meaning.name = &name;
    ++a.at.depth;
    Node* node = call_name(a, call_of({items, list.size}, list.span), meaning, tail);
    --a.at.depth;
    return node;
}

/// Whether a list calls a function of the language that goes through one collection, its last argument, or begins with
/// it.
bool is_link(Analyzer& a, const Form& list) {
    if (!list.is(FormKind::List) || list.size < 2 || !list.items()[0].is(FormKind::Symbol)) return false;
    const std::string_view head = list.items()[0].text();
    if (a.names.is_own(head)) return false;
    const CoreFunction* variant = lazy_variant(a.core, head, list.size - 1);
    return variant ? variant->first_lazy + 2u == list.size : head == "iterate" && list.size == 3;
}

/// Whether evaluating a form does nothing that could be told from doing it later.
bool may_be_later(const Analyzer& a, const Form& form) {
    const bool is_function = form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol("fn");
    return form.kind < FormKind::List || form.is(FormKind::ShortFn) || (is_function && !a.names.is_own("fn"));
}

/// The collection at the bottom of a chain of calls, (map f (filter g coll)), when it may be by need, and may be looked
/// at before the chain's functions are; null: there is none.
const Form* asked_source(Analyzer& a, const Form& chain) {
    const Form* form = &chain;
    for (; is_link(a, *form); form = &form->items().back()) {
        const FormSpan others = form->items().subspan(1, form->size - 2);
        if (!work::charge(1) || !std::ranges::all_of(others, [&](const Form& one) { return may_be_later(a, one); }))
            return nullptr;
    }
    const bool is_placeholder = form->is(FormKind::Symbol) && form->text().front() == '%';
    return form != &chain && !is_placeholder && laziness_of(a, *form) == Laziness::Maybe ? form : nullptr;
}

/// The list with `other` in place of the source of the chain that is its item `at`.
Form with_source(Analyzer& a, const Form& list, std::size_t at, const Form& source, const Form& other) {
    Form* items = a.nodes.allocate<Form>(list.size);
    std::uninitialized_copy(list.items().begin(), list.items().end(), items);
    const Form& chain = list.items()[at];
    items[at] = &chain == &source ? other : with_source(a, chain, chain.size - 1, source, other);
    return call_of({items, list.size}, list.span);
}

/// (reduce + (map f xs)), where xs may be by need and the function reads what it is given: the code asks once, and all
/// of the chain is written for either answer, so that where xs is whole it is one loop. Null for calls that read no
/// such chain, go through several collections, or stand in too many others.
Node* call_of_asked_chain(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    constexpr std::uint32_t kMostAround = 2; // each doubles what is in it
    if (!a.names.lazy_escapes() || a.at.asked_chains >= kMostAround) return nullptr;
    const CoreFunction* variant = lazy_variant(a.core, name.name, list.size - 1);
    if (variant && variant->first_lazy + 2u != list.size) return nullptr; // of several collections
    const FormSpan parts = list.items();
    std::size_t at = 1;
    const Form* source = nullptr;
    for (; at < parts.size() && !source; ++at) // of an argument that is read: what is only handed on stays by need
        if (matters_if_lazy(a, name, variant, list, at - 1)) source = asked_source(a, parts[at]);
    if (!source || !std::all_of(parts.begin() + 1, parts.begin() + static_cast<std::ptrdiff_t>(at) - 1,
                                [&](const Form& part) { return may_be_later(a, part); }))
        return nullptr;
    const Span span = a.span_of(list);
    if (a.stop_at_limits(span)) return a.nodes.nil(span);
    constexpr std::string_view kColl = " asked-coll";
    const Context outer = a.at;
    Let let(a.nodes);
    const SameVariable same(a, *source);
    Local* const coll = same ? same.other_name() : let.temporary(a.analyze(*source, kValue));
    Node* const is_whole = a.nodes.native_call("whole?%", span, kValue, {a.nodes.reference(coll, span)});
    ++a.at.asked_chains;
    a.names.bind(kColl, coll);
    const Form call = with_source(a, list, at - 1, *source, hidden_name(kColl, source->span));
    const auto call_as = [&](Laziness laziness) {
        coll->laziness = static_cast<std::uint8_t>(laziness);
        return plain_call(a, name, call, tail & kFunctionTail);
    };
    Node* const whole = call_as(Laziness::None);
    Node* const node = a.nodes.make_if(is_whole, whole, call_as(Laziness::ByNeed), span, tail & kFunctionTail);
    if (same) same.join(*node);
    a.at = outer;
    return let.finish(node, span, tail);
}

} // namespace

Node* call_with_lazy(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    if (!a.names.has_lazy() || a.at.site.core || name.name.ends_with('%')) return nullptr;
    if (Node* asked = call_of_asked_chain(a, name, list, tail)) return asked;
    if (const auto asked = with_asked(a, name, list)) return call_by_need(a, name, *asked, tail);
    if (Node* gathered = gathering_call(a, name, list, tail)) return gathered;
    if (Node* padded = padded_partition(a, name, list, tail)) return padded;
    if (Node* loop = endless_chain(a, name, list, tail, may_be_lazy)) return loop;
    if (Node* call = call_over_chains(a, name, list, tail)) return call;
    if (const auto written = call_of_written_source(a, name, list)) {
        if (Node* loop = call_written(a, name, *written, list, tail)) return loop;
    }
    return call_by_need(a, name, list, tail);
}

Node* concat_with_lazy(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    constexpr std::string_view kConcat = "concat";
    if (!a.names.lazy_escapes() || a.at.site.core || arguments.size() != 2 || !arguments[0].is_symbol(kConcat) ||
        a.names.is_own(kConcat) || laziness_of(a, arguments[1]) != Laziness::None)
        return nullptr;
    const CoreFunction& whole = *a.core.find("whole-concat%");
    const Form call = call_form(a, whole.name, arguments[1]);
    return call_core_function(a, whole, call, tail);
}

// (whole% item): an item of a collection as it is written
Node* whole_form(Analyzer& a, const Form& list, Tail tail) {
    return analyze_realized(a, list.items()[1], tail, kHolder);
}

// (lazy-seq body ..): the body is a sequence, or nil; it is computed when somebody looks at it.
Node* lazy_seq_form(Analyzer& a, const Form& list, Tail tail) {
    Form* params = a.nodes.create<Form>();
    params->kind = FormKind::Vector;
    params->span = list.span;
    params->first = params;
    params->size = 0;
    auto* clause = a.nodes.create<FnClause>();
    clause->params = params;
    clause->body = list.items().subspan(1);
    a.at.body_of = "lazy-seq";
    Node* function = fn_value(a, Lambda{"lazy-seq%", a.span_of(list), {clause, 1}, a.at.site}, tail);
    a.at.body_of = nullptr;
    return function;
}

} // namespace ptc
