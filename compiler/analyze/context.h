// Where the analysis stands: everything that changes on the way into a form and is put back on the way out.
#pragma once
#include "compiler/language/scope.h"
#include "compiler/language/tree.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace ptc {

using FormSpan = std::span<const Form>;

/// Forms nested deeper than this, after expansion, are refused (limit_exceeded): the analyzer and the emitter recurse.
inline constexpr std::uint32_t kMaxDepth = 1000;

/// What happens to the value of a form: a set of the two flags.
using Tail = std::uint8_t;
inline constexpr Tail kValue = 0;        ///< more work follows
inline constexpr Tail kFunctionTail = 1; ///< it is the value of the function
inline constexpr Tail kRecurTail = 2;    ///< a recur may stand here
inline constexpr Tail kStepTail = 4;     ///< it is the next accumulator of the Fold `leave`, which a `reduced` ends

/// The loop or function that a recur starts again.
struct RecurTarget {
    Node* loop = nullptr; ///< null: the function
    std::size_t count = 0;
    bool used = false;
    const char* around = nullptr; ///< of a function that is the body of a form: "try", "lazy-seq"
};

struct HoistedData; // loop_scope.h

/// A (task id expression) whose expression is analysed.
struct OpenTask {
    Local* id = nullptr;
    const OpenTask* around = nullptr;
};

/// A copy of it is the way back: `const Context outer = a.at; .. a.at = outer;`.
struct Context {
    Site site;                      ///< the names in scope, and whether the text is the core library's
    Function* function = nullptr;   ///< whose body it is
    RecurTarget* recur = nullptr;   ///< the nearest one; null: recur stands in nothing
    HoistedData* hoist = nullptr;   ///< of the function's outermost loop; null: outside of loops
    Node* fold = nullptr;           ///< what break% leaves
    Node* leave = nullptr;          ///< what (reduced x) leaves, where it stands as a kStepTail
    std::string_view core_name;     ///< the core function that is being inlined, or compiled
    const OpenTask* task = nullptr; ///< the innermost one
    const char* body_of = nullptr;  ///< while the function is made that is the body of a form: its name
    std::uint32_t depth = 0;        ///< levels of nesting, after expansion
    std::uint32_t asked_chains = 0; ///< around here that are written twice: of a sequence by need, of any other

    /// The place in the program that a form of the core library stands for, or the form's own.
    [[nodiscard]] Span span_of(const Form& form) const { return site.core ? site.span : form.span; }
};

/// While it lives, errors name this function: the one that the program calls.
class CalledAs {
public:
    CalledAs(Context& at, std::string_view name) : at_(at), outer_(std::exchange(at.core_name, name)) {}
    ~CalledAs() { at_.core_name = outer_; }
    CalledAs(const CalledAs&) = delete;
    CalledAs& operator=(const CalledAs&) = delete;

private:
    Context& at_;
    std::string_view outer_;
};

} // namespace ptc
