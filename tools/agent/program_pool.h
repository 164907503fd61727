// Programs that answer lines (line_process.h) for calls that come from many threads at once.
#pragma once
#include "tools/agent/line_process.h"
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptc {

class PooledProgram;

/// How many processes programs have. Its programs share it and keep it alive.
class ProgramPool {
public:
    struct Bounds {
        std::size_t at_work = 1; ///< of each program: so many calls of it at once
        std::size_t idle = 64;   ///< of all programs together: kept for calls to come
    };
    explicit ProgramPool(Bounds bounds) : bounds_(bounds) {}

private:
    friend class PooledProgram;
    struct Idle {
        const PooledProgram* program;
        std::unique_ptr<LineProcess> process;
    };

    const Bounds bounds_;
    std::mutex mutex_;     ///< of the programs, too
    std::list<Idle> idle_; ///< the one that was used last is the last
};

/// A program with a process for each call at work, started when there is no idle one. Which process a call gets, nobody
/// can tell. May be used by several threads.
class PooledProgram {
public:
    using Time = std::chrono::steady_clock::time_point;
    /// The last two as of LineProcess.
    PooledProgram(std::shared_ptr<ProgramPool> pool, std::vector<std::string> arguments,
                  std::optional<std::vector<std::string>> environment = {});
    /// Ends its processes, of which none may be at work.
    ~PooledProgram();
    PooledProgram(const PooledProgram&) = delete;
    PooledProgram& operator=(const PooledProgram&) = delete;

    /// A process that belongs to one call until this ends. Must not outlive the program.
    class Use {
    public:
        Use(PooledProgram& program, std::unique_ptr<LineProcess> process)
            : program_(&program), process_(std::move(process)) {}
        Use(Use&& other) noexcept = default;
        Use& operator=(Use&&) = delete;
        ~Use();
        LineProcess* operator->() const { return process_.get(); }

    private:
        PooledProgram* program_;
        std::unique_ptr<LineProcess> process_;
    };
    /// Waits while as many as may be are at work; who came first is served first. A Fault when `end` or `is_unwanted`
    /// came before: nothing was sent to the program.
    std::variant<Use, LineProcess::Fault> take(std::optional<Time> end, const SharedFunction<bool()>& is_unwanted);

private:
    [[nodiscard]] std::unique_ptr<LineProcess> take_idle();
    void give_back(std::unique_ptr<LineProcess> process);

    const std::shared_ptr<ProgramPool> pool_;
    const std::vector<std::string> arguments_;
    const std::optional<std::vector<std::string>> environment_;
    std::condition_variable changed_;
    std::list<char> line_; ///< of those who wait: a place each
    std::size_t at_work_ = 0;
};

} // namespace ptc
