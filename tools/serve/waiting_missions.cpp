// Approvals asked for and given in the texts of a chat, and the missions that wait for them. The assistant's message
// ends in a token; the user's next one begins with a word that approves, or denies. A mission that waits is its
// snapshot, found by the digest of the token, so that nothing here could be read or timed to learn one.
#include "tools/serve/waiting_missions.h"
#include "frontend/sha256.h"
#include "frontend/utf8.h"
#include "subagent/engine/random_id.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kMark = "[approval ";
constexpr std::size_t kTokenDigits = 32;
constexpr std::size_t kMostShown = 4000; ///< bytes of arguments in a message

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n`.!";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

bool is_word(std::string_view text, std::string_view word) {
    return text.size() == word.size() && std::ranges::equal(text, word, [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
           });
}

std::string text_of_arguments(const Datum& arguments) {
    return arguments.text() ? *arguments.text() : arguments.to_json();
}

std::string call_text(const std::string& tool, const Datum& arguments) {
    constexpr std::size_t kMostOfCall = 400;
    return "`" + tool + "` " + std::string(utf8::prefix(text_of_arguments(arguments), kMostOfCall));
}

} // namespace

std::string approval_message(const ApprovalRequest& request, std::string_view token) {
    const std::string arguments = text_of_arguments(request.arguments);
    const std::string what = request.point.empty() ? "I want to call `" + request.tool + "` with "
                                                   : "Somebody has to approve this (" + request.point + "): ";
    std::string text = what + std::string(utf8::prefix(arguments, kMostShown)) +
                       (request.is_cut || arguments.size() > kMostShown ? " (not all of it is shown)" : "");
    if (request.line > 0) text += ", at line " + std::to_string(request.line) + " of my program";
    text += ".\n";
    if (!request.description.empty()) text += request.description + "\n";
    if (!request.problem.empty()) text += request.problem + "\n";
    if (!request.program.empty())
        text += "The program:\n```clojure\n" + std::string(utf8::prefix(request.program, kMostShown)) + "\n```\n";
    if (request.done_before > 0) text += "Done so far: " + std::to_string(request.done_before) + " more calls\n";
    for (const ToolUse& use : request.done)
        text += "Done so far: " + call_text(use.name, use.arguments) +
                (use.error.empty() ? " -> " + use.result : " failed: " + use.error) + "\n";
    return text +
           "Answer `approve`, or `approve` and other arguments as JSON; anything else denies it, and is my reason. " +
           std::string(kMark) + std::string(token) + "]";
}

std::string approval_token(const std::vector<Message>& history) {
    if (history.empty() || history.back().role != Message::Role::Assistant) return "";
    const std::string& said = history.back().content;
    const std::size_t at = said.rfind(kMark);
    if (at == std::string::npos || said.back() != ']') return "";
    return said.substr(at + kMark.size(), said.size() - 1 - at - kMark.size());
}

ApprovalAnswer approval_in(std::string_view message) {
    const std::string_view said = trimmed(message);
    const std::string_view word = said.substr(0, said.find_first_of(" \t\r\n{"));
    if (!is_word(word, "approve") && !is_word(word, "yes")) return ApprovalAnswer::deny(std::string(said));
    const std::string_view rest = trimmed(said.substr(word.size()));
    if (rest.empty()) return ApprovalAnswer::approve();
    Result<Datum> arguments = Datum::from_json(rest);
    if (!arguments.ok() || !arguments.value().map()) return ApprovalAnswer::deny(std::string(said));
    return ApprovalAnswer::approve_with(std::move(arguments).value());
}

void WaitingMissions::add(Waiting waiting) {
    const std::scoped_lock lock(mutex_);
    bytes_ += waiting.mission.bytes.size();
    all_.push_back(std::move(waiting));
    while (all_.size() > kMost || (bytes_ > kMostBytes && all_.size() > 1)) {
        bytes_ -= all_.front().mission.bytes.size();
        all_.pop_front();
    }
}

std::string WaitingMissions::put(Mission mission) {
    std::string token = random_id(kTokenDigits);
    add({sha256_digits(token), std::move(mission)});
    return token;
}

void WaitingMissions::put_back(std::string_view token, Mission mission) {
    add({sha256_digits(token), std::move(mission)});
}

std::optional<WaitingMissions::Mission> WaitingMissions::take(std::string_view token) {
    const std::string digest = sha256_digits(token);
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(all_, digest, &Waiting::digest);
    if (found == all_.end()) return std::nullopt;
    Mission mission = std::move(found->mission);
    bytes_ -= mission.bytes.size();
    all_.erase(found);
    return mission;
}

} // namespace ptc
