// Regular expressions run step by step: slower than RE2's automata, but between any two characters the meter is asked,
// and each step is paid for. For the searches that RE2 would do without an automaton, which nobody can interrupt.
#pragma once
#include "runtime/heap.h"
#include "runtime/regex_range.h"
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ptc {

struct CodePointRange {
    char32_t first;
    char32_t last;
};

/// A program for Thompson's algorithm: all threads are at the same character, the preferred ones first, so that time is
/// linear in text times program. Immutable once made.
class RegexMachine {
public:
    /// Of a pattern as TranslatedRegex::linear has it; null for what it does not know (scripts, too large a program).
    static std::unique_ptr<const RegexMachine> make(std::string_view linear);

    /// As RegexSearch: the leftmost match at or after `from`, which is at `from` for Start and the whole text for Full;
    /// `groups` has a place for each. Charges as it goes, and says how much: a unit for 4 steps of threads, more when
    /// they carry many groups.
    using Extent = RegexExtent;
    Result<bool> run(Heap& heap, std::string_view text, std::size_t from, Extent extent, std::span<ByteRange> groups,
                     std::size_t* charged) const;
    [[nodiscard]] std::size_t size() const { return code_.size(); }
    /// What it takes outside of heaps.
    [[nodiscard]] std::size_t bytes() const;

private:
    friend class RegexMachineBuilder;
    friend class RegexScannerBuilder;
    enum class Op : std::uint8_t { Any, Set, Split, Jump, Save, Begin, End, LineBegin, LineEnd, Word, NotWord, Match };
    struct Instruction {
        Op op;
        std::uint32_t a = 0; ///< Set: which; Split: the preferred way; Jump: where to; Save: the place
        std::uint32_t b = 0; ///< Split: the other way
    };
    struct Set {
        std::vector<CodePointRange> ranges;
        std::uint64_t categories = 0; ///< bits of utf8proc's general categories
        std::uint64_t without = 0;    ///< categories none of which it may have (\P)
        bool negated = false;
        bool folds_case = false;
        bool ascii[128] = {};
    };
    class Run;
    [[nodiscard]] static bool holds(const Set& set, char32_t c);
    std::vector<Instruction> code_;
    std::vector<Set> sets_;
};

} // namespace ptc
