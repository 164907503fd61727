#include "compiler/analysis_errors.h"
#include "compiler/special_forms.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxQuoted = 60;

/// `name`, in backticks, cut when it is very long.
std::string quote(std::string_view name) {
    std::string text = "`";
    if (name.size() <= kMaxQuoted) return text.append(name).append("`");
    std::size_t end = kMaxQuoted;
    while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
        --end; // not inside of a character
    return text.append(name.substr(0, end)).append("…`");
}

std::string list_of(std::span<const std::string_view> names, std::size_t max) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < max; ++i) {
        if (i > 0) text += ", ";
        text += names[i];
    }
    if (names.size() > max) text += " and " + std::to_string(names.size() - max) + " more";
    return text;
}

/// What models write although it does not exist, and what to write instead. `edit`: a name that takes its place as it
/// is.
struct Advice {
    std::string_view name;
    const char* advice;
    const char* edit = nullptr;
};

constexpr const char* kNoExceptions = "There are no exceptions: test the value beforehand (nil?, contains?, if-some), "
                                      "or end the program with (fail reason).";
constexpr const char* kNoState = "There is no mutable state: pass the value on with reduce or loop/recur, or keep it "
                                 "for later programs with (def name value).";
constexpr const char* kNoMacros = "There are no macros and no eval: write a function with defn.";
constexpr const char* kNoNamespaces =
    "All names are there already and there are no namespaces to declare: leave this form out.";
constexpr const char* kNoFiles =
    "Programs reach no files and no network: data comes through data/name and tools, (tool/name {..}).";
constexpr const char* kNoLazy =
    "Sequences are never lazy: give the length, as in (range 10), or build what is needed with loop/recur.";
constexpr const char* kNoRandom = "Programs are deterministic: there are no random numbers. Let a tool supply them.";
constexpr const char* kNoTypes =
    "There are no types, protocols and multimethods: use maps, and cond or case on a field.";
constexpr const char* kNoClock = "The current time is (System/currentTimeMillis).";
constexpr const char* kPrint = "(println x ..) prints a line.";
constexpr const char* kPrStr = "(pr-str x) gives the text of a value, (println x) prints it.";
constexpr const char* kNoSorted =
    "Maps and sets show themselves sorted anyway: use {} and #{}, or (sort-by key coll) for a sequence.";
constexpr const char* kNoTransducers =
    "There are no transducers: nest the calls or thread them, (->> coll (filter f) (map g)).";
constexpr const char* kCount = "(count x) is the length of a string or collection.";
constexpr const char* kForm = "Conditions are written (if test then else) or (cond test result .. :else other).";
constexpr const char* kNil = "The absent value is written nil.";
constexpr const char* kTrue = "The truth values are written true and false.";
constexpr const char* kLoops = "Loops are (doseq [x coll] ..), (for [x coll] ..) or (loop [..] .. (recur ..)).";
constexpr const char* kFunction = "A function is (fn [x] ..), or #(.. % ..); defn gives it a name.";
constexpr const char* kVector = "A vector is written [a b c].";

