// What a model reads of a native call's result when programs can have all of it: its size and shape, with as few values
// as the tool's options want, and the program that reads the rest. So a result of ten thousand rows costs a model a
// line.
#include "subagent/agent/native_preview.h"
#include "ptc/cache_key.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/mission_memory.h"
#include "subagent/agent/preview.h"
#include "subagent/agent/prompt.h"
#include <algorithm>
#include <cmath>

namespace ptc {
namespace {

using Members = std::vector<std::pair<std::string, Datum>>;

std::string_view schema_type(const Datum& value) {
    if (value.is_nil()) return "null";
    if (value.get_if<bool>()) return "boolean";
    if (value.get_if<std::int64_t>() || value.get_if<Datum::BigInteger>()) return "integer";
    if (value.get_if<double>()) return "number";
    if (value.list() || value.get_if<Datum::Set>()) return "array";
    return value.map() ? "object" : "string";
}

std::vector<std::string> keys_of(const Datum& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : *map.map())
        keys.emplace_back(key_name(key));
    std::ranges::sort(keys);
    return keys;
}

/// More keys than a record has: they are data, and only a few of them are shown.
constexpr std::size_t kMostFields = 64;
constexpr std::size_t kSampleKeys = 20;
constexpr std::size_t kLongestKey = 100; ///< bytes

bool is_record(const Datum& map) {
    return map.map()->size() <= kMostFields && std::ranges::all_of(*map.map(), [](const auto& entry) {
               return key_name(entry.first).size() <= kLongestKey;
           });
}

/// A schema, and what it does not say of the value; "" for nothing.
struct ShownSchema {
    Datum schema;
    std::string cut{};
};

ShownSchema object_schema(const Datum& map) {
    if (!is_record(map))
        return {Datum::object({{"type", "object"}}), std::to_string(map.map()->size()) + " keys are not listed"};
    Members properties;
    for (const std::string& key : keys_of(map))
        properties.emplace_back(key, Datum(schema_type(*map.find(key))));
    Members schema = {{"type", "object"}};
    if (!properties.empty()) schema.emplace_back("properties", Datum::object(std::move(properties)));
    return {Datum::object(std::move(schema))};
}

/// Of what all items have in common: nothing, a type, or for maps of the same keys these.
ShownSchema items_schema(const Datum::List& items) {
    if (items.empty()) return {Datum(Datum::Map())};
    const auto type = schema_type(items[0]);
    if (std::ranges::any_of(items, [&](const Datum& item) { return schema_type(item) != type; }))
        return {Datum(Datum::Map()), "items have several types"};
    if (!items[0].map()) return {Datum::object({{"type", Datum(type)}})};
    const auto keys = keys_of(items[0]);
    const bool is_uniform = std::ranges::all_of(items, [&](const Datum& item) { return keys_of(item) == keys; });
    if (is_uniform) return object_schema(items[0]);
    return {Datum::object({{"type", "object"}}), "items have different keys"};
}

std::vector<std::string> sample_keys(const Datum& map) {
    std::vector<std::string> keys = keys_of(map);
    if (is_record(map)) return keys;
    std::erase_if(keys, [](const std::string& key) { return key.size() > kLongestKey; });
    keys.resize(std::min(keys.size(), kSampleKeys));
    return keys;
}

Datum names(const std::vector<std::string>& keys) {
    Datum::List list;
    for (const std::string& key : keys)
        list.emplace_back(key);
    return Datum(std::move(list));
}

void add_cut(Members& out, const ShownSchema& shown) {
    if (!shown.cut.empty()) out.emplace_back("schema_cut", Datum(shown.cut));
}

Members metadata(const Datum& result) {
    Members out;
    if (const auto* items = result.list()) {
        ShownSchema shown = items_schema(*items);
        Datum& schema = shown.schema;
        out.emplace_back("result_count", Datum(static_cast<std::int64_t>(items->size())));
        if (schema.find("properties")) out.emplace_back("sample_keys", names(keys_of((*items)[0])));
        out.emplace_back("schema", Datum::object({{"type", "array"}, {"items", std::move(schema)}}));
        add_cut(out, shown);
    } else if (result.map()) {
        if (!is_record(result)) out.emplace_back("key_count", Datum(static_cast<std::int64_t>(result.map()->size())));
        out.emplace_back("sample_keys", names(sample_keys(result)));
        ShownSchema shown = object_schema(result);
        out.emplace_back("schema", std::move(shown.schema));
        add_cut(out, shown);
    } else {
        out.emplace_back("schema", Datum::object({{"type", Datum(schema_type(result))}}));
    }
    return out;
}

Members rows_preview(const Datum& result, std::size_t limit) {
    Members out = metadata(result);
    if (const auto* items = result.list()) {
        const auto end = items->begin() + static_cast<std::ptrdiff_t>(std::min(limit, items->size()));
        out.emplace_back("rows", public_view(Datum(Datum::List(items->begin(), end))));
    }
    return out;
}

/// Whether JSON can say it: it has no infinities, and nothing that is not a number.
bool is_encodable(const Datum& value) {
    if (const double* x = value.get_if<double>()) return std::isfinite(*x);
    if (const auto* items = value.list()) return std::ranges::all_of(*items, is_encodable);
    if (const auto* set = value.get_if<Datum::Set>()) return std::ranges::all_of(set->items, is_encodable);
    if (const auto* entries = value.map())
        return std::ranges::all_of(*entries, [](const auto& entry) { return is_encodable(entry.second); });
    return true;
}

Members custom_preview(const Datum& result, const NativeResult& how, std::string* problem) {
    try {
        const Result<Datum> made = how.custom(result);
        *problem = !made.ok()                    ? "raised"
                   : !made.value().map()         ? "non_map"
                   : !is_encodable(made.value()) ? "non_encodable"
                                                 : "";
        if (!problem->empty()) return metadata(result);
        Members out;
        const Datum shown = public_view(made.value());
        for (const auto& [key, value] : *shown.map())
            out.emplace_back(key_name(key), value);
        return out;
    } catch (...) {
        *problem = "raised";
        return metadata(result);
    }
}

constexpr std::size_t kLongestHint = 4000; ///< bytes of arguments

} // namespace

