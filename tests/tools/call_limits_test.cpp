// The limits matrix of calls: what a function of the language takes at most, what a function or a record of a program
// has at most, and what may cross the boundary and be checked. At the edge it works, one beyond it ends with the
// limit's own reason, in a session that goes on.
#include "subagent/engine/convert.h"
#include "tests/support/edges.h"
#include <ptc/ptc.h>

namespace ptc {
namespace {

using test::end_of, test::expect_edges, test::times;

Limits lax() {
    Limits limits;
    limits.timeout = {};
    limits.fuel = std::int64_t{1} << 40;
    limits.heap_bytes = std::size_t{1} << 30;
    limits.max_result_bytes = std::size_t{1} << 30;
    return limits;
}

const Engine& engine() {
    static const Engine made([] {
        EngineOptions options;
        options.limits = lax();
        options.tools.push_back(
            {.name = "id", .function = [](const Datum& arguments) -> Result<Datum> { return *arguments.find("x"); }});
        options.warnings = false;
        options.threads = 0;
        options.tool_threads = 0;
        return options;
    }());
    return made;
}

/// `text` with the size in place of each `$`.
std::string sized(std::string text, std::size_t n) {
    for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at))
        text.replace(at, 1, std::to_string(n));
    return text;
}

TEST(CallLimits, OfFunctionsOfTheLanguage) {
    struct Call {
        const char* function;
        const char* limit;
        std::size_t most;
        const char* reason;
        const char* program;
    };
    static constexpr const char* kDeep = "(apply str (concat (repeat $ \"[\") (repeat $ \"]\")))";
    const std::string deep = kDeep;
    const auto of_deep = [&](const std::string& before, const std::string& behind) { return before + deep + behind; };
    const std::string read_str = of_deep("(count [(json/read-str ", ")])");
    const std::string parse = of_deep("(or (json/parse-string ", ") (throw (Exception. \"nil\")))");
    const std::string lines = of_deep("(or (first (json/parse-lines ", ")) (throw (Exception. \"nil\")))");
    const std::string edn = of_deep("(count [(edn/read-string ", ")])");
    Session session(engine());
    for (const Call& call : {
             Call{"format", "width", 65'536, "runtime_error", "(count (format \"%$d\" 1))"},
             Call{"format", "precision", 65'536, "runtime_error", "(count (format \"%.$f\" 1.5))"},
             Call{"String/format", "arguments", 1000, "runtime_error", "(String/format \"%s\" (into-array (range $)))"},
             Call{".setScale", "places", 1000, "arithmetic_error", "(.setScale 1.5 $)"},
             Call{".pow", "exponent", 2'147'483'647, "arithmetic_error", "(.pow (biginteger 1) $)"},
             Call{"re-pattern", "repetitions", 65'535, "runtime_error", "(re-find (re-pattern \"a{$}\") \"b\")"},
             Call{"DateTimeFormatter/ofPattern", "letters", 9, "runtime_error",
                  "(DateTimeFormatter/ofPattern (apply str (repeat $ \"S\")))"},
             Call{"LocalDate/of", "year", 9999, "type_error", "(LocalDate/of $ 1 1)"},
             Call{"atom", "of a run", 100'000, "limit_exceeded", "(dotimes [_ $] (atom 1))"},
             Call{"json/read-str", "levels", 512, "invalid_json", read_str.c_str()},
             Call{"json/parse-string", "levels", 512, "runtime_error", parse.c_str()},
             Call{"json/parse-lines", "levels", 512, "runtime_error", lines.c_str()},
             Call{"edn/read-string", "levels", 512, "runtime_error", edn.c_str()},
         })
        expect_edges({{call.function, call.limit, call.most, call.reason,
                       [&](std::size_t n) { return end_of(session.run(sized(call.program, n))); }}});
}

std::string numbered(std::size_t n, const std::string& before, const std::string& behind = " ") {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += before + std::to_string(i) + behind;
    return text;
}

TEST(CallLimits, OfFunctionsOfPrograms) {
    Session session(engine());
    const auto ran = [&](const std::string& text) { return end_of(session.run(text)); };
    expect_edges({
        {"a function", "parameters", 200, "limit_exceeded",
         [&](std::size_t n) { return ran("(def f (fn [" + numbered(n, "p") + "] p0)) 1"); }},
        {"a record", "fields", 200, "limit_exceeded",
         [&](std::size_t n) { return ran("(defrecord R [" + numbered(n, "p") + "]) 1"); }},
        {"a function", "values at once", 124, "limit_exceeded", // twice: as variables, and as what is captured
         [&](std::size_t n) {
             return ran("(defn f [x] (let [" + numbered(n, "v", " (str x) ") + "] (fn [] [" + numbered(n, "v") +
                        "]))) (count ((f 1)))");
         }},
        {"an integer in a program", "digits", 100, "parse_error",
         [&](std::size_t n) { return ran(std::string(n, '9')); }},
    });
}

TEST(CallLimits, OfWhatCrossesTheBoundary) {
    Session session(engine());
    const auto as_tree = [&](const std::string& program) {
        RunOptions options;
        options.want_datum = true;
        return end_of(session.run(program, options));
    };
    const auto passed = [&](const std::string& program) {
        RunOptions options;
        options.accept = [](bool, const Datum&) -> Result<std::optional<Datum>> { return std::optional<Datum>(); };
        return end_of(session.run(program, options));
    };
    const auto kept = [&](const std::string& program) {
        EXPECT_TRUE(session.run("(def x " + program + ") 1").ok());
        return end_of(session.value("x"));
    };
    const auto given = [&](const std::string& program) {
        return end_of(session.run("(count [(tool/id {:x " + program + "})])"));
    };
    const auto values = [](std::size_t n) { return sized("(vec (repeat $ 1))", n - 1); }; // and itself
    const auto text = [](std::size_t n) {
        return sized("(subs (loop [s \"x\"] (if (< (count s) $) (recur (str s s)) s)) 0 $)", n);
    };
    expect_edges({
        {"a result as a tree", "values", kMaxBoundaryValues, "limit_exceeded",
         [&](std::size_t n) { return as_tree(values(n)); }},
        {"a result that is looked at", "values", kMaxBoundaryValues, "limit_exceeded",
         [&](std::size_t n) { return passed(values(n)); }},
        {"Session::value", "values", kMaxBoundaryValues, "limit_exceeded",
         [&](std::size_t n) { return kept(values(n)); }},
        {"a tool's arguments", "values", kMaxBoundaryValues - 1, "limit_exceeded", // the map of them is one
         [&](std::size_t n) { return given(values(n)); }},
        {"a result as a tree", "bytes of text", kMaxBoundaryBytes, "limit_exceeded",
         [&](std::size_t n) { return as_tree(text(n)); }},
        {"Session::value", "bytes of text", kMaxBoundaryBytes, "limit_exceeded",
         [&](std::size_t n) { return kept(text(n)); }},
        {"a tool's arguments", "bytes of text", kMaxBoundaryBytes - 1, "limit_exceeded", // its key is "x"
         [&](std::size_t n) { return given(text(n)); }},
    });
}

TEST(CallLimits, OfSchemas) {
    const auto text = [](std::size_t n) {
        return end_of(compile_signature("[:=> [:cat] " + times("[:vector ", n) + ":int" + times("]", n) + "]"));
    };
    const auto data = [](std::size_t n) {
        Datum schema(Datum::Keyword{"int"});
        for (std::size_t i = 0; i < n; ++i)
            schema = Datum(Datum::List{Datum(Datum::Keyword{"vector"}), std::move(schema)});
        return end_of(compile_malli(schema));
    };
    expect_edges({
        {"a schema as text", "bytes", 1u << 20, "parse_error",
         [](std::size_t n) { return end_of(compile_signature("[:=> [:cat] :any]" + std::string(n - 17, ' '))); }},
        {"a schema as text", "levels", 511, "parse_error", text}, // the brackets around them are one more
        {"a schema as data", "levels", 512, "limit_exceeded", data},
    });
}

// All errors of a value are counted; the first hundred are told.
TEST(CallLimits, OfErrorsOfAValue) {
    const SignaturePtr signature = compile_signature("() -> [:int]").value();
    for (const std::size_t wrong : {std::size_t{100}, std::size_t{101}}) {
        const Datum rows(Datum::List(wrong, Datum("x")));
        const Validation found = validate(*signature, Direction::Output, rows, {}).value();
        EXPECT_EQ(found.errors.size(), 100u);
        EXPECT_EQ(found.more_errors, wrong - 100);
    }
}

} // namespace
} // namespace ptc
