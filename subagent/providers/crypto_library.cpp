#include "subagent/providers/crypto_library.h"
#include "subagent/providers/shared_library.h"

namespace ptc {
namespace {

struct Loaded {
    CryptoLibrary functions;
    std::string problem;
};

Loaded load() {
    Loaded loaded;
    std::string why;
    void* const library = load_library({"libcrypto.so.3", "libcrypto.so.1.1"}, why);
    if (!library) {
        loaded.problem = "This needs OpenSSL's libcrypto, which cannot be loaded: " + why + ".";
        return loaded;
    }
    bool is_whole = true;
#define PTC_CRYPTO_FIND(name) is_whole = find_function(library, #name, loaded.functions.name) && is_whole;
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
