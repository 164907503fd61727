// A folder for the files of a test.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ptc::test {

/// Made empty below `root`, and removed at the end with all that is in it.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const std::filesystem::path& root = std::filesystem::temp_directory_path()) {
        std::string name = (root / "ptc-test-XXXXXX").string(); // mkdtemp replaces the X
        if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a folder in " + root.string());
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

} // namespace ptc::test
