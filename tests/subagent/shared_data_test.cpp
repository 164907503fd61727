// Missions over data sets that they share: they see what they would see of a context, and nothing of it is copied.
#include "subagent/agent/data_excerpt.h"
#include "subagent/agent/preview.h"
#include "tests/subagent/missions.h"
#include <ptc/mission.h>

namespace ptc {
namespace {

using DataSetPtr = std::shared_ptr<const DataSet>;

DataSetPtr data_set(std::string_view text) { return DataSet::from_json(text).value(); }

std::string rows(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (i ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + ",\"note\":\"row " + std::to_string(i * 7919) +
                "\",\"tags\":[1,2,3]}";
    return "{\"rows\":[" + text + "],\"year\":2025,\"long\":\"" + std::string(3000, 'x') + "\"}";
}

Step run(const AgentPtr& made, const Model& model, std::vector<DataSetPtr> data, Datum context = {}) {
    MissionOptions options;
    options.model = ModelRef(model.llm());
    options.data = std::move(data);
    options.context = std::move(context);
    return made->run(std::move(options));
}

TEST(SharedData, ModelsReadOfItWhatTheyReadOfAContext) {
    const AgentPtr made = agent({.prompt = "Find {{year}}: {{#rows}}{{id}} {{/rows}}"});
    for (const int count : {0, 3, 200}) {
        const Model of_context = programs({"(return (count data/rows))"}),
                    of_set = programs({"(return (count data/rows))"});
        const Step one = run(made, of_context, {}, json(rows(count)));
        const Step two = run(made, of_set, {data_set(rows(count))});
        ASSERT_TRUE(one.ok && two.ok);
        EXPECT_EQ(two.value, Datum(count));
        EXPECT_EQ(of_set.seen->requests[0].system, of_context.seen->requests[0].system);
        EXPECT_EQ(of_set.last_message(1), of_context.last_message(1));
    }
}

TEST(SharedData, NamesThatNoProgramCanWriteAreRefused) {
    for (const char* name : {"ünï", "a b", "9x("}) {
        const DataSetPtr set = data_set("{\"" + std::string(name) + "\":1}");
        const Step step = run(agent({.prompt = "x"}), programs({"(return 1)"}), {set});
        ASSERT_TRUE(step.fail) << name;
        EXPECT_NE(step.fail->message.find("would do"), std::string::npos) << step.fail->message;
        const Model text({"1"});
        EXPECT_TRUE(
            run(agent({.prompt = "x", .signature = "() -> :int", .output = AgentOutput::Text}), text, {set}).ok);
    }
}

TEST(SharedData, ExcerptsShowWhatTheWholeValueShows) {
    const char* const values[] = {R"({"v":{"a":[[1,2,[3]],[4]],"b":{"c":"text"}}})", R"({"v":[]})", R"({"v":null})",
                                  R"({"v":[1,2.5,"x",{"a":null}]})", R"({"v":[{"a":1},{"b":[{"c":1}]}]})"};
    std::string many = "{\"v\":{";
    for (int i = 0; i < 300; ++i)
        many += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":[" + std::to_string(i) + "]";
    std::vector<std::string> texts(std::begin(values), std::end(values));
    texts.push_back(many + "}}");
    for (const std::string& text : texts) {
        for (const std::size_t list : {1, 5, 200}) {
            const PromptLimit limit{.list = list, .string = 10};
            PreviewLimits limits;
            limits.list = limit.list;
            limits.string = limit.string;
            const DataSetPtr set = data_set(text);
            const Excerpt& excerpt = excerpts_of(*set, limit)->at("v");
            const Datum whole = *json(text).find("v");
            EXPECT_EQ(preview(excerpt.value, limits, &excerpt.sizes).text, preview(whole, limits).text);
            EXPECT_EQ(shown_type_text(excerpt.value, &excerpt.sizes), shown_type_text(whole));
        }
    }
}

TEST(SharedData, NamesOfTheContextHideIt) {
    const Model model = programs({"(return [data/a data/b])"});
    const Step step =
        run(agent({.prompt = "x"}), model, {data_set(R"({"a":1,"b":2})"), data_set(R"({"b":3})")}, json(R"({"a":9})"));
    EXPECT_EQ(step.value.to_json(), "[9,2]");
}

TEST(SharedData, ParametersAreCheckedAndCoerced) {
    const AgentPtr made = agent({.prompt = "x", .signature = "(rows [{id :int, at :datetime?}]) -> :any"});
    const auto set = data_set(R"({"rows":[{"id":"7","at":"2024-01-31T10:00:00Z"}],"other":1})");
    const Step fits = run(made, programs({"(return [(:id (first data/rows)) data/other])"}), {set});
    EXPECT_EQ(fits.value.to_json(), "[7,1]");
    const Step unfit = run(made, programs({}), {data_set(R"({"rows":[{"id":"x"}]})")});
    EXPECT_EQ(reason_of(unfit), "validation_error");
    EXPECT_NE(unfit.fail->message.find("rows[0].id"), std::string::npos) << unfit.fail->message;
    const Step context = run(made, programs({}), {}, json(R"({"rows":[{"id":"x"}]})"));
    EXPECT_EQ(unfit.fail->message, context.fail->message);
}

TEST(SharedData, KeysOfParametersAreWrittenAsThoseOfAContext) {
    const AgentPtr made = agent({.prompt = "x", .signature = "(rows [{order_id :int}]) -> :any"});
    const Step step =
        run(made, programs({"(return (keys (first data/rows)))"}), {data_set(R"({"rows":[{"order-id":7}]})")});
    EXPECT_EQ(step.value.to_json(), R"(["order_id"])");
}

TEST(SharedData, StrictMissionsFindTheirParametersInIt) {
    const AgentPtr made =
        agent({.prompt = "x", .signature = "(a :int, b :int) -> :int", .validation = ValidationMode::Strict});
    EXPECT_TRUE(run(made, programs({"(return (+ data/a data/b))"}), {data_set(R"({"a":1})")}, json(R"({"b":2})")).ok);
    EXPECT_EQ(reason_of(run(made, programs({}), {data_set(R"({"a":1})")})), "validation_error");
}

TEST(SharedData, IsFirewalledAsAContextIs) {
    const auto set = data_set(R"({"users":[{"name":"Ann","_email":"ann@example.org"}],"_key":"top secret text"})");
    const Model model = programs({"(println (:_email (first data/users)) data/_key) (count data/users)", "(return 1)"});
    const Step step = run(agent({.prompt = "{{_key}} {{#users}}{{name}}{{/users}}"}), model, {set});
    ASSERT_TRUE(step.ok);
    for (const LlmRequest& request : model.seen->requests) {
        std::string all = request.system;
        for (const Message& message : request.messages)
            all += message.content;
        EXPECT_EQ(all.find("ann@example.org"), std::string::npos);
        EXPECT_EQ(all.find("top secret"), std::string::npos);
    }
    EXPECT_EQ(step.trace[0].prints[0], "<Firewalled> <Firewalled>");
}

TEST(SharedData, IsFirewalledHoweverItsNamesAreWritten) {
    const std::string secret = "card 4711 4712";
    const DataSetPtr sets[] = {data_set(R"({"rows":[{"\u005fcard":"card 4711 4712"}]})"),
                               data_set(R"({"rows":[{ "a" : { "_card" : ["card 4711 4712"]}}]})"),
                               DataSet::from_json("_rows", R"(["card 4711 4712"])").value(),
                               DataSet::from_text("_rows", secret).value(),
                               DataSet::from_datum(json(R"({"rows":{"_card":"card 4711 4712"}})")).value()};
    for (const DataSetPtr& set : sets) {
        const std::string name = "data/" + set->names()[0];
        const Step step = run(agent({.prompt = "x"}),
                              programs({"(println \"card 4711 4712\") (return (count " + name + "))"}), {set});
        ASSERT_TRUE(step.ok);
        EXPECT_EQ(step.trace[0].prints, std::vector<std::string>{"<Firewalled>"}) << name;
    }
}

TEST(SharedData, ANameThatATurnGivesTakesItsPlace) {
    const Model model = programs({"{:a 5}", "(return data/a)"});
    EXPECT_EQ(run(agent({.prompt = "x"}), model, {data_set(R"({"a":1})")}).value, Datum(5));
    EXPECT_NE(model.last_message(2).find("data/a (in place of what was given)"), std::string::npos);
}

TEST(SharedData, ANameIsNoToolsToo) {
    const AgentPtr made =
        agent({.prompt = "x", .tools = {host_tool("a", "() -> :int", [](const Datum&) { return Datum(1); })}});
    EXPECT_EQ(reason_of(run(made, programs({}), {data_set(R"({"a":1})")})), "invalid_request");
}

TEST(SharedData, DigestsFollowFromTheValueAlone) {
    const auto digest = [](std::string_view text) { return data_set(text)->digest("v"); };
    EXPECT_EQ(digest(R"({"v":{"a":1,"b":[1,2]}})"), digest(R"({"w":0,"v":{"b":[1,2],"a":1}})"));
    EXPECT_EQ(digest(R"({"v":{"a":1}})"), DataSet::from_datum(json(R"({"v":{"a":1}})")).value()->digest("v"));
    EXPECT_NE(digest(R"({"v":[1,2]})"), digest(R"({"v":[[1],2]})"));
    EXPECT_NE(digest(R"({"v":1})"), digest(R"({"v":1.0})"));
    EXPECT_NE(digest(R"({"v":1})"), digest(R"({"v":"1"})"));
    EXPECT_EQ(digest(R"({"v":1})").size(), 16u);
    EXPECT_EQ(data_set(R"({"v":1})")->digest("w"), "");
    EXPECT_EQ(data_set(R"({"v":1,"a":2})")->names(), (std::vector<std::string>{"a", "v"}));
}

// ---- Checkpoints

struct Saved {
    AgentPtr made = agent({.prompt = "x"});
    std::string bytes;

    explicit Saved(std::vector<DataSetPtr> data) {
        MissionOptions options;
        options.model = ModelRef(programs({}).llm());
        options.data = std::move(data);
        Mission mission(made, std::move(options));
        mission.start();
        const std::uint64_t first = mission.take_needs().llm[0].id;
        mission.answer(first, LlmReply{.text = fenced("(def kept (nth data/rows 7))")});
        bytes = mission.save().value();
    }
    [[nodiscard]] Result<std::unique_ptr<Mission>> restore(std::vector<DataSetPtr> data) const {
        MissionOptions options;
        options.model = ModelRef(programs({}).llm());
        options.data = std::move(data);
        return made->restore(bytes, std::move(options));
    }
    [[nodiscard]] std::string problem(std::vector<DataSetPtr> data) const {
        const auto restored = restore(std::move(data));
        return restored.ok() ? "" : std::string(reason_name(restored.error().reason)) + ": " + restored.error().message;
    }
};

TEST(SharedData, ACheckpointSaysWhichItIs) {
    const Saved saved({data_set(rows(5000))});
    EXPECT_LT(saved.bytes.size(), 10'000u);
    Result<std::unique_ptr<Mission>> restored = saved.restore({data_set(rows(5000))});
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    Mission& mission = *restored.value();
    mission.answer(mission.take_needs().llm[0].id, LlmReply{.text = fenced("(return [(:id kept) (count data/rows)])")});
    EXPECT_EQ(mission.step().value.to_json(), "[7,5000]");
}

TEST(SharedData, AResumeSaysWhatIsMissingOrDifferent) {
    const Saved saved({data_set(rows(10)), data_set(R"({"b":1})")});
    EXPECT_EQ(saved.problem({data_set(rows(10)), data_set(R"({"b":1})")}), "");
    const std::string missing = saved.problem({data_set(rows(10))});
    EXPECT_NE(missing.find("data/b (digest "), std::string::npos) << missing;
    EXPECT_NE(missing.find("is missing"), std::string::npos) << missing;
    const std::string different = saved.problem({data_set(rows(11)), data_set(R"({"b":1})")});
    EXPECT_NE(different.find("data/rows is different"), std::string::npos) << different;
    const std::string more = saved.problem({data_set(rows(10)), data_set(R"({"b":1})"), data_set(R"({"c":1})")});
    EXPECT_NE(more.find("without data/c"), std::string::npos) << more;
    const std::string order = saved.problem({data_set(R"({"b":1})"), data_set(rows(10))});
    EXPECT_NE(order.find("another order"), std::string::npos) << order;
    EXPECT_TRUE(order.starts_with("invalid_request")) << order;
}

TEST(SharedData, AFinishedMissionNeedsNone) {
    const AgentPtr made = agent({.prompt = "x"});
    MissionOptions options;
    options.model = ModelRef(programs({}).llm());
    options.data = {data_set(R"({"a":4})")};
    Mission mission(made, options);
    mission.start();
    mission.answer(mission.take_needs().llm[0].id, LlmReply{.text = fenced("(return data/a)")});
    options.data.clear();
    const auto restored = made->restore(mission.save().value(), options);
    ASSERT_TRUE(restored.ok());
    EXPECT_EQ(restored.value()->step().value, Datum(4));
}

} // namespace
} // namespace ptc
