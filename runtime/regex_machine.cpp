// The pattern is read by recursive descent over its groups, whose nesting the length of a pattern bounds
// (kMaxPatternBytes). A counted repetition is written out, as RE2 does.
#include "runtime/regex_machine.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <utf8proc.h>

namespace ptc {
namespace {

constexpr std::size_t kMostInstructions = 8'000;

/// What letters of the same simple case folding have in common.
char32_t folded(char32_t c) {
    constexpr char32_t kDottedI = 0x130, kDotlessI = 0x131; // are no letters of i's
    if (c == kDottedI || c == kDotlessI) return c;
    return static_cast<char32_t>(utf8proc_tolower(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))));
}

/// Letters that are folded to another one but are not its upper case.
constexpr char32_t kMoreLetters[] = {0xB5,   0x17F,  0x345,  0x3C2,  0x3D0,  0x3D1,  0x3D5,  0x3D6,  0x3F0,
                                     0x3F1,  0x3F4,  0x3F5,  0x1E9B, 0x1E9E, 0x1FBE, 0x2126, 0x212A, 0x212B,
                                     0x1C80, 0x1C81, 0x1C82, 0x1C83, 0x1C84, 0x1C85, 0x1C86, 0x1C87, 0x1C88};

/// The bits of categories that a name stands for: "L" for all letters.
std::uint64_t categories_named(std::string_view name) {
    constexpr std::string_view kNames[] = {"Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",
                                           "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
                                           "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};
    std::uint64_t all = 0;
    for (std::size_t i = 1; i < std::size(kNames); ++i) // RE2's C is without what is not assigned
        if (kNames[i] == name || (name.size() == 1 && kNames[i].front() == name.front())) all |= std::uint64_t{1} << i;
    return all;
}

std::uint64_t category_bit(char32_t c) {
    return std::uint64_t{1} << utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_word_character(std::string_view text, std::size_t at) {
    if (at >= text.size()) return false;
    const char c = text[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

bool RegexMachine::holds(const Set& set, char32_t c) {
    const auto is_in = [&](char32_t letter) {
        for (const CodePointRange& range : set.ranges)
            if (letter >= range.first && letter <= range.last) return true;
        const std::uint64_t category = set.categories | set.without ? category_bit(letter) : 0;
        return (set.categories & category) != 0 || (set.without != 0 && (set.without & category) == 0);
    };
    bool held = is_in(c);
    if (!held && set.folds_case) {
        const char32_t fold = folded(c);
        const auto upper = static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(fold)));
        const auto title = static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(fold)));
        held = is_in(fold) || (folded(upper) == fold && is_in(upper)) || (folded(title) == fold && is_in(title));
        for (std::size_t i = 0; i < std::size(kMoreLetters) && !held; ++i)
            held = folded(kMoreLetters[i]) == fold && is_in(kMoreLetters[i]);
    }
    return held != set.negated;
}

std::size_t RegexMachine::bytes() const {
    std::size_t all = sizeof(RegexMachine) + code_.size() * sizeof(Instruction);
    for (const Set& set : sets_)
        all += sizeof(Set) + set.ranges.size() * sizeof(CodePointRange);
    return all;
}

/// Reads a pattern and writes its program.
class RegexMachineBuilder {
public:
    explicit RegexMachineBuilder(std::string_view pattern) : pattern_(pattern) {}

    std::unique_ptr<const RegexMachine> run() {
        machine_ = std::make_unique<RegexMachine>();
        emit(Op::Save, 0);
        alternatives();
        emit(Op::Save, 1);
        emit(Op::Match);
        if (is_unknown_ || at_ != pattern_.size()) return nullptr;
        for (Set& set : machine_->sets_)
            find_ascii(set);
        return std::move(machine_);
    }

private:
    using Op = RegexMachine::Op;
    using Set = RegexMachine::Set;
    using Instruction = RegexMachine::Instruction;

