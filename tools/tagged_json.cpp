// Tags there and back. A tag is an object with one member whose name starts with $; all other JSON means itself. Rows
// nest as deep as their JSON, which the reader bounds.
#include "tools/tagged_json.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include <algorithm>

namespace ptc {
namespace {

/// The one member of an object whose name starts with $, or null.
const std::pair<Datum, Datum>* tag_of(const Datum& json) {
    const Datum::Map* entries = json.map();
    if (!entries || entries->size() != 1) return nullptr;
    const std::string* name = entries->front().first.text();
    return name && name->starts_with('$') ? &entries->front() : nullptr;
}

Error bad_tag(const std::string& tag) {
    return Error(Reason::InvalidRequest, "The value of `" + tag + "` is malformed.");
}

Result<Datum::List> untag_items(const Datum::List& items) {
    Datum::List out;
    for (const Datum& item : items)
        out.push_back(PTC_TRY(untag(item)));
    return out;
}

Result<Datum> untag_map(const Datum& pairs) {
    if (!pairs.list()) return bad_tag("$map");
    Datum::Map out;
    for (const Datum& pair : *pairs.list()) {
        if (!pair.list() || pair.list()->size() != 2) return bad_tag("$map");
        Datum key = PTC_TRY(untag((*pair.list())[0]));
        out.emplace_back(std::move(key), PTC_TRY(untag((*pair.list())[1])));
    }
    return Datum(std::move(out));
}

Result<Datum> untag_value(const std::string& tag, const Datum& value) {
    if (tag == "$map") return untag_map(value);
    if (tag == "$kw" || tag == "$dt") {
        if (!value.text()) return bad_tag(tag);
        if (tag == "$kw") return Datum(Datum::Keyword{*value.text()});
        return Datum(Datum::Opaque{*value.text(), "instant"});
    }
    if (tag != "$set" && tag != "$tuple") return bad_tag(tag);
    if (!value.list()) return bad_tag(tag);
    Datum::List items = PTC_TRY(untag_items(*value.list()));
    return tag == "$set" ? Datum(Datum::Set{std::move(items)}) : Datum(std::move(items));
}

std::string tagged(std::string_view tag, const std::string& json) { return JsonObject().raw(tag, json).finish(); }

std::string map_json(const Datum::Map& entries) {
    const bool has_text_keys =
        std::ranges::all_of(entries, [](const auto& entry) { return entry.first.text() != nullptr; });
    if (!has_text_keys) {
        return tagged("$map", json_array(entries, [](const auto& entry) {
                          return "[" + tagged_json(entry.first) + "," + tagged_json(entry.second) + "]";
                      }));
    }
    JsonObject json;
    for (const auto& [key, value] : entries)
        json.raw(*key.text(), tagged_json(value));
    return json.finish();
}

const std::string* name_of(const Datum& value) {
    const auto* keyword = value.get_if<Datum::Keyword>();
    return keyword ? &keyword->name : value.text();
}

bool same_items(const Datum::List& expected, const Datum::List& actual, bool subset) {
    return std::ranges::equal(expected, actual,
                              [&](const Datum& a, const Datum& b) { return same_datum(a, b, subset); });
}

bool same_map(const Datum::Map& expected, const Datum::Map& actual, bool subset) {
    if (!subset && expected.size() != actual.size()) return false;
    return std::ranges::all_of(expected, [&](const auto& entry) {
        return std::ranges::any_of(actual, [&](const auto& other) {
            return same_datum(entry.first, other.first) && same_datum(entry.second, other.second, subset);
        });
    });
}

} // namespace

Result<Datum> untag(const Datum& json) {
    if (json.list()) return Datum(PTC_TRY(untag_items(*json.list())));
    if (!json.map()) return json;
    if (const auto* tag = tag_of(json)) return untag_value(*tag->first.text(), tag->second);
    Datum::Map out;
    for (const auto& [key, value] : *json.map())
        out.emplace_back(key, PTC_TRY(untag(value)));
    return Datum(std::move(out));
}

std::string tagged_json(const Datum& value) {
    if (const auto* keyword = value.get_if<Datum::Keyword>()) return tagged("$kw", json_string(keyword->name));
    if (const auto* opaque = value.get_if<Datum::Opaque>())
        return opaque->type == "instant" ? tagged("$dt", json_string(opaque->text)) : json_string(opaque->text);
    if (const auto* set = value.get_if<Datum::Set>()) return tagged("$set", json_array(set->items, tagged_json));
    if (value.list()) return json_array(*value.list(), tagged_json);
    if (value.map()) return map_json(*value.map());
    return value.to_json();
}

bool same_datum(const Datum& expected, const Datum& actual, bool subset) {
    if (const std::string* name = name_of(expected)) return name_of(actual) && *name_of(actual) == *name;
    if (expected.list() && actual.list()) return same_items(*expected.list(), *actual.list(), subset);
    if (expected.map() && actual.map()) return same_map(*expected.map(), *actual.map(), subset);
    return expected == actual;
}

} // namespace ptc
