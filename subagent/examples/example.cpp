#include "subagent/examples/example.h"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace example {
namespace {

/// `text` with `mark` in front of each of its lines.
void print_lines(const std::string& mark, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        std::cout << mark << line << '\n';
}

void print_turn(const ptc::Turn& turn) {
    std::cout << "turn " << turn.number << '\n';
    if (turn.program) print_lines("  | ", *turn.program);
    if (turn.ok)
        print_lines("  => ", turn.result);
    else
        print_lines("  !! ", turn.reason + ": " + turn.message);
}

} // namespace

void give_up(const std::string& why) {
    std::cerr << why << '\n';
    std::exit(1);
}

ptc::Datum table(int argc, char** argv, const std::string& name) {
    const std::string path = (argc > 1 ? std::string(argv[1]) : "build/demo-data") + "/" + name + ".json";
    const std::ifstream file(path, std::ios::binary);
    if (!file) give_up("There is no " + path + ": tools/demo writes it, or python3 tools/gen_demo_data.py FOLDER.");
    std::ostringstream text;
    text << file.rdbuf();
    return made(ptc::Datum::from_json(text.str()));
}

ptc::Llm scripted(std::vector<std::string> replies) {
    return [replies = std::move(replies)](const ptc::LlmRequest& request) -> ptc::LlmResult {
        if (request.turn > replies.size()) return ptc::LlmError{.kind = "past_end", .message = "nothing more to say"};
        return ptc::LlmReply{.text = replies[request.turn - 1]};
    };
}

std::string program(const std::string& text) { return "```clojure\n" + text + "\n```"; }

int show(const ptc::Step& step) {
    for (const ptc::Turn& turn : step.trace)
        print_turn(turn);
    if (step.ok)
        std::cout << step.value.to_json() << '\n';
    else
        std::cout << "failed: " << step.fail->reason << ": " << step.fail->message << '\n';
    return step.ok ? 0 : 1;
}

} // namespace example
