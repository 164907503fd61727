// Forms are hashed by what they hold, so that a literal of many keys is not compared key by key. The entries of a map
// or set may stand in any order: their hashes are added up, and two of them are compared in the order of their hashes.
#include "compiler/language/form_identity.h"
#include "compiler/language/scope.h"
#include "frontend/work.h"
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace ptc {

namespace {

constexpr std::uint64_t kMultiplier = 0xD6E8FEB86659FD93;

/// An item of a set is one form, an entry of a map two.
std::size_t items_in_entry(const Form& coll) { return coll.is(FormKind::Map) ? 2 : 1; }

std::uint64_t entry_hash(const Form* entry, std::size_t width) {
    std::uint64_t h = form_hash(entry[0]);
    if (width == 2) h = (h ^ h >> 31) * kMultiplier ^ form_hash(entry[1]);
    h *= kMultiplier;
    return h ^ h >> 32;
}

using HashedEntries = std::vector<std::pair<std::uint64_t, const Form*>>;

HashedEntries sorted_entries(const Form& coll) {
    const std::size_t width = items_in_entry(coll);
    HashedEntries entries;
    for (std::size_t i = 0; i + width <= coll.size; i += width)
        entries.emplace_back(entry_hash(&coll.items()[i], width), &coll.items()[i]);
    std::ranges::sort(entries, {}, &HashedEntries::value_type::first);
    return entries;
}

/// Two sets, or two maps, of one size. Entries are compared in the order of their hashes.
bool same_entries(const Form& a, const Form& b) {
    const std::size_t width = items_in_entry(a);
    const HashedEntries left = sorted_entries(a), right = sorted_entries(b);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].first != right[i].first) return false;
        for (std::size_t part = 0; part < width; ++part) {
            if (!same_form(left[i].second[part], right[i].second[part])) return false;
        }
    }
    return true;
}

/// [], () and '() are one value.
bool is_empty_sequence(const Form& form) {
    if (form.is(FormKind::Quote) && form.size == 1) return is_empty_sequence(form.items()[0]);
    return (form.is(FormKind::Vector) || form.is(FormKind::List)) && form.size == 0;
}

} // namespace

std::uint64_t form_hash(const Form& form) {
    if (!work::charge(1)) return 0;
    if (is_empty_sequence(form)) return kMultiplier;
    std::uint64_t h = static_cast<std::uint64_t>(form.kind) * 0x9E3779B97F4A7C15;
    switch (form.kind) {
    case FormKind::Nil:
    case FormKind::True:
    case FormKind::False: return h;
    case FormKind::Integer: return h ^ static_cast<std::uint64_t>(form.integer) * kMultiplier;
    case FormKind::Float: return h ^ std::bit_cast<std::uint64_t>(form.number + 0.0) * kMultiplier;
    case FormKind::BigInteger:
    case FormKind::String:
    case FormKind::Keyword:
    case FormKind::Symbol:
    case FormKind::Regex:
    case FormKind::Var: return h ^ name_hash(form.text());
    case FormKind::Map:
    case FormKind::Set: {
        const std::size_t width = items_in_entry(form);
        for (std::size_t i = 0; i + width <= form.size; i += width)
            h += entry_hash(&form.items()[i], width);
        return h ^ h >> 29;
    }
    default:
        for (const Form& item : form.items())
            h = (h ^ form_hash(item)) * kMultiplier;
        return h ^ h >> 29;
    }
}

SameForms::SameForms(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

const Form* SameForms::add(const Form& form) {
    const std::uint64_t hash = form_hash(form);
    const std::size_t mask = slots_.size() - 1;
    // By the address too, so that nobody can write many forms for one place.
    const std::uint64_t mixed = (hash ^ reinterpret_cast<std::uintptr_t>(slots_.data())) * kMultiplier;
    std::size_t at = (mixed ^ mixed >> 32) & mask;
    while (slots_[at].form && !(slots_[at].hash == hash && same_form(*slots_[at].form, form))) {
        if (!work::charge(1)) return nullptr;
        at = (at + 1) & mask;
    }
    slots_[at].hash = hash;
    return std::exchange(slots_[at].form, &form);
}

bool same_form(const Form& a, const Form& b) {
    if (is_empty_sequence(a) && is_empty_sequence(b)) return true;
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case FormKind::Nil:
    case FormKind::True:
    case FormKind::False: return true;
    case FormKind::Integer: return a.integer == b.integer;
    case FormKind::Float: return a.number == b.number;
    case FormKind::BigInteger:
    case FormKind::String:
    case FormKind::Keyword:
    case FormKind::Symbol:
    case FormKind::Var: return a.text() == b.text();
    case FormKind::Regex:
    case FormKind::ShortFn: return false;
    default: break;
    }
    if (a.size != b.size) return false;
    if (a.is(FormKind::Map) || a.is(FormKind::Set)) return same_entries(a, b);
    for (std::size_t i = 0; i < a.size; ++i) {
        if (!same_form(a.items()[i], b.items()[i])) return false;
    }
    return true;
}

} // namespace ptc
