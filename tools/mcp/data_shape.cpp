// The type of the first values says which places there are; then all values are gone through, and at each place counts
// and ranges are kept. Values themselves are not shown, but for the least and greatest of five numbers or more that are
// not all the same. Keys that only one map has, and that have no words of fields, may be data, too.
#include "tools/mcp/data_shape.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "subagent/agent/data_excerpt.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/mcp/key_shapes.h"
#include "subagent/mcp/learnt_types.h"
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostValues = 2'000'000;
constexpr std::size_t kMostBytes = 8000; ///< of a shape
constexpr std::size_t kFewNumbers = 5;   ///< the range of fewer says what they are

/// The least and the greatest.
template <class T> struct Range {
    std::optional<T> least{}, most{};
    void add(T value) {
        least = least ? std::min(*least, value) : value;
        most = most ? std::max(*most, value) : value;
    }
};

/// A place in data, and what was seen there.
struct Place {
    const Type* type;
    std::string path;
    std::size_t count = 0;      ///< values that are not nil
    std::size_t of_records = 0; ///< records that might have it, for a field
    Range<std::int64_t> whole{};
    Range<double> number{};
    Range<std::size_t> size{}; ///< of texts, lists and maps
    std::vector<Place> fields{};
    std::map<std::string_view, std::size_t> by_name{}; ///< these
    std::vector<Place> items{};                        ///< one, of a list
};

Place place_of(const Type& type, std::string path) {
    Place place{.type = &type, .path = std::move(path)};
    if (type.is(TypeKind::List)) place.items.push_back(place_of(type.element(), place.path + "[]"));
    for (const Field& field : type.fields) {
        if (field.name.empty()) continue; // of a record that may have others
        place.by_name.emplace(field.name, place.fields.size());
        place.fields.push_back(place_of(field.type, place.path.empty() ? field.name : place.path + "." + field.name));
    }
    return place;
}

class Looking {
public:
    explicit Looking(Heap& heap) : heap_(heap) {}
    void look(const Value& value, Place& place) {
        if (value.is_nil() || ++looked_ > kMostValues) return;
        ++place.count;
        std::int64_t whole = 0;
        if (value.is_string()) {
            place.size.add(text_of(value).size());
        } else if (value.is_double()) {
            place.number.add(value.as_double());
        } else if (value.is_integer() && fits_int64(value, &whole)) {
            place.whole.add(whole);
        } else if (value.is_vector()) {
            const VectorReader items(value);
            place.size.add(items.size());
            for (std::size_t i = 0; !place.items.empty() && i < items.size() && !is_cut(); ++i)
                look(items.at(i), place.items.front());
        } else if (value.is_map()) {
            look_at_entries(value, place);
        }
    }
    [[nodiscard]] bool is_cut() const { return looked_ > kMostValues; }

private:
    void look_at_entries(const Value& map, Place& place) {
        const Result<MapView> view = MapView::of(heap_, map);
        if (!view.ok()) return;
        place.size.add(view.value().size());
        if (place.fields.empty()) return;
        for (Place& field : place.fields)
            ++field.of_records;
        for (std::size_t i = 0; i < view.value().size(); ++i) {
            const Value& key = view.value().key(i);
            if (!key.is_string()) continue;
            const auto field = place.by_name.find(text_of(key));
            if (field != place.by_name.end()) look(view.value().value(i), place.fields[field->second]);
        }
    }

    Heap& heap_;
    std::size_t looked_ = 0;
};

template <class T, class Text> std::string range_text(const Range<T>& range, Text text) {
    return *range.least == *range.most ? text(*range.least) : text(*range.least) + " to " + text(*range.most);
}

/// Of numbers, which are not to be told from it.
template <class T, class Text> std::string numbers_text(const Range<T>& range, std::size_t count, Text text) {
    if (count >= kFewNumbers && *range.least != *range.most) return range_text(range, text);
    return std::to_string(count) + (count == 1 ? " number" : " numbers");
}

std::string size_text(const Place& place) {
    const auto number = [](std::size_t size) { return std::to_string(size); };
    const std::string sizes = range_text(place.size, number);
    switch (place.type->kind) {
    case TypeKind::String: return "texts of " + sizes + " bytes";
    case TypeKind::List: return sizes + " items";
    case TypeKind::Map: return sizes + " keys";
    default: return "";
    }
}

