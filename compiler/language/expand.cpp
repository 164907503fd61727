// The expansions of expand.h. They are made on the forms that the reader made, in place where only a name changes, so
// that the analyzer, the checker and the repairs all see the same program.
#include "compiler/language/expand.h"
#include "compiler/language/java_classes.h"
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

bool is_list_of(const Form& form, std::string_view head) {
    return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol(head);
}

bool is_record(const Form& form) { // one that implements protocols is left to the analyzer, which refuses it
    if (!is_list_of(form, "defrecord") || form.size != 3) return false;
    const Form& name = form.items()[1];
    const Form& fields = form.items()[2];
    return name.is(FormKind::Symbol) && fields.is(FormKind::Vector) &&
           std::ranges::all_of(fields.items(), [](const Form& field) { return field.is(FormKind::Symbol); });
}

/// Whether the definitions in a (do ..) count only at the top level.
bool has_top_level_part(const Form& form) {
    return std::ranges::any_of(form.items(), [](const Form& part) {
        return is_list_of(part, "defmulti") || is_list_of(part, "defmethod") || is_record(part);
    });
}

class Expansion {
public:
    explicit Expansion(Forms& forms) : forms_(forms) {}

    void run() {
        const bool has_parts = std::ranges::any_of(forms_.top_level(), [](const Form& form) {
            return is_record(form) || (is_list_of(form, "do") && has_top_level_part(form));
        });
        if (has_parts) {
            for (const Form& form : forms_.top_level())
                add(form);
            forms_.set_top_level(kept(top_));
        }
        look(forms_.top_level());
        if (records_.empty() && !has_builder_ && !has_sorted_ && !has_queue_ && !has_array_) return;
        for (const Form& form : forms_.top_level())
            rename(form);
    }

private:
    void add(const Form& form) {
        if (is_record(form)) {
            define_record(form);
        } else if (is_list_of(form, "do") && has_top_level_part(form)) {
            for (const Form& part : form.items().subspan(1))
                add(part);
        } else {
            top_.push_back(form);
        }
    }

    /// (defn ->Name [a b] {:a a :b b}) (defn map->Name [m] (merge {:a nil :b nil} m))
    void define_record(const Form& form) {
        const Span span = form.items()[1].span;
        const std::string name(form.items()[1].text());
        const Form& fields = form.items()[2];
        records_.push_back(name);
        std::vector<Form> given, empty;
        for (const Form& field : fields.items()) {
            given.push_back(text(FormKind::Keyword, field.text(), span));
            given.push_back(field);
            empty.push_back(given[given.size() - 2]);
            empty.emplace_back();
            empty.back().span = span;
        }
        const Form defn = text(FormKind::Symbol, "defn", span);
        top_.push_back(
            list({defn, text(FormKind::Symbol, "->" + name, span), fields, of(FormKind::Map, given, span)}, form.span));
        const Form map = text(FormKind::Symbol, "m", span);
        const Form merged = list({text(FormKind::Symbol, "merge", span), of(FormKind::Map, empty, span), map}, span);
        top_.push_back(
            list({defn, text(FormKind::Symbol, "map->" + name, span), of(FormKind::Vector, {map}, span), merged},
                 form.span));
    }

    void look(std::span<const Form> forms) {
        for (const Form& form : forms) {
            if (form.is(FormKind::Symbol)) {
                const std::string_view name = form.text();
                has_builder_ = has_builder_ || name.ends_with("StringBuilder.");
                has_sorted_ = has_sorted_ || is_sorted_by(name);
                has_queue_ = has_queue_ || is_queue(name);
                has_array_ = has_array_ || name == "into-array";
            } else if (form.kind >= FormKind::List && !form.is(FormKind::Var) && !form.is(FormKind::Quote)) {
                look(form.items());
            }
        }
    }

    static bool is_queue(std::string_view name) {
        return name == "PersistentQueue/EMPTY" || name == "clojure.lang.PersistentQueue/EMPTY";
    }

