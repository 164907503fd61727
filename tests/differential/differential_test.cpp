// The same program in two configurations: what is seen of a run must not depend on how it was compiled or interrupted.
// Programs are made at random (program_generator.h) and taken from the other tests, which know every form.
#include "compiler/compile.h"
#include "ptc/ptc.h"
#include "runtime/print.h"
#include "tests/differential/program_generator.h"
#include "tests/support/language_file.h"
#include "tests/support/sanitized.h"
#include "vm/vm.h"
#include <boost/json.hpp>
#include <fstream>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <thread>

namespace ptc {
namespace {

struct Printed : HostServices {
    bool print(std::string_view line) override {
        text.append(line).push_back('\n');
        return true;
    }
    std::int64_t now_millis() override { return 0; }
    std::string text;
};

const CoreLibrary& core() {
    static const CoreLibrary& library = []() -> const CoreLibrary& {
        static CoreLibrary made;
        Diagnostics diagnostics;
        compile_core(made, diagnostics);
        return made;
    }();
    return library;
}

std::string describe(const Error& error) {
    return std::string(reason_name(error.reason)) + ": " + error.message + " at " + std::to_string(error.span.begin);
}

constexpr char kFails = '\x1f'; ///< between what a run prints and its error

/// Whether runs of loops that were put together, and were not, are the same. Of two mistakes one may tell the one in
/// the first loop, the other that of the earlier item; what they did before is the same.
bool are_alike(const std::string& a, const std::string& b) {
    const std::size_t end = a.find(kFails);
    return a == b || (end != std::string::npos && a.compare(0, end + 1, b, 0, b.find(kFails) + 1) == 0);
}

/// All that can be seen of a run but for fuel and bytes. Tools return their arguments.
std::string evaluate(const std::string& source, bool optimize, bool fuse = true) {
    Diagnostics diagnostics;
    CompileOptions options;
    options.environment.any_tool = true;
    options.emit.optimize = optimize;
    options.environment.fuse = fuse;
    const auto program = compile(Source("test", source), options, core(), diagnostics);
    if (!program) return "does not compile: " + describe(diagnostics.all().front().error);
    Printed printed;
    Vm vm(printed);
    Limits limits;
    limits.fuel *= 10; // so that no budget decides: the configurations spend differently
    limits.timeout = std::chrono::minutes(1);
    Status status = vm.start(*program, limits, nullptr, 0);
    while (status == Status::Suspended) {
        for (std::size_t i = 0; i < vm.calls().size(); ++i)
            vm.answer(i, vm.calls()[i].arguments->copy());
        status = vm.resume({});
    }
    std::string seen = printed.text;
    if (status == Status::Error) return seen + kFails + describe(vm.error());
    const Value result = vm.take_result();
    vm.heap.meter = Meter();
    seen += std::to_string(static_cast<int>(status)) + " " +
            print_to_string(vm.heap, result, PrintStyle::Readable, 1u << 20);
    for (const std::string& name : vm.changed_names()) {
        const Value& value = vm.names.slot(vm.names.find(name)).value;
        seen += "\n" + name + " = " + print_to_string(vm.heap, value, PrintStyle::Readable, 1u << 20);
    }
    return seen;
}

std::string any_program(bool tools) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const int size = *rc::gen::inRange(1, 120);
    return test::ProgramGenerator(seed, size, tools).program();
}

RC_GTEST_PROP(Differential, OptimisedAndPlainCodeAgree, ()) {
    const std::string source = any_program(true);
    RC_LOG() << source;
    RC_ASSERT(evaluate(source, true) == evaluate(source, false));
}

/// The programs that the other tests have: they know every form, the generator only some.
std::vector<std::string> corpus() {
    std::vector<std::string> programs;
    for (const auto& file : test::files_below(PTC_TEST_DATA "/language", ".ptc")) {
        if (file.parent_path().filename() == "limits") continue;
        for (const auto& c : test::read_language_file(file)) {
            if (c.source.find("; limits") == std::string::npos)
                programs.push_back(c.source); // these end when a budget does
        }
    }
    for (const char* rows : {"core", "language"}) {
        std::ifstream in(std::string(PTC_TEST_DATA "/conformance/") + rows + ".jsonl");
        for (std::string line; std::getline(in, line);) {
            const boost::json::value row = boost::json::parse(line);
            if (!row.as_object().contains("limits")) programs.emplace_back(row.at("src").as_string());
        }
    }
    std::erase_if(programs,
                  [](const std::string& p) { return p.find("budget/") != std::string::npos; }); // tell of the fuel
    return programs;
}

// What the corpus does with memory other tests show under sanitizers, which take minutes for all of it.
constexpr std::size_t kStep = test::kIsSanitized ? 5 : 1;

TEST(Differential, OptimisedAndPlainCodeAgreeOnTheCorpus) {
    const auto programs = corpus();
    EXPECT_GT(programs.size(), 4000U);
    for (std::size_t i = 0; i < programs.size(); i += kStep)
        EXPECT_EQ(evaluate(programs[i], true), evaluate(programs[i], false)) << programs[i];
}

TEST(Differential, LoopsPutTogetherAndOneAfterTheOtherAgreeOnTheCorpus) {
    const auto programs = corpus();
    for (std::size_t i = 1; i < programs.size(); i += kStep)
        EXPECT_PRED2(are_alike, evaluate(programs[i], true, true), evaluate(programs[i], true, false)) << programs[i];
}

RC_GTEST_PROP(Differential, LoopsPutTogetherAndOneAfterTheOtherAgree, ()) {
    const std::string source = any_program(true);
    RC_LOG() << source;
    RC_ASSERT(are_alike(evaluate(source, true, true), evaluate(source, true, false)));
}

RC_GTEST_PROP(Differential, ChainsOfLoopsPutTogetherAndOneAfterTheOtherAgree, ()) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const std::string source = test::chain_of_loops(seed);
    RC_LOG() << source;
    RC_ASSERT(are_alike(evaluate(source, true, true), evaluate(source, true, false)));
    RC_ASSERT(evaluate(source, true, true) == evaluate(source, false, true));
}

