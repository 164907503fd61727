// Config files of MCP clients. There is no standard for them, but one form that most clients read: that one, with what
// each of them calls differently; editors allow comments and commas before closing brackets. Secrets come from the
// environment, so texts may name variables.
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/try.h"
#include "ptc/mcp_client.h"
#include "subagent/agent/whole_file.h"
#include "subagent/mcp/catalog.h"
#include "subagent/mcp/headers_helper.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

namespace ptc {
namespace {

using Names = std::vector<std::string>;
using Variable = SharedFunction<std::optional<std::string>(const std::string& name)>;

Error wrong(const std::string& server, const std::string& why) {
    return {Reason::InvalidRequest, "The MCP server " + quoted_excerpt(server) + ": " + why};
}

std::optional<std::string> from_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

/// What an editor asks its user for by this name, and we look for in the environment: `api-key` is API_KEY.
std::string variable_of_input(std::string_view name) {
    std::string out;
    for (const char c : name)
        out += std::isalnum(static_cast<unsigned char>(c))
                   ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                   : '_';
    return out;
}

/// The variable that a text in braces means, of our environment or an editor's.
std::string variable_name(std::string_view name) {
    if (name.starts_with("env:")) return std::string(name.substr(4));
    if (name.starts_with("input:")) return variable_of_input(name.substr(6));
    if (name == "userHome") return "HOME";
    if (name == "workspaceFolder") return "PWD";
    return std::string(name);
}

/// With variables in place of $NAME, as some clients write them where secrets stand; a name that no variable has stays.
std::string with_bare_variables(std::string_view text, const Variable& variable) {
    const auto is_in_name = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (text[at] == '$' && end < text.size() && is_in_name(text[end]))
            ++end;
        const std::string_view word = text.substr(at, end - at);
        const std::optional<std::string> value =
            word.size() > 1 ? variable(std::string(word.substr(1))) : std::optional<std::string>();
        out += value ? *value : word;
        at = end;
    }
    return out;
}

enum class Bare : bool { No, Yes };

/// With variables in place of ${NAME}, ${env:NAME}, ${input:NAME} and ${NAME:-otherwise}, and of bare $NAME where they
/// may be (not in arguments, where `$` means other things). Values of variables stay as they are.
Result<std::string> expanded(const std::string& server, std::string_view text, const Variable& variable,
                             Bare bare = Bare::No) {
    std::string out;
    while (true) {
        const std::size_t begin = text.find("${");
        const std::string_view plain = text.substr(0, begin);
        out += bare == Bare::Yes ? with_bare_variables(plain, variable) : std::string(plain);
        if (begin == std::string_view::npos) return out;
        text.remove_prefix(begin + 2);
        const std::size_t end = text.find('}');
        if (end == std::string_view::npos) return wrong(server, "`${` has no `}`.");
        const std::string_view name = text.substr(0, end);
        text.remove_prefix(end + 1);
        const std::size_t colon = name.find(":-");
        const std::string wanted = variable_name(name.substr(0, colon));
        const std::optional<std::string> value = variable(wanted);
        if (value)
            out += *value;
        else if (colon != std::string_view::npos)
            out += name.substr(colon + 2);
        else
            return wrong(server, "the environment has no variable " + quoted_excerpt(wanted) + ".");
    }
}

// ---- Files of the environment: NAME=VALUE lines, read as editors and the dotenv package read them

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/// Where the text ends that the quote at `open` begins: a quote behind a backslash belongs to it. npos: nowhere.
std::size_t closing_quote(std::string_view text, std::size_t open) {
    std::size_t at = open;
    do
        at = text.find(text[open], at + 1);
    while (at != std::string_view::npos && text[at - 1] == '\\');
    return at;
}

/// The first of `wanted` that is in no quotes; npos when there is none.
std::size_t find_unquoted(std::string_view line, std::string_view wanted) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (wanted.find(line[at]) != std::string_view::npos) return at;
        if (is_quote(line[at])) at = closing_quote(line, at);
        if (at == std::string_view::npos) break;
    }
    return std::string_view::npos;
}

