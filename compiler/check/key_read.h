// How a key is written where it is read: what mends a wrong one depends on it.
#pragma once
#include "frontend/form.h"
#include <cstdint>

namespace ptc {

struct KeyRead {
    enum Kind : std::uint8_t {
        Function, ///< (map :k rows): called for each
        Head,     ///< (:k m)
        Step,     ///< (-> m :k)
        Argument, ///< (get m :k), where a path may stand as well
        PathItem, ///< (get-in m [:k])
        Name,     ///< {:keys [k]}, a name that stands for a key
        Other,
    };
    Kind kind = Function;
    const Form* around = nullptr; ///< Head: the call; Name: the vector of names
    bool is_asked = false;        ///< whether it is there is what the program asks: (if (:k m) ..)
};

} // namespace ptc
