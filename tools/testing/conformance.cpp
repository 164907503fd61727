// Language rows: a program is run with what the row gives it, and value, error, prints, memory and tool calls are
// compared with what the row expects. Values are compared as EDN, read by the language's own reader. Rows of other
// kinds are in conformance_agent.cpp and conformance_tools.cpp.
#include "tools/testing/conformance.h"
#include "frontend/utf8.h"
#include "runtime/edn.h"
#include "runtime/equality.h"
#include "runtime/print.h"
#include "tools/evaluation.h"
#include "tools/test_tools.h"
#include "tools/testing/conformance_agent.h"
#include "tools/testing/scenario.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kPreviewBytes = 300;

struct KindRow {
    RowKind kind;
    std::string_view name;
};
constexpr KindRow kKinds[] = {
    {RowKind::Signatures, "signatures"}, {RowKind::Validation, "validation"}, {RowKind::Templates, "templates"},
    {RowKind::CacheKeys, "cachekeys"},   {RowKind::Responses, "responses"},   {RowKind::ToolPrimitive, "toolprim"},
    {RowKind::Scenarios, "scenarios"},
};

std::string preview(std::string_view text) {
    if (text.size() <= kPreviewBytes) return std::string(text);
    return std::string(utf8::prefix(text, kPreviewBytes)) + "… (" + std::to_string(text.size()) + " bytes)";
}

std::string expected_but(std::string_view expected, std::string_view actual) {
    return "expected " + preview(expected) + ", got " + preview(actual);
}

std::string describe(const Outcome& outcome) {
    if (!outcome.error) return std::string(outcome.kind_name()) + " " + outcome.value;
    return "error " + std::string(reason_name(outcome.error->reason)) + ": " + outcome.error->message;
}

std::string value_difference(const Outcome& outcome, Outcome::Kind kind, const std::string& expected) {
    if (outcome.kind != kind) return expected_but(expected, describe(outcome));
    return edn_difference(expected, outcome.value);
}

/// `reasons` is one acceptable reason or an array of them.
std::string error_difference(const Outcome& outcome, const Datum& reasons) {
    const Datum::List single{reasons};
    const Datum::List& acceptable = reasons.list() ? *reasons.list() : single;
    std::string names;
    for (const Datum& reason : acceptable) {
        if (!reason.text()) return "the row's `error` is a reason or an array of reasons";
        if (outcome.error && *reason.text() == reason_name(outcome.error->reason)) return "";
        names += (names.empty() ? "" : " or ") + *reason.text();
    }
    return expected_but("error " + names, describe(outcome));
}

std::string outcome_difference(const Outcome& outcome, const Datum& row) {
    static constexpr struct {
        const char* member;
        Outcome::Kind kind;
    } kValues[] = {{"value", Outcome::Kind::Ok}, {"return", Outcome::Kind::Return}, {"fail", Outcome::Kind::Fail}};
    const Datum* expect = row.find("expect");
    if (!expect || !expect->map() || expect->map()->size() != 1)
        return "the row's `expect` is one of value, return, fail and error";
    for (const auto& [member, kind] : kValues) {
        const Datum* expected = expect->find(member);
        if (expected)
            return expected->text() ? value_difference(outcome, kind, *expected->text())
                                    : "the row's expected value is no text";
    }
    if (const Datum* reasons = expect->find("error")) return error_difference(outcome, *reasons);
    return "the row's `expect` is one of value, return, fail and error";
}

std::string prints_difference(const Outcome& outcome, const Datum& row) {
    const Datum* expected = row.find("prints");
    if (!expected) return "";
    Datum::List actual;
    for (const std::string& line : outcome.prints)
        actual.emplace_back(line);
    if (*expected == Datum(actual)) return "";
    return "prints: " + expected_but(expected->to_json(), Datum(actual).to_json());
}

std::string memory_difference(const Session& session, const Datum& row) {
    const Datum* expected = row.find("memory_after");
    if (!expected) return "";
    if (!expected->map()) return "the row's `memory_after` is an object of names and EDN texts";
    for (const auto& [name, text] : *expected->map()) {
        const std::optional<std::string> actual = session.value_text(*name.text(), Limits{}.max_result_bytes);
        if (!actual) return "memory: `" + *name.text() + "` is not defined";
        const std::string difference =
            text.text() ? edn_difference(*text.text(), *actual) : "the row's expected value is no text";
        if (!difference.empty()) return "memory: `" + *name.text() + "`: " + difference;
    }
    return "";
}

} // namespace