/// How much of `text`, which begins behind the `=`, belongs to the value: to the end of the line, or, where it begins
/// with a quote, to the end of the line on which that one closes with nothing but a comment behind it.
std::size_t value_length(std::string_view text) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos || !is_quote(text[first])) return line;
    const std::size_t last = closing_quote(text, first);
    if (last == std::string_view::npos || last < line) return line;
    const std::size_t end = std::min(text.find('\n', last), text.size());
    const std::string_view rest = without_blanks(text.substr(last + 1, end - last - 1));
    return rest.empty() || rest.front() == '#' ? end : line;
}

/// Without comment and quotes; in double quotes \n and \r are what they say.
std::string value_of(std::string_view written) {
    written = without_blanks(written.substr(0, find_unquoted(written, "#")));
    const bool is_quoted = written.size() > 1 && is_quote(written.front()) && written.back() == written.front();
    const bool has_escapes = is_quoted && written.front() == '"';
    if (is_quoted) written = written.substr(1, written.size() - 2);
    std::string value;
    for (std::size_t at = 0; at < written.size(); ++at) {
        const std::string_view two = written.substr(at, 2);
        const bool is_escape = has_escapes && (two == "\\n" || two == "\\r");
        value += !is_escape ? written[at] : two == "\\n" ? '\n' : '\r';
        at += is_escape ? 1 : 0;
    }
    return value;
}

/// Every end of a line as \n.
std::string with_plain_lines(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\r' && text.substr(at, 2) == "\r\n") continue;
        out += text[at] == '\r' ? '\n' : text[at];
    }
    return out;
}

/// `export` before names, and comments, are passed over; `:` may stand for `=`.
std::vector<std::pair<std::string, std::string>> read_environment_file(std::string_view given) {
    if (given.starts_with("\xEF\xBB\xBF")) given.remove_prefix(3);
    const std::string lines = with_plain_lines(given);
    std::vector<std::pair<std::string, std::string>> out;
    for (std::string_view text = lines; !text.empty();) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t separator = find_unquoted(line, "=:");
        std::string_view name = without_blanks(line.substr(0, separator));
        if (name.starts_with("export ")) name = without_blanks(name.substr(7));
        const bool is_one = separator != std::string_view::npos && !name.empty() && name.front() != '#';
        const std::size_t begin = is_one ? separator + 1 : end;
        const std::size_t length = is_one ? value_length(text.substr(begin)) : 0;
        if (is_one) out.emplace_back(name, value_of(text.substr(begin, length)));
        text.remove_prefix(std::min(begin + length + 1, text.size()));
    }
    return out;
}

/// Reads the members of one server.
class Reading {
public:
    Reading(const std::string& name, const Datum& row, const Variable& variable)
        : name_(name), row_(row), variable_(variable) {}

    Result<std::string> text(const char* member) {
        const Datum* value = row_.find(member);
        if (!value || value->is_nil()) return std::string();
        if (!value->text()) return wrong(name_, quoted(member) + " must be a text.");
        return expanded(name_, *value->text(), variable_);
    }
    Result<std::vector<std::string>> texts(const char* member) {
        std::vector<std::string> out;
        const Datum* value = row_.find(member);
        if (!value || value->is_nil()) return out;
        if (!value->list()) return wrong(name_, quoted(member) + " must be a list of texts.");
        for (const Datum& item : value->items()) {
            if (!item.text()) return wrong(name_, quoted(member) + " must be a list of texts.");
            out.push_back(PTC_TRY(expanded(name_, *item.text(), variable_)));
        }
        return out;
    }
    Result<std::vector<std::pair<std::string, std::string>>> pairs(const char* member) {
        std::vector<std::pair<std::string, std::string>> out;
        const Datum* value = row_.find(member);
        if (!value || value->is_nil()) return out;
        if (!value->map()) return wrong(name_, quoted(member) + " must be an object of texts.");
        for (const auto& [key, item] : value->entries()) {
            if (item.map() || item.list()) return wrong(name_, quoted(member) + " must be an object of texts.");
            const std::string given = item.text() ? *item.text() : item.to_json();
            out.emplace_back(*key.text(), PTC_TRY(expanded(name_, given, variable_, Bare::Yes)));
        }
        return out;
    }

    /// The same for members of `row`, which is one of them.
    [[nodiscard]] Reading of(const Datum& row) const { return {name_, row, variable_}; }

