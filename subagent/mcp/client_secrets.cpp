#include "subagent/mcp/client_secrets.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "subagent/mcp/client_transport.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace ptc::mcp {
namespace {

constexpr std::size_t kLookedAtNoise = 4000;
constexpr std::size_t kLeast = 6; ///< bytes: shorter ones are words of any text

struct Secret {
    std::string_view value;
    std::string name;
};

/// The longest first: one may be a part of another.
std::vector<Secret> secrets_of(const McpServer& server) {
    std::vector<Secret> secrets;
    const auto add = [&secrets](std::string_view value, const std::string& name) {
        if (value.size() >= kLeast) secrets.push_back({value, "[" + name + "]"});
    };
    for (const auto* pairs : {&server.environment, &server.headers}) {
        for (const auto& [name, value] : *pairs) {
            add(value, name);
            if (const std::size_t blank = value.find(' '); blank != std::string::npos)
                add(std::string_view(value).substr(blank + 1), name);
        }
    }
    for (std::size_t i = 1; !server.program.empty() && i < server.command.size(); ++i)
        add(server.command[i], "argument");
    std::ranges::sort(secrets, std::ranges::greater(), [](const Secret& one) { return one.value.size(); });
    return secrets;
}

/// Bytes at this end of the text that are the rest, or the beginning, of a secret.
std::size_t part_at(std::string_view text, std::string_view secret, CutAt cut) {
    for (std::size_t bytes = std::min(text.size(), secret.size() - 1); bytes > 0; --bytes) {
        const bool is_part = cut == CutAt::Front ? text.starts_with(secret.substr(secret.size() - bytes))
                                                 : text.ends_with(secret.substr(0, bytes));
        if (is_part) return bytes;
    }
    return 0;
}

} // namespace

std::string without_secrets(std::string_view text, const McpServer& server, CutAt cut) {
    const std::vector<Secret> secrets = secrets_of(server);
    std::size_t part = 0;
    for (const Secret& secret : secrets) {
        if (cut != CutAt::Nowhere) part = std::max(part, part_at(text, secret.value, cut));
    }
    text = cut == CutAt::Front ? text.substr(part) : text.substr(0, text.size() - part);
    std::string out;
    while (!text.empty()) {
        const auto found =
            std::ranges::find_if(secrets, [text](const Secret& one) { return text.starts_with(one.value); });
        if (found != secrets.end())
            out += found->name;
        else
            out += text.front();
        text.remove_prefix(found != secrets.end() ? found->value.size() : 1);
    }
    return out;
}

std::string shown_noise(std::string_view noise, const McpServer& server) {
    const std::string_view looked_at = utf8::prefix(noise, kLookedAtNoise);
    const CutAt cut = looked_at.size() < noise.size() ? CutAt::End : CutAt::Nowhere;
    return quoted_excerpt(without_secrets(looked_at, server, cut), kShownNoise);
}

} // namespace ptc::mcp
