#include "tests/store/silent_proxy.h"
#include <array>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace ptc::test {
namespace {

constexpr const char* kSocket = "/.s.PGSQL.5432";
constexpr int kLookMillis = 20;

sockaddr_un address_in(const std::string& folder) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder + kSocket;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

} // namespace

SilentProxy::SilentProxy(std::string server) : server_(std::move(server)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_in(folder());
    (void)::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    (void)::listen(listener_, 16);
    thread_ = std::thread([this] { run(); });
}

SilentProxy::~SilentProxy() {
    is_over_ = true;
    thread_.join();
    ::close(listener_);
}

void SilentProxy::fall_silent() {
    is_to_silence_ = true;
    is_to_silence_.wait(true);
}

void SilentProxy::accept_one() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_in(server_);
    (void)::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    pairs_.push_back({client, server});
}

bool SilentProxy::pump(int from, int to) {
    std::array<char, 65'536> bytes;
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got <= 0) return false;
    return ::send(to, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}

void SilentProxy::run() {
    while (!is_over_) {
        std::vector<pollfd> ready{{listener_, POLLIN, 0}};
        std::vector<std::list<Pair>::iterator> live;
        for (auto pair = pairs_.begin(); pair != pairs_.end(); ++pair) {
            if (pair->is_silent) continue;
            ready.push_back({pair->client, POLLIN, 0});
            ready.push_back({pair->server, POLLIN, 0});
            live.push_back(pair);
        }
        ::poll(ready.data(), ready.size(), kLookMillis);
        if (is_to_silence_) {
            for (Pair& pair : pairs_)
                pair.is_silent = true;
            is_to_silence_ = false;
            is_to_silence_.notify_all();
            continue;
        }
        if (ready[0].revents != 0) accept_one();
        for (std::size_t i = 0; i < live.size(); ++i) {
            const auto [client, server, is_silent] = *live[i];
            const bool is_whole = (ready[2 * i + 1].revents == 0 || pump(client, server)) &&
                                  (ready[2 * i + 2].revents == 0 || pump(server, client));
            if (is_whole) continue;
            ::close(client);
            ::close(server);
            pairs_.erase(live[i]);
        }
    }
    for (const Pair& pair : pairs_) {
        ::close(pair.client);
        ::close(pair.server);
    }
}

} // namespace ptc::test
