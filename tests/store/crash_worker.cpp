// A worker that ends at a statement: crash_worker URL [STATEMENT]. Submits one mission, carries it, approves what it
// asks for, carries it to its end and prints its result. With a number, the process kills itself before the store's
// statement of this number; whoever starts it again, without one, must find the same result.
//
// The mission has what missions have: calls of a model, tools in parallel, an agent that another one calls, an
// approval, a tool that is answered from outside, a mission of its own, a time. Its tools do their effects by `once`,
// under the keys of their calls.
#include "ptc/mission.h"
#include "ptc/worker.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace ptc {
namespace {

constexpr Millis64 kLease{100}; ///< what a killed worker had is taken up after that

int fail(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 2;
}

LlmReply program(const char* text) { return LlmReply{.text = "```clojure\n" + std::string(text) + "\n```"}; }

/// Goes by the request alone, as models do.
LlmResult model(const LlmRequest& request) {
    if (request.agent == "child") return program("(return (* 2 data/n))");
    if (request.prompt.starts_with("Triple")) return program("(return (tool/pay {:n (* 3 data/n)}))");
    if (request.turn == 1) return program("(def paid (pmap (fn [n] (tool/pay {:n n})) [1 2]))");
    if (request.turn == 2)
        return program("(def others (pcalls #(tool/ask {:n 6}) #(tool/triple {:n 7}) #(tool/nap {})))");
    return program("(return {:paid paid :child (tool/child {:n 4}) :shipped (tool/ship {:n 5}) :others others})");
}

struct Agents {
    AgentPtr whole, triple;
};

Agents make_agents(const std::shared_ptr<MissionStore>& store) {
    const KeyedToolFunction pay = [store](const Datum& arguments, std::string_view key) -> Result<Datum> {
        const Result<std::string> done =
            store->once(std::string(key), [json = arguments.find("n")->to_json()](MissionStore::Transaction&) {
                return Result<std::string>(json);
            });
        if (!done.ok()) return done.error();
        return Datum::from_json(done.value());
    };
    Tool paying{.name = "pay", .signature = "(n :int) -> :int"};
    paying.keyed_function = pay;
    Tool shipping = paying;
    shipping.name = "ship";
    shipping.approval = true;
    AgentOptions child;
    child.name = "child";
    child.prompt = "Double {{n}}.";
    child.signature = "(n :int) -> :int";
    AgentOptions options;
    options.prompt = "Do it.";
    options.tools = {paying, shipping, Agent::create(child).value()->as_tool("child")};
    for (const auto& [name, signature] : {std::pair("ask", "(n :int) -> :int"), std::pair("triple", "(n :int) -> :int"),
                                          std::pair("nap", "() -> :any")}) {
        Tool elsewhere{.name = name, .signature = signature};
        elsewhere.function = [](const Datum&) -> Result<Datum> { return Error(Reason::ToolError, "nobody calls it"); };
        options.tools.emplace_back(elsewhere);
    }
    AgentOptions triple;
    triple.prompt = "Triple {{n}}.";
    triple.signature = "(n :int) -> :int";
    triple.tools = {paying};
    return {Agent::create(std::move(options)).value(), Agent::create(std::move(triple)).value()};
}

/// The context of a triple is its number.
Result<Runnable> make_runnable(const Agents& agents, MissionStore& store, const ClaimedMission& mission) {
    Runnable made{.agent = mission.agent.name == "triple" ? agents.triple : agents.whole};
    made.options.model = ModelRef(Llm(model));
    if (mission.agent.name == "triple") made.options.context = Datum::object({{"n", std::stoi(mission.context)}});
    made.elsewhere = [&store](const ToolNeed& need) -> Result<std::optional<Elsewhere>> {
        const std::string& name = need.tool->name;
        if (name == "ask") return std::optional(Elsewhere{});
        if (name == "nap") return std::optional(Elsewhere{.at_most = Millis64(1)});
        if (name != "triple") return std::optional<Elsewhere>();
        const Result<std::string> agent = store.put_agent("triple", "another agent of this program");
        if (!agent.ok()) return agent.error();
        return std::optional(Elsewhere{
            .child = NewMission{.agent_digest = agent.value(), .context = need.arguments.find("n")->to_json()}});
    };
    return made;
}

/// Carries what there is, until there is nothing but what waits.
Result<void> carry(const std::shared_ptr<MissionStore>& store) {
    const Agents agents = make_agents(store);
    const MissionMaker maker = [agents, store](const ClaimedMission& mission) {
        return make_runnable(agents, *store, mission);
    };
    WorkerOptions options;
    options.lease = kLease;
    options.poll = Millis64(10);
    options.until_empty = true;
    options.threads = 1;
    if (std::getenv("CRASH_WORKER_LOG"))
        options.on_log = [](std::string_view line) {
            std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
        };
    return Worker(store, maker, options).run({});
}

/// What comes from outside: approvals, and what `ask` gives.
Result<void> approve(MissionStore& store, const std::string& id) {
    Result<std::vector<StoredCall>> calls = store.calls(id);
    if (!calls.ok()) return calls.error();
    for (const StoredCall& call : calls.value()) {
        const bool is_approval = call.kind == StoredCall::Kind::Approval;
        if ((!is_approval && call.kind != StoredCall::Kind::Outside) || call.name == "nap" || call.answer) continue;
        const Result<bool> told = store.signal(id, is_approval ? approval_signal(call.need, ApprovalAnswer::approve())
                                                               : tool_signal(call.need, ToolAnswer(Datum(60))));
        if (!told.ok()) return told.error();
    }
    return {};
}

int run(const std::string& url, std::uint64_t kill_at) {
    StoreOptions options;
    options.on_statement = [kill_at](std::uint64_t statement, std::string_view) {
        if (statement == kill_at) (void)::kill(::getpid(), SIGKILL);
    };
    const Result<std::shared_ptr<MissionStore>> opened = MissionStore::open(url, options);
    if (!opened.ok()) return fail(opened.error());
    const std::shared_ptr<MissionStore>& store = opened.value();
    const Result<std::string> agent = store->put_agent("crash", "an agent of this program");
    if (!agent.ok()) return fail(agent.error());
    NewMission mission{.id = "m", .agent_digest = agent.value()};
    if (const auto submitted = store->submit(mission); !submitted.ok()) return fail(submitted.error());
    while (true) {
        if (const Result<void> carried = carry(store); !carried.ok()) return fail(carried.error());
        const Result<std::optional<StoredMission>> now = store->show("m");
        if (!now.ok()) return fail(now.error());
        if (now.value()->status != MissionStatus::Waiting) {
            std::printf("%s\n", (now.value()->result + now.value()->error).c_str());
            return now.value()->status == MissionStatus::Done ? 0 : 1;
        }
        if (const Result<void> approved = approve(*store, "m"); !approved.ok()) return fail(approved.error());
    }
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    return ptc::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
}
