// Validators run by the VM: what they accept, change, report, cost and leave behind. Checker compiles a signature,
// checks one value and shows the value afterwards with its warnings and faults, as text.
#include "compiler/signature/signature_compiler.h"
#include "runtime/edn.h"
#include "runtime/equality.h"
#include "runtime/json.h"
#include "runtime/print.h"
#include "runtime/signature/malli.h"
#include "runtime/silent_host.h"
#include "vm/verifier.h"
#include "vm/vm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

/// A VM, a signature, and what checking a value came to.
class Checker {
public:
    explicit Checker(std::string_view signature, CheckOptions options = {})
        : vm(services_), options_(options), compiled_(compile_signature(parse_signature(signature).value()).value()) {}

    Value edn(std::string_view text) { return parse_edn(vm.heap, vm.shapes, text).value(); }
    Result<Value> run(Direction direction, Value value) {
        report = {};
        return vm.check(direction == Direction::Input ? *compiled_->arguments : *compiled_->result, std::move(value),
                        options_, report);
    }
    /// The value afterwards, then warnings and faults, a line each.
    std::string show(Direction direction, Value value) {
        Result<Value> result = run(direction, std::move(value));
        if (!result.ok()) return "!! " + std::string(reason_name(result.error().reason));
        std::string text = print_to_string(vm.heap, result.value(), PrintStyle::Readable);
        for (const Fault& warning : report.warnings)
            text += "\n~ " + warning.path + ": " + warning.message;
        for (const Fault& fault : report.faults)
            text += "\n- " + fault.path + ": " + fault.message;
        if (report.more_faults > 0) text += "\n+ " + std::to_string(report.more_faults);
        return text;
    }
    std::string output(std::string_view value) { return show(Direction::Output, edn(value)); }
    std::string input(std::string_view value) { return show(Direction::Input, edn(value)); }

private:
    SilentHost services_;

public:
    Vm vm;
    CheckReport report;

private:
    CheckOptions options_;
    SignaturePtr compiled_;
};

TEST(Validator, AValidValueGoesThroughUntouchedAndCostsNoMemory) {
    Checker checker("{rows [{id :int, name :string, tags [:keyword], in {ok :bool?}}], n :float}");
    std::string text = "{:n 2.5 :rows [";
    for (int i = 0; i < 200; ++i)
        text += "{:id " + std::to_string(i) + " :name \"x\" :tags [:a :b] :in {}}";
    Value value = checker.edn(text + "]}");
    const Bits before = value.raw();
    const std::size_t live = checker.vm.heap.live_bytes();
    checker.vm.heap.reset_peak();
    Value after = checker.run(Direction::Output, std::move(value)).value();
    EXPECT_TRUE(checker.report.ok());
    EXPECT_EQ(after.raw(), before);
    EXPECT_EQ(checker.vm.heap.live_bytes(), live);
    EXPECT_LE(checker.vm.heap.peak_bytes(), live + 2048); // the stack
}

TEST(Validator, CoercionCopiesOnlyTheWayToWhatChanges) {
    Checker checker("(rows [{id :int, in {x :int}}]) -> :any");
    Value value = checker.edn("{:rows [{:id 1 :in {:x 1}} {:id 2 :in {:x \"7\"}} {:id 3 :in {:x 3}}]}");
    const Value original = value.copy();
    const Value changed = checker.run(Direction::Input, std::move(value)).value();
    EXPECT_EQ(print_to_string(checker.vm.heap, original, PrintStyle::Readable),
              "{:rows [{:id 1 :in {:x 1}} {:id 2 :in {:x \"7\"}} {:id 3 :in {:x 3}}]}");
    EXPECT_EQ(print_to_string(checker.vm.heap, changed, PrintStyle::Readable),
              "{:rows [{:id 1 :in {:x 1}} {:id 2 :in {:x 7}} {:id 3 :in {:x 3}}]}");
    const auto row = [](const Value& map, std::size_t i) { return as_flat(as_record(map).values()[0]).data[i].raw(); };
    EXPECT_EQ(row(original, 0), row(changed, 0));
    EXPECT_NE(row(original, 1), row(changed, 1));
    EXPECT_EQ(row(original, 2), row(changed, 2));
}

