// How the cost of every name of the language grows: its calls with arguments of n, 10 n and 100 n items
// (growing_calls.h), in instructions as callgrind counts them and in fuel. What is constant in n is taken off by
// comparing the second step with the first: from n log n come 13, from the square of n 100. The names are those of the
// reference, so that none is forgotten: one without a call here is a row that says it does the same work whatever it
// is given, which is held too, or is listed with the reason.
#include "compiler/language/reference.h"
#include "subagent/engine/engine_impl.h"
#include "tests/subagent/growing_calls.h"
#include "tests/support/growth.h"
#include "tests/tools/growing_arguments.h"
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <ptc/ptc.h>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace ptc::test {
namespace {

constexpr std::array<std::size_t, 3> kSizes = {100, 1'000, 10'000};
/// n log n has 13.2, work that doubles in price with another form of its collection 20, and n to 1.5 has 31.6.
constexpr double kMostOfStep = 25;
/// The square of n has 100, and a little more where it begins late.
constexpr double kMostOfSquare = 120;
/// What a unit of fuel buys may grow so much from one step to the next.
constexpr double kMostOfPrice = 3;
/// Two instructions for an item, and a unit for 200 of them, are no growth.
constexpr double kStillInstructions = 20'000, kStillFuel = 50;

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

bool is_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(":-_?!*+'/.%<>=").find(c) != std::string_view::npos;
}

/// Whether the program `text` has `name` in it as a name of its own.
bool names(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
    }
    return false;
}

/// The definitions of what `program` names, for a size.
std::string definitions_for(const std::string& program, std::size_t n) {
    std::string needed = program, all;
    for (std::size_t i = std::size(kGrowingData); i-- > 0;) {
        const GrowingData& row = kGrowingData[i];
        if (!names(needed, row.name)) continue;
        needed += " " + std::string(row.expression);
        all = "(def " + std::string(row.name) + " " + row.expression + ")" + all;
    }
    return "(def n " + std::to_string(n) + ")" + all + " nil";
}

const Engine& engine() {
    static const Engine made([] {
        EngineOptions options;
        options.limits.timeout = {};
        options.limits.fuel = std::int64_t{1} << 50;
        options.limits.heap_bytes = std::uint64_t{2} << 30;
        options.limits.max_print_bytes = std::uint64_t{1} << 30;
        options.warnings = false;
        options.seed = 1;
        options.threads = 0;
        options.tool_threads = 0;
        return options;
    }());
    return made;
}

/// A program beside its data, compiled and not run yet. Nothing is left of one for another: values remember what was
/// found out about them.
class Prepared {
public:
    Prepared(const std::string& program, std::size_t n) : text_(program), session_(engine()) {
        const Outcome defined = session_.run(definitions_for(program, n));
        EXPECT_TRUE(defined.ok()) << program << ": " << (defined.error ? defined.error->message : "");
        const Compiled compiled = session_.compile("(count [" + program + "])");
        if (!compiled) ADD_FAILURE() << program << ": " << compiled.diagnostics.all().front().error.message;
        program_ = compiled.program;
    }
    void operator()() {
        if (program_) outcome_ = session_.run(program_);
    }
    /// Of the run.
    [[nodiscard]] double fuel() const {
        EXPECT_TRUE(outcome_.ok()) << text_ << ": " << (outcome_.error ? outcome_.error->message : "");
        return static_cast<double>(outcome_.usage.fuel);
    }

private:
    std::string text_;
    Session session_;
    ProgramPtr program_;
    Outcome outcome_;
};

using Figures = std::array<double, kSizes.size()>;

struct Case {
    const GrowingCalls& row;
    std::string program;
};

/// The programs of all rows, one for each of a row's names.
std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const GrowingCalls& row : kGrowingCalls) {
        std::vector<std::string> called = words_of(row.names);
        if (called.empty()) called.emplace_back("$");
        for (const std::string& name : called) {
            std::string program;
            for (const char* c = row.program; *c != 0; ++c)
                program += *c == '$' ? name : std::string(1, *c);
            cases.push_back({row, std::move(program)});
        }
    }
    return cases;
}

/// What programs cost, in instructions and in fuel, at each size.
struct Costs {
    Figures instructions{}, fuel{};
};
std::vector<Costs> costs_of(std::span<const Case> cases) {
    std::vector<Costs> all(cases.size());
    std::deque<Prepared> works;
    for (const Case& one : cases)
        for (const std::size_t n : kSizes)
            works.emplace_back(one.program, n);
    const std::vector<std::uint64_t> counts = instructions_of_each(works);
    for (std::size_t i = 0; i < works.size(); ++i) {
        EXPECT_GT(counts[i], 0u) << "nothing was counted: run this under callgrind, as ctest does";
        all[i / kSizes.size()].instructions[i % kSizes.size()] = static_cast<double>(counts[i]);
        all[i / kSizes.size()].fuel[i % kSizes.size()] = works[i].fuel();
    }
    return all;
}

/// The second step over the first, of at least a hundredth of `still`; 0 where nothing grows.
double steepness(const Figures& costs, double still) {
    if (costs[2] - costs[0] < still) return 0;
    return (costs[2] - costs[1]) / std::max(costs[1] - costs[0], still / 100);
}

