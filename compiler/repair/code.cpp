// The program as repairs look at it: places, names and their meaning.
//
// A place is a form with all forms around it, found by the span of the error with a binary search on each level. Locals
// are found by walking outwards from a place; definitions are collected in the ways of all languages (define, setq, x =
// 5), because a name that the program means to define needs no other repair.
#include "compiler/repair/code.h"
#include "compiler/language/scope.h"
#include "compiler/language/special_forms.h"
#include <algorithm>

namespace ptc::repair {

Place Place::outer(std::size_t levels) const {
    Place place;
    place.top_level = top_level;
    if (levels < forms.size()) place.forms.assign(forms.begin() + static_cast<std::ptrdiff_t>(levels), forms.end());
    return place;
}

Place Place::inner(const Form& item) const {
    Place place = *this;
    place.forms.insert(place.forms.begin(), &item);
    return place;
}

bool Place::in_short_fn() const {
    return std::any_of(forms.begin(), forms.end(), [](const Form* form) { return form->is(FormKind::ShortFn); });
}

const Form& unwritten() {
    static const Form form = [] {
        constexpr std::uint32_t kOutside = UINT32_MAX - 16; // brackets are counted from there
        Form made;
        made.kind = FormKind::Quote;
        made.span = {kOutside, kOutside};
        made.first = nullptr;
        return made;
    }();
    return form;
}

Place Code::find(Span span) const {
    Place place;
    place.top_level = top_level_;
    FormSpan items = top_level_;
    while (!items.empty()) {
        // The last one that begins at or before the span.
        const auto after = std::partition_point(items.begin(), items.end(),
                                                [&](const Form& form) { return form.span.begin <= span.begin; });
        if (after == items.begin()) break;
        const Form& form = *std::prev(after);
        if (span.end > form.span.end) break;
        place.forms.insert(place.forms.begin(), &form);
        if (form.span == span || !has_items(form)) break;
        items = form.items();
    }
    return place;
}

bool Code::has_semicolon_before(std::uint32_t at) const {
    if (!semicolons_) {
        semicolons_.emplace();
        const std::string_view text = source();
        for (std::size_t semicolon = text.find(';'); semicolon != text.npos;) {
            const std::size_t line_end = std::min(text.find('\n', semicolon), text.size());
            semicolons_->push_back({static_cast<std::uint32_t>(semicolon), static_cast<std::uint32_t>(line_end)});
            semicolon = text.find(';', line_end);
        }
    }
    const auto after = std::ranges::partition_point(*semicolons_, [&](const Semicolon& s) { return s.at < at; });
    return after != semicolons_->begin() && std::prev(after)->line_end >= at;
}

const CoreName* Code::core_name(std::string_view name) const {
    const CoreName* entry = core_.lookup(name, name_hash(name));
    return entry && (name.size() < 2 || name.back() != '%') ? entry : nullptr;
}

std::string_view Code::core_function(const Form& form) const {
    if (!form.is(FormKind::Symbol) && !form.is(FormKind::Var)) return {};
    std::string_view name = form.text();
    const CoreName* entry = core_name(name);
    if (const std::size_t slash = name.rfind('/'); !entry && slash != name.npos && slash + 1 < name.size()) {
        entry = core_name(name.substr(slash + 1)); // str/join
        if (name.starts_with("data/") || name.starts_with("ctx/") || name.starts_with("tool/")) entry = nullptr;
    }
    return entry && (entry->core || entry->builtin >= 0) ? entry->name : std::string_view();
}

bool Code::has_trait(const Form& head, Traits trait) const {
    const CoreName* entry = head.is(FormKind::Symbol) ? core_name(head.text()) : nullptr;
    return entry && (entry->traits & trait) != 0;
}

std::string_view Code::usage(std::string_view name) const {
    const CoreName* entry = core_name(name);
    return entry ? usage_of(*entry) : std::string_view();
}

// ---- Names that are bound

namespace {

void add_pattern(const Form& pattern, std::vector<std::string_view>& names) {
    if (pattern.is(FormKind::Symbol) || pattern.is(FormKind::Keyword) || pattern.is(FormKind::String)) {
        if (pattern.text() != "&") names.push_back(pattern.text());
        return;
    }
    if (!has_items(pattern)) return;
    for (const Form& part : pattern.items())
        add_pattern(part, names);
}

/// The names that `form` binds for its item `child`.
void add_bound(const Form& form, const Form& child, std::vector<std::string_view>& names) {
    if (!is_call(form) || !form.items()[0].is(FormKind::Symbol)) return;
    const std::string_view head = form.items()[0].text();
    const FormSpan parts = form.items().subspan(1);
    if (parts.empty()) return;
    if (binds_pairs(head) && parts[0].is(FormKind::Vector) && &parts[0] != &child) {
        for (std::size_t i = parts[0].size; i-- > 0;) {
            const Form& part = parts[0].items()[i];
            const bool is_let =
                i % 2 == 1 && part.is(FormKind::Vector) && parts[0].items()[i - 1].is(FormKind::Keyword);
            if (i % 2 == 0 || is_let) add_pattern(part, names);
        }
    }
    if (head == "fn" || head == "defn" || head == "lambda" || head == "function" || head == "defun") {
        const FormSpan first = parts.first(std::min<std::size_t>(parts.size(), 3));
        const auto parameters = std::ranges::find_if(first, [](const Form& part) { return part.is(FormKind::Vector); });
        if (parameters != first.end()) add_pattern(*parameters, names);
        if (parts[0].is(FormKind::Symbol)) names.push_back(parts[0].text());
    }
    if (head == "as->" && parts.size() > 1 && parts[1].is(FormKind::Symbol)) names.push_back(parts[1].text());
}

bool is_defining(std::string_view head) {
    return is_one_of(head, {"def",          "defn",      "defonce", "define",   "defun", "defn-",       "def-",
                            "setq",         "setf",      "defvar",  "const",    "var",   "let",         "set",
                            "defparameter", "defrecord", "declare", "defmulti", "set!",  "fun",         "defmacro",
                            "function",     "global",    "setv",    "assign",   "local", "defconstant", "defstruct",
                            "val",          "func",      "fn",      "sub"});
}

} // namespace

std::vector<std::string_view> Code::locals(const Place& place) const {
    std::vector<std::string_view> names;
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        add_bound(*place.forms[i], *place.forms[i - 1], names);
        // A binding sees those before it.
        const Form* list = place.around(i + 1);
        if (!place.forms[i]->is(FormKind::Vector) || !list || !is_call(*list) ||
            !list->items()[0].is(FormKind::Symbol) || !binds_pairs(list->items()[0].text()))
            continue;
        const auto at = static_cast<std::size_t>(place.forms[i - 1] - place.forms[i]->first);
        for (std::size_t k = 0; k + 1 < at; k += 2)
            add_pattern(place.forms[i]->items()[k], names);
    }
    return names;
}

