#include "compiler/language/vocabulary.h"
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "frontend/work.h"
#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Files are rewritten in place; - reads standard input and writes the result to standard output. Line breaks stay where
they are; what is added are breaks in lines of more than 100 columns and in forms that take several lines, and all
indentation. Meaning, comments and the spelling of names, numbers and strings never change. A file with syntax errors
is left alone. With --check nothing is written but the names of the files that are not formatted.
Exits 0, or 1 when a file has errors or, with --check, is not formatted.

Examples:
  ptcc fmt report.ptc
  cat report.ptc | ptcc fmt - --check)";

struct Options {
    std::vector<std::string> files;
    bool check = false;
    std::int64_t timeout_ms = kUnhurriedMs;
};

/// Gives the exit code for one file.
int format_file(const std::string& path, const Options& options, const Vocabulary& vocabulary, Console& console) {
    Result<std::string> text = read_file(path, kMaxBytecodeBytes);
    if (!text.ok()) return console.usage_error(text.error());
    const Source source(path, std::move(text).value());
    Diagnostics diagnostics;
    const work::Scope scope(unhurried_time(options.timeout_ms));
    const std::string formatted = format_source(source, vocabulary, diagnostics);
    if (work::is_over()) {
        console.message(path + ": Laying the program out took longer than " + std::to_string(options.timeout_ms) +
                        " ms.\n");
        return kFailed;
    }
    if (diagnostics.has_errors()) {
        report_diagnostics(source, diagnostics.all(), false, console);
        return kFailed;
    }
    const bool is_formatted = formatted == source.text();
    if (options.check) {
        if (!is_formatted) console.out.line(path);
        return is_formatted ? kSuccess : kFailed;
    }
    if (path == "-") {
        console.out.write(formatted);
        return kSuccess;
    }
    if (is_formatted) return kSuccess;
    const Result<void> written = write_file(path, formatted);
    return written.ok() ? kSuccess : console.usage_error(written.error());
}

int run(const Options& options, Console& console) {
    const CoreLibrary core;
    const LanguageVocabulary vocabulary(core);
    int code = kSuccess;
    for (const std::string& path : options.files)
        code = std::max(code, format_file(path, options, vocabulary, console));
    return code;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.texts("FILE", &options->files, "The programs, - for standard input").required();
    line.flag("--check", &options->check, "Only list the files that are not formatted");
    add_unhurried_option(line, &options->timeout_ms);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kFmtCommand{"fmt", "Formats programs.", declare};

} // namespace ptc
