// Text of a model as a typed value. A list or map is looked for as JSON: the whole text, a fenced block, or the first
// bracket from which JSON can be read; the number of places that are tried is bounded. Scalars are coerced from the
// text.
#include "subagent/agent/answer.h"
#include "frontend/work.h"
#include "ptc/json_schema.h"
#include "subagent/agent/response.h"
#include "subagent/engine/convert.h"
#include <algorithm>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostStarts = 64; ///< places that are tried: each costs at most the rest of the text

/// A bracket with all that it holds; strings are skipped. No text when it is not closed.
struct Bracket {
    std::string_view text{};
    std::size_t levels = 0;
};
Bracket bracket_at(std::string_view text, std::size_t begin) {
    std::size_t depth = 0, levels = 0;
    constexpr std::size_t kPiece = 4096, kWorkOfPiece = 1000;
    for (std::size_t i = begin, next = begin; i < text.size(); ++i) {
        if (i >= next && !work::charge(kWorkOfPiece)) return {};
        if (i >= next) next = i + kPiece;
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\';
        } else if (c == '{' || c == '[') {
            levels = std::max(levels, ++depth);
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return {text.substr(begin, i - begin + 1), levels};
        }
    }
    return {};
}

std::optional<Datum> parsed(std::string_view text) {
    Result<Datum> value = Datum::from_json(text);
    if (!value.ok()) return std::nullopt;
    return std::move(value).value();
}

std::optional<Datum> fenced_json(std::string_view text) {
    for (std::size_t at = text.find("```"); at != std::string_view::npos; at = text.find("```", at + 3)) {
        const std::size_t line = text.find('\n', at);
        if (line == std::string_view::npos) return std::nullopt;
        const std::size_t end = text.find("```", line);
        if (std::optional<Datum> value = parsed(trimmed(text.substr(line, end - line)))) return value;
        if (end == std::string_view::npos) return std::nullopt;
        at = end;
    }
    return std::nullopt;
}

bool is_scalar(const Type& type) {
    return type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool) ||
           type.is(TypeKind::DateTime) || type.is(TypeKind::Keyword);
}

Error refusal(const std::vector<Fault>& faults, std::size_t more, const Signature& signature) {
    return Error(Reason::ValidationError, "The answer does not fit `" + type_text(signature.returns) + "`.\n" +
                                              validation_errors_text(faults, more));
}

/// A scalar as text is coerced as an argument is.
Result<Datum> read_scalar(std::string_view text, const Type& type) {
    std::optional<Datum> json = parsed(text);
    Datum value = json && !json->map() && !json->list() ? std::move(*json) : Datum(text);
    Signature as_argument;
    as_argument.params.push_back({"answer", type});
    const SignaturePtr compiled = PTC_TRY(compile_signature(signature_text(as_argument)));
    ValidationOptions how;
    how.is_json_text = true;
    const Validation validation =
        PTC_TRY(validate(*compiled, Direction::Input, Datum::object({{"answer", std::move(value)}}), how));
    const Datum* answer = validation.ok ? validation.data.find("answer") : nullptr;
    if (answer) return *answer;
    Signature wanted;
    wanted.returns = type;
    return refusal(validation.errors, validation.more_errors, wanted);
}

/// {"items": [..]} for a list, which is how providers that want an object give it.
Datum unwrapped(Datum value, const Type& type) {
    const Datum* items = value.map() && value.map()->size() == 1 ? value.find("items") : nullptr;
    if (type.is(TypeKind::List) && items && items->list()) return Datum(*items);
    return value;
}

} // namespace

std::optional<Datum> find_json(std::string_view text) {
    if (std::optional<Datum> value = parsed(trimmed(text))) return value;
    if (std::optional<Datum> value = fenced_json(text)) return value;
    std::size_t starts = 0;
    for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos && starts < kMostStarts;
         at = text.find_first_of("{[", at + 1), ++starts) {
        if (work::is_over()) return std::nullopt;
        const Bracket part = bracket_at(text, at);
        if (part.text.empty()) continue;
        Result<Datum> value = Datum::from_json(part.text);
        if (value.ok()) return std::move(value).value();
        // Of an answer that is beyond a limit no part is taken for the answer.
        if (part.levels > kMaxBoundaryDepth || value.error().reason == Reason::LimitExceeded)
            at += part.text.size() - 1;
    }
    return std::nullopt;
}

Result<Datum> read_answer(std::string_view text, const CompiledSignature& signature, ValidationMode mode) {
    const Type& type = signature_of(signature).returns;
    if (type.is(TypeKind::Any) || type.is(TypeKind::String)) return Datum(text);
    if (is_scalar(type)) return read_scalar(trimmed(text), type);
    std::optional<Datum> json = find_json(text);
    if (!json) return Error(Reason::InvalidJson, "The answer has no JSON in it.");
    ValidationOptions how;
    how.mode = mode;
    how.is_json_text = true;
    Validation validation = PTC_TRY(validate(signature, Direction::Output, unwrapped(std::move(*json), type), how));
    if (!validation.ok) return refusal(validation.errors, validation.more_errors, signature_of(signature));
    return std::move(validation.data);
}

} // namespace ptc
