// What is done outside of programs, where no fuel pays for it, with texts and values that were made to be dear:
// reading, checking, compiling, laying out and explaining programs; prompts, the firewall, validation, traces,
// checkpoints and snapshots. The price list (bench/price_list.cpp) and the test that holds it
// (tests/subagent/price_list_growth_test.cpp) ask what a byte of them costs.
#pragma once
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include "subagent/agent/answer.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/preview.h"
#include "subagent/agent/response.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/engine_impl.h"
#include "tests/support/repeated_text.h"
#include "tests/support/vocabulary.h"
#include "vm/program_file.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <ptc/ptc.h>
#include <ptc/recording.h>
#include <ptc/template.h>
#include <ptc/trace.h>
#include <string>
#include <utility>
#include <vector>

namespace ptc::test {

/// One thing that is done to one text or value; `bytes` of it are paid for.
struct HostStep {
    std::string name;
    std::size_t bytes;
    std::function<void()> work;
};

class HostSteps {
public:
    using Shapes = std::vector<std::pair<std::string, std::string>>;

    /// `bytes`: about the size of each text and value. `more_sources` are tried beside its own.
    explicit HostSteps(std::size_t bytes, const Shapes& more_sources = {}) : bytes_(bytes) {
        // What is made when it is first asked for, and then kept for all, is no part of the price.
        (void)vocabulary();
        (void)engine_.compile("(prnitln (sort-by :a (map inc [1])))");
        for (const auto& [shape, text] : sources())
            add_source(shape, text);
        for (const auto& [shape, text] : more_sources)
            add_source(shape, text);
        for (const auto& [shape, text] : values())
            add_value(shape, text);
        for (const auto& [shape, text] : signatures())
            add_signature(shape, text);
        add_shared_parts();
        add_missions();
    }
    [[nodiscard]] const std::vector<HostStep>& all() const { return steps_; }

    /// The time that steps have which can have one; 0 is none.
    void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
    /// In place of a timeout: what refills the work::Scope of the steps.
    void set_refill(std::function<bool()> refill) { refill_ = std::move(refill); }

private:
    [[nodiscard]] std::string repeated(const std::function<std::string(std::size_t i)>& part) const {
        std::string text;
        for (std::size_t i = 0; text.size() < bytes_; ++i)
            text += part(i);
        return text;
    }
    [[nodiscard]] std::string repeated(const std::string& part) const {
        return repeated([&](std::size_t) { return part; });
    }

    static std::string definitions(std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += "(def v" + std::to_string(i) + " 0) ";
        return text;
    }