constexpr Advice kAdvice[] = {
    {"!=", "Inequality is written (not= a b).", "not="},
    {"&&", "Write (and a b).", "and"},
    {"*command-line-args*", kNoFiles},
    {"**", "A power is (pow base exponent).", "pow"},
    {"++", "Write (inc x), or (str a b) for texts."},
    {"+=", kNoState},
    {"<>", "Inequality is written (not= a b).", "not="},
    {"===", "Equality is written (= a b).", "="},
    {"False", kTrue, "false"},
    {"None", kNil, "nil"},
    {"NULL", kNil, "nil"},
    {"Null", kNil, "nil"},
    {"True", kTrue, "true"},
    {"agent", kNoState},
    {"all", "(every? pred coll) tells whether all items satisfy a predicate."},
    {"alter-var-root", kNoState},
    {"any", "(some pred coll) gives the first truthy result, (boolean (some ..)) a truth value."},
    {"any?", "(some pred coll) gives the first truthy result."},
    {"append", "(conj coll item) adds an item, (concat a b) joins sequences, (str a b) joins texts."},
    {"assert", "There are no assertions: (when-not test (fail \"why\"))."},
    {"atom", kNoState},
    {"await", "Tool calls wait for their result: (tool/name {..})."},
    {"binding", "There are no dynamic variables: pass the value as an argument, or use let."},
    {"bool", "(boolean x) gives true or false.", "boolean"},
    {"cast", "Convert with int, double, str, keyword, parse-long or parse-double."},
    {"catch", kNoExceptions},
    {"ceiling", "Rounding up is (ceil x).", "ceil"},
    {"chars", "(seq s) gives the characters of a string.", "seq"},
    {"chunk", "(partition-all n coll) cuts into pieces of n.", "partition-all"},
    {"class", "(type x) gives the kind of a value as a keyword.", "type"},
    {"clojure.pprint/pprint", kPrint, "println"},
    {"collect", "Write (map f coll), or (vec coll) to make a vector."},
    {"concatenate", "(concat a b) joins sequences, (str a b) joins texts."},
    {"console.log", kPrint, "println"},
    {"cycle", kNoLazy},
    {"date", "Dates are read with (LocalDate/parse \"2024-01-31\")."},
    {"declare", "A function may be used in another function's body before it is defined: leave this form out."},
    {"def-", "Write (def name value).", "def"},
    {"define", "Write (def name value), or (defn name [params] body).", "def"},
    {"defmacro", kNoMacros},
    {"defmethod", kNoTypes},
    {"defmulti", kNoTypes},
    {"defn-", "There are no private functions: write defn.", "defn"},
    {"defprotocol", kNoTypes},
    {"defrecord", kNoTypes},
    {"defstruct", kNoTypes},
    {"deftype", kNoTypes},
    {"defun", "A function is defined by (defn name [params] body).", "defn"},
    {"delay", kNoLazy},
    {"deref", kNoState},
    {"dict", "A map is written {:key value}, or made by (hash-map k v ..).", "hash-map"},
    {"do-while", kLoops},
    {"doall", "Sequences are never lazy: leave doall out.", "vec"},
    {"dorun", "Sequences are never lazy: write (doseq [x coll] ..)."},
    {"dotimes", "Write (doseq [i (range n)] ..)."},
    {"doto", kNoState},
    {"echo", kPrint, "println"},
    {"elif", kForm},
    {"else", "`:else` is a keyword: (cond test result :else other).", ":else"},
    {"elseif", kForm},
    {"eval", kNoMacros},
    {"every", "(every? pred coll) tells whether all items satisfy a predicate.", "every?"},
    {"ex-data", kNoExceptions},
    {"ex-info", kNoExceptions},
    {"ex-message", kNoExceptions},
    {"exists?", "(some? x) is true for all but nil.", "some?"},
    {"exit", "(return value) ends the program.", "return"},
    {"extend", "(concat a b) joins sequences, (into a b) adds the items of b to a."},
    {"filter-by", "(filter pred coll), where a keyword is a predicate too: (filter :active rows).", "filter"},
    {"finally", kNoExceptions},
    {"find-first", "Write (first (filter pred coll))."},
    {"flatMap", "(mapcat f coll) joins the results.", "mapcat"},
    {"flatmap", "(mapcat f coll) joins the results.", "mapcat"},
    {"fold", "Write (reduce f init coll).", "reduce"},
    {"foldl", "Write (reduce f init coll).", "reduce"},
    {"forEach", "Write (doseq [x coll] ..)."},
    {"foreach", "Write (doseq [x coll] ..)."},
    {"function", kFunction, "fn"},
    {"future", "Nothing runs on its own: (pmap f coll) and (pcalls f ..) run branches at the same time and wait for them."},
    {"gensym", kNoMacros},
    {"get-or", "Write (get m key default).", "get"},
    {"getOrDefault", "Write (get m key default).", "get"},
    {"groupBy", "Write (group-by f coll).", "group-by"},
    {"group_by", "Write (group-by f coll).", "group-by"},
    {"hash", "There is no hash function; values are their own keys in maps and sets."},
    {"head", "(first coll) is the first item.", "first"},
    {"if-else", kForm, "if"},
    {"import", kNoNamespaces},
    {"in-ns", kNoNamespaces},
    {"includes", "(includes? s part) looks into a string, (contains? coll x) into a collection.", "includes?"},
    {"indexOf", "(index-of s part) gives the index or nil.", "index-of"},
    {"instance?", "(type x) gives the kind of a value as a keyword; string?, map? and others test it."},
    {"isEmpty", "Write (empty? coll).", "empty?"},
    {"is_empty", "Write (empty? coll).", "empty?"},
    {"iterate", kNoLazy},
    {"lambda", kFunction, "fn"},
    {"lazy-seq", kNoLazy},
    {"len", kCount, "count"},
    {"length", kCount, "count"},
    {"let*", "Bindings of let see the ones before them.", "let"},
    {"letfn", "Write (let [f (fn f [x] ..)] ..): a named fn can call itself."},
    {"list*", "Write (concat [a b] coll)."},
    {"list?", "Sequences are vectors: (vector? x), or (sequential? x).", "sequential?"},
    {"load-file", kNoFiles},
    {"load-string", kNoMacros},
    {"lower", "Write (lower-case s).", "lower-case"},
    {"lowercase", "Write (lower-case s).", "lower-case"},
    {"macroexpand", kNoMacros},
    {"make-array", kVector},
    {"map-vals", "Write (update-vals m f): the map comes first."},
    {"mapValues", "Write (update-vals m f): the map comes first."},
    {"match", "Write (case value constant result ..) or (cond test result ..)."},
    {"memoize", "There is no memoize: keep results in a map that reduce or loop/recur passes on."},
    {"monitor-enter", kNoState},
    {"new", "Constructors are written (java.util.Date. ..); maps need none."},
    {"nil", kNil},
    {"not-nil?", "(some? x) is true for all but nil.", "some?"},
    {"now", kNoClock, "System/currentTimeMillis"},
    {"ns", kNoNamespaces},
    {"null", kNil, "nil"},
    {"null?", "Write (nil? x).", "nil?"},
    {"object", "A map is written {:key value}."},
    {"parseFloat", "Write (parse-double s).", "parse-double"},
    {"parseInt", "Write (parse-long s).", "parse-long"},
    {"pop!", kNoState},
    {"pprint", kPrint, "println"},
    {"pr", kPrStr, "println"},
    {"print", kPrint, "println"},
    {"printf", "Write (println (format \"%d\" x))."},
    {"promise", "Nothing runs on its own: (pmap f coll) and (pcalls f ..) run branches at the same time and wait for them."},
    {"push", "(conj coll item) adds an item.", "conj"},
    {"quit", "(return value) ends the program.", "return"},
    {"raise", "(fail reason) ends the program with a failure.", "fail"},
    {"rand", kNoRandom},
    {"rand-int", kNoRandom},
    {"rand-nth", kNoRandom},
    {"random-uuid", kNoRandom},
    {"re-groups", "re-find and re-matches give the groups themselves: [whole group ..]."},
    {"re-matcher", "(re-seq regex s) gives all matches."},
    {"re-replace", "Write (replace s regex replacement).", "replace"},
    {"read-string", "Texts are not read as code: (json/parse-string s), (parse-long s), (parse-double s)."},
    {"reduced", "reduce cannot be left early: use (some f coll), (take-while f coll), or loop/recur."},
    {"reduced?", "reduce cannot be left early: use (some f coll), (take-while f coll), or loop/recur."},
    {"reductions", "Write (reduce (fn [acc x] (conj acc (+ (peek acc) x))) [first-value] coll)."},
    {"ref", kNoState},
    {"repeat", "Write (map (constantly x) (range n))."},
    {"repeatedly", "Write (map (fn [_] (f)) (range n))."},
    {"require", kNoNamespaces},
    {"reset!", kNoState},
    {"round-to", "Write (/ (round (* x 100)) 100)."},
    {"rseq", "(reverse coll) gives the sequence from its end.", "reverse"},
    {"run!", "Write (doseq [x coll] ..)."},
    {"sequence", kNoTransducers},
    {"set!", kNoState},
    {"setq", "Write (def name value), or let.", "def"},
    {"shuffle", kNoRandom},
    {"size", kCount, "count"},
    {"sleep", "Programs do not wait."},
    {"slurp", kNoFiles},
    {"sorted-map", kNoSorted, "hash-map"},
    {"sorted-map-by", kNoSorted},
    {"sorted-set", kNoSorted, "hash-set"},
    {"spit", kNoFiles},
    {"sprintf", "Write (format \"%d\" x).", "format"},
    {"string", "(str x ..) makes a text.", "str"},
    {"string-join", "Write (join separator coll).", "join"},
    {"strip", "Write (trim s).", "trim"},
    {"substr", "Write (subs s start end).", "subs"},
    {"substring", "Write (subs s start end).", "subs"},
    {"swap!", kNoState},
    {"switch", "Write (case value constant result .. default).", "case"},
    {"symbol", "There are no symbols as data: use keywords, (keyword s).", "keyword"},
    {"sum-of", "Write (sum-by key coll), or (reduce + coll).", "sum-by"},
    {"tail", "(rest coll) is all but the first item.", "rest"},
    {"take-nth", "Write (map first (partition-all n coll))."},
    {"this", "There are no objects: data are maps, and functions take them as arguments."},
    {"throw", kNoExceptions},
    {"time", kNoClock},
    {"to-array", kVector, "vec"},
    {"toLowerCase", "Write (lower-case s).", "lower-case"},
    {"toString", "Write (str x).", "str"},
    {"toUpperCase", "Write (upper-case s).", "upper-case"},
    {"to_string", "Write (str x).", "str"},
    {"transduce", kNoTransducers},
    {"transient", "Collections that nobody else uses are updated in place anyway: use conj and assoc."},
    {"conj!", "Collections that nobody else uses are updated in place anyway: use conj.", "conj"},
    {"assoc!", "Collections that nobody else uses are updated in place anyway: use assoc.", "assoc"},
    {"persistent!", "Collections that nobody else uses are updated in place anyway: leave persistent! out."},
    {"trim-end", "Write (trimr s).", "trimr"},
    {"trim-start", "Write (triml s).", "triml"},
    {"try", kNoExceptions},
    {"typeof", "(type x) gives the kind of a value as a keyword.", "type"},
    {"undefined", kNil, "nil"},
    {"unless", "Write (when-not test ..).", "when-not"},
    {"upper", "Write (upper-case s).", "upper-case"},
    {"uppercase", "Write (upper-case s).", "upper-case"},
    {"use", kNoNamespaces},
    {"var", "Write the name itself."},
    {"values", "Write (vals m).", "vals"},
    {"vec-of", kVector, "vector"},
    {"volatile!", kNoState},
    {"vswap!", kNoState},
    {"when-else", kForm, "if"},
    {"while", kLoops},
    {"with-meta", "Values carry no metadata: leave with-meta out."},
    {"with-open", kNoFiles},
    {"xor", "Write (not= (boolean a) (boolean b))."},
    {"||", "Write (or a b).", "or"},
};

