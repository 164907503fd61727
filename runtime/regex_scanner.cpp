// The table is the machine's program with threads run ahead of time: a node is what is left of the pattern, as a list
// of threads in the order of preference, and a step leads to the next node for a class of characters. Without groups
// the list may have any length; with groups it has one thread, so that it is known which places of which group the step
// saves. Classes are of ASCII and of all other characters alike: sets that tell those apart make the step Unknown.
//
// A search tries one start after the other: those with a byte, or a few, with which a match can begin. That alone would
// be quadratic: `[a-z]+@` in a long word. Starts inside of the loop that a pattern begins with are skipped, since they
// come to the same node at the loop's end; when one byte alone leads on from there, that byte is looked for, and the
// start is behind the text before it that does not loop. What is read in vain is counted, so that RE2 does the rest
// when it is more than a few times the text that was passed.
#include "runtime/regex_scanner.h"
#include "runtime/regex_machine.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace ptc {
namespace {

constexpr std::size_t kAscii = 128;
constexpr std::size_t kOther = kAscii;       ///< the symbol of all other characters but line ends
constexpr std::size_t kLineEnd = kAscii + 1; ///< U+0085, U+2028, U+2029
constexpr std::size_t kSymbols = kAscii + 2;
constexpr std::size_t kMostSteps = 4096; ///< of a table
constexpr std::size_t kMostNodes = 256;
constexpr std::size_t kMostContents = 64; ///< a bit of a word for each

enum Condition : std::uint8_t { Begin = 1, End = 2, LineBegin = 4, LineEnd = 8, Word = 16, NotWord = 32 };

bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t length_by_first_byte(unsigned char c) { return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4; }

bool is_line_end(const char* p) {
    const auto c = static_cast<unsigned char>(*p);
    const auto second = [&] { return static_cast<unsigned char>(p[1]); };
    if (c == 0xC2) return second() == 0x85;
    return c == 0xE2 && second() == 0x80 && (static_cast<unsigned char>(p[2]) | 1) == 0xA9;
}

} // namespace

class RegexScannerBuilder {
public:
    using Machine = RegexMachine;
    using Op = RegexMachine::Op;
    using Way = RegexScanner::Way;

    RegexScannerBuilder(const RegexMachine& machine, std::size_t group_count)
        : machine_(machine), places_(2 * (group_count + 1)), scanner_(std::make_unique<RegexScanner>()) {}

    std::unique_ptr<const RegexScanner> run() {
        if (places_ > RegexScanner::kMaxPlaces || machine_.code_.size() > kMostNodes) return nullptr;
        if (!find_classes()) return nullptr;
        known_of_one_.resize(machine_.code_.size());
        node_of({0});
        for (std::size_t i = 0; i < lists_.size(); ++i)
            if (!expand(i)) return nullptr;
        find_loops();
        find_starts();
        if (scanner_->bytes() > RegexScanner::kMostBytes) return nullptr;
        return std::move(scanner_);
    }

private:
    using List = std::vector<std::uint32_t>;
    static constexpr std::uint8_t kNotReached = 0xFF;
    enum class Holds : std::uint8_t { No, Yes, Unknown };
    struct Thread {
        std::uint32_t pc;
        std::uint32_t saves;
        std::uint8_t conditions;
    };

    // ------------------------------------------------------------ classes

