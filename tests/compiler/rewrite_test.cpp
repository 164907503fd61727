// The engine of rewrites (compiler/language/rewrite.h): its notation, and that all tables are written in it.
#include "compiler/check/call_lints.h"
#include "compiler/language/foreign.h"
#include "compiler/language/rewrite.h"
#include "compiler/repair/call_rewrite.h"
#include "frontend/reader/reader.h"
#include <gtest/gtest.h>
#include <string>

namespace ptc {
namespace {

/// What `rewrite` makes of the call that the text is; "-" when nothing fits. A form `it` is passed in.
std::string rewritten(std::string_view rewrite, const std::string& text, const ValueQuestion& value_is = {}) {
    Diagnostics diagnostics;
    const Source source("test", text);
    const Forms forms = read_forms(source, {}, diagnostics);
    const Form& whole = forms.top_level()[0];
    std::vector<RewriteArgument> arguments;
    RewriteCall call;
    for (const Form& argument : whole.items().subspan(1))
        arguments.push_back({argument.is_symbol("it") ? nullptr : &argument, {}});
    call.function = whole.items()[0].text();
    call.arguments = arguments;
    call.is_short_fn = whole.is(FormKind::ShortFn);
    call.passes_last = !arguments.empty() && !arguments.back().form;
    const auto fitting = fitting_text(rewrite, call, value_is);
    if (!fitting) return "-";
    return is_name_text(*fitting) ? std::string(*fitting) : code_of(*fitting, call).str(source.text());
}

TEST(Rewrite, PutsArgumentsWhereTheTextNamesThem) {
    EXPECT_EQ(rewritten("(f $2 $1)", "(g 1 [2 3])"), "(f [2 3] 1)");
    EXPECT_EQ(rewritten("($f $*)", "(g 1 2)"), "(g 1 2)");
    EXPECT_EQ(rewritten("(f $2*)", "(g 1 2 3)"), "(f 2 3)");
    EXPECT_EQ(rewritten("(juxt $1[])", "(g [:a :b])"), "(juxt :a :b)");
    EXPECT_EQ(rewritten("$1", "#(g %)"), "#(do %)");
}

TEST(Rewrite, TakesTheFirstAlternativeThatHasTheArguments) {
    constexpr std::string_view kRewrite = "(f $1) | (g $1 $2) | h";
    EXPECT_EQ(rewritten(kRewrite, "(x 1)"), "(f 1)");
    EXPECT_EQ(rewritten(kRewrite, "(x 1 2)"), "(g 1 2)");
    EXPECT_EQ(rewritten(kRewrite, "(x 1 2 3)"), "h");
    EXPECT_EQ(rewritten("(f $1)", "(x)"), "-");
}

TEST(Rewrite, AsksAPatternForEachArgument) {
    EXPECT_EQ(rewritten("key code => (f $2 $1)", "(g :a m)"), "(f m :a)");
    EXPECT_EQ(rewritten("key code => (f $2 $1)", "(g :asc m)"), "-");
    EXPECT_EQ(rewritten("key code => (f $2 $1)", "(g :a m 1)"), "-");
    EXPECT_EQ(rewritten("key .. => f", "(g :a m 1)"), "f");
    EXPECT_EQ(rewritten("negated-key any => (f $1 $2)", "(g (- :a) xs)"), "(f :a xs)");
    EXPECT_EQ(rewritten("none => {}", "(g)"), "{}");
    EXPECT_EQ(rewritten("any passed => $1", "(g :a it)"), ":a");
}

TEST(Rewrite, AsksTheCallerForValues) {
    const ValueQuestion second_is_number = [](std::string_view word, std::size_t index) {
        return word == "number" && index == 1;
    };
    EXPECT_EQ(rewritten("any <number> => (take $2 $1)", "(first xs n)", second_is_number), "(take n xs)");
    EXPECT_EQ(rewritten("any symbol&<number> => (take $2 $1)", "(first xs 3)", second_is_number), "-");
    EXPECT_EQ(rewritten("<number> any => f", "(first xs n)", second_is_number), "-");
    EXPECT_EQ(rewritten("<number> any => f", "(first xs n)"), "-");
}

TEST(Rewrite, MakesAStepOfAStep) {
    EXPECT_EQ(rewritten("(f $1 $2)", "(g 1 it)"), "(f 1 )");
    EXPECT_EQ(rewritten("(f $2 $1)", "(g 1 it)"), "(#(f % 1))");
    EXPECT_EQ(rewritten("(f $2 $1)", "(g #(h %) it)"), "((fn [it] (f it #(h %))))");
}

TEST(Rewrite, GivesAFunctionForAName) {
    EXPECT_EQ(value_of("any => g | f", false), "f");
    EXPECT_EQ(value_of("(f $1 0)", false), "#(f % 0)");
    EXPECT_EQ(value_of("(f $1 0)", true), "(fn [x] (f x 0))");
    EXPECT_EQ(value_of("(f $1 $2)", false), "");
}

TEST(Rewrite, EveryTableIsWrittenInTheNotation) {
    for (const CallLint& lint : call_lints())
        EXPECT_EQ(rewrite_fault(lint.rewrite, call_lint_value_words()), nullptr) << lint.rewrite;
    for (const std::string_view rewrite : repair::tabled_rewrites())
        EXPECT_EQ(rewrite_fault(rewrite, repair::repair_value_words()), nullptr) << rewrite;
    constexpr std::string_view kForeign[] = {
#define PTC_FOREIGN(name, rewrite, advice) rewrite,
#include "compiler/language/foreign.def"
#undef PTC_FOREIGN
    };
    for (const std::string_view rewrite : kForeign) {
        if (rewrite.starts_with('@')) continue;
        EXPECT_EQ(rewrite_fault(rewrite, repair::repair_value_words()), nullptr) << rewrite;
    }
}

} // namespace
} // namespace ptc
