// The session's names and their values, with an undo log: the defs of a run that fails are discarded.
#pragma once
#include "runtime/value.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Slots keep their index for the namespace's life, so code may cache it. Belongs to one thread at a time.
class Namespace {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Slot {
        std::string name;
        Value value = Value::hole(); ///< a hole: not bound
    };
    [[nodiscard]] std::uint32_t find(std::string_view name) const;
    std::uint32_t intern(std::string_view name);
    [[nodiscard]] const Slot& slot(std::uint32_t i) const { return slots_[i]; }
    [[nodiscard]] bool is_bound(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return slots_.size(); }
    /// Binds within a transaction.
    void define(std::uint32_t slot, Value value);
    void begin();
    /// Keeps the changes; `changed` gets the names.
    void commit(std::vector<std::string>* changed = nullptr);
    void rollback();
    void clear();
    /// Drops all values without releasing them: their heap is about to go.
    void forget();

private:
    struct Undo { std::uint32_t slot; Value old; };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> index_; ///< open addressing; slot + 1
    std::vector<Undo> undo_;
    void grow_index();
};

} // namespace ptc
