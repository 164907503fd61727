// Gives a fuzz target a mutator that knows the grammar of its inputs. Included by the target's source alone, which
// names the grammar in a PTC_FUZZ_GRAMMAR(grammar, bytes) line: the first `bytes` of an input are no text.
#pragma once
#include "tests/fuzz/mutator.h"
#include <algorithm>
#include <cstring>

/// libFuzzer's own changes of bytes; replay_main.cpp has simple ones.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace ptc::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline std::size_t put(std::uint8_t* data, std::size_t head, std::size_t max_size, const std::string& text) {
    const std::size_t size = std::min(text.size(), max_size - head);
    if (size > 0) std::memcpy(data + head, text.data(), size);
    return head + size;
}

inline std::size_t mutate(const Grammar& grammar, std::size_t head, std::uint8_t* data, std::size_t size,
                          std::size_t max_size, unsigned seed) {
    Random random(seed);
    if (size < head || max_size <= head || random.one_in(6)) return LLVMFuzzerMutate(data, size, max_size);
    if (head > 0 && random.one_in(6)) data[random.below(head)] = static_cast<std::uint8_t>(random.below(256));
    return put(data, head, max_size, mutated(grammar, as_text(data + head, size - head), max_size - head, random));
}

inline std::size_t cross_over(const Grammar& grammar, std::size_t head, std::string_view a, std::string_view b,
                              std::uint8_t* out, std::size_t max_size, unsigned seed) {
    Random random(seed);
    if (a.size() < head || b.size() < head || max_size <= head) return 0;
    if (head > 0) std::memcpy(out, a.data(), head);
    return put(out, head, max_size, crossed(grammar, a.substr(head), b.substr(head), max_size - head, random));
}

} // namespace ptc::fuzz

#define PTC_FUZZ_GRAMMAR(grammar, bytes)                                                                               \
    extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,         \
                                                   unsigned seed) {                                                    \
        return ptc::fuzz::mutate(grammar(), bytes, data, size, max_size, seed);                                        \
    }                                                                                                                  \
    extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b, \
                                                     std::size_t b_size, std::uint8_t* out, std::size_t max_size,      \
                                                     unsigned seed) {                                                  \
        return ptc::fuzz::cross_over(grammar(), bytes, ptc::fuzz::as_text(a, a_size), ptc::fuzz::as_text(b, b_size),   \
                                     out, max_size, seed);                                                             \
    }
