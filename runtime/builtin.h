// The one way to declare a builtin: a row beside its body. Everything that any part of the program knows of it derives
// from the row: arity checks, docs, the checker's facts, repairs, bounds of fuel, instructions, layout, tests.
#pragma once
#include "frontend/vocabulary.h"
#include "runtime/function_facts.h"
#include "runtime/heap.h"
#include "runtime/runtime_errors.h"
#include "runtime/shape.h"
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct Builtin;

/// What a task came to, as a journal keeps it: outside of any heap.
struct SaidTask {
    virtual ~SaidTask() = default;
    bool is_whole = true;  ///< it says all that the value is: programs go on with that
    std::size_t bytes = 0; ///< about what it takes
};

/// What a running program may reach of its host through builtins. The branches of pmap and pcalls see it through
/// vm/lane_host.h's Lane::Host and vm/fork.h's BranchHost, which hand on what only reads, collect what tasks came to
/// and drop what else changes anything: a new member needs a line there.
struct HostServices {
    virtual ~HostServices() = default;
    /// One line printed; false when the output limit is reached.
    virtual bool print(std::string_view line) = 0;
    /// A part of a line, which the next ones go on with; false as above.
    virtual bool print_part(std::string_view text) { return print(text); }
    /// What is printed from here on is kept until it is taken back, captures inside of others first. False where there
    /// is nobody to keep it.
    virtual bool begin_capture() { return false; }
    virtual std::string end_capture() { return {}; }
    /// Milliseconds since 1970, from the host's clock.
    virtual std::int64_t now_millis() = 0;
    /// The next 64 bits of the run's random numbers; nothing where the host gave no seed, and in branches, whose order
    /// must not matter.
    virtual std::optional<std::uint64_t> random_bits() { return std::nullopt; }
    /// The mission's budget as a map; nil when there is none.
    virtual Result<Value> budget(Heap&, ShapeTable&) { return Value(); }
    /// A step of the plan is done, with a summary of what came out of it.
    virtual void step_done(std::string_view /*id*/, std::string_view /*summary*/) {}
    /// The journal of `task`: values by id, kept between programs. Without one nothing is ever there.
    virtual bool has_task(std::string_view /*id*/) { return false; }
    virtual Result<Value> task_value(Heap&, ShapeTable&, std::string_view /*id*/) { return Value(); }
    [[nodiscard]] virtual bool has_journal() const { return false; }
    /// `value` as the journal keeps it; null without one. An error for what cannot be kept. Changes nothing: on any
    /// thread.
    virtual Result<std::unique_ptr<SaidTask>> say_task(Heap&, std::string_view /*id*/, const Value&) {
        return std::unique_ptr<SaidTask>();
    }
    /// What programs see of what was said, which need not be kept yet. On any thread.
    virtual Result<Value> value_of(Heap&, const SaidTask&) { return Value(); }
    virtual Result<void> keep_task(std::string_view /*id*/, std::unique_ptr<SaidTask>) { return {}; }
    virtual void forget_task(std::string_view /*id*/) {}
    /// Whether (return v) ends the program.
    [[nodiscard]] virtual bool may_return() const { return true; }
};

/// One call: where to allocate, whom to charge, who is called.
struct Call {
    Heap& heap;
    ShapeTable& shapes;
    HostServices& host;
    const Builtin& self;
    [[nodiscard]] const char* who() const;
};

/// The arguments, owned by the callee: move out what should be updated in place; the rest is released after the call.
using Args = std::span<Value>;
using NativeFunction = Result<Value> (*)(Call& call, Args args);
/// The same of one argument that takes no more than a look: the result, borrowed from the argument; a hole where
/// NativeFunction is to be asked. It allocates and charges nothing.
using AtOnceFunction = Bits (*)(Bits argument);

struct Example {
    const char* source = nullptr;
    const char* result = nullptr;
};

/// Number of arguments that a usage text allows: "(subs s start) (subs s start end)" is 2..3; "& more" makes it open.
struct Arity {
    std::uint8_t min = 0;
    std::uint8_t max = 0; ///< 255: open
    static constexpr std::uint8_t kOpen = 255;
    [[nodiscard]] constexpr bool accepts(std::size_t n) const { return n >= min && (max == kOpen || n <= max); }
};
constexpr Arity arity_of_usage(std::string_view usage);