std::string cache_hint(const std::string& tool, const Datum& arguments) {
    PreviewLimits all;
    all.list = all.map = all.string = SIZE_MAX;
    all.bytes = kLongestHint;
    all.depth = 100;
    const Preview written = preview(canonical_arguments(arguments), all);
    // Requirement 211, as long as that is a program.
    const bool is_program =
        !written.is_cut && written.text.size() <= kLongestHint && written.text.find(kFirewalled) == std::string::npos;
    return "Call lisp_eval and then call (tool/" + tool + " " +
           (is_program ? written.text : "{..the same arguments..}") + ") to process the full cached result.";
}

NativeShown show_native(const Datum& result, const PromptLimit& limit, bool has_programs) {
    PreviewLimits limits;
    const bool is_usual = limit.list >= limits.list && limit.string >= limits.string;
    if (is_usual && compact_size(result) <= limits.bytes) return {public_view(result)};
    limits = result_limits(preview_limits(limit), false);
    if (is_usual && !has_programs) {
        limits.list = limits.map = SIZE_MAX;
        limits.string = limits.bytes;
    }
    NativeShown shown{{}, preview(result, limits)};
    shown.content = shown.preview.is_cut ? native_part(shown.preview, "") : public_view(result);
    return shown;
}

Datum native_part(const Preview& shown, const std::string& paging) {
    const std::string advice = "This is a part of the result. Ask for less of it, if the tool can give less.";
    return Datum::object({{"status", "ok"},
                          {"result", shown.text},
                          {"truncated", true},
                          {"feedback", paging.empty() ? advice : paging}});
}

Datum native_preview(const std::string& tool, const Datum& arguments, const Datum& result, const NativeResult& how,
                     std::string* problem) {
    Members out = {{"status", "ok"}};
    Members shown;
    switch (how.preview) {
    case NativeResult::Preview::Metadata: shown = metadata(result); break;
    case NativeResult::Preview::Rows: shown = rows_preview(result, how.limit); break;
    case NativeResult::Preview::Custom: shown = custom_preview(result, how, problem); break;
    }
    for (auto& member : shown)
        out.push_back(std::move(member));
    out.emplace_back("full_result_cached", true);
    out.emplace_back("cache_hint", cache_hint(tool, arguments));
    return Datum::object(std::move(out));
}

} // namespace ptc
