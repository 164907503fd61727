// Repairs of any error: edits that fit the text and each other, whatever the program is. That they mend it is shown by
// the rows of tests/repair/.
#include "compiler/compile.h"
#include "compiler/language/core_library.h"
#include "compiler/repair/repair.h"
#include "tests/support/core.h"
#include "tests/support/sanitized.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ptc {
namespace {

using test::core;

/// All that can head a call: functions, special forms and what other languages have.
std::vector<std::string> all_heads() {
    std::vector<std::string> heads = {":key", "own", "tool/any", "data/any", "recur", "no-such-name"};
    for (const CoreName& entry : core().names()) {
        if (!entry.name.empty()) heads.emplace_back(entry.name);
    }
#define PTC_FOREIGN(name, rewrite, advice) heads.emplace_back(name);
#include "compiler/language/foreign.def"
#undef PTC_FOREIGN
    return heads;
}

void expect_sound(const std::string& text, std::vector<Edit> edits) {
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
    std::uint32_t at = 0;
    for (const Edit& edit : edits) {
        EXPECT_LE(at, edit.span.begin) << text;
        EXPECT_LE(edit.span.begin, edit.span.end) << text;
        EXPECT_LE(edit.span.end, text.size()) << text;
        EXPECT_EQ(edit.text.find('\0'), std::string::npos) << text;
        at = std::max(at, edit.span.end);
    }
}

/// How many errors got edits.
std::size_t check_repairs_of_analysis(const std::string& text) {
    CompileOptions options;
    options.environment.any_tool = true;
    Diagnostics diagnostics;
    (void)compile(Source("test", text), options, core(), diagnostics);
    std::size_t mended = 0;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        expect_sound(text, diagnostic.error.edits);
        mended += diagnostic.error.edits.empty() ? 0 : 1;
    }
    return mended;
}

/// Errors that a run could end in at the step.
void check_repairs_of_run(const std::string& text, Span step, const std::string& function) {
    static const repair::Surroundings surroundings;
    const Source source("test", text);
    for (const Reason reason : {Reason::ArityError, Reason::ArityMismatch, Reason::TypeError, Reason::NotCallable,
                                Reason::ArithmeticError, Reason::DestructureError, Reason::ToolError}) {
        for (const OperandKind kind :
             {OperandKind::Nothing, OperandKind::Nil, OperandKind::Text, OperandKind::Vector}) {
            Error error;
            error.reason = reason;
            error.span = step;
            error.has_span = true;
            error.bad_call.kind = kind;
            error.bad_call.function = function;
            error.bad_call.argument = 1;
            repair::repair_run(source, core(), surroundings, error);
            expect_sound(text, error.edits);
        }
    }
}

void check_steps(const char* thread, const std::string& arguments) {
    std::size_t mended = 0;
    // The sanitizers look at each fourth: all of them take two minutes there, and the release looks at all.
    const std::vector<std::string> heads = all_heads();
    for (std::size_t i = 0; i < heads.size(); i += test::kIsSanitized ? 4 : 1) {
        const std::string& head = heads[i];
        std::string step = "(" + head;
        std::size_t at = 0;
        for (int count = 0; count <= 4; ++count) {
            const std::string before = std::string(thread) + " data/d ";
            const std::string text = before + step + "))";
            mended += check_repairs_of_analysis(text);
            const auto begin = static_cast<std::uint32_t>(before.size());
            check_repairs_of_run(text, {begin, static_cast<std::uint32_t>(begin + step.size() + 1)}, head);
            if (at >= arguments.size()) break;
            const std::size_t end = std::min(arguments.find('|', at), arguments.size());
            step += " " + arguments.substr(at, end - at);
            at = end + 1;
        }
    }
    EXPECT_GT(mended, 0u);
}

TEST(Repair, OfAnyStepThatTakesTheValueFirst) { check_steps("(->", "x|\"text\"|[a 1]|(b c)"); }
TEST(Repair, OfAnyStepThatTakesTheValueLast) { check_steps("(->>", "x|\"text\"|[a 1]|(b c)"); }
TEST(Repair, OfAnyStepWithKeysAndFunctions) { check_steps("(->", ":a|inc|:b|#(f %)"); }
TEST(Repair, OfAnyLastStepWithKeysAndFunctions) { check_steps("(->>", ":a|:b|{:c 1}|5"); }
TEST(Repair, OfAnyStepWithLists) { check_steps("(->", "(f x)|(:k)|[x 1]|nil"); }

TEST(Repair, OfStepsThatTakeTooMuch) {
    for (const char* text : {"(-> data/d (LocalDate/parse \"yyyy-MM-dd\"))", "(-> data/s (trim \" \"))",
                             "(-> data/s (parse-long 10))", "(->> {:a 1} (get :a :b :c))", "(-> 1 (deftype x))",
                             "(->> 1 (. x y))", "(-> 1 (deftype [a]))", "(-> 1 (.. (f) (g)))"})
        check_repairs_of_analysis(text);
}

