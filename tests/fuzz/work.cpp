#include "tests/fuzz/work.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

// Of clang's profile runtime and of the address sanitizer: there in builds that use them.
extern "C" {
__attribute__((weak)) std::uint64_t* __llvm_profile_begin_counters();
__attribute__((weak)) std::uint64_t* __llvm_profile_end_counters();
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                                      std::size_t),
                                                                    void (*on_free)(const volatile void*));
}

namespace ptc::fuzz {
namespace {

std::atomic<std::uint64_t> allocated = 0;
void on_malloc(const volatile void*, std::size_t size) { allocated.fetch_add(size, std::memory_order_relaxed); }
void on_free(const volatile void*) {}

std::uint64_t steps_so_far() {
    if (!counts_work()) return 0;
    std::uint64_t sum = 0;
    const std::uint64_t* const end = __llvm_profile_end_counters();
    for (const std::uint64_t* counter = __llvm_profile_begin_counters(); counter != end; ++counter)
        sum += *counter;
    return sum;
}

} // namespace

bool counts_work() { return __llvm_profile_begin_counters != nullptr; }

Measure::Measure() {
    static const bool kIsHooked = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                  __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    (void)kIsHooked;
    before_ = {steps_so_far(), allocated.load()};
}

Work Measure::taken() const {
    if (!counts_work()) return {};
    return {steps_so_far() - before_.steps, allocated.load() - before_.bytes};
}

void check_work(const char* what, const Work& work, std::size_t size, std::uint64_t per_byte, std::uint64_t at_once) {
    const std::uint64_t unit = std::max<std::uint64_t>(size * static_cast<std::uint64_t>(std::bit_width(size)), 1);
    const std::uint64_t most = at_once + per_byte * unit;
    if (std::getenv("PTC_SHOW_WORK")) // to see how far from the bound it is
        std::fprintf(stderr, "%s: %zu bytes, %llu steps and %llu bytes of memory for each n log n\n", what, size,
                     static_cast<unsigned long long>(work.steps / unit),
                     static_cast<unsigned long long>(work.bytes / unit));
    if (work.steps <= most && work.bytes <= most) return;
    std::fprintf(stderr,
                 "%s: %zu bytes took %llu steps and %llu bytes of memory; %llu would be a multiple of n log n\n", what,
                 size, static_cast<unsigned long long>(work.steps), static_cast<unsigned long long>(work.bytes),
                 static_cast<unsigned long long>(most));
    std::abort();
}

} // namespace ptc::fuzz
