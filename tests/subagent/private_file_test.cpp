// Files that hold missions are their owner's alone, and links that somebody put there lead nowhere.
#include "ptc/checkpoint.h"
#include "ptc/trace.h"
#include "subagent/agent/line_file.h"
#include "subagent/agent/private_file.h"
#include "tests/support/temporary_folder.h"
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

namespace fs = std::filesystem;

class PrivateFile : public ::testing::Test {
protected:
    [[nodiscard]] std::string at(const char* name) const { return temporary_ / name; }
    static mode_t mode_of(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 07777;
    }

private:
    const test::TemporaryFolder temporary_;

protected:
    const fs::path folder = temporary_.path();
};

/// Every way to write a file about a mission.
const std::pair<const char*, bool (*)(const std::string&)> kWriters[] = {
    {"trace", [](const std::string& path) { return TraceFile::create(path).ok(); }},
    {"recording",
     [](const std::string& path) {
         const Result<int> fd = LineFile::create(path, "the recording");
         if (fd.ok()) ::close(fd.value());
         return fd.ok();
     }},
    {"checkpoint", [](const std::string& path) { return CheckpointFile::open(path).ok(); }},
};

TEST_F(PrivateFile, IsItsOwnersAlone) {
    for (const auto& [name, write] : kWriters) {
        ASSERT_TRUE(write(at(name))) << name;
        EXPECT_EQ(mode_of(at(name)), 0600u) << name;
        const std::string old = at("old-") + name;
        std::ofstream(old).close();
        ASSERT_EQ(::chmod(old.c_str(), 0644), 0);
        ASSERT_TRUE(write(old)) << name;
        EXPECT_EQ(mode_of(old), 0600u) << name;
    }
    for (const auto& entry : fs::directory_iterator(folder)) // those that SQLite makes beside it too
        EXPECT_EQ(mode_of(entry.path().string()), 0600u) << entry.path();
}

TEST_F(PrivateFile, IsInAFolderOfItsOwners) {
    ASSERT_TRUE(make_private_folder(at("a/b/c")).ok());
    for (const char* made : {"a", "a/b", "a/b/c"})
        EXPECT_EQ(mode_of(at(made)), 0700u) << made;
    ASSERT_EQ(::chmod(at("a/b").c_str(), 0755), 0); // its owner wants it so
    EXPECT_TRUE(make_private_folder(at("a/b/")).ok());
    EXPECT_EQ(mode_of(at("a/b")), 0755u);
    std::ofstream(at("file")).close();
    EXPECT_FALSE(make_private_folder(at("file")).ok());
    EXPECT_FALSE(make_private_folder(at("file/below")).ok());
}

TEST_F(PrivateFile, IsNeverReachedThroughALink) {
    for (const auto& [name, write] : kWriters) {
        std::ofstream(at("victim")) << "precious";
        const std::string link = at("link-") + name, dangling = at("dangling-") + name;
        fs::create_symlink(at("victim"), link);
        fs::create_symlink(at("nowhere"), dangling);
        EXPECT_FALSE(write(link)) << name;
        EXPECT_FALSE(write(dangling)) << name;
        EXPECT_EQ(fs::file_size(at("victim")), 8u) << name;
        EXPECT_FALSE(fs::exists(at("nowhere"))) << name;
    }
}

TEST_F(PrivateFile, HasNoOtherName) {
    for (const auto& [name, write] : kWriters) {
        std::ofstream(at("shared")) << "precious";
        ASSERT_EQ(::chmod(at("shared").c_str(), 0644), 0);
        fs::create_hard_link(at("shared"), at("other-") + name);
        EXPECT_FALSE(write(at("other-") + name)) << name;
        EXPECT_EQ(mode_of(at("shared")), 0644u) << name;
        EXPECT_EQ(fs::file_size(at("shared")), 8u) << name;
    }
}

// Below /dev are folders, too.
TEST_F(PrivateFile, IsPrivateWhereEverybodyMayWrite) {
    if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "there is no such folder";
    const test::TemporaryFolder shared("/dev/shm");
    for (const auto& [name, write] : kWriters) {
        const std::string file = shared / name;
        std::ofstream(file).close();
        ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
        EXPECT_TRUE(write(file)) << name;
        EXPECT_EQ(mode_of(file), 0600u) << name;
    }
}

TEST_F(PrivateFile, DoesNotWaitForAPipesReader) {
    const std::string pipe = at("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& [name, write] : kWriters)
        EXPECT_FALSE(write(pipe)) << name;
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    const Result<int> fd = LineFile::create(pipe, "the recording");
    ASSERT_TRUE(fd.ok());
    EXPECT_EQ(::fcntl(fd.value(), F_GETFL) & O_NONBLOCK, 0); // what is written is not lost when the pipe is full
    ::close(fd.value());
    ::close(reader);
}

TEST_F(PrivateFile, OfAnotherKindKeepsItsMode) {
    std::ofstream(at("notes")) << "precious notes, and more of them";
    ASSERT_EQ(::chmod(at("notes").c_str(), 0644), 0);
    EXPECT_FALSE(CheckpointFile::open(at("notes")).ok());
    EXPECT_EQ(mode_of(at("notes")), 0644u);
}

TEST_F(PrivateFile, MayLieInADirectoryThatIsReachedThroughOne) {
    fs::create_directory(at("real"));
    fs::create_directory_symlink(at("real"), at("alias"));
    for (const auto& [name, write] : kWriters)
        EXPECT_TRUE(write(at("alias/") + name)) << name;
}

} // namespace
} // namespace ptc
