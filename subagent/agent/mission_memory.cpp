#include "subagent/agent/mission_memory.h"
#include "frontend/work.h"
#include "subagent/agent/firewall.h"
#include <algorithm>
#include <bit>
#include <set>

namespace ptc {
namespace {

constexpr std::size_t kTooLarge = SIZE_MAX / 2;

std::size_t varint_size(std::uint64_t n) { return (static_cast<std::size_t>(std::bit_width(n | 1)) + 6) / 7; }
std::size_t text_size(std::size_t bytes) { return 1 + varint_size(bytes) + bytes; }

std::size_t items_size(const Datum::List& items) {
    std::size_t size = 1 + varint_size(items.size());
    for (const Datum& item : items)
        size += compact_size(item);
    return size;
}

std::size_t map_size(const Datum::Map& entries) {
    std::size_t size = 1 + varint_size(entries.size());
    for (const auto& [key, value] : entries)
        size += compact_size(key) + compact_size(value);
    return size;
}

std::uint64_t zigzag(std::int64_t i) {
    return (static_cast<std::uint64_t>(i) << 1) ^ static_cast<std::uint64_t>(i >> 63);
}

} // namespace

std::size_t compact_size(const Datum& value) {
    if (const std::string* text = value.text()) return text_size(text->size());
    if (const auto* i = value.get_if<std::int64_t>()) return 1 + varint_size(zigzag(*i));
    if (value.get_if<double>()) return 9;
    if (const auto* items = value.list()) return items_size(*items);
    if (const auto* entries = value.map()) return map_size(*entries);
    if (const auto* keyword = value.get_if<Datum::Keyword>()) return text_size(keyword->name.size());
    if (const auto* set = value.get_if<Datum::Set>()) return items_size(set->items);
    if (const auto* big = value.get_if<Datum::BigInteger>()) return text_size(big->digits.size());
    if (const auto* opaque = value.get_if<Datum::Opaque>()) return text_size(opaque->text.size());
    return 1; // nil, true, false
}

void see_definitions(const Session& session, const std::vector<std::string>& names, std::uint64_t most,
                     const SeeDefinition& see) {
    std::uint64_t bytes = 0;
    for (const std::string& name : names) {
        if (work::is_over()) {
            see({name, Error(Reason::Timeout, "There is no time to look at all definitions.")});
            continue;
        }
        if (bytes > most) {
            see({name, Error(Reason::LimitExceeded, "There are too many definitions to look at.")});
            continue;
        }
        Result<std::optional<Datum>> value = session.value(name);
        if (value.ok() && value.value()) bytes += compact_size(*value.value());
        see({name, std::move(value)});
    }
}

void MemoryUse::set(const Definition& changed) {
    std::size_t size = kTooLarge;
    const auto& [name, value] = changed;
    if (value.ok()) size = value.value() ? text_size(name.size()) + compact_size(*value.value()) : 0;
    bytes[name] = size;
}

void MemoryUse::add_up() {
    total = 0;
    for (const auto& [name, size] : bytes)
        total += std::min(size, kTooLarge - std::min(total, kTooLarge));
}

std::vector<std::string> data_names(const std::vector<Datum>& results) {
    std::set<std::string> names;
    for (const Datum& result : results) {
        for (const auto& [key, value] : *result.map())
            names.emplace(key_name(key));
    }
    return {names.begin(), names.end()};
}

} // namespace ptc
