// Lines in, answers out: how input is split, lines that are too long for the memory they may take, and output that
// nobody reads. Pipes are real, as what is tested is reading and writing them.
#include "tools/batch.h"
#include <gtest/gtest.h>
#include <latch>
#include <string>
#include <unistd.h>
#include <vector>

namespace ptc {
namespace {

/// A pipe that holds `text` and is closed for writing.
class PipeWith {
public:
    explicit PipeWith(std::string_view text) {
        EXPECT_EQ(::pipe(ends_), 0);
        EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(ends_[1]);
    }
    ~PipeWith() { ::close(ends_[0]); }
    PipeWith(const PipeWith&) = delete;
    PipeWith& operator=(const PipeWith&) = delete;
    [[nodiscard]] int fd() const { return ends_[0]; }

private:
    int ends_[2] = {-1, -1};
};

std::vector<std::string> lines_of(std::string_view text, std::size_t max_bytes = 100) {
    const PipeWith pipe(text);
    LineReader reader(pipe.fd(), max_bytes);
    std::vector<std::string> lines;
    InputLine line;
    while (reader.next(&line))
        lines.push_back(line.too_long ? "<too long>" : std::string(line.text));
    return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsAtNewlines) { EXPECT_EQ(lines_of("a\n\nb\n"), (Lines{"a", "", "b"})); }

TEST(LineReader, TheLastLineNeedsNoNewline) { EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"})); }

TEST(LineReader, AnEmptyInputHasNoLines) { EXPECT_EQ(lines_of(""), Lines{}); }

TEST(LineReader, ALineOfTheLimitIsRead) { EXPECT_EQ(lines_of("12345\nb\n", 5), (Lines{"12345", "b"})); }

TEST(LineReader, ALineBeyondTheLimitIsSkippedAsAWhole) {
    EXPECT_EQ(lines_of("123456\nb\n", 5), (Lines{"<too long>", "b"}));
}

TEST(LineReader, ATooLongLastLineWithoutNewlineIsSeen) {
    EXPECT_EQ(lines_of("a\n123456", 5), (Lines{"a", "<too long>"}));
}

TEST(LineReader, ATooLongLineCostsNoMoreMemoryThanTheLimit) {
    // Longer than what is read at once, so that the rest arrives when the line is known to be too long.
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
        const std::string part(10'000, 'x');
        for (int i = 0; i < 100; ++i) {
            if (::write(ends[1], part.data(), part.size()) < 0) ::_exit(1);
        }
        ::_exit(::write(ends[1], "\nlast\n", 6) == 6 ? 0 : 1);
    }
    ::close(ends[1]);
    LineReader reader(ends[0], 1000);
    InputLine line;
    ASSERT_TRUE(reader.next(&line));
    EXPECT_TRUE(line.too_long);
    ASSERT_TRUE(reader.next(&line));
    EXPECT_EQ(line.text, "last");
    EXPECT_EQ(line.number, 2u);
    EXPECT_FALSE(reader.next(&line));
    ::close(ends[0]);
}

TEST(LineReader, AReadErrorIsTold) {
    LineReader reader(-1);
    InputLine line;
    EXPECT_FALSE(reader.next(&line));
    EXPECT_EQ(reader.error_number(), EBADF);
}

TEST(AnswerLines, BlankLinesAreNotAnswered) {
    const PipeWith input("a\n \t\nb\n");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    LineReader reader(input.fd());
    {
        Output out(ends[1]);
        ASSERT_TRUE(
            answer_lines(reader, out, [](const InputLine& line) { return "<" + std::string(line.text) + ">"; }).ok());
    }
    ::close(ends[1]);
    char bytes[100];
    const ssize_t n = ::read(ends[0], bytes, sizeof bytes);
    EXPECT_EQ(std::string_view(bytes, static_cast<std::size_t>(n)), "<a>\n<b>\n");
    ::close(ends[0]);
}

// The first line is answered last; it takes three threads for it to be answered at all.
TEST(AnswerLines, OfManyAtOnceComeInTheirOrder) {
    const PipeWith input("a\nb\n\nc\nd\n");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    LineReader reader(input.fd());
    std::latch others(2);
    {
        Output out(ends[1]);
        const Result<void> served = answer_lines(
            reader, out,
            [&](const InputLine& line) {
                if (line.text == "b" || line.text == "c") others.arrive_and_wait();
                if (line.text == "a") others.wait();
                return std::to_string(line.number) + std::string(line.text);
            },
            3);
        ASSERT_TRUE(served.ok());
    }
    ::close(ends[1]);
    char bytes[100];
    const ssize_t n = ::read(ends[0], bytes, sizeof bytes);
    EXPECT_EQ(std::string_view(bytes, static_cast<std::size_t>(n)), "1a\n2b\n4c\n5d\n");
    ::close(ends[0]);
}

TEST(AnswerLines, EndsWhenNobodyReadsTheAnswers) {
    ignore_broken_pipes();
    const PipeWith input("a\nb\nc\n");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    LineReader reader(input.fd());
    Output out(ends[1]);
    int answered = 0;
    ASSERT_TRUE(answer_lines(reader, out, [&](const InputLine&) { return std::to_string(++answered); }).ok());
    EXPECT_EQ(answered, 1);
    EXPECT_EQ(out.error_number(), EPIPE);
    ::close(ends[1]);
}

} // namespace
} // namespace ptc