    static bool is_in(const Machine::Set& set, char32_t c) {
        const auto has = [&](const CodePointRange& range) { return c >= range.first && c <= range.last; };
        return std::any_of(set.ranges.begin(), set.ranges.end(), has);
    }
    /// Whether all characters of [first, last], or none, are in the ranges of `set`.
    static Holds holds_all(const Machine::Set& set, char32_t first, char32_t last) {
        const bool is_first_in = is_in(set, first);
        // What is in changes only at the bounds of ranges.
        for (const CodePointRange& range : set.ranges) {
            for (const char32_t bound : {range.first, static_cast<char32_t>(range.last + 1)})
                if (bound > first && bound <= last && is_in(set, bound) != is_first_in) return Holds::Unknown;
        }
        return is_first_in != set.negated ? Holds::Yes : Holds::No;
    }
    static Holds same(std::initializer_list<Holds> all) {
        for (const Holds one : all)
            if (one != *all.begin()) return Holds::Unknown;
        return *all.begin();
    }
    /// Of the letters of ASCII, `k` and `s` alone are folded to others: the Kelvin sign and the long s.
    static bool folds_within_ascii(const Machine::Set& set) {
        const auto is_within = [](const CodePointRange& range) { return range.last < kAscii; };
        const auto has = [&](char letter) { return set.ascii[static_cast<std::size_t>(letter)] != set.negated; };
        return std::all_of(set.ranges.begin(), set.ranges.end(), is_within) && !has('k') && !has('s');
    }
    /// Of the characters that are not ASCII.
    static Holds holds(const Machine::Set& set, std::size_t symbol) {
        if (set.categories || set.without || (set.folds_case && !folds_within_ascii(set))) return Holds::Unknown;
        if (symbol == kLineEnd) return same({holds_all(set, 0x85, 0x85), holds_all(set, 0x2028, 0x2029)});
        return same({holds_all(set, 0x80, 0x84), holds_all(set, 0x86, 0x2027), holds_all(set, 0x202A, 0xD7FF),
                     holds_all(set, 0xE000, 0x10FFFF)});
    }

