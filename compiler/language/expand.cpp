// The expansions of expand.h. They are made on the forms that the reader made, in place where only a name changes, so
// that the analyzer, the checker and the repairs all see the same program.
#include "compiler/language/expand.h"
#include <algorithm>
#include <memory>
#include <optional>
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

/// (def name init), where init begins with some items and goes on with a function of the sequence itself.
struct Recurrence {
    std::string_view name;
    std::vector<Form> first;          ///< the items that are given
    const Form* function = nullptr;   ///< of the items before
    std::vector<std::size_t> offsets; ///< of its arguments, from the oldest of as many items as are given
};

/// What `coll` skips of the sequence: `name`, (rest name), (drop 2 name); nothing for all else.
std::optional<std::size_t> offset_in(const Form& coll, std::string_view name) {
    if (coll.is_symbol(name)) return 0;
    if (!coll.is(FormKind::List) || coll.size < 2) return std::nullopt;
    const std::span<const Form> parts = coll.items();
    if (coll.size == 2 && (is_list_of(coll, "rest") || is_list_of(coll, "next"))) {
        const std::optional<std::size_t> inner = offset_in(parts[1], name);
        return inner ? std::optional(*inner + 1) : std::nullopt;
    }
    if (coll.size != 3 || !is_list_of(coll, "drop") || !parts[1].is(FormKind::Integer)) return std::nullopt;
    const std::optional<std::size_t> inner = offset_in(parts[2], name);
    if (!inner || parts[1].integer < 0 || parts[1].integer > 8) return std::nullopt;
    return *inner + static_cast<std::size_t>(parts[1].integer);
}

/// Takes apart `init`, or what follows the items that are known.
bool read_recurrence(const Form& init, Recurrence& out) {
    const std::span<const Form> parts = init.is(FormKind::List) ? init.items() : std::span<const Form>();
    if (parts.size() == 2 && is_list_of(init, "lazy-seq")) return read_recurrence(parts[1], out);
    if (parts.size() == 3 && is_list_of(init, "cons")) {
        out.first.push_back(parts[1]);
        return read_recurrence(parts[2], out);
    }
    if (parts.size() == 3 && (is_list_of(init, "lazy-cat") || is_list_of(init, "concat"))) {
        if (!parts[1].is(FormKind::Vector)) return false;
        out.first.insert(out.first.end(), parts[1].items().begin(), parts[1].items().end());
        return read_recurrence(parts[2], out);
    }
    if (parts.size() < 3 || !is_list_of(init, "map")) return false;
    out.function = &parts[1];
    for (const Form& coll : parts.subspan(2)) {
        const std::optional<std::size_t> offset = offset_in(coll, out.name);
        if (!offset || *offset >= out.first.size()) return false;
        out.offsets.push_back(*offset);
    }
    return true;
}

std::optional<Recurrence> recurrence(const Form& form) {
    if (!is_list_of(form, "def") || form.size < 3 || !form.items()[1].is(FormKind::Symbol)) return std::nullopt;
    Recurrence out;
    out.name = form.items()[1].text();
    return read_recurrence(form.items().back(), out) ? std::optional(out) : std::nullopt;
}

class Expansion {
public:
    explicit Expansion(Forms& forms) : forms_(forms) {}

