// The wording of everything about preludes, in the order of the header: what a program does wrong with an export, what
// a prelude's author does wrong in its shape and in its bodies, what an engine lacks that a prelude needs.
#include "compiler/prelude/prelude_errors.h"
#include "compiler/language/prelude.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"

namespace ptc {

// ---- In programs

Error unknown_export(Span where, const PreludeNamespace& space, std::string_view member) {
    std::vector<std::string_view> names;
    for (const PreludeMember* candidate : space.exports)
        names.push_back(candidate->plain_name());
    std::vector<std::string> nearest = suggest(member, names);
    for (std::string& name : nearest)
        name.insert(0, space.name + "/");
    std::string hint = did_you_mean(nearest);
    if (!hint.empty()) hint += " ";
    hint += "(ns-publics '" + space.name + ") lists what it has.";
    Error error(Reason::InvalidForm, where, quoted(space.name) + " has no " + quoted(member) + ".", std::move(hint));
    if (!nearest.empty()) error.edits.push_back({where, nearest.front()});
    return error;
}

Error protected_name(Span where, std::string_view name, std::string_view space, bool is_export) {
    const std::string what = is_export ? quoted(name) + " belongs to the host's namespace " + quoted(space)
                                       : quoted(space) + " is a protected namespace of the host";
    return Error(Reason::InvalidForm, where,
                 "A program cannot define " + quoted(name) + ": " + what + ", which programs only use.",
                 "Define a name without a namespace: " + std::string(name.substr(space.size() + 1)) + ".");
}

// ---- Shape

Error not_in_prelude(Span where) {
    return Error(Reason::InvalidForm, where, "A prelude consists of ns, def, defn and defn- only.",
                 "What is to be computed once is a constant: (def name value).");
}

Error before_namespace(Span where) {
    return Error(Reason::InvalidForm, where, "A definition of a prelude stands in a namespace.",
                 "Begin with (ns name \"What it is for.\").");
}

Error bad_namespace_form(Span where, std::string_view what) {
    return Error(Reason::InvalidForm, where, "Wrong shape of `ns`: " + std::string(what) + ".",
                 "Usage: (ns name) (ns name \"doc\") (ns name \"doc\" {:visibility :prompt})");
}

Error reserved_namespace(Span where, std::string_view name) {
    return Error(Reason::InvalidForm, where, "The namespace " + quoted(name) + " is the language's own.",
                 "Choose another name, such as that of the system which the prelude speaks to.");
}

Error reopened_namespace(Span where, std::string_view name) {
    return Error(Reason::InvalidForm, where, "The namespace " + quoted(name) + " is declared already.",
                 "Put all definitions of a namespace below one (ns ..).");
}

Error bad_definition(Span where, std::string_view head, std::string_view what) {
    const bool is_def = head == "def";
    const std::string start = "(" + std::string(head) + " name ";
    return Error(Reason::InvalidForm, where, "Wrong shape of " + quoted(head) + ": " + std::string(what) + ".",
                 "Usage: " + start + (is_def ? "value) " : "[params] body ..) ") + start + "\"doc\" {metadata} " +
                     (is_def ? "value)" : "[params] body ..)"));
}

Error repeated_definition(Span where, std::string_view name, Span first) {
    return Error(Reason::InvalidForm, where, quoted(name) + " is defined twice in this namespace.",
                 "Give one of them another name.")
        .with_label(first, "first defined here");
}

Error special_name(Span where, std::string_view name) {
    return Error(Reason::InvalidForm, where, quoted(name) + " is a special form, which no definition replaces.",
                 "Give it another name.");
}

Error bad_metadata(Span where, std::string_view key, std::string_view what) {
    const std::string subject = key.empty() ? "Metadata" : "`:" + std::string(key) + "` of the metadata";
    return Error(Reason::InvalidForm, where, subject + " must be " + std::string(what) + ".");
}

// ---- Bodies

Error qualified_sibling(Span where, std::string_view space, std::string_view member) {
    return Error(Reason::InvalidForm, where, "Inside of " + quoted(space) + " its members go by their plain names.",
                 "Write " + std::string(member) + ".")
        .with_edit(where, std::string(member));
}

Error stateful_prelude(Span where, std::string_view form) {
    return Error(Reason::InvalidForm, where, "A prelude has no memory: " + quoted(form) + " does not work in it.",
                 "Take what is needed as a parameter, and give back what is new.");
}

Error constant_before_definition(Span where, std::string_view name, std::string_view user, Span definition) {
    return Error(Reason::UnboundVar, where,
                 "The constant " + quoted(user) + " needs " + quoted(name) + ", which is defined below it.",
                 "Move the definition above this one.")
        .with_label(definition, "defined here");
}

Error constant_from_tool(Span where, std::string_view name, std::string_view tool) {
    return Error(Reason::InvalidForm, where,
                 "The constant " + quoted(name) + " calls the tool " + quoted(tool) +
                     ", but it is made before any run.",
                 "Make it a function: (defn " + std::string(name) + " [] ..).");
}

Error changing_constant(Span where, std::string_view name, std::string_view what) {
    return Error(Reason::InvalidForm, where,
                 "The constant " + quoted(name) + " depends on " + std::string(what) +
                     ", but it is made before any run.",
                 "Make it a function: (defn " + std::string(name) + " [] ..).");
}

Error ended_constant(Span where, std::string_view name, std::string_view form) {
    return Error(Reason::InvalidForm, where,
                 "The constant " + quoted(name) + " has no value: " + quoted(form) + " ended it.");
}

// ---- Of engines

Error missing_tool(Span where, std::string_view member, std::string_view need,
                   const std::vector<std::string>& nearest) {
    Error error(Reason::InvalidPrelude, where,
                quoted(member) + " of the prelude needs the tool " + quoted(need) + ", which there is not.");
    error.hint = did_you_mean(nearest);
    if (error.hint.empty()) error.hint = "Give the engine a tool of this name, or leave the prelude out.";
    return error;
}

Error unknown_need(Span where, std::string_view member, std::string_view need) {
    return Error(Reason::InvalidPrelude, where,
                 quoted(member) + " of the prelude requires `" + std::string(need) +
                     "`, which is not of a kind that can be checked.")
        .with_hint("Write \"tool:name\", or \"upstream:server/tool\".");
}

} // namespace ptc
