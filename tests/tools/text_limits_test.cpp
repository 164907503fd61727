// The limits matrix of what is read and written: sources, JSON, data, signatures, templates, bytecode, snapshots,
// missions, recordings, requests. A row makes something of a size, at an entry point that has a limit: at the edge it
// works, one beyond it ends with the limit's own reason, and the next thing works as if nothing had been.
// run_limits_test.cpp has the limits of runs.
#include "compiler/bounds/fuel_bound.h"
#include "frontend/format/format.h"
#include "frontend/work.h"
#include "ptc/template.h"
#include "runtime/json.h"
#include "subagent/agent/whole_file.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/session_snapshot.h"
#include "tests/subagent/missions.h"
#include "tests/support/edges.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vocabulary.h"
#include "tools/batch.h"
#include "tools/eval_batch.h"
#include "tools/io.h"
#include "tools/outcome_json.h"
#include "tools/serve/chat_wire.h"
#include "tools/trace/trace_diff.h"
#include "tools/trace/trace_tree.h"
#include "vm/program_file.h"
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <ptc/checkpoint.h>
#include <ptc/ptc.h>
#include <ptc/recording.h>
#include <ptc/trace.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ptc {
namespace {

using test::end_of, test::expect_edges, test::least_that_works, test::times;
std::string end_of(const Step& step) { return reason_of(step); }

std::string padded(std::size_t size) { return "1" + std::string(size - 1, ' '); }
std::string nested(std::size_t levels) { return times("[", levels) + times("]", levels); }
std::string names(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += "(def n" + std::to_string(i) + " 1) ";
    return text;
}
std::string constants(std::size_t count) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i)
        text += "\"t" + std::to_string(i) + "\" ";
    return text + "]";
}
Datum nested_list(std::size_t levels) {
    Datum value(Datum::List{Datum(1)});
    for (std::size_t i = 1; i < levels; ++i)
        value = Datum(Datum::List{std::move(value)});
    return value;
}

EngineOptions small() {
    EngineOptions options;
    options.limits.max_source_bytes = 3000;
    options.limits.max_nesting = 40;
    options.limits.max_symbols = 30;
    options.limits.max_constants = 50;
    options.limits.timeout = {};
    options.tools.push_back({.name = "pause"});
    options.tools.push_back(
        {.name = "id", .function = [](const Datum& arguments) -> Result<Datum> { return *arguments.find("x"); }});
    options.threads = 0;
    options.tool_threads = 0;
    return options;
}
const Engine& small_engine() {
    static const Engine engine(small());
    return engine;
}

/// What takes the text of a program, of a session or of none.
std::vector<std::pair<const char*, std::function<std::string(const std::string&)>>> readers() {
    static Session session(small_engine());
    return {
        {"Engine::compile", [](const std::string& text) { return end_of(small_engine().compile(text)); }},
        {"Engine::run", [](const std::string& text) { return end_of(small_engine().run(text)); }},
        {"Session::compile", [](const std::string& text) { return end_of(session.compile(text)); }},
        {"Session::run",
         [](const std::string& text) {
             session.clear();
             return end_of(session.run(text));
         }},
    };
}

TEST(TextLimits, OfPrograms) {
    for (const auto& [entry, read] : readers()) {
        const auto attempt = [&read](std::string (*make)(std::size_t)) {
            return [&read, make](std::size_t n) { return read(make(n)); };
        };
        expect_edges({
            {entry, "bytes", 3000, "parse_error", attempt(padded)},
            {entry, "nesting", 40, "parse_error", attempt(nested)},
            {entry, "names", 30, "limit_exceeded", attempt(names)},
            {entry, "constants", 49, "limit_exceeded", attempt(constants)},
            {entry, "digits", 100, "parse_error", [&read](std::size_t n) { return read(std::string(n, '9')); }},
        });
    }
}

TEST(TextLimits, OfProtocols) {
    const Engine engine({.threads = 0, .tool_threads = 0});
    const auto each = [](std::size_t n, const std::string& before, const std::string& behind) {
        std::string text;
        for (std::size_t i = 0; i < n; ++i)
            text += before + std::to_string(i) + behind;
        return text;
    };
    const auto compiled = [&](const std::string& text) { return end_of(engine.compile(text)); };
    expect_edges({
        {"a program", "methods in protocols", 256, "limit_exceeded",
         [&](std::size_t n) { return compiled("(defprotocol P " + each(n, "(m", " [x])") + ")"); }},
        {"a program", "methods of types", 256, "limit_exceeded",
         [&](std::size_t n) {
             const auto all = [&](std::size_t m) { return "P " + each(m, "(m", " [x] 1)") + ")"; };
             return compiled("(defprotocol P " + each(200, "(m", " [x])") + ") (extend-type String " + all(200) +
                             "(extend-type Number " + all(n - 200));
         }},
        {"a program", "types with methods", 64, "limit_exceeded",
         [&](std::size_t n) {
             return compiled("(defprotocol P (f [x])) " + each(n - 1, "(defrecord R", " [a])") +
                             "(defrecord Last [a] P (f [_] 1))");
         }},
    });
}

