// Values as prompts show them. A Writer walks the value and cuts lists, texts, maps and depth where the limits say;
// wherever it cuts it writes the full size and remembers the path, from which eval_report.cpp makes the program that
// reads on. Types of values (shown_type) are inferred from a bounded number of elements.
#include "subagent/agent/preview.h"
#include "frontend/utf8.h"
#include "runtime/string.h"
#include "subagent/agent/firewall.h"
#include <algorithm>
#include <cctype>

namespace ptc {
namespace {

bool is_plain_name(std::string_view name) {
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '-') return false;
    return std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '?' || c == '!';
    });
}

constexpr std::size_t kLongestStep = 100; ///< bytes of a key in Cut::path

class Writer {
public:
    Writer(const PreviewLimits& limits, const FullSizes* sizes) : limits_(limits), sizes_(sizes) {}

    void write(const Datum& value, unsigned depth) {
        if (depth > limits_.depth || is_full()) return cut("…", Cut::Kind::Depth, 0, 0, 0);
        if (const std::string* text = value.text()) return write_text(*text);
        if (const auto* items = value.list()) return write_list(*items, depth);
        if (const auto* set = value.get_if<Datum::Set>()) return write_set(set->items, depth);
        if (const auto* entries = value.map()) return write_map(*entries, depth);
        if (const auto* keyword = value.get_if<Datum::Keyword>())
            write_name(keyword->name);
        else if (const auto* opaque = value.get_if<Datum::Opaque>())
            out_.text += opaque->text.substr(0, limits_.string);
        else if (value.is_nil())
            out_.text += "nil";
        else
            out_.text += value.to_json();
    }

