// Signatures at every boundary: tools' arguments and results, runs' results, values that a host checks itself. How
// single types accept and coerce values is tested in tests/compiler/validator_test.cpp.
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

/// A tool that remembers what it got and gives `result`.
struct Probe {
    Datum got;
    Datum result = Datum(true);
    Tool tool(std::string signature) {
        return {.name = "probe",
                .signature = std::move(signature),
                .function = [this](const Datum& arguments) -> Result<Datum> {
                    got = arguments;
                    return result;
                }};
    }
};

std::string message(const Outcome& outcome) {
    return outcome.error ? std::string(reason_name(outcome.error->reason)) + ": " + outcome.error->message
                         : "ok " + outcome.value;
}

TEST(SignatureExample, AHostChecksAValueItself) {
    const SignaturePtr signature = compile_signature("(limit :int?, tags [:string]) -> {count :int}").value();
    const Validation good =
        validate(*signature, Direction::Input, Datum::from_json(R"({"limit": "10", "tags": ["a"]})").value()).value();
    EXPECT_TRUE(good.ok);
    EXPECT_EQ(good.data.to_json(), R"({"limit":10,"tags":["a"]})");
    EXPECT_EQ(validation_warnings_text(good.warnings),
              "Tool validation warnings:\n- limit: coerced string \"10\" to int");
    const Validation bad =
        validate(*signature, Direction::Output, Datum::from_json(R"({"count": "abc"})").value()).value();
    EXPECT_FALSE(bad.ok);
    EXPECT_EQ(validation_errors_text(bad.errors), "Tool validation errors:\n- count: expected int, got string \"abc\"");
}

TEST(SignatureExample, ItsTreeCanBeLookedAt) {
    const SignaturePtr signature = compile_signature("(q :string) -> [{id :int}]").value();
    const Signature& tree = signature_of(*signature);
    EXPECT_EQ(tree.params[0].name, "q");
    EXPECT_EQ(prompt_text("find", tree), "find(q :string) -> [{id :int}]");
}

TEST(SignatureExample, SchemasAreDataOfPrograms) { // requirement 32
    const Signature signature = parse_signature("(q :string) -> {n :int}").value();
    const Datum schema = malli_datum(signature);
    EXPECT_EQ(signature_of(*compile_malli(schema).value()), signature);
    const Engine engine;
    const auto data = DataSet::from_datum(Datum::object({{"schema", schema}})).value();
    // A program adds a field to the result.
    const Outcome outcome =
        engine.run("(update data/schema 2 conj [:more :bool])", {.data = {data}, .want_datum = true});
    ASSERT_TRUE(outcome.ok()) << outcome.error->message;
    const SignaturePtr wider = compile_malli(*outcome.datum).value();
    EXPECT_EQ(signature_text(signature_of(*wider)), "(q :string) -> {n :int, more :bool}");
    EXPECT_FALSE(compile_malli(Datum(7)).ok());
    EXPECT_FALSE(compile_malli(Datum::from_json("[\"map\"]").value()).ok());
}

TEST(SignatureExample, ProvidersGetJsonSchemaAndToolsMayComeWithIt) {
    const Signature signature = parse_signature("(query :string, limit :int?) -> [{id :int}]").value();
    EXPECT_EQ(
        input_schema(signature),
        R"({"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]})");
    EXPECT_EQ(json_schema(parse_signature(":int[1..5]?").value().returns, SchemaStyle::Exact),
              R"({"$schema":"https://json-schema.org/draft/2020-12/schema","anyOf":[{"type":"integer","minimum":1,)"
              R"("maximum":5},{"type":"null"}]})");
    const SignatureReading reading = read_tool_schemas(input_schema(signature), R"({"type": "boolean"})").value();
    EXPECT_EQ(signature_text(reading.signature), "(limit :int?, query :string) -> :bool");
}

