// A mission over shared data costs what its programs cost, however large the data are.
#include "tests/subagent/missions.h"
#include "tests/support/instructions.h"
#include <ptc/mission.h>

namespace ptc::test {
namespace {

std::shared_ptr<const DataSet> orders(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (i ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + ",\"_card\":\"card number " + std::to_string(i) +
                "\",\"amount\":" + std::to_string(i % 500) + ".5}";
    return DataSet::from_json("{\"orders\":[" + text + "]}").value();
}

/// Two turns and a checkpoint between them, after what is worked out once for all missions.
std::uint64_t cost_of_mission(int count) {
    const AgentPtr made = agent({.prompt = "Count.", .signature = "(orders [{id :int, amount :float}]) -> :int"});
    const auto data = orders(count);
    const auto mission = [&] {
        MissionOptions options;
        options.model = ModelRef(programs({}).llm());
        options.data = {data};
        Mission one(made, std::move(options));
        one.start();
        one.answer(one.take_needs().llm[0].id, LlmReply{.text = fenced("(def last-one (peek data/orders))")});
        ASSERT_LT(one.save().value().size(), 10'000u);
        one.answer(one.take_needs().llm[0].id, LlmReply{.text = fenced("(return (:id last-one))")});
        ASSERT_EQ(one.step().value, Datum(count - 1));
    };
    mission();
    return instructions(mission);
}

/// Rows without a name that is firewalled.
std::string rows_without_card(int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
        text += (i ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + ",\"amount\":" + std::to_string(i % 500) + ".5}";
    return "[" + text + "]";
}

/// The first mission over data that nobody has looked at yet.
std::uint64_t cost_of_first_mission(int count) {
    const AgentPtr made = agent({.prompt = "Count."});
    const auto mission_over = [&made](const std::shared_ptr<const DataSet>& data) {
        MissionOptions options;
        options.model = ModelRef(programs({"(return (:id (peek data/orders)))"}).llm());
        options.data = {data};
        ASSERT_TRUE(made->run(std::move(options)).ok);
    };
    const auto without_card = [](int n) { return DataSet::from_json("orders", rows_without_card(n)).value(); };
    mission_over(without_card(10)); // what is made once for all agents
    const auto data = without_card(count);
    return instructions([&] { mission_over(data); });
}

TEST(SharedData, AToolThatIsGivenRowsCostsSoManyCopiesOfThem) {
    const auto data = orders(5000);
    Datum::List rows;
    for (int i = 0; i < 5000; ++i)
        rows.push_back(
            Datum::object({{"id", i}, {"_card", "card number " + std::to_string(i)}, {"amount", i % 500 + 0.5}}));
    const std::uint64_t copy = instructions([&rows] { const Datum::List copied = rows; });
    ASSERT_GT(copy, 0u) << "nothing was counted: run this under callgrind, as ctest does";
    const AgentPtr made =
        agent({.prompt = "Count.",
               .tools = {Tool{.name = "look", .signature = "(rows :any) -> :int", .function = [](const Datum& given) {
                                  return Datum(given["rows"].size());
                              }}}});
    const auto mission = [&] {
        MissionOptions options;
        options.model = ModelRef(programs({"(return (tool/look {:rows data/orders}))"}).llm());
        options.data = {data};
        ASSERT_EQ(made->run(std::move(options)).value, Datum(5000));
    };
    mission();
    const std::uint64_t all = instructions(mission);
    EXPECT_LT(all / copy, 18u); // 14; with copies for events that nobody looks at it was 22
}

TEST(SharedData, TheFirstMissionCostsWhatItShows) {
    const std::uint64_t few = cost_of_first_mission(200), many = cost_of_first_mission(20'000);
    ASSERT_GT(few, 0u) << "nothing was counted: run this under callgrind, as ctest does";
    EXPECT_LT(many, few + 300'000) << few; // a tenth of a millisecond
}

TEST(SharedData, ImportingCostsAByteNoMoreThanReadingIt) {
    const std::string text = rows_without_card(20'000);
    (void)DataSet::from_json("orders", text);
    const std::uint64_t cost = instructions([&] { EXPECT_TRUE(DataSet::from_json("orders", text).ok()); });
    ASSERT_GT(cost, 0u) << "nothing was counted: run this under callgrind, as ctest does";
    EXPECT_LT(static_cast<double>(cost) / static_cast<double>(text.size()), 35); // 31; with a search quote by quote 40
}

TEST(SharedData, AMissionCostsAsMuchOverManyRowsAsOverTen) {
    const std::uint64_t few = cost_of_mission(10), many = cost_of_mission(20'000);
    ASSERT_GT(few, 0u) << "nothing was counted: run this under callgrind, as ctest does";
    EXPECT_LT(many, few + 300'000) << few; // a tenth of a millisecond
}

} // namespace
} // namespace ptc::test
