// Verifying is work in proportion to the code, whatever leads where in it.
#include "runtime/clock.h"
#include "tests/support/growth.h"
#include "vm/program_file.h"
#include "vm/verifier.h"

namespace ptc {
namespace {

/// A top level of these words, with 200 registers and no constants.
std::shared_ptr<Program> program_of(std::vector<Word> code) {
    auto program = std::make_shared<Program>();
    auto f = std::make_unique<FunctionProto>();
    f->program = program.get();
    f->frame_size = 200;
    f->entry_cost = 1u << 20;
    f->takes.assign(code.size(), 0);
    f->spans.assign(code.size(), Span{});
    f->code = std::move(code);
    program->functions.push_back(std::move(f));
    return program;
}

void add_jump(std::vector<Word>& code, Op op, std::size_t to, std::uint32_t b = 0) {
    code.push_back(make_word(op, 0, b, 0));
    code.push_back(static_cast<Word>(static_cast<std::int64_t>(to) - static_cast<std::int64_t>(code.size()) - 1));
}

void add_end(std::vector<Word>& code) {
    code.push_back(make_word(Op::LoadPrim, 0, 0, 0));
    code.push_back(make_word(Op::Return, 0, 0, 0));
}

auto verifying(const std::shared_ptr<Program>& program) {
    return [program] {
        const Result<void> verdict = verify(*program);
        EXPECT_TRUE(verdict.ok()) << verdict.error().message;
    };
}

// The first block leads to the last, each of the others to the one in front of it: the longest way goes backwards.
TEST(VerifierGrowth, AChainOfJumpsBackIsLinear) {
    EXPECT_TRUE(test::is_linear(5'000, [](std::size_t n) {
        std::vector<Word> code;
        for (std::size_t i = 0; i <= n; ++i)
            add_jump(code, Op::Jump, 2 * (i == 0 ? n : i == 1 ? n + 1 : i - 1));
        add_end(code);
        return verifying(program_of(std::move(code)));
    }));
}

// Each loop is entered at two places; what one gains is passed on to the next only against the order of the code.
TEST(VerifierGrowth, LoopsThatCrossEachOtherAreLinear) {
    EXPECT_TRUE(test::is_linear(5'000, [](std::size_t n) {
        std::vector<Word> code{make_word(Op::LoadPrim, 1, 0, 0)};
        for (std::size_t i = 0; i < n; ++i) {
            add_jump(code, Op::JumpIf, code.size() + 4, 1);
            add_jump(code, Op::Loop, i == 0 ? 1 : code.size() - 4, 8);
        }
        code.push_back(make_word(Op::Drop, 1, 0, 0));
        add_end(code);
        return [program = program_of(std::move(code))] { (void)verify(*program); };
    }));
}

TEST(VerifierGrowth, BranchesWithManyRegistersAreLinear) {
    EXPECT_TRUE(test::is_linear(5'000, [](std::size_t n) {
        std::vector<Word> code;
        for (std::uint32_t r = 0; r < 200; ++r)
            code.push_back(make_word(Op::LoadPrim, r, 0, 0));
        for (std::size_t i = 0; i < n; ++i) {
            add_jump(code, Op::JumpIf, code.size() + 2, static_cast<std::uint32_t>(i % 200));
            code.push_back(make_word(Op::Nop, 0, 0, 0));
        }
        for (std::uint32_t r = 0; r < 200; ++r)
            code.push_back(make_word(Op::Drop, r, 0, 0));
        add_end(code);
        return verifying(program_of(std::move(code)));
    }));
}

TEST(VerifierGrowth, AritiesAreLinear) {
    EXPECT_TRUE(test::is_linear(2'000, [](std::size_t n) {
        const std::shared_ptr<Program> program =
            program_of({make_word(Op::LoadPrim, 0, 0, 0), make_word(Op::Return, 0, 0, 0)});
        while (program->functions.size() < n) {
            auto f = std::make_unique<FunctionProto>(*program->functions[0]);
            f->index = static_cast<std::uint32_t>(program->functions.size());
            if (f->index > 1) program->functions.back()->next_arity = f.get();
            program->functions.push_back(std::move(f));
        }
        return [bytes = write_program(*program)] { EXPECT_FALSE(read_program(bytes, {}).ok()); };
    }));
}

} // namespace
} // namespace ptc
