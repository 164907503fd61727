// Which forms are remembered, which of them a program goes on with, and which it says anew.
#include "compiler/language/declarations.h"
#include "compiler/language/form_questions.h"
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
    std::set<std::string_view> names; ///< that it defines in another way

    Said(std::span<const Form> program, const Source& source) {
        each_form(program, [&](const Form& form) {
            if (kind_of(form) != Kind::None)
                keys.insert(key_of(form, source));
            else if (is_call(form) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
                     form.items()[0].text().starts_with("def") && form.items()[1].is(FormKind::Symbol))
                names.insert(name_of(form));
        });
    }
    [[nodiscard]] bool replaces(const Form& form, const Source& source) const {
        const Kind kind = kind_of(form);
        const bool has_name = kind != Kind::Derivation && kind != Kind::Alias && kind != Kind::Announced;
        return keys.contains(key_of(form, source)) || (has_name && names.contains(name_of(form)));
    }
};

/// What of earlier programs a later one may go on with.
struct Declared {
    std::unordered_set<std::string_view> types, multimethods, announced, aliases;
    bool has_hierarchy = false;

    Declared(std::span<const Form> earlier, std::span<const std::string_view> bound) {
        const std::unordered_set<std::string_view> known(bound.begin(), bound.end());
        for (const Form& form : earlier) {
            const Kind kind = kind_of(form);
            if (kind == Kind::Type) types.insert(name_of(form));
            if (kind == Kind::Multimethod) multimethods.insert(name_of(form));
            if (kind == Kind::Derivation) has_hierarchy = true;
            if (kind == Kind::Announced) {
                for (const Form& name : form.items().subspan(1))
                    if (name.is(FormKind::Symbol) && !known.contains(name.text())) announced.insert(name.text());
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

/// The forms that `said` does not replace, a line each.
std::vector<std::string_view> kept_of(const Forms& earlier, const Source& source, const Said& said) {
    std::vector<std::string_view> kept;
    for (const Form& form : earlier.top_level())
        if (!said.replaces(form, source)) kept.push_back(source.text(form.span));
    return kept;
}

std::string lines(std::span<const std::string_view> forms) {
    std::string text;
    for (const std::string_view form : forms)
        text.append(form).append("\n");
    return text;
}

} // namespace

bool declares(std::span<const Form> program) {
    bool found = false;
    each_form(program, [&](const Form& form) { found = found || kind_of(form) != Kind::None; });
    return found;
}

std::string declarations_for(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                             const Source& source, std::span<const std::string_view> bound) {
    const Declared declared(earlier.top_level(), bound);
    bool goes_on = false;
    each_form(program, [&](const Form& form) { goes_on = goes_on || declared.is_gone_on_with(form); });
    return goes_on ? lines(kept_of(earlier, earlier_source, Said(program, source))) : "";
}

std::string declarations_after(const Forms& earlier, const Source& earlier_source, std::span<const Form> program,
                               const Source& source) {
    std::vector<std::string_view> forms = kept_of(earlier, earlier_source, Said(program, source));
    each_form(program, [&](const Form& form) {
        if (kind_of(form) != Kind::None) forms.push_back(source.text(form.span));
    });
    std::size_t size = 0;
    std::size_t first = forms.size();
    while (first > 0 && size + forms[first - 1].size() < kMostDeclarations)
        size += forms[--first].size() + 1;
    return lines(std::span(forms).subspan(first));
}

} // namespace ptc
