// libcurl, loaded when the first provider is used: it brings thirty shared libraries, which cost every start of a
// program that links it more than running a small program does.
#pragma once
#include <curl/curl.h>
#include <string>

namespace ptc {

/// The functions that we call, named as in libcurl without its prefix.
struct CurlLibrary {
#define PTC_CURL_FUNCTIONS(row)                                                                                        \
    row(global_init) row(version_info) row(getdate) row(free) row(slist_append) row(slist_free_all) row(easy_init)     \
        row(easy_setopt) row(easy_getinfo) row(easy_strerror) row(easy_cleanup) row(multi_init) row(multi_setopt)      \
            row(multi_add_handle) row(multi_remove_handle) row(multi_socket_action) row(multi_assign)                  \
                row(multi_info_read) row(multi_cleanup) row(url) row(url_set) row(url_get) row(url_cleanup)
#define PTC_CURL_MEMBER(name) decltype(&curl_##name) name = nullptr;
    PTC_CURL_FUNCTIONS(PTC_CURL_MEMBER)
#undef PTC_CURL_MEMBER
};

/// Why this machine has no libcurl that we can use; "" when it has. Loads it.
const std::string& curl_problem();

/// Only where curl_problem() is "".
const CurlLibrary& curl();

} // namespace ptc
