// Datum, faults and tool answers as bytes, for snapshots: a byte for the kind, lengths and integers of variable size.
// What is read is not trusted: the depth is bounded, counts are checked against the bytes that are left, and a reader
// that has failed gives empty values.
#include "subagent/engine/datum_bytes.h"
#include "subagent/engine/convert.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {
namespace {

enum class Kind : std::uint8_t { Nil, False, True, Integer, Double, BigInteger, Text, Keyword, Opaque, List, Set, Map };

void put(ByteWriter& out, Kind kind) { out.byte(static_cast<std::uint8_t>(kind)); }

void put_items(ByteWriter& out, const Datum::List& items) {
    out.size(items.size());
    for (const Datum& item : items)
        write_datum(out, item);
}

Datum read_at(ByteReader& in, unsigned depth);

Datum::List read_items(ByteReader& in, unsigned depth) {
    Datum::List items;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n)
        items.push_back(read_at(in, depth + 1));
    return items;
}

Datum read_at(ByteReader& in, unsigned depth) {
    // The host's own trees may be one level deeper than values: results of branches in a list, say.
    if (depth > kMaxBoundaryDepth + 8) in.fail();
    if (!in.ok()) return {};
    switch (static_cast<Kind>(in.byte())) {
    case Kind::Nil: return {};
    case Kind::False: return false;
    case Kind::True: return true;
    case Kind::Integer: return in.integer();
    case Kind::Double: return in.fixed<double>();
    case Kind::BigInteger: return Datum::BigInteger{std::string(in.text())};
    case Kind::Text: return std::string(in.text());
    case Kind::Keyword: return Datum::Keyword{std::string(in.text())};
    case Kind::Opaque: {
        std::string text(in.text());
        return Datum::Opaque{std::move(text), std::string(in.text())};
    }
    case Kind::List: return read_items(in, depth);
    case Kind::Set: return Datum::Set{read_items(in, depth)};
    case Kind::Map: {
        Datum::Map entries;
        for (std::size_t n = in.count(2); n > 0 && in.ok(); --n) {
            Datum key = read_at(in, depth + 1);
            entries.emplace_back(std::move(key), read_at(in, depth + 1));
        }
        return entries;
    }
    }
    in.fail();
    return {};
}

} // namespace

void write_datum(ByteWriter& out, const Datum& value) {
    if (value.is_nil()) return put(out, Kind::Nil);
    if (const bool* b = value.get_if<bool>()) return put(out, *b ? Kind::True : Kind::False);
    if (const auto* i = value.get_if<std::int64_t>()) {
        put(out, Kind::Integer);
        return out.integer(*i);
    }
    if (const auto* d = value.get_if<double>()) {
        put(out, Kind::Double);
        return out.fixed(*d);
    }
    if (const auto* digits = value.get_if<Datum::BigInteger>()) {
        put(out, Kind::BigInteger);
        return out.text(digits->digits);
    }
    if (const auto* text = value.text()) {
        put(out, Kind::Text);
        return out.text(*text);
    }
    if (const auto* keyword = value.get_if<Datum::Keyword>()) {
        put(out, Kind::Keyword);
        return out.text(keyword->name);
    }
    if (const auto* opaque = value.get_if<Datum::Opaque>()) {
        put(out, Kind::Opaque);
        out.text(opaque->text);
        return out.text(opaque->type);
    }
    if (const auto* items = value.list()) {
        put(out, Kind::List);
        return put_items(out, *items);
    }
    if (const auto* set = value.get_if<Datum::Set>()) {
        put(out, Kind::Set);
        return put_items(out, set->items);
    }
    put(out, Kind::Map);
    out.size(value.map()->size());
    for (const auto& [key, item] : *value.map()) {
        write_datum(out, key);
        write_datum(out, item);
    }
}

Datum read_datum(ByteReader& in) { return read_at(in, 0); }

void write_faults(ByteWriter& out, const std::vector<Fault>& faults) {
    out.size(faults.size());
    for (const Fault& fault : faults) {
        out.text(fault.path);
        out.text(fault.message);
    }
}

std::vector<Fault> read_faults(ByteReader& in) {
    std::vector<Fault> faults;
    for (std::size_t n = in.count(2); n > 0 && in.ok(); --n) {
        std::string path(in.text());
        faults.push_back({std::move(path), std::string(in.text())});
    }
    return faults;
}

void write_answer(ByteWriter& out, const ToolAnswer& answer) {
    const auto* error = std::get_if<Error>(&answer);
    out.byte(error != nullptr);
    if (error)
        write_error(out, *error);
    else
        write_datum(out, std::get<Datum>(answer));
}

ToolAnswer read_answer(ByteReader& in) {
    if (in.byte() != 0) return read_error(in);
    return read_datum(in);
}

} // namespace ptc
