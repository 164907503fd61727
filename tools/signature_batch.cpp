// Answers to requests of `signature --batch`: the signature's normal form, its tree as conformance rows write it,
// schemas, and the validation of a value. Conformance rows are compared with these answers.
#include "tools/signature_batch.h"
#include "compiler/signature/signature_compiler.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/signature/malli.h"
#include "runtime/signature/signature_grammar.h"
#include "tools/request_reading.h"
#include "tools/tagged_json.h"
#include <algorithm>

namespace ptc {
namespace {

// ---- The tree as rows write it

std::string ast_json(const Type& type);

std::string number_json(const Number& number) {
    return std::visit([](auto value) { return Datum(value).to_json(); }, number);
}

std::string choice_json(const Choice& choice) {
    if (const auto* text = std::get_if<std::string>(&choice)) return json_string(*text);
    if (const auto* keyword = std::get_if<KeywordChoice>(&choice)) return tagged_json(Datum::Keyword{keyword->name});
    if (const auto* flag = std::get_if<bool>(&choice)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&choice)) return number_json(*whole);
    if (const auto* real = std::get_if<double>(&choice)) return number_json(*real);
    return "null";
}

std::string fields_json(const std::vector<Field>& fields) {
    return json_array(fields, [](const Field& field) {
        return "[" + (field.name.empty() ? "null" : json_string(field.name)) + "," + ast_json(field.type) + "]";
    });
}

std::string required_json(const Type& type) {
    switch (type.kind) {
    case TypeKind::List: return JsonObject().raw("list", ast_json(type.element())).finish();
    case TypeKind::Record: return JsonObject().raw("map", fields_json(type.fields)).finish();
    case TypeKind::Enum: return JsonObject().raw("enum", json_array(type.choices, choice_json)).finish();
    case TypeKind::Union: return JsonObject().raw("or", json_array(type.items, ast_json)).finish();
    default: break;
    }
    const std::string name = json_string(primitive_name(type.kind));
    if (type.bounds.empty()) return name;
    std::string conjunction = "[" + name;
    for (const Bound& bound : type.bounds)
        conjunction += ",[" + json_string(bound_name(bound.op)) + "," + number_json(bound.limit) + "]";
    return JsonObject().raw("and", conjunction + "]").finish();
}

std::string ast_json(const Type& type) {
    const std::string json = required_json(type);
    return type.is_optional ? JsonObject().raw("optional", json).finish() : json;
}

std::string signature_ast_json(const Signature& signature) {
    return JsonObject()
        .raw("params", fields_json(signature.params))
        .raw("returns", ast_json(signature.returns))
        .finish();
}

// ---- Answers

/// The classic text form cannot say what Malli can: choices, unions and limits came later, and parameters need names.
bool can_be_said(const Signature& signature, bool is_malli) {
    const auto has_no_name = [](const Field& param) { return param.name.empty(); };
    if (std::ranges::any_of(signature.params, has_no_name)) return false;
    if (!is_malli) return true;
    return !needs_extended_text(signature.returns) &&
           std::ranges::none_of(signature.params, needs_extended_text, &Field::type);
}

std::string fault_json(const Fault& fault) {
    return JsonObject().text("path", fault.path).text("message", fault.message).finish();
}

/// A signature that cannot be used, or a request that is none.
std::string refusal(std::string_view id, const Error& error, std::string_view text = {}) {
    const std::string message = error.message + (error.hint.empty() ? "" : " " + error.hint);
    JsonObject fault;
    fault.text("path", "").text("message", message);
    if (error.has_span && !text.empty()) {
        const LineColumn at = Source("signature", std::string(text)).position(error.span.begin);
        fault.number("line", at.line).number("column", at.column);
    }
    return JsonObject()
        .raw("id", id)
        .boolean("ok", false)
        .raw("errors", "[" + fault.finish() + "]")
        .raw("warnings", "[]")
        .finish();
}

std::string validation_json(std::string_view id, const Validation& validation) {
    JsonObject json;
    json.raw("id", id).boolean("ok", validation.ok);
    if (validation.ok) json.raw("data", tagged_json(validation.data));
    json.raw("errors", json_array(validation.errors, fault_json));
    if (validation.more_errors > 0) json.number("more_errors", static_cast<std::int64_t>(validation.more_errors));
    json.raw("warnings", json_array(validation.warnings, [](const Fault& f) { return json_string(fault_text(f)); }));
    return json.finish();
}

Result<bool> read_is_malli(const Datum& object, std::string_view signature) {
    const Datum* form = object.find("form");
    if (!form || form->is_nil()) return is_malli(signature);
    if (form->text() && *form->text() == "malli") return true;
    if (form->text() && *form->text() == "shorthand") return false;
    return Error(Reason::InvalidRequest, "`form` is \"shorthand\" or \"malli\".");
}

Result<Signature> parse(std::string_view text, bool is_malli_form) {
    return is_malli_form ? parse_malli(text) : parse_shorthand(text);
}

Result<std::string> required_text(const Datum& object, const char* member) {
    const Datum* value = object.find(member);
    if (!value || !value->text()) return Error(Reason::InvalidRequest, quoted(member) + " is a text.");
    return *value->text();
}

} // namespace

