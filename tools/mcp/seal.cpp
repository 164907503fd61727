// A sealed text is base64url of: 32 bytes of HMAC, 16 of a number that no other has, 8 of the time when it expires, 32
// of the digest of what it is bound to, and the bytes. The MAC is over all behind it, and is compared first. What was
// spent is a file of fixed lines, "NUMBER EXPIRES", that only grows: each process reads what others have added since it
// looked last, and adds its own, all under the lock of a file beside it. When most of it has expired a new one takes
// its place by a rename, so that a crash leaves the old one or the new one, whole.
#include "tools/mcp/seal.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/mcp/digest.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ptc::mcp {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kNumberBytes = 16;
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kBindingBytes = 32;
constexpr std::size_t kHeadBytes = kMacBytes + kNumberBytes + kTimeBytes + kBindingBytes;
constexpr std::size_t kLineBytes = 22 + 1 + 14 + 1; ///< base64url of a number, a time with leading zeros
constexpr std::size_t kMostSpent = 4096;            ///< lines, before the file is written anew

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
        if (got < 0) return invalid_request(std::string("It cannot be read: ") + std::strerror(errno) + ".");
        if (got == 0) return bytes;
        bytes.append(buffer, static_cast<std::size_t>(got));
    }
    return invalid_request("It is too large.");
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
    if (::flock(opened.fd, LOCK_EX) != 0) return invalid_request("The key " + file + " cannot be locked.");
    const Descriptor reading(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (reading.fd < 0) return invalid_request("The key " + file + " cannot be read.");
    std::string key = PTC_TRY(read_all(reading.fd, 4096));
    if (!key.empty()) {
        if (key.size() < kKeyBytes) return invalid_request("The key in " + file + " is shorter than 32 bytes.");
        return key;
    }
    Result<std::string> made = random_bytes(kKeyBytes);
    if (made.ok() && !write_all(opened.fd, made.value()))
        return invalid_request("The key cannot be written to " + file + ".");
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

Seal::~Seal() {
    if (reading_ >= 0) ::close(reading_);
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
    if (!sealed || sealed->size() < kHeadBytes) return invalid_request("The `requestState` is none of this server's.");
    const std::string_view body = std::string_view(*sealed).substr(kMacBytes);
    if (!same_bytes(PTC_TRY(hmac_sha256(key_, body)), std::string_view(*sealed).substr(0, kMacBytes)))
        return invalid_request("The `requestState` was changed, or is none of this server's.");
    Opened opened{.bytes = std::string(body.substr(kHeadBytes - kMacBytes)),
                  .number = std::string(body.substr(0, kNumberBytes)),
                  .expires_ms = read_time(body.substr(kNumberBytes, kTimeBytes))};
    if (opened.expires_ms <= now_ms()) return invalid_request("The `requestState` has expired: make the request anew.");
    if (!same_bytes(body.substr(kNumberBytes + kTimeBytes, kBindingBytes), PTC_TRY(sha256(binding))))
        return invalid_request("The `requestState` belongs to another request or another client.");
    return opened;
}

bool Seal::Spent::add(const std::string& number, std::int64_t expires_ms) {
    if (!numbers.insert(number).second) return false;
    by_end.emplace(expires_ms, number);
    return true;
}

void Seal::Spent::forget(std::int64_t now_ms) {
    while (!by_end.empty() && by_end.begin()->first <= now_ms) {
        numbers.erase(by_end.begin()->second);
        by_end.erase(by_end.begin());
    }
}

Result<void> Seal::spend(const Opened& opened) {
    const std::scoped_lock lock(mutex_);
    if (!spent_file_.empty()) return spend_in_file(opened);
    spent_.forget(now_ms());
    if (!spent_.add(opened.number, opened.expires_ms)) return invalid_request("The `requestState` was used already.");
    return {};
}

/// What other processes have added since.
Result<void> Seal::read_new() {
    const auto failed = [this] { return invalid_request("The file " + spent_file_ + " cannot be read."); };
    Descriptor there(::open(spent_file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {
    }, seen{};
    if (there.fd < 0 || ::fstat(there.fd, &status) != 0) return failed();
    const bool is_same = reading_ >= 0 && ::fstat(reading_, &seen) == 0 && seen.st_ino == status.st_ino &&
                         seen.st_dev == status.st_dev && static_cast<std::size_t>(status.st_size) >= read_bytes_;
    if (!is_same) {
        if (reading_ >= 0) ::close(reading_);
        reading_ = std::exchange(there.fd, -1);
        spent_ = {};
        read_bytes_ = 0;
    }
    const std::int64_t now = now_ms();
    char lines[kLineBytes * 512];
    while (read_bytes_ + kLineBytes <= static_cast<std::size_t>(status.st_size)) {
        const ssize_t got = ::pread(reading_, lines, sizeof lines, static_cast<off_t>(read_bytes_));
        if (got < 0 && errno == EINTR) continue;
        if (got < static_cast<ssize_t>(kLineBytes)) return failed();
        const std::size_t whole = static_cast<std::size_t>(got) / kLineBytes * kLineBytes;
        for (std::size_t at = 0; at < whole; at += kLineBytes) {
            std::int64_t expires = 0;
            std::from_chars(lines + at + 23, lines + at + 37, expires);
            const std::optional<std::string> number = read_base64_url(std::string_view(lines + at, 22));
            if (number && expires > now) spent_.add(*number, expires);
        }
        read_bytes_ += whole;
    }
    return {};
}

/// The file without what has expired.
Result<void> Seal::write_anew() {
    const std::string draft = spent_file_ + ".new";
    ::unlink(draft.c_str()); // of a process that ended in here
    {
        const Descriptor file(PTC_TRY(open_private_file(draft, "what was used")));
        std::string kept;
        for (const auto& [expires, number] : spent_.by_end)
            kept += spent_line(number, expires);
        if (!write_all(file.fd, kept)) return invalid_request("The file " + draft + " cannot be written.");
    }
    if (::rename(draft.c_str(), spent_file_.c_str()) != 0)
        return invalid_request("The file " + spent_file_ + " cannot be replaced: " + std::strerror(errno) + ".");
    return {};
}

Result<void> Seal::spend_in_file(const Opened& opened) {
    const Descriptor locked(PTC_TRY(open_private_file(spent_file_ + ".lock", "the lock of what was used")));
    if (::flock(locked.fd, LOCK_EX) != 0) return invalid_request("The file " + spent_file_ + ".lock cannot be locked.");
    { // it is there from now on
        const Descriptor made(PTC_TRY(open_private_file(spent_file_, "what was used")));
    }
    PTC_CHECK(read_new());
    spent_.forget(now_ms());
    if (!spent_.add(opened.number, opened.expires_ms)) return invalid_request("The `requestState` was used already.");
    if (read_bytes_ >= kMostSpent * kLineBytes && spent_.numbers.size() * kLineBytes < read_bytes_ / 2)
        return write_anew();
    const Descriptor file(PTC_TRY(open_private_file(spent_file_, "what was used")));
    // What a crash left of a line goes, so that all lines stay where they are looked for.
    if (::ftruncate(file.fd, static_cast<off_t>(read_bytes_)) != 0 || ::lseek(file.fd, 0, SEEK_END) < 0 ||
        !write_all(file.fd, spent_line(opened.number, opened.expires_ms))) {
        read_bytes_ = SIZE_MAX; // it is read anew: what could not be written is not known to others
        return invalid_request("The file " + spent_file_ + " cannot be written.");
    }
    return {};
}

} // namespace ptc::mcp
