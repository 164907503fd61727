// Sandboxes that clients keep between calls, by handles that nobody can guess. Between calls they are bytes: what a
// session keeps of earlier programs and their data goes with each call, and an idle one costs what its values do.
#pragma once
#include "ptc/ptc.h"
#include "tools/mcp/pool.h"
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ptc::mcp {

/// One call at a time works with it, and holds `busy` meanwhile.
struct LispSession {
    std::mutex busy{};
    std::string handle{};
    std::string principal{};
    ClientName client{};       ///< that began it
    std::string bytes{};       ///< Session::save; "": nothing yet. Changed by LispSessions::keep only
    std::uint64_t version = 0; ///< calls that changed it
    bool is_asleep = false;    ///< what it has is in the sealed state of a program, which goes on in a call
    std::chrono::steady_clock::time_point last_used{};
};
using LispSessionPtr = std::shared_ptr<LispSession>;

class LispSessions {
public:
    LispSessions(std::size_t most, std::size_t most_bytes, std::chrono::milliseconds idle)
        : most_(most), most_bytes_(most_bytes), idle_(idle) {}
    /// A new one. When there are too many, one goes of the client that has most: of the session of the protocol in
    /// which it began most, the one that was not used for longest.
    Result<LispSessionPtr> open(const std::string& principal, const ClientName& client);
    /// invalid_request when there is none, also when it is another client's.
    Result<LispSessionPtr> find(const std::string& handle, const std::string& principal);
    /// One that was put to sleep in a sealed state: as `find`, if it is as it was then, or made anew where this process
    /// does not know it. Such a one is asleep: `find` gives it from when it was kept.
    Result<LispSessionPtr> revive(const std::string& handle, const std::string& principal, const ClientName& client,
                                  std::uint64_t version);
    /// What it is from now on. When all are too large together, some go of who has most bytes, as with `open`.
    /// `has_changed`: programs that wait in it since before cannot go on any more.
    void keep(LispSession& session, std::string bytes, bool has_changed);
    /// Takes one away that is still asleep: it is in a sealed state again, or lost.
    void forget_asleep(const LispSession& session);

private:
    using Sessions = std::map<std::string, LispSessionPtr, std::less<>>;
    // Under the lock:
    LispSessionPtr add(std::string handle, const std::string& principal, const ClientName& client);
    void make_room(std::chrono::steady_clock::time_point now, std::size_t most);
    void remove_oldest_of_most(bool counts_bytes);

    const std::size_t most_;
    const std::size_t most_bytes_;
    const std::chrono::milliseconds idle_;
    std::mutex mutex_;
    std::size_t bytes_ = 0; ///< of all that are in `sessions_`
    Sessions sessions_;
};

} // namespace ptc::mcp
