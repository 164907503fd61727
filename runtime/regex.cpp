// Java's syntax is translated once (regex_syntax.h), for RE2 if it can express the pattern and for PCRE2 always. Which
// engine searches is decided for each text: RE2 is linear, but cannot be interrupted, and differs from Java for some
// texts; PCRE2 backtracks, but calls us before each item of the pattern, so its work is charged as it happens and can
// be stopped. Memory of both is counted in the heap.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "runtime/regex.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/regex_machine.h"
#include "runtime/regex_scanner.h"
#include "runtime/regex_syntax.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <pcre2.h>
#include <re2/re2.h>

// The archive of RE2 has these, its shared library does not show them: there, an automaton that overflows is not
// noticed.
namespace re2::hooks {
__attribute__((weak)) void SetDFAStateCacheResetHook(DFAStateCacheResetCallback* callback);
__attribute__((weak)) void SetDFASearchFailureHook(DFASearchFailureCallback* callback);
} // namespace re2::hooks

namespace ptc {

/// A compiled pattern. Frozen ones are shared by threads: nothing of it changes but what locks itself (RE2's caches) or
/// is made once, by whichever thread needs it first.
struct RegexProgram {
    TranslatedRegex syntax; ///< without its pattern texts once compiled
    std::unique_ptr<re2::RE2> linear;
    pcre2_code* backtracking = nullptr;
    std::size_t charged = 0; ///< to the heap of the regex object

    RegexProgram() = default;
    RegexProgram(const RegexProgram&) = delete;
    RegexProgram& operator=(const RegexProgram&) = delete;
    ~RegexProgram();
    /// Made at the first call; null for most long patterns. Finds what `linear` does, for the same fuel, so nothing but
    /// time shows whether it was there.
    [[nodiscard]] const RegexScanner* scanner() const;
    [[nodiscard]] bool may_have_scanner() const;

private:
    mutable std::atomic<const RegexScanner*> scanner_ = nullptr;
    mutable std::atomic<bool> has_no_scanner_ = false;
};

namespace {

// Memory of RE2's program and of its automata, which are built while they run; charged in full.
constexpr std::int64_t kLinearBytes = 256 * 1024;
constexpr std::int64_t kLinearBytesForLarge = 1024 * 1024;

// Fuel of compiling.
constexpr std::int64_t kCostOfPatternByte = 200;
constexpr std::int64_t kCostOfInstruction = 50;
constexpr std::int64_t kCostOfTooLarge = 200'000; ///< an attempt that fills kLinearBytes

constexpr std::uint32_t kBacktrackLimit = 1u << 21; ///< steps a starting position
constexpr std::uint32_t kBacktrackHeapKib = 16 * 1024;

// Bytes times instructions that RE2 may take without its automaton, which nobody can interrupt: a few milliseconds.
constexpr std::size_t kMaxDirectWork = std::size_t{1} << 19;

/// What a search of `bytes` may take without the automaton.
std::size_t direct_work(const re2::RE2& re, std::size_t bytes, std::size_t groups) {
    return bytes * static_cast<std::size_t>(std::max(1, re.ProgramSize())) * (1 + groups / 8);
}

/// Watches what RE2 does in this thread. Its automaton is built while it runs; when the memory for it is full, it
/// begins anew, and when that happens too often RE2 goes on without it. Both are told to hooks, which may throw: at
/// those points RE2 holds nothing but locks and memory with owners of their own.
class AutomatonWatch {
public:
    /// Hopeless: not even a fresh one has the memory that a program so large needs.
    enum class End : std::uint8_t { Done, Overflowed, Hopeless, Refused };
    /// A fresh automaton pays for what it throws away. How often one that was used before begins anew depends on other
    /// runs, which fuel must not: it only asks the meter, and ends when it does so twice.
    AutomatonWatch(Meter& meter, const re2::RE2& re, bool is_fresh)
        : meter_(meter), instructions_(std::max(1, re.ProgramSize())), is_fresh_(is_fresh) {
        static const bool hooked = [] {
            if (!&re2::hooks::SetDFAStateCacheResetHook || !&re2::hooks::SetDFASearchFailureHook) return false;
            re2::hooks::SetDFAStateCacheResetHook([](const re2::hooks::DFAStateCacheReset& reset) {
                if (current_) current_->begin_anew(static_cast<std::int64_t>(reset.state_cache_size));
            });
            re2::hooks::SetDFASearchFailureHook([](const re2::hooks::DFASearchFailure&) {
                if (current_) throw current_->times_ > 0 ? End::Overflowed : End::Hopeless;
            });
            return true;
        }();
        (void)hooked;
        current_ = this;
    }
    ~AutomatonWatch() { current_ = nullptr; }
    AutomatonWatch(const AutomatonWatch&) = delete;
    AutomatonWatch& operator=(const AutomatonWatch&) = delete;

