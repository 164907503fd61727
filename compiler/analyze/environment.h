// What an analysis is given besides the forms: the names that a program may use, and the limits that hold while it is
// compiled.
#pragma once
#include "compiler/language/known_names.h"
#include "ptc/signature_text.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct Fact;
class Prelude;

/// What the analyzer knows of a tool.
struct ToolInfo {
    std::string name;
    std::string description;
    std::function<std::string()> description_now{}; ///< where it grows
    std::string details{};                          ///< behind the description, in `doc` and in searches
    std::optional<Signature> signature{}; ///< what its arguments and results are checked against; none: anything fits
    std::vector<UnwrittenField> unwritten{};    ///< of results, beside what the signature says
    std::vector<std::string> other_arguments{}; ///< names of arguments, beside what it says
    /// What results have looked like, where the signature says nothing of them: for warnings alone. Asked for when a
    /// program calls the tool.
    std::function<std::optional<Type>()> seen_result{};
};

/// What is known of data/NAME (type_facts.h).
struct DataInfo {
    std::string_view name;
    const Fact* fact = nullptr;
};

/// Names that a program may use besides its own. Borrowed for the call.
struct Environment {
    const KnownNames* globals = nullptr; ///< the session's defined names; null: there are none
    /// Those of them that are sequences by need (endless.h), and those that are such or functions that may give one.
    std::span<const std::string_view> sequences{}, by_need{};
    std::span<const ToolInfo> tools;
    /// What earlier programs of the session have declared (declarations.h), and whether this one's are noted for later
    /// ones, in Program::declarations.
    std::string_view declarations{};
    bool notes_declarations = false;
    std::span<const DataInfo> data;       ///< what is not among them may be anything
    std::span<const DataInfo> received{}; ///< the same of names of the session (the checker finds it: received.h)
    std::span<const DataInfo>
        tool_results{};      ///< lists of what tools without a signature have given, when they have run
    bool any_global = false; ///< accept every name as a global (building a file to be run in another session)
    bool any_tool = false;   ///< accept every tool (checking without a tool list)
    /// Arguments with which a tool's signature fails every call are errors, not warnings: where the host checks them.
    bool strict_arguments = false;
    bool is_repeatable = false; ///< of tools is known what they said (ToolInfo::description), not what is known by now
    bool fold = true;           ///< false: no call is made while compiling (for differential tests)
    bool fuse = true;           ///< false: loops stay as they are written: fusion.h, cursors.h (the same)
    /// Gives the names below data/ that the run will have; empty when they are not known. Asked for where something is
    /// wrong, and to warn of reads of others.
    std::function<std::vector<std::string>()> data_names{};
    const Prelude* prelude = nullptr; ///< namespaces that the host adds to the language; null: none
};

struct CompileLimits {
    std::uint32_t max_source_bytes = 1u << 20;
    std::uint32_t max_nesting = 512;
    std::uint32_t max_symbols = 20'000; ///< distinct names: of a program, and of a session that it adds to
    std::uint32_t max_constants = 200'000;
    std::uint32_t max_nodes = 2'000'000;        ///< tree size after expansion
    std::size_t max_constant_bytes = 64u << 20; ///< of all constants; a regex takes much
    std::int64_t max_work = 50'000'000;         ///< units of fuel: a node, building a constant, folding
};

} // namespace ptc
