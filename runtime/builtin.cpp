// The registry of builtins: all rows of the tables of builtins/, sorted by name, found by a hash of the name. The index
// of a row is the value of the builtin within a build; files refer to builtins by name.
#include "runtime/builtin.h"
#include "runtime/builtins/tables.h"
#include <algorithm>
#include <cstring>
#include <functional>

namespace ptc {

#ifdef PTC_TEST_BUILTINS // tests/new_builtin: a row that exists in one test program only
std::span<const Builtin> PTC_TEST_BUILTINS();
#endif

namespace {

struct Table {
    std::string_view title; ///< in the reference
    std::span<const Builtin> (*rows)();
};

// Every table of builtins. A row's index depends on the rows' names alone, not on the order here.
constexpr Table kTables[] = {
    {"Arithmetic", arithmetic_builtins},
    {"Mathematics", math_builtins},
    {"Java's Math", java_math_builtins},
    {"Java's decimals and large integers", java_number_builtins},
    {"Comparison", comparison_builtins},
    {"Questions about values", predicate_builtins},
    {"Sequences", sequence_builtins},
    {"Collections", collection_builtins},
    {"Maps", map_builtins},
    {"Sets and relations", set_builtins},
    {"Sorting", sorting_builtins},
    {"Names and keys", name_builtins},
    {"Strings", string_builtins},
    {"Text of values, and printing", printing_builtins},
    {"Splitting and replacing", splitting_builtins},
    {"Formats", format_builtins},
    {"Numbers in text", parsing_builtins},
    {"Patterns", regex_builtins},
    {"Java methods", interop_builtins},
    {"Bytes, codes and patterns of texts", java_text_builtins},
    {"Methods of values and collections", object_method_builtins},
    {"Dates and times", time_builtins},
    {"Dates with times, months, constants", time_class_builtins},
    {"Methods of dates and times", time_method_builtins},
    {"Units of time", time_unit_builtins},
    {"Fields and adjusters of times", time_adjusting_builtins},
    {"Exceptions", exception_builtins},
    {"JSON", json_builtins},
    {"Results and missions", agent_builtins},
#ifdef PTC_TEST_BUILTINS
    {"Sequences", PTC_TEST_BUILTINS},
#endif
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
        for (std::size_t i = NameKey(name).hash & mask_;; i = (i + 1) & mask_) {
            if (slots_[i] < 0 || name == rows_[static_cast<std::size_t>(slots_[i])]->name) return slots_[i];
        }
    }

private:
    Registry() {
        // Each process sorts them: by the first eight bytes, as a number, which all but decide.
        struct Row {
            std::uint64_t head;
            const Builtin* builtin;
        };
        std::vector<Row> sorted;
        sorted.reserve(1024);
        for (const Table& table : kTables) {
            for (const Builtin& row : table.rows())
                sorted.push_back({row.key.head, &row});
        }
        std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
            return a.head != b.head ? a.head < b.head : std::strcmp(a.builtin->name, b.builtin->name) < 0;
        });
        rows_.reserve(sorted.size());
        for (const Row& row : sorted)
            rows_.push_back(row.builtin);
        std::size_t size = 16;
        while (size < rows_.size() * 4)
            size *= 2; // a quarter full: most look-ups take one probe
        mask_ = size - 1;
        slots_.assign(size, -1);
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            std::size_t i = rows_[row]->key.hash & mask_;
            while (slots_[i] >= 0)
                i = (i + 1) & mask_;
            slots_[i] = static_cast<std::int16_t>(row);
        }
    }
    std::vector<const Builtin*> rows_;
    std::vector<std::int16_t> slots_; ///< row index, or -1
    std::size_t mask_ = 0;
};

} // namespace

std::string_view work_text(Work work) {
    switch (work) {
    case Work::Constant: return "";
    case Work::Arguments: return "about 1 for each argument";
    case Work::Items: return "a few for each item";
    case Work::Conversion: return "1 or 2 for each item of what is no vector";
    case Work::Steps: return "1 for each step of a path or 8 bytes of a text";
    case Work::Inside: return "about 1 for each value or 8 bytes within";
    case Work::Sorting: return "n log n for n items";
    case Work::Text: return "about 1 for every 8 bytes";
    case Work::Pattern: return "about 1 for every 8 bytes read, more where the pattern backtracks";
    case Work::Digits: return "more for integers beyond 50 bits, by their digits";
    }
    return "";
}

std::span<const Builtin* const> all_builtins() { return Registry::instance().rows(); }
int find_builtin(std::string_view name) { return Registry::instance().find(name); }
std::string_view builtin_section(const Builtin& row) {
    for (const Table& table : kTables) {
        const auto rows = table.rows();
        if (!std::less<>()(&row, rows.data()) && std::less<>()(&row, rows.data() + rows.size())) return table.title;
    }
    return "";
}
const Builtin& builtin_at(std::uint32_t index) { return *Registry::instance().rows()[index]; }

} // namespace ptc
