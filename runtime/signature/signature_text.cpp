#include "ptc/signature_text.h"
#include "frontend/try.h"

#include "frontend/utf8.h"
#include "runtime/signature/signature_grammar.h"
#include "runtime/signature/type_rules.h"
#include <algorithm>

namespace ptc {
namespace {

std::string params_text(const std::vector<Field>& params) {
    std::string text = "(";
    for (const Field& param : params) {
        if (&param != &params.front()) text += ", ";
        (text += param.name) += ' ';
        append_type_text(text, param.type);
    }
    return text + ")";
}

constexpr std::size_t kMaxBytes = 64 << 10;

Result<void> check_text(std::string_view text) {
    if (text.size() > kMaxBytes) return signature_too_large(text, kMaxBytes);
    const std::size_t invalid = utf8::find_invalid(text);
    if (invalid != utf8::kValid) return signature_is_not_utf8(static_cast<std::uint32_t>(invalid));
    if (text.find_first_not_of(" \t\r\n") == text.npos) return empty_signature(text);
    return {};
}

} // namespace

Result<Signature> parse_shorthand(std::string_view text) {
    PTC_CHECK(check_text(text));
    SignatureBuilder builder(text);
    if (!run_signature_grammar(text, builder)) return *builder.error();
    return builder.take();
}

const Type* Signature::find_param(std::string_view name) const {
    const auto at = std::ranges::find_if(params, [&](const Field& param) { return names_match(param.name, name); });
    return at == params.end() ? nullptr : &at->type;
}

std::vector<Field> named_params(const Signature& signature) {
    std::vector<Field> named = signature.params;
    if (named.size() == 1 && named[0].name.empty()) {
        const Type only = std::move(named[0].type);
        if (only.is(TypeKind::Record)) return only.fields;
        if (only.is(TypeKind::Map) || only.is(TypeKind::Any)) return {};
        named[0].type = only;
    }
    for (std::size_t i = 0; i < named.size(); ++i)
        if (named[i].name.empty()) named[i].name = "arg" + std::to_string(i + 1);
    return named;
}

std::string signature_text(const Signature& signature) {
    std::string text = params_text(named_params(signature)) + " -> ";
    append_type_text(text, signature.returns);
    return text;
}

std::string prompt_text(std::string_view name, const Signature& signature) {
    std::vector<Field> shown;
    for (const Field& param : named_params(signature)) {
        if (!is_firewalled(param.name) || !param.type.is_optional) shown.push_back(param);
    }
    std::string text = std::string(name) + params_text(shown) + " -> ";
    append_type_text(text, public_type(signature.returns));
    return text;
}

Result<std::string> return_text(std::string_view text) {
    const Signature signature = PTC_TRY(parse_signature(text));
    return type_text(signature.returns);
}

} // namespace ptc
