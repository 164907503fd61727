// The dialogue about a question of a server: who asks, the message, and a line for each answer that is wanted; then one
// line of standard input, as for approvals. What the server says is freed of what acts on a terminal, and bounded.
#include "tools/agent/question_prompt.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "tools/agent/approval_prompt.h"
#include "tools/trace/event_text.h"
#include <algorithm>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kMostMessage = 4000;
constexpr std::size_t kMostLine = 300;
constexpr std::size_t kMostFields = 50;

std::string cut(std::string_view text, std::size_t most) {
    const std::string shown(utf8::prefix(text, most));
    return shown.size() < text.size() ? shown + "…" : shown;
}

bool is_page(const Datum& request) { return request["mode"] == Datum("url"); }

bool is_required(const Datum& schema, const Datum& name) {
    const Datum::List& required = schema["required"].items();
    return std::ranges::find(required, name) != required.end();
}

/// `  sure: boolean, must be given, by default false. Whether to go on.`
std::string field_text(const Datum& schema, const Datum& name, const Datum& property) {
    std::string line = *name.text() + ": " + (property["type"].text() ? *property["type"].text() : "any");
    if (const Datum* choices = property.find("enum")) line += " of " + choices->to_json();
    if (is_required(schema, name)) line += ", must be given";
    if (const Datum* usual = property.find("default")) line += ", by default " + usual->to_json();
    for (const char* member : {"title", "description"}) {
        if (const std::string* said = property[member].text()) line += ". " + *said;
    }
    return "  " + cut(line, kMostLine) + "\n";
}

/// The values that a property may have, where it lists them: `enum`, or the constants of `oneOf` or `anyOf`.
std::optional<Datum::List> choices_of(const Datum& property) {
    if (const Datum* listed = property.find("enum")) return listed->items();
    for (const char* member : {"oneOf", "anyOf"}) {
        if (!property.find(member)) continue;
        Datum::List choices;
        for (const Datum& choice : property[member].items())
            choices.push_back(choice["const"]);
        return choices;
    }
    return std::nullopt;
}

bool is_of_type(const Datum& value, const std::string& type) {
    std::int64_t whole = 0;
    double number = 0;
    if (type == "string") return value.text() != nullptr;
    if (type == "boolean") return value.get_if<bool>() != nullptr;
    if (type == "integer") return value.to_int64(&whole) || value.get_if<Datum::BigInteger>();
    if (type == "number") return value.to_double(&number) || value.get_if<Datum::BigInteger>();
    if (type == "array") return value.list() != nullptr;
    return true; // questions have no other types
}

/// Whether `size` is within the bounds that the schema gives, if it does.
bool is_within(double size, const Datum& schema, const char* least, const char* most) {
    double bound = 0;
    if (schema[least].to_double(&bound) && size < bound) return false;
    return !schema[most].to_double(&bound) || size <= bound;
}

/// What is wrong with an answer, for whoever gave it; "" for nothing.
std::string value_problem(const Datum& value, const Datum& property) {
    const std::string* type = property["type"].text();
    if (type && !is_of_type(value, *type)) return "is no " + *type;
    if (const auto choices = choices_of(property); choices && std::ranges::find(*choices, value) == choices->end())
        return "is none of " + Datum(*choices).to_json();
    double number = 0;
    if (value.to_double(&number) && !is_within(number, property, "minimum", "maximum")) return "is out of its range";
    if (const std::string* text = value.text()) {
        const auto length =
            static_cast<double>(std::ranges::count_if(*text, [](char c) { return (c & 0xC0) != 0x80; }));
        if (!is_within(length, property, "minLength", "maxLength")) return "is too short or too long";
    }
    if (!value.list()) return "";
    if (!is_within(static_cast<double>(value.size()), property, "minItems", "maxItems"))
        return "has too few or too many items";
    for (const Datum& item : value.items()) {
        if (std::string problem = value_problem(item, property["items"]); !problem.empty())
            return "has an item that " + problem;
    }
    return "";
}

Datum accepted(Datum content) { return Datum::object({{"action", "accept"}, {"content", std::move(content)}}); }
Datum declined() { return Datum::object({{"action", "decline"}}); }

