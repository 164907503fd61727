// What holds for every signature.
#include "compiler/malli.h"
#include "compiler/schema_reader.h"
#include "compiler/signature_compiler.h"
#include "frontend/json_schema.h"
#include "runtime/json.h"
#include "tests/compiler/random_types.h"
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ptc {
namespace {

using testing::any_signature;

RC_GTEST_PROP(SignatureProperties, TheNormalFormReadsBackToTheSameTree, ()) {
    const Signature signature = *any_signature();
    const std::string text = signature_text(signature);
    const Result<Signature> back = parse_signature(text);
    if (!back.ok()) RC_FAIL(text + ": " + back.error().message);
    RC_ASSERT(back.value() == signature);
    RC_ASSERT(signature_text(back.value()) == text);
}

/// Keywords that EDN cannot write are left out.
RC_GTEST_PROP(SignatureProperties, TheMalliFormReadsBackToTheSameTree, ()) {
    const Signature signature = *any_signature();
    const std::string text = malli_text(signature);
    const Result<Signature> back = parse_malli(text);
    if (!back.ok()) RC_FAIL(text + ": " + back.error().message);
    RC_ASSERT(back.value() == signature);
}

RC_GTEST_PROP(SignatureProperties, EveryPrefixOfASignatureIsReadOrRefusedWithASpan, ()) {
    const std::string text = signature_text(*any_signature());
    const std::string prefix = text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size() + 1));
    const Result<Signature> read = parse_signature(prefix);
    if (read.ok()) return;
    RC_ASSERT(read.error().has_span);
    RC_ASSERT(read.error().span.begin <= read.error().span.end);
    RC_ASSERT(read.error().span.end <= prefix.size());
    RC_ASSERT(!read.error().hint.empty());
}

RC_GTEST_PROP(SignatureProperties, EverySignatureCompilesToVerifiedCode, ()) {
    const Result<SignaturePtr> compiled = compile_signature(*any_signature());
    if (!compiled.ok()) RC_FAIL(compiled.error().message);
}

RC_GTEST_PROP(SignatureProperties, EverySchemaIsJsonAndReadsBackAsAType, ()) {
    const Signature signature = *any_signature();
    for (const SchemaStyle style :
         {SchemaStyle::Exact, SchemaStyle::Closed, SchemaStyle::Tool, SchemaStyle::Structured}) {
        const std::string schema = json_schema(signature.returns, style);
        const Result<SchemaReading> back = read_json_schema(schema);
        if (!back.ok()) RC_FAIL(schema + ": " + back.error().message);
    }
}

} // namespace
} // namespace ptc
