// Threads for requests, so that those who read messages never wait.
#pragma once
#include "tools/mcp/pool.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ptc::mcp {

struct WorkerLimits {
    /// Of one client, or of one session of it: the rest is for others.
    struct Shares {
        std::size_t at_work = std::numeric_limits<std::size_t>::max();
        std::size_t waiting = std::numeric_limits<std::size_t>::max();
        std::size_t standing = std::numeric_limits<std::size_t>::max();
    };
    std::size_t at_work = 1;
    std::size_t waiting = 1;
    std::size_t standing = 0; ///< beside those at work
    Shares of_client{};
    Shares of_session{};
};

/// Threads start when there is something to do for them; none ends before all do.
class Workers {
    struct Counts {
        std::size_t waiting = 0, at_work = 0, standing = 0;
        [[nodiscard]] bool is_unused() const { return waiting + at_work + standing == 0; }
    };
    using Clients = std::map<std::string, Counts>;
    struct Owner { ///< a session, which is counted in its client too
        Counts counts;
        Clients::value_type* client;
    };
    using Owners = std::map<ClientName, Owner>;
    using OwnerEntry = Owners::value_type;

public:
    explicit Workers(WorkerLimits limits);
    /// Waits for all that was begun.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    struct Work {
        std::function<void()> run;           ///< what it throws is lost
        std::function<bool()> is_unwanted{}; ///< then it never begins, and does not count
        ClientName owner{};                  ///< of nobody: one of its own
    };
    /// In the order in which they come, but for what others of the same owner keep from beginning. False when as many
    /// wait already as may. Throws std::bad_alloc, and has changed nothing then.
    bool run(Work work);

    /// Where a work is that has begun: at work, or standing still. For the threads of that work, which come back as
    /// often as they leave.
    class Place {
    public:
        Place(Workers& workers, ClientName owner) : workers_(workers), name_(std::move(owner)) {}
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        /// It waits for somebody outside: other work takes its place. With as many that stand still as may, it stays at
        /// work. Never waits.
        void leave() noexcept;
        /// With the last one that left it is at work again: waits until there is room, which it has before any work
        /// that has not begun. Once `stop` is requested it has little left to do, and goes on at once.
        void come_back(const std::stop_token& stop);

    private:
        friend class Workers;
        void stop_standing(); ///< under the lock

        Workers& workers_;
        const ClientName name_;
        // Under the lock of the workers:
        OwnerEntry* owner_ = nullptr; ///< while it stands still
        std::size_t left_ = 0;
        bool stands_ = false;
    };

private:
    struct Queued {
        Work work;
        OwnerEntry* owner; ///< null: none counts it
    };
    // Under the lock. Only `run` may fail: what is counted later has its room from then on.
    void loop();
    OwnerEntry* entry_of(const ClientName& name);
    static void count(OwnerEntry* owner, std::size_t Counts::*what, bool is_more);
    /// Whether the owner and its client may have `more` beside what they have.
    [[nodiscard]] bool fits_shares(const OwnerEntry* owner, std::size_t Counts::*what,
                                   std::size_t WorkerLimits::Shares::*most, std::size_t more) const;
    [[nodiscard]] bool may_begin(const OwnerEntry* owner) const;
    [[nodiscard]] bool is_too_full(const OwnerEntry* owner) const;
    [[nodiscard]] std::deque<Queued>::iterator next(); ///< the first that may begin
    void begin_work(OwnerEntry* owner);
    void end_work(OwnerEntry* owner);
    void drop_unwanted(); ///< of all that wait but the last
    void give_room();     ///< that has become free: to who comes back, then to who waits
    void call_thread();   ///< for what waits, when none is free
    void forget_unused(OwnerEntry* owner);
    void forget_all_unused();

    const WorkerLimits limits_;
    std::mutex mutex_;
    std::condition_variable wakes_;   ///< of threads without work
    std::condition_variable returns_; ///< of places
    std::deque<Queued> waiting_;
    Clients clients_;
    Owners owners_;
    std::vector<Place*> returning_; ///< in the order in which they came
    std::size_t at_work_ = 0;
    std::size_t standing_ = 0;
    std::size_t idle_ = 0;
    bool is_over_ = false;
    std::vector<std::thread> threads_;
};

} // namespace ptc::mcp
