// What a model answered, as bytes: part of the journal of a checkpointed mission.
#pragma once
#include "frontend/bytes.h"
#include "ptc/approval.h"
#include "ptc/llm.h"

namespace ptc {

void write_reply(ByteWriter& out, const LlmResult& result);
/// Fails the reader where the bytes are no reply.
LlmResult read_reply(ByteReader& in);

void write_approval(ByteWriter& out, const ApprovalAnswer& answer);
ApprovalAnswer read_approval(ByteReader& in);

} // namespace ptc