    static void find_ascii(Set& set) {
        constexpr auto kAscii = static_cast<char32_t>(std::size(Set().ascii));
        constexpr char32_t kKelvin = 0x212A, kLongS = 0x17F; // the only other letters that are folded to these
        if (set.categories || set.without) {
            for (char32_t c = 0; c < kAscii; ++c)
                set.ascii[c] = RegexMachine::holds(set, c);
            return;
        }
        std::fill(std::begin(set.ascii), std::end(set.ascii), set.negated);
        for (const CodePointRange& range : set.ranges)
            for (char32_t c = range.first; c <= range.last && c < kAscii; ++c)
                set.ascii[c] = !set.negated;
        if (!set.folds_case) return;
        const auto is_in = [&](char32_t c) { return set.ascii[c] != set.negated; };
        const auto has = [&](char32_t c) {
            return std::any_of(set.ranges.begin(), set.ranges.end(),
                               [c](const CodePointRange& range) { return c >= range.first && c <= range.last; });
        };
        for (char32_t lower = 'a'; lower <= 'z'; ++lower) {
            const char32_t upper = lower - 'a' + 'A';
            if (is_in(lower) || is_in(upper) || (lower == 'k' && has(kKelvin)) || (lower == 's' && has(kLongS)))
                set.ascii[lower] = set.ascii[upper] = !set.negated;
        }
    }

    std::vector<Instruction>& code() { return machine_->code_; }

