// A worker that ends at a statement: crash_worker URL [STATEMENT]. Submits one mission, carries it, approves what it
// asks for, carries it to its end and prints its result. With a number, the process kills itself before the store's
// statement of this number; whoever starts it again, without one, must find the same result.
//
// The mission has what missions have: calls of a model, tools in parallel, an agent that another one calls, an
// approval. Its tools do their effects by `once`, under the keys of their calls.
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
    if (request.turn == 1) return program("(def paid (pmap (fn [n] (tool/pay {:n n})) [1 2]))");
    return program("(return {:paid paid :child (tool/child {:n 4}) :shipped (tool/ship {:n 5})})");
}

AgentPtr make_agent(const std::shared_ptr<MissionStore>& store) {
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
    return Agent::create(std::move(options)).value();
}

/// Carries what there is, until there is nothing but what waits.
Result<void> carry(const std::shared_ptr<MissionStore>& store) {
    const AgentPtr agent = make_agent(store);
    const MissionMaker maker = [agent](const ClaimedMission&) {
        Runnable made{.agent = agent};
        made.options.model = ModelRef(Llm(model));
        return Result<Runnable>(std::move(made));
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

Result<void> approve(MissionStore& store, const std::string& id) {
    Result<std::vector<StoredCall>> calls = store.calls(id);
    if (!calls.ok()) return calls.error();
    for (const StoredCall& call : calls.value()) {
        if (call.kind != StoredCall::Kind::Approval || call.answer) continue;
        const Result<bool> told = store.signal(id, approval_signal(call.need, ApprovalAnswer::approve()));
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
