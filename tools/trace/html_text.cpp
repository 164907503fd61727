// Text and programs as HTML. Everything that comes from a trace is escaped here, characters that turn the direction of
// text included; programs are coloured by a small scanner that accepts any text.
#include "tools/trace/html_text.h"
#include "compiler/language/special_forms.h"
#include <algorithm>
#include <cctype>

namespace ptc {
namespace {

/// Special forms, and what runs its parts side by side.
bool is_form(std::string_view word) {
    if (word == "pmap" || word == "pcalls") return true;
    return std::ranges::any_of(special_forms(), [&](const SpecialForm& form) {
        return form.shadowing != SpecialForm::kCore && word == form.name;
    });
}

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool is_delimiter(char c) { return std::isspace(static_cast<unsigned char>(c)) || is_one_of(c, "()[]{}\",;'`~@^"); }

/// A character of three bytes that changes the direction of text (U+202A to U+202E, U+2066 to U+2069).
bool turns_direction(std::string_view rest) {
    if (rest.size() < 3 || rest[0] != '\xE2') return false;
    return (rest[1] == '\x80' && rest[2] >= '\xAA' && rest[2] <= '\xAE') ||
           (rest[1] == '\x81' && rest[2] >= '\xA6' && rest[2] <= '\xA9');
}

class Marker {
public:
    explicit Marker(std::string_view text) : rest_(text) {}
    std::string run() {
        while (!rest_.empty())
            next();
        return std::move(out_);
    }

private:
    void next() {
        const char c = rest_.front();
        if (c == ';') return take("c", std::min(rest_.find('\n'), rest_.size()));
        if (c == '"') return take("s", string_size());
        if (c == '\\') return take("s", std::min<std::size_t>(2, rest_.size()));
        if (is_one_of(c, "()[]{}")) return take("p", 1);
        if (is_delimiter(c)) return take("", 1);
        const std::size_t size = word_size();
        take(class_of(rest_.substr(0, size)), size);
    }
    [[nodiscard]] std::size_t string_size() const {
        std::size_t at = 1;
        while (at < rest_.size() && rest_[at] != '"')
            at += rest_[at] == '\\' ? 2 : 1;
        return std::min(at + 1, rest_.size());
    }
    [[nodiscard]] std::size_t word_size() const {
        const auto end = std::ranges::find_if(rest_, is_delimiter);
        return std::max<std::size_t>(1, static_cast<std::size_t>(end - rest_.begin()));
    }
    static std::string_view class_of(std::string_view word) {
        const bool has_sign = word.size() > 1 && (word[0] == '-' || word[0] == '+');
        if (std::isdigit(static_cast<unsigned char>(word[has_sign ? 1 : 0]))) return "n";
        if (word[0] == ':') return "k";
        for (const std::string_view space : {"tool/", "data/", "ctx/", "memory/"}) {
            if (word.starts_with(space)) return "t";
        }
        return is_form(word) ? "d" : "";
    }
    void take(std::string_view name, std::size_t size) {
        const std::string text = html_text(rest_.substr(0, size));
        rest_.remove_prefix(size);
        if (name.empty())
            out_ += text;
        else
            out_ += "<i class=\"" + std::string(name) + "\">" + text + "</i>";
    }
    std::string_view rest_;
    std::string out_;
};

} // namespace

std::string html_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        switch (text[i]) {
        case '<': out += "&lt;"; continue;
        case '>': out += "&gt;"; continue;
        case '&': out += "&amp;"; continue;
        case '"': out += "&quot;"; continue;
        default: break;
        }
        const bool is_turn = turns_direction(text.substr(i));
        if (is_turn) i += 2;
        if (is_turn || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F)
            out += "\xEF\xBF\xBD"; // U+FFFD
        else
            out += text[i];
    }
    return out;
}

std::string html_program(std::string_view program) { return Marker(program).run(); }

} // namespace ptc
