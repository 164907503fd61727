// A result becomes a value: structured content, else text, which may be JSON. Arguments get the names that the server's
// schema gives them: programs write hyphens, and other names where a server's cannot be written.
#include "subagent/mcp/client_values.h"
#include "frontend/json_pointer.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "ptc/schema_reader.h"
#include "ptc/type.h"
#include "runtime/signature/field_names.h"
#include "subagent/mcp/json_parts.h"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostErrorText = 4000;
constexpr std::size_t kMostDepth = 64;

const std::string* text_of_content(const Datum& content) {
    return content["type"] == Datum("text") ? content["text"].text() : nullptr;
}

/// The JSON object or list that the whole text is, else the text: what it is by its grammar decides that. Of JSON that
/// cannot be a value here there is none: a result would have another type when it is larger, and nobody would know.
Result<Datum> value_of_text(const std::string& text) {
    const std::string_view json = trimmed_json(text);
    if (!json.starts_with('{') && !json.starts_with('[')) return Datum(text);
    Result<Datum> read = Datum::from_json(text);
    if (read.ok()) return read;
    if (!is_json(text)) return Datum(text);
    return Error(Reason::ToolError,
                 "The result is JSON in a text, of which no value can be made: " + read.error().message +
                     " `\"jsonText\": \"keep\"` of the server leaves it a text.");
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

constexpr std::size_t kMostSaid = 1000; ///< schemas of one value: references may lead anywhere

/// Names arguments as a schema does. What it says of a place is put together once, however many values come there.
class Namer {
public:
    Namer(const Datum& root, std::span<const RenamedParameter> names) : root_(root) {
        for (const RenamedParameter& one : names)
            names_.emplace(one.in_schema, one.name);
    }

    [[nodiscard]] Datum named(const Datum& value) {
        Said said;
        std::set<const Datum*> known;
        add_said(root_, said, known);
        return named(place_of(std::move(said)), value, 0);
    }

private:
    using Said = std::vector<const Datum*>; ///< the schemas of one value

    struct Place {
        Said said;
        bool is_known = false; ///< of the maps, below
        std::map<std::string, const std::string*, std::less<>> exact, normalized, written;
        std::map<std::string, const std::string*, std::less<>> renamed; ///< by the names of `names_`, normalized
        std::map<const std::string*, Place*> entries;
        Place* items = nullptr;
    };

    /// `schema` and all that it refers to or is put together from, without repetition.
    void add_said(const Datum& schema, Said& said, std::set<const Datum*>& known) const {
        if (!schema.map() || said.size() >= kMostSaid || !known.insert(&schema).second) return;
        said.push_back(&schema);
        if (const std::string* reference = schema["$ref"].text()) {
            const Datum* target =
                referred(root_, *reference, [](const Datum& in, const std::string& name) { return in.find(name); });
            if (target) add_said(*target, said, known);
        }
        for (const char* several : {"allOf", "anyOf", "oneOf"}) {
            for (const Datum& part : schema[several].items())
                add_said(part, said, known);
        }
        for (const char* part : {"if", "then", "else"})
            add_said(schema[part], said, known);
        for (const auto& [key, part] : schema["dependentSchemas"].entries())
            add_said(part, said, known);
    }
    /// The same schemas are one place, however they are reached.
    Place* place_of(Said said) {
        if (said.empty()) return nullptr;
        std::unique_ptr<Place>& place = places_[said];
        if (!place) {
            place = std::make_unique<Place>();
            place->said = std::move(said);
        }
        return place.get();
    }
    template <class Of> Place* inner(const Place& place, Of of) {
        Said said;
        std::set<const Datum*> known;
        for (const Datum* schema : place.said)
            add_said(of(*schema), said, known);
        return place_of(std::move(said));
    }
    Place* items_of(Place& place) {
        if (!place.items)
            place.items = inner(place, [](const Datum& schema) -> const Datum& { return schema["items"]; });
        return place.items;
    }
    Place* entry_of(Place& place, const std::string* name) {
        const auto [found, is_new] = place.entries.emplace(name, nullptr);
        if (is_new)
            found->second =
                inner(place, [name](const Datum& schema) -> const Datum& { return schema["properties"][*name]; });
        return found->second;
    }

    [[nodiscard]] Datum named(Place* place, const Datum& value, std::size_t depth) {
        if (depth > kMostDepth || !place || (!value.list() && !value.map())) return value;
        if (value.map()) return entries_named(*place, value, depth);
        Datum::List items;
        for (const Datum& item : value.items())
            items.push_back(named(items_of(*place), item, depth + 1));
        return Datum(std::move(items));
    }
    [[nodiscard]] Datum entries_named(Place& place, const Datum& value, std::size_t depth) {
        know_names(place);
        std::set<std::string_view> taken; // by keys that are spelled so
        for (const auto& [key, unused] : value.entries()) {
            const auto exact = key.text() ? place.exact.find(*key.text()) : place.exact.end();
            if (exact != place.exact.end()) taken.insert(*exact->second);
        }
        Datum::Map entries;
        for (const auto& [key, item] : value.entries()) {
            const std::string* name = key.text() ? name_in_schema(place, *key.text(), depth == 0) : nullptr;
            if (name && *name != *key.text() && !taken.insert(*name).second) name = nullptr;
            entries.emplace_back(name ? Datum(*name) : key,
                                 name ? named(entry_of(place, name), item, depth + 1) : item);
        }
        return Datum(std::move(entries));
    }
    void know_names(Place& place) const {
        if (std::exchange(place.is_known, true)) return;
        std::vector<std::string> keys;
        for (const Datum* schema : place.said) {
            for (const auto& [key, unused] : (*schema)["properties"].entries())
                if (key.text() && place.exact.emplace(*key.text(), key.text()).second) keys.push_back(*key.text());
        }
        const OtherNames others = names_of_object(keys, names_, true);
        for (const auto& [name, key] : place.exact) {
            const auto other = others.find(name);
            const std::string plain = normalized_name(other == others.end() ? name : other->second);
            if (other == others.end())
                place.normalized.emplace(plain, key);
            else
                (names_.contains(name) ? place.renamed : place.written).emplace(plain, key);
        }
    }
    /// The property that is meant: of this name, else with hyphens where there are underscores, else the parameter that
    /// programs write so (further inside, keys may be data). Null for none.
    static const std::string* name_in_schema(const Place& place, const std::string& name, bool is_parameter) {
        if (const auto found = place.renamed.find(name); found != place.renamed.end()) return found->second;
        if (const auto found = place.exact.find(name); found != place.exact.end()) return found->second;
        const std::string plain = normalized_name(name);
        if (const auto found = place.normalized.find(plain); found != place.normalized.end()) return found->second;
        const auto found = is_parameter && !plain.empty() ? place.written.find(plain) : place.written.end();
        return found == place.written.end() ? nullptr : found->second;
    }

    const Datum& root_;
    OtherNames names_; ///< that programs have, by those of the schema
    std::map<Said, std::unique_ptr<Place>> places_;
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
    return keeps_text ? Result<Datum>(Datum(*text)) : value_of_text(*text);
}

Datum arguments_as_named(std::string_view input_schema, const Datum& arguments,
                         std::span<const RenamedParameter> names) {
    const Result<Datum> schema = Datum::from_json(input_schema);
    return schema.ok() ? Namer(schema.value(), names).named(arguments) : arguments;
}

} // namespace ptc::mcp
