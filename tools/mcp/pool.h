// Who clients are where they share what is bounded for all, and how much of it each of them has.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ptc::mcp {

/// All that comes from one address is of one client: it may begin any number of sessions. These share what is the
/// client's; what it asks without a session is one more of them.
struct ClientName {
    std::string address{}; ///< "": of nobody, whom only the bound for all holds
    std::string session{};
    auto operator<=>(const ClientName&) const = default;
};

/// What one of those who share `all` may have at most: the last quarter, or the last one, is for others.
constexpr std::size_t share(std::size_t all) { return all < 2 ? all : all - (all + 3) / 4; }

/// Something of which there is so much, by any unit. On any thread; outlives its parts.
class Pool {
public:
    /// `is_shared`: a client has its share at most, and a session its share of that.
    Pool(std::size_t all, bool is_shared) : all_(all), is_shared_(is_shared) {}

    /// What somebody has of it, until it is destroyed.
    class Part {
    public:
        Part(Part&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), who_(std::move(other.who_)), amount_(other.amount_) {}
        Part& operator=(Part&& other) noexcept {
            std::swap(pool_, other.pool_);
            std::swap(who_, other.who_);
            std::swap(amount_, other.amount_);
            return *this;
        }
        ~Part() {
            if (pool_) pool_->give_back(who_, amount_);
        }

    private:
        friend class Pool;
        Part(Pool& pool, ClientName who, std::size_t amount) : pool_(&pool), who_(std::move(who)), amount_(amount) {}

        Pool* pool_;
        ClientName who_;
        std::size_t amount_;
    };
    /// None where it would be too much.
    [[nodiscard]] std::optional<Part> take(ClientName who, std::size_t amount = 1);

private:
    struct Client {
        std::size_t taken = 0;
        std::map<std::string, std::size_t> of_sessions{};
    };
    void give_back(const ClientName& who, std::size_t amount);

    const std::size_t all_;
    const bool is_shared_;
    std::mutex mutex_;
    std::size_t taken_ = 0;
    std::map<std::string, Client> clients_; ///< those that have something
};

} // namespace ptc::mcp
