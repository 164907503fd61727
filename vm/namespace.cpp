// The session's names: a table from name to slot, and the log that undoes what a failed run has defined.
//
// No slot is removed while a run is under way, so code caches their numbers. The first definition of a name in a
// stretch (a run, or a branch of it) logs the value that it replaces; later ones of the same stretch replace their own.
// The log is kept when a run ends well and played backwards when it fails. Branches hand their logs over to each other:
// set_aside and put_back exchange logged and present values, so either can be restored.
#include "vm/namespace.h"
#include "runtime/entries.h"
#include "runtime/function.h"
#include "runtime/string.h"
#include <algorithm>
#include <bit>
#include <iterator>

namespace ptc {
namespace {
std::size_t hash_name(std::string_view name) {
    std::size_t h = 0xcbf29ce484222325u;
    for (char c : name)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h ^ (h >> 29);
}
} // namespace

std::uint32_t Namespace::find(std::string_view name) const {
    if (index_.empty()) return kNone;
    std::size_t mask = index_.size() - 1;
    for (std::size_t i = hash_name(name) & mask; index_[i] != 0; i = (i + 1) & mask) {
        if (slots_[index_[i] - 1].name == name) return index_[i] - 1;
    }
    return kNone;
}

void Namespace::grow_index() { fill_index(std::max<std::size_t>(16, index_.size() * 2)); }

void Namespace::fill_index(std::size_t size) {
    if (size < index_.size()) index_ = {};
    index_.assign(size, 0);
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
        std::size_t i = hash_name(slots_[s].name) & (size - 1);
        while (index_[i] != 0)
            i = (i + 1) & (size - 1);
        index_[i] = s + 1;
    }
}

std::uint32_t Namespace::intern(std::string_view name) {
    std::uint32_t found = find(name);
    if (found != kNone) return found;
    slots_.push_back(Slot{std::string(name), Value::hole()});
    if (slots_.size() * 2 > index_.size()) {
        grow_index();
    } else {
        std::size_t mask = index_.size() - 1;
        std::size_t i = hash_name(name) & mask;
        while (index_[i] != 0)
            i = (i + 1) & mask;
        index_[i] = static_cast<std::uint32_t>(slots_.size());
    }
    return static_cast<std::uint32_t>(slots_.size() - 1);
}

bool Namespace::is_bound(std::string_view name) const {
    std::uint32_t s = find(name);
    return s != kNone && !slots_[s].value.is_hole();
}

void Namespace::define(std::uint32_t index, Value value) {
    Slot& slot = slots_[index];
    if (std::exchange(slot.changed_in, stretch_) == stretch_) {
        slot.value = std::move(value); // a loop that defines a name again and again needs its oldest value only
        return;
    }
    undo_.push_back({index, std::exchange(slot.value, std::move(value))});
}

Value Namespace::take_out(std::uint32_t index) {
    Slot& slot = slots_[index];
    // The first change of a stretch keeps the old value, so that one is shared.
    if (slot.changed_in != stretch_) define(index, slot.value.copy());
    return std::exchange(slot.value, Value::hole());
}

namespace {

/// Calls `each` with the parts of a value: what a collection holds, and what a function has captured.
template <class Each> void each_part(Heap& heap, const Value& value, std::size_t most, const Each& each) {
    if (value.is(ObjectType::Closure)) {
        const auto* closure = static_cast<const ClosureObject*>(value.object());
        std::for_each(closure->captures(), closure->captures() + closure->count, each);
    } else if (value.is_vector()) {
        for (std::size_t i = 0; i < std::min(most, vector_length(value)); ++i)
            each(vector_get(value, i));
    } else if (value.is_map() || value.is_set()) {
        if (count_of(value) > most) return;
        const Entries entries(heap, value);
        for (std::size_t i = 0; i < count_of(value); ++i) {
            each(entries.key(i));
            if (value.is_map()) each(entries.value(i));
        }
    }
}

} // namespace

