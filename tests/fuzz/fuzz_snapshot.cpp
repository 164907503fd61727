// An input picks a snapshot, made afresh so that it fits today's format, and changes it: what somebody might do who can
// write the file. Its checksum is made right. Then it is refused, or a session that goes on under its limits.
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/hostile_snapshots.h"

namespace {

using namespace ptc;

const test::SavedSessions& saved() {
    static const test::SavedSessions sessions;
    return sessions;
}

/// A place in `bytes`: two bytes of the input.
std::size_t place(fuzz::Bytes& in, const std::string& bytes) {
    const std::size_t high = in.byte();
    return (high << 8 | in.byte()) % bytes.size();
}

void change(fuzz::Bytes& in, std::string& bytes) {
    const std::uint8_t what = in.byte();
    const std::size_t at = place(in, bytes);
    switch (what % 5) {
    case 0: bytes[at] = static_cast<char>(in.byte()); break;
    case 1: bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ 1u << in.below(8)); break;
    case 2: bytes.insert(at, 1, static_cast<char>(in.byte())); break;
    case 3: bytes.erase(at, 1 + in.below(8)); break;
    case 4: bytes.insert(place(in, bytes), bytes.substr(at, 1 + in.below(64))); break; // a part of it once more
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes in(data, size);
    std::string bytes = saved().bytes[in.below(static_cast<std::uint32_t>(saved().bytes.size()))];
    for (int changes = 0; !in.empty() && changes < 16 && bytes.size() > 64; ++changes)
        change(in, bytes);
    const bool is_untouched = size <= 1;
    FUZZ_CHECK(saved().go_on(bytes) || !is_untouched);
    return 0;
}
