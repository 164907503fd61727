// Program files: what is written is read back; what was tampered with is refused or harmless. A valid file is cut
// everywhere and each of its bytes is changed, with a checksum that fits; whatever is accepted then is run. The
// verifier has code of its own here, which it must refuse.
#include "compiler/compile.h"
#include "runtime/clock.h"
#include "runtime/silent_host.h"
#include "tests/support/core.h"
#include "tests/support/corpus.h"
#include "tests/support/untimed.h"
#include "vm/disassembler.h"
#include "vm/program_file.h"
#include "vm/verifier.h"
#include "vm/vm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

using test::core;

const FunctionProto* resolve(std::string_view name, std::uint32_t) {
    const CoreFunction* found = core().find(name);
    return found ? static_cast<const FunctionProto*>(core().value_of(*found)) : nullptr;
}

std::unique_ptr<Program> compile_text(const std::string& source) {
    Diagnostics diagnostics;
    CompileOptions options;
    options.environment.any_tool = true;
    return compile(Source("test", source), options, core(), diagnostics);
}

constexpr const char* kProgram = R"(
    (defn weight [x] (if (string? x) (count x) 1))
    (let [xs [1 2.5 "three" :four #{5} {:six 6} nil #"seven" 123456789012345678901234567890]
          k 3]
      [(reduce + 0 (map (fn [x] (+ k (weight x))) xs)) (sort-by str > [3 1 2]) (loop [i 0] (if (< i 9) (recur (inc i)) i))]))";

TEST(ProgramFile, ReadsBackWhatWasWritten) {
    const auto program = compile_text(kProgram);
    ASSERT_TRUE(program);
    const std::string bytes = write_program(*program);
    const auto loaded = read_program(bytes, resolve);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(disassemble(*loaded.value()), disassemble(*program));
    EXPECT_EQ(write_program(*loaded.value()), bytes);
}

// Whichever arity is called finds its captures where the closure has them.
TEST(ProgramFile, AritiesThatCaptureDifferentValuesAreRefused) {
    const auto program = compile_text("(let [k (tool/k {}) j (tool/k {})] [(fn [x] (+ x k)) (fn [x y] (+ x y k j))])");
    ASSERT_TRUE(program);
    std::vector<FunctionProto*> closures;
    for (const auto& function : program->functions) {
        if (function->capture_count != 0) closures.push_back(function.get());
    }
    ASSERT_EQ(closures.size(), 2u);
    ASSERT_TRUE(read_program(write_program(*program), resolve).ok());
    closures[0]->next_arity = closures[1];
    EXPECT_FALSE(read_program(write_program(*program), resolve).ok());
}

TEST(ProgramFile, AritiesKnowTheFirstOfThemWhenReadBack) {
    const auto program = compile_text("(let [k (tool/k {})] (fn f ([] (map f [k])) ([x] x) ([x & more] (f))))");
    ASSERT_TRUE(program);
    const auto loaded = read_program(write_program(*program), resolve);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    ASSERT_EQ(loaded.value()->functions.size(), program->functions.size());
    for (std::size_t i = 0; i < program->functions.size(); ++i) {
        const FunctionProto* made = program->functions[i]->first_arity;
        const FunctionProto* read = loaded.value()->functions[i]->first_arity;
        const bool is_first = !made || made == program->functions[i].get();
        EXPECT_EQ(read == nullptr, is_first);
        if (read && made) {
            EXPECT_EQ(read->index, made->index);
        }
    }
}

TEST(ProgramFile, ProgramsWithInlinedCoreFunctionsAreReadBack) {
    const auto program = compile_text("(distinct-by :t [{:t 1} {:t 1}])");
    ASSERT_TRUE(program);
    const auto loaded = read_program(write_program(*program), resolve);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
}

TEST(ProgramFile, IsRefusedWhenCutAnywhere) {
    const auto program = compile_text("(map inc [1 2 3])");
    ASSERT_TRUE(program);
    const std::string bytes = write_program(*program);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        std::string part = bytes.substr(0, n);
        EXPECT_FALSE(read_program(part, resolve).ok()) << n;
        seal_program_file(part);
        EXPECT_FALSE(read_program(part, resolve).ok()) << n;
    }
}