    /// The first of these members that is there.
    Result<std::optional<Names>> first_texts(std::initializer_list<const char*> members) {
        for (const char* member : members) {
            if (row_.find(member)) return std::optional<Names>(PTC_TRY(texts(member)));
        }
        return std::optional<Names>();
    }
    /// The path of a file or folder.
    Result<std::string> path(const char* member) {
        std::string given = PTC_TRY(text(member));
        if (given == "~" || given.starts_with("~/")) {
            if (const std::optional<std::string> home = variable_("HOME")) given.replace(0, 1, *home);
        }
        return given;
    }

private:
    const std::string& name_;
    const Datum& row_;
    const Variable& variable_;
};

/// A member's name as all spell it: clientId, client_id and CLIENT_ID are clientid.
std::string plain_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

/// What a client of the server is known as where it gets its token. Members that we do not use are told: whoever wrote
/// them expects something of them.
class ReadingOAuth {
public:
    ReadingOAuth(const std::string& name, const Datum& row, const Reading& reading)
        : name_(name), row_(row), reading_(reading.of(row)) {}

    Result<McpOAuth> read() {
        for (const auto& [key, value] : row_.entries())
            PTC_CHECK(read_member(key.text() ? key.text()->c_str() : ""));
        if (!oauth_.client_secret.empty() && oauth_.client_id.empty())
            return wrong(name_, "a `clientSecret` needs the `clientId` that it belongs to.");
        if (!oauth_.issuer.empty() && !oauth_.issuer.starts_with("https://") && !oauth_.issuer.starts_with("http://"))
            return wrong(name_, "`issuer` is no address of an authorization server.");
        return std::move(oauth_);
    }
    [[nodiscard]] const Names& unused() const { return unused_; }

private:
    Result<void> read_member(const char* member) {
        const std::string name = plain_name(member);
        if (std::string* text = text_of(name))
            *text = PTC_TRY(reading_.text(member));
        else if (name == "scopes" || name == "scope")
            oauth_.scopes = PTC_TRY(scopes(member));
        else if (name == "callbackport")
            oauth_.redirect_uri = PTC_TRY(address_of_port(row_[member]));
        else if (name != "enabled")
            unused_.push_back(member);
        return {};
    }
    std::string* text_of(const std::string& name) {
        if (name == "clientid") return &oauth_.client_id;
        if (name == "clientsecret") return &oauth_.client_secret;
        if (name == "issuer" || name == "issuerurl") return &oauth_.issuer;
        if (name == "clientmetadataurl") return &oauth_.client_metadata_url;
        if (name == "redirecturi" || name == "redirecturl") return &oauth_.redirect_uri;
        return nullptr;
    }
    /// A list, or a text with blanks in between.
    Result<Names> scopes(const char* member) {
        if (!row_[member].text()) return reading_.texts(member);
        Names out;
        const std::string given = PTC_TRY(reading_.text(member));
        for (std::string_view text = given; !text.empty();) {
            const std::size_t end = std::min(text.find(' '), text.size());
            if (end > 0) out.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return out;
    }
    Result<std::string> address_of_port(const Datum& port) {
        std::int64_t number = 0;
        if (!port.to_int64(&number) || number < 1 || number > 65535)
            return wrong(name_, "`callbackPort` must be a number from 1 to 65535.");
        return "http://localhost:" + std::to_string(number) + "/callback";
    }

    const std::string& name_;
    const Datum& row_;
    Reading reading_;
    McpOAuth oauth_;
    Names unused_;
};

/// `oauth` and `auth` of `row`. What is in there and not used is told.
Result<void> read_oauth(const std::string& name, const Datum& row, const Reading& reading, McpServer& server,
                        Names& notices) {
    Names unused;
    for (const char* member : {"oauth", "auth"}) {
        const Datum* given = row.find(member);
        if (!given || !given->map()) continue; // others have true, false or the name of a way there
        ReadingOAuth oauth(name, *given, reading);
        server.oauth = PTC_TRY(oauth.read());
        for (const std::string& key : oauth.unused())
            unused.push_back(std::string(member) + "." + key);
    }
    for (const std::string& key : unused)
        notices.push_back("The MCP server " + quoted_excerpt(name) + ": " + quoted_excerpt(key) +
                          " is not used. The server says itself where tokens are given.");
    return {};
}

/// The variables of ours that a command of the shell names: it gets them, as who wrote it means them.
std::vector<std::pair<std::string, std::string>> variables_in(std::string_view command, const Variable& variable) {
    const auto is_in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t at = command.find('$'); at != std::string_view::npos; at = command.find('$', at)) {
        at += command.substr(at).starts_with("${") ? 2 : 1;
        const std::string_view rest = command.substr(at);
        const auto end = std::ranges::find_if_not(rest, is_in_name);
        const std::string name(rest.begin(), end);
        if (std::optional<std::string> value = name.empty() ? std::nullopt : variable(name))
            found.emplace_back(name, *std::move(value));
    }
    return found;
}

