// One walk over brackets, commas and colons gives parts of a text, whatever they hold; nothing of it recurses, and
// nothing is made but where parts begin and end. The grammar is a second reader, which says whether all of it is JSON:
// the parts alone do not.
#include "subagent/mcp/json_parts.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

bool is_opening(char c) { return c == '[' || c == '{'; }

/// Calls `visit(part, colon)` for what stands between the brackets of the whole, by its commas; `colon` is where the
/// first one of the part is, npos where it has none. Whether it is a whole in brackets of this kind, and all of it was
/// visited or `visit` said false.
template <class Visit> bool visit_parts(std::string_view json, char opening, Visit visit) {
    json = trimmed_json(json);
    if (json.empty() || json.front() != opening) return false;
    std::size_t begin = 1, end = 0;
    std::size_t colon = std::string_view::npos;
    bool is_first = true, is_stopped = false;
    visit_structure(json, [&](std::size_t i, std::size_t depth) {
        if (depth == 0 && i > 0) {
            end = i;
            const std::string_view last = json.substr(begin, i - begin);
            if (!is_first || !trimmed_json(last).empty()) is_stopped = !visit(last, colon);
            return false;
        }
        if (depth != 1 || is_opening(json[i])) return true;
        if (json[i] == ':') {
            if (colon == std::string_view::npos) colon = i - begin;
            return true;
        }
        if (json[i] != ',') return true;
        is_stopped = !visit(json.substr(begin, i - begin), colon);
        is_first = false;
        begin = i + 1;
        colon = std::string_view::npos;
        return !is_stopped;
    });
    return is_stopped || (end > 0 && end + 1 == json.size() && json.back() == (opening == '{' ? '}' : ']'));
}

/// Reads by the grammar, and keeps nothing but which brackets are open.
class Grammar {
public:
    explicit Grammar(std::string_view text) : text_(text) {}
    bool is_value() {
        do {
            skip_blanks();
            if (take('{') ? !open('}') : take('[') ? !open(']') : !scalar()) return false;
            if (!is_before_value_ && !close()) return false;
        } while (is_before_value_);
        return at_ == text_.size();
    }

private:
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        const bool is_it = at_ < text_.size() && text_[at_] == c;
        at_ += is_it;
        return is_it;
    }
    void skip_blanks() {
        while (take(' ') || take('\t') || take('\r') || take('\n')) {
        }
    }
    /// Behind a bracket: to its first value, or behind what closes it.
    bool open(char closing) {
        skip_blanks();
        is_before_value_ = !take(closing);
        if (!is_before_value_) return true;
        open_ += closing;
        return closing == ']' || key();
    }
    /// Behind a value: to the next one, or to the end.
    bool close() {
        for (skip_blanks(); !open_.empty(); skip_blanks()) {
            if (take(',')) {
                skip_blanks();
                is_before_value_ = true;
                return open_.back() == ']' || key();
            }
            if (!take(open_.back())) return false;
            open_.pop_back();
        }
        return true;
    }
    bool key() {
        if (!string()) return false;
        skip_blanks();
        return take(':');
    }
    bool scalar() {
        is_before_value_ = false;
        if (peek() == '"') return string();
        for (const std::string_view word : {"true", "false", "null"}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return true;
        }
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (!take('e') && !take('E')) return true;
        if (!take('+')) take('-');
        return digits();
    }
    bool digits() {
        const std::size_t begin = at_;
        while (peek() >= '0' && peek() <= '9')
            ++at_;
        return at_ > begin;
    }
    bool string() {
        if (!take('"')) return false;
        while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20) {
            const char c = text_[at_++];
            if (c == '"') return true;
            if (c == '\\' && !escape()) return false;
        }
        return false;
    }
    bool escape() {
        constexpr std::string_view kPlain = "\"\\/bfnrt", kDigits = "0123456789abcdefABCDEF";
        if (!take('u')) return at_ < text_.size() && kPlain.find(text_[at_++]) != std::string_view::npos;
        for (int i = 0; i < 4; ++i) {
            if (at_ == text_.size() || kDigits.find(text_[at_++]) == std::string_view::npos) return false;
        }
        return true;
    }

    const std::string_view text_;
    std::size_t at_ = 0;
    std::string open_; ///< what closes each bracket that is open
    bool is_before_value_ = false;
};

} // namespace

bool is_json(std::string_view text) { return Grammar(text).is_value(); }

std::string_view trimmed_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_deeper(std::string_view json, std::size_t most) {
    bool is_deep = false;
    visit_structure(json, [&](std::size_t i, std::size_t depth) {
        is_deep = is_opening(json[i]) && depth >= most;
        return !is_deep;
    });
    return is_deep;
}

std::string without_deeper(std::string_view json, std::size_t most) {
    std::string out;
    std::size_t kept = 0;
    visit_structure(json, [&](std::size_t i, std::size_t depth) {
        if (depth != most || json[i] == ',' || json[i] == ':') return true;
        if (is_opening(json[i]))
            out.append(json.substr(kept, i - kept)).append("null");
        else
            kept = i + 1;
        return true;
    });
    return out.append(json.substr(std::min(kept, json.size())));
}

bool visit_members(std::string_view object,
                   const std::function<bool(std::string_view key, std::string_view value)>& visit) {
    bool are_members = true;
    const bool is_whole = visit_parts(object, '{', [&](std::string_view part, std::size_t colon) {
        are_members = colon != std::string_view::npos;
        return are_members && visit(trimmed_json(part.substr(0, colon)), trimmed_json(part.substr(colon + 1)));
    });
    return is_whole && are_members;
}

bool visit_items(std::string_view list, const std::function<bool(std::string_view item)>& visit) {
    return visit_parts(list, '[', [&](std::string_view part, std::size_t) { return visit(trimmed_json(part)); });
}

std::string_view find_member(std::string_view object, std::string_view key) {
    std::string_view found;
    visit_members(object, [&](std::string_view name, std::string_view value) {
        const bool is_it = name.size() == key.size() + 2 && name.substr(1, key.size()) == key;
        if (is_it) found = value;
        return !is_it;
    });
    return found;
}

} // namespace ptc::mcp