    template <class Match> End run(Match match) {
        try {
            match();
        } catch (End end) {
            return end;
        }
        return times_ > 0 && !is_fresh_ ? End::Overflowed : End::Done;
    }

private:
    void begin_anew(std::int64_t states) {
        ++times_;
        if (!(is_fresh_ ? meter_.charge(states * instructions_ / 4) : meter_.look())) throw End::Refused;
        if (!is_fresh_ && times_ > 1) throw End::Overflowed;
    }
    static thread_local AutomatonWatch* current_;
    Meter& meter_;
    std::int64_t instructions_;
    int times_ = 0;
    bool is_fresh_;
};
thread_local AutomatonWatch* AutomatonWatch::current_ = nullptr;

const RegexObject& as_regex(const Value& v) { return *static_cast<const RegexObject*>(v.object()); }

Error bad_pattern(std::string_view pattern, const std::string& why) {
    return Error(Reason::RuntimeError, "Regex " + quoted_excerpt(pattern, 80) + ": " + why + ".");
}

void close_regex(Object* object) {
    auto* regex = static_cast<RegexObject*>(object);
    Heap::of(object).refund_bytes(regex->program->charged);
    delete regex->program;
}

std::unique_ptr<re2::RE2> compile_linear(const std::string& pattern, std::int64_t bytes) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(bytes);
    return std::make_unique<re2::RE2>(pattern, options);
}

Result<pcre2_code*> compile_backtracking(const std::string& pattern, std::string_view source) {
    pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                         PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C,
                                         &code, &offset, context);
    pcre2_compile_context_free(context);
    if (compiled) return compiled;
    std::array<PCRE2_UCHAR, 128> message{};
    pcre2_get_error_message(code, message.data(), message.size());
    return bad_pattern(source, reinterpret_cast<const char*>(message.data()));
}

std::size_t size_of(const pcre2_code* code) {
    std::size_t bytes = 0;
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &bytes);
    return bytes;
}

/// Compiles for RE2 if it can express the pattern, and for PCRE2, which takes the texts that RE2 does not (see
/// RegexSearch::is_linear).
Result<std::unique_ptr<RegexProgram>> compile(Meter& meter, std::string_view pattern) {
    if (!meter.charge(static_cast<std::int64_t>(pattern.size()) * kCostOfPatternByte)) return meter.error();
    auto program = std::make_unique<RegexProgram>();
    program->syntax = PTC_TRY(translate_regex(pattern));
    TranslatedRegex& syntax = program->syntax;
    if (!syntax.needs_backtracking) {
        std::int64_t bytes = kLinearBytes;
        program->linear = compile_linear(syntax.linear, bytes);
        if (program->linear->error_code() == re2::RE2::ErrorPatternTooLarge) {
            if (!meter.charge(kCostOfTooLarge * (1 + kLinearBytesForLarge / kLinearBytes))) return meter.error();
            bytes = kLinearBytesForLarge;
            program->linear = compile_linear(syntax.linear, bytes);
        }
        if (!meter.charge(std::max(0, program->linear->ProgramSize()) * kCostOfInstruction)) return meter.error();
        // What else RE2 refuses (a count above 1000) PCRE2 may take; it also has the better messages.
        if (program->linear->ok()) {
            program->charged += static_cast<std::size_t>(bytes);
            if (program->may_have_scanner()) program->charged += RegexScanner::kMostBytes;
        } else {
            program->linear = nullptr;
        }
    }
    program->backtracking = PTC_TRY(compile_backtracking(syntax.backtracking, pattern));
    program->charged += size_of(program->backtracking);
    syntax.linear = syntax.backtracking = {};
    program->charged += sizeof(RegexProgram);
    return program;
}

} // namespace

