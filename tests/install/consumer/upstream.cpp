// The client of MCP servers, linked with ptc::mcp alone: upstream SERVER has the tools of the server that `SERVER mcp`
// is, and a program calls one of them.
#include <cstdlib>
#include <iostream>
#include <ptc/mcp_client.h>
#include <ptc/ptc.h>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const auto server = [&](const std::string&) { return std::optional<std::string>(arguments[1]); };
    auto config =
        ptc::read_mcp_config(R"({"mcpServers": {"inner": {"command": "${SERVER}", "args": ["mcp"]}}})", server);
    if (!config.ok()) return 1;
    const auto upstream = ptc::McpClient::connect({.servers = config.value().servers});
    if (!upstream.ok()) return 1;
    for (const std::string& problem : upstream.value()->problems())
        std::cerr << problem << '\n';
    const ptc::Engine engine({.tools = upstream.value()->tools()});
    const ptc::Outcome outcome = engine.run(R"x((:json (tool/inner.lisp_eval {:source "(* 6 7)"})))x");
    std::cout << outcome.value << '\n'; // 42
}
