// What running a program may do to the world and take from it, read off its code without running it.
#pragma once
#include "vm/program.h"
#include <optional>
#include <string>
#include <vector>

namespace ptc {

struct Builtin;

enum class EffectKind : std::uint8_t {
    None,
    Tool,    ///< calls the tool `name`
    Data,    ///< reads data/`name`; the whole context when the name is ""
    History, ///< reads the result of an earlier turn: *1, *2, *3
    Memory,  ///< reads the session's value of `name`
    Define,  ///< writes it
    Print,   ///< the builtin `name` prints
    Time,    ///< the builtin `name` depends on when it runs
    Mission, ///< the builtin `name` talks to the mission: budget, journal, plan
};

/// One place of the program.
struct EffectSite {
    EffectKind kind = EffectKind::None;
    std::string name;
    Span span;
};

/// A function that the program binds to a name.
struct DefinedFunction {
    std::string name;
    std::uint32_t least_arguments = 0;
    std::optional<std::uint32_t> most_arguments; ///< none: any number
    Span span;                                   ///< of the definition
};

struct Effects {
    std::vector<EffectSite> sites; ///< ordered by span
    std::vector<DefinedFunction> functions;
};

/// Everything that can happen in a run of `program`: what its top level does and what the functions do that it defines,
/// calls or makes. Code that cannot be reached counts when the compiler kept it; functions that a session or a tool
/// gives are not looked into. Linear in the size of the code.
Effects effects_of(const Program& program);

/// What calling this builtin does; None for pure ones.
EffectKind builtin_effect(const Builtin& builtin);

} // namespace ptc