Result<Datum> ask(const McpQuestion& question, Console& console) {
    const std::scoped_lock asking(prompt_mutex());
    console.message(question_text(question));
    const bool has_yes = is_page(question.request) || agreement(question.request);
    while (true) {
        console.err.write(is_page(question.request) ? "Answer? y (the page is done) or n: "
                          : has_yes                 ? "Answer? y (yes to each, or its default), n, or answers as JSON: "
                                                    : "Answer? Answers as JSON, or n: ");
        console.err.flush();
        const std::optional<std::string> line = read_answer_line();
        if (!line) return Datum::object({{"action", "cancel"}});
        std::optional<Datum> answer = read_question_answer(question.request, *line);
        if (!answer) continue;
        const std::string problem = answer_problem(question.request, *answer);
        if (problem.empty()) return *std::move(answer);
        console.message(spelled_out(problem));
    }
}

} // namespace

std::optional<Datum> agreement(const Datum& request) {
    if (is_page(request)) return std::nullopt; // for a person
    const Datum& schema = request["requestedSchema"];
    Datum::Map content;
    for (const auto& [name, property] : schema["properties"].entries()) {
        if (const Datum* usual = property.find("default"); usual && property["type"] != Datum("boolean"))
            content.emplace_back(name, *usual);
        else if (property["type"] == Datum("boolean"))
            content.emplace_back(name, true);
        else if (is_required(schema, name))
            return std::nullopt;
    }
    return Datum(std::move(content));
}

std::string question_text(const McpQuestion& question) {
    const Datum& request = question.request;
    std::string text = "The MCP server " + quoted_excerpt(question.server) + " asks:\n";
    if (const std::string* message = request["message"].text()) text += "  " + cut(*message, kMostMessage) + "\n";
    if (is_page(request)) {
        const std::string* url = request["url"].text();
        return spelled_out(text + "  It wants a page to be opened: " + cut(url ? *url : "", kMostMessage) + "\n");
    }
    const Datum& schema = request["requestedSchema"];
    std::size_t shown = 0;
    for (const auto& [name, property] : schema["properties"].entries()) {
        if (name.text() && shown++ < kMostFields) text += field_text(schema, name, property);
    }
    if (shown > kMostFields) text += "  … and " + std::to_string(shown - kMostFields) + " more\n";
    return spelled_out(text);
}

std::optional<Datum> read_question_answer(const Datum& request, std::string_view line) {
    // A content is given as other arguments of an approval are.
    std::optional<ApprovalAnswer> answer = read_approval_answer(line);
    if (!answer) return std::nullopt;
    if (!answer->is_approved) return declined();
    if (is_page(request))
        return answer->arguments ? std::nullopt : std::optional(Datum::object({{"action", "accept"}}));
    if (answer->arguments) return accepted(std::move(*answer->arguments));
    std::optional<Datum> content = agreement(request);
    return content ? std::optional(accepted(std::move(*content))) : std::nullopt;
}

std::string answer_problem(const Datum& request, const Datum& answer) {
    const Datum* content = answer.find("content");
    if (!content) return "";
    const Datum& schema = request["requestedSchema"];
    for (const Datum& name : schema["required"].items()) {
        if (name.text() && !content->find(*name.text())) return quoted_excerpt(*name.text()) + " must be given.";
    }
    for (const auto& [name, value] : content->entries()) {
        const Datum* property = name.text() ? schema["properties"].find(*name.text()) : nullptr;
        if (!property) return quoted_excerpt(name.text() ? *name.text() : "") + " is not asked for.";
        const std::string problem = value_problem(value, *property);
        if (!problem.empty()) return cut(quoted_excerpt(*name.text()) + " " + problem, kMostLine) + ".";
    }
    return "";
}

SharedFunction<Result<Datum>(const McpQuestion& question)> answerer_of_questions(const std::string& mode,
                                                                                 Console& console) {
    if (mode == "always" || mode == "never")
        return [accepts = mode == "always"](const McpQuestion& question) -> Result<Datum> {
            std::optional<Datum> content = accepts ? agreement(question.request) : std::nullopt;
            return content ? accepted(std::move(*content)) : declined();
        };
    const bool is_terminal = ::isatty(STDIN_FILENO) != 0 && console.err.is_terminal();
    if (mode == "ask" || is_terminal) return [&console](const McpQuestion& question) { return ask(question, console); };
    return {};
}

} // namespace ptc
