// Sources that nobody thought of: each special form and each function of the language with n parts of each kind, at
// each place where it may have many. What is done with a program before it runs (checking, compiling, explaining,
// laying out) must not take more than n log n instructions for any of them. A new form or function is asked by its row.
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "compiler/check/check.h"
#include "compiler/compile.h"
#include "compiler/language/expand.h"
#include "compiler/language/vocabulary.h"
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "tests/support/core.h"
#include "tests/support/hostile_sources.h"
#include "tests/support/instructions.h"
#include "tests/support/vocabulary.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ptc {
namespace {

using test::numbered;

/// What the n parts are.
struct PartKind {
    const char* name;
    std::string (*part)(std::size_t i);
};

std::string many_parts(const PartKind& kind, std::size_t n) { return test::parts(n, kind.part); }

constexpr PartKind kParts[] = {
    {"one literal", [](std::size_t) -> std::string { return "\"abc\""; }},
    {"literals", [](std::size_t i) { return numbered(":k", i); }},
    {"literals of two kinds", [](std::size_t i) { return i % 2 == 0 ? numbered("", i) : numbered("\"t", i) + "\""; }},
    {"one name", [](std::size_t) -> std::string { return "a"; }},
    {"names", [](std::size_t i) { return numbered("n", i); }},
    {"brackets with a literal", [](std::size_t) -> std::string { return "[1]"; }},
    {"brackets with a name", [](std::size_t i) { return "(f " + numbered("n", i) + ")"; }},
    {"names and values", [](std::size_t i) { return numbered("n", i) + " 1"; }},
    {"bindings in brackets", [](std::size_t i) { return "[" + numbered("n", i) + " 1]"; }},
    {"maps", [](std::size_t i) { return "{" + numbered(":k", i) + " 1}"; }},
    {"methods", [](std::size_t i) { return "(" + numbered("n", i) + " [a] a)"; }},
};

/// Where the parts stand.
struct Place {
    const char* name;
    std::string (*call)(const std::string& head, const std::string& parts);
};

constexpr Place kPlaces[] = {
    {"arguments", [](const std::string& head, const std::string& parts) { return "(" + head + " " + parts + ")"; }},
    {"a vector first",
     [](const std::string& head, const std::string& parts) { return "(" + head + " [" + parts + "] a)"; }},
    {"a vector behind a value",
     [](const std::string& head, const std::string& parts) { return "(" + head + " a [" + parts + "] inc)"; }},
    {"a list behind a value",
     [](const std::string& head, const std::string& parts) { return "(" + head + " a (" + parts + ") 1)"; }},
    {"behind a vector",
     [](const std::string& head, const std::string& parts) { return "(" + head + " [a 1] " + parts + ")"; }},
};

/// All names that a part may have are there.
std::string program_of(const std::string& call, std::size_t n) {
    if (call.find("n0") == call.npos) return "(fn [f a] " + call + ")";
    return "(fn [f a " + test::parts(n, [](std::size_t i) { return numbered("n", i); }) + "] " + call + ")";
}

/// Reading, analysing and checking, without what an error costs once: its repair.
bool is_accepted(const std::string& text) {
    const Source source("test", text);
    Diagnostics diagnostics;
    const LanguageVocabulary vocabulary(test::core());
    const CompileLimits limits;
    Forms forms =
        read_forms(source, {limits.max_source_bytes, limits.max_nesting, limits.max_nodes, &vocabulary}, diagnostics);
    if (diagnostics.has_errors() || !expand_forms(forms, diagnostics)) return false;
    Heap heap;
    const Environment environment;
    const Tree tree = analyze(forms, source, environment, test::core(), limits, heap, diagnostics);
    check_program(source, forms, tree, environment, test::core(), diagnostics);
    return !diagnostics.has_errors();
}

/// All that is done with a program that is not run. How many errors it has, of those that are kept.
std::size_t compile_and_explain(const std::string& text) {
    Diagnostics diagnostics;
    const std::shared_ptr<const Program> program =
        compile(Source("test", text), CompileOptions{}, test::core(), diagnostics);
    if (!program) return diagnostics.all().size();
    (void)effects_of(*program);
    (void)fuel_bound(*program, {});
    return 0;
}

void lay_out(const std::string& text) {
    Diagnostics diagnostics;
    (void)format_source(Source("test", text), test::vocabulary(), diagnostics);
}

constexpr double kMost = 5.5; ///< times the instructions for 4 times the parts: 4 log(4n) / log n is 5.3

/// What is dearer for 128 parts than for 32, and from there on by the part: is held to less than twice of it.
struct Step {
    std::string_view head;
    const char* why;
};
constexpr const char* kDrops = "each branch drops the names that later ones read: a function has 240 of them at most";
constexpr Step kSteps[] = {
    {"condp", kDrops},
    {"some->", kDrops},
    {"some->>", kDrops},
    {"doto", "a scope of more than 64 names has an index"},
};
double most_of(std::string_view head) {
    constexpr double kMostOfStep = 8;
    return std::ranges::find(kSteps, head, &Step::head) == std::end(kSteps) ? kMost : kMostOfStep;
}

template <class Work>
void expect_growth(const std::string& head, const PartKind& kind, const Place& place, std::size_t n, Work work) {
    const auto text = [&](std::size_t parts) { return program_of(place.call(head, many_parts(kind, parts)), parts); };
    const std::string small = text(n), large = text(4 * n);
    const std::uint64_t few = test::instructions_in_a_row([&] { (void)work(small); });
    const std::uint64_t many = test::instructions_in_a_row([&] { (void)work(large); });
    if (few == 0) FAIL() << "nothing was counted: run this under callgrind, as ctest does";
    EXPECT_LT(static_cast<double>(many), most_of(head) * static_cast<double>(few))
        << head << ", " << kind.name << ", " << place.name << ": " << few << " and " << many << " instructions";
}

/// The same for each of its errors: what mends one may look at all of the text, and there are 50 at most.
void expect_growth_of_repair(const std::string& head, const PartKind& kind, const Place& place) {
    constexpr std::size_t n = 30;
    const auto text = [&](std::size_t parts) { return program_of(place.call(head, many_parts(kind, parts)), parts); };
    const std::string small = text(n), large = text(4 * n);
    std::size_t few_errors = 0, many_errors = 0;
    const std::uint64_t few = test::instructions_in_a_row([&] { few_errors = compile_and_explain(small); });
    const std::uint64_t many = test::instructions_in_a_row([&] { many_errors = compile_and_explain(large); });
    if (few_errors == 0 || many_errors == 0) return; // the other is no error
    EXPECT_LE(many_errors, Diagnostics::kMaxDiagnostics);
    EXPECT_LT(static_cast<double>(many) / static_cast<double>(std::max(few_errors, many_errors)),
              kMost * static_cast<double>(few) / static_cast<double>(few_errors))
        << head << ", " << kind.name << ", " << place.name << ": " << few << " and " << many << " instructions, "
        << few_errors << " and " << many_errors << " errors";
}

void expect_growth_of_program(const std::string& head, const PartKind& kind, const Place& place) {
    constexpr std::size_t kFew = 32; // few, as there are thousands of these
    if (is_accepted(program_of(place.call(head, many_parts(kind, kFew)), kFew)))
        expect_growth(head, kind, place, kFew, compile_and_explain);
    else
        expect_growth(head, kind, place, kFew, is_accepted);
}

/// What programs can write.
bool is_of_programs(const CoreName& name) { return !name.name.ends_with('%'); }

std::vector<std::string> heads_of(bool are_special) {
    std::vector<std::string> heads;
    for (const CoreName& name : test::core().names()) {
        if ((name.special >= 0) == are_special && is_of_programs(name)) heads.emplace_back(name.name);
    }
    std::ranges::sort(heads);
    return heads;
}

/// All of them take as long as several tests. What is looked at changes from row to row: kind, place, and what goes
/// with what.
class GeneratedGrowth : public ::testing::TestWithParam<std::size_t> {
protected:
    template <class Expect> static void expect_of(bool are_special, std::size_t kinds, Expect expect) {
        const std::vector<std::string> heads = heads_of(are_special);
        for (std::size_t i = GetParam(); i < heads.size(); i += kGroups) {
            for (std::size_t k = 0; k < kinds; ++k) {
                const std::size_t kind = kinds * i + k;
                expect(heads[i], kParts[kind % std::size(kParts)], kPlaces[kind % std::size(kPlaces)]);
            }
        }
    }

public:
    static constexpr std::size_t kGroups = 4;
};
INSTANTIATE_TEST_SUITE_P(All, GeneratedGrowth, ::testing::Range(std::size_t{0}, GeneratedGrowth::kGroups));

TEST_P(GeneratedGrowth, OfSpecialForms) { expect_of(true, std::size(kParts), expect_growth_of_program); }

// They are told apart by tables.
TEST_P(GeneratedGrowth, OfFunctions) { expect_of(false, 2, expect_growth_of_program); }

// A repair costs much: fewer parts show it.
TEST_P(GeneratedGrowth, OfRepairs) { expect_of(true, 3, expect_growth_of_repair); }

// Which shape a form has is a column of its row; functions have one.
TEST(GeneratedLayouts, Grow) {
    for (const char* head : {"let", "if", "cond", "case", "->", "defn", "fn", "map", "{}", "ns"}) {
        for (const PartKind& kind : kParts)
            expect_growth(head, kind, kPlaces[0], 120, lay_out);
    }
}

} // namespace
} // namespace ptc