TEST(TextLimits, OfPatterns) {
    const auto made = [](const std::string& call) {
        return [call](std::size_t n) {
            return end_of(small_engine().run("(" + call + " (apply str (repeat " + std::to_string(n) + " \"-\")))"));
        };
    };
    expect_edges({
        {"a regex of a program", "bytes", 256, "runtime_error", made("re-pattern")},
        {"a pattern of dates", "bytes", 1000, "runtime_error", made("DateTimeFormatter/ofPattern")},
        {"a pattern of dates", "bytes", 1000, "runtime_error", made("java.text.SimpleDateFormat.")},
    });
}

TEST(TextLimits, OfPreludes) {
    const auto prelude = [](const std::string& text) {
        EngineOptions options = small();
        options.preludes.push_back(PreludeSource{"p.ptc", "(ns p \"doc\") " + text});
        const Engine engine(options);
        return engine.problems().empty() ? "ok" : end_of(engine.problems().front());
    };
    expect_edges({
        {"a prelude", "bytes", 3000, "invalid_prelude",
         [&](std::size_t n) { return prelude("(def x 1)" + std::string(n - 22, ' ')); }},
        {"a prelude", "nesting", 39, "invalid_prelude",
         [&](std::size_t n) { return prelude("(def x " + nested(n) + ")"); }},
    });
}

TEST(TextLimits, OfLayout) {
    const auto layout = [](const std::string& text) {
        Diagnostics diagnostics;
        (void)format_source(Source("test", text), test::vocabulary(), diagnostics);
        return end_of(diagnostics);
    };
    expect_edges({
        {"fmt", "bytes", 1u << 20, "parse_error", [&](std::size_t n) { return layout(padded(n)); }},
        {"fmt", "nesting", 512, "parse_error", [&](std::size_t n) { return layout(nested(n)); }},
        {"fmt", "digits", 100, "parse_error", [&](std::size_t n) { return layout(std::string(n, '9')); }},
    });
}

TEST(TextLimits, OfJson) {
    const auto run = [](const std::string& json) {
        RunOptions options;
        const auto data = DataSet::from_json("x", json);
        if (!data.ok()) return end_of(data);
        options.data.push_back(data.value());
        return end_of(small_engine().run("(count [data/x])", options));
    };
    const auto parse = [](const std::string& json) {
        const auto text = DataSet::from_text("x", json);
        RunOptions options;
        options.data.push_back(text.value());
        return end_of(small_engine().run("(count [(json/parse-string data/x)])", options));
    };
    const auto chat = [](const std::string& json) -> std::string {
        const auto read =
            read_chat_request(R"({"model":"m","messages":[{"role":"user","content":"x"}],"x":)" + json + "}");
        const auto* error = std::get_if<WireError>(&read);
        return error ? error->type : "ok";
    };
    expect_edges({
        {"DataSet::from_json", "nesting", 512, "invalid_json", [&](std::size_t n) { return run(nested(n)); }},
        {"DataSet::from_json", "digits", 10'000, "limit_exceeded",
         [&](std::size_t n) { return run(std::string(n, '9')); }},
        {"json/parse-string", "digits", 10'000, "limit_exceeded",
         [&](std::size_t n) { return parse(std::string(n, '9')); }},
        {"Datum::from_json", "nesting", 512, "invalid_json",
         [](std::size_t n) { return end_of(Datum::from_json(nested(n))); }},
        {"Datum::from_json", "digits", 10'000, "limit_exceeded",
         [](std::size_t n) { return end_of(Datum::from_json(std::string(n, '9'))); }},
        {"a chat request", "nesting", 511, "invalid_request_error", [&](std::size_t n) { return chat(nested(n)); }},
        {"a chat request", "digits", 10'000, "invalid_request_error",
         [&](std::size_t n) { return chat(std::string(n, '9')); }},
    });
}

/// What a program makes of `levels` vectors in each other.
std::string deep(std::size_t levels) {
    return "(reduce (fn [v _] [v]) [1] (range " + std::to_string(levels - 1) + "))";
}

