// The tools of all upstream servers as programs know them: names that can be written, signatures, and what is told of
// both. A catalogue can be kept in a file, so that programs are checked without any server.
#pragma once
#include "ptc/mcp_client.h"
#include "ptc/type.h"
#include "subagent/mcp/client_session.h"
#include <map>
#include <memory>
#include <mutex>
#include <utility>

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
    std::optional<Type> learnt{};               ///< of results, where the server declares no type
    std::shared_ptr<ResultHint> hint = std::make_shared<ResultHint>(); ///< never null
};

/// `name` with what programs cannot write in a name replaced; `name` itself where they can.
std::string program_name_part(std::string_view name, bool may_have_dots);

/// The tools that a server lists, with names that no other tool of it has. What is changed is told in `notices`.
std::vector<CatalogTool> catalog_of(const std::string& server, Listing listing, std::vector<std::string>& notices);

/// As programs and prompts see it: what it says of itself is quoted, on one line, and bounded. Without a function.
Tool described(const std::string& server, const CatalogTool& tool);
/// What prompts say of the results that were seen: "" where nothing is known, or the server declares their type.
std::string hint_of(const CatalogTool& tool);
/// What the server says of it, with that behind it.
std::string description_of(const std::string& server, const ListedTool& tool, const std::string& hint);

/// Of a file: servers and their tools.
using Catalog = std::map<std::string, std::vector<CatalogTool>>;
Result<Catalog> read_catalog_file(const std::string& path);
/// Replaces the file as a whole; its owner's alone (0600), in a folder of its owner's alone.
Result<void> write_catalog_file(const std::string& path, const Catalog& catalog);

/// What results have looked like, by server and tool.
using LearntTypes = std::map<std::string, std::map<std::string, Type>>;
/// Those of a catalogue's file; none of one that cannot be read. Schemas are not looked at.
LearntTypes read_learnt_types(const std::string& path);
/// What another process has learnt of the same tools, beside what this one has.
void add_learnt(Catalog& catalog, const LearntTypes& learnt);

} // namespace ptc::mcp
