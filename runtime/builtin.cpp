#include "runtime/builtin.h"
#include "runtime/builtins/tables.h"
#include <algorithm>
#include <cstring>

namespace ptc {
namespace {

using Table = std::span<const Builtin> (*)();

// Every table of builtins. A row's index depends on the rows' names alone, not on the order here.
constexpr Table kTables[] = {
    arithmetic_builtins, math_builtins,       java_math_builtins, comparison_builtins, predicate_builtins,
    sequence_builtins,   collection_builtins, map_builtins,       set_builtins,        sorting_builtins,
    name_builtins,       string_builtins,     printing_builtins,  splitting_builtins,  format_builtins,
    parsing_builtins,    regex_builtins,      interop_builtins,   time_builtins,       time_method_builtins,
    json_builtins,       agent_builtins,
};

/// All rows by name, and an open-addressing index over them. Built once a process, at the first look-up; nothing a VM.
class Registry {
public:
    static const Registry& instance() {
        static const Registry registry;
        return registry;
    }
    [[nodiscard]] std::span<const Builtin* const> rows() const { return rows_; }
    [[nodiscard]] int find(std::string_view name) const {
        for (std::size_t i = hash_of(name) & mask_;; i = (i + 1) & mask_) {
            if (slots_[i] < 0 || name == rows_[static_cast<std::size_t>(slots_[i])]->name) return slots_[i];
        }
    }

private:
    Registry() {
        for (Table table : kTables) {
            for (const Builtin& row : table())
                rows_.push_back(&row);
        }
        std::sort(rows_.begin(), rows_.end(),
                  [](const Builtin* a, const Builtin* b) { return std::strcmp(a->name, b->name) < 0; });
        std::size_t size = 16;
        while (size < rows_.size() * 4)
            size *= 2; // a quarter full: most look-ups take one probe
        mask_ = size - 1;
        slots_.assign(size, -1);
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            std::size_t i = hash_of(rows_[row]->name) & mask_;
            while (slots_[i] >= 0)
                i = (i + 1) & mask_;
            slots_[i] = static_cast<std::int16_t>(row);
        }
    }
    // FNV-1a with a final mix: names are short and share prefixes.
    static std::size_t hash_of(std::string_view name) {
        std::uint64_t h = 0xcbf29ce484222325;
        for (char c : name)
            h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        return static_cast<std::size_t>(h ^ (h >> 29));
    }

    std::vector<const Builtin*> rows_;
    std::vector<std::int16_t> slots_; ///< row index, or -1
    std::size_t mask_ = 0;
};

} // namespace

std::span<const Builtin* const> all_builtins() { return Registry::instance().rows(); }
int find_builtin(std::string_view name) { return Registry::instance().find(name); }
const Builtin& builtin_at(std::uint32_t index) { return *Registry::instance().rows()[index]; }

} // namespace ptc