    /// What a set holds of all symbols. Most sets of a program are those of a few characters, met again and again.
    struct Content {
        std::array<std::uint64_t, 2> ascii{};
        Holds other = Holds::No, line_end = Holds::No;
        bool operator==(const Content&) const = default;
        [[nodiscard]] Holds of(std::size_t symbol) const {
            if (symbol >= kAscii) return symbol == kOther ? other : line_end;
            return (ascii[symbol / 64] >> (symbol % 64)) & 1 ? Holds::Yes : Holds::No;
        }
    };
    static Content content_of(const Machine::Set& set) {
        Content content;
        for (std::size_t i = 0; i < kAscii; i += 8) {
            std::uint64_t bytes = 0; // of 0 or 1
            std::memcpy(&bytes, set.ascii + i, 8);
            // The product's highest byte has bit k of byte k, the lowest first: no two of its terms meet.
            content.ascii[i / 64] |= ((bytes * 0x0102'0408'1020'4080) >> 56) << (i % 64);
        }
        content.other = holds(set, kOther);
        content.line_end = holds(set, kLineEnd);
        return content;
    }

    /// Which contents have a symbol: a bit for each, and one for each of which it is not known.
    struct Holders {
        std::uint64_t sure = 0, unknown = 0;
        bool operator==(const Holders&) const = default;
        void add(Holds holds, std::uint64_t bit) {
            if (holds != Holds::No) (holds == Holds::Yes ? sure : unknown) |= bit;
        }
    };

    /// Symbols that are in the same sets are one class. False for too many sets.
    bool find_classes() {
        for (const Machine::Set& set : machine_.sets_) {
            const Content content = content_of(set);
            const auto known = std::find(contents_.begin(), contents_.end(), content);
            set_contents_.push_back(static_cast<std::size_t>(known - contents_.begin()));
            if (known == contents_.end()) contents_.push_back(content);
        }
        if (contents_.size() > kMostContents) return false;
        std::array<Holders, kSymbols> holders{};
        for (std::size_t i = 0; i < contents_.size(); ++i) {
            const std::uint64_t bit = std::uint64_t{1} << i;
            for (std::size_t word = 0; word < 2; ++word)
                for (std::uint64_t rest = contents_[i].ascii[word]; rest != 0; rest &= rest - 1)
                    holders[64 * word + static_cast<std::size_t>(std::countr_zero(rest))].sure |= bit;
            holders[kOther].add(contents_[i].other, bit);
            holders[kLineEnd].add(contents_[i].line_end, bit);
        }
        number_classes(holders);
        const std::size_t count = class_symbols_.size();
        scanner_->class_count_ = count;
        for (const Content& content : contents_)
            for (std::size_t c = 0; c < count; ++c)
                held_.push_back(content.of(class_symbols_[c]));
        return true;
    }
    void number_classes(const std::array<Holders, kSymbols>& holders) {
        std::size_t c = 0; // of the symbol before, which is mostly that of the next
        for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
            const auto has = [&](std::size_t other) { return holders[other] == holders[symbol]; };
            if (symbol == 0 || !has(class_symbols_[c])) {
                const auto known = std::find_if(class_symbols_.begin(), class_symbols_.end(), has);
                c = static_cast<std::size_t>(known - class_symbols_.begin());
                if (known == class_symbols_.end()) class_symbols_.push_back(symbol);
            }
            set_class(symbol, static_cast<std::uint8_t>(c));
        }
    }
    void set_class(std::size_t symbol, std::uint8_t number) {
        auto& classes = scanner_->classes_;
        if (symbol < kAscii)
            classes[symbol] = number;
        else if (symbol == kOther)
            std::fill(classes.begin() + kAscii, classes.end(), number);
        else
            scanner_->line_end_class_ = number;
    }

    // ------------------------------------------------------------ nodes

    std::uint16_t node_of(const List& list) {
        std::uint16_t& known = list.size() == 1 ? known_of_one_[list[0]] : known_[list];
        if (known == 0) {
            lists_.push_back(list);
            scanner_->nodes_.emplace_back();
            scanner_->steps_.resize(scanner_->steps_.size() + scanner_->class_count_);
            known = static_cast<std::uint16_t>(lists_.size());
        }
        return static_cast<std::uint16_t>(known - 1);
    }

    /// Finds the steps of node `i`. False when it cannot be had.
    bool expand(std::size_t i) {
        if (lists_.size() > kMostNodes || scanner_->steps_.size() > kMostSteps) return false;
        std::size_t match = SIZE_MAX; // threads before it are preferred to it
        threads_.clear();
        if (!follow(i, &match)) return false;
        for (std::size_t c = 0; c < scanner_->class_count_; ++c)
            if (!find_step(i, c, match)) return false;
        return true;
    }

    /// What the threads of a node reach without reading.
    bool follow(std::size_t i, std::size_t* match) {
        std::vector<Thread>& pending = pending_;
        for (std::size_t k = lists_[i].size(); k-- > 0;)
            pending.push_back({lists_[i][k], 0, 0});
        std::vector<std::uint8_t>& reached = reached_;
        reached.assign(machine_.code_.size(), kNotReached);
        while (!pending.empty()) {
            Thread t = pending.back();
            pending.pop_back();
            // A way to where a preferred one is already goes nowhere else, unless that one may be shut.
            if (reached[t.pc] == 0) continue;
            if (reached[t.pc] != kNotReached) return false;
            reached[t.pc] = t.conditions;
            const Machine::Instruction& instruction = machine_.code_[t.pc];
            const Thread next{t.pc + 1, t.saves, t.conditions};
            switch (instruction.op) {
            case Op::Jump: pending.push_back({instruction.a, t.saves, t.conditions}); break;
            case Op::Split:
                pending.push_back({instruction.b, t.saves, t.conditions});
                pending.push_back({instruction.a, t.saves, t.conditions});
                break;
            case Op::Save: pending.push_back(saved(next, instruction.a)); break;
            case Op::Begin: pending.push_back(with(next, Begin)); break;
            case Op::End: pending.push_back(with(next, End)); break;
            case Op::LineBegin: pending.push_back(with(next, LineBegin)); break;
            case Op::LineEnd: pending.push_back(with(next, LineEnd)); break;
            case Op::Word: pending.push_back(with(next, Word)); break;
            case Op::NotWord: pending.push_back(with(next, NotWord)); break;
            case Op::Match: {
                RegexScanner::Node& node = scanner_->nodes_[i];
                node.is_match = true;
                node.match_saves = t.saves & ~std::uint32_t{3};
                node.match_conditions = t.conditions;
                *match = threads_.size();
                break;
            }
            default: threads_.push_back(t);
            }
        }
        return true;
    }
    [[nodiscard]] Thread saved(Thread t, std::uint32_t place) const {
        if (place < places_) t.saves |= std::uint32_t{1} << place;
        return t;
    }
    static Thread with(Thread t, Condition condition) {
        t.conditions |= condition;
        return t;
    }

    [[nodiscard]] Holds reads(const Thread& t, std::size_t c) const {
        const Machine::Instruction& instruction = machine_.code_[t.pc];
        if (instruction.op == Op::Any) return Holds::Yes;
        return held_[set_contents_[instruction.a] * scanner_->class_count_ + c];
    }

    bool find_step(std::size_t i, std::size_t c, std::size_t match) {
        RegexScanner::Step step;
        List& next = next_;
        next.clear();
        for (std::size_t k = 0; k < threads_.size(); ++k) {
            const Thread& t = threads_[k];
            const Holds read = reads(t, c);
            if (read == Holds::No) continue;
            const bool yields = k >= match;
            if (yields) scanner_->can_be_full_ = false;
            if (yields && scanner_->nodes_[i].match_conditions == 0) break; // the match is preferred to it, always
            if (read == Holds::Unknown) {
                step.way = Way::Unknown;
                break;
            }
            if (next.empty()) {
                step.way = Way::Go;
                step.saves = t.saves;
                step.conditions = t.conditions;
                step.yields = yields;
            } else if (step.conditions != t.conditions || step.yields != yields || places_ > 2) {
                return false; // which of them goes on, one character does not say
            }
            next.push_back(t.pc + 1);
        }
        if (step.way == Way::Go) step.next = node_of(next);
        step.saves &= ~std::uint32_t{3}; // where an attempt begins and ends is known
        scanner_->steps_[i * scanner_->class_count_ + c] = step;
        return true;
    }

    // ------------------------------------------------------------ what makes it fast

    [[nodiscard]] const RegexScanner::Step& step(std::size_t node, std::size_t c) const {
        return scanner_->steps_[node * scanner_->class_count_ + c];
    }
    [[nodiscard]] std::size_t class_of(std::size_t byte) const { return scanner_->classes_[byte]; }
    [[nodiscard]] bool loops(std::size_t node, std::size_t c) const {
        const RegexScanner::Step& s = step(node, c);
        return s.way == Way::Go && s.next == node && s.saves == 0 && s.conditions == 0 && !s.yields;
    }
    /// A byte that may begin a line end is looked at with those behind it.
    static bool may_begin_line_end(std::size_t byte) { return byte == 0xC2 || byte == 0xE2; }

    void find_loops() {
        for (std::size_t node = 0; node < lists_.size(); ++node) {
            std::array<bool, kSymbols> in{}; // by class
            bool any = false;
            for (std::size_t c = 0; c < scanner_->class_count_; ++c)
                any |= in[c] = loops(node, c);
            if (!any) continue;
            ByteSet::Members bytes{};
            for (std::size_t b = 0; b < 256; ++b)
                bytes[b] = in[class_of(b)] && (!may_begin_line_end(b) || in[scanner_->line_end_class_]);
            const auto is_same = [&](const auto& known) { return known->members() == bytes; };
            auto& all = scanner_->loops_;
            auto found = std::find_if(all.begin(), all.end(), is_same);
            if (found == all.end()) found = all.insert(all.end(), std::make_unique<const ByteSet>(bytes));
            scanner_->nodes_[node].loop = found->get();
        }
    }

    void find_starts() {
        RegexScanner& s = *scanner_;
        s.may_be_empty_ = s.nodes_[0].is_match;
        if (s.may_be_empty_) return;
        ByteSet::Members first{};
        add_first(0, first);
        s.first_ = ByteSet(first);
        find_prefix();
        find_lead();
        if (!s.has_lead_ && s.prefix_.empty()) find_second();
    }

    /// What is behind the first byte of a match, unless it says little.
    void find_second() {
        constexpr std::ptrdiff_t kMostToSay = 64;
        ByteSet::Members second{};
        const auto& first = scanner_->first_.members();
        if (std::find(first.begin() + kAscii, first.end(), true) != first.end()) // more of the same character
            std::fill(second.begin() + 0x80, second.begin() + 0xC0, true);
        std::uint16_t added = 0; // the node after the last one; next to no pattern has many
        for (std::size_t b = 0; b < kAscii; ++b) {
            if (!first[b]) continue;
            const RegexScanner::Step& s = step(0, class_of(b));
            if (s.way == Way::Unknown || scanner_->nodes_[s.next].is_match) return;
            if (std::exchange(added, static_cast<std::uint16_t>(s.next + 1)) != s.next + 1) add_first(s.next, second);
        }
        scanner_->has_second_ = std::count(second.begin(), second.end(), true) <= kMostToSay;
        if (scanner_->has_second_) scanner_->second_ = ByteSet(second);
    }
    /// The first bytes of the characters that lead on from a node, or might.
    void add_first(std::size_t node, ByteSet::Members& bytes) const {
        for (std::size_t b = 0; b < 256; ++b) {
            if (b >= 0x80 && b < 0xC0) continue; // inside of a character
            bytes[b] |= step(node, class_of(b)).way != Way::Dead;
            if (may_begin_line_end(b)) bytes[b] |= step(node, scanner_->line_end_class_).way != Way::Dead;
        }
    }

    /// The one byte of ASCII that leads on from a node, the step and its class; -1 when there is another way, a match
    /// included, but for the node's own loop.
    int only_byte(std::size_t node) const {
        if (scanner_->nodes_[node].is_match) return -1;
        int found = -1;
        for (std::size_t c = 0; c < scanner_->class_count_; ++c) {
            if (step(node, c).way == Way::Dead || loops(node, c)) continue;
            if (step(node, c).way == Way::Unknown || found >= 0 || c == class_of(kAscii) ||
                c == scanner_->line_end_class_)
                return -1;
            const auto begin = scanner_->classes_.begin(), end = begin + kAscii;
            const auto byte = std::find(begin, end, c);
            if (std::find(byte + 1, end, c) != end) return -1;
            found = static_cast<int>(byte - begin);
        }
        return found;
    }

    void find_prefix() {
        constexpr std::size_t kMost = 16;
        std::string& prefix = scanner_->prefix_;
        std::size_t node = 0;
        for (int byte; prefix.size() < kMost && !scanner_->nodes_[node].loop && (byte = only_byte(node)) >= 0;) {
            prefix += static_cast<char>(byte);
            node = step(node, class_of(static_cast<std::size_t>(byte))).next;
        }
    }

    /// When all steps of the first node go to one that loops over the same characters.
    void find_lead() {
        RegexScanner& s = *scanner_;
        const RegexScanner::Step* lead = nullptr;
        for (std::size_t c = 0; c < s.class_count_; ++c) {
            const RegexScanner::Step& first = step(0, c);
            if (first.way == Way::Dead) continue;
            if (first.way == Way::Unknown || !loops(first.next, c)) return;
            if (lead &&
                (lead->next != first.next || lead->saves != first.saves || lead->conditions != first.conditions))
                return;
            lead = &first;
        }
        if (!lead) return;
        s.lead_ = *lead;
        s.has_lead_ = true;
        // A loop over some of the characters that are not ASCII may begin between two of them.
        const ByteSet::Members& loop = s.nodes_[lead->next].loop->members();
        const bool is_even = std::count(loop.begin() + kAscii, loop.end(), loop.back()) == kAscii;
        if (is_even && lead->conditions == 0) s.behind_lead_ = only_byte(lead->next);
    }

    const RegexMachine& machine_;
    std::size_t places_;
    std::unique_ptr<RegexScanner> scanner_;
    std::vector<Content> contents_;           ///< of sets, all different
    std::vector<std::size_t> set_contents_;   ///< by the number of a set
    std::vector<Holds> held_;                 ///< by content and class
    std::vector<std::size_t> class_symbols_;  ///< one of each class
    std::vector<std::uint16_t> known_of_one_; ///< the node of one thread + 1, by its place
    std::map<List, std::uint16_t> known_;     ///< the same of several
    std::vector<List> lists_;                 ///< of nodes: where their threads go on
    // Of the node that is expanded; kept for their memory.
    std::vector<Thread> threads_, pending_;
    std::vector<std::uint8_t> reached_;
    List next_;
};

std::unique_ptr<const RegexScanner> RegexScanner::make(const RegexMachine& machine, std::size_t group_count) {
    return RegexScannerBuilder(machine, group_count).run();
}

std::size_t RegexScanner::bytes() const {
    return sizeof(RegexScanner) + steps_.size() * sizeof(Step) + nodes_.size() * sizeof(Node) +
           loops_.size() * sizeof(ByteSet);
}

bool RegexScanner::holds(std::uint8_t conditions, std::string_view text, std::size_t at) const {
    if ((conditions & Begin) && at != 0) return false;
    if ((conditions & End) && at != text.size()) return false;
    if ((conditions & LineBegin) && at != 0 && text[at - 1] != '\n') return false;
    if ((conditions & LineEnd) && at != text.size() && text[at] != '\n') return false;
    if (conditions & (Word | NotWord)) {
        const bool before = at > 0 && is_word_byte(text[at - 1]);
        const bool behind = at < text.size() && is_word_byte(text[at]);
        if ((conditions & Word) && before == behind) return false;
        if ((conditions & NotWord) && before != behind) return false;
    }
    return true;
}

namespace {

/// Goes on for a span that is long already. Null when the meter refuses, which is asked for the time now and then.
const char* long_span_end(Meter& meter, const ByteSet& set, const char* p, const char* end) {
    constexpr std::ptrdiff_t kBytesAtOnce = std::ptrdiff_t{1} << 20;
    while (end - p > kBytesAtOnce) {
        const char* const stop = p + kBytesAtOnce;
        p = set.first_outside(p, stop);
        if (p < stop) return p;
        if (!meter.look()) return nullptr;
    }
    return set.first_outside(p, end);
}

/// The same from the start of a span.
inline const char* metered_span_end(Meter& meter, const ByteSet& set, const char* p, const char* end) {
    constexpr std::ptrdiff_t kShort = 4096;
    const char* const stop = end - p > kShort ? p + kShort : end;
    p = set.first_outside(p, stop);
    return p < stop || stop == end ? p : long_span_end(meter, set, p, end);
}

} // namespace

/// One start: the longest way that the pattern goes from there.
class RegexScanner::Attempt {
public:
    Attempt(const RegexScanner& scanner, Meter& meter, std::string_view text, bool is_full, std::size_t places)
        : scanner_(scanner), meter_(meter), text_(text), is_full_(is_full), places_(places) {}

