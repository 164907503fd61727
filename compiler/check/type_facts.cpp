// Facts of what comes from outside. A type gives the fact of every value that fits it, and as hosts do not always keep
// to types every part may be nil. Data are read once, all of them: a Sketch collects which kinds were met at each
// place, and a place where one kind was met gives a fact.
#include "compiler/check/type_facts.h"
#include "frontend/try.h"
#include "ptc/schema_reader.h"
#include "runtime/map.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <bit>

namespace ptc {

// ---- Types

namespace {

/// Makes the facts of one type.
class FactsOfType {
public:
    FactsOfType(Facts& facts, Origin origin, std::span<const UnwrittenField> unwritten)
        : facts_(facts), origin_(origin), unwritten_(unwritten) {}

    const Fact* fact(const Type& type) {
        switch (type.kind) {
        case TypeKind::String: return Facts::of(FactKind::String, false);
        case TypeKind::Int:
        case TypeKind::Float: return Facts::of(FactKind::Numeric, false);
        case TypeKind::Bool: return Facts::of(FactKind::Bool, false);
        case TypeKind::Nil: return Facts::nil();
        case TypeKind::Map: return any_map();
        case TypeKind::List: return facts_.list(fact_below("[]", type.element()), false);
        case TypeKind::Record: return type.fields.empty() ? any_map() : record(type);
        case TypeKind::Union: {
            const Fact* all = Facts::never();
            for (const Type& item : type.items)
                all = facts_.join(all, fact(item));
            return all;
        }
        // Texts and keywords stand for each other at the boundary, and so do texts and times.
        case TypeKind::Keyword:
        case TypeKind::DateTime:
        case TypeKind::Enum:
        case TypeKind::Any: break;
        }
        return Facts::any();
    }

private:
    const Fact* any_map() { return facts_.or_nil(facts_.dict(Facts::any())); }
    const Fact* record(const Type& type) {
        const auto has_others = [&](const UnwrittenField& one) { return one.name == kAnyField && one.path == path_; };
        if (std::ranges::any_of(unwritten_, has_others)) return any_map();
        std::vector<FactPart> fields;
        for (const Field& field : type.fields)
            fields.push_back({field.name, fact_below(field.name, field.type)});
        for (const UnwrittenField& field : unwritten_) {
            if (field.path == path_) fields.push_back({field.name, Facts::any()});
        }
        return facts_.record(fields, origin_, false);
    }
    /// The path is that of UnwrittenField, and is needed for nothing else.
    const Fact* fact_below(std::string_view step, const Type& type) {
        if (unwritten_.empty()) return fact(type);
        const std::size_t size = path_.size();
        if (size > 0 && step != "[]") path_ += '.';
        path_ += step;
        const Fact* made = fact(type);
        path_.resize(size);
        return made;
    }

    Facts& facts_;
    Origin origin_;
    std::span<const UnwrittenField> unwritten_;
    std::string path_;
};

} // namespace

const Fact* fact_of_type(Facts& facts, const Type& type, Origin origin, std::span<const UnwrittenField> unwritten) {
    return FactsOfType(facts, origin, unwritten).fact(type);
}

// ---- Data

DataFacts::Sketch& DataFacts::field_of(Sketch& record, std::string_view name, std::size_t hint) {
    if (hint < record.fields.size() && record.fields[hint].first == name) return *record.fields[hint].second;
    for (auto& [own, sketch] : record.fields) {
        if (own == name) return *sketch;
    }
    return *record.fields.emplace_back(name, &sketches_.emplace_back()).second;
}

/// Data are at most as deep as JSON may be, so recursion is bounded.
Result<void> DataFacts::look_at(Heap& heap, const Value& value, Sketch& sketch) {
    if (value.is_nil() || left_ == 0) return {};
    --left_;
    if (value.is_boolean()) {
        sketch.kinds |= Sketch::Bool;
    } else if (value.is_number()) {
        sketch.kinds |= Sketch::Numeric;
    } else if (value.is_string()) {
        sketch.kinds |= Sketch::String;
        if (!sketch.texts) sketch.texts = &texts_.emplace_back();
        sketch.texts->first.add(text_of(value));
    } else if (value.is_vector()) {
        sketch.kinds |= Sketch::Vector;
        if (!sketch.items) sketch.items = &sketches_.emplace_back();
        const VectorReader items(value);
        for (std::size_t i = 0; i < items.size(); ++i)
            PTC_CHECK(look_at(heap, items.at(i), *sketch.items));
    } else if (value.is_map()) {
        sketch.kinds |= Sketch::Map;
        const MapView fields = PTC_TRY(MapView::of(heap, value));
        for (std::size_t i = 0; i < fields.size() && !sketch.is_dictionary; ++i) {
            const Value& key = fields.key(i);
            sketch.is_dictionary = !key.is_string() && !key.is_keyword();
            if (!sketch.is_dictionary) PTC_CHECK(look_at(heap, fields.value(i), field_of(sketch, text_of(key), i)));
            sketch.is_dictionary = sketch.is_dictionary || sketch.fields.size() > Facts::kMaxParts;
        }
    } else {
        sketch.kinds |= Sketch::Other;
    }
    return {};
}

const Fact* DataFacts::fact_of(const Sketch& sketch, std::string_view origin) {
    if (std::popcount(sketch.kinds) != 1) return Facts::any();
    switch (sketch.kinds) {
    case Sketch::Bool: return Facts::of(FactKind::Bool, false);
    case Sketch::Numeric: return Facts::of(FactKind::Numeric, false);
    case Sketch::String:
        sketch.texts->second = sketch.texts->first.result();
        return facts_.text(&sketch.texts->second, false);
    case Sketch::Vector: return facts_.list(fact_of(*sketch.items, origin), false);
    case Sketch::Map: break;
    default: return Facts::any();
    }
    if (sketch.is_dictionary || sketch.fields.empty()) return facts_.or_nil(facts_.dict(Facts::any()));
    std::vector<FactPart> fields;
    for (const auto& [name, field] : sketch.fields)
        fields.push_back({name, fact_of(*field, origin)});
    return facts_.record(fields, origin, false);
}

Result<void> DataFacts::add(Heap& heap, const Value& data, std::string_view space, std::vector<DataInfo>& to) {
    const MapView names = PTC_TRY(MapView::of(heap, data));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = text_of(names.key(i));
        Sketch& sketch = sketches_.emplace_back();
        PTC_CHECK(look_at(heap, names.value(i), sketch));
        const std::string& origin = origins_.emplace_back(std::string(space) + std::string(name));
        to.push_back({name, left_ > 0 ? fact_of(sketch, origin) : Facts::any()});
    }
    return {};
}

} // namespace ptc
