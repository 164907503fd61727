// Linking ptc leaves malloc and operator new as they are, whether mimalloc serves the heaps of programs or not.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <memory>
#include <ptc/ptc.h>
#include <string>

namespace {

/// The library that the process has `name` from.
std::string library_of(const char* name) {
    Dl_info info{};
    void* const function = dlsym(RTLD_DEFAULT, name);
    return function && dladdr(function, &info) ? info.dli_fname : "";
}

/// Whether mimalloc, if it is loaded, has given `pointer` out.
bool is_of_mimalloc(const void* pointer) {
    void* const library = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return false;
    const auto is_inside = reinterpret_cast<bool (*)(const void*)>(dlsym(library, "mi_is_in_heap_region"));
    return is_inside && is_inside(pointer);
}

} // namespace

int main() {
    const ptc::Engine engine({});
    const std::string answer = engine.run("(reduce + (range 1 29) )").value; // some memory of a program
    void* const block = std::malloc(1000);
    const auto object = std::make_unique<std::string>(1000, 'x');
    const bool is_ours = is_of_mimalloc(block) || is_of_mimalloc(object->data());
    std::free(block);
    for (const char* name : {"malloc", "free", "calloc", "realloc"}) {
        if (library_of(name).find("/libc.so") == std::string::npos) {
            std::cerr << name << " is that of " << library_of(name) << '\n';
            return 1;
        }
    }
    if (library_of("_Znwm").find("/libstdc++.so") == std::string::npos) { // operator new
        std::cerr << "operator new is that of " << library_of("_Znwm") << '\n';
        return 1;
    }
    if (is_ours || dlsym(RTLD_DEFAULT, "mi_malloc")) return 1;
    std::cout << (answer == "406" ? 42 : 0) << '\n';
}