RegexProgram::~RegexProgram() {
    pcre2_code_free(backtracking);
    delete scanner_.load(std::memory_order_relaxed);
}

bool RegexProgram::may_have_scanner() const {
    constexpr int kMostInstructions = 256;
    return linear && linear->ProgramSize() <= kMostInstructions;
}

const RegexScanner* RegexProgram::scanner() const {
    const RegexScanner* known = scanner_.load(std::memory_order_acquire);
    if (known || has_no_scanner_.load(std::memory_order_relaxed) || !may_have_scanner()) return known;
    const std::unique_ptr<const RegexMachine> machine = RegexMachine::make(linear->pattern());
    std::unique_ptr<const RegexScanner> made;
    if (machine) made = RegexScanner::make(*machine, syntax.group_names.size());
    if (!made) {
        has_no_scanner_.store(true, std::memory_order_relaxed);
        return nullptr;
    }
    // When another thread was faster, its scanner is as good, and may be in use.
    if (!scanner_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return known;
    return made.release();
}

Result<Value> make_regex(Heap& heap, std::string_view pattern) {
    if (pattern.size() > kMaxPatternBytes)
        return bad_pattern(pattern, "the pattern has " + std::to_string(pattern.size()) + " bytes; at most " +
                                        std::to_string(kMaxPatternBytes) + " are allowed");
    std::unique_ptr<RegexProgram> program = PTC_TRY(compile(heap.meter, pattern));
    Value source = PTC_TRY(make_string(heap, pattern));
    if (!heap.charge_bytes(program->charged)) return heap.out_of_memory();
    auto* regex = heap.allocate<RegexObject>(ObjectType::Regex);
    if (!regex) {
        heap.refund_bytes(program->charged);
        return heap.out_of_memory();
    }
    regex->group_count = static_cast<std::uint32_t>(program->syntax.group_names.size());
    std::construct_at(&regex->source, std::move(source));
    regex->program = program.release();
    heap.add_finalizer(regex, close_regex);
    return heap.value_of(regex);
}

std::string_view regex_source(const Value& regex) { return text_of(as_regex(regex).source); }
std::size_t regex_group_count(const Value& regex) { return as_regex(regex).group_count; }

std::size_t regex_group_number(const Value& regex, std::string_view name) {
    const auto& names = as_regex(regex).program->syntax.group_names;
    auto found = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin()) + 1;
}

/// Pays for backtracking while it goes on: PCRE2 calls it before each item of a pattern. An item costs more when it
/// went far: the characters that it passed, or might have compared before it failed.
class BacktrackingWork {
public:
    BacktrackingWork(Meter& meter, const TranslatedRegex& syntax)
        : meter_(meter), item_cost_(2 + syntax.largest_count / 32), has_back_reference_(syntax.has_back_reference) {}

    void begin(std::size_t position) { position_ = position; }
    /// False when the meter refuses.
    [[nodiscard]] bool charge(std::size_t units) {
        units_ += units;
        return meter_.charge(static_cast<std::int64_t>(std::exchange(units_, 0)));
    }
    static int at_item(pcre2_callout_block* item, void* self) {
        return static_cast<BacktrackingWork*>(self)->at_item(*item) ? 0 : PCRE2_ERROR_CALLOUT;
    }

private:
    bool at_item(const pcre2_callout_block& item) {
        constexpr std::size_t kBytesPerUnit = 16, kUnitsAtOnce = 1024;
        const std::size_t position = item.current_position;
        const std::size_t passed = position > position_ ? position - position_ : position_ - position;
        position_ = position;
        units_ += item_cost_ + passed / kBytesPerUnit;
        if (has_back_reference_) units_ += longest_group(item) / kBytesPerUnit;
        return units_ < kUnitsAtOnce || charge(0);
    }
    static std::size_t longest_group(const pcre2_callout_block& item) {
        std::size_t longest = 0;
        for (std::uint32_t i = 1; i < item.capture_top; ++i) {
            const PCRE2_SIZE begin = item.offset_vector[2 * i], end = item.offset_vector[2 * i + 1];
            if (begin != PCRE2_UNSET && end > begin) longest = std::max(longest, end - begin);
        }
        return longest;
    }

