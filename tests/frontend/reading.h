// Shared by the reader's tests: read a text, show its forms, apply the edits of its diagnostics.
#pragma once
#include "frontend/reader/reader.h"
#include "tests/support/vocabulary.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptc::testing {

struct Reading {
    Source source;
    Diagnostics diagnostics;
    Forms forms;

    explicit Reading(std::string text, ReadLimits limits = {}) : source("test.ptc", std::move(text)) {
        if (!limits.vocabulary) limits.vocabulary = &test::vocabulary();
        forms = read_forms(source, limits, diagnostics);
    }
    [[nodiscard]] const Error& error(std::size_t i = 0) const { return diagnostics.all().at(i).error; }
};

inline std::string show(const Form& form);

inline std::string show(std::span<const Form> forms) {
    std::string out;
    for (const Form& form : forms)
        out += (out.empty() ? "" : " ") + show(form);
    return out;
}

/// A form in a notation that tells kinds apart: integers bare, big ones with N, strings quoted with escapes undone.
inline std::string show(const Form& form) {
    const std::string text = form.is(FormKind::BigInteger) || form.is(FormKind::String) || form.is(FormKind::Keyword) ||
                                     form.is(FormKind::Symbol) || form.is(FormKind::Regex) || form.is(FormKind::Var)
                                 ? std::string(form.text())
                                 : "";
    switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Integer: return std::to_string(form.integer);
    case FormKind::BigInteger: return text + "N";
    case FormKind::Float: return "f" + std::to_string(form.number);
    case FormKind::String: return "\"" + text + "\"";
    case FormKind::Keyword: return ":" + text;
    case FormKind::Symbol: return text;
    case FormKind::Regex: return "#/" + text + "/";
    case FormKind::List: return "(" + show(form.items()) + ")";
    case FormKind::Vector: return "[" + show(form.items()) + "]";
    case FormKind::Map: return "{" + show(form.items()) + "}";
    case FormKind::Set: return "#{" + show(form.items()) + "}";
    case FormKind::ShortFn: return "#(" + show(form.items()) + ")";
    case FormKind::Var: return "#'" + text;
    case FormKind::Quote: return "'" + show(form.items());
    }
    return "?";
}

/// The forms of a text that must be well-formed.
inline std::string read(const std::string& text) {
    const Reading reading(text);
    for (const Diagnostic& d : reading.diagnostics.all())
        ADD_FAILURE() << text << ": " << d.error.message;
    return show(reading.forms.top_level());
}

/// The text with the edits of all its diagnostics applied.
inline std::string repair(const std::string& text) {
    const Reading reading(text);
    std::vector<Edit> edits;
    for (const Diagnostic& d : reading.diagnostics.all())
        edits.insert(edits.end(), d.error.edits.begin(), d.error.edits.end());
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        if (edit.span.begin < at) return "(edits overlap)";
        out += text.substr(at, edit.span.begin - at) + edit.text;
        at = edit.span.end;
    }
    return out + text.substr(at);
}

inline std::string repeat(const std::string& part, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i)
        all += part;
    return all;
}

/// What a hostile text repeats.
inline constexpr const char* kHostileParts[] = {
    "(",  ")",   "[(",   "([{",  "#(", "#{", "#_",       "#_ ",      "\\",   "\\\"", "\"",   "\"\\",
    "^",  "'",   "''x",  "`",    "~@", "@",  "#",        "##",       "#?",   "#?(",  "#:a{", ":",
    "::", ":a/", "1",    "1_",   "1.", "-",  "1/",       "e1",       "%",    "é",    "“",    "“ ",
    "”",  "\n(", "(\n",  "()",   "(]", "[)", "(let [",   "defn ",    "{:a",  "\"\n", "(\"",  "#\"",
    ";",  ";\n", "^:a ", "'(a ", "#'", "0x", "\"a\" \"", "(fn [x] ", "\x01", "λ "};

} // namespace ptc::testing
