// Prompt templates: `Find {{limit}} items for {{user.name}}: {{#tags}}{{.}}, {{/tags}}`.
#pragma once
#include "ptc/datum.h"
#include "ptc/signature_text.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// A section of the top level.
struct TemplateSection {
    std::string name;
    bool is_inverted = false;
    std::vector<std::string> fields; ///< names used inside, "." for the element itself; nested sections by name only
};

/// What expanding gave. Nothing was left out when `missing` is empty.
struct Expansion {
    std::string text;
    std::vector<std::string> missing; ///< dotted names without a value, in order, each once
};

/// How a template goes with a signature's parameters.
struct TemplateMatch {
    std::vector<std::string> unmatched;  ///< names that no parameter has, in order
    std::vector<std::string> bad_fields; ///< names inside of sections that the elements do not have
    std::vector<std::string> unused;     ///< parameters that the template does not mention
    /// Programs read parameters without the template's help, text output does not: there, unused ones are an error too.
    [[nodiscard]] bool ok(bool is_text_output) const {
        return unmatched.empty() && bad_fields.empty() && (unused.empty() || !is_text_output);
    }
};

/// A parsed template. Immutable, shared among threads.
///
/// `{{a.b}}` puts in a value; `{{#xs}}..{{/xs}}` repeats for each element of a list, or goes into a map, or stands
/// where the value is true; `{{^xs}}..{{/xs}}` stands where it is nil, false, empty or absent; `{{! ..}}` is a comment.
/// A tag of these that is alone on its line takes the line with it. Names start with a letter or `_`; letters, digits,
/// `_` and `-` follow. Inside of a section a name is looked for in the element, then outside. The value of a name that
/// starts with `_` is shown as `<Firewalled>`.
class Template {
public:
    Template(); ///< of the empty text
    /// template_error with the tag's span in `text` otherwise.
    static Result<Template> parse(std::string_view text);

    /// Names in order of first appearance, sections included, what is inside of sections not.
    [[nodiscard]] std::vector<std::string> placeholders() const;
    [[nodiscard]] std::vector<TemplateSection> sections() const;
    /// `context` is a map. A name matches a key of the same spelling, else one that differs in hyphens and underscores.
    /// Lists and maps are put in as JSON. Fails when the text would be longer than `max_bytes`.
    [[nodiscard]] Result<Expansion> expand(const Datum& context, std::size_t max_bytes = 1u << 20) const;
    [[nodiscard]] TemplateMatch match(const Signature& signature) const;

private:
    struct Node;
    friend struct TemplateAccess; ///< for the library's own files
    explicit Template(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
    std::shared_ptr<const Node> root_;
};

} // namespace ptc
