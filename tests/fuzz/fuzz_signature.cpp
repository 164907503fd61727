// Any bytes as the text form of a signature: read in linear time or refused with a span inside of the text; what is
// read has a normal form that reads back to the same tree, compiles to verified code, and has JSON Schemas that are
// JSON.
#include "compiler/signature/signature_compiler.h"
#include "frontend/utf8.h"
#include "ptc/json_schema.h"
#include "ptc/schema_reader.h"
#include "ptc/signature.h"
#include "runtime/json.h"
#include "runtime/signature/signature_grammar.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <algorithm>
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::signature_grammar, 0)

using namespace ptc;

namespace {

void check_error(std::string_view text, const Error& error) {
    FUZZ_CHECK(!error.message.empty() && error.message.size() < 2000);
    FUZZ_CHECK(!error.has_span || (error.span.begin <= error.span.end && error.span.end <= text.size()));
    FUZZ_CHECK(utf8::find_invalid(error.message) == utf8::kValid);
    for (const Edit& edit : error.edits) // of the text as it was given, all of them
        FUZZ_CHECK(edit.span.begin <= edit.span.end && edit.span.end <= text.size());
}

/// How deep the brackets of a JSON text go.
std::uint32_t depth_of(std::string_view json) {
    std::uint32_t depth = 0, most = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '"') in_text = !in_text;
        if (in_text && json[i] == '\\') ++i;
        if (!in_text && (json[i] == '{' || json[i] == '[')) most = std::max(most, ++depth);
        if (!in_text && (json[i] == '}' || json[i] == ']')) --depth;
    }
    return most;
}

void check_signature(const Signature& signature) {
    const std::string normal = signature_text(signature);
    Result<Signature> again = parse_signature(normal);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(again.value() == signature);
    FUZZ_CHECK(signature_text(again.value()) == normal);
    for (const SchemaStyle style : {SchemaStyle::Exact, SchemaStyle::Structured}) {
        const std::string schema = json_schema(signature.returns, style);
        FUZZ_CHECK(read_json_schema(schema).ok() == (depth_of(schema) <= JsonLimits{}.max_depth));
    }
    Result<SignaturePtr> compiled = compile_signature(signature);
    FUZZ_CHECK(compiled.ok());
    const Datum empty{Datum::Map{}};
    FUZZ_CHECK(validate(*compiled.value(), Direction::Input, empty).ok());
    FUZZ_CHECK(validate(*compiled.value(), Direction::Output, empty).ok());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Result<Signature> signature = parse_shorthand(text);
    if (signature.ok())
        check_signature(signature.value());
    else
        check_error(text, signature.error());
    return 0;
}
