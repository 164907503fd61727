// Limits without a clock, for tests that say nothing about time: a busy machine must not decide them.
#pragma once
#include <ptc/limits.h>

namespace ptc::test {

inline Limits untimed() {
    Limits limits;
    limits.timeout = {};
    return limits;
}

} // namespace ptc::test
