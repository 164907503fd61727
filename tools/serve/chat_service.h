// Agents behind the wire of chat completions: what `ptcc serve` answers.
#pragma once
#include "ptc/mission.h"
#include "ptc/trace.h"
#include "tools/serve/chat_wire.h"
#include "tools/serve/http_server.h"
#include "tools/serve/waiting_missions.h"
#include <atomic>
#include <functional>
#include <mutex>

namespace ptc {

struct ChatServiceOptions {
    AgentPtr agent;
    std::string name;                             ///< of the agent, as clients call it
    std::vector<MissionOptions> slots{};          ///< models and data; as many missions at the same time as there are
    std::string key{};                            ///< that clients must bring; "" for none
    bool is_loopback = true;                      ///< names of other hosts in requests are refused
    std::string trace_folder{};                   ///< "" for no traces
    std::string approve = "ask";                  ///< never, always, or ask: as a message of the chat
    std::chrono::milliseconds keep_alive{10'000}; ///< after so much silence a stream has a comment
    /// Has a mission carried elsewhere under an id, and waits for what it comes to: value or failure, and tokens. The
    /// signature is what the client's answer must fit. None: nobody waits any more, and it goes on. Empty: missions run
    /// here.
    std::function<std::optional<Step>(const std::string& id, const ChatRequest& request, const std::string& signature,
                                      const std::function<bool()>& is_unwanted)>
        carry{};
};

/// `judge`, `handle` and `tick` are called on one thread; each mission has a thread of its own. Shared by them: it goes
/// with the last.
class ChatService : public std::enable_shared_from_this<ChatService> {
public:
    explicit ChatService(ChatServiceOptions options);
    ~ChatService();
    /// What is wrong with a request of which only the head is there: who asks, and for which path.
    [[nodiscard]] std::optional<HttpReply> judge(const HttpRequest& head) const;
    /// Answers one that `judge` found nothing wrong with.
    void handle(HttpRequest request, std::shared_ptr<HttpResponder> responder);
    /// Keeps streams alive that have nothing to say yet.
    void tick();
    /// The server ends after `grace`: a little before, who waits for a mission that is carried elsewhere is told its
    /// id.
    void leave(std::chrono::milliseconds grace);
    /// Missions that have not ended.
    [[nodiscard]] std::size_t busy() const { return *threads_; }

private:
    class Answer;
    void complete(HttpRequest request, const std::shared_ptr<HttpResponder>& responder);
    void serve(std::size_t slot, const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder);
    [[nodiscard]] std::variant<ChatRequest, WireError> read(const HttpRequest& request) const;
    void run(std::size_t slot, const std::shared_ptr<Answer>& answer);
    void run_elsewhere(std::size_t slot, const Agent& agent, Answer& answer);
    static void finish(Answer& answer, const Step& step, const TokenUsage& tokens, const std::string& why);
    [[nodiscard]] std::optional<WireError> refusal(const HttpRequest& request) const;
    [[nodiscard]] Result<AgentPtr> agent_for(const ChatRequest& request) const;
    /// What a request has of its mission.
    struct Begun {
        std::string name{}; ///< of the trace
        std::shared_ptr<TraceFile> trace{};
        const char* refusal = "approval_unknown"; ///< the code, where none is begun
    };
    [[nodiscard]] std::shared_ptr<TraceFile> open_trace(const std::string& name, bool is_new) const;
    [[nodiscard]] Result<std::unique_ptr<Mission>> begin_mission(const AgentPtr& agent, const ChatRequest& request,
                                                                 MissionOptions options, Begun& begun);
    [[nodiscard]] Approver approver(const ChatRequest& request, std::optional<ApprovalRequest>& open) const;
    [[nodiscard]] std::optional<std::size_t> take_slot();
    void free_slot(std::size_t slot);
    [[nodiscard]] bool can_stream_text() const;

    const ChatServiceOptions options_;
    const std::int64_t created_;
    const std::shared_ptr<std::atomic<std::size_t>> threads_ = std::make_shared<std::atomic<std::size_t>>(0);
    std::atomic<std::chrono::steady_clock::time_point> leave_at_{std::chrono::steady_clock::time_point::max()};
    WaitingMissions waiting_;
    std::mutex mutex_;
    std::vector<bool> is_taken_;
    std::vector<std::weak_ptr<Answer>> answers_; ///< under way
};

} // namespace ptc
