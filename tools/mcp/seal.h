// What a server gives a client to keep and to bring back: sealed, so that it comes back as it was, in time, from whom
// it was given to, and once.
#pragma once
#include "ptc/result.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace ptc::mcp {

/// HMAC-SHA-256 over all of it: readable, not changeable. Any process with the same key opens what another has sealed;
/// with a key in a file what was opened is noted beside it (FILE.spent), so that no process opens it again.
class Seal {
public:
    ~Seal();
    Seal(const Seal&) = delete;
    Seal& operator=(const Seal&) = delete;
    /// `file` holds the key; it is made, its owner's alone, when there is none. "": a key of this process.
    static Result<std::unique_ptr<Seal>> create(const std::string& file, std::chrono::milliseconds lifetime);

    /// `bytes` as a text. `binding` says for whom and for what it is: the same text is needed to open it.
    [[nodiscard]] Result<std::string> close(std::string_view bytes, std::string_view binding) const;
    struct Opened {
        std::string bytes;
        std::string number; ///< of the text, for `spend`
        std::int64_t expires_ms = 0;
    };
    /// invalid_request says what is wrong with it: changed, too old, another's.
    [[nodiscard]] Result<Opened> open(std::string_view text, std::string_view binding) const;
    /// From here on it was used. invalid_request when it was used before, by any process.
    Result<void> spend(const Opened& opened);

private:
    Seal(std::string key, std::string spent_file, std::chrono::milliseconds lifetime)
        : key_(std::move(key)), spent_file_(std::move(spent_file)), lifetime_(lifetime) {}
    /// Numbers that were used, until they expire.
    struct Spent {
        std::set<std::string, std::less<>> numbers{};
        std::multimap<std::int64_t, std::string> by_end{};

        bool add(const std::string& number, std::int64_t expires_ms);
        void forget(std::int64_t now_ms);
    };
    Result<void> spend_in_file(const Opened& opened);
    Result<void> read_new();
    Result<void> write_anew();

    const std::string key_;
    const std::string spent_file_;
    const std::chrono::milliseconds lifetime_;
    std::mutex mutex_;
    Spent spent_;                ///< what the file has of them as well, as far as it was read
    int reading_ = -1;           ///< the file as it was seen last; held, so that no other has its inode
    std::size_t read_bytes_ = 0; ///< of it
};

} // namespace ptc::mcp
