// Models that need no thread for a call: whoever runs a mission starts their calls, any number at once, and takes what
// they gave when a descriptor can be read. Models of providers are such (ptc/providers.h). A host whose client has an
// event loop makes one like this:
//
//   class Calls : public ptc::ModelLoop { .. };                                  // over the client's sockets
//   ptc::Llm llm = ptc::looped([] { return std::make_unique<Calls>(); });
//
// It is a Llm like any other, for agents, registries, fallbacks and routes, and may be called like one. Agent::run,
// chats, checkpoints and recordings make the calls of such models by loops on the thread that runs the mission, however
// many agents work in parallel; those of other models on threads of the agent.
#pragma once
#include "ptc/llm.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ptc {

/// Calls of one model that are under way, any number. Belongs to one thread at a time, which is not always the same
/// one; nothing of it waits. What it throws is an LlmError "exception" of the call.
class ModelLoop {
public:
    ModelLoop() = default;
    ModelLoop(const ModelLoop&) = delete;
    ModelLoop& operator=(const ModelLoop&) = delete;
    virtual ~ModelLoop() = default; ///< what is under way is aborted

    /// `id` is not under way. `request` lives until the call is done or cancelled, or the loop is gone. Its deadline
    /// (LlmRequest::time_left) and its stop are the loop's to heed, with any error.
    virtual void start(std::uint64_t id, const LlmRequest& request) = 0;
    /// Aborts the call, if it is under way: it is never done.
    virtual void cancel(std::uint64_t id) = 0;
    struct Done {
        std::uint64_t id;
        LlmResult result;
    };
    /// Does what can be done without waiting; shows texts (LlmRequest::on_text, on_delta) as they came. The calls that
    /// are done since the last time.
    virtual std::vector<Done> take_done() = 0;
    /// Can be read when `take_done` has something to do; none of the caller's to read or to close. -1: look at `due`.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// When `take_done` has something to do although nothing comes: none for never.
    [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> due() const = 0;
};

/// Gives a loop for calls of one model; may be called by several threads at once.
using ModelLoopMaker = SharedFunction<std::unique_ptr<ModelLoop>()>;

/// A model that is called by loops. Called as a function it makes a loop for the one call, and waits.
Llm looped(ModelLoopMaker make);

} // namespace ptc