TEST(TextLimits, OfValuesThatCrossTheBoundary) {
    Session session(small_engine());
    const auto as_tree = [&](std::size_t n) {
        RunOptions options;
        options.want_datum = true;
        return end_of(session.run(deep(n), options));
    };
    const auto answered = [&](std::size_t n) {
        RunState state = session.start("(count [(tool/pause {})])");
        EXPECT_TRUE(std::holds_alternative<Suspended>(state));
        state = session.resume(nested_list(n));
        return end_of(std::get<Outcome>(state));
    };
    expect_edges({
        {"a result as a tree", "nesting", 512, "limit_exceeded", as_tree},
        {"a tool's arguments", "nesting", 511, "limit_exceeded",
         [&](std::size_t n) { return end_of(session.run("(count [(tool/id {:x " + deep(n) + "})])")); }},
        {"an answer of the host", "nesting", 512, "limit_exceeded", answered},
        {"DataSet::from_datum", "nesting", 511, "limit_exceeded",
         [](std::size_t n) {
             return end_of(DataSet::from_datum(Datum::object({{"x", nested_list(n)}})));
         }},
        {"Session::define", "nesting", 512, "limit_exceeded",
         [&](std::size_t n) { return end_of(session.define("x", nested_list(n))); }},
        {"Session::push_history", "nesting", 512, "limit_exceeded",
         [&](std::size_t n) { return end_of(session.push_history(nested_list(n))); }},
        {"Session::value", "nesting", 512, "limit_exceeded",
         [&](std::size_t n) {
             EXPECT_TRUE(session.run("(def x " + deep(n) + ")").ok());
             return end_of(session.value("x"));
         }},
        {"a text that is cut", "bytes", 1000, "cut",
         [&](std::size_t n) {
             bool is_cut = false;
             EXPECT_TRUE(session.define("x", Datum(std::string(n - 2, 'x'))).ok());
             EXPECT_EQ(session.value_text("x", 1000, &is_cut)->size() > 1000, false);
             return std::string(is_cut ? "cut" : "ok");
         }},
    });
    EXPECT_NE(session.define("x", nested_list(513)).error().message.find("cannot enter the sandbox"),
              std::string::npos);
}

