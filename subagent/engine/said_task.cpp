#include "subagent/engine/said_task.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/opaque_values.h"

namespace ptc {
namespace {

struct SaidDatum final : SaidTask {
    Datum datum;
};

/// The first part of the tree whose text does not say all that it is; null when there is none.
const Datum::Opaque* find_unreadable(const Datum& datum) {
    if (const auto* opaque = datum.get_if<Datum::Opaque>()) return is_readable(opaque->type) ? nullptr : opaque;
    for (const Datum& item : datum.items()) {
        if (const Datum::Opaque* found = find_unreadable(item)) return found;
    }
    for (const auto& [key, value] : datum.entries()) {
        if (const Datum::Opaque* found = find_unreadable(key)) return found;
        if (const Datum::Opaque* found = find_unreadable(value)) return found;
    }
    return nullptr;
}

/// About what the tree takes.
std::size_t tree_bytes(const Datum& datum) {
    std::size_t bytes = sizeof(Datum);
    if (const auto* text = datum.text()) bytes += text->size();
    for (const Datum& item : datum.items())
        bytes += tree_bytes(item);
    for (const auto& [key, value] : datum.entries())
        bytes += tree_bytes(key) + tree_bytes(value);
    return bytes;
}

Error cannot_be_kept(std::string_view id, const Datum::Opaque& part) {
    return Error(Reason::TypeError, "What the task " + quoted_excerpt(id) +
                                        " came to cannot be kept: " + quoted_excerpt(part.text) +
                                        " in it is no data, but a value of the type " + part.type + ".")
        .with_hint("Let the task give data: numbers, texts, keywords, dates, and vectors, maps and sets of them.");
}

} // namespace

Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view id, const Value& value) {
    auto said = std::make_unique<SaidDatum>();
    said->is_whole = is_plain(heap, value);
    said->datum = PTC_TRY(to_datum(heap, value, KeyStyle::AsIs, Opaques::AsValues));
    if (const Datum::Opaque* part = said->is_whole ? nullptr : find_unreadable(said->datum))
        return cannot_be_kept(id, *part);
    said->bytes = id.size() + tree_bytes(said->datum);
    return Result<std::unique_ptr<SaidTask>>(std::move(said));
}

Result<Value> value_of_said(Heap& heap, const SaidTask& said) {
    return from_datum(heap, static_cast<const SaidDatum&>(said).datum, Opaques::AsValues);
}

Datum take_datum(std::unique_ptr<SaidTask> said) { return std::move(static_cast<SaidDatum&>(*said).datum); }

} // namespace ptc
