// `ptcc signature --batch`: signatures parsed and values validated, one JSON object a line.
#pragma once
#include "ptc/json_schema.h"
#include "ptc/ptc.h"
#include "tools/batch.h"
#include <string>

namespace ptc {

/// What a signature's row says of it: `ok`, `canonical`, `ast`, `json_schema`, .. and `errors`. `style` is the
/// schema's.
std::string signature_json(std::string_view id, std::string_view text, bool is_malli,
                           SchemaStyle style = SchemaStyle::Structured);
/// structured, tool, exact or closed.
std::optional<SchemaStyle> schema_style(std::string_view name);
/// The schema of a result; in the structured style what providers are sent, an object.
std::string result_schema(const Type& returns, SchemaStyle style);

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
