// A proxy in front of a server's Unix socket, which can fall silent: its connections stay, and nothing comes through
// them any more. New ones work.
#pragma once
#include "tests/support/temporary_folder.h"
#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace ptc::test {

class SilentProxy {
public:
    /// `server`: the folder of the server's socket.
    explicit SilentProxy(std::string server);
    ~SilentProxy();
    SilentProxy(const SilentProxy&) = delete;
    SilentProxy& operator=(const SilentProxy&) = delete;
    [[nodiscard]] std::string folder() const { return folder_.path(); } ///< of its own socket
    void fall_silent();

private:
    struct Pair {
        int client, server;
        bool is_silent = false;
    };
    void run();
    void accept_one();
    static bool pump(int from, int to);

    const std::string server_;
    const TemporaryFolder folder_;
    int listener_ = -1;
    std::list<Pair> pairs_; ///< of the thread
    std::atomic<bool> is_to_silence_{false}, is_over_{false};
    std::thread thread_;
};

} // namespace ptc::test
