// Prompt templates, expanded and matched with signatures; template_parser.cpp reads them. Expanding walks the tree with
// a stack of scopes: a name is looked for in the innermost element first. Text is only ever appended, and counted, so a
// template over much data stops at its limit. Values of firewalled names are shown as <Firewalled>, also inside lists
// and maps that are put in as JSON.
#include "frontend/work.h"
#include "runtime/number.h"
#include "subagent/engine/template_node.h"
#include <algorithm>

namespace ptc {
namespace {

using Node = TemplateNode;

void add_once(std::vector<std::string>& names, std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

bool is_truthy(const Datum& value) {
    if (value.is_nil()) return false;
    if (const bool* flag = value.get_if<bool>()) return *flag;
    if (const std::string* text = value.text()) return !text->empty();
    if (const Datum::List* items = value.list()) return !items->empty();
    return true;
}

/// The value at a key of this name, or of one that differs in hyphens and underscores only.
const Datum* member(const Datum& value, const std::string& name) {
    if (const Datum* exact = value.find(name)) return exact;
    if (!value.map()) return nullptr;
    for (const auto& [key, item] : *value.map()) {
        const auto* keyword = key.get_if<Datum::Keyword>();
        const std::string* text = keyword ? &keyword->name : key.text();
        if (text && names_match(*text, name)) return &item;
    }
    return nullptr;
}

bool is_hidden(const std::vector<std::string>& path) { return std::ranges::any_of(path, is_firewalled); }

constexpr std::size_t kWorkOfValue = 10; ///< of work::Scope: copied, written, and gone

/// Without the values of firewalled keys; nil when there is no time.
Datum shown(const Datum& value) {
    if (!work::charge(kWorkOfValue)) return {};
    if (const Datum::List* items = value.list()) {
        Datum::List out;
        for (std::size_t i = 0; i < items->size() && !work::is_over(); ++i)
            out.push_back(shown((*items)[i]));
        return Datum(std::move(out));
    }
    if (!value.map()) return value;
    Datum::Map out;
    for (const auto& [key, item] : *value.map()) {
        if (work::is_over()) break;
        const auto* keyword = key.get_if<Datum::Keyword>();
        const std::string* text = keyword ? &keyword->name : key.text();
        out.emplace_back(key, text && is_firewalled(*text) ? Datum("<Firewalled>") : shown(item));
    }
    return Datum(std::move(out));
}

std::string text_of_value(const Datum& value) {
    if (value.is_nil()) return "";
    if (const std::string* text = value.text()) return *text;
    if (const auto* keyword = value.get_if<Datum::Keyword>()) return keyword->name;
    if (const auto* opaque = value.get_if<Datum::Opaque>()) return opaque->text;
    if (const double* number = value.get_if<double>()) {
        std::string text;
        append_double(*number, text);
        return text;
    }
    const Datum part = shown(value);
    return work::is_over() ? "" : part.to_json();
}

class Expander {
public:
    Expander(const Datum& context, std::size_t max_bytes) : max_bytes_(max_bytes) { stack_.push_back(&context); }

    bool run(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (!step(node)) return false;
        }
        return true;
    }
    Expansion take() { return std::move(result_); }

private:
    /// Sections in sections may visit the same list again and again without writing anything.
    static constexpr std::size_t kMaxSteps = 1'000'000;

    bool step(const Node& node) {
        if (++steps_ > kMaxSteps || !work::charge(kWorkOfValue)) return false;
        switch (node.kind) {
        case Node::Kind::Text: return append(node.text);
        case Node::Kind::Variable: return variable(node);
        case Node::Kind::Inverted: {
            const Datum* value = find(node.path);
            return (value && is_truthy(*value)) || run(node.children);
        }
        case Node::Kind::Section: return section(node);
        }
        return true;
    }

    bool append(std::string_view text) {
        if (text.size() > max_bytes_ - result_.text.size()) return false;
        result_.text += text;
        return true;
    }

    bool variable(const Node& node) {
        const Datum* value = find(node.path);
        if (!value) {
            add_once(result_.missing, node.name());
            return true;
        }
        return append(is_hidden(node.path) ? "<Firewalled>" : text_of_value(*value));
    }

    bool section(const Node& node) {
        const Datum* value = find(node.path);
        if (!value || !is_truthy(*value)) return true;
        if (const Datum::List* items = value->list())
            return std::ranges::all_of(*items, [&](const Datum& item) { return run_inside(node, item); });
        return value->map() ? run_inside(node, *value) : run(node.children);
    }

    bool run_inside(const Node& node, const Datum& element) {
        stack_.push_back(&element);
        const bool is_done = run(node.children);
        stack_.pop_back();
        return is_done;
    }

    /// From the innermost element out.
    [[nodiscard]] const Datum* find(const std::vector<std::string>& path) const {
        if (path.empty()) return stack_.back();
        for (auto scope = stack_.rbegin(); scope != stack_.rend(); ++scope) {
            const Datum* value = *scope;
            for (const std::string& step : path)
                value = value ? member(*value, step) : nullptr;
            if (value) return value;
        }
        return nullptr;
    }

    std::vector<const Datum*> stack_;
    Expansion result_;
    std::size_t max_bytes_;
    std::size_t steps_ = 0;
};

// ---- Against types

const Type* field_of(const Type& type, const std::string& name) {
    const auto at =
        std::ranges::find_if(type.fields, [&](const Field& field) { return names_match(field.name, name); });
    return at == type.fields.end() ? nullptr : &at->type;
}

/// Types whose parts are not known: anything may be inside.
bool is_open(const Type& type) { return type.is(TypeKind::Any) || type.is(TypeKind::Map) || type.is(TypeKind::Union); }

class Matcher {
public:
    explicit Matcher(const Type& params) : params_(params) { scopes_.push_back(&params); }

