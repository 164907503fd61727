// A body that anybody may send to `ptcc serve`: read into a conversation that a mission can have, or refused with an
// error that is JSON.
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include "tools/serve/chat_wire.h"
#include <ptc/ptc.h>

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 0)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ptc;
    const auto read = read_chat_request({reinterpret_cast<const char*>(data), size});
    if (const auto* error = std::get_if<WireError>(&read)) {
        FUZZ_CHECK(error->status == 400 && !error->message.empty());
        FUZZ_CHECK(Datum::from_json(error_json(*error)).ok());
        return 0;
    }
    const auto& request = std::get<ChatRequest>(read);
    FUZZ_CHECK(!request.message.empty());
    std::size_t bytes = request.message.size();
    for (std::size_t i = 0; i < request.history.size(); ++i) {
        const Message& message = request.history[i];
        FUZZ_CHECK(message.role != Message::Role::Tool && message.tool_calls.empty());
        FUZZ_CHECK(i == 0 || message.role != request.history[i - 1].role);
        bytes += message.content.size();
    }
    FUZZ_CHECK(bytes <= 2 * size); // what separates texts is shorter than a message's own JSON
    return 0;
}
