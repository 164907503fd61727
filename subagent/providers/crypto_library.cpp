#include "subagent/providers/crypto_library.h"
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
    void* library = nullptr;
    for (const char* name : {"libcrypto.so.3", "libcrypto.so.1.1"}) {
        if (!library) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) {
        loaded.problem = std::string("This needs OpenSSL's libcrypto, which cannot be loaded: ") + ::dlerror() + ".";
        return loaded;
    }
    bool is_whole = true;
#define PTC_CRYPTO_FIND(name) is_whole = find(library, #name, loaded.functions.name) && is_whole;
    PTC_CRYPTO_FUNCTIONS(PTC_CRYPTO_FIND)
#undef PTC_CRYPTO_FIND
    if (!is_whole) loaded.problem = "This needs OpenSSL's libcrypto, and the one that is here lacks functions.";
    return loaded;
}

const Loaded& loaded_crypto() {
    static const Loaded& loaded =
        *new Loaded(load()); // never destroyed: a host's last store may outlive statics, as its handlers of the end do
    return loaded;
}

} // namespace

const std::string& crypto_problem() { return loaded_crypto().problem; }
const CryptoLibrary& crypto() { return loaded_crypto().functions; }

} // namespace ptc
