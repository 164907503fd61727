// Programs that are as they should be: each warning about them is listed, with the place that it points at, in
// accepted_warnings.txt. A line belongs there only if the warning is true: many rows show what a fault does. A warning
// that is not in the list is one that must not be given, or a line to add.
#include "compiler/compile.h"
#include "compiler/language/core_library.h"
#include "ptc/ptc.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = PTC_TEST_DATA;
constexpr std::size_t kMinimumRows = 4000;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

class Corpus {
public:
    Corpus() {
        Diagnostics diagnostics;
        compile_core(core_, diagnostics);
    }

    /// "name: reason line:column text" for each warning.
    void add(const std::string& name, const std::string& text) {
        CompileOptions options;
        options.environment.any_tool = true;
        options.environment.any_global = true;
        Diagnostics diagnostics;
        (void)compile(Source(name, text), options, core_, diagnostics);
        const Source source(name, text);
        diagnostics.sort();
        ++programs;
        EXPECT_EQ(diagnostics.dropped(), 0u) << name;
        for (const Diagnostic& d : diagnostics.all()) {
            if (d.severity != Severity::Warning) continue;
            const LineColumn at = source.position(d.error.span.begin);
            found.push_back(name + ": " + std::string(reason_name(d.error.reason)) + " " + std::to_string(at.line) +
                            ":" + std::to_string(at.column) + " " + std::string(source.text(d.error.span)));
        }
    }

    std::vector<std::string> found;
    std::size_t programs = 0;

private:
    CoreLibrary core_;
};

void add_rows(Corpus& corpus, const fs::path& file) {
    for (const std::string& line : lines_of(read(file))) {
        const Result<Datum> row = Datum::from_json(line);
        ASSERT_TRUE(row.ok()) << line;
        const Datum* source = row.value().find("src");
        const Datum* id = row.value().find("id");
        if (source && id) corpus.add(*id->text(), *source->text());
    }
}

void add_files(Corpus& corpus, const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder))
        corpus.add(entry.path().filename().string(), read(entry.path()));
}

TEST(CheckCorpus, HasOnlyTheWarningsThatAreAccepted) {
    Corpus corpus;
    add_rows(corpus, kTests / "conformance/core.jsonl");
    add_rows(corpus, kTests / "conformance/language.jsonl");
    add_files(corpus, kTests.parent_path() / "tools/demo_programs");
    add_files(corpus, kTests.parent_path() / "bench/programs");
    EXPECT_GE(corpus.programs, kMinimumRows);
    std::sort(corpus.found.begin(), corpus.found.end());
    const std::vector<std::string> accepted = lines_of(read(kTests / "compiler/accepted_warnings.txt"));
    std::vector<std::string> unexpected, missing;
    std::set_difference(corpus.found.begin(), corpus.found.end(), accepted.begin(), accepted.end(),
                        std::back_inserter(unexpected));
    std::set_difference(accepted.begin(), accepted.end(), corpus.found.begin(), corpus.found.end(),
                        std::back_inserter(missing));
    for (const std::string& line : unexpected)
        ADD_FAILURE() << "not accepted: " << line;
    for (const std::string& line : missing)
        ADD_FAILURE() << "not found: " << line;
}

} // namespace
} // namespace ptc
