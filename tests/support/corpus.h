// Every program of the tests, the benchmarks and the demonstrations, as texts.
#pragma once
#include "ptc/ptc.h"
#include "tests/support/language_file.h"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ptc::test {

struct CorpusProgram {
    std::string name;
    std::string text;
};

inline std::string read_whole(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void add_files(std::vector<CorpusProgram>& programs, const std::filesystem::path& folder,
                      const std::string& extension) {
    for (const auto& file : files_below(folder, extension))
        programs.push_back({file.string(), read_whole(file)});
}

/// Those lines of the .jsonl files below `folder` that have a program: a "src".
inline std::vector<Datum> rows_with_programs(const std::filesystem::path& folder) {
    std::vector<Datum> rows;
    for (const auto& file : files_below(folder, ".jsonl")) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            Result<Datum> row = Datum::from_json(line);
            if (row.ok() && row.value().find("src")) rows.push_back(std::move(row).value());
        }
    }
    return rows;
}

/// The language rows.
inline std::vector<Datum> conformance_rows(const std::filesystem::path& tests) {
    return rows_with_programs(tests / "conformance");
}

/// Programs that have a file, and the parts of those that are several. `tests`: the folder of the tests.
inline std::vector<CorpusProgram> program_files(const std::filesystem::path& tests) {
    std::vector<CorpusProgram> programs;
    for (const auto& file : files_below(tests / "language", ".ptc")) {
        programs.push_back({file.string(), read_whole(file)});
        for (const LanguageCase& program : read_language_file(file))
            programs.push_back({file.string() + ":" + std::to_string(program.line), program.source});
    }
    add_files(programs, tests.parent_path() / "bench" / "programs", ".lisp");
    add_files(programs, tests.parent_path() / "tools" / "demo_programs", ".ptc");
    add_files(programs, tests.parent_path() / "runtime" / "core", ".ptc");
    return programs;
}

inline std::vector<CorpusProgram> corpus(const std::filesystem::path& tests) {
    std::vector<CorpusProgram> programs = program_files(tests);
    for (const Datum& row : conformance_rows(tests)) {
        const std::string* text = row.find("src")->text();
        const Datum* id = row.find("id");
        if (text) programs.push_back({id && id->text() ? *id->text() : "", *text});
    }
    return programs;
}

} // namespace ptc::test