    Meter& meter_;
    std::size_t item_cost_;
    std::size_t units_ = 0;
    std::size_t position_ = 0;
    bool has_back_reference_;
};

/// PCRE2's state for one search. Its memory is charged to the heap.
struct RegexSearch::Backtracking {
    Backtracking(Heap& h, const TranslatedRegex& syntax) : heap(h), work(h.meter, syntax) {}
    Backtracking(const Backtracking&) = delete;
    Backtracking& operator=(const Backtracking&) = delete;
    ~Backtracking() {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
        pcre2_general_context_free(general);
    }
    bool open(const pcre2_code* code) {
        general = pcre2_general_context_create(allocate, release, &heap);
        context = general ? pcre2_match_context_create(general) : nullptr;
        data = context ? pcre2_match_data_create_from_pattern(code, general) : nullptr;
        if (!data) return false;
        pcre2_set_heap_limit(context, kBacktrackHeapKib);
        pcre2_set_match_limit(context, kBacktrackLimit);
        pcre2_set_depth_limit(context, kBacktrackLimit);
        pcre2_set_callout(context, BacktrackingWork::at_item, &work);
        return true;
    }

    // A block is preceded by its size.
    static constexpr std::size_t kPrefix = 16;
    static void* allocate(std::size_t bytes, void* heap) {
        if (!static_cast<Heap*>(heap)->charge_bytes(bytes + kPrefix)) return nullptr;
        auto* block = static_cast<char*>(std::malloc(bytes + kPrefix));
        if (!block) return nullptr;
        *reinterpret_cast<std::size_t*>(block) = bytes + kPrefix;
        return block + kPrefix;
    }
    static void release(void* memory, void* heap) {
        if (!memory) return;
        char* block = static_cast<char*>(memory) - kPrefix;
        static_cast<Heap*>(heap)->refund_bytes(*reinterpret_cast<std::size_t*>(block));
        std::free(block);
    }

    Heap& heap;
    BacktrackingWork work;
    pcre2_general_context* general = nullptr;
    pcre2_match_context* context = nullptr;
    pcre2_match_data* data = nullptr;
};

RegexSearch::RegexSearch(Heap& heap, const Value& regex, std::string_view text)
    : heap_(heap), regex_(as_regex(regex)), program_(*regex_.program), text_(text), linear_(is_linear()),
      scanner_(linear_ ? program_.scanner() : nullptr) {
    const std::size_t count = regex_.group_count + 1;
    if (count > few_groups_.size()) many_groups_.resize(count);
    groups_ = count > few_groups_.size() ? std::span(many_groups_) : std::span(few_groups_).first(count);
}

RegexSearch::~RegexSearch() = default;

Result<bool> RegexSearch::find(std::size_t from) {
    if (from > text_.size()) return false;
    return run(from, Extent::Search);
}

Result<bool> RegexSearch::full_match() { return run(0, Extent::Full); }

Result<bool> RegexSearch::next() {
    bool found = PTC_TRY(find(next_from_));
    if (!found) {
        next_from_ = text_.size() + 1;
        return false;
    }
    next_from_ = match().end;
    if (match().begin == match().end) {
        if (next_from_ < text_.size())
            next_code_point(text_, &next_from_);
        else
            ++next_from_;
    }
    return true;
}

