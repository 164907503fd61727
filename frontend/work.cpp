#include "frontend/work.h"
#include <utility>

namespace ptc::work {

Scope::Scope(std::function<bool()> refill) : refill_(std::move(refill)), outer_(current_) {
    if (outer_) refill_ = [outer = outer_, own = std::move(refill_)] { return outer->spend(kSlice) && own(); };
    is_over_ = outer_ && outer_->is_over_;
    current_ = this;
}

Scope::~Scope() { current_ = outer_; }

} // namespace ptc::work