    void top(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (node.kind == Node::Kind::Text) continue;
            use(node);
            if (node.path.empty()) {
                add_once(match_.bad_fields, ".");
                continue;
            }
            const Type* type = resolve(node.path);
            if (!type) add_once(match_.unmatched, node.name());
            if (type && node.is_section()) enter(node, *type);
        }
    }

    TemplateMatch take() {
        for (const Field& param : params_.fields) {
            if (std::ranges::none_of(used_, [&](const std::string& name) { return names_match(name, param.name); }))
                match_.unused.push_back(param.name);
        }
        return std::move(match_);
    }

private:
    void use(const Node& node) {
        if (!node.path.empty()) add_once(used_, node.path.front());
    }

    void enter(const Node& node, const Type& type) {
        const bool pushes =
            node.kind == Node::Kind::Section && (type.is(TypeKind::List) || type.is(TypeKind::Record) || is_open(type));
        if (pushes) scopes_.push_back(type.is(TypeKind::List) ? &type.element() : &type);
        inside(node.children);
        if (pushes) scopes_.pop_back();
    }

    void inside(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (node.kind == Node::Kind::Text) continue;
            use(node);
            const Type* type = node.path.empty() ? element() : resolve(node.path);
            if (!type) add_once(match_.bad_fields, node.name());
            if (type && node.is_section()) enter(node, *type);
        }
    }

    /// The element itself, where it can be shown.
    [[nodiscard]] const Type* element() const {
        const Type* type = scopes_.back();
        return scopes_.size() == 1 || type->is(TypeKind::Record) ? nullptr : type;
    }

    [[nodiscard]] const Type* resolve(const std::vector<std::string>& path) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const Type* type = follow(**scope, path)) return type;
        }
        return nullptr;
    }

    static const Type* follow(const Type& root, const std::vector<std::string>& path) {
        const Type* type = &root;
        for (const std::string& step : path) {
            if (is_open(*type)) return type;
            type = field_of(*type, step);
            if (!type) return nullptr;
        }
        return type;
    }

    const Type& params_;
    std::vector<const Type*> scopes_;
    std::vector<std::string> used_;
    TemplateMatch match_;
};

} // namespace

Template::Template() : root_(std::make_shared<const Node>(Node{Node::Kind::Section, "", {}, {}})) {}

std::vector<std::string> Template::placeholders() const {
    std::vector<std::string> names;
    for (const Node& node : root_->children) {
        if (node.kind != Node::Kind::Text && !node.path.empty()) add_once(names, node.name());
    }
    return names;
}

std::vector<TemplateSection> Template::sections() const {
    std::vector<TemplateSection> sections;
    for (const Node& node : root_->children) {
        if (!node.is_section()) continue;
        TemplateSection section{node.name(), node.kind == Node::Kind::Inverted, {}};
        for (const Node& child : node.children) {
            if (child.kind != Node::Kind::Text) add_once(section.fields, child.name());
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

namespace {

void add_names(const TemplateNode& node, std::set<std::string, std::less<>>& names) {
    if (!node.path.empty()) names.insert(node.path.front());
    for (const TemplateNode& child : node.children)
        add_names(child, names);
}

} // namespace

std::set<std::string, std::less<>> names_used(const Template& parsed) {
    std::set<std::string, std::less<>> names;
    add_names(TemplateAccess::root(parsed), names);
    return names;
}

Result<Expansion> Template::expand(const Datum& context, std::size_t max_bytes) const {
    Expander expander(context, max_bytes);
    const bool is_whole = expander.run(root_->children);
    if (work::is_over()) return Error(Reason::Timeout, "Expanding the template took longer than there is time.");
    if (!is_whole)
        return Error(Reason::LimitExceeded, "The expanded template is longer than " + std::to_string(max_bytes) +
                                                " bytes, or its sections "
                                                "repeat too often.")
            .with_hint("Put a summary into the prompt; programs read the whole value from the context.");
    return expander.take();
}

TemplateMatch Template::match(const Signature& signature) const {
    const Type params = Type::record(signature.params);
    Matcher matcher(params);
    matcher.top(root_->children);
    return matcher.take();
}

} // namespace ptc
