// What holds for the formatter, whatever the text.
#pragma once
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "tests/support/vocabulary.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc::test {

/// Every token of a text in its spelling; comments without blanks at their ends. Two texts with the same ones have the
/// same forms and comments.
inline std::vector<std::string> spellings(const Source& source) {
    Diagnostics diagnostics;
    std::vector<SyntaxToken> tokens;
    read_forms(source, ReadLimits{}, diagnostics, &tokens);
    std::vector<std::string> all;
    for (const SyntaxToken& token : tokens) {
        all.emplace_back(source.text(token.span));
        if (token.kind == SyntaxToken::Comment) all.back().erase(all.back().find_last_not_of(" \t\r\f\v") + 1);
    }
    return all;
}

/// "" or what is wrong with the blanks between the tokens.
inline std::string blanks_problem(const Source& source) {
    Diagnostics diagnostics;
    std::vector<SyntaxToken> tokens;
    read_forms(source, ReadLimits{}, diagnostics, &tokens);
    std::uint32_t end = 0;
    for (const SyntaxToken& token : tokens) {
        const std::string_view blanks = source.text({end, token.span.begin});
        if (end == 0 && !blanks.empty()) return "blanks at the start";
        if (std::count(blanks.begin(), blanks.end(), '\n') > 2) return "more than one blank line";
        if (blanks.find(" \n") != blanks.npos) return "blanks at the end of a line";
        if (blanks.find_first_not_of(" \n") != blanks.npos) return "a blank that is neither space nor newline";
        end = token.span.end;
    }
    const std::string_view rest = source.text().substr(end);
    return rest == (tokens.empty() ? "" : "\n") ? "" : "no newline at the end";
}

/// "" or what does not hold. A text that cannot be formatted must be one that cannot be read, or be laid out too large.
inline std::string format_problem(const std::string& text) {
    const Source source("text", text);
    Diagnostics diagnostics;
    const Source formatted("formatted", format_source(source, vocabulary(), diagnostics));
    if (diagnostics.has_errors()) {
        if (!formatted.text().empty()) return "a result in spite of errors";
        Diagnostics reading;
        read_forms(source, ReadLimits{}, reading);
        const bool is_size = diagnostics.all()[0].error.message.starts_with("Laid out");
        return reading.has_errors() || is_size ? "" : "not formatted: " + diagnostics.all()[0].error.message;
    }
    if (spellings(source) != spellings(formatted)) return "other tokens:\n" + std::string(formatted.text());
    if (std::string problem = blanks_problem(formatted); !problem.empty()) return problem;
    Diagnostics again;
    const std::string twice = format_source(formatted, vocabulary(), again);
    if (twice != formatted.text())
        return "not its own layout:\n" + std::string(formatted.text()) + "\nbecomes\n" + twice;
    return "";
}

} // namespace ptc::test
