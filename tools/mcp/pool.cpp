#include "tools/mcp/pool.h"

namespace ptc::mcp {

std::optional<Pool::Part> Pool::take(ClientName who, std::size_t amount) {
    const auto has_room = [amount](std::size_t taken, std::size_t most) {
        return taken <= most && amount <= most - taken;
    };
    const std::scoped_lock lock(mutex_);
    if (!has_room(taken_, all_)) return std::nullopt;
    if (!is_shared_ || who.address.empty() || amount == 0) {
        taken_ += amount;
        return Part(*this, {}, amount);
    }
    Client& client = clients_[who.address];
    std::size_t& of_session = client.of_sessions[who.session];
    if (!has_room(client.taken, share(all_)) || !has_room(of_session, share(share(all_)))) {
        if (of_session == 0) client.of_sessions.erase(who.session);
        if (client.of_sessions.empty()) clients_.erase(who.address);
        return std::nullopt;
    }
    Part part(*this, std::move(who), amount);
    taken_ += amount;
    client.taken += amount;
    of_session += amount;
    return part;
}

void Pool::give_back(const ClientName& who, std::size_t amount) {
    const std::scoped_lock lock(mutex_);
    taken_ -= amount;
    const auto client = clients_.find(who.address);
    if (client == clients_.end()) return; // of nobody
    client->second.taken -= amount;
    const auto session = client->second.of_sessions.find(who.session);
    session->second -= amount;
    if (session->second == 0) client->second.of_sessions.erase(session);
    if (client->second.of_sessions.empty()) clients_.erase(client);
}

} // namespace ptc::mcp
