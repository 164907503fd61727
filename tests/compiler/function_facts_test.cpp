// What rows of builtins and the metadata of runtime/core say of functions: complete, and true of their results. The
// results are those of real calls, with arguments of all kinds; a row that promises too much is found here.
#include "compiler/bounds/native_models.h"
#include "compiler/language/core_library.h"
#include "compiler/operations.h"
#include "frontend/reader/reader.h"
#include "ptc/engine.h"
#include "runtime/builtin.h"
#include "runtime/clock.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/parameters.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include "tests/support/core.h"
#include "vm/opcode.h"
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ptc {
namespace {

using test::core;

/// The names of parameters in a usage text; patterns are left out.
std::vector<std::string> parameter_names(std::string_view usage) {
    std::vector<std::string> names;
    int depth = 0;
    bool is_head = false;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty() && !is_head && word != "&") names.push_back(word);
        if (!word.empty()) is_head = false;
        word.clear();
    };
    for (const char c : usage) {
        if (c == '(' || c == '[' || c == '{') {
            if (depth++ == 0) is_head = true;
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth == 1) end_word();
            --depth;
        } else if (c == ' ') {
            if (depth == 1) end_word();
        } else if (depth == 1) {
            word += c;
        }
    }
    return names;
}

TEST(FunctionFacts, EveryRowSaysWhatItGivesAndWhichModelBoundsIt) {
    for (const Builtin* row : all_builtins()) {
        EXPECT_NE(row->gives.kinds, 0) << row->name;
        EXPECT_NE(row->model, BoundModel::NotSaid) << row->name;
    }
}

TEST(FunctionFacts, EveryCoreFunctionSaysWhatItGives) {
    for (const CoreFunction& function : core().all())
        EXPECT_NE(function.gives.kinds, 0) << function.name;
}

/// What find_definitions cuts out of the text is what the reader finds in it.
TEST(FunctionFacts, TheDefinitionsOfTheCoreLibraryAreItsForms) {
    Diagnostics diagnostics;
    const Forms forms = read_forms(core().source(), ReadLimits{}, diagnostics);
    ASSERT_FALSE(diagnostics.has_errors());
    std::vector<std::string> expected, found;
    std::string section;
    for (const Form& form : forms.top_level()) {
        const auto parts = form.items();
        if (parts[0].is_symbol("section%"))
            section = parts[1].text();
        else
            expected.push_back(section + ": " + std::string(parts[1].text()) + " " + std::string(parts[2].text()));
    }
    for (const CoreFunction& function : core().all())
        found.push_back(std::string(function.section) + ": " + std::string(function.name) + " " +
                        std::string(function.doc));
    EXPECT_EQ(found, expected);
}

/// A definition is read by whoever asks first, together with those that it calls.
TEST(FunctionFacts, ThreadsThatReadDefinitionsAtOnceSeeTheSame) {
    const CoreLibrary library;
    std::vector<std::string> names;
    for (const CoreFunction& function : core().all())
        names.emplace_back(function.name);
    std::vector<std::thread> threads;
    std::atomic<int> differences = 0;
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < names.size(); ++i) {
                const std::string& name = names[(i * (2 * t + 1) + t * 31) % names.size()];
                const CoreFunction* known = core().find(name);
                const CoreFunction* read = library.find(name);
                if (read->inlined != known->inlined || read->arities.size() != known->arities.size() ||
                    read->gives.kinds != known->gives.kinds)
                    ++differences;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(differences, 0);
}

TEST(FunctionFacts, ANativeUnderACoreFunctionGivesTheSame) {
    for (const CoreFunction& function : core().all()) {
        const int native = find_builtin(function.name);
        if (native < 0) continue;
        const Gives& gives = builtin_at(static_cast<std::uint32_t>(native)).gives;
        EXPECT_EQ(gives.kinds, function.gives.kinds) << function.name;
        EXPECT_EQ(gives.rule, function.gives.rule) << function.name;
    }
}

TEST(FunctionFacts, WhatIsEndlessTakesSoManyArguments) {
    std::size_t found = 0;
    for (const CoreName& name : core().names()) {
        if (name.name.empty() || name.endless == kNeverEndless) continue;
        ++found;
        const CoreFunction* variant = core().find("lazy-" + std::string(name.name) + "%");
        EXPECT_TRUE((variant && variant->arity(name.endless)) || (name.core && name.core->arity(name.endless)))
            << name.name;
    }
    EXPECT_EQ(found, 5u);
}

TEST(FunctionFacts, WhatUpdatesMayGiveACollection) {
    for (const CoreName& name : core().names()) {
        if ((name.traits & traits::kUpdates) != 0) {
            EXPECT_NE(name.gives.kinds & (kinds::kVector | kinds::kMap | kinds::kSet), 0) << name.name;
        }
    }
}

