// Debian's mimalloc is a shared library that defines malloc, free and operator new, too: a program that links it has it
// for everything, which is no decision of ours to take for a host. So the library is loaded by hand, with its names
// kept out of the process's (RTLD_LOCAL), and only the two functions that we need are taken from it. It is never
// unloaded: blocks and threads may outlive a call.
#include "runtime/system_memory.h"
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>

namespace ptc {
namespace {

// The sanitizers must see when memory goes from one thread to another or is used after it was given back, and know the
// C library only.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// Debian 12 and 13 have the first.
constexpr const char* kLibraries[] = {"libmimalloc.so.2", "libmimalloc.so.3"};

void* take_aligned(std::size_t bytes, std::size_t alignment) {
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}
constexpr SystemMemory kOfTheCLibrary{take_aligned, std::free};

bool find_in(void* library, SystemMemory& memory) {
    memory.take = reinterpret_cast<decltype(memory.take)>(::dlsym(library, "mi_malloc_aligned"));
    memory.give = reinterpret_cast<decltype(memory.give)>(::dlsym(library, "mi_free"));
    return memory.take && memory.give;
}

SystemMemory find() {
    SystemMemory memory{};
    if (kSanitized) return kOfTheCLibrary;
    if (find_in(RTLD_DEFAULT, memory)) return memory;
    for (const char* name : kLibraries) {
        void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library && find_in(library, memory)) return memory;
    }
    return kOfTheCLibrary;
}

} // namespace

const SystemMemory& system_memory() {
    static const SystemMemory memory = find();
    return memory;
}

void want_huge_pages(void* memory, std::size_t bytes) {
    ::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE); // it is a wish: an answer changes nothing
}

} // namespace ptc
