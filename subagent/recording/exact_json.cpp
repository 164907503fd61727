// Datums as JSON without loss. Most values are JSON as they are; the others become an object with one member whose name
// starts with `$`. A map that looks like one of these is written as pairs instead, so what is read is never ambiguous.
#include "subagent/recording/exact_json.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include <algorithm>
#include <cmath>

namespace ptc {
namespace {

std::string tagged(std::string_view tag, const std::string& json) {
    return "{\"" + std::string(tag) + "\":" + json + "}";
}

std::string text_json(const std::string& text) {
    if (utf8::find_invalid(text) == utf8::kValid) return json_string(text);
    std::string hex;
    hex.reserve(2 * text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return tagged("$bytes", json_string(hex));
}

bool is_plain(const Datum::Map& entries) {
    const auto is_text = [](const auto& entry) {
        return entry.first.text() && utf8::find_invalid(*entry.first.text()) == utf8::kValid;
    };
    if (!std::ranges::all_of(entries, is_text)) return false;
    return entries.size() != 1 || !entries.front().first.text()->starts_with('$');
}

std::string map_json(const Datum::Map& entries) {
    if (!is_plain(entries)) {
        return tagged("$map", json_array(entries, [](const auto& entry) {
                          return "[" + exact_json(entry.first) + "," + exact_json(entry.second) + "]";
                      }));
    }
    std::string out = "{";
    for (const auto& [key, value] : entries) {
        if (out.size() > 1) out += ',';
        out += json_string(*key.text()) + ":" + exact_json(value);
    }
    return out += '}';
}

std::string float_json(double number) {
    if (std::isfinite(number)) return Datum(number).to_json();
    return tagged("$float", std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Inf\"" : "\"-Inf\"");
}

/// Of work::Scope, for each value that is read: whoever reads a recording has a deadline.
constexpr std::size_t kWorkOfValue = 4;

Error too_late() { return {Reason::Timeout, "Reading a value took longer than there is time."}; }

Error malformed_tag(const std::string& tag) {
    return {Reason::InvalidRequest, "The value of `" + tag + "` is malformed."};
}

Result<Datum::List> read_items(const std::string& tag, const Datum& items) {
    if (!items.list()) return malformed_tag(tag);
    Datum::List out;
    out.reserve(items.list()->size());
    for (const Datum& item : *items.list())
        out.push_back(PTC_TRY(read_exact(item)));
    return out;
}

Result<Datum> read_pairs(const Datum& pairs) {
    if (!pairs.list()) return malformed_tag("$map");
    Datum::Map out;
    for (const Datum& pair : *pairs.list()) {
        if (!pair.list() || pair.list()->size() != 2) return malformed_tag("$map");
        Datum key = PTC_TRY(read_exact((*pair.list())[0]));
        out.emplace_back(std::move(key), PTC_TRY(read_exact((*pair.list())[1])));
    }
    return Datum(std::move(out));
}

Result<Datum> read_bytes(const std::string& hex) {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size() + hex.size() % 2; i += 2) {
        const int high = digit(hex[i]);
        const int low = i + 1 < hex.size() ? digit(hex[i + 1]) : -1;
        if (high < 0 || low < 0) return malformed_tag("$bytes");
        text += static_cast<char>(high * 16 + low);
    }
    return Datum(std::move(text));
}

Result<Datum> read_float(const std::string& name) {
    if (name == "NaN") return Datum(std::nan(""));
    if (name == "Inf" || name == "-Inf") return Datum(name == "Inf" ? HUGE_VAL : -HUGE_VAL);
    return malformed_tag("$float");
}

Result<Datum> read_tagged(const std::string& tag, const Datum& value) {
    if (tag == "$map") return read_pairs(value);
    if (tag == "$set") return Datum(Datum::Set{PTC_TRY(read_items(tag, value))});
    if (tag == "$opaque") {
        const Datum::List* parts = value.list();
        if (!parts || parts->size() != 2 || !(*parts)[0].text() || !(*parts)[1].text()) return malformed_tag(tag);
        return Datum(Datum::Opaque{*(*parts)[1].text(), *(*parts)[0].text()});
    }
    if (!value.text()) return malformed_tag(tag);
    if (tag == "$kw") return Datum(Datum::Keyword{*value.text()});
    if (tag == "$bytes") return read_bytes(*value.text());
    if (tag == "$float") return read_float(*value.text());
    return malformed_tag(tag);
}

} // namespace

std::string exact_json(const Datum& value) {
    if (const auto* text = value.text()) return text_json(*text);
    if (const auto* keyword = value.get_if<Datum::Keyword>()) return tagged("$kw", json_string(keyword->name));
    if (const auto* opaque = value.get_if<Datum::Opaque>())
        return tagged("$opaque", "[" + json_string(opaque->type) + "," + json_string(opaque->text) + "]");
    if (const auto* set = value.get_if<Datum::Set>()) return tagged("$set", json_array(set->items, exact_json));
    if (const auto* number = value.get_if<double>()) return float_json(*number);
    if (value.list()) return json_array(*value.list(), exact_json);
    if (value.map()) return map_json(*value.map());
    return value.to_json();
}

Result<Datum> read_exact(const Datum& json) {
    if (!work::charge(kWorkOfValue)) return too_late();
    if (json.list()) return Datum(PTC_TRY(read_items("list", json)));
    if (!json.map()) return json;
    if (json.map()->size() == 1) {
        const auto& [key, value] = json.map()->front();
        if (key.text()->starts_with('$')) return read_tagged(*key.text(), value);
    }
    Datum::Map out;
    out.reserve(json.map()->size());
    for (const auto& [key, value] : *json.map())
        out.emplace_back(key, PTC_TRY(read_exact(value)));
    return Datum(std::move(out));
}

} // namespace ptc
