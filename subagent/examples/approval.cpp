// Approval: the refunds that a program makes are approved by a person, one by one, while the program stands still in
// its loop. Here the person takes days: the mission is bytes meanwhile, and another process could go on with it.
#include "subagent/examples/example.h"
#include <iostream>

using namespace example;

namespace {

/// What the person says, by the amount that is asked for.
ptc::ApprovalAnswer decide(const ptc::ApprovalRequest& request) {
    std::int64_t amount = 0;
    (void)request.arguments.find("amount")->to_int64(&amount);
    if (amount > 500) return ptc::ApprovalAnswer::deny("call the customer first");
    if (amount <= 100) return ptc::ApprovalAnswer::approve();
    return ptc::ApprovalAnswer::approve_with(
        ptc::Datum::object({{"order", *request.arguments.find("order")}, {"amount", 100}})); // as much as may be
}

/// The trace: what happens to the calls.
void watch(const ptc::MissionEvent& event) {
    if (event.tool.empty()) return;
    std::cout << event_name(event.kind) << ' ' << event.tool << ' ' << event.arguments.to_json();
    if (event.kind == ptc::MissionEvent::Kind::ApprovalRequest)
        std::cout << " at " << event.line << ':' << event.column;
    std::cout << (event.ok ? "" : " !! " + event.reason + ": " + event.message) << '\n';
}

/// Calls models and tools until the mission is over or waits for a person.
void work(ptc::Mission& mission, std::vector<ptc::ApprovalNeed>& open) {
    for (ptc::Needs needs = mission.take_needs(); !needs.empty(); needs = mission.take_needs()) {
        for (const ptc::LlmNeed& need : needs.llm)
            mission.answer(need.id, (*need.model)(need.request));
        for (const ptc::ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
        for (ptc::ApprovalNeed& need : needs.approvals)
            open.push_back(std::move(need));
    }
}

} // namespace

int main() {
    int calls = 0;
    ptc::Tool refund{.name = "refund",
                     .description = "Pays money back.",
                     .signature = "(order :string, amount :int) -> {paid :int}",
                     .function = [&calls](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
                         ++calls;
                         return ptc::Datum::object({{"paid", *arguments.find("amount")}});
                     }};
    refund.approval = true;
    const ptc::AgentPtr clerk = made(ptc::Agent::create({
        .name = "clerk",
        .prompt = "Pay the complaints back that are justified.",
        .signature = "(complaints [:map]) -> {paid :int, open [:string]}",
        .tools = {refund},
    }));
    ptc::MissionOptions options;
    options.model = ptc::ModelRef(scripted({program(
        R"((loop [[c & more] (filter :justified data/complaints) paid 0 open []]
  (if c
    (let [amount (try (:paid (tool/refund {:order (:order c) :amount (:amount c)}))
                   (catch ExceptionInfo _ nil))]
      (recur more (+ paid (or amount 0)) (if amount open (conj open (:order c)))))
    (return {:paid paid :open open}))))")}));
    options.context = made(ptc::Datum::from_json(R"({"complaints": [
        {"order": "A-1", "amount": 40, "justified": true}, {"order": "A-2", "amount": 75, "justified": false},
        {"order": "A-3", "amount": 900, "justified": true}, {"order": "A-4", "amount": 130, "justified": true}]})"));
    options.on_event = watch;

    auto mission = std::make_unique<ptc::Mission>(clerk, options);
    mission->start();
    for (int day = 1; !mission->is_done(); ++day) {
        std::vector<ptc::ApprovalNeed> open;
        work(*mission, open);
        if (mission->is_done()) break;
        const std::string bytes = made(mission->save()); // the process may end here
        mission = made(clerk->restore(bytes, options));
        open.clear();
        work(*mission, open); // the request comes up again
        std::cout << "day " << day << ": " << open.at(0).request.done.size() << " done before\n";
        mission->answer(open[0].id, decide(open[0].request));
    }
    std::cout << calls << " refunds, " << mission->step().usage.llm_calls << " call of the model\n";
    return show(mission->step());
}