namespace {

void add_name(const Form& name, std::vector<std::string_view>& names) {
    if (name.is(FormKind::Symbol) || name.is(FormKind::Keyword) || name.is(FormKind::String))
        names.push_back(name.text());
}

/// What a statement defines: a form of the top level, or of a body.
void add_definitions(FormSpan forms, bool is_top, std::vector<std::string_view>& names) {
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const Form& form = forms[i];
        if (form.is_symbol("=") && i > 0) add_name(forms[i - 1], names); // x = 5
        if (form.is_symbol("def") && i + 1 < forms.size()) add_name(forms[i + 1], names);
        if (!is_call(form) || form.size < 2 || !form.items()[0].is(FormKind::Symbol)) continue;
        const std::string_view head = form.items()[0].text();
        const Form& name = form.items()[1];
        if (name.is_symbol("=")) add_name(form.items()[0], names);
        const bool binds = head == "let" || head == "fn";
        if (is_defining(head) && (is_top || !binds)) {
            if (is_call(name) || (name.is(FormKind::Vector) && name.size > 0))
                add_name(name.items()[0], names); // (define (f x) ..), (let [x 1])
            else
                add_name(name.is_symbol("fn") && form.size > 3 ? form.items()[2] : name, names); // (def fn f [x] ..)
            if (head == "def" || head == "setq") {                                               // (def x 1 y 2)
                for (std::size_t k = 3; k + 1 < form.size; k += 2)
                    add_name(form.items()[k], names);
            }
        }
        const bool has_body =
            head == "do" || head == "begin" || head == "progn" || head == "let" || head == "when" || head == "dosync";
        if (has_body) add_definitions(form.items().subspan(1), false, names);
    }
}

} // namespace

std::vector<std::string_view> Code::definitions() const {
    std::vector<std::string_view> names;
    add_definitions(top_level_, true, names);
    return names;
}

// ---- Questions about forms

bool calls_binding_form(const Form& form) {
    return is_call(form) && form.items()[0].is(FormKind::Symbol) && binds_pairs(form.items()[0].text());
}

bool is_function_literal(const Form& form) {
    return form.is(FormKind::ShortFn) || calls(form, "fn") || calls(form, "lambda");
}

const Form* parameters_of_literal(const Form& function) {
    for (const Form& part : function.items()) {
        if (part.is(FormKind::Vector)) return &part;
    }
    return nullptr;
}

} // namespace ptc::repair
