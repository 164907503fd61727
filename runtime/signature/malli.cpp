// One reader for two sources, text (FormNode, with spans) and values of a program (ValueNode): it is a template over
// the two. Writing gives the shortest spelling that reads back to the same type.
#include "runtime/signature/malli.h"
#include "frontend/try.h"

#include "frontend/reader/reader.h"
#include "frontend/work.h"
#include "runtime/edn.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/signature/malli_errors.h"
#include "runtime/signature/signature_grammar.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace ptc {
namespace {

// ---- Where a schema comes from: forms with spans, or values. The reader below works on either.

class FormNode {
public:
    explicit FormNode(const Form& form) : form_(&form) {}
    [[nodiscard]] MaybeSpan span() const { return form_->span; }
    [[nodiscard]] bool is_vector() const { return form_->is(FormKind::Vector) || form_->is(FormKind::List); }
    [[nodiscard]] bool is_map() const { return form_->is(FormKind::Map); }
    [[nodiscard]] bool is_keyword() const { return form_->is(FormKind::Keyword); }
    [[nodiscard]] bool is_string() const { return form_->is(FormKind::String); }
    [[nodiscard]] std::string text() const { return std::string(form_->text()); }
    [[nodiscard]] std::size_t size() const { return form_->size; }
    [[nodiscard]] FormNode at(std::size_t i) const { return FormNode(form_->items()[i]); }
    /// Entry i of a map.
    [[nodiscard]] std::pair<FormNode, FormNode> entry(std::size_t i) const { return {at(2 * i), at(2 * i + 1)}; }
    [[nodiscard]] std::size_t entries() const { return form_->size / 2; }
    [[nodiscard]] bool is_true() const { return form_->is(FormKind::True); }
    [[nodiscard]] std::optional<Number> number() const {
        if (form_->is(FormKind::Integer)) return form_->integer;
        if (form_->is(FormKind::Float) && std::isfinite(form_->number)) return form_->number;
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Choice> other_choice() const {
        if (form_->is(FormKind::Nil)) return std::monostate();
        if (form_->is(FormKind::True) || form_->is(FormKind::False)) return form_->is(FormKind::True);
        return std::nullopt;
    }

private:
    const Form* form_;
};

class ValueNode {
public:
    explicit ValueNode(Value value) : value_(std::move(value)) {}
    [[nodiscard]] MaybeSpan span() const { return std::nullopt; }
    [[nodiscard]] bool is_vector() const { return value_.is_vector(); }
    [[nodiscard]] bool is_map() const { return value_.is(ObjectType::Record); }
    [[nodiscard]] bool is_keyword() const { return value_.is_keyword(); }
    [[nodiscard]] bool is_string() const { return value_.is_string(); }
    [[nodiscard]] std::string text() const { return std::string(text_of(value_)); }
    [[nodiscard]] std::size_t size() const { return vector_length(value_); }
    [[nodiscard]] ValueNode at(std::size_t i) const { return ValueNode(vector_get(value_, i)); }
    [[nodiscard]] std::pair<ValueNode, ValueNode> entry(std::size_t i) const {
        const RecordObject& record = as_record(value_);
        return {ValueNode(record.shape->keys()[i].copy()), ValueNode(record.values()[i].copy())};
    }
    [[nodiscard]] std::size_t entries() const { return as_record(value_).shape->count; }
    [[nodiscard]] bool is_true() const { return value_.is_true(); }
    [[nodiscard]] std::optional<Number> number() const {
        if (value_.is_double())
            return std::isfinite(value_.as_double()) ? std::optional<Number>(value_.as_double()) : std::nullopt;
        std::int64_t whole = 0;
        if (value_.is_integer() && fits_int64(value_, &whole)) return whole;
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Choice> other_choice() const {
        if (value_.is_nil()) return std::monostate();
        if (value_.is_boolean()) return value_.is_true();
        return std::nullopt;
    }

private:
    Value value_;
};

// ---- Reading

struct Comparison {
    std::string_view name;
    Bound::Op op;
};
constexpr std::array kComparisons = {
    Comparison{">", Bound::Op::Greater}, Comparison{">=", Bound::Op::AtLeast}, Comparison{"<", Bound::Op::Less},
    Comparison{"<=", Bound::Op::AtMost}, Comparison{"=", Bound::Op::Equal},    Comparison{"not=", Bound::Op::NotEqual},
};

bool is_name(std::string_view name) {
    const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_rest = [&](char c) { return is_first(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && is_first(name.front()) && std::ranges::all_of(name, is_rest);
}

std::optional<TypeKind> malli_primitive(std::string_view name) {
    if (name == "double") return TypeKind::Float;
    if (name == "nil") return TypeKind::Nil;
    return primitive_kind(name);
}

template <class Node> class MalliReader {
public:
    Result<Signature> signature(const Node& node) {
        if (!is_schema_of(node, "=>")) return Signature{{}, PTC_TRY(type(node, 0))};
        if (node.size() != 3) return malli_wrong_size(node.span(), "=>", "[:=> [:cat :string] :int]");
        std::vector<Field> params = PTC_TRY(parameters(node.at(1)));
        return Signature{std::move(params), PTC_TRY(type(node.at(2), 0))};
    }

private:
    static bool is_schema_of(const Node& node, std::string_view name) {
        return node.is_vector() && node.size() > 0 && node.at(0).is_keyword() && node.at(0).text() == name;
    }

    Result<std::vector<Field>> parameters(const Node& node) {
        if (is_schema_of(node, "catn")) return entries(node, "catn", 1, 0);
        if (!is_schema_of(node, "cat")) return malli_no_parameters(node.span());
        std::vector<Field> params;
        for (std::size_t i = 1; i < node.size(); ++i)
            params.push_back({"", PTC_TRY(type(node.at(i), 0))});
        return params;
    }

    Result<Type> type(const Node& node, std::uint32_t depth) {
        if (depth > kMaxTypeNesting) return malli_too_deep(node.span());
        if (node.is_keyword()) return primitive(node, node.text());
        if (!node.is_vector() || node.size() == 0 || !node.at(0).is_keyword()) return malli_not_a_schema(node.span());
        return compound(node, node.at(0).text(), depth);
    }

    static Result<Type> primitive(const Node& node, const std::string& name) {
        const std::optional<TypeKind> kind = malli_primitive(name);
        if (!kind) return malli_unknown_schema(node.span(), name);
        return Type(*kind);
    }

    Result<Type> compound(const Node& node, const std::string& name, std::uint32_t depth) {
        if (name == "map") return Type::record(PTC_TRY(map_entries(node, depth)));
        if (name == "enum") return enumeration(node);
        if (name == "or") return alternatives(node, depth);
        if (name == "and") return conjunction(node, depth);
        if (name == "vector" || name == "sequential") {
            if (node.size() != 2) return malli_wrong_size(node.span(), name, "[:vector :int]");
            return Type::list(PTC_TRY(type(node.at(1), depth + 1)));
        }
        if (name == "maybe") {
            if (node.size() != 2) return malli_wrong_size(node.span(), name, "[:maybe :int]");
            Type inner = PTC_TRY(type(node.at(1), depth + 1));
            inner.is_optional = true;
            return inner;
        }
        Type plain = PTC_TRY(primitive(node.at(0), name));
        if (node.size() == 1) return plain;
        if (node.size() > 2) return malli_wrong_size(node.span(), name, ":" + name);
        PTC_CHECK(number_properties(node.at(1), name, plain));
        return plain;
    }

    /// {:min 1 :max 10}
    static Result<void> number_properties(const Node& properties, const std::string& name, Type& plain) {
        const bool is_number = plain.is(TypeKind::Int) || plain.is(TypeKind::Float);
        if (!properties.is_map() || !is_number) return malli_bad_property(properties.span(), name);
        for (const auto& [key, op] : {std::pair("min", Bound::Op::AtLeast), std::pair("max", Bound::Op::AtMost)}) {
            for (std::size_t i = 0; i < properties.entries(); ++i) {
                const auto [property, value] = properties.entry(i);
                if (!property.is_keyword() || property.text() != key) continue;
                const std::optional<Number> limit = value.number();
                if (!limit) return malli_bad_property(value.span(), name);
                plain.bounds.push_back({op, *limit});
            }
        }
        if (plain.bounds.size() != properties.entries()) return malli_bad_property(properties.span(), name);
        return {};
    }

    Result<std::vector<Field>> map_entries(const Node& node, std::uint32_t depth) {
        const bool has_properties = node.size() > 1 && node.at(1).is_map();
        if (has_properties && node.at(1).entries() > 0) return malli_bad_property(node.at(1).span(), "map");
        return entries(node, "map", has_properties ? 2 : 1, depth);
    }

    /// [:name T] or [:name {:optional true} T]
    Result<std::vector<Field>> entries(const Node& node, std::string_view of, std::size_t first, std::uint32_t depth) {
        std::vector<Field> fields;
        for (std::size_t i = first; i < node.size(); ++i)
            fields.push_back(PTC_TRY(entry(node.at(i), of, depth)));
        PTC_CHECK(check_names(node, fields));
        return fields;
    }

    Result<Field> entry(const Node& node, std::string_view of, std::uint32_t depth) {
        const bool is_entry = node.is_vector() && (node.size() == 2 || node.size() == 3) &&
                              (node.at(0).is_keyword() || node.at(0).is_string());
        if (!is_entry) return malli_bad_entry(node.span(), of);
        const std::string name = node.at(0).text();
        if (!is_name(name)) return malli_bad_name(node.at(0).span(), name);
        Type value = PTC_TRY(type(node.at(node.size() - 1), depth + 1));
        if (node.size() == 3 && PTC_TRY(is_optional(node.at(1), of))) value.is_optional = true;
        return Field{name, std::move(value)};
    }

    static Result<bool> is_optional(const Node& properties, std::string_view of) {
        if (!properties.is_map()) return malli_bad_entry(properties.span(), of);
        if (properties.entries() == 0) return false;
        const auto [key, value] = properties.entry(0);
        if (properties.entries() > 1 || !key.is_keyword() || key.text() != "optional")
            return malli_bad_property(properties.span(), of);
        return value.is_true();
    }

    static Result<void> check_names(const Node& node, const std::vector<Field>& fields) {
        std::vector<std::pair<std::string, std::size_t>> names;
        for (std::size_t i = 0; i < fields.size(); ++i)
            names.emplace_back(normalized_name(fields[i].name), i);
        std::ranges::sort(names);
        const auto same =
            std::ranges::adjacent_find(names, {}, [](const auto& n) -> const std::string& { return n.first; });
        if (same == names.end()) return {};
        return malli_name_clash(node.span(), fields[same->second].name, fields[(same + 1)->second].name);
    }

    static std::optional<Choice> choice(const Node& node) {
        if (node.is_string()) return node.text();
        if (node.is_keyword()) return KeywordChoice{node.text()};
        if (const std::optional<Number> number = node.number())
            return std::visit([](auto value) { return Choice(value); }, *number);
        return node.other_choice();
    }

    Result<Type> enumeration(const Node& node) {
        if (node.size() < 2) return malli_wrong_size(node.span(), "enum", "[:enum \"open\" \"done\"]");
        Type result(TypeKind::Enum);
        for (std::size_t i = 1; i < node.size(); ++i) {
            std::optional<Choice> value = choice(node.at(i));
            if (!value) return malli_bad_choice(node.at(i).span());
            result.choices.push_back(std::move(*value));
        }
        return result;
    }

    Result<Type> alternatives(const Node& node, std::uint32_t depth) {
        if (node.size() < 2) return malli_wrong_size(node.span(), "or", "[:or :string :int]");
        Type result(TypeKind::Union);
        for (std::size_t i = 1; i < node.size(); ++i) {
            Type item = PTC_TRY(type(node.at(i), depth + 1));
            result.is_optional = result.is_optional || item.is_optional;
            item.is_optional = false;
            if (item.is(TypeKind::Union)) {
                std::ranges::move(item.items, std::back_inserter(result.items));
            } else {
                result.items.push_back(std::move(item));
            }
        }
        if (result.items.size() > 1) return result;
        Type only = std::move(result.items.front());
        only.is_optional = result.is_optional;
        return only;
    }

    /// [:and T [:> 0] ..]; of a union of numbers each has the limits.
    Result<Type> conjunction(const Node& node, std::uint32_t depth) {
        if (node.size() < 2) return malli_wrong_size(node.span(), "and", "[:and :int [:> 0]]");
        Type result = PTC_TRY(type(node.at(1), depth + 1));
        for (std::size_t i = 2; i < node.size(); ++i) {
            const Bound bound = PTC_TRY(comparison(node.at(i)));
            if (!add_bound(result, bound)) return malli_needs_number(node.at(1).span());
        }
        return result;
    }

    static bool add_bound(Type& type, const Bound& bound) {
        if (type.is(TypeKind::Int) || type.is(TypeKind::Float)) {
            type.bounds.push_back(bound);
            return true;
        }
        return type.is(TypeKind::Union) &&
               std::ranges::all_of(type.items, [&](Type& item) { return add_bound(item, bound); });
    }

    static Result<Bound> comparison(const Node& node) {
        if (!node.is_vector() || node.size() != 2 || !node.at(0).is_keyword()) return malli_bad_comparison(node.span());
        const std::string name = node.at(0).text();
        const auto* row = std::ranges::find(kComparisons, name, &Comparison::name);
        const std::optional<Number> limit = node.at(1).number();
        if (row == kComparisons.end() || !limit) return malli_bad_comparison(node.span());
        return Bound{row->op, *limit};
    }
};

// ---- Writing

class MalliWriter {
public:
    explicit MalliWriter(std::string& out) : out_(out) {}

    void signature(const Signature& signature) {
        out_ += "[:=> ";
        params(signature.params);
        out_ += ' ';
        type(signature.returns);
        out_ += ']';
    }

private:
    void params(const std::vector<Field>& params) {
        const bool has_names = std::ranges::none_of(params, [](const Field& param) { return param.name.empty(); });
        if (has_names && !params.empty()) return fields("catn", params);
        out_ += "[:cat";
        for (const Field& param : params) {
            out_ += ' ';
            type(param.type);
        }
        out_ += ']';
    }

    /// An optional field is `{:optional true}`; anything else that may be nil a `:maybe`.
    void fields(std::string_view name, const std::vector<Field>& fields) {
        (out_ += "[:") += name;
        for (const Field& field : fields) {
            (out_ += " [:") += field.name;
            out_ += field.type.is_optional ? " {:optional true} " : " ";
            required(field.type);
            out_ += ']';
        }
        out_ += ']';
    }

    void type(const Type& type) {
        if (!type.is_optional) return required(type);
        out_ += "[:maybe ";
        required(type);
        out_ += ']';
    }

    void required(const Type& type) {
        switch (type.kind) {
        case TypeKind::Record: return fields("map", type.fields);
        case TypeKind::List:
            out_ += "[:vector ";
            this->type(type.element());
            out_ += ']';
            return;
        case TypeKind::Union:
            out_ += "[:or";
            for (const Type& item : type.items) {
                out_ += ' ';
                this->type(item);
            }
            out_ += ']';
            return;
        case TypeKind::Enum: return choices(type.choices);
        default: return number_or_plain(type);
        }
    }

    void number_or_plain(const Type& type) {
        if (!type.bounds.empty()) out_ += "[:and ";
        (out_ += ':') += primitive_name(type.kind);
        for (const Bound& bound : type.bounds) {
            (out_ += " [:") += std::ranges::find(kComparisons, bound.op, &Comparison::op)->name;
            out_ += ' ';
            std::visit([&](auto limit) { number(limit); }, bound.limit);
            out_ += ']';
        }
        if (!type.bounds.empty()) out_ += ']';
    }

    void number(std::int64_t whole) { out_ += std::to_string(whole); }
    void number(double real) { append_double(real, out_); }

    void choices(const std::vector<Choice>& choices) {
        out_ += "[:enum";
        for (const Choice& choice : choices) {
            out_ += ' ';
            if (std::holds_alternative<std::monostate>(choice)) out_ += "nil";
            if (const auto* flag = std::get_if<bool>(&choice)) out_ += *flag ? "true" : "false";
            if (const auto* whole = std::get_if<std::int64_t>(&choice)) number(*whole);
            if (const auto* real = std::get_if<double>(&choice)) number(*real);
            if (const auto* text = std::get_if<std::string>(&choice)) quoted(*text);
            if (const auto* keyword = std::get_if<KeywordChoice>(&choice)) (out_ += ':') += keyword->name;
        }
        out_ += ']';
    }

    void quoted(std::string_view text) {
        out_ += '"';
        for (const char c : text) {
            if (c == '"' || c == '\\') out_ += '\\';
            out_ += c;
        }
        out_ += '"';
    }

    std::string& out_;
};

/// What stands in the vector that the text begins with; "" for another text.
std::string_view in_vector(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n,";
    const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size())); };
    skip();
    if (!text.starts_with('[')) return {};
    text.remove_prefix(1);
    skip();
    return text;
}

} // namespace

bool is_malli(std::string_view text) { return in_vector(text).starts_with(":=>"); }

Result<Signature> parse_malli(std::string_view edn) {
    const Source source("signature", std::string(edn));
    Diagnostics diagnostics;
    const work::Outside outside; // types are kept by their text
    const Forms forms = read_forms(source, {}, diagnostics);
    if (diagnostics.has_errors()) return diagnostics.all().front().error;
    if (forms.top_level().size() != 1) return malli_not_one_form(forms.top_level().size());
    return MalliReader<FormNode>().signature(FormNode(forms.top_level()[0]));
}

Result<Signature> malli_signature(const Value& schema) {
    return MalliReader<ValueNode>().signature(ValueNode(schema.copy()));
}

Result<Signature> parse_signature(std::string_view text) {
    if (is_malli(text)) return parse_malli(text);
    Result<Signature> signature = parse_shorthand(text);
    // `[:map]` is a list of maps, so a schema alone is no signature; who wrote one has the function form in mind.
    const bool is_schema = !signature.ok() && in_vector(text).starts_with(':') && parse_malli(text).ok();
    return is_schema ? malli_no_function(Span{0, static_cast<std::uint32_t>(text.size())}) : std::move(signature);
}

std::string malli_text(const Signature& signature) {
    std::string text;
    MalliWriter(text).signature(signature);
    return text;
}

Result<Value> malli_value(Heap& heap, ShapeTable& shapes, const Signature& signature) {
    return parse_edn(heap, shapes, malli_text(signature));
}

} // namespace ptc
