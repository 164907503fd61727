#include "frontend/assert.h"
#include <cstdio>
#include <cstdlib>

namespace ptc {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
    std::abort();
}

} // namespace ptc
