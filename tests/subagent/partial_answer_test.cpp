// Structured answers while they arrive: what is known at each point, across pieces, turns and attempts.
#include "ptc/partial_answer.h"
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

std::string known(std::string_view text) {
    PartialAnswer answer;
    answer.add({.text = text});
    const std::optional<Datum> value = answer.value();
    return (value ? value->to_json() : "none") + (answer.is_whole() ? "." : "");
}

TEST(PartialAnswer, HasWhatIsThere) {
    EXPECT_EQ(known(""), "none");
    EXPECT_EQ(known("Here it is: "), "none");
    EXPECT_EQ(known("Here it is: {"), "{}");
    EXPECT_EQ(known(R"({"na)"), "{}");
    EXPECT_EQ(known(R"({"name")"), "{}");
    EXPECT_EQ(known(R"({"name": )"), "{}");
    EXPECT_EQ(known(R"({"name": "An)"), R"({"name":"An"})");
    EXPECT_EQ(known(R"({"name": "Ann", "age": 3)"), R"({"name":"Ann"})");
    EXPECT_EQ(known(R"({"name": "Ann", "age": 31 )"), R"({"age":31,"name":"Ann"})");
    EXPECT_EQ(known(R"({"ok": tru)"), "{}");
    EXPECT_EQ(known(R"([{"id": 7}, {"id)"), R"([{"id":7},{}])");
    EXPECT_EQ(known(R"([[1, 2], ["a", "b)"), R"([[1,2],["a","b"]])");
    EXPECT_EQ(known(R"({"a": {"b": []}} and more)"), R"({"a":{"b":[]}}.)");
}

TEST(PartialAnswer, TakesEscapesWholeOrNotAtAll) {
    EXPECT_EQ(known(R"(["a\)"), R"(["a"])");
    EXPECT_EQ(known(R"(["a\")"), R"(["a\""])");
    EXPECT_EQ(known(R"(["a\u00)"), R"(["a"])");
    EXPECT_EQ(known(R"(["a\ud83d)"), R"(["a"])");
    EXPECT_EQ(known(R"(["a\ud83d\ude00)"), "[\"a😀\"]");
}

TEST(PartialAnswer, GrowsAtEachByteAndIsWholeAtTheEnd) {
    const std::string all =
        R"({"name":"A\"n\u00e9","orders":[{"id":7,"paid":true},{"id":-1.5e3,"paid":null}],"tags":["x",""]})";
    PartialAnswer answer;
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_FALSE(answer.is_whole());
        answer.add({.text = std::string_view(all).substr(i, 1)});
        EXPECT_TRUE(answer.value().has_value()) << all.substr(0, i + 1);
    }
    EXPECT_TRUE(answer.is_whole());
    EXPECT_EQ(answer.value(), json(all));
    answer.add({.kind = LlmDelta::Kind::Restart});
    EXPECT_EQ(answer.value(), std::nullopt);
}

TEST(PartialAnswer, GrowsWhileAMissionRuns) {
    const Llm llm = [](const LlmRequest& request) -> LlmResult {
        for (const char* piece : {"{\"name\":\"A", "nn\",\"age\":3", "1}"})
            request.on_delta({.text = piece});
        return LlmReply{.text = R"({"name":"Ann","age":31})"};
    };
    PartialAnswer answer;
    std::vector<std::string> seen;
    MissionOptions options{.model = ModelRef(llm)};
    options.on_delta = [&](const MissionDelta& delta) {
        if (delta.is_answer) answer.add(delta.delta);
        seen.push_back(answer.value().value_or(Datum()).to_json());
    };
    const Step step = agent({.prompt = "x", .signature = "() -> {name :string, age :int}", .output = AgentOutput::Text})
                          ->run(std::move(options));
    EXPECT_EQ(reason_of(step), "ok");
    EXPECT_EQ(seen, (std::vector<std::string>{R"({"name":"A"})", R"({"name":"Ann"})", R"({"age":31,"name":"Ann"})"}));
}

TEST(PartialAnswer, OfNoJsonHasNoValue) {
    EXPECT_EQ(known("{nonsense, really"), "none");
    EXPECT_EQ(known("]]]"), "none");
    EXPECT_EQ(known("{]}"), "none");
}

TEST(PartialAnswer, AnotherTurnOrAttemptBeginsAgain) {
    PartialAnswer answer;
    const auto add = [&](std::size_t turn, unsigned attempt, std::string_view text) {
        answer.add(
            MissionDelta{.run = 1, .turn = turn, .attempt = attempt, .is_answer = true, .delta = {.text = text}});
        const std::optional<Datum> value = answer.value();
        return value ? value->to_json() : "none";
    };
    EXPECT_EQ(add(1, 1, R"({"a": 1, "b)"), R"({"a":1})");
    EXPECT_EQ(add(1, 2, R"({"a": 2, )"), R"({"a":2})");
    EXPECT_EQ(add(1, 2, R"("b": 3})"), R"({"a":2,"b":3})");
    EXPECT_EQ(add(2, 1, "{"), "{}");
    answer.add(MissionDelta{.run = 2, .turn = 1, .delta = {.text = "talk"}}); // no answer
    EXPECT_EQ(add(2, 1, R"("c": 4})"), R"({"c":4})");
}

TEST(PartialAnswer, IsNotWholeWithoutAValue) {
    PartialAnswer answer;
    answer.add({.text = "{no json}"});
    EXPECT_EQ(answer.value(), std::nullopt);
    EXPECT_FALSE(answer.is_whole());
}

} // namespace
} // namespace ptc
