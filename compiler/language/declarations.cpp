// Which forms are remembered, which of them a program goes on with, and which it says anew.
#include "compiler/language/declarations.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/known_names.h"
#include "frontend/reader/reader.h"
#include <algorithm>
#include <set>
#include <unordered_set>
#include <vector>

namespace ptc {
namespace {

/// Of a form of the top level that is remembered.
enum class Kind : std::uint8_t {
    None,
    Multimethod, ///< (defmulti name ..)
    Method,      ///< (defmethod name value ..)
    Type,        ///< (defrecord Name ..), (defprotocol Name ..)
    Extension,   ///< (extend-type Name ..), (extend-protocol Name ..)
    Derivation,  ///< (derive child parent)
    Announced,   ///< (declare name ..)
    Alias,       ///< (ns ..), (require ..)
};

/// (def name ..), (defn name ..), (defonce ..) and the like.
bool defines_name(const Form& form) {
    return is_call(form) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
           form.items()[0].text().starts_with("def") && form.items()[1].is(FormKind::Symbol);
}

/// (def name value): remembered are those of what tools gave.
bool is_definition(const Form& form) {
    return calls(form, "def") && form.size >= 3 && form.items()[1].is(FormKind::Symbol);
}

Kind kind_of(const Form& form) {
    if (!form.is(FormKind::List) || form.size < 2 || !form.items()[0].is(FormKind::Symbol)) return Kind::None;
    const std::string_view head = form.items()[0].text();
    const bool has_name = form.items()[1].is(FormKind::Symbol);
    if (is_one_of(head, {"def", "defn"})) return Kind::None; // nearly all
    if (is_one_of(head, {"ns", "require", "import", "use", "alias"})) return Kind::Alias;
    if (head == "derive") return form.size == 3 ? Kind::Derivation : Kind::None;
    if (!has_name) return Kind::None;
    if (head == "defmulti") return Kind::Multimethod;
    if (head == "defmethod") return form.size > 3 ? Kind::Method : Kind::None;
    if (is_one_of(head, {"defrecord", "deftype", "defprotocol"})) return Kind::Type;
    if (is_one_of(head, {"extend-type", "extend-protocol"})) return Kind::Extension;
    return head == "declare" ? Kind::Announced : Kind::None;
}

std::string_view name_of(const Form& form) { return form.items()[1].text(); }

/// Calls `each` with the forms of the top level, and with those of a (do ..) there.
template <class Each> void each_form(std::span<const Form> program, const Each& each) {
    for (const Form& form : program) {
        each(form);
        if (calls(form, "do")) each_form(form.items().subspan(1), each);
    }
}

/// Calls `each` with the names that stand anywhere in `form`.
template <class Each> void each_name(const Form& form, const Each& each) {
    if (form.is(FormKind::Symbol) || form.is(FormKind::Var)) return each(form.text());
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        each_name(item, each);
}

/// What two forms have in common of which the later one stands for both.
std::string key_of(const Form& form, const Source& source) {
    const Kind kind = kind_of(form);
    std::string key(1, static_cast<char>('0' + static_cast<int>(kind)));
    if (kind == Kind::Multimethod || kind == Kind::Type) return key.append(name_of(form));
    const std::size_t parts = kind == Kind::Method || kind == Kind::Extension ? 3 : form.size;
    for (std::size_t i = 0; i < std::min<std::size_t>(parts, form.size); ++i)
        key.append(" ").append(source.text(form.items()[i].span));
    return key;
}

/// What a program says anew of what was declared before it.
struct Said {
    std::set<std::string> keys;
    std::multiset<std::string_view> names; ///< that it defines in another way
    std::set<std::string_view> inner;      ///< that a form within its forms defines, who knows when

    Said(std::span<const Form> program, const Source& source) {
        each_form(program, [&](const Form& form) {
            if (!calls(form, "do")) note_inner(form);
            if (kind_of(form) != Kind::None)
                keys.insert(key_of(form, source));
            else if (defines_name(form))
                names.insert(name_of(form));
        });
    }
    [[nodiscard]] bool replaces(const Form& form, const Source& source) const {
        if (!form.is(FormKind::List)) return false; // of a snapshot that was made up
        const Kind kind = kind_of(form);
        if (is_definition(form)) return names.contains(name_of(form)) || inner.contains(name_of(form));
        const bool has_name = kind != Kind::Derivation && kind != Kind::Alias && kind != Kind::Announced;
        return keys.contains(key_of(form, source)) || (has_name && names.contains(name_of(form)));
    }
    /// Whether a definition of the program is the only one of its name.
    [[nodiscard]] bool defines_once(const Form& form) const {
        return names.count(name_of(form)) == 1 && !inner.contains(name_of(form));
    }

private:
    void note_inner(const Form& outer) {
        if (!has_items(outer)) return;
        for (const Form& form : outer.items()) {
            if (defines_name(form)) inner.insert(name_of(form));
            note_inner(form);
        }
    }
};

/// Whether a program's form defines what tools gave, or what is made of such definitions.
bool is_received(const Form& form, const std::unordered_set<std::string_view>& received) {
    if (!is_definition(form) || form.span.size() > kMostOfDefinition) return false;
    bool is_found = false;
    for (const Form& part : form.items().subspan(2))
        each_name(part, [&](std::string_view name) {
            is_found = is_found || name.starts_with("tool/") || received.contains(name);
        });
    return is_found;
}

/// What of earlier programs a later one may go on with.
struct Declared {
    std::unordered_set<std::string_view> types, multimethods, announced, aliases;
    bool has_hierarchy = false;