TEST(FunctionFacts, EveryParameterHasAKnownName) {
    for (const Builtin* row : all_builtins()) {
        for (const std::string& name : parameter_names(row->usage))
            EXPECT_TRUE(kinds_of_parameter(name)) << name << " in " << row->usage;
    }
    for (const CoreFunction& function : core().all()) {
        for (const std::string& name : parameter_names(function.usage))
            EXPECT_TRUE(kinds_of_parameter(name)) << name << " in " << function.usage;
    }
}

TEST(FunctionFacts, EveryModelIsWrittenOnce) {
    std::set<BoundModel> written;
    for (const auto table :
         {native::number_models, native::collection_models, native::map_models, native::text_models}) {
        for (const native::ModelRow& row : table())
            EXPECT_TRUE(written.insert(row.name).second) << static_cast<int>(row.name);
    }
    EXPECT_EQ(written.size() + 2, kBoundModels); // but NotSaid and Unknown
}

TEST(FunctionFacts, EveryInstructionBelongsToOneBuiltin) {
    std::map<Instruction, std::string> owners;
    for (const Builtin* row : all_builtins()) {
        if (row->instruction == Instruction::None) continue;
        EXPECT_TRUE(owners.emplace(row->instruction, row->name).second) << row->name;
    }
    constexpr Instruction kPredicates[] = {
#define PTC_PREDICATE(Name, builtin) Instruction::Name,
#include "vm/predicates.def"
#undef PTC_PREDICATE
    };
    for (std::size_t i = 0; i < std::size(kPredicates); ++i) // what a run's errors say is what the program calls
        EXPECT_EQ(owners[kPredicates[i]], kPredicateNames[i]);
}

// ---- The results

Kinds kinds_of_value(const Value& value) {
    const Bits b = value.raw();
    if (b == bits::kNil) return kinds::kNil;
    if (b == bits::kTrue) return kinds::kTrue;
    if (b == bits::kFalse) return kinds::kFalse;
    if (bits::is_integer(b)) return kinds::kInteger;
    if (bits::is_double(b)) return kinds::kDouble;
    if (!bits::is_object(b)) return kinds::kFunction;
    switch (bits::to_object(b)->type) {
    case ObjectType::String: return kinds::kText;
    case ObjectType::Keyword: return kinds::kKeyword;
    case ObjectType::BigInteger: return kinds::kBigInteger;
    case ObjectType::Vector:
    case ObjectType::Range:
    case ObjectType::OverlayVector: return kinds::kVector;
    case ObjectType::Record:
    case ObjectType::HashMap:
    case ObjectType::OverlayMap: return kinds::kMap;
    case ObjectType::HashSet:
    case ObjectType::OverlaySet: return kinds::kSet;
    case ObjectType::Regex: return kinds::kRegex;
    case ObjectType::Closure: return kinds::kFunction;
    case ObjectType::LocalDate:
    case ObjectType::Instant:
    case ObjectType::Duration:
    case ObjectType::Period:
    case ObjectType::LocalDateTime:
    case ObjectType::LocalTime:
    case ObjectType::ZonedDateTime:
    case ObjectType::YearMonth:
    case ObjectType::TimeConstant: return kinds::kTime;
    default: return kinds::kName;
    }
}

/// Calls natives with up to three arguments of all kinds, and looks at what they give.
class ResultsOfCalls : public ::testing::Test {
protected:
    struct Host : HostServices {
        bool print(std::string_view) override { return true; }
        std::int64_t now_millis() override { return 1'700'000'000'000; }
    };

    ResultsOfCalls() {
        for (const std::int64_t i : {0, 1, 3, -2})
            add(Value::small_integer(i));
        add(Value::number(1.5));
        add(Value());
        add(Value::boolean(true));
        for (const char* text : {"", "ab", "12", "2024-01-02", "[1]"})
            add(make_string(heap_, text).value());
        add(make_keyword(heap_, "k").value());
        add(make_regex(heap_, "a|b").value());
        add(make_local_date(heap_, 19000, "").value());
        add(make_instant(heap_, 1'700'000'000'000, 0, "").value());
        add(make_duration(heap_, 5000).value());
        add(vector({}));
        add(vector({Value::small_integer(1), Value::small_integer(2)}));
        add(vector({make_string(heap_, "a").value(), Value()}));
        add(vector({make_keyword(heap_, "k").value()}));
        MapBuilder map(heap_);
        map.put(make_keyword(heap_, "k").value(), Value::small_integer(1));
        add(std::move(map.finish()).value());
        add(std::move(MapBuilder(heap_).finish()).value());
        SetBuilder set(heap_);
        set.put(Value::small_integer(1));
        add(std::move(set.finish()).value());
    }

