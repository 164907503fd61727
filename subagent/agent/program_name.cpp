#include "subagent/agent/program_name.h"
#include "frontend/reader/reader.h"
#include "frontend/reader/repairs.h"
#include <algorithm>
#include <cctype>

namespace ptc {
namespace {

constexpr std::string_view kSigns = "*+!-_?<>=.%&'/"; ///< beside letters and digits
constexpr std::size_t kLongest = 1000;                ///< bytes of a name

bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kSigns.find(c) != std::string_view::npos;
}

} // namespace

bool is_program_name(std::string_view name) {
    if (name.empty() || name.size() > kLongest || !std::ranges::all_of(name, is_name_char)) return false;
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    if (std::ranges::all_of(name, is_plain)) return true;
    const Source source("name", "data/" + std::string(name));
    Diagnostics found;
    const Forms forms = read_forms(source, {}, found);
    return !found.has_errors() && forms.top_level().size() == 1 && forms.top_level()[0].is_symbol(source.text());
}

std::string program_name(std::string_view name) {
    if (is_program_name(name)) return std::string(name);
    std::string out;
    for (const char c : replace_non_ascii(name.substr(0, kLongest)).text) {
        if (is_name_char(c))
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (out.ends_with('-') || out.ends_with('/'))
        out.pop_back();
    return is_program_name(out) ? out : "value";
}

} // namespace ptc