/// The same for Java's methods.
constexpr Advice kMethodAdvice[] = {
    {".add", "(conj coll x) gives the collection with x added.", "conj"},
    {".append", "Write (str a b).", "str"},
    {".compareTo", "Write (compare a b).", "compare"},
    {".concat", "Write (str a b).", "str"},
    {".containsKey", "Write (contains? m key).", "contains?"},
    {".entrySet", "Write (entries m), or go through the map itself.", "entries"},
    {".equals", "Write (= a b).", "="},
    {".filter", "Write (filter f coll)."},
    {".forEach", "Write (doseq [x coll] ..)."},
    {".format", "Write (format \"%d\" x): the format comes first."},
    {".get", "Write (get coll key), or (nth coll index).", "get"},
    {".getClass", "(type x) gives the kind of a value as a keyword.", "type"},
    {".hashCode", "Values are compared by content: write (= a b)."},
    {".isBlank", "Write (blank? s).", "blank?"},
    {".join", "Write (join separator coll)."},
    {".keySet", "Write (keys m).", "keys"},
    {".map", "Write (map f coll)."},
    {".matches", "Write (re-matches #\"..\" s)."},
    {".put", "(assoc m key value) gives the map with the entry added.", "assoc"},
    {".remove", "(dissoc m key) and (disj set x) give the collection without it."},
    {".repeat", "Write (join (map (constantly s) (range n)))."},
    {".replace", "Write (replace s what by).", "replace"},
    {".replaceAll", "Write (replace s #\"..\" by)."},
    {".replaceFirst", "Write (replace-first s #\"..\" by)."},
    {".reverse", "Write (clojure.string/reverse s) for a text, (reverse coll) for a collection."},
    {".size", kCount, "count"},
    {".split", "Write (split s #\"..\")."},
    {".strip", "Write (trim s).", "trim"},
    {".stream", "Write (map f coll), (filter f coll): they take any collection."},
    {".toCharArray", "Write (seq s).", "seq"},
    {".toString", "Write (str x).", "str"},
    {".values", "Write (vals m).", "vals"},
};

