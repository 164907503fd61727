// Names of libraries stand alone, in vectors with options, or in lists behind a prefix, quoted or not. A part that is
// none of these is remembered, for a warning, and the others are read all the same.
#include "compiler/language/libraries.h"
#include "frontend/work.h"

namespace ptc {
namespace {

using FormSpan = std::span<const Form>;

const Form& unquoted(const Form& form) {
    const bool by_call = form.is(FormKind::List) && form.size == 2 && form.items()[0].is_symbol("quote");
    if (by_call) return form.items()[1];
    return form.is(FormKind::Quote) ? form.items()[0] : form;
}

bool has_parts(const Form& form) { return (form.is(FormKind::List) || form.is(FormKind::Vector)) && form.size > 0; }

class Reading {
public:
    LibraryUses run(const Form& list) {
        const FormSpan parts = list.items().subspan(1);
        if (!list.items()[0].is_symbol("ns")) {
            clause(list.items()[0].text(), parts);
            return std::move(found_);
        }
        for (const Form& part : parts) {
            if (part.is(FormKind::List) && part.size > 0 && part.items()[0].is(FormKind::Keyword))
                clause(part.items()[0].text(), part.items().subspan(1));
        }
        return std::move(found_);
    }

private:
    void clause(std::string_view kind, FormSpan specs) {
        if (kind == "import") return each(specs, &Reading::classes);
        if (kind != "require" && kind != "use" && kind != "require-macros") return; // :gen-class, :refer-clojure
        is_use_ = kind == "use";
        each(specs, &Reading::library);
    }

    void each(FormSpan specs, void (Reading::*read)(const Form&)) {
        for (const Form& spec : specs) {
            if (!work::charge(20)) return;
            if (!spec.is(FormKind::Keyword)) (this->*read)(unquoted(spec)); // :reload
        }
    }

    // name, [name :as alias ..], (prefix name [name ..] ..)
    void library(const Form& spec) {
        if (spec.is(FormKind::Symbol)) return add(spec, {}, {});
        if (!has_parts(spec) || !spec.items()[0].is(FormKind::Symbol)) return fail(spec);
        const Form& first = spec.items()[0];
        const FormSpan rest = spec.items().subspan(1);
        if (spec.is(FormKind::Vector)) return add(first, rest, {});
        for (const Form& below : rest) {
            const Form& name = has_parts(below) ? below.items()[0] : below;
            if (name.is(FormKind::Symbol))
                add(name, has_parts(below) ? below.items().subspan(1) : FormSpan(), first.text());
            else if (!name.is(FormKind::Keyword))
                fail(below);
        }
    }

    void add(const Form& name, FormSpan options, std::string_view prefix) {
        LibraryUse use;
        use.name = prefix.empty() ? std::string(name.text()) : std::string(prefix).append(".").append(name.text());
        use.span = name.span;
        use.refers_all = is_use_;
        for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
            if (!options[i].is(FormKind::Keyword)) {
                fail(options[i]);
                break;
            }
            option(use, options[i].text(), options[i + 1]);
        }
        found_.uses.push_back(std::move(use));
    }

    static void option(LibraryUse& use, std::string_view name, const Form& value) {
        if ((name == "as" || name == "as-alias") && value.is(FormKind::Symbol)) use.alias = value.text();
        if (name == "refer" && value.is(FormKind::Keyword)) use.refers_all = value.text() == "all";
        const bool lists_names = name == "refer" || name == "only";
        if (lists_names && has_parts(value)) {
            use.refers_all = false;
            for (const Form& item : value.items()) {
                if (item.is(FormKind::Symbol)) use.refers.emplace_back(item.text(), item.text());
            }
        }
        if (name != "rename" || !value.is(FormKind::Map)) return;
        for (std::size_t i = 0; i < value.size; i += 2) {
            const Form& there = value.items()[i];
            const Form& here = value.items()[i + 1];
            if (there.is(FormKind::Symbol) && here.is(FormKind::Symbol))
                use.refers.emplace_back(here.text(), there.text());
        }
    }

    // java.time.LocalDate, (java.time LocalDate Duration)
    void classes(const Form& spec) {
        if (spec.is(FormKind::Symbol)) return add_class(spec, spec.text().substr(spec.text().rfind('.') + 1));
        if (!has_parts(spec) || !spec.items()[0].is(FormKind::Symbol)) return fail(spec);
        for (const Form& name : spec.items().subspan(1)) {
            if (name.is(FormKind::Symbol))
                add_class(name, name.text());
            else
                fail(name);
        }
    }

    void add_class(const Form& form, std::string_view name) {
        LibraryUse use;
        use.name = std::string(name);
        use.span = form.span;
        use.is_class = true;
        found_.uses.push_back(std::move(use));
    }

    void fail(const Form& form) {
        if (!found_.unreadable) found_.unreadable = &form;
    }

    LibraryUses found_;
    bool is_use_ = false;
};

} // namespace

LibraryUses library_uses(const Form& list) { return Reading().run(list); }

} // namespace ptc