    std::uint32_t here() { return static_cast<std::uint32_t>(code().size()); }
    std::uint32_t emit(Op op, std::uint32_t a = 0, std::uint32_t b = 0) {
        if (code().size() >= kMostInstructions) is_unknown_ = true;
        if (!is_unknown_) code().push_back({op, a, b});
        return is_unknown_ ? 0 : here() - 1;
    }
    [[nodiscard]] bool at_end() const { return is_unknown_ || at_ >= pattern_.size(); }
    [[nodiscard]] char peek() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }
    bool accept(std::string_view text) {
        if (pattern_.substr(at_, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    void unknown() { is_unknown_ = true; }

    /// Code is copied and moved by its text: an atom is read again for each of its repetitions, with the same groups.
    void alternatives() {
        const bool folds_case = folds_case_;
        std::vector<std::uint32_t> to_end;
        while (true) {
            const std::uint32_t start = here();
            sequence();
            if (at_end() || peek() != '|') break;
            ++at_;
            if (is_unknown_) return;
            // The alternative just written goes behind a split.
            insert_split(start);
            to_end.push_back(emit(Op::Jump));
            if (is_unknown_) return;
            code()[start].b = here();
        }
        for (const std::uint32_t jump : to_end)
            if (!is_unknown_) code()[jump].a = here();
        folds_case_ = folds_case;
    }
    /// Makes room for a Split at `start` whose preferred way is what was there.
    void insert_split(std::uint32_t start) {
        if (emit(Op::Split) == 0) return;
        for (std::uint32_t i = here() - 1; i > start; --i)
            code()[i] = moved(code()[i - 1], start);
        code()[start] = {Op::Split, start + 1, 0};
    }
    static Instruction moved(Instruction instruction, std::uint32_t from) {
        const auto move = [&](std::uint32_t& target) { target += target >= from ? 1 : 0; };
        if (instruction.op == Op::Jump || instruction.op == Op::Split) move(instruction.a);
        if (instruction.op == Op::Split) move(instruction.b);
        return instruction;
    }

    void sequence() {
        while (!at_end() && peek() != '|' && peek() != ')')
            repeated();
    }

    struct Repetition {
        std::uint32_t least = 1, most = 1;
        bool endless = false, reluctant = false;
    };
    static constexpr std::uint32_t kMostTimes = 1'000; // as RE2 has it

    void repeated() {
        const std::size_t begin = at_;
        const std::uint32_t groups = groups_;
        const std::uint32_t start = here();
        const bool is_atom = atom();
        if (is_unknown_ || !is_atom) return;
        const Repetition r = repetition();
        const std::size_t end = at_;
        const auto again = [&] { // the atom once more
            const std::uint32_t after = std::exchange(groups_, groups);
            at_ = begin;
            atom();
            groups_ = std::max(groups_, after);
            at_ = end;
        };
        if (r.least == 0 && r.most == 0 && !r.endless) {
            code().resize(start); // a{0}
            return;
        }
        std::vector<std::uint32_t> ways_out;
        std::uint32_t last = start;
        if (r.least == 0) {
            insert_split(start);
            if (is_unknown_) return;
            ways_out.push_back(start);
            last = start + 1;
        }
        for (std::uint32_t i = 1; i < r.least && !is_unknown_; ++i) {
            last = here();
            again();
        }
        if (r.endless) {
            const std::uint32_t split = emit(Op::Split, last);
            if (!is_unknown_) ways_out.push_back(split);
        }
        for (std::uint32_t i = std::max(r.least, 1u); i < r.most && !r.endless && !is_unknown_; ++i) {
            const std::uint32_t split = emit(Op::Split);
            if (is_unknown_) return;
            code()[split].a = here();
            ways_out.push_back(split);
            again();
        }
        for (const std::uint32_t split : ways_out) {
            if (is_unknown_) return;
            code()[split].b = here();
            if (r.reluctant) std::swap(code()[split].a, code()[split].b);
        }
    }

    Repetition repetition() {
        Repetition r;
        if (accept("*"))
            r = {0, 0, true, false};
        else if (accept("+"))
            r = {1, 1, true, false};
        else if (accept("?"))
            r = {0, 1, false, false};
        else if (accept("{"))
            r = counted();
        else
            return r;
        r.reluctant = accept("?");
        return r;
    }
    Repetition counted() {
        Repetition r;
        r.least = r.most = number(10);
        if (accept(",")) {
            r.endless = peek() == '}';
            if (!r.endless) r.most = number(10);
        }
        if (!accept("}") || r.least > kMostTimes || (!r.endless && (r.most > kMostTimes || r.most < r.least)))
            unknown();
        return r;
    }
    std::uint32_t number(int base) {
        std::uint32_t value = 0;
        const char* begin = pattern_.data() + at_;
        const auto [stop, status] = std::from_chars(begin, pattern_.data() + pattern_.size(), value, base);
        if (status != std::errc()) unknown();
        at_ += static_cast<std::size_t>(stop - begin);
        return value;
    }

    /// False for what cannot be repeated: an assertion, a setting.
    bool atom() {
        if (accept("(")) return group();
        if (accept("[")) return set(read_class());
        if (accept("\\A")) return assertion(Op::Begin);
        if (accept("\\z")) return assertion(Op::End);
        if (accept("\\b")) return assertion(Op::Word);
        if (accept("\\B")) return assertion(Op::NotWord);
        Set one;
        read_item(one);
        return set(std::move(one));
    }
    bool assertion(Op op) {
        emit(op);
        return false;
    }
    bool set(Set&& made) {
        made.folds_case = folds_case_;
        machine_->sets_.push_back(std::move(made));
        emit(Op::Set, static_cast<std::uint32_t>(machine_->sets_.size() - 1));
        return true;
    }

    bool group() {
        if (accept("?s:.)")) {
            emit(Op::Any);
            return true;
        }
        if (accept("?m:^)")) return assertion(Op::LineBegin);
        if (accept("?m:$)")) return assertion(Op::LineEnd);
        std::uint32_t number = 0;
        const bool outer = folds_case_;
        if (!accept("?")) {
            number = ++groups_;
        } else if (accept("P<")) {
            number = ++groups_;
            at_ = std::min(pattern_.find('>', at_), pattern_.size() - 1) + 1;
        } else {
            bool on = true;
            for (; peek() == 'i' || peek() == '-'; ++at_) {
                if (peek() == '-') on = false;
                if (peek() == 'i') folds_case_ = on;
            }
            if (accept(")")) return false; // up to the end of the group around it
            if (!accept(":")) unknown();
        }
        if (number > 0) emit(Op::Save, 2 * number);
        alternatives();
        if (number > 0) emit(Op::Save, 2 * number + 1);
        if (!accept(")")) unknown();
        folds_case_ = outer;
        return true;
    }

    Set read_class() {
        Set all;
        all.negated = accept("^");
        while (!at_end() && peek() != ']')
            read_item(all);
        if (!accept("]")) unknown();
        return all;
    }
    /// A character, a range of them or a property.
    void read_item(Set& all) {
        if (accept("\\p{") || accept("\\P{")) {
            const bool is_negated = pattern_[at_ - 2] == 'P';
            const std::size_t end = std::min(pattern_.find('}', at_), pattern_.size());
            const std::uint64_t categories = categories_named(pattern_.substr(at_, end - at_));
            at_ = std::min(end + 1, pattern_.size());
            // A script, or what RE2 folds before it negates.
            if (categories == 0 || (is_negated && (all.without != 0 || folds_case_))) return unknown();
            (is_negated ? all.without : all.categories) |= categories;
            return;
        }
        CodePointRange range{character(), 0};
        range.last = range.first;
        if (peek() == '-' && pattern_.substr(at_, 2) != "-]") {
            ++at_;
            range.last = character();
        }
        all.ranges.push_back(range);
    }
    char32_t character() {
        if (at_end()) {
            unknown();
            return 0;
        }
        if (accept("\\x{")) {
            const char32_t c = number(16);
            if (!accept("}")) unknown();
            return c;
        }
        if (accept("\\n")) return U'\n';
        if (accept("\\r")) return U'\r';
        if (static_cast<signed char>(peek()) >= 0 &&
            std::string_view("\\.*+?{}[]^$|()").find(peek()) != std::string_view::npos)
            unknown(); // the translation spells these out
        return next_code_point(pattern_, &at_);
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    std::uint32_t groups_ = 0;
    bool folds_case_ = false;
    bool is_unknown_ = false;
    std::unique_ptr<RegexMachine> machine_;
};

std::unique_ptr<const RegexMachine> RegexMachine::make(std::string_view linear) {
    return RegexMachineBuilder(linear).run();
}

/// One search: the threads that live at a character, in the order of preference.
class RegexMachine::Run {
public:
    Run(const RegexMachine& machine, Heap& heap, std::string_view text, std::size_t places)
        : code_(machine.code_), sets_(machine.sets_), meter_(heap.meter), text_(text), places_(places),
          step_cost_(1 + places / kPlacesPerStep), steps_(kStepsToBegin + code_.size() * (places + 1) / kPlacesPerStep),
          now_(code_.size(), places), next_(code_.size(), places), best_(places) {}

    /// False once the meter refuses.
    bool search(std::size_t from, Extent extent) {
        is_full_ = extent == Extent::Full;
        std::vector<std::size_t> fresh(places_, ByteRange::npos);
        for (std::size_t at = from;;) {
            if (!is_found_ && (extent == Extent::Search || at == from)) add(now_, 0, at, fresh);
            if (now_.size == 0 && (is_found_ || extent != Extent::Search)) break;
            std::size_t behind = at;
            const bool is_end = at >= text_.size();
            const char32_t c = is_end ? 0 : next_code_point(text_, &behind);
            step(is_end, c, behind, at);
            if (is_end) break;
            std::swap(now_, next_);
            next_.size = 0;
            at = behind;
            if (steps_ >= kStepsAtOnce && !pay()) return false;
        }
        return pay();
    }
    [[nodiscard]] bool is_found() const { return is_found_; }
    [[nodiscard]] std::size_t charged() const { return charged_; }
    [[nodiscard]] const std::vector<std::size_t>& best() const { return best_; }

private:
    static constexpr std::size_t kPlacesPerStep = 16, kStepsAtOnce = 4096, kStepsPerUnit = 4, kStepsToBegin = 32;
    /// Threads by the instruction at which they are; a sparse set, so that clearing it is nothing.
    struct Threads {
        Threads(std::size_t n, std::size_t places) : sparse(n), dense(n), saved(n * places) {}
        std::vector<std::uint32_t> sparse, dense;
        std::vector<std::size_t> saved;
        std::size_t size = 0;
        [[nodiscard]] bool has(std::uint32_t pc) const { return sparse[pc] < size && dense[sparse[pc]] == pc; }
    };
    struct Pending {
        std::uint32_t pc;
        std::uint32_t place; ///< not kNone: give this place its former value back
        std::size_t former;
    };
    static constexpr std::uint32_t kNone = UINT32_MAX;

    bool pay() {
        const std::size_t units = steps_ / kStepsPerUnit;
        steps_ %= kStepsPerUnit;
        charged_ += units;
        return meter_.charge(static_cast<std::int64_t>(units));
    }

    /// Moves all threads over the character `c`, which ends at `behind`.
    void step(bool is_end, char32_t c, std::size_t behind, std::size_t at) {
        for (std::size_t i = 0; i < now_.size; ++i) {
            const std::uint32_t pc = now_.dense[i];
            const Instruction& instruction = code_[pc];
            if (instruction.op == Op::Jump || instruction.op == Op::Split || instruction.op == Op::Save) continue;
            std::size_t* saved = now_.saved.data() + std::size_t{pc} * places_;
            steps_ += step_cost_;
            if (instruction.op == Op::Match) {
                if (is_full_ && at != text_.size()) continue;
                std::copy_n(saved, places_, best_.begin());
                is_found_ = true;
                break; // the threads behind it are worse
            }
            if (is_end || (instruction.op != Op::Any && instruction.op != Op::Set)) continue;
            if (instruction.op == Op::Set) {
                const Set& set = sets_[instruction.a];
                if (c < std::size(set.ascii) ? !set.ascii[c] : !holds(set, c)) continue;
            }
            scratch_.assign(saved, saved + places_);
            add(next_, pc + 1, behind, scratch_);
        }
        now_.size = 0;
    }

    /// Adds a thread at `pc`, and all that it reaches without reading; `saved` is as before afterwards.
    void add(Threads& threads, std::uint32_t pc, std::size_t at, std::vector<std::size_t>& saved) {
        pending_.push_back({pc, kNone, 0});
        while (!pending_.empty()) {
            const Pending top = pending_.back();
            pending_.pop_back();
            if (top.place != kNone) {
                saved[top.place] = top.former;
                continue;
            }
            follow(threads, top.pc, at, saved);
        }
    }
    void follow(Threads& threads, std::uint32_t pc, std::size_t at, std::vector<std::size_t>& saved) {
        while (!threads.has(pc)) {
            threads.sparse[pc] = static_cast<std::uint32_t>(threads.size);
            threads.dense[threads.size++] = pc;
            ++steps_;
            const Instruction& instruction = code_[pc];
            switch (instruction.op) {
            case Op::Jump: pc = instruction.a; continue;
            case Op::Split:
                pending_.push_back({instruction.b, kNone, 0});
                pc = instruction.a;
                continue;
            case Op::Save:
                if (instruction.a < places_) {
                    pending_.push_back({0, instruction.a, saved[instruction.a]});
                    saved[instruction.a] = at;
                }
                ++pc;
                continue;
            case Op::Begin:
            case Op::End:
            case Op::LineBegin:
            case Op::LineEnd:
            case Op::Word:
            case Op::NotWord:
                if (!is_true(instruction.op, at)) return;
                ++pc;
                continue;
            default: std::copy_n(saved.begin(), places_, threads.saved.begin() + std::ptrdiff_t(pc * places_)); return;
            }
        }
    }
    [[nodiscard]] bool is_true(Op op, std::size_t at) const {
        switch (op) {
        case Op::Begin: return at == 0;
        case Op::End: return at == text_.size();
        case Op::LineBegin: return at == 0 || text_[at - 1] == '\n';
        case Op::LineEnd: return at == text_.size() || text_[at] == '\n';
        default: break;
        }
        const bool is_bound = (at > 0 && is_word_character(text_, at - 1)) != is_word_character(text_, at);
        return is_bound == (op == Op::Word);
    }

    const std::vector<Instruction>& code_;
    const std::vector<Set>& sets_;
    Meter& meter_;
    std::string_view text_;
    std::size_t places_;
    std::size_t step_cost_;
    std::size_t steps_, charged_ = 0;
    Threads now_, next_;
    std::vector<std::size_t> best_, scratch_;
    std::vector<Pending> pending_;
    bool is_found_ = false;
    bool is_full_ = false;
};

Result<bool> RegexMachine::run(Heap& heap, std::string_view text, std::size_t from, Extent extent,
                               std::span<ByteRange> groups, std::size_t* charged) const {
    const std::size_t places = 2 * groups.size();
    const std::size_t bytes = 2 * code_.size() * (places + 1) * sizeof(std::size_t);
    if (!heap.charge_bytes(bytes)) return heap.out_of_memory();
    Run search(*this, heap, text, places);
    const bool is_paid = search.search(from, extent);
    heap.refund_bytes(bytes);
    *charged += search.charged();
    if (!is_paid) return heap.meter.error();
    for (std::size_t i = 0; i < groups.size() && search.is_found(); ++i) {
        const std::size_t begin = search.best()[2 * i], end = search.best()[2 * i + 1];
        groups[i] = begin == ByteRange::npos || end == ByteRange::npos ? ByteRange{} : ByteRange{begin, end};
    }
    return search.is_found();
}

} // namespace ptc