struct Growth {
    explicit Growth(const Costs& costs)
        : instructions(steepness(costs.instructions, kStillInstructions)), fuel(steepness(costs.fuel, kStillFuel)) {
        if (instructions >= 1) price = price_of(costs, 2) / price_of(costs, 1);
        for (std::size_t i = 0; i < kSizes.size(); ++i) {
            std::array<char, 80> text{};
            (void)std::snprintf(text.data(), text.size(), " %.0f (%.0f)", costs.instructions[i], costs.fuel[i]);
            figures += text.data();
        }
    }
    double instructions, fuel; ///< how steep
    double price = 1;          ///< what a unit buys in the second step, over what it buys in the first one
    std::string figures;       ///< instructions, and fuel in brackets

private:
    static double price_of(const Costs& costs, std::size_t step) {
        return std::max(costs.instructions[step] - costs.instructions[step - 1], kStillInstructions / 100) /
               std::max(costs.fuel[step] - costs.fuel[step - 1], 1.0);
    }
};

void expect_growth(const Case& one, const Growth& growth) {
    const double most = one.row.reason ? kMostOfSquare : kMostOfStep;
    EXPECT_LE(growth.instructions, most) << one.program << ":" << growth.figures;
    EXPECT_LE(growth.fuel, most) << one.program << ":" << growth.figures;
    EXPECT_LE(growth.price, kMostOfPrice) << one.program << ":" << growth.figures;
    if (one.row.reason) {
        EXPECT_GT(std::max(growth.instructions, growth.fuel), kMostOfStep)
            << one.program << ": the row has a reason for what is not so";
    }
}

TEST(BuiltinGrowth, NothingCostsMoreThanNLogNButWhatIsListed) {
    constexpr std::size_t kAtOnce = 40; // each has its data at three sizes
    const std::vector<Case> cases = all_cases();
    const bool shows = std::getenv("PTC_GROWTH") != nullptr;
    for (std::size_t begin = 0; begin < cases.size(); begin += kAtOnce) {
        const auto some = std::span(cases).subspan(begin, std::min(kAtOnce, cases.size() - begin));
        const std::vector<Costs> costs = costs_of(some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            const Growth growth(costs[i]);
            expect_growth(some[i], growth);
            if (!shows) continue;
            std::printf("%6.1f %6.1f %5.2f  %s %s\n", growth.instructions, growth.fuel, growth.price,
                        some[i].program.c_str(), growth.figures.c_str());
            std::fflush(stdout);
        }
    }
}

/// Names without a call above, and why.
struct NothingGrows {
    const char* names;
    const char* reason;
};
constexpr NothingGrows kNothingGrows[] = {
    {"make-hierarchy newline budget/remaining currentTimeMillis Instant/now java.util.Date. LocalDate/now "
     "LocalDateTime/now LocalTime/now Math/random System/currentTimeMillis System/nanoTime YearMonth/now "
     "ZonedDateTime/now",
     "takes nothing"},
    {"rand rand-int", "takes a number"},
    {"re-pattern Pattern/compile", "takes a pattern, which has 256 bytes at most"},
    {"DateTimeFormatter/ofPattern SimpleDateFormat.", "takes a pattern, which has 1,000 bytes at most"},
    {".parse", "takes a date, which has few characters"},
    {"step-done task-reset", "take names of the host's plan and journal"},
};

/// Whether the row says that it does the same work whatever it is given. Those of the core library say nothing: they
/// are what functions do that have calls.
bool is_constant(const Builtin& row) {
    return row.work == Work::Constant && row.effect == SideEffect::None && row.category != Category::Internal;
}

// A form is compiled to instructions, which tests/subagent/price_list_growth_test.cpp has.
TEST(BuiltinGrowth, EveryNameHasACallOrAReason) {
    std::set<std::string, std::less<>> known;
    for (const GrowingCalls& row : kGrowingCalls)
        for (const std::string& name : words_of(row.names))
            known.insert(name);
    std::set<std::string, std::less<>> listed;
    for (const NothingGrows& row : kNothingGrows)
        for (const std::string& name : words_of(row.names)) {
            EXPECT_FALSE(known.contains(name)) << name << " has a call";
            listed.insert(name);
        }
    std::string missing;
    for (const ReferenceEntry& entry : reference_entries(impl_of(engine()).core)) {
        if (entry.form || (entry.builtin && is_constant(*entry.builtin)) || known.contains(entry.name)) continue;
        if (listed.erase(std::string(entry.name)) == 0) missing += " " + std::string(entry.name);
    }
    EXPECT_EQ(missing, "") << "names without a call in growing_calls.h or a reason above";
    for (const std::string& name : listed)
        ADD_FAILURE() << name << " needs no reason, or there is none of this name";
}

// Calls with values of all types, good ones and bad ones: ten times as large.
TEST(BuiltinGrowth, WhatIsConstantByItsRowTakesNoMoreInstructionsForLargerArguments) {
    constexpr std::size_t kSmall = 200;
    GrowingArguments small(kSmall), large(10 * kSmall);
    std::vector<const Builtin*> rows;
    std::vector<std::function<void()>> works;
    for (const Builtin* row : all_builtins()) {
        if (!is_constant(*row)) continue;
        rows.push_back(row);
        for (GrowingArguments* arguments : {&small, &large})
            works.emplace_back([row, arguments] { (void)arguments->dearest_call(*row); });
    }
    const std::vector<std::uint64_t> counts = instructions_of_each(works);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto few = static_cast<double>(counts[2 * i]), many = static_cast<double>(counts[2 * i + 1]);
        EXPECT_GT(few, 0) << "nothing was counted: run this under callgrind, as ctest does";
        EXPECT_LE(many, 1.5 * few) << rows[i]->name << ": " << few << ", " << many;
    }
}

} // namespace
} // namespace ptc::test
