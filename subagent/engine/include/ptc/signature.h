// Signatures: what a tool or a mission takes and gives, compiled and checked.
#pragma once
#include "ptc/check_report.h"
#include "ptc/datum.h"
#include "ptc/json_schema.h"
#include "ptc/limits.h"
#include "ptc/schema_reader.h"
#include "ptc/signature_text.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct CompiledSignature; ///< a signature and its validators: immutable, shared by any number of threads
using SignaturePtr = std::shared_ptr<const CompiledSignature>;

/// `(query :string, limit :int?) -> [{id :int}]`, a result alone, `{count :int}`, or the Malli form,
/// `[:=> [:catn [:query :string]] :int]`. The error's span is in `text`.
Result<SignaturePtr> compile_signature(std::string_view text);
/// The same from the Malli form as data: what a program builds or returns, or what `malli_datum` gives. Errors have no
/// span.
Result<SignaturePtr> compile_malli(const Datum& schema);
/// A signature as data in the Malli form, vectors and keywords: a program that has it reads it as any other value.
Datum malli_datum(const Signature& signature);
/// The tree that was compiled.
const Signature& signature_of(const CompiledSignature& compiled);

/// What happens when a value does not fit.
enum class ValidationMode : std::uint8_t {
    Enabled,  ///< an error; fields that are not declared are allowed
    WarnOnly, ///< a warning, and the value goes on
    Disabled, ///< nothing is checked or coerced
    Strict,   ///< as Enabled, and fields that are not declared, and tools without a signature, are errors
};
std::optional<ValidationMode> validation_mode(std::string_view name); ///< "enabled", "warn_only", ..

struct ValidationOptions {
    ValidationMode mode = ValidationMode::Enabled;
    bool is_json_text = false; ///< the value was JSON: where a type wants a point in time, a text becomes one
    /// Keys that no record of the signature declares stay as they are written, and two of them may differ by hyphens
    /// alone (Tool::keeps_keys).
    bool keeps_keys = false;
    Limits limits{};
};

/// A value, checked.
struct Validation {
    bool ok = true;
    Datum data;                  ///< coerced, and its keys are text with underscores; nil when not ok
    std::vector<Fault> errors;   ///< in the order of the declaration
    std::vector<Fault> warnings; ///< what was coerced, and in WarnOnly what is wrong
    std::size_t more_errors = 0; ///< beyond the first hundred
};

/// Checks the arguments of a call (a map), or a result. Fails when the value is larger than the limits allow.
Result<Validation> validate(const CompiledSignature& signature, Direction direction, const Datum& value,
                            const ValidationOptions& options = {});

/// "Tool validation errors:\n- results[0].id: expected int, got string \"abc\"", with one line a fault.
std::string validation_errors_text(const std::vector<Fault>& errors, std::size_t more = 0);
/// "Tool validation warnings:\n- limit: coerced string \"10\" to int".
std::string validation_warnings_text(const std::vector<Fault>& warnings);
/// "limit: coerced string \"10\" to int"; without the path when it is the whole value.
std::string fault_text(const Fault& fault);

} // namespace ptc
