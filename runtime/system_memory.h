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

} // namespace ptc
