// What the examples share: the demonstration data, models whose replies are known, and how a mission is shown.
#pragma once
#include <ptc/ptc.h>
#include <string>
#include <vector>

namespace example {

/// A table of the demonstration data ("orders", "customers", "products"), from the folder that the command line names,
/// else from build/demo-data, where tools/demo puts it. Ends the process when there is none.
ptc::Datum table(int argc, char** argv, const std::string& name);

/// A model that answers the n-th turn of an agent with the n-th reply. A real one is a function, too: it sends the
/// request to a provider and gives back what came.
ptc::Llm scripted(std::vector<std::string> replies);

/// A reply that is this program and nothing else.
std::string program(const std::string& text);

/// What was made, or the end of the process with the reason why it could not be.
template <class T> T made(ptc::Result<T> result);
[[noreturn]] void give_up(const std::string& why);

/// Prints each turn, its program and what came of it, and the mission's result. Gives the exit code of `main`.
int show(const ptc::Step& step);

template <class T> T made(ptc::Result<T> result) {
    if (!result.ok()) give_up(result.error().message);
    return std::move(result).value();
}

} // namespace example
