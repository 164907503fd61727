// The reference page: current, its examples true, and every name on it tested. What it says about costs is compared
// with calls whose arguments grow (growing_arguments.h).
#include "frontend/reader/reader.h"
#include "runtime/builtin.h"
#include "subagent/engine/engine_impl.h"
#include "tests/support/corpus.h"
#include "tests/tools/growing_arguments.h"
#include "tools/reference_page.h"
#include "tools/test_tools.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace ptc {
namespace {

const CoreLibrary& core() {
    static const Engine engine;
    return impl_of(engine).core;
}

TEST(Reference, ThePageIsCurrent) {
    const std::filesystem::path page = std::filesystem::path(PTC_TEST_DATA).parent_path() / "runtime" / "REFERENCE.md";
    EXPECT_TRUE(test::read_whole(page) == reference_page(core())) << "run `ptcc reference > runtime/REFERENCE.md`";
}

TEST(Reference, EveryEntryIsComplete) {
    const auto sections = reference_sections();
    for (const ReferenceEntry& entry : reference_entries(core())) {
        EXPECT_TRUE(entry.usage.starts_with("(") && entry.usage.ends_with(")")) << entry.name;
        EXPECT_TRUE(entry.doc.ends_with(".")) << entry.name << ": " << entry.doc;
        EXPECT_FALSE(entry.example.empty() || entry.example_result.empty()) << entry.name;
        EXPECT_NE(std::find(sections.begin(), sections.end(), entry.section), sections.end())
            << entry.name << ": there is no section " << entry.section;
        EXPECT_TRUE(entry.differs.empty() || entry.differs.ends_with(".")) << entry.name << ": " << entry.differs;
        EXPECT_EQ(cost_text(entry).empty(), entry.form != nullptr) << entry.name;
    }
}

TEST(Reference, EverySectionHasEntries) {
    std::set<std::string_view> used;
    for (const ReferenceEntry& entry : reference_entries(core()))
        used.insert(entry.section);
    EXPECT_EQ(used.size(), reference_sections().size());
}

/// The texts between `before` and the next `end`, in the order of the page.
std::vector<std::string> texts_between(const std::string& page, const std::string& before, char end) {
    std::vector<std::string> texts;
    for (std::size_t at = page.find(before); at != page.npos; at = page.find(before, at + 1)) {
        const std::size_t begin = at + before.size();
        texts.push_back(page.substr(begin, page.find(end, begin) - begin));
    }
    return texts;
}

TEST(Reference, EveryLinkHasOneTarget) {
    const std::string page = reference_page(core());
    const std::vector<std::string> links = texts_between(page, "](#", ')');
    const std::vector<std::string> targets = texts_between(page, "<a id=\"", '"');
    const std::set<std::string> distinct(targets.begin(), targets.end());
    EXPECT_EQ(targets.size(), distinct.size());
    EXPECT_GT(links.size(), reference_entries(core()).size());
    for (const std::string& link : links)
        EXPECT_TRUE(distinct.contains(link)) << link;
}

TEST(Reference, AnchorsSpellWhatTheyCannotHave) {
    EXPECT_EQ(anchor_of("get-in"), "get-in");
    EXPECT_EQ(anchor_of("Math/abs"), "math-slash-abs");
    EXPECT_EQ(anchor_of("->>"), "--greater-greater");
    EXPECT_EQ(anchor_of("+'"), "plus-quote");
}

/// The value of a run, or "!! reason".
std::string result_of(const Engine& engine, std::string_view source) {
    const Outcome outcome = engine.run(source);
    return outcome.error ? "!! " + std::string(reason_name(outcome.error->reason)) : outcome.value;
}

TEST(Reference, EveryExampleHolds) {
    const Engine engine({.tools = test_tools(), .clock_millis = [] { return std::int64_t{1'700'000'000'000}; }});
    for (const ReferenceEntry& entry : reference_entries(core()))
        EXPECT_EQ(result_of(engine, entry.example), entry.example_result) << entry.name << ": " << entry.example;
    for (const NotationEntry& entry : notation_entries())
        EXPECT_EQ(result_of(engine, entry.example), entry.example_result) << entry.meaning;
}

TEST(Reference, TheCompactFormHasALineForEachEntry) {
    std::vector<ReferenceEntry> few;
    for (const ReferenceEntry& entry : reference_entries(core())) {
        if (entry.name == "let" || entry.name == "get" || entry.name == "if") few.push_back(entry);
    }
    EXPECT_EQ(compact_reference(few),
              "## Names and definitions\n"
              "(let [name value ..] body ..) - Binds names, in order, for the body; patterns take values apart.\n"
              "\n## Choices\n"
              "(if test then) (if test then else) - The first branch when the test is truthy, else the "
              "second one, or nil.\n"
              "\n## Maps\n"
              "(get coll key) (get coll key default) - The value at key: of a map, by index of "
              "a vector or string, a member of a set.\n");
    EXPECT_EQ(compact_reference({}), "");
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
        const std::string name(entry.name);
        const std::size_t slash = name.find('/');
        const std::string member = slash == name.npos || slash == 0 ? "/" + name : name.substr(slash);
        EXPECT_TRUE(tested.contains(name) || tested.contains(member)) << name;
    }
}

/// Dates, formats (patterns that are short enough), bytes, exceptions, and large integers that are doubles as well.
bool takes_what_the_pool_lacks(std::string_view name) {
    constexpr std::string_view kNames[] = {".datesUntil",
                                           ".decode",
                                           ".encode",
                                           ".encodeToString",
                                           ".parse",
                                           ".setScale",
                                           "BigDecimal/valueOf",
                                           "DecimalFormat.",
                                           "Throwable->map",
                                           "SimpleDateFormat.",
                                           "DateTimeFormatter/ofPattern"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// What the table says about the cost of builtins, against calls with arguments of all types, small and large.
TEST(Reference, CostsGrowWhereTheTableSaysSo) {
    for (const Builtin* row : all_builtins()) {
        if (row->category == Category::Internal || std::string_view(row->name).ends_with("%") ||
            row->effect != SideEffect::None)
            continue;
        if (takes_what_the_pool_lacks(row->name)) continue;
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
