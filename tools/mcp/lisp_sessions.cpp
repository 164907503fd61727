#include "tools/mcp/lisp_sessions.h"
#include "frontend/try.h"
#include "subagent/mcp/digest.h"
#include <algorithm>

namespace ptc::mcp {

Result<LispSessionPtr> LispSessions::open(const std::string& principal) {
    std::string handle = "s-" + base64_url(PTC_TRY(random_bytes(18)));
    const std::scoped_lock lock(mutex_);
    return add(std::move(handle), principal);
}

LispSessionPtr LispSessions::add(std::string handle, const std::string& principal) {
    const auto now = std::chrono::steady_clock::now();
    make_room(now, most_ - 1);
    const auto session = std::make_shared<LispSession>();
    session->handle = handle;
    session->principal = principal;
    session->last_used = now;
    sessions_[std::move(handle)] = session;
    return session;
}

void LispSessions::remove_oldest() {
    const auto oldest =
        std::ranges::min_element(sessions_, {}, [](const auto& known) { return known.second->last_used; });
    bytes_ -= oldest->second->bytes.size();
    sessions_.erase(oldest);
}

void LispSessions::make_room(std::chrono::steady_clock::time_point now, std::size_t most) {
    std::erase_if(sessions_, [&](const auto& known) {
        const bool is_over = now - known.second->last_used > idle_;
        if (is_over) bytes_ -= known.second->bytes.size();
        return is_over;
    });
    while (sessions_.size() > most || (bytes_ > most_bytes_ && sessions_.size() > 1))
        remove_oldest();
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
                                            std::uint64_t version) {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(handle);
    if (found == sessions_.end()) {
        LispSessionPtr session = add(handle, principal);
        session->version = version;
        session->is_asleep = true;
        return session;
    }
    if (found->second->principal != principal || found->second->version != version)
        return Error(Reason::InvalidRequest, "The session has gone on since this program waits.");
    return found->second;
}

} // namespace ptc::mcp
