// What a command takes from the command line. Commands declare it by these two classes; CLI11, which parses it and
// writes the help, is included by options.cpp alone, because it costs each file that includes it several seconds.
#pragma once
#include "ptc/result.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace ptc {

/// An option that was declared, to say more about it. A handle: copies mean the same option.
class DeclaredOption {
public:
    explicit DeclaredOption(CLI::Option* option) : option_(option) {}

    /// What help calls the value, instead of its type: "FILE".
    DeclaredOption& value_name(const char* name);
    /// The heading under which help has it.
    DeclaredOption& group(const char* name);
    DeclaredOption& required();
    /// Of a number: the least and the most that is taken. Both types are shown in help as what they are.
    DeclaredOption& range(std::int64_t least, std::int64_t most);
    DeclaredOption& range(std::size_t least, std::size_t most);
    DeclaredOption& one_of(std::vector<std::string> values);
    /// "" is wrong usage: a script's variable that is not set.
    DeclaredOption& not_empty();
    /// Help shows the value that the variable has now.
    DeclaredOption& show_default();
    /// Both together are wrong usage.
    DeclaredOption& excludes(const DeclaredOption& other);
    /// Whether the command line had it; known when the command runs.
    [[nodiscard]] bool is_given() const;

private:
    CLI::Option* option_;
};

/// Where a command declares its options. `names` are "--name", "-n,--name", or without hyphens the name of a positional
/// argument. Values go to the variables, which must live until the command has run; those of options that are not given
/// keep what they have.
class CommandLine {
public:
    explicit CommandLine(CLI::App* app) : app_(app) {}

    /// The text at the end of the help.
    void footer(const char* text);
    DeclaredOption flag(const char* names, bool* value, const char* doc);
    DeclaredOption text(const char* names, std::string* value, const char* doc);
    /// A positional argument takes all that follow; an option takes one value and can be repeated.
    DeclaredOption texts(const char* names, std::vector<std::string>* values, const char* doc);
    DeclaredOption number(const char* names, std::int64_t* value, const char* doc);
    DeclaredOption number(const char* names, std::optional<std::int64_t>* value, const char* doc);
    DeclaredOption number(const char* names, std::size_t* value, const char* doc);
    DeclaredOption number(const char* names, std::uint16_t* value, const char* doc);
    /// `take` gets the number, as soon as it is parsed.
    DeclaredOption number(const char* names, std::function<void(std::int64_t)> take, const char* doc);
    /// `take` reads the text; why it cannot is reported as wrong usage.
    DeclaredOption parsed(const char* names, std::function<Result<void>(const std::string&)> take, const char* doc);

    /// A command within this one; its options are declared by the result.
    CommandLine subcommand(const char* name, const char* summary);
    /// Whether it is the command that was given; known when the command runs.
    [[nodiscard]] bool is_chosen() const;

private:
    CLI::App* app_;
};

} // namespace ptc