TEST(Validator, CoercesEveryElementOfALongList) {
    Checker checker("(xs [:int], ys [[:float]]) -> :any");
    std::string xs, ys;
    for (int i = 0; i < 300; ++i) {
        xs += " \"" + std::to_string(i) + "\"";
        ys += " [" + std::to_string(i) + "]";
    }
    const Value value = checker.run(Direction::Input, checker.edn("{:xs [" + xs + "] :ys [" + ys + "]}")).value();
    EXPECT_EQ(checker.report.warnings.size(), 100u);
    EXPECT_EQ(checker.report.more_warnings, 200u);
    EXPECT_TRUE(checker.report.ok());
    const std::string shown = print_to_string(checker.vm.heap, value, PrintStyle::Readable);
    EXPECT_NE(shown.find(" 298 299]"), std::string::npos);
    EXPECT_NE(shown.find("[299.0]"), std::string::npos);
}

TEST(Validator, FieldsMatchInEverySpelling) {
    Checker checker("{user_id :int, a-b-c :int}");
    for (const char* text :
         {"{:user_id 1 :a-b-c 2}", "{:user-id 1 :a_b_c 2}", "{\"user_id\" 1 \"a-b_c\" 2}", "{\"user-id\" 1 :a_b-c 2}"})
        EXPECT_EQ(checker.output(text).find("\n-"), std::string::npos) << text;
    EXPECT_NE(checker.output("{:userid 1 :a_b_c 2}").find("\n- user_id: expected int, got nil"), std::string::npos);
}

std::string wide(std::string_view fields) {
    std::string text = "{" + std::string(fields);
    for (int i = 0; i < 30; ++i)
        text += " :k" + std::to_string(i) + " 0";
    return text + "}";
}

TEST(Validator, LargeMapsAreSearchedInEverySpellingToo) {
    Checker checker("(user_id :int, a-b-c :int) -> :any");
    for (const char* fields :
         {":user_id 1 :a-b-c 2", ":user-id 1 :a_b_c 2", "\"user_id\" 1 \"a-b_c\" 2", "\"user-id\" 1 :a_b-c 2"}) {
        (void)checker.run(Direction::Input, checker.edn(wide(fields)));
        EXPECT_TRUE(checker.report.ok()) << fields;
    }
    const std::string coerced = checker.input(wide(":user-id \"5\" :a_b-c 2"));
    EXPECT_NE(coerced.find(":user-id 5"), std::string::npos) << coerced;
    EXPECT_NE(checker.input(wide(":a_b-c 2")).find("- user_id: expected int, got nil"), std::string::npos);
}

TEST(Validator, TwoKeysOfOneNameAreAFaultThatNamesBoth) {
    Checker checker("{m {a_b :any}}");
    for (const std::string& inner :
         {std::string("{:a-b 1 :a_b 2}"), wide(":a-b 1 :a_b 2"), std::string("{:x-y 1 \"x_y\" 2 :a_b 3}")}) {
        const std::string got = checker.output("{:m " + inner + "}");
        EXPECT_NE(got.find("\n- m: the keys "), std::string::npos) << got;
        EXPECT_NE(got.find(" are one field"), std::string::npos) << got;
    }
    EXPECT_NE(checker.output("{:m {:a-b 1 :a_b 2}}").find(":a-b and :a_b"), std::string::npos);
}

TEST(Validator, ExtraFieldsAreRefusedOnDemandInEveryRecord) {
    Checker strict("{a :int, rows [{b :int}]}", {.reject_extra_fields = true});
    EXPECT_EQ(strict.output("{:a 1 :rows [{:b 1} {:b 2 :c-d 3}] :e 4 5 6}"),
              "{5 6 :a 1 :e 4 :rows [{:b 1} {:b 2 :c-d 3}]}\n- rows[1].c_d: unexpected field\n- 5: unexpected field\n- "
              "e: unexpected field");
    EXPECT_EQ(strict.output(wide(":a 1 :rows []")).find("unexpected field") != std::string::npos, true);
    Checker lenient("{a :int}");
    EXPECT_EQ(lenient.output("{:a 1 :b 2}"), "{:a 1 :b 2}");
}

