// Diagnostics as text for people and models, and as JSON for programs.
#pragma once
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <string>

namespace ptc {

struct RenderOptions {
    bool color = false;            ///< ANSI escapes
    std::size_t max_columns = 120; ///< longer source lines are shown around the span, with "..." where they are cut
};

/// One diagnostic:
///
///     orders.ptc:3:7: error[parse_error]: `(` opened at 3:7 has no matching `)`.
///       3 |   (let [x 1
///         |   ^ opened here
///       hint: Add `)` at 5:9.
std::string render_text(const Source& source, const Diagnostic& diagnostic, const RenderOptions& options = {});

/// All of them, and how many were dropped.
std::string render_text(const Source& source, const Diagnostics& diagnostics, const RenderOptions& options = {});

/// One object of `ptcc check --format json`:
/// {"file","severity","reason","message","line","column","offset","length","hint"?, "edits"?:
/// [{"offset","length","text"}]}. Errors without a span have line, column, offset and length 0.
std::string render_json(const Source& source, const Diagnostic& diagnostic);

/// One line for a file: {"diagnostics": [..]}, with "dropped": n when the sink was full.
std::string render_json(const Source& source, const Diagnostics& diagnostics);

} // namespace ptc
