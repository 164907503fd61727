// Loaded in front of the C library: the clock of the wall is SKEW_SECONDS ahead, as on a machine whose clock was
// set wrong. What measures spans of time goes on as it is.
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
    static const char* const skew = std::getenv("SKEW_SECONDS");
    const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
    if (failed == 0 && clock == CLOCK_REALTIME && skew) time->tv_sec += std::atol(skew);
    return failed;
}