TEST(Validator, UnionsAreToldApartByKindAndThenTried) {
    Checker checker("{a :int}|[:string]|:keyword|:nil");
    for (const char* text : {"{:a 1}", "[\"x\"]", ":k", "nil"})
        EXPECT_EQ(checker.output(text), text);
    EXPECT_EQ(checker.output("{:a \"x\"}"), "{:a \"x\"}\n- a: expected int, got string \"x\"");
    EXPECT_EQ(checker.output("[1]"), "[1]\n- [0]: expected string, got int 1");
    EXPECT_EQ(checker.output("1.5"), "1.5\n- : expected map|list|keyword|nil, got float 1.5");

    Checker maps("{v {kind :enum[a], x :int}|{kind :enum[b], y [{z :string}]}}");
    EXPECT_EQ(maps.output("{:v {:kind :a :x 1}}"), "{:v {:kind :a :x 1}}");
    EXPECT_EQ(maps.output("{:v {:kind \"b\" :y [{:z \"s\"}]}}"), "{:v {:kind \"b\" :y [{:z \"s\"}]}}");
    EXPECT_EQ(maps.output("{:v {:kind :b :x 1}}"),
              "{:v {:kind :b :x 1}}\n- v: expected {kind :enum[a], x :int}|{kind :enum[b], y [{z :string}]}, got map");
}

TEST(Validator, AnAlternativeThatTakesAnyMapTakesWhatRecordsDoNot) {
    for (const char* type : {"{a :int}|:map", ":map|{a :int}", "{a :int}|:any", ":any|{a :int}|{b :int}|[:int]"}) {
        Checker checker(type, {.reject_extra_fields = true});
        EXPECT_EQ(checker.output("{:b \"x\"}"), "{:b \"x\"}") << type;
        EXPECT_EQ(checker.output("{:a 1 :c 2}"), "{:a 1 :c 2}") << type;
    }
    EXPECT_EQ(Checker(":any|[:int]|[:bool]").output("[1 :a]"), "[1 :a]");
    EXPECT_EQ(Checker("{a :int}|:map").output("1"), "1\n- : expected {a :int}|map, got int 1");
    EXPECT_EQ(Checker("(v {a :int}|:map) -> :any").input("{:v {:a \"1\"}}"), "{:v {:a \"1\"}}");
}
TEST(Validator, BlanksMayStandAroundFloatsOnly) {
    Checker checker("(f :float, i :int?) -> :any");
    EXPECT_EQ(checker.input("{:f \" -1.5\\n\"}"), "{:f -1.5}\n~ f: coerced string \" -1.5\\n\" to float");
    EXPECT_EQ(checker.input("{:f \"  \"}"), "{:f \"  \"}\n- f: expected float, got string \"  \"");
    EXPECT_EQ(
        checker.input("{:f \"1.5x\" :i \" 1\"}"),
        "{:f \"1.5x\" :i \" 1\"}\n- f: expected float, got string \"1.5x\"\n- i: expected int, got string \" 1\"");
}
TEST(Validator, AnAlternativeThatFitsAsItIsComesBeforeOneThatNeedsCoercion) {
    Checker checker("(v [:int]|[:string], w :int|:float|:bool) -> :any");
    EXPECT_EQ(checker.input("{:v [\"1\"] :w 3}"), "{:v [\"1\"] :w 3}");
    Checker numbers("(v {x :int}|{x :bool}) -> :any");
    EXPECT_EQ(numbers.input("{:v {:x \"true\"}}"), "{:v {:x true}}\n~ v.x: coerced string \"true\" to bool");
    EXPECT_EQ(numbers.input("{:v {:x \"12\"}}"), "{:v {:x 12}}\n~ v.x: coerced string \"12\" to int");
    EXPECT_EQ(numbers.input("{:v {:x \"y\"}}"), "{:v {:x \"y\"}}\n- v: expected {x :int}|{x :bool}, got map");
}

