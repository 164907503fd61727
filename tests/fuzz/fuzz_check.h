// What the fuzz targets share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// A claim that must hold for every input. On in every build: it is what the fuzzer looks for.
#define FUZZ_CHECK(claim)                                                                                              \
    do {                                                                                                               \
        if (!(claim)) {                                                                                                \
            std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim);                            \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (false)

namespace ptc::fuzz {

/// Reads small numbers off the input; zeros when it is used up.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    [[nodiscard]] bool empty() const { return at_ == end_; }
    std::uint8_t byte() { return empty() ? std::uint8_t{0} : *at_++; }
    std::uint32_t below(std::uint32_t n) { return n < 256 ? byte() % n : (byte() * 256u + byte()) % n; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

} // namespace ptc::fuzz