    Value vector(std::initializer_list<Value> items) {
        VectorBuilder builder(heap_);
        for (const Value& item : items)
            (void)builder.push(item.copy());
        return std::move(builder.finish()).value();
    }
    void add(Value value) { pool_.push_back(std::move(value)); }

    void call(const Builtin& row, std::initializer_list<std::size_t> places) {
        std::vector<Value> arguments;
        for (const std::size_t place : places)
            arguments.push_back(pool_[place].copy());
        Call context{heap_, shapes_, host_, row};
        heap_.meter.start(1'000'000, Meter::Clock::time_point::max(), nullptr);
        const Result<Value> result = row.call(context, arguments);
        if (!result.ok()) return;
        // (conj 5), (merge 5 nil): with nothing to add or take away the first argument comes back, whatever it is.
        const ResultRule rule = row.gives.rule;
        const bool may_do_nothing = rule == ResultRule::Conj || rule == ResultRule::Into ||
                                    rule == ResultRule::Dissoc || rule == ResultRule::Merge;
        if (may_do_nothing && places.size() > 0 && result.value().raw() == pool_[*places.begin()].raw()) return;
        const Kinds kind = kinds_of_value(result.value());
        if ((kind & row.gives.kinds) == 0) surprises_[row.name] |= kind;
    }

    Heap heap_;
    ShapeTable shapes_{heap_};
    Host host_;
    std::vector<Value> pool_;
    std::map<std::string, int> surprises_;
};

TEST_F(ResultsOfCalls, AreOfTheKindsThatRowsSay) {
    for (const Builtin* row : all_builtins()) {
        if (row->gives.kinds == kinds::kAny) continue;
        const Arity arity = row->arity();
        if (arity.accepts(0)) call(*row, {});
        for (std::size_t a = 0; a < pool_.size(); ++a) {
            if (arity.accepts(1)) call(*row, {a});
            for (std::size_t b = 0; b < pool_.size(); ++b) {
                if (arity.accepts(2)) call(*row, {a, b});
                for (std::size_t c = 0; c < pool_.size() && arity.accepts(3); ++c)
                    call(*row, {a, b, c});
            }
        }
    }
    for (const auto& [name, kind] : surprises_)
        ADD_FAILURE() << name << " gives a value of kind " << kind;
}

/// The kinds that predicates tell apart.
Kinds kinds_called(std::string_view name) {
    const std::map<std::string_view, Kinds> kinds = {
        {"nil", kinds::kNil},     {"boolean", kinds::kBoolean}, {"number", kinds::kNumber},
        {"string", kinds::kText}, {"keyword", kinds::kKeyword}, {"vector", kinds::kVector},
        {"map", kinds::kMap},     {"set", kinds::kSet},         {"function", kinds::kFunction}};
    const auto found = kinds.find(name);
    return found == kinds.end() ? kinds::kOther : found->second;
}

TEST(ResultsOfCore, OfExamplesAndOfNilAreOfTheKindsThatMetadataSays) {
    const Engine engine;
    const auto kind_of = [&](const std::string& call) {
        const Outcome outcome = engine.run(
            "(let [r " + call +
            "] (cond (nil? r) :nil (boolean? r) :boolean (number? r) :number (string? r) :string (keyword? r) :keyword "
            "(vector? r) :vector (map? r) :map (set? r) :set (fn? r) :function :else :other))");
        return outcome.error ? std::string() : outcome.value.substr(1);
    };
    for (const CoreFunction& function : core().all()) {
        if (function.gives.kinds == kinds::kAny) continue;
        const std::string name(function.name);
        std::vector<std::string> calls = {std::string(function.example_source)};
        if (!calls[0].starts_with("(" + name + " ")) calls.clear();
        for (const char* f : {"identity", "inc", ":k", "vector"}) {
            for (const char* coll : {"nil", "[]", "[1 2]", "\"ab\"", "{:k 1}", "#{}", "{}"})
                calls.push_back("(" + name + " " + f + " " + coll + ")");
        }
        for (const char* coll : {"nil", "[]", "[1 2]", "{:k 1}"}) {
            calls.push_back("(" + name + " " + coll + " identity)");
            calls.push_back("(" + name + " " + coll + " 0 identity)");
            calls.push_back("(" + name + " identity 0 " + coll + ")");
        }
        for (const std::string& call : calls) {
            const std::string kind = kind_of(call);
            if (!kind.empty()) {
                EXPECT_NE(kinds_called(kind) & function.gives.kinds, 0) << call << " gives a " << kind;
            }
        }
    }
}

} // namespace
} // namespace ptc
