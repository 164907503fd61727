#include "subagent/store/crypto_library.h"
#include <dlfcn.h>

namespace ptc {
namespace {

struct Loaded {
    CryptoLibrary functions;
    std::string problem;
};

template <class Function> bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

Loaded load() {
    Loaded loaded;
    void* library = ::dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        loaded.problem = std::string("A store needs libcrypto 3, which cannot be loaded: ") + ::dlerror() + ".";
        return loaded;
    }
    bool is_whole = true;
#define PTC_CRYPTO_FIND(name) is_whole = find(library, #name, loaded.functions.name) && is_whole;
    PTC_CRYPTO_FUNCTIONS(PTC_CRYPTO_FIND)
#undef PTC_CRYPTO_FIND
    if (!is_whole) loaded.problem = "A store needs libcrypto 3, and this one lacks functions.";
    return loaded;
}

const Loaded& loaded_crypto() {
    static const Loaded& loaded = *new Loaded(load()); // never destroyed: a host's last store may outlive statics
    return loaded;
}

} // namespace

const std::string& crypto_problem() { return loaded_crypto().problem; }
const CryptoLibrary& crypto() { return loaded_crypto().functions; }

} // namespace ptc
