#include "subagent/providers/curl_library.h"
#include "subagent/providers/shared_library.h"

namespace ptc {
namespace {

constexpr unsigned kOldestVersion = 0x075700; ///< 7.87, whose URL parser and CURLOPT_QUICK_EXIT we need

struct Loaded {
    CurlLibrary functions;
    std::string problem;
};

bool find_all(void* library, CurlLibrary& functions) {
    bool is_whole = true;
#define PTC_CURL_FIND(name) is_whole = find_function(library, "curl_" #name, functions.name) && is_whole;
    PTC_CURL_FUNCTIONS(PTC_CURL_FIND)
#undef PTC_CURL_FIND
    return is_whole;
}

/// Never unloaded: threads of its own, e.g. of a resolver, may outlive a call.
Loaded load() {
    Loaded loaded;
    std::string why;
    // The interface of libcurl has had this number since 2006; the second is Debian's build with another TLS library.
    void* const library = load_library({"libcurl.so.4", "libcurl-gnutls.so.4"}, why);
    if (!library) {
        loaded.problem = "Models of providers need libcurl, which cannot be loaded: " + why + ".";
        return loaded;
    }
    if (!find_all(library, loaded.functions) ||
        loaded.functions.version_info(CURLVERSION_NOW)->version_num < kOldestVersion)
        loaded.problem = "Models of providers need libcurl 7.87 or later.";
    else if (loaded.functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        loaded.problem = "libcurl cannot be started.";
    return loaded;
}

const Loaded& loaded_curl() {
    static const Loaded& loaded = *new Loaded(load()); // never destroyed: a host's last model may outlive statics
    return loaded;
}

} // namespace

const std::string& curl_problem() { return loaded_curl().problem; }
const CurlLibrary& curl() { return loaded_curl().functions; }

} // namespace ptc
