// Sessions as bytes: Session::save and Session::restore.
#pragma once
#include "subagent/engine/session_state.h"

namespace ptc {

inline constexpr std::string_view kSessionMagic = "PTCS";

/// Whether the bytes are those of a session of an engine with this fingerprint, by their head.
bool is_session_of(std::string_view bytes, std::uint64_t fingerprint);

Result<std::string> write_session(SessionState& session, const std::vector<std::shared_ptr<const DataSet>>& data);
/// Into a session that was just made, and must be destroyed after a failure.
Result<void> read_session(SessionState& session, std::string_view bytes, const RunOptions& options);

} // namespace ptc
