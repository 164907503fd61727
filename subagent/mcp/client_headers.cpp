// The schema is walked twice: once, when a tool is listed, to see whether every annotation stands where arguments have
// one place and names one header; and for each call, along `properties` alone, to take the values from these places.
#include "subagent/mcp/client_headers.h"
#include "frontend/quoted.h"
#include "subagent/mcp/protocol.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace ptc::mcp {
namespace {

constexpr std::string_view kAnnotation = "x-mcp-header";
constexpr std::size_t kMostDepth = 64;
constexpr std::int64_t kMostExact = (std::int64_t{1} << 53) - 1; ///< that a double tells from its neighbours

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return out;
}

/// Looks at every schema within a schema. `is_reachable`: only `properties` lead here, so arguments have one place.
struct Search {
    std::set<std::string> names{};
    std::string problem{};

    void look(const Datum& schema, bool is_reachable, bool is_property, std::size_t depth) {
        if (depth > kMostDepth || !problem.empty()) return;
        for (const Datum& item : schema.items())
            look_inside(item, depth);
        if (is_property || depth == 0) check(schema, is_reachable && is_property);
        for (const auto& [key, value] : schema.entries()) {
            const bool is_properties = key == Datum("properties");
            if (!is_properties) {
                look_inside(value, depth);
                continue;
            }
            for (const auto& [name, property] : value.entries())
                look(property, is_reachable, true, depth + 1);
        }
    }

private:
    /// Below a keyword that leads away from the one place.
    void look_inside(const Datum& value, std::size_t depth) {
        if (value.find(kAnnotation)) problem = "`x-mcp-header` stands where arguments have no fixed place.";
        look(value, false, false, depth + 1);
    }
    void check(const Datum& schema, bool is_allowed) {
        const Datum* annotation = schema.find(kAnnotation);
        if (!annotation) return;
        const std::string* name = annotation->text();
        const std::string* type = schema["type"].text();
        if (!is_allowed)
            problem = "`x-mcp-header` stands where arguments have no fixed place.";
        else if (!name || !is_token(*name))
            problem = "`x-mcp-header` is no name of a header.";
        else if (!names.insert(lower(*name)).second)
            problem = "`x-mcp-header` names " + quoted_excerpt(*name) + " twice.";
        else if (!type || (*type != "string" && *type != "integer" && *type != "boolean"))
            problem = "`x-mcp-header` is for texts, integers and booleans.";
    }
};

std::optional<std::string> text_of_value(const Datum& value) {
    if (const std::string* text = value.text()) return *text;
    if (const bool* flag = value.get_if<bool>()) return *flag ? "true" : "false";
    std::int64_t number = 0;
    if (value.to_int64(&number) && number <= kMostExact && number >= -kMostExact) return std::to_string(number);
    return std::nullopt;
}

void collect(const Datum& schema, const Datum& arguments, std::size_t depth, std::vector<ParameterHeader>& headers) {
    static const Datum none;
    if (depth > kMostDepth) return;
    for (const auto& [name, property] : schema["properties"].entries()) {
        const Datum& value = name.text() ? arguments[*name.text()] : none;
        if (const std::string* header = property[kAnnotation].text())
            headers.push_back({std::string(kHeaderParameter) + *header, text_of_value(value)});
        collect(property, value, depth + 1, headers);
    }
}

} // namespace

std::string header_problem(std::string_view input_schema) {
    if (input_schema.find(kAnnotation) == std::string_view::npos) return "";
    const Result<Datum> schema = Datum::from_json(input_schema);
    if (!schema.ok()) return "";
    Search search;
    search.look(schema.value(), true, false, 0);
    return search.problem;
}

bool has_headers(std::string_view input_schema) { return input_schema.find(kAnnotation) != std::string_view::npos; }

std::vector<ParameterHeader> parameter_headers(std::string_view input_schema, const Datum& arguments) {
    std::vector<ParameterHeader> headers;
    if (!has_headers(input_schema)) return headers;
    const Result<Datum> schema = Datum::from_json(input_schema);
    if (schema.ok()) collect(schema.value(), arguments, 0, headers);
    return headers;
}

std::vector<std::pair<std::string, std::string>> sent_headers(std::string_view input_schema, const Datum& arguments) {
    std::vector<std::pair<std::string, std::string>> headers;
    for (const ParameterHeader& header : parameter_headers(input_schema, arguments)) {
        if (header.value) headers.emplace_back(header.name, header_value(*header.value));
    }
    return headers;
}

} // namespace ptc::mcp
