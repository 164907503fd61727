// One test a file of tests/language. Each program runs as compiled for users, then with nothing computed while
// compiling, then without specialised instructions either: what a function gives must not depend on where it is
// computed.
#include "subagent/engine/engine_impl.h"
#include "tests/support/language_file.h"
#include "vm/program_file.h"
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

enum class Way : std::uint8_t { AsUsual, Unfolded, Plain };
constexpr const char* kWays[] = {"as usual", "without folding", "without folding and specialised instructions"};

/// What the compiler makes is what the verifier accepts. The functions of preludes are no part of a program's file.
void expect_verified(const Engine& engine, const Program& program) {
    if (impl_of(engine).known_prelude()) return;
    const auto resolve = [&](std::string_view name, std::uint32_t) -> const FunctionProto* {
        const CoreFunction* found = impl_of(engine).core.find(name);
        return found ? static_cast<const FunctionProto*>(impl_of(engine).core.value_of(*found)) : nullptr;
    };
    const auto read = read_program(write_program(program), resolve);
    EXPECT_TRUE(read.ok()) << read.error().message;
}

Outcome run(const Engine& engine, const std::string& source, Way way) {
    Session session(engine);
    if (way == Way::AsUsual) {
        const Compiled compiled = session.compile(source);
        if (compiled.program) expect_verified(engine, *compiled.program);
        return session.run(source);
    }
    CompileOptions options;
    options.environment.tools = impl_of(engine).tools;
    options.environment.prelude = impl_of(engine).known_prelude();
    options.environment.fold = false;
    options.emit.optimize = way != Way::Plain;
    Diagnostics diagnostics;
    const ProgramPtr program = compile(Source("program", source), options, impl_of(engine).core, diagnostics);
    if (program) expect_verified(engine, *program);
    return program ? session.run(program) : session.run(source);
}

void check(const Engine& engine, const test::LanguageCase& c, const std::string& file, Way way) {
    SCOPED_TRACE(file + ":" + std::to_string(c.line) + ", " + kWays[static_cast<int>(way)] + "\n" + c.source);
    const Outcome outcome = run(engine, c.source, way);
    if (!c.is_error) {
        EXPECT_TRUE(outcome.ok()) << (outcome.error ? outcome.error->message : std::string("(fail)"));
        EXPECT_EQ(outcome.value, c.expected);
        return;
    }
    ASSERT_TRUE(outcome.error) << "gave " << outcome.value;
    std::istringstream words(c.expected);
    std::string reason, position;
    words >> reason;
    EXPECT_EQ(reason_name(outcome.error->reason), reason) << outcome.error->message;
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (!rest.empty() && rest.find(':') != std::string::npos && std::isdigit(static_cast<unsigned char>(rest[0]))) {
        position = rest.substr(0, rest.find(' '));
        rest = rest.size() > position.size() ? rest.substr(position.size() + 1) : "";
        ASSERT_TRUE(outcome.position);
        EXPECT_EQ(std::to_string(outcome.position->line) + ":" + std::to_string(outcome.position->column), position);
    }
    EXPECT_NE(outcome.error->message.find(rest), std::string::npos) << outcome.error->message;
}

/// The *.prelude files beside a file of programs.
std::vector<PreludeSource> preludes_beside(const std::filesystem::path& path) {
    std::vector<PreludeSource> preludes;
    for (const auto& file : test::files_below(path.parent_path(), ".prelude")) {
        std::ifstream in(file);
        preludes.push_back({file.filename().string(), {std::istreambuf_iterator<char>(in), {}}});
    }
    return preludes;
}

class LanguageFile : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LanguageFile, HoldsItsExpectations) {
    const auto cases = test::read_language_file(GetParam());
    ASSERT_FALSE(cases.empty());
    EngineOptions options;
    options.tools.push_back({"echo", "", "", [](const Datum& arguments) -> Result<Datum> { return arguments; }});
    options.tools.push_back(
        {"boom", "", "", [](const Datum&) -> Result<Datum> { return Error(Reason::ToolError, "boom"); }});
    // Small budgets and a late deadline: fuel and memory end these programs, however slow the build.
    options.limits.fuel = 5'000'000;
    options.limits.heap_bytes = 8u << 20;
    options.limits.timeout = std::chrono::minutes(2);
    options.preludes = preludes_beside(GetParam());
    const Engine engine(options);
    for (const Error& problem : engine.problems())
        ADD_FAILURE() << problem.message;
    for (const auto& c : cases) {
        for (Way way : {Way::AsUsual, Way::Unfolded, Way::Plain})
            check(engine, c, GetParam().filename().string(), way);
    }
}

// What `doc` shows must be true.
TEST(CoreLibrary, ExamplesGiveWhatTheySay) {
    const Engine engine;
    std::size_t count = 0;
    for (const CoreFunction& function : impl_of(engine).core.all()) {
        if (function.example_source.empty()) continue;
        ++count;
        for (Way way : {Way::AsUsual, Way::Unfolded, Way::Plain}) {
            const Outcome outcome = run(engine, std::string(function.example_source), way);
            EXPECT_EQ(outcome.error ? outcome.error->message : outcome.value, function.example_result)
                << function.name << ", " << kWays[static_cast<int>(way)];
        }
    }
    EXPECT_GT(count, 50U);
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
    std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
    for (char& c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Files, LanguageFile, testing::ValuesIn(test::files_below(PTC_TEST_DATA "/language", ".ptc")),
                         test_name);

} // namespace
} // namespace ptc
