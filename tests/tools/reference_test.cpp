// The reference page: current, its examples true, and every name on it tested.
#include "frontend/reader.h"
#include "runtime/builtin.h"
#include "subagent/engine_impl.h"
#include "tests/support/corpus.h"
#include "tests/tools/growing_arguments.h"
#include "tools/reference.h"
#include "tools/test_tools.h"
#include <gtest/gtest.h>
#include <set>

namespace ptc {
namespace {

const CoreLibrary& core() {
    static const Engine engine;
    return engine.impl().core;
}

TEST(Reference, ThePageIsCurrent) {
    const std::filesystem::path page = std::filesystem::path(PTC_TEST_DATA).parent_path() / "runtime" / "REFERENCE.md";
    EXPECT_TRUE(test::read_whole(page) == reference_page(core())) << "run `ptcc reference > runtime/REFERENCE.md`";
}

TEST(Reference, EveryEntryIsComplete) {
    for (const ReferenceEntry& entry : reference_entries(core())) {
        EXPECT_TRUE(entry.usage.starts_with("(") && entry.usage.ends_with(")")) << entry.name;
        EXPECT_TRUE(entry.doc.ends_with(".")) << entry.name << ": " << entry.doc;
        EXPECT_FALSE(entry.example.empty() || entry.example_result.empty()) << entry.name;
        EXPECT_FALSE(entry.section.empty()) << entry.name;
        EXPECT_TRUE(entry.differs.empty() || entry.differs.ends_with(".")) << entry.name << ": " << entry.differs;
    }
}

TEST(Reference, EveryExampleHolds) {
    const Engine engine({.tools = test_tools(), .clock_millis = [] { return std::int64_t{1'700'000'000'000}; }});
    for (const ReferenceEntry& entry : reference_entries(core())) {
        const Outcome outcome = engine.run(entry.example);
        const std::string result =
            outcome.error ? "!! " + std::string(reason_name(outcome.error->reason)) : outcome.value;
        EXPECT_EQ(result, entry.example_result) << entry.name << ": " << entry.example;
    }
}

/// The names in operator or argument position of all expectation rows, without the namespaces in front.
std::set<std::string> tested_names() {
    std::set<std::string> names;
    const auto add_names = [&](const std::string& text) {
        const Source source("row", text);
        Diagnostics diagnostics;
        std::vector<SyntaxToken> tokens;
        read_forms(source, ReadLimits{}, diagnostics, &tokens);
        for (const SyntaxToken& token : tokens) {
            if (token.kind != SyntaxToken::Atom || token.form != FormKind::Symbol) continue;
            const std::string name(source.text(token.span));
            names.insert(name);
            const std::size_t slash = name.find('/');
            if (slash != name.npos && slash > 0) names.insert(name.substr(slash));
        }
    };
    const std::filesystem::path tests = PTC_TEST_DATA;
    for (const Datum& row : test::conformance_rows(tests)) {
        if (const std::string* text = row.find("src")->text()) add_names(*text);
    }
    for (const auto& file : test::files_below(tests / "language", ".ptc"))
        add_names(test::read_whole(file));
    return names;
}

// A plain name may be written with its namespace, and a written-out name with another spelling of it.
TEST(Reference, EveryNameHasARowOfExpectations) {
    const std::set<std::string> tested = tested_names();
    for (const ReferenceEntry& entry : reference_entries(core())) {
        const std::size_t slash = entry.name.find('/');
        const std::string member =
            slash == std::string::npos || slash == 0 ? "/" + entry.name : entry.name.substr(slash);
        EXPECT_TRUE(tested.contains(entry.name) || tested.contains(member)) << entry.name;
    }
}

// What the table says about the cost of builtins, against calls with arguments of all types, small and large.
TEST(Reference, CostsGrowWhereTheTableSaysSo) {
    for (const Builtin* row : all_builtins()) {
        if (row->category == Category::Internal || std::string_view(row->name).ends_with("%") || !row->pure) continue;
        test::GrowingArguments arguments; // anew: values remember what was worked out about them
        const std::int64_t dearest = arguments.dearest_call(*row);
        if (row->work == Work::Constant)
            EXPECT_LE(dearest, row->cost + 100) << row->name;
        else
            EXPECT_GT(dearest, row->cost + 100) << row->name;
    }
}

} // namespace
} // namespace ptc