const Advice* find_method_advice(std::string_view name) {
    for (const Advice& advice : kMethodAdvice) {
        if (advice.name == name) return &advice;
    }
    return nullptr;
}

const Advice* find_advice(std::string_view name) {
    for (const Advice& advice : kAdvice) {
        if (advice.name == name) return &advice;
    }
    return nullptr;
}

/// The entry whose name is one typing error away.
const Advice* nearest_advice(std::string_view name) {
    for (const Advice& advice : kAdvice) {
        if (advice.name.size() >= 4 && edit_distance(name, advice.name, 1) <= 1) return &advice;
    }
    return nullptr;
}

std::string plural(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

} // namespace

// ---- Names
// -----------------------------------------------------------------------------------------------------------

Error unknown_name(Span where, std::string_view name, const std::vector<std::string>& nearest) {
    Error error(Reason::UnboundVar, where, quote(name) + " is not defined.", did_you_mean(nearest));
    if (!nearest.empty()) error.edits.push_back({where, nearest.front()});
    return error;
}

std::optional<Error> absent_name(Span where, std::string_view name) {
    const Advice* advice = find_advice(name);
    const bool misspelt = !advice && name.size() >= 4 && (advice = nearest_advice(name)) != nullptr;
    if (!advice) return std::nullopt;
    Error error(Reason::UnboundVar, where,
                quote(name) + (misspelt ? " is not defined." : " does not exist in PTC-Lisp."), advice->advice);
    if (advice->edit) error.edits.push_back({where, advice->edit});
    return error;
}

