// A definition in terms of itself is a recurrence: the last items are all that the next one needs, so that the sequence
// is one by iterate, whose state they are.
#include "compiler/language/recurrence.h"

#include <string_view>
#include <vector>

namespace ptc {
namespace {

/// (def name init), where init begins with some items and goes on with a function of the sequence itself.
struct Recurrence {
    std::string_view name;
    std::vector<Form> first;          ///< the items that are given
    const Form* function = nullptr;   ///< of the items before
    bool is_lazy = false;             ///< it says so: else map reads what the name stood for before
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
    out.is_lazy = out.is_lazy || is_list_of(init, "lazy-seq") || is_list_of(init, "lazy-cat");
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
    if (!out.is_lazy || parts.size() < 3 || !is_list_of(init, "map")) return false;
    out.function = &parts[1];
    for (const Form& coll : parts.subspan(2)) {
        const std::optional<std::size_t> offset = offset_in(coll, out.name);
        if (!offset || *offset >= out.first.size()) return false;
        out.offsets.push_back(*offset);
    }
    return true;
}

std::optional<Recurrence> recurrence_of(const Form& form) {
    if (!is_list_of(form, "def") || form.size < 3 || !form.items()[1].is(FormKind::Symbol)) return std::nullopt;
    Recurrence out;
    out.name = form.items()[1].text();
    return read_recurrence(form.items().back(), out) ? std::optional(out) : std::nullopt;
}

} // namespace

std::optional<Form> sequence_of_itself(const Form& form, FormMaker& make) {
    const std::optional<Recurrence> sequence = recurrence_of(form);
    if (!sequence) return std::nullopt;
    const Span span = form.items().back().span;
    const auto symbol = [&](std::string_view name) { return make.symbol(name, span); };
    const auto list = [&](const std::vector<Form>& items) { return make.list(items, span); };
    const bool is_made_once = !sequence->function->is(FormKind::Symbol);
    std::vector<Form> call = {is_made_once ? symbol(" next") : *sequence->function};
    for (const std::size_t offset : sequence->offsets)
        call.push_back(
            list({symbol("nth"), symbol(" items"), FormMaker::integer(static_cast<std::int64_t>(offset), span)}));
    const Form older = list({symbol("subvec"), symbol(" items"), FormMaker::integer(1, span)});
    const Form next = list({symbol("conj"), older, list(call)});
    const Form step = list({symbol("fn"), make.of(FormKind::Vector, {symbol(" items")}, span), next});
    const Form steps = list({symbol("iterate"), step, make.of(FormKind::Vector, sequence->first, span)});
    Form items = list({symbol("map"), symbol("first"), steps});
    if (is_made_once) {
        const Form binding = make.of(FormKind::Vector, {symbol(" next"), *sequence->function}, span);
        items = list({symbol("let"), binding, items});
    }
    return make.list({form.items()[0], form.items()[1], items}, form.span);
}

bool redefines_sequences(const Form& form) {
    constexpr std::string_view kNames[] = {"map",  "cons",  "lazy-cat", "concat", "rest", "next",
                                           "drop", "first", "iterate",  "nth",    "conj", "subvec"};
    const bool is_definition = form.is(FormKind::List) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
                               form.items()[0].text().starts_with("def") && form.items()[1].is(FormKind::Symbol);
    if (!is_definition) return false;
    constexpr std::string_view kFirstLetters = "mclrndfis"; // most names need no further look
    return kFirstLetters.find(form.items()[1].text().front()) != std::string_view::npos &&
           std::ranges::find(kNames, form.items()[1].text()) != std::end(kNames);
}

} // namespace ptc
