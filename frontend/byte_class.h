// Classes of bytes for X3 grammars: a table says of each byte which classes it is in, a bit for each, and the parsers
// take one byte or a run of bytes of a class. X3's own character sets test a bit set per character; a table answers all
// questions of a grammar at once. Only the files with grammars include this header, and X3 with it.
#pragma once
#include <array>
#include <boost/spirit/home/x3/core/parser.hpp>
#include <boost/spirit/home/x3/support/unused.hpp>
#include <cstdint>
#include <string_view>

namespace ptc {

struct ByteClasses {
    std::array<std::uint16_t, 256> of{};

    constexpr void mark(unsigned char byte, unsigned classes) {
        of[byte] = static_cast<std::uint16_t>(of[byte] | classes);
    }
    constexpr void mark(std::string_view bytes, unsigned classes) {
        for (const char c : bytes)
            mark(static_cast<unsigned char>(c), classes);
    }
    [[nodiscard]] constexpr bool has(char byte, unsigned classes) const {
        return (of[static_cast<unsigned char>(byte)] & classes) != 0;
    }
};

namespace x3 = boost::spirit::x3;

/// One byte of a class.
template <const ByteClasses& Table, unsigned Classes> struct OneOf : x3::parser<OneOf<Table, Classes>> {
    using attribute_type = x3::unused_type;
    static constexpr bool has_attribute = false;
    template <class It, class Context, class RuleContext, class Attribute>
    bool parse(It& first, const It& last, const Context&, RuleContext&, Attribute&) const {
        if (first == last || !Table.has(*first, Classes)) return false;
        ++first;
        return true;
    }
};

/// Any number of bytes of a class.
template <const ByteClasses& Table, unsigned Classes> struct RunOf : x3::parser<RunOf<Table, Classes>> {
    using attribute_type = x3::unused_type;
    static constexpr bool has_attribute = false;
    template <class It, class Context, class RuleContext, class Attribute>
    bool parse(It& first, const It& last, const Context&, RuleContext&, Attribute&) const {
        It at = first; // a local the optimiser can keep in a register
        while (at != last && Table.has(*at, Classes))
            ++at;
        first = at;
        return true;
    }
};

} // namespace ptc
