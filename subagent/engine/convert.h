// Between a VM's values and the host's Datum.
#pragma once
#include "frontend/work.h"
#include "ptc/datum.h"
#include "ptc/limits.h"
#include "runtime/clock.h"
#include "runtime/heap.h"
#include "runtime/shape.h"
#include <algorithm>
#include <optional>

namespace ptc {

/// Deeper values do not cross the boundary: Datum is a recursive tree.
inline constexpr unsigned kMaxBoundaryDepth = 512;

/// Nor do more values than these at once: a value may share its parts so often that its tree would fill any memory.
inline constexpr std::size_t kMaxBoundaryValues = 4'000'000;
/// Nor more bytes of text: each mention of a text is a copy outside.
inline constexpr std::size_t kMaxBoundaryBytes = std::size_t{64} << 20;
/// Nor a tree that takes more bytes than the heap may that it comes from; this many always may.
inline constexpr std::size_t kMinTreeBytes = std::size_t{16} << 20;

/// A result's text is no longer than the heap that it comes from may be: a value may share its parts so often that what
/// is small there is endless in print. A MiB it may always be.
inline constexpr std::uint64_t kMinResultBytes = std::uint64_t{1} << 20;
[[nodiscard]] inline std::size_t most_result_bytes(const Limits& limits) {
    return std::min(limits.max_result_bytes, std::max(kMinResultBytes, limits.heap_bytes));
}

/// The time that a host gives to the reading of a text, from here on; without one, what the thread has anyway.
class ImportScope {
public:
    explicit ImportScope(const ImportLimits& limits) {
        if (limits.timeout.count() > 0) scope_.emplace(work_until(Meter::Clock::now() + limits.timeout));
    }

private:
    std::optional<work::Scope> scope_;
};

enum class KeyStyle : std::uint8_t {
    AsIs,
    Normal, ///< text keys with underscores at every level (requirements 56 to 59)
    Tool,   ///< the same; keywords become text too
    Input,  ///< text keys as they are written; keywords become text too (Tool::pass_input)
};

/// What a Datum has as text alone (Datum::Opaque).
enum class Opaques : std::uint8_t {
    AsText,  ///< but for instants, texts are what comes back
    AsValues ///< what opaque_values.h reads comes back as what it was, to the nanosecond
};

/// Whether a Datum says all that `value` is: no functions, times, lists, sorted maps and the like, and no more than is
/// soon looked through.
bool is_plain(Heap& heap, const Value& value);

/// limit_exceeded when `value` is nested deeper than kMaxBoundaryDepth or larger than kMaxBoundaryValues,
/// kMaxBoundaryBytes or, as a tree, the heap's limit; an error for two keys that become the same text:
/// invalid_tool_args for a tool, else validation_error. Charges the heap's meter, and the work::Scope of the thread.
Result<Datum> to_datum(Heap& heap, const Value& value, KeyStyle keys = KeyStyle::AsIs,
                       Opaques opaques = Opaques::AsText);
/// Builds the value in `heap`; memory_exceeded when it does not fit, timeout when the thread's work::Scope is over.
Result<Value> from_datum(Heap& heap, const Datum& datum, Opaques opaques = Opaques::AsText);

} // namespace ptc