    Declared(std::span<const Form> earlier, const KnownNames* bound) {
        const auto is_bound = [&](std::string_view name) { return bound && bound->has(name); };
        for (const Form& form : earlier) {
            const Kind kind = kind_of(form);
            if (kind == Kind::Type) types.insert(name_of(form));
            if (kind == Kind::Multimethod) multimethods.insert(name_of(form));
            if (kind == Kind::Derivation) has_hierarchy = true;
            if (kind == Kind::Announced) {
                for (const Form& name : form.items().subspan(1))
                    if (name.is(FormKind::Symbol) && !is_bound(name.text())) announced.insert(name.text());
            }
            if (kind == Kind::Alias) each_name(form, [&](std::string_view name) { aliases.insert(name); });
        }
    }

    [[nodiscard]] bool is_gone_on_with(const Form& form) const {
        const Kind kind = kind_of(form);
        if (kind == Kind::Method && multimethods.contains(name_of(form))) return true;
        if (has_hierarchy && (kind == Kind::Derivation || kind == Kind::Multimethod || kind == Kind::Method))
            return true;
        bool is_named = false;
        each_name(form, [&](std::string_view name) { is_named = is_named || is_used_by(name); });
        return is_named;
    }

private:
    [[nodiscard]] bool is_used_by(std::string_view name) const {
        if (types.contains(name) || announced.contains(name)) return true;
        if (name.ends_with('.') && types.contains(name.substr(0, name.size() - 1))) return true;
        if (has_hierarchy && is_one_of(name, {"isa?", "parents", "ancestors", "descendants"})) return true;
        const std::size_t slash = name.find('/');
        return slash != std::string_view::npos && slash > 0 && aliases.contains(name.substr(0, slash));
    }
};

/// The forms that `said` does not replace.
std::vector<Form> kept_of(const Forms& earlier, const Source& source, const Said& said) {
    std::vector<Form> kept(earlier.top_level().begin(), earlier.top_level().end());
    std::erase_if(kept, [&](const Form& form) { return said.replaces(form, source); });
    return kept;
}

std::vector<std::string_view> texts_of(std::span<const Form> forms, const Source& source) {
    std::vector<std::string_view> texts;
    for (const Form& form : forms)
        texts.push_back(source.text(form.span));
    return texts;
}

std::string lines(std::span<const std::string_view> forms) {
    std::string text;
    for (const std::string_view form : forms)
        text.append(form).append("\n");
    return text;
}

} // namespace

bool declares(std::span<const Form> program, bool has_tools) {
    bool found = false;
    each_form(program, [&](const Form& form) {
        found = found || kind_of(form) != Kind::None || (has_tools && is_received(form, {}));
    });
    return found;
}

std::string declarations_for(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                             const Source& source, const KnownNames* bound) {
    const Declared declared(earlier.top_level(), bound);
    bool goes_on = false;
    each_form(program, [&](const Form& form) { goes_on = goes_on || declared.is_gone_on_with(form); });
    if (!goes_on) return "";
    std::vector<Form> kept = kept_of(earlier, earlier_source, Said(program, source));
    std::erase_if(kept, is_definition);
    return lines(texts_of(kept, earlier_source));
}

std::string declarations_after(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                               const Source& source) {
    const Said said(program, source);
    const std::vector<Form> kept = kept_of(earlier, earlier_source, said);
    std::vector<std::string_view> forms = texts_of(kept, earlier_source);
    std::unordered_set<std::string_view> received;
    for (const Form& form : kept)
        if (is_definition(form)) received.insert(name_of(form));
    each_form(program, [&](const Form& form) {
        const bool is_kept = kind_of(form) != Kind::None || (is_received(form, received) && said.defines_once(form));
        if (is_kept) forms.push_back(source.text(form.span));
        if (is_kept && is_definition(form)) received.insert(name_of(form));
    });
    std::size_t size = 0;
    std::size_t first = forms.size();
    while (first > 0 && size + forms[first - 1].size() < kMostDeclarations)
        size += forms[--first].size() + 1;
    return lines(std::span(forms).subspan(first));
}

bool declares_more(std::string_view declarations) {
    Diagnostics ignored;
    const Source source("", std::string(declarations));
    const Forms forms = read_forms(source, {}, ignored);
    return ignored.has_errors() || !std::ranges::all_of(forms.top_level(), is_definition);
}

std::vector<Form> received_definitions(const Forms& earlier, std::span<const Form> program) {
    std::vector<Form> definitions(earlier.top_level().begin(), earlier.top_level().end());
    std::erase_if(definitions, [](const Form& form) { return !is_definition(form); });
    std::unordered_set<std::string_view> names;
    for (const Form& form : definitions)
        names.insert(name_of(form));
    bool is_read = false;
    if (!names.empty()) {
        for (const Form& form : program)
            each_name(form, [&](std::string_view name) { is_read = is_read || names.contains(name); });
    }
    if (!is_read) definitions.clear();
    return definitions;
}

} // namespace ptc