/// A command of the shell, whose `${..}` are the shell's, or an object with a command in it.
Result<void> read_headers_helper(const std::string& name, const Datum& row, Reading& reading, const Variable& variable,
                                 McpServer& server) {
    const Datum* helper = row.find("headersHelper");
    if (!helper || helper->is_nil()) return {};
    Reading inner = helper->map() ? reading.of(*helper) : reading;
    const char* const member = helper->map() ? "command" : "headersHelper";
    const Datum& command = helper->map() ? (*helper)["command"] : *helper;
    if (command.list()) {
        server.headers_command = PTC_TRY(inner.texts(member));
    } else if (command.text() && !command.text()->empty()) {
        server.headers_command = {"/bin/sh", "-c", *command.text()};
        server.environment = variables_in(*command.text(), variable);
    }
    if (server.headers_command.empty()) return wrong(name, "`headersHelper` is no command.");
    if (server.url.empty()) return wrong(name, "`headersHelper` is for servers that have a `url`.");
    for (const char* environment : {"env", "environment"}) {
        auto pairs = PTC_TRY(inner.pairs(environment));
        std::ranges::move(pairs, std::back_inserter(server.environment));
    }
    const Datum* timeout = helper->map() ? helper->find("timeout") : nullptr;
    constexpr std::int64_t kMostTime = 600'000;
    std::int64_t time = 0;
    if (!timeout) return {};
    if (!timeout->to_int64(&time) || time < 1 || time > kMostTime)
        return wrong(name, "`timeout` of `headersHelper` must be a number of milliseconds, at most 600000.");
    server.headers_timeout = std::chrono::milliseconds(time);
    return {};
}

/// Whether whoever wrote the member, requireApproval or needs_approval, means calls that have to be approved; what
/// approves by itself (autoApprove) is other clients'.
bool wants_approval(std::string_view member) {
    const std::string name = plain_name(member);
    return name.find("approv") != std::string::npos && !name.starts_with("auto") && !name.starts_with("always");
}

Result<void> read_approval(const std::string& name, const Datum& row, McpServer& server) {
    // Members that others read are passed over, but for one that would protect nothing.
    constexpr std::string_view kApproval = "approval";
    for (const auto& [key, value] : row.entries()) {
        const std::string_view member = key.text() ? std::string_view(*key.text()) : std::string_view();
        if (member != kApproval && (!suggest(member, std::span(&kApproval, 1)).empty() || wants_approval(member)))
            return wrong(name, "there is no " + quoted_excerpt(member) + ". Did you mean `approval`?");
    }
    const Datum* approval = row.find(kApproval);
    if (!approval) return {};
    if (const bool* all = approval->get_if<bool>()) {
        server.approval = *all;
        return {};
    }
    const Datum* const except = approval->map() && approval->size() == 1 ? approval->find("except") : nullptr;
    const Datum& listed = except ? *except : *approval;
    const Error error = wrong(name, R"(`approval` must be true, false, a list of tools, or {"except": a list}.)");
    if (!listed.list()) return error;
    server.approval = except != nullptr;
    for (const Datum& tool : listed.items()) {
        if (!tool.text()) return error;
        (except ? server.tools_not_to_approve : server.tools_to_approve).push_back(*tool.text());
    }
    return {};
}

