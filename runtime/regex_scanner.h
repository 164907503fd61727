// Searching for the patterns that most programs write, by a table that is made once: classes and their repetitions,
// literals, alternatives of these, with groups where the next character always says which way the pattern goes on.
#pragma once
#include "runtime/byte_set.h"
#include "runtime/meter.h"
#include "runtime/regex_range.h"
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

class RegexMachine;

/// A deterministic automaton of a RegexMachine's program. Immutable once made, so threads share it without a lock.
/// Finds what RE2 finds, groups included (tests/runtime/regex_scanner_test.cpp compares them), or says that it does not
/// know.
class RegexScanner {
public:
    /// What one takes at most outside of heaps.
    static constexpr std::size_t kMostBytes = std::size_t{16} << 10;
    /// Null for a pattern that needs more states than a few, or groups for which one character is not enough.
    static std::unique_ptr<const RegexScanner> make(const RegexMachine& machine, std::size_t group_count);

    enum class Answer : std::uint8_t {
        Found,
        None,
        Unknown, ///< a character that it does not class, or too much of the text would be read again and again
        Refused, ///< by the meter, which was only asked for time
    };
    /// As RegexSearch::find; `groups` has a place for each. `*wasted` counts what was read in vain, and belongs to all
    /// searches of one text.
    Answer find(Meter& meter, std::string_view text, std::size_t from, std::span<ByteRange> groups,
                std::size_t* wasted) const;
    /// A match of the whole text.
    Answer find_whole(Meter& meter, std::string_view text, std::span<ByteRange> groups) const;
    /// What it takes outside of heaps.
    [[nodiscard]] std::size_t bytes() const;

private:
    friend class RegexScannerBuilder;
    class Attempt;
    static constexpr std::size_t kMaxPlaces = 32; ///< two for each group, and for the whole match

    enum class Way : std::uint8_t { Dead, Go, Unknown };
    struct Step {
        std::uint32_t saves = 0; ///< places that get the position before the character
        std::uint16_t next = 0;
        std::uint8_t conditions = 0; ///< bits of assertions, all true at that position
        Way way = Way::Dead;
        bool yields = false; ///< to a match that ends at that position, which is preferred
    };
    struct Node {
        const ByteSet* loop = nullptr; ///< bytes that lead back here and do nothing else
        std::uint32_t match_saves = 0;
        std::uint8_t match_conditions = 0;
        bool is_match = false;
    };

    [[nodiscard]] bool holds(std::uint8_t conditions, std::string_view text, std::size_t at) const;
    [[nodiscard]] bool is_dead(std::size_t node, std::string_view text, std::size_t at) const;
    [[nodiscard]] std::size_t next_start(std::string_view text, std::size_t from) const;
    [[nodiscard]] std::size_t next_lead(std::string_view text, std::size_t from, std::size_t* lead_end) const;

    std::array<std::uint8_t, 256> classes_{}; ///< of bytes; those from 0x80 on are first bytes of a character
    std::uint8_t line_end_class_ = 0;         ///< U+0085, U+2028 and U+2029, which `.` does not match
    std::size_t class_count_ = 0;
    std::vector<Step> steps_; ///< of node i: from i * class_count_
    std::vector<Node> nodes_;
    std::vector<std::unique_ptr<const ByteSet>> loops_;
    ByteSet first_;           ///< bytes with which a match can begin
    ByteSet second_;          ///< bytes that can be behind that one
    bool has_second_ = false; ///< and one of them must be
    std::string prefix_;      ///< with which each match begins, when that is more than any byte of `first_`
    bool may_be_empty_ = false;
    bool can_be_full_ = true; ///< no alternative was given up for a preferred one that ends earlier
    bool has_lead_ = false;
    Step lead_;            ///< the one step of the first node, to a node that loops over the same characters
    int behind_lead_ = -1; ///< the one byte that leads on from there, when there is no other way
};

} // namespace ptc