    [[nodiscard]] Shapes sources() const {
        const auto number = [](std::size_t i) { return std::to_string(i % 1000); };
        return {
            {"functions", repeated("(defn f [x] (let [y (inc x)] (if y (map f [y]) {:a y})))\n")},
            {"calls in calls", repeated(times("(inc ", 300) + "1" + times(")", 300) + "\n")},
            {"a let of many names",
             "(let [" + repeated([&](std::size_t i) { return "n" + number(i) + " " + number(i) + " "; }) + "] 1)"},
            {"a let of names that use each other", "(let [n0 1 " + repeated([&](std::size_t i) {
                                                       return "n" + number(i + 1) + " (+ n" + number(i) + " 1) ";
                                                   }) + "] 1)"},
            {"a vector of texts", "[" + repeated("\"te\\nxt \u00e4\" ") + "]"},
            {"vectors in vectors", repeated(times("[", 300) + times("]", 300) + " ")},
            {"a map", "{" + repeated([](std::size_t i) { return ":k" + std::to_string(i) + " 1 "; }) + "}"},
            {"a set", "#{" + repeated([](std::size_t i) { return std::to_string(i) + " "; }) + "}"},
            {"a set of texts", "#{" + repeated([](std::size_t i) { return "\"k" + std::to_string(i) + "\" "; }) + "}"},
            {"comments", repeated("; a comment, which nobody reads\n") + "1"},
            {"numbers", "[" + repeated("1.2345678901e10 98765432109876543210 ") + "]"},
            {"steps of as->", "(as-> 1 x " + repeated("(+ x 1) ") + ")"},
            {"steps of ->", "(-> 1 " + repeated("(+ 1) ") + ")"},
            {"a cond", "(let [x 1] (cond " + repeated("(= x 7) :a ") + "))"},
            {"destructuring", repeated("(let [{:keys [a b] :or {a 1}} {:b 2} [x & y] [1 2]] [a b x y])\n")},
            {"functions in functions", repeated(times("(fn [x] ", 100) + "x" + times(")", 100) + "\n")},
            {"names that are none", repeated("(prnitln (fooo 1) (mapp inc [1]))\n")},
            {"regexes", "[" + repeated("#\"(a|b)*c{1,9}\" ") + "]"},
            {"symbols", "'[" + repeated("symbol ") + "]"},
        };
    }
    [[nodiscard]] Shapes values() const {
        return {
            {"rows", "[" + repeated(R"({"id":17,"name":"text","price":1.5,"tags":["a","b"]},)") + "1]"},
            {"lists in lists", "[" + repeated(times("[", 300) + "1" + times("]", 300) + ",") + "1]"},
            {"many keys",
             "{" + repeated([](std::size_t i) { return "\"key" + std::to_string(i) + "\":1,"; }) + "\"last\":1}"},
            {"texts", "[" + repeated(R"("a text with \"quotes\" and \u00e4",)") + "1]"},
            {"one text", "\"" + repeated("a text \\n of many lines ") + "\""},
            {"numbers", "[" + repeated("1.2345678901e-7,") + "1]"},
            {"large numbers", "[" + repeated("98765432109876543210,") + "1]"},
            {"small things", "[" + repeated("1,") + "null]"},
            {"secrets", "{\"_urls\":[" + repeated([](std::size_t i) {
                            return "\"https://example.org/a/path/that/all/have/" + std::to_string(i) + "\",";
                        }) + "1],\"seen\":\"https://example.org/a/path/that/all/have/none\"}"},
            {"rows with secrets", "[" + repeated(R"({"_token":"abcdefgh123","id":1},)") + "1]"},
        };
    }
    [[nodiscard]] Shapes signatures() const {
        return {
            {"many parameters",
             "(" + repeated([](std::size_t i) { return "p" + std::to_string(i) + " :int, "; }) + "q :int) -> :any"},
            {"a wide record",
             "() -> {" + repeated([](std::size_t i) { return "f" + std::to_string(i) + " [:string], "; }) + "g :int}"},
            {"lists in lists", "() -> " + times("[", 500) + ":int" + times("]", 500)},
            {"an enum",
             "() -> [:enum " + repeated([](std::size_t i) { return "\"value" + std::to_string(i) + "\" "; }) + "]"},
        };
    }

    void add(const std::string& what, const std::string& shape, std::size_t bytes, std::function<void()> work) {
        steps_.push_back({what + ": " + shape, bytes, [this, work = std::move(work)] {
                              const work::Scope scope(time_for_texts());
                              work();
                          }});
    }

    /// The step's time, counted from here.
    [[nodiscard]] Meter time() const {
        Limits limits;
        limits.timeout = timeout_;
        return impl_of(engine_).budget(limits);
    }
    /// The same for work on texts.
    [[nodiscard]] std::function<bool()> time_for_texts() const {
        if (refill_) return refill_;
        return [meter = time()]() mutable { return meter.charge(work::Scope::kSlice); };
    }