/// What is started, where there is a `command`: a text with `args` beside it, a list of both, or an object with `path`
/// that has `args` and `env` in it.
Result<void> read_program(const std::string& name, const Datum& row, Reading& reading, McpServer& server) {
    const Datum& command = row["command"];
    Reading inner = command.map() ? reading.of(command) : reading;
    if (command.list())
        server.command = PTC_TRY(reading.texts("command"));
    else if (const std::string program = PTC_TRY(inner.text(command.map() ? "path" : "command")); !program.empty())
        server.command = {program};
    if (server.command.empty()) return {};
    const Datum& written = command.list() ? command[0] : command.map() ? command["path"] : command;
    if (written.text() && *written.text() != server.command[0]) server.program = *written.text();
    Names arguments = PTC_TRY(inner.texts("args"));
    std::ranges::move(arguments, std::back_inserter(server.command));
    constexpr std::size_t kMostEnvironment = 1u << 20;
    if (const std::string file = PTC_TRY(reading.path("envFile")); !file.empty()) {
        const Result<std::string> text = read_whole_file(file, kMostEnvironment);
        if (!text.ok()) return wrong(name, "`envFile`: " + text.error().message);
        server.environment = read_environment_file(text.value());
    }
    for (const char* member : {"env", "environment"}) { // the program gets the last of a name
        auto pairs = PTC_TRY(inner.pairs(member));
        std::ranges::move(pairs, std::back_inserter(server.environment));
    }
    server.folder = PTC_TRY(reading.path("cwd"));
    const auto has_end = [](const std::string& text) { return text.find('\0') != std::string::npos; };
    if (std::ranges::any_of(server.command, has_end) || has_end(server.folder))
        return wrong(name, "texts for programs cannot have the character 0.");
    for (const auto& [variable, value] : server.environment) {
        if (variable.empty() || variable.find('=') != std::string::npos || has_end(variable) || has_end(value))
            return wrong(name, "the environment cannot have the variable " + quoted_excerpt(variable) + ".");
    }
    return {};
}

/// Clients that write down what needs no approval count in seconds, up to an hour; all others that have a `timeout`, in
/// milliseconds.
bool counts_in_seconds(const Datum& row, std::int64_t time) {
    constexpr std::int64_t kMostSeconds = 3600;
    return time <= kMostSeconds && (row.find("autoApprove") || row.find("alwaysAllow"));
}

