// Text of a model as a typed value. Lists and maps are looked for as JSON: the whole text, the fenced blocks, or the
// brackets among its words; the number of places that are tried is bounded. What a model wrote while it thought
// (<think> .. </think>) is left out, and of several values the last that fits the type is the answer: models try things
// before they answer. Scalars, enums and what may be one are coerced from the text.
#include "subagent/agent/answer.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "ptc/json_schema.h"
#include "subagent/agent/response.h"
#include "subagent/engine/convert.h"
#include <algorithm>
#include <iterator>
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

/// What a text has of JSON: all values that can be read, or why the most promising part is none.
struct FoundJson {
    std::vector<Datum> values;
    std::optional<Error> problem{};
    void add(std::string_view part) {
        Result<Datum> value = Datum::from_json(part);
        if (value.ok())
            values.push_back(std::move(value).value());
        else
            problem = std::move(value.error());
    }
};

FoundJson fenced_json(std::string_view text) {
    FoundJson found;
    std::size_t blocks = 0;
    for (std::size_t at = text.find("```"); at != std::string_view::npos && blocks < kMostStarts; ++blocks) {
        const std::size_t line = text.find('\n', at);
        if (line == std::string_view::npos || work::is_over()) break;
        const std::size_t end = text.find("```", line);
        const std::string_view block = trimmed(text.substr(line, end - line));
        if (block.find_first_of("{[") == 0) found.add(block);
        if (end == std::string_view::npos) break;
        at = text.find("```", end + 3);
    }
    return found;
}

/// Brackets among words, the outermost of which JSON can be read.
FoundJson json_among_words(std::string_view text) {
    FoundJson found;
    std::size_t starts = 0;
    for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos && starts < kMostStarts;
         at = text.find_first_of("{[", at + 1), ++starts) {
        if (work::is_over()) break;
        const Bracket part = bracket_at(text, at);
        if (part.text.empty()) {
            if (!found.problem) found.add(text.substr(at)); // it fails: the bracket is never closed
            continue;
        }
        const std::size_t before = found.values.size();
        found.add(part.text);
        const bool is_read = found.values.size() > before;
        // Of an answer that is beyond a limit no part is taken for the answer.
        if (is_read || part.levels > kMaxBoundaryDepth || found.problem->reason == Reason::LimitExceeded)
            at += part.text.size() - 1;
    }
    return found;
}

FoundJson all_json(std::string_view text) {
    if (std::optional<Datum> value = parsed(trimmed(text))) return {.values = {std::move(*value)}};
    FoundJson fenced = fenced_json(text);
    if (!fenced.values.empty()) return fenced;
    FoundJson among = json_among_words(text);
    if (among.values.empty() && fenced.problem) among.problem = std::move(fenced.problem);
    return among;
}

/// `text` behind what the model thought, which some servers leave in the reply, with or without the opening tag.
std::string_view without_thinking(std::string_view text) {
    if (trimmed(text).find_first_of("{[") == 0) return text;
    for (const std::string_view tag : {"</think>", "</thinking>", "</reasoning>"}) {
        const std::size_t end = text.rfind(tag);
        if (end != std::string_view::npos) return text.substr(end + tag.size());
    }
    return text;
}

/// The same of an answer that is a text as it is, in which such words may stand: what opens and closes at its
/// beginning.
std::string_view without_first_thoughts(std::string_view text) {
    const std::string_view said = trimmed(text);
    for (const std::string_view tag : {"think>", "thinking>", "reasoning>"}) {
        if (!said.starts_with('<') || !said.substr(1).starts_with(tag)) continue;
        const std::size_t end = said.find("</" + std::string(tag));
        if (end != std::string_view::npos) return trimmed(said.substr(end + 2 + tag.size()));
    }
    return text;
}

/// A value that a model writes as bare text: no list and no map, nor anything that may be one.
bool is_bare(const Type& type) {
    switch (type.kind) {
    case TypeKind::Any:
    case TypeKind::Map:
    case TypeKind::List:
    case TypeKind::Record: return false;
    case TypeKind::Union: return std::ranges::all_of(type.items, is_bare);
    default: return true;
    }
}

/// Whether some value that is bare text fits.
bool may_be_bare(const Type& type) {
    return is_bare(type) || (type.is(TypeKind::Union) && std::ranges::any_of(type.items, may_be_bare));
}

Error refusal(const std::vector<Fault>& faults, std::size_t more, const Signature& signature) {
    return Error(Reason::ValidationError, "The answer does not fit `" + type_text(signature.returns) + "`.\n" +
                                              validation_errors_text(faults, more));
}