Error used_before_definition(Span where, std::string_view name, Span definition) {
    return Error(Reason::UnboundVar, where, quote(name) + " is used before it is defined.",
                 "Move the definition above this form.")
        .with_label(definition, "defined here");
}

Error special_form_as_value(Span where, std::string_view name) {
    return Error(Reason::UnboundVar, where, quote(name) + " is a special form and has no value.",
                 "Wrap it in a function: #(" + std::string(name) + " ..).");
}

Error whole_context(Span where, std::string_view name) {
    return Error(Reason::UnboundVar, where, quote(name) + " is not a value.",
                 "Context values are read one by one: " + std::string(name) + "/name.");
}

Error placeholder_outside(Span where, std::string_view name) {
    return Error(Reason::InvalidPlaceholder, where, quote(name) + " stands outside of #().",
                 "Placeholders name the parameters of #(..); inside of (fn [x] ..) use the parameter's name.");
}

Error bad_placeholder(Span where, std::string_view name) {
    return Error(Reason::InvalidPlaceholder, where, quote(name) + " is not a placeholder.",
                 "Write %, %1 to %20, or %&.");
}

Error unknown_namespace(Span where, std::string_view space, const std::vector<std::string>& nearest) {
    return Error(Reason::InvalidForm, where, "There is no namespace " + quote(space) + ".",
                 nearest.empty() ? "Most names need no namespace: write join, not str/join." : did_you_mean(nearest));
}

