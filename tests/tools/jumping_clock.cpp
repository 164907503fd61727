// Loaded in front of the C library: the clock of the wall jumps nine years back or forth each time that it is read, as
// one does that is set anew. What measures spans of time goes on as it is.
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
    static int reads = 0;
    const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
    constexpr time_t kYears = 9 * 365 * 86'400;
    if (failed == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) % 2 ? kYears : -kYears;
    return failed;
}