// In a heap they are one object, in a tree a text each time: so much as a function has parameters, or a regex a
// pattern.
TEST(TextLimits, OfTextsThatAreMadeForATree) {
    const std::string parameter(240, 'p'), text = "\"" + std::string(240, 'x') + "\"";
    RunOptions options;
    options.limits.emplace().timeout = {};
    options.limits->heap_bytes = kMinTreeBytes;
    for (const std::string& value : {"(fn [" + parameter + "] 1)", "(re-pattern " + text + ")", "{[" + text + "] 1}"}) {
        Session session(small_engine());
        const auto ends = [&](std::size_t n) {
            const std::string many = "(let [v " + value + "] (vec (repeat " + std::to_string(n) + " v)))";
            const std::string argument = end_of(session.run("(count [(tool/id {:x " + many + "})])", options));
            EXPECT_EQ(end_of(session.run("(do (def d " + many + ") 1)", options)), "ok");
            return argument + ", " + end_of(session.value("d"));
        };
        EXPECT_EQ(ends(1000), "ok, ok") << value.substr(0, 20);
        EXPECT_EQ(ends(70'000), "limit_exceeded, limit_exceeded") << value.substr(0, 20);
        EXPECT_EQ(ends(1000), "ok, ok") << value.substr(0, 20);
    }
}

TEST(TextLimits, OfSignatures) {
    const auto spaced = [](std::size_t n) {
        return end_of(compile_signature("(a :int)" + std::string(n - 16, ' ') + " -> :any"));
    };
    const auto levels = [](std::size_t n) {
        return end_of(compile_signature("() -> " + times("[", n) + ":int" + times("]", n)));
    };
    expect_edges({
        {"a signature", "bytes", 64u << 10, "parse_error", spaced},
        {"a signature", "nesting", 512, "parse_error", levels},
        {"validate", "nesting of values", 512, "limit_exceeded",
         [](std::size_t n) {
             const SignaturePtr any = compile_signature("() -> :any").value();
             return end_of(validate(*any, Direction::Output, nested_list(n)));
         }},
    });
}

TEST(TextLimits, OfValidation) { // of values: in a heap, with fuel
    const SignaturePtr signature = compile_signature("() -> [:int]").value();
    const Datum rows(Datum::List(3000, Datum(1)));
    const auto checked = [&](const std::function<void(Limits&)>& set) {
        ValidationOptions options;
        options.limits.timeout = {};
        set(options.limits);
        return end_of(validate(*signature, Direction::Output, rows, options));
    };
    EXPECT_EQ(checked([](Limits&) {}), "ok");
    EXPECT_EQ(checked([](Limits& limits) { limits.heap_bytes = 20'000; }), "memory_exceeded");
    EXPECT_EQ(checked([](Limits& limits) { limits.fuel = 1000; }), "fuel_exhausted");
}

TEST(TextLimits, OfTemplates) {
    const auto levels = [](std::size_t n) { return end_of(Template::parse(times("{{#a}}", n) + times("{{/a}}", n))); };
    const auto text = [](std::size_t n) {
        const Datum context = Datum::object({{"a", Datum(std::string(n - 5, 'x'))}});
        return end_of(Template::parse("12345{{a}}").value().expand(context, 1000));
    };
    const auto steps = [](std::size_t n) { // a section visits its one node for each item
        const Datum context = Datum::object({{"a", Datum(Datum::List(n - 1, Datum()))}});
        return end_of(Template::parse("{{#a}}{{#b}}{{/b}}{{/a}}").value().expand(context));
    };
    expect_edges({
        {"a template", "nesting", 64, "template_error", levels},
        {"a template", "bytes of its text", 1000, "limit_exceeded", text},
        {"a template", "steps", 1'000'000, "limit_exceeded", steps},
    });
}

TEST(TextLimits, OfSnapshots) {
    Session session(small_engine());
    ASSERT_TRUE(session.run("(def x (vec (range 5000)))").ok());
    RunState state =
        session.start("(defn f [n] (if (= n 0) (tool/pause {}) (inc (f (dec n))))) (println \"12345\") (f 30)");
    ASSERT_TRUE(std::holds_alternative<Suspended>(state));
    const std::string bytes = session.save().value();
    const auto restored = [&](const std::function<void(Limits&)>& set) {
        RunOptions options;
        options.limits = small().limits;
        set(*options.limits);
        return end_of(Session::restore(small_engine(), bytes, options));
    };
    const auto needs = [&](const auto& member) {
        return least_that_works([&](std::uint64_t n) { return restored([&](Limits& limits) { member(limits, n); }); });
    };
    const auto heap = [](Limits& limits, std::size_t n) { limits.heap_bytes = n; };
    const auto depth = [](Limits& limits, std::size_t n) { limits.max_depth = static_cast<std::uint32_t>(n); };
    const auto prints = [](Limits& limits, std::size_t n) { limits.max_print_bytes = n; };
    const auto fuel = [](Limits& limits, std::size_t n) { limits.fuel = static_cast<std::int64_t>(n); };
    EXPECT_GT(needs(heap), 30'000u);
    EXPECT_GT(needs(depth), 30u);
    EXPECT_EQ(needs(prints), 6u);
    for (const auto& [member, reason] :
         {std::pair<void (*)(Limits&, std::size_t), const char*>(heap, "memory_exceeded"),
          {depth, "invalid_snapshot"},
          {prints, "invalid_snapshot"}}) {
        const std::size_t least = needs(member);
        EXPECT_EQ(restored([&](Limits& limits) { member(limits, least - 1); }), reason) << least;
    }
    // Fuel that is used up ends the run that goes on, not the reading.
    RunOptions options;
    options.limits = small().limits;
    fuel(*options.limits, 1);
    auto poor = Session::restore(small_engine(), bytes, options);
    ASSERT_TRUE(poor.ok());
    state = poor.value()->resume(Datum(1));
    EXPECT_EQ(end_of(std::get<Outcome>(state)), "fuel_exhausted");
    EXPECT_EQ(end_of(poor.value()->run("(+ 1 2)")), "ok");
}

/// An engine for which the time of everything is over: its clock stands an hour in the past.
void end_all_time(Engine& engine) {
    impl_of(engine).now = [] { return Meter::Clock::time_point() - std::chrono::hours(1); };
}

TEST(TextLimits, OfTimeBeforeARun) {
    EngineOptions options = small();
    options.limits = Limits();
    Engine engine(options);
    Session session(engine);
    const std::string long_text = times("(map inc [1 2 3])\n", 2000) + "(no-such-name)";
    EXPECT_EQ(end_of(session.run(long_text)), "unbound_var");
    std::vector<std::string> snapshots;
    for (const char* source :
         {"(tool/pause {}) (count v)", "(count (pmap (fn [x] [(tool/pause {}) x (vec (range 9000))]) [v v]))",
          "(count (pmap (fn [x] (let [w (vec (range 9000))] [(tool/pause {}) w])) [1 2 3]))"}) {
        ASSERT_TRUE(session.run("(def v (vec (map str (range 9000))))").ok());
        ASSERT_TRUE(std::holds_alternative<Suspended>(session.start(source)));
        snapshots.push_back(session.save().value());
        session.abandon();
    }
    for (const std::string& bytes : snapshots) {
        EXPECT_EQ(end_of(Session::restore(engine, bytes)), "ok");
        SessionState interrupted(engine);
        interrupted.interrupted = true;
        EXPECT_EQ(end_of(read_session(interrupted, bytes, {})), "interrupted");
    }
    end_all_time(engine);
    EXPECT_EQ(end_of(session.run(long_text)), "timeout");
    for (const std::string& bytes : snapshots)
        EXPECT_EQ(end_of(Session::restore(engine, bytes)), "timeout");
    RunOptions timeless;
    timeless.limits = Limits();
    timeless.limits->timeout = {};
    EXPECT_EQ(end_of(Session::restore(engine, snapshots[0], timeless)), "ok");
    EXPECT_EQ(end_of(session.run(long_text, timeless)), "unbound_var");
}

/// At the edge, and one below it.
void expect_edge(const char* what, const char* reason, const std::function<std::string(std::uint64_t)>& attempt) {
    SCOPED_TRACE(what);
    const std::uint64_t least = least_that_works(attempt);
    ASSERT_GT(least, 1u);
    EXPECT_EQ(attempt(least - 1), reason);
    EXPECT_EQ(attempt(least), "ok") << "after a refusal";
}

std::string end_of_chat(const std::string& json) {
    const auto read = read_chat_request(R"({"model":"m","messages":[{"role":"user","content":"x"}],"x":)" + json + "}");
    const auto* error = std::get_if<WireError>(&read);
    return error ? error->code : "ok";
}

std::string end_of_batch(const std::string& json) {
    const std::string answer = answer_request(
        small_engine(), Limits(), {.number = 1, .text = R"({"id":1,"src":"1","context":{"x":)" + json + "}}"});
    if (answer.find(R"("reason":"timeout")") != answer.npos) return "timeout";
    return answer.find(R"("outcome":"ok")") != answer.npos ? "ok" : answer;
}

TEST(TextLimits, OfFuelOfConstantsOfPreludes) {
    expect_edge("a constant", "invalid_prelude", [](std::uint64_t fuel) {
        EngineOptions options = small();
        options.limits.fuel = static_cast<std::int64_t>(fuel);
        options.preludes.push_back(PreludeSource{"p.ptc", "(ns p \"doc\") (def sum (reduce + (range 1000)))"});
        const Engine engine(options);
        return engine.problems().empty() ? "ok" : end_of(engine.problems().front());
    });
}

// What is read on behalf of a request, a mission or a run ends with the time of that (work::Scope), in any phase.
TEST(TextLimits, OfTimeOfJson) {
    const std::string texts[] = {"[" + times("1,", 30'000) + "1]", "[" + times("{\"a\":[\"x\"]},", 6'000) + "1]",
                                 "[" + times(std::string(9'000, '7') + ",", 30) + "1]"};
    for (const std::string& json : texts) {
        const auto in_slices = [](const std::function<std::string()>& work) {
            return [work](std::uint64_t slices) {
                const work::Scope scope([&slices] { return slices-- > 0; });
                return work();
            };
        };
        expect_edge("a tree", "timeout", in_slices([&] { return end_of(Datum::from_json(json)); }));
        expect_edge("data", "timeout", in_slices([&] { return end_of(DataSet::from_json("x", json)); }));
        expect_edge("a request", "timeout", in_slices([&] { return end_of_chat(json); }));
        expect_edge("a line of a batch", "timeout", in_slices([&] { return end_of_batch(json); }));
        const std::string recorded = R"({"ptc_recording":1,"started_ms":0,"note":)" + json + "}\n";
        const auto read = in_slices([&] { return end_of(Recording::parse(recorded)); });
        expect_edge("a recording", "timeout", read);
        if (&json == &texts[0]) { // of many values: its note is read out of the tree, too
            const auto tree = in_slices([&] { return end_of(Datum::from_json(recorded)); });
            EXPECT_EQ(read(least_that_works(tree)), "timeout");
        }
    }
}

// What a host looks at between runs, on behalf of whoever has a deadline.
TEST(TextLimits, OfTimeOfMemory) {
    Session session(small_engine());
    for (const char* value : {"(vec (range 40000))", "(vec (repeat 30000 \"text\"))", "(str (repeat 60000 \"\\n\"))"}) {
        ASSERT_TRUE(session.run("(def x " + std::string(value) + ") 1").ok());
        expect_edge("a name's text", "timeout", [&](std::uint64_t slices) {
            EXPECT_TRUE(session.run("1").ok()); // what was looked at before is no part of it
            const work::Scope scope([&slices] { return slices-- > 0; });
            bool is_cut = false;
            (void)session.value_text("x", 1'000'000, &is_cut);
            return is_cut ? "timeout" : "ok";
        });
    }
}

// A text that is written into an answer takes the time of the request, and is no larger than it is all of it.
TEST(TextLimits, OfTimeOfAnswers) {
    for (const char* part : {"x", "\n", "ä", "\x80"}) {
        std::string text;
        for (int i = 0; i < 600'000; ++i)
            text += part;
        EXPECT_EQ(json_text_in_time(text), json_string(text)) << part;
        expect_edge("a text of an answer", "timeout", [&](std::uint64_t slices) {
            const work::Scope scope([&slices] { return slices-- > 0; });
            const std::string written = json_text_in_time(text);
            EXPECT_EQ(written.back(), '"');
            return work::is_over() ? "timeout" : "ok";
        });
    }
}

// A trace may be written by anybody: reading it, showing it and comparing it end with the time of whoever wants that.
TEST(TextLimits, OfTimeOfTraces) {
    std::string text = R"({"event":"mission_start","run":1,"parent":0,"time":1,"agent":"a"})"
                       "\n";
    for (int i = 0; i < 2000; ++i)
        text += R"({"event":"tool_start","run":1,"turn":1,"time":1,"tool":"t","arguments":{"x":)" + std::to_string(i) +
                "}}\n";
    const auto in_slices = [](const std::function<void()>& work) {
        return [work](std::uint64_t slices) {
            const work::Scope scope([&slices] { return slices-- > 0; });
            work();
            return work::is_over() ? "timeout" : "ok";
        };
    };
    const TraceTree tree = read_trace(text).value();
    expect_edge("a trace", "timeout", in_slices([&] { (void)read_trace(text); }));
    expect_edge("a trace as text", "timeout", in_slices([&] { (void)trace_text(tree, {}); }));
    expect_edge("a page", "timeout", in_slices([&] { (void)trace_html(tree); }));
    expect_edge("traces that are compared", "timeout", in_slices([&] { (void)compare_traces(tree, tree); }));
    const auto digits = read_trace(R"({"event":"x","run":)" + std::string(20'000, '9') + "}\n");
    EXPECT_NE(digits.error().message.find("digits"), std::string::npos) << digits.error().message;
    const work::Scope over([] { return false; });
    EXPECT_EQ(end_of(read_trace(text)), "timeout");
}

TEST(TextLimits, OfMemoryOfJson) {
    for (const std::string& json : {"[" + times("1,", 50'000) + "1]", "[" + times("{\"a\":[\"x\"]},", 10'000) + "1]"}) {
        const auto limits = [](std::uint64_t bytes) { return ImportLimits{.max_bytes = bytes}; };
        expect_edge("a tree", "memory_exceeded",
                    [&](std::uint64_t bytes) { return end_of(Datum::from_json(json, limits(bytes))); });
        expect_edge("data", "memory_exceeded",
                    [&](std::uint64_t bytes) { return end_of(DataSet::from_json("x", json, limits(bytes))); });
    }
}

// What is spelled in the fewest bytes for its memory fits into what a text may take without a limit of its own.
TEST(TextLimits, OfMemoryOfJsonByItsSize) {
    for (const char* item :
         {"1", "[]", "{}", "\"\"", "[1]", "[[]]", "{\"\":1}", "1.5", "\"\\u00e4\"", "98765432109876543210"}) {
        const std::string json = "[" + times(std::string(item) + ",", 300'000 / (std::strlen(item) + 1)) + "1]";
        const std::uint64_t of_text = import_bytes(json.size()) - import_bytes(0);
        EXPECT_EQ(end_of(DataSet::from_json("x", json, {.max_bytes = of_text})), "ok") << item;
        EXPECT_EQ(end_of(Datum::from_json(json)), "ok") << item;
    }
}

TEST(TextLimits, OfTimeOfLayoutAndOfTheSearchForABound) {
    const auto in_slices = [](int slices, const std::function<std::string()>& work) {
        const work::Scope scope([&slices] { return --slices >= 0; });
        const std::string result = work();
        return work::is_over() ? "over" : result;
    };
    const Source source("test", times("(defn f [x]\n(let [y 1] {:a x\n :b y}))\n", 2000));
    const auto laid_out = [&] {
        Diagnostics diagnostics;
        return format_source(source, test::vocabulary(), diagnostics);
    };
    const std::string whole = laid_out();
    EXPECT_EQ(in_slices(1000, laid_out), whole);
    for (const int slices : {0, 1, 10, 20, 30}) {
        const std::string result = in_slices(slices, laid_out);
        EXPECT_TRUE(result == "over" || result == whole) << slices;
    }
    EXPECT_EQ(in_slices(20, laid_out), "over");
    const Compiled compiled = Engine(EngineOptions{}).compile("(loop [i 0] (if (< i 3000) (recur (inc i)) i))");
    const auto bound = [&] {
        const FuelBound found = fuel_bound(*compiled.program, {});
        return found.units ? "bound" : found.why;
    };
    EXPECT_EQ(bound(), "bound");
    EXPECT_EQ(in_slices(1000, bound), "bound");
    EXPECT_EQ(in_slices(1, bound), "over");
}

TEST(TextLimits, OfBytecode) {
    const Compiled compiled = small_engine().compile("(map inc [1 2 3])");
    ASSERT_TRUE(compiled);
    const EngineImpl& engine = impl_of(small_engine());
    const std::string bytes = write_program(*compiled.program, engine.shared);
    const FunctionResolver resolve = [&](std::string_view name, std::uint32_t arity) {
        return engine.find_function(name, arity);
    };
    const auto read = [&](std::string_view file, std::int64_t units) {
        Meter budget;
        budget.start(units, Meter::Clock::time_point::max(), nullptr, 1);
        return end_of(read_program(file, resolve, engine.shared, budget));
    };
    EXPECT_EQ(read(bytes, 1'000'000), "ok");
    EXPECT_EQ(read(bytes, 1), "fuel_exhausted");
    EXPECT_EQ(read(std::string_view(bytes).substr(0, bytes.size() - 1), 1'000'000), "invalid_bytecode");
    EXPECT_EQ(read(bytes + "x", 1'000'000), "invalid_bytecode");
    EXPECT_EQ(read(bytes, 1'000'000), "ok");
}

// ---- Missions

std::vector<std::string> turns(std::size_t n) {
    std::vector<std::string> texts(n - 1, "1");
    texts.emplace_back("(return 1)");
    return texts;
}

TEST(TextLimits, OfMissions) {
    const auto replied = [](std::size_t n, LlmReply reply, AgentOptions options) {
        options.prompt = "x";
        options.max_turns = options.turn_budget = 99;
        std::vector<LlmResult> replies(n - 1, reply);
        reply.text = fenced("(return 1)");
        replies.emplace_back(reply);
        return end_of(agent(options)->run(Model(replies).llm()));
    };
    const auto answered = [](const std::string& text) {
        const AgentOptions options{
            .prompt = "x", .signature = "() -> [:any]", .max_turns = 1, .output = AgentOutput::Text};
        return end_of(agent(options)->run(Model(std::vector<std::string>{text}).llm()));
    };
    expect_edges({
        {"a mission", "turns", 4, "max_turns_exceeded",
         [](std::size_t n) { return end_of(agent({.prompt = "x", .max_turns = 4})->run(programs(turns(n)).llm())); }},
        {"a mission", "turns of the tree", 4, "turn_budget_exhausted",
         [](std::size_t n) {
             return end_of(agent({.prompt = "x", .max_turns = 9, .turn_budget = 4})->run(programs(turns(n)).llm()));
         }},
        {"a mission", "tokens", 5, "budget_callback_exceeded",
         [&](std::size_t n) { return replied(n, {.text = fenced("1"), .usage = {.input = 1}}, {.token_limit = 4}); }},
        {"a mission", "memory", 1000, "memory_exceeded",
         [](std::size_t n) {
             const std::string text = "(def t (apply str (repeat " + std::to_string(n - 6) + " \"x\")))"; // {"t":".."}
             return end_of(agent({.prompt = "x", .memory_limit = 1000})->run(programs({text, "(return 1)"}).llm()));
         }},
        {"a mission's program", "source bytes", 5000, "parse_error",
         [](std::size_t n) {
             AgentOptions options{.prompt = "x", .max_turns = 1};
             options.limits.max_source_bytes = 5000;
             return end_of(agent(options)->run(programs({padded(n - 1) + "2"}).llm()));
         }},
        {"a mission's program", "depth of its result", 512, "eval_error",
         [](std::size_t n) { return end_of(agent({.prompt = "x", .max_turns = 1})->run(programs({deep(n)}).llm())); }},
        {"an answer as JSON", "nesting", 512, "json_parse_error", [&](std::size_t n) { return answered(nested(n)); }},
        {"an answer as JSON", "digits", 10'000, "json_parse_error",
         [&](std::size_t n) { return answered("[[1], " + std::string(n, '9') + "]"); }},
    });
}

TEST(TextLimits, OfTimeOfMissions) { // by a clock that the test moves
    for (const auto& [took, end] : {std::pair(999, "ok"), std::pair(1000, "mission_timeout")}) {
        FakeTime time;
        const Model model = programs({"1", "(return 1)"});
        const Llm slow = [&, llm = model.llm()](const LlmRequest& request) {
            *time.now += std::chrono::minutes(model.calls() == 0 ? took : 0);
            return llm(request);
        };
        MissionOptions options;
        options.model = ModelRef(slow);
        options.clock = time.clock();
        EXPECT_EQ(end_of(agent({.prompt = "x", .mission_timeout = std::chrono::minutes(1000)})->run(options)), end)
            << took;
    }
}

TEST(TextLimits, OfTracedArguments) {
    const auto traced = [](std::size_t n) { // {"x":"..."}
        MissionEvent event;
        event.kind = MissionEvent::Kind::ToolStart;
        event.arguments = Datum::object({{"x", Datum(std::string(n - 8, 'x'))}});
        return std::string(event_json(event).find("arguments_bytes") == std::string::npos ? "ok" : "preview");
    };
    expect_edges({{"a trace", "bytes of arguments", kMaxTracedArguments, "preview", traced}});
}

// ---- Files, streams

/// A file with holes: it takes no room on the disk.
std::string file_of(const test::TemporaryFolder& folder, std::size_t bytes) {
    const std::string file = folder / "file";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(bytes)), 0);
    ::close(fd);
    return file;
}

TEST(TextLimits, OfFilesAndLines) {
    const test::TemporaryFolder folder;
    const auto line = [](std::size_t n) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        const std::string text(n, 'x');
        EXPECT_EQ(::write(ends[1], text.data(), n), static_cast<ssize_t>(n));
        ::close(ends[1]);
        LineReader reader(ends[0], 2000);
        InputLine read;
        EXPECT_TRUE(reader.next(&read));
        ::close(ends[0]);
        return std::string(read.too_long ? "too long" : "ok");
    };
    expect_edges({
        {"a file", "bytes", 5000, "invalid_request",
         [&](std::size_t n) { return end_of(read_file(file_of(folder, n), 5000)); }},
        {"a batch", "bytes of a line", 2000, "too long", line},
    });
    EXPECT_EQ(end_of(Recording::open(file_of(folder, Recording::kMaxBytes + 1))), "invalid_request");
}

TEST(WholeFile, AFifoThatNobodyWritesToIsGivenUp) {
    const test::TemporaryFolder folder;
    const std::string fifo = folder / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const Result<std::string> read = read_whole_file(fifo, 100, std::chrono::milliseconds(1));
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("FIFO"), std::string::npos) << read.error().message;
}

TEST(WholeFile, AFifoIsReadUntilItsWritersAreGone) {
    const test::TemporaryFolder folder;
    const std::string fifo = folder / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const int keeps_it = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int writer = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::write(writer, "(+ 1 2)", 7), 7);
    const Result<std::string> open_still = read_whole_file(fifo, 100, std::chrono::milliseconds(1));
    EXPECT_FALSE(open_still.ok());
    ASSERT_EQ(::write(writer, "(+ 1 2)", 7), 7);
    ::close(writer);
    EXPECT_EQ(read_whole_file(fifo, 100).value(), "(+ 1 2)");
    ::close(keeps_it);
}

// A shell's <(command), and standard input by its name.
TEST(WholeFile, APipeWithoutANameEndsWithItsWriters) {
    for (const char* text : {"(+ 1 2)", ""}) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        ASSERT_EQ(::write(ends[1], text, std::strlen(text)), static_cast<ssize_t>(std::strlen(text)));
        ::close(ends[1]);
        EXPECT_EQ(read_whole_file("/dev/fd/" + std::to_string(ends[0]), 100).value(), text);
        ::close(ends[0]);
    }
}

TEST(WholeFile, DevicesAreReadUpToTheLimitAndFoldersAreNot) {
    EXPECT_EQ(read_whole_file("/dev/null", 100).value(), "");
    EXPECT_FALSE(read_whole_file("/dev/zero", 100).ok());
    EXPECT_FALSE(read_whole_file("/", 100).ok());
}

TEST(TextLimits, OfRecordings) {
    const auto note = [](const std::string& json) {
        return end_of(Recording::parse(R"({"ptc_recording":1,"started_ms":0,"note":)" + json + "}\n"));
    };
    const auto millis = [](std::size_t n) {
        return end_of(Recording::parse(R"({"ptc_recording":1,"started_ms":)" + std::to_string(n) + "}\n"));
    };
    expect_edges({
        {"a recording", "nesting", 511, "invalid_request", [&](std::size_t n) { return note(nested(n)); }},
        {"a recording", "digits", 10'000, "invalid_request", [&](std::size_t n) { return note(std::string(n, '9')); }},
        {"a recording", "time", std::size_t{1} << 52, "invalid_request", millis},
    });
}

} // namespace
} // namespace ptc
