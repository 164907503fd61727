// Text to a template's tree. Tags are found one after the other; open sections are a stack whose bottom is the root. As
// in Mustache, a section or comment tag that is alone on its line takes the line away with it. The text of a template
// is its author's: every mistake is an error with a span and a hint, nothing is guessed.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/engine/template_node.h"
#include <algorithm>

namespace ptc {
namespace {

using Node = TemplateNode;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

bool is_name(std::string_view name) {
    const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_rest = [&](char c) { return is_first(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && is_first(name.front()) && std::ranges::all_of(name, is_rest);
}

/// One `{{..}}`.
struct Tag {
    char mark = 0; ///< # ^ / ! or none
    std::string_view name;
    std::size_t begin = 0, end = 0;
    [[nodiscard]] Span span() const { return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}; }
};

Error problem(Span span, std::string message, std::string hint) {
    return Error(Reason::TemplateError, span, std::move(message), std::move(hint));
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) { open_.push_back({{Node::Kind::Section, "", {}, {}}, {}}); }

    Result<Node> run() {
        std::size_t at = 0;
        while (true) {
            const std::size_t brace = text_.find("{{", at);
            if (brace == text_.npos) break;
            const Tag tag = PTC_TRY(read_tag(brace));
            const bool is_alone = tag.mark != 0 && stands_alone(tag);
            add_text(at, is_alone ? line_begin(tag.begin) : tag.begin);
            at = is_alone ? line_end(tag.end) : tag.end;
            PTC_CHECK(add_tag(tag));
        }
        add_text(at, text_.size());
        if (open_.size() > 1)
            return problem(open_.back().tag.span(),
                           "The section " + quoted_name(open_.back().tag.name) + " is never closed.",
                           "Add `{{/" + std::string(open_.back().tag.name) + "}}`.");
        return std::move(open_.front().node);
    }

private:
    struct Open {
        Node node;
        Tag tag;
    };

    Result<Tag> read_tag(std::size_t begin) const {
        const std::size_t end = text_.find("}}", begin + 2);
        if (end == text_.npos)
            return problem({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 2)},
                           "`{{` has no matching `}}`.", "Close the placeholder: `{{name}}`.");
        Tag tag{.mark = 0, .name = trim(text_.substr(begin + 2, end - begin - 2)), .begin = begin, .end = end + 2};
        if (!tag.name.empty() && std::string_view("#^/!").find(tag.name.front()) != std::string_view::npos) {
            tag.mark = tag.name.front();
            tag.name = trim(tag.name.substr(1));
        }
        return tag;
    }

    [[nodiscard]] std::size_t line_begin(std::size_t at) const {
        while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t'))
            --at;
        return at;
    }
    [[nodiscard]] std::size_t line_end(std::size_t at) const {
        while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t'))
            ++at;
        if (at < text_.size() && text_[at] == '\r') ++at;
        return at < text_.size() && text_[at] == '\n' ? at + 1 : at;
    }
    [[nodiscard]] bool stands_alone(const Tag& tag) const {
        const std::size_t begin = line_begin(tag.begin);
        const std::size_t end = line_end(tag.end);
        const bool is_first = begin == 0 || text_[begin - 1] == '\n';
        const bool is_last = end == text_.size() || (end > tag.end && text_[end - 1] == '\n');
        // A tag that is the whole text has no line to take away.
        return is_first && is_last && (begin > 0 || end < text_.size() || text_.find('\n') != text_.npos);
    }

    void add_text(std::size_t begin, std::size_t end) {
        if (begin < end)
            open_.back().node.children.push_back(
                {Node::Kind::Text, std::string(text_.substr(begin, end - begin)), {}, {}});
    }

    Result<void> add_tag(const Tag& tag) {
        if (tag.mark == '!') return {};
        if (tag.mark == '/') return close(tag);
        std::vector<std::string> path = PTC_TRY(read_path(tag));
        if (tag.mark == 0) {
            open_.back().node.children.push_back({Node::Kind::Variable, "", std::move(path), {}});
            return {};
        }
        if (path.empty()) return problem(tag.span(), "A section needs a name.", "Write `{{#items}}..{{/items}}`.");
        if (open_.size() > kMaxTemplateNesting)
            return problem(tag.span(),
                           "Sections are nested more than " + std::to_string(kMaxTemplateNesting) + " deep.",
                           "Prepare the text in the program instead.");
        open_.push_back({{tag.mark == '#' ? Node::Kind::Section : Node::Kind::Inverted, "", std::move(path), {}}, tag});
        return {};
    }

    Result<void> close(const Tag& tag) {
        if (open_.size() == 1)
            return problem(tag.span(), "`{{/" + std::string(tag.name) + "}}` closes no section.", "Leave it out.");
        if (open_.back().tag.name != tag.name)
            return problem(tag.span(),
                           "`{{/" + std::string(tag.name) + "}}` closes a section that is called " +
                               quoted_name(open_.back().tag.name) + ".",
                           "Write `{{/" + std::string(open_.back().tag.name) + "}}`.")
                .with_label(open_.back().tag.span(), "opened here");
        Node section = std::move(open_.back().node);
        open_.pop_back();
        open_.back().node.children.push_back(std::move(section));
        return {};
    }

    static Result<std::vector<std::string>> read_path(const Tag& tag) {
        std::vector<std::string> path;
        if (tag.name == ".") return path;
        if (tag.name.empty())
            return problem(tag.span(), "A placeholder needs a name.",
                           "Write `{{name}}`, or `{{.}}` for the element of a section.");
        for (std::size_t at = 0; at <= tag.name.size();) {
            const std::size_t end = std::min(tag.name.find('.', at), tag.name.size());
            const std::string_view step = tag.name.substr(at, end - at);
            if (!is_name(step))
                return problem(
                    tag.span(), quoted_name(tag.name) + " is not a name.",
                    "Names start with a letter or `_`; letters, digits, `_` and `-` follow: `{{user.first_name}}`.");
            path.emplace_back(step);
            at = end + 1;
        }
        return path;
    }

    std::string_view text_;
    std::vector<Open> open_;
};

} // namespace

Result<Template> Template::parse(std::string_view text) {
    return Template(std::make_shared<const Node>(PTC_TRY(Parser(text).run())));
}

} // namespace ptc
