// Regular expressions in Java's syntax. RE2 (linear time) runs whatever it can express; patterns with look-around,
// back-references, possessive quantifiers or atomic groups go to PCRE2 under match, depth and heap limits. Always the
// whole input; work is charged to the meter.
#pragma once
#include "runtime/heap.h"
#include "runtime/regex_range.h"
#include "runtime/string.h"
#include <array>
#include <memory>
#include <span>
#include <vector>

namespace re2 {
class RE2;
}

namespace ptc {

class RegexMachine;
class RegexScanner;
inline constexpr std::size_t kMaxPatternBytes = 256; ///< spec 8.10

struct RegexProgram;

/// ObjectType::Regex. (The word behind the header is overwritten while a dead object waits to be released.)
struct RegexObject : Object {
    std::uint32_t group_count;
    Value source;          ///< a string
    RegexProgram* program; ///< outside of the heap
};

/// Compiles a pattern; runtime_error with the reason when it is malformed, too long or not supported ((?U),
/// look-behind of unbounded length). The compiled program lives outside of the heap, is charged to it and is closed by
/// a finalizer. A frozen regex may be used by several threads at once.
Result<Value> make_regex(Heap& heap, std::string_view pattern);
/// The pattern as written.
std::string_view regex_source(const Value& regex);
/// Capture groups, without the whole match.
std::size_t regex_group_count(const Value& regex);
/// The number of a named group; 0 when there is none of this name.
std::size_t regex_group_number(const Value& regex, std::string_view name);

/// One text searched with one regex; both must outlive it. `heap` pays.
class RegexSearch {
public:
    RegexSearch(Heap& heap, const Value& regex, std::string_view text);
    ~RegexSearch();
    RegexSearch(const RegexSearch&) = delete;
    RegexSearch& operator=(const RegexSearch&) = delete;

    /// The leftmost match that starts at byte `from` or later (`from` is the start of a code point). True when there is
    /// one; fails when fuel, memory or a matching limit runs out.
    Result<bool> find(std::size_t from);
    /// The next match after the one before (from the start at first), as Java's Matcher.find: matches do not overlap,
    /// and an empty match moves on by one code point.
    Result<bool> next();
    /// A match of the whole text.
    Result<bool> full_match();

    /// From now on RE2 does what the scanner would: with the same answers, for the same fuel.
    void leave_out_scanner() { scanner_ = nullptr; }

    /// Of the last successful call: [0] is the whole match, then the groups.
    [[nodiscard]] std::span<const ByteRange> groups() const { return groups_; }
    [[nodiscard]] ByteRange match() const { return groups_[0]; }

private:
    struct Backtracking;
    using Extent = RegexExtent;
    Result<bool> run(std::size_t from, Extent extent);
    Result<bool> run_linear(std::size_t from, Extent extent);
    bool match_directly(const re2::RE2& re, ByteRange part, Extent extent, std::size_t groups);
    Result<bool> match_by_automaton(std::size_t from, Extent extent, std::size_t* charged);
    Result<bool> run_machine(std::size_t from, Extent extent, std::size_t* charged);
    Result<bool> run_backtracking(std::size_t from, Extent extent);
    Result<Backtracking*> backtracking();
    [[nodiscard]] bool is_linear() const;

    Heap& heap_;
    const RegexObject& regex_;
    const RegexProgram& program_;
    std::string_view text_;
    static constexpr std::size_t kFewGroups = 10;
    std::array<ByteRange, kFewGroups> few_groups_;
    std::vector<ByteRange> many_groups_;
    std::span<ByteRange> groups_; ///< of one of them
    bool linear_;
    const RegexScanner* scanner_; ///< null when there is none for this text, or it has met what it does not know
    std::size_t wasted_ = 0;      ///< by the scanner
    bool is_hopeless_ = false;    ///< for RE2's automaton
    std::size_t next_from_ = 0;
    std::unique_ptr<Backtracking> backtracking_;  ///< made when it is needed
    std::unique_ptr<const RegexMachine> machine_; ///< likewise
};

} // namespace ptc
