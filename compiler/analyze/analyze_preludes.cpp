// Namespaces of preludes: what programs see of them, and their own bodies.
#include "compiler/analyze/analysis.h"
#include "compiler/prelude/prelude_errors.h"
#include <algorithm>

namespace ptc {
namespace {

template <class T> void add_once(std::vector<T>& list, T item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

bool is_callable(const Value& value) {
    return value.is_function() || value.is_keyword() || value.is_map() || value.is_set() || value.is_vector();
}

constexpr std::string_view kToolNeed = "tool:";

const Form* field(const Form& map, std::string_view key) {
    for (std::size_t i = 0; i + 1 < map.size; i += 2) {
        const Form& name = map.items()[i];
        if ((name.is(FormKind::Keyword) || name.is(FormKind::String)) && name.text() == key) return &map.items()[i + 1];
    }
    return nullptr;
}

} // namespace

// ---- What names mean

/// A qualified name whose namespace is a prelude's. None: it is not.
std::optional<Analyzer::Resolved> Analyzer::resolve_export(const Form& symbol, std::string_view name, bool report) {
    const std::size_t end = namespace_end(name);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view space = name.substr(0, end);
    Resolved result;
    const auto fails = [&](Error error) {
        if (report) this->report(std::move(error));
        result.kind = report ? Resolved::Error : Resolved::Unknown;
        return result;
    };
    if (prelude_ && space == prelude_->forms->name)
        return fails(qualified_sibling(span_of(symbol), space, name.substr(end + 1)));
    const PreludeNamespace* known = environment_.prelude ? environment_.prelude->find_namespace(space) : nullptr;
    if (!known) return std::nullopt;
    // Whether a name is private is not told: it might as well not be there.
    const PreludeMember* member = environment_.prelude->find(name);
    if (!member || !member->is_public) return fails(unknown_export(span_of(symbol), *known, name.substr(end + 1)));
    note_use(*member);
    result.kind = Resolved::Export;
    result.member = member;
    return result;
}

/// The program calls the tools that the export calls.
void Analyzer::note_use(const PreludeMember& member) {
    if (PreludeScope::Uses* uses = prelude_ ? prelude_->current_uses() : nullptr) add_once(uses->members, &member);
    for (const std::string& need : member.needs) {
        if (need.starts_with(kToolNeed)) note_tool(std::string_view(need).substr(kToolNeed.size()));
    }
}

void Analyzer::note_tool(std::string_view name) {
    const std::uint32_t hash = name_hash(name);
    if (tools_.find(name, hash)) return;
    tools_.add(name, hash);
    tree_.tool_names.push_back(name);
}

/// A tool that the definition calls. Of (tool/call {:server "s" :tool "t"}) both names are noted.
void Analyzer::note_prelude_tool(std::string_view name, FormSpan arguments) {
    PreludeScope::Uses* uses = prelude_ ? prelude_->current_uses() : nullptr;
    if (!uses) return;
    add_once(uses->tools, std::string(name));
    if (name != "call" || arguments.empty() || !arguments[0].is(FormKind::Map)) return;
    const Form* server = field(arguments[0], "server");
    const Form* tool = field(arguments[0], "tool");
    if (server && tool && server->is(FormKind::String) && tool->is(FormKind::String))
        add_once(uses->upstream, std::string(server->text()).append("/").append(tool->text()));
}

const Sibling* Analyzer::find_sibling(std::string_view name, std::uint32_t hash) {
    const Sibling* sibling = siblings_.find(name, hash);
    if (!sibling) return nullptr;
    if (PreludeScope::Uses* uses = prelude_->current_uses()) add_once(uses->siblings, sibling->index);
    return sibling;
}

/// Reports a form that reads or changes what a session remembers, when this is a prelude.
bool Analyzer::check_stateless(const Form& form, std::string_view what) {
    if (!prelude_ || site_.core) return true;
    report(stateful_prelude(span_of(form), what));
    return false;
}

// ---- Values and calls

Node* Analyzer::member_value(Bits value, Span span, Place place) { return literal(value, span, place); }

/// A constant of a prelude in front of arguments: (crm/page-size) is its value too.
Node* Analyzer::call_member_constant(Bits value, std::string_view name, const Form& list, Place place) {
    const Value constant = Value::adopt(value); // frozen: never counted
    const Span span = span_of(list);
    if (list.size == 1 && !constant.is_function()) return member_value(value, span, place);
    if (!is_callable(constant)) return failed(not_a_function(span_of(list.items()[0]), name));
    const Node* callee = member_value(value, span, kValue);
    return call_constant(*callee, list, place);
}

Node* Analyzer::call_export(const PreludeMember& member, const Form& list, Place place) {
    if (!member.is_function) return call_member_constant(member.value, member.name, list, place);
    const FormSpan arguments = list.items().subspan(1);
    const bool fits =
        member.variadic ? arguments.size() >= member.fixed_arguments : arguments.size() == member.fixed_arguments;
    if (!fits && !site_.core) {
        if (!check_dropped(arguments)) return nil(span_of(list), place);
        const std::size_t most = member.variadic ? SIZE_MAX : member.fixed_arguments;
        return failed(wrong_arity(Reason::ArityMismatch, span_of(list), member.name,
                                  argument_count(member.fixed_arguments, most), arguments.size(), member.usage));
    }
    return call_value(member_value(member.value, span_of(list), kValue), arguments, span_of(list), place);
}

Node* Analyzer::sibling_value(const Sibling& sibling, Span span, Place place) {
    if (const std::optional<Bits>& known = prelude_->values[sibling.index]) return member_value(*known, span, place);
    Node* node = make(sibling.clause ? NodeKind::Fn : NodeKind::Global, span, place);
    if (sibling.clause)
        node->function = prelude_->functions[sibling.index];
    else
        node->text = sibling.name; // not made yet: only looked at, never run
    return node;
}

Node* Analyzer::call_sibling(const Sibling& sibling, const Form& list, Place place) {
    const FormSpan arguments = list.items().subspan(1);
    const std::string& name = prelude_->names[sibling.index];
    if (!sibling.clause) {
        if (const std::optional<Bits>& known = prelude_->values[sibling.index])
            return call_member_constant(*known, name, list, place);
        return call_value(sibling_value(sibling, span_of(list), kValue), arguments, span_of(list), place);
    }
    if (!sibling.clause->accepts(arguments.size())) {
        if (site_.core) return call_at_run_time(sibling_value(sibling, span_of(list), kValue), list, place);
        if (!check_dropped(arguments)) return nil(span_of(list), place);
        const std::size_t most = sibling.clause->variadic ? SIZE_MAX : sibling.clause->count;
        Error error = wrong_arity(Reason::ArityMismatch, span_of(list), name,
                                  argument_count(sibling.clause->count, most), arguments.size(), {});
        return failed(
            std::move(error).with_label(prelude_->forms->definitions[sibling.index].name_span, "defined here"));
    }
    Node* node = make(NodeKind::CallFunction, span_of(list), place);
    node->function = prelude_->functions[sibling.index];
    return analyze_arguments(node, arguments, node_stack_.size());
}

// ---- Bodies

/// The wanted functions, and as the top level the constant.
void Analyzer::prelude_namespace(PreludeScope& scope) {
    prelude_ = &scope;
    scope.functions.assign(scope.size(), nullptr);
    scope.uses.assign(scope.size(), {});
    fn_ = new_function("", scope.forms->span);
    for (std::size_t i = 0; i < scope.size(); ++i)
        declare_sibling(i);
    for (std::size_t i = 0; i < scope.size(); ++i) {
        if (scope.functions[i]) analyze_sibling(i);
    }
    fn_->body = nil(scope.forms->span, kFunctionTail);
    for (std::size_t i = 0; i < scope.size(); ++i) {
        const PreludeDefinition& definition = scope.forms->definitions[i];
        if (definition.params || (scope.constant != PreludeScope::kNone && scope.constant != i)) continue;
        scope.current = i;
        fn_->body = analyze(definition.body[0], kFunctionTail);
    }
    scope.current = PreludeScope::kNone;
}

void Analyzer::declare_sibling(std::size_t index) {
    const PreludeDefinition& definition = prelude_->forms->definitions[index];
    Sibling& sibling = siblings_.add(definition.name, name_hash(definition.name));
    sibling.index = index;
    if (!definition.params) return;
    auto* clause = create<FnClause>();
    clause->body = definition.body;
    if (read_params(*definition.params, *clause)) sibling.clause = clause;
    if (!prelude_->wanted[index]) return;
    Function* function = new_function(prelude_->names[index], definition.form->span);
    function->doc = definition.doc;
    prelude_->functions[index] = function;
}

void Analyzer::analyze_sibling(std::size_t index) {
    const PreludeDefinition& definition = prelude_->forms->definitions[index];
    const Sibling* sibling = siblings_.find(definition.name, name_hash(definition.name));
    if (!sibling->clause) return; // reported
    prelude_->current = index;
    const Lambda lambda{{}, definition.form->span, {sibling->clause, 1}, Site{}};
    fn_body(*prelude_->functions[index], lambda, *sibling->clause);
}

Tree analyze_namespace(PreludeScope& scope, const Environment& environment, const CoreLibrary& core,
                       const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics) {
    Tree tree;
    Analyzer analyzer(tree, environment, core, limits, heap, diagnostics);
    analyzer.prelude_namespace(scope);
    return tree;
}

} // namespace ptc
