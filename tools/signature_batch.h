// `ptcc signature --batch`: signatures parsed and values validated, one JSON object a line.
#pragma once
#include "ptc/ptc.h"
#include "tools/batch.h"
#include <string>

namespace ptc {

/// What a signature's row says of it: `ok`, `canonical`, `ast`, `json_schema`, .. and `errors`.
std::string signature_json(std::string_view id, std::string_view text, bool is_malli);

/// A value to be checked, as requests and rows say it.
struct ValidationRequest {
    std::string signature;
    bool is_malli = false;
    Direction direction = Direction::Output;
    Datum data;
    ValidationOptions options;
};
/// Reads `signature`, `form`, `direction`, `mode`, `data` and `surface`. invalid_request names the member that is
/// wrong.
Result<ValidationRequest> read_validation(const Datum& object);
Result<Validation> run_validation(const ValidationRequest& request);

/// The answer to one line. A line that is no request is answered with an error.
std::string answer_signature_request(const InputLine& line);

} // namespace ptc
