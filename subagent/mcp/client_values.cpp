// A result becomes a value: structured content, else text, which may be JSON. Arguments get the names that the server's
// schema gives them: programs write hyphens, and other names where a server's cannot be written.
#include "subagent/mcp/client_values.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "ptc/schema_reader.h"
#include "ptc/type.h"
#include <algorithm>
#include <vector>

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

constexpr std::size_t kMostSaid = 64; ///< schemas of one value: references may lead anywhere

/// What a reference within the document leads to; null for any other.
const Datum* referred(const Datum& root, std::string_view reference) {
    if (!reference.starts_with('#')) return nullptr;
    reference.remove_prefix(1);
    const Datum* target = &root;
    while (target && reference.starts_with('/')) {
        reference.remove_prefix(1);
        const std::string_view step = reference.substr(0, reference.find('/'));
        target = target->map() ? target->find(std::string(step)) : nullptr;
        reference.remove_prefix(step.size());
    }
    return target;
}

/// `schema` and all that it refers to or is put together from, without repetition.
void add_said(const Datum& root, const Datum& schema, std::vector<const Datum*>& said) {
    if (!schema.map() || said.size() >= kMostSaid || std::ranges::find(said, &schema) != said.end()) return;
    said.push_back(&schema);
    if (const std::string* reference = schema["$ref"].text()) {
        if (const Datum* target = referred(root, *reference)) add_said(root, *target, said);
    }
    for (const char* several : {"allOf", "anyOf", "oneOf"}) {
        for (const Datum& part : schema[several].items())
            add_said(root, part, said);
    }
}

/// Names arguments as a schema does.
class Namer {
public:
    explicit Namer(const Datum& root) : root_(root) {}

    [[nodiscard]] Datum named(const Datum& value) const {
        std::vector<const Datum*> said;
        add_said(root_, root_, said);
        return named(said, value, 0);
    }

private:
    using Said = std::vector<const Datum*>;

    [[nodiscard]] Datum named(const Said& said, const Datum& value, std::size_t depth) const {
        if (depth > kMostDepth || said.empty() || (!value.list() && !value.map())) return value;
        return value.list() ? items_named(said, value, depth) : entries_named(said, value, depth);
    }
    [[nodiscard]] Datum items_named(const Said& said, const Datum& value, std::size_t depth) const {
        Said said_of_items;
        for (const Datum* schema : said)
            add_said(root_, (*schema)["items"], said_of_items);
        Datum::List items;
        for (const Datum& item : value.items())
            items.push_back(named(said_of_items, item, depth + 1));
        return Datum(std::move(items));
    }
    [[nodiscard]] Datum entries_named(const Said& said, const Datum& value, std::size_t depth) const {
        Datum::Map entries;
        for (const auto& [key, item] : value.entries()) {
            const std::string* name = key.text() ? name_in_schema(said, *key.text()) : nullptr;
            Said said_of_item;
            for (const Datum* schema : said) {
                if (name) add_said(root_, (*schema)["properties"][*name], said_of_item);
            }
            entries.emplace_back(name ? Datum(*name) : key, named(said_of_item, item, depth + 1));
        }
        return Datum(std::move(entries));
    }
    /// The property that is meant: the one of this name, else one that programs write so. Null for none.
    static const std::string* name_in_schema(const Said& said, const std::string& name) {
        const std::string* like = nullptr;
        for (const Datum* schema : said) {
            for (const auto& [key, unused] : (*schema)["properties"].entries()) {
                const std::string* property = key.text();
                if (!property) continue;
                if (*property == name) return property;
                if (!like && (names_match(*property, name) || names_match(written_parameter_name(*property), name)))
                    like = property;
            }
        }
        return like;
    }

    const Datum& root_;
};

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
    return schema.ok() ? Namer(schema.value()).named(arguments) : arguments;
}

} // namespace ptc::mcp