    void rename(const Form& form) {
        if (form.is(FormKind::Symbol) && is_queue(form.text())) {
            const_cast<Form&>(form) = list({text(FormKind::Symbol, " empty-queue%", form.span)}, form.span);
            return;
        }
        if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote)) return;
        for (const Form& item : form.items())
            rename(item);
        if ((!form.is(FormKind::List) && !form.is(FormKind::ShortFn)) || form.size == 0) return;
        auto& head = const_cast<Form&>(form.items()[0]); // the reader's, or ours
        if (!head.is(FormKind::Symbol)) return;
        const std::string_view name = head.text();
        if (name.ends_with('.') && std::ranges::find(records_, name.substr(0, head.size - 1)) != records_.end())
            head = text(FormKind::Symbol, "->" + std::string(name.substr(0, head.size - 1)), head.span);
        else if (has_builder_ && name == "str" && form.size == 2)
            head = text(FormKind::Symbol, ".toString", head.span);
        else if (is_sorted_by(name) && form.size > 1)
            plain_comparator(const_cast<Form&>(form.items()[1]));
        else if (name == "into-array" && form.size == 3 && form.items()[1].is(FormKind::Symbol))
            drop_class(const_cast<Form&>(form.items()[1]));
        else if (name == "into" && form.size > 1)
            pour_at_once(head, const_cast<Form&>(form.items()[1]));
    }

    /// The class of an array's items: (into-array String xs), (into-array Long/TYPE xs).
    static void drop_class(Form& name) {
        const std::string_view text = name.text();
        const std::string_view plain = text.substr(0, text.find('/'));
        if (class_test(plain).empty()) return;
        const Span span = name.span;
        name = Form();
        name.span = span;
    }

    static bool is_sorted_by(std::string_view name) { return name == "sorted-map-by" || name == "sorted-set-by"; }

    /// The downward order, and the upward one, by other words than > and compare.
    void plain_comparator(Form& comparator) {
        const std::string_view order =
            is_list_of(comparator, "comparator") && comparator.size == 2 ? order_named(comparator.items()[1])
            : is_list_of(comparator, "comp") && comparator.size == 3 && comparator.items()[1].is_symbol("-") &&
                    comparator.items()[2].is_symbol("compare")
                ? ">"
                : order_of_function(comparator);
        if (!order.empty()) comparator = text(FormKind::Symbol, order, comparator.span);
    }
    static std::string_view order_named(const Form& name) {
        if (name.is_symbol(">")) return ">";
        return name.is_symbol("<") ? "compare" : "";
    }
    /// #(compare %2 %1), (fn [a b] (compare b a))
    static std::string_view order_of_function(const Form& function) {
        const Form* call = nullptr;
        std::string_view first = "%1", second = "%2";
        if (function.is(FormKind::ShortFn)) {
            call = &function;
        } else if (is_list_of(function, "fn") && function.size == 3 && function.items()[1].is(FormKind::Vector) &&
                   function.items()[1].size == 2 && function.items()[2].is(FormKind::List)) {
            const std::span<const Form> params = function.items()[1].items();
            if (!params[0].is(FormKind::Symbol) || !params[1].is(FormKind::Symbol)) return "";
            first = params[0].text();
            second = params[1].text();
            call = &function.items()[2];
        }
        if (!call || call->size != 3 || !call->items()[0].is_symbol("compare")) return "";
        const Form& a = call->items()[1];
        const Form& b = call->items()[2];
        if (a.is_symbol(second) && (b.is_symbol(first) || (first == "%1" && b.is_symbol("%")))) return ">";
        if (b.is_symbol(second) && (a.is_symbol(first) || (first == "%1" && a.is_symbol("%")))) return "compare";
        return "";
    }

    void pour_at_once(Form& into, Form& target) {
        if (!target.is(FormKind::List) || target.size != 2 || !target.items()[0].is(FormKind::Symbol)) return;
        const std::string_view made = target.items()[0].text();
        if (!is_sorted_by(made)) return;
        into = text(FormKind::Symbol, made == "sorted-map-by" ? " into-sorted-map%" : " into-sorted-set%", into.span);
        target = Form(target.items()[1]);
    }

    Form text(FormKind kind, std::string_view value, Span span) {
        char* copy = static_cast<char*>(forms_.arena().allocate(value.size(), 1));
        std::ranges::copy(value, copy);
        Form form;
        form.kind = kind;
        form.span = span;
        form.chars = copy;
        form.size = static_cast<std::uint32_t>(value.size());
        return form;
    }
    std::span<const Form> kept(const std::vector<Form>& items) {
        auto* copy = static_cast<Form*>(forms_.arena().allocate(items.size() * sizeof(Form), alignof(Form)));
        std::uninitialized_copy(items.begin(), items.end(), copy);
        return {copy, items.size()};
    }
    Form of(FormKind kind, const std::vector<Form>& items, Span span) {
        Form form;
        form.kind = kind;
        form.span = span;
        form.first = kept(items).data();
        form.size = static_cast<std::uint32_t>(items.size());
        return form;
    }
    Form list(const std::vector<Form>& items, Span span) { return of(FormKind::List, items, span); }

    Forms& forms_;
    std::vector<Form> top_;
    std::vector<std::string> records_;
    bool has_builder_ = false;
    bool has_sorted_ = false;
    bool has_queue_ = false;
    bool has_array_ = false;
};

} // namespace

void expand_forms(Forms& forms) { Expansion(forms).run(); }

} // namespace ptc