Result<void> read_limits(const std::string& name, const Datum& row, McpServer& server) {
    constexpr std::int64_t kDay = 86'400'000;
    std::int64_t time = 0;
    if (const Datum* timeout = row.find("timeout"); timeout && !timeout->is_nil()) {
        if (!timeout->to_int64(&time) || time < 1 || time > kDay)
            return wrong(name, "`timeout` must be a number of milliseconds, at most a day.");
        server.timeout = std::chrono::milliseconds(counts_in_seconds(row, time) ? 1000 * time : time);
        server.connect_timeout = server.timeout;
    }
    std::int64_t questions = 0;
    if (const Datum* most = row.find("questions"); most && !most->is_nil()) {
        if (!most->to_int64(&questions) || questions < 0 || questions > 100'000)
            return wrong(name, "`questions` must be a number from 0 to 100000.");
        server.max_questions = static_cast<std::size_t>(questions);
    }
    return {};
}

/// As addresses usually say it; what is in doubt is elsewhere.
bool is_of_this_machine(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
    const std::string_view host = authority.substr(0, authority.find(':'));
    const bool is_loopback =
        host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
    if (authority.find('@') != std::string_view::npos) return false;
    return host == "localhost" || is_loopback || authority.starts_with("[::1]");
}

Result<McpServer> read_server(const std::string& name, const Datum& row, const Variable& variable, Names& notices) {
    if (!row.map()) return wrong(name, "it must be an object.");
    Reading reading(name, row, variable);
    McpServer server{.name = name};
    for (const char* member : {"url", "serverUrl", "httpUrl"}) {
        if (server.url.empty()) server.url = PTC_TRY(reading.text(member));
    }
    PTC_CHECK(read_program(name, row, reading, server));
    if (server.command.empty() == server.url.empty())
        return wrong(name, "it needs a `command` or a `url`" + std::string(server.url.empty() ? "." : ", not both."));
    server.headers = PTC_TRY(reading.pairs("headers"));
    PTC_CHECK(read_headers_helper(name, row, reading, variable, server));
    for (const auto& [header, value] : server.headers) {
        if (!mcp::is_header(header, value))
            return wrong(name, "the header " + quoted_excerpt(header) + " cannot be sent.");
    }
    if ((!server.headers.empty() || !server.headers_command.empty()) && server.url.starts_with("http://") &&
        !is_of_this_machine(server.url))
        notices.push_back(
            "The MCP server " + quoted_excerpt(name) +
            ": its `headers` are sent so that everybody on the way can read them, as `url` is not https.");
    const std::string type = PTC_TRY(reading.text("type"));
    if (type == "sse")
        return wrong(name, "the transport `sse` of 2024-11-05 is not spoken; use the server's streamable HTTP.");
    server.revision = PTC_TRY(reading.text("revision"));
    server.keeps_text = PTC_TRY(reading.text("jsonText")) == "keep";
    server.only_tools = PTC_TRY(reading.first_texts({"includeTools", "enabledTools", "enabled_tools"}));
    server.hidden_tools =
        PTC_TRY(reading.first_texts({"excludeTools", "disabledTools", "disabled_tools"})).value_or(Names());
    PTC_CHECK(read_limits(name, row, server));
    PTC_CHECK(read_approval(name, row, server));
    PTC_CHECK(read_oauth(name, row, reading, server, notices));
    return server;
}

/// How long the comment is that begins at `at`; 0: none does.
std::size_t comment_length(std::string_view text, std::size_t at) {
    const std::string_view begin = text.substr(at, 2);
    if (begin == "//") return std::min(text.find('\n', at), text.size()) - at;
    if (begin != "/*") return 0;
    const std::size_t end = text.find("*/", at + 2);
    return (end == std::string_view::npos ? text.size() : end + 2) - at;
}

/// The JSON with blanks in place of what editors allow beside it: a byte order mark, comments, and commas before
/// closing brackets. Offsets stay what they are.
std::string plain_json(std::string_view text) {
    std::string out(text);
    if (out.starts_with("\xEF\xBB\xBF")) out.replace(0, 3, "   ");
    std::size_t comma = std::string::npos; // with nothing but blanks after it so far
    for (std::size_t i = 0; i < out.size(); ++i) {
        const char c = out[i];
        if (const std::size_t length = comment_length(out, i)) {
            std::replace_if(
                out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(i + length),
                [](char b) { return b != '\n'; }, ' ');
            i += length - 1;
        } else if (c == ',') {
            comma = i;
        } else if (c == '"') {
            comma = std::string::npos;
            for (++i; i < out.size() && out[i] != '"'; ++i)
                i += out[i] == '\\';
        } else if (c == '}' || c == ']') {
            if (comma != std::string::npos) out[comma] = ' ';
            comma = std::string::npos;
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            comma = std::string::npos;
        }
    }
    return out;
}

/// Where each client has them: null when nowhere.
const Datum* servers_of(const Datum& config) {
    for (const Datum* folder : {&config, config.find("mcp")}) {
        for (const char* key : {"mcpServers", "servers", "context_servers"}) {
            if (const Datum* servers = folder ? folder->find(key) : nullptr) return servers;
        }
    }
    return config.find("mcp");
}

} // namespace

Result<McpConfig> read_mcp_config(std::string_view json, Variable variable) {
    if (!variable) variable = from_environment;
    const Datum config = PTC_TRY(Datum::from_json(plain_json(json)));
    const Datum* servers = servers_of(config);
    if (!servers || !servers->map())
        return Error(Reason::InvalidRequest, "MCP servers are an object: {\"mcpServers\": {NAME: {\"command\": ..}}}.");
    McpConfig read;
    std::optional<Error> first;
    std::vector<std::string> names;
    for (const auto& [name, row] : servers->entries())
        names.push_back(*name.text());
    const std::map<std::string, std::string> in_programs = mcp::program_names(names);
    for (const auto& [name, row] : servers->entries()) {
        if (row["disabled"] == Datum(true) || row["enabled"] == Datum(false)) {
            read.notices.push_back("The MCP server " + quoted_excerpt(*name.text()) + " is disabled.");
            continue;
        }
        Result<McpServer> server = read_server(*name.text(), row, variable, read.notices);
        if (server.ok()) {
            server.value().program_name = in_programs.at(*name.text());
            read.servers.push_back(std::move(server).value());
            continue;
        }
        if (!first) first = server.error();
        read.notices.push_back(server.error().message + " It is left out.");
    }
    if (first && read.servers.empty()) return std::move(*first);
    return read;
}

} // namespace ptc
