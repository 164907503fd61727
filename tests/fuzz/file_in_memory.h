// The file that a target writes afresh for each input: in memory where there is such a folder.
#pragma once
#include "tests/support/temporary_folder.h"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ptc::fuzz {

class FileInMemory {
public:
    [[nodiscard]] const std::string& path() const { return path_; }
    /// With what SQLite writes beside it.
    void remove() const {
        for (const char* suffix : {"", "-wal", "-shm", "-journal"})
            std::filesystem::remove(path_ + suffix);
    }
    [[nodiscard]] std::string read() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(std::string_view bytes) const {
        remove();
        std::ofstream(path_, std::ios::binary) << bytes;
    }

private:
    const test::TemporaryFolder folder_{::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                                        : std::filesystem::temp_directory_path()};
    const std::string path_ = folder_ / "file";
};

} // namespace ptc::fuzz