std::string text_of_place(const Place& place) {
    const auto of_number = [](double number) { return Datum(number).to_json(); };
    std::string text;
    const bool is_number = place.type->is(TypeKind::Int) || place.type->is(TypeKind::Float);
    if (is_number && place.number.least) {
        Range<double> all = place.number;
        if (place.whole.least) {
            all.add(static_cast<double>(*place.whole.least));
            all.add(static_cast<double>(*place.whole.most));
        }
        text = numbers_text(all, place.count, of_number);
    } else if (is_number && place.whole.least) {
        text = numbers_text(place.whole, place.count, [](std::int64_t number) { return std::to_string(number); });
    } else if (place.size.least) {
        text = size_text(place);
    }
    if (place.of_records > place.count)
        text += (text.empty() ? "" : ", ") + std::string("not there or nil in ") +
                std::to_string(place.of_records - place.count) + " of " + std::to_string(place.of_records);
    return text;
}

void add_lines(const Place& place, std::string& lines) {
    if (lines.size() > kMostBytes) return;
    const std::string text = text_of_place(place);
    if (!text.empty()) lines += (place.path.empty() ? "" : place.path + ": ") + text + "\n";
    for (const Place& field : place.fields)
        add_lines(field, lines);
    for (const Place& item : place.items)
        add_lines(item, lines);
}

/// What is firewalled is not there.
void hide(Type& type) {
    std::erase_if(type.fields, [](const Field& field) { return is_firewalled(field.name); });
    for (Type& item : type.items)
        hide(item);
    for (Field& field : type.fields)
        hide(field.type);
}

/// Keys that only one map has, and that have no word of fields, may be data, as names of persons are: they are left
/// out, and there is `:map` where no other is left. `samples` are the values at this place.
void hide_lone_keys(Type& type, const std::vector<const Datum*>& samples) {
    std::vector<const Datum*> inner;
    if (type.is(TypeKind::List)) {
        for (const Datum* sample : samples)
            for (const Datum& item : sample->items())
                inner.push_back(&item);
        hide_lone_keys(type.items.front(), inner);
    }
    if (!type.is(TypeKind::Record) || type.fields.empty()) return;
    const std::size_t before = type.fields.size();
    std::erase_if(type.fields, [&](Field& field) {
        inner.clear();
        for (const Datum* sample : samples)
            if (const Datum* value = sample->find(field.name)) inner.push_back(value);
        if (inner.size() < 2 && shape_of_key(field.name) != KeyShape::Field) return true;
        hide_lone_keys(field.type, inner);
        return false;
    });
    if (type.fields.size() == before) return;
    const bool is_optional = type.is_optional;
    if (type.fields.empty())
        type = Type(TypeKind::Map);
    else
        type.fields.push_back({"", Type()}); // a record that has others
    type.is_optional = is_optional;
}

Type type_of(const DataSet& set, const std::string& name) {
    const auto excerpts = excerpts_of(set, PromptLimit());
    const auto found = excerpts->find(name);
    if (found == excerpts->end()) return {};
    Type type = without_data_keys(learn(found->second.value));
    hide(type);
    hide_lone_keys(type, {&found->second.value});
    return type;
}

} // namespace

std::string data_type(const DataSet& set, const std::string& name) { return shown_type(type_of(set, name)); }

std::string data_shape(const DataSet& set, const std::string& name) {
    const Type type = type_of(set, name); // makes a thing of the set itself
    const auto text = impl_of(set).derived.get<std::string>("shape " + name, [&] {
        Place all = place_of(type, "");
        Heap heap; // frozen maps keep their own views
        Looking looking(heap);
        if (const std::optional<Value> value = impl_of(set).find(name)) looking.look(*value, all);
        std::string lines;
        add_lines(all, lines);
        if (looking.is_cut()) lines += "(of the first " + std::to_string(kMostValues) + " values)\n";
        if (lines.size() > kMostBytes) lines += "…\n";
        return std::make_shared<const std::string>(std::move(lines));
    });
    return text ? *text : "";
}

} // namespace ptc::mcp