std::optional<SchemaStyle> schema_style(std::string_view name) {
    if (name == "exact") return SchemaStyle::Exact;
    if (name == "closed") return SchemaStyle::Closed;
    if (name == "tool") return SchemaStyle::Tool;
    if (name == "structured") return SchemaStyle::Structured;
    return std::nullopt;
}

std::string result_schema(const Type& returns, SchemaStyle style) {
    return style == SchemaStyle::Structured ? structured_output_schema(returns) : json_schema(returns, style);
}

std::string signature_json(std::string_view id, std::string_view text, bool is_malli_form, SchemaStyle style) {
    const Result<Signature> parsed = parse(text, is_malli_form);
    if (!parsed.ok()) return refusal(id, parsed.error(), text);
    const Signature& signature = parsed.value();
    std::vector<std::string> names, firewalled;
    for (const Field& param : signature.params) {
        if (!param.name.empty()) names.push_back(param.name);
        if (is_firewalled(param.name)) firewalled.push_back(param.name);
    }
    JsonObject json;
    json.raw("id", id).boolean("ok", true);
    if (can_be_said(signature, is_malli_form)) {
        json.text("canonical", signature_text(signature)).text("return_spec", type_text(signature.returns));
    }
    json.raw("ast", signature_ast_json(signature));
    json.raw("params", json_array(names, json_string)).raw("firewalled_params", json_array(firewalled, json_string));
    json.raw("firewalled", json_array(firewalled_paths(signature.returns), json_string));
    json.text("public_return", type_text(public_type(signature.returns)));
    json.raw("json_schema", result_schema(signature.returns, style));
    json.raw("input_schema", input_schema(signature));
    json.text("malli", malli_text(signature));
    return json.raw("errors", "[]").raw("warnings", "[]").finish();
}

Result<ValidationRequest> read_validation(const Datum& object) {
    ValidationRequest request;
    request.signature = PTC_TRY(required_text(object, "signature"));
    request.is_malli = PTC_TRY(read_is_malli(object, request.signature));
    const std::string direction = PTC_TRY(required_text(object, "direction"));
    if (direction != "input" && direction != "output")
        return Error(Reason::InvalidRequest, "`direction` is \"input\" or \"output\".");
    request.direction = direction == "input" ? Direction::Input : Direction::Output;
    if (const Datum* mode = object.find("mode"); mode && !mode->is_nil()) {
        const auto known = mode->text() ? validation_mode(*mode->text()) : std::nullopt;
        if (!known)
            return Error(Reason::InvalidRequest, "`mode` is \"enabled\", \"warn_only\", \"disabled\" or \"strict\".");
        request.options.mode = *known;
    }
    const Datum* surface = object.find("surface");
    request.options.is_json_text = surface && surface->text() && *surface->text() == "json_text";
    const Datum* data = object.find("data");
    if (!data) return Error(Reason::InvalidRequest, "`data` is missing.");
    request.data = PTC_TRY(untag(*data));
    return request;
}

Result<Validation> run_validation(const ValidationRequest& request) {
    const SignaturePtr compiled = PTC_TRY(compile_signature(PTC_TRY(parse(request.signature, request.is_malli))));
    return validate(*compiled, request.direction, request.data, request.options);
}

namespace {

std::string answer_parse(const std::string& id, const Datum& request, const std::string& text) {
    const Result<bool> is_malli_form = read_is_malli(request, text);
    if (!is_malli_form.ok()) return refusal(id, is_malli_form.error());
    const Datum* style = request.find("style");
    const std::optional<SchemaStyle> known =
        !style || style->is_nil() ? SchemaStyle::Structured : schema_style(style->text() ? *style->text() : "");
    if (!known)
        return refusal(id,
                       Error(Reason::InvalidRequest, "`style` is \"structured\", \"tool\", \"exact\" or \"closed\"."));
    return signature_json(id, text, is_malli_form.value(), *known);
}

} // namespace

std::string answer_signature_request(const InputLine& line) {
    if (line.too_long) {
        return refusal("null", Error(Reason::InvalidRequest, "Line " + std::to_string(line.number) +
                                                                 " is longer than the limit of " +
                                                                 std::to_string(kMaxLineBytes) + " bytes."));
    }
    const Result<Datum> parsed = Datum::from_json(line.text, request_reading(line.text.size()));
    if (!parsed.ok()) return refusal("null", parsed.error());
    const Datum& request = parsed.value();
    const Datum* id = request.find("id");
    const std::string id_json = id ? id->to_json() : "null";
    const Result<std::string> text = required_text(request, "signature");
    if (!text.ok()) return refusal(id_json, text.error());
    if (!request.find("data")) return answer_parse(id_json, request, text.value());
    const Result<ValidationRequest> validation = read_validation(request);
    if (!validation.ok()) return refusal(id_json, validation.error());
    const Result<Validation> result = run_validation(validation.value());
    return result.ok() ? validation_json(id_json, result.value()) : refusal(id_json, result.error(), text.value());
}

} // namespace ptc