void Namespace::drop_atoms(Heap& heap) {
    constexpr std::size_t kMostOfName = 2'000, kMostOfAll = 20'000; // parts that are looked at
    std::vector<bool> is_named(slots_.size());
    if (const std::uint32_t declarations = find(kDeclarationsName); declarations != kNone)
        is_named[declarations] = true;
    std::size_t left_of_all = kMostOfAll, left_of_name = 0;
    std::vector<Value> left;
    const auto look_at = [&](const Value& value) {
        if (left_of_name == 0 || left_of_all == 0) return;
        --left_of_name, --left_of_all;
        if (value.is_object()) left.push_back(value.copy());
    };
    for (const Slot& slot : slots_) {
        if (slot.name.starts_with(kAtomPrefix) || !slot.value.is_object()) continue;
        left_of_name = kMostOfName;
        left_of_all = std::max<std::size_t>(left_of_all, 1); // each name itself is looked at
        for (look_at(slot.value); !left.empty();) {
            const Value value = std::move(left.back());
            left.pop_back();
            if (!value.is(ObjectType::Var)) {
                each_part(heap, value, left_of_name, look_at);
                continue;
            }
            const std::uint32_t held = text_of(value).starts_with(kAtomPrefix) ? find(text_of(value)) : kNone;
            if (held == kNone || is_named[held]) continue;
            is_named[held] = true;
            look_at(slots_[held].value); // which may hold others
        }
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].name.starts_with(kAtomPrefix) && !is_named[i]) slots_[i].value = Value::hole();
    }
    while (!slots_.empty() && slots_.back().value.is_hole() && slots_.back().name.starts_with(kAtomPrefix))
        pop_slot();
}

std::size_t Namespace::trim() {
    std::size_t bytes = 0;
    for (; !slots_.empty() && slots_.back().value.is_hole(); pop_slot())
        bytes += charged_bytes(slots_.back().name);
    if (slots_.capacity() > 4 * slots_.size()) {
        slots_.shrink_to_fit();
        if (slots_.empty())
            index_ = {};
        else
            fill_index(std::max<std::size_t>(16, std::bit_ceil(2 * slots_.size())));
    }
    return bytes;
}

/// The table has its entries in the order of their slots, so none was led past the newest: its place becomes free.
void Namespace::pop_slot() {
    const std::size_t mask = index_.size() - 1;
    std::size_t i = hash_name(slots_.back().name) & mask;
    while (index_[i] != slots_.size())
        i = (i + 1) & mask;
    index_[i] = 0;
    slots_.pop_back();
}

void Namespace::begin() {
    ++stretch_;
    undo_.clear();
    changed_atoms_.clear();
}

std::vector<std::string> Namespace::changed_names() const {
    std::vector<std::string> names;
    std::vector<bool> seen(undo_.empty() ? 0 : slots_.size());
    for (const Change& u : undo_) {
        if (seen[u.slot] || slots_[u.slot].name.starts_with(kAtomPrefix)) continue;
        seen[u.slot] = true;
        names.push_back(slots_[u.slot].name);
    }
    return names;
}

bool Namespace::has_changed_atoms() const {
    const auto is_there = [this](std::uint32_t slot) {
        return slot < slots_.size() && slots_[slot].name.starts_with(kAtomPrefix) && !slots_[slot].value.is_hole() &&
               slots_[slot].name != kDeclarationsName;
    };
    return std::ranges::any_of(undo_, is_there, &Change::slot) || std::ranges::any_of(changed_atoms_, is_there);
}

void Namespace::commit(std::vector<std::string>* changed) {
    ++stretch_;
    if (changed) std::ranges::move(changed_names(), std::back_inserter(*changed));
    changed_atoms_.clear();
    for (const Change& change : undo_)
        if (slots_[change.slot].name.starts_with(kAtomPrefix)) changed_atoms_.push_back(change.slot);
    undo_.clear();
}

void Namespace::rollback() {
    ++stretch_;
    while (!undo_.empty()) {
        slots_[undo_.back().slot].value = std::move(undo_.back().other);
        undo_.pop_back();
    }
}

void Namespace::clear() {
    ++stretch_;
    undo_.clear();
    for (Slot& s : slots_)
        s.value = Value::hole();
}

void Namespace::forget() {
    forget(undo_);
    for (Slot& s : slots_)
        (void)s.value.give_up();
}

void Namespace::forget(Changes& changes) {
    for (Change& c : changes)
        (void)c.other.give_up();
}

void Namespace::set_aside(Changes& changes) {
    ++stretch_;
    for (std::size_t i = changes.size(); i-- > 0;)
        std::swap(slots_[changes[i].slot].value, changes[i].other);
}

void Namespace::put_back(Changes& changes) {
    ++stretch_;
    for (Change& c : changes)
        std::swap(slots_[c.slot].value, c.other);
}

} // namespace ptc
