// What the text's own tools, the repair of brackets and the formatter, know of names in head position. They see text
// only; whoever knows the language gives them its words (compiler/language/vocabulary.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

/// How a form that begins with a name is written: enough to see that `(filter f xs)` is whole and `(filter f)` is not.
struct KnownHead {
    enum Shape : std::uint8_t {
        Call,
        Binding,   ///< a vector of names and values comes first
        Function,  ///< a vector of parameters comes behind the name and the doc
        Threading, ///< steps follow a value
        Special    ///< any other form with rules of its own
    } shape = Call;
    std::string_view name;
    std::uint8_t min_args = 0;
    std::uint8_t max_args = 255;
    std::uint8_t usual_args = 255; ///< more are allowed but unlikely
};

/// How a form is laid out.
struct FormStyle {
    enum Kind : std::uint8_t {
        Call,      ///< arguments below the first one
        Steps,     ///< as a Call, each argument on its own line
        CallPairs, ///< as a Call, pairs behind `leading` arguments
        Body,      ///< `leading` arguments beside the name, then each expression on its own line, two columns in
        LooseBody, ///< as a Body whose expressions may share a line
        Pairs,     ///< `leading` arguments beside the name, then pairs, two columns in
        Function,  ///< a Body whose leading arguments end with the parameter vector
    } kind = Call;
    std::uint8_t leading = 0;
    bool binds = false; ///< the first argument is a vector of names and values
};

class Vocabulary {
public:
    virtual ~Vocabulary() = default;
    /// Nothing for names that mean nothing.
    [[nodiscard]] virtual std::optional<KnownHead> head(std::string_view name) const = 0;
    /// A Call for names that have no style of their own.
    [[nodiscard]] virtual FormStyle style(std::string_view name) const = 0;
};

} // namespace ptc
