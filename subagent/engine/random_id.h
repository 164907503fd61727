// Names that no other process makes: of spans, leases, replies.
#pragma once
#include <random>
#include <string>

namespace ptc {

/// So many hex digits by the system's source of chance; not all of them are zeros.
inline std::string random_id(std::size_t digits) {
    std::random_device source;
    std::string id;
    do {
        id.clear();
        while (id.size() < digits)
            id += "0123456789abcdef"[source() & 15];
    } while (id.find_first_not_of('0') == std::string::npos);
    return id;
}

} // namespace ptc
