// The tree of a template.
#pragma once
#include "ptc/template.h"
#include <set>

namespace ptc {

struct Template::Node {
    enum class Kind : std::uint8_t {
        Text,     ///< `text`
        Variable, ///< `path`; empty for `{{.}}`
        Section,  ///< `path`, `children`; the root is one without a path
        Inverted,
    };
    Kind kind = Kind::Text;
    std::string text;
    std::vector<std::string> path;
    std::vector<Node> children;

    [[nodiscard]] bool is_section() const { return kind == Kind::Section || kind == Kind::Inverted; }
    /// "user.name"; "." for the element itself.
    [[nodiscard]] std::string name() const {
        std::string dotted;
        for (const std::string& step : path)
            dotted += (dotted.empty() ? "" : ".") + step;
        return path.empty() ? "." : dotted;
    }
};

/// The way in for the library's own files; hosts have none.
struct TemplateAccess {
    using Node = Template::Node;
    static const Node& root(const Template& parsed) { return *parsed.root_; }
};
using TemplateNode = TemplateAccess::Node;
/// The first steps of all names in a template, also inside of sections: nothing else of a context is looked at.
std::set<std::string, std::less<>> names_used(const Template& parsed);

/// Sections within sections.
inline constexpr std::size_t kMaxTemplateNesting = 64;

} // namespace ptc