    void add_source(const std::string& shape, const std::string& text) {
        const std::size_t size = text.size();
        const auto compiled = [this, text](bool only_check, const Meter& time) {
            Diagnostics diagnostics;
            CompileOptions options = impl_of(engine_).compile_options({}, {});
            options.budget = time;
            options.only_check = only_check;
            options.limits.max_source_bytes = static_cast<std::uint32_t>(2 * text.size());
            return ptc::compile(Source("test", text), options, impl_of(engine_).core, diagnostics);
        };
        add("read", shape, size, [text] {
            const Source source("test", text);
            Diagnostics diagnostics;
            (void)read_forms(source, {}, diagnostics);
        });
        add("check", shape, size, [this, compiled] { (void)compiled(true, time()); });
        add("compile", shape, size, [this, compiled] { (void)compiled(false, time()); });
        add("fmt", shape, size, [text] {
            Diagnostics diagnostics;
            (void)format_source(Source("test", text), vocabulary(), diagnostics);
        });
        const std::shared_ptr<const Program> program = compiled(false, Meter());
        add("find program", shape, size, [reply = "```clojure\n" + text + "\n```"] { (void)find_program(reply); });
        if (!program) return;
        add("explain", shape, size, [program] {
            (void)effects_of(*program);
            (void)fuel_bound(*program, {});
        });
        add("write bytecode", shape, size, [program, this] { (void)write_program(*program, impl_of(engine_).shared); });
        add("read bytecode", shape, size, [bytes = write_program(*program, impl_of(engine_).shared), this] {
            const EngineImpl& engine = impl_of(engine_);
            (void)read_program(
                bytes, [&](std::string_view name, std::uint32_t arity) { return engine.find_function(name, arity); },
                engine.shared, time());
        });
    }

    void add_value(const std::string& shape, const std::string& text) {
        const std::size_t size = text.size();
        const auto value = std::make_shared<const Datum>(Datum::from_json(text).value());
        const auto secrets = std::make_shared<Secrets>();
        learn_secrets(*secrets, Datum::from_json(values()[8].second).value());
        add("JSON to tree", shape, size, [text] { (void)Datum::from_json(text); });
        add("JSON to data", shape, size, [text] { (void)DataSet::from_json("x", text); });
        add("tree to JSON", shape, size, [value] { (void)value->to_json(); });
        add("preview", shape, size, [value] { (void)preview(*value, {}); });
        add("inventory", shape, size, [value] { (void)shown_type_text(*value); });
        add("learn secrets", shape, size, [value] {
            Secrets learnt;
            learn_secrets(learnt, *value, true);
        });
        add("hide secrets in a value", shape, size, [value, secrets] { (void)public_view(*value, *secrets); });
        add("hide secrets in a text", shape, size, [text, secrets] { (void)without_secrets(*secrets, text); });
        add("find JSON", shape, size, [reply = "The answer is " + text + " as asked."] { (void)find_json(reply); });
        add("validate", shape, size, [value] {
            const SignaturePtr any = compile_signature("() -> [:any]").value();
            (void)validate(*any, Direction::Output, *value);
        });
        add("validate in vain", shape, size, [value] {
            const SignaturePtr rows = compile_signature("() -> [{id :string, price :datetime}]").value();
            (void)validate(*rows, Direction::Output, *value);
        });
        add("template", shape, size, [context = std::make_shared<const Datum>(Datum::object({{"x", *value}}))] {
            (void)Template::parse("{{x}}{{#x}}{{id}}{{/x}}").value().expand(*context, 64u << 20);
        });
        const auto event = std::make_shared<MissionEvent>(); // made here: a mission hands over its arguments, uncopied
        event->kind = MissionEvent::Kind::ToolStart;
        event->arguments = Datum::object({{"x", *value}});
        add("trace", shape, size, [event] { (void)event_json(*event); });
        add("recording", shape, size,
            [text] { (void)Recording::parse(R"({"ptc_recording":1,"started_ms":0,"note":)" + text + "}\n"); });
        const auto session = std::make_shared<Session>(engine_);
        add("define and show", shape, size, [value, session] {
            (void)session->define("x", *value);
            (void)session->value("x");
            (void)session->value_text("x");
        });
        (void)session->define("x", *value);
        add("save a session", shape, size, [session] { (void)session->save(); });
        add("restore a session", shape, size, [this, bytes = session->save().value()] {
            RunOptions options;
            options.limits.emplace().timeout = timeout_;
            (void)Session::restore(engine_, bytes, options);
        });
    }

    void add_signature(const std::string& shape, const std::string& text) {
        add("signature", shape, text.size(), [text] { (void)compile_signature(text); });
    }