    Preview finish() { return std::move(out_); }

private:
    [[nodiscard]] bool is_full() const { return out_.text.size() > limits_.bytes; }
    void cut(std::string_view mark, Cut::Kind kind, std::size_t shown, std::size_t total, std::size_t page) {
        out_.text += mark;
        out_.is_cut = true;
        if (out_.cuts.size() < kMostCuts && hidden_ == 0) out_.cuts.push_back({kind, path_, shown, total, page});
    }
    void write_name(std::string_view name) {
        if (name.size() <= limits_.string) {
            (out_.text += ':') += name;
            return;
        }
        (out_.text += ':') += utf8::prefix(name, limits_.string);
        out_.text += "… (" + std::to_string(name.size()) + " bytes in all)";
        out_.is_cut = true;
    }
    /// The part of `value` at `key`, where get-in finds it.
    void write_part(const Datum& value, const Datum& key, unsigned depth) {
        path_.push_back(key);
        write(value, depth);
        path_.pop_back();
    }
    /// A part that get-in does not lead to: whoever wants it reads the whole that it is in.
    void write_unreachable(const Datum& value, unsigned depth) {
        ++hidden_;
        write(value, depth);
        --hidden_;
    }
    void write_text(const std::string& text) {
        const std::size_t size = full_size(sizes_, text);
        const std::size_t room = limits_.bytes > out_.text.size() ? limits_.bytes - out_.text.size() : 0;
        const std::size_t most = std::min(limits_.string, std::max<std::size_t>(room, 16));
        if (size <= most) {
            out_.text += Datum(text).to_json();
            return;
        }
        const std::string_view begin = utf8::prefix(text, most);
        std::string shown = Datum(begin).to_json();
        shown.pop_back();
        out_.text += shown;
        const std::size_t shown_graphemes = graphemes(begin);
        cut("…\" (" + std::to_string(size) + " bytes in all)", Cut::Kind::Text, shown_graphemes, size, shown_graphemes);
    }
    static std::size_t graphemes(std::string_view text) {
        std::size_t count = 0;
        for (std::size_t at = 0; at < text.size(); at = next_grapheme(text, at))
            ++count;
        return count;
    }
    /// False when item `i` of `size` is not shown any more; then the number of the rest is written. The items before
    /// it begin at `begin` of the text.
    bool goes_on(std::size_t i, std::size_t size, std::size_t most, std::size_t begin, Cut::Kind kind) {
        if (i > 0) out_.text += ' ';
        if (i < most && !is_full()) return true;
        cut("… (" + std::to_string(size) + " in all)", kind, i, size, page(i, out_.text.size() - begin));
        return false;
    }
    /// How many items like those `shown`, which took so many bytes, are likely to be shown whole.
    [[nodiscard]] std::size_t page(std::size_t shown, std::size_t bytes) const {
        const std::size_t least = std::max<std::size_t>(shown, 1);
        if (!limits_.shows_short_lists || shown == 0) return least;
        const std::size_t fitting = limits_.short_bytes * 3 / 4 * shown / std::max<std::size_t>(bytes, 1);
        return std::clamp(fitting, least, std::max(least, limits_.short_items));
    }
    /// Bytes that a value takes, roughly, looked at until there are more than `most`.
    std::size_t size_of(const Datum& value, std::size_t most) const {
        if (const auto* items = value.list()) return size_of_items(*items, most);
        if (const auto* set = value.get_if<Datum::Set>()) return size_of_items(set->items, most) + 1;
        if (const auto* entries = value.map()) return size_of_entries(*entries, most);
        if (const std::string* text = value.text()) return std::min(text->size(), limits_.string) + 2;
        if (const auto* keyword = value.get_if<Datum::Keyword>()) return keyword->name.size() + 1;
        if (const auto* opaque = value.get_if<Datum::Opaque>()) return opaque->text.size();
        return 8;
    }
    std::size_t size_of_items(const Datum::List& items, std::size_t most) const {
        std::size_t bytes = 2;
        for (std::size_t i = 0; i < items.size() && bytes <= most; ++i)
            bytes += size_of(items[i], most - bytes) + 1;
        return bytes;
    }
    std::size_t size_of_entries(const Datum::Map& entries, std::size_t most) const {
        std::size_t bytes = 2;
        for (std::size_t i = 0; i < entries.size() && bytes <= most; ++i) {
            bytes += size_of(entries[i].first, most - bytes) + 2;
            if (bytes <= most) bytes += size_of(entries[i].second, most - bytes);
        }
        return bytes;
    }
    static bool is_scalar(const Datum& value) { return !value.list() && !value.map() && !value.get_if<Datum::Set>(); }
    /// How many items of a list are shown: of a short one all.
    [[nodiscard]] std::size_t items_shown(const Datum::List& items) const {
        const std::size_t size = full_size(sizes_, items);
        if (size <= limits_.list || size > limits_.short_items || size > items.size())
            return std::min(limits_.list, items.size());
        if (!limits_.shows_short_lists && !std::ranges::all_of(items, is_scalar)) return limits_.list;
        return size_of_items(items, limits_.short_bytes) <= limits_.short_bytes ? items.size() : limits_.list;
    }
    void write_list(const Datum::List& items, unsigned depth) {
        out_.text += '[';
        const std::size_t most = items_shown(items), begin = out_.text.size(), size = full_size(sizes_, items);
        for (std::size_t i = 0; i < size && goes_on(i, size, most, begin, Cut::Kind::Items); ++i)
            write_part(items[i], Datum(static_cast<std::int64_t>(i)), depth + 1);
        out_.text += ']';
    }
    void write_set(const Datum::List& items, unsigned depth) {
        out_.text += "#{";
        const std::size_t most = items_shown(items), begin = out_.text.size(), size = full_size(sizes_, items);
        for (std::size_t i = 0; i < size && goes_on(i, size, most, begin, Cut::Kind::Items); ++i)
            write_unreachable(items[i], depth + 1);
        out_.text += '}';
    }
    void write_map(const Datum::Map& entries, unsigned depth) {
        out_.text += '{';
        const std::size_t begin = out_.text.size(), size = full_size(sizes_, entries);
        const std::size_t most = std::min(limits_.map, entries.size());
        for (std::size_t i = 0; i < size && goes_on(i, size, most, begin, Cut::Kind::Entries); ++i) {
            const auto& [key, value] = entries[i];
            const std::string_view name = key_name(key);
            if (is_plain_name(name) && !(limits_.has_own_keys && key.text()))
                write_name(name);
            else
                write_unreachable(key, depth + 1);
            out_.text += ' ';
            if (is_firewalled(name))
                out_.text += kFirewalled;
            else if ((key.text() || key.get_if<Datum::Keyword>()) && name.size() <= kLongestStep)
                write_part(value, key, depth + 1);
            else
                write_unreachable(value, depth + 1);
        }
        out_.text += '}';
    }

    const PreviewLimits& limits_;
    const FullSizes* sizes_; ///< may be null
    Preview out_;
    std::vector<Datum> path_;
    unsigned hidden_ = 0; ///< parts under way that no path leads to
};

// ---- Types

constexpr std::size_t kItemsLookedAt = 100;
constexpr std::size_t kMostShownFields = 40;
constexpr unsigned kTypeDepth = 8;
constexpr std::size_t kMostTypeText = 800;

/// Of what a value is an excerpt of.
struct TypeLook {
    const FullSizes* sizes;
    Type of(const Datum& value, unsigned depth) const;
    Type of_items(const Datum::List& items, unsigned depth) const;
    Type of_map(const Datum::Map& entries, unsigned depth) const;
};

