// What looped() gives, and how one thread waits for several loops.
#pragma once
#include "ptc/model_loop.h"
#include <span>

namespace ptc {

/// A Llm whose target says how it is called without a thread.
struct LoopedModel {
    ModelLoopMaker make_loop;
    Llm call{}; ///< as a function; empty: by a loop of its own
    LlmResult operator()(const LlmRequest& request) const;
};

/// Something that another thread can make readable: an eventfd.
class Wakeup {
public:
    Wakeup();
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;
    [[nodiscard]] bool is_usable() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    void signal() const; ///< from any thread
    void clear() const;

private:
    int descriptor_;
};

/// Until one of the descriptors can be read, or until `due`; none: for ever.
void wait_for(std::span<const int> descriptors, std::optional<std::chrono::steady_clock::time_point> due);

} // namespace ptc