    /// Values that are small, and whose texts are longer than any limit.
    void add_shared_parts() {
        constexpr std::size_t kBytes = std::size_t{1} << 20; // of which 16 could be written
        const std::pair<const char*, const char*> values[] = {
            {"vectors shared twice", "(reduce (fn [m _] [m m]) [1] (range 60))"},
            {"maps shared twice", "(reduce (fn [m _] {m m}) {} (range 60))"},
            {"a text shared often", "(vec (repeat 5000 (apply str (repeat 20000 \"ab\"))))"},
        };
        for (const auto& [shape, program] : values) {
            const auto session = std::make_shared<Session>(engine_);
            (void)session->run("(def x " + std::string(program) + ") 1");
            const auto look = [session](const auto& at) {
                (void)session->run("1"); // all looks since the last run have one budget
                at();
            };
            add("show", shape, kBytes,
                [session, look] { look([&] { (void)session->value_text("x", std::size_t{16} << 20); }); });
            add("as a tree", shape, kBytes, [session, look] { look([&] { (void)session->value("x"); }); });
        }
    }

    /// Turns whose results are as large as the other values: prompts, feedback and merging are in it, and the programs
    /// that make them.
    void add_missions() {
        const auto many = std::to_string(bytes_ / 16);
        const std::pair<const char*, std::string> programs[] = {
            {"maps", "(into {} (map (fn [i] [(str \"key\" i) i]) (range " + many + ")))"},
            {"lists", "(vec (range " + many + "))"},
            {"definitions", "(def d (vec (range " + many + ")))"},
            {"a definition of keywords", "(def d (mapv (fn [i] (keyword (str \"k\" i))) (range " + many + ")))"},
            {"many definitions", definitions(std::min<std::size_t>(bytes_ / 14, 19'000))}, // as a session may have
            {"prints", "(dotimes [i " + many + "] (println i))"},
            {"a list of numbers", "(vec (range " + std::to_string(bytes_ / 4) + "))"},
            {"secrets", "{:_s (vec (range " + many + ")) :t (vec (range " + many + "))}"},
        };
        for (const auto& [shape, program] : programs) {
            std::vector<std::string> replies(6, "```clojure\n" + program + "\n```");
            replies.emplace_back("```clojure\n(return 1)\n```");
            const AgentOptions options{.prompt = "x", .max_turns = 9, .memory_limit = {}};
            const AgentPtr agent = Agent::create(options).value();
            add("a mission of six turns", shape, 6 * bytes_, [this, options, agent, replies] {
                std::size_t turn = 0;
                AgentOptions timed = options;
                timed.mission_timeout = timeout_;
                const AgentPtr timed_agent = timeout_.count() > 0 ? Agent::create(timed).value() : agent;
                (void)timed_agent->run([&](const LlmRequest&) -> LlmResult {
                    return LlmReply{.text = replies[std::min(turn++, replies.size() - 1)]};
                });
            });
            MissionOptions of_mission;
            of_mission.model = ModelRef(Llm([](const LlmRequest&) -> LlmResult { return LlmReply{}; })); // not called
            const auto mission = std::make_shared<Mission>(agent, of_mission);
            mission->start();
            for (const LlmNeed& need : mission->take_needs().llm)
                mission->answer(need.id, LlmResult(LlmReply{.text = replies[0]}));
            if (mission->is_done()) std::abort(); // there would be nothing to save
            add("save a mission", shape, bytes_, [mission] { (void)mission->save(); });
            add("restore a mission", shape, bytes_,
                [agent, of_mission, bytes = mission->save().value()] { (void)agent->restore(bytes, of_mission); });
        }
    }

    std::size_t bytes_;
    std::chrono::milliseconds timeout_{0};
    std::function<bool()> refill_{};
    Engine engine_{[] {
        EngineOptions options;
        options.threads = 0;
        options.tool_threads = 0;
        options.limits.timeout = {};
        return options;
    }()};
    std::vector<HostStep> steps_;
};

} // namespace ptc::test