    Answer run(std::size_t start) {
        clear();
        return go(0, start);
    }
    /// The first loop is behind it already, and ends at `at`.
    Answer run_behind_lead(std::size_t start, std::size_t at) {
        clear();
        if (scanner_.lead_.saves != 0) save(scanner_.lead_.saves, start, places_now_);
        const Node& node = scanner_.nodes_[scanner_.lead_.next];
        if (node.is_match) (void)match(node, start + 1, at);
        return go(scanner_.lead_.next, at);
    }

    [[nodiscard]] std::size_t reached() const { return reached_; }
    [[nodiscard]] std::size_t end() const { return end_; }
    void write(std::size_t start, std::span<ByteRange> groups) const {
        groups[0] = {start, end_};
        for (std::size_t i = 1; i < groups.size(); ++i) {
            const std::size_t begin = best_[2 * i], end = best_[2 * i + 1];
            groups[i] = begin == ByteRange::npos || end == ByteRange::npos ? ByteRange{} : ByteRange{begin, end};
        }
    }

private:
    using Places = std::array<std::size_t, kMaxPlaces>;

    void clear() {
        is_matched_ = false;
        if (places_ > 2) std::fill_n(places_now_.begin(), places_, ByteRange::npos);
    }

    Answer go(std::size_t node_number, std::size_t at) {
        const char* const bytes = text_.data();
        const std::size_t size = text_.size();
        while (true) {
            const Node& node = scanner_.nodes_[node_number];
            const std::size_t looped_from = at;
            if (node.loop) {
                const char* end = metered_span_end(meter_, *node.loop, bytes + at, bytes + size);
                if (!end) return Answer::Refused;
                at = static_cast<std::size_t>(end - bytes);
            }
            const bool is_match_here = node.is_match && match(node, looped_from, at);
            if (at == size) break;
            const auto byte = static_cast<unsigned char>(bytes[at]);
            std::size_t length = 1;
            std::size_t c = scanner_.classes_[byte];
            if (byte >= 0x80) [[unlikely]] {
                length = length_by_first_byte(byte);
                if (is_line_end(bytes + at)) c = scanner_.line_end_class_;
            }
            const Step& step = scanner_.steps_[node_number * scanner_.class_count_ + c];
            if (step.way != Way::Go) {
                if (step.way == Way::Dead) break;
                return Answer::Unknown;
            }
            if (step.yields && is_match_here) break;
            if (step.conditions != 0 && !scanner_.holds(step.conditions, text_, at)) break;
            if (step.saves != 0) save(step.saves, at, places_now_);
            at += length;
            node_number = step.next;
        }
        reached_ = at;
        return is_matched_ ? Answer::Found : Answer::None;
    }