Error unknown_member(Span where, std::string_view space, std::string_view member,
                     std::span<const std::string_view> members, const std::vector<std::string>& nearest) {
    Error error(Reason::InvalidForm, where, quote(space) + " has no " + quote(member) + ".", did_you_mean(nearest));
    if (!nearest.empty()) {
        error.edits.push_back({where, std::string(space) + "/" + nearest.front()});
        error.hint += " ";
    }
    if (!members.empty()) error.hint += "It has " + list_of(members, 24) + ".";
    return error;
}

Error unknown_method(Span where, std::string_view name, const std::vector<std::string>& nearest) {
    const std::string message = "There is no method or constructor " + quote(name) + ".";
    if (const Advice* advice = find_method_advice(name)) {
        Error error(Reason::UnsupportedMethod, where, message, advice->advice);
        if (advice->edit) error.edits.push_back({where, advice->edit});
        return error;
    }
    Error error(Reason::UnsupportedMethod, where, message, did_you_mean(nearest));
    if (!nearest.empty()) error.edits.push_back({where, nearest.front()});
    return error;
}

Error unknown_tool(Span where, std::string_view name, const std::vector<std::string>& nearest, bool any,
                   std::string_view written) {
    Error error(Reason::UnknownTool, where, "There is no tool " + quote(name) + ".",
                any ? did_you_mean(nearest) : "This program has no tools.");
    if (!nearest.empty()) {
        const std::string_view end = written == "\"" ? written : std::string_view();
        error.edits.push_back({where, std::string(written).append(nearest.front()).append(end)});
    }
    return error;
}

// ---- Calls
// -----------------------------------------------------------------------------------------------------------

std::string argument_count(std::size_t min, std::size_t max) {
    if (max == SIZE_MAX) return "at least " + plural(min, "argument");
    if (min == max) return min == 0 ? "no arguments" : plural(min, "argument");
    if (max == min + 1) return std::to_string(min) + " or " + plural(max, "argument");
    return std::to_string(min) + " to " + plural(max, "argument");
}

Error wrong_arity(Reason reason, Span call, std::string_view name, std::string_view takes, std::size_t got,
                  std::string usage) {
    const bool is_name = name.find(' ') == std::string_view::npos;
    std::string message = is_name ? quote(name) : std::string(name);
    if (!is_name) message[0] = static_cast<char>(message[0] - ('a' <= message[0] && message[0] <= 'z' ? 'a' - 'A' : 0));
    message += " takes " + std::string(takes) + ", not " + std::to_string(got) + ".";
    return Error(reason, call, std::move(message), std::move(usage));
}

std::string describe_form(const Form& form) {
    switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Integer: return "the number " + std::to_string(form.integer);
    case FormKind::BigInteger:
    case FormKind::Float: return "a number";
    case FormKind::String: return "a string";
    case FormKind::Keyword: return "the keyword " + quote(":" + std::string(form.text()));
    case FormKind::Symbol: return "the name " + quote(form.text());
    case FormKind::Regex: return "a regex";
    case FormKind::List: return "a call";
    case FormKind::Vector: return "a vector";
    case FormKind::Map: return "a map";
    case FormKind::Set: return "a set";
    case FormKind::ShortFn: return "a function";
    case FormKind::Var: return "a var";
    case FormKind::Quote: return "a quoted name";
    }
    return "this";
}

Error not_a_function(Span where, std::string_view text) {
    return Error(Reason::NotCallable, where, "A call starts with a function, not with " + std::string(text) + ".",
                 "Data are written in square brackets: [1 2 3].");
}

Error not_a_function_argument(Span where, std::string_view function, std::size_t position, std::string_view text) {
    return Error(Reason::TypeError, where,
                 quote(function) + " needs a function as argument " + std::to_string(position) + ", not " +
                     std::string(text) + ".");
}