TEST(ToolSignature, ArgumentsAreCoercedBeforeTheToolRuns) {
    Probe probe;
    const Engine engine({.tools = {probe.tool("(no :int, rate :float, in-it {ok :bool}) -> :bool")}});
    const Outcome outcome = engine.run("(tool/probe {:no \"42\" :rate 2 :in_it {:ok \"true\" :more-of 1}})");
    ASSERT_TRUE(outcome.ok()) << message(outcome);
    EXPECT_EQ(probe.got.to_json(), R"({"in_it":{"more_of":1,"ok":true},"no":42,"rate":2.0})");
    ASSERT_EQ(outcome.tool_calls.size(), 1u);
    EXPECT_EQ(outcome.tool_calls[0].arguments_json, R"({"in_it":{"more_of":1,"ok":true},"no":42,"rate":2.0})");
    ASSERT_EQ(outcome.tool_calls[0].warnings.size(), 2u);
    EXPECT_EQ(fault_text(outcome.tool_calls[0].warnings[1]), "in-it.ok: coerced string \"true\" to bool");
}

TEST(ToolSignature, WrongArgumentsNeverReachTheTool) {
    Probe probe;
    const Engine engine({.tools = {probe.tool("(no :int, who :string) -> :bool")}});
    const Outcome outcome = engine.run("(def a 1) (tool/probe (assoc {} :no \"x1\" :who 5))");
    EXPECT_EQ(message(outcome),
              "validation_error: The arguments of `probe` do not fit its signature `(no :int, who :string) -> :bool`.\n"
              "Tool validation errors:\n- no: expected int, got string \"x1\"\n- who: expected string, got int 5");
    EXPECT_TRUE(probe.got.is_nil());
    EXPECT_TRUE(outcome.tool_calls.empty());
    EXPECT_TRUE(outcome.changed_names.empty());
    EXPECT_EQ(outcome.position->column, 11u);
}

TEST(ToolSignature, ResultsAreCheckedToo) {
    Probe probe;
    const Engine engine({.tools = {probe.tool("() -> {n :int, at :datetime?}")}});
    probe.result = Datum::object({{"n", "1"}});
    EXPECT_NE(message(engine.run("(tool/probe)")).find("- n: expected int, got string \"1\""), std::string::npos);
    probe.result = Datum::object({{"n", 1}, {"at", "2026-05-03T09:14:00+02:00"}});
    EXPECT_EQ(message(engine.run("[(:n (tool/probe)) (inst? (:at (tool/probe)))]")).find("validation_error"),
              std::string::npos);
}

TEST(ToolSignature, TheModeSaysWhatHappens) {
    Probe probe;
    const auto run = [&](ValidationMode mode, const char* source) {
        const Engine engine({.tools = {probe.tool("(n :int) -> :int")}, .validation = mode});
        probe.got = Datum();
        probe.result = Datum("x");
        return engine.run(source);
    };
    Outcome outcome = run(ValidationMode::Disabled, "(tool/probe {:n \"1\"})");
    EXPECT_TRUE(outcome.ok());
    EXPECT_EQ(probe.got.to_json(), R"({"n":"1"})");
    outcome = run(ValidationMode::WarnOnly, "(tool/probe {:n \"z\"})");
    EXPECT_TRUE(outcome.ok()) << message(outcome);
    ASSERT_EQ(outcome.tool_calls[0].warnings.size(), 2u);
    EXPECT_EQ(fault_text(outcome.tool_calls[0].warnings[0]), "n: expected int, got string \"z\"");
    EXPECT_EQ(fault_text(outcome.tool_calls[0].warnings[1]), "expected int, got string \"x\"");
    outcome = run(ValidationMode::Strict, "(tool/probe (assoc {} :n 1 :m 2))");
    EXPECT_NE(message(outcome).find("- m: unexpected field"), std::string::npos);
}

TEST(ToolSignature, StrictlyEveryToolNeedsOne) {
    Probe probe;
    const Engine engine({.tools = {probe.tool("")}, .validation = ValidationMode::Strict});
    EXPECT_EQ(message(engine.run("1")),
              "validation_error: The tool `probe` has no signature, which strict validation needs.");
    EXPECT_TRUE(engine.run("1", {.validation = ValidationMode::Enabled}).ok());
}

