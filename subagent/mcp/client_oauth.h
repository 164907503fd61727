// OAuth 2.1 as MCP asks it of clients: where a server over HTTP wants a token, which authorization server gives one is
// found out (RFC 9728, RFC 8414), the client makes itself known there, and a person agrees once (PKCE).
#pragma once
#include "subagent/mcp/client_transport.h"

namespace ptc::mcp {

/// An answer that says that the token is missing, or is not enough.
struct Refusal {
    int status = 401;
    std::string challenge{};  ///< WWW-Authenticate
    std::string used_token{}; ///< "" for none
};

/// Has the token of one server. May be used by several threads at once: one of them gets a new one, others wait for it.
class Authorizer {
public:
    virtual ~Authorizer() = default;
    /// "" when there is none.
    virtual std::string token() = 0;
    /// Nothing when there is another token now.
    virtual std::optional<Failure> authorize(const Refusal& refusal, const CallTerms& terms) = 0;
};

/// What authorizers keep from one process to the next (McpOptions::token_file).
class TokenStore;
std::shared_ptr<TokenStore> make_token_store(std::string path);

/// Null for a server that is a program, and where there is nobody who could agree, nor a secret that needs no one: then
/// a server that wants a token fails.
std::shared_ptr<Authorizer> make_authorizer(const McpServer& server, const McpOptions& options,
                                            std::shared_ptr<TokenStore> store);

/// Whether both addresses are of one owner, as far as names say it: of one host on any port, of this machine, or of
/// hosts below a name that somebody has registered. That is one of two labels, or of three below a country's code that
/// has few letters in front ("co.uk"). Whoever runs hosts of others below such a name names the issuer: a list of all
/// of these is another program's to keep.
bool is_of_one_site(const std::string& a, const std::string& b);

/// The parameters of a challenge, "Bearer scope=\"a b\", error=\"..\"": the value of `name`, "" when there is none.
std::string challenge_parameter(std::string_view challenge, std::string_view name);

} // namespace ptc::mcp