TEST(Validator, BoundsAndChoicesLookAtTheValue) {
    Checker checker("{n :int[1..100], f :float[>0 <1], e :enum[open 3 :k nil]?}");
    EXPECT_EQ(checker.output("{:n 100 :f 0.5 :e :open}"), "{:e :open :f 0.5 :n 100}");
    EXPECT_EQ(checker.output("{:n 101 :f 1 :e 4}"),
              "{:e 4 :f 1 :n 101}\n- n: expected int[1..100], got int 101\n- f: expected float[>0 <1], got int 1\n"
              "- e: expected enum[open 3 :k nil], got int 4");
    Checker big("{n :int[>=-9223372036854775808 <=9223372036854775807]}");
    EXPECT_EQ(big.output("{:n 9223372036854775807}"), "{:n 9223372036854775807}");
    EXPECT_NE(big.output("{:n 9223372036854775808}").find("\n-"), std::string::npos);
    EXPECT_NE(big.output("{:n -9223372036854775809}").find("\n-"), std::string::npos);
    Checker input("(n :int[>5], e :enum[1 true x]) -> :any");
    EXPECT_EQ(input.input("{:n \"6\" :e \"1\"}"),
              "{:e 1 :n 6}\n~ n: coerced string \"6\" to int\n~ e: coerced string \"1\" to int");
    EXPECT_EQ(input.input("{:n \"5\" :e \"true\"}"),
              "{:e true :n \"5\"}\n~ e: coerced string \"true\" to bool\n- n: expected int[>5], got string \"5\"");
}

TEST(Validator, ListsOfEveryKindAreLists) {
    Checker checker("{r [:int], s [{x :int}]}");
    Heap& heap = checker.vm.heap;
    const auto with_range = [&] {
        Value map = checker.edn("{:s []}");
        return map_assoc(heap, std::move(map), make_keyword(heap, "r").value(), make_range(heap, 0, 1000, 1).value())
            .value();
    };
    EXPECT_TRUE(checker.run(Direction::Output, with_range()).ok());
    EXPECT_TRUE(checker.report.ok());
    EXPECT_NE(checker.output("{:r #{1} :s {}}").find("- r: expected list, got set\n- s: expected list, got map"),
              std::string::npos);
}

TEST(Validator, AllFaultsAreFoundUpToALimit) {
    Checker checker("[{a :int, b :string}]", {.max_faults = 3});
    EXPECT_EQ(checker.output("[{} 5 {:a \"x\" :b 1}]"),
              "[{} 5 {:a \"x\" :b 1}]\n- [0].a: expected int, got nil\n- [0].b: expected string, got nil\n- [1]: "
              "expected map, got int 5\n+ 2");
}

TEST(Validator, WhatMessagesShowIsBounded) {
    Checker checker("{a :int}");
    const std::string got = checker.output("{:a \"" + std::string(5000, 'x') + "\"}");
    EXPECT_NE(got.find("… (5000 bytes)"), std::string::npos);
    EXPECT_LT(got.size(), 5400u);
    EXPECT_NE(checker.output("{:a \"q\\\"\\n\"}").find("got string \"q\\\"\\n\""), std::string::npos);
}

TEST(Validator, TimesAreReadFromJsonAndArguments) {
    Checker json("{at :datetime}", {.is_json_text = true});
    EXPECT_EQ(json.output("{:at \"2026-05-03T09:14:00+02:00\"}"), "{:at \"2026-05-03T07:14:00Z\"}");
    Checker strict("{at :datetime}");
    EXPECT_EQ(strict.output("{:at \"2026-05-03T09:14:00Z\"}"),
              "{:at \"2026-05-03T09:14:00Z\"}\n- at: expected datetime, got string \"2026-05-03T09:14:00Z\"");
    EXPECT_NE(json.output("{:at \"2026-05-03T09:14:00\"}").find("an offset is missing"), std::string::npos);
    EXPECT_NE(json.output("{:at \"2026-05-03\"}").find("a time and an offset are missing"), std::string::npos);
}

TEST(Validator, FieldsDeeperThanAFrameGoOnInAnotherFunction) {
    std::string type = ":int", data = "\"7\"", path;
    for (int i = 0; i < 255; ++i) {
        type = "[{a " + type + "}]";
        data = "[{:a " + data + "}]";
        path = "[0].a" + (path.empty() || path.starts_with('[') ? path : "." + path);
    }
    Checker checker("(v " + type + ") -> " + type);
    const std::string good = checker.input("{:v " + data + "}");
    EXPECT_NE(good.find("{:a 7}"), std::string::npos);
    EXPECT_NE(good.find("~ v" + path + ": coerced"), std::string::npos);
    const std::string bad = checker.output(data);
    EXPECT_NE(bad.find("- " + path + ": expected int, got string \"7\""), std::string::npos);
    EXPECT_GT(compile_validator(parse_signature(type).value().returns, Direction::Output).value()->functions.size(),
              2u);
}

