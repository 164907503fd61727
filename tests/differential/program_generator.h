// Programs made at random from a typed grammar, so that most of them run to an end and do something on the way.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::test {

/// Makes one program. The same seed and size give the same text on every machine.
class ProgramGenerator {
public:
    /// `size` bounds the number of nodes, roughly. With `tools`, some expressions go through the tool `echo`, which
    /// returns its arguments.
    ProgramGenerator(std::uint64_t seed, int size, bool tools) : state_(seed * 2 + 1), budget_(size), tools_(tools) {}

    std::string program();

private:
    // What an expression gives; also the letter that stands for one in the grammar's patterns.
    enum Type : char {
        Int = 'i',
        Number = 'n',
        Bool = 'b',
        Text = 's',
        Keyword = 'k',
        Ints = 'v',
        Map = 'm',
        Set = 'e',
        Records = 'r',
        Any = 'a'
    };
    struct Pattern {
        Type gives;
        std::string_view text;
    };
    struct Local {
        std::string name;
        Type type;
    };
    static const std::vector<Pattern>& grammar();

    std::uint32_t below(std::uint32_t n);
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    std::string fresh(char kind) { return std::string(1, kind) + std::to_string(names_++); }

    std::string expression(Type type);
    std::string leaf(Type type);
    std::string from_grammar(Type type);
    std::string fill(std::string_view pattern);
    std::string function_of(std::vector<Type> parameters, Type result);
    std::string let_form(Type type);
    std::string loop_form();
    std::string for_form();
    std::string through_a_tool(Type type);
    std::string definition();

    std::uint64_t state_;
    int budget_;
    bool tools_;
    int names_ = 0;
    int depth_ = 0;
    std::vector<Local> locals_;
};

/// A collection that goes through one to four functions of sequences and then into what makes one value of it, whose
/// functions may fail, print, or end the walk.
std::string chain_of_loops(std::uint64_t seed);
/// A loop whose variables may walk along a collection by first and rest, and do other things with it.
std::string walking_loop(std::uint64_t seed);

} // namespace ptc::test
