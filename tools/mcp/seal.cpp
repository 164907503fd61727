// A sealed text is base64url of: 32 bytes of HMAC, 16 of a number that no other has, 8 of the time when it expires, 32
// of the digest of what it is bound to, and the bytes. The MAC is over all behind it, and is compared first. What was
// spent is a file of fixed lines, "NUMBER EXPIRES", read and added to under a lock, and written anew without what has
// expired when it has grown.
#include "tools/mcp/seal.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/mcp/digest.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc::mcp {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kNumberBytes = 16;
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kBindingBytes = 32;
constexpr std::size_t kHeadBytes = kMacBytes + kNumberBytes + kTimeBytes + kBindingBytes;
constexpr std::size_t kLineBytes = 22 + 1 + 14 + 1; ///< base64url of a number, a time with leading zeros
constexpr std::size_t kMostSpent = 4096;            ///< lines, before those that have expired go

Error wrong(std::string message) { return {Reason::InvalidRequest, std::move(message)}; }

std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string time_bytes(std::int64_t ms) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(ms) >> shift & 255);
    return bytes;
}

std::int64_t read_time(std::string_view bytes) {
    std::uint64_t ms = 0;
    for (const char c : bytes)
        ms = ms << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(ms);
}

/// A file descriptor that is closed at the end.
struct Descriptor {
    int fd;
    explicit Descriptor(int f) : fd(f) {}
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

Result<std::string> read_all(int fd, std::size_t most) {
    std::string bytes;
    char buffer[4096];
    while (bytes.size() <= most) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return wrong(std::string("It cannot be read: ") + std::strerror(errno) + ".");
        if (got == 0) return bytes;
        bytes.append(buffer, static_cast<std::size_t>(got));
    }
    return wrong("It is too large.");
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return ::fsync(fd) == 0;
}

/// The key in `file`, which is made when there is none.
Result<std::string> key_of(const std::string& file) {
    const Descriptor opened(PTC_TRY(open_private_file(file, "the key")));
    if (::flock(opened.fd, LOCK_EX) != 0) return wrong("The key " + file + " cannot be locked.");
    const Descriptor reading(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (reading.fd < 0) return wrong("The key " + file + " cannot be read.");
    std::string key = PTC_TRY(read_all(reading.fd, 4096));
    if (!key.empty()) {
        if (key.size() < kKeyBytes) return wrong("The key in " + file + " is shorter than 32 bytes.");
        return key;
    }
    Result<std::string> made = random_bytes(kKeyBytes);
    if (made.ok() && !write_all(opened.fd, made.value())) return wrong("The key cannot be written to " + file + ".");
    return made;
}

std::string spent_line(const std::string& number, std::int64_t expires_ms) {
    std::string digits = std::to_string(expires_ms);
    digits.insert(0, 14 - std::min<std::size_t>(14, digits.size()), '0');
    return base64_url(number) + " " + digits + "\n";
}

} // namespace

Result<std::unique_ptr<Seal>> Seal::create(const std::string& file, std::chrono::milliseconds lifetime) {
    Result<std::string> key = file.empty() ? random_bytes(kKeyBytes) : key_of(file);
    if (!key.ok()) return key.take_error();
    return std::unique_ptr<Seal>(new Seal(std::move(key).value(), file.empty() ? "" : file + ".spent", lifetime));
}

Result<std::string> Seal::close(std::string_view bytes, std::string_view binding) const {
    std::string body = PTC_TRY(random_bytes(kNumberBytes));
    body += time_bytes(now_ms() + lifetime_.count());
    body += PTC_TRY(sha256(binding));
    body += bytes;
    return base64_url(PTC_TRY(hmac_sha256(key_, body)) + body);
}

Result<Seal::Opened> Seal::open(std::string_view text, std::string_view binding) const {
    const std::optional<std::string> sealed = read_base64_url(text);
    if (!sealed || sealed->size() < kHeadBytes) return wrong("The `requestState` is none of this server's.");
    const std::string_view body = std::string_view(*sealed).substr(kMacBytes);
    if (!same_bytes(PTC_TRY(hmac_sha256(key_, body)), std::string_view(*sealed).substr(0, kMacBytes)))
        return wrong("The `requestState` was changed, or is none of this server's.");
    Opened opened{.bytes = std::string(body.substr(kHeadBytes - kMacBytes)),
                  .number = std::string(body.substr(0, kNumberBytes)),
                  .expires_ms = read_time(body.substr(kNumberBytes, kTimeBytes))};
    if (opened.expires_ms <= now_ms()) return wrong("The `requestState` has expired: make the request anew.");
    if (!same_bytes(body.substr(kNumberBytes + kTimeBytes, kBindingBytes), PTC_TRY(sha256(binding))))
        return wrong("The `requestState` belongs to another request or another client.");
    return opened;
}

Result<void> Seal::spend(const Opened& opened) {
    const std::scoped_lock lock(mutex_);
    if (!spent_file_.empty()) return spend_in_file(opened);
    const std::int64_t now = now_ms();
    if (spent_.size() >= kMostSpent) std::erase_if(spent_, [now](const auto& one) { return one.second <= now; });
    if (!spent_.emplace(opened.number, opened.expires_ms).second) return wrong("The `requestState` was used already.");
    return {};
}

Result<void> Seal::spend_in_file(const Opened& opened) const {
    const Descriptor file(PTC_TRY(open_private_file(spent_file_, "what was used")));
    if (::flock(file.fd, LOCK_EX) != 0) return wrong("The file " + spent_file_ + " cannot be locked.");
    const Descriptor reading(::open(spent_file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (reading.fd < 0) return wrong("The file " + spent_file_ + " cannot be read.");
    const std::string known = PTC_TRY(read_all(reading.fd, std::size_t{64} << 20));
    const std::string line = spent_line(opened.number, opened.expires_ms);
    if (known.find(line.substr(0, 22)) != std::string::npos) return wrong("The `requestState` was used already.");
    std::string kept;
    const std::int64_t now = now_ms();
    for (std::size_t at = 0, end; (end = known.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string_view one = std::string_view(known).substr(at, end + 1 - at);
        std::int64_t expires = 0;
        if (one.size() == kLineBytes) std::from_chars(one.data() + 23, one.data() + 37, expires);
        if (expires > now) kept += one;
    }
    if (known.size() >= kMostSpent * kLineBytes && kept.size() < known.size() / 2) {
        if (::ftruncate(file.fd, 0) != 0 || !write_all(file.fd, kept))
            return wrong("The file " + spent_file_ + " cannot be written.");
    }
    const bool is_torn = !known.empty() && known.back() != '\n'; // by a crash
    if (!write_all(file.fd, (is_torn ? "\n" : "") + line))
        return wrong("The file " + spent_file_ + " cannot be written.");
    return {};
}

} // namespace ptc::mcp