TEST(Validator, EndsWithTheFuelAndLeavesNothingBehind) {
    std::string text = "{:rows [";
    for (int i = 0; i < 40; ++i)
        text += "{:id \"" + std::to_string(i) + "\" :in {:t [\"1\" \"2\"]} :v {:x \"1\"}}";
    text += "]}";
    std::int64_t needed = 0;
    for (std::int64_t fuel = 1;; fuel += 7) {
        Checker checker("(rows [{id :int, in {t [:int]}, v {x :int}|{y :int}}]) -> :any");
        Value value = checker.edn(text);
        const Value kept = value.copy();
        const std::size_t live = checker.vm.heap.live_bytes();
        checker.vm.heap.meter.start(fuel, Meter::Clock::time_point::max(), nullptr);
        Result<Value> result = checker.run(Direction::Input, std::move(value));
        if (result.ok()) {
            needed = fuel;
            EXPECT_EQ(checker.report.warnings.size() + checker.report.more_warnings, 40u + 80u + 40u);
            break;
        }
        ASSERT_EQ(result.error().reason, Reason::FuelExhausted);
        ASSERT_EQ(checker.vm.heap.live_bytes(), live) << "with fuel " << fuel;
    }
    EXPECT_GT(needed, 1000);
}

TEST(Validator, EndsWithTheMemoryAndLeavesNothingBehind) {
    std::string text = "{:rows [";
    for (int i = 0; i < 30; ++i)
        text += "{:id \"" + std::to_string(i) + "\" :in {:t [\"1\" \"2\"]}}";
    text += "]}";
    bool has_failed = false;
    for (std::size_t extra = 0;; extra += 64) {
        Checker checker("(rows [{id :int, in {t [:int]}}]) -> :any");
        Value value = checker.edn(text);
        const Value kept = value.copy();
        const std::size_t live = checker.vm.heap.live_bytes();
        checker.vm.heap.set_limit(live + extra);
        Result<Value> result = checker.run(Direction::Input, std::move(value));
        if (result.ok()) break;
        has_failed = true;
        ASSERT_EQ(result.error().reason, Reason::MemoryExceeded);
        ASSERT_EQ(checker.vm.heap.live_bytes(), live) << "with " << extra << " bytes";
    }
    EXPECT_TRUE(has_failed);
}

TEST(Validator, FuelIsTheSameForTheSameValue) {
    const auto used = [] {
        Checker checker("{rows [{id :int, name :string?}]}");
        Value value = checker.edn("{:rows [{:id 1} {:id 2 :name \"x\"} {\"id\" 3}]}");
        checker.vm.heap.meter.start(1'000'000, Meter::Clock::time_point::max(), nullptr);
        (void)checker.run(Direction::Output, std::move(value));
        return checker.vm.heap.meter.used();
    };
    const std::int64_t first = used();
    EXPECT_GT(first, 10);
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(used(), first);
}

TEST(Validator, CheckInstructionsAreRefusedElsewhere) {
    const auto made = compile_validator(parse_signature("[{a :int}]").value().returns, Direction::Output);
    ASSERT_TRUE(made.ok());
    Program program;
    auto proto = std::make_unique<FunctionProto>(*made.value()->functions[0]);
    proto->program = &program;
    program.functions.push_back(std::move(proto));
    const Result<void> verdict = verify(program);
    ASSERT_FALSE(verdict.ok());
    EXPECT_NE(verdict.error().message.find("a check outside of a validator"), std::string::npos)
        << verdict.error().message;
}

TEST(Validator, ParametersWithoutNamesAreNumbered) {
    Checker two("[:=> [:cat :int :string] :any]");
    EXPECT_EQ(two.input("{:arg1 1 :arg2 \"x\"}"), "{:arg1 1 :arg2 \"x\"}");
    Checker whole("[:=> [:cat [:map [:id :int]]] :any]");
    EXPECT_EQ(whole.input("{:id \"4\"}"), "{:id 4}\n~ id: coerced string \"4\" to int");
}

} // namespace
} // namespace ptc