Error bad_keyword_call(Span call, std::string_view keyword, std::size_t got) {
    return Error(Reason::InvalidKeywordCall, call,
                 "A keyword takes a map and perhaps a default, not " + plural(got, "argument") + ".",
                 "(:" + std::string(keyword) + " map) or (:" + std::string(keyword) + " map default)");
}

Error bad_map_call(Span call, std::size_t got) {
    return Error(Reason::InvalidMapCall, call,
                 "A map takes a key and perhaps a default, not " + plural(got, "argument") + ".",
                 "({..} key) or ({..} key default)");
}

Error bad_tool_arguments(Span where, std::string_view tool, std::string_view what) {
    const std::string name = "tool/" + std::string(tool);
    return Error(Reason::InvalidToolArgs, where, quote(name) + " takes named arguments, not " + std::string(what) + ".",
                 "(" + name + " {:name value}) or (" + name + " :name value)");
}

Error not_available(Span where, std::string_view name) {
    return Error(Reason::InvalidForm, where, quote(name) + " is not available here.");
}

// ---- Special forms
// ---------------------------------------------------------------------------------------------------

Error wrong_parts(Span form, const SpecialForm& special, std::size_t got) {
    return Error(Reason::InvalidArity, form, quote(special.name) + " cannot have " + plural(got, "part") + ".",
                 special.usage);
}

Error bad_form(Span where, const SpecialForm& special, std::string_view what) {
    return Error(Reason::InvalidForm, where, quote(special.name) + ": " + std::string(what) + ".", special.usage);
}

Error bad_shape(Span where, std::string message, std::string hint) {
    return Error(Reason::InvalidForm, where, std::move(message), std::move(hint));
}

Error bad_condition(Span where, std::string message, std::string hint) {
    return Error(Reason::InvalidCondForm, where, std::move(message), std::move(hint));
}

Error bad_threading(Span where, const SpecialForm& special, std::string_view what) {
    return Error(Reason::InvalidThreadForm, where, quote(special.name) + ": " + std::string(what) + ".", special.usage);
}

Error threaded_literal(Span step) {
    Error error(Reason::InvalidForm, step, "A function literal is no step: the value would land among its parameters.",
                "To call it with the value write ((fn [x] ..)), with brackets of its own.");
    error.edits.push_back({{step.begin, step.begin}, "("});
    error.edits.push_back({{step.end, step.end}, ")"});
    return error;
}

Error bad_pattern(Span where, std::string_view text) {
    return Error(Reason::UnsupportedPattern, where,
                 "Only names, vectors and maps can be bound, not " + std::string(text) + ".",
                 "name, [a b & more], {:keys [a b]}");
}

Error misplaced_recur(Span where, bool in_any) {
    return Error(
        Reason::InvalidForm, where,
        in_any ? "`recur` is not the last thing that its loop or function does."
               : "`recur` stands in no loop and no function.",
        in_any ? "Its value cannot be used: call the function by its name instead, or move the work into the arguments."
               : "(loop [i 0] (if (< i 10) (recur (inc i)) i))");
}

Error wrong_recur(Span where, std::size_t expected, std::size_t got, bool loop) {
    return Error(Reason::ArityMismatch, where,
                 std::string("This ") + (loop ? "loop" : "function") + " has " + plural(expected, "variable") +
                     ", and `recur` gives " + plural(got, "value") + ".");
}

Error nested_short_fn(Span where) {
    return Error(Reason::InvalidForm, where, "`#()` cannot stand inside of another `#()`.",
                 "Write the inner one as (fn [x] ..).");
}

Error repeated_key(Span where, Span first, const char* what) {
    return Error(Reason::DuplicateKey, where, std::string("The same ") + what + " stands here twice.",
                 "Leave one of them out.")
        .with_label(first, "first here");
}

// ---- Limits
// ----------------------------------------------------------------------------------------------------------

Error program_too_large(Span where, std::string_view what, std::size_t limit) {
    return Error(Reason::LimitExceeded, where,
                 "The program has more than " + std::to_string(limit) + " " + std::string(what) + ".");
}

} // namespace ptc
