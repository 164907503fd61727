// The program is started as those of servers are (child_process.h), and killed when its time is over.
#include "subagent/mcp/headers_helper.h"
#include "frontend/quoted.h"
#include "ptc/datum.h"
#include "subagent/mcp/child_process.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptc::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostPrinted = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::milliseconds kToEnd{1000}; ///< after it has closed its output

Failure failed(const std::string& why) {
    return {.kind = Failure::Kind::NotThere, .message = "Its `headersHelper` " + why};
}

/// What it prints until it closes its output.
std::variant<std::string, Failure> printed_by(const Child& child, Deadline deadline, const CallTerms& terms) {
    std::string printed;
    for (;;) {
        if (terms.stop.stop_requested())
            return Failure{.kind = Failure::Kind::Cancelled, .message = "Nobody waits for it any more."};
        if (SteadyClock::now() >= deadline) return failed("has printed no headers in time.");
        pollfd ready{.fd = child.output, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, static_cast<int>(kBetweenLooks.count())) <= 0) continue;
        char bytes[4096];
        const ssize_t count = ::read(child.output, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return printed;
        printed.append(bytes, static_cast<std::size_t>(count));
        if (printed.size() > kMostPrinted) return failed("prints more than headers have.");
    }
}

/// Headers that each request has by what it is; another one would break it.
bool is_of_request(std::string_view name) {
    constexpr std::string_view kOfRequest[] = {"host", "content-length", "transfer-encoding", "connection"};
    const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    return std::ranges::any_of(kOfRequest,
                               [&](std::string_view one) { return std::ranges::equal(one, name, {}, {}, lower); });
}

std::variant<HeaderPairs, Failure> headers_in(const std::string& printed) {
    const Result<Datum> read = Datum::from_json(printed);
    if (!read.ok() || !read.value().map()) return failed("does not print a JSON object of headers.");
    HeaderPairs headers;
    for (const auto& [name, value] : read.value().entries()) {
        if (!name.text() || !value.text() || !is_header(*name.text(), *value.text()))
            return failed("prints a header that cannot be sent.");
        if (is_of_request(*name.text()))
            return failed("prints the header " + quoted(*name.text()) + ", which requests have by themselves.");
        headers.emplace_back(*name.text(), *value.text());
    }
    return headers;
}

} // namespace

bool is_header(std::string_view name, std::string_view value) {
    return !name.empty() && name.find_first_of("\r\n: ") == std::string_view::npos &&
           value.find_first_of("\r\n") == std::string_view::npos;
}

std::variant<HeaderPairs, Failure> helped_headers(const McpServer& server, const CallTerms& terms) {
    ChildCommand command{.arguments = server.headers_command, .environment = child_environment({})};
    // By these one program knows which of several servers it is asked for.
    command.environment->push_back("CLAUDE_CODE_MCP_SERVER_NAME=" + server.name);
    command.environment->push_back("CLAUDE_CODE_MCP_SERVER_URL=" + server.url);
    for (const auto& [name, value] : server.environment)
        command.environment->push_back(name + "=" + value);
    std::variant<Child, int> started = start_child(std::move(command));
    if (const int* error = std::get_if<int>(&started))
        return failed("cannot be started: " + std::string(std::strerror(*error)) + ".");
    Child child = std::get<Child>(started);
    const Deadline deadline = std::min(terms.deadline, SteadyClock::now() + server.headers_timeout);
    std::variant<std::string, Failure> printed = printed_by(child, deadline, terms);
    const bool has_printed = printed.index() == 0;
    const bool has_ended = has_printed && has_ended_within(child, kToEnd);
    const int status = kill_child(child);
    if (!has_printed) return std::get<Failure>(std::move(printed));
    if (has_ended && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) return failed("has failed.");
    return headers_in(std::get<std::string>(printed));
}

} // namespace ptc::mcp
