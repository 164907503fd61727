// What holds for every signature: it reads back from each of its forms to the same tree, any part of its text is
// accepted or refused with a span, and its code passes the verifier. Types are made at random (random_types.h).
#include "compiler/signature/signature_compiler.h"
#include "ptc/json_schema.h"
#include "ptc/schema_reader.h"
#include "runtime/json.h"
#include "runtime/signature/malli.h"
#include "tests/compiler/random_types.h"
#include <algorithm>
#include <cmath>
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

RC_GTEST_PROP(SignatureProperties, TheMalliValueReadsBackToTheSameTree, ()) {
    const Signature signature = *any_signature();
    Heap heap;
    ShapeTable shapes(heap);
    const Value value = malli_value(heap, shapes, signature).value();
    const Result<Signature> back = malli_signature(value);
    if (!back.ok()) RC_FAIL(signature_text(signature) + ": " + back.error().message);
    RC_ASSERT(back.value() == signature);
}

/// JSON has one kind of number.
Number json_number(Number number) {
    const auto* real = std::get_if<double>(&number);
    if (!real || std::abs(*real) > 1e15 || *real != std::trunc(*real)) return number;
    return static_cast<std::int64_t>(*real);
}

Choice json_choice(Choice choice) {
    if (const auto* keyword = std::get_if<KeywordChoice>(&choice)) return Choice(std::string(keyword->name));
    if (const auto* real = std::get_if<double>(&choice))
        return std::visit([](auto number) { return Choice(number); }, json_number(*real));
    return choice;
}

/// Without what JSON Schema says in other words, or says not at all: no keywords, no `=` beside other limits, names
/// with underscores and in order, null apart from other types, and no null for what may be anything.
Type as_json(Type type) {
    if (type.is(TypeKind::Keyword)) type.kind = TypeKind::String;
    std::erase_if(type.bounds, [](const Bound& bound) { return bound.op == Bound::Op::Equal; });
    for (Bound& bound : type.bounds)
        bound.limit = json_number(bound.limit);
    std::ranges::sort(type.bounds, {}, [](const Bound& bound) { return std::pair(bound.op, bound.limit); });
    for (Choice& choice : type.choices)
        choice = json_choice(std::move(choice));
    for (Type& item : type.items) {
        item = as_json(std::move(item));
        if (item.is(TypeKind::Any)) item.is_optional = false;
    }
    for (Field& field : type.fields)
        field = {normalized_name(field.name), as_json(std::move(field.type))};
    std::ranges::sort(type.fields, {}, &Field::name);
    if (std::ranges::any_of(type.items, [](const Type& item) { return item.is(TypeKind::Any); }) &&
        !type.is(TypeKind::List))
        return Type(TypeKind::Any);
    const auto is_nil = [](const Type& item) { return item.is(TypeKind::Nil); };
    if (std::erase_if(type.items, is_nil) > 0) type.is_optional = true;
    if (!type.is(TypeKind::Union)) return type;
    std::vector<Type> different;
    for (Type& item : type.items) {
        if (std::ranges::find(different, item) == different.end()) different.push_back(std::move(item));
    }
    type.items = std::move(different);
    if (type.items.size() > 1) return type;
    Type only = std::move(type.items.front());
    only.is_optional = type.is_optional;
    return only;
}

RC_GTEST_PROP(SignatureProperties, TheExactSchemaReadsBackToTheSameTypeOfJson, ()) {
    const Type type = as_json(Type::record({{"result", (*any_signature()).returns}}));
    const std::string schema = json_schema(type, SchemaStyle::Exact);
    const Result<SchemaReading> back = read_json_schema(schema);
    if (!back.ok()) RC_FAIL(schema + ": " + back.error().message);
    const std::string read = type_text(as_json(back.value().type));
    if (read != type_text(type)) RC_FAIL(schema + "\n" + read + "\n" + type_text(type));
    RC_ASSERT(back.value().warnings.empty());
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