TEST(ToolSignature, OneThatCannotBeReadIsAProblemOfTheEngine) {
    Probe probe;
    const Engine engine({.tools = {probe.tool("(a :list) -> :int")}});
    ASSERT_EQ(engine.problems().size(), 1u);
    EXPECT_NE(engine.problems()[0].message.find("`probe`"), std::string::npos);
    EXPECT_EQ(engine.run("1").value, "1");
    EXPECT_NE(message(engine.run("(tool/probe {:a 1})")).find("cannot be read"), std::string::npos);
}

TEST(ToolSignature, BranchesAreCheckedInTheirOwnHeaps) {
    Probe probe;
    std::vector<Tool> tools{
        {.name = "twice", .signature = "(n :int) -> :int", .function = [](const Datum& arguments) -> Result<Datum> {
             return Datum(*arguments.find("n")->get_if<std::int64_t>() * 2);
         }}};
    const Engine engine({.tools = std::move(tools)});
    const Outcome good = engine.run("(pmap (fn [x] (tool/twice {:n (str x)})) (range 20))");
    EXPECT_EQ(good.value, "[0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38]") << message(good);
    EXPECT_EQ(good.tool_calls.size(), 20u);
    const Outcome bad = engine.run("(pmap (fn [x] (tool/twice {:n (if (= x 3) \"z\" x)})) (range 5))");
    EXPECT_NE(message(bad).find("- n: expected int, got string \"z\""), std::string::npos) << message(bad);
    EXPECT_EQ(engine.run("(pmap (fn [x] (tool/twice {:n (str x)})) (range 20))").usage.fuel, good.usage.fuel);
}

TEST(RunSignature, AResultThatDoesNotFitFailsTheRunAndItsDefinitions) {
    const Engine engine;
    Session session(engine);
    RunOptions options{.want_json = true, .signature = compile_signature("{order_count :int, _ids [:int]?}").value()};
    const Outcome good = session.run("(def kept 1) (return {:order-count 5 :extra 1})", options);
    ASSERT_TRUE(good.ok()) << message(good);
    EXPECT_EQ(*good.json, R"({"extra":1,"order_count":5})");
    EXPECT_EQ(good.value, "{:extra 1 :order-count 5}");
    const Outcome bad = session.run("(def lost 1) {:order-count \"5\"}", options);
    EXPECT_EQ(message(bad),
              "validation_error: The result does not fit the signature `() -> {order_count :int, _ids [:int]?}`.\n"
              "Tool validation errors:\n- order_count: expected int, got string \"5\"");
    EXPECT_EQ(session.names(), std::vector<std::string>{"kept"});
    options.validation = ValidationMode::WarnOnly;
    const Outcome warned = session.run("{:order-count \"5\"}", options);
    ASSERT_TRUE(warned.ok());
    EXPECT_EQ(fault_text(warned.result_warnings.at(0)), "order_count: expected int, got string \"5\"");
    EXPECT_TRUE(session.run("(fail {:a 1})", {.signature = options.signature}).kind == Outcome::Kind::Fail);
}

TEST(RunSignature, CheckingIsChargedAndLimited) {
    const Engine engine;
    const SignaturePtr signature = compile_signature("[{a :int}]").value();
    const Outcome without = engine.run("(map (fn [i] {:a i}) (range 1000))");
    const Outcome with = engine.run("(map (fn [i] {:a i}) (range 1000))", {.signature = signature});
    ASSERT_TRUE(with.ok()) << message(with);
    EXPECT_GT(with.usage.fuel, without.usage.fuel + 2000);
    Limits limits;
    limits.fuel = without.usage.fuel + 100;
    EXPECT_EQ(
        engine.run("(map (fn [i] {:a i}) (range 1000))", {.limits = limits, .signature = signature}).error->reason,
        Reason::FuelExhausted);
}

TEST(RunSignature, TwoKeysOfOneNameAreAnError) {
    const Engine engine;
    const RunOptions options{.want_json = true, .signature = compile_signature("{m :map}").value()};
    EXPECT_NE(message(engine.run("{:m {:a-b 1 :a_b 2}}", options)).find("`:a-b` and `:a_b`"), std::string::npos);
}

} // namespace
} // namespace ptc