    void run() {
        const bool has_parts = std::ranges::any_of(forms_.top_level(), [](const Form& form) {
            return is_record(form) || recurrence(form) || (is_list_of(form, "do") && has_top_level_part(form));
        });
        if (!has_parts) return;
        for (const Form& form : forms_.top_level())
            add(form);
        forms_.set_top_level(kept(top_));
        if (records_.empty()) return;
        for (const Form& form : forms_.top_level())
            say_records(form);
    }

private:
    void add(const Form& form) {
        if (is_record(form)) {
            define_record(form);
        } else if (const std::optional<Recurrence> found = recurrence(form)) {
            define_sequence(form, *found);
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
        records_.push_back({name, fields.items()});
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

    /// (def name (map first (iterate (fn [items] (conj (subvec items 1) (f (nth items i) ..))) [x ..]))): the last
    /// items are all that the next one needs.
    void define_sequence(const Form& form, const Recurrence& sequence) {
        const Span span = form.items().back().span;
        const auto symbol = [&](std::string_view name) { return text(FormKind::Symbol, name, span); };
        const auto integer = [&](std::size_t i) {
            Form number;
            number.kind = FormKind::Integer;
            number.span = span;
            number.integer = static_cast<std::int64_t>(i);
            return number;
        };
        std::vector<Form> call = {*sequence.function};
        for (const std::size_t offset : sequence.offsets)
            call.push_back(list({symbol("nth"), symbol(" items"), integer(offset)}, span));
        const Form older = list({symbol("subvec"), symbol(" items"), integer(1)}, span);
        const Form next = list({symbol("conj"), older, list(call, span)}, span);
        const Form step = list({symbol("fn"), of(FormKind::Vector, {symbol(" items")}, span), next}, span);
        const Form steps = list({symbol("iterate"), step, of(FormKind::Vector, sequence.first, span)}, span);
        top_.push_back(
            list({form.items()[0], form.items()[1], list({symbol("map"), symbol("first"), steps}, span)}, form.span));
    }

    /// What names records otherwise than by their functions: (Name. x ..) and (instance? Name x).
    void say_records(const Form& form) {
        if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote)) return;
        for (const Form& item : form.items())
            say_records(item);
        if ((!form.is(FormKind::List) && !form.is(FormKind::ShortFn)) || form.size == 0) return;
        auto& head = const_cast<Form&>(form.items()[0]); // the reader's, or ours
        if (!head.is(FormKind::Symbol)) return;
        if (head.text() == "instance?" && form.size == 3 && form.items()[1].is(FormKind::Symbol))
            return say_test(const_cast<Form&>(form));
        if (head.text().ends_with('.') && find_record(head.text().substr(0, head.size - 1)))
            head = text(FormKind::Symbol, "->" + std::string(head.text().substr(0, head.size - 1)), head.span);
    }

    struct Record {
        std::string name;
        std::span<const Form> fields;
    };
    [[nodiscard]] const Record* find_record(std::string_view name) const {
        const auto found = std::ranges::find(records_, name, &Record::name);
        return found == records_.end() ? nullptr : &*found;
    }

    /// A record is a map that has its fields: that is no test where another record has all of them, too.
    [[nodiscard]] bool is_told_apart(const Record& record) const {
        const auto has = [](const Record& other, const Form& field) {
            return std::ranges::any_of(other.fields, [&](const Form& one) { return one.text() == field.text(); });
        };
        return !record.fields.empty() && std::ranges::none_of(records_, [&](const Record& other) {
            return &other != &record &&
                   std::ranges::all_of(record.fields, [&](const Form& field) { return has(other, field); });
        });
    }

    /// (instance? Name x): ((fn [x] (and (map? x) (contains? x :a) ..)) x)
    void say_test(Form& form) {
        const Record* record = find_record(form.items()[1].text());
        if (!record || !is_told_apart(*record)) return;
        const Span span = form.span;
        const Form value = text(FormKind::Symbol, " record", span);
        std::vector<Form> tests = {text(FormKind::Symbol, " and", span),
                                   list({text(FormKind::Symbol, " map?", span), value}, span)};
        for (const Form& field : record->fields) {
            const Form key = text(FormKind::Keyword, field.text(), span);
            tests.push_back(list({text(FormKind::Symbol, " contains?", span), value, key}, span));
        }
        const Form test =
            list({text(FormKind::Symbol, "fn", span), of(FormKind::Vector, {value}, span), list(tests, span)}, span);
        const bool is_short = form.is(FormKind::ShortFn);
        form = list({test, form.items()[2]}, span);
        if (is_short) form.kind = FormKind::ShortFn;
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
    std::vector<Record> records_;
};

} // namespace

void expand_forms(Forms& forms) { Expansion(forms).run(); }

} // namespace ptc