TEST(Repair, WrapsNoNamedArgumentsOfATool) {
    const std::vector<ToolInfo> tools{
        {.name = "add", .description = "", .signature = parse_signature("(x :any, y :any) -> :any").value()}};
    for (const char* text : {"(tool/add {:x 1})", "(tool/add {\"x\" 1})", "(tool/add :x 1)", "(tool/add {})"}) {
        CompileOptions options;
        options.environment.tools = tools;
        options.environment.strict_arguments = true;
        Diagnostics diagnostics;
        EXPECT_EQ(compile(Source("test", text), options, core(), diagnostics), nullptr) << text;
        ASSERT_EQ(diagnostics.all().size(), 1u) << text;
        EXPECT_TRUE(diagnostics.all()[0].error.edits.empty()) << text;
    }
}

TEST(Repair, MakesUpNoValueThatALoopLacks) {
    for (const char* text :
         {"(loop [i 0 acc []] (if (< i 3) (recur (inc i)) acc))",
          "(loop [n 9 k 0] (if (= n 1) k (if (even? n) (recur (quot n 2)) (recur (inc n) (inc k)))))",
          "(loop [a 0 b 1 out []] (if (known) out (recur a b (+ a b) (conj out a))))",
          "(loop [i 0] (if (known) (break) (recur (inc i))))", "(doseq [x [1]] (break x))",
          "(for [x [1]] (continue))"}) {
        CompileOptions options;
        const std::string_view globals[] = {"known"};
        const ListedNames known(globals);
        options.environment.globals = &known;
        Diagnostics diagnostics;
        EXPECT_EQ(compile(Source("test", text), options, core(), diagnostics), nullptr) << text;
        ASSERT_FALSE(diagnostics.all().empty()) << text;
        EXPECT_TRUE(diagnostics.all()[0].error.edits.empty()) << text;
    }
}

/// The text as the edits of its errors leave it.
std::string mended(std::string text) {
    Diagnostics diagnostics;
    (void)compile(Source("test", text), CompileOptions(), core(), diagnostics);
    std::vector<Edit> edits;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        if (diagnostic.severity != Severity::Error) continue;
        edits.insert(edits.end(), diagnostic.error.edits.begin(), diagnostic.error.edits.end());
    }
    expect_sound(text, edits);
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin > b.span.begin; });
    for (const Edit& edit : edits)
        text.replace(edit.span.begin, edit.span.size(), edit.text);
    return text;
}

TEST(Repair, GuardsOfOtherLanguagesKeepTheirHandlers) {
    EXPECT_EQ(mended("(handler-case (quot 7 2) (error (e) 0))"), "(try (quot 7 2) (catch Exception e 0))");
    EXPECT_EQ(mended("(try-catch (quot 7 2) -1)"), "(try (quot 7 2) (catch Exception _ -1))");
    EXPECT_EQ(mended("(try-catch (quot 7 2) (catch e (str e)))"), "(try (quot 7 2) (catch Exception e (str e)))");
    EXPECT_EQ(mended("(with-handlers ([exn:fail? (fn [x] 0)]) (quot 7 2))"),
              "(try (quot 7 2) (catch Exception e ((fn [x] 0) e)))");
}

TEST(Repair, CellsOfOtherKindsAreAtoms) {
    EXPECT_EQ(mended("(def a (agent 0)) (send a + 1)"), "(def a (atom 0)) (swap! a + 1)");
}

TEST(Repair, WhatRecursOutOfATryCallsItselfByName) {
    EXPECT_EQ(mended("(defn f [x] (try (recur (dec x)) (catch Exception e 1)))"),
              "(defn f [x] (try (f (dec x)) (catch Exception e 1)))");
}

std::string many(std::size_t n, const std::string& part) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += part + " ";
    return text;
}

/// Edits of all errors, and what they write.
std::pair<std::size_t, std::size_t> size_of_edits(const std::string& text) {
    Diagnostics diagnostics;
    (void)compile(Source("test", text), CompileOptions(), core(), diagnostics);
    EXPECT_FALSE(diagnostics.all().empty()) << text;
    std::pair<std::size_t, std::size_t> size;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        size.first += diagnostic.error.edits.size();
        for (const Edit& edit : diagnostic.error.edits)
            size.second += edit.text.size();
    }
    return size;
}

TEST(Repair, EditsAreFew) {
    EXPECT_EQ(size_of_edits("((fn [x] 1) 1 " + many(100, "1") + ")").first, 100u);
    EXPECT_EQ(size_of_edits("((fn [x] 1) 1 " + many(101, "1") + ")").first, 0u);
    const std::string call = "((fn [x] 1) 1 " + many(90, "1") + ") ";
    EXPECT_EQ(size_of_edits(many(5, call)).first, 450u);
    EXPECT_EQ(size_of_edits(many(8, call)).first, 450u);
    const std::string swapped = "(reduce [] (fn [a x] \"" + std::string(20'000, 'x') + "\") [1])";
    EXPECT_LE(size_of_edits(swapped).second, 16'000u);
}

TEST(Repair, DropsNoCodeThatDoesSomething) {
    for (const char* text :
         {"(def x (first data/d (println 1)))", "(def x (count data/d (tool/any {:a 1})))",
          "(def x (not data/a data/b data/c))", "(get data data/k)", "(count data)", "(map tool [1])"})
        EXPECT_EQ(check_repairs_of_analysis(text), 0u) << text;
}

} // namespace
} // namespace ptc
