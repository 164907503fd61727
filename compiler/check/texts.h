// What the texts at one place of the data look like: numbers, dates, lists, or one of a few words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct Texts {
    enum Look : std::uint8_t { Other, Integers, Numbers, Flags, Dates, Amounts };
    Look look = Other;
    bool order_differs = false;          ///< as texts they are in another order than as numbers
    std::string_view separator;          ///< of the parts that some of them have; "" for none
    std::vector<std::string_view> words; ///< all of them, each once; empty when there are many
};

/// Looks at the texts one by one. Constant work for each, and for its length.
class TextsSeen {
public:
    void add(std::string_view text);
    [[nodiscard]] Texts result() const;

private:
    static constexpr std::size_t kMaxWords = 24;
    static constexpr std::size_t kMaxWord = 48;
    static constexpr std::size_t kMaxText = 256; ///< longer ones are prose

    std::size_t count_ = 0;
    std::uint8_t looks_ = 0xff; ///< bits of Texts::Look that all of them have
    bool is_prose_ = false;
    bool has_sign_ = false;
    bool is_full_ = false;
    bool varying_ = false; ///< in their lengths
    std::size_t length_ = 0;
    std::size_t shortest_ = 1000, longest_ = 0; ///< digits in front of the point
    std::size_t commas_ = 0, blank_commas_ = 0, semicolons_ = 0, bars_ = 0;
    std::string around_; ///< what stands around the numbers of all
    std::vector<std::string_view> words_;
};

} // namespace ptc
