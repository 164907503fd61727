// The table of builtins as a whole: rows are complete, sorted and found, usage texts agree with arities, and examples
// hold. Each example is also run with ever more memory and ever more fuel: wherever it ends, it ends in the expected
// error and gives everything back.
#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"
#include <string>

namespace ptc::test {
namespace {

using BuiltinExamples = BuiltinProgram;

TEST(BuiltinTable, EveryNameIsFoundAtItsIndex) {
    std::uint32_t index = 0;
    for (const Builtin* row : all_builtins()) {
        EXPECT_EQ(find_builtin(row->name), static_cast<int>(index)) << row->name;
        EXPECT_EQ(&builtin_at(index), row);
        ++index;
    }
}

TEST(BuiltinTable, NamesAreSortedAndDistinct) {
    std::string previous;
    for (const Builtin* row : all_builtins()) {
        EXPECT_LT(previous, row->name);
        previous = row->name;
    }
}

TEST(BuiltinTable, UnknownNamesAreNotFound) {
    for (const char* name : {"", "no-such-name", "takee", "Take", "map "})
        EXPECT_EQ(find_builtin(name), -1) << name;
}

TEST(BuiltinTable, EveryRowIsComplete) {
    for (const Builtin* row : all_builtins()) {
        EXPECT_NE(row->call, nullptr) << row->name;
        EXPECT_FALSE(std::string_view(row->doc).empty()) << row->name;
        EXPECT_TRUE(row->example.source && row->example.result) << row->name;
        EXPECT_GT(row->cost, 0u) << row->name;
    }
}

// Every form of a usage text begins with the name, unqualified or not, and its brackets close.
TEST(BuiltinTable, UsageTextsNameTheirFunction) {
    for (const Builtin* row : all_builtins()) {
        std::string_view usage = row->usage;
        ASSERT_TRUE(usage.starts_with("(") && usage.ends_with(")")) << row->name;
        std::string_view called = usage.substr(1, usage.find_first_of(" )", 1) - 1);
        std::string_view name = row->name;
        bool same =
            called == name || called.ends_with("/" + std::string(name)) || called.ends_with("." + std::string(name));
        EXPECT_TRUE(same) << row->name << " in " << usage;
        Arity arity = row->arity();
        EXPECT_LE(arity.min, arity.max) << row->name;
    }
}

TEST(BuiltinTable, ArityIsReadFromTheUsage) {
    EXPECT_EQ(arity_of_usage("(f)").max, 0);
    EXPECT_EQ(arity_of_usage("(f x)").min, 1);
    EXPECT_EQ(arity_of_usage("(f x) (f x y z)").max, 3);
    EXPECT_EQ(arity_of_usage("(f x & more)").min, 1);
    EXPECT_EQ(arity_of_usage("(f x & more)").max, Arity::kOpen);
    EXPECT_EQ(arity_of_usage("(f [a b] x)").min, 2);
}

TEST(BuiltinTable, AliasesNameARow) {
    for (const Builtin* row : all_builtins()) {
        if (row->alias_of) {
            EXPECT_GE(find_builtin(row->alias_of), 0) << row->name;
        }
    }
}

TEST_F(BuiltinExamples, OfNumbersAndCollectionsHold) {
    for (auto table : {arithmetic_builtins, math_builtins, comparison_builtins, predicate_builtins, sequence_builtins,
                       collection_builtins, map_builtins, set_builtins, sorting_builtins, name_builtins}) {
        EXPECT_ROWS_DOCUMENTED(table());
    }
}

class FailingExamples : public BuiltinProgram {
protected:
    // Runs the example with ever more room, and then ever more fuel, until it runs through: by the smallest steps where
    // every one may end at another place, by longer ones later. Each failure is the expected one and gives all memory
    // back.
    void check(const Builtin& row) {
        std::string expected = run(row.example.source);
        const std::size_t live = heap.live_bytes();
        auto attempt = [&](Reason reason) {
            Result<Value> result = evaluate(row.example.source);
            heap.set_limit(kNoLimit);
            heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), nullptr);
            if (result.ok()) {
                EXPECT_EQ(print_to_string(heap, result.value(), PrintStyle::Readable), expected) << row.name;
                return true;
            }
            EXPECT_EQ(reason_name(result.error().reason), reason_name(reason)) << row.name;
            EXPECT_EQ(heap.live_bytes(), live) << row.name;
            return HasFailure();
        };
        std::size_t room = 0;
        do {
            heap.set_limit(live + room);
            room += 16 + room / 32;
        } while (!attempt(Reason::MemoryExceeded));
        std::int64_t fuel = 0;
        do {
            heap.meter.start(fuel, Meter::Clock::time_point::max(), nullptr);
            fuel += 1 + fuel / 32;
        } while (!attempt(Reason::FuelExhausted));
    }

private:
    static constexpr std::size_t kNoLimit = SIZE_MAX / 4;
};

TEST_F(FailingExamples, AreCleanWhereverMemoryOrFuelEnds) {
    for (const Builtin* row : all_builtins()) {
        if (row->category != Category::Internal) check(*row);
    }
}

} // namespace
} // namespace ptc::test
