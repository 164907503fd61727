// Changes texts form by form: parts are swapped, repeated, left out, replaced by names, by literals and by parts of
// other texts, and put into other forms. Some changes break the text on purpose. The same seed gives the same text.
#pragma once
#include "tests/fuzz/grammar.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc::fuzz {

/// splitmix64: the standard library's distributions differ among implementations.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t n) {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return n == 0 ? 0 : (z ^ (z >> 31)) % n;
    }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class List> const auto& pick(const List& list) { return list[below(list.size())]; }

private:
    std::uint64_t state_;
};

/// A few changes of `text`; at most `max_size` bytes.
std::string mutated(const Grammar& grammar, std::string_view text, std::size_t max_size, Random& random);
/// `text` with forms of `other` in the places of some of its own.
std::string crossed(const Grammar& grammar, std::string_view text, std::string_view other, std::size_t max_size,
                    Random& random);

} // namespace ptc::fuzz
