// What a confined process cannot do: tried in a child, whose exit code says which of the things it could.
#include "tests/support/temporary_folder.h"
#include "tools/confinement.h"
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ptc {
namespace {

/// The exit code of a child that is confined and then does `work`; none when it cannot be confined.
std::optional<int> confined(const std::vector<std::string>& readable, const std::function<bool()>& work) {
    constexpr int kUnconfined = 99;
    const pid_t child = ::fork();
    if (child == 0) {
        if (!confine({.readable = readable, .is_required = true}).ok()) ::_exit(kUnconfined);
        ::_exit(work() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kUnconfined) return std::nullopt;
    return WEXITSTATUS(status);
}

class Confinement : public ::testing::Test {
protected:
    void SetUp() override {
        if (!confined({}, [] { return false; }))
            GTEST_SKIP() << "this system, or a build with sanitizers, cannot be confined";
        const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_GE(fd, 0);
        ::close(fd);
    }
    const test::TemporaryFolder folder;
    const std::string file = folder / "file";
};

bool can_open(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags, 0600);
    return fd >= 0;
}

TEST_F(Confinement, LeavesNoFileButThoseNamed) {
    EXPECT_EQ(confined({file}, [&] { return can_open(file, O_RDONLY); }), 1);
    EXPECT_EQ(confined({}, [&] { return can_open(file, O_RDONLY); }), 0);
    EXPECT_EQ(confined({file}, [&] { return can_open("/etc/passwd", O_RDONLY); }), 0);
    EXPECT_EQ(confined({file}, [&] { return can_open("/proc/self/environ", O_RDONLY); }), 0);
    EXPECT_EQ(confined({file}, [&] { return can_open(file, O_WRONLY); }), 0);
    EXPECT_EQ(confined({file}, [&] { return can_open(file + ".new", O_WRONLY | O_CREAT); }), 0);
    EXPECT_EQ(confined({file}, [&] { return ::unlink(file.c_str()) == 0; }), 0);
    EXPECT_EQ(confined({file}, [&] { return ::rename(file.c_str(), (file + "2").c_str()) == 0; }), 0);
}

TEST_F(Confinement, LeavesNothingThatWasInherited) {
    const int inherited = ::open(file.c_str(), O_RDONLY);
    ASSERT_GE(inherited, 0);
    const auto is_open = [&] { return ::fcntl(inherited, F_GETFD) >= 0; };
    EXPECT_EQ(confined({}, is_open), 0);
    EXPECT_EQ(confined({"/dev/fd/" + std::to_string(inherited)}, is_open), 1);
    EXPECT_EQ(confined({}, [] { return ::fcntl(STDERR_FILENO, F_GETFD) >= 0; }), 1);
    ::close(inherited);
}

TEST_F(Confinement, LeavesNoNetworkAndNoOtherProgram) {
    EXPECT_EQ(confined({}, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }), 0);
    EXPECT_EQ(confined({}, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), 0);
    EXPECT_EQ(confined({"/bin/true"}, [] { return ::execl("/bin/true", "true", nullptr) == 0 || errno != EPERM; }), 0);
    EXPECT_EQ(confined({}, [] { return ::fork() >= 0; }), 0);
    EXPECT_EQ(confined({}, [] { return ::kill(::getppid(), 0) == 0; }), 0);
    EXPECT_EQ(confined({},
                       [] {
                           constexpr int kCode = PROT_READ | PROT_WRITE | PROT_EXEC;
                           return ::mmap(nullptr, 4096, kCode, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
                       }),
              0);
}

TEST_F(Confinement, LeavesThreadsAndMemory) {
    EXPECT_EQ(confined({},
                       [] {
                           std::vector<std::string> texts(100'000, "some text that is long enough for a block");
                           std::size_t bytes = 0;
                           std::thread([&] { bytes = texts.size() * texts[0].size(); }).join();
                           return bytes > 0;
                       }),
              1);
}

} // namespace
} // namespace ptc
