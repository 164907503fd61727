// Any bytes as the Malli form of a signature, and as a JSON Schema: read or refused with a bounded message; what is
// read has a form that reads back to the same tree.
#include "compiler/signature/signature_compiler.h"
#include "ptc/schema_reader.h"
#include "runtime/edn.h"
#include "runtime/signature/malli.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <algorithm>
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::malli_grammar, 0)

using namespace ptc;

namespace {

/// EDN cannot write every keyword that EDN can read (`:a/b` is read whole).
bool has_keyword(const Type& type) {
    const auto is_keyword = [](const Choice& choice) { return std::holds_alternative<KeywordChoice>(choice); };
    return std::ranges::any_of(type.choices, is_keyword) || std::ranges::any_of(type.items, has_keyword) ||
           std::ranges::any_of(type.fields, has_keyword, &Field::type);
}

void check_malli(std::string_view text) {
    Result<Signature> signature = parse_malli(text);
    if (!signature.ok()) {
        FUZZ_CHECK(!signature.error().message.empty() && signature.error().message.size() < 2000);
        FUZZ_CHECK(!signature.error().has_span || signature.error().span.end <= text.size());
        return;
    }
    FUZZ_CHECK(compile_signature(signature.value()).ok());
    Heap heap;
    ShapeTable shapes(heap);
    Result<Value> value = parse_edn(heap, shapes, text);
    if (value.ok()) {
        Result<Signature> from_value = malli_signature(value.value());
        FUZZ_CHECK(from_value.ok() && from_value.value() == signature.value());
    }
    if (has_keyword(signature.value().returns) ||
        std::ranges::any_of(signature.value().params, has_keyword, &Field::type))
        return;
    Result<Signature> again = parse_malli(malli_text(signature.value()));
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(again.value() == signature.value());
}

void check_schema(std::string_view text) {
    Result<SchemaReading> reading = read_json_schema(text);
    if (!reading.ok()) return;
    Result<Signature> again = parse_signature(type_text(reading.value().type));
    FUZZ_CHECK(again.ok() || reading.value().type.is(TypeKind::Nil) ||
               type_text(reading.value().type).find(":nil") != std::string::npos ||
               type_text(reading.value().type).size() > 60'000);
    FUZZ_CHECK(compile_validator(reading.value().type, Direction::Input).ok());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_malli(text);
    check_schema(text);
    return 0;
}
