// Libraries of the system that are loaded when something of them is wanted, and never unloaded.
#pragma once
#include <dlfcn.h>
#include <initializer_list>
#include <string>
#include <utility>

namespace ptc {

/// The first of these that there is; null, and why the first cannot be loaded, when there is none.
inline void* load_library(std::initializer_list<const char*> names, std::string& why) {
    std::string first;
    for (const char* name : names) {
        if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
        if (first.empty()) first = ::dlerror(); // the first name is the usual one
    }
    why = std::move(first);
    return nullptr;
}

/// False when the library has no such function.
template <class Function> bool find_function(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

} // namespace ptc
