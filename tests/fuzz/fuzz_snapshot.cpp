// An input picks a snapshot, made afresh so that it fits today's format, and changes it: what somebody might do who can
// write the file. Its checksum is made right. Then it is refused, or a session that goes on under its limits.
#include "tests/fuzz/tampering.h"
#include "tests/support/hostile_snapshots.h"

namespace {

using namespace ptc;

const test::SavedSessions& saved() {
    static const test::SavedSessions sessions;
    return sessions;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes in(data, size);
    const std::vector<std::string>& all = saved().bytes;
    const std::uint32_t chosen = in.below(static_cast<std::uint32_t>(all.size()));
    std::string bytes = all[chosen];
    fuzz::tamper_often(in, bytes, all[(chosen + 1) % all.size()]);
    const bool is_untouched = size <= 1;
    FUZZ_CHECK(saved().go_on(bytes) || !is_untouched);
    return 0;
}
