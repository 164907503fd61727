// The rules that repairs come from, in families. Each looks at one error and proposes nothing or one repair. A rule is
// given the code and a place in it; repair.cpp says which rules are asked for which error, and takes the first
// proposal.
#pragma once
#include "compiler/language/foreign.h"
#include "compiler/repair/call_rewrite.h"

namespace ptc::repair {

/// A name that means nothing here, and the call that it heads, if it heads one.
struct Subject {
    const Code& code;
    const Place& place;
    std::optional<CallSite> call;

    [[nodiscard]] const Form& symbol() const { return place.form(); }
    [[nodiscard]] std::string_view name() const { return place.form().text(); }
};

// ---- Names (names.cpp)
/// A name that is not defined.
[[nodiscard]] Proposal unknown_name(const Code& code, const Place& place);
/// space/name, where the space or its member does not exist.
[[nodiscard]] Proposal unknown_qualified(const Code& code, const Place& place);
/// .name or name.
[[nodiscard]] Proposal unknown_method(const Code& code, const Place& place);
/// A name that stands before its definition.
[[nodiscard]] Proposal early_use(const Code& code, const Place& place);
/// A placeholder outside of #().
[[nodiscard]] Proposal stray_placeholder(const Code& code, const Place& place);

/// What a row of foreign.def says of a name.
[[nodiscard]] Proposal rewrite_foreign(const Subject& subject, const Foreign& foreign);
/// The rule of that name ("@define"), null when there is none. (foreign_rules.cpp)
using ForeignRule = Proposal (*)(const Subject&);
[[nodiscard]] ForeignRule find_rule(std::string_view name);

// ---- The context and tools by their names (context.cpp)
[[nodiscard]] bool is_data_name(const Code& code, std::string_view name);
/// (get data :orders): the context, or all tools, taken for a map.
[[nodiscard]] Proposal whole_context(const Subject& subject);
/// A noun that means nothing: perhaps data/noun.
[[nodiscard]] Proposal context_value(const Subject& subject);

// ---- Names with a word more (affixes.cpp)
[[nodiscard]] Proposal affixed_name(const Subject& subject);
/// The one name of `own` that `name` is with a word more or less; "" when there is none, or several.
[[nodiscard]] std::string own_name_with_affix(std::string_view name, std::span<const std::string_view> own);

// ---- Threading forms (threads.cpp)
/// (->> xs filter even?): a step that lacks its brackets.
[[nodiscard]] Proposal bare_step(const Code& code, const Place& step);
/// (->> xs (filter f xs)), (->> xs (map f %)): the threaded value is written as well.
[[nodiscard]] Proposal written_value(const Code& code, const Place& step);
/// (->> (filter f) (map g) data/users)
[[nodiscard]] Proposal value_behind_its_steps(const Code& code, const Place& value);
/// xs |> (map f) |> (reduce +), the sign at `place`.
[[nodiscard]] Proposal pipes(const Code& code, const Place& place);
/// ->> xs (map f), return x: a special form without brackets, outside of all others.
[[nodiscard]] Proposal bare_special_form(const Code& code, const Place& place);
/// (->> xs (sort)) (first): a step that stands behind the form.
[[nodiscard]] Proposal step_behind(const Code& code, const Place& place);

// ---- Members (members.cpp)
/// o.price, xs.map, Math.sqrt, data.orders.
[[nodiscard]] Proposal dotted_name(const Subject& subject);
/// (xs.reduce + 0): a method that is a function here, with its arguments.
[[nodiscard]] Proposal dotted_call(const Subject& subject);
/// (.method target ..): the function that does the same.
[[nodiscard]] Proposal method_call(const Subject& subject);
/// (.length [1 2]): a method that exists, but for values of another kind.
[[nodiscard]] Proposal foreign_method_value(const Code& code, const Place& call);
/// ("{} items".format n), "{} items".format(n)
[[nodiscard]] Proposal formatted_text(const Code& code, const Place& place);
/// x[0], x["k"], x[:k] as arguments of the call at `place`; "" when there are none.
/// (first users).name, ", ".join(xs): members of what is no name; `place` is one of the parts.
[[nodiscard]] Proposal touching_members(const Code& code, const Place& place);
[[nodiscard]] Proposal indexed_arguments(const Code& code, const Place& call);
/// object[0], object.name: what `link` reads of it.
[[nodiscard]] std::string linked_text(const Code& code, std::string object, const Form& link);

// ---- Syntax of other languages (syntax.cpp)
/// `//`, `--` or `/*` in front of words.
[[nodiscard]] Proposal foreign_comment(const Code& code, const Place& place);
/// f"..", r".." and the like.
[[nodiscard]] Proposal prefixed_string(const Code& code, const Place& place);
/// 'some words'
[[nodiscard]] Proposal single_quotes(const Code& code, const Place& place);
/// f(x, y), when the error stands among the arguments.
[[nodiscard]] Proposal inside_bracketed_arguments(const Code& code, const Place& place);
/// [x * 2 for x in xs if x > 1]
[[nodiscard]] Proposal comprehension(const Code& code, const Place& place);
/// f(x, y): a name outside of brackets, whose arguments follow.
[[nodiscard]] Proposal bracketed_arguments(const Code& code, const Place& place);
/// #"*": a sign that is meant as it stands.
[[nodiscard]] Proposal lone_sign(const Form& regex);
/// x = 5, const x = 5.
[[nodiscard]] Proposal assignment(const Code& code, const Place& place);
/// x => body, (fn [x] => body), {:a => 1}
[[nodiscard]] Proposal arrow(const Code& code, const Place& place);
/// Words that are no code here: return, then, else.
[[nodiscard]] Proposal noise_word(const Code& code, const Place& place);
/// (let [x 1] [y 2] ..), and a let without body whose names are used behind it.
[[nodiscard]] Proposal split_bindings(const Code& code, const Place& place);
/// !x, x+1, x==y: operators that touch their operands.
[[nodiscard]] Proposal touching_operators(const Code& code, const Place& place);

// ---- Operators between operands (infix.cpp)
/// (a + b * c), in the list at `place`.
[[nodiscard]] Proposal infix(const Code& code, const Place& list);
/// An operator among the arguments of the call at `place`: (if x > 3 a b), (not x == y).
[[nodiscard]] Proposal infix_among_arguments(const Code& code, const Place& call);
/// x => body at items[at], as code; "" when it is none. `length`: how many forms it takes. `to_end`: the body goes on
/// to the end of the items.
[[nodiscard]] std::string arrow_function(const Code& code, FormSpan items, std::size_t at, std::size_t* length,
                                         bool to_end);
/// The prefix form of a run of operands and operators; "" when it is none.
[[nodiscard]] std::string prefix_of(const Code& code, FormSpan run);
[[nodiscard]] bool is_operator(const Form& form);
/// The same of as many forms as fit; `used` of them.
[[nodiscard]] std::string prefix_of_front(const Code& code, FormSpan forms, std::size_t* used);
/// How many of the forms are one operand: x, x["k"], f(x).y
[[nodiscard]] std::size_t operand_length(FormSpan run);
/// The code of an operand of several forms that touch. (syntax.cpp)
[[nodiscard]] std::string operand_text(const Code& code, FormSpan operand);
/// An expression of another language: an operand, operators between operands, a if test else b; "" when it is none.
[[nodiscard]] std::string expression_of(const Code& code, FormSpan run);
/// Operators where no list is theirs alone: in a body, a map, bindings, the arguments of and. `place`: an operator, or
/// a form beside one. (infix_places.cpp)
[[nodiscard]] Proposal infix_in_place(const Code& code, const Place& place);
/// ("a" if test else "b")
[[nodiscard]] Proposal conditional_expression(const Code& code, const Place& place);
/// (fn [x] if test a b): a special form in a body, without its brackets.
[[nodiscard]] Proposal bare_form_in_body(const Code& code, const Place& place);
/// (let [a 1; b 2 ..]): code behind a semicolon that defines the name at `place`.
[[nodiscard]] Proposal code_in_comment(const Code& code, const Place& place);

// ---- Loops (loops.cpp, recur.cpp)
/// A recur that is not the last thing, or that no loop is around; one with too few or too many values. (recur.cpp)
[[nodiscard]] Proposal misplaced_recur(const Code& code, const Place& recur);
[[nodiscard]] Proposal wrong_recur(const Code& code, const Place& recur);
/// The arguments of a recur that are too many or too few, put right by what they are made of.
[[nodiscard]] Proposal fitted_recur(const Code& code, const Place& recur, FormSpan given,
                                    std::span<const Form* const> variables);
/// (recur (if test a b c)): the last branch is the next argument.
[[nodiscard]] Proposal late_closer_in_recur(const Place& place);
/// (loop [acc 0] (doseq [x xs] (recur ..)) acc)
[[nodiscard]] Proposal fold_for_loop(const Code& code, const Place& recur);
/// (for [i 0 (< i 6) (inc i)] ..), the error at the first value.
[[nodiscard]] Proposal counted_for(const Code& code, const Place& place);
[[nodiscard]] Proposal forgotten_sum(const Code& code, const Place& place);
[[nodiscard]] Proposal continued(const Code& code, const Place& call);
/// (break x) in a loop.
[[nodiscard]] Proposal left_loop(const Code& code, const Place& call);
/// (set! total (+ total x)), where let binds the name: the name becomes an atom. Also of (conj total x), whose value
/// goes nowhere.
[[nodiscard]] Proposal changed_local(const Code& code, const Place& call);
/// (recur acc (rest xs)): each value stands where another variable is.
[[nodiscard]] Proposal reordered_recur(const Code& code, const Place& place);
/// ((rest xs) (inc n)) where a loop goes on: the word recur is missing.
[[nodiscard]] Proposal nameless_recur(const Code& code, const Place& call);

// ---- Shapes of special forms (bindings.cpp, definitions.cpp, patterns.cpp, conditions.cpp)
[[nodiscard]] Proposal binding_shape(const Code& code, const Place& place);
[[nodiscard]] Proposal parameter_shape(const Code& code, const Place& place);
[[nodiscard]] Proposal definition_shape(const Code& code, const Place& place);
[[nodiscard]] Proposal pattern_shape(const Code& code, const Place& place);
[[nodiscard]] Proposal condition_shape(const Code& code, const Place& place);
[[nodiscard]] Proposal conditional_parts(const Code& code, const Place& place);
/// when without its colon, among the bindings of for.
[[nodiscard]] Proposal modifier_words(const Code& code, const Place& list);
/// A modifier of for that does not exist.
[[nodiscard]] Proposal modifier_shape(const Code& code, const Place& place);
/// as-> without its name, or with it in front.
[[nodiscard]] Proposal thread_shape(const Code& code, const Place& place);
/// Patterns with the signs of other languages, or without their brackets and colons. (patterns.cpp)
[[nodiscard]] Proposal pattern_words(const Code& code, const Place& place);
/// {name age} in the place of a pattern; at one of the names.
[[nodiscard]] Proposal names_of_map(const Code& code, const Place& place);
/// A pattern that the value does not fit.
[[nodiscard]] Proposal taken_apart(const Code& code, const Place& place, const BadCall& bad_call);

// ---- Calls (arity.cpp, own_functions.cpp, literals.cpp, order.cpp, callable.cpp, tools.cpp)
/// A function of the language is called with too few or too many arguments.
[[nodiscard]] Proposal wrong_arity(const Code& code, const Place& call);
/// (+ (count rows 1)), (if (zero? n "a" "b")): the last argument of a call has arguments of the call. At either.
[[nodiscard]] Proposal late_closer(const Code& code, const Place& inner);
[[nodiscard]] Proposal late_closer_inside(const Code& code, const Place& outer);
/// (sum 1 2 3), (avg :age rows), (reduce + 0 :price rows). (aggregates.cpp)
[[nodiscard]] Proposal wrong_aggregate(const Code& code, const Place& call);
/// (hash-map {:a 1})
[[nodiscard]] Proposal map_of_map(const Code& code, const Place& call);
/// A function of the program is.
[[nodiscard]] Proposal wrong_own_arity(const Code& code, const Place& call, const BadCall& bad_call);
/// A function literal that is called with `given` arguments by the function that `call` passes it to. (literals.cpp)
[[nodiscard]] Proposal passed_literal(const Code& code, const Form& call, const Form& function, std::size_t given);
/// Whether the values that `function` gets are known to be maps without fields of the parameters' names.
[[nodiscard]] bool gets_other_rows(const Code& code, const Form& function);
[[nodiscard]] Proposal nested_short_fn(const Code& code, const Place& inner);
/// Arguments that should stand in brackets of their own: (get-in m :a :b), (map :a :b rows).
[[nodiscard]] Proposal misplaced_arguments(const Code& code, const Place& call);
/// (reduce {} f coll)
[[nodiscard]] Proposal start_before_function(const Code& code, const Place& place);
[[nodiscard]] Proposal reordered(const Code& code, const Place& call, const BadCall& bad_call);
/// Something that is called is no function.
[[nodiscard]] Proposal not_callable(const Code& code, const Place& place, OperandKind kind);
/// A name of a function that the program has bound to something else, where `value` was called: a map, say, may be.
/// (shadowing.cpp)
[[nodiscard]] Proposal hidden_function(const Code& code, const Place& place, OperandKind value);
/// (map "price" rows): a string in the place of a function.
/// fn [x] body, without the brackets around it.
[[nodiscard]] Proposal bare_function(const Code& code, const Place& place);
/// (map [:name] rows), (map (juxt [:id :name]) rows)
[[nodiscard]] Proposal bracketed_keys(const Code& code, const Place& call);
/// (map name rows), where the rows have a key of that name.
[[nodiscard]] Proposal key_as_function(const Code& code, const Place& call, const BadCall& bad_call);
/// (select-keys m [id name]): a symbol among keys.
[[nodiscard]] Proposal keys_without_colon(const Code& code, const Place& symbol);
/// (filter {:k v} rows), (filter :k v rows), (filter :k > v rows): the test as a function; "" when it is none.
[[nodiscard]] std::string test_of_record(const Code& code, FormSpan test);
/// (reduce (fn [acc x] (+ acc (:n x))) rows): the first row is no sum to begin with.
[[nodiscard]] Proposal missing_start(const Code& code, const Place& place, const BadCall& bad_call);
[[nodiscard]] Proposal text_as_function(const Code& code, const Place& call);
/// Whether `argument` is what a call of a function of the language takes as a function.
[[nodiscard]] bool wants_function(const Code& code, const Place& argument);
/// (map (+ 1) xs): a value where a function should be.
[[nodiscard]] Proposal function_wanted(const Code& code, const Place& argument);
[[nodiscard]] Proposal tool_arguments(const Code& code, const Place& place);
/// (tool/add (:x 1 :y 2)): the map of arguments in round brackets; at these.
[[nodiscard]] Proposal named_tool_list(const Code& code, const Place& list);
/// (count tool/users): a tool that is to be called; at the call that it is an argument of.
[[nodiscard]] Proposal uncalled_tool(const Code& code, const Place& call);
[[nodiscard]] Proposal unknown_tool(const Code& code, const Place& place);
[[nodiscard]] Proposal tool_failure(const Code& code, const Place& call);
[[nodiscard]] Proposal repeated_key(const Code& code, const Place& key);

// ---- Values that a run has met (values.cpp, conversions.cpp, keys.cpp)
[[nodiscard]] Proposal absent_value(const Code& code, const Place& call, const BadCall& bad_call);
/// data/NAME where the run has no such data but some of a near name.
[[nodiscard]] Proposal misspelt_data(const Code& code, const Place& symbol);
[[nodiscard]] Proposal misspelt_key(const Code& code, const Place& place);
[[nodiscard]] Proposal converted_value(const Code& code, const Place& call, const BadCall& bad_call);
/// (+ a 1), where a is an atom.
[[nodiscard]] Proposal unread_atom(const Code& code, const Place& call);
[[nodiscard]] Proposal zero_divisor(const Code& code, const Place& call);

} // namespace ptc::repair
