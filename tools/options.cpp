// The one file that includes CLI11: options and commands are declared to it, and its verdict on a command line is
// handed on.
//
// The options of a command are declared when its name is found on the command line (CLI11's callback before a
// subcommand is parsed), not at the start, and no other command is, when the command line begins with its name:
// declaring all of them costs more than evaluating a small program.
#include "tools/options.h"
#include "tools/command.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace ptc {
namespace {

bool is_positional(std::string_view names) { return !names.starts_with('-'); }

} // namespace

DeclaredOption& DeclaredOption::value_name(const char* name) {
    option_->type_name(name);
    return *this;
}

DeclaredOption& DeclaredOption::group(const char* name) {
    option_->group(name);
    return *this;
}

DeclaredOption& DeclaredOption::required() {
    option_->required();
    return *this;
}

DeclaredOption& DeclaredOption::range(std::int64_t least, std::int64_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

DeclaredOption& DeclaredOption::range(std::size_t least, std::size_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

DeclaredOption& DeclaredOption::one_of(std::vector<std::string> values) {
    option_->check(CLI::IsMember(std::move(values)));
    return *this;
}

DeclaredOption& DeclaredOption::not_empty() {
    option_->check([](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
    return *this;
}

DeclaredOption& DeclaredOption::show_default() {
    option_->capture_default_str();
    return *this;
}

DeclaredOption& DeclaredOption::excludes(const DeclaredOption& other) {
    option_->excludes(other.option_);
    return *this;
}

bool DeclaredOption::is_given() const { return option_->count() > 0; }

void CommandLine::footer(const char* text) { app_->footer(text); }

DeclaredOption CommandLine::flag(const char* names, bool* value, const char* doc) {
    return DeclaredOption(app_->add_flag(names, *value, doc));
}

DeclaredOption CommandLine::text(const char* names, std::string* value, const char* doc) {
    return DeclaredOption(app_->add_option(names, *value, doc));
}

DeclaredOption CommandLine::texts(const char* names, std::vector<std::string>* values, const char* doc) {
    CLI::Option* const option = app_->add_option(names, *values, doc);
    if (!is_positional(names)) option->allow_extra_args(false);
    return DeclaredOption(option);
}

DeclaredOption CommandLine::number(const char* names, std::int64_t* value, const char* doc) {
    return DeclaredOption(app_->add_option(names, *value, doc));
}

DeclaredOption CommandLine::number(const char* names, std::optional<std::int64_t>* value, const char* doc) {
    return DeclaredOption(app_->add_option(names, *value, doc));
}

DeclaredOption CommandLine::number(const char* names, std::size_t* value, const char* doc) {
    return DeclaredOption(app_->add_option(names, *value, doc));
}

DeclaredOption CommandLine::number(const char* names, std::uint16_t* value, const char* doc) {
    return DeclaredOption(app_->add_option(names, *value, doc));
}

DeclaredOption CommandLine::number(const char* names, std::function<void(std::int64_t)> take, const char* doc) {
    return DeclaredOption(app_->add_option_function<std::int64_t>(
        names, [take = std::move(take)](const std::int64_t& n) { take(n); }, doc));
}

DeclaredOption CommandLine::parsed(const char* names, std::function<Result<void>(const std::string&)> take,
                                   const char* doc) {
    const auto read = [name = std::string(names), take = std::move(take)](const std::string& text) {
        const Result<void> taken = take(text);
        if (!taken.ok()) throw CLI::ValidationError(name, taken.error().message);
    };
    return DeclaredOption(app_->add_option_function<std::string>(names, read, doc));
}

CommandLine CommandLine::subcommand(const char* name, const char* summary) {
    return CommandLine(app_->add_subcommand(name, summary));
}

bool CommandLine::is_chosen() const { return app_->parsed(); }

ParsedCommandLine parse_command_line(int argc, char** argv, const ProgramHelp& help,
                                     std::span<const Command* const> commands) {
    const auto app = std::make_shared<CLI::App>(help.summary, help.name);
    app->set_version_flag("--version", std::string(help.name) + " " + help.version);
    app->footer(help.footer);
    app->require_subcommand(1);
    Action chosen;
    const auto is_named = [&](const Command* command) {
        return argc > 1 && std::string_view(command->name) == argv[1];
    };
    const auto named = std::find_if(commands.begin(), commands.end(), is_named);
    if (named != commands.end()) commands = {named, 1};
    for (const Command* command : commands) {
        CLI::App* const options = app->add_subcommand(command->name, command->summary);
        options->preparse_callback([command, options, &chosen](std::size_t) {
            CommandLine line(options);
            chosen = command->declare(line);
        });
    }
    try {
        app->parse(argc, argv);
    } catch (const CLI::Success& asked) { // --help, --version
        std::ostringstream text;
        app->exit(asked, text, text);
        return {.help = text.str()};
    } catch (const CLI::ParseError& error) {
        return {.error = error.what()};
    }
    // The options that the action asks about are the app's.
    return {.action = [app, chosen = std::move(chosen)](Console& console) { return chosen(console); }};
}

} // namespace ptc