TEST(ProgramFile, IsRefusedOrHarmlessWhenAnyByteIsChanged) {
    const auto program = compile_text(kProgram);
    ASSERT_TRUE(program);
    const std::string bytes = write_program(*program);
    SilentHost services;
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (int flip : {0x01, 0x80, 0xFF}) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ flip);
            EXPECT_FALSE(i >= 4 && i + 8 < bytes.size() && read_program(changed, resolve).ok())
                << "the checksum missed byte " << i;
            seal_program_file(changed);
            const auto loaded = read_program(changed, resolve);
            if (!loaded.ok()) continue;
            ++accepted;
            Vm vm(services);
            Limits limits = test::untimed();
            limits.fuel = 10'000;
            limits.heap_bytes = 1u << 20;
            limits.max_depth = 50;
            if (vm.start(*loaded.value(), limits, nullptr, 0) == Status::Suspended) vm.abandon();
        }
    }
    EXPECT_GT(accepted, 0u); // a changed letter of a string is another valid program
}

TEST(Verifier, AcceptsEverythingThatTheCompilerMakes) {
    ASSERT_TRUE(verify(*static_cast<const FunctionProto*>(core().value_of(*core().find("reduce")))->program).ok());
    const auto check = [](const std::string& source) {
        const auto program = compile_text(source);
        if (!program) return;
        const Result<void> verdict = verify(*program);
        EXPECT_TRUE(verdict.ok()) << source << "\n" << verdict.error().message << "\n" << disassemble(*program);
    };
    for (const test::CorpusProgram& program : test::corpus(PTC_TEST_DATA))
        check(program.text);
    for (const char* folder : {"repair", "idioms"}) {
        for (const Datum& row : test::rows_with_programs(std::filesystem::path(PTC_TEST_DATA) / folder))
            check(*row.find("src")->text());
    }
}

/// A top level of these words, with 8 registers and no constants.
Result<void> verify_code(std::vector<Word> code, std::uint32_t entry_cost = 1) {
    Program program;
    auto f = std::make_unique<FunctionProto>();
    f->program = &program;
    f->frame_size = 8;
    f->entry_cost = entry_cost;
    f->takes.assign(code.size(), 0);
    f->spans.assign(code.size(), Span{});
    f->code = std::move(code);
    program.functions.push_back(std::move(f));
    return verify(program);
}

const Word kNilInto0 = make_word(Op::LoadPrim, 0, 0, 0);
const Word kReturn0 = make_word(Op::Return, 0, 0, 0);

TEST(Verifier, AcceptsTheSmallestProgram) { EXPECT_TRUE(verify_code({kNilInto0, kReturn0}).ok()); }

TEST(Verifier, RefusesWhatWouldBreakTheMachine) {
    EXPECT_FALSE(verify_code({}).ok());
    EXPECT_FALSE(verify_code({kReturn0}).ok()) << "reads a register that owns nothing";
    EXPECT_FALSE(verify_code({kNilInto0}).ok()) << "runs off the end";
    EXPECT_FALSE(verify_code({kNilInto0, kNilInto0, kReturn0}).ok()) << "overwrites a value";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::LoadPrim, 1, 0, 0), kReturn0}).ok()) << "leaves a value behind";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::Drop, 0, 0, 0), kReturn0}).ok()) << "reads a dead register";
    EXPECT_FALSE(verify_code({make_word(Op::LoadPrim, 200, 0, 0), make_word(Op::Return, 0, 200, 0)}).ok())
        << "outside of the frame";
    EXPECT_FALSE(verify_code({make_word(Op::LoadConst, 0, 0, 0), kReturn0}).ok()) << "no such constant";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::Jump, 0, 0, 0), static_cast<Word>(-3), kReturn0}).ok())
        << "loops for nothing";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::Jump, 0, 0, 0), 50, kReturn0}).ok()) << "jumps away";
    EXPECT_FALSE(
        verify_code({kNilInto0, make_word(Op::LoadInt, 1, 0, 0), make_word(Op::IterNext, 0, 2, 1), 0, kReturn0}).ok())
        << "iterates over what is no sequence";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::Halt, 0, 0, 0)}).ok());
    EXPECT_FALSE(verify_code({0xFFu, kReturn0}).ok()) << "no such instruction";
    EXPECT_FALSE(verify_code({make_word(Op::LoadCapture, 0, 0, 0), kReturn0}).ok()) << "captures nothing";
    EXPECT_FALSE(verify_code({kNilInto0, make_word(Op::Conj, 1, 0, 0), make_word(Op::Return, 0, 1, 0)}).ok())
        << "a vector put into itself";
}

