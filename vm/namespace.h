// The session's names and their values, with an undo log: the defs of a run that fails are discarded.
#pragma once
#include "runtime/value.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// The name of a text that the host keeps among the session's names, so that it is undone and saved with them: what its
/// programs have declared. No program can write it, as it cannot write the names of atoms, and it ends with no run.
inline constexpr std::string_view kDeclarationsName = "atom%declarations";

/// Slots keep their index until `trim`, so the code of a run may cache it. Belongs to one thread at a time.
class Namespace {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Slot {
        std::string name;
        Value value = Value::hole();  ///< a hole: not bound
        std::uint64_t changed_in = 0; ///< the stretch in which its old value was last kept
    };
    [[nodiscard]] std::uint32_t find(std::string_view name) const;
    std::uint32_t intern(std::string_view name);
    /// What the heap is to be charged with before `intern` makes a slot of this name. Slots themselves are few
    /// (Limits::max_symbols) and small: short names, and those that are there, are free.
    [[nodiscard]] std::size_t bytes_of_new(std::string_view name) const {
        return find(name) == kNone ? charged_bytes(name) : 0;
    }
    [[nodiscard]] const Slot& slot(std::uint32_t i) const { return slots_[i]; }
    [[nodiscard]] bool is_bound(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return slots_.size(); }
    /// Binds within a transaction.
    void define(std::uint32_t slot, Value value);
    /// The value of a slot, which is to be defined anew at once; what it was before the transaction is kept.
    Value take_out(std::uint32_t slot);
    /// Ends the atoms that no name stands for, also as a part of its value, and gives their slots back as far as they
    /// are the newest. Of a value some 2,000 parts are looked at, of all 20,000: it is nobody's work. Not while a
    /// transaction is open, nor while code that runs has cached slots.
    void drop_atoms(Heap& heap);
    /// Gives back the newest slots, as far as they are not bound: of names that a run which failed has made. Gives the
    /// bytes that they were charged with. Not while a transaction is open, nor while code that runs has cached slots.
    [[nodiscard]] std::size_t trim();
    /// Binds as if it had been so from the start: rollback keeps it. The slot is not bound and has no change to undo.
    void bind(std::uint32_t slot, Value value) { slots_[slot].value = std::move(value); }
    void begin();
    /// The names that the open transaction has defined.
    [[nodiscard]] std::vector<std::string> changed_names() const;
    /// Whether the transaction that is open, or else the last one that was kept, has changed what an atom holds that is
    /// still there: what it put there may be of its program.
    [[nodiscard]] bool has_changed_atoms() const;
    /// Keeps the changes; `changed` gets the names.
    void commit(std::vector<std::string>* changed = nullptr);
    void rollback();
    void clear();
    /// Drops all values without releasing them: their heap is about to go.
    void forget();

    /// The changes of one transaction among several that take turns. Each entry is a slot and the value that it does
    /// not have at the moment: the old one while the changes are in force, else the new one.
    struct Change {
        std::uint32_t slot;
        Value other;
    };
    using Changes = std::vector<Change>;
    /// Hands the open transaction's changes out; they stay in force. Another transaction may begin on top of them.
    [[nodiscard]] Changes hand_over() {
        ++stretch_;
        return std::exchange(undo_, {});
    }
    /// Goes on with a transaction whose changes are in force and the newest ones.
    void take_over(Changes changes) {
        ++stretch_;
        undo_ = std::move(changes);
    }
    /// Takes changes, the newest in force, out of force, and puts them back.
    void set_aside(Changes& changes);
    void put_back(Changes& changes);
    /// Drops changes that are not in force, without releasing their values: their heap is about to go.
    static void forget(Changes& changes);

private:
    friend struct VmSnapshot;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> index_; ///< open addressing; slot + 1
    Changes undo_;
    std::vector<std::uint32_t> changed_atoms_; ///< slots of atoms that the last transaction changed which was kept
    std::uint64_t stretch_ =
        1; ///< counts the stretches between two hand-overs: in each, a slot's old value is kept once
    static std::size_t charged_bytes(std::string_view name) {
        constexpr std::size_t kFree = 64;
        return name.size() > kFree ? name.size() : 0;
    }
    void grow_index();
    void fill_index(std::size_t size);
    void pop_slot();
};

} // namespace ptc
