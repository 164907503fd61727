// Values to text.
#pragma once
#include "runtime/heap.h"
#include "runtime/string.h"
#include <string>

namespace ptc {

enum class PrintStyle : std::uint8_t {
    Readable, ///< pr-str: strings quoted and escaped
    Display,  ///< str, println: a string stands for itself, a regex for its pattern, a date for its text, infinity is
              ///< "Infinity"; inside a collection all of them are readable, as Clojure does. nil is "nil": `str` skips
              ///< it
};

/// Appends the text of `v`: maps and sets in sorted order. Charges a unit per few bytes. False when the heap is full or
/// the meter ran out (see builder.failed(), heap.meter).
bool print_value(StringBuilder& out, Heap& heap, const Value& v, PrintStyle style);
/// What a host is given at most unless it asks for more.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
/// The same into a std::string of at most `max_bytes`, without fuel; when cut it ends with "…" and `*cut` is set. For
/// hosts and messages.
std::string print_to_string(Heap& heap, const Value& v, PrintStyle style, std::size_t max_bytes = kMaxTextBytes,
                            bool* cut = nullptr);
/// The readable text, of which each piece of work is charged to the heap's meter, too: cut when that has run out.
std::string print_for_host(Heap& heap, const Value& v, std::size_t max_bytes, bool* cut);
/// The readable text of a run's result, paid for as print_value does. limit_exceeded when it is longer than
/// `max_bytes`.
Result<std::string> print_result(Heap& heap, const Value& v, std::size_t max_bytes);
/// The readable text of what is no collection; needs no heap.
std::string scalar_to_string(const Value& v);
/// What an error message calls the kind of `v`: "a string", "nil", "a vector of 3 items".
std::string describe_type(const Value& v);
/// The name `type` gives, in words for messages without article: "string", "integer".
const char* type_name(const Value& v);

} // namespace ptc
