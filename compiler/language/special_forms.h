// The table of special forms; the rows are in special_forms.def.
#pragma once
#include <cstdint>
#include <span>

namespace ptc {

struct SpecialForm {
    enum Shadowing : std::uint8_t {
        kFixed, ///< only a local binding hides it
        kOpen,  ///< a definition of the program hides it too
        kCore,  ///< exists in the core library only
    };
    const char* name;
    Shadowing shadowing;
    const char* section; ///< in the reference
    const char* usage;   ///< every shape in brackets
    const char* doc;
    const char* example;
    const char* example_result; ///< as pr-str prints it, or "!! reason"
    const char* differs;        ///< from Clojure; "" where it does not
};

std::span<const SpecialForm> special_forms();

} // namespace ptc