RowKind row_kind_of(std::string_view path) {
    const std::string_view file = path.substr(path.find_last_of('/') + 1);
    const std::string_view stem = file.substr(0, file.find('.'));
    for (const KindRow& row : kKinds) {
        if (row.name == stem) return row.kind;
    }
    return RowKind::Language;
}

std::string edn_difference(std::string_view expected, std::string_view actual) {
    if (expected == actual) return "";
    Heap heap;
    ShapeTable shapes(heap);
    const Result<Value> a = parse_edn(heap, shapes, expected);
    if (!a.ok()) return "the row's expected value is not EDN: " + preview(expected);
    const Result<Value> b = parse_edn(heap, shapes, actual);
    if (!b.ok() || !equal(heap, a.value(), b.value())) {
        // A NaN equals nothing; printed, in sorted order, it equals itself.
        const auto text = [&heap](const Value& v) { return print_to_string(heap, v, PrintStyle::Readable); };
        if (!b.ok() || text(a.value()) != text(b.value())) return expected_but(expected, actual);
    }
    return "";
}

Result<const Engine*> RowRunner::engine_for(const Datum& row) {
    std::vector<std::string> names;
    if (const Datum* tools = row.find("tools")) {
        if (!tools->list()) return Error(Reason::InvalidRequest, "`tools` is an array of names");
        for (const Datum& tool : *tools->list()) {
            if (!tool.text()) return Error(Reason::InvalidRequest, "`tools` is an array of names");
            names.push_back(*tool.text());
        }
    }
    std::sort(names.begin(), names.end());
    std::unique_ptr<Engine>& engine = engines_[names];
    if (engine) return engine.get();
    EngineOptions options;
    options.warnings = false;
    for (Tool& tool : test_tools()) {
        if (std::binary_search(names.begin(), names.end(), tool.name)) options.tools.push_back(std::move(tool));
    }
    if (options.tools.size() != names.size())
        return Error(Reason::InvalidRequest, "the row needs a test tool that does not exist");
    engine = std::make_unique<Engine>(std::move(options));
    return engine.get();
}

std::string RowRunner::difference(const Datum& row, RowKind kind) {
    switch (kind) {
    case RowKind::Language: return language_difference(row);
    case RowKind::Signatures: return signature_row_difference(row);
    case RowKind::Validation: return validation_row_difference(row);
    case RowKind::Templates: return template_row_difference(row);
    case RowKind::CacheKeys: return cache_key_row_difference(row);
    case RowKind::Responses: return response_row_difference(row);
    case RowKind::Scenarios: return scenario_row_difference(row);
    case RowKind::ToolPrimitive: return tool_row_difference(row);
    }
    return "";
}

std::string RowRunner::language_difference(const Datum& row) {
    Result<const Engine*> engine = engine_for(row);
    if (!engine.ok()) return engine.error().message;
    const Result<Evaluation> evaluation = read_evaluation(row, defaults_);
    if (!evaluation.ok()) return evaluation.error().message;
    Session session(*engine.value());
    const Result<Outcome> outcome = evaluate(session, evaluation.value());
    if (!outcome.ok()) return outcome.error().message;
    std::string found = outcome_difference(outcome.value(), row);
    if (found.empty()) found = prints_difference(outcome.value(), row);
    if (found.empty()) found = memory_difference(session, row);
    return found;
}

RowResult RowRunner::check(std::string_view line, RowKind kind) {
    RowResult result;
    const Result<Datum> row = Datum::from_json(line);
    if (!row.ok()) {
        result.why = "not a row: " + row.error().message;
    } else if (!row.value().map()) {
        result.why = "not a row: a row is a JSON object";
    } else {
        if (const Datum* id = row.value().find("id")) result.id = id->to_json();
        result.why = difference(row.value(), kind);
    }
    return result;
}

} // namespace ptc