    static void save(std::uint32_t saves, std::size_t at, Places& places) {
        for (; saves != 0; saves &= saves - 1)
            places[static_cast<std::size_t>(std::countr_zero(saves))] = at;
    }

    /// The node is a match at `from` and, by its loop, at every character up to `at`: the last counts at which its
    /// conditions hold. True when they do at `at`.
    bool match(const Node& node, std::size_t from, std::size_t at) {
        if (is_full_ && at != text_.size()) return false;
        std::size_t last = at;
        if (node.match_conditions != 0) {
            while (is_inside(last) || !scanner_.holds(node.match_conditions, text_, last))
                if (is_full_ || last-- == from) return false;
        }
        is_matched_ = true;
        end_ = last;
        if (places_ > 2) {
            std::copy_n(places_now_.begin(), places_, best_.begin());
            save(node.match_saves, last, best_);
        }
        return last == at;
    }

    /// Not at the bound of a character.
    [[nodiscard]] bool is_inside(std::size_t at) const {
        return at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80;
    }

    const RegexScanner& scanner_;
    Meter& meter_;
    std::string_view text_;
    bool is_full_;
    bool is_matched_ = false;
    std::size_t places_;
    std::size_t reached_ = 0, end_ = 0;
    Places places_now_, best_; ///< only the first `places_` of them
};

/// The first place from `from` on where a match can begin; the end of the text at last.
std::size_t RegexScanner::next_start(std::string_view text, std::size_t from) const {
    if (may_be_empty_ || from >= text.size()) return from;
    const char* const begin = text.data() + from;
    const char* const end = text.data() + text.size();
    const auto at = [&](const char* hit) { return static_cast<std::size_t>(hit - text.data()); };
    if (has_second_) return at(ByteSet::find_pair(first_, second_, begin, end));
    if (prefix_.empty()) return at(first_.first_in(begin, end));
    if (prefix_.size() > 1) return at(find_bytes(begin, end, prefix_));
    const void* const hit = std::memchr(begin, prefix_.front(), text.size() - from);
    return hit ? at(static_cast<const char*>(hit)) : text.size();
}

/// The same where a byte is known that is behind the first loop of each match: `*lead_end` is where it is.
std::size_t RegexScanner::next_lead(std::string_view text, std::size_t from, std::size_t* lead_end) const {
    const char* const end = text.data() + text.size();
    for (const char* p = text.data() + from; p < end;) {
        const auto* const hit =
            static_cast<const char*>(std::memchr(p, behind_lead_, static_cast<std::size_t>(end - p)));
        if (!hit) break;
        const char* const start = first_.first_in(nodes_[lead_.next].loop->run_begin(p, hit), hit);
        if (start < hit) {
            *lead_end = static_cast<std::size_t>(hit - text.data());
            return static_cast<std::size_t>(start - text.data());
        }
        p = hit + 1;
    }
    return text.size();
}

RegexScanner::Answer RegexScanner::find_whole(Meter& meter, std::string_view text, std::span<ByteRange> groups) const {
    if (!can_be_full_) return Answer::Unknown;
    Attempt attempt(*this, meter, text, true, 2 * groups.size());
    const Answer answer = attempt.run(0);
    if (answer == Answer::Found) attempt.write(0, groups);
    return answer;
}

/// One start after the other. Whoever gives one up says how far it was read.
RegexScanner::Answer RegexScanner::find(Meter& meter, std::string_view text, std::size_t from,
                                        std::span<ByteRange> groups, std::size_t* wasted) const {
    Attempt attempt(*this, meter, text, false, 2 * groups.size());
    constexpr std::size_t kWastedPerByte = 4, kFree = 1024, kStartsAtOnce = std::size_t{1} << 20;
    const Node& lead = nodes_[lead_.next];
    std::size_t looked = from;
    for (std::size_t start = from;;) {
        std::size_t lead_end = 0;
        start = behind_lead_ >= 0 ? next_lead(text, start, &lead_end) : next_start(text, start);
        if (start >= text.size() && !may_be_empty_) return Answer::None;
        Answer answer = Answer::None;
        std::size_t next = start + 1, reached = next;
        if (lead_end > 0) {
            answer = attempt.run_behind_lead(start, next = lead_end);
            reached = attempt.reached();
        } else if (!has_lead_) {
            answer = attempt.run(start);
            reached = attempt.reached();
        } else if (lead_.conditions == 0 || holds(lead_.conditions, text, start)) {
            const char* end = metered_span_end(meter, *lead.loop, text.data() + start, text.data() + text.size());
            if (!end) return Answer::Refused;
            // A failure leaves nothing to find in what the first loop read: any later start comes to the same state.
            next = static_cast<std::size_t>(end - text.data());
            const bool is_empty = next == start; // a character that is looked at more closely
            if (!is_empty && is_dead(lead_.next, text, next) &&
                (!lead.is_match || (lead.match_conditions == 0 && groups.size() == 1))) {
                if (lead.is_match) {
                    groups[0] = {start, next};
                    return Answer::Found;
                }
                start = next;
                if (start - looked < kStartsAtOnce) continue;
                looked = start;
                if (!meter.look()) return Answer::Refused;
                continue;
            }
            answer = is_empty ? attempt.run(start) : attempt.run_behind_lead(start, next);
            next = std::max(next, start + 1);
            reached = attempt.reached();
        }
        if (answer == Answer::Found) {
            attempt.write(start, groups);
            *wasted += attempt.reached() - attempt.end();
        }
        if (answer != Answer::None) return answer;
        if (start >= text.size()) return Answer::None;
        *wasted += reached > next ? reached - next : 0;
        start = next;
        while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80)
            ++start; // to the first byte of a character
        if (*wasted > kWastedPerByte * start + kFree) return Answer::Unknown;
        if (start - looked < kStartsAtOnce) continue;
        looked = start;
        if (!meter.look()) return Answer::Refused;
    }
}

/// Whether no step leads on from a node at `at`.
bool RegexScanner::is_dead(std::size_t node, std::string_view text, std::size_t at) const {
    if (at == text.size()) return true;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) return false; // not looked at closely
    return steps_[node * class_count_ + classes_[byte]].way == Way::Dead;
}

} // namespace ptc