/// `value` as an argument of this type, coerced; nil when it does not fit, and why in `faults`.
Result<Validation> checked_as_argument(Datum value, const Type& type) {
    Signature as_argument;
    as_argument.params.push_back({"answer", type});
    const SignaturePtr compiled = PTC_TRY(compile_signature(signature_text(as_argument)));
    ValidationOptions how;
    how.is_json_text = true;
    return validate(*compiled, Direction::Input, Datum::object({{"answer", std::move(value)}}), how);
}

/// The only fenced block of a text; nothing when there is none, or several.
struct Fenced {
    std::string_view inside{};
    bool is_all = false; ///< of the text
};
std::optional<Fenced> only_fence(std::string_view text) {
    constexpr std::string_view kFence = "```";
    const std::size_t begin = text.find(kFence);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t behind = begin + kFence.size();
    const std::size_t end = text.find(kFence, behind);
    if (end == std::string_view::npos || text.find(kFence, end + kFence.size()) != std::string_view::npos)
        return std::nullopt;
    const std::size_t line = text.substr(0, end).find('\n', behind); // what stands in front of it is a language
    const std::size_t from = line == std::string_view::npos ? behind : line;
    return Fenced{trimmed(text.substr(from, end - from)), begin == 0 && end + kFence.size() == text.size()};
}

/// What a bare text may mean: JSON of a scalar, the text itself, and the text without what models put around a word.
std::vector<Datum> bare_values(std::string_view text) {
    const std::optional<Fenced> fenced = only_fence(text);
    if (fenced && fenced->is_all) return bare_values(fenced->inside);
    std::vector<Datum> values;
    const std::optional<Datum> json = parsed(text);
    if (json && !json->map() && !json->list()) values.push_back(*json);
    values.emplace_back(text);
    const std::size_t begin = text.find_first_not_of("`*'\":");
    const std::size_t end = text.find_last_not_of("`*'\".");
    if (begin != std::string_view::npos && end != std::string_view::npos && begin <= end)
        values.emplace_back(text.substr(begin, end - begin + 1));
    if (text == "nil") values.emplace_back();
    if (fenced) std::ranges::move(bare_values(fenced->inside), std::back_inserter(values));
    return values;
}

/// A bare text is coerced as an argument is.
Result<Datum> read_bare(std::string_view text, const Type& type) {
    std::optional<Validation> first;
    for (Datum& value : bare_values(text)) {
        Validation validation = PTC_TRY(checked_as_argument(std::move(value), type));
        if (const Datum* answer = validation.ok ? validation.data.find("answer") : nullptr) {
            return *answer; // that a text was read as what it says is no warning
        }
        if (!first) first = std::move(validation);
    }
    Signature wanted;
    wanted.returns = type;
    return refusal(first->errors, first->more_errors, wanted);
}

/// {"items": [..]} for a list, which is how providers that want an object give it.
Datum unwrapped(Datum value, const Type& type) {
    const Datum* items = value.map() && value.map()->size() == 1 ? value.find("items") : nullptr;
    if (type.is(TypeKind::List) && items && items->list()) return Datum(*items);
    return value;
}

} // namespace

std::optional<Datum> find_json(std::string_view text) {
    FoundJson found = all_json(without_thinking(text));
    if (found.values.empty()) return std::nullopt;
    return std::move(found.values.back());
}

Result<Datum> read_answer(std::string_view text, const CompiledSignature& signature, ValidationMode mode,
                          std::vector<Fault>* warnings) {
    const Type& type = signature_of(signature).returns;
    if (type.is(TypeKind::Any) || type.is(TypeKind::String)) return Datum(without_first_thoughts(text));
    const std::string_view said = without_thinking(text);
    if (is_bare(type)) return read_bare(trimmed(said), type);
    FoundJson found = all_json(said);
    if (may_be_bare(type) && (found.values.empty() || found.values[0].text())) {
        Result<Datum> bare = read_bare(trimmed(said), type);
        if (bare.ok()) return bare;
    }
    if (found.values.empty() && found.problem)
        return Error(Reason::InvalidJson, "The JSON of the answer is broken: " + found.problem->message);
    if (found.values.empty()) return Error(Reason::InvalidJson, "The answer has no JSON in it.");
    ValidationOptions how;
    how.mode = mode;
    how.is_json_text = true;
    std::optional<Error> refused;
    for (auto value = found.values.rbegin(); value != found.values.rend(); ++value) {
        Validation validation =
            PTC_TRY(validate(signature, Direction::Output, unwrapped(std::move(*value), type), how));
        if (validation.ok) {
            if (warnings) std::ranges::move(validation.warnings, std::back_inserter(*warnings));
            return std::move(validation.data);
        }
        if (!refused) refused = refusal(validation.errors, validation.more_errors, signature_of(signature));
    }
    return std::move(*refused);
}

} // namespace ptc
