// Writes a type as JSON Schema (draft 2020-12). Providers take less of it than the standard has; what has to be left
// out for them only allows more, as every value is checked again by the compiled signature.
#include "ptc/json_schema.h"

#include "frontend/json_text.h"
#include "runtime/signature/type_rules.h"
#include <algorithm>
#include <array>
#include <charconv>

namespace ptc {
namespace {

constexpr std::string_view kDraft = "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"";
/// What the reader takes as a keyword's name; outside of programs keywords are texts.
constexpr std::string_view kKeywordPattern = "^[A-Za-z0-9+*<>=?!_-]+$";

class SchemaWriter {
public:
    explicit SchemaWriter(SchemaStyle style) : style_(style) {}

    void write(const Type& type) {
        if (!type.is_optional || !is_exact()) return write_required(type);
        out_ += "{\"anyOf\":[";
        write_required(type);
        out_ += ",{\"type\":\"null\"}]}";
    }

    void member(std::string_view name) {
        if (out_.back() != '{') out_ += ',';
        append_json_string(out_, name);
        out_ += ':';
    }
    void open() { out_ += '{'; }
    void close() { out_ += '}'; }
    void text(std::string_view value) { append_json_string(out_, value); }
    std::string& out() { return out_; }

private:
    [[nodiscard]] bool is_exact() const { return style_ == SchemaStyle::Exact || style_ == SchemaStyle::Closed; }
    [[nodiscard]] bool is_closed() const { return style_ == SchemaStyle::Closed || style_ == SchemaStyle::Structured; }

    void type_member(std::string_view name) {
        member("type");
        text(name);
    }

    void write_required(const Type& type) {
        open();
        write_members(type);
        close();
    }

    void write_members(const Type& type) {
        switch (type.kind) {
        case TypeKind::Any:
            // Providers refuse a schema without a type; a map is the least wrong.
            if (!is_exact()) type_member("object");
            return;
        case TypeKind::String: return type_member("string");
        case TypeKind::Int: type_member("integer"); return write_bounds(type.bounds);
        case TypeKind::Float: type_member("number"); return write_bounds(type.bounds);
        case TypeKind::Bool: return type_member("boolean");
        case TypeKind::Keyword:
            type_member("string");
            if (!is_exact()) return;
            member("pattern");
            return text(kKeywordPattern);
        case TypeKind::DateTime:
            type_member("string");
            member("format");
            return text("date-time");
        case TypeKind::Nil: return type_member("null");
        case TypeKind::Map: return type_member("object");
        case TypeKind::List:
            type_member("array");
            member("items");
            return write(type.element());
        case TypeKind::Record: return write_record(type);
        case TypeKind::Enum: return write_enum(type);
        case TypeKind::Union: member("anyOf"); return write_list(type.items, [&](const Type& item) { write(item); });
        }
    }

    template <class Items, class Write> void write_list(const Items& items, Write write_item) {
        out_ += '[';
        for (const auto& item : items) {
            if (&item != &items.front()) out_ += ',';
            write_item(item);
        }
        out_ += ']';
    }

    void write_record(const Type& type) {
        type_member("object");
        member("properties");
        open();
        for (const Field& field : type.fields) {
            member(normalized_name(field.name));
            write(field.type);
        }
        close();
        std::vector<std::string> required;
        for (const Field& field : type.fields) {
            if (!field.type.is_optional) required.push_back(normalized_name(field.name));
        }
        if (!required.empty() || style_ == SchemaStyle::Structured) {
            member("required");
            write_list(required, [&](const std::string& name) { text(name); });
        }
        if (!is_closed()) return;
        member("additionalProperties");
        out_ += "false";
    }

    void write_enum(const Type& type) {
        const auto is_text = [](const Choice& choice) {
            return std::holds_alternative<std::string>(choice) || std::holds_alternative<KeywordChoice>(choice);
        };
        if (std::ranges::all_of(type.choices, is_text)) type_member("string");
        member("enum");
        write_list(type.choices, [&](const Choice& choice) { write_choice(choice); });
    }

    void write_choice(const Choice& choice) {
        if (const auto* value = std::get_if<std::string>(&choice)) return text(*value);
        if (const auto* keyword = std::get_if<KeywordChoice>(&choice)) return text(keyword->name);
        if (const auto* flag = std::get_if<bool>(&choice)) out_ += *flag ? "true" : "false";
        if (const auto* whole = std::get_if<std::int64_t>(&choice)) write_number(*whole);
        if (const auto* real = std::get_if<double>(&choice)) write_number(*real);
        if (std::holds_alternative<std::monostate>(choice)) out_ += "null";
    }

    void write_number(const Number& number) {
        std::array<char, 32> digits{};
        const auto end = std::visit(
            [&](auto value) { return std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr; }, number);
        out_.append(digits.data(), end);
    }

    void write_bounds(const std::vector<Bound>& bounds) {
        std::array<bool, kBoundNames.size()> is_used{};
        std::vector<Bound> again; // a keyword may stand once in a schema
        for (const Bound& bound : bounds) {
            if (std::exchange(is_used[static_cast<std::size_t>(bound.op)], true))
                again.push_back(bound);
            else
                write_bound(bound);
        }
        if (again.empty()) return;
        member("allOf");
        write_list(again, [&](const Bound& bound) {
            out_ += '{';
            write_bound(bound);
            out_ += '}';
        });
    }
    void write_bound(const Bound& bound) {
        member(kBoundNames[static_cast<std::size_t>(bound.op)]);
        if (bound.op == Bound::Op::NotEqual) out_ += "{\"const\":";
        write_number(bound.limit);
        if (bound.op == Bound::Op::NotEqual) out_ += '}';
    }

    static constexpr std::array<std::string_view, 6> kBoundNames = {
        "exclusiveMinimum", "minimum", "exclusiveMaximum", "maximum", "const", "not"}; ///< as in Bound::Op
    SchemaStyle style_;
    std::string out_;
};

bool is_exact(SchemaStyle style) { return style == SchemaStyle::Exact || style == SchemaStyle::Closed; }

} // namespace

std::string json_schema(const Type& type, SchemaStyle style) {
    SchemaWriter writer(style);
    writer.write(type);
    std::string& schema = writer.out();
    if (is_exact(style)) schema.insert(1, std::string(kDraft) + (schema.size() > 2 ? "," : ""));
    return std::move(schema);
}

std::string input_schema(const Signature& signature, SchemaStyle style) {
    return json_schema(Type::record(named_params(signature)), style);
}

bool is_wrapped_for_output(const Type& returns) { return returns.is(TypeKind::List); }

std::string structured_output_schema(const Type& returns) {
    if (!is_wrapped_for_output(returns)) return json_schema(returns, SchemaStyle::Structured);
    Type list = returns;
    list.is_optional = false;
    return json_schema(Type::record({{"items", std::move(list)}}), SchemaStyle::Structured);
}

} // namespace ptc