/// What a name is sorted and found by in the table of all rows.
struct NameKey {
    std::uint64_t head = 0; ///< the first eight bytes as a number, zeros behind a shorter name
    std::size_t hash = 0;
    explicit constexpr NameKey(std::string_view name) {
        for (std::size_t i = 0; i < 8; ++i)
            head = head << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
        // FNV-1a with a final mix: names are short and share prefixes.
        std::uint64_t h = 0xcbf29ce484222325;
        for (const char c : name)
            h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        hash = static_cast<std::size_t>(h ^ (h >> 29));
    }
};

enum class Category : std::uint8_t { Core, Math, String, Set, Regex, Walk, Json, Interop, Agent, Internal };

/// What a call costs beyond its base, for people: `cost_text` says it. The body does the charging.
enum class Work : std::uint8_t {
    Constant,
    Arguments,  ///< by the number of arguments
    Items,      ///< by the items of its collections, or of its result
    Conversion, ///< by the items of a collection that is no vector
    Steps,      ///< by the steps of a path, or the bytes of a text in front of an index
    Inside,     ///< by everything within its arguments, at any depth
    Sorting,    ///< n log n
    Text,       ///< by the bytes of its texts
    Pattern,    ///< by what a pattern reads
    Digits,     ///< by the digits of large integers
};
/// "a few for each item": what comes behind the base; "" for Constant.
std::string_view work_text(Work work);

/// A native function. `name` is the plain name ("subs"); qualified spellings (clojure.string/subs, str/subs) resolve by
/// category. A name that only exists qualified ("json/parse-string", "Instant/parse", ".length") is written out.
struct Builtin {
    const char* name;
    /// Every arity in brackets: "(get m key) (get m key default)". The names of the parameters say what they take
    /// (runtime/parameters.h).
    const char* usage;
    const char* doc; ///< one or two sentences
    Example example{};
    Category category = Category::Core;
    std::uint32_t cost = 4; ///< fuel for the call itself; the body charges work that grows with its input
    Work work = Work::Constant;
    Gives gives{};                               ///< every row says it
    BoundModel model = BoundModel::NotSaid;      ///< every row says it
    Instruction instruction = Instruction::None; ///< a synonym (+', inc' ..) has none: errors name what was called
    WrittenArguments written{};                  ///< where it differs from the usage
    FormStyle layout{};                          ///< of a call
    NativeFunction call = nullptr;
    AtOnceFunction at_once = nullptr; ///< of a builtin of one argument; null: `call` is always asked
    SideEffect effect = SideEffect::None;
    Traits traits = 0;
    std::uint8_t endless = kNeverEndless; ///< with so many arguments `lazy-NAME%` of runtime/core is called
    const char* differs = nullptr;        ///< difference from Clojure, one sentence
    const char* alias_of = nullptr;       ///< informative: "filter" for filterv
    // Not written in rows: what the compiler finds out of the texts above, so that no process has to.
    Arity arity_by_usage = arity_of_usage(usage ? usage : "");
    NameKey key{name ? name : ""};
    [[nodiscard]] constexpr Arity arity() const { return arity_by_usage; }
};

/// All rows; the index is the value of a builtin (Value::builtin). Order is alphabetical, so it is stable per build;
/// files refer to builtins by name.
std::span<const Builtin* const> all_builtins();
/// The index of a plain or written-out name; -1 when there is none. O(1).
int find_builtin(std::string_view name);
const Builtin& builtin_at(std::uint32_t index);
/// What the rows of its file are about: "Strings".
std::string_view builtin_section(const Builtin& row);

inline const char* Call::who() const { return self.name; }

constexpr Arity arity_of_usage(std::string_view usage) {
    Arity result{255, 0};
    std::size_t i = 0;
    while (i < usage.size()) {
        if (usage[i] != '(') {
            ++i;
            continue;
        }
        std::size_t depth = 0, words = 0;
        bool open = false, in_word = false;
        for (; i < usage.size(); ++i) {
            char c = usage[i];
            if (c == '(' || c == '[' || c == '{') {
                if (depth == 1 && !in_word) ++words;
                ++depth;
                in_word = false;
            } else if (c == ')' || c == ']' || c == '}') {
                --depth;
                in_word = false;
                if (depth == 0) break;
            } else if (c == ' ')
                in_word = false;
            else if (depth == 1 && !in_word) {
                in_word = true;
                if (c == '&' && (usage[i + 1] == ' '))
                    open = true;
                else if (!open)
                    ++words;
            }
        }
        std::uint8_t n = static_cast<std::uint8_t>(words > 0 ? words - 1 : 0);
        if (n < result.min) result.min = n;
        if (open)
            result.max = Arity::kOpen;
        else if (result.max != Arity::kOpen && n > result.max)
            result.max = n;
    }
    if (result.min == 255) result.min = 0;
    return result;
}

} // namespace ptc
