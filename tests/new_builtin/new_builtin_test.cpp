// A builtin that exists in this program only, as one row: whatever reads the rows knows it. So adding a builtin needs
// no second list anywhere; a part of the compiler that keeps one by hand fails here.
#include "compiler/bounds/fuel_bound.h"
#include "compiler/language/reference.h"
#include "compiler/language/vocabulary.h"
#include "compiler/repair/repair.h"
#include "runtime/builtins/tables.h"
#include "tests/support/core.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

Result<Value> weigh(Call&, Args args) { return std::move(args[1]); }

constexpr Builtin kRows[] = {
    {.name = "weigh",
     .usage = "(weigh coll n)",
     .doc = "n, whatever coll is.",
     .example = {"(weigh [1 2] 3)", "3"},
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Ordering,
     .layout = {FormStyle::Body, 1},
     .call = weigh,
     .traits = traits::kUpdates},
};

using test::core;

Diagnostics compiled(const std::string& text, std::unique_ptr<Program>* program = nullptr) {
    Diagnostics diagnostics;
    CompileOptions options;
    auto made = compile(Source("test", text), options, core(), diagnostics);
    if (program) *program = std::move(made);
    return diagnostics;
}

/// The text with the edits of its only diagnostic.
std::string mended(std::string text) {
    const Diagnostics diagnostics = compiled(text);
    if (diagnostics.all().size() != 1) return std::to_string(diagnostics.all().size()) + " diagnostics";
    const std::vector<Edit> edits = diagnostics.all()[0].error.edits;
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
        text.replace(edit->span.begin, edit->span.size(), edit->text);
    return text;
}

TEST(NewBuiltin, IsCompiledAndItsArityChecked) {
    EXPECT_FALSE(compiled("(weigh [1 2] 3)").has_errors());
    EXPECT_TRUE(compiled("(weigh [1 2])").has_errors());
}

TEST(NewBuiltin, IsKnownToTheChecker) {
    const Diagnostics found = compiled("(= (weigh [1 2] 3) :three)");
    ASSERT_EQ(found.all().size(), 1u);
    EXPECT_EQ(found.all()[0].error.message, "This is a keyword, compared with a number: they are never equal.");
}

TEST(NewBuiltin, ItsTraitsAreKnownToTheChecker) {
    const Diagnostics found = compiled("(weigh [1 2] 3) 4");
    ASSERT_EQ(found.all().size(), 1u);
    EXPECT_NE(found.all()[0].error.hint.find("`weigh` gives a new one"), std::string::npos);
}

TEST(NewBuiltin, IsKnownToTheRepairs) {
    EXPECT_EQ(mended("(weihg [1 2] 3)"), "(weigh [1 2] 3)");
    // Arguments in the wrong order, one of them by what it gives itself.
    const std::string text = "(weigh (weigh [] 4) [1 2])";
    Error error;
    error.reason = Reason::TypeError;
    error.span = {0, static_cast<std::uint32_t>(text.size())};
    error.has_span = true;
    error.bad_call.kind = OperandKind::AnyNumber;
    error.bad_call.function = "weigh";
    error.bad_call.argument = 1;
    repair::repair_run(Source("test", text), core(), {}, error);
    std::string repaired = text;
    for (auto edit = error.edits.rbegin(); edit != error.edits.rend(); ++edit)
        repaired.replace(edit->span.begin, edit->span.size(), edit->text);
    EXPECT_EQ(repaired, "(weigh [1 2] (weigh [] 4))");
}

TEST(NewBuiltin, IsKnownToTheRepairOfBracketsAndTheFormatter) {
    const LanguageVocabulary vocabulary(core());
    const std::optional<KnownHead> head = vocabulary.head("weigh");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->min_args, 2);
    EXPECT_EQ(head->max_args, 2);
    EXPECT_EQ(vocabulary.style("weigh").kind, FormStyle::Body);
}

TEST(NewBuiltin, IsKnownToTheSearchForABound) {
    std::unique_ptr<Program> program;
    ASSERT_FALSE(compiled("(weigh [1 2] 3)", &program).has_errors());
    const FuelBound bound = fuel_bound(*program, {});
    EXPECT_TRUE(bound.units) << bound.why;
}

TEST(NewBuiltin, IsKnownToTheReference) {
    for (const ReferenceEntry& entry : reference_entries(core())) {
        if (entry.name != "weigh") continue;
        EXPECT_EQ(entry.section, "Sequences");
        EXPECT_EQ(entry.usage, "(weigh coll n)");
        EXPECT_EQ(cost_text(entry), "4");
        return;
    }
    FAIL() << "it is not in the reference";
}

} // namespace

std::span<const Builtin> test_builtins() { return kRows; }

} // namespace ptc