/// The type of both.
Type joined(const Type& a, const Type& b) {
    const bool is_optional = a.is_optional || b.is_optional || a.is(TypeKind::Nil) || b.is(TypeKind::Nil);
    Type out;
    if (a.is(TypeKind::Nil))
        out = b;
    else if (b.is(TypeKind::Nil))
        out = a;
    else if (a.kind == b.kind && a.is(TypeKind::List))
        out = Type::list(joined(a.element(), b.element()));
    else if (a.kind == b.kind && a.is(TypeKind::Record)) {
        out = a;
        for (Field& field : out.fields) {
            const auto other = std::ranges::find(b.fields, field.name, &Field::name);
            if (other == b.fields.end())
                field.type.is_optional = true;
            else
                field.type = joined(field.type, other->type);
        }
        for (const Field& field : b.fields) {
            if (std::ranges::find(a.fields, field.name, &Field::name) != a.fields.end()) continue;
            out.fields.push_back(field);
            out.fields.back().type.is_optional = true;
        }
    } else if (a.kind == b.kind)
        out = a;
    else if ((a.is(TypeKind::Int) && b.is(TypeKind::Float)) || (a.is(TypeKind::Float) && b.is(TypeKind::Int)))
        out = Type(TypeKind::Float);
    else
        out = Type(TypeKind::Any);
    out.is_optional = is_optional && !out.is(TypeKind::Any) && !out.is(TypeKind::Nil);
    return out;
}

/// Whether `joined` with the value's type would give `type` again, seen without making that type: the rows of a table
/// are alike. False when in doubt.
bool covers(const Type& type, const Datum& value, unsigned depth) {
    switch (type.kind) {
    case TypeKind::Any: return true;
    case TypeKind::Nil: return value.is_nil();
    case TypeKind::String: return value.text() || (type.is_optional && value.is_nil());
    case TypeKind::Bool: return value.get_if<bool>() != nullptr;
    case TypeKind::Int: return value.get_if<std::int64_t>() != nullptr;
    case TypeKind::Float: return value.get_if<double>() || value.get_if<std::int64_t>();
    case TypeKind::Keyword: return value.get_if<Datum::Keyword>() != nullptr;
    case TypeKind::Record: break;
    default: return false;
    }
    const auto* entries = value.map();
    if (!entries || entries->size() != type.fields.size() || depth >= kTypeDepth) return false;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const Field& field = type.fields[i];
        if (key_name((*entries)[i].first) != field.name || !covers(field.type, (*entries)[i].second, depth + 1))
            return false;
    }
    return true;
}

Type TypeLook::of_items(const Datum::List& items, unsigned depth) const {
    if (items.empty()) return Type::list(Type(TypeKind::Any));
    Type element = of(items[0], depth + 1);
    for (std::size_t i = 1; i < std::min(items.size(), kItemsLookedAt); ++i) {
        if (!covers(element, items[i], depth + 1)) element = joined(element, of(items[i], depth + 1));
    }
    if (element.is(TypeKind::Nil)) element = Type(TypeKind::Any);
    return Type::list(std::move(element));
}

Type TypeLook::of_map(const Datum::Map& entries, unsigned depth) const {
    if (entries.empty() || full_size(sizes, entries) > kMostShownFields) return Type(TypeKind::Map);
    std::vector<Field> fields;
    for (const auto& [key, value] : entries) {
        const std::string_view name = key_name(key);
        if (!is_plain_name(name)) return Type(TypeKind::Map);
        fields.push_back({std::string(name), of(value, depth + 1)});
    }
    return Type::record(std::move(fields));
}

Type TypeLook::of(const Datum& value, unsigned depth) const {
    if (depth > kTypeDepth) return Type(TypeKind::Any);
    if (value.is_nil()) return Type(TypeKind::Nil);
    if (value.text()) return Type(TypeKind::String);
    if (value.get_if<bool>()) return Type(TypeKind::Bool);
    if (value.get_if<std::int64_t>() || value.get_if<Datum::BigInteger>()) return Type(TypeKind::Int);
    if (value.get_if<double>()) return Type(TypeKind::Float);
    if (value.get_if<Datum::Keyword>()) return Type(TypeKind::Keyword);
    if (const auto* items = value.list()) return of_items(*items, depth);
    if (const auto* entries = value.map()) return of_map(*entries, depth);
    const auto* opaque = value.get_if<Datum::Opaque>();
    return Type(opaque && opaque->type == "instant" ? TypeKind::DateTime : TypeKind::Any);
}

/// Nil is no type of the text form: such a field may be anything.
void name_nils(Type& type) {
    if (type.is(TypeKind::Nil)) type = Type(TypeKind::Any);
    for (Type& item : type.items)
        name_nils(item);
    for (Field& field : type.fields)
        name_nils(field.type);
}

} // namespace

Preview preview(const Datum& value, const PreviewLimits& limits, const FullSizes* sizes) {
    Writer writer(limits, sizes);
    writer.write(value, 0);
    return writer.finish();
}

Type shown_type(const Datum& value, const FullSizes* sizes) {
    Type type = TypeLook{sizes}.of(value, 0);
    name_nils(type);
    return type;
}

std::string shown_type_text(const Datum& value, const FullSizes* sizes) {
    if (value.is_nil()) return "nil";
    const Type type = public_type(shown_type(value, sizes));
    std::string text = type_text(type);
    if (text.size() <= kMostTypeText) return text;
    return type.is(TypeKind::List) ? (type.element().is(TypeKind::Record) ? "[:map]" : "[:any]") : ":map";
}

} // namespace ptc
