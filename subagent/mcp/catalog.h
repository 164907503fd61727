// The tools of all upstream servers as programs know them: names that can be written, signatures, and what is told of
// both. A catalogue can be kept in a file, so that programs are checked without any server.
#pragma once
#include "ptc/mcp_client.h"
#include "ptc/schema_reader.h"
#include "ptc/type.h"
#include "subagent/mcp/client_session.h"
#include "subagent/mcp/twin_keys.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptc::mcp {

/// What is known of the results of one tool by now, as prompts say it. Copies of its tool share it; any thread may use
/// it.
class ResultHint {
public:
    [[nodiscard]] std::string text() const {
        const std::scoped_lock lock(mutex_);
        return text_;
    }
    /// Whether it is another one.
    bool set(std::string text) {
        const std::scoped_lock lock(mutex_);
        return std::exchange(text_, std::move(text)) != text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

/// A tool of a catalogue.
struct CatalogTool {
    std::shared_ptr<const ListedTool> listed;   ///< never null; copies share it, as it may be large
    std::string name;                           ///< as programs write it: "server.tool"
    std::string signature;                      ///< "" when nothing is known of its arguments and results
    std::string details{};                      ///< Tool::details
    std::vector<UnwrittenField> unwritten{};    ///< of results, where the server declares their type
    std::vector<std::string> other_arguments{}; ///< Tool::other_arguments
    std::vector<RenamedParameter> argument_names{}, result_names{};     ///< as SignatureReading has them
    std::shared_ptr<TwinKeys> twin_keys = std::make_shared<TwinKeys>(); ///< never null; of its results
    std::optional<Type> learnt{}; ///< of results, where the server declares no type
    std::shared_ptr<ResultHint> hint = std::make_shared<ResultHint>(); ///< never null
};

/// `name` with what programs cannot write in a name replaced; `name` itself where they can.
std::string program_name_part(std::string_view name, bool may_have_dots);

/// McpServer::program_name, or what programs make of its name.
std::string program_name_of(const McpServer& server);
/// Of all servers that a file names, by these names: each has another one, and those that can be written keep theirs.
std::map<std::string, std::string> program_names(const std::vector<std::string>& servers);

/// The tools that a server lists, with names that no other tool of it has, and which begin with `program_name`. What is
/// changed is told in `notices`.
std::vector<CatalogTool> catalog_of(const std::string& server, Listing listing, std::vector<std::string>& notices,
                                    const std::string& program_name = {});

/// Whether the host lets anybody have a tool of this name.
bool is_offered(const McpServer& server, const std::string& tool);
/// What nobody has is taken out of the listing.
std::vector<std::shared_ptr<const ListedTool>> take_hidden(Listing& listing,
                                                           const std::function<bool(const std::string&)>& is_offered);

/// As programs and prompts see it: what it says of itself is quoted, on one line, and bounded. Without a function.
Tool described(const std::string& server, const CatalogTool& tool);
/// What prompts say of the results that were seen: "" where nothing is known, or the server declares their type.
std::string hint_of(const CatalogTool& tool);
/// What the server says of it, with that behind it.
std::string description_of(const std::string& server, const ListedTool& tool, const std::string& hint);

/// What results of a tool have looked like that is not there now.
struct LearntType {
    Type type;
    std::size_t missed = 0; ///< clients that have begun since without finding the tool
};
using LearntOfServer = std::map<std::string, LearntType>; ///< by the server's names of its tools

/// What is known of one server.
struct ServerCatalog {
    std::vector<CatalogTool> tools;
    /// Those that nobody has: another config file, or this one as it is next time, may let them through.
    std::vector<std::shared_ptr<const ListedTool>> hidden{};
    /// Of tools that are not among `tools`: they may come back, after a list that was not complete.
    LearntOfServer apart{};
};
/// Adds what was learnt of a tool that is not there, or counts as one that was not found. Of each server the types of
/// 1,000 tools are kept, until twenty clients have not found them.
void set_apart(LearntOfServer& apart, const std::string& tool, LearntType learnt);
void count_missed(LearntOfServer& apart);

/// Of a file: servers and their tools.
using Catalog = std::map<std::string, ServerCatalog>;
/// Whether anybody has this tool of a server, by the names that the server gives.
using IsOffered = std::function<bool(const std::string& server, const std::string& tool)>;
/// What it is called in programs; "" for its own name.
using NameInPrograms = std::function<std::string(const std::string& server)>;
Result<Catalog> read_catalog_file(const std::string& path, const IsOffered& is_offered,
                                  const NameInPrograms& name_in_programs = {});
/// A server of a file as its JSON says it.
struct KeptServer {
    std::string name;
    std::string tools; ///< a list
    std::string apart; ///< a list, or ""
};
/// Those of a file that are not among `servers`: switched off, or without a variable that their row needs. The
/// first hundred of at most 64 MiB; none of a file that cannot be read.
std::vector<KeptServer> read_other_servers(const std::string& path, const std::set<std::string>& servers);
/// Whether a catalogue may be written there: there is no file, or one of this user's that is a catalogue of this
/// format, or none at all. invalid_request: a file of somebody else or of another version, a FIFO or the like.
Result<void> check_may_keep(const std::string& path);
/// Replaces the file as a whole; its owner's alone (0600), in a folder of its owner's alone.
Result<void> write_catalog_file(const std::string& path, const Catalog& catalog,
                                const std::vector<KeptServer>& others = {});

/// What results have looked like, by server and tool.
using LearntTypes = std::map<std::string, LearntOfServer>;
/// Those of a catalogue's file; none of one that cannot be read. Schemas are not looked at.
LearntTypes read_learnt_types(const std::string& path);
/// What another process has learnt of the same tools, beside what this one has.
void add_learnt(Catalog& catalog, const LearntTypes& learnt);

} // namespace ptc::mcp
