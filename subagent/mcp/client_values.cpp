#include "subagent/mcp/client_values.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "ptc/type.h"

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostErrorText = 4000;
constexpr std::size_t kMostDepth = 64;

const std::string* text_of_content(const Datum& content) {
    return content["type"] == Datum("text") ? content["text"].text() : nullptr;
}

/// The JSON object or list that the whole text is; none when it is no such thing.
std::optional<Datum> json_in(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || (text[first] != '{' && text[first] != '[')) return std::nullopt;
    Result<Datum> read = Datum::from_json(text);
    if (!read.ok()) return std::nullopt;
    return std::move(read).value();
}

Error failed_call(const Datum& result) {
    std::string said;
    for (const Datum& content : result["content"].items()) {
        const std::string* text = text_of_content(content);
        if (text && said.size() < kMostErrorText) said += (said.empty() ? "" : "\n") + *text;
    }
    if (said.empty() && !result["structuredContent"].is_nil()) said = result["structuredContent"].to_json();
    if (said.size() > kMostErrorText) said = std::string(utf8::prefix(said, kMostErrorText)) + "…";
    if (said.empty()) return {Reason::ToolError, "The tool failed and does not say why."};
    return {Reason::ToolError, "The tool failed, and says: " + quoted_excerpt(said, kMostErrorText)}; // models read it
}

const Datum* property_named(const Datum& properties, const std::string& name) {
    if (const Datum* exact = properties.find(name)) return exact;
    for (const auto& [key, property] : properties.entries()) {
        if (key.text() && names_match(*key.text(), name)) return &property;
    }
    return nullptr;
}

Datum as_named(const Datum& schema, const Datum& value, std::size_t depth) {
    if (depth > kMostDepth) return value;
    if (value.list()) {
        Datum::List items;
        for (const Datum& item : value.items())
            items.push_back(as_named(schema["items"], item, depth + 1));
        return Datum(std::move(items));
    }
    if (!value.map()) return value;
    const Datum& properties = schema["properties"];
    Datum::Map entries;
    for (const auto& [key, item] : value.entries()) {
        const std::string* name = key.text();
        Datum named = key;
        if (name && !properties.find(*name)) {
            for (const auto& [property, unused] : properties.entries()) {
                if (property.text() && names_match(*property.text(), *name)) named = property;
            }
        }
        const Datum* inner = name ? property_named(properties, *name) : nullptr;
        entries.emplace_back(std::move(named), inner ? as_named(*inner, item, depth + 1) : item);
    }
    return Datum(std::move(entries));
}

} // namespace

Result<Datum> value_of_result(const Datum& result, bool keeps_text) {
    if (result["isError"] == Datum(true)) return failed_call(result);
    if (const Datum* structured = result.find("structuredContent"); structured && !structured->is_nil())
        return *structured;
    const Datum& content = result["content"];
    if (!content.list()) return Error(Reason::ToolError, "The server answered without `content`.");
    if (content.items().empty()) return Datum();
    const std::string* text = content.size() == 1 ? text_of_content(content[0]) : nullptr;
    if (!text) return content;
    if (!keeps_text) {
        if (std::optional<Datum> json = json_in(*text)) return std::move(*json);
    }
    return Datum(*text);
}

Datum arguments_as_named(std::string_view input_schema, const Datum& arguments) {
    const Result<Datum> schema = Datum::from_json(input_schema);
    return schema.ok() ? as_named(schema.value(), arguments, 0) : arguments;
}

} // namespace ptc::mcp
