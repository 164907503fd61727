// What a run needs of the branches of a pmap or pcalls. The body is Fork (fork.h), which is made of machines itself: a
// run knows this interface only, so that neither depends on the other.
#pragma once
#include "ptc/result.h"
#include "runtime/heap.h"
#include "vm/fork_request.h"
#include <memory>
#include <string_view>
#include <vector>

namespace ptc {

class Vm;
struct Fiber;

/// A tool call that a suspended run waits for.
struct PendingCall {
    std::string_view tool;
    const Value* arguments; ///< a map
    Heap* heap;             ///< where it lives, and where the answer is to be made
    Vm* vm;                 ///< whose heap that is
    const Fiber* fiber;     ///< that waits
};

/// Belongs to the run that forked.
class Branches {
public:
    Branches() = default;
    virtual ~Branches() = default;
    Branches(const Branches&) = delete;
    Branches& operator=(const Branches&) = delete;

    /// Runs them as far as they get. True: tool calls wait for answers.
    [[nodiscard]] virtual bool advance() = 0;
    [[nodiscard]] virtual const std::vector<PendingCall>& calls() const = 0;
    /// False behind one whose failure nothing can catch: its branch does not continue.
    [[nodiscard]] virtual bool needs_answer(std::size_t i) const = 0;
    virtual void answer(std::size_t i, Result<Value> result) = 0;
    /// Their results as a vector of the run's heap, or what failed.
    virtual Result<Value> finish() = 0;
};

/// Those that `request` asks for, of a suspended run.
std::unique_ptr<Branches> make_branches(Vm& run, ForkRequest request);

} // namespace ptc
