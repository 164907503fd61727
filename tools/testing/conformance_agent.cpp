// Rows about signatures, validation, templates, cache keys and replies: each function asks the code in question and
// says in a sentence what is different from the row.
#include "tools/testing/conformance_agent.h"
#include "frontend/try.h"
#include "subagent/agent/response.h"
#include "tools/members.h"
#include "tools/signature_batch.h"
#include "tools/tagged_json.h"
#include "tools/testing/conformance.h"
#include <algorithm>
#include <optional>

namespace ptc {
namespace {

/// The members of the row that are also in `actual` are equal there. A null member means that there is none.
std::string members_difference(const Datum& row, const Datum& actual, std::initializer_list<const char*> members) {
    for (const char* member : members) {
        const Datum* expected = row.find(member);
        if (!expected) continue;
        const Datum* got = actual.find(member);
        if (!same_datum(*expected, got ? *got : Datum())) return expected_but(member, *expected, got ? *got : Datum());
    }
    return "";
}

std::string invalid_signature_difference(const Datum& row, const Datum& answer) {
    const Datum::List& any = items_of(row, "error_contains_any");
    const std::string message = text_of(items_of(answer, "errors").at(0), "message");
    const bool holds = any.empty() || std::ranges::any_of(any, [&](const Datum& part) {
                           return part.text() && message.find(*part.text()) != std::string::npos;
                       });
    return holds ? "" : expected_but("error_contains_any", Datum(any), Datum(message));
}

// ---- Validation

/// A message of a row is a prefix of ours, or exactly ours, or one of several prefixes.
bool message_holds(const Datum& expected, const std::string& message) {
    const std::string full = text_of(expected, "message_full");
    if (!full.empty() && full != message) return false;
    const Datum::List& any = items_of(expected, "message_any");
    const auto is_prefix = [&](const Datum& prefix) { return prefix.text() && message.starts_with(*prefix.text()); };
    return message.starts_with(text_of(expected, "message")) && (any.empty() || std::ranges::any_of(any, is_prefix));
}

std::string errors_difference(const Datum::List& expected, const std::vector<Fault>& errors) {
    const auto holds = [](const Datum& row, const Fault& fault) {
        return text_of(row, "path") == fault.path && message_holds(row, fault.message);
    };
    if (std::ranges::equal(expected, errors, holds)) return "";
    Datum::List got;
    for (const Fault& fault : errors)
        got.push_back(Datum::object({{"path", fault.path}, {"message", fault.message}}));
    return expected_but("errors", Datum(expected), Datum(got));
}

std::string warnings_difference(const Datum& expect, const std::vector<Fault>& warnings) {
    std::vector<std::string> lines;
    for (const Fault& warning : warnings)
        lines.push_back(fault_text(warning));
    if (const Datum* exact = expect.find("warnings"); exact && !same_datum(*exact, Datum::texts(lines)))
        return expected_but("warnings", *exact, Datum::texts(lines));
    const auto is_in_some = [&](const Datum& part) {
        return part.text() && std::ranges::any_of(lines, [&](const std::string& line) {
                   return line.find(*part.text()) != std::string::npos;
               });
    };
    for (const Datum& part : items_of(expect, "warnings_contain")) {
        const bool holds = part.list() ? std::ranges::any_of(*part.list(), is_in_some) : is_in_some(part);
        if (!holds) return expected_but("warnings_contain", part, Datum::texts(lines));
    }
    return "";
}

std::string validation_difference(const Datum& expect, const Validation& validation) {
    const bool expects_ok = is_true(expect.find("ok"));
    if (!expects_ok && !validation.ok) return errors_difference(items_of(expect, "errors"), validation.errors);
    if (expects_ok != validation.ok)
        return validation.ok ? "expected errors, but it is accepted" : errors_difference({}, validation.errors);
    if (const Datum* data = expect.find("data")) {
        const Result<Datum> expected = untag(*data);
        if (!expected.ok()) return expected.error().message;
        if (!same_datum(expected.value(), validation.data, is_true(expect.find("data_subset"))))
            return "data: expected " + data->to_json() + ", got " + tagged_json(validation.data);
    }
    return warnings_difference(expect, validation.warnings);
}

// ---- Templates

std::string list_difference(const char* member, const Datum& expect, const std::vector<std::string>& actual) {
    const Datum* expected = expect.find(member);
    return !expected || *expected == Datum::texts(actual) ? "" : expected_but(member, *expected, Datum::texts(actual));
}

std::string sections_difference(const Datum& expect, const Template& parsed) {
    const Datum* expected = expect.find("sections");
    if (!expected) return "";
    Datum::List actual;
    for (const TemplateSection& section : parsed.sections())
        actual.push_back(Datum::object(
            {{"fields", Datum::texts(section.fields)}, {"inverted", section.is_inverted}, {"name", section.name}}));
    return same_datum(*expected, Datum(actual)) ? "" : expected_but("sections", *expected, Datum(actual));
}

std::string expansion_difference(const Datum& row, const Datum& expect, const Template& parsed) {
    const Datum* context = row.find("context");
    const Result<Datum> data = untag(context ? *context : Datum(Datum::Map()));
    if (!data.ok()) return data.error().message;
    const Result<Expansion> expansion = parsed.expand(data.value());
    if (!expansion.ok()) return expansion.error().message;
    if (const std::string why = list_difference("missing", expect, expansion.value().missing); !why.empty()) return why;
    if (is_true(expect.find("ok")) != expansion.value().missing.empty())
        return expected_but("missing", Datum(), Datum::texts(expansion.value().missing));
    const Datum* text = expect.find("text");
    if (!text || *text == Datum(expansion.value().text)) return "";
    return expected_but("text", *text, Datum(expansion.value().text));
}

std::string match_difference(const Datum& row, const Datum& expect, const Template& parsed) {
    const Result<Signature> signature = parse_signature(text_of(row, "signature"));
    if (!signature.ok()) return signature.error().message;
    const TemplateMatch match = parsed.match(signature.value());
    if (is_true(expect.find("ok")) != match.ok(text_of(row, "output") == "text"))
        return "expected the other verdict; unmatched " + Datum::texts(match.unmatched).to_json() + ", bad fields " +
               Datum::texts(match.bad_fields).to_json() + ", unused " + Datum::texts(match.unused).to_json();
    for (const std::string& why :
         {list_difference("unmatched", expect, match.unmatched), list_difference("unused", expect, match.unused)}) {
        if (!why.empty()) return why;
    }
    const std::string bad = text_of(expect, "bad_field");
    return bad.empty() || std::ranges::find(match.bad_fields, bad) != match.bad_fields.end()
               ? ""
               : expected_but("bad_field", Datum(bad), Datum::texts(match.bad_fields));
}

// ---- Cache keys

Result<std::string> key_of(const Datum& row, const char* tool, const char* arguments) {
    const std::string name = text_of(row, tool);
    const Datum* value = row.find(arguments);
    if (!value) return Error(Reason::InvalidRequest, "the row has no arguments");
    return cache_key(name.empty() ? text_of(row, "tool") : name, PTC_TRY(untag(*value)));
}

// ---- Replies

/// The codes are the same forms: what the reader drops does not count.
std::string code_difference(const std::string& expected, const std::string& actual) {
    if (expected == actual) return "";
    const std::string difference = edn_difference("[" + expected + "\n]", "[" + actual + "\n]");
    return difference.empty() ? "" : expected_but("code", Datum(expected), Datum(actual));
}

std::string blocks_difference(const Datum& expect, const ReplyProgram& program) {
    if (const Datum* code = expect.find("code")) {
        if (!code->text()) return "the row's `code` is no text";
        return code_difference(*code->text(), program.text());
    }
    const Datum::List& blocks = items_of(expect, "blocks");
    if (blocks.empty()) return "the row expects neither `code` nor `blocks`";
    return Datum::texts(program.blocks) == Datum(blocks)
               ? ""
               : expected_but("blocks", Datum(blocks), Datum::texts(program.blocks));
}

std::string reply_value_difference(const Datum& expected, const std::string& code) {
    const Result<Datum> wanted = untag(expected);
    if (!wanted.ok()) return wanted.error().message;
    RunOptions options;
    options.want_datum = true;
    const Outcome outcome = Engine({.warnings = false}).run(code, options);
    if (!outcome.datum) return "value: the program failed: " + (outcome.error ? outcome.error->message : outcome.value);
    return same_datum(wanted.value(), *outcome.datum) ? "" : expected_but("value", expected, *outcome.datum);
}

} // namespace

std::string signature_row_difference(const Datum& row) {
    const std::string answer = signature_json("null", text_of(row, "src"), text_of(row, "form") == "malli");
    const Result<Datum> parsed = Datum::from_json(answer);
    if (!parsed.ok()) return parsed.error().message;
    const bool is_valid = is_true(row.find("valid"));
    if (is_valid != is_true(parsed.value().find("ok"))) return (is_valid ? "refused: " : "accepted: ") + answer;
    if (!is_valid) return invalid_signature_difference(row, parsed.value());
    return members_difference(row, parsed.value(),
                              {"canonical", "ast", "return_spec", "params", "firewalled", "public_return",
                               "firewalled_params", "json_schema"});
}

std::string validation_row_difference(const Datum& row) {
    const Result<ValidationRequest> request = read_validation(row);
    if (!request.ok()) return request.error().message;
    const Result<Validation> validation = run_validation(request.value());
    if (!validation.ok()) return validation.error().message;
    const Datum* expect = row.find("expect");
    return expect ? validation_difference(*expect, validation.value()) : "the row has no `expect`";
}

std::string template_row_difference(const Datum& row) {
    const Datum* expect = row.find("expect");
    if (!expect) return "the row has no `expect`";
    const Result<Template> parsed = Template::parse(text_of(row, "template"));
    const bool expects_syntax_error = text_of(*expect, "error") == "syntax";
    if (expects_syntax_error) return parsed.ok() ? "expected a syntax error" : "";
    if (!parsed.ok()) return parsed.error().message;
    for (const std::string& why : {list_difference("placeholders", *expect, parsed.value().placeholders()),
                                   sections_difference(*expect, parsed.value())}) {
        if (!why.empty()) return why;
    }
    return text_of(row, "kind") == "register" ? match_difference(row, *expect, parsed.value())
                                              : expansion_difference(row, *expect, parsed.value());
}

std::string cache_key_row_difference(const Datum& row) {
    if (const Datum* canonical = row.find("canonical")) {
        const Datum* arguments = row.find("a");
        const Result<Datum> value = untag(arguments ? *arguments : Datum());
        if (!value.ok()) return value.error().message;
        const Datum actual = canonical_arguments(value.value());
        return *canonical == actual ? "" : expected_but("canonical", *canonical, actual);
    }
    const Result<std::string> a = key_of(row, "tool_a", "a");
    const Result<std::string> b = key_of(row, "tool_b", "b");
    if (!a.ok() || !b.ok()) return (a.ok() ? b : a).error().message;
    const bool expected = is_true(row.find("same"));
    return expected == (a.value() == b.value())
               ? ""
               : expected_but("same", Datum(expected), Datum(a.value() + " " + b.value()));
}

std::string response_row_difference(const Datum& row) {
    const Datum* expect = row.find("expect");
    const Datum* response = row.find("response");
    if (!expect || !response || !response->text()) return "the row has no `response` or no `expect`";
    const std::optional<ReplyProgram> program = find_program(*response->text());
    const std::string kind = text_of(*expect, "kind");
    if (kind == "none") return program ? expected_but("kind", Datum("none"), Datum(program->text())) : "";
    if (kind != "program") return "the row's `kind` is neither none nor program";
    if (!program) return expected_but("kind", Datum("program"), Datum("none"));
    const std::string difference = blocks_difference(*expect, *program);
    const Datum* value = expect->find("value");
    return difference.empty() && value ? reply_value_difference(*value, program->text()) : difference;
}

} // namespace ptc
