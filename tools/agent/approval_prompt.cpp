// The dialogue about approvals: the call and what is known about it on standard error, the answer as a line of standard
// input. A line that is no answer is asked for again. In all that models and tools wrote
// control characters are spelled out.
#include "tools/agent/approval_prompt.h"
#include "frontend/visible_text.h"
#include "tools/interrupt.h"
#include "tools/trace/event_text.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;
constexpr int kLookMillis = 100; ///< between two looks whether a signal came

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::string text_of(const Datum& arguments) { return arguments.text() ? *arguments.text() : arguments.to_json(); }

std::string call_text(std::string_view tool, const Datum& arguments) {
    return "tool/" + std::string(tool) + " " + text_of(arguments);
}

std::string place_text(const ApprovalRequest& request) {
    std::string text = "agent " + request.agent + ", turn " + std::to_string(request.turn);
    if (request.line > 0)
        text += ", line " + std::to_string(request.line) + ", column " + std::to_string(request.column);
    return text;
}

std::optional<ApprovalAnswer> ask(const ApprovalRequest& request, bool may_wait, Console& console) {
    const std::scoped_lock asking(prompt_mutex());
    console.message(approval_text(request));
    while (true) {
        console.err.write(may_wait ? "Approve? y, n REASON, other arguments as JSON, p (the program) or later: "
                                   : "Approve? y, n REASON, other arguments as JSON, or p (the program): ");
        console.err.flush();
        const std::optional<std::string> line = read_answer_line();
        if (!line && may_wait) return std::nullopt;
        if (!line) return ApprovalAnswer::deny("nobody answered");
        const std::string_view said = trimmed(*line);
        if (said == "later" && may_wait) return std::nullopt;
        if (said == "p") {
            console.err.write(spelled_out(request.program) + "\n");
            continue;
        }
        if (std::optional<ApprovalAnswer> answer = read_approval_answer(said)) return answer;
    }
}

} // namespace

std::optional<std::string> read_answer_line() {
    std::string line;
    while (!EndSignals::came()) {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (::poll(&input, 1, kLookMillis) <= 0) continue;
        char c = 0;
        const ssize_t got = ::read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return line.empty() ? std::nullopt : std::optional(line);
        if (c == '\n') return line;
        if (line.size() < kMostLineBytes) line += c;
    }
    return std::nullopt;
}

std::mutex& prompt_mutex() {
    static std::mutex mutex; // of the one terminal
    return mutex;
}

void add_approve_option(CommandLine& line, std::string* mode, const char* doc) {
    line.text("--approve", mode, doc).value_name("never|always|ask").one_of({"never", "always", "ask"});
}

std::string approval_text(const ApprovalRequest& request) {
    const std::string what = request.point.empty() ? call_text(request.tool, request.arguments)
                                                   : request.point + " " + text_of(request.arguments);
    std::string text = spelled_out(what) + "\n  (" + spelled_out(place_text(request)) + ") waits for approval.\n";
    if (request.is_cut) text += "  There is more of it: this is a part.\n";
    if (!request.description.empty()) text += "  " + spelled_out(request.description) + "\n";
    if (request.done_before > 0) text += "  done before: " + std::to_string(request.done_before) + " more calls\n";
    for (const ToolUse& use : request.done)
        text += "  done: " + spelled_out(call_text(use.name, use.arguments)) +
                spelled_out(use.error.empty() ? " -> " + use.result : " failed: " + use.error) + "\n";
    if (!request.problem.empty()) text += "  " + spelled_out(request.problem) + "\n";
    return text;
}

std::optional<ApprovalAnswer> read_approval_answer(std::string_view line) {
    const std::string_view said = trimmed(line);
    std::string word(said.substr(0, said.find_first_of(" ,")));
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view rest =
        trimmed(said.substr(std::min(said.size(), said.find_first_not_of(" ,", word.size()))));
    if ((word == "y" || word == "yes") && rest.empty()) return ApprovalAnswer::approve();
    if (word == "n" || word == "no") return ApprovalAnswer::deny(std::string(rest));
    if (!said.starts_with('{')) return std::nullopt;
    Result<Datum> arguments = Datum::from_json(said);
    if (!arguments.ok() || !arguments.value().map()) return std::nullopt;
    return ApprovalAnswer::approve_with(std::move(arguments).value());
}

Approver approver_of(const std::string& mode, bool may_wait, Console& console) {
    if (mode == "always") return [](const ApprovalRequest&) { return std::optional(ApprovalAnswer::approve()); };
    const bool is_terminal = ::isatty(STDIN_FILENO) != 0 && console.err.is_terminal();
    if (mode == "ask" || (mode.empty() && is_terminal))
        return [may_wait, &console](const ApprovalRequest& request) { return ask(request, may_wait, console); };
    return [](const ApprovalRequest&) {
        return std::optional(ApprovalAnswer::deny("nobody is there who could approve it"));
    };
}

} // namespace ptc
