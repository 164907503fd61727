// The grammars of the texts that targets read. Names and example forms are taken from the rows of builtins, the
// definitions of runtime/core, special_forms.def, foreign.def and java_classes.def; the rest are literals at the edges
// of what the language can say, and shapes in which one value is used twice, in branches, across a tool call or deep
// down, as that is where copies, moves and limits are.
#include "tests/fuzz/grammar.h"
#include "compiler/language/special_forms.h"
#include "ptc/signature_text.h"
#include "runtime/builtin.h"
#include "tests/support/core.h"
#include <algorithm>

namespace ptc::fuzz {
namespace {

using Texts = std::vector<std::string>;

std::string times(std::string_view unit, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
        all += unit;
    return all;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

constexpr const char* kForeignNames[] = {
#define PTC_FOREIGN(name, rewrite, advice) name,
#include "compiler/language/foreign.def"
#undef PTC_FOREIGN
#define PTC_CLASS(name, test) name,
#include "compiler/language/java_classes.def"
#undef PTC_CLASS
};

/// Numbers at which a representation ends, in a form that JSON has as well.
Texts edge_numbers() {
    Texts all{"0",
              "1",
              "-1",
              "2",
              "7",
              "-0.0",
              "0.5",
              "1e308",
              "5e-324",
              "1E400",
              "1e-400",
              "0.1",
              "123456789012345678901234567890.5"};
    for (const char* edge : {"2147483648", "140737488355328", "4503599627370496", "9007199254740993",
                             "9223372036854775807", "9223372036854775808", "18446744073709551616"}) {
        all.emplace_back(edge);
        all.push_back("-" + std::string(edge));
    }
    all.push_back(times("7", 40));
    all.push_back(times("9", 400));
    all.push_back("1" + times("0", 300));
    all.push_back("0." + times("0", 200) + "1");
    return all;
}

/// Texts in which bytes, characters and graphemes differ, or escapes stand.
Texts edge_texts() {
    Texts all;
    for (const char* text : {"",
                             "a",
                             "aB 1",
                             "\u00e9",
                             "\u00df\u0130\u0131",
                             "\U0001F468\u200d\U0001F469\u200d\U0001F467",
                             "\U0001F1E9\U0001F1EA",
                             "\\n\\t\\\\",
                             "\\u0000",
                             "\\ud800",
                             "\\ud83d\\ude00",
                             "12",
                             "1,5",
                             "-0",
                             "NaN",
                             "2024-02-29",
                             "2024-13-45",
                             "2024-02-29T12:00:00Z",
                             "%s %d %",
                             "$0 $1 \\\\1",
                             "{{a}}",
                             "<b>&amp;",
                             "\u3000x\u00a0",
                             "a/b",
                             ":k",
                             "yyyy-MM-dd"})
        all.push_back(quoted(text));
    all.push_back(quoted("e" + times("\u0301", 60))); // one grapheme
    all.push_back(quoted(times("ab", 100)));
    all.push_back(quoted(times("\u200d", 40)));
    return all;
}

void add(Texts& all, const Texts& more) { all.insert(all.end(), more.begin(), more.end()); }

void add_form(Grammar& grammar, std::string_view name, std::string_view example) {
    if (name.empty()) return;
    grammar.names.emplace_back(name);
    if (!example.empty()) grammar.forms.emplace_back(example);
}

Grammar make_program_grammar() {
    Grammar made{.dialect = kLisp, .names = {}, .literals = {}, .forms = {}, .wraps = {}};
    for (const Builtin* row : all_builtins())
        add_form(made, row->name, row->example.source ? row->example.source : "");
    for (const CoreFunction& function : test::core().all())
        add_form(made, function.name, function.example_source);
    for (const SpecialForm& form : special_forms()) {
        for (int times = 0; times < 4; ++times) // there are few of them beside the functions
            add_form(made, form.name, form.example);
    }
    for (const char* name : kForeignNames)
        if (name[0] != '\0') made.names.emplace_back(name);

    made.literals = edge_numbers();
    add(made.literals, edge_texts());
    add(made.literals, {"nil",
                        "true",
                        "false",
                        ":a",
                        ":k/b",
                        "::c",
                        "[]",
                        "{}",
                        "#{}",
                        "()",
                        "x",
                        "y",
                        "&",
                        "_",
                        "%",
                        "%2",
                        "*1",
                        "##NaN",
                        "##Inf",
                        "##-Inf",
                        "1/3",
                        "22/7",
                        "0x7f",
                        "017",
                        "2r101",
                        "1N",
                        "1.5M",
                        "\\a",
                        "\\newline",
                        "\\u0041",
                        "'q",
                        "#'x",
                        "@x",
                        "data/orders",
                        "data/text",
                        "data/nested",
                        "tool/echo",
                        "tool/boom",
                        "#\"\"",
                        "#\"a*\"",
                        "#\"(a|b)*a(a|b){9}b\"",
                        "#\"(?i)\\p{L}+\\d?\"",
                        "#\"(a+)+$\"",
                        "#\"(?<n>x)|y\"",
                        "[1 2 3]",
                        "{:a 1 :b {:c 2}}",
                        "(range)",
                        "(range 40)",
                        "(repeat 20 :r)",
                        "(iterate inc 1)",
                        ":keys",
                        ":as",
                        ":or",
                        ":let",
                        ":when",
                        ":while",
                        ":else"});
    made.literals.push_back(times("[", 70) + times("]", 70));
    made.literals.push_back(times("(-> ", 40) + "1" + times(" inc)", 40));
    made.literals.push_back("{" + times(":k 1 ", 3) + "}");

    made.wraps = {
        "($ %)", "($ % &)", "($ & %)", "($ & % &)", "($ $ %)", "($ % %)", "[%]", "[% &]", "{:a %}", "{% &}", "#{%}",
        "'%", "(quote %)", "#(do % %1)", "(fn [x] %)", "(fn [& xs] %)", "(do % ~)", "(let [x %] x)", "(let [x ~] %)",
        "(let [x % y ~] [x y x])", "(if % ~ &)", "(when ~ %)", "(cond % ~ :else &)",
        // one value, used again behind what may change it in place
        "(let [v %] [v ($ v) v])", "(let [v % w ($ v &)] [v w (= v w)])", "(let [v % w ($ & v)] [w v])",
        "(do (def v %) (def w ($ v)) [v w])", "(let [v % f (fn [x] ($ v x))] [(f &) v])",
        "(reduce (fn [a x] ($ a x)) % ~)", "(reduce (fn [a x] %) & ~)",
        "(loop [i 0 a %] (if (< i 3) (recur (inc i) ($ a &)) a))", "(mapv (fn [x] %) ~)", "(for [x ~ :when %] x)",
        "(for [x % y ~] [x y])", "(doseq [x %] (println x))", "(sort-by (fn [x] %) ~)", "(update {:a %} :a $)",
        "(-> % ($ &) ($ &))", "(->> % ($ &) $)", "(as-> % x ($ x) [x x])", "(some-> % $ $)", "(cond-> % ~ $)",
        "(try % (catch Exception e [:caught (ex-message e)]))", "(try ~ (finally %))", "(throw (ex-info \"t\" {:a %}))",
        "(atom %)", "(let [a (atom %)] (swap! a $) @a)", "(tool/echo {:v %})", "(get (tool/echo {:v %}) :v)",
        "(pmap (fn [x] (tool/echo {:v x :w %})) [1 2 3])", "(pmap (fn [x] %) [1 2])", "(pcalls (fn [] %) (fn [] ~))",
        "(println %)", "(str % &)", "(pr-str %)", "(defn f ([x] %) ([x y] ~))", "(letfn [(f [x] %)] (f &))",
        "(let [{:keys [a b] :as m} %] [a b m])", "(let [[a & r] %] [a r])", "(case % & ~ ~)", "(return %)", "(fail %)",
        "#_ %", "(comment %)", "; %\n%", "^{:a 1} %", "(with-out-str %)", "(lazy-seq %)",
        "(defmulti m (fn [x] %)) (defmethod m :default [x] ~) (m &)",
        // in the ways of others
        "% + &", "$(%, &)", "if % then & else ~", "for x in %: $(x)", "x = %", "f\"{%}\"", "```clojure\n%\n```"};
    return made;
}

Grammar make_json_grammar() {
    Grammar made{.dialect = kJson, .names = {}, .literals = edge_numbers(), .forms = {}, .wraps = {}};
    const Texts texts = edge_texts();
    made.names = texts;
    for (const char* key :
         {"id",       "n",          "text",     "content", "type",  "role",   "user",   "assistant", "system", "tool",
          "name",     "arguments",  "messages", "model",   "index", "usage",  "error",  "message",   "code",   "status",
          "function", "tool_calls", "choices",  "delta",   "parts", "answer", "chance", "result",    "key"})
        made.names.push_back(quoted(key));
    add(made.literals, texts);
    add(made.literals,
        {"null", "true", "false", "[]", "{}", "tru", "-", "01", "1.", ".5", "+1", "NaN", "'a'", "[DONE]"});
    made.literals.push_back(times("[", 600) + times("]", 600));
    made.literals.push_back(times("{\"a\":", 300) + "1" + times("}", 300));
    made.forms = {"{\"a\":1,\"a\":2}", "[1,[2,{\"b\":null}]]", "{\"id\":1,\"tags\":[\"x\"]}",
                  "[{\"a\":1},{\"a\":\"t\"},{\"b\":2}]"};
    made.wraps = {"[%]",       "[%,%]",         "[&,%]", "{$:%}",       "{$:%,$:&}",
                  "{$:&,$:%}", "[{$:%},{$:%}]", "\"%\"", "data: %\n\n", "%\n%"};
    return made;
}

Texts type_names() {
    Texts all;
    for (const TypeKind kind : {TypeKind::Any, TypeKind::String, TypeKind::Int, TypeKind::Float, TypeKind::Bool,
                                TypeKind::Keyword, TypeKind::DateTime, TypeKind::Nil, TypeKind::Map})
        all.push_back(type_text(Type(kind)));
    return all;
}

Grammar make_signature_grammar() {
    Grammar made{.dialect = kLisp, .names = type_names(), .literals = edge_numbers(), .forms = {}, .wraps = {}};
    add(made.literals, edge_texts());
    add(made.literals,
        {"->", "?", "|", "_hidden", "a-b", "a_b", "[>0]", "[>=1,<=9]", "[=1]", "[not=3]", ":enum", "=>"});
    made.forms = {"(a :string, b :int?) -> [{id :int}]",
                  "{n :int[>0], t [:string]?}",
                  "[:int]",
                  ":int | :string | :nil",
                  ":enum[\"a\", :b, 3]",
                  "(x {y {z [:map]}}) -> :any",
                  "{_secret :string}"};
    made.wraps = {"[%]",      "[%]?",  "%?",          "{a %}",  "{a %, b $}", "(a %) -> $",
                  "($) -> %", "% | $", "{a [{b %}]}", "% -> %", "$[%]"};
    return made;
}

Grammar make_malli_grammar() {
    Grammar made{.dialect = kLisp, .names = type_names(), .literals = edge_numbers(), .forms = {}, .wraps = {}};
    add(made.names, {":map", ":vector", ":sequential", ":maybe", ":or", ":and", ":enum", ":cat", ":catn", ":=>",
                     ":double", ":tuple", ":set", ":>", ":>=", ":<", ":<=", ":=", ":not="});
    add(made.literals, edge_texts());
    add(made.literals,
        {"{:min 1}", "{:max 9}", "{:min 1 :max 2}", "{:optional true}", ":a", "nil", "true", "{}", "[]"});
    made.forms = {"[:map [:a :int] [:b {:optional true} :string]]",
                  "[:vector [:maybe :int]]",
                  "[:or :int [:enum 1 \"a\" :k]]",
                  "[:=> [:cat :string :int] :any]",
                  "[:=> [:catn [:x :int]] [:map]]",
                  "[:int {:min 1 :max 10}]",
                  "[:and :int [:> 0]]",
                  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"a\"]}",
                  "{\"anyOf\":[{\"type\":\"string\",\"enum\":[\"x\"]},{\"$ref\":\"#/$defs/"
                  "a\"}],\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{}}}}",
                  "{\"type\":\"number\",\"minimum\":0,\"exclusiveMaximum\":9.5}",
                  "{\"const\":1}",
                  "{\"type\":\"string\",\"format\":\"date-time\"}"};
    made.wraps = {"[:vector %]",
                  "[:maybe %]",
                  "[:or % $]",
                  "[:map [:a %]]",
                  "[:=> [:cat %] $]",
                  "[:and % $]",
                  "[$ %]",
                  "{\"type\":\"array\",\"items\":%}",
                  "{\"anyOf\":[%,{}]}",
                  "{\"properties\":{\"a\":%}}",
                  "[:enum % &]"};
    return made;
}

Grammar make_template_grammar() {
    Grammar made{.dialect = kLisp, .names = {}, .literals = {}, .forms = {}, .wraps = {}};
    made.names = {"a", "rows", "m", "name", "user", "_hidden", "user-name", "user_name", "id", "tags"};
    add(made.literals, edge_texts());
    add(made.literals,
        {"{{.}}", "{{a.b.c}}", "{{! c}}", "{{#}}", "{{/}}", "{{", "}}", "{{{a}}}", "\n", "\r\n", "{{ a }}", "{{1a}}"});
    made.forms = {"{{#rows}}{{.}}, {{/rows}}", "{{^a}}none{{/a}}", "{{#m}}{{#tags}}{{.}}{{/tags}}{{id}}{{/m}}",
                  "{{user.name}}", "{\"rows\":[{\"id\":1,\"tags\":[\"x\"]},{}],\"m\":{\"a\":null},\"a\":\"{{a}}\"}"};
    made.wraps = {"{{#$}}%{{/$}}",
                  "{{#rows}}%{{/rows}}",
                  "{{^m}}%{{/m}}",
                  "{{#a}}\n%\n{{/a}}",
                  "{{$}}%",
                  "%{{$.$}}",
                  "{{#rows}}{{#rows}}%{{/rows}}{{/rows}}"};
    return made;
}

} // namespace

const Grammar& program_grammar() {
    static const Grammar kGrammar = make_program_grammar();
    return kGrammar;
}
const Grammar& json_grammar() {
    static const Grammar kGrammar = make_json_grammar();
    return kGrammar;
}
const Grammar& signature_grammar() {
    static const Grammar kGrammar = make_signature_grammar();
    return kGrammar;
}
const Grammar& malli_grammar() {
    static const Grammar kGrammar = make_malli_grammar();
    return kGrammar;
}
const Grammar& template_grammar() {
    static const Grammar kGrammar = make_template_grammar();
    return kGrammar;
}

} // namespace ptc::fuzz
