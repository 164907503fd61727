// Where there are too many of them, or they are too large together, some go: of who has most, so that nobody's are
// ended by what another client begins.
#include "tools/mcp/lisp_sessions.h"
#include "frontend/try.h"
#include "subagent/mcp/digest.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

/// The key with the greatest number.
template <class Key> Key most_of(const std::map<Key, std::size_t>& amounts) {
    return std::ranges::max_element(amounts, {}, [](const auto& one) { return one.second; })->first;
}

} // namespace

Result<LispSessionPtr> LispSessions::open(const std::string& principal, const ClientName& client) {
    std::string handle = "s-" + base64_url(PTC_TRY(random_bytes(18)));
    const std::scoped_lock lock(mutex_);
    return add(std::move(handle), principal, client);
}

LispSessionPtr LispSessions::add(std::string handle, const std::string& principal, const ClientName& client) {
    const auto now = std::chrono::steady_clock::now();
    make_room(now, most_ - 1);
    const auto session = std::make_shared<LispSession>();
    session->handle = handle;
    session->principal = principal;
    session->client = client;
    session->last_used = now;
    sessions_[std::move(handle)] = session;
    return session;
}

// Whoever begins very many ends its own, in whatever sessions of the protocol it begins them.
void LispSessions::remove_oldest_of_most(bool counts_bytes) {
    std::map<std::string_view, std::size_t> of_clients;
    std::map<std::string_view, std::size_t> of_sessions; // of the client that has most
    const auto amount = [counts_bytes](const LispSession& one) { return counts_bytes ? one.bytes.size() : 1; };
    for (const auto& [handle, one] : sessions_)
        of_clients[one->client.address] += amount(*one);
    const std::string_view client = most_of(of_clients);
    for (const auto& [handle, one] : sessions_) {
        if (one->client.address == client) of_sessions[one->client.session] += amount(*one);
    }
    const std::string_view session = most_of(of_sessions);
    auto oldest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
        const LispSession& one = *it->second;
        if (one.client.address != client || one.client.session != session) continue;
        if (oldest == sessions_.end() || one.last_used < oldest->second->last_used) oldest = it;
    }
    bytes_ -= oldest->second->bytes.size();
    sessions_.erase(oldest);
}

void LispSessions::make_room(std::chrono::steady_clock::time_point now, std::size_t most) {
    std::erase_if(sessions_, [&](const auto& known) {
        const bool is_over = now - known.second->last_used > idle_;
        if (is_over) bytes_ -= known.second->bytes.size();
        return is_over;
    });
    while (sessions_.size() > most)
        remove_oldest_of_most(false);
    while (bytes_ > most_bytes_ && sessions_.size() > 1)
        remove_oldest_of_most(true);
}

void LispSessions::forget_asleep(const LispSession& session) {
    const std::scoped_lock lock(mutex_);
    const auto known = sessions_.find(session.handle);
    if (known != sessions_.end() && known->second.get() == &session && session.is_asleep) sessions_.erase(known);
}

void LispSessions::keep(LispSession& session, std::string bytes, bool has_changed) {
    const std::scoped_lock lock(mutex_);
    const auto known = sessions_.find(session.handle);
    const bool is_known = known != sessions_.end() && known->second.get() == &session; // it may have gone meanwhile
    if (is_known) bytes_ += bytes.size() - session.bytes.size();
    session.bytes = std::move(bytes);
    session.is_asleep = false;
    if (has_changed) ++session.version;
    session.last_used = std::chrono::steady_clock::now();
    if (is_known) make_room(session.last_used, most_);
}

Result<LispSessionPtr> LispSessions::find(const std::string& handle, const std::string& principal) {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(handle);
    const auto now = std::chrono::steady_clock::now();
    if (found == sessions_.end() || found->second->principal != principal || now - found->second->last_used > idle_)
        return Error(Reason::InvalidRequest,
                     "There is no such session, or none any more: `\"session\": \"new\"` begins one.");
    if (found->second->is_asleep) return Error(Reason::InvalidRequest, "The session is at work for another call.");
    found->second->last_used = now;
    return found->second;
}

Result<LispSessionPtr> LispSessions::revive(const std::string& handle, const std::string& principal,
                                            const ClientName& client, std::uint64_t version) {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(handle);
    if (found == sessions_.end()) {
        LispSessionPtr session = add(handle, principal, client);
        session->version = version;
        session->is_asleep = true;
        return session;
    }
    if (found->second->principal != principal || found->second->version != version)
        return Error(Reason::InvalidRequest, "The session has gone on since this program waits.");
    return found->second;
}

} // namespace ptc::mcp
