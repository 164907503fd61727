// JSON objects, member by member, in the order in which they are added.
#pragma once
#include "frontend/json_text.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

class JsonObject {
public:
    /// `json` is a JSON text already.
    JsonObject& raw(std::string_view name, std::string_view json) {
        key(name);
        out_ += json;
        return *this;
    }
    JsonObject& text(std::string_view name, std::string_view value) {
        key(name);
        append_json_string(out_, value);
        return *this;
    }
    /// null for "".
    JsonObject& text_or_null(std::string_view name, std::string_view value) {
        return value.empty() ? raw(name, "null") : text(name, value);
    }
    JsonObject& number(std::string_view name, std::int64_t value) { return raw(name, std::to_string(value)); }
    JsonObject& boolean(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
    /// Members that are written already, each with a comma in front.
    JsonObject& more(std::string_view members) {
        out_ += out_.size() > 1 || members.empty() ? members : members.substr(1);
        return *this;
    }
    /// The text; nothing may be added afterwards.
    [[nodiscard]] std::string finish() { return std::move(out_ += '}'); }

private:
    void key(std::string_view name) {
        if (out_.size() > 1) out_ += ',';
        append_json_string(out_, name);
        out_ += ':';
    }
    std::string out_ = "{";
};

/// "[a,b]" of what `write(item)` gives for each item: JSON texts.
template <class Items, class Write> std::string json_array(const Items& items, Write write) {
    std::string out = "[";
    for (const auto& item : items) {
        if (out.size() > 1) out += ',';
        out += write(item);
    }
    return out += ']';
}

inline std::string json_string(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

} // namespace ptc
