// The tree of a template.
#pragma once
#include "ptc/template.h"

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
};
using TemplateNode = TemplateAccess::Node;

/// Sections within sections.
inline constexpr std::size_t kMaxTemplateNesting = 64;

} // namespace ptc
