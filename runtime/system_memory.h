// The allocator below the pools of chunks.
#pragma once
#include <cstddef>

namespace ptc {

/// Two functions of one allocator, for any thread.
struct SystemMemory {
    void* (*take)(std::size_t bytes, std::size_t alignment); ///< null when memory is out
    void (*give)(void* memory);
};

/// mimalloc, by its own functions: that of the process, when the host has linked or preloaded one, else the system's
/// library, loaded at the first call for us alone, so that it replaces nobody's malloc. Where there is none, and under
/// a sanitizer, the C library.
const SystemMemory& system_memory();

/// What the processor can look up as one page, where the system has such memory.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Asks the system for huge pages, as many as `memory` has from its start, a multiple of one. A heap of 100 MB then
/// costs 50 page faults and not 25,000, and its addresses are found without walks through tables. Nothing where there
/// are none.
void want_huge_pages(void* memory, std::size_t bytes);

} // namespace ptc