/// Not if RE2 cannot express the pattern, or if this text shows a difference between RE2 and Java (see
/// TranslatedRegex).
bool RegexSearch::is_linear() const {
    if (!program_.linear) return false;
    const TranslatedRegex& syntax = program_.syntax;
    bool ends_line = !text_.empty() && (text_.back() == '\n' || text_.back() == '\r');
    if (syntax.has_end_anchor && ends_line) return false;
    const auto is_ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
    if (syntax.has_no_boundary && !std::all_of(text_.begin(), text_.end(), is_ascii)) return false;
    return !(syntax.has_line_anchor && text_.find('\r') != std::string_view::npos);
}

Result<bool> RegexSearch::run(std::size_t from, Extent extent) {
    if (!linear_) return run_backtracking(from, extent);
    bool found = PTC_TRY(run_linear(from, extent));
    // Java's `^` does not match behind the line end that ends the text, RE2's does.
    bool behind_last_line = found && program_.syntax.has_line_anchor && match().begin == text_.size() &&
                            !text_.empty() && text_.back() == '\n';
    return behind_last_line ? run_backtracking(text_.size(), extent) : Result<bool>(found);
}

/// The scanner, else RE2 as it is or its automaton; for the same fuel, but for what an automaton that overflows takes.
/// Once the scanner does not know, which follows from the pattern and the text, it is not asked again.
Result<bool> RegexSearch::run_linear(std::size_t from, Extent extent) {
    using Answer = RegexScanner::Answer;
    const re2::RE2& re = *program_.linear;
    std::size_t charged = 0; // of the work below
    bool found = false;
    if (scanner_) {
        const Answer answer = extent == Extent::Full ? scanner_->find_whole(heap_.meter, text_, groups_)
                                                     : scanner_->find(heap_.meter, text_, from, groups_, &wasted_);
        if (answer == Answer::Refused) return heap_.meter.error();
        if (answer == Answer::Unknown) scanner_ = nullptr;
        found = answer == Answer::Found;
    }
    if (!scanner_) {
        found = direct_work(re, text_.size() - from, groups_.size()) <= kMaxDirectWork
                    ? match_directly(re, {from, text_.size()}, extent, groups_.size())
                    : PTC_TRY(match_by_automaton(from, extent, &charged));
    }
    // The automaton is read once over what was passed; a large one costs more a byte, as it is built while it runs.
    std::size_t passed = (found ? match().end : text_.size()) - from;
    std::size_t work = passed / 8;
    if (passed >= 256) work += passed / 256 * static_cast<std::size_t>(re.ProgramSize());
    if (program_.syntax.may_read_ahead) work += (text_.size() - from) / 32;
    constexpr std::size_t kFreeGroups = 8;
    if (groups_.size() > kFreeGroups) work += 2 * groups_.size();
    work = std::max(work + 4, charged) - charged;
    if (!heap_.meter.charge(static_cast<std::int64_t>(work))) return heap_.meter.error();
    return found;
}

/// RE2 as it is, on a part of the text, with so many groups.
bool RegexSearch::match_directly(const re2::RE2& re, ByteRange part, Extent extent, std::size_t groups) {
    const auto anchor = extent == Extent::Full ? re2::RE2::ANCHOR_BOTH : re2::RE2::UNANCHORED;
    const re2::StringPiece text(text_.data(), text_.size());
    const auto range_of = [&](const re2::StringPiece& found) {
        const auto begin = static_cast<std::size_t>(found.data() - text_.data());
        return found.data() ? ByteRange{begin, begin + found.size()} : ByteRange{};
    };
    if (groups == 1) { // of most patterns: no row of groups is made and cleared for each match
        re2::StringPiece whole;
        if (!re.Match(text, part.begin, part.end, anchor, &whole, 1)) return false;
        groups_[0] = range_of(whole);
        return true;
    }
    constexpr std::size_t kInlineGroups = 16;
    std::array<re2::StringPiece, kInlineGroups> few;
    std::vector<re2::StringPiece> many(groups > kInlineGroups ? groups : 0);
    re2::StringPiece* parts = many.empty() ? few.data() : many.data();
    if (!re.Match(text, part.begin, part.end, anchor, parts, static_cast<int>(groups))) return false;
    std::transform(parts, parts + groups, groups_.begin(), range_of);
    return true;
}

