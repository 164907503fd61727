// Reads tests/language/*.ptc: programs that carry their expectations.
//
//   (subs "hello" 1 3)        ; => "el"
//   (subs "hello")            ; !! arity_error 3:1 takes 2 or 3
//
// A program is everything since the last expectation; `; =>` gives the value as pr-str prints it, `; !!` a reason, a
// position (optional) and words that the message has (optional).
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ptc::test {

struct LanguageCase {
    std::string source;
    int line = 1; ///< of its first line in the file
    bool is_error = false;
    std::string expected; ///< value, or reason and what follows
};

inline std::vector<LanguageCase> read_language_file(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<LanguageCase> cases;
    std::string line, source;
    int number = 0, first = 1;
    while (std::getline(in, line)) {
        ++number;
        std::size_t at = line.find("; => ");
        bool is_error = false;
        if (at == std::string::npos) {
            at = line.find("; !! ");
            is_error = at != std::string::npos;
        }
        if (at == std::string::npos) {
            source += line + "\n";
            continue;
        }
        source += line.substr(0, at);
        cases.push_back({source, first, is_error, line.substr(at + 5)});
        source.clear();
        first = number + 1;
    }
    return cases;
}

inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& root, const std::string& extension) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.is_regular_file() && entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace ptc::test
