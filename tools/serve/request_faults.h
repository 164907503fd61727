// What is wrong with a request, for both wires that read them.
#pragma once
#include "tools/serve/chat_wire.h"
#include <optional>
#include <string>
#include <utility>

namespace ptc {

using Read = std::optional<WireError>; ///< none: all is well

inline WireError invalid(std::string param, std::string message, std::string code = {}) {
    return {.code = std::move(code), .param = std::move(param), .message = std::move(message)};
}

inline bool is_given(const Datum* value) { return value && !value->is_nil(); }

} // namespace ptc