RC_GTEST_PROP(Differential, LoopsOverPositionsAndOverViewsAgree, ()) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const std::string source = test::walking_loop(seed);
    RC_LOG() << source;
    RC_ASSERT(are_alike(evaluate(source, true, true), evaluate(source, true, false)));
    RC_ASSERT(evaluate(source, true, true) == evaluate(source, false, true));
}

/// All that the public interface tells of a run, fuel and bytes included.
std::string describe(const Outcome& outcome) {
    std::string text = std::string(outcome.kind_name()) + " " + outcome.value;
    if (outcome.error) text += describe(*outcome.error);
    for (const std::string& line : outcome.prints)
        text += "\nprint " + line;
    for (const ToolRecord& call : outcome.tool_calls)
        text += "\n" + call.name + call.arguments_json + call.result_json;
    return text + "\nfuel " + std::to_string(outcome.usage.fuel) + " peak " +
           std::to_string(outcome.usage.peak_heap_bytes);
}

std::string memory_of(const Session& session) {
    std::string text;
    for (const std::string& name : session.names())
        text += "\n" + name + " = " + session.value_text(name).value_or("");
    return text;
}

Result<Datum> echo(const Datum& arguments) { return arguments; }

std::string run_straight(const std::string& source) {
    const Engine engine(
        {.tools = {{.name = "echo", .function = echo}}, .limits = {.timeout = std::chrono::minutes(1)}});
    Session session(engine);
    const Outcome outcome = session.run(source);
    return describe(outcome) + memory_of(session);
}

/// The host answers each call itself, from another thread than the one that asked.
std::string run_suspended(const std::string& source) {
    const Engine engine({.tools = {{.name = "echo"}}, .limits = {.timeout = std::chrono::minutes(1)}});
    Session session(engine);
    const Compiled compiled = session.compile(source);
    if (!compiled) return describe(session.run(source)); // the same error
    RunState state = session.start(compiled.program);
    while (const auto* waiting = std::get_if<Suspended>(&state)) {
        std::vector<ToolAnswer> answers;
        for (const ToolCall& call : waiting->calls)
            answers.emplace_back(call.arguments);
        std::thread([&] { state = session.resume(std::move(answers)); }).join();
    }
    return describe(std::get<Outcome>(state)) + memory_of(session);
}

RC_GTEST_PROP(Differential, SuspendedRunsCostAndGiveTheSame, ()) {
    const std::string source = any_program(true);
    RC_LOG() << source;
    const std::string straight = run_straight(source);
    RC_ASSERT(straight == run_suspended(source));
    RC_ASSERT(straight == run_straight(source)); // fuel and peak are the same each time
}

} // namespace
} // namespace ptc
