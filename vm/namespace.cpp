// The session's names: a table from name to slot, and the log that undoes what a failed run has defined.
//
// Slots are never removed, so code caches their numbers. The first definition of a name in a stretch (a run, or a
// branch of it) logs the value that it replaces; later ones of the same stretch replace their own. The log is kept when
// a run ends well and played backwards when it fails. Branches hand their logs over to each other: set_aside and
// put_back exchange logged and present values, so either can be restored.
#include "vm/namespace.h"
#include "runtime/function.h"
#include "runtime/string.h"
#include <algorithm>
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

void Namespace::drop_atoms() {
    std::vector<bool> is_named(slots_.size());
    const auto keep = [&](const Value& atom) {
        if (!atom.is(ObjectType::Var)) return;
        if (const std::uint32_t held = find(text_of(atom)); held != kNone) is_named[held] = true;
    };
    for (const Slot& slot : slots_) {
        keep(slot.value);
        if (!slot.value.is(ObjectType::Closure)) continue;
        const auto* closure = static_cast<const ClosureObject*>(slot.value.object());
        std::for_each(closure->captures(), closure->captures() + closure->count, keep);
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].name.starts_with(kAtomPrefix) && !is_named[i]) slots_[i].value = Value::hole();
    }
    const std::size_t before = slots_.size();
    while (!slots_.empty() && slots_.back().value.is_hole() && slots_.back().name.starts_with(kAtomPrefix))
        slots_.pop_back();
    if (slots_.size() != before) fill_index(index_.size());
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
        return slot < slots_.size() && slots_[slot].name.starts_with(kAtomPrefix) && !slots_[slot].value.is_hole();
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
