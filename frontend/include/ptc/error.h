// The one error type: what the reader, analyzer, VM, builtins and agent layer all report. An error is data, so that a
// host, an editor or a model can use its parts: a reason that is stable, a message, a span, labels, edits that repair
// the program.
#pragma once
#include "ptc/source.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// Machine-readable reasons, declared once in errors.def.
enum class Reason : std::uint8_t {
#define PTC_ERROR(Name, reason, doc) Name,
#include "ptc/errors.def"
#undef PTC_ERROR
};

/// The stable text of a reason as programs and hosts see it, e.g. "type_error".
std::string_view reason_name(Reason reason);
/// The reason of such a text, if there is one.
std::optional<Reason> reason_named(std::string_view name);
/// One sentence for the reference page.
std::string_view reason_doc(Reason reason);

/// Replace `span` by `text`; the edits of one error are applied together.
struct Edit {
    Span span;
    std::string text;
};

/// A second place that explains the first: "opened here".
struct Label {
    Span span;
    std::string text;
};

/// One frame of the call trace, innermost first.
struct TraceEntry {
    std::string function;
    Span span;
};

/// The kind of value that a running program met where it does not fit. Texts that spell numbers have kinds of their
/// own.
enum class OperandKind : std::uint8_t {
    Nothing,
    Nil,
    Boolean,
    AnyNumber,
    Text,
    IntegerText,
    NumberText,
    Keyword,
    Vector,
    Map,
    Set,
    Function,
    Regex
};

/// What a run-time error was about: repairs are chosen by it.
struct BadCall {
    OperandKind kind = OperandKind::Nothing;
    std::uint8_t argument = 0; ///< which argument of the function, counted from 1; 0: not known
    std::string function;      ///< the one that refused it
    std::size_t given = 0;     ///< a wrong number of arguments
    std::size_t taken = 0;     ///< how many it takes at least
};

/// A failure. `message` is whole sentences for people and models, `span` the smallest text that is wrong (has_span
/// false when no source text is at fault), `hint` says what to write instead, `edits` is one applicable repair.
struct Error {
    Reason reason{};
    std::string message;
    Span span{};
    bool has_span = false;
    std::string hint;
    std::vector<Edit> edits;
    std::vector<Label> labels;
    std::vector<TraceEntry> trace;
    BadCall bad_call;

    // All of them are in error.cpp: every file that has a Result would compile the three vectors otherwise.
    Error();
    Error(Reason r, std::string text);
    Error(Reason r, Span where, std::string text, std::string advice = {});
    Error(const Error& other);
    Error(Error&& other) noexcept;
    Error& operator=(const Error& other);
    Error& operator=(Error&& other) noexcept;
    ~Error();

    Error&& with_hint(std::string text) &&;
    Error&& with_edit(Span where, std::string text) &&;
    Error&& with_label(Span where, std::string text) &&;
};

} // namespace ptc