// The callee's frame begins in the caller's window.
TEST(Verifier, RefusesCallsThatOverwriteWhatTheCallerOwns) {
    const auto call_below = [](std::uint32_t owned) {
        return verify_code({kNilInto0, make_word(Op::LoadPrim, owned, 0, 0), make_word(Op::Call, 0, 0, 0), 0,
                            make_word(Op::Drop, owned, 0, 0), kReturn0},
                           2);
    };
    EXPECT_FALSE(call_below(1).ok());
    EXPECT_FALSE(call_below(2).ok());
    EXPECT_FALSE(call_below(3).ok());
    EXPECT_FALSE(call_below(7).ok());
    const Word above = make_word(Op::LoadPrim, 1, 0, 0);
    EXPECT_TRUE(
        verify_code({kNilInto0, above, make_word(Op::Call, 1, 0, 0), 0, make_word(Op::Drop, 1, 0, 0), kReturn0}, 2)
            .ok());
}

std::vector<Word> loop_of(std::size_t instructions, std::uint32_t charge) {
    std::vector<Word> code{kNilInto0};
    code.insert(code.end(), instructions, make_word(Op::Nop, 0, 0, 0));
    code.push_back(make_word(Op::Loop, 0, charge & 0xFF, charge >> 8));
    code.push_back(static_cast<Word>(-static_cast<std::int32_t>(instructions + 2)));
    return code;
}

TEST(Verifier, RefusesMoreWorkThanItsFuelPaysFor) {
    EXPECT_TRUE(verify_code(loop_of(2, 1)).ok());
    EXPECT_FALSE(verify_code(loop_of(2, 0)).ok());
    EXPECT_FALSE(verify_code(loop_of(1000, 1)).ok());
    std::vector<Word> straight(1000, make_word(Op::Nop, 0, 0, 0));
    straight.insert(straight.end(), {kNilInto0, kReturn0});
    EXPECT_FALSE(verify_code(straight).ok()) << "entering is paid with one unit";
}

// A loop that is entered at two places, which no program has: what a round costs is found all the same.
TEST(Verifier, BoundsTheWorkOfLoopsThatAreEnteredAnywhere) {
    const auto code = [](std::uint32_t charge) {
        return std::vector<Word>{kNilInto0,
                                 make_word(Op::JumpIf, 0, 0, 0),
                                 1,
                                 make_word(Op::Nop, 0, 0, 0),
                                 make_word(Op::Nop, 0, 0, 0),
                                 make_word(Op::Loop, 0, charge, 0),
                                 static_cast<Word>(-4)};
    };
    EXPECT_TRUE(verify_code(code(1), 3).ok());
    EXPECT_FALSE(verify_code(code(0), 3).ok());
}

TEST(ProgramFile, ReadingEndsWithItsBudget) {
    const auto program = compile_text(kProgram);
    ASSERT_TRUE(program);
    const std::string bytes = write_program(*program);
    std::int64_t enough = 1;
    for (;; enough *= 2) {
        Meter budget;
        budget.start(enough, Meter::Clock::time_point::max(), nullptr, 1);
        const auto loaded = read_program(bytes, resolve, {}, budget);
        if (loaded.ok()) break;
        EXPECT_EQ(loaded.error().reason, Reason::FuelExhausted);
    }
    EXPECT_GT(enough, 64);
    EXPECT_LT(static_cast<std::size_t>(enough), 64 * bytes.size()); // a regex is dear
    Meter late;
    late.start(Meter::kUnlimited, Meter::Clock::time_point::min(), nullptr, 1);
    const auto loaded = read_program(bytes, resolve, {}, late);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().reason, Reason::Timeout);
}

TEST(ProgramFile, LongChainsOfAritiesAndSharedOnesAreRefused) {
    const auto program = compile_text("(defn f ([] 1) ([a] 2) ([a b] 3)) (defn g ([] 1) ([a] 2)) (f)");
    ASSERT_TRUE(program);
    std::vector<FunctionProto*> firsts;
    for (const auto& f : program->functions) {
        if (f->next_arity && (!f->first_arity || f->first_arity == f.get())) firsts.push_back(f.get());
    }
    ASSERT_EQ(firsts.size(), 2u);
    ASSERT_TRUE(read_program(write_program(*program), resolve).ok());
    firsts[1]->next_arity = firsts[0]->next_arity;
    EXPECT_FALSE(read_program(write_program(*program), resolve).ok());
}

TEST(Compiler, ChargesForEachInstructionHoweverLongALoopIs) {
    std::string round = "(loop [i 0 x 1] (if (< i 9) (recur (inc i) (do";
    for (int i = 0; i < 40'000; ++i)
        round += " (f x)";
    const auto program = compile_text("(defn f [x] x) " + round + " x)) x))");
    ASSERT_TRUE(program);
    const Result<void> verdict = verify(*program);
    EXPECT_TRUE(verdict.ok()) << verdict.error().message;
}

} // namespace
} // namespace ptc