/// A long text: the automaton finds where the match is, then the groups are looked for inside of it. What the automaton
/// cannot do, and groups of a long match, the machine does, which asks the meter as it goes. Which of them does it
/// depends on pattern and text alone: an automaton that was used before and overflows has a fresh one decide.
Result<bool> RegexSearch::match_by_automaton(std::size_t from, Extent extent, std::size_t* charged) {
    using End = AutomatonWatch::End;
    const re2::RE2& re = *program_.linear;
    bool found = false;
    const auto match = [&](const re2::RE2& automaton, bool is_fresh) {
        return AutomatonWatch(heap_.meter, automaton, is_fresh).run([&] {
            found = match_directly(automaton, {from, text_.size()}, extent, 1);
        });
    };
    End end = is_hopeless_ ? End::Hopeless : match(re, false);
    is_hopeless_ = end == End::Hopeless;
    if (end == End::Overflowed) end = match(*compile_linear(re.pattern(), re.options().max_mem()), true);
    if (end == End::Refused) return heap_.meter.error();
    if (end != End::Done) return run_machine(from, extent, charged);
    if (!found || groups_.size() == 1) return found;
    const ByteRange whole = groups_[0];
    if (direct_work(re, whole.end - whole.begin, groups_.size()) > kMaxDirectWork)
        return run_machine(whole.begin, extent == Extent::Full ? Extent::Full : Extent::Start, charged);
    return match_directly(re, whole, Extent::Full, groups_.size());
}

Result<bool> RegexSearch::run_machine(std::size_t from, Extent extent, std::size_t* charged) {
    if (!machine_) {
        machine_ = RegexMachine::make(program_.linear->pattern());
        if (!machine_) return run_backtracking(from, extent);
        constexpr std::size_t kFreeInstructions = 64;
        if (machine_->size() > kFreeInstructions) *charged += 2 * machine_->size();
        if (!heap_.meter.charge(static_cast<std::int64_t>(*charged))) return heap_.meter.error();
    }
    return machine_->run(heap_, text_, from, extent, groups_, charged);
}

Result<RegexSearch::Backtracking*> RegexSearch::backtracking() {
    if (!backtracking_) {
        backtracking_ = std::make_unique<Backtracking>(heap_, program_.syntax);
        if (!backtracking_->open(program_.backtracking)) return heap_.out_of_memory();
    }
    return backtracking_.get();
}

Result<bool> RegexSearch::run_backtracking(std::size_t from, Extent extent) {
    Backtracking& engine = *PTC_TRY(backtracking());
    std::uint32_t options = PCRE2_NO_UTF_CHECK | (extent == Extent::Full ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0u) |
                            (extent == Extent::Start ? PCRE2_ANCHORED : 0u);
    engine.work.begin(from);
    int code = pcre2_match(program_.backtracking, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), from,
                           options, engine.data, engine.context);
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(engine.data);
    // What the search for a likely start skips, it reads once.
    const std::size_t passed = (code > 0 ? offsets[1] : text_.size()) - from;
    if (!engine.work.charge(passed / 16)) return heap_.meter.error();
    switch (code) {
    case PCRE2_ERROR_NOMATCH: return false;
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
        return bad_pattern(text_of(regex_.source),
                           "it backtracks too often on this text; avoid nested repetition such as `(a+)+`");
    case PCRE2_ERROR_HEAPLIMIT:
        return bad_pattern(text_of(regex_.source),
                           "it backtracks too deeply on this text; avoid nested repetition such as `(a+)+`");
    case PCRE2_ERROR_NOMEMORY: return heap_.out_of_memory();
    default: break;
    }
    if (code < 0) return bad_pattern(text_of(regex_.source), "matching failed with code " + std::to_string(code));
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        bool matched = i < static_cast<std::size_t>(code) && offsets[2 * i] != PCRE2_UNSET;
        groups_[i] = matched ? ByteRange{offsets[2 * i], offsets[2 * i + 1]} : ByteRange{};
    }
    return true;
}

} // namespace ptc
