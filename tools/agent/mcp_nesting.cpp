#include "tools/agent/mcp_nesting.h"
#include "frontend/quoted.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace ptc {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDepth = 3;

/// 0 where nobody says it.
int depth() {
    const char* const text = std::getenv(kNestingVariable);
    const std::string_view given = text ? text : "";
    int found = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), found);
    return error == std::errc() && end == given.data() + given.size() ? std::max(found, 0) : 0;
}

bool are_same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    return fs::equivalent(a, b, error) && !error;
}

/// Where the program of the server is looked for: as it is, or in PATH.
bool is_this_program(const McpServer& server) {
    const fs::path self("/proc/self/exe");
    const std::string& name = server.command.front();
    if (name.find('/') != std::string::npos) return are_same_file(fs::path(server.folder) / name, self);
    const char* const own = std::getenv("PATH");
    std::string_view folders = own ? own : "";
    for (const auto& [variable, value] : server.environment) {
        if (variable == "PATH") folders = value;
    }
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        std::error_code error;
        const fs::path program = fs::path(folder) / name;
        if (fs::is_regular_file(program, error)) return are_same_file(program, self);
    }
    return false;
}

/// Whether one of its arguments is the file, by itself or behind `=`.
bool names_file(const McpServer& server, const std::string& path) {
    return std::any_of(server.command.begin() + 1, server.command.end(), [&](const std::string& argument) {
        const std::size_t value = argument.starts_with("--") ? argument.find('=') + 1 : 0;
        return argument.size() > value && are_same_file(fs::path(server.folder) / argument.substr(value), path);
    });
}

} // namespace

Result<void> check_mcp_nesting() {
    if (depth() <= kMostDepth) return {};
    return Error(Reason::InvalidRequest,
                 "This is the " + std::to_string(depth() + 1) +
                     "th ptcc, each of which was started by the one above as an MCP server, and has no servers of its "
                     "own any more: do their files name each other? (" +
                     kNestingVariable + ")");
}

void keep_from_nesting(McpConfig& config, const std::string& path) {
    std::erase_if(config.servers, [&](const McpServer& server) {
        const bool is_self = !server.command.empty() && is_this_program(server) && names_file(server, path);
        if (is_self)
            config.notices.push_back("The MCP server " + quoted_excerpt(server.name) +
                                     " is this program with this file, and would start itself. It is left out.");
        return is_self;
    });
    for (McpServer& server : config.servers) // the program gets the last of a name
        server.environment.emplace_back(kNestingVariable, std::to_string(depth() + 1));
}

} // namespace ptc
